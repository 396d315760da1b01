"""Reasons are told in Russian too, and what is not known stays as it is."""

from __future__ import annotations

import re

import pytest

from referee.reasons import told, told_by_clock


@pytest.mark.parametrize(
    ("reason", "russian"),
    [
        ("white changed its path at 3.89 s without a cause that was seen", "белый изменил путь на 3,89 с без видимой причины"),
        ("the video ends while red, white still rolls", "видео кончается, а ещё катится: красный, белый"),
        ("the stroke was under way when the table came into view", "когда стол показался, удар уже шёл: самого удара не видно"),
        (
            "the profile does not fit this video: anything",
            "профиль не подходит к этому видео: ни бортов, ни обстановки вокруг стола нет там, где они в профиле; откалибруйте заново",
        ),
        ("the picture shook by 1.2 px at 3.50 s", "картинка дрогнула на 1,2 пикс. на 3,50 с"),
        (
            "what was seen does not hold together: shot.positions.white: expected [x, y] in mm: no event takes white off the table",
            "увиденное противоречиво: белый пропал со стола, а как — не видно",
        ),
        (
            "what was seen does not hold together: shot.events[3].ball: expected a ball on the table: yellow fell at events[2]",
            "увиденное противоречиво: жёлтый уже не на столе, а с ним что-то ещё",
        ),
        ("red was struck, the cue ball is white", "ударен красный, а биток — белый"),
        ("call not understood, ruled as none: «white ball {x}» (no ball)", "заказ не понят, судим без заказа: «white ball {x}» (no ball)"),
        (
            "red lies 112 mm from (888, 888), where the last stroke left it",
            "красный лежит в 112 мм от точки (888; 888), где его оставил прошлый удар",
        ),
        (
            "contact white-red and cushion yellow within 2 ms: their order is not sure",
            "события соударение белый красный и борт жёлтый разделяют 2 мс: их порядок неясен",
        ),
        (
            "white seems to have been struck at 3.10 s while red, yellow still rolled",
            "белый, похоже, ударен кием на 3,10 с, когда ещё катились: красный, жёлтый",
        ),
        (
            "red moved by 12 mm at 3.10 s, after the stroke, with something beside it",
            "красный сдвинулся на 12 мм на 3,10 с вне удара, и рядом с ним что-то было",
        ),
        ("yellow fell after more than 3 s", "жёлтый: позже 3 с"),
        ("the view changes while red, white still rolls", "вид меняется, а ещё катится: красный, белый"),
        ("pictures of another size during the stroke", "во время удара картинка стала другого размера"),
        (
            "white over a jaw of foot-left: perhaps a jump (40 mm high)",
            "белый через губу (дальний левый угол): возможно, перескок (высота 40 мм)",
        ),
        ("white over a jaw of foot-left: a jump", "перескок: белый через губу (дальний левый угол)"),
        (
            "not sure at 1.23 s: no contact white-yellow, also cushion white",
            "неясно на 1,23 с: не было: соударение белый-жёлтый, ещё борт белый",
        ),
        ("no jaw red, also contact white-red", "не было: губа красный, ещё соударение белый-красный"),
        (
            "the strike was not seen: there is no picture for 0.47 s at 16.83 s",
            "удар кием не был виден: 0,47 с без кадров на 16,83 с",
        ),
        (
            "the strike was not seen: the pictures skip at 16.83 s (white, yellow)",
            "удар кием не был виден: на 16,83 с часть записи вырезана (белый, жёлтый)",
        ),
        ("white lay still at 1.00 s and is gone in the next picture", "на 1,00 с ещё лежит, а на следующем кадре исчез: белый"),
        (
            "pictures are shown again at a regular rhythm: 172 of 343 are new",
            "кадры мерно повторяются: новых 172 из 343",
        ),
        (
            "the pictures' stamps are uneven, by up to 11 ms: taken as if at equal distances, which the balls' motion bears out",
            "время кадров неровное, до 11 мс: считаем, что кадры сняты через равные промежутки, как и говорит движение шаров",
        ),
        (
            "the balls lose only 6 mm/s in a second: is this slow motion?",
            "шары теряют лишь 6 мм/с за секунду: не замедленная ли это съёмка?",
        ),
        (
            "only 1.0 pictures a second: strokes are missed or told wrongly below 8",
            "лишь 1,0 кадра в секунду: когда их меньше 8, удары теряются или видны неверно",
        ),
        ("only 1 picture: too short for a stroke to be seen", "кадров лишь 1: слишком коротко, чтобы увидеть удар"),
        ("red was not found on the table", "красный на столе не найден"),
        ("red was not found before 3.20 s", "красный до 3,20 с не найден"),
        ("red was lost on its way at 3.20 s", "красный потерян на ходу на 3,20 с"),
        (
            "red fell into foot-left, and what had met it was not seen",
            "красный упал (дальний левый угол), а что его задело, не видно",
        ),
        (
            "the table does not lie where the profile says: by 3.1 px at 0.00 s; re-registered (residual 0.5 px); "
            "nothing tells whether its ends were exchanged: the house is taken to be left",
            "стол лежит не там, где сказано в профиле: он сдвинут на 3,1 пикс. на 0,00 с; калибровка исправлена (остаток 0,5 пикс.); "
            "не поменялись ли концы стола местами, не видно: считаем, что дом слева",
        ),
        ("something new", "something new"),
    ],
)
def test_told(reason: str, russian: str) -> None:
    assert told(reason) == (russian, reason)


