"""From a video to a refereed match: what `poedinok analyze` does.

`vision.pipeline` says what happened; here the calls are joined to the strokes, the rules applied and the results written.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from calibration.errors import UserError
from calibration.table import BALLS, Table, table
from referee import adjudicate
from referee.alternatives import sifted
from referee.ball_names import balls_named
from referee.callfile import LATE, TimedCall, assign, late_calls, read_calls
from referee.calls import CallError, CallFormError, parse_call
from referee.calls import from_json as call_from_json
from referee.codec import CaseError, checks, state_from_json
from referee.confidence import with_confidence
from referee.match import Began, Call, Called, Entry, Judge, Match, Played, append, replay
from referee.output import staged
from referee.placing import first_state, ready
from referee.ruling import Ruling
from referee.state import State
from vision.shot import Doubt, Event, Places, Shot, Stroke

if TYPE_CHECKING:
    from calibration.profile import Profile
    from vision.pipeline import Progress, VideoResult

ANNOTATED, PROFILE, SOURCE = "annotated.mp4", "profile.toml", "source.json"


@dataclass(frozen=True, slots=True)
class Request:
    """What is asked of an analysis, all of it read and checked."""

    video: Path
    out: Path
    profile: Profile | None = None
    calls: tuple[TimedCall, ...] = ()
    balls: tuple[str, ...] = BALLS
    weights: Path | None = None
    annotate: bool = False
    home: str | None = None
    start: State | None = None
    players: tuple[str, str] = ("A", "B")
    target: int | None = None
    lang: str = "ru"
    address: str | None = None  # where the video is to be found later, if that is not where it is read from
    notes: tuple[str, ...] = ()  # what a reader should know of the profile that was given
    rerun: Path | None = None  # recording for the Rerun viewer to write
    dataset: Path | None = None  # folder for doubtful frames with labels
    dataset_frames: int = 100  # how many of them at most

    @classmethod
    def read(
        cls, video: Path, out: Path, *, profile: Path | None = None, calls: Path | None = None, balls: str = ",".join(BALLS),
        start: Path | None = None, players: str | None = None, target: int | None = None, weights: Path | None = None, **rest: Any,
    ) -> Request:  # fmt: skip
        """The request that the options of the command line make. Raises UserError for the first that is wrong."""
        for path, what in ((video, "video"), (weights, "weights")):
            if path is not None and not path.is_file():
                raise UserError(f"{path}: {what} not found, expected a file")
        if target is not None and target < 1:
            raise UserError(f"--target: expected a positive number of points, got {target}")
        if rest.get("rerun") is not None:
            from referee.rerun_file import check

            check(rest["rerun"])
        if rest.get("dataset") is not None:
            from referee.export_dataset import check_folder

            check_folder(rest["dataset"])
            if rest["dataset"].absolute() == out.absolute():
                raise UserError(f"--export-dataset {out}: expected another folder than --out")
        known = _profile(profile, rest.get("home")) if profile else None
        return cls(
            video=video, out=out, profile=known, calls=read_calls(calls) if calls else (),
            balls=balls_named(balls), weights=weights, players=_players(players), target=target,
            start=_start(start, known.table if known else table()) if start else None, **rest,
        )  # fmt: skip


@dataclass(frozen=True, slots=True)
class Result:
    """What an analysis made: `document` is match.json; `timings` are seconds by stage."""

    out: Path
    document: Mapping[str, Any]
    timings: Mapping[str, float]
    seconds: float
    doubtful: int | None = None  # frames of the data set, if one was asked for


def run(request: Request, on_progress: Callable[[Progress], None] | None = None) -> Result:
    """Analyze the video and write the folder; nothing of it is there before all of it is.

    Raises:
        UserError: the folder cannot be written to, or the video or another input is not what it should be.
    """
    began = time.perf_counter()
    with staged(request.out) as folder:
        from vision.pipeline import analyze_video

        video = analyze_video(
            request.video, profile=request.profile, balls=request.balls, weights=request.weights, home=request.home,
            on_progress=on_progress, tracks=folder / "tracks.csv",
        )  # fmt: skip
        seen = time.perf_counter()
        document, strokes = _refereed(request, video)
        _write(folder, document, strokes, video.profile.table, request.lang)
        _write_origin(folder, request, video.profile)
        reported = time.perf_counter()
        if request.annotate:
            from referee.annotate import annotate

            annotate(
                request.video,
                folder / "tracks.csv",
                document,
                video.profile,
                folder / ANNOTATED,
                lang=request.lang,
                moves=video.moves,
                on_progress=on_progress,
            )
        else:  # one from an earlier analysis would show another match than match.json
            (request.out / ANNOTATED).unlink(missing_ok=True)
        annotated = time.perf_counter()
        if request.rerun is not None:
            from referee.rerun_file import write_recording

            tracks = folder / "tracks.csv"
            write_recording(request.video, tracks, document, video.profile, request.rerun, lang=request.lang, moves=video.moves)
        ended = time.perf_counter()
        doubtful = _exported(request, video, folder, on_progress) if request.dataset else None
    timings = (
        dict(video.timings)
        | {"rules and report": reported - seen}
        | ({"annotated video": annotated - reported} if request.annotate else {})
        | ({"recording": ended - annotated} if request.rerun else {})
    )
    return Result(request.out, document, timings, ended - began, doubtful)


def _exported(request: Request, video: VideoResult, folder: Path, on_progress: Callable[[Progress], None] | None) -> int:
    """The data set of doubtful frames; how many they are."""
    from referee.export_dataset import export_dataset
    from referee.formats.folder import open_analysis

    assert request.dataset is not None
    profiles = [(0.0, video.profile), *video.moves]
    return export_dataset(
        open_analysis(folder), request.video, profiles, request.dataset, most=request.dataset_frames, weights=request.weights,
        on_progress=on_progress,
    )  # fmt: skip


def _refereed(request: Request, video: VideoResult) -> tuple[dict[str, Any], list[Stroke]]:
    from referee.document import document

    match, strokes, notes = referee_strokes(
        video.strokes, video.profile.table, balls=request.balls, calls=request.calls, start=request.start, target=request.target,
        players=request.players,
    )  # fmt: skip
    return document(video, match, strokes, [*request.notes, *video.notes, *notes]), strokes


def _write(folder: Path, document: Mapping[str, Any], strokes: Sequence[Stroke], table: Table, lang: str) -> None:
    from referee.document import stroke_paths
    from referee.report import render

    (folder / "match.json").write_text(json.dumps(document, ensure_ascii=False, indent=1) + "\n", "utf-8")
    (folder / "report.html").write_text(render(document, stroke_paths(strokes), lang=lang, on=table), "utf-8")


def _write_origin(folder: Path, request: Request, profile: Profile) -> None:
    """What exports and clips need beside the results: the camera, and where the video is (match.json has its name only)."""
    from calibration.profile import write_profile

    write_profile(profile, folder / PROFILE)
    where = {"video": request.address or str(request.video.absolute())}
    (folder / SOURCE).write_text(json.dumps(where, ensure_ascii=False) + "\n", "utf-8")


def referee_strokes(
    strokes: Sequence[Stroke], table: Table, *, balls: Sequence[str] = BALLS, calls: Sequence[TimedCall] = (),
    start: State | None = None, target: int | None = None, players: tuple[str, str] = ("A", "B"),
) -> tuple[Match, list[Stroke], list[str]]:  # fmt: skip
    """The match that these strokes and calls make, the strokes as they were ruled, and notes on the whole.

    Rulings are made only on a table with pockets and with all four balls (contract: analysis). A ball that lies on the
    table before or after no stroke is not in the game, unless `start` says that it is.
    """
    seen = {ball for s in strokes for places in (s.positions_before, s.shot.positions) for ball in places if places[ball] is not None}
    present = set(balls) if start else set(balls) & seen
    ruled = bool(table.pockets) and present == set(BALLS)
    state = start or first_state(strokes[0].positions_before if strokes else {}, table)
    if target is not None:
        state = replace(state, target=target)
    held, left = assign(calls, [s.start_t for s in strokes])
    journal = append((), Began(state, players))
    notes = [f"call at {call.video_t:.2f} s has no stroke after it: {call.text}" for call in left]
    settled, late = [], late_calls(calls, [(s.start_t, s.end_t) for s in strokes])
    for index, stroke in enumerate(strokes, 1):
        said = held.get(index - 1, ())
        for call in said:
            journal = append(journal, Called(index, call.text, call.video_t))
        stroke = _settled(stroke, said, balls)
        unsure = dict.fromkeys(Doubt(f"call at {c.video_t:.2f} s {LATE}: {c.text}") for n, c in late if n == index - 1 or c in said[-1:])
        stroke = replace(stroke, review=(*stroke.review, *unsure))
        settled.append(stroke)
        journal = append(journal, played_of(index, stroke))
    if not ruled:
        if table.pockets and strokes and set(balls) == set(BALLS):
            notes.append(f"no rulings: not on the table in any stroke: {', '.join(b for b in BALLS if b not in seen)}")
        return (
            replay(journal, lambda *_: (None, ()), lambda s, played, _: (replace(s, positions=played.positions_before), played)),
            settled,
            notes,
        )
    match = with_confidence(replayed(journal, table), judge_on(table), table)
    return match, [replace(s, cue_ball=s.cue_ball or r.before.cue_ball) for s, r in zip(settled, match.strokes, strict=True)], notes


def played_of(number: int, stroke: Stroke) -> Played:
    """The entry of a journal that tells stroke `number`."""
    return Played(
        number, stroke.shot, stroke.positions_before, stroke.review, stroke.start_t, stroke.end_t, stroke.notes, stroke.place_sigma
    )  # fmt: skip


def replayed(journal: Sequence[Entry], table: Table) -> Match:
    """The match that a journal tells, ruled on a table with pockets: only what decides is in review. Raises JournalError."""
    judge = judge_on(table)
    return sifted(replay(journal, judge, lambda s, played, left: _prepared(s, played, left, table)), judge, table)


def judge_on(table: Table) -> Judge:
    """What rules one stroke on this table."""
    return lambda state, shot, call: judged(state, shot, call, table)


def _settled(stroke: Stroke, calls: Sequence[TimedCall], balls: Sequence[str]) -> Stroke:
    """The stroke with a place (or None) for each expected ball, and with what the calls make doubtful."""
    before, after = ({ball: places.get(ball) for ball in balls} for places in (stroke.positions_before, stroke.shot.positions))
    texts = list(dict.fromkeys(call.text for call in calls))
    said = (Doubt(f"{len(texts)} calls before this stroke; the last one stands: {texts[-1]}"),) if len(texts) > 1 else ()
    return replace(stroke, positions_before=before, shot=replace(stroke.shot, positions=after), review=(*stroke.review, *said))


def _prepared(state: State, played: Played, left: Places | None, table: Table) -> tuple[State, Played]:
    """The state with the places that were seen, and the stroke with a strike, which the rules start from."""
    before, doubts = ready(state, played.positions_before, table, sigma=played.sigma, left=left)
    review = (*played.review, *doubts)
    if any(e.type == "strike" for e in played.shot.events):
        return before, replace(played, review=review)
    shot = replace(played.shot, events=(Event(0.0, "strike", ball=before.cue_ball), *played.shot.events))
    unseen = Doubt(f"the strike was not seen; {before.cue_ball} is taken for the ball struck", 0)
    return before, replace(played, shot=shot, review=(*map(_one_later, review), unseen), notes=tuple(map(_one_later, played.notes)))


def _one_later(doubt: Doubt) -> Doubt:
    """The doubt of a stroke that has got one event more at its beginning."""
    ways = tuple(replace(way, drop=tuple(n + 1 for n in way.drop)) for way in doubt.ways)
    return replace(doubt, event=None if doubt.event is None else doubt.event + 1, ways=ways)


_understood = lru_cache(256)(parse_call)  # a doubtful stroke is ruled many times


def judged(state: State, shot: Shot, call: Call, table: Table) -> tuple[Ruling | None, tuple[Doubt, ...]]:
    """The ruling of one stroke of a video and what a person should look at because of it."""
    doubts = []
    meant = None
    if state.target is not None and max(state.scores) >= state.target:
        return None, (Doubt("the game was over before this stroke: it is not ruled"),)
    if isinstance(call, str):
        try:
            meant = _understood(call, state.cue_ball)
        except CallError as error:
            # ruling as if nothing had been said can give points that were not earned: a person must look
            doubts.append(Doubt(f"call not understood, ruled as none: «{call}» ({error})"))
    elif call is not None:
        try:
            meant = call_from_json(call)
        except CallFormError as error:
            doubts.append(Doubt(f"call not understood, ruled as none: «{json.dumps(call, ensure_ascii=False)}» ({error})"))
    first, struck = next(((n, e.ball) for n, e in enumerate(shot.events) if e.type == "strike"), (None, None))
    if struck != state.cue_ball:
        doubts.append(Doubt(f"{struck} was struck, the cue ball is {state.cue_ball}", first))
    try:
        checks.check_state(state, table)
        checks.check_order(shot)
        checks.check_places(shot.positions, table, "positions after")
        checks.check_balls(state, shot)
    except CaseError as error:
        doubts.append(Doubt(f"what was seen does not hold together: {error}"))
        try:
            return adjudicate(state, shot, meant, table), tuple(doubts)
        except Exception as failure:  # outside what the rules promise to take; a person must rule
            doubts.append(Doubt(f"no ruling could be made ({type(failure).__name__})"))
            return None, tuple(doubts)
    return adjudicate(state, shot, meant, table), tuple(doubts)


def _profile(path: Path, home: str | None) -> Profile:
    from calibration.profile import read_profile

    profile = read_profile(path)
    if home and profile.home and home != profile.home:
        raise UserError(f"--home {home}: the house of {path} is {profile.home}; calibrate again with --home {home}")
    return profile


def _players(text: str | None) -> tuple[str, str]:
    if text is None:
        return ("A", "B")
    names = [name.strip() for name in text.split(",")]
    if len(names) != 2 or not all(names):
        raise UserError(f"--players: expected two names A,B, got {text!r}")
    return (names[0], names[1])


def _start(path: Path, on: Table) -> State:
    """The state in a file, its places looked at on this table."""
    try:
        data = json.loads(path.read_text("utf-8-sig"))
    except OSError as error:
        raise UserError(f"{path}: the state cannot be read: {error.strerror or error}") from None
    except (json.JSONDecodeError, UnicodeDecodeError) as error:
        raise UserError(f"{path}: the state is not JSON: {error}") from None
    try:
        return state_from_json(data, on)
    except CaseError as error:
        raise UserError(f"{path}: {error}") from None
