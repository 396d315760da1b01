"""Which balls at rest were laid on known places, and which steps of the protocol there were."""

from __future__ import annotations

import pytest

from calibration.certify.observed import Rest
from calibration.certify.protocol import direction, read_protocol, recognised, standard
from calibration.errors import UserError
from calibration.table import table

TABLE = table()


def rest(x: float, y: float, ball: str = "white", **more) -> Rest:
    return Rest(ball, 0.0, 2.0, (x, y), (0.2, 0.2), 0.06, 40, **more)


def known(*rests: Rest, kind=TABLE):
    return recognised(rests, kind, standard(kind))


def test_a_ball_on_a_spot_is_known_in_both_coordinates() -> None:
    (found,) = known(rest(889.0, 885.5))
    assert found.names == ("home-spot",)
    assert found.off == pytest.approx((1.5, -2.0))
    assert found.miss == pytest.approx(2.5)


def test_a_ball_at_a_cushion_is_known_in_one() -> None:
    (found,) = known(rest(700.0, 37.0))
    assert found.names == ("right",) and found.off == (None, pytest.approx(3.0))


def test_without_pockets_a_corner_is_known_in_both() -> None:
    kind = table("carom-10ft")
    (found,) = known(rest(kind.radius + 1, kind.width - kind.radius - 2), kind=kind)
    assert set(found.names) == {"home", "left"} and found.off == pytest.approx((1.0, -2.0))


@pytest.mark.parametrize(
    "place",
    [
        pytest.param((1200.0, 500.0), id="in the open"),
        pytest.param((1200.0, 75.0), id="near a cushion"),
        pytest.param((1775.0, 34.0), id="at the mouth of a middle pocket"),
        pytest.param((34.0, 34.0), id="in the mouth of a corner"),
        pytest.param((60.0, 34.0), id="at the end of a nose"),
    ],
)
def test_elsewhere_nothing_is_known(place) -> None:
    assert known(rest(*place)) == ()


def test_a_ball_that_rolled_there_was_not_laid() -> None:
    assert known(rest(887.5, 887.5, rolled=True)) == ()


def test_a_rest_that_a_hand_divided_counts_once() -> None:
    assert len(known(rest(887.5, 887.5), rest(888.0, 887.0))) == 1
    assert len(known(rest(887.5, 887.5), rest(888.0, 887.0, "red"))) == 2


@pytest.mark.parametrize(("end", "way"), [((1000, 100), "along"), ((-1000, 100), "along"), ((50, -800), "across"), ((500, 500), "askew")])
def test_direction(end, way) -> None:
    assert direction((0.0, 0.0), end) == way


def test_a_protocol_file(tmp_path) -> None:
    path = tmp_path / "protocol.toml"
    path.write_text('cushion_reach = 10\nspots = ["home"]\n[[point]]\nname = "mark"\nx = 1000\ny = 500\nsigma_mm = 0.3\n')
    protocol = read_protocol(path, TABLE)
    assert [p.name for p in protocol.points] == ["home-spot", "mark"] and protocol.cushion_reach == 10
    (found,) = recognised([rest(1002.0, 500.0)], TABLE, protocol)
    assert found.names == ("mark",) and found.sigma == (0.3, 0.3)


@pytest.mark.parametrize(
    ("text", "field"),
    [
        ("cushion_reach = 'wide'", "cushion_reach"),
        ("colour = 3", "colour"),
        ('spots = ["nowhere"]', "spots"),
        ("point = 3", "point"),
        ("[[point]]\nx = 3\ny = 3", "name"),
        ('[[point]]\nname = "a"\nx = 99999\ny = 3', "x"),
        ("spots = [", "not TOML"),
    ],
)
def test_a_wrong_protocol_is_named(tmp_path, text, field) -> None:
    path = tmp_path / "protocol.toml"
    path.write_text(text)
    with pytest.raises(UserError, match=field):
        read_protocol(path, TABLE)


def test_a_missing_protocol(tmp_path) -> None:
    with pytest.raises(UserError, match=r"none\.toml"):
        read_protocol(tmp_path / "none.toml", TABLE)
