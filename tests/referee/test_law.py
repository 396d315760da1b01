"""Each point of law: the project's own cases, and the public ones where they are at hand."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from referee import adjudicate
from referee.codec import case_from_json, ruling_to_json
from tests.golden.rules import law
from tests.golden.rules.casefile import TABLE, LawCase, chapters
from tests.golden.rules.page import PAGE, page

CASES = [case for chapter in chapters() for case in chapter.cases]
_SHARED = Path(os.environ.get("POEDINOK_SHARED", Path(__file__).parents[3] / "shared")) / "rules" / "cases.jsonl"

# Every sentence of the rules and every decision must be proved by a case.
RULES = [str(n) for n in (1, 2, 3, 4, 5, 6, 7, 10, 11)]
RULES += [f"{rule}.{n}" for rule, last in ((8, 5), (9, 7), (12, 9)) for n in range(1, last + 1)]
DECISIONS = [f"D{n}" for n in range(1, 44)]


@pytest.mark.parametrize("case", CASES, ids=lambda c: c.id)
def test_point_of_law(case: LawCase) -> None:
    ruling = adjudicate(case.state, case.shot, case.call, TABLE)
    want = case.expected
    assert {str(f.rule) for f in ruling.fouls} == want.fouls
    assert tuple(sorted((i.rule, i.points) for i in ruling.items)) == want.items
    assert ruling.void_reason == want.void
    assert ruling.outcome == ("foul" if want.fouls else "scored" if want.items else "no_score")
    assert ruling.points == sum(points for _, points in want.items)
    assert ruling.opponent_points == (3 if want.fouls else 0)
    after = ruling.state
    assert (ruling.turn, after.player) == (("stays", case.state.player) if want.stays else ("passes", 1 - case.state.player))
    assert (after.cue_ball, after.placement) == (want.cue_ball, "in_hand" if want.in_hand else "as_lies")
    assert not after.opening
    for ball, place in want.places.items():
        found = after.positions[ball]
        assert (found is None) == (place is None), ball
        assert place is None or found == pytest.approx(place, abs=0.01), ball
    assert after.waiting == want.waiting
    assert ruling.winner == want.winner
    if want.scores is not None:
        assert after.scores == want.scores


def test_every_rule_and_decision_has_a_case() -> None:
    proved = {point for case in CASES for point in case.law}
    assert [point for point in (*RULES, *DECISIONS, *law.READINGS) if point not in proved] == []


def test_names_are_unique() -> None:
    names = [case.id for case in CASES]
    assert len(names) == len(set(names))


def _public() -> list[dict]:
    if not _SHARED.exists():
        return []
    return [json.loads(line) for line in _SHARED.read_text("utf-8").splitlines() if line.strip()]


@pytest.mark.skipif(not _SHARED.exists(), reason="the public cases are not at hand")
@pytest.mark.parametrize("public", _public(), ids=lambda p: p["id"])
def test_public_case(public: dict) -> None:
    case = case_from_json(public["case"])
    found = ruling_to_json(adjudicate(case.state, case.shot, case.call, case.table))
    for key, want in public["expect"].items():
        if key == "items":
            assert sorted((i["rule"], i["points"]) for i in found["items"]) == sorted((i["rule"], i["points"]) for i in want)
        elif key == "fouls":
            assert {f["rule"] for f in found["fouls"]} == set(want)
        elif key == "void":
            assert (found["void_call"] is not None) == want
        elif key == "state":
            for name, value in want.items():
                if name == "positions":
                    for ball, place in value.items():
                        assert found["state"]["positions"][ball] == (None if place is None else pytest.approx(place, abs=1))
                else:
                    assert found["state"][name] == value, name
        else:
            assert found[key] == want, key


def test_the_page_of_examples_is_up_to_date() -> None:
    assert PAGE.read_text("utf-8") == page(), "run: python -m tests.golden.rules.page"


def test_the_page_tells_every_rule_and_decision() -> None:
    assert set(RULES) <= set(law.RULES)
    assert list(law.DECISIONS) == DECISIONS