@pytest.mark.parametrize(
    ("reason", "russian", "english"),
    [
        (
            "yellow changed its path at 3.84 s without a cause that was seen", "жёлтый изменил путь на 0:03,84 видео без видимой причины",
            "yellow changed its path at 0:03.84 of the video without a cause that was seen",
        ),
        ("no picture for 0.05 s at 60.82 s", "0,05 с без кадров на 1:00,82 видео", "no picture for 0.05 s at 1:00.82 of the video"),
        (
            "3 damaged frames from 0.83 s to 3725.87 s", "повреждённых кадров: 3, от 0:00,83 видео до 1:02:05,87 видео",
            "3 damaged frames from 0:00.83 of the video to 1:02:05.87 of the video",
        ),
        (
            "the camera moved 5 times between 1.0 and 65.0 s, by up to 3.0 px: re-registered",
            "камера сдвигалась 5 раз между 0:01,0 и 1:05,0 видео, на величину до 3,0 пикс.: калибровка исправлялась всякий раз, "
            "когда она замирала", "the camera moved 5 times between 0:01.0 and 1:05.0 of the video, by up to 3.0 px: re-registered",
        ),
        ("red was hidden for 0.22 s", "красный был закрыт 0,22 с", "red was hidden for 0.22 s"),
        (
            "white fell 2.50 s after it had stopped in the jaws, give or take 0.05 s",
            "белый упал через 2,50 с после остановки в створе лузы, с точностью до 0,05 с",
            "white fell 2.50 s after it had stopped in the jaws, give or take 0.05 s",
        ),
        ("something new at 3 s", "something new at 0:03 of the video", "something new at 0:03 of the video"),
    ],
)  # fmt: skip
def test_moments_by_the_clock_of_the_video(reason: str, russian: str, english: str) -> None:
    assert told_by_clock(reason) == (russian, english)


