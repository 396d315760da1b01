"""The report: self-contained, in both languages, with what the document says and nothing unescaped."""

from __future__ import annotations

import os
import re
from html.parser import HTMLParser
from pathlib import Path

import pytest

from calibration.table import table
from referee import words
from referee.report import document_table, render
from referee.report.plan import place_at, plan, simplify
from tests.referee.documents import document, paths

CHROMIUM = "/usr/bin/chromium"
VOID = {"meta", "rect", "path", "circle", "polygon", "use", "line"}


class Balanced(HTMLParser):
    """Fails on an element that is not closed in order; gathers text by language, ids and links."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[tuple[str, str | None]] = []
        self.ids: set[str] = set()
        self.links: set[str] = set()
        self.text = ""

    def handle_starttag(self, tag, attrs):
        values = dict(attrs)
        self.ids |= {values["id"]} if "id" in values else set()
        self.links |= {v for k, v in attrs if k in ("href", "src") and v}
        if tag not in VOID:
            self.open.append((tag, values.get("lang")))

    def handle_startendtag(self, tag, attrs):
        self.links |= {v for k, v in attrs if k in ("href", "src") and v}

    def handle_endtag(self, tag):
        assert self.open and self.open[-1][0] == tag, f"</{tag}> closes {self.open[-1:]}"
        self.open.pop()

    def handle_data(self, data):
        self.text += data


def parsed(page: str) -> Balanced:
    parser = Balanced()
    parser.feed(page)
    parser.close()
    assert not parser.open
    return parser


def test_page_is_whole_and_needs_nothing_beside_it() -> None:
    page = render(document(), paths())
    found = parsed(page)
    assert all(link.startswith("#") and link[1:] in found.ids for link in found.links)
    assert not re.search(r"https?://|@import|url\(", page)


def test_page_says_what_the_document_says() -> None:
    text = parsed(render(document(), paths())).text
    for part in (
        "Анна & Ко", "Борис", "match <1>.mp4", "жёлтый от борта в правый дальний угол", "пр. 8.2", "rule 12.4", "пирамида, 12 футов",
        "pyramid, 12 ft", "Удар 3", "Stroke 3", "two contacts within 2 ms <b>", "сопернику +3", "+3 to the opponent",
        "calibrated on the video itself", "6:3", "± 1 ms",
    ):  # fmt: skip
        assert part in text


def test_doubts_are_told_with_what_may_have_been_instead_and_notes_apart() -> None:
    whole = document()
    shot = whole["shots"][1]
    way = {"label": {"ru": "не было: борт", "en": "did not happen: cushion"}, "ruling": whole["shots"][0]["ruling"]}
    shot["review"][0]["alternatives"] = [way, way | {"ruling": None}]
    shot["notes"] = [{"event": 1, "reason": "red was hidden for 0.20 s"}]
    text = parsed(render(whole, paths())).text
    for part in ("не было: борт", "did not happen: cushion", "+6", "no ruling", "на решение не влияет", "красный был закрыт 0,20 с"):
        assert part in text


def test_units_are_told_in_the_language_of_the_page() -> None:
    russian = re.sub(r'<span lang="en">.*?</span>', "", render(document(), paths()))
    shown = re.sub(r"<(script|style)>.*?</\1>|<b>|two contacts within 2 ms", "", russian, flags=re.S)
    assert not re.search(r"\d (mm|ms|s)\b", shown) and "± 1 мс" in shown and "1775 мм" in shown


@pytest.mark.parametrize("lang", ["ru", "en"])
def test_language_shown_first(lang: str) -> None:
    assert f'<html lang="{lang}">' in render(document(), lang=lang)


def test_no_stroke_and_no_ruling() -> None:
    empty = document() | {"shots": [], "scores": [0, 0]}
    assert "No stroke was found" in render(empty) and 'class="board"' not in render(empty)
    assert 'class="board"' in render(document())
    assert "Not ruled" in render(document())


def test_table_of_another_size_keeps_its_size() -> None:
    odd = document() | {"table": {"name": "custom-1881x943", "length_mm": 1881, "width_mm": 943, "ball_mm": 52.4}}
    assert (document_table(odd).length, document_table(odd).width) == (1881, 943)
    carom = document() | {"table": {"name": "carom-10ft", "length_mm": 2844, "width_mm": 1422, "ball_mm": 61.5}}
    assert document_table(carom).pockets == ()


def test_plan_marks_fouls_and_doubts() -> None:
    shot = document()["shots"][1]
    svg = plan(shot, table(), paths()[2])
    assert 'class="mark foul"><title>2. ' in svg and 'class="mark doubt"><title>3. ' in svg


def test_plan_turns_left_to_the_top() -> None:
    shot = document()["shots"][0] | {"positions_after": {"white": (100.0, 1700.0)}, "positions_before": {}, "events": []}
    assert 'cx="100" cy="75"' in plan(shot, table(), {})


def test_simplified_path_stays_near_and_keeps_its_ends() -> None:
    bent = [(float(i), 0.0) for i in range(100)] + [(99.0, float(i)) for i in range(1, 100)]
    assert simplify(bent) == [(0.0, 0.0), (99.0, 0.0), (99.0, 99.0)]


def test_place_between_samples() -> None:
    path = [(1.0, 0.0, 0.0), (2.0, 10.0, 20.0)]
    assert place_at(path, 1.5) == (5.0, 10.0) and place_at(path, 0.0) == (0.0, 0.0) and place_at(path, 9.0) == (10.0, 20.0)
    assert place_at([], 1.0) is None


def test_every_event_type_and_place_has_words_in_both_languages() -> None:
    from calibration.table import CUSHIONS, POCKETS
    from vision.shot import EVENT_TYPES

    for kind in EVENT_TYPES:
        said = words.event(
            {"type": kind, "ball": "red", "balls": ["white", "red"], "cushion": "foot", "pocket": "foot-left", "over": "red"}
        )
        assert re.search("[а-я]", said.ru) and re.search("[a-z]", said.en) and kind not in said.ru
        assert not re.search("[а-я]", said.en)
    assert set(words.CUSHION) == set(CUSHIONS) and set(words.POCKET) == set(POCKETS)


def test_moments_in_reasons_are_told_by_the_video_s_clock() -> None:
    """Beside events that are timed from the strike, seconds from the start of the video would be read as seconds from the strike."""
    whole = document()
    whole["shots"][0]["review"] = [{"event": None, "reason": "yellow changed its path at 63.84 s without a cause that was seen"}]
    whole["shots"][1]["notes"] = [{"event": 1, "reason": "a picture shown twice at 3.84 s"}]
    whole["notes"] = ["another view is shown from 75.00 s"]
    text = parsed(render(whole, paths())).text
    for part in (
        "путь на 1:03,84 видео",
        "path at 1:03.84 of the video",
        "на 0:03,84 видео",
        "с 1:15,00 видео показан другой вид",
        "0,800 с",
    ):
        assert part in text
    assert not re.search(r"(63|3|75)[.,]\d\d [sс]", text)


@pytest.mark.slow
@pytest.mark.browser
@pytest.mark.skipif(not Path(CHROMIUM).exists(), reason="no chromium")
@pytest.mark.parametrize("width", [320, 390, 701, 1200])
def test_it_fits_a_window(width: int, tmp_path: Path) -> None:
    """The page does not scroll sideways, and nothing of the sheet or the header is cut off on a phone."""
    from playwright.sync_api import sync_playwright

    whole = document() | {"players": ["Александр Константинопольский", "Борис"]}
    whole["shots"][0]["review"] = [{"event": None, "reason": "yellow changed its path at 3.84 s without a cause that was seen"}]
    page = tmp_path / "report.html"
    page.write_text(render(whole, paths()), "utf-8")
    flags = ["--no-sandbox"] if os.name == "posix" and os.geteuid() == 0 else []
    with sync_playwright() as driver, driver.chromium.launch(executable_path=CHROMIUM, args=flags) as browser:
        tab = browser.new_page(viewport={"width": width, "height": 900})
        tab.goto(page.as_uri())
        assert tab.evaluate("document.documentElement.scrollWidth") <= width
        if width < 700:
            right = "[...document.querySelectorAll('header button, .sheet td')].map(e => e.getBoundingClientRect().right)"
            assert max(tab.evaluate(right)) <= width
