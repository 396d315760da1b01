"""Lines for the reliability diagram from sampled strokes:

    python -m tests.bench.confidence_lines OUT.jsonl [--strokes N] [--seed S] [--kinds a,b] [--fit]

Each stroke of `tests.bench.sampled` is refereed in its own state; a line holds the confidence of its ruling, whether that is the
true one, whether anything is up for review, the kind, and `weights`, what speaks against it (`referee.confidence.weights`). With
--fit the constants of `referee.confidence` that make these lines likeliest are told.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from scipy.optimize import minimize

from calibration.table import BALLS, Table, table
from referee.analyze import judge_on, referee_strokes
from referee.callfile import TimedCall
from referee.codec import shot_from_json
from referee.confidence import weights
from referee.state import State
from tests.bench.hard_strokes import Case, cases
from tests.bench.sampled import EYES, Eye, sampled
from vision.events import Found
from vision.shot import Shot, Stroke


def line(case: Case, found: Found, kind: Table) -> dict[str, Any]:
    stroke = case.stroke
    places = {ball: case.shot.before.get(ball) for ball in BALLS}
    state = State(0, (0, 0), 30, stroke.opening, stroke.cue_ball, stroke.placement, places)
    after = {b: None if p is None else list(p) for b, p in case.shot.after.items()}
    truth = shot_from_json({"events": list(case.shot.events), "positions": after}, kind)
    judge = judge_on(kind)
    want, _ = judge(state, truth, stroke.call)
    events = tuple(replace(e, t=max(0.0, e.t - found.strike_t)) for e in found.events)
    seen = Stroke(0.0, 10.0, 0, 600, found.cue_ball, places, Shot(events, truth.positions), found.doubts)
    calls = (TimedCall(-1.0, stroke.call, 1),) if stroke.call else ()
    (ruled,) = referee_strokes([seen], kind, calls=calls, start=state)[0].strokes
    right = want is not None and ruled.ruling is not None and told(want) == told(ruled.ruling)
    against = [round(float(w), 4) for w in weights(ruled, judge, kind)]
    return {"confidence": ruled.confidence, "right": right, "review": len(ruled.review), "kind": case.kind, "weights": against}


def told(ruling: Any) -> tuple:
    return ruling.outcome, ruling.points, ruling.opponent_points, ruling.turn, frozenset(f.rule for f in ruling.fouls)


def lines(played: Iterable[Case], eyes: Sequence[Eye], seed: int, kind: Table) -> Iterator[dict[str, Any]]:
    for n, case in enumerate(played):
        for eye in eyes:
            yield line(case, sampled(case.shot, eye, seed * 10007 + n).events(kind), kind)


def fitted(found: Sequence[dict[str, Any]]) -> np.ndarray:
    """ALWAYS, EVENTS, NAMED, OPEN of `referee.confidence`, none of them below nothing."""
    x = np.array([[1.0, *d["weights"]] for d in found])
    right = np.array([d["right"] for d in found])

    def cost(c: np.ndarray) -> float:
        p = np.clip(np.exp(-x @ c), 1e-6, 1 - 1e-6)
        return -float(np.log(np.where(right, p, 1 - p)).sum())

    return minimize(cost, np.array([0.01, 0.05, 0.3, 0.6]), bounds=[(1e-4, 1.0), (0.0, 3.0), (0.0, 3.0), (0.0, 5.0)]).x


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("out", type=Path)
    parser.add_argument("--strokes", type=int, default=20, help="strokes of each kind")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--kinds", default="", help="only these, with commas between")
    parser.add_argument("--fit", action="store_true")
    given = parser.parse_args()
    kind = table()
    played = cases(given.strokes, given.seed, kind, [k.strip() for k in given.kinds.split(",") if k])
    found = list(lines(played, list(EYES.values()), given.seed, kind))
    given.out.write_text("".join(json.dumps(d) + "\n" for d in found), "utf-8")
    if given.fit:
        print("ALWAYS, EVENTS, NAMED, OPEN =", ", ".join(f"{c:.4f}" for c in fitted(found)))


if __name__ == "__main__":
    main()
