"""`analyze --export-dataset`: doubtful frames with labels filled in, for a person to correct and `poedinok train` to learn from."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from urllib.parse import quote

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.errors import UserError
from calibration.profile import Profile
from models.labels import BALLS, Mark, MarkedPicture, coco, data_yaml, label_studio, label_studio_interface, yolo_text
from referee.export_dataset_choice import Candidate, Looked, candidates, chosen
from referee.formats.boxes import Box, boxes
from referee.formats.folder import Analysis
from referee.output import staged
from referee.version import version
from vision.detect import Detection, Detector
from vision.frames import Video
from vision.pipeline import Progress

_LEAST_SEEN = 0.3  # share of a box inside the picture from which a ball is labelled
_ALONE = 0.5  # confidence: of a ball that the tracker alone sees; from which one that the network alone sees is labelled
_WEAK = 0.6  # confidence of the network below which a ball is worth a look
_RAIL = 150.0  # mm round the bed in which balls lie
_CLOTH, _BARE = 24.0, 0.6  # distance in Lab of the cloth's own colours; share of a disc from which nothing covers it
_SMALL = (64, 36)


def check_folder(out: Path) -> None:
    """Raises UserError unless `out` is a new or empty folder: old pictures among new labels would be a wrong data set."""
    if out.exists() and (not out.is_dir() or any(out.iterdir())):
        raise UserError(f"--export-dataset {out}: expected a folder that is empty or not there yet")


def export_dataset(
    analysis: Analysis, video: Path, profiles: Sequence[tuple[float, Profile]], out: Path, *, most: int, weights: Path | None = None,
    on_progress: Callable[[Progress], None] | None = None,
) -> int:  # fmt: skip
    """Writes at most `most` doubtful frames with their labels into the folder `out`; returns how many.

    Args:
        profiles: where the table is, each from a time (s) on, in order.
        weights: of the network that is asked; None: the package's.

    Raises:
        UserError: `out` is not empty or cannot be written, the weights are no detector's, the video is another one.
    """
    check_folder(out)
    duration = analysis.document["video"].get("duration") or (analysis.document["video"].get("frames") or 0) / 30
    ball = profiles[0][1].table.ball
    wanted = candidates(analysis.frames(), analysis.document["shots"], ball, most, every=max(1.0, duration / (2 * most)))
    if not wanted:
        return 0
    detector = Detector(weights)
    with staged(out) as folder:
        for kind in ("images", "labels"):
            for part in ("train", "val"):
                (folder / kind / part).mkdir(parents=True)
        looked: list[Looked] = []
        for item, picture in _pictures(video, wanted):
            looked.append(_look(item, picture, _profile_at(profiles, item.t), detector))
            _keep(picture, folder / f"{item.frame}.jpg")
            if on_progress:
                on_progress(Progress("doubtful frames", len(looked), len(wanted)))
        taken = chosen(looked, most)
        _write(folder, analysis, taken, out.absolute().name)
        for item in looked:
            (folder / f"{item.frame}.jpg").unlink(missing_ok=True)
        if not taken:  # an empty data set helps nobody
            for path in sorted(folder.rglob("*"), reverse=True):
                path.rmdir() if path.is_dir() else path.unlink()
    return len(taken)


def _pictures(video: Path, wanted: Sequence[Candidate]) -> Iterator[tuple[Candidate, NDArray[np.uint8]]]:
    waiting = {item.frame: item for item in wanted}
    with Video(video) as source:
        for frame in source:
            item = waiting.pop(frame.index, None)
            if item is not None:
                yield item, np.asarray(frame.bgr(), dtype=np.uint8)
            if not waiting:
                return


def _profile_at(profiles: Sequence[tuple[float, Profile]], t: float) -> Profile:
    return [profile for since, profile in profiles if since <= t or since == profiles[0][0]][-1]


def _keep(picture: NDArray[np.uint8], path: Path) -> None:
    ok, data = cv2.imencode(".jpg", picture, [cv2.IMWRITE_JPEG_QUALITY, 95])
    assert ok
    path.write_bytes(data.tobytes())


def _look(item: Candidate, picture: NDArray[np.uint8], profile: Profile, detector: Detector) -> Looked:
    """What tracker and network say of a frame, put together."""
    height, width = picture.shape[:2]
    found = [box for box in boxes(profile, item.places, (width, height)) if box.seen >= _LEAST_SEEN]
    hint = float(np.median([box.width for box in found])) if found else None
    free = [d for d in detector.detect(picture, ball_px=hint) if _on_table(d, profile)]
    reasons = set(item.reasons) - {"hidden", "checked"}
    states = {place.ball: place.state for place in item.places}
    marks: list[Mark] = []
    for box in found:
        own = _mark(box)
        near = [d for d in free if np.hypot(d.x + 0.5 - own.x, d.y + 0.5 - own.y) < own.width / 2]
        best = max(near, key=lambda d: (d.colour == box.ball, d.confidence)) if near else None
        free = [d for d in free if d not in near]
        if states[box.ball] == "hidden":
            if best is not None and best.colour == box.ball:  # the network sees what the tracker does not
                reasons.add("uncovered")
                marks.append(replace(own, x=best.x + 0.5, y=best.y + 0.5, confidence=best.confidence))
            elif best is not None:
                free.append(best)
            elif _bare(picture, own):
                reasons.add("uncovered")
            continue
        if best is None:
            reasons.add("unseen by the network")
        elif best.colour != box.ball:  # followed over time, so the tracker's name stands
            reasons.add("other colour")
        elif best.confidence < _WEAK:
            reasons.add("unsure network")
        agreed = best is not None and best.colour == box.ball
        marks.append(replace(own, confidence=best.confidence if best is not None and agreed else _ALONE))
    for d in free:
        reasons.add("not followed")
        if d.confidence >= _ALONE:
            marks.append(_inside(Mark(d.colour, d.x + 0.5, d.y + 0.5, d.diameter, d.diameter, d.confidence), width, height))
    small = cv2.resize(cv2.cvtColor(picture, cv2.COLOR_BGR2GRAY), _SMALL, interpolation=cv2.INTER_AREA)
    return Looked(item.frame, item.t, tuple(marks), frozenset(reasons), small.astype(np.float32))


def _mark(box: Box) -> Mark:
    return Mark(box.ball, box.left + 0.5 + box.width / 2, box.top + 0.5 + box.height / 2, box.width, box.height)


def _inside(mark: Mark, width: int, height: int) -> Mark:
    """The mark cut at the picture's edges: readers refuse boxes that reach out."""
    x0, x1 = max(mark.x - mark.width / 2, 0.0), min(mark.x + mark.width / 2, float(width))
    y0, y1 = max(mark.y - mark.height / 2, 0.0), min(mark.y + mark.height / 2, float(height))
    return replace(mark, x=(x0 + x1) / 2, y=(y0 + y1) / 2, width=x1 - x0, height=y1 - y0)


