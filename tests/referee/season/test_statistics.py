"""The statistics of settled strokes."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from referee.season.load import read_folder
from referee.season.numbers import Rate
from referee.season.played import NOBODY, names, played, visits
from referee.season.rows import MatchFacts
from referee.season.statistics import Bin, Player, Points, Success, season
from tests.referee.documents import OPENING, document


def stroke(number: int, player: int, outcome: str, scores: tuple[int, int], points: int = 0, **more: Any) -> dict[str, Any]:
    """An entry of `shots`: white meets yellow at its spot; without a call unless `call` says otherwise."""
    shot = json.loads(json.dumps(document()["shots"][0])) | {
        "index": number, "start_t": 10.0 * number, "end_t": 10.0 * number + 4, "player": player, "call": None, "review": [],
        "positions_before": dict(OPENING), "positions_after": dict(OPENING),
    }  # fmt: skip
    shot["events"] = shot["events"][:2]
    turn = more.pop("turn", "stays" if outcome == "scored" else "passes")
    over = {"turn": turn, "game_over": more.pop("game_over", False), "winner": more.pop("winner", None)}
    foul = [{"rule": more.pop("foul", "12.1"), "balls": ["white"], "event": None}] if outcome == "foul" else []
    items = [{"rule": "8.2", "ball": "yellow", "points": points}] if points else []
    shot["ruling"] |= {"outcome": outcome, "points": points, "opponent_points": 3 * len(foul), "items": items, "fouls": foul} | over
    shot["ruling"]["state"] = shot["ruling"]["state"] | {"scores": list(scores)}
    return shot | more


DOUBT = [{"event": 1, "reason": "?"}]


def match(folder: Path, *shots: dict[str, Any], **more: Any) -> MatchFacts:
    folder.mkdir(exist_ok=True)
    scores = shots[-1]["ruling"]["state"]["scores"] if shots else [0, 0]
    made = document() | {"shots": list(shots), "scores": scores, "players": ["Анна", "Борис"]} | more
    (folder / "match.json").write_text(json.dumps(made), "utf-8")
    return read_folder(folder)


def of(facts: MatchFacts, name: str) -> Player:
    return next(p for p in season([facts]).players if p.name == name)


@pytest.fixture
def small(tmp_path: Path) -> MatchFacts:
    """Anna: 3 and 3 in a row, then nothing; Boris: a foul; Anna: 3 that is to be checked, then a foul; Boris at the end of the video: 5."""
    return match(
        tmp_path / "small",
        stroke(1, 0, "scored", (3, 0), 3, call="жёлтый в левый дальний угол"),
        stroke(2, 0, "scored", (6, 0), 3, call="чужой в середину"),
        stroke(3, 0, "no_score", (6, 0), call="чужой от борта в угол"),
        stroke(4, 1, "foul", (9, 0)),
        stroke(5, 0, "scored", (12, 0), 3, call="чужой в угол", review=DOUBT),
        stroke(6, 0, "foul", (12, 3), foul="12.4"),
        stroke(7, 1, "scored", (12, 8), 5),
    )


def test_points_series_and_visits(small: MatchFacts) -> None:
    anna, boris = of(small, "Анна"), of(small, "Борис")
    assert (anna.strokes, anna.in_review, anna.points, anna.points_in_review, anna.by_opponents_fouls) == (4, 1, 6, 3, 3)
    assert anna.points_by == (Points("8.2", 3, 2),)
    assert (anna.visits, anna.visit_points, anna.open_visits, anna.average_visit, anna.best_visit) == (1, 6, 1, 6.0, 6)
    assert anna.longest is not None and (anna.longest.first_stroke, anna.longest.strokes, anna.longest.points) == (1, 2, 6)
    assert anna.series_lengths == ((2, 1),)
    assert anna.foul_strokes == Rate(1, 4) and anna.fouls == (("12.4", 1),)
    # his last visit is cut off by the end of the video: its points are his, but it is not in the mean
    assert (boris.points, boris.visits, boris.visit_points, boris.open_visits, boris.best_visit) == (5, 1, 0, 1, 0)
    assert boris.by_opponents_fouls == 3


def test_success_counts_settled_called_strokes(small: MatchFacts) -> None:
    anna = of(small, "Анна")
    assert anna.called == Rate(2, 3)
    assert anna.kinds == (
        Success("straight_object", Rate(2, 2), (("corner", Rate(1, 1)), ("middle", Rate(1, 1)))),
        Success("bank", Rate(0, 1), ((1, Rate(0, 1)),)),
        Success("none", Rate(0, 1)),
    )
    assert anna.distances[4] == Bin(2000.0, 2500.0, Rate(2, 2)) and sum(b.rate.of for b in anna.distances) == 2
    assert sum(b.rate.of for b in anna.cuts) == 1  # only one call names its pocket


def test_where_the_balls_are(small: MatchFacts) -> None:
    anna = of(small, "Анна")
    assert anna.rests == tuple([(500 / 3550, 600 / 1775)] * 4)
    assert [(c.ball, c.scored) for c in anna.contacts] == [("yellow", True), ("yellow", True), ("yellow", False), ("yellow", False)]
    assert anna.contacts[0].at == pytest.approx((0.75, 0.5))
    assert dict(anna.pocket_success)["foot-left"] == Rate(1, 1)


def test_a_line_of_the_table_of_matches(small: MatchFacts) -> None:
    (line,) = season([small]).matches
    assert (line.strokes, line.unruled, line.in_review, line.fouls) == (7, 0, 1, (1, 1))
    assert [(s.scores, s.foul, s.in_review) for s in line.steps][3:6] == [((9, 0), 1, False), ((12, 0), None, True), ((12, 3), 0, False)]


def test_a_game_that_is_over_ends_its_visit(tmp_path: Path) -> None:
    anna = of(match(tmp_path / "m", stroke(1, 0, "scored", (30, 0), 3, game_over=True, winner=0), winner=0), "Анна")
    assert (anna.visits, anna.open_visits, anna.won) == (1, 0, Rate(1, 1))


def test_an_unruled_stroke_ends_the_visit_before_it_unfinished(tmp_path: Path) -> None:
    lost = stroke(2, 0, "no_score", (3, 0)) | {"ruling": None}
    facts = match(tmp_path / "m", stroke(1, 0, "scored", (3, 0), 3), lost, stroke(3, 0, "no_score", (3, 0)))
    anna = of(facts, "Анна")
    assert (anna.strokes, anna.visits, anna.open_visits, season([facts]).matches[0].unruled) == (2, 1, 1, 1)


def test_a_ball_counts_where_it_fell(tmp_path: Path) -> None:
    shot = stroke(1, 0, "scored", (3, 0), 3)
    shot["events"].append({"t": 2.0, "type": "pocket", "ball": "yellow", "pocket": "middle-left"})
    assert dict(of(match(tmp_path / "m", shot), "Анна").pots) == {
        p: int(p == "middle-left") for p in ("home-left", "home-right", "middle-left", "middle-right", "foot-left", "foot-right")
    }


def test_one_person_in_several_spellings(tmp_path: Path) -> None:
    one = match(tmp_path / "1", stroke(1, 0, "scored", (3, 0), 3), players=["Семён  Орлов", "Борис"])
    two = match(tmp_path / "2", stroke(1, 1, "scored", (0, 3), 3), players=["Борис", "семен орлов"])
    found = {p.name: p.points for p in season([one, two]).players}
    assert found == {"Семён Орлов": 6, "Борис": 0}


def test_players_without_names_are_nobody_in_particular(tmp_path: Path) -> None:
    one = match(tmp_path / "1", stroke(1, 0, "scored", (3, 0), 3), players=["A", "B"])
    two = match(tmp_path / "2", stroke(1, 1, "scored", (0, 3), 3), players=["A", "B"])
    assert [p.name for p in season([one]).players] == ["A", "B"]  # one match alone: they can be told apart
    (both,) = season([one, two]).players
    assert (both.name, both.points, both.matches) == (NOBODY, 6, 2)
    assert season([one, two]).matches[0].players == ("A", "B")


def test_an_empty_match(tmp_path: Path) -> None:
    anna = of(match(tmp_path / "m"), "Анна")
    assert (anna.strokes, anna.average_visit, anna.longest, anna.speed, anna.pause) == (0, None, None, None, None)


def test_sums_of_a_season(facts: list[MatchFacts]) -> None:
    """What is counted by player, by rule and by visit is what the rulings gave, stroke by stroke."""
    whole = season(facts)
    name = names(facts)
    every = [p for f in facts for p in played(f, name)]
    settled = [p for p in every if p.settled]
    assert 0 < len(settled) < len(every)
    for who in whole.players:
        mine = [p for p in settled if p.who == who.name]
        assert who.strokes == len(mine)
        assert who.points == sum(p.total for p in who.points_by) == sum(p.ruling.points for p in mine if p.ruling)
        assert sum(k.rate.of for k in who.kinds) == who.strokes
        assert sum(n for _, n in who.fouls) >= who.foul_strokes.made == sum(p.ruling.outcome == "foul" for p in mine if p.ruling)
        assert sum(n for _, n in who.pots) == sum(i.rule in ("8.1", "8.2", "8.3", "10") for p in mine for i in p.items)
        assert sum(length * n for length, n in who.series_lengths) == sum(p.scored for p in mine)
        for kind in who.kinds:
            assert not kind.parts or sum((r for _, r in kind.parts), Rate()) == kind.rate
    for line in whole.matches:
        last = Counter(p.stroke.player for p in every if p.match == line.match)
        assert sum(last.values()) == line.strokes
        assert line.steps[-1].scores == (line.match.score_a, line.match.score_b)


def test_visits_hold_every_ruled_stroke_once(facts: list[MatchFacts]) -> None:
    name = names(facts)
    for f in facts:
        strokes = played(f, name)
        found = [p.stroke.stroke for v in visits(strokes) for p in v.strokes]
        assert found == [p.stroke.stroke for p in strokes if p.ruling is not None]


def test_review_changes_what_is_counted_and_nothing_else(facts: list[MatchFacts]) -> None:
    """A stroke that is put in review leaves the players' figures, and the match keeps its score."""
    plain = replace(facts[0], reviews=())
    doubtful = replace(plain, reviews=(replace(facts[1].reviews[0], match=plain.match.match, stroke=5),))
    a, b = season([plain]), season([doubtful])
    assert sum(p.strokes for p in a.players) == sum(p.strokes for p in b.players) + 1
    assert sum(p.in_review for p in b.players) == 1 and a.matches[0].steps[-1].scores == b.matches[0].steps[-1].scores
