"""The players of the season's page: all of them side by side, and one section for each."""

from __future__ import annotations

from collections.abc import Sequence
from math import isinf

from referee import words
from referee.report.html import el, escape, say
from referee.season import maps, plots
from referee.season.numbers import Rate
from referee.season.statistics import Bin, Player
from referee.season.texts import (
    FEW,
    KIND,
    NBSP,
    NOBODY_NAME,
    PART,
    between,
    counted,
    number,
    of,
    percent,
    plural,
    share,
    strokes,
)  # fmt: skip
from referee.words import Text

_NO_TRIAL = ("void", "unclear")  # such a call cannot be made: counted, without a share
_SPEED_STEP = 0.5  # m/s


def name_of(p: Player) -> str:
    return escape(p.name) if p.name else say(NOBODY_NAME)


def comparison(players: Sequence[Player], anchors: Sequence[str]) -> str:
    """One line a player."""
    heads = [
        ("Игрок", "Player", ""), ("Матчей", "Matches", "n far"), ("Очков за подход", "Points a visit", "n"),
        ("Сыграно заказов", "Called strokes made", ""), ("", "", "far"), ("Лучшая серия", "Longest series", "n far"),
        ("Ударов со штрафом", "Strokes with a foul", "far"), ("Скорость битка", "Cue ball’s speed", "n far"),
    ]  # fmt: skip
    rows = []
    for p, anchor in zip(players, anchors, strict=True):
        best = f"{p.longest.strokes}" if p.longest else "—"
        rows.append(
            el(
                "tr",
                el("td", el("a", name_of(p), href=f"#{anchor}"), cls="who"),
                el("td", str(p.matches), cls="n far"),
                el("td", _mean(p), cls="n"),
                el("td", share(p.called), cls="share"),
                el("td", plots.interval_bar(p.called) if p.called.of else "", cls="draw far"),
                el("td", best, cls="n far"),
                el("td", share(p.foul_strokes), cls="share far"),
                el("td", say(_metres(p.speed.median)) if p.speed else "—", cls="n far"),
            )
        )
    return el("table", el("thead", el("tr", *(el("th", say(ru, en), cls=cls) for ru, en, cls in heads))), el("tbody", *rows))


def _metres(speed: float) -> Text:
    value = number(speed)
    return Text(f"{value.ru}{NBSP}м/с", f"{value.en}{NBSP}m/s")


def _mean(p: Player) -> str:
    return say(number(p.average_visit, 2)) if p.average_visit is not None else "—"


def section(p: Player, anchor: str) -> str:
    """All that is known of one player."""
    parts = [el("h2", name_of(p)), el("p", _lead(p), cls="lead"), _facts(p)]
    if p.strokes:
        parts.append(el("div", el("div", _success(p)), el("div", _points(p), _fouls(p)), cls="two"))
        parts.append(_maps(p))
        parts.append(el("div", el("div", _distance(p)), el("div", _cut(p)), *([el("div", _speed(p))] if p.speed else []), cls="three"))
    return el("section", *parts, cls="player", id=anchor)


def _lead(p: Player) -> str:
    """The player's season in a sentence or two."""
    made, low = of(p.called), between(p.called)
    ru = f"{plural(p.strokes, 'удар', 'удара', 'ударов')} с ясным решением"
    en = f"{strokes(p.strokes).en} with a clear ruling"
    if p.called.of:
        ru += f", из них заказных {p.called.of}: сыграно {made.ru}"
        en += f", {p.called.of} of them called: {made.en} made"
    if p.called.of >= FEW:
        ru += f", это {percent(p.called.share).ru} (вероятно, {low.ru})"
        en += f", {percent(p.called.share).en} (likely {low.en})"
    return say(Text(ru + ".", en + "."))


def _facts(p: Player) -> str:
    cells = [
        (Text("Матчи", "Matches"), str(p.matches), _won(p)),
        (Text("Очки", "Points"), str(p.points + p.by_opponents_fouls), _points_parts(p)),
        (Text("Очков за подход", "Points a visit"), _mean(p), _visits(p)),
        (Text("Самая длинная серия", "Longest series"), str(p.longest.strokes) if p.longest else "—", _longest(p)),
        (Text("Удары со штрафом", "Strokes with a foul"), *_figure(p.foul_strokes)),
    ]
    if p.speed:
        quarter = (number(p.speed.low), number(p.speed.high))
        note = Text(f"медиана, n={p.speed.count}", f"median, n={p.speed.count}")
        if p.speed.count >= 2 * FEW:
            note = Text(
                f"{note.ru}; половина ударов от {quarter[0].ru} до {quarter[1].ru}",
                f"{note.en}; half of the strokes from {quarter[0].en} to {quarter[1].en}",
            )
        cells.append((Text("Скорость битка", "Cue ball’s speed"), say(_metres(p.speed.median)), say(note)))
    if p.pause:
        pause = Text(f"{p.pause.median:.0f}{NBSP}с", f"{p.pause.median:.0f}{NBSP}s")
        note = Text(f"от покоя шаров до удара; медиана, n={p.pause.count}", f"from rest to strike; median, n={p.pause.count}")
        cells.append((Text("Время на удар", "Time for a stroke"), say(pause), say(note)))
    waiting = counted(p.points_in_review, ("очко", "очка", "очков"), "point")
    note = Text(f"ударов, в них {waiting.ru}; сюда не входят", f"strokes, {waiting.en} in them; not counted here")
    cells.append((Text("Ждут проверки", "Waiting to be checked"), str(p.in_review), say(note)))
    return el("dl", *(el("div", el("dt", say(title)), el("dd", value, el("small", note))) for title, value, note in cells), cls="facts")


