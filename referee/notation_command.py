"""What `poedinok notation` does: a match.json or a journal becomes notation, notation becomes a journal."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from calibration.errors import UserError
from calibration.profile import write_atomic
from calibration.table import Table
from calibration.table import table as table_of_kind
from referee.codec.checks import check_times
from referee.codec.read import load
from referee.exchange import from_document, from_journal, to_journal
from referee.journal_file import entry_to_json, journal_of
from referee.notation import MatchText, NotationError, looks_like_match, read_match, read_table, write_match
from referee.output import print_text, read_bytes


def run_notation(source: Path, out: Path | None = None, table: str | None = None) -> int:
    """The command: prints, or writes `out` in one piece. Raises UserError naming the file."""
    kind = _table(table)
    raw = read_bytes(source)
    try:
        made = converted(raw.decode("utf-8-sig"), kind)
    except UnicodeDecodeError:
        raise UserError(f"{source}: expected text in UTF-8") from None
    except UserError as error:
        raise UserError(f"{source}: {error}") from None
    if out is None:
        print_text(made.removesuffix("\n"))
    else:
        write_atomic(out, made.encode("utf-8"))
    return 0


def converted(text: str, table: Table | None = None) -> str:
    """A match in notation as the lines of a journal; a journal or a match.json as notation. Raises UserError.

    `table` is that of a journal, which does not name its own (`pyramid-12ft` without it); match.json and notation do.
    """
    if looks_like_match(text):
        match = read_match(text)
        for number, turn in enumerate(match.turns, 1):
            check_times(turn.shot, f"stroke {number}: shot")
        lines = (json.dumps(entry_to_json(entry), ensure_ascii=False, separators=(",", ":")) for entry in to_journal(match))
        return _encodes("".join(f"{line}\n" for line in lines))
    if text.lstrip().startswith('{"entry"'):
        return _encodes(write_match(_of_journal(text, table or table_of_kind())))
    return _encodes(write_match(_of_document(load(text))))


def _encodes(text: str) -> str:
    if any("\ud800" <= c <= "\udfff" for c in text):
        raise UserError("expected text, found half of a character (a lone surrogate)")
    return text


def _of_journal(text: str, table: Table) -> MatchText:
    """A journal keeps what was seen unchecked, so its values may be of any kind."""
    try:
        return from_journal(journal_of(text.encode("utf-8")), table)
    except UserError:
        raise
    except (KeyError, TypeError, ValueError, AttributeError, IndexError) as error:
        raise UserError(f"expected a journal whose strokes can be ruled on, but {_flaw(error)}") from None


def _flaw(error: Exception) -> str:
    if isinstance(error, KeyError):
        return f"the field {str(error.args[0])[:40]!r} is missing"
    return f"a field holds another kind of value than it should ({str(error)[:80]})"


def _of_document(document: Any) -> MatchText:
    if not isinstance(document, dict) or not isinstance(document.get("shots"), list):
        raise UserError("expected a match.json, a journal or a match in notation")
    try:
        named = document["table"]
        table = read_table(f"{named['length_mm']}x{named['width_mm']}@{named['ball_mm']}")
        try:
            kind = table_of_kind(named["name"], ball=named["ball_mm"])
        except (ValueError, KeyError):
            kind = table
        if (kind.length, kind.width) == (table.length, table.width):
            table = kind
        return from_document(document, table)
    except UserError:
        raise
    except (KeyError, TypeError, ValueError, AttributeError, IndexError) as error:
        raise UserError(f"expected a match.json as analyze writes it, but {_flaw(error)}") from None


def _table(name: str | None) -> Table | None:
    if name is None:
        return None
    try:
        found = read_table(name)
    except NotationError as error:
        raise UserError(f"--table: {error.message}") from None
    if not found.pockets:
        raise UserError(f"--table: expected a table with pockets, got {name}")
    return found
