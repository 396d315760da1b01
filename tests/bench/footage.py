"""Score the referee on real clips: `make footage`.

Each clip that has a label file is analyzed twice, with the corners of its label and with the table found by itself, and
scored with the scorer beside the clips. The clips belong to their owners; they are read where they lie and never copied.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from math import dist, hypot
from pathlib import Path
from types import ModuleType
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
SHARED = ROOT.parent / "shared"
SUFFIXES = (".mp4", ".avi", ".mov", ".mkv")


@dataclass(frozen=True, slots=True)
class Clip:
    """A clip with its label file."""

    video: Path
    truth_path: Path
    truth: dict[str, Any]

    @property
    def carom(self) -> bool:
        return str(self.truth.get("table", "")).startswith("carom")

    def table_options(self) -> list[str]:
        if self.carom:
            return ["--table", self.truth["table"]]
        length, width = self.truth["size_mm"]
        return ["--size", f"{length:g}x{width:g}", "--ball-mm", f"{self.truth['ball_mm']:g}"]


@dataclass(frozen=True, slots=True)
class Outcome:
    """What one analysis of a clip came to; `figures` are the scorer's, or None with the reason in `error`."""

    figures: dict[str, Any] | None
    details: Sequence[str]
    seconds: float
    corners: list[list[float]] | None
    error: str = ""


def clips(folder: Path, names: Sequence[str] = ()) -> list[Clip]:
    found = []
    for truth_path in sorted(folder.glob("*.truth.json")):
        stem = truth_path.name.removesuffix(".truth.json")
        video = next((folder / f"{stem}{s}" for s in SUFFIXES if (folder / f"{stem}{s}").is_file()), None)
        if video is not None and (not names or any(name in stem for name in names)):
            found.append(Clip(video, truth_path, json.loads(truth_path.read_text("utf-8"))))
    return found


