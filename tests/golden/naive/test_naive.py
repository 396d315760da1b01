"""The naive rules get the published strokes right."""

from __future__ import annotations

import json
from math import dist
from pathlib import Path

import pytest

from .naive import rule

CASES = Path(__file__).resolve().parents[3].parent / "shared" / "rules" / "cases.jsonl"
TEXTS = {  # the calls that are given as texts, by hand
    "чужого в дальнюю правую лузу": [{"kind": "pot", "ball": "other", "pocket": "foot-right", "cushions": 0}],
    "свой в дальний левый угол и чужой от борта в дальний правый угол": [
        {"kind": "pot", "ball": "own", "pocket": "foot-left", "cushions": 0},
        {"kind": "pot", "ball": "other", "pocket": "foot-right", "cushions": 1},
    ],
}


def load() -> list:
    if not CASES.exists():
        return []
    return [json.loads(line) for line in CASES.read_text(encoding="utf-8").splitlines() if line.strip()]


def as_compared(key, value):
    if key == "items":
        return sorted((i["rule"], i["points"]) for i in value)
    if key == "fouls":
        return {f if isinstance(f, str) else f["rule"] for f in value}
    return value


@pytest.mark.skipif(not CASES.exists(), reason="the published cases are not beside this checkout")
@pytest.mark.parametrize("line", load(), ids=lambda c: c["id"])
def test_published_case(line):
    case, expect = dict(line["case"]), dict(line["expect"])
    if isinstance(case["call"], str):
        if case["call"] not in TEXTS:
            pytest.skip("a text call that was not translated by hand")
        case["call"] = {"elements": TEXTS[case["call"]]}
    got = rule(case)
    state = expect.pop("state", {})
    for key, value in expect.items():
        assert as_compared(key, got[key]) == as_compared(key, value), (key, got)
    for ball, place in state.pop("positions", {}).items():
        here = got["state"]["positions"][ball]
        assert (here is None) == (place is None) and (place is None or dist(here, place) <= 1), (ball, here, place)
    for key, value in state.items():
        assert (sorted(got["state"][key]) if key == "waiting" else got["state"][key]) == value, (key, got["state"])
