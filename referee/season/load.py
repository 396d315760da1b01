"""A folder of `analyze` (match.json, tracks.csv) as rows."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping, Sequence
from datetime import date, datetime
from pathlib import Path
from typing import Any

from calibration.errors import UserError
from calibration.table import Table
from referee.codec.errors import CaseError
from referee.codec.forms import check
from referee.codec.read import load
from referee.report import document_table
from referee.season import called
from referee.season.forms import MatchForm, RulingForm, SeenForm, ShotForm
from referee.season.rows import EventRow, FoulRow, GameRow, ItemRow, MatchFacts, MatchRow, PlaceRow, ReviewRow, RulingRow, StrokeRow
from referee.season.speeds import Window, strike_speeds

UNNAMED = ("A", "B")
_DATE_IN_NAME = re.compile(r"(?<!\d)(20\d\d)[-_.]?([01]\d)[-_.]?([0-3]\d)(?!\d)")
_HALF = re.compile("[\ud800-\udfff]")
_NUL = re.compile(r"\\\\|\\u0000")  # an escaped backslash is passed over, so that what follows it is no escape
_LONGEST_PAUSE = 600.0  # s; a longer one is a break, not a stroke's preparation


def read_folder(folder: Path, meta: Mapping[str, Any] | None = None) -> MatchFacts:
    """The rows of the match in a folder that `analyze` wrote.

    Args:
        folder: holds match.json; tracks.csv if there are to be speeds; `season.json` beside it gives what `meta` lacks.
        meta: see `referee.season.record`.

    Raises:
        UserError: names the file and the field.
    """
    path = folder / "match.json"
    try:
        raw = path.read_bytes()
    except FileNotFoundError:
        raise UserError(f"{folder}: expected a folder of `poedinok analyze` with match.json") from None
    except OSError as error:
        raise UserError(f"{path}: cannot be read: {error.strerror or error}") from None
    try:
        document = _storable(load(raw), raw)
        form: MatchForm = check(MatchForm, document)
        table = document_table(document)
    except CaseError as error:
        raise UserError(f"{path}: {str(error).removeprefix('case: ')}") from None
    except ValueError as error:
        raise UserError(f"{path}: table: {error}") from None
    _check_numbers(path, form)
    beside = _beside(folder / "season.json") | {k: v for k, v in (meta or {}).items() if v is not None}
    tracks = folder / "tracks.csv"
    speeds = strike_speeds(tracks, _windows(form)) if tracks.is_file() else None
    key = hashlib.sha256(json.dumps(document, sort_keys=True, ensure_ascii=True).encode()).hexdigest()[:16]
    return _facts(key, form, table, _match_row(key, folder, form, beside, speeds is not None), speeds or {})


def _storable(document: Any, raw: bytes) -> Any:
    """The document without what JSON can say but neither a file in UTF-8 nor every database can hold: halves of characters, NUL."""
    if b"\\u" not in raw:
        return document
    text = _HALF.sub("\N{REPLACEMENT CHARACTER}", json.dumps(document, ensure_ascii=False))
    return json.loads(_NUL.sub(lambda found: found[0] if found[0] == "\\\\" else "\N{REPLACEMENT CHARACTER}", text))


def iso_date(value: object, where: str) -> str | None:
    """A date as ISO text, None for none. Raises UserError naming `where`."""
    if value is None or value == "":
        return None
    try:
        if isinstance(value, datetime):
            return value.date().isoformat()
        return (value if isinstance(value, date) else date.fromisoformat(str(value))).isoformat()
    except ValueError:
        raise UserError(f"{where}: expected a date such as 2026-03-01, got {str(value)[:40]!r}") from None


def _beside(path: Path) -> dict[str, Any]:
    try:
        found = json.loads(path.read_text("utf-8-sig"))
    except FileNotFoundError:
        return {}
    except (OSError, ValueError) as error:
        raise UserError(f"{path}: expected a JSON object with date, players, source: {error}") from None
    if not isinstance(found, dict):
        raise UserError(f"{path}: expected a JSON object with date, players, source")
    return found


def _check_numbers(path: Path, form: MatchForm) -> None:
    for place, shot in enumerate(form.shots):
        if place and shot.index <= form.shots[place - 1].index:
            raise UserError(f"{path}: shots[{place}].index: expected more than {form.shots[place - 1].index}, got {shot.index}")


def _match_row(key: str, folder: Path, form: MatchForm, meta: Mapping[str, Any], tracks: bool) -> MatchRow:
    players = meta.get("players") or form.players
    if isinstance(players, str) or len(players) != 2 or not all(isinstance(p, str) and p.strip() for p in players):
        raise UserError(f"{folder}: players: expected two names, got {players!r}")
    names = tuple(" ".join(p.split()) for p in players)
    video, on = form.video, form.table
    return MatchRow(
        match=key,
        source=str(meta.get("source") or folder.resolve()),
        folder=str(folder.resolve()),
        date=iso_date(meta.get("date"), f"{folder}: date") or _date_in(video.file),
        file=Path(video.file).name,
        frames=video.frames,
        duration_s=video.duration,
        table_kind=on.name,
        length_mm=float(on.length_mm),
        width_mm=float(on.width_mm),
        ball_mm=float(on.ball_mm),
        reprojection_mm=on.reprojection_mm,
        player_a=names[0],
        player_b=names[1],
        named=names != UNNAMED,
        target=form.target,
        score_a=form.scores[0],
        score_b=form.scores[1],
        winner=form.winner,
        tracks=tracks,
        notes="\n".join(form.notes),
        version=form.poedinok,
    )


def _date_in(name: str) -> str | None:
    """A date that the video's name holds, as cameras and clubs name them."""
    for found in _DATE_IN_NAME.finditer(Path(name).stem):
        try:
            return date(*map(int, found.groups())).isoformat()
        except ValueError:
            continue
    return None


