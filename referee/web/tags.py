"""Plain HTML elements for pages: what the toolkit's own widgets are not needed for works best as the browser's."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from nicegui.elements.mixins.text_element import TextElement
from nicegui.events import GenericEventArguments


def tag(name: str, text: str = "", classes: str = "", **attributes: Any) -> TextElement:
    """An element; `_` in the name of an attribute stands for `-`, one at its end is left out (`for_`)."""
    element = TextElement(tag=name, text=text)
    if classes:
        element.classes(classes)
    for key, value in attributes.items():
        element.props[key.rstrip("_").replace("_", "-")] = value
    return element


def button(text: str, on_click: Callable[[], Any], classes: str = "", **attributes: Any) -> TextElement:
    """A button; `on_click` may be a coroutine function."""
    return tag("button", text, f"btn {classes}".strip(), type="button", **attributes).on("click", lambda _: on_click(), [])


def select(options: dict[str, str], value: str, on_change: Callable[[str], Any], **attributes: Any) -> TextElement:
    """The browser's own list; `options`: value -> text."""
    element = tag("select", value=value, **attributes)
    with element:
        for key, text in options.items():
            tag("option", text, value=key)
    element.on("change", lambda event: on_change(_text(event)), js_handler="(e) => emit(e.target.value)")
    return element


def number(value: float, on_change: Callable[[str], Any], low: float, high: float, step: float, **attributes: Any) -> TextElement:
    """A field for a number; `on_change` gets what was typed when it is left or Enter is pressed."""
    element = tag("input", type="number", inputmode="decimal", value=f"{value:g}", min=low, max=high, step=step, **attributes)
    return element.on("change", lambda event: on_change(_text(event)), js_handler="(e) => emit(e.target.value)")


def checkbox(text: str, checked: bool, on_change: Callable[[bool], Any], **attributes: Any) -> TextElement:
    """A box with its text; returns the input element."""
    with tag("label", classes="check"):
        element = tag("input", type="checkbox", checked=checked, **attributes)
        tag("span", text)
    return element.on("change", lambda event: on_change(event.args is True), js_handler="(e) => emit(e.target.checked)")


def put(element: TextElement, *, text: str | None = None, **attributes: Any) -> None:
    """Changes text and attributes; None leaves an attribute out."""
    if text is not None and text != element.text:
        element.text = text
    changed = {key.rstrip("_").replace("_", "-"): value for key, value in attributes.items()}
    for key, value in changed.items():
        if value is None:
            element.props.pop(key, None)
        else:
            element.props[key] = value
    if changed:
        element.update()


def _text(event: GenericEventArguments) -> str:
    return str(event.args)[:64]
