"""Hits that come too near to each other for any piece of path between them."""

import numpy as np
import pytest

from calibration.table import custom_table
from tests.vision.motion import found_in, play, told
from vision.chain import Fitted, Hit
from vision.chains import Settled
from vision.moments import Told, chain_doubts
from vision.shot import Event

BARE = custom_table(3550, 1775, pockets=False)
FAR = {"red": (300.0, 1500.0), "black": (3300.0, 300.0)}


@pytest.mark.parametrize("gap", [3.0, 8.0])
@pytest.mark.parametrize("fps", [60, 30])
def test_a_ball_driven_into_a_cushion_beside_it(gap, fps):
    """It comes back before it was seen to go: contact and cushion are found, and which came first is no question."""
    places = {"white": (2300.0, 1000.0), "yellow": (2600.0, 1775.0 - 34.0 - gap), **FAR}
    way = np.array(places["yellow"]) - (20, 40) - places["white"]
    truth = play(places, "white", tuple(1500 * way / np.hypot(*way)), kind=BARE, longest=1.2)
    first = [e for e in truth.events if "yellow" in e[2]][:2]
    assert [e[1] for e in first] == ["contact", "cushion"]
    found = found_in(truth, fps, 0.7, kind=BARE, seed=4)
    mine = [e for e in told(found) if "yellow" in e[2]][:2]
    assert [e[1:] for e in mine] == [e[1:] for e in first]
    assert [e[0] for e in mine] == pytest.approx([e[0] for e in first], abs=0.003)
    assert not [d for d in found.doubts if "order" in d.reason and d.event == 2]


@pytest.mark.parametrize("overlap", [0.1, 1.0])
def test_a_touch_that_hardly_moves_a_ball_is_seen_by_the_ball_that_moves(overlap):
    places = {"white": (900.0, 900.0), "yellow": (1600.0, 900.0 + 68.0 - overlap), **FAR}
    truth = play(places, "white", (1200.0, 0.0), kind=BARE, longest=1.5)
    found = found_in(truth, 60, 0.7, kind=BARE, seed=2)
    [contact] = [e for e in found.events if e.type == "contact"]
    assert contact.balls == ("white", "yellow")
    assert contact.t == pytest.approx(truth.events[0][0], abs=0.02)


@pytest.mark.parametrize("phase", [0.05, 0.55])
@pytest.mark.parametrize("seed", [0, 1])
def test_a_cushion_met_again_within_a_frame_of_a_contact_is_told_or_doubted(phase, seed):
    """White comes off the cushion, meets yellow beside it and is driven into the cushion again: cushion, contact, cushion in 40 ms."""
    truth = play({"yellow": (1800.0, 1718.2), "white": (1305.3, 1633.2), **FAR}, "white", (1547.0, 408.0), kind=BARE, longest=1.2)
    assert [e[1] for e in truth.events[:3]] == ["cushion", "contact", "cushion"]
    found = found_in(truth, 30, 0.6, kind=BARE, phase=phase, seed=seed)
    cushions = [e for e in found.events if e.type == "cushion" and e.ball == "white"]
    assert len(cushions) == 2 or any("cushion white" in way.label for d in found.doubts for way in d.ways)


@pytest.mark.parametrize("arrives", [45.0, 90.0])
def test_a_cushion_that_a_ball_reaches_straight_and_slowly_is_told_or_doubted(arrives):
    """Where it turns it stands still: that it ran is seen before."""
    nose = 1775.0 - 34.0 + 2.0
    way = 400.0
    speed = float(np.sqrt(arrives**2 + 2 * 110.0 * way))
    truth = play({"white": (1800.0, nose - way - 2.0), **FAR}, "white", (0.0, speed), kind=BARE)
    assert [e[1] for e in truth.events] == ["cushion"]
    found = found_in(truth, 30, 0.6, kind=BARE, seed=3, phase=0.4)
    told_of = [e for e in found.events if e.type == "cushion"]
    assert [e.t for e in told_of] == pytest.approx([truth.events[0][0]], abs=0.06) or any("cushion" in d.reason for d in found.doubts)


def fitted(*hits):
    return Fitted(hits, (0.001,) * len(hits), {}, {}, 0.0, 0.0, 0, 0.0, lambda ball, t: np.zeros((len(t), 2)))


def test_ways_of_a_doubt_are_timed_from_the_strike_and_drop_events_that_are_there():
    """Another chain is a way, but not one that is hardly possible."""
    contact, cushion = Hit("contact", ("white", "yellow"), 10.5), Hit("cushion", ("yellow",), 10.6, ("left", None))
    others = ((0.2, fitted(cushion)), (0.01, fitted()))
    moment = Settled(fitted(contact), True, 0.79, others, 10.4, 10.7, ("white", "yellow"))
    events = [Event(10.0, "strike", "white"), Event(10.5, "contact", balls=("white", "yellow"))]
    [doubt] = chain_doubts(events, Told((), (), (moment,), 10.0), 10.0)
    assert doubt.event == 1
    [way] = doubt.ways
    assert (way.label, way.drop) == ("no contact white-yellow, also cushion yellow", (1,))
    [added] = way.add
    assert (added.type, added.ball, added.cushion) == ("cushion", "yellow", "left")
    assert added.t == pytest.approx(0.6)
