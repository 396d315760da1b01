"""Words for the hall, in Russian and English: balls, pockets, reasons, fouls."""

from __future__ import annotations

from referee.rules.fouls import FoulRule
from referee.rules.outcome import NotMade
from referee.rules.validity import VoidReason

# Nominative, genitive, dative, instrumental.
BALL_RU = {
    "white": ("белый", "белого", "белому", "белым"),
    "yellow": ("жёлтый", "жёлтого", "жёлтому", "жёлтым"),
    "red": ("красный", "красного", "красному", "красным"),
    "black": ("чёрный", "чёрного", "чёрному", "чёрным"),
}
POCKET_RU = {  # «в …»
    "home-left": "ближний левый угол",
    "home-right": "ближний правый угол",
    "middle-left": "левую середину",
    "middle-right": "правую середину",
    "foot-left": "дальний левый угол",
    "foot-right": "дальний правый угол",
}
POCKET_EN = {
    "home-left": "near left corner",
    "home-right": "near right corner",
    "middle-left": "left middle pocket",
    "middle-right": "right middle pocket",
    "foot-left": "far left corner",
    "foot-right": "far right corner",
}
SPOT_RU = {"home": "отметку дома", "centre": "центральную отметку", "pyramid": "отметку пирамиды"}
SPOT_FREE_RU = {"home": "отметка дома", "centre": "центральная отметка", "pyramid": "отметка пирамиды"}
SPOT_EN = {"home": "home spot", "centre": "centre spot", "pyramid": "pyramid spot"}

FOUL_TEXT: dict[FoulRule, tuple[str, str]] = {
    FoulRule.MISS: ("промах: биток не коснулся игрового шара", "miss: the cue ball met no legal ball"),
    FoulRule.WRONG_BALL: ("удар кием не по битку", "the cue struck a ball that is not the cue ball"),
    FoulRule.WHITE_RED: ("соударение белого и красного", "white and red touched"),
    FoulRule.BLACK: ("биток коснулся чёрного прежде другого шара", "the cue ball touched black before another ball did"),
    FoulRule.TOUCH: ("туш", "touched ball"),
    FoulRule.INACTIVE: (
        "недостаточно активный удар: после соударения нет ни борта, ни перехода средней линии",
        "not active enough: after the contact no ball touched a cushion or crossed the middle line",
    ),
    FoulRule.CUE_BALL_POTTED: ("биток упал не по заказу", "the cue ball was potted otherwise than called"),
    FoulRule.CUE_BALL_OFF_TABLE: ("биток выскочил за борт", "the cue ball left the table"),
    FoulRule.FORBIDDEN_STROKE: ("запрещённый удар", "forbidden stroke"),
}
INACTIVE_OPENING = (
    "недостаточно активный удар: в начальном ударе после соударения нет касания борта",
    "not active enough: no ball touched a cushion after the contact of the opening stroke",
)
FORBIDDEN_TEXT = {
    "double_hit": ("запрещённый удар: двойной удар", "forbidden stroke: double hit"),
    "push": ("запрещённый удар: пропих", "forbidden stroke: push"),
    "press": ("запрещённый удар: нажим", "forbidden stroke: press"),
    "strike": ("запрещённый удар: второй удар по битку", "forbidden stroke: the cue ball was struck twice"),
}