def _figure(rate: Rate) -> tuple[str, str]:
    """A share and its count, or the count alone where there are few."""
    return (say(of(rate)), "") if rate.of < FEW else (say(percent(rate.share)), say(of(rate)))


def _won(p: Player) -> str:
    if not p.name:
        return ""
    if not p.won.of:
        return say("ни один не доигран на видео", "none played to its end on video")
    return say(
        f"побед {p.won.made} из {p.won.of} доигранных", f"won {p.won.made} of {p.won.of} played to the end"
    )  # fmt: skip


def _points_parts(p: Player) -> str:
    return say(
        f"{p.points} своих, {p.by_opponents_fouls} за штрафы соперников", f"{p.points} made, {p.by_opponents_fouls} by opponents’ fouls"
    )


def _visits(p: Player) -> str:
    best = p.best_visit
    ru, en = plural(p.visits, "подход", "подхода", "подходов"), counted(p.visits, ("", "", ""), "visit").en
    if not best:
        return say(ru, en)
    points = counted(best, ("очко", "очка", "очков"), "point")
    return say(f"{ru}, лучший — {points.ru}", f"{en}, the best {points.en}")


def _longest(p: Player) -> str:
    if not p.longest:
        return say("результативных ударов нет", "no scoring stroke")
    points = counted(p.longest.points, ("очко", "очка", "очков"), "point")
    return say(Text(f"результативных ударов подряд, {points.ru}", f"scoring strokes in a row, {points.en}"))


def _success(p: Player) -> str:
    rows = []
    for k in p.kinds:
        if k.kind in _NO_TRIAL:
            rows.append(el("tr", el("td", say(KIND[k.kind])), el("td", str(k.rate.of), cls="n"), el("td"), el("td"), cls="aside"))
            continue
        rows.append(_success_row(say(KIND[k.kind]), k.rate, "aside" if k.kind == "none" else ""))
        if len(k.parts) > 1 or k.kind in ("bank", "bank_black"):
            rows += [_success_row(say(PART.get(part, Text(str(part), str(part)))), rate, "part") for part, rate in k.parts]
    heads = [("Удар", "Stroke", ""), ("Сыграно", "Made", "n"), ("", "", "n"), ("0 … 100 %", "0 … 100%", "")]
    table = el("table", el("thead", el("tr", *(el("th", say(ru, en), cls=cls) for ru, en, cls in heads))), el("tbody", *rows))
    about = say(
        "Точка — доля сыгранных, полоса — где она вероятно лежит при таком числе ударов (95 %).",
        "The dot is the share made, the band where it likely lies with so many strokes (95%).",
    )
    return el("h3", say("Что получается", "What comes off")) + el("p", about, cls="cap") + table


def _success_row(title: str, rate: Rate, cls: str) -> str:
    return el(
        "tr",
        el("td", title),
        el("td", say(of(rate)), cls="n"),
        el("td", say(percent(rate.share)) if rate.of >= FEW else "", cls="n"),
        el("td", plots.interval_bar(rate), cls="draw"),
        cls=cls,
    )


def _points(p: Player) -> str:
    title = el("h3", say("Откуда очки", "Where the points come from"))
    most = max([r.total for r in p.points_by] + [p.by_opponents_fouls])
    rows = [
        el(
            "tr",
            el("td", say(words.rule(r.rule)), " ", el("span", say(f"пр.{NBSP}{r.rule}", f"rule{NBSP}{r.rule}"), cls="soft")),
            el("td", f"{r.count}{NBSP}×{NBSP}{r.each}", cls="n soft"),
            el("td", el("b", str(r.total)), cls="n"),
            el("td", plots.length_bar(r.total, most), cls="draw"),
        )
        for r in p.points_by
    ]
    if p.by_opponents_fouls:
        bar = plots.length_bar(p.by_opponents_fouls, most, plots.BAND)
        title_ = el("td", say("штрафы соперников", "opponents’ fouls"))
        rows.append(
            el("tr", title_, el("td"), el("td", el("b", str(p.by_opponents_fouls)), cls="n"), el("td", bar, cls="draw"), cls="aside")
        )
    if not rows:
        return title + el("p", say("Очков нет.", "No points."), cls="cap")
    return title + el("table", el("tbody", *rows))


