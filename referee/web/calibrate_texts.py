"""What the calibration page says, in Russian and English."""

from __future__ import annotations

from calibration.table import KINDS, table
from referee.web.language import Texts

TEXTS: dict[str, tuple[str, str]] = {
    "title": ("Калибровка стола", "Calibrate a table"),
    "picture": ("Картинка с камеры", "Picture of the camera"),
    "language": ("Язык", "Language"),
    "steps": ("Шаги", "Steps"),
    "undo": ("Отменить", "Undo"),
    "redo": ("Вернуть", "Redo"),
    "another": ("Новая картинка", "New picture"),
    "next": ("Дальше", "Next"),
    "mm": ("{value} мм", "{value} mm"),
    # steps
    "step_table": ("Стол", "Table"),
    "step_corners": ("Углы", "Corners"),
    "step_house": ("Дом", "House"),
    "step_balls": ("Шары", "Balls"),
    "step_save": ("Сохранить", "Save"),
    # table
    "kind": ("Какой это стол", "Which table is it"),
    "ball": ("Диаметр шара, мм", "Ball diameter, mm"),
    "length": ("Длина, мм", "Length, mm"),
    "width": ("Ширина, мм", "Width, mm"),
    "size_hint": ("Размер поля — между носами бортов, в миллиметрах.", "The size is from cushion nose to cushion nose, in millimetres."),
    "other_size": ("Другой размер", "Another size"),
    "feet": ("{family} {feet} футов · {length:g}×{width:g}", "{family} {feet} ft · {length:g}×{width:g}"),
    "kind_plain": ("{family} · {length:g}×{width:g}", "{family} · {length:g}×{width:g}"),
    "pyramid": ("Пирамида", "Pyramid"),
    "snooker": ("Снукер", "Snooker"),
    "pool": ("Пул", "Pool"),
    "carom": ("Карамболь", "Carom"),
    "bad_number": ("Здесь нужно число от {low:g} до {high:g} мм.", "Expected a number from {low:g} to {high:g} mm."),
    "bad_size": ("Длина должна быть не меньше ширины.", "The length must not be less than the width."),
    # corners
    "corners_hint": (
        "Поставьте ручки туда, где сходятся носы бортов — резинки, от которых отскакивает шар. Тяните мышью или пальцем; "
        "точнее — стрелками: 1 пиксель, с Shift 10, с Alt 0,1.",
        "Put the handles where the cushion noses would meet: the rubber edges that a ball bounces off. Drag with mouse or finger; "
        "for exact work use the arrow keys: 1 pixel, with Shift 10, with Alt 0.1.",
    ),
    "finding": ("Ищу стол…", "Looking for the table…"),
    "measuring": ("Уточняю камеру…", "Fitting the camera…"),
    "measure": ("Уточнить по бортам", "Fit to the cushions"),
    "not_measured": (
        "Носы бортов рядом с линиями не видны ясно: всё осталось как было.",
        "No clear noses near the lines: nothing was changed.",
    ),
    "unlike": (
        "На картинке другой стол: лузы или шары не того размера.",
        "The picture shows another table: its pockets or balls have other sizes.",
    ),
    "unlike_fits": (
        "На картинке другой стол: лузы или шары не того размера. Похоже на: {kinds}.",
        "The picture shows another table: its pockets or balls have other sizes. It looks like: {kinds}.",
    ),
    "loading": ("Беру картинку…", "Taking a picture…"),
    "found": ("Стол найден сам, уверенность {value} %. Проверьте линии.", "Found by itself, confidence {value} %. Check the lines."),
    "not_placed": ("Поставьте углы вручную.", "Place the corners by hand."),
    "by_hand": ("Углы поставлены вручную.", "The corners were placed by hand."),
    "refused": ("Сам стол не нашёлся: {reason}. Поставьте углы вручную.", "The table was not found: {reason}. Place the corners by hand."),
    "find_again": ("Найти заново", "Find again"),
    "bend": ("Объектив гнёт борта", "The lens bends the cushions"),
    "bend_hint": (
        "Квадратные ручки поставьте на носы бортов — в любом месте между лузами.",
        "Put the square handles on the cushion noses, anywhere between the pockets.",
    ),
    "corner0": ("Ближний правый", "Home right"),
    "corner1": ("Ближний левый", "Home left"),
    "corner2": ("Дальний левый", "Foot left"),
    "corner3": ("Дальний правый", "Foot right"),
    "side_home": ("Ближний борт", "Home cushion"),
    "side_left": ("Левый борт", "Left cushion"),
    "side_foot": ("Дальний борт", "Foot cushion"),
    "side_right": ("Правый борт", "Right cushion"),
    "col_corner": ("Угол", "Corner"),
    "col_off": ("ошибка, мм", "off, mm"),
    "col_sigma": ("точность, мм", "error bar, mm"),
    "fit_line": (
        "Носы сходятся с моделью камеры до {fit} мм. Место шара в центре стола известно до ±{centre} мм.",
        "The noses agree with the camera model to {fit} mm. A ball's place at the centre is known to ±{centre} mm.",
    ),
    "lens_line": (
        "Камера на высоте {height} м; высота {source}.",
        "Camera {height} m above the cloth; its height is {source}.",
    ),
    "focal_prior": ("принята по обычному объективу", "assumed from a usual lens"),
    "focal_perspective": ("видна по перспективе", "seen from the perspective"),
    "focal_given": ("задана", "given"),
    # faults
    "fault_crossed": (
        "Углы перепутаны: стороны стола пересекаются. Разведите ручки по своим углам.",
        "The corners are crossed: sides of the table cut each other. Put each handle at its own corner.",
    ),
    "fault_mirrored": (
        "Углы идут в обратную сторону, как в зеркале. Поменяйте местами ручки «слева» и «справа».",
        "The corners run the wrong way round, as in a mirror. Swap the handles «left» and «right».",
    ),
    "fault_close": ("Два угла совпали или три лежат на одной прямой.", "Two corners coincide, or three lie on a line."),
    "fault_outside": ("Один из углов далеко за краем картинки.", "A corner lies far outside the picture."),
    "fault_proportions": (
        "Так не может выглядеть стол {length:g} × {width:g} мм: ошибка {fit} мм. Проверьте углы и размер стола.",
        "A table of {length:g} × {width:g} mm cannot look like this: error {fit} mm. Check the corners and the size of the table.",
    ),
    "fault_impossible": (
        "Ни одна камера над столом не увидит его так. Проверьте углы и размер стола.",
        "No camera above the table sees it like this. Check the corners and the size of the table.",
    ),
    # house
    "house_hint": (
        "Нажмите на тот конец стола, где дом — оттуда начинают игру.",
        "Tap the end of the table where the house is: the game starts from there.",
    ),
    "house_unknown": ("По разметке не видно, где дом. Выберите.", "The markings do not show where the house is. Choose."),
    "house_line": ("Дом {side}: видна линия дома.", "The house is {side}: its line is seen."),
    "house_seen": ("Дом {side}: видно по шарам или разметке.", "The house is {side}: balls or markings show it."),
    "house_given": ("Дом {side}: так задано.", "The house is {side}, as given."),
    "house_chosen": ("Дом {side}: выбрано вами.", "The house is {side}: your choice."),
    "swap": ("Поменять концы", "Swap the ends"),
    "keep": ("Дом {side} — верно", "The house is {side}: right"),
    "side_of_left": ("слева", "on the left"),
    "side_of_right": ("справа", "on the right"),
    "side_of_top": ("сверху", "at the top"),
    "side_of_bottom": ("снизу", "at the bottom"),
    "label_home": ("ДОМ", "HOUSE"),
    "label_foot": ("ДАЛЬНИЙ БОРТ", "FOOT"),
    "end_is_house": ("Дом здесь", "The house is here"),
    "end_make_house": ("Сделать этот конец домом", "Make this end the house"),
    # balls
    "balls_hint": (
        "Выберите шар и нажмите на него на картинке. Так судья узнает цвета под вашим светом. Этот шаг можно пропустить.",
        "Choose a ball and tap it in the picture: the referee then knows its colour under your light. This step may be skipped.",
    ),
    "find_balls": ("Найти шары", "Find the balls"),
    "balls_found": ("Найдено шаров: {count}. Проверьте цвета.", "Balls found: {count}. Check the colours."),
    "balls_none": ("Шаров не видно: нажмите на них сами.", "No balls recognised: tap them yourself."),
    "white": ("Белый", "White"),
    "yellow": ("Жёлтый", "Yellow"),
    "red": ("Красный", "Red"),
    "black": ("Чёрный", "Black"),
    "clear": ("Убрать цвет", "Remove the colour"),
    "tap_now": ("нажмите на шар", "tap the ball"),
    "sample_no_camera": ("Сначала поставьте углы.", "Place the corners first."),
    "sample_off_table": ("Здесь не стол: нажмите на шар.", "That is not on the table: tap the ball."),
    "sample_no_ball": ("Здесь шара не видно, только сукно.", "No ball there, only cloth."),
    "sample_unlike": ("Цвет взят, но похож на другой шар. Проверьте.", "Taken, but it looks like another ball. Check it."),
    "balls_sum": ("{count} из 4", "{count} of 4"),
    # save
    "save_hint": ("Профиль будет записан в файл", "The profile will be written to"),
    "replaces": ("Такой файл уже есть, он будет заменён.", "This file is there already and will be replaced."),
    "save": ("Сохранить", "Save"),
    "save_first": ("Сначала исправьте:", "First put right:"),
    "need_house": ("Скажите, где дом: шаг 3.", "Say where the house is: step 3."),
    "need_corners": ("Поставьте углы: шаг 2.", "Place the corners: step 2."),
    "saved": ("Сохранено: {where}", "Saved: {where}"),
    "save_failed": ("Не сохранено: {reason}", "Not saved: {reason}"),
    "changed": ("После сохранения есть изменения.", "There are changes since it was saved."),
    "finish": ("Закончить", "Finish"),
    "finished": ("Готово. Страницу можно закрыть.", "Done. You can close this page."),
    "no_picture": ("Новой картинки нет: {reason}", "No new picture: {reason}"),
    "new_size": ("Размер картинки изменился: углы поставлены заново.", "The picture has another size: the corners start anew."),
    # layers
    "layer_nose": ("Носы бортов", "Noses"),
    "layer_pocket": ("Лузы", "Pockets"),
    "layer_marks": ("Разметка", "Markings"),
    "layer_grid": ("Сетка 1/8", "Grid of 1/8"),
}

