"""Corner errors of the automatic finder on labelled pictures and clips, in % of the table's length.

    python -m tests.bench.bench_calibration FOOTAGE [--only TEXT] [--out DIR]

FOOTAGE holds pictures/tables.json (hand-made corners) beside pictures/ and clips/. With --out, pictures of what was found.
"""

from __future__ import annotations

import argparse
import json
import time
from pathlib import Path

import cv2
import numpy as np

from calibration.errors import UserError
from calibration.find import find_table
from calibration.source import sample_pictures


def judge(path: Path, label: dict) -> dict:
    started = time.perf_counter()
    try:
        found = find_table(sample_pictures(str(path)))
    except UserError as refused:
        return {"refused": str(refused), "seconds": time.perf_counter() - started}
    seconds = time.perf_counter() - started
    result = {"confidence": found.confidence, "home": found.home, "seconds": seconds, "how": found.how, "found": found}
    if not label["refuse"]:
        truth = np.array(label["corners_px"], float)
        length = np.linalg.norm(truth[2:].mean(axis=0) - truth[:2].mean(axis=0))
        errors = [np.linalg.norm(np.roll(found.corners_px, k, axis=0) - truth, axis=1).max() / length * 100 for k in (0, 2)]
        result |= {"error": min(errors), "home_agrees": errors[0] <= errors[1]}
    return result


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("footage", type=Path)
    parser.add_argument("--only", default="")
    parser.add_argument("--out", type=Path)
    arguments = parser.parse_args()
    labels = json.loads((arguments.footage / "pictures" / "tables.json").read_text())
    for path in sorted((arguments.footage / "clips").glob("*.truth.json")):
        truth = json.loads(path.read_text())
        labels.setdefault(truth["clip"], {"corners_px": truth["corners_px"], "view": "overhead", "refuse": False})
    tallies: dict[str, list[bool]] = {}
    for name, label in labels.items():
        if arguments.only not in name:
            continue
        path = next(p for p in (arguments.footage / d / name for d in ("pictures", "clips")) if p.exists())
        result = judge(path, label)
        good = "refused" in result if label["refuse"] else result.get("error", 99.0) <= 1.0
        if "refused" in result:
            good = good or bool(label.get("refuse_acceptable"))
            text = f"refused: {result['refused']}"
        else:
            text = f"error {result.get('error', float('nan')):6.2f} %  {result['how']}"
        tallies.setdefault("to refuse" if label["refuse"] else label["view"], []).append(good)
        home = "" if result.get("home_agrees", True) else "  HOME AT THE OTHER END"
        head = f"{name[:30]:30} {label['view'][:8]:8} {'ok ' if good else 'BAD'} {result['seconds']:5.1f} s"
        print(f"{head}  conf {result.get('confidence', 0):.2f}  {text}{home}", flush=True)
        if arguments.out and "found" in result:
            draw(path, result["found"], arguments.out / f"{path.stem}.png")
    for group, results in tallies.items():
        print(f"{group}: {sum(results)} of {len(results)}")


def draw(path: Path, found, out: Path) -> None:
    picture = sample_pictures(str(path))[-1].copy()
    cv2.polylines(
        picture, [np.round(found.corners_px * 16).astype(np.int32)], True, (0, 0, 255), max(1, picture.shape[1] // 800), cv2.LINE_AA, 4
    )
    out.parent.mkdir(parents=True, exist_ok=True)
    cv2.imwrite(str(out), picture)


if __name__ == "__main__":
    main()
