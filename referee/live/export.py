"""Live games as the files that `analyze` writes: match.json, report, notation, statistics; nothing of it is kept twice by hand."""

from __future__ import annotations

import io
import json
import tempfile
import zipfile
from datetime import datetime
from pathlib import Path
from typing import Any

from calibration.errors import UserError
from calibration.table import Table
from referee.document import ruled_json
from referee.live.store import Game, Store
from referee.live.view import StrokeView, begun, told
from referee.version import version


def game_document(store: Store, game: Game, table: Table) -> dict[str, Any]:
    """A game as match.json. Raises UserError for a damaged journal."""
    match, strokes = told(store.journal(game.id), table)
    last = next((s.ruled.ruling for s in reversed(strokes) if s.ruled.ruling), None)
    end = max((s.end_t or 0.0 for s in strokes), default=0.0)
    return {
        "poedinok": version(),
        "video": {"file": f"live-{game.id}", "frames": 0, "time_base": "1/1000", "width": 0, "height": 0, "duration": end},
        "table": {**game.table, "reprojection_mm": None, "home": None},
        "players": list(match.players),
        "target": match.state.target,
        "notes": [],
        "shots": [_shot(stroke) for stroke in strokes],
        "scores": list(match.scores),
        "winner": last.winner if last else None,
    }


def _shot(stroke: StrokeView) -> dict[str, Any]:
    frames = [e.frame for e in stroke.ruled.shot.events if e.frame is not None] or [0]
    times = {"start_t": stroke.start_t or 0.0, "end_t": stroke.end_t or 0.0}
    return ruled_json(stroke.ruled, times | {"start_frame": min(frames), "end_frame": max(frames)})


def game_report(store: Store, game: Game, table: Table, lang: str) -> str:
    """The report of a game, as `analyze` writes it."""
    from referee.report import render

    document = game_document(store, game, table)
    paths = {shot["index"]: store.paths(game.id, shot["index"]) for shot in document["shots"]}
    return render(document, paths, lang=lang, on=table)


def game_notation(store: Store, game: Game, table: Table) -> str:
    """A game in notation (docs/NOTATION.md). Raises UserError for a game without strokes."""
    from referee.exchange import from_journal
    from referee.notation import write_match

    return write_match(from_journal(begun(store.journal(game.id), table), table))


def seasons_page(store: Store, table: Table, lang: str) -> str:
    """Statistics of all games with a stroke, per player. Raises UserError if there is none."""
    from referee.season.page import render
    from referee.season.statistics import season

    with tempfile.TemporaryDirectory() as folder:
        return render(season(_facts(store, table, Path(folder))), lang=lang)


def statistics_zip(store: Store, table: Table) -> bytes:
    """All tables of the statistics as CSV files in one archive. Raises UserError if there is no game."""
    from referee.season.statistics import season
    from referee.season.tables import all_tables, write_csv

    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        facts = _facts(store, table, folder / "games")
        write_csv(folder / "csv", all_tables(facts, season(facts)))
        packed = io.BytesIO()
        with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
            for path in sorted((folder / "csv").glob("*.csv")):
                archive.write(path, path.name)
        return packed.getvalue()


def _facts(store: Store, table: Table, folder: Path) -> list:
    from referee.season.load import read_folder

    found = []
    for game in reversed(store.games()):
        document = game_document(store, game, table)
        if not document["shots"]:
            continue
        place = folder / str(game.id)
        place.mkdir(parents=True)
        (place / "match.json").write_text(json.dumps(document, ensure_ascii=False), "utf-8")
        day = datetime.fromtimestamp(game.began_at).date().isoformat()
        found.append(read_folder(place, {"date": day}))
    if not found:
        raise UserError("no game with a stroke yet")
    return found
