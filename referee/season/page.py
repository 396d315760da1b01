"""The season's page: one file of HTML that needs nothing beside it, in Russian and English, to be read and printed."""

from __future__ import annotations

import os
from collections.abc import Sequence
from importlib.resources import files
from pathlib import Path
from urllib.parse import quote

from referee.report.html import el, escape, say
from referee.season import people, plots
from referee.season.statistics import MatchSummary, Season
from referee.season.texts import NBSP, counted, day, period, strokes
from referee.version import version
from referee.words import Text

_TOGGLE = "document.documentElement.lang=document.documentElement.lang=='ru'?'en':'ru'"


def render(season: Season, *, lang: str = "ru", beside: Path | None = None, notes: Sequence[Text] = (), player: str | None = None) -> str:
    """The page.

    Args:
        season: what to show.
        lang: the language shown first, ru or en.
        beside: the folder that the page will lie in; matches' own reports are linked relative to it where they exist.
        notes: what a reader should know of the data as a whole.
        player: the page is about this player alone.
    """
    shown = [p for p in season.players if player is None or p.name == player]
    anchors = [f"p{n}" for n, _ in enumerate(shown, 1)]
    title = escape(player) if player else say("Сезон", "Season")
    head = el(
        "head",
        '<meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1">',
        el("title", f"{escape(player or 'Сезон · Season')} · Poedinok"),
        el("style", (files("referee.season") / "season.css").read_text("utf-8")),
    )
    main = el(
        "main",
        _matches(season, beside),
        el("section", el("h2", say("Игроки", "Players")), el("p", _counted(season), cls="lead"), people.comparison(shown, anchors)),
        _games(season),
        *(people.section(p, a) for p, a in zip(shown, anchors, strict=True)),
        _how(season, notes),
        el("footer", say(f"Составлено программой «Поединок» {version()}.", f"Made by Poedinok {version()}.")),
    )
    body = el("body", _header(season, title, len(shown) if player is None else None), main)
    return f"<!doctype html>\n{el('html', head, body, lang=lang)}\n"


def _header(season: Season, title: str, players: int | None) -> str:
    facts = [counted(len(season.matches), ("матч", "матча", "матчей"), "match", "matches"), strokes(season.strokes)]
    if players is not None:
        facts.insert(1, counted(players, ("игрок", "игрока", "игроков"), "player"))
    when = period([m.match.date for m in season.matches if m.match.date])
    line = Text(*(" · ".join(getattr(f, side) for f in ([when] if when else []) + facts) for side in ("ru", "en")))
    toggle = f'<button type="button" onclick="{_TOGGLE}">{say("English", "Русский")}</button>'
    return el("header", el("div", el("div", el("h1", title), toggle, cls="top"), el("p", say(line))))


def _matches(season: Season, beside: Path | None) -> str:
    heads = [
        ("Дата", "Date", "day"), ("", "", "left"), ("Счёт", "Score", "score"), ("", "", ""), ("Ударов", "Strokes", "n far"),
        ("На проверке", "To check", "n"), ("Без решения", "Not ruled", "n far"), ("Штрафы", "Fouls", "n far"), ("", "", "n"),
    ]  # fmt: skip
    rows = [_match(m, beside) for m in season.matches]
    return el(
        "section",
        el("h2", say("Матчи", "Matches")),
        el("table", el("thead", el("tr", *(el("th", say(ru, en), cls=cls) for ru, en, cls in heads))), el("tbody", *rows)),
    )


def _match(m: MatchSummary, beside: Path | None) -> str:
    ruled = m.unruled < m.strokes
    score = f"{m.match.score_a}{NBSP}:{NBSP}{m.match.score_b}" if ruled else "—"
    link = report_link(m, beside)
    won = ["winner" if m.match.winner == side else "" for side in (0, 1)]
    share = Text(f"{m.in_review}{NBSP}из{NBSP}{m.strokes}", f"{m.in_review}{NBSP}of{NBSP}{m.strokes}")
    return el(
        "tr",
        el("td", say(day(m.match.date)), cls="day"),
        el("td", escape(m.players[0]), cls=f"left name {won[0]}".strip()),
        el("td", score, cls="score"),
        el("td", escape(m.players[1]), cls=f"name {won[1]}".strip()),
        el("td", str(m.strokes), cls="n far"),
        el("td", say(share) if m.in_review else "—", cls="n flag" if m.in_review else "n soft"),
        el("td", str(m.unruled) if m.unruled else "—", cls="n far" if m.unruled else "n far soft"),
        el("td", f"{m.fouls[0]}{NBSP}:{NBSP}{m.fouls[1]}" if ruled else "—", cls="n far"),
        el("td", _sheet(link) if link else "", cls="n"),
    )


