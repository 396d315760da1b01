"""Labelled balls, hands and cues as files: the detector's classes, and the forms in which pictures with boxes are kept and corrected.

YOLO's form (docs.ultralytics.com, «detection datasets»), COCO's (cocodataset.org, «Data format») and Label Studio's
tasks with predictions (labelstud.io/guide/predictions). CVAT reads COCO's.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import pi
from typing import Any
from urllib.parse import quote

HAND, CUE = "hand", "cue"
BALLS = ("white", "yellow", "red", "black", "other")
CLASSES = (*BALLS, HAND, CUE)  # in the order of the network's outputs; how hands and cues are boxed: models/things.py
SIZE = 320  # px: usual side of a training picture
_PAINT = ("#ffffff", "#ffd400", "#e02020", "#202020", "#8040ff", "#20c060", "#ff8000")  # of the boxes in Label Studio


@dataclass(frozen=True, slots=True)
class Mark:
    """One labelled ball (or hand, or cue): its box's centre and sides, px counted from the picture's upper left edge; confidence 0..1."""

    colour: str
    x: float
    y: float
    width: float
    height: float
    confidence: float = 1.0


@dataclass(frozen=True, slots=True)
class MarkedPicture:
    """A picture file with its marks. `name`: of the file; `part`: train or val; `width`, `height` px."""

    name: str
    part: str
    width: int
    height: int
    marks: tuple[Mark, ...]


def yolo_text(picture: MarkedPicture) -> str:
    """A line a mark: class, centre, width and height as shares of the picture."""
    w, h = picture.width, picture.height
    return "".join(f"{CLASSES.index(m.colour)} {m.x / w:.6f} {m.y / h:.6f} {m.width / w:.6f} {m.height / h:.6f}\n" for m in picture.marks)


def data_yaml(val: str = "images/val", classes: Sequence[str] = CLASSES) -> str:
    """data.yaml of a folder with images/train and the folder `val`; `classes`: those that it labels, the first ones of `CLASSES`."""
    names = "".join(f"  {i}: {c}\n" for i, c in enumerate(classes))
    return f"# path: left out, the folder of this file\ntrain: images/train\nval: {val}\nnames:\n{names}"


def coco(pictures: Sequence[MarkedPicture], about: str, classes: Sequence[str] = CLASSES) -> dict[str, Any]:
    """COCO's document. Pictures are named without a folder, as CVAT knows pictures that were dragged into a task.

    Boxes end at the picture's edges, as readers expect them; YOLO's text, from which we learn, keeps a ball whole.
    """
    marks = [
        {
            "image_id": n,
            "category_id": CLASSES.index(m.colour) + 1,
            "bbox": [round(v, 2) for v in box],
            "area": round(box[2] * box[3] * (pi / 4 if m.colour in BALLS else 1), 1),  # of the disc, not of its box
            "segmentation": [],  # CVAT's reader leaves out boxes without this field
            "iscrowd": 0,
        }
        for n, picture in enumerate(pictures, 1)
        for m in picture.marks
        for box in (_cut(m, picture),)
    ]
    return {
        "info": {"description": about},
        "licenses": [],
        "images": [{"id": n, "file_name": p.name, "width": p.width, "height": p.height} for n, p in enumerate(pictures, 1)],
        "categories": [{"id": n, "name": c, "supercategory": "ball" if c in BALLS else "player"} for n, c in enumerate(classes, 1)],
        "annotations": [{"id": n} | mark for n, mark in enumerate(marks, 1)],
    }


def _cut(mark: Mark, picture: MarkedPicture) -> tuple[float, float, float, float]:
    """Left, top, width and height of what of a box lies in the picture, px."""
    x0, y0 = max(mark.x - mark.width / 2, 0.0), max(mark.y - mark.height / 2, 0.0)
    x1, y1 = min(mark.x + mark.width / 2, float(picture.width)), min(mark.y + mark.height / 2, float(picture.height))
    return x0, y0, max(x1 - x0, 0.0), max(y1 - y0, 0.0)


def label_studio(pictures: Sequence[MarkedPicture], folder: str, version: str) -> list[dict[str, Any]]:
    """Label Studio's tasks. `folder`: of the data set, as seen from the folder that Label Studio serves; boxes are in percent."""
    return [
        {
            "data": {"image": f"/data/local-files/?d={folder}/images/{p.part}/{quote(p.name)}"},
            "predictions": [
                {
                    "model_version": version,
                    "score": round(min((m.confidence for m in p.marks), default=0.0), 3),
                    "result": [_region(p, n, m) for n, m in enumerate(p.marks, 1)],
                }
            ],
        }
        for p in pictures
    ]


def _region(picture: MarkedPicture, number: int, mark: Mark) -> dict[str, Any]:
    w, h = picture.width, picture.height
    return {
        "id": f"ball{number}",
        "type": "rectanglelabels",
        "from_name": "balls",
        "to_name": "picture",
        "original_width": w,
        "original_height": h,
        "image_rotation": 0,
        "score": round(mark.confidence, 3),
        "value": {
            "x": round(100 * (mark.x - mark.width / 2) / w, 4),
            "y": round(100 * (mark.y - mark.height / 2) / h, 4),
            "width": round(100 * mark.width / w, 4),
            "height": round(100 * mark.height / h, 4),
            "rotation": 0,
            "rectanglelabels": [mark.colour],
        },
    }


def label_studio_interface(classes: Sequence[str] = CLASSES) -> str:
    """The labelling interface that goes with `label_studio` (Settings > Labeling Interface > Code)."""
    labels = "".join(f'    <Label value="{c}" background="{p}"/>\n' for c, p in zip(classes, _PAINT, strict=False))
    return (
        '<View>\n  <Image name="picture" value="$image" zoom="true"/>\n  <RectangleLabels name="balls" toName="picture">\n'
        f"{labels}  </RectangleLabels>\n</View>\n"
    )
