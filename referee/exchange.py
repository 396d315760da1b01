"""A match between its forms: journal, match.json and notation (docs/NOTATION.md)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from calibration.errors import UserError
from calibration.table import Table
from referee import adjudicate
from referee.analyze import replayed
from referee.calls import CallError, parse, to_json
from referee.journal_file import ruling_from_json, shot_from_json
from referee.match import Began, Called, Decided, Entry, Match, Played, Ruled, append
from referee.match import Call as Said
from referee.notation import MatchText, Turn, from_match, summary, write_table
from referee.notation.cases import DEFAULT_TABLE, read_table
from referee.placing import first_state, ready
from referee.ruling import Explanation, Foul, Item, Ruling
from referee.state import State


def from_journal(journal: Sequence[Entry], table: Table) -> MatchText:
    """The match of a journal in notation. What a person corrected, confirmed or undid is taken in; that it was so is not kept.

    Raises JournalError for a journal that does not fit together.
    """
    return from_match(replayed(journal, table), {"Table": write_table(table)})


def to_journal(match: MatchText) -> tuple[Entry, ...]:
    """A journal that tells this match; a stroke that was ruled otherwise than the rules have it is a person's decision.

    Raises UserError when there is no stroke or a state does not follow from the stroke before it, NotationError for an unknown table.
    """
    if not match.turns:
        raise UserError("expected at least one stroke")
    table = read_table(match.tag("Table") or DEFAULT_TABLE)
    players = (match.tag("Player0") or "A", match.tag("Player1") or "B")
    journal = append((), Began(match.turns[0].state, players))
    for number, turn in enumerate(match.turns, 1):
        call = _call(turn)
        if call is not None:
            journal = append(journal, Called(number, call))
        journal = append(journal, Played(number, turn.shot, turn.state.positions))
        if turn.ruling is not None:
            made = adjudicate(turn.state, turn.shot, turn.call, table)
            if summary(made) != turn.ruling:
                following = match.turns[number].state if number < len(match.turns) else None
                journal = append(journal, Decided(number, _decision(turn, made, following)))
    _follows(match, replayed(journal, table))
    return journal


def _call(turn: Turn) -> Said:
    """The player's words where they mean the call, else the call itself; words that mean nothing stand if nothing was called."""
    if turn.said is None:
        return None if turn.call is None else to_json(turn.call)
    try:
        meant = parse(turn.said, turn.state.cue_ball)
    except CallError:
        meant = None
    return turn.said if meant == turn.call else None if turn.call is None else to_json(turn.call)


def _decision(turn: Turn, made: Ruling, following: State | None) -> Ruling:
    """The ruling that a summary tells, with the state that the match goes on from."""
    said = turn.ruling
    assert said is not None
    player = turn.state.player
    after = following or replace(made.state, scores=_scores(turn), player=player if said.turn == "stays" else 1 - player)
    if after.placement != "as_lies":  # a ruling leaves the cue ball in hand; it is placed afterwards
        after = replace(after, positions={**after.positions, after.cue_ball: None})
    return Ruling(
        outcome=said.outcome, points=said.points, opponent_points=said.opponent_points,
        items=tuple(Item(item.rule, item.ball, item.points) for item in said.items),
        fouls=tuple(Foul(foul.rule, foul.balls, foul.event) for foul in said.fouls),
        void_call=said.void_call, turn=said.turn, state=after, game_over=said.game_over, winner=said.winner,
        explanation=Explanation("Решение судьи.", "The referee's decision."),
    )  # fmt: skip


def _scores(turn: Turn) -> tuple[int, int]:
    assert turn.ruling is not None
    gained = [turn.ruling.points, turn.ruling.opponent_points]
    mine, other = turn.state.scores[turn.state.player] + gained[0], turn.state.scores[1 - turn.state.player] + gained[1]
    return (mine, other) if turn.state.player == 0 else (other, mine)


def _follows(match: MatchText, told: Match) -> None:
    for ruled, turn in zip(told.strokes, match.turns, strict=True):
        if turn.ruling is not None and ruled.before != turn.state:
            raise UserError(f"stroke {ruled.stroke}: expected the state that stroke {ruled.stroke - 1} left, found another")


def from_document(document: Mapping[str, Any], table: Table) -> MatchText:
    """The match of match.json (contract: analysis) in notation.

    Where a match began is not kept there: the first state is the one that its places and the first ruling tell.
    Raises KeyError, TypeError, ValueError or AttributeError if the document is none.
    """
    strokes: list[Ruled] = []
    state: State | None = None
    for entry in document["shots"]:
        shot = shot_from_json({"events": entry["events"], "positions": entry["positions_after"]})
        ruling = ruling_from_json(entry["ruling"]) if entry["ruling"] else None
        places = {ball: None if place is None else (place[0], place[1]) for ball, place in entry["positions_before"].items()}
        before = ready(state, places, table)[0] if state else _first(places, table, document.get("target"), entry.get("player"), ruling)
        strokes.append(Ruled(entry["index"], before, shot, entry["call"], ruling, ()))
        state = ruling.state if ruling else replace(before, positions=shot.positions)
    a, b = document.get("players") or ("A", "B")
    if state is None:
        state = first_state({}, table, target=document.get("target"))
    return from_match(Match(state, (a, b), tuple(strokes)), {"Table": write_table(table)})


def _first(places: Mapping[str, Any], table: Table, target: int | None, player: int | None, ruling: Ruling | None) -> State:
    state = replace(first_state(places, table, target=target), player=player or 0)
    if ruling is None:
        return state
    gained = (ruling.points, ruling.opponent_points) if state.player == 0 else (ruling.opponent_points, ruling.points)
    return replace(state, scores=(ruling.state.scores[0] - gained[0], ruling.state.scores[1] - gained[1]))
