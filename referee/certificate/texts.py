"""What the certificate's page says, in Russian and English."""

from __future__ import annotations

from calibration.certify.advice import Said

TITLE = Said("Сертификат установки стола", "Certificate of a table's set-up")
GRADE = {
    "gold": Said("ЗОЛОТО", "GOLD"),
    "silver": Said("СЕРЕБРО", "SILVER"),
    "bronze": Said("БРОНЗА", "BRONZE"),
    "none": Said("БЕЗ ОЦЕНКИ", "NO GRADE"),
}
GRADE_OF = {  # of what falls short
    "gold": Said("золота", "gold"),
    "silver": Said("серебра", "silver"),
    "bronze": Said("бронзы", "bronze"),
}
MEANS = {
    "gold": Said("Всё измеренное — в пределах золота", "Everything measured is within the limits of gold"),
    "silver": Said("Годится для судейства; самые тонкие касания стоит проверять", "Fit for refereeing; the finest touches deserve a look"),
    "bronze": Said("Годится для счёта; спорное проверяет человек", "Good enough to keep score; a person checks what is close"),
    "none": Said("Судить по этой установке нельзя", "Not fit for refereeing as it stands"),
}
MAP = Said(
    "Точность на поле: в 95 % случаев шар лежит не дальше стольких мм от показанного места",
    "Accuracy over the field: in 95 % of the cases a ball lies no farther than so many mm from where it is shown",
)
MAP_UNCHECKED = Said(
    "Точность на поле — только по словам калибровки: ни одно известное место не проверено",
    "Accuracy over the field as the calibration claims it: not one known place was checked",
)
ARROWS = Said(
    "Точки — проверенные места; стрелки — измеренный сдвиг, увеличен в {times} раз; × — отскоки",
    "Dots: checked places; arrows: measured shift, {times} times enlarged; ×: bounces",
)
HOUSE = Said("дом", "house")
CRITERIA = Said("Измерено", "Measured")
LIMIT_COLUMNS = (Said("бронза", "bronze"), Said("серебро", "silver"), Said("золото", "gold"))
TELLS = Said("Что судья различит на этом столе", "What the referee tells apart on this table")
NEAR_CENTRE = Said("просвет между шарами, центр", "gap between balls, centre")
NEAR_CORNERS = Said("то же у углов (худший)", "the same at the corners (worst)")
ORDER = Said("порядок двух столкновений", "order of two contacts")
DOUBLE = Said("два касания одного шара", "two touches of one ball")
TOUCH = Said("касание борта, самое слабое", "slowest touch of a cushion")
BLUR = Said("след шара при 5 м/с", "streak of a ball at 5 m/s")
FROM = Said("от", "from")
AT_MOST = Said("до", "up to")
SCALE = Said("Масштаб, мм стола на пиксель", "Scale, mm of table to a pixel")
LIGHT = Said("Свет и цвета", "Light and colours")
CONTRAST = Said("отличие от сукна, ΔE", "difference from the cloth, ΔE")
EVEN = Said("ровность света", "evenness of the light")
GRAIN = Said("шум кадра {noise} из 255", "noise of the picture {noise} of 255")
ALIKE = Said("не различить", "not told apart")
ALL_TOLD = Said("все шары отличимы друг от друга и от сукна", "all balls differ from each other and from the cloth")
STEPS = Said("Протокол", "Protocol")
NOT_MEASURED = Said("не измерено", "not measured")
SHORT = Said("Чего не хватает до {grade} и что изменить", "What falls short of {grade}, and what to change")
COMPLETE = Said("Лучшая оценка: менять ничего не нужно.", "The best grade: nothing needs to be changed.")
AND_MORE = Said("и ещё {n}: см. JSON", "and {n} more: see the JSON")
FOOT = Said(
    "Оценка — худшая из строк таблицы. Сертификат действует, пока не сдвинуты камера и стол и не изменён свет. Способ и пределы:"
    " docs/CERTIFICATE.md",
    "The grade is the worst of the table's rows. The certificate holds while camera, table and light stay as they are. Method and"
    " limits: docs/CERTIFICATE.md",
)
TABLE = Said("стол {name}, {length:g} × {width:g} мм, шар {ball:g} мм", "table {name}, {length:g} × {width:g} mm, ball {ball:g} mm")
PICTURE = Said("камера {w} × {h}, {rate} к/с", "camera {w} × {h}, {rate} f/s")
SOURCE = Said("по записи {source}, {when}", "from {source}, {when}")
MM, MS, MM_S, M_S = Said("мм", "mm"), Said("мс", "ms"), Said("мм/с", "mm/s"), Said("м/с", "m/s")
NOTE = Said("Замечание", "Note")
UNSEEN = Said("не измерены шары: {balls}", "balls never measured: {balls}")
SUMMARY = Said("Все числа", "All numbers")
