"""The contract's calls with their phrases in any order and in the forms that mean the same."""

from itertools import permutations, product

import pytest

from tests.referee.calls.corpus import reading

FAR_LEFT = (
    "в левый дальний угол",
    "в дальний левый угол",
    "в дальнюю левую лузу",
    "в левую дальнюю",
    "в угол дальний левый",
    "в дальний угол слева",
    "дальний левый",
)
MIDDLE = ("в середину", "в среднюю", "в среднюю лузу", "в центр", "в центральную лузу", "середина")
RIGHT_MIDDLE = ("в правую середину", "в середину справа", "в правую среднюю лузу", "в среднюю правую", "правая середина")
NEAR_RIGHT = ("в ближний правый угол", "в правый ближний", "в ближнюю правую лузу", "в правую ближнюю", "в ближний угол справа")
CORNER = ("в угол", "в угловую", "в угловую лузу", "в любой угол")
ONE = ("от борта", "с борта", "через борт", "бортом", "дуплетом", "от одного борта", "от 1 борта", "в один борт")
TWO = (
    "от двух бортов",
    "с двух бортов",
    "от 2 бортов",
    "от 2-х бортов",
    "через два борта",
    "двумя бортами",
    "два борта",
    "в два борта",
    "триплетом",
    "от двух",
)
THREE = (
    "три борта",
    "от трёх бортов",
    "через три борта",
    "в 3 борта",
    "трёхбортный",
    "карамболь три борта",
    "триборт",
    "карамболь от трех бортов",
    "трёхбортный карамболь",
)
YELLOW, YELLOW_BY = ("жёлтый", "жёлтого", "желтый шар", "жёлтого шара"), ("жёлтым", "желтым шаром")
TWO_BALLS = ("от двух шаров", "с двух шаров", "от 2-х шаров", "через два шара", "карамболем", "карамболем от двух шаров")
JUMP = (
    "перескоком через красный",
    "прыжком через красный шар",
    "с перескоком через шар",
    "перепрыгнув красный",
    "перескоком через красного",
)
OWN = ("свой", "своего", "биток", "свояк", "мой шар", "свой шар")
ONTO_BLACK = ("по чёрному", "по фишке", "в чёрный", "по фишкам", "в чёрный шар", "на чёрный")
CONTACT = (
    "с одним соударением",
    "с 1 соударением",
    "с одним дополнительным соударением",
    "с одним доп. соударением",
    "с соударением",
    "с одним касанием",
)

CALLS = [
    ("white", "Y>FL", YELLOW, FAR_LEFT),
    ("white", "O>M", ("чужой", "чужого", "прицельный шар", "чужого шара"), MIDDLE),
    ("yellow", "R+W>C", ("красный", "красного", "красный шар"), ("белым", "белым шаром"), CORNER),
    ("white", "S&>MR", OWN, TWO_BALLS, RIGHT_MIDDLE),
    ("white", "S^b>C", OWN, JUMP, CORNER),
    ("white", "Y|2>M", YELLOW, TWO, MIDDLE),
    ("white", "O|1>C", ("чужой", "чужого", "прицельный"), ONE, CORNER),
    ("white", "Y~R", THREE, ("от жёлтого", "с желтого", "от жёлтого шара"), ("по красному", "на красный", "в красный", "на красного")),
    ("white", "Y|2#", YELLOW_BY, TWO, ONTO_BLACK),
    ("yellow", "R|1#1", ("красным", "красным шаром"), ONE, CONTACT, ONTO_BLACK),
    ("white", "B+Y>HR", ("чёрный", "черного", "чёрный шар", "фишку"), YELLOW_BY, NEAR_RIGHT),
    ("white", "Y|2>FL", ("yellow", "the yellow ball"),
     ("off two cushions", "off 2 rails", "via two cushions", "two cushions"),
     ("into the far left corner", "in the left far pocket", "far left")),
    ("white", "Y~R", ("three cushions", "three-cushion carom", "3-rail carom"),
     ("from yellow", "off the yellow ball"), ("to red", "onto the red", "into the red ball")),
    ("yellow", "R+W>C", ("red", "the red ball"), ("by white", "with the white ball"), ("into the corner", "in a corner pocket")),
]  # fmt: skip


@pytest.mark.parametrize("call", CALLS, ids=lambda call: f"{call[1]}-{call[2][0]}")
def test_phrases_in_any_order(call: tuple) -> None:
    cue, meaning, *groups = call
    forms = list(product(*groups))
    forms = forms[:: max(1, len(forms) // 60)]
    texts = (" ".join(form[i] for i in order) for form, order in product(forms, permutations(range(len(groups)))))
    wrong = [f"{text}: {got}" for text in texts if (got := reading(text, cue)) != meaning]
    assert not wrong, "\n".join(wrong[:20])


def test_a_double_call_in_any_order() -> None:
    own, middle, other, corner, bank = (
        ("свой", "биток"),
        ("в середину", "в среднюю"),
        ("чужой", "чужого"),
        ("в угол", "в угловую"),
        ("от борта", "с борта"),
    )
    wrong = []
    for o, m, x, c, b in product(own, middle, other, corner, bank):
        for first, second in product((f"{o} {m}", f"{m} {o}"), (" ".join(p) for p in permutations((x, c, b)))):
            for joint in (" и ", ", ", ", а ", "; "):
                for text, meaning in ((first + joint + second, "S>M,O|1>C"), (second + joint + first, "O|1>C,S>M")):
                    if (got := reading(text, "white")) != meaning:
                        wrong.append(f"{text}: {got}")
    assert not wrong, "\n".join(wrong[:20])