def _fouls(p: Player) -> str:
    title = el("h3", say("Штрафы", "Fouls"), style="margin-top:26px")
    if not p.fouls:
        return title + el("p", say("Штрафов нет.", "No fouls."), cls="cap")
    most = max(count for _, count in p.fouls)
    rows = [
        el(
            "tr",
            el("td", say(words.rule(rule)), " ", el("span", say(f"пр.{NBSP}{rule}", f"rule{NBSP}{rule}"), cls="soft")),
            el("td", el("b", str(count)), cls="n"),
            el("td", plots.length_bar(count, most, plots.FOUL), cls="draw"),
        )
        for rule, count in p.fouls
    ]
    return title + el("table", el("tbody", *rows))


def _maps(p: Player) -> str:
    heat, most = maps.heat_map(p.rests)
    rest = Text(
        f"{plural(len(p.rests), 'остановка', 'остановки', 'остановок')}; в самой тёмной клетке {most}.",
        f"{counted(len(p.rests), ('', '', ''), 'rest').en}; {most} in the darkest square.",
    )
    fallen = sum(count for _, count in p.pots)
    pots = Text(
        f"Жирным — сколько шаров засчитано (всего {fallen}); ниже — сыграно из заказанных в эту лузу.",
        f"Bold: balls that counted ({fallen} in all); below: made of those called into this pocket.",
    )
    met = Text(
        f"Шар, которого биток коснулся первым, в его цвете (n={len(p.contacts)}); полный кружок — удар принёс очки, пустой — нет.",
        f"The ball met first, in its colour (n={len(p.contacts)}); a full dot scored, a ring did not.",
    )
    cells = [
        (Text("Где останавливается биток", "Where the cue ball comes to rest"), rest, heat),
        (Text("Куда падают шары", "Where balls fall"), pots, maps.pocket_map(dict(p.pots), dict(p.pocket_success))),
        (Text("Первое касание", "First contact"), met, maps.contact_map(p.contacts)),
    ]
    home = el("p", say("дом слева", "house at the left"), cls="axis")
    return el("div", *(el("div", el("h3", say(t)), el("p", say(c), cls="cap"), picture, home) for t, c, picture in cells), cls="three")


def _distance(p: Player) -> str:
    names = [_limits(f"{b.low / 1000:g}+" if isinf(b.high) else f"{b.low / 1000:g}–{b.high / 1000:g}") for b in p.distances]
    return _against(
        p.distances, names,
        Text("Успех и расстояние", "Success and distance"),
        Text("Заказные прямые шары, по расстоянию от битка до первого шара.", "Called straight balls, by the way to the first ball."),
        Text("расстояние, м", "distance, m"),
    )  # fmt: skip


def _cut(p: Player) -> str:
    names = [_limits(f"{b.low:g}°+" if b.high > 90 else f"{b.low:g}–{b.high:g}°") for b in p.cuts]
    return _against(
        p.cuts, names,
        Text("Успех и угол резки", "Success and cut angle"),
        Text("Чужие прямые в названную лузу; 0° — удар в лоб.", "Straight object balls into a named pocket; 0° is a full hit."),
        Text("угол резки", "cut angle"),
    )  # fmt: skip


def _limits(name: str) -> Text:
    return Text(name.replace(".", ","), name)


def _against(bins: Sequence[Bin], names: Sequence[Text], title: Text, about: Text, axis: Text) -> str:
    head = el("h3", say(title)) + el("p", say(about), cls="cap")
    if not any(b.rate.of for b in bins):
        return head + el("p", say("Таких ударов нет.", "No such strokes."), cls="cap")
    return head + plots.success_plot(bins, names) + el("p", say(axis), cls="axis")


def _speed(p: Player) -> str:
    assert p.speed is not None
    about = Text(
        f"Средняя за первую 0,1 с после удара (n={p.speed.count}); черта — медиана.",
        f"Mean over the first 0.1 s after the strike (n={p.speed.count}); the line is the median.",
    )
    head = el("h3", say("Скорость битка", "Cue ball’s speed")) + el("p", say(about), cls="cap")
    return head + plots.histogram(p.speeds, _SPEED_STEP, p.speed.median) + el("p", say("м/с", "m/s"), cls="axis")
