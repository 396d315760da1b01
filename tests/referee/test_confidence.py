"""The confidence of a ruling: it falls with what it rests on and with each doubt; and the diagram that shows whether it holds."""

from __future__ import annotations

import json
from dataclasses import replace
from math import exp

import pytest

from referee.analyze import referee_strokes
from referee.confidence import ALWAYS, EVENTS
from referee.document import shot_json
from tests.bench.reliability import read, steps, svg, table
from tests.referee.test_analyze import AFTER, OPENING, PUSH, TABLE, stroke
from vision.shot import Doubt, Event


def confidence(events: tuple[Event, ...] = PUSH, review: tuple[Doubt, ...] = ()) -> float:
    match, strokes, _ = referee_strokes([stroke(10, events, review=review)], TABLE)
    found = shot_json(strokes[0], match.strokes[0])["confidence"]
    assert found == match.strokes[0].confidence
    return found


def sure(*events: Event, but: int | None = None, confidence: float = 1.0) -> tuple[Event, ...]:
    return tuple(replace(e, confidence=confidence if n == but else 1.0) for n, e in enumerate(events))


def test_a_stroke_of_sure_events_is_as_sure_as_can_be() -> None:
    assert confidence(sure(*PUSH)) == pytest.approx(exp(-ALWAYS), abs=1e-4)


def test_only_events_that_decide_make_it_less_sure() -> None:
    contact, stop = 1, 3
    assert confidence(sure(*PUSH, but=stop, confidence=0.5)) == confidence(sure(*PUSH))
    assert confidence(sure(*PUSH, but=contact, confidence=0.5)) == pytest.approx(exp(-ALWAYS) * 0.5**EVENTS, abs=1e-4)


def test_doubts_count() -> None:
    plain, named, open_ = confidence(), confidence(review=(Doubt("look", 1),)), confidence(review=(Doubt("look"),))
    assert plain > named > 0 and plain > open_ > confidence(review=(Doubt("look"), Doubt("there"))) > 0


def test_no_ruling_no_confidence() -> None:
    three = {b: place for b, place in OPENING.items() if b != "black"}
    match, _, _ = referee_strokes([stroke(10, before=three, after=AFTER | {"black": None})], TABLE, balls=tuple(three))
    assert match.strokes[0].confidence is None


def test_reliability_reads_lines_and_tells_how_well_they_hold(tmp_path) -> None:
    lines = [{"confidence": 0.9, "right": n > 0, "review": ["a doubt"], "kind": "kiss"} for n in range(10)]
    lines += [{"confidence": 0.999, "right": True, "review": []} for _ in range(30)] + [
        {"confidence": None, "right": False, "review": True}
    ]
    path = tmp_path / "results.jsonl"
    path.write_text("\n".join(map(json.dumps, lines)) + "\n")
    strokes, without = read([path])
    low, high = steps(strokes)
    assert (low.count, low.right, high.count, high.right, without) == (10, 0.9, 30, 1.0, 1)
    assert low.low < 0.9 < low.high < 1 and high.high == 1
    said = table(strokes, without)
    assert "| 0.900 | 10 | 90.0 %" in said and "nothing to review: 30 strokes, right 100.00 %" in said and "| kiss | 10 |" in said
    assert svg([low, high]).count("<circle") == 2
