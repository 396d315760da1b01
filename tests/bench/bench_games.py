"""Other games on real clips: strokes, first contacts and pots of the balls whose colours are ours.

    python -m tests.bench.bench_games ../shared/footage

Clips with a label file `NAME.strokes.json` show more balls than the referee follows; only what the followed ones do is asked:
when strokes begin, which followed ball the cue ball met first, what fell where, and nothing that is not there.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.bench.footage import SUFFIXES, poedinok

_OURS = ("white", "yellow", "red", "black")
_NEAR = 3.0  # frames by which a label and the referee may differ


@dataclass(frozen=True, slots=True)
class Labelled:
    """What a stroke's label says of balls in our colours; frames from 0 on, None where it does not say."""

    strike: float
    first: tuple[float, str] | None
    pots: tuple[tuple[float, str, str], ...]


def labelled(label: Mapping[str, Any]) -> list[Labelled]:
    """The strokes of a label file, in either of its two forms."""
    shots = label.get("shots") or [label]
    found = []
    for shot in shots:
        contact, pots = shot.get("first_contact"), shot.get("potted", ())
        if "events" in shot:
            contacts = [e for e in shot["events"] if e["type"] == "contact"]
            contact = {"frame": contacts[0]["frame"], "ball": contacts[0]["balls"][-1]} if contacts else None
            pots = [e for e in shot["events"] if e["type"] == "pocket"]
        first = (contact["frame"], contact["ball"]) if contact and contact["ball"] in _OURS else None
        found.append(Labelled(shot["strike_frame"], first, tuple((p["frame"], p["ball"], p["pocket"]) for p in pots if p["ball"] in _OURS)))
    return found


def differences(truth: Sequence[Labelled], shots: Sequence[Mapping[str, Any]]) -> list[str]:
    """What the referee says otherwise than the labels, a line each."""
    told, free = [], list(shots)
    for n, stroke in enumerate(truth, 1):
        shot = min(free, key=lambda s: abs(s["start_frame"] - stroke.strike), default=None)
        if shot is None or abs(shot["start_frame"] - stroke.strike) > _NEAR:
            told.append(f"stroke {n}: not found")
            continue
        free.remove(shot)
        contacts = [(e["frame"], *(b for b in e["balls"] if b != shot["cue_ball"])) for e in shot["events"] if e["type"] == "contact"]
        first = contacts[0] if contacts else None
        if (stroke.first is None) != (first is None) or (stroke.first and first and not _alike(stroke.first, first)):
            told.append(f"stroke {n}: first contact {first}, label {stroke.first}")
        fallen = [(e["frame"], e["ball"], e["pocket"]) for e in shot["events"] if e["type"] == "pocket"]
        if len(fallen) != len(stroke.pots) or not all(map(_alike, sorted(stroke.pots), sorted(fallen))):
            told.append(f"stroke {n}: pots {fallen}, label {list(stroke.pots)}")
    return told + [f"a stroke at frame {s['start_frame']} that is none" for s in free]


def _alike(a: Sequence[Any], b: Sequence[Any]) -> bool:
    return abs(a[0] - b[0]) <= _NEAR and tuple(a[1:]) == tuple(b[1:])


def analyzed(video: Path, label: Mapping[str, Any], balls: Sequence[str], out: Path, *, given: bool) -> Sequence[Mapping[str, Any]] | str:
    """The strokes of one clip, or why there are none."""
    corners = ["--corners", " ".join(f"{x:g},{y:g}" for x, y in label["corners_px"])] if given else []
    profile = out / "profile.toml"
    error = poedinok("calibrate", str(video), "--out", str(profile), "--table", "pool-9ft", "--home", "left", *corners)
    error = error or poedinok("analyze", str(video), "--out", str(out), "--profile", str(profile), "--balls", ",".join(balls))
    return error or json.loads((out / "match.json").read_text("utf-8"))["shots"]


def main() -> int:
    parser = argparse.ArgumentParser(description="Strokes, first contacts and pots of other games.")
    parser.add_argument("footage", type=Path)
    parser.add_argument("names", nargs="*", help="only clips whose name contains one of these")
    arguments = parser.parse_args()
    for path in sorted((arguments.footage / "clips").glob("*.strokes.json")):
        label = json.loads(path.read_text("utf-8"))
        truth = labelled(label)
        stem = path.name.removesuffix(".strokes.json")
        seen = {"white"} | {s.first[1] for s in truth if s.first} | {ball for s in truth for _, ball, _ in s.pots}
        video = next((v for v in (path.parent / f"{stem}{s}" for s in SUFFIXES) if v.is_file()), None)
        if video is None or len(seen) < 2 or (arguments.names and not any(n in stem for n in arguments.names)):
            continue  # one followed ball alone has nothing to meet
        for given in (True, False):
            with tempfile.TemporaryDirectory() as name:
                shots = analyzed(video, label, [b for b in _OURS if b in seen], Path(name), given=given)
            told = [shots] if isinstance(shots, str) else differences(truth, shots)
            print(f"{stem}, corners {'given' if given else 'found'}: {len(truth)} strokes labelled, {len(told)} differences", flush=True)
            for line in told:
                print(f"    {line}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
