"""A second, deliberately simple implementation of the rules of Poedinok: plain dicts in, plain dicts out.

It exists to be compared with the product's engine (as a chess program's move generator is checked with perft), so it
shares no code with it and prefers rows one can read beside the rules to speed and elegance. Every stroke becomes a
dictionary of facts; every rule is a row (number, condition on the facts, effect). R.. are rule numbers, D.. decisions.
"""

from __future__ import annotations

from .after import next_state
from .calls import void_reason
from .events import falls
from .fouls import FOULS, facts_of, white_red
from .made import score_call, score_no_call, total


def rule(case: dict) -> dict:
    """The ruling of a case with a structured call (or none)."""
    state, call = case["state"], case["call"]
    cue, player, target = state["cue_ball"], state["player"], state["target"]
    hand = state["opening"] or state["placement"] != "as_lies"
    void = void_reason(case, hand) if call else None
    fallen = falls(case)
    if call is None:
        items, right = score_no_call(case, fallen, hand)
    elif void:
        items, right = [], set()
    else:
        items, right = score_call(case, fallen)

    f = facts_of(case, hand, void, fallen, items)
    f["own_right"] = cue in right  # D29: in a call that is made in full only
    fouls = [number for number, broken in FOULS if broken(f)]
    scored = bool(items) and not fouls
    if "provided" in white_red(f) and not scored and "12.3" not in fouls:  # R6, D26
        fouls.append("12.3")
    if fouls:
        items, scored = [], False
    points, penalty = total(items), 3 if fouls else 0
    scores = list(state["scores"])
    scores[player] += points
    scores[1 - player] += penalty
    after = next_state(case, scored, right, fallen)
    winner = next((i for i in (0, 1) if target is not None and scores[i] >= target), None)
    return {
        "outcome": "foul" if fouls else "scored" if scored else "no_score",
        "points": points, "opponent_points": penalty, "items": items,
        "fouls": [{"rule": n} for n in sorted(fouls)], "void": bool(void), "void_reason": void,
        "turn": "stays" if scored else "passes",
        "state": {"player": player if scored else 1 - player, "scores": scores, "target": target, "opening": False, **after},
        "game_over": winner is not None, "winner": winner,
    }  # fmt: skip
