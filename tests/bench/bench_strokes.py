"""Hundreds of simulated strokes, filmed as `poedinok simulate` films them, analyzed as `poedinok analyze` does, and scored.

    python -m tests.bench.bench_strokes film STORE --count 300 --seed 7     # play, film, analyze, keep what the tracker saw
    python -m tests.bench.bench_strokes draw STORE --count 300 --seed 7     # the same without pictures, see strokes_drawn
    python -m tests.bench.bench_strokes replay STORE                        # the same from what the tracker saw, in seconds
    python -m tests.bench.bench_strokes again STORE --names jump            # the same from the videos (film --keep)
    python -m tests.bench.bench_strokes again STORE --profiles true found   # each video twice: with its true profile, with none
    python -m tests.bench.bench_strokes table STORE
    python -m tests.bench.bench_strokes ablate STORE

Results are lines of JSON in STORE/results-TAG.jsonl; what is in there is not done again, so that a run can be stopped and
gone on with. A new TAG (default: the commit) begins a new file. Needs the `simulate` extra and the scorer of ../shared.
"""

from __future__ import annotations

import argparse
import csv
import json
import pickle
import subprocess
import sys
import tempfile
import time
import traceback
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import islice
from pathlib import Path
from types import ModuleType
from typing import Any

from calibration.errors import UserError
from calibration.profile import write_profile
from referee.analyze import Request, run
from referee.simulate_command import rule_case
from sample_videos import studio
from sample_videos.record import srt
from tests.bench.footage import SHARED, scorer
from tests.bench.strokes_ablations import ALL, Ablation, ablations
from tests.bench.strokes_drawn import UNDRAWN, drawn
from tests.bench.strokes_recipes import FORMATS, TABLES, Recipe, in_turn, recipe
from tests.bench.strokes_report import failures, table
from tests.bench.strokes_score import scored
from tests.bench.strokes_store import Log, read_log, recorded, referee_again, write_log
from vision.frames import Video
from vision.pipeline import analyze_video
from vision.tracks import HEADER

Line = dict[str, Any]


class Store:
    """A folder: STORE/KEY holds a stroke's truth, profile, calls and the tracker's log, STORE/videos what is kept to look at."""

    def __init__(self, folder: Path, tag: str) -> None:
        self.folder, self.tag = folder, tag
        self.results = folder / f"results-{tag}.jsonl"
        folder.mkdir(parents=True, exist_ok=True)

    def lines(self) -> list[Line]:
        if not self.results.is_file():
            return []
        return [json.loads(text) for text in self.results.read_text("utf-8").splitlines()]

    def add(self, line: Line) -> None:
        with self.results.open("a", encoding="utf-8") as file:
            file.write(json.dumps(line, ensure_ascii=False) + "\n")

    def strokes(self, names: Sequence[str]) -> list[Path]:
        """Folders of the strokes that were tracked."""
        found = sorted(p.parent for p in self.folder.glob("*/log.pkl"))
        return [p for p in found if not names or any(name in p.name for name in names)]

    def filmed(self, names: Sequence[str]) -> list[Path]:
        """Folders of the strokes whose videos were kept."""
        found = [p.parent for p in sorted(self.folder.glob("*/about.json")) if self.video(p.parent.name).is_file()]
        return [p for p in found if not names or any(name in p.name for name in names)]

    def recipes(self, seed: int, numbers: Iterable[int]) -> Iterator[Recipe]:
        """Recipes by number; kept, since a variant takes seconds to find."""
        (self.folder / "recipes").mkdir(exist_ok=True)
        for n in numbers:
            path = self.folder / "recipes" / f"{seed}-{n}.pkl"
            if not path.is_file():
                part = path.with_suffix(".part")
                part.write_bytes(pickle.dumps(recipe(seed, n)))
                part.replace(path)
            found = pickle.loads(path.read_bytes())
            if found is not None:
                yield found

    def video(self, key: str) -> Path:
        return self.folder / "videos" / f"{key}.mp4"


def request(folder: Path, out: Path, video: Path, automatic: bool | None = None) -> Request:
    """What is asked of the analysis of one stroke: in its state, with its calls, with the true profile or none (as its recipe says)."""
    key = folder.name
    if automatic is None:
        automatic = json.loads((folder / "about.json").read_text("utf-8"))["automatic"]
    calls = folder / f"{key}.srt"
    asked = Request.read(
        video, out, profile=None if automatic else folder / f"{key}.profile.toml", home="left",
        calls=calls if calls.is_file() else None, start=folder / "state.json",
    )  # fmt: skip
    return replace(asked, profile=replace(asked.profile, home="left")) if asked.profile else asked


