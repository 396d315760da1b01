"""Pictures of a video grouped by view: a cut or a moved camera must not be averaged with the rest."""

from __future__ import annotations

from collections.abc import Sequence

import cv2
import numpy as np
from numpy.typing import NDArray

_SMALL = 480  # longer side of the pictures compared, px
_PATCH, _REACH = 40, 6


def median_views(pictures: Sequence[NDArray[np.uint8]], most: int = 3) -> list[tuple[NDArray[np.uint8], float]]:
    """Medians of the groups of pictures that show one view, the largest group first, with the group's share."""
    if len(pictures) == 1:
        return [(pictures[0], 1.0)]
    small = [_edges(p) for p in pictures]
    groups: list[list[int]] = []
    for index, picture in enumerate(small):
        for group in groups:
            if same_view(small[group[len(group) // 2]], picture):
                group.append(index)
                break
        else:
            groups.append([index])
    groups.sort(key=len, reverse=True)
    views = []
    for group in groups[:most]:
        chosen = [pictures[i] for i in group][:25]
        views.append((_median(chosen), len(group) / len(pictures)))
    return views


def alike_views(pictures: Sequence[NDArray[np.uint8]], view: NDArray[np.uint8], most: int) -> list[NDArray[np.uint8]]:
    """At most so many of the pictures, spread over all, that show the same view as one does."""
    chosen = [pictures[i] for i in np.unique(np.linspace(0, len(pictures) - 1, most).round().astype(int))]
    if len(chosen) == 1:
        return chosen
    small = _edges(view)
    return [picture for picture in chosen if same_view(small, _edges(picture))]


def _median(pictures: Sequence[NDArray[np.uint8]]) -> NDArray[np.uint8]:
    """Median by bands of rows: flat memory for large pictures."""
    if len(pictures) == 1:
        return pictures[0]
    rows = [np.median(np.stack([p[y : y + 64] for p in pictures]), axis=0) for y in range(0, pictures[0].shape[0], 64)]
    return np.concatenate(rows).astype(np.uint8)


def _edges(picture: NDArray[np.uint8]) -> NDArray[np.float32]:
    """Small picture of the strength of edges, bounded so that no lamp or shirt rules it."""
    grey = picture if picture.ndim == 2 else cv2.cvtColor(picture[..., :3], cv2.COLOR_BGR2GRAY)
    scale = _SMALL / max(grey.shape)
    grey = cv2.GaussianBlur(cv2.resize(grey, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA).astype(np.float32), (0, 0), 1.0)
    return np.minimum(cv2.magnitude(cv2.Sobel(grey, cv2.CV_32F, 1, 0), cv2.Sobel(grey, cv2.CV_32F, 0, 1)), 100.0)


def same_view(one: NDArray[np.float32], two: NDArray[np.float32]) -> bool:
    """Whether two small edge pictures show one view: most patches with edges are found again within a pixel of their place.

    People hide or move some patches, flicker changes none; a cut or a moved camera moves nearly all.
    """
    votes = []
    for y in range(_REACH, one.shape[0] - _PATCH - _REACH, _PATCH):
        for x in range(_REACH, one.shape[1] - _PATCH - _REACH, _PATCH):
            patch = one[y : y + _PATCH, x : x + _PATCH]
            if float(patch.std()) < 12.0:
                continue
            window = two[y - _REACH : y + _PATCH + _REACH, x - _REACH : x + _PATCH + _REACH]
            scores = cv2.matchTemplate(window, patch, cv2.TM_CCOEFF_NORMED)
            # along a straight edge a patch may slip: what counts is how well it fits where it was
            here = float(scores[_REACH - 1 : _REACH + 2, _REACH - 1 : _REACH + 2].max())
            votes.append(here > 0.4 and here > float(scores.max()) - 0.1)
    return len(votes) >= 4 and float(np.mean(votes)) > 0.5
