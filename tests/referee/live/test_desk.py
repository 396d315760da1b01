"""The desk: every act is an entry, the score is a fold, what is open is not on the board, and nothing is lost by a restart."""

from __future__ import annotations

import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from calibration.errors import UserError
from calibration.table import table
from referee.live.desk import Desk
from referee.live.store import Store
from vision.shot import Doubt, Event, Shot, Stroke, Way

TABLE = table()
PLACES = {"white": (500.0, 600.0), "yellow": (2662.5, 887.5), "red": (887.5, 887.5), "black": (1775.0, 887.5)}
MID = {"white": (900.0, 300.0), "yellow": (2000.0, 1200.0), "red": (3000.0, 400.0), "black": (1775.0, 887.5)}


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return Store(tmp_path / "live.sqlite")


@pytest.fixture
def desk(store: Store) -> Desk:
    desk = Desk(store, TABLE, clock=lambda: 1000.0)
    desk.seen(MID)
    return desk


def stroke(*events: Event, before=MID, after=None, doubts: tuple[Doubt, ...] = (), start: float = 10.0) -> Stroke:
    first = Event(0.0, "strike", ball="white")
    places = dict(before) | (after or {})
    fallen = {e.ball: None for e in events if e.type == "pocket"}
    return Stroke(start, start + 5, 0, 300, "white", before, Shot((first, *events), places | fallen), doubts)


CONTACT = Event(0.5, "contact", balls=("white", "yellow"))
POT = Event(1.5, "pocket", ball="yellow", pocket="foot-left")
BANK = Event(1.0, "cushion", ball="yellow", cushion="right")
KISS = Event(0.2, "contact", balls=("white", "black"))
TOUCH = Event(5.8, "touch", ball="yellow", confidence=0.5)
UNSURE = Doubt("black was hardly moved by white", 1)


def test_a_called_pot_scores(desk: Desk) -> None:
    desk.start(("Анна", "Борис"), target=30)
    desk.call("жёлтый в левый дальний угол")
    view = desk.played(stroke(CONTACT, POT))
    assert (view.settled, view.match.scores, view.open) == ((3, 0), (3, 0), ())
    assert view.match.state.cue_ball == "yellow"


def test_a_late_call_rules_the_stroke_again(desk: Desk) -> None:
    desk.start(("Анна", "Борис"))
    assert desk.played(stroke(CONTACT, BANK, POT)).settled == (0, 0)
    assert desk.call("жёлтый от борта в левый дальний угол", stroke=1).settled == (6, 0)
    assert desk.call("красный в угол", stroke=1).settled == (0, 0)


def test_a_ball_that_falls_late_belongs_to_the_stroke_that_was_told(desk: Desk) -> None:
    desk.start(("A", "B"))
    desk.call("жёлтый в левый дальний угол")
    assert desk.played(stroke(CONTACT, start=10.0)).match.scores != (3, 0)
    view = desk.played(stroke(CONTACT, POT, start=10.0), again=True)
    assert len(view.strokes) == 1 and view.match.scores == (3, 0) and view.next_stroke == 2
    assert desk.undo().next_stroke == 1
    desk.redo()
    # another stroke came after the one that it would belong to
    desk.played(stroke(CONTACT, start=20.0))
    assert len(desk.played(stroke(CONTACT, start=10.0), again=True).strokes) == 2 and desk.view.strokes[0].ruled.shot.events[-1] == POT


def test_balls_that_lie_elsewhere_unseen_are_put_to_a_person_unless_the_ruling_puts_them_there(desk: Desk) -> None:
    def unseen(start: float, **after) -> Stroke:
        seen = stroke(start=start, after=after, doubts=(Doubt("no pictures for 3.0 s"),))
        return replace(seen, cue_ball=None, shot=Shot((), MID | after))

    desk.start(("A", "B"), target=30)
    assert [s.number for s in desk.played(unseen(1.0, white=(700.0, 700.0)), unseen=True).open] == [1]
    assert desk.undo().next_stroke == 1
    desk.call("жёлтый в левый дальний угол")
    desk.played(stroke(CONTACT, POT, start=10.0))
    state = desk.view.match.state
    assert (state.cue_ball, state.placement, state.positions["yellow"]) == ("yellow", "in_hand", None)
    # the potted ball is back in hand: it lies where its player puts it
    assert desk.played(unseen(20.0, yellow=(1200.0, 300.0)), unseen=True).next_stroke == 2
    assert desk.played(unseen(30.0, red=(1200.0, 300.0)), unseen=True).next_stroke == 3