def film(recipe: Recipe, folder: Path, videos: Path) -> Path:
    """Play and film one stroke: its truth into `folder`, the video beside the others."""
    folder.mkdir(parents=True, exist_ok=True)
    studio.film(recipe.scenario(), folder, seed=recipe.seed, adjudicate=rule_case)
    truth = json.loads((folder / f"{recipe.key}.truth.json").read_text("utf-8"))
    _write_about(recipe, recipe.key, truth, folder)
    videos.mkdir(parents=True, exist_ok=True)
    return (folder / f"{recipe.key}.mp4").replace(videos / f"{recipe.key}.mp4")


def draw(recipe: Recipe, folder: Path) -> None:
    """The truth and the log of one stroke without a film."""
    folder.mkdir(parents=True, exist_ok=True)
    log, truth, rows = drawn(recipe, rule_case)
    (folder / f"{recipe.key}.truth.json").write_text(json.dumps(truth), "utf-8")
    with (folder / f"{recipe.key}.tracks.csv").open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows([HEADER, *rows])
    if truth["calls"]:
        (folder / f"{recipe.key}.srt").write_text(srt(truth["calls"]), "utf-8")
    write_profile(log.profile, folder / f"{recipe.key}.profile.toml")
    _write_about(replace(recipe, automatic=False), recipe.key, truth, folder)
    write_log(log, folder / "log.pkl")


def _write_about(recipe: Recipe, key: str, truth: Line, folder: Path) -> None:
    (folder / "state.json").write_text(json.dumps(truth["shots"][0]["state"]), "utf-8")
    names = ("kind", "seed", "format", "tilt", "table", "automatic")
    about = {"key": key, "name": recipe.stroke.name, **{n: getattr(recipe, n) for n in names}}
    (folder / "about.json").write_text(json.dumps(about), "utf-8")


def track(folder: Path, video: Path) -> None:
    """Follow the balls through the video of a stroke, and keep what the tracker saw. Raises UserError if there is no table."""
    asked = request(folder, folder, video)
    with recorded() as logs:
        result = analyze_video(video, profile=asked.profile, balls=asked.balls, home=asked.home)
    logs[0].info = result.video
    write_log(logs[0], folder / "log.pkl")


def tracked(folder: Path, video: Path, out: Path) -> None:
    """Track a video and referee what was seen, into `out`."""
    track(folder, video)
    referee_again(read_log(folder / "log.pkl"), request(folder, out, video), out)


def line_of(score: ModuleType, folder: Path, tag: str, analyze: Callable[[Path], object]) -> Line:
    """The result of one stroke, after `analyze` has written its folder."""
    about = json.loads((folder / "about.json").read_text("utf-8"))
    with tempfile.TemporaryDirectory(prefix="stroke-") as scratch:
        try:
            analyze(Path(scratch))
        except UserError as error:
            return {**about, "tag": tag, "refused": str(error)}
        return {**about, "tag": tag, **scored(score, folder / f"{folder.name}.truth.json", Path(scratch))}


def only_film(store: Store, asked: Iterable[Recipe], most: int | None) -> None:
    """Film and keep the videos, for `again`."""
    for one in islice((r for r in asked if not store.video(r.key).is_file()), most):
        film(one, store.folder / one.key, store.video(one.key).parent)
        print(f"{one.key:36} {one.format} {one.tilt:2.0f}° {one.table}", flush=True)


def run_film(store: Store, score: ModuleType, asked: Iterable[Recipe], keep: bool, most: int | None) -> None:
    done = {line["key"] for line in store.lines()}
    for one in islice((r for r in asked if r.key not in done), most):
        began, folder, video = time.perf_counter(), store.folder / one.key, store.video(one.key)
        try:
            if not (folder / "about.json").is_file() or not video.is_file():
                film(one, folder, video.parent)
            filmed = time.perf_counter()
            line = line_of(score, folder, store.tag, lambda out, f=folder, v=video: tracked(f, v, out))
        except Exception:  # a run of hours is not to end with one stroke: it is told, and done again when the run is gone on with
            print(f"{one.key}: {traceback.format_exc()}", flush=True)
            continue
        line["seconds"] = [round(filmed - began, 1), round(time.perf_counter() - filmed, 1)]
        store.add(line)
        if not keep:
            video.unlink()
        print(_said(line), flush=True)


def run_draw(store: Store, asked: Iterable[Recipe], most: int | None) -> None:
    wanted = (r for r in asked if r.kind not in UNDRAWN and not (store.folder / r.key / "log.pkl").is_file())
    for one in islice(wanted, most):
        draw(one, store.folder / one.key)
        print(f"{one.key:36} {one.format} {one.tilt:2.0f}° {one.table}", flush=True)


def run_over(store: Store, names: Sequence[str], line: Callable[[Path], Line | None]) -> None:
    """Add the lines of all strokes that have none yet under this tag."""
    done = {known["key"] for known in store.lines()}
    for folder in store.strokes(names):
        if folder.name not in done and (found := line(folder)) is not None:
            store.add(found)
            print(_said(found), flush=True)


