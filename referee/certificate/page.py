"""The certificate as a page of A4: HTML with the page as SVG and all numbers below, or PDF."""

from __future__ import annotations

from html import escape

from calibration.certify.advice import BALL_NAMES, NAMES, STEP_NAMES, UNITS, Advice, advice, next_grade, number
from calibration.certify.certificate import Certificate
from calibration.certify.grade import Criterion
from calibration.certify.protocol import STEPS
from referee.certificate import texts
from referee.certificate.field_plot import arrow_times, draw_legend, draw_map, draw_scale
from referee.certificate.sheet import FAINT, INK, LINE, Sheet
from referee.version import version

_LEFT, _RIGHT, _GUTTER = 12.0, 198.0, 108.0
_MEDAL = {"gold": "#d9a520", "silver": "#9aa5b1", "bronze": "#b87333", "none": "#d4d8de"}
_MOST_ADVICE = 5
_STYLE = (
    "@page{size:A4;margin:0}body{margin:0;background:#e9ebee;font:15px/1.5 sans-serif;color:#1c2430}"
    ".sheet{width:210mm;max-width:100%;margin:0 auto;background:#fff;box-shadow:0 1px 8px #0003}"
    ".sheet svg{display:block;width:100%;height:auto}"
    "details{width:210mm;max-width:100%;box-sizing:border-box;margin:1em auto;padding:.5em 12mm}td{padding:.1em .8em .1em 0}"
    "@media print{details{display:none}body{background:#fff}.sheet{box-shadow:none}}"
)


def as_pdf(certificate: Certificate, lang: str) -> bytes:
    """The page as PDF."""
    return draw(certificate, lang).pdf(texts.TITLE(lang))


def as_html(certificate: Certificate, lang: str) -> str:
    """The page as HTML that needs nothing beside it; prints as one sheet of A4."""
    picture = draw(certificate, lang).svg().replace("<svg ", f'<svg role="img" aria-label="{escape(_headline(certificate, lang))}" ', 1)
    title = escape(f"{texts.TITLE(lang)}: {texts.GRADE[certificate.grade](lang)}")
    return (
        f'<!doctype html>\n<html lang="{lang}"><head><meta charset="utf-8"><title>{title}</title>'
        '<meta name="viewport" content="width=device-width,initial-scale=1"><style>'
        f'{_STYLE}</style></head><body><main class="sheet">{picture}</main>{_numbers(certificate, lang)}</body></html>\n'
    )


def _headline(certificate: Certificate, lang: str) -> str:
    value = certificate.values["accuracy"]
    accuracy = f"{number(value)} {texts.MM(lang)}" if value is not None else texts.NOT_MEASURED(lang)
    return f"{texts.TITLE(lang)}: {texts.GRADE[certificate.grade](lang)}. {NAMES['accuracy'](lang)}: {accuracy}"


def _numbers(certificate: Certificate, lang: str) -> str:
    """The same numbers as text, for those who cannot see the page and those who want to copy."""
    rows = "".join("<tr>" + "".join(f"<td>{escape(v)}</td>" for v in _row(c, lang)) + "</tr>" for c in certificate.verdict.criteria)
    tips = "".join(f"<li>{escape(tip.why(lang))} — {escape(tip.change(lang))}</li>" for tip in advice(certificate))
    return f"<details><summary>{texts.SUMMARY(lang)}</summary><table>{rows}</table><ul>{tips}</ul></details>"


def _row(criterion: Criterion, lang: str) -> tuple[str, str, str]:
    return NAMES[criterion.rule.key](lang), _value(criterion, lang), texts.GRADE[criterion.allows](lang).lower()


def draw(certificate: Certificate, lang: str) -> Sheet:
    """The sheet of A4."""
    from matplotlib import rc_context

    with rc_context({"font.family": "DejaVu Sans"}):
        sheet = Sheet()
        _head(sheet, certificate, lang)
        _field(sheet, certificate, lang)
        y = _criteria(sheet, certificate, lang, 158.0)
        _protocol(sheet, certificate, lang, y + 7)
        y = _tells(sheet, certificate, lang, 158.0)
        _light(sheet, certificate, lang, y + 7)
        _advice(sheet, certificate, lang)
    return sheet


