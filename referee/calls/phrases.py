"""From words to the terminals of `calls.lark`: the words that name one ball («чужого жёлтого шара») become one token with its case.

Russian adjectives and nouns belong together only when they agree, so «чужой шаром» is two balls (other, by a ball), «чужой шар» one.
"""

from __future__ import annotations

from dataclasses import dataclass

from referee.calls.errors import CallError
from referee.calls.words import Gram, Word

BALL_WORDS = {"COLOUR", "OWNER", "BALLNOUN"}
_PLACE_WORDS = {"SIDE", "END", "CLASS", "LUZA"}


@dataclass(frozen=True, slots=True)
class Piece:
    """A terminal with its value (a ball, a number, a side …) and its place in the text."""

    type: str
    value: str
    text: str
    start: int
    end: int


def pieces_of(words: list[Word], cue: str, split: bool = False) -> list[Piece]:
    """The terminals of a call.

    `cue` is needed to see that «свой жёлтый» contradicts itself (CallError). With `split` an adjective after its noun or colour
    is another ball («через шар чужой в угол»); otherwise it belongs to it («шар чужой в угол»).
    """
    out: list[Piece] = []
    i = 0
    while i < len(words):
        word = words[i]
        if word.kind == "NUM" and (length := _counted_balls(words, i)):
            group = words[i : i + length]
            out.append(_counted(group))
        elif word.kind in BALL_WORDS:
            group = _ball_group(words, i, cue, split)
            length = len(group.words)
            out.append(group.piece(_governed(out)))
        elif _end_of_table(word, out):
            length = 1  # «угол дальнего борта»: the adjective tells the pocket
        else:
            length = 1
            oblique = word.kind in _PLACE_WORDS and word.grams and not word.cases & {"nomn", "accs"}
            kind = word.kind + "_G" if oblique else word.kind
            out.append(Piece(kind, word.value, word.text, word.start, word.end))
        i += length
    return out


def _end_of_table(word: Word, before: list[Piece]) -> bool:
    """Whether this is the cushion by which a pocket is named («в правый угол дальнего борта»), not one that a ball meets."""
    if word.kind != "BORT" or "gent" not in word.cases:
        return False
    kinds = [piece.type.removesuffix("_G") for piece in before]
    told = len(kinds)
    while told and kinds[told - 1] in ("END", "SIDE"):
        told -= 1
    return 0 < told < len(kinds) and kinds[told - 1] in ("CLASS", "LUZA")


def _counted_balls(words: list[Word], i: int) -> int:
    """How many words «двух (других) шаров» takes from `i`, or 0."""
    j = i + 1
    while j < len(words) and words[j].kind == "OWNER":
        j += 1
    if j < len(words) and words[j].kind == "BALLNOUN" and words[j].value == "":
        return j + 1 - i
    plural = j > i + 1 and words[i].value != "1" and any(number == "plur" for _, number, _ in words[j - 1].grams)
    return j - i if plural or (j > i + 1 and words[j - 1].text == "others") else 0


def _counted(group: list[Word]) -> Piece:
    text = " ".join(word.text for word in group)
    number, noun = group[0].value, group[-1]
    kind, value = ("NBALLS", number) if number != "1" else (_case_type(noun.grams), "any")
    return Piece(kind, value, text, group[0].start, noun.end)


class _Group:
    """Agreeing words that name one ball."""

    def __init__(self, word: Word, cue: str) -> None:
        self.words = [word]
        self.grams = _masculine_first(word)
        self.cue = cue
        self.names = [word.value] if word.value else []
        self.nouns = int(word.kind == "BALLNOUN")

    def take(self, word: Word) -> bool:
        grams = _agreement(self.grams, word.grams)
        nouns = self.nouns + (word.kind == "BALLNOUN")
        names = [*self.names, word.value] if word.value else self.names
        after_noun = self.nouns and not self.grams and not word.grams  # English: «own ball red» is two balls
        if after_noun or nouns > 1 or (self.grams and word.grams and not grams) or not self._one_ball(names):
            return False
        if self._contradicts(names):
            if word.kind != "COLOUR":
                return False  # «через красный свой в угол»
            text = " ".join(w.text for w in [*self.words, word])
            raise CallError(f"«{text}» contradicts itself: the cue ball is {self.cue}", part=text)
        self.words.append(word)
        self.grams, self.nouns, self.names = grams, nouns, names
        return True

    def closed(self, word: Word) -> bool:
        """Whether `word` comes after what ends a group that is not in reverse order."""
        return self.nouns > 0 or (word.kind == "OWNER" and any(w.kind == "COLOUR" for w in self.words))

    def _one_ball(self, names: list[str]) -> bool:
        owners = {name for name in names if name in ("own", "other", "any")}
        return len(set(names) - owners) <= 1 and len(owners) <= 1 and len(names) <= 2

    def _contradicts(self, names: list[str]) -> bool:
        owner = next((name for name in names if name in ("own", "other")), None)
        colour = next((name for name in names if name not in ("own", "other", "any")), None)
        return owner is not None and colour is not None and (owner == "own") != (colour == self.cue)

    def piece(self, genitive: bool) -> Piece:
        colours = [name for name in self.names if name not in ("own", "other", "any")]
        owners = [name for name in self.names if name in ("own", "other", "any")]
        value = (colours or owners or ["any"])[0]
        kind = "BALL_G" if genitive and any(case == "gent" for case, _, _ in self.grams) else _case_type(self.grams)
        return Piece(kind, value, " ".join(w.text for w in self.words), self.words[0].start, self.words[-1].end)


def _governed(before: list[Piece]) -> bool:
    """Whether a ball here can only be in the genitive: after «от», or after «и» when the ball before it was («от жёлтого и фишки»)."""
    kinds = [piece.type for piece in before[-3:]]
    return kinds[-1:] == ["OFF"] or (len(kinds) == 3 and kinds[0] in ("OFF", "WITHFROM") and kinds[1:] == ["BALL_G", "AND"])


def _ball_group(words: list[Word], i: int, cue: str, split: bool) -> _Group:
    group = _Group(words[i], cue)
    for word in words[i + 1 :]:
        if word.kind not in BALL_WORDS or (split and group.closed(word)) or not group.take(word):
            break
    return group


def _masculine_first(word: Word) -> frozenset[Gram]:
    """«чужой» alone is «чужой шар», not «чужой (луз)ой»: a ball is masculine unless the word cannot be."""
    masculine = frozenset(gram for gram in word.grams if gram[2] == "masc")
    return masculine if masculine and word.kind != "BALLNOUN" else word.grams


def _agreement(first: frozenset[Gram], second: frozenset[Gram]) -> frozenset[Gram]:
    if not first or not second:
        return first or second
    return first & second


def _case_type(grams: frozenset[Gram]) -> str:
    """The terminal for a ball in these cases. «жёлтого» (genitive or animate accusative) is BALL_G, «жёлтый» BALL_N."""
    cases = {case for case, _, _ in grams}
    for case, kind in (("nomn", "BALL_N"), ("gent", "BALL_G"), ("ablt", "BALL_I"), ("datv", "BALL_D"), ("loct", "BALL_D")):
        if case in cases:
            return kind
    return "BALL_N"
