"""Calls for a video: SRT, WebVTT or CSV `video_t,call` (contract: analysis, section Calls for a video).

The kind is read from the content, not from the name. Every error names the line and says what was expected.
"""

from __future__ import annotations

import csv
import html
import io
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from calibration.errors import UserError

# A caption is set by ear and the strike is measured to a few ms: a caption that starts this little after the strike,
# s, still belongs to that stroke.
LATE_CAPTION = 0.05
# How a doubt tells of a call that begins while balls roll; the call itself follows.
LATE = "while balls rolled, for this stroke or for the next one"

_STAMP = r"(?:(\d+):)?(\d{1,2}):(\d{2})[,.](\d{1,3})"
_TIMING = re.compile(rf"^{_STAMP}\s*-->\s*{_STAMP}(?:\s+.*)?$")
_TAG = re.compile(r"<[^<>]*>|\{\\[^{}]*\}")


@dataclass(frozen=True, slots=True)
class TimedCall:
    """What was announced at `video_t` (s, the video's own time stamps); `line` is where it stands in the file."""

    video_t: float
    text: str
    line: int


def read_calls(path: Path) -> tuple[TimedCall, ...]:
    """The calls of a file in order of time.

    Raises:
        UserError: the file cannot be read, or a line of it is not what its format asks for.
    """
    try:
        raw = path.read_bytes()
    except OSError as error:
        raise UserError(f"{path}: calls cannot be read: {error.strerror or error}") from None
    try:
        text = raw.decode("utf-16") if raw[:2] in (b"\xff\xfe", b"\xfe\xff") else raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = raw[: error.start].count(b"\n") + 1
        raise UserError(f"{path}:{line}: calls must be text in UTF-8") from None
    return tuple(sorted(parse_calls(text, str(path)), key=lambda c: c.video_t))


def parse_calls(text: str, name: str = "calls") -> list[TimedCall]:
    """The calls of a text in the order of the file; `name` stands in error messages. Raises UserError as `read_calls`."""
    lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    first = next((line.strip() for line in lines if line.strip()), "")
    if not first:
        return []
    if first == "WEBVTT" or first.startswith(("WEBVTT ", "WEBVTT\t")):
        return list(_captions(lines, name, vtt=True))
    if first.lower().replace(" ", "").startswith("video_t,"):
        return list(_csv(text, name))
    if first.isdigit() or "-->" in first:
        return list(_captions(lines, name, vtt=False))
    raise UserError(f"{name}:1: expected SRT (a number), WebVTT (WEBVTT) or CSV (video_t,call), found {_short(first)}")


def assign(calls: Sequence[TimedCall], starts: Sequence[float]) -> tuple[dict[int, tuple[TimedCall, ...]], tuple[TimedCall, ...]]:
    """The calls before each stroke, and those that no stroke follows.

    Args:
        calls: in order of time.
        starts: when each stroke starts, s, ascending.

    Returns:
        stroke index -> its calls in order of time (the last one is in force), and the calls left over.
    """
    held: dict[int, tuple[TimedCall, ...]] = {}
    left = []
    for call in calls:
        index = next((i for i, t in enumerate(starts) if t >= call.video_t - LATE_CAPTION), None)
        if index is None:
            left.append(call)
        else:
            held[index] = (*held.get(index, ()), call)
    return held, tuple(left)


def late_calls(calls: Iterable[TimedCall], spans: Sequence[tuple[float, float]]) -> list[tuple[int, TimedCall]]:
    """The calls that begin while the balls of a stroke roll, with that stroke's index; `spans`: start and end of each stroke, s.

    Nobody calls the next stroke then: more likely the caption is late.
    """
    return [(n, call) for call in calls for n, (start, end) in enumerate(spans) if start + LATE_CAPTION < call.video_t < end]


def _blocks(lines: Iterable[str]) -> Iterator[list[tuple[int, str]]]:
    """Runs of lines that are not blank, each line with its number."""
    block: list[tuple[int, str]] = []
    for number, line in enumerate(lines, 1):
        if line.strip():
            block.append((number, line.strip()))
        elif block:
            yield block
            block = []
    if block:
        yield block


def _captions(lines: list[str], name: str, *, vtt: bool) -> Iterator[TimedCall]:
    for position, block in enumerate(_blocks(lines)):
        number, line = block[0]
        if vtt and (position == 0 or re.match(r"(NOTE|STYLE|REGION)\b", line)):
            continue
        if "-->" not in line:  # a counter (SRT) or a name (WebVTT) comes first
            if not vtt and not line.isdigit():
                raise UserError(f"{name}:{number}: expected the number of a caption, found {_short(line)}")
            block = block[1:]
        if not block:
            raise UserError(f"{name}:{number}: expected a line `00:00:00,000 --> 00:00:00,000` after this one, found none")
        number, line = block[0]
        timing = _TIMING.match(line)
        if not timing:
            raise UserError(f"{name}:{number}: expected `00:00:00,000 --> 00:00:00,000`, found {_short(line)}")
        start, end = _seconds(timing.groups()[:4]), _seconds(timing.groups()[4:])
        if start is None or end is None or end < start:
            raise UserError(f"{name}:{number}: expected minutes and seconds below 60 and an end after the start, found {_short(line)}")
        text = " ".join(html.unescape(_TAG.sub("", part)).strip() for _, part in block[1:]).strip()
        if text:
            yield TimedCall(start, text, block[1][0])


def _seconds(stamp: Sequence[str | None]) -> float | None:
    hours, minutes, seconds, fraction = stamp
    if int(minutes or 0) > 59 or int(seconds or 0) > 59:
        return None
    return int(hours or 0) * 3600 + int(minutes or 0) * 60 + int(seconds or 0) + int((fraction or "0").ljust(3, "0")) / 1000


def _csv(text: str, name: str) -> Iterator[TimedCall]:
    rows = csv.reader(io.StringIO(text), skipinitialspace=True, strict=True)
    header = None
    try:
        for row in rows:
            if not any(cell.strip() for cell in row):
                continue
            if header is None:
                header = [cell.strip().lower() for cell in row]
                if header != ["video_t", "call"]:
                    raise UserError(f"{name}:{rows.line_num}: expected the header `video_t,call`, found {_short(','.join(row))}")
                continue
            if len(row) != 2:
                raise UserError(
                    f"{name}:{rows.line_num}: expected two fields `video_t,call`, found {len(row)} (quote a call that has a comma)"
                )
            try:
                start = float(row[0])
            except ValueError:
                start = -1.0
            if not 0 <= start < float("inf"):
                raise UserError(f"{name}:{rows.line_num}: video_t: expected seconds, found {_short(row[0])}")
            if row[1].strip():
                yield TimedCall(start, row[1].strip(), rows.line_num)
    except csv.Error as error:
        raise UserError(f"{name}:{rows.line_num}: not CSV: {error}") from None


def _short(text: str) -> str:
    return repr(text if len(text) <= 40 else text[:37] + "...")
