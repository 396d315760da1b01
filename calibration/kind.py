"""Which kind of table a picture shows: from the mouths of its pockets and the size of its balls, in parts of its length.

No picture tells a length, but mouth / length, ball / length and mouth / ball together tell most kinds apart, and a table
without pockets is one of carom. Tables that are none of the kinds (at home, toys, other mouths) must come out as doubtful:
one of the explanations is always «another table».
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import exp, log, pi, sqrt, tan

import numpy as np
from numpy.typing import NDArray

from calibration.camera import Camera
from calibration.errors import UserError
from calibration.mouths import DEPTH, FlatView, Mouths, measure_mouths
from calibration.roundness import BallSize, Round, agreed_size, round_blobs
from calibration.table import KINDS, Table, table
from calibration.views import median_views

DEFAULT = "pyramid-12ft"
CLEAR = 0.95  # likelihood from which a kind is chosen without being named
_MOST_PICTURES = 6  # in which balls are looked for
# How common a kind is where nobody said which: this is a program for pyramid tables.
# Small pool tables come in so many sizes that the likeliest of them is not likely to be the right one.
_PRIOR = {DEFAULT: 0.5, "pool-9ft": 0.06, "pool-7ft": 0.01, "snooker-12ft": 0.06, "carom-10ft": 0.09, "carom-9ft": 0.03}
_RARE, _OTHER = 0.02, 0.2
# Tables of a kind differ in their mouths (logarithm): pyramid and snooker by their templates little, pool much.
_VARIETY = {"pyramid": 0.05, "snooker": 0.07, "pool": 0.10}
_TELLING = 3.0  # how much better the likeliest kind must fit than any other
_CONTRARY, _ODD = 4.0, 2.7  # standard deviations from which a kind is excluded, doubtful


@dataclass(frozen=True, slots=True)
class KindGuess:
    """What a table may be. `ranked`: (kind, likelihood), likeliest first; what is missing to 1 is «another table».
    `blobs`: what looks like balls in some of the pictures, mm of the table that was given. `telling`: whether the
    measures by themselves, not how common the kinds are, set the likeliest apart from all others."""

    ranked: tuple[tuple[str, float], ...]
    mouths: Mouths
    ball: BallSize | None
    blobs: tuple[tuple[Round, ...], ...] = ()
    telling: bool = False

    @property
    def best(self) -> str | None:
        """The kind, if the evidence is clear: without pockets, or pockets and several balls of the right size."""
        name, likelihood = self.ranked[0]
        balls = self.ball.count if self.ball is not None else 0
        enough = self.mouths.none or (self.mouths.some and balls >= (2 if name == DEFAULT else 4))
        return name if likelihood >= CLEAR and enough and self.telling else None

    def likely(self) -> str:
        """The kinds that fit, for a message."""
        fitting = [f"{name} {likelihood:.0%}" for name, likelihood in self.ranked[:3] if likelihood >= 0.1]
        return ", ".join(fitting) if fitting else "none of the known kinds (give --size)"

    def evidence(self) -> str:
        """What was measured, in one line."""
        parts = []
        if self.mouths.none:
            parts.append("no pockets")
        elif self.mouths.gaps:
            widths = [f"{name} mouths {100 * v:.1f} %" for name, v in (("middle", self.mouths.middle), ("corner", self.mouths.corner)) if v]
            parts.append(" and ".join(widths) if widths else "pockets")
        if self.ball:
            parts.append(f"balls {100 * self.ball.ratio:.2f} % of the table's length")
        return ", ".join(parts) or "neither pockets nor balls could be measured"


@dataclass(frozen=True, slots=True)
class Settled:
    """The table to calibrate on, `why` it is this one (one line; empty if it was named), and what should be looked at."""

    table: Table
    why: str
    warnings: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Contradiction:
    """What speaks against a named table: `strong` evidence is refused, weaker is a warning."""

    text: str
    strong: bool


def guess_kind(pictures: Sequence[NDArray[np.uint8]], camera: Camera, shape: Table) -> KindGuess:
    """The kinds that a table may be of.

    Args:
        pictures: BGR, of one view of one camera; people may hide pockets in some.
        camera: fitted to the corners with the table `shape`, whatever its true size: only proportions are used.
    """
    view = FlatView(camera, shape)
    mouths = measure_mouths(view.flat(median_views(pictures)[0][0]))
    chosen = pictures[:: max(1, len(pictures) // _MOST_PICTURES)][:_MOST_PICTURES]
    blobs = tuple(tuple(round_blobs(view.flat(picture), camera, shape)) for picture in chosen)
    return judged(mouths, agreed_size(blobs), blobs)


def judged(mouths: Mouths, ball: BallSize | None, blobs: tuple[tuple[Round, ...], ...] = ()) -> KindGuess:
    """Likelihoods of the kinds from what was measured."""
    fits = {name: _fit(table(name), mouths, ball) for name in KINDS}
    weights = {name: _PRIOR.get(name, _RARE) * fit for name, fit in fits.items()}
    other = _OTHER * _fit_of_another(mouths, ball)
    total = sum(weights.values()) + other
    ranked = sorted(((name, weight / total) for name, weight in weights.items()), key=lambda pair: -pair[1])
    rival = max(fit for name, fit in fits.items() if name != ranked[0][0])
    return KindGuess(tuple(ranked), mouths, ball, blobs, fits[ranked[0][0]] > _TELLING * rival)


def _fit(kind: Table, mouths: Mouths, ball: BallSize | None) -> float:
    """How likely the measures are on a table of this kind."""
    value = 1.0
    if mouths.none or mouths.some:
        value *= 0.998 if bool(kind.pockets) == mouths.some else 0.002
    if kind.pockets:
        for seen, sigma, corner in ((mouths.middle, mouths.middle_sigma, False), (mouths.corner, mouths.corner_sigma, True)):
            if seen is not None:
                value *= _density(log(seen / expected_mouth(kind, corner=corner)), sqrt((sigma / seen) ** 2 + _variety(kind) ** 2))
    elif mouths.some:
        value *= 1.0 if mouths.middle is None or mouths.corner is None else 0.5
    if ball is not None:
        value *= _density(log(ball.ratio / (kind.ball / kind.length)), ball.sigma / ball.ratio)
    return value


def _fit_of_another(mouths: Mouths, ball: BallSize | None) -> float:
    """On a table of no known kind: any mouth from 1.5 to 9 %, any ball from 1.2 to 6 % of the length."""
    value = 1.0
    if mouths.none:
        value *= 0.05  # made for carom nearly always, of one of the usual sizes mostly
    value *= 0.56 ** ((mouths.middle is not None) + (mouths.corner is not None))
    return value * (0.62 if ball is not None else 1.0)


def expected_mouth(kind: Table, *, corner: bool) -> float:
    """Width of a mouth per length where it is measured: a little outside the tips, where the throat is already narrower."""
    pocket = next(p for p in kind.pockets if p.corner == corner)
    (ax, ay), (bx, by) = (jaw.throat for jaw in pocket.jaws)
    lean = tan(np.arccos(np.clip(ax * bx + ay * by, -1, 1)) / 2)
    depth = DEPTH / 100 * kind.length * (sqrt(2) if corner else 1.0)
    return max(pocket.mouth - 2 * depth * lean, 0.6 * pocket.mouth) / kind.length


def _variety(kind: Table) -> float:
    return next((v for name, v in _VARIETY.items() if kind.name.startswith(name)), 0.15)


def _density(off: float, sigma: float) -> float:
    """Of a normal distribution with a few outliers."""
    return 0.98 * exp(-0.5 * (off / sigma) ** 2) / (sigma * sqrt(2 * pi)) + 0.02 * 0.3


def contradiction(named: Table, guess: KindGuess) -> Contradiction | None:
    """What in the picture speaks against the table that was named, or None.

    Sizes of mouths are only held against tables of a known kind; of a custom size nothing is known but its ball.
    """
    found = _of_pockets(named, guess) or (_of_mouths(named, guess) if named.name in KINDS and named.pockets else None)
    return found or _of_balls(named, guess)


def _of_pockets(named: Table, guess: KindGuess) -> Contradiction | None:
    if named.pockets and guess.mouths.none:
        return Contradiction(f"a {named.name} table has pockets, this one has none; what fits: {guess.likely()}", named.name in KINDS)
    if not named.pockets and guess.mouths.some:
        return Contradiction(f"a {named.name} table has no pockets, this one has some; what fits: {guess.likely()}", True)
    return None


def _of_mouths(named: Table, guess: KindGuess) -> Contradiction | None:
    mouths = guess.mouths
    if not mouths.some:
        return None
    away = []
    for seen, sigma, corner in ((mouths.middle, mouths.middle_sigma, False), (mouths.corner, mouths.corner_sigma, True)):
        if seen is not None:
            away.append(log(seen / expected_mouth(named, corner=corner)) / sqrt((sigma / seen) ** 2 + _variety(named) ** 2))
    least = min(away, key=abs)
    if len({a > 0 for a in away}) > 1 or abs(least) < _ODD:
        return None
    # a mouth easily looks too narrow (shade, blur, a net in the cloth's colour): only by far does that speak
    ratios = [seen / expected_mouth(named, corner=corner) for seen, corner in ((mouths.middle, False), (mouths.corner, True)) if seen]
    far = min(ratios) > 1.3 if least > 0 else max(ratios) < 0.65
    strong = abs(least) >= _CONTRARY and len(away) == 2 and far
    size = "wide" if least > 0 else "narrow"
    text = f"the pockets are too {size} for {named.name} ({guess.evidence()}); what fits: {guess.likely()}"
    return Contradiction(text, strong)


def _of_balls(named: Table, guess: KindGuess) -> Contradiction | None:
    ball = guess.ball
    if ball is None or ball.count < 3:
        return None
    away = log(ball.ratio / (named.ball / named.length)) / (ball.sigma / ball.ratio)
    if abs(away) < _ODD + 0.5:
        return None
    seen = ball.ratio * named.length
    return Contradiction(
        f"the balls look about {seen:.0f} mm wide on {named.name}, not {named.ball:g} mm: check --table, --size and --ball-mm", False
    )


def settled(named: Table | None, guess: KindGuess, *, ball: float | None = None, force: bool = False) -> Settled:
    """The table to calibrate on: the one that was named, else the one that is clearly seen, else a pyramid table of 12 feet.

    Args:
        named: the table of the options; None if none was named.
        guess: what the pictures say.
        ball: diameter of the balls, mm, if given.
        force: accept a named table against strong evidence.

    Raises:
        UserError: strong evidence against the table that was named.
    """
    if named is not None:
        against = contradiction(named, guess)
        if against is None:
            return Settled(named, "")
        if against.strong and not force:
            raise UserError(f"--table: {against.text}; --force takes it as named")
        why = f"{named.name} by --force, against what is seen ({guess.evidence()})" if against.strong else ""
        return Settled(named, why, (against.text,))
    best = guess.best
    if best is not None and best != DEFAULT:
        return Settled(
            table(best, ball=ball), f"{best} by what is seen ({guess.evidence()})", (_name_it(best, "taken: " + guess.evidence()),)
        )
    if guess.mouths.none:
        carom = next(name for name, _ in guess.ranked if not table(name).pockets)
        return Settled(table(carom, ball=ball), f"{carom} assumed (no pockets seen)", (_name_it(carom, "assumed, as no pockets are seen"),))
    kind = table(DEFAULT, ball=ball)
    against = contradiction(kind, guess) if best is None or ball is not None else None
    doubt = (f"{against.text}; give --table or --size",) if against is not None else ()
    return Settled(kind, f"{DEFAULT} assumed", (_name_it(DEFAULT, "assumed"), *doubt))


def _name_it(name: str, why: str) -> str:
    return f"no --table or --size: {name} {why}"