NOT_MADE_RU: dict[NotMade, str] = {
    NotMade.NOT_POTTED: "шар не упал",
    NotMade.FELL_LATE: "упал позже трёх секунд после остановки в створе лузы",
    NotMade.KNOCKED_IN_LATE: "добит позже трёх секунд после остановки в створе лузы, и не прямолетящим битком",
    NotMade.OTHER_POCKET: "упал не в заказанную лузу",
    NotMade.OTHER_CUSHIONS: "число бортов не то, что заказано",
    NotMade.NOT_FIRST: "биток сначала коснулся другого шара",
    NotMade.UNCALLED_COMBINATION: "упал комбинацией, которая не заказана",
    NotMade.OTHER_COMBINATION: "комбинация не та, что заказана",
    NotMade.JUMP_NOT_MADE: "заказанного перескока не было",
    NotMade.JUMP_NOT_CALLED: "сыгран перескоком, который не заказан",
    NotMade.CAROM_FIRST_NOT_MET: "биток не коснулся первым того шара, с которого заказан карамболь",
    NotMade.CAROM_SECOND_NOT_MET: "биток не дошёл до второго шара карамболя",
    NotMade.CAROM_OTHER_BALL: "биток задел посторонний шар",
    NotMade.CAROM_CUSHIONS: "до второго шара меньше трёх бортов",
    NotMade.BANK_NOT_MET: "прицельный шар не дошёл до чёрного",
    NotMade.BANK_CUSHIONS: "число бортов до чёрного не то, что заказано",
    NotMade.BANK_CONTACTS: "число дополнительных соударений не то, что заказано",
    NotMade.NO_CALL: "не прямолетящий, а заказа не было",
    NotMade.FROM_HAND: "с рук засчитываются только заказные удары с бонусом",
    NotMade.BLACK_UNCALLED: "чёрный засчитывается только заказной комбинацией",
    NotMade.NOT_CALLED: "не заказан",
    NotMade.HALF_A_DOUBLE: "засчитывается только весь заказ целиком",
    NotMade.VOID_CALL: "заказ недействителен",
    NotMade.FOUL: "после фола ничего не засчитывается",
}
# The rule of the source behind each reason.
NOT_MADE_LAW: dict[NotMade, str] = {
    NotMade.FELL_LATE: "3",
    NotMade.KNOCKED_IN_LATE: "3",
    NotMade.NO_CALL: "2, 3",
    NotMade.FROM_HAND: "11",
    NotMade.BLACK_UNCALLED: "10",
    NotMade.CAROM_FIRST_NOT_MET: "8.4",
    NotMade.CAROM_SECOND_NOT_MET: "8.4",
    NotMade.CAROM_OTHER_BALL: "8.4",
    NotMade.CAROM_CUSHIONS: "8.4",
    NotMade.BANK_NOT_MET: "8.5",
    NotMade.BANK_CUSHIONS: "8.5",
    NotMade.BANK_CONTACTS: "9.5",
    NotMade.HALF_A_DOUBLE: "9.4",
}

VOID_RU: dict[VoidReason, str] = {
    VoidReason.SNOOKERED: "при снукере заказана комбинация с чёрным",
    VoidReason.STRAIGHT_FROM_HAND: "с рук заказан прямолетящий шар",
    VoidReason.JUMP_FROM_HAND: "с рук заказан перескок",
    VoidReason.BANK_FROM_HAND: "с рук заказан бортовой удар по чёрному",
    VoidReason.CUE_BALL_AS_OBJECT: "биток заказан как свой же прицельный шар",
    VoidReason.BLACK_IN_CAROM: "чёрный не может быть шаром трёхбортного карамболя",
    VoidReason.BLACK_UNCOMBINED: "чёрный заказан без комбинации",
    VoidReason.NOT_ON_TABLE: "заказан шар, которого нет на столе",
    VoidReason.BY_OR_OFF_OWN: "свой шар не играют «шаром» или «от шара»",
    VoidReason.CAROM_OF_OBJECT: "чужой шар не играют от двух шаров",
    VoidReason.IN_ITS_OWN_COMBINATION: "шар назван в комбинации с самим собой",
    VoidReason.TOO_MANY_BALLS: "в комбинации названо слишком много шаров или один дважды",
    VoidReason.BANK_WITHOUT_CUSHION: "бортовой удар по чёрному заказан без борта",
    VoidReason.BLACK_ONTO_BLACK: "чёрный заказан прицельным шаром удара по чёрному",
    VoidReason.SAME_BALL_TWICE: "один и тот же шар заказан дважды",
    VoidReason.NOTHING_CALLED: "в заказе ничего не названо",
}


_CUSHIONS_RU = {1: "от борта", 2: "от двух бортов", 3: "от трёх бортов", 4: "от четырёх бортов"}
_CUSHIONS_EN = {1: "off one cushion", 2: "off two cushions", 3: "off three cushions", 4: "off four cushions"}


def cushions_ru(n: int) -> str:
    return _CUSHIONS_RU.get(n, f"от {n} бортов")


def cushions_en(n: int) -> str:
    return _CUSHIONS_EN.get(n, f"off {n} cushions")


def points_ru(n: int) -> str:
    """«1 очко», «3 очка», «5 очков»."""
    if n % 10 == 1 and n % 100 != 11:
        return f"{n} очко"
    if n % 10 in (2, 3, 4) and n % 100 not in (12, 13, 14):
        return f"{n} очка"
    return f"{n} очков"


def points_en(n: int) -> str:
    return f"{n} point" if n == 1 else f"{n} points"


def capital(text: str) -> str:
    return text[:1].upper() + text[1:]
