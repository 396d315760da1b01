"""Fine-tuning: starts from the very network that runs, can be gone on with, and never gets worse silently (make test-train)."""

from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("torch")
pytest.importorskip("ultralytics")
pytest.importorskip("onnx")
pytest.importorskip("numba")

import torch

from calibration.errors import UserError
from models.dataset import write_dataset
from models.tune import Plan, Verdict, start_model, tune
from referee import cli, train_command
from vision.detect import DEFAULT_WEIGHTS, Detector

pytestmark = pytest.mark.train


@pytest.fixture(scope="module")
def pictures(tmp_path_factory) -> Path:
    out = tmp_path_factory.mktemp("club") / "data"
    write_dataset(out, 6, seed=3, size=64, negatives=0.2)
    for file in (out / "labels" / "val").glob("*.txt"):
        file.write_text("0 0.5 0.5 0.3 0.3\n")  # what is held out must hold a ball
    return out


def test_it_starts_from_the_network_that_runs():
    model = start_model(DEFAULT_WEIGHTS).eval()
    head = model.model[-1]
    head.export, head.format = True, "onnx"
    blob = np.random.default_rng(0).random((1, 3, 64, 96), dtype=np.float32)
    with torch.no_grad():
        rows = model(torch.from_numpy(blob))[0].numpy()
    network = Detector()._network
    assert network is not None
    said = network(blob)  # weights of five classes are given the other two
    assert np.allclose(said, rows[: len(said)], atol=2e-2 * float(np.abs(rows).max())) and len(rows) == 11
    assert not any("running" in name for name, _ in model.named_buffers()), "statistics are folded in, so they stay frozen"


def test_a_run_broken_off_goes_on_to_the_same_network(tmp_path, pictures):
    files = sorted((pictures / "images" / "train").glob("*.jpg"))
    plan = Plan(DEFAULT_WEIGHTS, epochs=2, batch=4, side=64)

    def run(work: Path, resume: bool = False, stop: bool = False) -> None:
        asked = []

        def judge(file: Path) -> Verdict:
            asked.append(file)
            if stop and len(asked) == 2:
                raise KeyboardInterrupt
            return Verdict(0.5 + 0.1 * len(asked), True)

        work.mkdir(exist_ok=True)
        tune(plan, files, [], work, judge, before=Verdict(0.5, True), resume=resume, say=lambda _: None)

    run(tmp_path / "whole")
    with pytest.raises(KeyboardInterrupt):
        run(tmp_path / "broken", stop=True)
    run(tmp_path / "broken", resume=True)
    one, two = (torch.load(tmp_path / n / "state.pt", weights_only=True)["model"] for n in ("whole", "broken"))
    assert all(torch.equal(one[k], two[k]) for k in one)
    with pytest.raises(UserError, match="other pictures or options"):
        tune(
            Plan(DEFAULT_WEIGHTS, epochs=3), files, [], tmp_path / "whole", lambda _: Verdict(1, True), before=Verdict(0, True), resume=True
        )  # fmt: skip
    with pytest.raises(UserError, match="expected the state of an unfinished run"):
        tune(plan, files, [], tmp_path, lambda _: Verdict(1, True), before=Verdict(0, True), resume=True)


def test_weights_of_another_class_list_are_refused(tmp_path):
    import onnx

    document = onnx.load(str(DEFAULT_WEIGHTS))
    del document.metadata_props[:]
    document.metadata_props.add(key="names", value="white,black")
    onnx.save(document, str(tmp_path / "a.onnx"))
    with pytest.raises(UserError, match="its classes are white,black"):
        start_model(tmp_path / "a.onnx")
    del document.metadata_props[:]
    last = next(i for i in document.graph.initializer if i.name.endswith("cv3.0.2.weight"))
    last.CopyFrom(onnx.numpy_helper.from_array(np.zeros((9, 48, 1, 1), np.float32), last.name))
    onnx.save(document, str(tmp_path / "b.onnx"))
    with pytest.raises(UserError, match="has 9 classes"):
        start_model(tmp_path / "b.onnx")
    (tmp_path / "c.onnx").write_text("nothing")
    with pytest.raises(UserError, match="expected an ONNX file"):
        start_model(tmp_path / "c.onnx")


def scores(monkeypatch, *figures: tuple[int, int]) -> None:
    """The counts (balls, right) that pictures are said to have, in the order they are asked for."""
    told = iter(figures)

    def said(*_):
        balls, right = next(told)
        return train_command.Figures(balls, balls, right, right)

    monkeypatch.setattr(train_command, "scored", said)


def options(pictures: Path, out: Path) -> list[str]:
    return [
        "train", "--data", str(pictures), "--out", str(out), "--epochs", "1", "--rendered", "2", "--checks", "2", "--side", "64",
        "--batch", "4",
    ]  # fmt: skip


def test_a_better_detector_is_written_with_its_figures(tmp_path, pictures, monkeypatch, capsys):
    scores(monkeypatch, (10, 8), (20, 18), (20, 18), (10, 9), (10, 9), (20, 18))  # before, checks; epoch: checks, held; after, checks
    assert cli.main(options(pictures, tmp_path / "club.onnx")) == 0
    said = capsys.readouterr().out
    assert "frames before   precision 0.800  recall 0.800" in said and "frames after    precision 0.900" in said
    assert Detector(tmp_path / "club.onnx").detect(np.zeros((64, 64, 3), np.uint8)) == []
    assert not (tmp_path / "club.work" / "state.pt").exists()
    start_model(tmp_path / "club.onnx")  # and can be tuned again


@pytest.mark.parametrize(
    ("epoch", "why"), [([(20, 16), (10, 9)], "rendered checks fell from 0.9000 to 0.8000"), ([(20, 18), (10, 8)], "no epoch did better")]
)
def test_a_worse_one_is_not_written_and_that_is_said(tmp_path, pictures, monkeypatch, capsys, epoch, why):
    scores(monkeypatch, (10, 8), (20, 18), *epoch)
    assert cli.main(options(pictures, tmp_path / "club.onnx")) == 1
    said = capsys.readouterr().out
    assert "kept the old weights, nothing written" in said and why in said
    assert not (tmp_path / "club.onnx").exists()


@pytest.mark.parametrize(
    ("more", "said"),
    [
        (["--side", "100"], "--side 100: expected a multiple of 32"),
        (["--rate", "3"], "--rate 3: expected a learning rate"),
        (["--checks", "1"], "expected at least 2 pictures"),
        (["--out", "club.pt"], "expected a file .onnx"),
        (["--weights", "none.onnx"], "none.onnx: expected a file"),
        (["--resume"], "expected the state of an unfinished run"),
    ],
)
def test_users_mistakes_end_in_one_line(tmp_path, pictures, monkeypatch, capsys, more, said):
    monkeypatch.setattr(train_command, "_drawn", lambda *_: [])
    assert cli.main([*options(pictures, tmp_path / "club.onnx"), *more]) == 2
    error = capsys.readouterr().err
    assert said in error and len(error.splitlines()) == 1
