"""A typing error is understood or refused; it does not change what was called."""

import random

from tests.referee.calls.corpus import lines, reading

RUSSIAN, ENGLISH = "абвгдеёжзийклмнопрстуфхцчшщъыьэюя", "abcdefghijklmnopqrstuvwxyz"


def mistyped(text: str, rng: random.Random) -> str:
    """The text with one letter lost, added, changed or exchanged in one of its longer words."""
    words = text.split(" ")
    i = rng.choice([i for i, word in enumerate(words) if len(word) >= 5])
    word = words[i]
    j, letter = rng.randrange(len(word) - 1), rng.choice(ENGLISH if word.isascii() else RUSSIAN)
    words[i] = rng.choice(
        (
            word[:j] + word[j + 1 :],
            word[:j] + letter + word[j:],
            word[:j] + letter + word[j + 1 :],
            word[:j] + word[j + 1] + word[j] + word[j + 2 :],
        )
    )
    return " ".join(words)


def test_typing_errors() -> None:
    rng = random.Random(1)
    rows = [row for row in lines() if row.meaning[0] not in "?!" and any(len(word) >= 5 for word in row.text.split(" "))]
    same, wrong = 0, []
    for row in rng.sample(rows, 400):
        text = mistyped(row.text, rng)
        got = reading(text, row.cue)
        same += got == row.meaning
        if got != row.meaning and got[0] not in "?!":
            wrong.append(f"{text}: {got}, expected {row.meaning}")
    assert len(wrong) <= 2, "\n".join(wrong)  # a word one letter away may be another word of the game
    assert same >= 240