def _windows(form: MatchForm) -> dict[int, Window]:
    """For each stroke the ball and the time over which its speed after the strike is measured."""
    found = {}
    for shot in form.shots:
        strike = next((e for e in shot.events if e.type == "strike"), None)
        if strike is None or strike.ball is None or strike.video_t is None:
            continue
        touched = (e.t - strike.t for e in shot.events if e.type in ("contact", "cushion", "jaw", "jump", "pocket", "off_table", "touch")
                   and (e.ball == strike.ball or (e.balls and strike.ball in e.balls)) and e.t > strike.t)  # fmt: skip
        found[shot.index] = Window(strike.ball, strike.video_t, strike.video_t + min([0.1, *touched]))
    return found


def _facts(key: str, form: MatchForm, table: Table, match: MatchRow, speeds: Mapping[int, float]) -> MatchFacts:
    games, number_of = _games(key, form)
    strokes, places, events, rulings, items, fouls, reviews = [], [], [], [], [], [], []
    before: ShotForm | None = None
    for shot in form.shots:
        strokes.append(_stroke(key, shot, before, table, number_of.get(shot.index), speeds.get(shot.index)))
        places += _places(key, shot)
        events += [_event(key, shot.index, number, e) for number, e in enumerate(shot.events)]
        reviews += [ReviewRow(key, shot.index, number, r.event, r.reason) for number, r in enumerate(shot.review)]
        if shot.ruling is not None:
            rulings.append(_ruling(key, shot.index, shot.ruling))
            items += [
                ItemRow(key, shot.index, n, i.rule, i.ball, i.points, _list(i.events), _list(i.decisions))
                for n, i in enumerate(shot.ruling.items)
            ]
            fouls += [
                FoulRow(key, shot.index, n, f.rule, _list(f.balls), f.event, _list(f.decisions)) for n, f in enumerate(shot.ruling.fouls)
            ]
        before = shot
    return MatchFacts(
        match, games, tuple(strokes), tuple(places), tuple(events), tuple(rulings), tuple(items), tuple(fouls), tuple(reviews)
    )  # fmt: skip


def _list(values: Sequence[object]) -> str:
    return ",".join(map(str, values))


