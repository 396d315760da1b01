"""The automatic finder on labelled pictures and clips: corner errors in % of the table's length in the picture.

    python -m tests.bench.bench_calibration FOOTAGE [--only TEXT] [--out DIR] [--augment N] [--render N] [--seed S] [--grey]

FOOTAGE holds pictures/tables.json (hand-made corners) beside pictures/ and clips/. With --out, pictures of what was found.
--augment N: also N changed versions (`augment.CHANGES`) of every table with known corners. --render N: N rendered tables,
instead of the footage. --grey: all pictures as a monochrome camera shows them.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path

import cv2
import numpy as np

from calibration.errors import UserError
from calibration.find import GOOD, find_table
from calibration.source import sample_pictures
from calibration.views import median_views
from tests.bench.augment import CHANGES
from tests.bench.rendered_tables import rendered


@dataclass
class Case:
    """`truth` (4, 2) px or None where the table must be refused; `may_refuse`: refusing is no failure."""

    name: str
    group: str
    pictures: list
    truth: np.ndarray | None
    may_refuse: bool = False
    doubt_px: float = 0.0  # uncertainty of the truth


@dataclass
class Tally:
    errors: list[float] = field(default_factory=list)
    found: int = 0
    refused: int = 0
    allowed: int = 0
    wrong: int = 0
    within: int = 0  # of those found: off by more than GOOD, but by no more than the truth may be off besides
    seconds: list[float] = field(default_factory=list)


def footage_cases(footage: Path, only: str) -> Iterator[Case]:
    labels = json.loads((footage / "pictures" / "tables.json").read_text())
    for path in sorted((footage / "clips").glob("*.truth.json")):
        truth = json.loads(path.read_text())
        labels.setdefault(truth["clip"], {"corners_px": truth["corners_px"], "view": "overhead", "refuse": False, "uncertainty_px": 1.5})
    for name, label in labels.items():
        if only not in name:
            continue
        path = next(p for p in (footage / d / name for d in ("pictures", "clips")) if p.exists())
        group = "overhead" if label["view"] == "overhead" else "oblique"
        if label["refuse"]:
            yield Case(name, "to refuse", sample_pictures(str(path)), None)
        else:
            truth = np.array(label["corners_px"], float)
            yield Case(name, group, sample_pictures(str(path)), truth, bool(label.get("refuse_acceptable")), label["uncertainty_px"])


def augmented(case: Case, count: int, rng: np.random.Generator) -> Iterator[Case]:
    picture, truth = median_views(case.pictures)[0][0], np.asarray(case.truth, float)
    for name in rng.choice(list(CHANGES), count, replace=False):
        changed, corners = CHANGES[name](picture, truth, rng)
        size = np.array(changed.shape[1::-1])
        doubt = case.doubt_px * float(np.ptp(corners, axis=0).max() / np.ptp(truth, axis=0).max())
        cut = bool((corners < -1).any() or (corners > size).any())
        yield Case(f"{case.name[:22]} {name}", f"{case.group}, {name}", [changed], corners, cut or case.may_refuse, doubt)


def as_grey(case: Case) -> Case:
    return replace(case, pictures=[cv2.cvtColor(picture, cv2.COLOR_BGR2GRAY) for picture in case.pictures])


def judge(case: Case, tally: Tally, out: Path | None) -> None:
    started = time.perf_counter()
    found, text = None, ""
    try:
        found = find_table(case.pictures)
    except UserError as refused:
        text = f"refused: {refused}"
    seconds = time.perf_counter() - started
    tally.seconds.append(seconds)
    verdict, confidence = "refused", 0.0
    if found is None:
        allowed = case.truth is None or case.may_refuse
        tally.refused += 1
        tally.allowed += allowed
        verdict = "refused, as it may" if allowed else "REFUSED"
    elif case.truth is None:
        tally.wrong += 1
        verdict, confidence, text = "WRONG", found.confidence, f"to be refused; {found.how}"
    else:
        errors = corner_errors(found.corners_px, case.truth)
        tally.errors.append(max(errors))
        length = np.linalg.norm(case.truth[2:].mean(axis=0) - case.truth[:2].mean(axis=0))
        good = max(errors) <= GOOD + 100 * case.doubt_px / length
        tally.found += int(good)
        tally.within += int(good and max(errors) > GOOD)
        tally.wrong += int(not good)
        verdict, confidence = ("WRONG" if not good else "found" if max(errors) <= GOOD else "found, by label"), found.confidence
        text = f"worst {max(errors):5.2f} % ({' '.join(f'{e:.2f}' for e in errors)})  {found.how}"
    print(f"{case.name[:40]:40} {case.group[:20]:20} {verdict:18} conf {confidence:.2f} {seconds:4.1f} s  {text}", flush=True)
    if out is not None:
        draw(case, found, out / f"{case.name.replace(' ', '_')}.png")


def corner_errors(corners: np.ndarray, truth: np.ndarray) -> list[float]:
    """Errors of the corners in % of the table's length, whichever end was taken for the house."""
    length = np.linalg.norm(truth[2:].mean(axis=0) - truth[:2].mean(axis=0))
    ways = [np.linalg.norm(np.roll(corners, k, axis=0) - truth, axis=1) / length * 100 for k in (0, 2)]
    return [float(e) for e in min(ways, key=lambda e: e.max())]


def draw(case: Case, found, out: Path) -> None:
    picture = median_views(case.pictures)[0][0].copy()
    thick = max(1, picture.shape[1] // 800)
    for corners, colour in ((case.truth, (255, 255, 0)), (None if found is None else found.corners_px, (0, 0, 255))):
        if corners is not None:
            cv2.polylines(picture, [np.round(corners * 16).astype(np.int32)], True, colour, thick, cv2.LINE_AA, 4)
    out.parent.mkdir(parents=True, exist_ok=True)
    cv2.imwrite(str(out), picture)


def summary(tallies: dict[str, Tally]) -> None:
    print(f"\n{'group':30} tables found (by label) refused (allowed) wrong   median %  worst %   s")
    for group, t in tallies.items():
        median, worst = (float(np.median(t.errors)), max(t.errors)) if t.errors else (float("nan"),) * 2
        count = t.found + t.refused + t.wrong
        counts = f"{count:6} {t.found:5} {t.within:10} {t.refused:7} {t.allowed:9} {t.wrong:5}"
        numbers = f"{counts} {median:10.2f} {worst:8.2f} {np.median(t.seconds):5.1f}"
        print(f"{group:30} {numbers}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("footage", type=Path)
    parser.add_argument("--only", default="")
    parser.add_argument("--out", type=Path)
    parser.add_argument("--augment", type=int, default=0)
    parser.add_argument("--render", type=int, default=0)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--grey", action="store_true")
    arguments = parser.parse_args()
    shown = as_grey if arguments.grey else lambda case: case
    tallies: dict[str, Tally] = {}
    if arguments.render:
        for name, picture, corners, _ in rendered(arguments.render, arguments.seed):
            if arguments.only in name:
                judge(shown(Case(name, "rendered", [picture], corners)), tallies.setdefault("rendered", Tally()), arguments.out)
        summary(tallies)
        return
    for index, case in enumerate(footage_cases(arguments.footage, arguments.only)):
        if not arguments.augment or case.truth is None:
            judge(shown(case), tallies.setdefault(case.group, Tally()), arguments.out)
            continue
        rng = np.random.default_rng(100 * arguments.seed + index)
        for changed in augmented(case, arguments.augment, rng):
            judge(shown(changed), tallies.setdefault(changed.group.split(", ")[1], Tally()), arguments.out)
    summary(tallies)


if __name__ == "__main__":
    main()
