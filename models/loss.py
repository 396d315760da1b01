"""What the detector is taught: cells near a ball's centre name its class and the distances to its four sides.

Balls are alike and round, so which cells answer for a ball can be fixed beforehand: those within 0.3 diameters of its
centre (at least the nearest one). Cells farther in the ball are left alone, all others say "nothing". This learns a good
deal faster than an assignment that first has to find out which cells do well.
"""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor
from torch.nn import functional as F

STRIDE = 8
_NEAR, _FAR = 0.30, 0.55  # of a diameter


def ball_loss(out: dict[str, Any], labels: Tensor, size: int, *, focus: float = 1.5) -> Tensor:
    """Losses (3,): classes, sides, centres; means over balls.

    Args:
        out: of the model in training: `boxes` (B, 4, C) left, top, right, bottom in cells, `scores` (B, 5, C) logits.
        labels: (N, 6) picture, class, x, y, width, height, as shares of the picture's side.
        size: the side, px.
        focus: how much less cells count that are already right (focal loss).
    """
    scores, sides = out["scores"].float().permute(0, 2, 1), out["boxes"].float().permute(0, 2, 1)
    grid = size // STRIDE
    axis = (torch.arange(grid, device=scores.device) + 0.5) * STRIDE
    cells = torch.stack([axis.repeat(grid), axis.repeat_interleave(grid)], 1)  # (C, 2) px
    want = torch.zeros_like(scores)
    weight = torch.ones_like(scores[..., 0])
    picture, x, y = labels[:, 0].long(), labels[:, 2] * size, labels[:, 3] * size
    half = labels[:, 4:6] * (size / 2)
    if not len(labels):
        return torch.stack([_focal(scores, want, focus).sum() / len(scores), sides.sum() * 0, sides.sum() * 0])
    centre = torch.stack([x, y], 1)
    away = (cells[None] - centre[:, None]).norm(dim=2)  # (N, C)
    share = away / (2 * half.amax(dim=1, keepdim=True)).clamp(min=1)
    nearest = away == away.amin(dim=1, keepdim=True)
    mine = (share < _NEAR) | nearest
    ball, cell = mine.nonzero(as_tuple=True)
    # a cell between two balls answers for the nearer one
    best = torch.full(scores.shape[:2], 1e9, device=scores.device)
    best.view(-1).scatter_reduce_(0, picture[ball] * len(cells) + cell, share[ball, cell], "amin")
    keep = share[ball, cell] <= best[picture[ball], cell]
    ball, cell = ball[keep], cell[keep]
    at = picture[ball]
    near_ball, near_cell = ((share < _FAR) & ~mine).nonzero(as_tuple=True)
    weight[picture[near_ball], near_cell] = 0.0
    weight[at, cell] = 1.0
    want[at, cell, labels[ball, 1].long()] = 1.0
    kind = (_focal(scores, want, focus) * weight[..., None]).sum() / len(ball)
    got = sides[at, cell] * STRIDE
    p, c, h = cells[cell], centre[ball], half[ball]
    true = torch.cat([p - c + h, c + h - p], 1)
    scale = (2 * h.amax(dim=1, keepdim=True)).clamp(min=1)
    side = (F.smooth_l1_loss(got / scale, true / scale, beta=0.03, reduction="none").sum(1)).mean()
    found = p + (got[:, 2:] - got[:, :2]) / 2
    middle = F.smooth_l1_loss(found / scale, c / scale, beta=0.03, reduction="none").sum(1).mean()
    return torch.stack([kind, side, middle])


def _focal(logits: Tensor, want: Tensor, focus: float) -> Tensor:
    plain = F.binary_cross_entropy_with_logits(logits, want, reduction="none")
    wrong = (logits.detach().sigmoid() - want).abs()
    return plain * wrong**focus