def _games(key: str, form: MatchForm) -> tuple[tuple[GameRow, ...], dict[int, int]]:
    """The games and, by stroke, the number of its game; strokes after the end of a game that are not ruled belong to none."""
    games: list[list[ShotForm]] = []
    over = True
    for shot in form.shots:
        if over and (shot.ruling is not None or not games):
            games.append([])
            over = False
        if not over:
            games[-1].append(shot)
            over = shot.ruling is not None and shot.ruling.game_over
    rows = []
    for number, shots in enumerate(games, 1):
        last = next((s.ruling for s in reversed(shots) if s.ruling), None)
        scores = last.state.scores if last else [0, 0]
        target = last.state.target if last else form.target
        ended = bool(last and last.game_over)
        first, final = shots[0].index, shots[-1].index
        rows.append(GameRow(key, number, first, final, target, scores[0], scores[1], ended, last.winner if last and ended else None))
    return tuple(rows), {s.index: number for number, shots in enumerate(games, 1) for s in shots}


def _stroke(key: str, shot: ShotForm, before: ShotForm | None, table: Table, game: int | None, speed: float | None) -> StrokeRow:
    void = shot.ruling is not None and shot.ruling.void_call is not None
    meaning = called.meant(shot.call, shot.cue_ball, void)
    lay = {ball: None if place is None else (place[0], place[1]) for ball, place in shot.positions_before.items()}
    first = _met_first(shot)
    aim = meaning.aim_ball or first
    cut = called.cut_angle(lay, shot.cue_ball, meaning.ball, meaning.aim_pocket, table) if meaning.kind == "straight_object" else None
    apart = called.distance(lay, shot.cue_ball, aim)
    pause = None if before is None else shot.start_t - before.end_t
    return StrokeRow(
        match=key,
        stroke=shot.index,
        game=game,
        player=shot.player if shot.ruling is not None else None,
        cue_ball=shot.cue_ball,
        start_s=float(shot.start_t),
        end_s=float(shot.end_t),
        start_frame=shot.start_frame,
        end_frame=shot.end_frame,
        placement=before.ruling.state.placement if before is not None and before.ruling is not None else None,
        call=json.dumps(shot.call, ensure_ascii=False, sort_keys=True) if isinstance(shot.call, dict) else shot.call,
        kind=meaning.kind,
        pocket_class=meaning.pocket_class,
        cushions=meaning.cushions,
        aim_ball=aim,
        aim_pocket=meaning.aim_pocket,
        distance_mm=None if apart is None else round(apart, 1),
        cut_deg=None if cut is None else round(cut, 1),
        first_ball=first,
        speed_m_s=speed,
        pause_s=round(pause, 3) if pause is not None and 0 <= pause <= _LONGEST_PAUSE else None,
    )


def _met_first(shot: ShotForm) -> str | None:
    """The ball that the cue ball met first."""
    for event in shot.events:
        if event.type == "contact" and event.balls and shot.cue_ball in event.balls:
            return next((ball for ball in event.balls if ball != shot.cue_ball), None)
    return None


def _places(key: str, shot: ShotForm) -> list[PlaceRow]:
    both = (("after", shot.positions_after), ("before", shot.positions_before))  # rows lie in the order of their keys
    return [
        PlaceRow(key, shot.index, moment, ball, *((None, None) if place is None else (float(place[0]), float(place[1]))))
        for moment, lay in both
        for ball, place in sorted(lay.items())
    ]


def _event(key: str, stroke: int, number: int, e: SeenForm) -> EventRow:
    one, two = e.balls if e.balls else (e.ball, None)
    x, y = (float(e.at[0]), float(e.at[1])) if e.at else (None, None)
    return EventRow(
        key, stroke, number, float(e.t), e.type, one, two, e.cushion, e.pocket, e.jaws, e.over, e.over_jaw, x, y,
        e.frame, e.video_t, e.sigma_ms, e.confidence,
    )  # fmt: skip


def _ruling(key: str, stroke: int, ruling: RulingForm) -> RulingRow:
    after = ruling.state
    return RulingRow(
        match=key,
        stroke=stroke,
        outcome=ruling.outcome,
        points=ruling.points,
        opponent_points=ruling.opponent_points,
        turn=ruling.turn,
        void_reason=ruling.void_reason or ("void" if ruling.void_call is not None else None),
        score_a=after.scores[0],
        score_b=after.scores[1],
        next_cue_ball=after.cue_ball,
        next_placement=after.placement,
        game_over=ruling.game_over,
        winner=ruling.winner,
        decisions=_list(ruling.decisions),
        explanation_ru=ruling.explanation.ru,
        explanation_en=ruling.explanation.en,
    )
