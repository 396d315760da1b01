"""The form of a case (contract: adjudication), checked strictly by pydantic: no conversions, no unknown fields, finite numbers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from referee.codec.errors import CaseError

Ball = Literal["white", "yellow", "red", "black"]
Cushion = Literal["home", "foot", "left", "right"]
PocketName = Literal["home-left", "home-right", "middle-left", "middle-right", "foot-left", "foot-right"]
EventType = Literal[
    "strike", "contact", "cushion", "jaw", "midline", "stop", "pocket", "jump", "off_table", "touch", "double_hit", "push", "press",
]  # fmt: skip

# Far above anything that a table, a clock or a score can show; keeps arithmetic away from the limits of floating point.
_MM = Annotated[float, Field(ge=-1e5, le=1e5, allow_inf_nan=False)]
_Seconds = Annotated[float, Field(ge=-1e6, le=1e6, allow_inf_nan=False)]
_Number = Annotated[float, Field(allow_inf_nan=False)]
_Score = Annotated[int, Field(ge=0, le=1_000_000_000)]
Place = Annotated[list[_MM], Field(min_length=2, max_length=2)]


class _Form(BaseModel):
    model_config = ConfigDict(strict=True, extra="forbid", frozen=True)


class PlacesForm(_Form):
    white: Place | None
    yellow: Place | None
    red: Place | None
    black: Place | None


class StateForm(_Form):
    player: Annotated[int, Field(ge=0, le=1)]
    scores: Annotated[list[_Score], Field(min_length=2, max_length=2)]
    target: Annotated[int, Field(ge=1, le=1_000_000_000)] | None
    opening: bool
    cue_ball: Literal["white", "yellow"]
    placement: Literal["as_lies", "in_hand", "in_hand_house"]
    positions: PlacesForm
    waiting: Annotated[list[Ball], Field(max_length=4)]


class EventForm(_Form):
    """`frame`, `video_t`, `sigma_ms` and `confidence` are the evidence of a video (contract: analysis)."""

    t: _Seconds
    type: EventType
    ball: Ball | None = None
    balls: Annotated[list[Ball], Field(min_length=2, max_length=2)] | None = None
    cushion: Cushion | None = None
    pocket: PocketName | None = None
    jaws: PocketName | None = None
    at: Place | None = None
    over: Ball | None = None
    over_jaw: PocketName | None = None
    frame: int | None = None
    video_t: _Number | None = None
    sigma_ms: _Number | None = None
    confidence: _Number | None = None


class ShotForm(_Form):
    events: Annotated[list[EventForm], Field(max_length=100_000)]
    positions: PlacesForm


class CaseForm(_Form):
    table: str = "pyramid-12ft"
    state: StateForm
    call: str | dict[str, Any] | None
    shot: ShotForm


def check(form: type[BaseModel], value: object, path: str = "") -> Any:
    """The value as the form; raises CaseError with the path of the first field that is wrong."""
    try:
        return form.model_validate(value)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        raise CaseError(_path(path, value, first["loc"]), _expected(first, value)) from None
    except RecursionError:
        raise CaseError(path or "case", "expected less deep nesting") from None


def _path(prefix: str, value: object, loc: Sequence[int | str]) -> str:
    """`shot.events[3].balls`; parts of the location that name a branch of a union are not fields and are left out."""
    text, here = prefix, value
    if loc and isinstance(loc[-1], int) and "balls" in loc:
        loc = loc[:-1]  # the two balls of a contact are one field
    for n, part in enumerate(loc):
        last = n == len(loc) - 1
        if isinstance(part, int):
            if isinstance(here, list | tuple) and part < len(here):
                text, here = f"{text}[{part}]", here[part]
            continue
        if isinstance(here, Mapping):
            if part in here:
                here = here[part]
            elif not last:
                continue
            text = f"{text}.{part}" if text else part
    return text or "case"


_WORDS = {
    "missing": "expected, but missing",
    "extra_forbidden": "unknown field",
    "list_type": "expected a list",
    "dict_type": "expected an object",
    "model_type": "expected an object",
    "model_attributes_type": "expected an object",
    "bool_type": "expected true or false",
    "string_type": "expected a text",
    "int_type": "expected a whole number",
    "int_from_float": "expected a whole number",
    "float_type": "expected a number",
    "finite_number": "expected a finite number",
}
_LISTS = {
    "balls": "expected two of white, yellow, red, black",
    "scores": "expected two whole numbers",
    "at": "expected [x, y] in mm",
    "white": "expected [x, y] in mm, or null",
    "yellow": "expected [x, y] in mm, or null",
    "red": "expected [x, y] in mm, or null",
    "black": "expected [x, y] in mm, or null",
    "waiting": "expected a list of balls",
    "events": "expected a list of events",
    "call": "expected null, a text, or an object with elements",
}


def _expected(error: Mapping[str, Any], value: object) -> str:
    kind, context = error["type"], error.get("ctx", {})
    names = [p for p in error["loc"] if isinstance(p, str)]
    field = next((p for p in reversed(names) if p in _LISTS), None)
    shown = _shown(error.get("input"))
    if names and names[-1] == "player" and kind != "missing":
        return f"expected 0 or 1, got {shown}"
    if kind == "literal_error":
        if names and names[-1] == "balls":
            return f"{_LISTS['balls']}, got {shown}"
        choices = str(context["expected"]).replace("'", "").replace(" or ", ", ")
        return f"expected one of {choices}, got {shown}"
    if kind in ("too_short", "too_long", "list_type") and field is not None:
        return f"{_LISTS[field]}, got {shown}"
    if kind in _WORDS:
        if field == "call" and kind != "missing":
            return f"{_LISTS['call']}, got {shown}"
        return _WORDS[kind] if kind in ("missing", "extra_forbidden") else f"{_WORDS[kind]}, got {shown}"
    if kind in ("greater_than_equal", "less_than_equal"):
        bound = context.get("ge", context.get("le"))
        return f"expected a number {'of at least' if 'ge' in context else 'of at most'} {bound:g}, got {shown}"
    return f"{error['msg']}, got {shown}"


def _shown(value: object) -> str:
    """The wrong value, cut to what fits in a line."""
    if isinstance(value, Mapping):
        return "an object"
    if isinstance(value, list | tuple) and len(value) > 4:
        return f"a list of {len(value)}"
    if isinstance(value, int) and not isinstance(value, bool) and abs(value) >= 10**40:
        return "a huge number"
    if value is None or isinstance(value, bool):
        return {None: "null", True: "true", False: "false"}[value]
    text = " ".join(repr(value).split())
    return text if len(text) <= 60 else text[:57] + "…"
