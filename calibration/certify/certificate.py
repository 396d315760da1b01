"""The certificate as a value, made of what was observed; and as JSON."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from calibration.certify import measure
from calibration.certify.field import ErrorField, grid
from calibration.certify.grade import Criterion, Verdict, judged
from calibration.certify.limits import Limits, alike, limits
from calibration.certify.observed import Observed
from calibration.certify.protocol import STEPS, Known, Protocol, recognised, standard, steps
from calibration.profile import Profile

VERSION = 1
_GUESSED_PX = 0.3  # noise of a resting ball that nobody saw rest


@dataclass(frozen=True, slots=True)
class Map:
    """Values over the field: `x` (Nx) and `y` (Ny) mm, rows of y: `bound` mm within which 95 % of measured places are right,
    `scale` mm of table to a pixel, `bias` the part of the bound that is a known shift, mm."""

    x: tuple[float, ...]
    y: tuple[float, ...]
    bound: tuple[tuple[float, ...], ...]
    scale: tuple[tuple[float, ...], ...]
    bias: tuple[tuple[float, ...], ...]

    def share(self, quantile: float) -> float:
        """The bound that this share of the field keeps, mm."""
        return float(np.quantile(np.array(self.bound), quantile))


@dataclass(frozen=True, slots=True)
class Certificate:
    """How good the set-up of a table is. `steps`: which steps of the protocol were measured; `exposure` None: not measurable."""

    profile: Profile
    observed: Observed
    made_when: str
    steps: Mapping[str, bool]
    knowns: tuple[Known, ...]
    rolls: tuple[measure.Roll, ...]
    bounces: tuple[measure.Bounce, ...]
    exposure: measure.Exposure | None
    rest_px: float | None
    map: Map
    limits: Limits
    values: Mapping[str, float | None]
    verdict: Verdict

    @property
    def grade(self) -> str:
        return self.verdict.grade


def certify(profile: Profile, observed: Observed, protocol: Protocol | None = None, *, when: str = "") -> Certificate:
    """The certificate of a set-up: pure, and the same for the same observations."""
    table, camera = profile.table, profile.camera
    protocol = protocol or standard(table)
    knowns = recognised(observed.rests, table, protocol)
    rolls, bounces = measure.rolls(observed.runs, protocol), measure.bounces(observed.runs, table)
    done = steps(observed, knowns, bounces, rolls, protocol)
    exposure = measure.exposure(observed.blurs, 1 / observed.clock.rate)
    rest_px = None if observed.clock.stands else measure.jitter_px(observed.rests)
    field = ErrorField(profile, measure.samples(knowns, bounces))
    shown = _map(profile, field, _GUESSED_PX if rest_px is None else rest_px)
    light = observed.light
    unlike = alike({b.ball: b.contrast for b in light.balls}, dict(light.pairs)) if light else ()
    told = limits(
        camera, table, field, rest_px=_GUESSED_PX if rest_px is None else rest_px, moving_mm=measure.moving_jitter(rolls),
        rate=observed.clock.rate, exposure=exposure.high if exposure else None, alike=unlike,
    )  # fmt: skip
    values = _values(observed, knowns, rolls, bounces, exposure, rest_px, shown, done)
    return Certificate(
        profile, observed, when, done, knowns, rolls, bounces, exposure, rest_px, shown, told, values, judged(values)
    )  # fmt: skip


def _map(profile: Profile, field: ErrorField, noise_px: float) -> Map:
    x, y = grid(profile)
    xy = np.array([(u, v) for v in y for u in x])
    scale = profile.camera.scale_at(xy, profile.table.radius)
    bound = field.bound(xy, noise_px / scale)
    bias, _ = field.at(xy)
    shape = (len(y), len(x))
    rows = [_rows(values, shape) for values in (bound, 1 / scale, np.hypot(*bias.T))]
    return Map(tuple(map(float, x)), tuple(map(float, y)), rows[0], rows[1], rows[2])


def _rows(values: np.ndarray, shape: tuple[int, int]) -> tuple[tuple[float, ...], ...]:
    return tuple(tuple(round(float(v), 3) for v in row) for row in values.reshape(shape))


def _values(
    observed: Observed,
    knowns: tuple[Known, ...],
    rolls: tuple[measure.Roll, ...],
    bounces: tuple[measure.Bounce, ...],
    exposure: measure.Exposure | None,
    rest_px: float | None,
    shown: Map,
    done: Mapping[str, bool],
) -> dict[str, float | None]:
    """What the grade is made of, by the keys of `grade.RULES`."""
    clock, light, still = observed.clock, observed.light, observed.still
    checked = bool(knowns or bounces)
    lengths = [roll.length for roll in rolls]
    contrasts = [b.contrast for b in light.balls] + [d for _, d in light.pairs] if light else []
    scale = max(max(row) for row in shown.scale)
    return {
        "accuracy": round(shown.share(0.95), 2) if checked else None,
        "places": float(len(knowns)),
        "colours": round(min(contrasts), 1) if contrasts else None,
        "rate": round(clock.rate, 2),
        "shutter": round(1000 * exposure.high, 2) if exposure else None,
        "noise": round(1.96 * rest_px * scale, 2) if rest_px is not None else None,
        # the median of the long ones: side spin or a thin touch bends one, a lens bends them all
        "straight": round(float(np.median([r.bend + r.jitter for r in rolls if r.length >= 0.5 * max(lengths)])), 2) if rolls else None,
        "bounce": round(max(abs(b.off) for b in bounces), 2) if bounces else None,
        "flicker": round(100 * still.flicker, 2) if still and not clock.stands else None,
        "burnt": round(100 * max([b.burnt for b in light.balls] + [light.burnt]), 1) if light and light.balls else None,
        "lost": round(100 * (clock.doubled + clock.corrupt) / max(1, clock.frames), 2),
        "steps": float(sum(done.values())),
    }


def one_picture(certificate: Certificate) -> bool:
    """Whether all that was seen is one picture that stands: then neither noise nor light nor time was measured."""
    return certificate.observed.clock.stands and not (certificate.rolls or certificate.bounces)


def nothing_recognised(certificate: Certificate) -> bool:
    """Whether not one step of the protocol was seen, not even in part."""
    return not (certificate.knowns or certificate.rolls or certificate.bounces or certificate.steps["still"])


def to_json(certificate: Certificate) -> dict[str, Any]:
    """The certificate for machines; numbers that were not measured are null."""
    c = certificate
    table, camera = c.profile.table, c.profile.camera
    return {
        "certificate": VERSION,
        "made": c.made_when,
        "source": c.observed.source,
        "table": {"name": table.name, "length_mm": table.length, "width_mm": table.width, "ball_mm": table.ball},
        "picture": {"width": camera.width, "height": camera.height},
        "grade": c.grade,
        "criteria": [_criterion(k) for k in c.verdict.criteria],
        "held_back_by": [k.rule.key for k in c.verdict.held_back],
        "steps": {step: c.steps[step] for step in STEPS},
        "known_places": [_known(k) for k in c.knowns],
        "rolls": [_roll(r) for r in c.rolls],
        "bounces": [_bounce(b) for b in c.bounces],
        "exposure_ms": None if c.exposure is None else _round([1000 * v for v in (c.exposure.low, c.exposure.seconds, c.exposure.high)]),
        "rest_noise_px": None if c.rest_px is None else round(c.rest_px, 3),
        "map": {
            "x_mm": _round(c.map.x),
            "y_mm": _round(c.map.y),
            "bound95_mm": c.map.bound,
            "bias_mm": c.map.bias,
            "mm_per_px": c.map.scale,
        },
        "tells_apart": _tells(c.limits),
        "light": _light(c.observed),
        "notes": [en for _, en in c.observed.notes],
    }


def _criterion(k: Criterion) -> dict[str, Any]:
    rule = k.rule
    asked = {"at_least": rule.least, "gold": rule.gold, "silver": rule.silver, "bronze": rule.bronze}
    return {"key": rule.key, "unit": rule.unit, "value": k.value, "allows": k.allows, **asked}


def _known(k: Known) -> dict[str, Any]:
    place = {"seen_mm": _round(k.at), "off_mm": _round(k.off), "sigma_mm": _round(k.sigma)}
    return {"ball": k.ball, "at": list(k.names), "t": round(k.t, 2), **place}


def _roll(r: measure.Roll) -> dict[str, Any]:
    told = {"bend_mm": round(r.bend, 2), "jitter_mm": round(r.jitter, 2), "pace_mm": round(r.pace, 2)}
    return {"ball": r.ball, "t": round(r.t, 2), "way": r.way, "length_mm": round(r.length), "speed_mm_s": round(r.speed), **told}


def _bounce(b: measure.Bounce) -> dict[str, Any]:
    place = {"at_mm": _round(b.at), "off_mm": round(b.off, 2), "sigma_mm": round(b.sigma, 2)}
    return {"ball": b.ball, "cushion": b.cushion, "t": round(b.t, 2), "speed_mm_s": round(b.speed), **place}


def _tells(told: Limits) -> dict[str, Any]:
    return {
        "near_miss_mm": {name: round(v, 2) for name, v in told.near_miss.items()},
        "order_ms": round(told.order_ms, 2),
        "double_ms": round(told.double_ms, 1),
        "slowest_touch_mm_s": round(told.touch, 1),
        "blur_at_5_m_s_mm": None if told.blur_mm is None else round(told.blur_mm, 1),
        "alike": [list(pair) for pair in told.alike],
    }


def _round(values: Any) -> list[float | None]:
    return [None if v is None else round(float(v), 2) for v in values]


def _light(observed: Observed) -> dict[str, Any] | None:
    light, still = observed.light, observed.still
    if light is None:
        return None
    return {
        "cloth_rgb": _round(light.cloth),
        "evenness": round(light.evenness, 3),
        "balls": [
            {"ball": b.ball, "rgb": _round(b.colour), "contrast": round(b.contrast, 1), "burnt": round(b.burnt, 3)} for b in light.balls
        ],
        "pairs": [{"balls": list(pair), "contrast": round(d, 1)} for pair, d in light.pairs],
        "noise_levels": None if still is None else round(still.noise, 2),
        "flicker": None if still is None else round(still.flicker, 4),
    }
