"""The ruling on one stroke: rules put together, in the order in which a referee applies them."""

from __future__ import annotations

from calibration.table import Table
from calibration.table import table as table_of_kind
from referee.calls.call import Call
from referee.rules import called as called_rules
from referee.rules import ending, explain, facts, fouls, succession, validity
from referee.rules.outcome import Score
from referee.rules.terms import FOUL_POINTS
from referee.rules.wording import NOT_MADE_LAW
from referee.ruling import Foul, Item, Ruling
from referee.state import State
from vision.shot import Shot

PYRAMID_12FT = table_of_kind("pyramid-12ft")


def adjudicate(state: State, shot: Shot, call: Call | None = None, table: Table = PYRAMID_12FT) -> Ruling:
    """Rule on one stroke. A pure function of its arguments, which it does not change.

    Args:
        state: before the stroke, a cue ball in hand already placed.
        shot: events in order of time and the places after all balls came to rest, before anything is spotted.
        call: what was announced, None if nothing was.
        table: for its size and, when snooker is asked about, its jaws (mm).
    """
    known = facts.read(state, shot)
    call_made = validity.examine(call, known, table)
    score = called_rules.score(known, call_made)
    committed = fouls.find(known, call_made, score)
    made = None if committed else score.made
    items = made.items if made else ()
    points = sum(i.points for i in items)
    follow = succession.after(state, shot, known, made.right if made else frozenset(), scored=made is not None, table=table)
    also = set(follow.decisions) | validity.decisions(call, call_made, known) | fouls.decisions(known, call_made, score)
    also |= {"D42"} if state.opening else set()
    player, opponent = state.player, 1 - state.player
    scores = list(state.scores)
    scores[player] += points
    scores[opponent] += FOUL_POINTS if committed else 0
    stays = made is not None
    next_state = State(
        player=player if stays else opponent,
        scores=(scores[0], scores[1]),
        target=state.target,
        opening=False,  # D42
        cue_ball=follow.cue_ball,
        placement=follow.placement,
        positions=follow.places,
        waiting=follow.waiting,
    )
    winner = ending.winner(next_state.scores, state.target, opponent if committed else player)
    return Ruling(
        outcome="foul" if committed else "scored" if stays else "no_score",
        points=points,
        opponent_points=FOUL_POINTS if committed else 0,
        items=items,
        fouls=committed,
        void_call=None if call_made.void is None else explain.void_text(call_made.void),
        turn="stays" if stays else "passes",
        state=next_state,
        game_over=winner is not None,
        winner=winner,
        explanation=explain.explanation(state, known, call_made, score, committed, follow, next_state, winner),
        decisions=_decisions(items, committed, call_made, score, also, winner is not None),
        void_reason=None if call_made.void is None else str(call_made.void.name).lower(),
        rules=_rules(items, committed, call_made, score, follow.rules, winner is not None),
    )


def _rules(
    items: tuple[Item, ...],
    committed: tuple[Foul, ...],
    call_made: validity.Called,
    score: Score,
    placing: tuple[str, ...],
    over: bool,
) -> tuple[str, ...]:
    """Every rule of the source that the ruling applied, in order of number."""
    used = {i.rule for i in items} | {str(f.rule) for f in committed} | set(placing)
    used |= {rule for f in score.failures for rule in NOT_MADE_LAW.get(f.reason, "2").split(", ")}
    used.add("2" if call_made.said else "3")
    if call_made.void is not None:
        used.add(validity.VOID_LAW[call_made.void][0])
    if over:
        used.add("1")
    return tuple(sorted(used, key=lambda rule: [int(n) for n in rule.split(".")]))


def _decisions(
    items: tuple[Item, ...],
    committed: tuple[Foul, ...],
    call_made: validity.Called,
    score: Score,
    also: set[str],
    over: bool,
) -> tuple[str, ...]:
    """Every decision that the ruling used, in order of number."""
    used = {d for i in items for d in i.decisions} | {d for f in committed for d in f.decisions} | also
    used |= {d for f in score.failures for d in f.decisions}
    if len(committed) > 1:
        used.add("D2")
    if call_made.void is not None:
        used |= set(validity.VOID_LAW[call_made.void][1])
    if over:
        used |= {"D17", "D42"}
    return tuple(sorted(used, key=lambda d: int(d[1:])))
