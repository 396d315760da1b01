"""Score the referee on real clips as other cameras, sizes and coders would have written them.

    python -m tests.bench.footage_changed [NAME…] [--given-only] [--keep DIR] [--changes mirrored "85 %" …]

Each clip is decoded, changed, and coded anew with its own time stamps, its label changed with it; then it is scored as `footage`
does. Changed clips are written into a scratch folder and removed after their turn: they belong to their owners. A line each;
below a clip with wrong events stands what its strokes put up for review, or that they do not.
"""

from __future__ import annotations

import argparse
import json
import shutil
import sys
import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any

import av
import cv2
import numpy as np
from av.video.reformatter import ColorRange

from tests.bench.footage import Clip, Outcome, add_options, clips, clips_and_scorer, outcome, row, total

_ENDS, _SIDES = {"home": "foot", "foot": "home"}, {"left": "right", "right": "left"}


@dataclass(frozen=True, slots=True)
class Change:
    """`flip` along the picture (home and foot change places), `flop` across it (left and right do), both: half a turn; `scale` of
    its size; `blur` of the lens, px; `gain` of its light, of each channel with `balance` (b, g, r); `gamma` of its levels; `hue`:
    turned by so many degrees; `grain`: levels of noise; `full` range instead of limited; `slow`: every two pictures
    made one of twice the exposure, shown twice; `skip`: so many pictures later begun, if the strike leaves them; `crf`: of the coder."""

    flip: bool = False
    flop: bool = False
    scale: float = 1.0
    blur: float = 0.0
    gain: float = 1.0
    balance: tuple[float, float, float] = (1.0, 1.0, 1.0)
    gamma: float = 1.0
    hue: float = 0.0
    grain: float = 0.0
    full: bool = False
    slow: bool = False
    skip: int = 0
    crf: int = 18

    def picture(self, bgr: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        if self.flip or self.flop:
            bgr = cv2.flip(bgr, -1 if self.flip and self.flop else 1 if self.flip else 0)
        if self.scale != 1.0:
            way = cv2.INTER_AREA if self.scale < 1.0 else cv2.INTER_CUBIC
            bgr = cv2.resize(bgr, self.size(bgr.shape[1], bgr.shape[0]), interpolation=way)
        if self.blur:
            bgr = cv2.GaussianBlur(bgr, (0, 0), self.blur)
        if self.hue:
            hsv = cv2.cvtColor(bgr, cv2.COLOR_BGR2HSV_FULL)
            hsv[..., 0] += np.uint8(round(self.hue * 256 / 360) % 256)  # wraps
            bgr = cv2.cvtColor(hsv, cv2.COLOR_HSV2BGR_FULL)
        bgr = cv2.LUT(bgr, self.levels())
        if not self.grain:
            return bgr
        noise = rng.normal(0, self.grain, bgr.shape[:2])
        return np.clip(bgr + noise[..., None] + 0.5, 0, 255).astype(np.uint8)

    def levels(self) -> np.ndarray:
        """What becomes of the levels of each channel: (1, 256, 3)."""
        old = np.arange(256)[:, None] / 255
        new = 255 * (old**self.gamma) * self.gain * np.array(self.balance)
        return np.clip(new + 0.5, 0, 255).astype(np.uint8)[None]

    def skipped(self, truth: Mapping[str, Any]) -> int:
        """How many pictures are left out of a clip with this label: two stay before the strike."""
        return max(0, min(self.skip, int(truth.get("strike_frame") or 0) - 2))

    def size(self, width: int, height: int) -> tuple[int, int]:
        """Of the changed picture, px; even."""
        return round(width * self.scale / 2) * 2, round(height * self.scale / 2) * 2

    def point(self, xy: Sequence[float], size: tuple[int, int]) -> list[float]:
        """Where a place (px) of a picture of `size` comes to lie."""
        x, y = xy
        x = size[0] - 1 - x if self.flip else x
        y = size[1] - 1 - y if self.flop else y
        return [(c + 0.5) * new / old - 0.5 for c, new, old in zip((x, y), self.size(*size), size, strict=True)]

    def corners(self, found: Sequence[Sequence[float]], size: tuple[int, int]) -> list[list[float]]:
        """In the order of the label: home-right, home-left, foot-left, foot-right as they lie in the changed picture."""
        order = [0, 1, 2, 3]
        order = order[::-1] if self.flip else order
        order = [order[k] for k in (1, 0, 3, 2)] if self.flop else order
        return [self.point(found[k], size) for k in order]

    def name(self, wall: str) -> str:
        """A cushion or pocket under its new name."""
        words = wall.split("-")
        if self.flip:
            words = [_ENDS.get(w, w) for w in words]
        return "-".join(_SIDES.get(w, w) if self.flop else w for w in words)


CHANGES: dict[str, Change] = {
    "as it is": Change(),
    "mirrored": Change(flip=True),
    "upside down": Change(flop=True),
    "turned": Change(flip=True, flop=True),
    "110 %": Change(scale=1.1),
    "85 %": Change(scale=0.85),
    "70 %": Change(scale=0.7),
    "blurred": Change(blur=0.9),
    "dark": Change(gain=0.6),
    "bright": Change(gain=1.25),
    "gamma 1.4": Change(gamma=1.4),
    "gamma 0.7": Change(gamma=0.7),
    "warm": Change(balance=(0.8, 0.97, 1.06)),
    "cold": Change(balance=(1.08, 1.0, 0.82)),
    "greenish": Change(balance=(0.92, 1.06, 0.92)),
    "hue +8": Change(hue=8.0),
    "hue -8": Change(hue=-8.0),
    "full range": Change(full=True),
    "1 later": Change(skip=1),
    "5 later": Change(skip=5),
    "10 later": Change(skip=10),
    "grainy": Change(grain=6.0, crf=20),
    "crf 28": Change(crf=28),
    "crf 34": Change(crf=34),
    "half the rate": Change(slow=True),
    "poor": Change(scale=0.8, blur=0.7, gamma=1.25, hue=5.0, grain=3.0, crf=27),
    "poor, turned": Change(flip=True, flop=True, scale=1.05, blur=1.0, gamma=0.8, hue=-6.0, grain=2.0, skip=3, crf=28),
    "all at once": Change(scale=0.85, gain=0.7, grain=4.0, crf=24),
    "all, mirrored": Change(flip=True, scale=0.75, gain=0.75, grain=3.0, crf=26),
}


def changed(clip: Clip, how: Change, folder: Path) -> Clip:
    """The clip changed, with its label, in `folder`."""
    video = folder / f"{clip.video.stem}.mp4"
    skipped = how.skipped(clip.truth)
    size = write(clip.video, how, video, skipped)
    truth = relabelled(clip.truth, how, size, skipped)
    path = folder / f"{clip.video.stem}.truth.json"
    path.write_text(json.dumps(truth), "utf-8")
    tracks = clip.truth_path.with_name(f"{clip.video.stem}.tracks.csv")
    if tracks.is_file():
        (folder / tracks.name).write_text("\n".join(_tracks(tracks.read_text("utf-8").splitlines(), how, size, skipped)) + "\n", "utf-8")
    return Clip(video, path, truth)


def write(source: Path, how: Change, target: Path, skipped: int = 0) -> tuple[int, int]:
    """Code a video anew, changed, without its first `skipped` pictures; returns the size of the old one, px."""
    rng = np.random.default_rng(1)
    with av.open(str(source)) as old, av.open(str(target), "w") as new:
        video = old.streams.video[0]
        size = (video.width, video.height)
        stream = new.add_stream("libx264", rate=video.average_rate, options={"preset": "veryfast", "bf": "0", "crf": str(how.crf)})
        stream.width, stream.height = how.size(*size)
        stream.pix_fmt, stream.codec_context.time_base = "yuv420p", video.time_base
        range_of = ColorRange.JPEG if how.full else ColorRange.MPEG
        stream.codec_context.color_range = range_of
        first = None
        frames = islice(old.decode(video), skipped, None)
        for frame, bgr in _slowed(frames) if how.slow else ((f, f.to_ndarray(format="bgr24")) for f in frames):
            shown = av.VideoFrame.from_ndarray(how.picture(bgr, rng), format="bgr24").reformat(format="yuv420p", dst_color_range=range_of)
            first = frame.pts if first is None else first
            shown.pts, shown.time_base = (frame.pts - first if skipped else frame.pts), frame.time_base
            new.mux(stream.encode(shown))
        new.mux(stream.encode(None))
    return size


def _slowed(frames: Iterable[av.VideoFrame]) -> Iterator[tuple[av.VideoFrame, np.ndarray]]:
    """Frames with the pictures (BGR) that a camera of half the rate and twice the exposure would have shown in them."""
    for two in _by_twos(frames):
        mean = np.mean([f.to_ndarray(format="bgr24") for f in two], axis=0)
        yield from ((f, np.rint(mean).astype(np.uint8)) for f in two)


def _by_twos(frames: Iterable[av.VideoFrame]) -> Iterator[list[av.VideoFrame]]:
    """Frames by twos; the last may be alone."""
    rest = iter(frames)
    while two := list(islice(rest, 2)):
        yield two


def relabelled(truth: Mapping[str, Any], how: Change, size: tuple[int, int], skipped: int = 0) -> dict[str, Any]:
    """The label of a changed clip; what the scorer and the bench do not read stays as it was."""
    found = dict(truth)
    for key in ("frames", "strike_frame", "rest_frame"):
        if found.get(key) is not None:
            found[key] -= skipped
    for key in ("corners_px", "corners_ballplane_px"):
        if key in found:
            found[key] = how.corners(found[key], size)
    names = ("cushion", "pocket", "over")
    renamed = [{k: how.name(v) if k in names and isinstance(v, str) else v for k, v in e.items()} for e in truth["events"]]
    found["events"] = [e | {"frame": e["frame"] - skipped} for e in renamed]
    return found


def _tracks(lines: Sequence[str], how: Change, size: tuple[int, int], skipped: int = 0) -> Iterator[str]:
    yield lines[0]
    for line in lines[1:]:
        frame, ball, x, y, *rest = line.split(",")
        if int(frame) < skipped:
            continue
        frame = str(int(frame) - skipped)
        if x and y:
            x, y = (f"{v:.2f}" for v in how.point((float(x), float(y)), size))
        yield ",".join((frame, ball, x, y, *rest))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    add_options(parser)
    parser.add_argument("--changes", nargs="*", default=list(CHANGES), choices=tuple(CHANGES), metavar="CHANGE")
    arguments = parser.parse_args()
    there = clips_and_scorer(arguments.shared)
    if there is None:
        return 0
    folder, score = there
    work = arguments.keep or Path(tempfile.mkdtemp(prefix="footage-"))
    try:
        for name in arguments.changes:
            found = [one(clip, name, work, score, arguments.given_only) for clip in clips(folder, arguments.names)]
            print(f"{name}, corners given: {total([given for given, _ in found])}", flush=True)
            if not arguments.given_only:
                print(f"{name}, automatic:     {total([auto for _, auto in found])}", flush=True)
    finally:
        if arguments.keep is None:
            shutil.rmtree(work, ignore_errors=True)
    return 0


def one(clip: Clip, name: str, work: Path, score: Any, given_only: bool) -> tuple[Outcome, Outcome]:
    """What became of a clip changed in one way; its row is printed."""
    folder = work / "".join(c if c.isalnum() else "_" for c in name) / clip.video.stem
    shutil.rmtree(folder, ignore_errors=True)
    with tempfile.TemporaryDirectory(prefix="clip-") as scratch:
        new = changed(clip, CHANGES[name], Path(scratch))
        given = outcome(new, folder / "given", score, given=True)
        auto = Outcome(None, (), 0.0, None) if given_only else outcome(new, folder / "auto", score, given=False)
    print(row(clip.video.stem, given, auto, new.truth), flush=True)
    for kind, o in (("given", given), ("auto", auto)):
        if o.error:
            print(f"    {kind}: {o.error}")
        print(*(f"    {kind}: {line}" for line in o.details), sep="\n", end="\n" if o.details else "", flush=True)
        if o.details:
            print(*(f"    {kind}: {line}" for line in doubts(folder / kind)), sep="\n", flush=True)
    return given, auto


def doubts(out: Path) -> list[str]:
    """What the strokes of an analysis put up for review, a line a stroke."""
    shots = json.loads((out / "match.json").read_text("utf-8"))["shots"]
    return [f"review: {'; '.join(map(str, shot['review'])) or 'NOTHING, and something is wrong'}" for shot in shots]


if __name__ == "__main__":
    sys.exit(main())
