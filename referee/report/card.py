"""One stroke of the report: its plan, the call, the ruling and the evidence."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from calibration.table import Table
from referee import words
from referee.reasons import told_by_clock
from referee.report import snooker
from referee.report.html import clock, cue, dot, el, escape, say
from referee.report.plan import Paths, plan
from referee.words import Text


def card(shot: Mapping[str, Any], where: Table, paths: Paths, players: Sequence[str]) -> str:
    """The card of one entry of `shots` in match.json."""
    ruling = shot.get("ruling")
    player = shot.get("player")
    name = f"{escape(players[player])} · " if ruling and player in (0, 1) else ""
    head = el(
        "div",
        el("h3", say(f"Удар {shot['index']}", f"Stroke {shot['index']}")),
        el("span", name, cue(shot["cue_ball"])),
        el("span", f"{clock(shot['start_t'])} – {clock(shot['end_t'])}", cls="when"),
        el("span", _result(ruling), cls="result"),
        cls="head",
    )
    body = el("div", el("div", plan(shot, where, paths)), el("div", _verdict(shot, ruling, where)), cls="body")
    outcome = f" {ruling['outcome']}" if ruling else ""
    return el("article", head, body, _evidence(shot), cls=f"stroke{outcome}", id=f"s{shot['index']}")


def call_text(shot: Mapping[str, Any]) -> str:
    """What was announced, as it was announced; empty if nothing was."""
    call = shot.get("call")
    return "" if call is None else escape(call if isinstance(call, str) else str(call))


def _result(ruling: Mapping[str, Any] | None) -> str:
    if ruling is None:
        return ""
    outcome = words.OUTCOME[ruling["outcome"]]
    if ruling["opponent_points"]:
        points = ruling["opponent_points"]
        return say(f"{outcome.ru}: сопернику +{points}", f"{outcome.en}: +{points} to the opponent")
    return say(outcome) + (f" +{ruling['points']}" if ruling["points"] else "")


def _verdict(shot: Mapping[str, Any], ruling: Mapping[str, Any] | None, where: Table) -> str:
    said = call_text(shot)
    call = el("q", said) if said else el("span", say("не было", "none"), cls="none")
    parts = [el("p", say("Заказ: ", "Call: "), call, cls="call")]
    if ruling is None:
        why = Text(
            "Без решения: судятся игры четырьмя шарами на столе с лузами.",
            "Not ruled: games with four balls on a table with pockets are.",
        )
        parts.append(el("p", say(why), cls="say"))
    else:
        parts += _reasons(ruling)
        if (blocked := snooker.told(shot, where)) is not None:
            parts.append(el("p", say(blocked), cls="say"))
    if shot.get("review"):
        doubts = [el("li", _number(d.get("event")), say(told_by_clock(d["reason"])), _instead(d)) for d in shot["review"]]
        parts.append(el("div", el("p", "⚑ ", say("Проверить", "To check")), el("ul", *doubts), cls="review"))
    if shot.get("notes"):
        notes = [el("li", _number(d.get("event")), say(told_by_clock(d["reason"]))) for d in shot["notes"]]
        title = say("Отмечено, на решение не влияет", "Noted; it does not change the ruling")
        parts.append(el("details", el("summary", title), el("ul", *notes), cls="notes"))
    return "".join(parts)


def _instead(doubt: Mapping[str, Any]) -> str:
    """What a doubt leaves open, each with the ruling then."""
    ways = [
        el("li", say(Text(way["label"]["ru"], way["label"]["en"])), " → ", _result(way["ruling"]) or say("без решения", "no ruling"))
        for way in doubt.get("alternatives", ())
    ]
    return el("ul", *ways) if ways else ""


def _reasons(ruling: Mapping[str, Any]) -> list[str]:
    rows = [_row(f"+{i['points']}", i, ball=i.get("ball")) for i in ruling["items"]]
    rows += [_row("✕", f, event=f.get("event"), cls="bad") for f in ruling["fouls"]]
    parts = [el("p", say(ruling["explanation"]["ru"], ruling["explanation"]["en"]), cls="say"), el("ul", *rows, cls="items")]
    if ruling.get("void_call"):
        parts.append(el("p", say("Заказ недействителен: ", "Void call: "), escape(str(ruling["void_call"])), cls="say"))
    if ruling.get("game_over"):
        parts.append(el("p", say("Партия окончена.", "The game is over."), cls="say"))
    return parts


def _row(points: str, of: Mapping[str, Any], *, ball: str | None = None, event: int | None = None, cls: str = "") -> str:
    title = (dot(ball) if ball else "") + say(words.rule(of["rule"]))
    proof = f" · {event + 1}" if event is not None else ""
    law = ", ".join([of["rule"], *of.get("decisions", ())])
    return el("li", el("b", points), el("span", title), el("span", say(f"пр. {law}", f"rule {law}"), proof, cls="rule"), cls=cls)


def _number(index: int | None) -> str:
    return el("b", str(index + 1)) + ": " if index is not None else ""


def _time(event: Mapping[str, Any]) -> Text:
    sigma = event.get("sigma_ms")
    at, bar = words.decimal(f"{event['t']:.3f}"), words.decimal(f"{sigma:.{0 if sigma >= 1 else 1}f}" if sigma else "")
    return Text(f"{at.ru} с" + (f" ± {bar.ru} мс" if sigma else ""), f"{at.en} s" + (f" ± {bar.en} ms" if sigma else ""))


def _evidence(shot: Mapping[str, Any]) -> str:
    fouls = {f.get("event") for f in (shot.get("ruling") or {}).get("fouls", ())}
    doubts = {d.get("event") for d in shot.get("review", ())}
    rows = []
    for i, event in enumerate(shot["events"]):
        time = el("span", say(_time(event)), cls="t")
        cls = "foul" if i in fouls else "doubt" if i in doubts else ""
        rows.append(el("li", el("b", str(i + 1)), el("span", say(words.event(event))), time, cls=cls))
    return el("ol", *rows, cls="evidence")
