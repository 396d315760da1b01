"""Strokes and calls become a refereed match: what is ruled, what is not, and what a person must look at."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from calibration.errors import UserError
from calibration.profile import write_profile
from calibration.table import table
from referee.analyze import Request, referee_strokes
from referee.callfile import TimedCall
from referee.document import shot_json
from referee.state import State
from tests.vision.tables import profile
from vision.shot import Doubt, Event, PathPoint, Shot, Stroke

TABLE = table()
OPENING = {"white": (500.0, 900.0), "yellow": (2662.5, 887.5), "red": (887.5, 887.5), "black": (1775.0, 887.5)}
AFTER = {"white": (2400.0, 1000.0), "yellow": (3000.0, 400.0), "red": (887.5, 887.5), "black": (1775.0, 887.5)}


def event(t: float, kind: str, **fields) -> Event:
    return Event(t, kind, frame=round(60 * t), video_t=10 + t, sigma_ms=1.234567, confidence=0.98765, **fields)


STRUCK = (event(0.0, "strike", ball="white"), event(0.6, "contact", balls=("white", "yellow")))
STOP = event(3.0, "stop", ball="white")
PUSH = (*STRUCK, event(1.0, "cushion", ball="yellow", cushion="foot"), STOP)
POT = (*STRUCK, event(1.0, "pocket", ball="yellow", pocket="foot-left"), STOP)


def stroke(start: float, events=PUSH, before=OPENING, after=AFTER, cue: str | None = "white", review=()) -> Stroke:
    return Stroke(
        start,
        start + 4,
        round(60 * start),
        round(60 * start) + 240,
        cue,
        before,
        Shot(events, after),
        review,
        {"white": (PathPoint(start, 1, 2),)},
    )


def refereed(*strokes: Stroke, **options):
    return referee_strokes(strokes, TABLE, **options)


def reasons(ruled) -> list[str]:
    return [d.reason for d in ruled.review]


def test_opening_then_the_opponent() -> None:
    match, _, notes = refereed(stroke(10), stroke(20, before=AFTER, after=OPENING))
    first, second = match.strokes
    assert first.before.opening and first.before.placement == "in_hand_house"
    assert first.ruling.outcome == "no_score" and not first.ruling.state.opening and notes == []
    assert (second.before.player, second.before.cue_ball, second.before.placement) == (1, "white", "as_lies")
    assert reasons(first) == [] == reasons(second)


def test_pot_in_mid_game_scores_and_the_call_is_kept() -> None:
    before = OPENING | {"red": (300.0, 300.0)}
    pot = stroke(10, POT, before, before | {"white": AFTER["white"], "yellow": None})
    calls = (TimedCall(8.0, "жёлтый в левый дальний угол", 2),)
    match, strokes, _ = refereed(pot, calls=calls, players=("Анна", "Борис"), target=30)
    assert match.scores == (3, 0) and match.state.target == 30 and match.players == ("Анна", "Борис")
    ruled = match.strokes[0]
    assert ruled.call == "жёлтый в левый дальний угол" and reasons(ruled) == []
    assert (match.state.cue_ball, match.state.placement) == ("yellow", "in_hand")
    data = shot_json(strokes[0], ruled)
    assert data["ruling"]["points"] == 3 and data["call"] == ruled.call and data["positions_after"]["yellow"] is None
    assert data["events"][1] == {
        "t": 0.6,
        "type": "contact",
        "balls": ["white", "yellow"],
        "frame": 36,
        "video_t": 10.6,
        "sigma_ms": 1.23,
        "confidence": 0.988,
    }


def test_call_that_is_not_understood_is_for_a_person() -> None:
    match, _, _ = refereed(stroke(10), calls=(TimedCall(9.0, "тыгыдым", 1),))
    assert any("тыгыдым" in reason for reason in reasons(match.strokes[0]))
    assert match.strokes[0].call == "тыгыдым" and match.strokes[0].ruling


def test_two_calls_and_a_call_without_a_stroke() -> None:
    calls = (TimedCall(1.0, "жёлтый в угол", 1), TimedCall(2.0, "жёлтый в середину", 2), TimedCall(99.0, "свой в угол", 3))
    match, _, notes = refereed(stroke(10), calls=calls)
    assert match.strokes[0].call == "жёлтый в середину"
    # nothing fell: under either call the ruling is the same
    assert reasons(match.strokes[0]) == [] and "2 calls" in match.strokes[0].notes[0].reason
    assert notes == ["call at 99.00 s has no stroke after it: свой в угол"]


def test_other_ball_struck_is_ruled_and_for_a_person() -> None:
    events = (event(0.0, "strike", ball="red"), event(0.5, "cushion", ball="red", cushion="left"), event(2.0, "stop", ball="red"))
    before = OPENING | {"white": (2000.0, 500.0)}
    match, strokes, _ = refereed(stroke(10, events, before, before, cue="red"))
    assert [f.rule for f in match.strokes[0].ruling.fouls] == ["12.2"] and match.scores == (0, 3)
    assert reasons(match.strokes[0]) == ["red was struck, the cue ball is white"]
    assert strokes[0].cue_ball == "red"


def test_strike_not_seen_is_taken_for_the_cue_ball() -> None:
    match, strokes, _ = refereed(stroke(10, PUSH[1:], cue=None))
    assert match.strokes[0].shot.events[0] == Event(0.0, "strike", ball="white") and strokes[0].cue_ball == "white"
    assert any("the strike was not seen" in reason for reason in reasons(match.strokes[0]))


def test_doubts_of_vision_point_to_the_same_events_when_a_strike_is_added() -> None:
    match, _, _ = refereed(stroke(10, PUSH[1:], cue=None, review=(Doubt("close contacts", 0), Doubt("hands"))))
    ruled = match.strokes[0]
    indexes = {d.reason: d.event for d in ruled.review}
    assert indexes["close contacts"] == 1 and indexes["hands"] is None
    assert ruled.shot.events[1].type == "contact"


def test_a_ball_that_moved_between_strokes_is_for_a_person() -> None:
    match, _, _ = refereed(stroke(10), stroke(20, before=AFTER | {"red": (897.5, 887.5)}))
    assert reasons(match.strokes[1]) == ["red lies 10 mm from (888, 888), where the last stroke left it"]


def test_wrong_spotting_is_noted() -> None:
    red_away = AFTER | {"black": (1800.0, 887.5)}  # the stroke moves black: it goes back to its spot
    match, _, _ = refereed(stroke(10, after=red_away), stroke(20, before=AFTER | {"black": (1763.0, 887.5)}))
    second = match.strokes[1]
    assert reasons(second) == [] and [d.reason for d in second.notes] == ["black was placed 12 mm from its place (1775, 888)"]
    assert second.before.positions["black"] == (1763.0, 887.5)


def test_two_calls_that_rule_otherwise_are_for_a_person() -> None:
    before = OPENING | {"red": (300.0, 300.0)}
    pot = stroke(10, POT, before, before | {"white": AFTER["white"], "yellow": None})
    calls = (TimedCall(1.0, "жёлтый в левый дальний угол", 1), TimedCall(2.0, "жёлтый в середину", 2))
    (ruled,) = refereed(pot, calls=calls)[0].strokes
    assert ruled.ruling.points == 0 and "2 calls" in reasons(ruled)[0]
    ((other,),) = ruled.ways
    assert other.ruling.points == 3 and other.call == "жёлтый в левый дальний угол"


def test_a_call_while_balls_roll_is_for_a_person_where_it_decides() -> None:
    before = OPENING | {"red": (300.0, 300.0)}
    pot = stroke(10, POT, before, after := before | {"white": AFTER["white"], "yellow": None})
    late = TimedCall(10.6, "жёлтый в середину", 1)
    reason = "call at 10.60 s while balls rolled, for this stroke or for the next one: жёлтый в середину"
    (first, second) = refereed(pot, stroke(20, before=after, after=after), calls=(late,))[0].strokes
    assert (first.call, first.ruling.points, reasons(first)) == (None, 3, [reason])  # nothing was called: a straight ball counts
    assert [(way.call, way.ruling.points) for way in first.ways[0]] == [("жёлтый в середину", 0)]
    assert second.call == late.text and reason in [d.reason for d in (*second.review, *second.notes)]
    (last,) = refereed(pot, calls=(late,))[0].strokes
    assert reasons(last) == [reason]
    (in_time,) = refereed(pot, calls=(replace(late, video_t=10.04),))[0].strokes
    assert (in_time.call, reasons(in_time)) == (late.text, [])


def test_events_that_contradict_the_places_are_for_a_person() -> None:
    match, _, _ = refereed(stroke(10, after=AFTER | {"red": None}))
    assert any("does not hold together" in reason and "red" in reason for reason in reasons(match.strokes[0]))


@pytest.mark.parametrize(("where", "balls"), [(table("carom-10ft"), tuple(OPENING)), (TABLE, ("white", "yellow", "red"))])
def test_no_rulings_without_pockets_or_without_four_balls(where, balls) -> None:
    match, strokes, _ = referee_strokes([stroke(10), stroke(20)], where, balls=balls)
    assert [s.ruling for s in match.strokes] == [None, None] and match.scores == (0, 0)
    assert set(strokes[0].positions_before) == set(balls)
    assert shot_json(strokes[0], match.strokes[0])["ruling"] is None


def test_a_ball_that_no_stroke_has_is_not_in_the_game() -> None:
    three = OPENING | {"black": None}
    match, _, notes = refereed(stroke(10, before=three, after=three))
    assert match.strokes[0].ruling is None and notes == ["no rulings: not on the table in any stroke: black"]
    waiting = State(0, (0, 0), None, False, "white", "as_lies", three, ("black",))
    assert refereed(stroke(10, before=three, after=three), start=waiting)[0].strokes[0].ruling is not None


def test_start_state_is_continued() -> None:
    start = State(1, (7, 4), 20, False, "white", "as_lies", OPENING)
    match, _, _ = refereed(stroke(10), start=start)
    assert match.strokes[0].before == start and match.state.scores == (7, 4) and match.state.player == 0


def test_no_strokes() -> None:
    match, strokes, _ = refereed(target=30)
    assert match.strokes == () and strokes == [] and match.scores == (0, 0)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"balls": "white,green"}, "--balls: unknown ball 'green'"),
        ({"balls": "white,white"}, "each ball once"),
        ({"balls": "White, WHITE"}, "each ball once"),
        ({"balls": ""}, "unknown ball ''"),
        ({"players": "Anna"}, "--players: expected two names"),
        ({"players": "Anna,"}, "--players: expected two names"),
        ({"target": 0}, "--target: expected a positive number"),
    ],
)
def test_options_are_checked(tmp_path, options, message) -> None:
    video = tmp_path / "a.mp4"
    video.write_text("")
    with pytest.raises(UserError, match=message):
        Request.read(video, tmp_path, **options)


@pytest.mark.parametrize(("text", "message"), [("{", "not JSON"), ("[]", "state"), ('{"player": 7}', "player")])
def test_start_state_errors_name_file_and_field(tmp_path, text, message) -> None:
    video, start = tmp_path / "a.mp4", tmp_path / "state.json"
    video.write_text("")
    start.write_text(text)
    with pytest.raises(UserError, match=rf"state\.json: .*{message}"):
        Request.read(video, tmp_path, start=start)


def test_the_start_state_is_that_of_the_profiles_table(tmp_path) -> None:
    """A ball in the jaws of a middle pocket lies beyond the noses, and where these pockets are the table tells."""
    video, start, smaller = tmp_path / "a.mp4", tmp_path / "state.json", table("pyramid-9ft")
    video.write_text("")
    write_profile(profile(smaller), tmp_path / "table.toml")
    positions = {"white": [500, 600], "yellow": [smaller.length / 2, -10.7], "red": [600, 500], "black": [900, 500]}
    state = {"player": 0, "scores": [0, 0], "target": None, "opening": False, "cue_ball": "white", "placement": "as_lies", "waiting": []}
    start.write_text(json.dumps({**state, "positions": positions}))
    assert Request.read(video, tmp_path, start=start, profile=tmp_path / "table.toml").start is not None
    with pytest.raises(UserError, match=r"yellow: expected a place on the table of 3550 x 1775 mm"):
        Request.read(video, tmp_path, start=start)


def test_replace_keeps_the_stroke_frozen() -> None:
    with pytest.raises(AttributeError):
        stroke(1).cue_ball = "red"  # type: ignore[misc]
    assert replace(stroke(1), cue_ball="red").cue_ball == "red"
