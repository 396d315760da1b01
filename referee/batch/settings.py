"""How one video is to be refereed: the options of `analyze`, as given on the command line or in a row of a manifest."""

from __future__ import annotations

import datetime
import hashlib
import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from calibration.errors import UserError
from calibration.table import BALLS, KINDS
from referee.ball_names import balls_named

HOMES = ("left", "right", "top", "bottom")


@dataclass(frozen=True, slots=True)
class Settings:
    """Paths (`profile`, `calls`, `start`, `weights`) are texts, so that a unit can travel as JSON. None: not given."""

    profile: str | None = None
    calls: str | None = None
    balls: str = ",".join(BALLS)
    players: str | None = None
    target: int | None = None
    start: str | None = None
    home: str | None = None
    table: str | None = None
    size: str | None = None
    ball_mm: float | None = None
    weights: str | None = None
    annotate: bool = False
    lang: str = "ru"
    date: str | None = None


@dataclass(frozen=True, slots=True)
class Source:
    """A video that was asked for: a path or an fsspec address. `given`: the settings that name this video alone (a row of a
    manifest); `where`: where it was asked for, for messages. `problem`: why it cannot be one, known before any work."""

    video: str
    settings: Settings
    given: bool = False
    where: str = ""
    problem: str | None = None


FILES = ("profile", "calls", "start", "weights")


def is_address(video: str) -> bool:
    """Whether it is to be fetched (s3://…), not read in place."""
    return "://" in video


def from_options(**values: Any) -> Settings:
    """Settings of the command line's options. Raises UserError naming the option."""
    try:
        return checked({name: str(value) if name in FILES and value is not None else value for name, value in values.items()})
    except UserError as error:
        name, _, rest = str(error).partition(":")
        raise UserError(f"{', '.join('--' + word for word in name.split(', '))}:{rest}") from None


def checked(values: Mapping[str, Any]) -> Settings:
    """Settings of texts and numbers.

    Raises:
        UserError: the first that is wrong, as `name: expected …`.
    """
    given = {name: value for name, value in values.items() if value not in (None, "")}
    given["balls"] = ",".join(balls_named(given.get("balls", ",".join(BALLS)), "balls"))
    if "players" in given:
        names = [name.strip() for name in given["players"].split(",")]
        if len(names) != 2 or not all(names):
            raise UserError(f"players: expected two names A,B, got {given['players']!r}")
        given["players"] = ",".join(names)
    if "target" in given:
        given["target"] = _number("target", given["target"])
    if "home" in given and given["home"] not in HOMES:
        raise UserError(f"home: expected one of {', '.join(HOMES)}, got {given['home']!r}")
    if "date" in given:
        given["date"] = _date(given["date"])
    if "profile" in given and ("table" in given or "size" in given):
        raise UserError("profile: it already names the table; expected either a profile or a table or size")
    _table(given)
    return Settings(**given)


def _number(name: str, value: Any) -> int:
    try:
        number = int(value)
    except ValueError:
        number = 0
    if number < 1:
        raise UserError(f"{name}: expected a positive whole number, got {value!r}")
    return number


def _date(text: str) -> str:
    try:
        return datetime.date.fromisoformat(text.strip()).isoformat()
    except ValueError:
        raise UserError(f"date: expected a day such as 2025-11-30, got {text!r}") from None


def _table(given: Mapping[str, Any]) -> None:
    """The table of the options, checked as `calibrate` does but without its libraries."""
    if given.get("table") and given["table"] not in KINDS:
        raise UserError(f"table: expected one of {', '.join(KINDS)}, got {given['table']!r}")
    if given.get("table") and given.get("size"):
        raise UserError("table, size: expected one of the two")
    if given.get("size") or given.get("ball_mm"):
        from calibration.command import chosen_table

        try:
            chosen_table(None, given.get("size"), given.get("ball_mm"))
        except UserError as error:
            raise UserError(str(error).removeprefix("--")) from None


def digest_of(*parts: Any) -> str:
    """A short digest of plain values."""
    text = json.dumps(parts, sort_keys=True, ensure_ascii=False, default=asdict)
    return hashlib.blake2b(text.encode(), digest_size=16).hexdigest()