def _head(sheet: Sheet, c: Certificate, lang: str) -> None:
    table, camera = c.profile.table, c.profile.camera
    sheet.text(_LEFT, 17, "ПОЕДИНОК" if lang == "ru" else "POEDINOK", size=9, bold=True, colour=FAINT)
    sheet.text(_LEFT, 26, texts.TITLE(lang), size=19, bold=True)
    said = texts.TABLE(lang).format(name=table.name, length=table.length, width=table.width, ball=table.ball)
    picture = texts.PICTURE(lang).format(w=camera.width, h=camera.height, rate=number(c.observed.clock.rate))
    sheet.text(_LEFT, 33, f"{said} · {picture}", size=8.5)
    source = c.observed.source if len(c.observed.source) < 60 else "…" + c.observed.source[-58:]
    sheet.text(_LEFT, 38, texts.SOURCE(lang).format(source=source, when=c.made_when[:10]), size=8.5, colour=FAINT)
    x, y = 183.0, 25.0
    sheet.disc(x, y, 14.5, _MEDAL[c.grade])
    sheet.disc(x, y, 12.4, "none", edge="white", width=1.2)
    dark = c.grade == "none"
    word = texts.GRADE[c.grade](lang)
    for k, part in enumerate(words := word.split()):
        sheet.text(
            x,
            y + 1.5 + (k - (len(words) - 1) / 2) * 4,
            part,
            size=9.5 if len(part) < 8 else 8,
            bold=True,
            colour=INK if dark else "white",
            align="center",
        )
    sheet.text(_LEFT, 44.5, texts.MEANS[c.grade](lang), size=8.5, bold=True, colour=INK)


def _field(sheet: Sheet, c: Certificate, lang: str) -> None:
    checked = bool(c.knowns or c.bounces)
    sheet.text(_LEFT, 52, (texts.MAP if checked else texts.MAP_UNCHECKED)(lang), size=8.2, bold=True)
    draw_map(sheet.axes(_LEFT, 54, _RIGHT - _LEFT, 91), c, lang)
    if checked:
        sheet.text(_LEFT, 149, texts.ARROWS(lang).format(times=arrow_times()), size=6.8, colour=FAINT)
    draw_legend(sheet.axes(140, 146, 54, 5.4))
    sheet.text(196, 148.6, texts.MM(lang), size=6.5, colour=FAINT)


def _title(sheet: Sheet, x: float, y: float, width: float, said: str) -> float:
    sheet.text(x, y, said, size=9, bold=True)
    sheet.line(x, y + 1.6, x + width, y + 1.6, colour=INK, width=0.8)
    return y + 6.2


def _value(criterion: Criterion, lang: str) -> str:
    if criterion.value is None:
        return texts.NOT_MEASURED(lang)
    unit = UNITS[criterion.rule.unit](lang)
    return f"{number(criterion.value)} {unit}".rstrip()


def _criteria(sheet: Sheet, c: Certificate, lang: str, y: float) -> float:
    x, width = _LEFT, 91.0
    y = _title(sheet, x, y, width, texts.CRITERIA(lang))
    for k, column in enumerate(texts.LIMIT_COLUMNS):
        sheet.text(x + 68.5 + 9.6 * k, y - 6.2, column(lang), size=5.6, colour=FAINT, align="center")
    for criterion in c.verdict.criteria:
        sheet.disc(x + 1.4, y - 1.1, 1.25, _MEDAL[criterion.allows])
        missing = criterion.value is None
        sheet.text(x + 4.2, y, NAMES[criterion.rule.key](lang), size=6.9)
        sheet.text(x + 62.5, y, "—" if missing else _value(criterion, lang), size=6.9, bold=not missing, align="right")
        for k, grade in enumerate(("bronze", "silver", "gold")):
            limit = criterion.rule.limit(grade)
            sign = "≥" if criterion.rule.least else "≤"
            met = limit is not None and not missing and _meets(criterion, limit)
            shown = "" if limit is None else f"{sign}{limit:g}"
            sheet.text(x + 68.5 + 9.6 * k, y, shown, size=6.2, colour=INK if met else FAINT, bold=met, align="center")
        y += 4.5
        sheet.line(x, y - 3.2, x + width, y - 3.2, width=0.3)
    return y - 4.5


def _meets(criterion: Criterion, limit: float) -> bool:
    value = criterion.value
    return value is not None and (value >= limit if criterion.rule.least else value <= limit)


