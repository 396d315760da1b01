"""Messages of the interface, which are in English, told in Russian on the pages: (pattern, Russian with {1}, {2} for its groups).

A text that no pattern knows stays as it is.
"""

from __future__ import annotations

_N = r"([-+\d.]+)"
SAID: tuple[tuple[str, str], ...] = (
    (r"wrong PIN", "неверный ПИН-код"),
    (r"too many wrong PINs: wait a minute", "слишком много неверных ПИН-кодов: подождите минуту"),
    (r"players: expected two different names", "нужны два разных имени"),
    (r"expected a target from 1 to 999 points, a handicap below it.*", "очков от 1 до 999, фора меньше их"),
    (r"nothing to undo", "отменять нечего"),
    (r"nothing to redo", "возвращать нечего"),
    (r"no game is being played: start one", "партия не идёт: начните новую"),
    (r"stroke (\d+): was not played", "удара {1} не было"),
    (r"stroke (\d+): no alternative.*", "удар {1}: такого варианта уже нет, его мог решить другой судья"),
    (r"call: expected at most (\d+) characters", "заказ: не длиннее {1} знаков"),
    (r"call: «(.*)» is not understood", "заказ: «{1}» непонятно"),
    (r"call: «(.*)» is no pocket", "заказ: «{1}» — не луза"),
    (r"call: «(.*)» contradicts itself: the cue ball is (white|yellow)", "заказ: «{1}» противоречит себе"),
    (r"call: nothing is called", "заказ: ничего не заказано"),
    (r"call: (.*)", "заказ не понят: {1}"),
    (r"event (\d+): (.*)", "событие {1}: {2}"),
    (r"connecting", "соединяемся"),
    (r"waiting for a game to begin", "ждёт начала партии"),
    (r"every packet looks damaged", "все пакеты выглядят повреждёнными"),
    (r"no such game|no game \d+", "такой партии нет"),
    (r"no stroke (\d+) in this game", "удара {1} в этой партии нет"),
    (r"no game with a stroke yet", "ещё нет ни одной партии с ударами"),
    (r"expected an operator's session", "нужно войти на пульте"),
    (r"no frame for ([\d.]+) s", "нет кадров {1} с"),
    (r"the same picture for ([\d.]+) s", "одна и та же картинка {1} с"),
    (r"no frame yet", "кадров ещё не было"),
    (r"pictures of (\S+) px, the profile is for (\S+)", "картинка {1}, а профиль для {2}: откалибруйте заново"),
    (r"damaged frames: (\d+)", "повреждённых кадров: {1}"),
    (r"dropped frames: (\d+)", "пропущено кадров: {1}"),
    (rf"its clock jumped by {_N} s", "часы камеры скакнули на {1} с"),
    (r"the stream ended", "поток кончился"),
    (r"it does not answer", "не отвечает"),
    (r"it holds no video", "в потоке нет видео"),
    (r"Connection refused", "соединение отвергнуто"),
    (r"No such file or directory", "устройства нет"),
    (r"No such device", "устройство отключено"),
    (r"the source is over", "запись кончилась"),
    (r"the referee's eyes stopped \((.*)\); start it again", "программа остановилась ({1}); запустите её снова"),
    (r"not asked for", "не просили"),
    (r"no source yet", "камеры ещё нет"),
    (r"(\d+) MB left on the disk: nothing is recorded", "на диске осталось {1} МБ"),
    (r"([\d.]+) GB left on the disk", "на диске осталось {1} ГБ"),
    (r"the recording cannot be written: (.*)", "запись не пишется: {1}"),
    (r"(\d+) strokes are not written down yet: .*: database or disk is full", "не записано ударов: {1} (диск полон)"),
    (r"(\d+) strokes are not written down yet: (.*)", "не записано ударов: {1} ({2})"),
    (r".*: database or disk is full", "диск полон: не записано"),
    (r"the recording does not hold this stroke", "в записи этого удара нет"),
    (r"the pictures cannot be kept: (.*)", "кадры не сохранить: {1}"),
)


def patterns(lang: str) -> list[list[str]]:
    """What a page needs to tell messages in its language."""
    return [list(pair) for pair in SAID] if lang == "ru" else []


SCRIPT = r"""
const SAID_PATTERNS = SAID.map(([pattern, text]) => [new RegExp(`^${pattern}$`), text]);
function inWords(text) {
  return String(text).split("; ").map((part) => {
    for (const [pattern, told] of SAID_PATTERNS) {
      const found = part.match(pattern);
      if (found) return told.replace(/\{(\d)\}/g, (_, n) => found[Number(n)]);
    }
    return part;
  }).join("; ");
}
"""
