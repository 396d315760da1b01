"""A sample of the exhaustive comparison of the engine with the naive rules (all of it: python -m tests.golden.naive.perft)."""

from __future__ import annotations

import json

import pytest

from .perft import compare, random_places, random_snookers, random_strokes, strokes

pytest.importorskip("referee.codec")

SAMPLES = {
    "all calls": lambda: strokes(depth=0, every=150, seed=1),
    "one change": lambda: strokes(depth=1, every=2003, seed=2, names=("white", "yellow, white waits")),
    "random": lambda: random_strokes(2000, seed=3),
    "places": lambda: random_places(600, seed=4),
    "snookers": lambda: random_snookers(200, seed=5),
}


@pytest.mark.parametrize("sample", SAMPLES)
def test_engine_agrees_with_the_naive_rules(sample):
    number, kinds, examples = compare(SAMPLES[sample](), show=1)
    assert number >= 200
    shown = [f"{times} x {kind}\n{json.dumps(examples[kind][0][1])}" for kind, times in kinds.most_common(5)]
    assert not kinds, f"{sum(kinds.values())} of {number} strokes differ:\n" + "\n".join(shown)
