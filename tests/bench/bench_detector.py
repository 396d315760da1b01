"""The tables of models/MODEL_CARD.md: `python -m tests.bench.bench_detector [--weights FILE] [--beside OLD.onnx] [--learn 150]`.

rendered   AP50 and AP50-95 for each class and for sizes of balls, on pictures as drawn for training, of seeds that no training has seen
halls      the same on whole frames of rendered halls, which are as hard as a match is
real       labelled real pictures and frames (`bench_detect`), where the footage lies beside the repository
clips      real clips: frames of resting balls without their detection, ghosts that last
speed      milliseconds on one and two threads beside yolo11n and yolo26n, in turns; other precisions of the own network
size       parameters, GFLOP, bytes
learnt     what the three networks learn from scratch from the same windows in `--learn` seconds of processor time each
"""

from __future__ import annotations

import argparse
import tempfile
from collections.abc import Iterable, Sequence
from pathlib import Path

from models.labels import BALLS, CLASSES
from tests.bench import bench_detect
from tests.bench.detector_ap import SIZES, Box, Sees, Shown, precision, product, raw, shown
from tests.bench.detector_clips import watched
from tests.bench.detector_sheet import write_sheet
from vision.detect import DEFAULT_WEIGHTS, Detector

PARTS = ("rendered", "halls", "real", "clips", "speed", "size", "learnt")
SEED = 77  # of the pictures to measure on
_RAW = 320  # px: side of the pictures


def table(heads: Sequence[str], rows: Iterable[Sequence[str]]) -> None:
    print("| " + " | ".join(heads) + " |")
    print("|" + "---|" * len(heads))
    for row in rows:
        print("| " + " | ".join(row) + " |")
    print(flush=True)


def drawn(folder: Path, pictures: int) -> list[Shown]:
    """The unseen pictures; drawn first if they are not there yet."""
    if not (folder / "data.yaml").is_file():
        from models.dataset import write_dataset

        write_dataset(folder, pictures, SEED, negatives=0.1)
    return shown(folder)


def rendered(items: list[Shown], sees: dict[str, Sees], what: str = "pictures as drawn for training") -> None:
    seen: dict[str, list[Sequence[Box]]] = {name: [see(item) for item in items] for name, see in sees.items()}
    print(f"{len(items)} {what}: AP50 / AP50-95")
    kinds = [(c, {n}, (0.0, 1e9)) for n, c in enumerate(CLASSES)]
    kinds += [(f"balls of {a:g}-{b:g} px, any colour", set(range(len(BALLS))), (a, b)) for a, b in SIZES]
    rows = []
    for kind, numbers, size in kinds:
        found = [precision(items, seen[name], numbers, size) for name in sees]
        rows.append([kind, str(found[0].n), *(f"{p.at_50:.3f} / {p.mean:.3f}" if p.n else "—" for p in found)])
    table(["class", "labels", *sees], rows)


def real(footage: Path, detectors: dict[str, Detector], every: int) -> None:
    for name, detector in detectors.items():
        print(f"real, {name}")
        bench_detect.report(detector, footage, every)
    print(flush=True)


def clips(footage: Path, detectors: dict[str, Detector], every: int) -> None:
    rows = []
    for which, detector in detectors.items():
        for name, w in watched(footage / "clips", detector, every):
            on, off = ([g for g in w.ghosts if g[3] is bed] for bed in (True, False))
            where = ", ".join(f"{colour} at {n}" for n, colour in w.missed[:6]) + (" ..." if len(w.missed) > 6 else "")
            told = ["; ".join(f"{g[2]} {g[0]}+{g[1]}" for g in some) or "0" for some in (on, off)]
            rows.append([which, name, str(w.frames), str(w.resting), f"{len(w.missed)} {where}".strip(), *told])
    table(["weights", "clip", "frames", "resting balls", "missed (frame)", "ghosts on the bed (first frame + frames)", "beside it"], rows)


def speed(weights: Path, work: Path, rounds: int) -> None:
    from tests.bench.detector_rivals import RIVALS, built, compiled, int8, milliseconds, written

    files = {"ball": weights} | {name: written(built(name).eval(), work / f"{name}.onnx") for name in RIVALS}
    kinds = {name: (file, "") for name, file in files.items()} | {f"ball, {p}": (weights, p) for p in ("f32", "bf16", "f16")}
    from models.dataset import write_dataset

    if not (work / "few").is_dir():
        write_dataset(work / "few", 50, SEED + 1)
    kinds["ball, int8"] = (int8(weights, work / "int8.onnx", work / "few"), "")
    columns = [
        milliseconds({n: compiled(f, threads, precision=p) for n, (f, p) in kinds.items()}, rounds) for threads in (1, 2)
    ]  # fmt: skip
    rows = [[name, *(f"{c[name][0]:.1f} ({c[name][1]:.1f})" for c in columns)] for name in kinds]
    print("640x384, OpenVINO, ms a picture: fastest tenth (median)")
    table(["network", "1 thread", "2 threads"], rows)


