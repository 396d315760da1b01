"""Small pieces of HTML that the report is made of. Children are HTML already; texts go through `say` or `escape`."""

from __future__ import annotations

from html import escape

from referee import words
from referee.words import Text

__all__ = ["clock", "cue", "dot", "el", "escape", "say"]


def el(name: str, *children: str, **attributes: str | None) -> str:
    """An element; `cls` is its class, an attribute that is empty or None is left out."""
    said = "".join(f' {"class" if key == "cls" else key}="{escape(value)}"' for key, value in attributes.items() if value)
    return f"<{name}{said}>{''.join(children)}</{name}>"


def say(ru: str | Text, en: str | None = None) -> str:
    """A text in both languages, of which the page shows one."""
    text = ru if isinstance(ru, Text) else Text(ru, ru if en is None else en)
    if text.ru == text.en:
        return escape(text.ru)
    return el("span", escape(text.ru), lang="ru") + el("span", escape(text.en), lang="en")


def dot(ball: str | None) -> str:
    """A small disc in the colour of a ball."""
    return el("i", cls=f"ball {ball or ''}")


def cue(ball: str | None) -> str:
    return (dot(ball) if ball else "") + say(words.ball(ball))


def clock(seconds: float) -> str:
    """A time of the video: m:ss.s, with hours when there are any, and a decimal comma in Russian."""
    tenths = round(max(0.0, seconds) * 10)
    minutes, rest = divmod(tenths, 600)
    hours, minutes = divmod(minutes, 60)
    return say(words.decimal(f"{hours}:{minutes:02d}:{rest / 10:04.1f}" if hours else f"{minutes}:{rest / 10:04.1f}"))