def test_a_game_begins_with_the_opening_while_white_is_in_hand(desk: Desk) -> None:
    desk.seen({ball: place for ball, place in PLACES.items() if ball != "white"})
    state = desk.start(("A", "B")).match.state
    assert state.opening and state.placement == "in_hand_house" and state.positions["white"] is None
    view = desk.played(stroke(CONTACT, before=PLACES))
    assert view.strokes[0].ruled.before.opening and view.strokes[0].ruled.before.positions["white"] == PLACES["white"]


def test_what_is_seen_of_a_stroke_afterwards_opens_it_again_but_leaves_a_correction(desk: Desk) -> None:
    desk.start(("A", "B"))
    desk.played(stroke(CONTACT, start=10.0))
    desk.confirm(1)
    touched = Doubt("yellow moved by 9 mm at 15.80 s, after the stroke", ways=(Way("yellow was touched", (TOUCH,)),))
    assert [s.number for s in desk.played(stroke(CONTACT, start=10.0, doubts=(touched,)), again=True).open] == [1]
    said = desk.correct(1, Shot((Event(0.0, "strike", ball="white"), KISS), MID)).strokes[0].ruled.shot
    assert desk.played(stroke(CONTACT, start=10.0, doubts=(touched,)), again=True).strokes[0].ruled.shot == said


def test_a_call_said_after_the_balls_rest_is_for_the_next_stroke(store: Store) -> None:
    now = [0.0]
    desk = Desk(store, TABLE, live=lambda: now[0])
    desk.seen(MID)
    desk.start(("Анна", "Борис"))
    now[0] = 9.0
    desk.call("жёлтый в левый дальний угол")
    now[0] = 15.4  # the stroke below ends at 15 s and is written down a moment later
    desk.call("красный в середину")
    view = desk.played(stroke(CONTACT, POT))
    assert view.strokes[0].ruled.call == "жёлтый в левый дальний угол" and view.settled == (3, 0)
    assert view.call == "красный в середину" and view.next_stroke == 2
    now[0] = 15.5
    desk.call(None)
    assert desk.view.call is None


def test_a_call_of_a_file_is_for_the_first_stroke_that_starts_after_it(desk: Desk) -> None:
    desk.start(("A", "B"))
    desk.call("жёлтый в левый дальний угол", at=9.9)
    desk.call("красный в угол", at=12.0)  # while the balls of the first stroke roll
    desk.call("чёрный в угол", at=15.5)  # after they have come to rest, before it is written down
    view = desk.played(stroke(CONTACT, POT))
    assert view.settled == (3, 0) and view.strokes[0].ruled.call == "жёлтый в левый дальний угол"
    assert view.call == "чёрный в угол"


def test_a_caption_set_a_little_late_is_still_for_its_stroke(desk: Desk) -> None:
    desk.start(("A", "B"))
    desk.call("жёлтый в левый дальний угол", at=10.04)
    assert desk.played(stroke(CONTACT, POT)).settled == (3, 0)


def test_a_call_said_while_the_balls_roll_is_for_their_stroke(store: Store) -> None:
    desk = Desk(store, TABLE, live=lambda: 12.0)
    desk.seen(MID)
    desk.start(("Анна", "Борис"))
    desk.call("жёлтый в левый дальний угол")
    assert desk.played(stroke(CONTACT, POT)).settled == (3, 0)


def test_a_call_that_is_not_understood_is_refused_and_not_written(desk: Desk, store: Store) -> None:
    view = desk.start(("Анна", "Борис"))
    with pytest.raises(UserError, match="call: "):
        desk.call("абракадабра")
    with pytest.raises(UserError, match="400 characters"):
        desk.call("а" * 401)
    with pytest.raises(UserError, match="elements"):
        desk.call({"elements": []})
    assert len(store.journal(view.game.id)) == 1


def test_what_is_open_is_not_on_the_board_until_somebody_settles_it(desk: Desk) -> None:
    desk.start(("Анна", "Борис"))
    view = desk.played(stroke(KISS, CONTACT, POT, doubts=(UNSURE,)))
    assert view.settled == (0, 0) and [s.number for s in view.open] == [1]
    view = desk.confirm(1)
    assert view.open == () and view.settled == (0, 3)


