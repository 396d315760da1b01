"""A call in words, Russian or English. `parse(call_text(call, language), cue) == call` for every valid call and either cue ball."""

from __future__ import annotations

from referee.calls.call import BankBlack, Call, Carom, Combination, Element, Pot

# nominative, genitive, dative, instrumental
_RU_BALLS = {
    "own": ("свой", "своего", "своему", "своим"),
    "other": ("чужой", "чужого", "чужому", "чужим"),
    "white": ("белый", "белого", "белому", "белым"),
    "yellow": ("жёлтый", "жёлтого", "жёлтому", "жёлтым"),
    "red": ("красный", "красного", "красному", "красным"),
    "black": ("чёрный", "чёрного", "чёрному", "чёрным"),
}
_EN_BALLS = {"own": "own ball", "other": "other ball", "white": "white", "yellow": "yellow", "red": "red", "black": "black"}
_RU_PLACES = {
    "home-left": "в ближний левый угол",
    "home-right": "в ближний правый угол",
    "foot-left": "в дальний левый угол",
    "foot-right": "в дальний правый угол",
    "middle-left": "в левую середину",
    "middle-right": "в правую середину",
    "corner": "в угол",
    "middle": "в середину",
    "any": "в любую лузу",
}
_EN_PLACES = {
    "home-left": "into the near left corner",
    "home-right": "into the near right corner",
    "foot-left": "into the far left corner",
    "foot-right": "into the far right corner",
    "middle-left": "into the left middle pocket",
    "middle-right": "into the right middle pocket",
    "corner": "into a corner",
    "middle": "into a middle pocket",
    "any": "into any pocket",
}
_RU_CUSHIONS = {0: "без бортов", 1: "от борта", 2: "от двух бортов", 3: "от трёх бортов", 4: "от четырёх бортов", 5: "от пяти бортов"}
_RU_CONTACTS = {1: "с одним соударением", 2: "с двумя соударениями", 3: "с тремя соударениями", 4: "с четырьмя соударениями"}
_EN_NUMBERS = ("no", "one", "two", "three", "four", "five")
# The words that the parser would drop without «комбинацией»: they only repeat what is so anyhow.
_PERHAPS_CUE = ("own", "white", "yellow")


def call_text(call: Call, language: str = "ru") -> str:
    """The call as a marker would say it. `language`: ru | en (else ValueError)."""
    if language not in ("ru", "en"):
        raise ValueError(f"language: expected 'ru' or 'en', got {language!r}")
    say = _russian if language == "ru" else _english
    parts = [say(element) for element in call.elements]
    joint = " и " if language == "ru" else " and "
    return ("; " if any(joint in part for part in parts) else joint).join(parts)


def _needs_word(pot: Pot, combination: Combination) -> bool:
    """Whether «комбинацией» must be said: with the cue ball as the ball in question the parser would see nothing special."""
    if combination.how == "by":
        return any(ball in _PERHAPS_CUE for ball in combination.balls)
    return combination.how == "off" and (pot.ball in _PERHAPS_CUE or combination.balls == ("own",))


def _russian(element: Element) -> str:
    if isinstance(element, Carom):
        return f"триборт от {_RU_BALLS[element.first][1]} по {_RU_BALLS[element.second][2]}"
    if isinstance(element, BankBlack):
        words = [_RU_BALLS[element.ball][3], _RU_CUSHIONS.get(element.cushions, f"от {element.cushions} бортов"), "по чёрному"]
        if element.contacts:
            words.append(_RU_CONTACTS.get(element.contacts, f"с {element.contacts} соударениями"))
        return " ".join(words)
    words = [_RU_BALLS[element.ball][0]]
    if element.combination is not None:
        words.append(_russian_combination(element, element.combination))
    if element.cushions:
        words.append(_RU_CUSHIONS[element.cushions])
    if element.jump is not None:
        words.append("перескоком через шар" if element.jump == "ball" else "перескоком через губу")
    return " ".join([*words, _RU_PLACES[element.pocket]])


def _russian_combination(pot: Pot, combination: Combination) -> str:
    balls = [_RU_BALLS[ball] for ball in combination.balls]
    word = "комбинацией " if _needs_word(pot, combination) else ""
    if combination.how == "by":
        return word + (" и ".join(forms[3] for forms in balls) or "шаром")
    if combination.how == "off":
        return word + (" и ".join(f"от {forms[1]}" for forms in balls) or "от шара")
    if not balls:
        return "от двух шаров" if pot.ball == "own" else "карамболем"
    return "карамболем " + " и ".join(f"от {forms[1]}" for forms in balls)


def _english(element: Element) -> str:
    if isinstance(element, Carom):
        return f"three-cushion carom off {_the(element.first)} onto {_the(element.second)}"
    if isinstance(element, BankBlack):
        words = [_EN_BALLS[element.ball], _count(element.cushions, "cushion"), "onto the black"]
        if element.contacts:
            words.append(f"with {_number(element.contacts)} extra contact{'s' if element.contacts > 1 else ''}")
        return " ".join(words)
    words = [_EN_BALLS[element.ball]]
    if element.combination is not None:
        words.append(_english_combination(element, element.combination))
    if element.cushions:
        words.append(_count(element.cushions, "cushion"))
    if element.jump is not None:
        words.append("jumping over a ball" if element.jump == "ball" else "jumping over the jaw")
    return " ".join([*words, _EN_PLACES[element.pocket]])


def _english_combination(pot: Pot, combination: Combination) -> str:
    balls = [_the(ball) for ball in combination.balls]
    word = "in combination " if _needs_word(pot, combination) else ""
    if combination.how == "by":
        return word + (" and ".join(f"by {ball}" for ball in balls) or "by a ball")
    if combination.how == "off":
        return word + (" and ".join(f"off {ball}" for ball in balls) or "off a ball")
    if not balls:
        return "off two balls" if pot.ball == "own" else "by carom"
    return "by carom " + " and ".join(f"off {ball}" for ball in balls)


def _the(ball: str) -> str:
    return f"the {_EN_BALLS[ball]}"


def _number(count: int) -> str:
    return _EN_NUMBERS[count] if count < len(_EN_NUMBERS) else str(count)


def _count(count: int, noun: str) -> str:
    if count == 0:
        return f"without {noun}s"
    return f"off {_number(count)} {noun}{'s' if count > 1 else ''}"