# part of the finder's reason -> what the page says in Russian
_REASONS = {
    "cushion is hardly seen": "один из бортов почти не виден",
    "too few cushions": "видно слишком мало бортов",
    "proportions are not those": "пропорции не те, что у выбранного стола",
    "strips between noses and rails": "полосы между носами бортов и рамой необычные",
    "no clear outline": "у сукна нет ясного контура",
    "slanting a view": "не все борта видны, а камера смотрит слишком наискось",
    "cloth goes on beyond": "сукно продолжается за одним из бортов",
    "picture ends inside": "стол не помещается в кадр",
    "corner of the table lies outside": "угол стола за краем картинки",
    "no large region": "нет большого одноцветного поля с бортами вокруг",
    "too small": "картинка слишком мала",
    "too dark": "картинка слишком тёмная",
    "several": "видно несколько столов",
}


def reason_text(reason: str, texts: Texts) -> str:
    """The finder's reason in the page's language; what has no translation stays English."""
    if texts.language == "ru":
        for part, russian in _REASONS.items():
            if part in reason:
                return russian
    return reason.rstrip(".")


def kind_names(texts: Texts) -> dict[str, str]:
    """Kind of table -> its name with its size."""
    return {name: kind_name(name, texts) for name in KINDS}


def kind_name(name: str, texts: Texts) -> str:
    kind = table(name)
    family, _, size = name.partition("-")
    called = texts[family] if texts.has(family) else family
    feet = size.removesuffix("ft")
    if feet.replace(".", "").isdecimal() and size.endswith("ft"):
        return texts("feet", family=called, feet=feet, length=kind.length, width=kind.width)
    return texts("kind_plain", family=called if not size else f"{called} {size}", length=kind.length, width=kind.width)
