"""The season's page."""

from __future__ import annotations

import json
import os
import re
from pathlib import Path
from xml.etree import ElementTree

import pytest

from referee.season.load import read_folder
from referee.season.numbers import Rate
from referee.season.page import render
from referee.season.plots import histogram, score_plot, success_plot, ticks
from referee.season.rows import MatchFacts
from referee.season.statistics import Bin, Step, season
from referee.words import Text
from tests.referee.season.synthetic import Person, write_match

CHROMIUM = "/usr/bin/chromium"


def body(html: str) -> ElementTree.Element:
    """The body as a tree: the page is well-formed, or this fails."""
    return ElementTree.fromstring(html[html.index("<body>") : html.index("</html>")])


@pytest.fixture(scope="module")
def html(facts: list[MatchFacts], club: list[Path]) -> str:
    return render(season(facts), beside=club[0].parent)


def test_it_needs_nothing_beside_it(html: str) -> None:
    assert not re.search(r"<(script|link|img|iframe|object|embed|base)\b|@import|url\(|https?://", html)
    outward = [a.get("href", "") for a in body(html).iter("a") if not a.get("href", "").startswith("#")]
    assert len(outward) == 6 and all(re.fullmatch(r"match-0\d/report\.html", link) for link in outward)


def test_every_text_is_in_both_languages(html: str) -> None:
    """Next to each Russian text stands its English, and the other way round."""
    for parent in body(html).iter():
        langs = [child.get("lang") for child in parent if child.get("lang")]
        assert langs == ["ru", "en"] * (len(langs) // 2)
    assert html.startswith('<!doctype html>\n<html lang="ru">')


def test_no_russian_outside_of_russian(html: str) -> None:
    """What is not Russian is names, numbers, and the button that leads to Russian."""
    names = {"Анна Смирнова", "Борис Ковалёв", "Вера Лаптева", "Глеб Осипов", "Русский"}

    def walk(node: ElementTree.Element) -> None:
        if node.get("lang") == "ru":
            return
        text = (node.text or "").removeprefix("● ").strip()
        assert not re.search("[а-яё]", text, re.I) or text in names, text
        for child in node:
            walk(child)

    walk(body(html))


def test_matches_and_players(html: str, facts: list[MatchFacts]) -> None:
    tree = body(html)
    tables = list(tree.iter("table"))
    assert len(tables[0].findall(".//tbody/tr")) == len(facts)
    assert len(tables[1].findall(".//tbody/tr")) == 4 == len(tree.findall(".//section[@class='player']"))
    anchors = {s.get("id") for s in tree.iter("section")}
    assert all(a.get("href", "#")[1:] in anchors for a in tree.iter("a") if a.get("href", "").startswith("#"))


def test_no_percentage_without_its_count(html: str) -> None:
    """In each row of a table, key figure and sentence that shows a percentage stands «k of n» as well."""
    tree = body(html)
    for tag in ("tbody/tr", "dl/div"):
        for node in tree.findall(f".//{tag}"):
            said = "".join(node.itertext())
            if "%" in said:
                assert re.search(r"\d\sof\s\d", said), said
    for lead in tree.findall(".//section[@class='player']/p"):
        assert re.search(r"\d\sof\s\d", "".join(lead.itertext()))


def test_names_are_texts(tmp_path: Path) -> None:
    folder = write_match(tmp_path / "m", 7, (Person("<script>alert(1)</script>"), Person('"Б" & Ко')), strokes=12)
    document = json.loads((folder / "match.json").read_text("utf-8"))
    document["video"]["file"] = "<b>.mp4"
    (folder / "match.json").write_text(json.dumps(document), "utf-8")
    made = render(season([read_folder(folder)]), beside=tmp_path, notes=[Text("<i>", "<i>")], player="<script>alert(1)</script>")
    assert "<script" not in made and "<b>.mp4" not in made and "<i>" not in made
    body(made)


def test_links_only_to_what_is_there(facts: list[MatchFacts], club: list[Path], tmp_path: Path) -> None:
    assert "report.html" not in render(season(facts))
    folder = write_match(tmp_path / "матч #1", 1, (Person("A1"), Person("B1")), strokes=6, page=True)
    linked = render(season([read_folder(folder)]), beside=tmp_path / "pages")
    (link,) = [a.get("href", "") for a in body(linked).iter("a") if "report" in a.get("href", "")]
    assert link == "../%D0%BC%D0%B0%D1%82%D1%87%20%231/report.html"
    os.remove(folder / "report.html")
    assert "report.html" not in render(season([read_folder(folder)]), beside=tmp_path / "pages")


@pytest.mark.parametrize("strokes", [0, 1, 2])
def test_hardly_any_stroke(tmp_path: Path, strokes: int) -> None:
    folder = write_match(tmp_path / "m", 3, (Person("Анна"), Person("Борис")), strokes=strokes)
    (folder / "tracks.csv").unlink()
    body(render(season([read_folder(folder)])))


def test_an_unruled_match_has_no_score(tmp_path: Path) -> None:
    folder = write_match(tmp_path / "m", 3, (Person("Анна"), Person("Борис")), strokes=4)
    document = json.loads((folder / "match.json").read_text("utf-8"))
    for shot in document["shots"]:
        shot["ruling"] = None
    (folder / "match.json").write_text(json.dumps(document), "utf-8")
    row = body(render(season([read_folder(folder)]))).find(".//tbody/tr")
    assert row is not None and [("".join(td.itertext())) for td in row][2] == "—"


def test_a_plot_of_success_shows_its_counts() -> None:
    drawn = success_plot([Bin(0, 500, Rate(3, 4)), Bin(500, 1000, Rate())], [Text("0–0,5", "0–0.5"), Text("1", "1")])
    assert "n=4" in drawn and "—" in drawn and drawn.count("<circle") == 1 and 'lang="ru"' in drawn


def test_a_plot_of_a_score() -> None:
    steps = [Step(1, 0.1, (0, 0), None, (), False), Step(2, 0.2, (3, 0), 1, ("12.1",), False), Step(3, 0.3, (3, 0), None, (), True)]
    drawn = score_plot(steps, 30)
    assert drawn.count("<title>12.1</title>") == 1 and drawn.count('class="doubt"') == 1 and "stroke-dasharray" in drawn
    ElementTree.fromstring(drawn)
    ElementTree.fromstring(histogram([0.4], 0.5, 0.4))


@pytest.mark.parametrize(("most", "expected"), [(1, [0, 1]), (7, [0, 2, 4, 6]), (40, [0, 10, 20, 30, 40]), (160, [0, 50, 100, 150])])
def test_round_numbers_on_axes(most: float, expected: list[float]) -> None:
    assert ticks(most, 4) == expected


@pytest.mark.browser
@pytest.mark.slow
@pytest.mark.skipif(not Path(CHROMIUM).exists(), reason="no chromium")
def test_nothing_sticks_out_and_the_languages_change(html: str, tmp_path: Path) -> None:
    from playwright.sync_api import sync_playwright

    (tmp_path / "season.html").write_text(html, "utf-8")
    flags = ["--no-sandbox", "--disable-gpu", "--disable-background-networking"]
    with sync_playwright() as driver, driver.chromium.launch(executable_path=CHROMIUM, args=flags) as browser:
        for width in (1280, 500, 360):
            tab = browser.new_page(viewport={"width": width, "height": 900})
            asked: list[str] = []
            tab.on("request", lambda request, asked=asked: asked.append(request.url))
            tab.goto((tmp_path / "season.html").as_uri())
            for _ in "ru", "en":
                assert tab.evaluate("document.documentElement.scrollWidth") <= width
                assert tab.evaluate(_STICKING_OUT) == []
                tab.get_by_role("button").click()
            assert len(asked) == 1 and tab.inner_text("h1") == "Сезон"
            tab.close()


# texts of plots that leave their picture, and cells wider than their column
_STICKING_OUT = """() => [...document.querySelectorAll('svg.plot text, th, td, dd, small')].filter(e => {
  const inner = e.getBoundingClientRect(), outer = (e.closest('svg') || e.closest('section')).getBoundingClientRect();
  return inner.width && (inner.left < outer.left - 1 || inner.right > outer.right + 1 || inner.top < outer.top - 1
    || inner.bottom > outer.bottom + 1 || (e.tagName != 'text' && e.scrollWidth > e.clientWidth + 1 && e.clientWidth));
}).map(e => e.tagName + ' ' + e.textContent)"""
