"""Which doubts are put to a person: those that can change the ruling, alone or together, and no other."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from calibration.table import table
from referee.alternatives import alternatives, essence
from referee.analyze import judged, replayed
from referee.document import review_json
from referee.match import Began, Call, Called, Played, Ruled, append
from referee.state import State
from tests.referee.strokes import states, strokes
from vision.shot import Doubt, Event, Shot, Way

TABLE = table()
LIES = {"white": (900.0, 300.0), "yellow": (2000.0, 1200.0), "red": (3000.0, 400.0), "black": (1775.0, 887.5)}
STATE = State(0, (0, 0), None, False, "white", "as_lies", LIES)
STRIKE = Event(0.0, "strike", ball="white")
CONTACT = Event(0.5, "contact", balls=("white", "yellow"))
# white may touch black once yellow has (rule 7)
PUSH = Event(0.55, "contact", balls=("black", "yellow"))
KISS = Event(0.57, "contact", balls=("black", "white"))
BANK = Event(1.0, "cushion", ball="yellow", cushion="right")
POT = Event(1.5, "pocket", ball="yellow", pocket="foot-left")
STOP = Event(3.0, "stop", ball="white")
SWAPPED = Way("first contact black-white, then contact black-yellow", (replace(KISS, t=0.55), replace(PUSH, t=0.57)), (2, 3))


def ruled(*events: Event, review: tuple[Doubt, ...] = (), call: Call = None, state: State = STATE, after=None) -> Ruled:
    places = dict(LIES) | {e.ball: None for e in events if e.type in ("pocket", "off_table")} | (after or {})
    journal = append(append((), Began(state)), Called(1, call))
    journal = append(journal, Played(1, Shot((STRIKE, *events), places), state.positions, review))
    return replayed(journal, TABLE).strokes[0]


def labels(stroke: Ruled) -> list[list[str]]:
    return [[way.label.en for way in ways] for ways in stroke.ways]


def test_a_doubt_that_names_no_way_may_change_anything() -> None:
    stroke = ruled(CONTACT, BANK, STOP, review=(Doubt("the camera moved during the stroke"),))
    assert [d.reason for d in stroke.review] == ["the camera moved during the stroke"]
    assert stroke.ways == ((),) and stroke.notes == ()


def test_what_cannot_change_the_ruling_is_noted() -> None:
    doubt = Doubt("a damaged frame at 1.00 s", 2)
    stroke = ruled(CONTACT, BANK, Event(1.2, "cushion", ball="white", cushion="left"), STOP, review=(doubt,))
    assert stroke.review == () and stroke.notes == (doubt,)


def test_the_cushion_that_makes_a_stroke_active_decides() -> None:
    stroke = ruled(CONTACT, BANK, STOP, review=(Doubt("a damaged frame at 1.00 s", 2),))
    ((way,),) = stroke.ways
    assert way.label.en.startswith("did not happen: ") and "cushion" in way.label.en
    assert way.ruling is not None and [f.rule for f in way.ruling.fouls] == ["12.6"]


def test_two_doubts_that_decide_only_together_are_both_put() -> None:
    """Either of two cushions makes the stroke active; neither doubt alone changes anything."""
    bounces = (BANK, Event(1.2, "cushion", ball="white", cushion="left"))
    one, other = Doubt("a damaged frame at 1.00 s", 2), Doubt("a damaged frame at 1.20 s", 3)
    assert ruled(CONTACT, *bounces, STOP, review=(one,)).review == () == ruled(CONTACT, *bounces, STOP, review=(other,)).review
    assert ruled(CONTACT, *bounces, STOP, review=(one, other)).review == (one, other)


def test_more_combinations_than_can_be_tried_decide() -> None:
    far = tuple(Event(1.0 + n / 10, "cushion", ball="yellow", cushion="right") for n in range(8))
    doubts = tuple(Doubt(f"a damaged frame at {e.t:.2f} s", n + 2) for n, e in enumerate(far))
    assert ruled(CONTACT, *far, STOP, review=doubts[:4]).review == ()
    assert len(ruled(CONTACT, *far, STOP, review=doubts).review) == 8


def test_order_is_tried_both_ways() -> None:
    doubt = Doubt("contact black-yellow and contact black-white within 20 ms: their order is not sure", 3)
    stroke = ruled(CONTACT, PUSH, KISS, BANK, STOP, review=(doubt,))
    ((way,),) = stroke.ways
    assert stroke.ruling is not None and stroke.ruling.fouls == ()
    assert way.ruling is not None and [f.rule for f in way.ruling.fouls] == ["12.4"]
    assert [e.balls for e in way.shot.events[2:4]] == [("black", "white"), ("black", "yellow")]


def test_events_of_the_same_time_change_places_too() -> None:
    same = replace(KISS, t=PUSH.t)
    stroke = ruled(CONTACT, PUSH, same, BANK, STOP, review=(Doubt("within 1 ms: their order is not sure", 3),))
    assert [f.rule for f in stroke.ways[0][0].ruling.fouls] == ["12.4"]


def test_ways_that_vision_names_are_tried_as_they_are() -> None:
    """A ball that may have been touched, and an order told by events taken out and put in again."""
    touch = Doubt("red trembled", ways=(Way("red was touched", (Event(0.3, "touch", ball="red"),)),))
    stroke = ruled(CONTACT, BANK, STOP, review=(touch,))
    assert [f.rule for f in stroke.ways[0][0].ruling.fouls] == ["12.5"]
    order = Doubt("which first?", 3, (SWAPPED,))
    stroke = ruled(CONTACT, PUSH, KISS, BANK, STOP, review=(order,))
    assert [f.rule for f in stroke.ways[0][0].ruling.fouls] == ["12.4"]
    assert len(stroke.ways[0][0].shot.events) == len(stroke.shot.events)


def test_together_an_event_that_did_not_happen_is_gone_though_another_way_moves_it() -> None:
    gone = Doubt("black was hardly moved", 3, (Way("no kiss", drop=(3,)),))
    order = Doubt("which first?", 3, (SWAPPED,))
    assert ruled(CONTACT, PUSH, KISS, BANK, STOP, review=(gone,)).review == ()
    # if the kiss came first, whether there was one decides
    assert ruled(CONTACT, PUSH, KISS, BANK, STOP, review=(gone, order)).review == (gone, order)


def test_a_ball_that_did_not_fall_lies_in_the_mouth_and_one_that_fell_is_gone() -> None:
    stroke = ruled(CONTACT, POT, STOP, review=(Doubt("yellow vanished", 2),))
    way = stroke.ways[0][0]
    x, y = way.shot.positions["yellow"]
    assert abs(x - (TABLE.length - TABLE.radius)) < 1 and abs(y - (TABLE.width - TABLE.radius)) < 1
    fell = Doubt("yellow was not seen at the end", ways=(Way("yellow fell", (POT,)),))
    stroke = ruled(CONTACT, BANK, STOP, review=(fell,))
    assert stroke.shot.positions["yellow"] == LIES["yellow"] and stroke.ways[0][0].shot.positions["yellow"] is None


def test_the_struck_ball_is_the_cue_ball_or_the_other() -> None:
    doubt = Doubt("the strike was hardly seen", 0)
    assert labels(ruled(CONTACT, BANK, STOP, review=(doubt,))) == [["yellow was struck"]]
    red = (Event(0.0, "strike", ball="red"), Event(0.5, "cushion", ball="red", cushion="left"))
    journal = append(append((), Began(STATE)), Played(1, Shot(red, LIES), LIES))
    (stroke,) = replayed(journal, TABLE).strokes
    assert labels(stroke) == [["white was struck"]]


def test_another_strike_comes_before_the_contact_of_frozen_balls() -> None:
    frozen = replace(CONTACT, t=0.0)
    struck = Doubt("which was struck?", 0, (Way("yellow was struck", (replace(STRIKE, ball="yellow"),), (0,)),))
    stroke = ruled(frozen, BANK, STOP, review=(struck,))
    assert [e.type for e in stroke.ways[0][0].shot.events[:2]] == ["strike", "contact"]
    assert [f.rule for f in stroke.ways[0][0].ruling.fouls] == ["12.2"]


def test_a_misplaced_ball_decides_only_where_the_law_looks_at_its_place() -> None:
    """Called black while black, spotted 8 mm off, lets the cue ball see yellow past it: in its place it would snooker (rule 10)."""
    lies = LIES | {"white": (1000.0, 887.5), "yellow": (2600.0, 887.5), "red": (3400.0, 100.0), "black": (1775.0, 887.5 + 72.0)}
    seen = lies | {"black": (1775.0, 887.5 + 60.0)}
    state = replace(STATE, positions=lies)
    shot = Shot((STRIKE, CONTACT, BANK, STOP), seen)
    journal = append(append((), Began(state)), Called(1, "чёрный жёлтым в ближний правый угол"))
    (stroke,) = replayed(append(journal, Played(1, shot, seen)), TABLE).strokes
    (plain,) = replayed(append(append((), Began(state)), Played(1, shot, seen)), TABLE).strokes
    assert [d.reason for d in plain.notes] == ["black was placed 12 mm from its place (1775, 960)"] and plain.review == ()
    before = essence(judged(stroke.before, shot, stroke.call, TABLE)[0])
    after = essence(judged(replace(stroke.before, positions=lies), shot, stroke.call, TABLE)[0])
    assert bool(stroke.review) == (before != after)


def test_alternatives_are_told_with_their_rulings_each_ruling_once() -> None:
    stroke = ruled(KISS, replace(CONTACT, t=0.6), POT, review=(Doubt("black was hardly moved by white", 1), Doubt("look at black", 1)))
    assert [d["alternatives"][0]["ruling"]["points"] for d in review_json(stroke)] == [3, 3]
    (way,) = alternatives(stroke)
    assert way.ruling is not None and way.ruling.points == 3


@settings(max_examples=60, deadline=None)
@given(st.data())
def test_a_doubt_set_aside_cannot_change_the_ruling(data: st.DataObject) -> None:
    """Whatever of the doubted events is left out, the ruling of a stroke without review is the same."""
    state = data.draw(states())
    shot = data.draw(strokes(state))
    picked = data.draw(st.lists(st.integers(0, len(shot.events) - 1), max_size=3, unique=True))
    doubted = [n for n in picked if shot.events[n].type not in ("strike", "pocket", "off_table")]
    doubts = tuple(Doubt(f"a damaged frame at {n}.00 s: which order is not sure" if n % 5 == 4 else f"look {n}", n) for n in doubted)
    journal = append(append((), Began(state)), Played(1, shot, state.positions, doubts))
    (stroke,) = replayed(journal, TABLE).strokes
    aside = [d.event for d in stroke.notes if d in doubts and d.event is not None and "order" not in d.reason]
    kept = tuple(e for n, e in enumerate(stroke.shot.events) if n not in aside)
    ruling, _ = judged(stroke.before, replace(stroke.shot, events=kept), None, TABLE)
    assert essence(ruling) == essence(stroke.ruling)


@pytest.mark.parametrize("field", ["review", "notes"])
def test_what_was_doubted_is_either_put_or_noted(field: str) -> None:
    doubt = Doubt("a damaged frame at 1.00 s", 2)
    bounces = (BANK, Event(1.2, "cushion", ball="white", cushion="left")) if field == "notes" else (BANK,)
    assert getattr(ruled(CONTACT, *bounces, STOP, review=(doubt,)), field) == (doubt,)
