"""Does the watch over the camera cry wolf, and how soon and how well does it notice a bump? On real clips.

    python -m tests.bench.bench_drift FOOTAGE [NAMES...] [--no-bumps | --no-clips] [--stress] [--videos FILE...]

FOOTAGE holds clips/ with label files and pictures/tables.json. Clips are read where they lie; bumps are made by warping
their pictures as they are read. --videos: simulated ones with NAME.profile.toml beside them. --stress: all are watched with
noise, flicker, steps of the exposure and a moving shadow added and coded anew in H.264 at CRF 34, in a temporary file.
"""

from __future__ import annotations

import argparse
import json
import tempfile
import time
from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import av
import cv2
import numpy as np

from calibration.fit import camera_from_corners
from calibration.profile import Profile, profile_from_fit, read_profile
from calibration.table import custom_table, table
from vision.frames import Frame, Video
from vision.guard import ViewGuard, view_notes

# shift px, turn degrees, zoom %
BUMPS = {
    "0.5 px": (0.5, 0, 0), "1 px": (1, 0, 0), "2 px": (2, 0, 0), "5 px": (5, 0, 0), "20 px": (20, 0, 0),
    "0.1 deg": (0, 0.1, 0), "0.3 deg": (0, 0.3, 0), "1 deg": (0, 1, 0), "zoom 1 %": (0, 0, 1),
}  # fmt: skip
LEAST = 1.0  # px that must be noticed
LONGEST = 12.0  # s of a clip used for a bump


def profile_of(clip: Path, labels: dict) -> Profile:
    truth_path = clip.with_suffix(".truth.json")
    truth = json.loads(truth_path.read_text("utf-8")) if truth_path.is_file() else labels[clip.name]
    if str(truth.get("table", "")).startswith("carom") or clip.name.startswith("carom"):
        kind = table("carom-10ft")
    elif "size_mm" in truth:
        kind = custom_table(*truth["size_mm"], ball=truth["ball_mm"])
    else:
        kind = table("snooker-12ft" if clip.name.startswith("snooker") else "pool-9ft")
    corners = np.array(truth["corners_px"], float)
    with Video(clip) as video:
        size = video.info.width, video.info.height
    return profile_from_fit(kind, camera_from_corners(corners, kind, size), corners, home="left")


def watched(frames: Iterator[Frame], profile: Profile) -> tuple[ViewGuard | None, list[float], int, float]:
    """The guard after all frames, ms of every look, frames, and the time from which it last was steady."""
    guard, costs, count = None, [], 0
    last = 0.0
    for frame in frames:
        count += 1
        if guard is None:
            guard = ViewGuard(frame, profile)
            continue
        before = guard.looks
        began = time.thread_time()
        guard.look(frame)
        if guard.looks > before:
            costs.append(1e3 * (time.thread_time() - began))
        last = frame.seconds
    return guard, costs, count, last


def clip_row(name: str, frames: Iterator[Frame], profile: Profile) -> str:
    guard, costs, count, last = watched(frames, profile)
    if guard is None:
        return f"{name:30} no frames"
    cost = f"{np.median(costs):5.1f} {max(costs):6.1f}" if costs else "    -      -"
    return "\n".join(
        [f"{name[:30]:30} {last:6.1f} s {count:5d} {len(costs):5d} {cost} {len(guard.changes):4d}"]
        + [f"    {note}" for note in view_notes(guard.changes)]
    )


