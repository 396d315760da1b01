"""What stands against the next better grade, and what to change to get it, in Russian and English."""

from __future__ import annotations

from typing import NamedTuple

from calibration.certify.certificate import Certificate
from calibration.certify.grade import GRADES, Criterion
from calibration.certify.protocol import STEPS


class Said(NamedTuple):
    """One text in both languages."""

    ru: str
    en: str

    def __call__(self, lang: str) -> str:
        return self.ru if lang == "ru" else self.en


class Advice(NamedTuple):
    """Why a quantity holds the grade back, and what to do about it."""

    key: str
    why: Said
    change: Said


NAMES = {
    "accuracy": Said("точность мест на поле (95 %)", "accuracy over the field (95 %)"),
    "places": Said("проверено известных мест", "known places checked"),
    "colours": Said("наименьшее различие цветов", "least difference of colours"),
    "rate": Said("новых кадров в секунду", "new pictures a second"),
    "shutter": Said("выдержка, не длиннее", "shutter, at most"),
    "noise": Said("дрожание лежащего шара (95 %)", "jitter of a resting ball (95 %)"),
    "straight": Said("кривизна прямого качения", "bend of a straight roll"),
    "bounce": Said("ошибка места отскока", "error of a bounce's place"),
    "flicker": Said("мерцание света", "flicker of the light"),
    "burnt": Said("пересвечено", "overexposed"),
    "lost": Said("потеряно кадров", "pictures lost"),
    "steps": Said("выполнено шагов протокола", "steps of the protocol measured"),
}
STEP_NAMES = {
    "places": Said("шары на известных местах", "balls on known places"),
    "roll_along": Said("качение вдоль стола", "a roll along the table"),
    "roll_across": Said("качение поперёк стола", "a roll across the table"),
    "bounce": Said("отскок от борта", "a cushion bounce"),
    "still": Said("неподвижный стол", "a still stretch"),
}
BALL_NAMES = {
    "white": Said("белый", "white"),
    "yellow": Said("жёлтый", "yellow"),
    "red": Said("красный", "red"),
    "black": Said("чёрный", "black"),
    "cloth": Said("сукно", "cloth"),
}
_UNKNOWN = {
    "accuracy": Said(
        "положите шары на точки и вплотную к бортам: без этого точность не проверить",
        "lay balls on the spots and against the cushions: accuracy cannot be checked without",
    ),
    "places": Said("положите шары на известные места", "lay balls on known places"),
    "colours": Said("снимите все шары лежащими, без людей над столом", "film all balls at rest with nobody over the table"),
    "shutter": Said(
        "ударьте сильно (3 м/с и больше): выдержка видна только по быстрому шару",
        "play a firm stroke (3 m/s or more): only a fast ball shows the shutter",
    ),
    "noise": Said("снимите лежащие шары несколько секунд", "film the balls at rest for some seconds"),
    "straight": Said("прокатите шар вдоль и поперёк стола", "roll a ball along and across the table"),
    "bounce": Said("прокатите шар в борт", "roll a ball onto a cushion"),
    "flicker": Said("снимите неподвижный стол хотя бы секунду", "film the still table for a second at least"),
    "burnt": Said("снимите шары лежащими", "film the balls at rest"),
}
_CHANGE = {
    "places": Said("проверьте больше мест: три точки и по два места у каждого угла", "check more places: the spots and two at each corner"),
    "rate": Said("поставьте в камере больше кадров в секунду", "set the camera to more pictures a second"),
    "noise": Said("больше света, меньше усиления (ISO), выше битрейт", "more light, less gain (ISO), a higher bit rate"),
    "straight": Said(
        "объектив гнёт прямые: калибруйте его (`poedinok calibrate lens`) или отойдите с камерой",
        "the lens bends straight lines: calibrate it (`poedinok calibrate lens`) or move the camera away",
    ),
    "bounce": Said(
        "линия бортов в профиле стоит не там: калибруйте снова и подвиньте углы к кромкам бортов",
        "the nose lines of the profile are off: calibrate again and move the corners onto the noses",
    ),
    "flicker": Said("замените лампы на немерцающие или задайте выдержку 1/100 с", "use lamps that do not flicker, or a shutter of 1/100 s"),
    "burnt": Said("уменьшите экспозицию или уберите блики", "lower the exposure, or remove glare"),
    "lost": Said(
        "кадры повторяются или повреждены: другой кабель, кодек или запись без потерь кадров",
        "pictures are repeated or damaged: another cable, codec or recorder",
    ),
}


def advice(certificate: Certificate) -> tuple[Advice, ...]:
    """One entry for each quantity that holds the grade back, the worst first; empty at gold."""
    held = sorted(certificate.verdict.held_back, key=lambda c: GRADES.index(c.allows))
    return tuple(Advice(c.rule.key, _why(c, certificate), _change(c, certificate)) for c in held)


