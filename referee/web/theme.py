"""How all pages look: dark and neutral, so that the picture is what is bright."""

from __future__ import annotations

from functools import cache
from pathlib import Path

ACCENT = "#8fb8ff"
_HERE = Path(__file__).parent


@cache
def stylesheet(name: str) -> str:
    """Text of a style sheet of this folder."""
    return (_HERE / name).read_text(encoding="utf-8")


def apply(*sheets: str) -> None:
    """Gives the page that is being built the common look, and its own style sheets."""
    from nicegui import ui

    ui.dark_mode(True)
    ui.colors(primary=ACCENT, dark_page="#161719", dark="#1e2023")
    for name in ("theme.css", *sheets):
        ui.add_css(stylesheet(name))