def _protocol(sheet: Sheet, c: Certificate, lang: str, y: float) -> None:
    y = _title(sheet, _LEFT, y, 91.0, texts.STEPS(lang))
    for k, step in enumerate(STEPS):
        x, row = _LEFT + 46.0 * (k % 2), y + 4.0 * (k // 2)
        done = c.steps[step]
        sheet.text(x, row, "✓" if done else "✗", size=7.5, bold=True, colour="#2e7d32" if done else "#b23b2e")
        sheet.text(x + 4.2, row, STEP_NAMES[step](lang), size=6.9, colour=INK if done else FAINT)


def _tells(sheet: Sheet, c: Certificate, lang: str, y: float) -> float:
    x, width, told = _GUTTER, _RIGHT - _GUTTER, c.limits
    y = _title(sheet, x, y, width, texts.TELLS(lang))
    corners = max(v for name, v in told.near_miss.items() if name not in ("centre", "worst"))
    since, most = texts.FROM(lang), texts.AT_MOST(lang)
    # without a roll and a checked place these would be guesses
    known, rolled = bool(c.knowns or c.bounces), bool(c.rolls)
    unknown = texts.NOT_MEASURED(lang)
    rows = [
        (texts.NEAR_CENTRE, f"{since} {number(told.near_miss['centre'])} {texts.MM(lang)}" if known else unknown),
        (texts.NEAR_CORNERS, f"{since} {number(corners)} {texts.MM(lang)}" if known else unknown),
        (texts.ORDER, f"{since} {number(told.order_ms)} {texts.MS(lang)}" if rolled else unknown),
        (texts.DOUBLE, f"{since} {number(told.double_ms)} {texts.MS(lang)}"),
        (texts.TOUCH, f"{since} {number(told.touch)} {texts.MM_S(lang)}" if rolled else unknown),
        (texts.BLUR, f"{most} {number(told.blur_mm)} {texts.MM(lang)}" if told.blur_mm is not None else unknown),
    ]
    for said, value in rows:
        sheet.text(x, y, said(lang), size=7.2)
        sheet.text(x + width, y, value, size=7.2, bold=True, align="right")
        y += 4.5
    return y - 4.5


def _light(sheet: Sheet, c: Certificate, lang: str, y: float) -> None:
    x, width, light = _GUTTER, _RIGHT - _GUTTER, c.observed.light
    y = _title(sheet, x, y, width, texts.LIGHT(lang))
    if light is None or not light.balls:
        sheet.text(x, y, texts.NOT_MEASURED(lang), size=7.2, colour=FAINT)
    else:
        sheet.box(x, y - 3.6, 50, 13.5, light.cloth, edge=LINE)
        for k, ball in enumerate(light.balls[:4]):
            middle = x + 6.5 + 12.3 * k
            sheet.disc(middle, y + 1.3, 3.4, ball.colour)
            bright = 0.3 * light.cloth[0] + 0.59 * light.cloth[1] + 0.11 * light.cloth[2] > 0.5
            sheet.text(middle, y + 8.4, f"{ball.contrast:.0f}", size=6.8, bold=True, colour=INK if bright else "white", align="center")
        sheet.text(x, y + 13.2, texts.CONTRAST(lang), size=6.2, colour=FAINT)
        told = ", ".join("–".join(BALL_NAMES[n](lang) for n in pair) for pair in c.limits.alike)
        said = f"{texts.ALIKE(lang)}: {told}" if told else texts.ALL_TOLD(lang)
        sheet.text(x, y + 17.2, said, size=6.6, wrap=34, colour="#b23b2e" if told else INK)
    draw_scale(sheet.axes(x + 53, y - 3.6, width - 53, 19), c)
    sheet.text(x + 53, y + 18.8, texts.SCALE(lang), size=5.8, colour=FAINT)
    still = c.observed.still
    if light is not None:
        sheet.text(x + 53, y + 22, f"{texts.EVEN(lang)} {100 * light.evenness:.0f} %", size=5.8, colour=FAINT)
    if still is not None:
        sheet.text(x + 53, y + 25.2, texts.GRAIN(lang).format(noise=number(still.noise)), size=5.8, colour=FAINT)


def _advice(sheet: Sheet, c: Certificate, lang: str) -> None:
    y = 251.5
    better = next_grade(c)
    if better is None:
        y = _title(sheet, _LEFT, y, _RIGHT - _LEFT, texts.COMPLETE(lang))
    else:
        y = _title(sheet, _LEFT, y, _RIGHT - _LEFT, texts.SHORT(lang).format(grade=texts.GRADE_OF[better](lang)))
        tips = advice(c)
        for tip in tips[:_MOST_ADVICE]:
            y = _tip(sheet, tip, lang, y)
        if len(tips) > _MOST_ADVICE:
            sheet.text(_LEFT, y, texts.AND_MORE(lang).format(n=len(tips) - _MOST_ADVICE), size=6.6, colour=FAINT)
    notes = [ru if lang == "ru" else en for ru, en in c.observed.notes[:1]]
    unseen = [BALL_NAMES[ball](lang) for ball, seen in c.observed.seen.items() if not seen]
    if unseen:
        notes.append(texts.UNSEEN(lang).format(balls=", ".join(unseen)))
    if notes:
        sheet.text(_LEFT, 285.5, f"{texts.NOTE(lang)}: {'; '.join(notes)}", size=6.6, colour="#b23b2e")
    sheet.line(_LEFT, 287, _RIGHT, 287)
    sheet.text(_LEFT, 290.5, texts.FOOT(lang), size=5.6, colour=FAINT)
    sheet.text(_RIGHT, 290.5, f"poedinok {version()}", size=5.6, colour=FAINT, align="right")


def _tip(sheet: Sheet, tip: Advice, lang: str, y: float) -> float:
    sheet.text(_LEFT, y, "•", size=7)
    first = sheet.text(_LEFT + 3, y, tip.why(lang), size=7, bold=True, wrap=48)
    last = sheet.text(_LEFT + 85, y, tip.change(lang), size=7, wrap=68)
    return max(first, last) + 4.4
