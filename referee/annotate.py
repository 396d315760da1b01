"""annotated.mp4: the video with what the referee saw and said. One frame at a time, so memory does not grow with length."""

from __future__ import annotations

import csv
from bisect import bisect_right
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import groupby, pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

import av
import cv2
import numpy as np

from calibration.camera import Camera
from calibration.table import Table
from referee import words
from referee.anchors import Anchor, placed
from referee.captions import PAPER, WHITE, Colour, Line, label, lay, panel, wrapped
from referee.reasons import told_by_clock
from vision.frames import Video

if TYPE_CHECKING:
    from calibration.profile import Profile
    from vision.pipeline import Progress

COLOURS: dict[str, Colour] = {"white": (250, 250, 250), "yellow": (40, 200, 255), "red": (60, 60, 235), "black": (40, 40, 40)}
_GOLD, _GREEN, _RED, _SOFT, _CYAN = (110, 215, 255), (150, 235, 150), (110, 110, 255), (190, 200, 190), (255, 225, 120)
TRAIL = 0.9  # s that a ball's trail lasts
FLASH = 0.6  # s that an event's ring is seen
EVENT = 2.5  # s that an event stays in the list
CALL_BEFORE = 4.0  # s before a stroke that its call is shown
RULING = 9.0  # s that a ruling stays at most
LARGER = 25  # times that an error ellipse is drawn larger where its true size cannot be seen
_MAY_COVER = 0.1  # share of a panel that may lie on the table
_SEEN = 2.0  # px from which an error ellipse is seen in its true size
_STRIP = 8.5  # heights of a text that a strip below the picture has, for panels that would cover the table
_BELOW = {"board": Anchor(0.0, 1.0), "word": Anchor(0.5, 1.0), "events": Anchor(1.0, 1.0)}
_CLOCK = Fraction(1, 90000)


@dataclass(frozen=True, slots=True)
class Seen:
    """One row of tracks.csv."""

    ball: str
    x: float
    y: float
    state: str
    sigma: float = 0.0  # mm


def rows_by_frame(path: Path) -> Iterator[tuple[int, list[Seen]]]:
    """The balls on the table in each frame, in the order of frames; reads line by line."""
    with path.open(newline="", encoding="utf-8") as file:
        for frame, rows in groupby(csv.DictReader(file), key=lambda row: int(row["frame"])):
            yield (
                frame,
                [
                    Seen(r["ball"], float(r["x_mm"]), float(r["y_mm"]), r["state"], float(r["sigma_mm"] or 0))
                    for r in rows
                    if r["state"] in ("seen", "hidden") and r["x_mm"]
                ],
            )


def annotate(
    video: Path, tracks: Path, document: Mapping[str, Any], profile: Profile, out: Path, *, lang: str = "ru",
    moves: Sequence[tuple[float, Profile]] = (), on_progress: Callable[[Progress], None] | None = None,
) -> None:  # fmt: skip
    """Write the annotated video.

    Args:
        video: the video that was analyzed.
        tracks: its tracks.csv.
        document: what match.json holds.
        profile: the table and the camera.
        out: the file to write (H.264 in MP4; the time stamps of the video are kept).
        lang: ru or en.
        moves: when (s) the camera was registered anew, in order of time, and the profile from then on.
    """
    waiting = list(moves)
    with Video(video) as source, av.open(str(out), "w", format="mp4") as target:
        width, height = source.info.width // 2 * 2, source.info.height // 2 * 2
        stream = target.add_stream("libx264", rate=Fraction(source.info.rate or 30).limit_denominator(1001))
        assert isinstance(stream, av.VideoStream)
        painter = Painter(profile.camera, profile.table, document, (width, height), lang)
        stream.width, stream.height, stream.pix_fmt = width, height + painter.strip, "yuv420p"
        stream.options = {"preset": "superfast", "crf": "21"}
        stream.codec_context.time_base = _CLOCK
        seen = Latest(rows_by_frame(tracks))
        for frame in source:
            picture = cv2.copyMakeBorder(frame.bgr(), 0, painter.strip, 0, 0, cv2.BORDER_CONSTANT, value=PAPER)
            while waiting and frame.seconds >= waiting[0][0]:
                painter.look_through(waiting.pop(0)[1].camera)
            painter.paint(picture, frame.seconds, seen.at(frame.index))
            shown = av.VideoFrame.from_ndarray(cv2.cvtColor(picture, cv2.COLOR_BGR2YUV_I420), format="yuv420p")
            shown.pts, shown.time_base = round(frame.time / _CLOCK), _CLOCK
            target.mux(stream.encode(shown))
            if on_progress and frame.index % 15 == 0:
                from vision.pipeline import Progress

                on_progress(Progress("annotated video", frame.index, document["video"]["frames"]))
        target.mux(stream.encode())


