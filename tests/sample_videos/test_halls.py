"""Halls drawn together, the table's sides, legs behind it, sharpened edges, and the sheet of thumbnails."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("numba")  # pictures are rendered: the extra `simulate`

from calibration.table import KINDS, table
from sample_videos.render import Capsule, Look, Renderer, Sensor, halls, tilted_camera
from sample_videos.render.random_look import brightest
from sample_videos.scenario import Scenario
from sample_videos.strokes import ScenarioError
from sample_videos.studio import _hall, _look

pytestmark = pytest.mark.train

PLAIN = Look(noise=0.0, furniture=0)


@pytest.mark.parametrize("kind", KINDS)
def test_a_hall_for_every_table_shows_it_whole_or_nearly_and_is_not_blown_out(kind: str) -> None:
    t = table(kind)
    for seed in range(12):
        hall = halls.random_hall(np.random.default_rng(seed), t)
        assert brightest(hall.look, t.length, t.width) <= 239
        camera = tilted_camera(t, 1280, 720, **hall.camera)
        corners = camera.project_at(t.corners, t.nose_height)
        assert np.isfinite(corners).all() and (corners > (-60, -60)).all() and (corners < (1340, 780)).all()
        assert 0 <= hall.sensor.readout < 1 / 60


def test_a_hall_is_the_same_for_the_same_seed_and_of_the_kind_that_is_asked_for() -> None:
    one, two = (halls.random_hall(np.random.default_rng(5), table(), "broadcast") for _ in range(2))
    assert one == two and one.kind == "broadcast"
    with pytest.raises(ValueError, match="hall 'cellar': expected one of club"):
        halls.random_hall(np.random.default_rng(5), table(), "cellar")


@pytest.mark.parametrize("options", [{"seed": -1}, {"seed": "a"}, {"kind": "cellar"}, {"sed": 3}])
def test_a_wrong_hall_is_named(options: dict) -> None:
    with pytest.raises(ScenarioError, match=r"my: \[hall\]: expected seed"):
        _hall(table(), Scenario("my", (), (), hall=options))


@pytest.mark.parametrize(
    ("field", "value", "named"),
    [
        ("seed", "a", r"\[look\]: field seed"), ("noise", "loud", "look.noise"), ("cloth", "green-ish", "look.cloth"),
        ("cloth", [1, 2], "look.cloth"), ("pockets", "velvet", "look.pockets"), ("spots", 1, "look.spots"), ("burns", 1.5, "look.burns"),
        ("lamps", [[1, 2, 3]], "look.lamps"), ("balls", {"mauve": [1, 1, 1]}, "look.balls"), ("patterns", {"red": "x"}, "look.patterns"),
        ("prints", ["Ж"], "look.prints"), ("nap", 1, "look.nap"),
    ],
)  # fmt: skip
def test_a_wrong_field_of_a_look_is_named(field: str, value: object, named: str) -> None:
    with pytest.raises(ScenarioError, match=named):
        _look({field: value}, table(), "my", PLAIN)


def test_fields_of_a_look_are_taken() -> None:
    given = {
        "cloth": "camel",
        "noise": 2,
        "spots": False,
        "trim": [1, 1, 1],
        "lamps": [[1000, 800, 1200, 300, 200, 1.0]],
        "prints": ["CLUB"],
    }
    look = _look(given, table(), "my", PLAIN)
    assert look.cloth == (0.70, 0.55, 0.36) and look.lamps[0].centre == (1000, 800, 1200) and not look.spots and look.prints == ("CLUB",)


def test_sides_are_seen_from_beside_the_table_only() -> None:
    t = table()
    for tilt, changes in ((0.0, False), (40.0, True)):
        camera = tilted_camera(t, 320, 180, tilt=tilt, distance=5000, side="home")
        shown = [Renderer(t, camera, replace(PLAIN, side=high), oversample=1).empty.astype(int) for high in (0.0, 250.0)]
        differs = np.abs(shown[1] - shown[0]).max(axis=2) > 3
        assert bool(differs.any()) == changes
        if changes:  # under the near rail, nowhere on the bed
            corners = camera.project_at(t.corners, t.nose_height)
            assert np.nonzero(differs)[0].min() > corners[:, 1].max() - 1


def test_the_table_hides_legs_behind_it_and_not_those_before_it() -> None:
    t = table()
    camera = tilted_camera(t, 320, 180, tilt=40, distance=5000, side="home")
    renderer = Renderer(t, camera, PLAIN, oversample=1)
    leg = [Capsule((x, 900, 300), (x, 900, -800), 100, 100, (1.0, 0.0, 1.0)) for x in (t.length + 350, -350.0)]
    magenta = []
    for bar in leg:
        picture = renderer.frame({}, [bar], noise=False).astype(int)
        magenta.append((picture[..., 0] > picture[..., 1] + 40) & (picture[..., 2] > picture[..., 1] + 40))
    bed = camera.project_at(t.corners, 0.0)
    top, low = bed[:, 1].min(), bed[:, 1].max()
    behind, before = (np.nonzero(m)[0] for m in magenta)
    assert len(behind) and behind.max() < top + 3
    assert len(before) and before.max() > low


def test_sharpening_leaves_fringes_beside_edges_and_flat_parts_alone() -> None:
    step = np.full((1080, 40, 3), 60, np.uint8)
    step[:, 20:] = 180
    sharp = Sensor(sharpen=1.0).expose(step, 0.0, 0.01)[500, :, 0].astype(int)
    assert sharp[0] == 60 and sharp[-1] == 180 and sharp[19] < 50 and sharp[20] > 190


def test_the_sheet_is_shuffled_and_has_its_key(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from tests.bench import thumbnails

    tile = np.zeros((180, 320, 3), np.uint8)
    monkeypatch.setattr(thumbnails, "rendered", lambda count, seed, looks: [(f"rendered {k}", tile) for k in range(count)])
    monkeypatch.setattr(thumbnails, "real", lambda footage: [(f"real {k}", tile) for k in range(8)])
    thumbnails.main([str(tmp_path / "sheet.png"), "--seed", "4"])
    rows = [line.split("\t")[1] for line in (tmp_path / "sheet.key.txt").read_text().splitlines()]
    assert len(rows) == 16 and len(set(rows)) == 16 and len({row.split()[0] for row in rows[:8]}) == 2
