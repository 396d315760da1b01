"""Following balls: a hand over a resting one is not taken for its leaving, and one that was thought gone is known again where it lies."""

import dataclasses
from fractions import Fraction

import numpy as np
import pytest

from calibration.fit import camera_from_corners
from calibration.profile import profile_from_fit
from tests.vision.strokes import KIND
from tests.vision.tables import BALLS, Scene, bar, disc, frame, profile
from vision.field import Field
from vision.locate import LEVELS, Spot, palette
from vision.patch import Background, box_around, patch
from vision.track import Tracker

PLACES = {"white": (1500.0, 800.0), "red": (700.0, 560.0)}
STEP = Fraction(1, 30)


class Watched:
    """A tracker that has seen the balls lie still for a second, and takes pictures drawn for it."""

    def __init__(self, prof=None, places=PLACES) -> None:
        prof, self.places = prof or profile(KIND), places
        shape = (prof.camera.height, prof.camera.width)
        self.scene = Scene(prof)
        self.field = Field(prof.camera, prof.table, shape)
        self.time = Fraction(0)
        self.bare = frame(self.scene.picture({}))
        self.background = Background(self.bare, [])
        self.at = {b: tuple(prof.camera.project_at([p], prof.table.radius)[0].tolist()) for b, p in places.items()}
        self.radius = float(prof.camera.scale_at([places["red"]], prof.table.radius)[0]) * prof.table.radius
        first = frame(self.scene.picture(places))
        found = {}
        for ball, (x, y) in self.at.items():
            box = box_around(x, y, 2 * self.radius, shape)
            found[ball] = (x, y, palette(patch(first, box), x - box.x0, y - box.y0, self.radius))
        self.tracker = Tracker(self.field, first, self.background, found)
        for _ in range(30):
            self.look({})

    def look(self, moved, extra=()):
        self.time += STEP
        picture = frame(self.scene.picture(self.places | moved, extra=list(extra)))
        return self.tracker.step(dataclasses.replace(picture, time=self.time))

    def place(self, seen):
        return self.field.chart.place(seen.x, seen.y)[:2]


@pytest.fixture
def watched():
    return Watched()


HAND = (205, 190, 160)


def fingers(x, y, radius):
    """A hand with open fingers over the ball, and something red, as large as a ball, on the cloth beyond."""
    hand = [(bar((x - 4 * radius, y + d * radius), (x + 2 * radius, y + d * radius), 0.5 * radius), HAND) for d in (-0.75, 0.0, 0.75)]
    return [*hand, (disc(x - 6 * radius, y - 3 * radius, 0.95 * radius), BALLS["red"])]


def test_a_covered_ball_is_not_found_far_away(watched):
    x, y = watched.at["red"]
    for _ in range(10):
        seen = watched.look({}, fingers(x, y, watched.radius))["red"]
        assert not seen.fresh or np.hypot(seen.x - x, seen.y - y) < 0.5 * watched.radius


def test_what_goes_on_beyond_the_bed_is_a_sleeve_and_no_ball(watched):
    x, y = watched.scene.camera.project_at([(1000.0, KIND.radius)], KIND.radius)[0].tolist()
    edge = int(np.flatnonzero(watched.field.mask[:, round(x)]).max())  # the lower one, as the right cushion is
    sleeve = (bar((x, edge + 60.0), (x, edge - watched.radius), 2 * watched.radius), BALLS["red"])
    shown = watched.scene.picture({"red": (1000.0, KIND.radius)}), watched.scene.picture({}, extra=[sleeve])
    for picture, at, goes_on in (shown[0], y, False), (shown[1], edge - watched.radius, True):
        spot = Spot(x, at, 0.3, 1.0, (0.0, 0.0), "matte")
        assert watched.tracker._goes_on(watched.tracker._balls["red"], frame(picture), spot) is goes_on


def test_a_ball_that_is_struck_away_is_found_although_the_cue_lies_over_its_place(watched):
    x, y = watched.at["red"]
    cue = (bar((x - 120.0, y), (x + 1.2 * watched.radius, y), 0.4 * watched.radius), (70, 130, 190))
    seen = watched.look({"red": (1000.0, 560.0)}, [cue])["red"]
    assert seen.fresh
    assert seen.state == "moving"
    assert watched.place(seen) == pytest.approx((1000.0, 560.0), abs=5)


