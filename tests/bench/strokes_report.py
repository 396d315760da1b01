"""Tables of the benchmark's results: the numbers of DESIGN.md, per kind of stroke, and the confusion of the failures."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

Line = dict[str, Any]
TYPES = ("contact", "cushion", "jaw", "pocket", "jump", "off_table")
FAULTS = ("touch", "push", "double-hit", "rolling", "wrong-ball")  # kinds in which a person is to be asked by design


def table(lines: Sequence[Line]) -> str:
    """The numbers of all strokes, by format, tilt and calibration, by type of event, and one row a kind of stroke."""
    seen = [line for line in lines if "refused" not in line]
    rows = [f"{len(lines)} strokes, {len(lines) - len(seen)} of them refused by the calibration", "", HEAD]
    rows.append(row("all", seen))
    rows.append(row("strokes in order", [line for line in seen if line["kind"] not in FAULTS]))
    rows.append(row("faults, told as doubts", [line for line in seen if line["kind"] in FAULTS]))
    for name in ("format", "tilt", "table", "automatic"):
        for value in sorted({line[name] for line in seen}):
            title = (
                ("profile found by itself" if value else "true profile")
                if name == "automatic"
                else f"{value:g}°"
                if name == "tilt"
                else value
            )
            rows.append(row(title, [line for line in seen if line[name] == value]))
    rows += ["", "places, mm: at rest median / 99 %, moving median / 99 %; not seen"]
    for form in sorted({line["format"] for line in seen}):
        rows.append(f"{form:9} {_places([line for line in seen if line['format'] == form])}")
    rows += ["", f"{'event':10} {'hit':>5} {'missed':>7} {'invented':>9} {'F1':>7}   error of the time, ms: median / 99 %"]
    for kind in TYPES:
        events = [e for line in seen for e in line["events"] if e[0] == kind]
        if events:
            hit, missed, invented = _counts(events)
            rows.append(f"{kind:10} {hit:5} {missed:7} {invented:9} {_f1(events):7.4f}   {_times(events)}")
    rows += ["", HEAD]
    by_kind = defaultdict(list)
    for line in seen:
        by_kind[line["kind"]].append(line)
    rows += [row(kind, by_kind[kind]) for kind in sorted(by_kind, key=lambda k: (_f1(_all(by_kind[k])), k))]
    return "\n".join(rows)


def _title(name: str, value: Any) -> str:
    if name == "automatic":
        return "profile found by itself" if value else "true profile"
    return f"{value:g}°" if name == "tilt" else value


HEAD = f"{'':28} {'n':>4} {'F1':>7} {'ms':>5} {'99 %':>6} {'first':>6} {'ruled':>6} {'sure':>5} {'of them right':>14}"


def row(title: str, lines: Sequence[Line]) -> str:
    """n, F1, time errors of contacts and cushions, first contact right, ruled right, without review, right among these."""
    events = _all(lines)
    timed = [e for e in events if e[0] in ("contact", "cushion")]
    sure = [line for line in lines if not line["review"]]
    n = max(1, len(lines))
    median, most = _quantiles([abs(e[2]) for e in timed if e[1] == "hit"])
    first, right = (sum(line[key] for line in lines) / n for key in ("first_right", "right"))
    return (
        f"{title:28} {len(lines):4} {_f1(events):7.4f} {median:5.1f} {most:6.1f} {first:6.1%} {right:6.1%} {len(sure) / n:5.0%}"
        f" {sum(line['right'] for line in sure):7}/{len(sure):<6}"
    )


def _all(lines: Iterable[Line]) -> list[Any]:
    return [e for line in lines for e in line["events"]]


def _counts(events: Sequence[Any]) -> tuple[int, int, int]:
    counted = Counter(e[1] for e in events)
    return counted["hit"], counted["missed"], counted["invented"]


def _f1(events: Sequence[Any]) -> float:
    hit, missed, invented = _counts(events)
    return 2 * hit / (2 * hit + missed + invented) if events else 1.0


def _quantiles(values: Sequence[float]) -> tuple[float, float]:
    if not values:
        return float("nan"), float("nan")
    return float(np.median(values)), float(np.quantile(values, 0.99))


def _times(events: Sequence[Any]) -> str:
    return "{:.2f} / {:.1f}".format(*_quantiles([abs(e[2]) for e in events if e[1] == "hit"]))


def _places(lines: Sequence[Line]) -> str:
    rest, moving = ([v for line in lines for v in line[key]] for key in ("rest_mm", "moving_mm"))
    unseen, places = sum(line["unseen"] for line in lines), sum(line["places"] for line in lines)
    return "{:.2f} / {:.2f}, {:.2f} / {:.2f}; {:.2%} of {}".format(*_quantiles(rest), *_quantiles(moving), unseen / max(1, places), places)


def failures(lines: Sequence[Line]) -> str:
    """What went wrong, counted by class, and every stroke that has an event too few or too many or was ruled wrong."""
    seen = [line for line in lines if "refused" not in line]
    rows = ["Rulings and doubts", *_counted(_class(line) for line in seen)]
    rows += ["", "Events missed and invented (number of strokes with them)"]
    rows += _counted(c for line in seen for c in {_kind_of(f"{sign} {text}") for sign, text in _wrong(line)})
    rows += ["", "Reasons to review (number of strokes), in strokes whose events are all right"]
    rows += _counted(r for line in seen if not _wrong(line) for r in {_general(reason) for reason in line["review"]})
    rows += ["", "Strokes"]
    for line in sorted(seen, key=lambda line: (line["right"] or bool(line["review"]), line["right"], line["key"])):
        if _wrong(line) or not line["right"]:
            rows.append(_told(line))
    rows += [f"{line['key']}: refused: {line['refused']}" for line in lines if "refused" in line]
    return "\n".join(rows)


def _wrong(line: Line) -> list[tuple[str, str]]:
    return [("missed", m) for m in line["missed"]] + [("invented", i) for i in line["invented"]]


def _class(line: Line) -> str:
    asked = "put to review" if line["review"] else "sure"
    if line["review"] and not line["right"]:
        asked += ", the right ruling offered" if line["offered"] else ", the right ruling not offered"
    return f"ruled {'right' if line['right'] else 'WRONG'}, {asked}, {'an event wrong' if _wrong(line) else 'all events right'}"


def _kind_of(text: str) -> str:
    sign, kind, *_ = text.split()
    return f"{sign} {kind}"


def _general(reason: str) -> str:
    """A reason without its numbers and balls, so that equal ones are counted together."""
    words = ["BALL" if w.strip(",;:") in ("white", "yellow", "red", "black") else w for w in reason.split()]
    words = ["BALLS" if w.count("-") == 1 and set(w.strip(":").split("-")) <= {"white", "yellow", "red", "black"} else w for w in words]
    return " ".join("N" if any(c.isdigit() for c in w) else w for w in words)


def _counted(names: Iterable[str]) -> list[str]:
    return [f"{count:5}  {name}" for name, count in Counter(names).most_common()]


def _told(line: Line) -> str:
    head = f"{line['key']} ({line['format']}, {line['tilt']:g}°{', profile found by itself' if line['automatic'] else ''}): "
    told = [f"{sign} {text}" for sign, text in _wrong(line)]
    if not line["found"]:
        told.append("stroke not found")
    if line["extra"]:
        told.append(f"{line['extra']} strokes that are none")
    if not line["right"]:
        told.append("ruled {1}, should be {0}".format(*line["rulings"]))
    return head + "; ".join(told) + f"  [{'; '.join(line['review']) or 'SURE'}]"
