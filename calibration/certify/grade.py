"""Gold, silver, bronze or none: what is asked for each, and what was reached. docs/CERTIFICATE.md justifies the numbers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

GRADES = ("none", "bronze", "silver", "gold")


@dataclass(frozen=True, slots=True)
class Rule:
    """What a quantity must be: at most (or, if `least`, at least) these for gold, silver, bronze; None: not asked for.
    `unknown`: the best grade that may be given while it is not measured."""

    key: str
    unit: str
    gold: float | None
    silver: float | None
    bronze: float | None
    least: bool = False
    unknown: str = "bronze"

    def limit(self, grade: str) -> float | None:
        return {"gold": self.gold, "silver": self.silver, "bronze": self.bronze}[grade]


RULES = (
    Rule("accuracy", "mm", 2.0, 4.0, 8.0, unknown="none"),
    Rule("places", "", 8, 4, 2, least=True, unknown="none"),
    Rule("colours", "ΔE", 25.0, 18.0, 12.0, least=True, unknown="none"),
    Rule("rate", "1/s", 49.5, 29.5, 14.5, least=True, unknown="none"),
    Rule("shutter", "ms", 3.0, 10.0, 40.0),
    Rule("noise", "mm", 0.7, 1.5, 3.0),
    Rule("straight", "mm", 2.0, 4.0, 8.0, unknown="bronze"),
    Rule("bounce", "mm", 3.0, 5.0, 10.0, unknown="bronze"),
    Rule("flicker", "%", 1.0, 3.0, 10.0, unknown="silver"),
    Rule("burnt", "%", 10.0, 30.0, 60.0, unknown="bronze"),
    Rule("lost", "%", 0.5, 2.0, 10.0, unknown="none"),
    Rule("steps", "", 5, 4, 2, least=True, unknown="none"),
)


@dataclass(frozen=True, slots=True)
class Criterion:
    """One quantity: its value (None: not measured), what was asked, the best grade that it allows."""

    rule: Rule
    value: float | None
    allows: str


@dataclass(frozen=True, slots=True)
class Verdict:
    """The grade; the criteria in their order; `held_back`: those that stand against the next better grade."""

    grade: str
    criteria: tuple[Criterion, ...]
    held_back: tuple[Criterion, ...]


def judged(values: Mapping[str, float | None], rules: Sequence[Rule] = RULES) -> Verdict:
    """The grade that all quantities allow; a quantity that was not measured counts as its rule says, never as good."""
    criteria = tuple(Criterion(rule, values.get(rule.key), _allows(rule, values.get(rule.key))) for rule in rules)
    grade = min((c.allows for c in criteria), key=GRADES.index, default="none")
    better = GRADES.index(grade) + 1
    held = tuple(c for c in criteria if GRADES.index(c.allows) < better)
    return Verdict(grade, criteria, held if better < len(GRADES) else ())


def _allows(rule: Rule, value: float | None) -> str:
    if value is None or value != value:
        return rule.unknown
    for grade in ("gold", "silver", "bronze"):
        limit = rule.limit(grade)
        if limit is None or (value >= limit if rule.least else value <= limit):
            return grade
    return "none"