def stressed(video: Path, out: Path) -> Iterator[Frame]:
    """The frames of a video in bad light, badly coded."""
    with av.open(str(out), "w") as container:
        stream = None
        for frame in Video(video):
            t = frame.seconds
            if t > LONGEST:
                break
            h, w = frame.y.shape
            if stream is None:
                stream = container.add_stream("libx264", rate=60)
                assert isinstance(stream, av.VideoStream)
                stream.width, stream.height, stream.pix_fmt = w, h, "yuv420p"
                stream.options = {"preset": "veryfast", "crf": "34"}
                stream.codec_context.time_base = Fraction(1, 90000)
            shade = np.ones((h // 8, w // 8), np.float32)
            centre = round(((0.15 * t) % 1.2 - 0.1) * w / 8), h // 16
            cv2.ellipse(shade, centre, (w // 40, h // 14), 20, 0, 360, 0.5, -1)
            gain = (1 + 0.05 * np.sin(2 * np.pi * 3.3 * t)) * (0.6 if t % 5 > 3 else 1.0)
            light = cv2.resize(cv2.GaussianBlur(shade, (0, 0), 2), (w, h)) * np.float32(gain)
            y = np.clip(frame.y * light + cv2.randn(np.empty((h, w), np.float32), 0, 6), 0, 255).astype(np.uint8)
            planes = np.concatenate([y.ravel(), frame.u.ravel(), frame.v.ravel()]).reshape(h * 3 // 2, w)
            shown = av.VideoFrame.from_ndarray(planes, format="yuv420p")
            shown.pts, shown.time_base = round(t * 90000), Fraction(1, 90000)
            container.mux(stream.encode(shown))
        if stream is not None:
            container.mux(stream.encode())
    yield from Video(out)


def bumped(clip: Path, matrix: np.ndarray, at: float) -> Iterator[Frame]:
    """The clip's frames, warped from the time `at` on."""
    for frame in Video(clip):
        if frame.seconds > LONGEST:
            return
        if frame.seconds >= at:
            size = frame.y.shape[1], frame.y.shape[0]
            y = cv2.warpAffine(frame.y, matrix[:2], size, flags=cv2.INTER_CUBIC, borderMode=cv2.BORDER_REPLICATE)
            frame = replace(frame, y=y)
        yield frame


def bump_row(clip: Path, profile: Profile, name: str, rng: np.random.Generator) -> tuple[str, dict]:
    shift, turn, zoom = BUMPS[name]
    w, h = profile.size
    angle = rng.uniform(0, 2 * np.pi)
    matrix = np.vstack([cv2.getRotationMatrix2D((w / 2, h / 2), float(turn), 1 + zoom / 100), [0, 0, 1]])
    matrix[:2, 2] += shift * np.array([np.cos(angle), np.sin(angle)])
    with Video(clip) as video:
        length = min(video.info.duration or LONGEST, LONGEST)
    at = rng.uniform(0.25, 0.6) * length
    corners = np.array(profile.corners_px)
    true = np.column_stack([corners, np.ones(4)]) @ matrix[:2].T
    size = float(np.linalg.norm(true - corners, axis=1).max())
    guard, *_ = watched(bumped(clip, matrix, at), profile)
    assert guard is not None
    early = [c for c in guard.changes if c.t < at]
    noticed = [c for c in guard.changes if c.t >= at and c.kind in ("registered", "moved")]
    registered = [c for c in noticed if c.kind == "registered" and c.profile is not None]
    figures = {"size": size, "false": len(early), "delay": noticed[0].t - at if noticed else None, "error": None, "percent": None}
    text = f"{clip.stem[:24]:24} {name:9} at {at:5.2f} s, {size:5.1f} px: "
    text += f"noticed after {figures['delay']:.2f} s" if noticed else "not noticed"
    if registered:
        found = np.array((registered[-1].profile or profile).corners_px)
        error = float(np.linalg.norm(found - true, axis=1).max())
        length_px = float(np.linalg.norm(corners[2:].mean(axis=0) - corners[:2].mean(axis=0)))
        figures |= {"error": error, "percent": 100 * error / length_px}
        text += f", corners {error:.2f} px ({figures['percent']:.3f} %) off, residual {registered[-1].residual_px:.2f} px"
    elif noticed:
        text += f", not re-registered: {noticed[-1].reason}"
    if len(noticed) > 1 or early:
        text += f"; {len(early)} changes before, {len(noticed)} after"
    return text, figures


def summary(name: str, rows: list[dict]) -> str:
    delays = [r["delay"] for r in rows if r["delay"] is not None]
    errors = [r["error"] for r in rows if r["error"] is not None]
    text = f"{name:9} noticed {len(delays)}/{len(rows)}"
    if delays:
        text += f", after {np.median(delays):.2f} s (worst {max(delays):.2f})"
    if errors:
        percents = [r["percent"] for r in rows if r["percent"] is not None]
        text += f"; re-registered {len(errors)}: corners {np.median(errors):.2f} px (worst {max(errors):.2f} px, {max(percents):.3f} %)"
    return text + f"; false {sum(r['false'] for r in rows)}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("footage", type=Path)
    parser.add_argument("names", nargs="*")
    parser.add_argument("--no-bumps", action="store_true")
    parser.add_argument("--no-clips", action="store_true")
    parser.add_argument("--only-bumps", default="", help="only bumps whose name contains this")
    parser.add_argument("--stress", action="store_true")
    parser.add_argument("--videos", nargs="*", type=Path, default=())
    parser.add_argument("--seed", type=int, default=0)
    arguments = parser.parse_args()
    cv2.setNumThreads(1)
    labels = json.loads((arguments.footage / "pictures" / "tables.json").read_text("utf-8"))
    found = sorted(p for p in (arguments.footage / "clips").iterdir() if p.suffix in (".mp4", ".avi"))
    clips = [p for p in found if not arguments.names or any(n in p.name for n in arguments.names)]
    if not arguments.no_clips:
        print(f"{'clip':30} length   frames looks ms med  worst changes")
        watch = [(clip, profile_of(clip, labels)) for clip in clips]
        watch += [(video, read_profile(video.with_suffix(".profile.toml"))) for video in arguments.videos]
        with tempfile.TemporaryDirectory() as folder:
            for video, profile in watch:
                frames = stressed(video, Path(folder) / "stressed.mp4") if arguments.stress else iter(Video(video))
                print(clip_row(video.name, frames, profile), flush=True)
    if arguments.no_bumps:
        return
    rng = np.random.default_rng(arguments.seed)
    tallies: dict[str, list[dict]] = {}
    for clip in clips:
        if "handheld" in clip.name or "engpool" in clip.name or "snooker" in clip.name:
            continue  # their cameras move, or the view is cut
        profile = profile_of(clip, labels)
        for name in BUMPS:
            if arguments.only_bumps in name:
                text, figures = bump_row(clip, profile, name, rng)
                tallies.setdefault(name, []).append(figures)
                print(text, flush=True)
    for name, rows in tallies.items():
        print(summary(name, rows))


if __name__ == "__main__":
    main()
