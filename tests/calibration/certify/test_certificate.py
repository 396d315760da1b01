"""Grades: what good and bad set-ups get, what is not measured limits them, and the advice names the cause."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest

from calibration.certify.advice import Advice, advice, next_grade, number
from calibration.certify.certificate import Certificate, certify, nothing_recognised, one_picture, to_json
from calibration.certify.grade import GRADES, RULES, judged
from calibration.certify.observed import Clock, Observed
from tests.calibration.certify.observations import SIZE, blurs, light, profile, whole

TRUE = profile()


@pytest.fixture(scope="module")
def good() -> Certificate:
    return certify(TRUE, whole(TRUE, TRUE), when="2026-12-01")


def keys(tips: tuple[Advice, ...]) -> set[str]:
    return {tip.key for tip in tips}


def test_a_good_set_up_is_gold(good) -> None:
    assert good.grade == "gold" and advice(good) == () and next_grade(good) is None
    assert all(good.steps.values())


def test_wrong_corners_get_none_and_are_told_to_calibrate() -> None:
    told = profile(np.array([[6, 0], [-6, 3], [4, 5], [0, -6]]))
    found = certify(told, whole(TRUE, told))
    assert found.grade == "none" and "accuracy" in keys(advice(found))
    tip = next(tip for tip in advice(found) if tip.key == "accuracy")
    assert "calibrate again" in tip.change.en and "калибруйте снова" in tip.change.ru


@pytest.mark.parametrize(
    ("more", "key", "grade"),
    [
        ({"clock": Clock(1000, 25.0)}, "rate", "bronze"),
        ({"clock": Clock(1000, 30.0)}, "rate", "silver"),
        ({"clock": Clock(1000, 50.0, doubled=50)}, "lost", "bronze"),
        ({"blurs": blurs(0.006)}, "shutter", "silver"),
        ({"light": light(contrast=15.0)}, "colours", "bronze"),
        ({"light": light(contrast=8.0)}, "colours", "none"),
    ],
)
def test_each_fault_costs_its_grade(more, key, grade) -> None:
    found = certify(TRUE, whole(TRUE, TRUE, **more))
    assert found.grade == grade and key in keys(advice(found))


@pytest.mark.parametrize(
    ("more", "step", "best"),
    [
        ({"still": None}, "still", "silver"),
        ({"blurs": ()}, None, "bronze"),
        ({"runs": ()}, "bounce", "bronze"),
        ({"rests": ()}, "places", "none"),
    ],
)
def test_what_is_not_measured_limits_the_grade(more, step, best) -> None:
    found = certify(TRUE, whole(TRUE, TRUE, **more))
    assert GRADES.index(found.grade) <= GRADES.index(best)
    assert step is None or not found.steps[step]


def test_pictures_that_repeat_to_the_bit_tell_no_noise() -> None:
    frozen = certify(TRUE, whole(TRUE, TRUE, clock=Clock(2000, 50.0, frozen=1900)))
    assert frozen.values["noise"] is None and frozen.values["flicker"] is None and frozen.grade == "bronze"
    assert not one_picture(frozen)  # balls roll in it
    rests = tuple(replace(rest, jitter_px=0.0) for rest in whole(TRUE, TRUE).rests)
    assert certify(TRUE, whole(TRUE, TRUE, rests=rests)).grade == "bronze"
    # a recorder that shows each picture three times repeats two of three
    assert certify(TRUE, whole(TRUE, TRUE, clock=Clock(3000, 50.0, frozen=2000))).grade == "gold"


def test_one_picture_that_stands() -> None:
    assert one_picture(certify(TRUE, whole(TRUE, TRUE, clock=Clock(2000, 50.0, frozen=1999), runs=(), blurs=())))


def test_without_known_places_accuracy_is_not_claimed() -> None:
    found = certify(TRUE, whole(TRUE, TRUE, rests=(), runs=()))
    assert found.values["accuracy"] is None and found.grade == "none"


def test_nothing_at_all() -> None:
    empty = certify(TRUE, Observed("x.mp4", SIZE, Clock(100, 30.0)))
    assert nothing_recognised(empty) and empty.grade == "none"
    assert not nothing_recognised(certify(TRUE, whole(TRUE, TRUE)))


def test_the_same_observations_give_the_same_certificate(good) -> None:
    assert to_json(certify(TRUE, whole(TRUE, TRUE), when="2026-12-01")) == to_json(good)


def test_json_is_plain_and_complete(good) -> None:
    document = json.loads(json.dumps(to_json(good)))
    assert document["grade"] == "gold" and len(document["criteria"]) == len(RULES)
    assert len(document["known_places"]) == 11 and len(document["bounces"]) == 1
    assert len(document["map"]["bound95_mm"]) == len(document["map"]["y_mm"])


def test_the_limits_follow_noise_and_rate(good) -> None:
    coarse = certify(TRUE, whole(TRUE, TRUE, clock=Clock(1000, 25.0)))
    assert coarse.limits.double_ms == pytest.approx(2 * good.limits.double_ms)
    assert coarse.limits.touch >= good.limits.touch
    loud = certify(TRUE, whole(TRUE, TRUE, rests=tuple(replace(r, jitter_px=1.0) for r in good.observed.rests)))
    assert loud.limits.near_miss["centre"] > good.limits.near_miss["centre"]


def test_balls_that_look_alike_are_named() -> None:
    from tests.calibration.certify.observations import light as lit

    same = replace(lit(), pairs=((("white", "yellow"), 5.0),))
    found = certify(TRUE, whole(TRUE, TRUE, light=same))
    assert found.limits.alike == (("white", "yellow"),)
    assert "white and yellow" in next(t for t in advice(found) if t.key == "colours").change.en


def test_limits_are_ordered() -> None:
    for rule in RULES:
        limits = [v for v in (rule.gold, rule.silver, rule.bronze) if v is not None]
        assert limits == sorted(limits, reverse=rule.least), rule.key
    assert judged({}).grade == "none"


@pytest.mark.parametrize(("value", "shown"), [(50.0, "50"), (2.0, "2"), (3.14159, "3.1"), (0.284, "0.28"), (0.0, "0"), (127.7, "128")])
def test_numbers_as_people_read_them(value, shown) -> None:
    assert number(value) == shown
