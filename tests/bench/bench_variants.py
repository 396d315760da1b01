"""Variants of the library's strokes: are they found, how fast, and is each ruled as its stroke of the library?

    python -m tests.bench.bench_variants [TABLE [SEEDS [NAME…]]]

One line a variant: name, seed, `ok` or what differs, CPU seconds of the search; then a summary.
"""

from __future__ import annotations

import json
import sys
import time

import numpy as np

from calibration.table import Table, table
from referee.adjudicate_command import adjudicate_text
from sample_videos.match import Played
from sample_videos.physics import SimulationFailed
from sample_videos.record import case_of
from sample_videos.strokes import Stroke, library, play
from sample_videos.variants import variant
from tests.sample_videos.test_rulings import EXPECTED, FREE


def ruled(stroke: Stroke, kind: Table) -> tuple[str, tuple[str, ...], tuple[str, ...]]:
    """Outcome, rules of the items, rules of the fouls."""
    ruling = json.loads(adjudicate_text(json.dumps(case_of(kind, Played(stroke, play(stroke, kind), 0.0, 0, None)))))
    return ruling["outcome"], tuple(sorted(i["rule"] for i in ruling["items"])), tuple(sorted({f["rule"] for f in ruling["fouls"]}))


def main(arguments: list[str]) -> int:
    """Search and rule the variants; 1 if one is not found or ruled otherwise."""
    kind = table(arguments[0] if arguments else "pyramid-12ft")
    seeds = int(arguments[1]) if len(arguments) > 1 else 1
    took, wrong = [], 0
    for name in arguments[2:] or list(library()):
        for seed in range(seeds):
            start = time.process_time()
            try:
                found = variant(library()[name], kind, seed)
            except SimulationFailed as error:
                print(name, seed, error, flush=True)
                wrong += 1
                continue
            took.append(time.process_time() - start)
            is_ruled, outcome = ruled(found, kind), EXPECTED.get(name, ("no_score", (), ()))
            same = name in FREE or is_ruled == (outcome[0], tuple(sorted(outcome[1])), outcome[2])
            wrong += not same
            print(name, seed, "ok" if same else f"ruled {is_ruled}", f"{took[-1]:.2f} s", flush=True)
    if took:
        share = np.mean(np.array(took) < 1.0)
        print(f"{len(took)} variants, {wrong} wrong, median {np.median(took):.2f} s, under a second {share:.0%}, longest {max(took):.1f} s")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
