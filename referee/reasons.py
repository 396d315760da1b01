"""Reasons and notes, which are written in English, told in Russian to those who read the report or the video.

A text that is not known stays as it is.
"""

from __future__ import annotations

import re

from referee.callfile import LATE
from referee.words import BALL, POCKET, SIDE, Text

# balls, kinds of events, pockets and sides of the picture in a pattern are put in Russian; the other groups stand as they are
_BALL = "(white|yellow|red|black)"
_NUMBER = r"(-?[\d.]+(?::[\d:.]+)?)"  # also a time by the clock
_ODD = r"what was seen does not hold together: \S+: "
_HAPPENED = rf"([a-z_]+) {_BALL}(?:-{_BALL})?"
_RUSSIAN = (
    (rf"{_BALL} changed its path at {_NUMBER} s without a cause that was seen", "{0} изменил путь на {1} с без видимой причины"),
    (
        rf"([a-z_]+) {_BALL}(?:-{_BALL})? and ([a-z_]+) {_BALL}(?:-{_BALL})? within {_NUMBER} ms: their order is not sure",
        "события {0} {1} {2} и {3} {4} {5} разделяют {6} мс: их порядок неясен",
    ),
    (
        rf"{_BALL} ran on with {_NUMBER} % of {_BALL}'s speed after the contact: a (?:push|double hit)\?",
        "{0} после соударения прошёл дальше с {1} % скорости соударённого ({2}): двойной удар или проталкивание?",
    ),
    (
        rf"{_BALL} gained speed again {_NUMBER} ms after the strike: a double hit\?",
        "{0} через {1} мс после удара снова ускорился: двойной удар?",
    ),
    (
        rf"{_BALL} changed its path {_NUMBER} ms after the strike: a double hit\?",
        "{0} через {1} мс после удара изменил путь: двойной удар?",
    ),
    (
        rf"{_BALL} and {_BALL} touched and set off together: which of them was struck\?",
        "{0} и {1} стояли вплотную и пошли вместе: который ударен?",
    ),
    (rf"{_BALL} seems to have been struck at {_NUMBER} s", "{0}, похоже, ударен кием на {1} с"),
    (
        rf"{_BALL} seems to have been struck at {_NUMBER} s while ({_BALL}(?:, {_BALL})*) still rolled",
        "{0}, похоже, ударен кием на {1} с, когда ещё катились: {2}",
    ),
    (rf"{_BALL} moved at {_NUMBER} s with something beside it", "{0} сдвинулся на {1} с, и рядом с ним что-то было"),
    (rf"{_BALL} moved at {_NUMBER} s without a cause that was seen", "{0} сдвинулся на {1} с без видимой причины"),
    (
        rf"{_BALL} moved by {_NUMBER} mm at {_NUMBER} s, (?:before|after) the stroke, with something beside it",
        "{0} сдвинулся на {1} мм на {2} с вне удара, и рядом с ним что-то было",
    ),
    (
        rf"{_BALL} moved by {_NUMBER} mm at {_NUMBER} s, (?:before|after) the stroke, without a cause that was seen",
        "{0} сдвинулся на {1} мм на {2} с вне удара без видимой причины",
    ),
    (
        rf"{_BALL} fell {_NUMBER} s after it had stopped in the jaws, give or take {_NUMBER} s",
        "{0} упал через {1} с после остановки в створе лузы, с точностью до {2} с",
    ),
    (
        rf"{_BALL} was knocked in {_NUMBER} s after it had stopped in the jaws, give or take {_NUMBER} s",
        "{0} сбит в лузу через {1} с после остановки в её створе, с точностью до {2} с",
    ),
    (rf"something was beside {_BALL} when it fell at {_NUMBER} s", "{0} упал на {1} с, и рядом с ним что-то было"),
    (
        rf"{_BALL} fell at {_NUMBER} s from the jaws in which it had lain since before the stroke",
        "{0} упал на {1} с из створа лузы, где лежал ещё до удара",
    ),
    (rf"{_BALL} vanished at the (?:home|foot|left|right) cushion at {_NUMBER} s", "{0} пропал из вида у борта на {1} с: вылетел?"),
    (rf"{_BALL} over {_BALL}: perhaps a jump \({_NUMBER} mm high\)", "{0} через {1}: возможно, перескок (высота {2} мм)"),
    (
        rf"{_BALL} over a jaw of ([a-z-]+): perhaps a jump \({_NUMBER} mm high\)",
        "{0} через губу ({1}): возможно, перескок (высота {2} мм)",
    ),
    (
        rf"{_BALL} over {_BALL}: a jump {_NUMBER} mm high passed beside it or over it",
        "{0} через {1}: прыжок высотой {2} мм прошёл рядом или над шаром",
    ),
    (
        rf"{_BALL} over a jaw of ([a-z-]+): a jump {_NUMBER} mm high passed beside it or over it",
        "{0} через губу ({1}): прыжок высотой {2} мм прошёл рядом или над губой",
    ),
    # what it may have been instead
    (rf"{_BALL} was touched", "{0} задет"),
    (rf"{_BALL} was struck", "кием ударен {0}"),
    (rf"{_BALL} met {_BALL}", "{0} коснулся другого: {1}"),
    (rf"a double hit of {_BALL}", "двойной удар: {0}"),
    (rf"a push of {_BALL}", "проталкивание: {0}"),
    (rf"{_BALL} over {_BALL}: a jump", "перескок: {0} через {1}"),
    (rf"{_BALL} over a jaw of ([a-z-]+): a jump", "перескок: {0} через губу ({1})"),
    (rf"{_BALL} left the table", "{0} вылетел со стола"),
    (rf"{_BALL} (?:fell|was knocked in) within 3 s", "{0}: в пределах 3 с"),
    (rf"{_BALL} (?:fell|was knocked in) after more than 3 s", "{0}: позже 3 с"),
    (rf"{_BALL} did not fall: it was taken away", "{0} не упал: его убрали"),
    (r"the view of the table was lost during the stroke", "во время удара стол пропал из вида"),
    (r"the camera moved during the stroke", "во время удара сдвинулась камера"),
    (r"the stroke was under way when the table came into view", "когда стол показался, удар уже шёл: самого удара не видно"),
    (
        rf"the strike was not seen: there is no picture for {_NUMBER} s at {_NUMBER} s",
        "удар кием не был виден: {0} с без кадров на {1} с",
    ),
    (
        rf"the strike was not seen: the pictures skip at {_NUMBER} s \(({_BALL}(?:, {_BALL})*)\)",
        "удар кием не был виден: на {0} с часть записи вырезана ({1})",
    ),
    (
        rf"({_BALL}(?:, {_BALL})*) lay still at {_NUMBER} s and (?:is|are) gone in the next picture",
        "на {3} с ещё лежит, а на следующем кадре исчез: {0}",
    ),
    (
        r"pictures are shown again at a regular rhythm: (\d+) of (\d+) are new",
        "кадры мерно повторяются: новых {0} из {1}",
    ),
    (
        rf"the pictures' stamps are uneven, by up to {_NUMBER} ms: taken as if at equal distances, which the balls' motion bears out",
        "время кадров неровное, до {0} мс: считаем, что кадры сняты через равные промежутки, как и говорит движение шаров",
    ),
    (
        rf"the balls lose only {_NUMBER} mm/s in a second: is this slow motion\?",
        "шары теряют лишь {0} мм/с за секунду: не замедленная ли это съёмка?",
    ),
    (rf"the picture shook by (?:up to )?{_NUMBER} px at {_NUMBER} s", "картинка дрогнула на {0} пикс. на {1} с"),
    (rf"{_BALL} was not seen at the end of the stroke", "{0} не был виден в конце удара"),
    (rf"{_BALL} was not seen before the stroke", "{0} не был виден перед ударом"),
    (rf"{_BALL} was not found on the table", "{0} на столе не найден"),
    (rf"{_BALL} was not found before {_NUMBER} s", "{0} до {1} с не найден"),
    (rf"{_BALL} was lost on its way at {_NUMBER} s", "{0} потерян на ходу на {1} с"),
    (rf"{_BALL} fell into ([a-z-]+), and what had met it was not seen", "{0} упал ({1}), а что его задело, не видно"),
    (rf"{_BALL} was out of view from {_NUMBER} s on and came to lie elsewhere", "{0} с {1} с не был виден и оказался в другом месте"),
    (rf"{_BALL} was hidden for {_NUMBER} s", "{0} был закрыт {1} с"),
    (
        rf"pictures were wanting, and ({_BALL}(?:, {_BALL})*) came to lie elsewhere: what was played was not seen",
        "не хватало кадров, и в другом месте оказались: {0}; что сыграно, не видно",
    ),
    (r"(\d+) frames were dropped during the stroke", "во время удара пропущено кадров: {0}"),
    (r"the file begins again during the stroke", "во время удара запись началась сначала"),
    (r"pictures of another size during the stroke", "во время удара картинка стала другого размера"),
    (r"the source was lost during the stroke", "во время удара пропала связь с камерой"),
    (rf"the source's clock jumped by \+?{_NUMBER} s during the stroke", "во время удара часы камеры скакнули на {0} с"),
    (rf"a damaged frame at {_NUMBER} s", "повреждённый кадр на {0} с"),
    (rf"(\d+) damaged frames from {_NUMBER} s to {_NUMBER} s", "повреждённых кадров: {0}, от {1} с до {2} с"),
    (rf"the video ends while ({_BALL}(?:, {_BALL})*) still rolls?", "видео кончается, а ещё катится: {0}"),
    (rf"the view changes while ({_BALL}(?:, {_BALL})*) still rolls?", "вид меняется, а ещё катится: {0}"),
    (r"(\d+) calls before this stroke; the last one stands: (.*)", "заказов перед ударом: {0}; действует последний: {1}"),
    (rf"the strike was not seen; {_BALL} is taken for the ball struck", "удар кием не был виден; считаем, что ударен {0}"),
    (r"call not understood, ruled as none: «(.*)» \((.*)\)", "заказ не понят, судим без заказа: «{0}» ({1})"),
    (rf"{_BALL} was struck, the cue ball is {_BALL}", "ударен {0}, а биток — {1}"),
    (rf"{_ODD}expected .*: no event takes {_BALL} off the table", "увиденное противоречиво: {0} пропал со стола, а как — не видно"),
    (rf"{_ODD}expected a ball on the table: {_BALL} (?:fell|left).*", "увиденное противоречиво: {0} уже не на столе, а с ним что-то ещё"),
    (rf"{_ODD}expected null: {_BALL} (?:fell|left).*", "увиденное противоречиво: {0} ушёл со стола, а после удара лежит на нём"),
    (rf"{_ODD}expected .*: {_BALL} was not on the table.*", "увиденное противоречиво: {0} перед ударом на столе не было"),
    (rf"{_ODD}expected a place of its own: {_BALL} overlaps {_BALL}.*", "увиденное противоречиво: {0} и {1} лежат на одном месте"),
    (rf"{_ODD}expected a place on the table.*", "увиденное противоречиво: шар виден за бортом"),
    (r"what was seen does not hold together: (.*)", "увиденное противоречиво: {0}"),
    (r"the game was over before this stroke: it is not ruled", "партия уже кончилась: этот удар не судится"),
    (r"no ruling could be made \((.*)\)", "решение вынести нельзя ({0})"),
    (rf"{_BALL} should be in the house, seen {_NUMBER} mm outside it", "{0} должен быть в доме, а виден на {1} мм дальше"),
    (rf"{_BALL} lies on the table, expected off it", "{0} лежит на столе, а должен быть вне его"),
    (
        rf"{_BALL} lies {_NUMBER} mm from (\(.*\)), where the last ruling left it",
        "{0} лежит в {1} мм от точки {2}, где его оставило прошлое решение",
    ),
    (
        rf"{_BALL} lies {_NUMBER} mm from (\(.*\)), where the last stroke left it",
        "{0} лежит в {1} мм от точки {2}, где его оставил прошлый удар",
    ),
    (rf"{_BALL} was placed {_NUMBER} mm from its place (\(.*\))", "{0} поставлен в {1} мм от своего места {2}"),
    (rf"{_BALL} in its place", "{0} на своём месте"),
    (rf"no picture for {_NUMBER} s at {_NUMBER} s", "{0} с без кадров на {1} с"),
    (rf"a picture shown twice at {_NUMBER} s", "повторённый кадр на {0} с"),
    (rf"the pictures skip {_NUMBER} s at {_NUMBER} s, which their times hide", "на {1} с пропущено {0} с, а время кадров это скрывает"),
    (rf"the time of the picture at {_NUMBER} s is (\d+) ms late", "время кадра на {0} с опаздывает на {1} мс"),
    (rf"the time of the picture at {_NUMBER} s is (\d+) ms early", "время кадра на {0} с спешит на {1} мс"),
    (rf"(\d+) frames from {_NUMBER} s on bear no time of their own", "кадров без своего времени: {0}, начиная с {1} с"),
    (rf"did not happen: {_HAPPENED}", "не было: {0} {1} {2}"),
    (rf"first {_HAPPENED}, then {_HAPPENED}", "сначала {0} {1} {2}, потом {3} {4} {5}"),
    (rf"also {_HAPPENED}", "было ещё: {0} {1} {2}"),
    (rf"the table is in view again at {_NUMBER} s", "стол снова виден с {0} с"),
    (
        rf"the camera or the table moved by {_NUMBER} px at {_NUMBER} s; re-registered \(residual {_NUMBER} px\)",
        "камера или стол сдвинулись на {0} пикс. на {1} с; калибровка исправлена (остаток {2} пикс.)",
    ),
    (
        rf"the camera moved (\d+) times between {_NUMBER} and {_NUMBER} s, by up to {_NUMBER} px: .*",
        "камера сдвигалась {0} раз между {1} и {2} с, на величину до {3} пикс.: калибровка исправлялась всякий раз, когда она замирала",
    ),
    (
        rf"the table does not lie where the profile says: by {_NUMBER} px at {_NUMBER} s; re-registered \(residual {_NUMBER} px\)",
        "стол лежит не там, где сказано в профиле: он сдвинут на {0} пикс. на {1} с; калибровка исправлена (остаток {2} пикс.)",
    ),
    (
        rf"the table does not lie where the profile says: by {_NUMBER} px at {_NUMBER} s; re-registered \(residual {_NUMBER} px\); "
        "nothing tells whether its ends were exchanged: the house is taken to be (left|right|top|bottom)",
        "стол лежит не там, где сказано в профиле: он сдвинут на {0} пикс. на {1} с; калибровка исправлена (остаток {2} пикс.); "
        "не поменялись ли концы стола местами, не видно: считаем, что дом {3}",
    ),
    (
        rf"the table does not lie where the profile says: the noses are seen {_NUMBER} px off at {_NUMBER} s; .*",
        "стол лежит не там, где сказано в профиле: кромки бортов видны на {0} пикс. в стороне на {1} с;"
        " ничего не измеряется, откалибруйте заново",
    ),
    (
        rf"the picture is turned by half a turn against the profile at {_NUMBER} s \(.*\): the house is (left|right|top|bottom)",
        "картинка повёрнута на пол-оборота относительно профиля на {0} с: это видно по тому, что лежит вокруг стола; дом {1}",
    ),
    (
        rf"from {_NUMBER} s on the video shows a picture of (\d+x\d+) px instead of (\d+x\d+): .*",
        "с {0} с кадр видео — {1} вместо {2} пикс.: ничего не измеряется; разрежьте видео и откалибруйте заново",
    ),
    (
        rf"the camera or the table has moved by {_NUMBER} px at {_NUMBER} s: .*",
        "камера или стол сдвинулись на {0} пикс. на {1} с: дальше ничего не измеряется",
    ),
    (
        "the profile does not fit this video: .*",
        "профиль не подходит к этому видео: ни бортов, ни обстановки вокруг стола нет там, где они в профиле; откалибруйте заново",
    ),
    (
        "nothing seen confirms the profile: .*",
        "ничто на видео не подтверждает профиль: бортов не видно там, где они в профиле; проверьте, для этого ли он стола и камеры",
    ),
    (rf"another view is shown from {_NUMBER} s", "с {0} с показан другой вид"),
    (r"the detector's weights are missing: .*", "нет весов нейросети: шары ищутся только по форме и цвету"),
    (
        rf"only {_NUMBER} pictures a second: strokes are missed or told wrongly below (\d+)",
        "лишь {0} кадра в секунду: когда их меньше {1}, удары теряются или видны неверно",
    ),
    (r"only (\d+) pictures?: too short for a stroke to be seen", "кадров лишь {0}: слишком коротко, чтобы увидеть удар"),
    (r"(\d+) pictures are shown twice", "повторённых кадров: {0}"),
    (rf"(\d+) frames are damaged, the first at {_NUMBER} s", "повреждённых кадров: {0}, первый на {1} с"),
    (rf"never seen: ({_BALL}(?:, {_BALL})*)", "ни разу не видны: {0}"),
    (rf"no rulings: not on the table in any stroke: ({_BALL}(?:, {_BALL})*)", "без решений: ни в одном ударе нет на столе: {0}"),
    (rf"call at {_NUMBER} s {LATE}: (.*)", "заказ на {0} с, пока катились шары, к этому удару или к следующему: {1}"),
    (rf"call at {_NUMBER} s has no stroke after it: (.*)", "после заказа на {0} с нет удара: {1}"),
)
_HIT = rf"(?:no|also|first|then) (?:contact|cushion|jaw) {_BALL}(?:-{_BALL})?".replace("(white", "(?:white")
_HITS = rf"({_HIT}(?:, {_HIT})*)"
_RUSSIAN = (*_RUSSIAN, (rf"not sure at {_NUMBER} s: {_HITS}", "неясно на {0} с: {1}"), (_HITS, "{0}"))
_CALIBRATED = re.compile(r"calibrated on the video itself \((.*)\)")
_CALIBRATION = (  # its parts between semicolons, and parts of those
    (r"no --table or --size: (\S+) assumed", "без --table и --size принят {0}"),
    (r"no --table or --size: (\S+) assumed, as no pockets are seen", "без --table и --size принят {0}, так как луз не видно"),
    (r"no --table or --size: (\S+) taken: (.*)", "без --table и --size взят {0}: {1}"),
    (r"(\S+) assumed(?: \(no pockets seen\))?", "принят {0}"),
    (r"(\S+) by what is seen \((.*)\)", "{0} по тому, что видно ({1})"),
    (
        r"found automatically: noses seen on (\d) of 4 sides, strip ([\d.]+) % of the length(?:, (.*))?",
        "найден автоматически: видны борта с {0} сторон из 4, полоса {1} % длины{2}",
    ),
    (r"(\d+ .*) measured", ", измерено {0}"),
    (r"(\d+ \w+) and (\d+ .+)", "{0}, {1}"),
    (r"(\d+) spots?", "отметок: {0}"),
    (r"(\d+) balls?", "шаров: {0}"),
    (r"(\d+) sights? of moving balls", "наблюдений движущихся шаров: {0}"),
    (r"home: (left|right|top|bottom), (.*)", "дом {0}: {1}"),
    ("no pockets", "луз нет"),
    ("pockets", "есть лузы"),
    (r"middle mouths ([\d.]+) %", "средние лузы — {0} % длины"),
    (r"corner mouths ([\d.]+) %", "угловые лузы — {0} % длины"),
    (r"middle mouths ([\d.]+) % and corner mouths ([\d.]+) %", "средние лузы — {0} % длины, угловые — {1} %"),
    (r"balls ([\d.]+) % of the table's length", "шары — {0} % длины стола"),
    ("neither pockets nor balls could be measured", "ни луз, ни шаров измерить не удалось"),
    ("balls at the opening", "по начальной расстановке"),
    ("home line", "по линии дома"),
    ("head string", "по линии дома"),
    ("baulk line and D", "по линии и дуге"),
    ("assumed", "принят без примет"),
    ("given", "задан"),
)
_CALIBRATION_PATTERNS = tuple((re.compile(pattern), russian) for pattern, russian in _CALIBRATION)
_PATTERNS = tuple((re.compile(pattern), russian) for pattern, russian in _RUSSIAN)
_EVENTS = {
    "contact": "соударение", "cushion": "борт", "jaw": "губа", "pocket": "падение", "midline": "середина", "stop": "остановка",
    "jump": "перескок",
    "strike": "удар", "off_table": "вылет", "touch": "касание", "double_hit": "двойной удар", "push": "проталкивание",
}  # fmt: skip
_WORDS = {**_EVENTS, "no": "не было:", "also": "ещё", "first": "сначала", "then": "потом"}
_NAME = re.compile(_BALL)
_DECIMAL = re.compile(r"-?\d[\d:]*\.\d+|\(-?[\d.]+, -?[\d.]+\)")
_NAMES = re.compile(f"{_BALL}(?:, {_BALL})*")
# a moment, not a span, counted from the start of the video: what stands before and after the seconds
_MOMENT = re.compile(r"\b(at|from|to|before|between|and) (\d+(?:\.\d+)?)(?= s\b| and \d+(?:\.\d+)? s\b)")
_RUSSIAN_MOMENT = re.compile(r"(\d+(?::\d\d)+(?:,\d+)?) с(?![а-яё])")


