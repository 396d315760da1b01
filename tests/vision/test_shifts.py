"""Balls that lie a little beside their old place: what was met softly, what was touched, and what was only measured otherwise."""

import numpy as np
import pytest

from calibration.table import custom_table
from vision.breaks import Path, path_of
from vision.events import find_events
from vision.evidence import Evidence
from vision.pieces import Observations
from vision.shifts import shifts_of, soft_contacts
from vision.shot import Event
from vision.touch import touch_doubts

BARE = custom_table(3550, 1775, pockets=False)
STEP, SIGMA, SLACK = 1 / 30, 0.4, 4.5
DOUBLE, PLACE = BARE.ball, (1775.0, 880.0)
ALONG, ASIDE = (1.0, 0.0), (0.0, 1.0)
MET = 2.0  # s


def lying(ball: str, by: float, way: tuple[float, float], place: tuple[float, float] = PLACE, seed: int = 1) -> Path:
    """A ball that lies 0.25 s farther by `by` mm, from `MET` on."""
    t = np.arange(-0.5, 4.0, STEP)
    xy = np.array(place) + np.outer(by * np.clip((t - MET) / 0.25, 0.0, 1.0), way)
    xy += np.random.default_rng(seed).normal(0, SIGMA, xy.shape)
    return path_of(ball, Observations(t, xy, np.full(len(t), SIGMA), np.arange(len(t))))


def rolling_out(speed: float, gap: float) -> Path:
    """White rolls out along x and meets the place of red at `MET` with `speed` mm/s, or stops `gap` mm before it; it stays there."""
    t = np.arange(-0.5, 4.0, STEP)
    left = np.clip(MET - t, 0.0, MET)
    x = PLACE[0] - DOUBLE - gap - speed * left - 100.0 * left**2 / 2
    xy = np.column_stack([x, np.full(len(t), PLACE[1])]) + np.random.default_rng(9).normal(0, SIGMA, (len(t), 2))
    return path_of("white", Observations(t, xy, np.full(len(t), SIGMA), np.arange(len(t))))


def met(by: float, way: tuple[float, float] = ALONG, gap: float = 0.0) -> list[Event]:
    paths = {"white": rolling_out(30.0, gap), "red": lying("red", by, way)}
    return soft_contacts(BARE, paths, [Event(0.0, "strike", "white")], SLACK)


def test_a_ball_met_with_the_last_millimetres_is_told_by_its_place():
    [contact] = met(3.0)
    assert contact.balls == ("red", "white")
    assert abs(contact.t - MET) < 0.06
    assert (contact.confidence or 0) > 0.9


def test_a_shift_near_the_error_of_a_place_is_told_with_a_doubt():
    paths = {"white": rolling_out(20.0, 0.0), "red": lying("red", 1.6, ALONG)}
    found = find_events(BARE, paths, [], STEP, SLACK)
    assert [e.balls for e in found.events if e.type == "contact"] == [("red", "white")]
    assert any("no contact red-white" in way.label for doubt in found.doubts for way in doubt.ways)


@pytest.mark.parametrize(
    ("by", "way", "gap"), [(0.0, ALONG, 0.0), (3.0, ASIDE, 0.0), (-3.0, ALONG, 0.0), (3.0, ALONG, 25.0)],
    ids=["lies where it lay", "went aside", "came towards", "the other stopped far before"],
)  # fmt: skip
def test_what_no_ball_can_have_pushed_so_is_no_contact(by, way, gap):
    assert met(by, way, gap) == []


def test_a_ball_is_not_met_twice_because_its_place_changes():
    paths = {"white": rolling_out(30.0, 0.0), "red": lying("red", 3.0, ALONG)}
    told = [Event(0.0, "strike", "white"), Event(MET, "contact", balls=("red", "white"))]
    assert soft_contacts(BARE, paths, told, SLACK) == []


@pytest.mark.parametrize(("by", "seen"), [(0.3, []), (2.5, [2.5])])
def test_a_shift_is_measured_to_a_part_of_the_error_of_one_sighting(by, seen):
    found = [shift.size for shift in shifts_of(lying("red", by, ASIDE), (), SLACK)]
    assert found == pytest.approx(seen, abs=0.5)


def test_a_ball_that_rolls_out_is_not_moved_by_anybody():
    """The last millimetres of its own way, slower than what counts as motion."""
    t = np.arange(0.0, 4.0, STEP)
    left = np.clip(0.3 - t, 0.0, 0.3)
    xy = np.array(PLACE) + np.outer(40.0 * left**2, ALONG) + np.random.default_rng(3).normal(0, SIGMA, (len(t), 2))
    path = path_of("red", Observations(t, xy, np.full(len(t), SIGMA), np.arange(len(t))))
    assert list(shifts_of(path, (), SLACK)) == []


def touched(*paths: Path) -> list[str]:
    seen = {p.ball: p for p in (rolling_out(30.0, 400.0), *paths)}
    found = find_events(BARE, seen, [], STEP, SLACK)
    told = touch_doubts(found, Evidence(BARE, {ball: [] for ball in seen}, seen, STEP, SLACK))
    return [e.ball or "" for doubt, _ in told.doubts for way in doubt.ways for e in way.add if e.type == "touch"]


def test_a_ball_touched_by_millimetres_is_put_to_a_person():
    assert touched(lying("red", 3.0, ASIDE)) == ["red"]


def test_a_camera_that_gives_way_touches_no_ball():
    assert touched(lying("red", 3.0, ASIDE), lying("black", 3.0, ASIDE, (900.0, 400.0), 2)) == []


def test_two_balls_that_an_arm_shoves_alike_are_put_to_a_person():
    """The third lies where it lay: the camera did not give way."""
    beside = (PLACE[0] + DOUBLE, PLACE[1])
    still = lying("yellow", 0.0, ASIDE, (900.0, 400.0), 2)
    assert touched(lying("red", 3.0, ASIDE), lying("black", 3.0, ASIDE, beside, 3), still) == ["red", "black"]