def test_a_ball_that_was_followed_elsewhere_is_known_again_where_it_lies(watched):
    x, y = watched.at["red"]
    sleeve = (disc(x - 6 * watched.radius, y, 0.95 * watched.radius), BALLS["red"])
    arm = (disc(x - 6 * watched.radius, y, 2.5 * watched.radius), HAND)
    for shown in ([sleeve], [arm, sleeve]):  # its place was empty for two pictures
        assert watched.look({"red": None}, shown)["red"].state == "moving"
    seen = watched.look({}, [arm, sleeve])["red"]
    assert seen.state == "rest"
    assert (seen.x, seen.y) == pytest.approx((x, y), abs=0.5)


def test_a_ball_that_was_learnt_as_table_is_seen_again(watched):
    """It came to lie there unseen, and lay so long that the background holds it."""
    x, y = watched.at["red"]
    shown = frame(watched.scene.picture(PLACES))
    watched.tracker.forget("red")
    others = [(*watched.at["white"], watched.radius)]
    for _ in range(8):
        watched.background.look(shown, others)
    assert not _differs(watched, shown)
    watched.background.give_back(shown, (x, y, watched.radius))
    assert _differs(watched, shown)


def test_the_table_under_a_ball_is_not_forgotten(watched):
    x, y = watched.at["red"]
    before = watched.background.frame().y.copy()
    watched.background.give_back(frame(watched.scene.picture(PLACES)), (x, y, watched.radius))
    assert (watched.background.frame().y == before).all()


def _differs(watched, shown):
    x, y = watched.at["red"]
    box = box_around(x, y, 0.5 * watched.radius, (360, 640))
    return bool(np.abs(patch(shown, box) - watched.background.patch(box)).max() > 30)


def test_a_ball_is_told_from_what_only_has_its_size(watched):
    """Skin is half yellow to half green cloth: the streak of a struck ball is farther away from its place, and no hand."""
    x, y = watched.at["red"]
    hand = (disc(x - 3.5 * watched.radius, y, 1.2 * watched.radius), (100, 130, 190))
    run = np.linspace((860.0, 560.0), (960.0, 560.0), 8)
    seen = watched.look({"red": run}, [hand])["red"]
    assert seen.fresh
    assert watched.place(seen) == pytest.approx((910.0, 560.0), abs=12)


def test_a_streak_longer_than_the_way_to_it_is_looked_past(watched, monkeypatch):
    """It costs so much that the ball is looked for elsewhere too: what lies where it was is the cue."""
    x, y = watched.at["red"]
    ball = watched.tracker._balls["red"]
    ball.filter.rest(x, y)
    ball.trail.append((0.0, x, y))
    shown = frame(watched.scene.picture(PLACES))
    for streak, sure in (((0.0, 0.0), True), ((5.2 * watched.radius, 0.0), False)):
        blob = Spot(x + 2, y, 0.5, 0.95, streak, "matte")
        monkeypatch.setattr("vision.track.matte_spots", lambda *given, blob=blob: [blob])
        price = watched.tracker._search(ball, shown, x, y, 3 * watched.radius, 3.0, LEVELS[:1])[2]
        assert (price < 5.0) == sure


def _from_the_side(kind):
    corners = 2 * np.array([(40.0, 260.0), (150.0, 130.0), (490.0, 130.0), (600.0, 260.0)])  # seen from the right cushion's side
    return profile_from_fit(kind, camera_from_corners(corners, kind, (1280, 720)), corners, home="left")


@pytest.mark.parametrize(
    ("view", "gap", "hidden"),
    [(_from_the_side, 75.0, True), (_from_the_side, 67.0, False), (_from_the_side, 300.0, False), (profile, 75.0, False)],
)
def test_a_ball_hides_another_only_seen_from_the_side_and_without_touching_it(view, gap, hidden):
    watched = Watched(view(KIND), {"red": (1200.0, 700.0), "white": (1200.0, 700.0 - gap)})
    assert watched.tracker._is_hidden(watched.tracker._balls["red"], *watched.at["red"]) == hidden


def test_a_ball_that_another_hides_in_part_has_not_moved():
    watched = Watched(_from_the_side(KIND), {"red": (1200.0, 700.0), "white": (900.0, 625.0)})  # drawn in this order: white lies in front
    x, y = watched.at["red"]
    hidden = 0
    for k in range(30):
        white = (900.0 + 20.0 * k, 625.0)
        seen = watched.look({"white": white})
        assert seen["red"].state == "rest", k
        assert np.hypot(seen["red"].x - x, seen["red"].y - y) < 0.3
        hidden += seen["red"].fill < 0.85
    assert hidden > 2, "white was to hide a part of red"