def next_grade(certificate: Certificate) -> str | None:
    """The next better grade; None at gold."""
    place = GRADES.index(certificate.grade) + 1
    return GRADES[place] if place < len(GRADES) else None


def number(value: float) -> str:
    """A value as people read it: two digits that tell, no more than two behind the point."""
    shown = f"{value:.0f}" if abs(value) >= 100 else f"{value:.1f}" if abs(value) >= 1 else f"{value:.2f}"
    return shown.rstrip("0").rstrip(".") if "." in shown else shown


def _why(criterion: Criterion, certificate: Certificate) -> Said:
    rule, name = criterion.rule, NAMES[criterion.rule.key]
    if rule.key == "steps" and criterion.value is not None:
        missing = [STEP_NAMES[step] for step in STEPS if not certificate.steps[step]]
        return Said(f"не измерено: {', '.join(s.ru for s in missing)}", f"not measured: {', '.join(s.en for s in missing)}")
    if criterion.value is None:
        return Said(f"{name.ru}: не измерено", f"{name.en}: not measured")
    limit = rule.limit(next_grade(certificate) or "gold")
    unit = UNITS.get(rule.unit, Said(rule.unit, rule.unit))
    sign = "≥" if rule.least else "≤"
    wanted = number(limit) if limit is not None else "–"
    return Said(
        f"{name.ru}: {number(criterion.value)} {unit.ru}, нужно {sign} {wanted} {unit.ru}".replace("  ", " ").replace(" ,", ",").rstrip(),
        f"{name.en}: {number(criterion.value)} {unit.en}, {sign} {wanted} {unit.en} is needed".replace("  ", " ")
        .replace(" ,", ",")
        .rstrip(),
    )


UNITS = {
    "mm": Said("мм", "mm"),
    "ms": Said("мс", "ms"),
    "1/s": Said("к/с", "f/s"),
    "%": Said("%", "%"),
    "ΔE": Said("ΔE", "ΔE"),
    "": Said("", ""),
}


def _change(criterion: Criterion, certificate: Certificate) -> Said:
    key = criterion.rule.key
    if criterion.value is None and key in _UNKNOWN:
        return _UNKNOWN[key]
    if key == "accuracy":
        return _accuracy(certificate)
    if key == "shutter":
        return _shutter(certificate)
    if key == "colours":
        return _colours(certificate)
    if key == "steps":
        return Said("снимите и эти шаги протокола", "film these steps of the protocol too")
    return _CHANGE[key]


def _accuracy(certificate: Certificate) -> Said:
    """What the error is made of decides what helps: a shift that can be calibrated away, coarse pixels, or noise."""
    shift = max(max(row) for row in certificate.map.bias)
    scale = max(max(row) for row in certificate.map.scale)
    if shift > 0.5 * certificate.map.share(0.95) and shift > 1.0:
        return Said(
            f"места сдвинуты до {number(shift)} мм: калибруйте снова, подвинув углы точно на кромки бортов",
            f"places are shifted by up to {number(shift)} mm: calibrate again with the corners right on the noses",
        )
    if scale > 2.2:
        return Said(
            f"пиксель накрывает {number(scale)} мм стола: снимайте крупнее или с бо́льшим разрешением (до 2 мм)",
            f"a pixel covers {number(scale)} mm of the table: come closer or use a higher resolution (2 mm or less)",
        )
    return Said(
        "ровный свет без теней у бортов, больше контраста; затем калибруйте снова",
        "even light without shadows at the rails, more contrast; then calibrate again",
    )


def _shutter(certificate: Certificate) -> Said:
    exposure = certificate.exposure
    if exposure is not None and exposure.high > 1.5 * exposure.seconds + 0.0005:
        return Said(
            "выдержка измерена неточно: повторите с ударом от 3 м/с; в камере задайте 1/500 с",
            "the shutter is known roughly only: repeat with a stroke of 3 m/s or more; set 1/500 s in the camera",
        )
    return Said("задайте в камере выдержку 1/500 с и добавьте света", "set a shutter of 1/500 s in the camera and add light")


def _colours(certificate: Certificate) -> Said:
    light = certificate.observed.light
    if light is None:
        return _UNKNOWN["colours"]
    pairs = [((b.ball, "cloth"), b.contrast) for b in light.balls] + [(pair, d) for pair, d in light.pairs]
    (a, b), _ = min(pairs, key=lambda row: row[1])
    first, second = BALL_NAMES.get(a, Said(a, a)), BALL_NAMES.get(b, Said(b, b))
    return Said(
        f"плохо различимы {first.ru} и {second.ru}: ровнее и ярче свет, баланс белого, другой комплект шаров или сукно",
        f"{first.en} and {second.en} are hard to tell apart: more and more even light, white balance, another set of balls or cloth",
    )
