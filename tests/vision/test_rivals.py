"""A thing that is followed as a ball is given up when the ball is seen elsewhere."""

import dataclasses
from fractions import Fraction

import numpy as np
import pytest

from tests.vision.strokes import KIND
from tests.vision.tables import BALLS, CLOTHS, Scene, disc, frame, profile
from vision.detect import Detection
from vision.field import Field
from vision.rivals import Rivals
from vision.seek import Candidate, candidates, named
from vision.watch import Watch

WHITE = (232.0, 120.0, 130.0)
STEP = Fraction(1, 30)


def spot(x, opinion=None, quality=1.0):
    return Candidate(x, 50.0, 5.0, quality, WHITE, np.array([WHITE], np.float32), opinion)


MARK = spot(10, quality=0.4)
BALL = spot(200, ("white", 0.7))
NOW = {"white": (10.0, 50.0)}


@pytest.fixture
def rivals():
    found = Rivals()
    found.took("white", MARK)
    return found


def test_a_ball_that_the_network_sees_twice_is_the_ball(rivals):
    assert rivals.compare([MARK, BALL], [BALL], NOW) == {}
    assert rivals.places == [(200, 50)]
    assert rivals.compare([MARK, BALL], [BALL], NOW) == {"white": BALL}


def test_what_does_not_stay_is_no_ball(rivals):
    for x in (200, 220, 240, 260):
        other = spot(x, ("white", 0.7))
        assert rivals.compare([MARK, other], [other], NOW) == {}


@pytest.mark.parametrize("other", [spot(200), spot(200, ("red", 0.9)), spot(200, ("white", 0.3)), spot(200, ("white", 0.7), 0.1)])
def test_less_evidence_than_that_moves_nothing(rivals, other):
    for _ in range(4):
        assert rivals.compare([MARK, other], [other], NOW) == {}


def test_what_lies_under_a_hand_is_not_compared(rivals):
    for _ in range(4):
        assert rivals.compare([BALL], [BALL], {}) == {}


def test_the_networks_word_or_a_roll_ends_the_doubt():
    sure, seen, rolled, shook = Rivals(), Rivals(), Rivals(), Rivals()
    sure.took("white", spot(10, ("white", 0.7)))
    assert not sure
    for found in (seen, rolled, shook):
        found.took("white", MARK)
    seen.compare([spot(10, ("white", 0.7)), BALL], [BALL], NOW)
    assert not seen
    for k in range(6):
        rolled.rolls("white", 20.0 + k, 50.0, 5.0)
        shook.rolls("white", 10.0 + k % 2, 50.0, 5.0)
    assert not rolled
    assert shook


class Sees:
    """Stands for the network: it sees the balls that are put before it."""

    def __init__(self, prof):
        self._prof, self.places = prof, {}

    def detect(self, picture, region=None, ball_px=None):
        at = {b: self._prof.camera.project_at([p], self._prof.table.radius)[0].tolist() for b, p in self.places.items()}
        return [Detection(ball, x, y, 11.0, 0.7) for ball, (x, y) in at.items()]


@pytest.mark.parametrize("comes", [True, False])
def test_a_panel_is_followed_until_the_ball_comes(comes):
    prof = profile(KIND)
    scene, network = Scene(prof), Sees(prof)
    field = Field(prof.camera, prof.table, (360, 640))
    watch = Watch(field, tuple(BALLS), network)  # pyright: ignore[reportArgumentType]
    placed = {"yellow": (1500.0, 300.0), "red": (700.0, 560.0), "black": (1100.0, 560.0)}
    x, y = prof.camera.project_at([(600.0, 200.0)], prof.table.radius)[0].tolist()
    radius = float(prof.camera.scale_at([(600.0, 200.0)], prof.table.radius)[0]) * prof.table.radius
    panel = [(disc(x, y, radius), BALLS["white"])]
    for k in range(180):
        on_table = placed | ({"white": (1500.0, 800.0)} if comes and k >= 40 else {})
        network.places = on_table
        picture = frame(scene.picture(on_table, extra=panel))
        watch.look(dataclasses.replace(picture, time=k * STEP, index=k))
    last = watch.records["white"].last
    assert last is not None
    assert (last.x, last.y) == pytest.approx((1500.0, 800.0) if comes else (600.0, 200.0), abs=8)
    assert [ball for ball, _ in watch.mistaken] == (["white"] if comes else [])
    assert {b: watch.states[b] for b in placed} == dict.fromkeys(placed, "seen")


def test_a_ball_of_nearly_the_cloths_colour_is_found_where_the_network_sees_it():
    prof = profile(KIND)
    network = Sees(prof)
    network.places = {"black": (1775.0, 887.5)}
    field = Field(prof.camera, prof.table, (360, 640))
    picture = frame(Scene(prof, CLOTHS["burgundy"]).picture(network.places))
    assert "black" not in named(candidates(picture, field), BALLS)
    seen = named(candidates(picture, field, network), BALLS)["black"]  # pyright: ignore[reportArgumentType]
    assert field.chart.place(seen.x, seen.y)[:2] == pytest.approx((1775.0, 887.5), abs=8)
    assert seen.opinion == ("black", 0.7)