def _sheet(link: str) -> str:
    """The link to a match's score sheet; an arrow where there is little room."""
    return el("a", el("span", say("протокол", "sheet"), cls="word"), el("span", "↗", cls="arrow"), href=link)


def report_link(m: MatchSummary, beside: Path | None) -> str | None:
    """The address of the match's own report, relative to the page; None where there is none."""
    there = Path(m.match.folder) / "report.html"
    if beside is None or not there.is_file():
        return None
    try:
        return quote(Path(os.path.relpath(there, beside.resolve())).as_posix())
    except ValueError:  # another drive
        return there.as_uri()


def _counted(season: Season) -> str:
    review, unruled = sum(m.in_review for m in season.matches), sum(m.unruled for m in season.matches)
    ru = f"В статистику идут только удары с ясным решением: {season.strokes - review - unruled} из {season.strokes}."
    en = f"Only strokes with a clear ruling are counted: {season.strokes - review - unruled} of {season.strokes}."
    return say(Text(ru, en))


def _games(season: Season) -> str:
    drawn = [m for m in season.matches if m.steps]
    if not drawn:
        return ""
    about = say(
        "Счёт после каждого удара; по горизонтали — номер удара. Внизу у каждого игрока крестик — штраф; "
        "кружок между ними — удар, который надо проверить.",
        "The score after each stroke; strokes are numbered across. Below, on each player’s line, a cross is a foul; "
        "a ring between them is a stroke to check.",
    )
    return el(
        "section",
        el("h2", say("Ход матчей", "How the matches went")),
        el("p", about, cls="lead"),
        el("div", *(_game(m) for m in drawn), cls="games"),
    )


def _game(m: MatchSummary) -> str:
    a, b = (escape(name) for name in m.players)
    names = el("div", el("span", el("b", "● " + a), cls="a"), el("span", el("b", "● " + b), cls="b"), cls="vs")
    when = el("div", say(day(m.match.date)) if m.match.date else escape(m.match.file), cls="when")
    return el("div", names, when, plots.score_plot(m.steps, m.match.target), cls="game")


def _how(season: Season, notes: Sequence[Text]) -> str:
    lines = [
        Text(
            "Удар «на проверке» — тот, в котором судья не уверен. Он есть в счёте матча, но не в статистике игроков.",
            "A stroke «to check» is one that the referee is not sure of. It counts in the match’s score, not in the players’ statistics.",
        ),
        Text(
            "Полосы и скобки — 95-процентный интервал Уилсона: при малом числе ударов он широк, и сравнивать доли тогда рано.",
            "Bands and brackets are Wilson’s 95% interval: with few strokes it is wide, and shares should not be compared yet.",
        ),
        Text(
            "Заказ сыгран, если удар принёс очки. «Без заказа» считается отдельно: там есть и прямые шары, и отыгрыши.",
            "A call is made when the stroke scored. «Without a call» stands apart: it holds straight balls and safety play alike.",
        ),
        Text(
            "Подход с ударом на проверке или оборванный концом видео в среднее не входит. Серия — результативные удары подряд.",
            "A visit with a stroke to check, or cut off by the end of the video, is not in the mean. A series is scoring strokes in a row.",
        ),
        Text(
            "Карты приведены к одному столу; угол резки — между путём битка и путём шара в середину лузы, по местам до удара.",
            "Maps are scaled to one table; the cut angle is between the way of the cue ball "
            "and that of the ball into the pocket, by the places before the stroke.",
        ),
    ]
    if any(p.name == "" for p in season.players):
        lines.append(
            Text(
                "Матчи, в которых имён не назвали, сложены вместе: «Игроки без имени» — не один человек.",
                "Matches whose players nobody named are put together: «Players without a name» is not one person.",
            )
        )
    items = [el("li", say(t), cls="warn") for t in notes] + [el("li", say(t)) for t in lines]
    return el("section", el("h2", say("Как это посчитано", "How this is counted")), el("ul", *items, cls="notes"))
