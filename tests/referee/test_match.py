"""The journal: the match is a fold over entries, and undo takes back exactly one of them."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from referee.match import (
    Began,
    Called,
    Confirmed,
    Corrected,
    Decided,
    Entry,
    JournalError,
    Played,
    Undone,
    append,
    check,
    effective,
    replay,
)
from referee.ruling import Explanation, Ruling
from referee.state import State
from vision.shot import Doubt, Event, Shot

PLACES = {"white": (500.0, 500.0), "yellow": (2000.0, 500.0), "red": (887.5, 887.5), "black": (1775.0, 887.5)}
START = State(0, (0, 0), None, False, "white", "as_lies", PLACES)


def shot(points: int) -> Shot:
    """A stroke that the judge below gives so many points for."""
    return Shot((Event(float(points), "strike", ball="white"),), PLACES)


def judge(state: State, stroke: Shot, call: object) -> tuple[Ruling, tuple[Doubt, ...]]:
    points = int(stroke.events[0].t) * (2 if call == "double" else 1)
    return ruled(state, points), (() if call != "what" else (Doubt("not understood"),))


def ruled(state: State, points: int) -> Ruling:
    scores = list(state.scores)
    scores[state.player] += points
    after = replace(state, scores=(scores[0], scores[1]), player=state.player if points else 1 - state.player)
    turn = "stays" if points else "passes"
    return Ruling("scored" if points else "no_score", points, 0, (), (), None, turn, after, False, None, Explanation("", ""))


def match(journal):
    return replay(journal, judge, lambda state, seen, _: (replace(state, positions=seen.positions_before), seen))


def journal_of(*whats):
    journal = append((), Began(START))
    for what in whats:
        journal = append(journal, what)
    return journal


def played(stroke: int, points: int) -> Played:
    return Played(stroke, shot(points), PLACES, (Doubt("look"),))


def test_score_is_the_fold() -> None:
    m = match(journal_of(played(1, 3), played(2, 0), Called(3, "double"), played(3, 5)))
    assert m.scores == (3, 10)
    assert [s.before.player for s in m.strokes] == [0, 0, 1]
    assert m.state.player == 1


def test_late_call_and_its_undo() -> None:
    journal = journal_of(played(1, 3), played(2, 1), Called(1, "double"))
    assert match(journal).scores == (7, 0)
    journal = append(journal, Undone(4))
    assert match(journal).scores == (4, 0)
    journal = append(journal, Undone(5))
    assert match(journal).scores == (7, 0)


def test_correction_rules_later_strokes_again() -> None:
    journal = journal_of(played(1, 3), played(2, 1))
    corrected = match(append(journal, Corrected(1, shot(0))))
    assert corrected.scores == (0, 1)
    assert corrected.strokes[0].review == () and corrected.strokes[0].confirmed
    assert corrected.strokes[1].review == (Doubt("look"),)


def test_decision_and_confirmation() -> None:
    journal = journal_of(played(1, 3), played(2, 1))
    decided = match(append(journal, Decided(1, ruled(START, 9))))
    assert decided.scores == (10, 0)
    confirmed = match(append(journal, Confirmed(2)))
    assert [s.review for s in confirmed.strokes] == [(Doubt("look"),), ()]


def test_undone_stroke_can_be_played_again() -> None:
    journal = append(journal_of(played(1, 3)), Undone(2))
    assert match(journal).strokes == ()
    assert match(append(journal, played(1, 5))).scores == (5, 0)


def test_doubts_of_the_judge_are_reviewed() -> None:
    assert [d.reason for d in match(journal_of(Called(1, "what"), played(1, 1))).strokes[0].review] == ["look", "not understood"]


@pytest.mark.parametrize(
    ("whats", "message"),
    [
        ([Began(START)], "second beginning"),
        ([Undone(1)], "other than the beginning"),
        ([Undone(9)], "earlier one"),
        ([played(1, 1), played(1, 2)], "already played"),
        ([Corrected(3, shot(1))], "stroke 3, which was not played"),
        ([Confirmed(1)], "not played"),
    ],
)
def test_entries_that_do_not_fit_are_named(whats, message: str) -> None:
    with pytest.raises(JournalError, match=f"journal entry {len(whats) + 1}: .*{message}"):
        journal_of(*whats)


def test_journal_must_begin_and_be_numbered() -> None:
    with pytest.raises(JournalError, match="beginning"):
        check(())
    with pytest.raises(JournalError, match="beginning of the match"):
        check((Entry(1, played(1, 1)),))
    with pytest.raises(JournalError, match="entry 2: expected number 2, found 5"):
        check((Entry(1, Began(START)), Entry(5, played(1, 1))))


@st.composite
def journals(draw):
    """Any journal that `append` accepts."""
    journal = append((), Began(START))
    for _ in range(draw(st.integers(0, 12))):
        number = draw(st.integers(1, 4))
        what = draw(
            st.sampled_from([
                played(number, draw(st.integers(0, 5))),
                Called(number, draw(st.sampled_from([None, "double", "what"]))),
                Corrected(number, shot(draw(st.integers(0, 5)))),
                Confirmed(number),
                Undone(draw(st.integers(2, 12))),
            ])
        )  # fmt: skip
        try:
            journal = append(journal, what)
        except JournalError:
            continue
    return journal


@given(journals())
def test_undoing_the_last_entry_is_as_if_it_had_not_been(journal) -> None:
    if len(journal) > 1:
        assert match(append(journal, Undone(len(journal)))) == match(journal[:-1])


@given(journals())
def test_replay_is_repeatable_and_scores_never_shrink(journal) -> None:
    m = match(journal)
    assert m == match(journal)
    totals = [sum(s.ruling.state.scores) for s in m.strokes]
    assert totals == sorted(totals)
    assert [s.stroke for s in m.strokes] == sorted({e.what.stroke for e in effective(journal) if isinstance(e.what, Played)})
