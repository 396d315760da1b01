"""The error of places over the whole field, from what the calibration says of itself and from measured places.

The error is taken as a random field with three parts: what a wrong camera of this kind would cause (the covariance that the
fit left in the profile, times a factor), a smooth rest that no camera explains, and what every lying ball has for itself
(its shades, a shadow at its side). The measured coordinates condition it (linear Gaussian inference); factor, size and length
of the rest, and the size of the balls' own errors are not chosen but averaged over, each weighted by how well it foretells
the measurements. Far from all measurements the field therefore stays as uncertain as it was.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import product

import numpy as np
from numpy.typing import ArrayLike, NDArray

from calibration.accuracy import place_covariance
from calibration.certify.measure import Sample
from calibration.profile import Profile
from calibration.uncertainty import slopes

Array = NDArray[np.float64]
_FACTORS = (0.3, 0.6, 1.0, 2.0, 4.0, 8.0)  # times the standard deviation that the profile states
_SIZES = (0.3, 0.6, 1.2, 2.5, 5.0, 10.0)  # mm: the rest that no camera explains
_LENGTHS = (0.3, 0.6, 1.2)  # of the table's width: how far it reaches
_OWN = (0.25, 0.5, 1.0, 2.0, 4.0)  # mm: each ball's own error, one axis
_USUAL_FACTOR, _USUAL_SIZE, _USUAL_OWN = (
    (1.0, 0.5),
    (0.8, 0.7),
    (0.7, 0.7),
)  # median and sigma of the logarithm, before anything is measured
_DRAWS = 400


@dataclass(frozen=True, slots=True)
class _Model:
    factor: float
    size: float
    length: float
    own: float
    weight: float


class ErrorField:
    """The error of a resting ball's place, inferred; `samples` are measured coordinates of it."""

    def __init__(self, profile: Profile, samples: Sequence[Sample] = ()) -> None:
        self._profile, self._radius = profile, profile.table.radius
        self._at = np.array([s.at for s in samples], float).reshape(-1, 2)
        self._way = np.array([s.way for s in samples], float).reshape(-1, 2)
        self._off = np.array([s.off for s in samples], float)
        self._noise = np.array([s.sigma**2 for s in samples], float)
        self._models = self._weighed()

    def at(self, xy: ArrayLike) -> tuple[Array, Array]:
        """Expected error (N, 2) mm of a ball's place and its covariance (N, 2, 2) mm² at places (N, 2) mm."""
        mean, cover = self._mixed(_points(xy)[:, None, :])
        return mean[:, 0], cover[:, 0, :, 0, :]

    def between(self, xy: ArrayLike, step: ArrayLike) -> tuple[Array, Array]:
        """The same of the distance of two balls: the error at (N, 2) mm plus `step` (2,) mm less that at the places."""
        pairs = np.stack([_points(xy), _points(xy) + np.asarray(step, float)], axis=1)
        mean, cover = self._mixed(pairs)
        return mean[:, 1] - mean[:, 0], cover[:, 1, :, 1] + cover[:, 0, :, 0] - cover[:, 0, :, 1] - cover[:, 1, :, 0]

    def bound(self, xy: ArrayLike, noise: ArrayLike, share: float = 0.95) -> Array:
        """(N,) mm: how far a measured place is from the true one, at most, in `share` of the cases.

        `noise` (N,) mm: standard deviation of one measurement, one axis, on top of the error of the calibration.
        """
        bias, cover = self.at(xy)
        noise = np.broadcast_to(np.asarray(noise, float), len(bias))
        total = cover + (noise**2)[:, None, None] * np.eye(2)
        low, turn = np.linalg.eigh(total)
        root = turn * np.sqrt(np.maximum(low, 0.0))[:, None, :]
        draws = np.random.default_rng(1).standard_normal((_DRAWS // 2, 2))
        draws = np.vstack([draws, -draws])  # symmetric: the bound does not lean to a side
        errors = bias[:, None, :] + np.einsum("nij,kj->nki", root, draws)
        return np.quantile(np.hypot(errors[..., 0], errors[..., 1]), share, axis=1)

    # inference ----------------------------------------------------------------------------------------------

    def _weighed(self) -> list[_Model]:
        kernel = self._kernel(self._at, self._at)
        models = []
        for factor, size, length, own in product(_FACTORS, _SIZES, _LENGTHS, _OWN):
            model = _Model(factor, size, length * self._profile.table.width, own, 0.0)
            prior = _prior(factor, _USUAL_FACTOR) + _prior(size, _USUAL_SIZE) + _prior(own, _USUAL_OWN)
            models.append((prior + self._evidence(model, kernel), model))
        best = max(worth for worth, _ in models)
        total = sum(np.exp(worth - best) for worth, _ in models)
        return [replace(m, weight=float(np.exp(w - best) / total)) for w, m in models if w > best - 5]

    def _evidence(self, model: _Model, kernel: Array) -> float:
        if not len(self._off):
            return 0.0
        root = np.linalg.cholesky(self._seen(model, kernel))
        rest = np.linalg.solve(root, self._off)
        return float(-0.5 * rest @ rest - np.log(np.diag(root)).sum())

    def _seen(self, model: _Model, kernel: Array) -> Array:
        """Covariance (K, K) of the samples."""
        full = self._with_rest(model, kernel, self._at, self._at)
        return np.einsum("ka,kalb,lb->kl", self._way, full, self._way) + np.diag(self._noise + model.own**2)

    def _kernel(self, a: Array, b: Array) -> Array:
        """Covariance (N, 2, M, 2) mm² of errors that a wrong camera causes."""
        profile = self._profile
        if profile.covariance is not None:
            p, q = self._slopes(a), self._slopes(b)
            return np.einsum("nip,pq,mjq->nimj", p, profile.covariance.matrix, q)
        # nothing but its size is known: smooth over half the table
        sa, sb = (np.sqrt(place_covariance(profile, points)[:, 0, 0]) if len(points) else np.zeros(0) for points in (a, b))
        near = _smooth(a, b, 0.5 * profile.table.length) * sa[:, None] * sb[None, :]
        return near[:, None, :, None] * np.eye(2)[None, :, None, :]

    def _kernels(self, groups: Array) -> Array:
        """The same within each group of places: (N, G, 2) -> (N, G, 2, G, 2)."""
        profile, (n, g, _) = self._profile, groups.shape
        if profile.covariance is None:
            return np.stack([self._kernel(group, group) for group in groups])
        slope = self._slopes(groups.reshape(-1, 2)).reshape(n, g, 2, -1)
        return np.einsum("ngip,pq,nhjq->ngihj", slope, profile.covariance.matrix, slope)

    def _slopes(self, xy: Array) -> Array:
        profile, z = self._profile, self._radius
        assert profile.covariance is not None
        px = profile.camera.project_at(xy, z)
        return slopes(profile.camera, profile.covariance.parameters, lambda camera: camera.to_table(px, z))

    @staticmethod
    def _with_rest(model: _Model, kernel: Array, a: Array, b: Array) -> Array:
        rest = model.size**2 * _smooth(a, b, model.length)
        return model.factor**2 * kernel + rest[:, None, :, None] * np.eye(2)[None, :, None, :]

    def _mixed(self, groups: Array) -> tuple[Array, Array]:
        """Mean (N, G, 2) and covariance (N, G, 2, G, 2) of the errors of balls at groups of places (N, G, 2)."""
        n, g, _ = groups.shape
        places = groups.reshape(-1, 2)
        here = self._kernels(groups)
        apart = ((groups[:, :, None, :] - groups[:, None, :, :]) ** 2).sum(axis=3)
        cross, seen = self._kernel(places, self._at), self._kernel(self._at, self._at)
        first, second, total = np.zeros((n, g, 2)), np.zeros((n, g, 2, g, 2)), sum(m.weight for m in self._models)
        for model in self._models:
            weight = model.weight / total
            alone = model.size**2 * np.exp(-apart / (2 * model.length**2)) + model.own**2 * np.eye(g)
            cover = model.factor**2 * here + alone[:, :, None, :, None] * np.eye(2)[None, None, :, None, :]
            mean = np.zeros((n, g, 2))
            if len(self._off):
                link = np.einsum("nakb,kb->nak", self._with_rest(model, cross, places, self._at), self._way)
                gain = np.linalg.solve(self._seen(model, seen), link.reshape(-1, len(self._off)).T).T.reshape(n, g, 2, -1)
                mean = gain @ self._off
                cover -= np.einsum("ngak,nhbk->ngahb", gain, link.reshape(n, g, 2, -1))
            first += weight * mean
            second += weight * (cover + np.einsum("nga,nhb->ngahb", mean, mean))
        return first, second - np.einsum("nga,nhb->ngahb", first, first)


def _smooth(a: Array, b: Array, length: float) -> Array:
    gap = ((a[:, None, :] - b[None, :, :]) ** 2).sum(axis=2)
    return np.exp(-gap / (2 * length * length))


def _points(xy: ArrayLike) -> Array:
    return np.asarray(xy, float).reshape(-1, 2)


def _prior(value: float, usual: tuple[float, float]) -> float:
    return -0.5 * (np.log(value / usual[0]) / usual[1]) ** 2


def grid(profile: Profile, across: int = 13) -> tuple[Array, Array]:
    """Places of the map: x (Nx,) and y (Ny,) mm, where the centre of a ball can be."""
    table = profile.table
    along = max(3, round(across * table.length / table.width))
    r = table.radius
    return np.linspace(r, table.length - r, along), np.linspace(r, table.width - r, across)
