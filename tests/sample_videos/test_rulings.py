# ruff: noqa: E402 (the imports need what is checked first)
"""From the stroke's physics to its ruling: each named stroke of the library earns what its name says."""

from __future__ import annotations

import pytest

for package in ("numba", "pooltool"):
    pytest.importorskip(package, reason=f"needs {package} (the simulate extra)")

import json

from calibration.table import table
from referee.adjudicate_command import adjudicate_text
from sample_videos.match import Played
from sample_videos.record import case_of
from sample_videos.strokes import library, play

pytestmark = pytest.mark.train

# name: (outcome, rules of the items, rules of the fouls); strokes that are not named here must be no_score
EXPECTED: dict[str, tuple[str, tuple[str, ...], tuple[str, ...]]] = {
    "straight-pot": ("scored", ("8.2",), ()),
    "straight-pot-called": ("scored", ("8.2",), ()),
    "straight-pot-middle": ("scored", ("8.2",), ()),
    "fast-pot": ("scored", ("8.2",), ()),
    "slow-pot": ("scored", ("8.2",), ()),
    "own-middle": ("scored", ("8.1",), ()),
    "own-middle-silent": ("scored", ("8.1",), ()),
    "own-corner": ("scored", ("8.1",), ()),
    "own-instead": ("foul", (), ("12.7",)),
    "two-pockets": ("scored", ("8.1", "8.2", "9.4"), ()),
    "yellow-pots-red": ("scored", ("8.3",), ()),
    "yellow-pots-white": ("scored", ("8.1",), ()),
    "miss": ("foul", (), ("12.1",)),
    "near-miss": ("foul", (), ("12.1",)),
    "white-red": ("foul", (), ("12.3",)),
    "red-first": ("foul", (), ("12.1", "12.3")),
    "inactive": ("foul", (), ("12.6",)),
    "opening-soft": ("foul", (), ("12.6",)),
    "bank-pot": ("scored", ("8.2", "9.1"), ()),
    "bank-pot-two": ("scored", ("8.2", "9.1"), ()),
    "bank-black": ("scored", ("8.5",), ()),
    "bank-black-two": ("scored", ("8.5",), ()),
    "carom": ("scored", ("8.4",), ()),
    "carom-side": ("scored", ("8.4",), ()),
    "combination-red-by-white": ("scored", ("8.3", "9.2"), ()),
    "combination-yellow-by-black": ("scored", ("8.2", "9.2"), ()),
    "combination-black-by-yellow": ("scored", ("10", "9.2"), ()),
    "own-off-two": ("scored", ("8.2", "9.2"), ()),
    "yellow-off-black": ("scored", ("8.2", "9.2"), ()),
    "jump-own": ("scored", ("8.1", "9.3"), ()),
    "jaws-then-falls": ("scored", ("8.2",), ()),
    "double-hit-near": ("foul", (), ("12.9",)),
    "double-hit-close": ("foul", (), ("12.9",)),
    "push-near": ("foul", (), ("12.9",)),
    "push-frozen": ("foul", (), ("12.9",)),
    "double-hit-pot": ("foul", (), ("12.9",)),
    "push-pot": ("foul", (), ("12.9",)),
    "touch-before": ("foul", (), ("12.5",)),
    "touch-during": ("foul", (), ("12.5",)),
    "touch-after": ("foul", (), ("12.5",)),
    "touch-slight": ("foul", (), ("12.5",)),
    "wrong-ball-red": ("foul", (), ("12.2",)),
    "wrong-ball-yellow": ("foul", (), ("12.2",)),
    "wrong-ball-white": ("foul", (), ("12.2",)),
    "struck-again-rolling": ("foul", (), ("12.9",)),
    "red-struck-rolling": ("foul", (), ("12.2",)),
    "thin-red": ("foul", (), ("12.3",)),
    "thin-black-first": ("foul", (), ("12.4",)),
    "close-yellow-red": ("foul", (), ("12.3",)),
    "close-black-yellow": ("foul", (), ("12.4",)),
    "close-yellow-black": ("foul", (), ("12.4",)),
    "inactive-close": ("foul", (), ("12.6",)),
    "jaw-pot": ("scored", ("8.2",), ()),
    "both-jaws-pot": ("scored", ("8.2",), ()),
    "knocked-in": ("scored", ("8.2",), ()),
    "knocked-in-off-cushion": ("scored", ("8.2",), ()),
    "jump-over-jaw": ("scored", ("8.1", "9.3"), ()),
    "off-table": ("foul", (), ("12.1", "12.8")),
    "off-table-after-yellow": ("foul", (), ("12.8",)),
    "double-only-own": ("foul", (), ("12.7",)),
    "red-called": ("scored", ("8.3",), ()),
    "red-silent": ("foul", (), ("12.1", "12.3")),
    "red-called-stays": ("foul", (), ("12.3",)),
    "black-after-yellow": ("foul", (), ("12.4",)),
    "yellow-black-first": ("foul", (), ("12.4",)),
    "opening-miss": ("foul", (), ("12.1",)),
    "rest-on-rail": ("foul", (), ("12.1", "12.8")),
    "jump-clips-black": ("foul", (), ("12.4",)),
    "two-in-one-pocket": ("scored", ("8.1", "8.2"), ()),
    "touch-pot": ("foul", (), ("12.5",)),
    "in-hand-own": ("foul", (), ("12.7",)),
    "in-hand-bank": ("scored", ("8.2", "9.1"), ()),
    "carom-one-cushion": ("foul", (), ("12.3",)),
    "carom-silent": ("foul", (), ("12.3",)),
    "jaws-falls-after-two": ("scored", ("8.2",), ()),
    "two-pockets-silent": ("scored", ("8.1", "8.2", "9.4"), ()),
    "own-and-yellow-by-accident": ("scored", ("8.1",), ()),
    "yellow-and-own-uncalled": ("foul", (), ("12.7",)),
    "bank-black-contact": ("scored", ("8.5", "9.5"), ()),
    "bank-pot-three": ("scored", ("8.2", "9.1"), ()),
    "own-jaws-then-falls": ("scored", ("8.1",), ()),
    "own-off-two-silent": ("foul", (), ("12.7",)),
    "hung-then-knocked-in": ("scored", ("8.2",), ()),
    "jump-clips-red": ("foul", (), ("12.3",)),
}
# what else these may be is not the point of their names
FREE = {"black-first", "break", "jump"}


@pytest.mark.parametrize("name", sorted(library()))
def test_ruling(name: str) -> None:
    kind, stroke = table(), library()[name]
    case = case_of(kind, Played(stroke, play(stroke, kind), 0.0, 0, None))
    ruling = json.loads(adjudicate_text(json.dumps(case)))
    found = (
        ruling["outcome"],
        tuple(sorted(i["rule"] for i in ruling["items"])),
        tuple(sorted({f["rule"] for f in ruling["fouls"]})),
    )
    if name in FREE:
        assert name != "black-first" or "12.4" in found[2]
        return
    outcome, items, fouls = EXPECTED.get(name, ("no_score", (), ()))
    assert found == (outcome, tuple(sorted(items)), fouls)


def test_the_library_hits_every_rule_that_scores_and_every_foul() -> None:
    found = [rule for name in library() if name in EXPECTED for rules in EXPECTED[name][1:] for rule in rules]
    scoring = {"8.1", "8.2", "8.3", "8.4", "8.5", "9.1", "9.2", "9.3", "9.4", "9.5", "10"}
    assert scoring | {f"12.{n}" for n in range(1, 10)} == set(found)
