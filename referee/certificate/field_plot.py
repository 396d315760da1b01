"""The map of the accuracy on the plan of the table, and the small one of the scale."""

from __future__ import annotations

from typing import Any

import numpy as np

from calibration.certify.certificate import Certificate
from calibration.table import Table
from referee.certificate import texts
from referee.certificate.sheet import FAINT, INK

# bounds of the colours in mm: those of the grades are among them
LEVELS = (0.0, 1.0, 2.0, 3.0, 4.0, 6.0, 8.0, 12.0, 20.0)
# light to dark, and readable for colour-blind people: green within gold, blue within silver, amber within bronze, red beyond
COLOURS = ("#d8f0d2", "#a8dba0", "#c6dcf2", "#93bde3", "#fbe3a5", "#f3c04f", "#ec8a5a", "#cc4c3b")
_ARROW = 25.0  # times enlarged
_WOOD, _HOLE = "#6b4a34", "#20242b"


def draw_map(axes: Any, certificate: Certificate, lang: str) -> None:
    """Fills the axes with the plan: colours for the 95 % bound, dots and arrows for what was checked."""
    table, shown = certificate.profile.table, certificate.map
    _plan(axes, table)
    x, y = _stretched(np.array(shown.x), table.length), _stretched(np.array(shown.y), table.width)
    bound = np.clip(np.array(shown.bound), 0, LEVELS[-1] - 1e-6)
    axes.contourf(x, y, bound, levels=LEVELS, colors=COLOURS, zorder=1)
    rows, columns = bound.shape
    for k in np.linspace(1, rows - 2, 3).round().astype(int):
        for j in np.linspace(1, columns - 2, 7).round().astype(int):
            label = f"{shown.bound[k][j]:.1f}"
            axes.text(shown.x[j], shown.y[k], label, size=7, color=INK, ha="center", va="center", zorder=3)
    for known in certificate.knowns:
        (u, v), (dx, dy) = known.at, (known.off[0] or 0.0, known.off[1] or 0.0)
        axes.plot(u, v, "o", ms=4.2, mfc="white", mec=INK, mew=0.9, zorder=4)
        if np.hypot(dx, dy) * _ARROW > 8:
            style = {"arrowstyle": "-|>,head_width=0.14,head_length=0.25", "color": INK, "lw": 1.0, "shrinkA": 0, "shrinkB": 0}
            axes.annotate("", (u + dx * _ARROW, v + dy * _ARROW), (u, v), arrowprops=style, zorder=5, annotation_clip=False)
    for bounce in certificate.bounces:
        axes.plot(*bounce.at, "x", ms=5.5, mec=INK, mew=1.3, zorder=4)
    axes.text(
        -115, table.width / 2, texts.HOUSE(lang), size=7, color="white", ha="center", va="center", rotation=90, zorder=6
    )  # fmt: skip


def _stretched(values: np.ndarray, size: float) -> np.ndarray:
    """A ball's centre cannot lie nearer than a radius to the nose: the colour goes on to it."""
    out = values.copy()
    out[0], out[-1] = 0.0, size
    return out


def arrow_times() -> int:
    return round(_ARROW)


def _plan(axes: Any, table: Table) -> None:
    from matplotlib.patches import Circle, FancyBboxPatch, Rectangle

    rail = 90.0
    frame = FancyBboxPatch(
        (-rail, -rail),
        table.length + 2 * rail,
        table.width + 2 * rail,
        boxstyle="round,pad=60,rounding_size=110",
        fc=_WOOD,
        ec="none",
        zorder=0.4,
    )
    axes.add_patch(frame)
    axes.add_patch(Rectangle((-45, -45), table.length + 90, table.width + 90, fc="#2f4a3c", ec="none", zorder=0.5))
    axes.add_patch(Rectangle((0, 0), table.length, table.width, fc="white", ec="none", zorder=0.6))
    for pocket in table.pockets:
        axes.add_patch(Circle(pocket.centre, pocket.radius + 14, fc=_HOLE, ec="none", zorder=2))
    for spot in table.spots.values():
        axes.plot(*spot, "+", ms=4, mec=FAINT, mew=0.6, zorder=2)
    axes.set_xlim(-165, table.length + 165)
    axes.set_ylim(-165, table.width + 165)
    axes.set_aspect("equal")


def draw_legend(axes: Any) -> None:
    """The colours and their bounds, in a row."""
    from matplotlib.patches import Rectangle

    n = len(COLOURS)
    for k, colour in enumerate(COLOURS):
        axes.add_patch(Rectangle((k, 0), 1, 1, fc=colour, ec="white", lw=0.5))
        axes.text(k, -0.25, f"{LEVELS[k]:g}", size=6, color=FAINT, ha="center", va="top")
    axes.set_xlim(-0.2, n + 0.2)
    axes.set_ylim(-1.2, 1)


def draw_scale(axes: Any, certificate: Certificate) -> None:
    """Mm of table to a pixel, as shades of grey with numbers."""
    table, shown = certificate.profile.table, certificate.map
    x, y = _stretched(np.array(shown.x), table.length), _stretched(np.array(shown.y), table.width)
    scale = np.array(shown.scale)
    spread = max(float(np.ptp(scale)), 0.02 * float(scale.mean()))
    axes.contourf(x, y, scale, levels=np.linspace(scale.min(), scale.min() + spread * 1.0001, 7), cmap="Greys", alpha=0.45)
    rows, columns = scale.shape
    for k in (1, rows // 2, rows - 2):
        for j in (2, columns // 2, columns - 3):
            axes.text(shown.x[j], shown.y[k], f"{scale[k, j]:.2f}", size=6.5, color=INK, ha="center", va="center")
    axes.set_xlim(0, table.length)
    axes.set_ylim(0, table.width)
    axes.set_aspect("equal")
