"""The words and numbers of the season's page, in Russian and English."""

from __future__ import annotations

from datetime import date

from referee.report.html import el, say
from referee.season.numbers import Rate
from referee.words import Text

NBSP = "\N{NO-BREAK SPACE}"
THIN = "\N{NARROW NO-BREAK SPACE}"

KIND = {
    "straight_object": Text("Чужой прямо", "Object ball, straight"),
    "straight_own": Text("Свой прямо", "Own ball, straight"),
    "bank": Text("От борта", "Off cushions"),
    "combination": Text("Комбинация", "Combination"),
    "black": Text("Чёрный комбинацией", "Black by a combination"),
    "jump": Text("Перескок", "Jump"),
    "double": Text("Двойной заказ", "Double call"),
    "carom": Text("Карамболь от трёх бортов", "Three-cushion carom"),
    "bank_black": Text("Дуплет по чёрному", "Bank onto black"),
    "none": Text("Без заказа", "Without a call"),
    "void": Text("Заказ недействителен", "Void call"),
    "unclear": Text("Заказ не понят", "Call not understood"),
}
PART = {
    "corner": Text("в угол", "into a corner"),
    "middle": Text("в середину", "into a middle pocket"),
    "any": Text("лузу не назвали", "no pocket named"),
    0: Text("без борта", "no cushion"),
    1: Text("от одного борта", "one cushion"),
    2: Text("от двух бортов", "two cushions"),
    3: Text("от трёх и более", "three or more"),
}
_MONTHS = (
    ("января", "January"), ("февраля", "February"), ("марта", "March"), ("апреля", "April"), ("мая", "May"), ("июня", "June"),
    ("июля", "July"), ("августа", "August"), ("сентября", "September"), ("октября", "October"), ("ноября", "November"),
    ("декабря", "December"),
)  # fmt: skip
FEW = 5  # with fewer trials a percentage says more than is known: the count alone is shown
NOBODY_NAME = Text("Игроки без имени", "Players without a name")


def number(value: float, digits: int = 1) -> Text:
    """A decimal comma in Russian, a point in English."""
    text = f"{value:.{digits}f}".replace("-", "\N{MINUS SIGN}")
    return Text(text.replace(".", ","), text)


def plural(count: int, one: str, few: str, many: str) -> str:
    """A number with its Russian noun: 1 удар, 2 удара, 5 ударов."""
    tens, ones = count % 100, count % 10
    word = one if ones == 1 and tens != 11 else few if 2 <= ones <= 4 and not 12 <= tens <= 14 else many
    return f"{count}{NBSP}{word}"


def counted(count: int, ru: tuple[str, str, str], en: str, ens: str | None = None) -> Text:
    """A number with its noun in both languages."""
    return Text(plural(count, *ru), f"{count}{NBSP}{en if count == 1 else ens or en + 's'}")


def strokes(count: int) -> Text:
    return counted(count, ("удар", "удара", "ударов"), "stroke")


def of(rate: Rate) -> Text:
    """«7 из 15»."""
    return Text(f"{rate.made}{NBSP}из{NBSP}{rate.of}", f"{rate.made}{NBSP}of{NBSP}{rate.of}")


def percent(share: float | None) -> Text:
    if share is None:
        return Text("—", "—")
    return Text(f"{100 * share:.0f}{THIN}%", f"{100 * share:.0f}%")


def between(rate: Rate) -> Text:
    """The interval: «26–42 %»."""
    low, high = (100 * v for v in rate.interval)
    return Text(f"{low:.0f}–{high:.0f}{THIN}%", f"{low:.0f}–{high:.0f}%")


def share(rate: Rate) -> str:
    """A share as people should read it: never without its count. HTML."""
    if not rate.of:
        return "—"
    if rate.of < FEW:
        return say(of(rate))
    return el("b", say(percent(rate.share))) + " " + el("span", say(of(rate)), cls="soft")


def day(iso: str | None, *, year: bool = True) -> Text:
    if iso is None:
        return Text("—", "—")
    when = date.fromisoformat(iso)
    ru, en = _MONTHS[when.month - 1]
    tail = f" {when.year}" if year else ""
    return Text(f"{when.day}{NBSP}{ru}{tail}", f"{when.day}{NBSP}{en}{tail}")


def period(dates: list[str]) -> Text | None:
    """From the first to the last of some dates; None without any."""
    if not dates:
        return None
    first, last = min(dates), max(dates)
    if first == last:
        return day(first)
    one, two = day(first, year=first[:4] != last[:4]), day(last)
    return Text(f"{one.ru} — {two.ru}", f"{one.en} – {two.en}")
