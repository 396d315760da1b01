"""The referee's vocabulary in Russian and English: balls, cushions, pockets, events, rules. Used by everything that people read."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple


class Text(NamedTuple):
    """One text in both languages."""

    ru: str
    en: str

    def __call__(self, lang: str) -> str:
        return self.ru if lang == "ru" else self.en


BALL = {
    "white": Text("белый", "white"),
    "yellow": Text("жёлтый", "yellow"),
    "red": Text("красный", "red"),
    "black": Text("чёрный", "black"),
}
LETTER = {"white": Text("Б", "W"), "yellow": Text("Ж", "Y"), "red": Text("К", "R"), "black": Text("Ч", "B")}
CUSHION = {
    "home": Text("ближний борт", "home cushion"),
    "foot": Text("дальний борт", "foot cushion"),
    "left": Text("левый борт", "left cushion"),
    "right": Text("правый борт", "right cushion"),
}
POCKET = {
    "home-left": Text("ближний левый угол", "near left corner"),
    "home-right": Text("ближний правый угол", "near right corner"),
    "middle-left": Text("левая середина", "left middle pocket"),
    "middle-right": Text("правая середина", "right middle pocket"),
    "foot-left": Text("дальний левый угол", "far left corner"),
    "foot-right": Text("дальний правый угол", "far right corner"),
}
# where the house is in the picture
SIDE = {
    "left": Text("слева", "at the left"),
    "right": Text("справа", "at the right"),
    "top": Text("сверху", "at the top"),
    "bottom": Text("снизу", "at the bottom"),
}
OUTCOME = {
    "scored": Text("Засчитано", "Scored"),
    "no_score": Text("Без очков", "No score"),
    "foul": Text("Штраф", "Foul"),
}
# short titles of the rules that rulings cite
RULE = {
    "8.1": Text("белый сыгран", "white potted"),
    "8.2": Text("жёлтый сыгран", "yellow potted"),
    "8.3": Text("красный сыгран", "red potted"),
    "8.4": Text("карамболь от трёх бортов", "three-cushion carom"),
    "8.5": Text("дуплет по чёрному", "bank onto black"),
    "9.1": Text("бонус: от борта", "bonus: off cushions"),
    "9.2": Text("бонус: комбинация", "bonus: combination"),
    "9.3": Text("бонус: перескок", "bonus: jump"),
    "9.4": Text("бонус: два прямых в две лузы", "bonus: two straight balls, two pockets"),
    "9.5": Text("бонус: дополнительное соударение", "bonus: additional contact"),
    "9.6": Text("бонусы складываются", "bonuses add up"),
    "10": Text("чёрный комбинацией", "black by a combination"),
    "12.1": Text("промах", "miss"),
    "12.2": Text("удар не по битку", "stroke at a ball that is not the cue ball"),
    "12.3": Text("соударение белого и красного", "contact of white and red"),
    "12.4": Text("биток коснулся чёрного раньше прицельного", "cue ball met black before an object ball"),
    "12.5": Text("касание шара", "touched ball"),
    "12.6": Text("недостаточно активный удар", "stroke not active enough"),
    "12.7": Text("биток упал не по заказу", "cue ball potted otherwise than called"),
    "12.8": Text("биток за бортом", "cue ball off the table"),
    "12.9": Text("запрещённый удар", "forbidden stroke"),
}


def ball(name: str | None) -> Text:
    return BALL.get(name or "", Text(name or "?", name or "?"))


def cushion(name: str | None) -> Text:
    return CUSHION.get(name or "", Text(name or "?", name or "?"))


def pocket(name: str | None) -> Text:
    return POCKET.get(name or "", Text(name or "?", name or "?"))


_GAMES = {
    "pyramid": Text("пирамида", "pyramid"),
    "snooker": Text("снукер", "snooker"),
    "pool": Text("пул", "pool"),
    "carom": Text("карамболь", "carom"),
}


def table_kind(name: str) -> Text:
    """«пирамида, 12 футов» for `pyramid-12ft`; a name that is none of a kind as it stands, and «свой размер» for `custom`."""
    game, _, size = name.partition("-")
    feet = size.removesuffix("ft")
    if game in _GAMES and feet.isdecimal():
        return Text(f"{_GAMES[game].ru}, {feet} футов", f"{_GAMES[game].en}, {feet} ft")
    return Text("свой размер", "custom size") if name == "custom" else Text(name, name)


def decimal(text: str) -> Text:
    """A number that is written out: with a decimal comma in Russian."""
    return Text(text.replace(".", ","), text)


def rule(number: str) -> Text:
    """The short title of a rule; empty for one that no ruling cites."""
    return RULE.get(number, Text("", ""))


def event(e: Mapping[str, Any]) -> Text:
    """One event of match.json in words."""
    kind, who = e["type"], ball(e.get("ball"))
    if kind == "contact":
        a, b = (ball(x) for x in e["balls"])
        return Text(f"{a.ru} — {b.ru}: соударение", f"{a.en} meets {b.en}")
    if kind == "cushion":
        side = cushion(e.get("cushion"))
        return Text(f"{who.ru}: {side.ru}", f"{who.en}: {side.en}")
    if kind == "jaw":
        hole = pocket(e.get("pocket"))
        return Text(f"{who.ru}: губа ({hole.ru})", f"{who.en}: jaw ({hole.en})")
    if kind == "pocket":
        hole = pocket(e.get("pocket"))
        return Text(f"{who.ru} упал: {hole.ru}", f"{who.en} falls: {hole.en}")
    if kind == "stop":
        hole = e.get("jaws")
        place = Text(f" в створе ({pocket(hole).ru})", f" in the jaws ({pocket(hole).en})") if hole else Text("", "")
        return Text(f"{who.ru} остановился{place.ru}", f"{who.en} stops{place.en}")
    if kind == "jump":
        over = (
            ball(e["over"])
            if e.get("over")
            else Text(f"губу ({pocket(e.get('over_jaw')).ru})", f"the jaw ({pocket(e.get('over_jaw')).en})")
        )
        return Text(f"{who.ru}: перескок через {over.ru}", f"{who.en} jumps over {over.en}")
    plain = {
        "strike": Text("удар", "is struck"),
        "midline": Text("пересёк середину стола", "crosses the middle line"),
        "off_table": Text("вылетел за борт", "leaves the table"),
        "touch": Text("касание рукой или одеждой", "is touched"),
        "double_hit": Text("двойной удар", "double hit"),
        "push": Text("проталкивание", "push"),
        "press": Text("прижатие", "press"),
    }.get(kind, Text(kind, kind))
    return Text(f"{who.ru}: {plain.ru}", f"{who.en} {plain.en}")
