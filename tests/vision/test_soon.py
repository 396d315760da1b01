"""Hits that follow one another before a new path was seen: told, or doubted with the way it may have gone; never left out in silence."""

import pytest

from calibration.table import custom_table
from tests.vision.motion import found_in, play, told

BARE = custom_table(3550, 1775, pockets=False)
FAR = {"red": (3300.0, 300.0), "black": (300.0, 300.0)}


def named(found) -> list[tuple]:
    """What is told and what may have been: (type, balls)."""
    added = [e for doubt in found.doubts for way in doubt.ways for e in way.add]
    return [(e.type, frozenset(e.balls or (e.ball,))) for e in (*found.events, *added)]


@pytest.mark.parametrize("phase", [0.05, 0.3, 0.55, 0.8])
@pytest.mark.parametrize("speed", [1000.0, 1200.0])
def test_a_cushion_that_is_met_again_right_after_a_contact_beside_it_is_told_twice(speed, phase):
    """Cushion, contact, cushion within two pictures: the second time no path breaks between pictures that show it."""
    places = {"yellow": (1800.0, 1718.2), "white": (1305.3, 1651.2), **FAR}
    truth = play(places, "white", (0.9766 * speed, 0.2149 * speed), kind=BARE, longest=1.1)
    first, contact, second = truth.events[:3]
    assert [first[1], contact[1], second[1]] == ["cushion", "contact", "cushion"] and second[0] - first[0] < 2 / 30
    found = found_in(truth, 30, 0.6, kind=BARE, phase=phase)
    assert named(found).count(("cushion", frozenset(("white",)))) == 2


@pytest.mark.parametrize("phase", [0.1, 0.6])
@pytest.mark.parametrize(("gap", "speed"), [(4.0, 900.0), (9.0, 1500.0), (14.0, 1100.0)])
def test_a_ball_driven_into_the_cushion_beside_it_makes_the_stroke_active(gap, speed, phase):
    """At 30 pictures a second the ball is at the cushion before it is seen to move."""
    place = (1800.0, BARE.width - BARE.radius - gap)
    places = {"yellow": place, "white": (place[0] - 600.0, place[1] - 180.0), **FAR}
    truth = play(places, "white", (speed, 0.21 * speed), kind=BARE, longest=2.5)
    [cushion] = [e for e in truth.events if e[1:] == ("cushion", ("yellow", "left"))][:1]
    contact = next(e for e in truth.events if e[1] == "contact")
    assert cushion[0] - contact[0] < 0.07
    found = found_in(truth, 30, 0.6, kind=BARE, phase=phase)
    assert ("cushion", frozenset(("yellow",))) in named(found)


@pytest.mark.parametrize("phase", [0.1, 0.6])
def test_a_thin_kiss_of_a_fast_ball_is_told(phase):
    """The ball goes ten centimetres between two pictures, and the struck one hardly moves at first."""
    places = {"yellow": (1500.0, 900.0), "white": (1190.0, 900.0 - BARE.ball + 1.5), **FAR}
    truth = play(places, "white", (3300.0, 0.0), kind=BARE, longest=1.0)
    found = found_in(truth, 30, 1.5, kind=BARE, phase=phase)
    assert frozenset(("white", "yellow")) in [who for _, _, who in told(found, "contact")]


@pytest.mark.parametrize("seed", range(2))
def test_two_slow_balls_that_meet_are_told_by_the_long_bend_of_their_paths(seed):
    """A slow one rolls up behind a slower one; within a tenth of a second neither bends by more than the noise."""
    places = {"yellow": (1500.0, 900.0), "white": (1000.0, 890.0), **FAR}
    truth = play(places, "white", (380.0, 0.0), kind=BARE, longest=4.0)
    found = found_in(truth, 30, 0.4, kind=BARE, seed=seed)
    assert frozenset(("white", "yellow")) in [who for _, _, who in told(found, "contact")]
