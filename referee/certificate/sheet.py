"""A sheet of A4 to draw on, in mm from its upper left corner, with matplotlib: the same page as SVG and as PDF."""

from __future__ import annotations

import io
import textwrap
from typing import Any

WIDTH, HEIGHT = 210.0, 297.0
INK, FAINT, LINE = "#1c2430", "#5d6775", "#c9ced6"
_SETTINGS = {
    "font.family": "DejaVu Sans",  # comes with matplotlib, and has Cyrillic letters
    "svg.fonttype": "path",
    "svg.hashsalt": "poedinok",
    "pdf.fonttype": 42,
    "axes.unicode_minus": False,
}


class Sheet:
    """Texts, lines and axes by mm. `svg` and `pdf` give the finished page."""

    def __init__(self) -> None:
        from matplotlib.figure import Figure

        self.figure = Figure(figsize=(WIDTH / 25.4, HEIGHT / 25.4), facecolor="white")

    def axes(self, x: float, y: float, w: float, h: float) -> Any:
        """Axes whose upper left corner is (x, y), w x h mm, without frame."""
        axes = self.figure.add_axes((x / WIDTH, 1 - (y + h) / HEIGHT, w / WIDTH, h / HEIGHT))
        axes.set_axis_off()
        return axes

    def text(
        self,
        x: float,
        y: float,
        said: str,
        *,
        size: float = 8,
        bold: bool = False,
        colour: str = INK,
        align: str = "left",
        wrap: int | None = None,
    ) -> float:
        """Draws a text whose first line's foot is at y; returns the foot of its last line. `wrap`: characters a line."""
        step = size * 0.44
        lines = textwrap.wrap(said, wrap) if wrap else [said]
        for k, line in enumerate(lines):
            self.figure.text(
                x / WIDTH, 1 - (y + k * step) / HEIGHT, line, size=size, color=colour, ha=align, va="baseline",
                weight="bold" if bold else "normal",
            )  # fmt: skip
        return y + (max(1, len(lines)) - 1) * step

    def line(self, x0: float, y0: float, x1: float, y1: float, *, colour: str = LINE, width: float = 0.6) -> None:
        from matplotlib.lines import Line2D

        self.figure.add_artist(
            Line2D((x0 / WIDTH, x1 / WIDTH), (1 - y0 / HEIGHT, 1 - y1 / HEIGHT), color=colour, linewidth=width, solid_capstyle="butt")
        )

    def disc(self, x: float, y: float, radius: float, fill: Any, *, edge: str = "none", width: float = 0.6) -> None:
        from matplotlib.patches import Ellipse

        self.figure.add_artist(
            Ellipse(
                (x / WIDTH, 1 - y / HEIGHT),
                2 * radius / WIDTH,
                2 * radius / HEIGHT,
                facecolor=fill,
                edgecolor=edge,
                linewidth=width,
                transform=self.figure.transFigure,
            )
        )

    def box(self, x: float, y: float, w: float, h: float, fill: Any, *, edge: str = "none") -> None:
        from matplotlib.patches import Rectangle

        self.figure.add_artist(
            Rectangle((x / WIDTH, 1 - (y + h) / HEIGHT), w / WIDTH, h / HEIGHT, facecolor=fill, edgecolor=edge, linewidth=0.6)
        )

    def svg(self) -> str:
        """The <svg> element alone."""
        text = self._saved("svg", {"Date": None, "Creator": "poedinok"}).decode("utf-8")
        return text[text.index("<svg") :]

    def pdf(self, title: str) -> bytes:
        return self._saved("pdf", {"CreationDate": None, "Creator": "poedinok", "Producer": None, "Title": title})

    def _saved(self, kind: str, metadata: dict[str, Any]) -> bytes:
        from matplotlib import rc_context

        data = io.BytesIO()
        with rc_context(_SETTINGS):
            self.figure.savefig(data, format=kind, metadata=metadata)
        return data.getvalue()
