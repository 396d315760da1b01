"""Detections as data sets for training and scoring: COCO (one JSON) and YOLO (images, labels, data.yaml).

Only frames in which every ball is seen or known to be absent are written: a ball that hides is not background.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import cv2
import numpy as np

from calibration.errors import UserError
from calibration.profile import Profile
from calibration.table import BALLS
from referee.formats.boxes import Box, boxes
from referee.formats.folder import Analysis
from vision.frames import Video

_LEAST_SEEN = 0.3  # share of a box inside the picture from which a ball is labelled


@dataclass(frozen=True, slots=True)
class Labelled:
    """One frame with its boxes."""

    frame: int
    t: float
    boxes: tuple[Box, ...]


def labelled_frames(analysis: Analysis, profile: Profile, step: float) -> Iterator[Labelled]:
    """Frames at least `step` s apart in which no ball is hidden and at least one is seen."""
    last = -np.inf
    for frame, t, places in analysis.frames():
        if t - last < step - 1e-9 or not places or any(place.state == "hidden" for place in places):
            continue
        last = t
        yield Labelled(frame, t, tuple(b for b in boxes(profile, places, analysis.size) if b.seen >= _LEAST_SEEN))


def picture_name(analysis: Analysis, frame: int) -> str:
    return f"{analysis.name}_{frame:07d}.jpg"


def coco(analysis: Analysis, frames: list[Labelled]) -> dict[str, Any]:
    """COCO's form (cocodataset.org, «Data format»): boxes from the picture's upper left edge, px."""
    width, height = analysis.size
    marks = [
        {
            "image_id": item.frame,
            "category_id": BALLS.index(box.ball) + 1,
            "bbox": [round(v, 2) for v in (box.left + 0.5, box.top + 0.5, box.width, box.height)],
            "area": round(box.width * box.height * np.pi / 4, 1),  # of the disc, not of its box
            "iscrowd": 0,
        }
        for item in frames
        for box in item.boxes
    ]
    return {
        "info": {
            "description": f"balls of {analysis.document['video']['file']}, found by Poedinok {analysis.document.get('poedinok', '')}"
        },
        "images": [
            {"id": f.frame, "file_name": picture_name(analysis, f.frame), "width": width, "height": height, "video_t": round(f.t, 6)}
            for f in frames
        ],
        "categories": [{"id": n, "name": ball, "supercategory": "ball"} for n, ball in enumerate(BALLS, 1)],
        "annotations": [{"id": n} | mark for n, mark in enumerate(marks, 1)],
    }


def yolo_label(item: Labelled, size: tuple[int, int]) -> str:
    """Lines of class, centre, width and height as shares of the picture (docs.ultralytics.com, «detection datasets»)."""
    lines = []
    for box in item.boxes:
        x, y = (box.left + 0.5 + box.width / 2) / size[0], (box.top + 0.5 + box.height / 2) / size[1]
        lines.append(f"{BALLS.index(box.ball)} {x:.6f} {y:.6f} {box.width / size[0]:.6f} {box.height / size[1]:.6f}")
    return "".join(line + "\n" for line in lines)


def write_pictures(analysis: Analysis, video: Path, frames: list[Labelled], folder: Path) -> None:
    """The frames as JPEG files in `folder`. Raises UserError if the video is not the one that was analyzed."""
    wanted = {item.frame for item in frames}
    folder.mkdir(parents=True, exist_ok=True)
    with Video(video) as source:
        if (source.info.width, source.info.height) != analysis.size:
            raise UserError(f"{video}: {source.info.width}x{source.info.height} px, expected {analysis.size[0]}x{analysis.size[1]}")
        for frame in source:
            if frame.index in wanted:
                ok, data = cv2.imencode(".jpg", frame.bgr(), [cv2.IMWRITE_JPEG_QUALITY, 95])
                assert ok
                (folder / picture_name(analysis, frame.index)).write_bytes(data.tobytes())
                wanted.discard(frame.index)
            if not wanted:
                return
    raise UserError(f"{video}: ends before frame {min(wanted)}, expected the video that was analyzed")


def write_coco(analysis: Analysis, profile: Profile, out: Path, *, step: float, video: Path | None) -> int:
    """annotations.json, and images/ if there is a video; returns how many pictures are labelled."""
    frames = list(labelled_frames(analysis, profile, step))
    if video is not None:
        write_pictures(analysis, video, frames, out / "images")
    (out / "annotations.json").write_text(json.dumps(coco(analysis, frames), ensure_ascii=False) + "\n", "utf-8")
    return len(frames)


def write_yolo(analysis: Analysis, profile: Profile, out: Path, *, step: float, video: Path | None) -> int:
    """labels/ and data.yaml, and images/ if there is a video; returns how many pictures are labelled."""
    frames = list(labelled_frames(analysis, profile, step))
    if video is not None:
        write_pictures(analysis, video, frames, out / "images")
    labels = out / "labels"
    labels.mkdir(parents=True, exist_ok=True)
    for item in frames:
        (labels / picture_name(analysis, item.frame)).with_suffix(".txt").write_text(yolo_label(item, analysis.size), "utf-8")
    names = "".join(f"  {n}: {ball}\n" for n, ball in enumerate(BALLS))
    (out / "data.yaml").write_text(f"path: .\ntrain: images\nval: images\nnames:\n{names}", "utf-8")
    return len(frames)