class Latest:
    """Reads rows forward and gives those of one frame; frames must be asked for in order."""

    def __init__(self, rows: Iterator[tuple[int, list[Seen]]]) -> None:
        self._rows = rows
        self._next = next(rows, None)

    def at(self, frame: int) -> list[Seen]:
        while self._next is not None and self._next[0] < frame:
            self._next = next(self._rows, None)
        return self._next[1] if self._next is not None and self._next[0] == frame else []


@dataclass(slots=True)
class _Flash:
    """A ring where an event was seen."""

    t: float
    at: tuple[int, int]
    colour: Colour


@dataclass(slots=True)
class _Memory:
    """What the painter keeps from frame to frame; bounded by `TRAIL` and `FLASH`."""

    trails: dict[str, deque[tuple[float, int, int]]] = field(default_factory=dict)
    flashes: deque[_Flash] = field(default_factory=deque)
    shown_events: int = 0


class Painter:
    """Paints frames in the order of time.

    Args:
        camera: table to picture.
        table: its nose lines are drawn.
        document: what match.json holds.
        size: width and height of the video's pictures, px; those to paint are `strip` px higher: room for what else hides the table.
        lang: ru or en.
    """

    def __init__(self, camera: Camera, table: Table, document: Mapping[str, Any], size: tuple[int, int], lang: str) -> None:
        self._camera, self._table, self._document, self._lang = camera, table, document, lang
        self._width, self._height = size
        self._text = max(11, round(self._height / 40))
        self._thick = max(1, round(self._height / 500))
        self._shots: Sequence[Mapping[str, Any]] = document["shots"]
        self._starts = [shot["start_t"] for shot in self._shots]
        timed = [(e["video_t"], e) for shot in self._shots for e in shot["events"] if e.get("video_t") is not None]
        self._events = sorted(timed, key=lambda pair: pair[0])
        self._memory = _Memory()
        self.look_through(camera)
        # where a table leaves a panel no room, all of them lie in a strip below the picture
        self.strip = round(_STRIP * self._text) // 2 * 2 if self._covered > _MAY_COVER else 0

    def look_through(self, camera: Camera) -> None:
        """From now on the table is seen by another camera."""
        self._camera = camera
        self._lines = self._nose_lines()
        rail = 2.5 * self._table.ball
        low, high = (-rail, -rail), (self._table.length + rail, self._table.width + rail)
        outline = camera.project_at([low, (high[0], low[1]), high, (low[0], high[1])], self._table.nose_height)
        usual = {"word": (0.55, 0.17), "events": (0.2, 0.2), "board": (0.22, 0.13)}
        sizes = {name: (round(w * self._width), round(h * self._height)) for name, (w, h) in usual.items()}
        whole = outline if np.isfinite(outline).all() else np.zeros((1, 2))
        self._anchors, self._covered = placed(sizes, whole, (self._width, self._height), self._text)

    def paint(self, picture: np.ndarray, t: float, seen: Sequence[Seen]) -> None:
        """Paint one BGR picture in place; `t` is its time stamp, s."""
        cv2.polylines(picture, self._lines, True, (255, 230, 160), self._thick, cv2.LINE_AA, 3)
        pixels = self._pixels(seen)
        self._trails(picture, t, pixels)
        self._balls(picture, seen, pixels)
        larger = self._errors(picture, [s for s in seen if s.ball in pixels])
        self._flashes(picture, t, pixels)
        index = bisect_right(self._starts, t) - 1
        self._board(picture, t, index, larger)
        self._recent(picture, t, index)
        self._word(picture, t, index)

    def _nose_lines(self) -> list[np.ndarray]:
        """The nose rectangle in pixels with three fractional bits, in pieces, for a lens bends it."""
        corners = np.array([*self._table.corners, self._table.corners[0]])
        along = np.concatenate([np.linspace(a, b, 16, endpoint=False) for a, b in pairwise(corners)])
        px = self._camera.project_at(along, self._table.nose_height)
        return [np.round(px[np.isfinite(px).all(axis=1)] * 8).astype(np.int32)]

    def _pixels(self, seen: Sequence[Seen]) -> dict[str, tuple[int, int]]:
        if not seen:
            return {}
        px = self._camera.project_at([(s.x, s.y) for s in seen], self._table.radius)
        return {s.ball: (round(float(u)), round(float(v))) for s, (u, v) in zip(seen, px, strict=True) if np.isfinite(u + v)}

    def _trails(self, picture: np.ndarray, t: float, pixels: Mapping[str, tuple[int, int]]) -> None:
        for ball, (u, v) in pixels.items():
            self._memory.trails.setdefault(ball, deque()).append((t, u, v))
        for ball, trail in self._memory.trails.items():
            while trail and trail[0][0] < t - TRAIL:
                trail.popleft()
            if len(trail) < 2:
                continue
            points = np.array([(u, v) for _, u, v in trail], np.int32)
            if np.ptp(points, axis=0).max() < 6:
                continue
            cv2.polylines(picture, [points], False, (0, 0, 0), self._thick + 2, cv2.LINE_AA)
            cv2.polylines(picture, [points], False, COLOURS.get(ball, WHITE), self._thick, cv2.LINE_AA)

    def _balls(self, picture: np.ndarray, seen: Sequence[Seen], pixels: Mapping[str, tuple[int, int]]) -> None:
        balls = [s for s in seen if s.ball in pixels]
        if not balls:
            return
        outlines = self._camera.silhouette([(s.x, s.y) for s in balls], self._table.radius * 1.12)
        for s, outline in zip(balls, outlines, strict=True):
            points = np.round(outline * 8).astype(np.int32)
            colour = COLOURS.get(s.ball, WHITE)
            edge = WHITE if s.ball == "black" else (0, 0, 0)
            drawn = [points] if s.state == "seen" else list(points.reshape(8, -1, 2)[::2])  # a ball that is only predicted: dashes
            cv2.polylines(picture, drawn, s.state == "seen", edge, self._thick + 2, cv2.LINE_AA, 3)
            cv2.polylines(picture, drawn, s.state == "seen", colour, self._thick, cv2.LINE_AA, 3)
            name = label(words.ball(s.ball)(self._lang), round(self._text * 0.75), WHITE)
            x, y = pixels[s.ball]
            rise = round(float(np.ptp(outline[:, 1])) / 2)
            lay(picture, name, (x - name[0].shape[1] // 2, y - rise - name[0].shape[0] - 1))

    def _errors(self, picture: np.ndarray, balls: Sequence[Seen]) -> bool:
        """Where each ball may lie (two standard deviations); `LARGER` times as large, as the board says, where that is too small to see:
        then True is returned."""
        turns = np.linspace(0, 2 * np.pi, 33)[:-1]
        larger = False
        for s in balls:
            reach = 2 * s.sigma
            seen = reach * float(self._camera.scale_at([(s.x, s.y)], self._table.radius)[0]) >= _SEEN
            larger = larger or not seen
            ring = np.array((s.x, s.y)) + reach * (1 if seen else LARGER) * np.column_stack([np.cos(turns), np.sin(turns)])
            px = self._camera.project_at(ring, self._table.radius)
            if np.isfinite(px).all() and np.abs(px).max() < 1e5:
                points = [np.round(px * 8).astype(np.int32)]
                cv2.polylines(picture, points, True, (0, 0, 0), self._thick + 1, cv2.LINE_AA, 3)
                cv2.polylines(picture, points, True, _RED if seen else _CYAN, self._thick, cv2.LINE_AA, 3)
        return larger

    def _lay(self, picture: np.ndarray, sprite: tuple[np.ndarray, np.ndarray], name: str) -> None:
        height, width = sprite[0].shape[:2]
        anchor = (_BELOW if self.strip else self._anchors)[name]
        lay(picture, sprite, anchor.corner((width, height), (self._width, self._height + self.strip), self._text // 2))

    def _flashes(self, picture: np.ndarray, t: float, pixels: Mapping[str, tuple[int, int]]) -> None:
        memory = self._memory
        while memory.shown_events < len(self._events) and self._events[memory.shown_events][0] <= t:
            at, event = self._events[memory.shown_events]
            memory.shown_events += 1
            places = [pixels[b] for b in event.get("balls") or [event.get("ball")] if b in pixels]
            if t - at < FLASH and places and event["type"] not in ("midline", "stop"):
                x, y = np.mean(places, axis=0)
                memory.flashes.append(_Flash(at, (round(float(x)), round(float(y))), _GOLD if event["type"] != "pocket" else _GREEN))
        while memory.flashes and memory.flashes[0].t < t - FLASH:
            memory.flashes.popleft()
        for flash in memory.flashes:
            age = (t - flash.t) / FLASH
            cv2.circle(picture, flash.at, round(self._height * (0.012 + 0.03 * age)), flash.colour, self._thick + (age < 0.5), cv2.LINE_AA)

    def _board(self, picture: np.ndarray, t: float, index: int, larger: bool) -> None:
        """Players, score and the number of the stroke, what the ovals are; the score changes when a stroke has ended."""
        done = index if index >= 0 and t >= self._shots[index]["end_t"] else index - 1
        ruling = next((s["ruling"] for s in reversed(self._shots[: done + 1]) if s["ruling"]), None)
        a, b = self._document["players"]
        stroke = f"{words.Text('удар', 'stroke')(self._lang)} {index + 1}" if index >= 0 else ""
        lines = []
        if any(shot["ruling"] for shot in self._shots):
            first = next(shot["ruling"] for shot in self._shots if shot["ruling"])
            scores = ruling["state"]["scores"] if ruling else self._scores_before(first)
            lines.append(Line(f"{a}  {scores[0]} : {scores[1]}  {b}", bold=True, scale=1.15))
        if stroke:
            lines.append(Line(stroke, _SOFT, scale=0.8))
        if larger:
            text = words.Text(f"овал: погрешность места, ×{LARGER}", f"oval: error of the place, ×{LARGER}")
            lines.append(Line(text(self._lang), _CYAN, scale=0.7))
        if lines:
            self._lay(picture, panel(tuple(lines), self._text), "board")

    @staticmethod
    def _scores_before(ruling: Mapping[str, Any]) -> list[int]:
        """The scores before a stroke: those after it without what it gave."""
        scores = list(ruling["state"]["scores"])
        player = ruling["state"]["player"] if ruling["turn"] == "stays" else 1 - ruling["state"]["player"]
        scores[player] -= ruling["points"]
        scores[1 - player] -= ruling["opponent_points"]
        return scores

    def _recent(self, picture: np.ndarray, t: float, index: int) -> None:
        """The last events of the stroke."""
        if index < 0 or t > self._shots[index]["end_t"] + 1.0:
            return
        happened = [e for e in self._shots[index]["events"] if e.get("video_t") is not None and t - EVENT < e["video_t"] <= t]
        lines = tuple(Line(words.event(e)(self._lang), scale=0.85) for e in happened[-5:])
        if lines:
            self._lay(picture, panel(lines, self._text), "events")

    def _word(self, picture: np.ndarray, t: float, index: int) -> None:
        """The call before and in a stroke, the ruling after it."""
        lines: tuple[Line, ...] = ()
        if index >= 0 and self._shots[index]["end_t"] <= t < self._shots[index]["end_t"] + RULING:
            lines = self._ruling_lines(self._shots[index])
        current = index if index >= 0 and t < self._shots[index]["end_t"] else index + 1
        if current < len(self._shots) and self._shots[current].get("call") and t > self._starts[current] - CALL_BEFORE:
            said = self._shots[current]["call"]
            title = words.Text("Заказ", "Call")(self._lang)
            lines = (*lines, Line(f"{title}: «{said}»", _GOLD, bold=True)) if isinstance(said, str) else lines
        if lines:
            self._lay(picture, panel(lines, self._text), "word")

    def _ruling_lines(self, shot: Mapping[str, Any]) -> tuple[Line, ...]:
        ruling = shot["ruling"]
        if not ruling:
            return ()
        outcome = ruling["outcome"]
        points = ruling["points"] or ruling["opponent_points"]
        head = words.OUTCOME[outcome](self._lang) + (f" +{points}" if points else "")
        if ruling["opponent_points"]:
            head += words.Text(" сопернику", " to the opponent")(self._lang)
        colour = {"scored": _GREEN, "foul": _RED}.get(outcome, WHITE)
        lines = [Line(head, colour, bold=True)]
        size = round(self._text * 0.85)
        lines += [Line(part, scale=0.85) for part in wrapped(ruling["explanation"][self._lang], round(self._width * 0.5), size)]
        if shot["review"]:
            lines.append(
                Line(
                    words.Text("проверить", "to check")(self._lang) + f": {told_by_clock(shot['review'][0]['reason'])(self._lang)}",
                    _GOLD,
                    scale=0.85,
                )
            )
        return tuple(lines)
