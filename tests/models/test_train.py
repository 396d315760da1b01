"""Loss, loop and export; need the extra `train`: `make test-train`."""

from dataclasses import replace

import numpy as np
import pytest

from calibration.errors import UserError

torch = pytest.importorskip("torch")
pytest.importorskip("ultralytics")
pytest.importorskip("onnx")
pytestmark = pytest.mark.train


def _perfect(labels, size=64, sure=8.0, classes=5):
    """What a network would say that knows the labels."""
    grid = size // 8
    cells = (np.stack(np.meshgrid(np.arange(grid), np.arange(grid)), -1).reshape(-1, 2) + 0.5) * 8
    scores, boxes = np.full((1, classes, grid * grid), -sure, np.float32), np.zeros((1, 4, grid * grid), np.float32)
    for _, kind, x, y, w, _ in labels:
        centre, half = np.array([x, y]) * size, w * size / 2
        near = np.hypot(*(cells - centre).T) < half
        scores[0, int(kind), near] = sure
        for c in np.flatnonzero(near):
            p = cells[c] - centre
            boxes[0, :, c] = np.array([p[0] + half, p[1] + half, half - p[0], half - p[1]]) / 8
    return {"scores": torch.tensor(scores), "boxes": torch.tensor(boxes)}


def test_the_loss_is_least_for_the_truth():
    from models.loss import ball_loss

    labels = [[0, 2, 0.3, 0.3, 0.3, 0.3], [0, 0, 0.75, 0.7, 0.25, 0.25]]
    truth = torch.tensor(labels)
    good = ball_loss(_perfect(labels), truth, 64)
    moved = [[0, 2, 0.36, 0.3, 0.3, 0.3], labels[1]]
    recoloured = [[0, 1, *labels[0][2:]], labels[1]]
    assert good.sum() < 0.05
    assert ball_loss(_perfect(moved), truth, 64)[2] > good[2] + 0.05
    assert ball_loss(_perfect(recoloured), truth, 64)[0] > good[0] + 1
    assert torch.isfinite(ball_loss(_perfect([]), torch.zeros((0, 6)), 64)).all()


def _slope(values):
    assert values.grad is not None
    return values.grad.clone()


def test_what_balls_are_taught_does_not_depend_on_hands():
    from models.loss import ball_loss

    ball, hand = [0, 2, 0.4, 0.4, 0.2, 0.2], [0, 5, 0.55, 0.45, 0.5, 0.4]
    said = _perfect([ball], classes=7)
    said["scores"].requires_grad_(True)
    slopes = []
    for labels in ([ball], [ball, hand]):
        said["scores"].grad = None
        ball_loss(said, torch.tensor(labels), 64).sum().backward()
        slopes.append(_slope(said["scores"]))
    assert torch.equal(slopes[0][:, :5], slopes[1][:, :5]) and not torch.equal(slopes[0][:, 5:], slopes[1][:, 5:])
    told = torch.tensor([[True] * 5 + [False, False]])
    said["scores"].grad = None
    ball_loss(said, torch.tensor([ball, hand]), 64, told=told).sum().backward()
    assert not _slope(said["scores"])[:, 5:].any(), "nothing is learnt of what the labels do not tell"


def test_one_epoch_trains_and_exports(tmp_path):
    from models.dataset import write_dataset
    from models.train import Settings, train
    from vision.detect import Detector, _onnxruntime

    write_dataset(tmp_path / "data", 9, seed=5, size=96)
    onnx = train(Settings((tmp_path / "data",), tmp_path / "out", epochs=1, batch=4, threads=1))
    blob = np.random.default_rng(0).random((1, 3, 64, 96), dtype=np.float32)
    rows = _onnxruntime(onnx, 1)(blob)
    assert rows.shape == (11, 8 * 12)
    detector = Detector(onnx)
    assert detector._network is not None
    assert np.allclose(detector._network(blob), rows, atol=2e-2 * max(1.0, float(np.abs(rows).max())))
    assert Detector(tmp_path / "out" / "balls.pt").detect(np.zeros((64, 96, 3), np.uint8), long_side=96, confidence=0.9) == []


def test_a_run_broken_off_goes_on_to_the_same_network(tmp_path):
    """From the shipped weights, whose norms are taken out again; what was learnt before the break is not lost."""
    from models.dataset import write_dataset
    from models.train import Settings, train
    from vision.detect import DEFAULT_WEIGHTS

    write_dataset(tmp_path / "data", 9, seed=5, size=96)
    plan = Settings((tmp_path / "data",), tmp_path / "whole", epochs=2, batch=4, threads=1, side=64, start=DEFAULT_WEIGHTS)
    train(plan)
    saved = []

    def broken(*given):
        saved.append(keep(*given))
        raise KeyboardInterrupt

    from models import train as module

    keep = module._save_state
    module._save_state = broken
    try:
        with pytest.raises(KeyboardInterrupt):
            train(replace(plan, out=tmp_path / "broken"))
    finally:
        module._save_state = keep
    train(replace(plan, out=tmp_path / "broken", resume=True))
    one, two = (torch.load(tmp_path / n / "balls.pt", weights_only=False)["model"].state_dict() for n in ("whole", "broken"))
    assert all(torch.equal(one[k], two[k]) for k in one)
    with pytest.raises(UserError, match="expected the state of an unfinished run"):
        train(replace(plan, resume=True))


def test_norms_taken_out_of_the_shipped_weights_change_nothing():
    from models.start import start_model, with_norms
    from vision.detect import DEFAULT_WEIGHTS

    pictures = np.random.default_rng(0).random((4, 3, 64, 64), dtype=np.float32)
    folded = start_model(DEFAULT_WEIGHTS).eval()
    with torch.no_grad():
        one, two = (m(torch.from_numpy(pictures))[0] for m in (folded, with_norms(folded, pictures)))
    assert torch.allclose(one, two, atol=1e-3)


def test_users_mistakes_are_named(tmp_path, capsys):
    from models.train import main

    with pytest.raises(SystemExit) as stop:
        main(["--data", str(tmp_path)])
    assert stop.value.code == 2 and "expected pictures in images/train" in capsys.readouterr().err