def test_a_doubt_that_cannot_change_the_ruling_is_not_put_to_anyone(desk: Desk) -> None:
    desk.start(("Анна", "Борис"))
    cushions = (Event(2.0, "cushion", ball="yellow", cushion="foot"), Event(2.01, "cushion", ball="white", cushion="left"))
    doubt = Doubt("cushion yellow and cushion white within 10 ms: their order is not sure", 2)
    assert desk.played(stroke(CONTACT, *cushions, doubts=(doubt,))).open == ()


def test_the_other_way_is_ruled_and_can_be_chosen(desk: Desk) -> None:
    desk.start(("Анна", "Борис"))
    (opened,) = desk.played(stroke(KISS, CONTACT, POT, doubts=(UNSURE,))).open
    assert opened.ruled.ruling.fouls[0].rule == "12.4"
    (way,) = opened.ways
    assert way.ruling.points == 3 and way.label.ru == "не было: белый — чёрный: соударение"
    view = desk.choose(1, 0)
    assert view.open == () and view.settled == (3, 0)
    with pytest.raises(UserError, match="no alternative"):
        desk.choose(1, 0)


def test_fouls_of_the_hand(desk: Desk) -> None:
    desk.start(("Анна", "Борис"))
    desk.played(stroke(CONTACT, Event(2.0, "cushion", ball="yellow", cushion="foot")))
    view = desk.foul(1, "touch", "red")
    assert view.strokes[0].ruled.ruling.fouls[0].rule == "12.5" and view.settled == (0, 3)
    with pytest.raises(UserError, match="expected one of touch"):
        desk.foul(1, "kick", "red")


def test_undo_and_redo(desk: Desk) -> None:
    desk.start(("Анна", "Борис"))
    desk.call("жёлтый в левый дальний угол")
    desk.played(stroke(CONTACT, POT))
    assert desk.call("красный в угол", stroke=1).settled == (0, 0)
    view = desk.undo()
    assert view.settled == (3, 0) and view.redoable
    assert desk.undo().strokes == ()
    assert desk.redo().settled == (3, 0)
    assert desk.redo().settled == (0, 0)
    with pytest.raises(UserError, match="nothing to redo"):
        desk.redo()
    desk.undo()
    desk.confirm(1)
    assert not desk.view.redoable  # another act was done since
    for _ in range(3):
        desk.undo()
    with pytest.raises(UserError, match="nothing to undo"):
        desk.undo()


def test_after_a_restart_the_game_goes_on_where_it_was(desk: Desk, store: Store, tmp_path: Path) -> None:
    desk.start(("Анна", "Борис"), target=30, handicap=(5, 0))
    desk.call("жёлтый в левый дальний угол")
    desk.played(stroke(CONTACT, POT))
    desk.call("красный в угол")
    store.close()
    again = Desk(Store(tmp_path / "live.sqlite"), TABLE).view
    assert (again.status, again.settled, again.call) == ("playing", (8, 0), "красный в угол")
    assert [s.ruled for s in again.strokes] == [s.ruled for s in desk.view.strokes]


def test_strokes_in_a_pause_and_outside_a_game_are_not_written(desk: Desk) -> None:
    assert desk.played(stroke(CONTACT)).strokes == ()
    desk.start(("Анна", "Борис"))
    desk.pause()
    assert desk.played(stroke(CONTACT)).strokes == ()
    desk.pause(False)
    assert len(desk.played(stroke(CONTACT)).strokes) == 1
    desk.end()
    assert len(desk.played(stroke(CONTACT)).strokes) == 1


def test_the_game_ends_at_its_target_and_the_other_player_begins_the_next(desk: Desk) -> None:
    desk.start(("Анна", "Борис"), target=3)
    desk.call("жёлтый в левый дальний угол")
    view = desk.played(stroke(CONTACT, POT))
    assert (view.status, view.winner) == ("over", 0)
    view = desk.next_game()
    assert (view.status, view.settled, view.match.state.player) == ("playing", (0, 0), 1)
    assert view.game.match == 1 and view.game.id == 2


def test_a_ball_that_is_not_seen_when_a_game_begins_is_not_taken_to_be_off_the_table(desk: Desk) -> None:
    desk.seen({ball: place for ball, place in PLACES.items() if ball != "white"})
    assert desk.start(("Анна", "Борис"), target=30, handicap=(5, 0)).match.state.waiting == ()
    view = desk.played(stroke(CONTACT, before=PLACES))
    assert view.open == () and view.strokes[0].ruled.before.opening
    assert view.settled[0] == 5 and view.match.state.target == 30


