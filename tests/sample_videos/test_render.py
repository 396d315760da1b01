"""The renderer is the source of truth for mm-level tests: silhouettes, occlusion and motion blur are checked against geometry."""

import numpy as np
import pytest

pytest.importorskip("numba")  # pictures are rendered: the extra `simulate`

from calibration.table import table
from sample_videos.render import Look, Renderer, cue, hand, overhead_camera, player, random_look, tilted_camera

_PLAIN = Look(noise=0.0, blur=0.5)

pytestmark = pytest.mark.train


def _seen(renderer, places):
    renderer.frame({"white": places}, noise=False)
    return renderer.visible["white"]


@pytest.fixture(scope="module")
def scene():
    t = table()
    camera = overhead_camera(t, 960, 540, above=2800, distortion=(-0.08, 0.01, 0.0, 0.0, 0.0))
    return t, camera, Renderer(t, camera, _PLAIN, step=6.0, oversample=1)


@pytest.mark.parametrize("at", [(1775.3, 887.2), (1000.7, 400.1), (420.4, 1500.9), (3020.6, 250.3)])
def test_silhouette_lies_where_geometry_says(scene, at):
    t, camera, renderer = scene
    outline = camera.ball_outline([at], t.radius)
    seen = _seen(renderer, [(*at, t.radius)])
    assert np.hypot(*(np.array([seen.x, seen.y]) - outline.centre[0])) < 0.03
    assert seen.area == pytest.approx(np.pi * outline.semi_axes[0].prod(), rel=0.01)


def test_motion_blur_is_centred_on_the_middle_of_the_path(scene):
    t, camera, renderer = scene
    path = [(1500 + 10 * i, 700, t.radius) for i in range(8)]
    middle = camera.ball_outline([(1535, 700)], t.radius).centre[0]
    seen = _seen(renderer, path)
    assert np.hypot(*(np.array([seen.x, seen.y]) - middle)) < 0.05


def test_a_fallen_ball_is_seen_only_through_the_hole(scene):
    t, _, renderer = scene
    renderer.frame({"white": [(1775, 887, -200)], "red": [(*t.pocket("foot-left").centre, -60)]})
    assert "white" not in renderer.visible and renderer.visible["red"].area > 20
    assert np.array_equal(renderer.frame({}, noise=False), renderer.empty)


def test_the_nose_hides_a_ball_behind_it(scene):
    t, _, renderer = scene
    whole = _seen(renderer, [(1775, 300, t.radius)]).area
    low = _seen(renderer, [(900, -15, 5)]).area
    at_nose = _seen(renderer, [(900, 32.8, t.radius)]).area  # frozen to the cushion: seen whole from above
    assert low < 0.9 * whole and at_nose > 0.93 * whole


def test_the_nearer_ball_hides_the_farther_one():
    t = table()
    renderer = Renderer(t, tilted_camera(t, 640, 360, tilt=55), _PLAIN, oversample=1)
    renderer.frame({"red": [(470, 887, 34)], "white": [(400, 887, 34)]})
    both = renderer.visible
    renderer.frame({"red": [(470, 887, 34)]})
    alone = renderer.visible["red"].area
    assert both["red"].area < 0.95 * alone < 0.95 * both["white"].area


def test_people_cover_balls_and_leave_nothing_behind():
    t = table()
    renderer = Renderer(t, overhead_camera(t, 640, 360), _PLAIN, oversample=1)
    ball = {"white": [(1500, 800, 34)]}
    alone = renderer.frame(ball, noise=False)
    area = renderer.visible["white"].area
    renderer.frame(ball, player((1800, 790, 0), (1, 0, 0), (1920, 790, 45)), noise=False)
    assert renderer.visible.get("white") is None or renderer.visible["white"].area < 0.5 * area
    assert np.array_equal(renderer.frame(ball, noise=False), alone)
    assert len(cue((0, 0, 50), (1, 0, 0))) > 1 and len(hand((0, 0, 0), (1, 0, 0))) > 4


def test_names_and_shapes_are_checked(scene):
    _, _, renderer = scene
    with pytest.raises(ValueError, match="ball 'beige'"):
        renderer.frame({"beige": [(0, 0, 34)]})
    with pytest.raises(ValueError, match=r"expected centres of shape \(S, 3\)"):
        renderer.frame({"white": [(0, 0)]})


@pytest.mark.parametrize("seed", range(4))
def test_random_looks_draw(seed):
    t = table("carom-10ft") if seed % 2 else table("pool-8ft")
    rng = np.random.default_rng(seed)
    look = random_look(rng, length=t.length, width=t.width)
    picture = Renderer(t, tilted_camera(t, 320, 180, tilt=20 * seed), look, seed, oversample=1).frame({"yellow": [(500, 500, t.radius)]})
    assert picture.shape == (180, 320, 3) and picture.dtype == np.uint8