def told(reason: str) -> Text:
    """The reason in both languages, with moments as it has them: in seconds from the start of the video."""
    if found := _CALIBRATED.fullmatch(reason):
        return Text(f"калибровка по самому видео ({'; '.join(map(_calibration, found[1].split('; ')))})", reason)
    for pattern, russian in _PATTERNS:
        if found := pattern.fullmatch(reason):
            return Text(" ".join(russian.format(*map(_russian, found.groups())).split()).replace(" :", ":"), reason)
    return Text(reason, reason)


def told_by_clock(reason: str) -> Text:
    """The reason in both languages, with moments by the video's clock (0:03.84 of the video), for places where other times count
    from the strike. How long something took stays in seconds."""
    timed = _MOMENT.sub(lambda m: f"{m[1]} {_clock(m[2])}", reason)
    russian, english = told(timed).ru, re.sub(r"(\d:[\d:.]+) s\b", r"\1 of the video", timed)
    return Text(english if russian == timed else _RUSSIAN_MOMENT.sub(r"\1 видео", russian), english)


def _clock(seconds: str) -> str:
    """m:ss with the decimals that there are, h:mm:ss from an hour on."""
    whole, _, decimals = seconds.partition(".")
    minutes, rest = divmod(int(whole), 60)
    hours, minutes = divmod(minutes, 60)
    return (f"{hours}:{minutes:02d}" if hours else f"{minutes}") + f":{rest:02d}" + (f".{decimals}" if decimals else "")


