"""Still stretches: nothing is lost, nothing is numbered or stamped otherwise, and what changed by one ball's place is looked at."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

import av
import numpy as np
import pytest

from vision.frames import Frame, Still, Video, decoded_ahead
from vision.skim import Skim, skimmed

SIZE = (320, 180)
GOP = 20
MASK = np.zeros((SIZE[1], SIZE[0]), np.uint8)
MASK[20:160, 20:300] = 1


def write(path: Path, places: list[float], *, codec: str = "libx264", people: bool = False, **options: str) -> Path:
    """A ball on cloth at x = `places[n]` in frame n, with grain; `people` walk outside the bed."""
    rng = np.random.default_rng(1)
    with av.open(str(path), "w") as container:
        stream = container.add_stream(codec, rate=30)
        stream.width, stream.height, stream.pix_fmt = *SIZE, "yuv420p"
        stream.options = {"g": str(GOP), "keyint_min": str(GOP), "sc_threshold": "0", "crf": "18"} | options
        stream.codec_context.gop_size = GOP
        ys, xs = np.mgrid[: SIZE[1], : SIZE[0]]
        for n, x in enumerate(places):
            picture = np.full((SIZE[1] * 3 // 2, SIZE[0]), 128, np.uint8)
            luma = 70 + 140 * (np.hypot(xs - x, ys - 90) < 9) + rng.normal(0, 1.0, xs.shape)
            if people:
                luma[:15, :] += 60 * np.sin(n / 3 + xs[:15] / 20)
            picture[: SIZE[1]] = np.clip(luma, 0, 255)
            frame = av.VideoFrame.from_ndarray(picture, "yuv420p")
            frame.pts, frame.time_base = 1001 * n + (300 if n % 7 == 3 else 0), Fraction(1, 30000)
            container.mux(stream.encode(frame))
        container.mux(stream.encode())
    return path


def read(path: Path, calm=lambda index: True) -> tuple[list[Frame | Still], int]:
    skim = Skim(MASK)
    items = []
    for item in decoded_ahead(skimmed(Video(path), skim)):
        items.append(item)
        last = item.index if isinstance(item, Frame) else item.index + len(item.times) - 1
        skim.seen(last, calm(last))
    return items, skim.left_out


def stamps(items: list[Frame | Still]) -> list[tuple[int, Fraction]]:
    found = []
    for item in items:
        times = [item.time] if isinstance(item, Frame) else item.times
        found += [(item.index + n, t) for n, t in enumerate(times)]
    return found


def plain(path: Path) -> list[tuple[int, Fraction]]:
    return [(f.index, f.time) for f in Video(path)]


STILL = [100.0] * (6 * GOP)


@pytest.mark.parametrize("options", [{}, {"bf": "0"}, {"bf": "3", "b_strategy": "0"}])
def test_a_still_stretch_is_left_out_and_every_frame_keeps_its_number_and_stamp(tmp_path: Path, options: dict[str, str]) -> None:
    path = write(tmp_path / "a.mp4", STILL, **options)
    items, left_out = read(path)
    assert left_out == 4 * (GOP - 1)
    assert stamps(items) == plain(path)


def test_people_beside_the_table_do_not_matter(tmp_path: Path) -> None:
    assert read(write(tmp_path / "a.mp4", STILL, people=True))[1] == 4 * (GOP - 1)


@pytest.mark.parametrize("step", [1.0, 40.0])
def test_a_ball_that_lies_elsewhere_after_a_stretch_was_looked_at_in_all_of_it(tmp_path: Path, step: float) -> None:
    moves = 2 * GOP + 9
    path = write(tmp_path / "a.mp4", [100.0 if n < moves else 100.0 + step for n in range(6 * GOP)])
    items, left_out = read(path)
    seen = {item.index for item in items if isinstance(item, Frame)}
    assert set(range(2 * GOP, 3 * GOP)) <= seen and left_out == 3 * (GOP - 1)
    assert stamps(items) == plain(path)


def test_nothing_is_left_out_while_something_is_awaited(tmp_path: Path) -> None:
    path = write(tmp_path / "a.mp4", STILL)
    items, left_out = read(path, calm=lambda index: index >= 3 * GOP)
    assert left_out == 2 * (GOP - 1)
    assert stamps(items) == plain(path)
    frames = [item for item in items if isinstance(item, Frame)]
    for frame, known in zip(frames, [f for f in Video(path) if f.index in {f.index for f in frames}], strict=True):
        assert np.array_equal(frame.y, known.y)  # decoded anew after a look at a key frame: the same pictures


def test_groups_that_lean_on_their_neighbours_are_decoded(tmp_path: Path) -> None:
    path = write(tmp_path / "a.mp4", STILL, **{"x264-params": "open-gop=1:bframes=3:b-adapt=0"})
    items, _ = read(path)
    assert stamps(items) == plain(path)


def test_another_codec_is_decoded_frame_by_frame(tmp_path: Path) -> None:
    path = write(tmp_path / "a.mkv", STILL, codec="libvpx")
    items, left_out = read(path)
    assert left_out == 0 and len(items) == len(STILL)


def test_a_video_cut_short_ends_as_in_plain_decoding(tmp_path: Path) -> None:
    whole = write(tmp_path / "a.mkv", STILL)
    data = whole.read_bytes()
    cut = tmp_path / "b.mkv"
    cut.write_bytes(data[: len(data) * 2 // 3])
    items, _ = read(cut)
    assert stamps(items) == plain(cut)


def test_a_reader_that_goes_away_does_not_hang_the_decoder(tmp_path: Path) -> None:
    skim = Skim(MASK)
    frames = decoded_ahead(skimmed(Video(write(tmp_path / "a.mp4", STILL)), skim))
    next(frames)
    skim.close()
    frames.close()
