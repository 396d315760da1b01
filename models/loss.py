"""What the detector is taught: cells near a ball's centre name its class and the distances to its four sides.

Balls are alike and round, so which cells answer for a ball can be fixed beforehand: those within 0.3 diameters of its
centre (at least the nearest one). Cells farther in the ball are left alone, all others say "nothing". This learns a good
deal faster than an assignment that first has to find out which cells do well. Hands and cue tips are taught alike, each class by
itself and with less weight: what the ball classes are taught does not depend on them, and a cell that a ball claims gives its box.
"""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor
from torch.nn import functional as F

from models.labels import BALLS

STRIDE = 8
_NEAR, _FAR = 0.30, 0.55  # of a diameter
_THINGS = 0.3  # weight of hands and cues beside balls


def ball_loss(out: dict[str, Any], labels: Tensor, size: int, *, focus: float = 1.5, told: Tensor | None = None) -> Tensor:
    """Losses (3,): classes, sides, centres; means over balls, and over hands and cues.

    Args:
        out: of the model in training: `boxes` (B, 4, C) left, top, right, bottom in cells, `scores` (B, K, C) logits.
        labels: (N, 6) picture, class, x, y, width, height, as shares of the picture's side.
        size: the side, px.
        focus: how much less cells count that are already right (focal loss).
        told: (B, K) whether a picture's labels tell of a class (all of them by default); nothing is learnt of the others.
    """
    scores, sides = out["scores"].float().permute(0, 2, 1), out["boxes"].float().permute(0, 2, 1)
    many, _, classes = scores.shape
    group = torch.arange(classes, device=scores.device).sub(len(BALLS) - 1).clamp(min=0)  # balls are one, other classes one each
    cells = _cells(size, scores.device)
    picture, kind = labels[:, 0].long(), labels[:, 1].long()
    centre, half = labels[:, 2:4] * size, labels[:, 4:6] * (size / 2)
    away = (cells[None] - centre[:, None]).norm(dim=2)  # (N, C)
    share = away / (2 * half.amax(dim=1, keepdim=True)).clamp(min=1)
    nearest = away == away.amin(dim=1, keepdim=True) if len(labels) else share < 0
    mine = (share < _NEAR) | nearest
    label, cell = mine.nonzero(as_tuple=True)
    # a cell between two balls answers for the nearer one
    place = (picture * int(group[-1] + 1) + group[kind])[label] * len(cells) + cell
    best = torch.full((many * int(group[-1] + 1) * len(cells),), 1e9, device=scores.device)
    best.scatter_reduce_(0, place, share[label, cell], "amin")
    keep = share[label, cell] <= best[place]
    label, cell = label[keep], cell[keep]
    weight = torch.ones((many, int(group[-1]) + 1, len(cells)), device=scores.device)
    near_label, near_cell = ((share < _FAR) & ~mine).nonzero(as_tuple=True)
    weight[picture[near_label], group[kind[near_label]], near_cell] = 0.0
    weight[picture[label], group[kind[label]], cell] = 1.0
    want = torch.zeros_like(scores)
    want[picture[label], cell, kind[label]] = 1.0
    plain = _focal(scores, want, focus) * weight[:, group].permute(0, 2, 1)
    if told is not None:
        plain = plain * told[:, None, :classes]
    return _sum(plain, kind[label] < len(BALLS), many) + _boxes(sides, cells, (picture, centre, half), (label, cell, share), kind)


def _cells(size: int, device: Any) -> Tensor:
    """Centres (C, 2) of the cells, px."""
    grid = size // STRIDE
    axis = (torch.arange(grid, device=device) + 0.5) * STRIDE
    return torch.stack([axis.repeat(grid), axis.repeat_interleave(grid)], 1)


def _sum(plain: Tensor, of_ball: Tensor, pictures: int) -> Tensor:
    """(3,): the classes' loss; cells of balls and of things each have their own mean. `plain` (B, C, K)."""
    n = len(BALLS)
    balls = plain[..., :n].sum() / max(int(of_ball.sum()), pictures)
    things = plain[..., n:].sum() / max(int((~of_ball).sum()), pictures)
    return F.pad((balls + _THINGS * things).reshape(1), (0, 2))


def _boxes(
    sides: Tensor, cells: Tensor, where: tuple[Tensor, Tensor, Tensor], owned: tuple[Tensor, Tensor, Tensor], kind: Tensor
) -> Tensor:
    """(3,): the losses of sides and centres, in diameters. A cell has one box: a ball's before a thing's, the nearer one's."""
    picture, centre, half = where
    label, cell, share = owned
    thing = kind[label] >= len(BALLS)
    rank, place = share[label, cell] + 10.0 * thing, picture[label] * len(cells) + cell
    best = torch.full((len(sides) * len(cells),), 1e9, device=sides.device)
    best.scatter_reduce_(0, place, rank, "amin")
    keep = rank <= best[place]
    label, cell, thing = label[keep], cell[keep], thing[keep]
    if not len(label):
        return torch.stack([sides.sum() * 0] * 3)
    got = sides[picture[label], cell] * STRIDE
    p, c, h = cells[cell], centre[label], half[label]
    true = torch.cat([p - c + h, c + h - p], 1)
    scale = (2 * h.amax(dim=1, keepdim=True)).clamp(min=1)
    side = F.smooth_l1_loss(got / scale, true / scale, beta=0.03, reduction="none").sum(1)
    found = p + (got[:, 2:] - got[:, :2]) / 2
    middle = F.smooth_l1_loss(found / scale, c / scale, beta=0.03, reduction="none").sum(1)
    share_of = torch.where(thing, _THINGS / max(int(thing.sum()), 1), 1 / max(int((~thing).sum()), 1))
    return torch.stack([side.sum() * 0, (side * share_of).sum(), (middle * share_of).sum()])


def _focal(logits: Tensor, want: Tensor, focus: float) -> Tensor:
    plain = F.binary_cross_entropy_with_logits(logits, want, reduction="none")
    wrong = (logits.detach().sigmoid() - want).abs()
    return plain * wrong**focus