def _calibration(part: str | None) -> str:
    """A part of how a table was found, in Russian; what is not known stands as it is."""
    for pattern, russian in _CALIBRATION_PATTERNS:
        if part and (found := pattern.fullmatch(part)):
            said = [SIDE[group].ru if group in SIDE else _calibration(group) if group else "" for group in found.groups()]
            return russian.format(*said).strip()
    if part and ", " in part:
        return ", ".join(map(_calibration, part.split(", ")))
    return re.sub(r"(\d)\.(\d)", r"\1,\2", part or "")


def _russian(part: str | None) -> str:
    """A part of a reason: balls, kinds of events, pockets, sides and numbers in Russian, the rest as it stands."""
    if not part:
        return ""
    if part in _EVENTS:
        return _EVENTS[part]
    if _DECIMAL.fullmatch(part):  # 1.5; (1775.0, 887.5)
        return part.replace(", ", "; ").replace(".", ",")
    if known := POCKET.get(part) or SIDE.get(part):
        return known.ru
    if re.fullmatch(_HITS, part):
        return re.sub("[a-z]+", lambda m: _WORDS.get(m[0]) or BALL[m[0]].ru, part)
    return _NAME.sub(lambda m: BALL[m[0]].ru, part) if _NAMES.fullmatch(part) else part
