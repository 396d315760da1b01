"""Which kind of table it is: from measures, and from pictures of rendered tables; doubt where they fit another table."""

from __future__ import annotations

import numpy as np
import pytest

from calibration.errors import UserError
from calibration.kind import DEFAULT, contradiction, expected_mouth, guess_kind, judged, settled
from calibration.mouths import Mouths
from calibration.roundness import BallSize, Round, agreed_size
from calibration.table import KINDS, Table, custom_table, table

NOTHING = Mouths(None, 0.0, None, 0.0, 0, 0, 0)
NO_POCKETS = Mouths(None, 0.0, None, 0.0, 0, 6, 2)


def mouths_of(kind: Table, wider: float = 1.0) -> Mouths:
    if not kind.pockets:
        return NO_POCKETS
    middle, corner = (wider * expected_mouth(kind, corner=c) for c in (False, True))
    return Mouths(middle, 0.06 * middle, corner, 0.06 * corner, 6, 0, 0)


def ball_of(kind: Table, larger: float = 1.0, count: int = 5) -> BallSize:
    ratio = larger * kind.ball / kind.length
    return BallSize(ratio, 0.04 * ratio, count)


def test_every_kind_is_the_likeliest_where_all_measures_are_its_own():
    for name in KINDS:
        kind = table(name)
        guess = judged(mouths_of(kind), ball_of(kind))
        assert guess.ranked[0][0] == name, (name, guess.ranked[:3])
        assert guess.best in (name, None)
    sure = [name for name in KINDS if judged(mouths_of(table(name)), ball_of(table(name))).best == name]
    assert {"pyramid-12ft", "pyramid-10ft", "snooker-12ft", "pool-9ft", "carom-10ft"} <= set(sure)


def test_without_evidence_nothing_is_claimed():
    guess = judged(NOTHING, None)
    assert guess.best is None and guess.ranked[0][0] == DEFAULT
    assert "neither" in guess.evidence()
    choice = settled(None, guess)
    assert choice.table == table(DEFAULT) and "assumed" in choice.why and "assumed" in choice.warnings[0]


@pytest.mark.parametrize("larger", [0.95, 1.0, 1.05])
@pytest.mark.parametrize("wider", [0.9, 1.0, 1.1])
def test_a_pyramid_table_of_12_feet_is_never_taken_for_another(larger, wider):
    kind = table(DEFAULT)
    for mouths in (mouths_of(kind, wider), NOTHING):
        for ball in (ball_of(kind, larger), ball_of(kind, larger, 2), None):
            guess = judged(mouths, ball)
            assert settled(None, guess).table == kind, (guess.ranked[:3],)
            against = contradiction(kind, guess)
            assert against is None or not against.strong


@pytest.mark.parametrize(
    ("middle", "corner", "ball"),
    [(0.056, 0.067, 0.044), (0.047, 0.032, 0.0247), (0.052, 0.0415, 0.0305), (0.038, 0.034, 0.0224), (0.080, 0.060, 0.031)],
)
def test_toys_and_tables_at_home_are_no_known_kind(middle, corner, ball):
    guess = judged(Mouths(middle, 0.06 * middle, corner, 0.06 * corner, 6, 0, 0), BallSize(ball, 0.04 * ball, 7))
    assert guess.best is None
    choice = settled(None, guess)
    assert choice.table.name == DEFAULT and len(choice.warnings) == 2  # assumed, and what speaks against it


def test_no_pockets_are_carom_even_without_balls():
    choice = settled(None, judged(NO_POCKETS, None))
    assert choice.table.name == "carom-10ft" and "assumed" in choice.why


@pytest.mark.parametrize(
    ("named", "seen", "strong"),
    [
        ("pyramid-12ft", "carom-10ft", True),
        ("carom-10ft", "pool-9ft", True),
        ("pyramid-12ft", "pool-9ft", True),
        ("pyramid-12ft", "pyramid-8ft", True),
        ("pool-9ft", "pyramid-12ft", True),
        ("pyramid-12ft", "pyramid-10ft", False),
    ],
)
def test_a_named_kind_that_the_picture_contradicts(named, seen, strong):
    guess = judged(mouths_of(table(seen)), ball_of(table(seen)))
    against = contradiction(table(named), guess)
    if not strong:
        assert against is None or not against.strong
        return
    assert against is not None and against.strong and seen in against.text
    with pytest.raises(UserError, match=f"--table.*{seen}.*--force"):
        settled(table(named), guess)
    forced = settled(table(named), guess, force=True)
    assert forced.table == table(named) and "--force" in forced.why and forced.warnings == (against.text,)


