"""The annotated video: every frame with its own time stamp, and the referee's marks where the balls are."""

from __future__ import annotations

import csv
from collections.abc import Sequence
from fractions import Fraction
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import av
import numpy as np
import pytest

from calibration.fit import camera_from_corners
from calibration.table import table
from referee.annotate import COLOURS, Latest, Painter, Seen, annotate, rows_by_frame
from referee.captions import Line, lay, panel, text_width, wrapped
from tests.referee.documents import document

SIZE = (480, 270)
TABLE = table()
CAMERA = camera_from_corners([(30, 230), (80, 60), (400, 60), (450, 230)], TABLE, SIZE).camera
STAMPS = [Fraction(i, 30) + (Fraction(1, 45) if i > 10 else 0) for i in range(24)]  # a picture is missing after the tenth
HEADER = ("frame", "video_t", "ball", "x_mm", "y_mm", "sigma_mm", "state")


def write_video(path: Path, stamps: Sequence[Fraction] = STAMPS) -> None:
    with av.open(str(path), "w") as container:
        stream = container.add_stream("libx264", rate=30)
        stream.width, stream.height, stream.pix_fmt = *SIZE, "yuv420p"
        stream.codec_context.time_base = Fraction(1, 90)
        for t in stamps:
            frame = av.VideoFrame.from_ndarray(np.full((SIZE[1], SIZE[0], 3), 60, np.uint8), "bgr24").reformat(format="yuv420p")
            frame.pts, frame.time_base = round(t * 90), Fraction(1, 90)
            container.mux(stream.encode(frame))
        container.mux(stream.encode())


def write_tracks(path: Path, frames: int) -> None:
    with path.open("w", newline="") as file:
        rows = csv.writer(file)
        rows.writerow(HEADER)
        for i in range(frames):
            rows.writerow((i, i / 30, "white", 500 + 40 * i, 900, 1.0, "seen"))
            rows.writerow((i, i / 30, "red", 1000, 400, 5.0, "hidden"))
            rows.writerow((i, i / 30, "black", "", "", "", "pocketed"))


def small_document() -> dict[str, Any]:
    made = document()
    shot = made["shots"][0] | {"start_t": 0.1, "end_t": 0.5}
    shot["events"] = [e | {"video_t": 0.1 + 0.1 * i} for i, e in enumerate(shot["events"])]
    return made | {"shots": [shot]}


def painted(t: float, seen: Sequence[Any] = (), lang: str = "ru") -> np.ndarray:
    painter = Painter(CAMERA, TABLE, small_document(), SIZE, lang)
    picture = np.full((SIZE[1] + painter.strip, SIZE[0], 3), 60, np.uint8)
    painter.paint(picture, t, seen)
    return picture


def test_time_stamps_and_frames_are_kept(tmp_path: Path) -> None:
    write_video(tmp_path / "in.mp4")
    write_tracks(tmp_path / "tracks.csv", len(STAMPS))
    told = []
    annotate(
        tmp_path / "in.mp4", tmp_path / "tracks.csv", small_document(), SimpleNamespace(camera=CAMERA, table=TABLE), tmp_path / "out.mp4",
        on_progress=told.append,
    )  # fmt: skip
    with av.open(str(tmp_path / "out.mp4")) as container:
        frames = list(container.decode(video=0))
    assert [float(f.pts * f.time_base) for f in frames] == pytest.approx([float(t) for t in STAMPS], abs=1e-4)
    # the table fills this picture: what is written lies in a strip below it
    strip = Painter(CAMERA, TABLE, small_document(), SIZE, "ru").strip
    assert strip > 0 and (frames[0].width, frames[0].height) == (SIZE[0], SIZE[1] + strip)
    assert told and told[0].done == 0


def test_balls_are_marked_where_they_are(tmp_path: Path) -> None:
    write_tracks(tmp_path / "tracks.csv", 3)
    seen = Latest(rows_by_frame(tmp_path / "tracks.csv")).at(2)
    assert [(s.ball, s.state) for s in seen] == [("white", "seen"), ("red", "hidden")]
    change = np.abs(painted(0.0, seen).astype(int) - painted(0.0).astype(int)).sum(axis=2)
    for s in seen:
        u, v = CAMERA.project_at([(s.x, s.y)], TABLE.radius)[0]
        assert change[round(v) - 8 : round(v) + 9, round(u) - 8 : round(u) + 9].max() > 60
    assert change[: SIZE[1], : SIZE[0] // 20].max() == 0


def test_rows_are_read_in_order_and_frames_without_rows_are_empty() -> None:
    latest = Latest(iter([(1, ["a"]), (4, ["b"])]))
    assert [latest.at(i) for i in (0, 1, 2, 4, 9)] == [[], ["a"], [], ["b"], []]


def test_score_changes_when_the_stroke_has_ended_and_the_ruling_is_shown() -> None:
    before, after, late = painted(0.3), painted(0.6), painted(30.0)
    corner = np.s_[SIZE[1] + 10 :, : SIZE[0] // 5]
    assert (before[corner] != after[corner]).any() and (after[corner] == late[corner]).all()
    below = np.s_[-SIZE[1] // 6 :, : SIZE[0] // 2]
    assert (after[below] != late[below]).any()
    assert (painted(0.6, lang="en")[below] != after[below]).any()


def test_cyrillic_letters_have_shapes_of_their_own() -> None:
    # a font without them would draw one and the same box
    shapes = {panel((Line(text),), 24)[0].tobytes() for text in "ЖЩЁю"}
    assert len(shapes) == 4


def test_text_is_wrapped_to_a_width() -> None:
    text = "Жёлтый сыгран по заказу от одного борта и бонус"
    lines = wrapped(text, 150, 16)
    assert " ".join(lines) == text and len(lines) > 2 and all(text_width(line, 16) <= 150 for line in lines)


@pytest.mark.parametrize("at", [(-20, -10), (90, 50), (500, 500), (-500, 0)])
def test_what_is_laid_outside_is_cut_off(at: tuple[int, int]) -> None:
    picture = np.zeros((60, 100, 3), np.uint8)
    lay(picture, panel((Line("abc"),), 20), at)
    assert picture.shape == (60, 100, 3)


def test_every_ball_has_a_colour() -> None:
    from calibration.table import BALLS

    assert set(COLOURS) == set(BALLS)


def test_panels_lie_beside_a_table_that_leaves_room() -> None:
    """A table in the left lower part of the picture: nothing is written over it, and no strip is needed."""
    camera = camera_from_corners([(30, 250), (50, 160), (220, 160), (240, 250)], TABLE, SIZE).camera
    assert Painter(camera, TABLE, small_document(), SIZE, "ru").strip == 0


def test_error_ellipses_are_drawn_larger_only_where_they_are_too_small_to_see() -> None:
    painter = Painter(CAMERA, TABLE, small_document(), SIZE, "ru")
    picture = np.zeros((SIZE[1] + painter.strip, SIZE[0], 3), np.uint8)
    assert painter._errors(picture, [Seen("red", 1000.0, 400.0, "seen", 0.3)])
    assert not painter._errors(picture, [Seen("red", 1000.0, 400.0, "hidden", 200.0)])
