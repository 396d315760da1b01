"""What is known of a lens before a table is looked at."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
USUAL_FOCAL = 0.82  # widths of the picture
_CUT = 0.08  # widths: sigma of the principal point of a picture that was cut out of a larger one


@dataclass(frozen=True, slots=True)
class LensPrior:
    """What is known of the lens before looking at the table: `values` and `sigma` by name (`uncertainty.LENS`).

    `log_focal` is the logarithm of the focal length in px, `cx`, `cy` are px; a sigma of 0 keeps the value.
    `covariance`: of the names in `together`, instead of their sigmas (a lens that was calibrated).
    """

    values: Mapping[str, float]
    sigma: Mapping[str, float]
    together: tuple[str, ...] = ()
    covariance: Array | None = None


def usual_lens(size: tuple[int, int]) -> LensPrior:
    """Lenses as people put over tables: phones, webcams, action and ceiling cameras."""
    wide = max(size)
    values = {"log_focal": np.log(USUAL_FOCAL * wide), "cx": (size[0] - 1) / 2, "cy": (size[1] - 1) / 2}
    sigma = {"log_focal": 0.32, "cx": 0.004 * wide, "cy": 0.004 * wide, "k1": 0.25, "k2": 0.06, "p1": 3e-4, "p2": 3e-4, "k3": 0.01}
    return LensPrior(values, sigma)


def cut_lens(size: tuple[int, int]) -> LensPrior:
    """The same behind a picture that was cut out of a larger one."""
    lens = usual_lens(size)
    return LensPrior(lens.values, {**lens.sigma, "cx": _CUT * max(size), "cy": _CUT * max(size)})