def test_a_kind_that_fits_is_taken_without_a_word():
    for name in KINDS:
        choice = settled(table(name), judged(mouths_of(table(name)), ball_of(table(name))))
        assert (choice.table, choice.why, choice.warnings) == (table(name), "", ())


def test_balls_that_are_not_those_of_a_size_are_a_warning():
    mine = custom_table(1881, 943)
    against = contradiction(mine, judged(NOTHING, BallSize(52.4 / 1881, 0.001, 9)))
    assert against is not None and not against.strong and "52 mm" in against.text and "--ball-mm" in against.text
    assert contradiction(custom_table(1881, 943, ball=52.4), judged(NOTHING, BallSize(52.4 / 1881, 0.001, 9))) is None


def test_sizes_of_blobs_count_where_they_agree():
    def blob(x: float, ratio: float) -> Round:
        return Round((x, 500.0), ratio * 3550, ratio, 20.0, (200.0, 200.0, 200.0), 0.95)

    assert agreed_size([[blob(500, 0.019)]]) is None
    assert agreed_size([[blob(500, 0.019)], [blob(501, 0.019)]]) is None  # one ball, seen twice
    assert agreed_size([[blob(500, 0.019), blob(900, 0.03), blob(1500, 0.045)]]) is None
    size = agreed_size([[blob(500, 0.019), blob(900, 0.0192), blob(1500, 0.0188), blob(2500, 0.04)]])
    assert size is not None and size.count == 3 and size.ratio == pytest.approx(0.0195, rel=0.02)


@pytest.mark.train
@pytest.mark.parametrize(
    ("name", "best"),
    [("pyramid-12ft", "pyramid-12ft"), ("pool-9ft", "pool-9ft"), ("snooker-12ft", "snooker-12ft"), ("carom-10ft", "carom-10ft")],
)
def test_kinds_seen_on_rendered_tables(name, best):
    pytest.importorskip("numba")
    from sample_videos.render import Look, Renderer, overhead_camera

    kind = table(name)
    camera = overhead_camera(kind, 1280, 720, above=0.8 * kind.length)
    places = {"white": (0.2, 0.3), "yellow": (0.4, 0.7), "red": (0.6, 0.2), "red#2": (0.8, 0.6), "yellow#2": (0.3, 0.5)}
    balls = {colour: [(x * kind.length, y * kind.width, kind.radius)] for colour, (x, y) in places.items()}
    picture = Renderer(kind, camera, Look(noise=1.0), 3, oversample=1, floor_step=30.0, samples=8).frame(balls)
    guess = guess_kind([picture], camera, kind)
    assert guess.best == best, (guess.ranked[:3], guess.evidence())
    assert guess.ball is not None and guess.ball.ratio == pytest.approx(kind.ball / kind.length, rel=0.07)
    assert contradiction(kind, guess) is None
    if kind.pockets:
        assert guess.mouths.gaps == 6 and guess.mouths.middle == pytest.approx(expected_mouth(kind, corner=False), rel=0.12)
    else:
        assert guess.mouths.none


def test_a_picture_of_nothing_but_cloth_says_nothing_about_pockets():
    from tests.calibration.scenes import OVERHEAD, TABLE

    picture = np.random.default_rng(1).normal((60, 120, 40), 2.0, (720, 1280, 3)).clip(0, 255).astype(np.uint8)
    guess = guess_kind([picture], OVERHEAD, TABLE)
    assert not guess.mouths.none and not guess.mouths.some and guess.best is None


def test_a_ball_that_is_not_the_one_seen_is_doubted_without_a_named_table():
    seen = judged(mouths_of(table(DEFAULT), 1.0), ball_of(table(DEFAULT), 1.0))
    assert len(settled(None, seen, ball=68.0).warnings) == 1
    wrong = settled(None, seen, ball=99.0)
    assert any("balls look about" in text and "not 99 mm" in text for text in wrong.warnings)
