"""Shares, intervals, quartiles, and how they are said."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from referee.season.numbers import Rate, spread
from referee.season.texts import counted, day, number, period, plural, share


@pytest.mark.parametrize(
    ("made", "of", "low", "high"),
    [(5, 10, 0.2366, 0.7634), (0, 10, 0.0, 0.2775), (10, 10, 0.7225, 1.0), (1, 1, 0.2065, 1.0), (81, 263, 0.2553, 0.3662)],
)
def test_wilson_intervals(made: int, of: int, low: float, high: float) -> None:
    """The last one is the example of Newcombe (1998), Statistics in Medicine 17, p. 861, method 3."""
    assert Rate(made, of).interval == pytest.approx((low, high), abs=5e-5)


@given(st.integers(1, 10_000).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n))))
def test_an_interval_holds_its_share(counts: tuple[int, int]) -> None:
    rate = Rate(*counts)
    low, high = rate.interval
    assert 0 <= low <= (rate.share or 0) <= high <= 1 and low < high


def test_nothing_is_known_without_a_trial() -> None:
    assert Rate().share is None and Rate().interval == (0.0, 1.0) and share(Rate()) == "—"


def test_no_percentage_of_few() -> None:
    assert "%" not in share(Rate(2, 4))
    assert "40" in share(Rate(2, 5)) and "2\N{NO-BREAK SPACE}из\N{NO-BREAK SPACE}5" in share(Rate(2, 5))


def test_quartiles() -> None:
    found = spread([4.0, 1.0, 3.0, 2.0])
    assert found is not None and (found.count, found.low, found.median, found.high, found.largest) == (4, 1.75, 2.5, 3.25, 4.0)
    assert spread([]) is None


def test_russian_plurals() -> None:
    said = [plural(n, "удар", "удара", "ударов").split("\N{NO-BREAK SPACE}")[1] for n in (1, 2, 5, 11, 12, 21, 22, 25, 111, 112, 121)]
    assert said == ["удар", "удара", "ударов", "ударов", "ударов", "удар", "удара", "ударов", "ударов", "ударов", "удар"]
    assert counted(1, ("матч", "матча", "матчей"), "match", "matches").en == "1\N{NO-BREAK SPACE}match"


def test_numbers_and_days() -> None:
    assert number(-1.25, 2) == ("\N{MINUS SIGN}1,25", "\N{MINUS SIGN}1.25")
    assert day("2026-03-01").ru == "1\N{NO-BREAK SPACE}марта 2026"
    told = period(["2026-05-01", "2026-03-08"])
    assert told is not None and told.en.replace("\N{NO-BREAK SPACE}", " ") == "8 March – 1 May 2026"
    assert period([]) is None
