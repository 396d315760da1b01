"""Writes docs/RULES.md from the cases of law: `python -m tests.golden.rules.page`.

Every example shows the ruling that the engine gives, and a test compares the page with what this makes.
"""

from __future__ import annotations

from pathlib import Path

from referee import adjudicate
from referee.ruling import Ruling
from tests.golden.rules import law
from tests.golden.rules.casefile import TABLE, Chapter, LawCase, chapters
from tests.golden.rules.casetext import call_text, events_text, places_text

PAGE = Path(__file__).parents[3] / "docs" / "RULES.md"

_INTRO = """# The rules, by example

How the referee applies each rule of «Поединок», each decision (D1…) on what the rules leave open, and the readings (R1…)
of what is open even then. The examples are the engine's own tests, with the rulings that it gives; the page is written
from them (`python -m tests.golden.rules.page`), never by hand.

Balls: W white, Y yellow, R red, B black. Places are millimetres from the right end of the home cushion: `x` towards the
foot, `y` to the left. An event is a time in seconds and what happened: `0.4 W-Y` is a contact, `Y falls foot-left` a pot,
`Y cushion left` and `Y jaw foot-left foot` touches of a cushion and of a jaw, `W crosses` the middle line crossed,
`Y stops in foot-left` a ball at rest in the jaws, `W over R` a jump. A call reads `ball > pocket, cushions N, by|off|carom balls`,
`carom first second` or `bank ball cushions contacts N`; `-` is no call.
"""


def page() -> str:
    """The whole page as Markdown."""
    found = chapters()
    where = _where(found)
    parts = [_INTRO, _index("Rules", law.RULES, where), _index("Decisions", law.DECISIONS, where)]
    parts.append(_index("Readings", law.READINGS, where))
    for chapter in found:
        parts.append(f"## {chapter.title} · {chapter.title_ru}\n")
        parts += [_example(case) for case in chapter.cases]
    return "\n".join(parts)


def _where(found: tuple[Chapter, ...]) -> dict[str, list[str]]:
    where: dict[str, list[str]] = {}
    for chapter in found:
        for case in chapter.cases:
            for point in case.law:
                where.setdefault(point, []).append(case.id)
    return where


def _anchor(name: str) -> str:
    return name.lower().replace(".", "")


def _index(title: str, texts: dict[str, str], where: dict[str, list[str]]) -> str:
    rows = [f"## {title}\n", "| | | examples |", "|---|---|---|"]
    for point, text in texts.items():
        links = ", ".join(f"[{name}](#{_anchor(name)})" for name in where.get(point, []))
        rows.append(f"| {point} | {text} | {links} |")
    return "\n".join(rows) + "\n"


def _example(case: LawCase) -> str:
    ruling = adjudicate(case.state, case.shot, case.call, TABLE)
    state = case.state
    hand = {"as_lies": "as it lies", "in_hand": "in hand", "in_hand_house": "in hand in the house"}[state.placement]
    before = [places_text(state.positions), f"cue ball {state.cue_ball}, {hand}", f"score {state.scores[0]}:{state.scores[1]}"]
    if state.target is None:
        before.append("no target")
    if state.player:
        before.append("second player's visit")
    if state.waiting:
        before.append(f"waiting {', '.join(state.waiting)}")
    lines = [
        f"### {case.id}\n",
        f"{case.about} *{', '.join(case.law)}*\n",
        "```",
        f"before  {'; '.join(before)}",
        f"call    {call_text(case.call)}",
        f"stroke  {events_text(case.shot.events)}",
        f"rest    {places_text(case.shot.positions)}",
        f"ruling  {_ruling(ruling)}",
        f"next    {_next(ruling)}",
        "```",
        f"{ruling.explanation.ru}\n",
        f"{ruling.explanation.en}\n",
    ]
    return "\n".join(lines)


def _ruling(ruling: Ruling) -> str:
    parts = []
    if ruling.void_call is not None:
        parts.append(f"call void: {ruling.void_call}")
    if ruling.fouls:
        parts.append("foul " + ", ".join(f"{f.rule}" + ("" if f.event is None else f" (event {f.event})") for f in ruling.fouls))
    elif ruling.items:
        parts.append(" + ".join(f"{i.points} ({i.rule})" for i in ruling.items) + f" = {ruling.points}")
    else:
        parts.append("no score")
    if ruling.decisions:
        parts.append("decisions " + ", ".join(ruling.decisions))
    return "; ".join(parts)


def _next(ruling: Ruling) -> str:
    state = ruling.state
    parts = [
        f"turn {ruling.turn}",
        f"cue ball {state.cue_ball}, {'in hand' if state.placement == 'in_hand' else 'as it lies'}",
        places_text(state.positions),
        f"score {state.scores[0]}:{state.scores[1]}",
    ]
    if state.waiting:
        parts.append(f"waiting {', '.join(state.waiting)}")
    if ruling.winner is not None:
        parts.append(f"player {ruling.winner + 1} wins")
    return "; ".join(parts)


if __name__ == "__main__":
    PAGE.parent.mkdir(exist_ok=True)
    temporary = PAGE.with_suffix(".tmp")
    temporary.write_text(page(), "utf-8")
    temporary.replace(PAGE)
