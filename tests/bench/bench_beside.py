"""The stroke of a labelled clip as another camera saw it: the labels hold, at another time.

    python -m tests.bench.bench_beside VIDEO TRUTH.json [--home SIDE]

VIDEO shows the stroke of the label file from elsewhere (in the footage `carom_ob_lgu_persp` that of `carom_oh_lgu_topview`). The
table is found in it; the delay between the two is where most events agree.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from tests.bench.footage import poedinok

_NEAR = 1.5  # frames by which an event may differ
_KINDS = ("contact", "cushion", "jaw", "pocket")


def key(event: Mapping[str, Any]) -> tuple[str, ...]:
    """What an event is, without its time."""
    if event["type"] == "contact":
        return ("contact", *sorted(event["balls"]))
    return (event["type"], event["ball"], event.get("cushion") or event.get("pocket") or "")


def agreed(truth: Sequence[Mapping[str, Any]], found: Sequence[Mapping[str, Any]], delay: float) -> list[tuple[int, int]]:
    """Indexes of the events of the label and of the referee that are the same, `delay` frames apart."""
    pairs, free = [], set(range(len(found)))
    for i, e in enumerate(truth):
        near = [j for j in free if key(found[j]) == key(e) and abs(found[j]["frame"] + delay - e["frame"]) <= _NEAR]
        if near:
            j = min(near, key=lambda j: abs(found[j]["frame"] + delay - e["frame"]))
            free.remove(j)
            pairs.append((i, j))
    return pairs


def main() -> int:
    parser = argparse.ArgumentParser(description="A labelled stroke seen by another camera.")
    parser.add_argument("video", type=Path)
    parser.add_argument("truth", type=Path)
    parser.add_argument("--home", help="where the label's home lies in this picture")
    arguments = parser.parse_args()
    truth = json.loads(arguments.truth.read_text("utf-8"))
    home = ["--home", arguments.home] if arguments.home else []
    with tempfile.TemporaryDirectory() as name:
        out = Path(name)
        profile, balls = out / "profile.toml", ",".join(truth["balls"])
        error = poedinok("calibrate", str(arguments.video), "--out", str(profile), "--table", truth["table"], *home)
        error = error or poedinok("analyze", str(arguments.video), "--out", str(out), "--profile", str(profile), "--balls", balls)
        if error:
            raise SystemExit(error)
        shots = json.loads((out / "match.json").read_text("utf-8"))["shots"]
    found = [e for s in shots for e in s["events"] if e["type"] in _KINDS]
    labelled = [e for e in truth["events"] if e["type"] in _KINDS]
    delays = [t["frame"] - f["frame"] for t in labelled for f in found if key(t) == key(f)] or [0.0]
    delay = max(delays, key=lambda d: len(agreed(labelled, found, d)))
    pairs = agreed(
        labelled, found, float(np.median([labelled[i]["frame"] - found[j]["frame"] for i, j in agreed(labelled, found, delay)] or [0]))
    )
    hits, others = {i for i, _ in pairs}, {j for _, j in pairs}
    print(
        f"{len(pairs)} of {len(labelled)} events, {len(found) - len(pairs)} that are none, {len(shots)} strokes, {delay:.1f} frames apart"
    )
    for e in (e for i, e in enumerate(labelled) if i not in hits):
        print(f"    missed: {' '.join(key(e))} at frame {e['frame']}")
    for e in (e for j, e in enumerate(found) if j not in others):
        print(f"    none: {' '.join(key(e))} at frame {e['frame']}")
    for doubt in (r for s in shots for r in s["review"]):
        print(f"    to check: {doubt['reason']}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