def run_again(store: Store, score: ModuleType, names: Sequence[str], profiles: Sequence[str]) -> None:
    """Add the lines of all videos that have none yet under this tag, each with every one of the `profiles`.

    Where a picture does not tell the size of the table, `analyze` without a profile takes it for `TABLES[0]`: others are not asked for so.
    """
    done = {(known["key"], known["automatic"]) for known in store.lines()}
    for folder in store.filmed(names):
        about = json.loads((folder / "about.json").read_text("utf-8"))
        for automatic in [p == "found" for p in profiles] or [about["automatic"]]:
            if (folder.name, automatic) not in done and not (automatic and about["table"] != TABLES[0]):
                store.add(found := again_line(store, score, folder, automatic))
                print(_said(found), flush=True)


def replay_line(store: Store, score: ModuleType, folder: Path, left_out: Ablation = ALL[0]) -> Line:
    """The result of one stroke from its log, with a part of the analysis left out if asked."""
    log = left_out.log(read_log(folder / "log.pkl"))
    asked = request(folder, folder, folder / "about.json")
    return line_of(score, folder, store.tag, lambda out: _replayed(log, asked, out, left_out))


def _replayed(log: Log, asked: Request, out: Path, left_out: Ablation) -> None:
    referee_again(log, asked, out)
    left_out.out(log, out)


def again_line(store: Store, score: ModuleType, folder: Path, automatic: bool) -> Line:
    """The result of one stroke from its video, as `poedinok analyze` makes it; what was tracked is kept for `replay`."""
    with recorded() as logs:
        line = line_of(score, folder, store.tag, lambda out: run(request(folder, out, store.video(folder.name), automatic)))
    if logs and logs[0].frames and "refused" not in line:
        with Video(store.video(folder.name)) as video:
            logs[0].info = video.info
        write_log(logs[0], folder / ("found.pkl" if automatic else "log.pkl"))
    return {**line, "automatic": automatic}


def _said(line: Line) -> str:
    wrong = "refused" if "refused" in line else "right" if line["right"] else "WRONG"
    detail = line.get("refused") or "; ".join([*(f"-{m}" for m in line["missed"]), *(f"+{m}" for m in line["invented"])])
    seconds = "{}+{} s ".format(*line["seconds"]) if "seconds" in line else ""
    return f"{line['key']:36} {line['format']} {line['tilt']:2.0f}° {seconds}{wrong} {len(line.get('review', ()))} to review  {detail}"


def _commit() -> str:
    done = subprocess.run(["git", "rev-parse", "--short", "HEAD"], capture_output=True, text=True, cwd=Path(__file__).parent)
    return done.stdout.strip() or "none"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=("film", "draw", "replay", "again", "table", "ablate"))
    parser.add_argument("store", type=Path)
    parser.add_argument("--count", type=int, default=300, help="number of the last stroke, plus one")
    parser.add_argument("--first", type=int, default=0, help="number of the first stroke")
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--most", type=int, default=None, help="film or draw so many strokes and stop; the same command goes on")
    parser.add_argument("--tag", default=None)
    parser.add_argument("--keep", action="store_true", help="keep the videos")
    parser.add_argument("--names", nargs="*", default=[], help="only strokes whose name contains one of these")
    parser.add_argument("--formats", nargs="*", default=[], choices=tuple(FORMATS), help="film or draw only strokes in these")
    parser.add_argument("--only", action="store_true", help="film: keep the videos and analyze nothing, for `again`")
    parser.add_argument("--profiles", nargs="*", default=[], choices=("true", "found"), help="again: with which profiles")
    parser.add_argument("--shared", type=Path, default=SHARED)
    arguments = parser.parse_args()
    store = Store(arguments.store, arguments.tag or _commit())
    score_path = arguments.shared / "eval" / "score.py"
    if not score_path.is_file():
        print(f"no scorer: {score_path} is missing; nothing was scored")
        return 0
    score = scorer(score_path)
    numbers = in_turn(range(arguments.first, arguments.count), arguments.names, arguments.formats)
    asked = (r for r in store.recipes(arguments.seed, numbers) if not arguments.names or any(n in r.key for n in arguments.names))
    if arguments.what == "draw":
        run_draw(store, asked, arguments.most)
    elif arguments.what == "film" and arguments.only:
        only_film(store, asked, arguments.most)
    elif arguments.what == "film":
        run_film(store, score, asked, arguments.keep, arguments.most)
    elif arguments.what == "ablate":
        strokes = store.strokes(arguments.names)
        print(ablations(lambda left_out: [replay_line(store, score, folder, left_out) for folder in strokes]))
    elif arguments.what == "table":
        print(table(store.lines()), failures(store.lines()), sep="\n\n")
    elif arguments.what == "again":
        run_again(store, score, arguments.names, arguments.profiles)
    else:
        run_over(store, arguments.names, lambda folder: replay_line(store, score, folder))
    return 0


if __name__ == "__main__":
    sys.exit(main())