def size(weights: Path, work: Path) -> None:
    from tests.bench.detector_rivals import RIVALS, built, size_of, written

    files = {"ball": weights} | {name: written(built(name).eval(), work / f"{name}.onnx") for name in RIVALS}
    found = {name: size_of(name, file) for name, file in files.items()}
    rows = [[n, f"{s.parameters:.2f}", f"{s.gflop:.2f}", f"{s.megabytes:.1f}"] for n, s in found.items()]
    table(["network", "parameters, million", "GFLOP at 640x384", "MB"], rows)


def learnt(items: list[Shown], data: Sequence[Path], work: Path, seconds: float) -> None:
    from tests.bench.detector_rivals import RIVALS, compiled
    from tests.bench.detector_rivals import learnt as train

    sees: dict[str, Sees] = {}
    for name in ("ball", *RIVALS):
        windows = train(name, data, seconds, work / f"{name}-learnt.onnx")
        sees[f"{name}, {windows} windows"] = raw(compiled(work / f"{name}-learnt.onnx", 1, (_RAW, _RAW)))
    print(f"from scratch, {seconds:g} s of processor time each")
    rendered(items, sees)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--weights", type=Path, default=DEFAULT_WEIGHTS)
    parser.add_argument("--beside", type=Path, help="older weights to measure beside them")
    parser.add_argument("--parts", default=",".join(PARTS[:-1]), help=f"some of {', '.join(PARTS)}")
    parser.add_argument("--unseen", type=Path, help="pictures of python -m models.dataset; drawn by default")
    parser.add_argument("--pictures", type=int, default=260, help="how many to draw")
    parser.add_argument("--halls", type=int, default=24, help="frames of halls to draw")
    parser.add_argument("--data", type=Path, nargs="+", help="pictures to learn from (learnt)")
    parser.add_argument("--learn", type=float, default=150.0, help="seconds of processor time a network (learnt)")
    parser.add_argument("--footage", type=Path, default=bench_detect.FOOTAGE)
    parser.add_argument("--every", type=int, default=1, help="look at every n-th frame of the clips")
    parser.add_argument("--rounds", type=int, default=60, help="pictures timed")
    parser.add_argument("--sheet", type=Path, help="write a sheet (.jpg) of mistakes on rendered pictures")
    parser.add_argument("--work", type=Path, help="folder to keep what is made on the way")
    given = parser.parse_args()
    parts = given.parts.split(",")
    if not set(parts) <= set(PARTS):
        parser.error(f"--parts {given.parts}: expected some of {', '.join(PARTS)}")
    if "learnt" in parts and not given.data:
        parser.error("--parts learnt: expected --data, pictures to learn from")
    with tempfile.TemporaryDirectory() as temporary:
        work = given.work or Path(temporary)
        work.mkdir(parents=True, exist_ok=True)
        run(given, parts, work)


def run(given: argparse.Namespace, parts: Sequence[str], work: Path) -> None:
    files = {"these": given.weights} | ({"older": given.beside} if given.beside else {})
    detectors = {name: Detector(file) for name, file in files.items()}
    items = drawn(given.unseen or work / "unseen", given.pictures) if {"rendered", "learnt"} & set(parts) else []
    if "rendered" in parts:
        from tests.bench.detector_rivals import compiled

        sees = {f"{name}, as used": product(d) for name, d in detectors.items()}
        sees |= {f"{name}, bare": raw(compiled(file, 1, (_RAW, _RAW))) for name, file in files.items()}
        rendered(items, sees)
        if given.sheet:
            print(f"{given.sheet}: {write_sheet(items, detectors['these'], given.sheet)}")
    if "halls" in parts:
        from tests.bench.detector_halls import halls_shown

        rendered(halls_shown(given.halls, SEED), {f"{n}, as used": product(d) for n, d in detectors.items()}, "frames of halls")
    for part, function, every in (("real", real, max(given.every, 15)), ("clips", clips, given.every)):
        if part in parts and given.footage.is_dir():
            function(given.footage, detectors, every)
        elif part in parts:
            print(f"{given.footage}: no footage here, nothing measured on it")
    if "speed" in parts:
        speed(given.weights, work, given.rounds)
    if "size" in parts:
        size(given.weights, work)
    if "learnt" in parts:
        learnt(items, given.data, work, given.learn)


if __name__ == "__main__":
    main()
