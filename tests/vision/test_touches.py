"""Touches of cushions from strokes and tracks: the right frames are taken, on all four sides."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from calibration.table import table
from vision.shot import Event, Shot, Stroke
from vision.touches import cushion_touches, places_of_tracks
from vision.walls import Walls

KIND = table("carom-10ft")
FPS = 60.0


def stroke(*events: Event) -> Stroke:
    return Stroke(0.0, 2.0, 0, 120, "white", {}, Shot(events, {}))


def way(cushion: str, hit: float, extra: float = 0.0) -> np.ndarray:
    """(N, 4) t, x, y, sigma of a ball that comes off a cushion at `hit` s; `extra` mm by which it turns beyond the nose."""
    t = np.arange(0, 60) / FPS
    out = Walls(KIND).reach - extra + np.where(t < hit, 900 * (hit - t), 650 * (t - hit) - 600 * np.minimum(t - hit, 0.1) ** 2)
    along = 400 + 300 * t
    x, y = {"home": (out, along), "foot": (KIND.length - out, along), "right": (along, out), "left": (along, KIND.width - out)}[cushion]
    return np.column_stack([t, x, y, np.full(len(t), 0.5)])


@pytest.mark.parametrize("cushion", ["home", "foot", "left", "right"])
@pytest.mark.parametrize("extra", [0.0, 6.0])
def test_a_touch_lies_at_the_nose_or_says_by_how_much_it_does_not(cushion, extra):
    hit = Event(0.5, "cushion", ball="white", cushion=cushion, video_t=0.5)
    [touch] = cushion_touches([stroke(hit)], {"white": way(cushion, 0.5, extra)}, KIND)
    assert touch.event is hit and touch.off == pytest.approx(-extra, abs=2.0) and 0.3 < touch.sigma < 3
    assert touch.t == pytest.approx(0.5, abs=0.004)
    far = {"home": touch.at[0], "foot": KIND.length - touch.at[0], "right": touch.at[1], "left": KIND.width - touch.at[1]}[cushion]
    assert far == pytest.approx(Walls(KIND).reach + touch.off, abs=1e-6)


def test_ways_that_another_event_ends_tell_nothing():
    hit = Event(0.5, "cushion", ball="white", cushion="foot", video_t=0.5)
    met = Event(0.53, "contact", balls=("white", "red"), video_t=0.53)
    assert cushion_touches([stroke(hit, met)], {"white": way("foot", 0.5)}, KIND) == []
    assert cushion_touches([stroke(hit)], {"red": way("foot", 0.5)}, KIND) == []
    assert cushion_touches([], {}, KIND) == []


def test_places_of_a_tracks_file(tmp_path: Path):
    path = tmp_path / "tracks.csv"
    path.write_text(
        "frame,video_t,ball,x_mm,y_mm,sigma_mm,state\n1,0.1,white,5,6,0.5,seen\n0,0.0,white,1,2,0.5,seen\n2,0.2,white,9,9,9,hidden\n"
        "2,0.2,red,,,,absent\n"
    )
    places = places_of_tracks(path)
    assert set(places) == {"white"} and places["white"].tolist() == [[0.0, 1.0, 2.0, 0.5], [0.1, 5.0, 6.0, 0.5]]
