"""Loss, loop and export; need the extra `train`: `make test-train`."""

import numpy as np
import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("ultralytics")
pytest.importorskip("onnx")
pytestmark = pytest.mark.train


def _perfect(labels, size=64, sure=8.0):
    """What a network would say that knows the labels."""
    grid = size // 8
    cells = (np.stack(np.meshgrid(np.arange(grid), np.arange(grid)), -1).reshape(-1, 2) + 0.5) * 8
    scores, boxes = np.full((1, 5, grid * grid), -sure, np.float32), np.zeros((1, 4, grid * grid), np.float32)
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


def test_one_epoch_trains_and_exports(tmp_path):
    from models.dataset import write_dataset
    from models.train import Settings, train
    from vision.detect import Detector, _onnxruntime

    write_dataset(tmp_path / "data", 9, seed=5, size=96)
    onnx = train(Settings((tmp_path / "data",), tmp_path / "out", epochs=1, batch=4, threads=1))
    blob = np.random.default_rng(0).random((1, 3, 64, 96), dtype=np.float32)
    rows = _onnxruntime(onnx, 1)(blob)
    assert rows.shape == (9, 8 * 12)
    detector = Detector(onnx)
    assert detector._network is not None
    assert np.allclose(detector._network(blob), rows, atol=2e-2 * max(1.0, float(np.abs(rows).max())))
    assert Detector(tmp_path / "out" / "balls.pt").detect(np.zeros((64, 96, 3), np.uint8), long_side=96, confidence=0.9) == []


def test_users_mistakes_are_named(tmp_path, capsys):
    from models.train import main

    with pytest.raises(SystemExit) as stop:
        main(["--data", str(tmp_path)])
    assert stop.value.code == 2 and "expected pictures in images/train" in capsys.readouterr().err