def test_the_opening_is_recognised(desk: Desk) -> None:
    desk.seen(PLACES)
    assert desk.start(("Анна", "Борис")).match.state.opening


@pytest.mark.parametrize(
    ("players", "options", "said"),
    [
        (("Анна", "Анна"), {}, "two different names"),
        ((" ", "Борис"), {}, "two different names"),
        (("А", "Б"), {"target": 0}, "target"),
        (("А", "Б"), {"target": 10, "handicap": (10, 0)}, "handicap"),
        (("А", "Б"), {"first": 2}, "first"),
    ],
)
def test_what_a_game_cannot_begin_with(desk: Desk, players, options, said: str) -> None:
    with pytest.raises(UserError, match=said):
        desk.start(players, **options)
    assert desk.view.status == "none"


def test_acts_without_a_game_are_refused(desk: Desk) -> None:
    for act in (desk.next_game, desk.pause, desk.end, lambda: desk.call("красный в угол")):
        with pytest.raises(UserError, match="no game"):
            act()
    with pytest.raises(UserError, match="was not played"):
        desk.confirm(1)


def test_all_who_listen_see_every_act(desk: Desk) -> None:
    seen = []
    stop = desk.listen(seen.append)
    desk.start(("Анна", "Борис"))
    desk.played(stroke(CONTACT))
    stop()
    desk.undo()
    assert [v.version for v in seen] == sorted({v.version for v in seen}) and len(seen) == 2


def test_a_correction_must_be_a_stroke(desk: Desk) -> None:
    desk.start(("Анна", "Борис"))
    shot = desk.played(stroke(CONTACT)).strokes[0].ruled.shot
    with pytest.raises(UserError, match="cushion"):
        desk.correct(1, replace(shot, events=(*shot.events, Event(3.0, "cushion", ball="white"))))
    with pytest.raises(UserError):
        desk.correct(1, replace(shot, events=tuple(reversed(shot.events))))


def test_a_disk_that_cannot_be_written_changes_nothing(desk: Desk, store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    before = desk.start(("Анна", "Борис"))

    def full(*_args, **_options) -> None:
        raise UserError("live.sqlite: database or disk is full")

    monkeypatch.setattr(store, "append", full)
    with pytest.raises(UserError, match="full"):
        desk.call("красный в угол")
    assert desk.view is before


def test_a_database_of_another_version_is_refused(tmp_path: Path) -> None:
    import sqlite3

    Store(tmp_path / "a.sqlite").close()
    with sqlite3.connect(tmp_path / "a.sqlite") as raw:
        raw.execute("update live_schema set version = 99")
    with pytest.raises(UserError, match="version 99, expected 1"):
        Store(tmp_path / "a.sqlite")
    (tmp_path / "b.sqlite").write_bytes(b"not a database at all" * 100)
    with pytest.raises(UserError, match=r"b\.sqlite"):
        Store(tmp_path / "b.sqlite")


def test_a_pause_outlives_a_restart(desk: Desk, store: Store, tmp_path: Path) -> None:
    desk.start(("Анна", "Борис"))
    desk.pause()
    again = Desk(Store(tmp_path / "live.sqlite"), TABLE)
    assert again.view.status == "paused" and again.played(stroke(CONTACT, POT)).strokes == ()
    again.pause(False)
    assert Desk(Store(tmp_path / "live.sqlite"), TABLE).view.status == "playing"
    assert again.next_game().status == "playing"


def test_an_append_leaves_the_database_file_alone_until_there_is_time(tmp_path: Path) -> None:
    store = Store(tmp_path / "live.sqlite")
    desk = Desk(store, TABLE)
    desk.start(("A", "B"))
    store.tidy()
    for n in range(20):
        desk.call(None if n % 2 else "yellow in the corner")

    def kept(name: str) -> int:
        shutil.copy(tmp_path / "live.sqlite", tmp_path / name)  # without its log
        copy = Store(tmp_path / name)
        try:
            return len(copy.journal(1))
        finally:
            copy.close()

    assert kept("before.sqlite") == 1
    store.tidy()
    assert kept("after.sqlite") == 21
    store.close()
