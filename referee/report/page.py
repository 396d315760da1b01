"""The report of a match: one page of HTML that needs nothing beside it, in Russian and English.

Built from the document that is written to match.json, so a report can be made again from the files of an analysis.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from importlib.resources import files
from typing import Any

from calibration.table import KINDS, Table, custom_table, table
from referee import words
from referee.reasons import told_by_clock
from referee.report.card import call_text, card
from referee.report.html import clock, cue, el, escape, say
from referee.report.plan import Paths, table_symbol
from referee.words import Text

_TOGGLE = "document.documentElement.lang=document.documentElement.lang=='ru'?'en':'ru'"


def document_table(document: Mapping[str, Any]) -> Table:
    """The table that match.json names; one of another size keeps its size. Raises ValueError for an impossible size."""
    t = document["table"]
    if t["name"] in KINDS:
        known = table(t["name"], ball=t["ball_mm"])
        if (known.length, known.width) == (t["length_mm"], t["width_mm"]):
            return known
    return custom_table(t["length_mm"], t["width_mm"], ball=t["ball_mm"])


def render(document: Mapping[str, Any], paths: Mapping[int, Paths] | None = None, *, lang: str = "ru", on: Table | None = None) -> str:
    """The page.

    Args:
        document: what match.json holds.
        paths: for each stroke's `index` the balls' paths (video_t s, x mm, y mm).
        lang: the language shown first, ru or en.
        on: the table, if it is not the one that the document names.
    """
    where = on or document_table(document)
    players = document.get("players") or ["A", "B"]
    shots = document["shots"]
    head = el(
        "head",
        '<meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1">',
        el("title", f"{escape(' — '.join(players))} · Poedinok"),
        el("style", (files("referee.report") / "style.css").read_text("utf-8")),
    )
    cards = [card(shot, where, (paths or {}).get(shot["index"], {}), players) for shot in shots]
    nothing = el("p", say("В видео не найдено ни одного удара.", "No stroke was found in the video."))
    body = el(
        "body",
        f'<svg id="defs" aria-hidden="true">{table_symbol(where)}</svg>',
        _header(document, players),
        el("main", _sheet(shots, players) if shots else nothing, el("section", *cards), _footer(document)),
        el("script", (files("referee.report") / "script.js").read_text("utf-8")),
    )
    return f"<!doctype html>\n{el('html', head, body, lang=lang)}\n"


def _header(document: Mapping[str, Any], players: Sequence[str]) -> str:
    a, b = document["scores"]
    winner = document.get("winner")
    title = el("h1", say("Поединок", "Poedinok"), el("small", say("протокол матча", "score sheet")))
    toggle = f'<button type="button" onclick="{_TOGGLE}">{say("English", "Русский")}</button>'
    board = el(
        "div",
        el("div", escape(players[0]), cls="name a won" if winner == 0 else "name a"),
        el("div", f"{a}<i>:</i>{b}", cls="score"),
        el("div", escape(players[1]), cls="name b won" if winner == 1 else "name b"),
        cls="board",
    )
    if not any(shot.get("ruling") for shot in document["shots"]):
        board = ""  # a score would say that the game was refereed
    facts = el("ul", *(el("li", fact) for fact in _facts(document)), cls="meta")
    return el("header", el("div", el("div", title, toggle, cls="top"), board, facts, cls="wide"))


def _facts(document: Mapping[str, Any]) -> list[str]:
    video, where = document["video"], document["table"]
    facts = [
        escape(str(video["file"])),
        f"{video['width']}×{video['height']}",
        say(f"{video['frames']} кадров", f"{video['frames']} frames"),
        say(_table_words(where)),
    ]
    if where.get("reprojection_mm") is not None:
        error = words.decimal(f"{where['reprojection_mm']:.1f}")
        facts.append(say(f"погрешность калибровки {error.ru} мм", f"calibration error {error.en} mm"))
    if where.get("home") in words.SIDE:
        side = words.SIDE[where["home"]]
        facts.append(say(f"дом {side.ru}", f"house {side.en}"))
    if document.get("target"):
        facts.append(say(f"до {document['target']} очков", f"to {document['target']} points"))
    return facts + [say(told_by_clock(note)) for note in document.get("notes", ())]


def _table_words(where: Mapping[str, Any]) -> Text:
    kind, size = words.table_kind(where["name"]), words.decimal(f"{where['length_mm']:g} × {where['width_mm']:g}")
    return Text(f"{kind.ru} · {size.ru} мм", f"{kind.en} · {size.en} mm")


def _sheet(shots: Sequence[Mapping[str, Any]], players: Sequence[str]) -> str:
    heads = [
        ("№", "No."),
        ("время", "time"),
        ("игрок", "player"),
        ("биток", "cue ball"),
        ("заказ", "call"),
        ("решение", "ruling"),
        ("счёт", "score"),
    ]
    titles = [el("th", say(ru, en), cls="n" if ru in ("№", "время", "счёт") else "") for ru, en in heads]
    rows, last = [], None
    for shot in shots:
        rows.append(_line(shot, players, new_visit=last is not None and shot.get("player") != last))
        last = shot.get("player")
    table_ = el("div", el("table", el("thead", el("tr", *titles, "<th></th>")), el("tbody", *rows)), cls="scroll")
    return el("section", el("h2", say("Ход матча", "The match")), table_, cls="sheet")


def _line(shot: Mapping[str, Any], players: Sequence[str], *, new_visit: bool) -> str:
    ruling = shot.get("ruling")
    player = shot.get("player")
    score = ":".join(str(s) for s in ruling["state"]["scores"]) if ruling else "—"
    flag = el("a", "⚑ ", say("проверить", "check"), cls="flag", href=f"#s{shot['index']}") if shot.get("review") else ""
    return el(
        "tr",
        el("td", el("a", str(shot["index"]), href=f"#s{shot['index']}"), cls="n"),
        el("td", clock(shot["start_t"]), cls="n"),
        el("td", escape(players[player]) if ruling and player in (0, 1) else "—"),
        el("td", cue(shot["cue_ball"])),
        el("td", call_text(shot) or "—"),
        el("td", _brief(ruling)),
        el("td", score, cls="n"),
        el("td", flag),
        cls=f"{ruling['outcome'] if ruling else ''}{' visit' if new_visit else ''}".strip(),
    )


def _brief(ruling: Mapping[str, Any] | None) -> str:
    if ruling is None:
        return "—"
    if ruling["outcome"] == "foul":
        return el("span", say(words.OUTCOME["foul"]), cls="plus") + " " + escape(", ".join(f["rule"] for f in ruling["fouls"]))
    if ruling["points"]:
        rules = " + ".join(f"{i['points']} ({i['rule']})" if len(ruling["items"]) > 1 else i["rule"] for i in ruling["items"])
        return el("span", f"+{ruling['points']}", cls="plus") + " " + el("span", escape(rules), cls="none")
    return say(words.OUTCOME[ruling["outcome"]])


def _footer(document: Mapping[str, Any]) -> str:
    made = Text(
        f"Составлено программой «Поединок» {document['poedinok']}. Время событий — от удара, в секундах; "
        "время видео — в минутах и секундах (0:03,8). Номера на плане те же, что в списке.",
        f"Made by Poedinok {document['poedinok']}. Times of events count from the strike, in seconds; "
        "times of the video are minutes and seconds (0:03.8). The numbers on a plan are those of its list.",
    )
    return el("footer", say(made))