def test_how_a_table_was_found_is_told_in_russian() -> None:
    note = (
        "calibrated on the video itself (no --table or --size: pyramid-12ft assumed; found automatically: noses seen on 4 of 4 sides, "
        "strip 1.3 % of the length, 2 balls measured; home: left, balls at the opening)"
    )
    assert told(note).ru == (
        "калибровка по самому видео (без --table и --size принят pyramid-12ft; найден автоматически: видны борта с 4 сторон из 4, "
        "полоса 1,3 % длины, измерено шаров: 2; дом слева: по начальной расстановке)"
    )
    note = note.replace("2 balls measured", "1 spot, 2 balls and 31 sights of moving balls measured")
    assert "полоса 1,3 % длины, измерено отметок: 1, шаров: 2, наблюдений движущихся шаров: 31; дом" in told(note).ru
    note = (
        "calibrated on the video itself (no --table or --size: pool-9ft taken: middle mouths 5.1 % and corner mouths 4.8 %, "
        "balls 2.25 % of the table's length; found automatically: noses seen on 3 of 4 sides, strip 2.0 % of the length; "
        "home: top, assumed)"
    )
    assert told(note).ru == (
        "калибровка по самому видео (без --table и --size взят pool-9ft: средние лузы — 5,1 % длины, угловые — 4,8 %, "
        "шары — 2,25 % длины стола; найден автоматически: видны борта с 3 сторон из 4, полоса 2,0 % длины; дом сверху: принят без примет)"
    )


def test_notes_about_the_view_are_all_known() -> None:
    from calibration.profile import Profile
    from vision.guard import Change, view_notes

    profile = object.__new__(Profile)  # that there is one is all that counts
    kinds = ("back", "registered", "moved", "misplaced", "shaken", "other")
    changes = [Change(3.0, kind, 12.3, 0.3, reason="it still moves") for kind in kinds]
    object.__setattr__(profile, "home", "left")
    changes += [
        Change(0.0, "turned", reason="what lies round the table", profile=profile),
        Change(0.0, "misplaced", 5.0, 0.2, profile=profile),
        Change(4.0, "other", reason="picture of 640x360 px instead of 1280x720"),
        Change(5.0, "other"),
    ]
    notes = [*view_notes(changes), *view_notes([Change(t, "registered", 3.0, 0.1) for t in (1.0, 2.0, 3.0, 4.0, 5.0)])]
    for note in notes:
        russian = told(note).ru
        assert russian != note and not re.search("[a-z]{3,}", russian), note


@pytest.mark.parametrize(
    "reason",
    [
        "the pictures skip 0.05 s at 0.82 s, which their times hide",
        "no picture for 0.05 s at 0.82 s", "a picture shown twice at 0.82 s", "the time of the picture at 0.84 s is 10 ms late",
        "the time of the picture at 0.84 s is 7 ms early", "2 frames from 0.83 s on bear no time of their own",
        "3 damaged frames from 0.83 s to 0.87 s", "red was hidden for 0.22 s", "did not happen: contact white-yellow",
        "black was out of view from 0.98 s on and came to lie elsewhere",
        "did not happen: jump white", "first cushion red, then contact red-white", "also jaw yellow", "yellow was struck",
        "black was placed 12 mm from its place (1775, 888)", "red in its place",
    ],
)  # fmt: skip
def test_what_was_not_seen_is_told_in_russian(reason: str) -> None:
    assert not re.search("[a-z]", told(reason).ru), told(reason).ru


def test_reasons_of_the_referee_are_all_known() -> None:
    """Those that analyze and placing make, each made once by the tests of these modules."""
    from dataclasses import replace

    from calibration.table import table
    from referee.placing import ready
    from referee.state import State

    lies = {"white": (500.0, 500.0), "yellow": (2000.0, 500.0), "red": (887.5, 887.5), "black": (1775.0, 887.5)}
    state = State(0, (0, 0), None, False, "white", "as_lies", lies)
    house = replace(state, placement="in_hand_house", positions=lies | {"black": None}, waiting=("black",))
    seen = (
        ready(state, lies | {"red": (1000.0, 0.0), "black": None}, table())[1] + ready(house, lies | {"white": (3000.0, 500.0)}, table())[1]
    )
    assert len(seen) == 4
    assert all(re.search("[а-я]", told(doubt.reason).ru) for doubt in seen)