def scorer(path: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location("footage_score", path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def poedinok(*arguments: str) -> str:
    """Run a command; returns what went wrong in one line, or nothing."""
    done = subprocess.run([sys.executable, "-m", "referee.cli", *arguments], capture_output=True, text=True, cwd=ROOT)
    if done.returncode == 0:
        return ""
    return (done.stderr.strip().splitlines() or [f"exit status {done.returncode}"])[-1]


def outcome(clip: Clip, out: Path, score: ModuleType, *, given: bool) -> Outcome:
    """Calibrate, analyze and score one clip."""
    profile = out / "profile.toml"
    out.mkdir(parents=True)
    corners = ["--corners", " ".join(f"{x:g},{y:g}" for x, y in clip.truth["corners_px"])] if given else []
    began = time.perf_counter()
    error = poedinok("calibrate", str(clip.video), "--out", str(profile), "--home", "left", *clip.table_options(), *corners)
    error = error or poedinok(
        "analyze", str(clip.video), "--out", str(out), "--profile", str(profile), "--balls", ",".join(clip.truth["balls"]), "--home", "left"
    )
    seconds = time.perf_counter() - began
    found = found_corners(profile)
    if error:
        return Outcome(None, (), seconds, found, error)
    figures, details = score.score(str(clip.truth_path), str(out))
    return Outcome(figures, details, seconds, found)


def found_corners(profile: Path) -> list[list[float]] | None:
    import tomllib

    if not profile.is_file():
        return None
    return tomllib.loads(profile.read_text("utf-8"))["picture"]["corners_px"]


def corner_error(found: Sequence[Sequence[float]] | None, truth: Sequence[Sequence[float]]) -> float | None:
    """The largest distance of a corner from its label, in % of the table's diagonal in the picture."""
    if found is None:
        return None
    (x0, y0), (x1, y1) = truth[0], truth[2]
    return 100 * max(dist(a, b) for a, b in zip(found, truth, strict=True)) / hypot(x1 - x0, y1 - y0)


def row(name: str, given: Outcome, auto: Outcome, truth: dict[str, Any]) -> str:
    def f1(o: Outcome) -> str:
        counted = o.figures and o.figures["events"] + o.figures["spurious"]  # a clip may have none to find
        return f"{o.figures['f1']:.3f}" if o.figures and counted else "—"

    def events(o: Outcome) -> str:
        return "{hits}/{events} +{spurious}".format(**o.figures) if o.figures else "—"

    def shots(o: Outcome) -> tuple[str, str]:
        if not o.figures:
            return "—", "—"
        found, ghosts = o.figures["shots"].split(", ")
        return found.split()[0], ghosts.split()[0]

    found, ghosts = shots(given)
    error = corner_error(auto.corners, truth["corners_px"])
    shown = "—" if error is None else f"{error:.2f}"
    return f"{name:24}{f1(given):>8}{events(given):>12}{f1(auto):>8}{events(auto):>12}{found:>7}{ghosts:>8}{shown:>10}{given.seconds:9.1f}"


def total(outcomes: Sequence[Outcome]) -> str:
    """F1 of all events of all clips; a clip that could not be analyzed counts as not scored."""
    figures = [o.figures for o in outcomes if o.figures]
    hits, misses, spurious = (sum(f[key] for f in figures) for key in ("hits", "misses", "spurious"))
    f1 = 2 * hits / max(1, 2 * hits + misses + spurious)
    return f"F1 {f1:.3f} ({hits}/{hits + misses} events, {spurious} spurious, {len(figures)}/{len(outcomes)} clips)"


def add_options(parser: argparse.ArgumentParser) -> None:
    """The options of every bench that scores the clips."""
    parser.add_argument("names", nargs="*", help="only clips whose name contains one of these")
    parser.add_argument("--shared", type=Path, default=SHARED, help="the folder with footage/ and eval/")
    parser.add_argument("--keep", type=Path, help="keep the outputs in this folder")
    parser.add_argument("--given-only", action="store_true", help="leave out automatic calibration")


def clips_and_scorer(shared: Path) -> tuple[Path, ModuleType] | None:
    """The folder of the clips and the scorer beside it; None, and said so, where they are not."""
    folder, score_path = shared / "footage" / "clips", shared / "eval" / "score.py"
    if not folder.is_dir() or not score_path.is_file():
        print(f"no footage: {folder} or {score_path} is missing; nothing was scored")
        return None
    return folder, scorer(score_path)


def main() -> int:
    parser = argparse.ArgumentParser(description="Score the referee on real clips.")
    add_options(parser)
    parser.add_argument("--details", action="store_true", help="print every missed and spurious event")
    arguments = parser.parse_args()
    found = clips_and_scorer(arguments.shared)
    if found is None:
        return 0
    folder, score = found
    work = arguments.keep or Path(tempfile.mkdtemp(prefix="footage-"))
    heads = ("given", "events", "auto", "events", "shots", "ghosts", "corner %", "seconds")
    print(f"{'clip':24}" + "".join(f"{h:>{w}}" for h, w in zip(heads, (8, 12, 8, 12, 7, 8, 10, 9), strict=True)), flush=True)
    all_given, all_auto = [], []
    try:
        for clip in clips(folder, arguments.names):
            name = clip.video.stem
            for kind in ("given", "auto"):
                shutil.rmtree(work / name / kind, ignore_errors=True)
            given = outcome(clip, work / name / "given", score, given=True)
            auto = Outcome(None, (), 0.0, None) if arguments.given_only else outcome(clip, work / name / "auto", score, given=False)
            all_given.append(given)
            all_auto.append(auto)
            print(row(name, given, auto, clip.truth), flush=True)
            for kind, o in (("given", given), ("auto", auto)):
                if o.error:
                    print(f"    {kind}: {o.error}")
                if arguments.details:
                    print(*(f"    {kind}: {line}" for line in o.details), sep="\n")
    finally:
        if arguments.keep is None:
            shutil.rmtree(work, ignore_errors=True)
    print(f"corners given: {total(all_given)}")
    if not arguments.given_only:
        print(f"automatic:     {total(all_auto)}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