def _on_table(ball: Detection, profile: Profile) -> bool:
    """Whether a detection lies on the bed or the rails: heads and lamps elsewhere are nobody's doubt."""
    x, y = profile.camera.to_table([[ball.x, ball.y]], profile.table.radius)[0]
    return bool(-_RAIL < x < profile.table.length + _RAIL and -_RAIL < y < profile.table.width + _RAIL)


def _bare(picture: NDArray[np.uint8], mark: Mark) -> bool:
    """Whether the disc shows the cloth that lies round it: then no ball is there, and nothing that could cover one."""
    reach = 1.5 * mark.width
    x0, y0 = (int(max(v - reach, 0)) for v in (mark.x, mark.y))
    cut = picture[y0 : int(mark.y + reach) + 1, x0 : int(mark.x + reach) + 1]
    if cut.size == 0:
        return False
    lab = cv2.cvtColor(cut, cv2.COLOR_BGR2LAB).astype(np.float32)
    ys, xs = np.ogrid[: cut.shape[0], : cut.shape[1]]
    far = np.hypot(xs + x0 + 0.5 - mark.x, ys + y0 + 0.5 - mark.y) / mark.width
    disc, ring = lab[far < 0.4], lab[(far > 0.75) & (far < 1.4)]
    if not len(disc) or not len(ring):
        return False
    return float((np.linalg.norm(disc - np.median(ring, axis=0), axis=1) < _CLOTH).mean()) >= _BARE


def _write(folder: Path, analysis: Analysis, taken: Sequence[Looked], name: str) -> None:
    """Pictures, labels and lists. The last fifth in time is held out: neighbours in time are too alike to test each other."""
    width, height = analysis.size
    held = max(1, len(taken) // 5) if len(taken) > 1 else 0
    pictures, rows = [], []
    for n, item in enumerate(taken):
        part = "val" if n >= len(taken) - held else "train"
        file = f"{analysis.name}_{item.frame:07d}.jpg"
        picture = MarkedPicture(file, part, width, height, item.marks)
        (folder / f"{item.frame}.jpg").rename(folder / "images" / part / file)
        (folder / "labels" / part / file).with_suffix(".txt").write_text(yolo_text(picture), "utf-8")
        pictures.append(picture)
        rows.append((f"{part}/{file}", item.frame, f"{item.t:.6f}", "; ".join(sorted(item.reasons))))
    program = f"Poedinok {version()}"
    (folder / "data.yaml").write_text(data_yaml("images/val" if held else "images/train", BALLS), "utf-8")
    (folder / "coco.json").write_text(json.dumps(coco(pictures, f"doubtful frames, {program}", BALLS), ensure_ascii=False) + "\n", "utf-8")
    tasks = label_studio(pictures, quote(name), program)
    (folder / "label_studio.json").write_text(json.dumps(tasks, ensure_ascii=False) + "\n", "utf-8")
    (folder / "label_studio.xml").write_text(label_studio_interface(BALLS), "utf-8")
    with (folder / "frames.csv").open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(("picture", "frame", "video_t", "reasons"))
        writer.writerows(rows)
