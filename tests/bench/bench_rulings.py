"""Rulings a second on one core: `python -m tests.bench.bench_rulings`. Aim: at least 3,000, without and with JSON.

Processor time is counted, so that other work on the machine does not blur the figure.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from time import process_time

from referee import adjudicate
from referee.adjudicate_command import adjudicate_lines
from referee.codec import case_to_json
from referee.codec.read import Case
from tests.golden.rules.casefile import TABLE, chapters

_SECONDS = 2.0


def _rate(work: Callable[[], int]) -> float:
    """Things a second, over whole rounds of at least two seconds."""
    done, start = 0, process_time()
    while (spent := process_time() - start) < _SECONDS:
        done += work()
    return done / spent


def main() -> None:
    cases = [c for chapter in chapters() for c in chapter.cases]
    lines = [json.dumps(case_to_json(Case(TABLE, c.state, c.call, c.shot))) for c in cases]

    def rule() -> int:
        for case in cases:
            adjudicate(case.state, case.shot, case.call, TABLE)
        return len(cases)

    print(f"rulings a second: {_rate(rule):.0f}")
    print(f"from and to JSON: {_rate(lambda: sum(1 for _ in adjudicate_lines(lines))):.0f}")


if __name__ == "__main__":
    main()
