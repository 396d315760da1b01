"""Which strokes to cut out as clips: every three-cushion carom, every foul of a player, all that brought five points."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from calibration.errors import UserError
from referee import words
from referee.formats.folder import Analysis


@dataclass(frozen=True, slots=True)
class Choice:
    """What a stroke must be to be cut; empty: anything. `rules` match themselves and what is below them (`8` takes `8.4`).

    Strokes with something to check are no highlights: they are taken only with `unsettled`.
    """

    rules: tuple[str, ...] = ()
    outcome: str | None = None
    least_points: int = 0
    player: str | None = None
    strokes: tuple[int, ...] = ()
    unsettled: bool = False

    def __post_init__(self) -> None:
        known = {number for rule in words.RULE for number in (rule, rule.split(".")[0])}
        for rule in self.rules:
            if rule not in known:
                raise UserError(f"--rule {rule}: expected one of {', '.join(sorted(words.RULE, key=_order))}")

    def takes(self, shot: Mapping[str, Any], players: tuple[str, ...]) -> bool:
        ruling = shot["ruling"]
        cited = cited_rules(shot)
        named = players[shot["player"]] if shot.get("player") in range(len(players)) else None
        return all(
            (
                self.unsettled or not shot["review"],
                not self.rules or any(_under(rule, wanted) for rule in cited for wanted in self.rules),
                self.outcome is None or (ruling is not None and ruling["outcome"] == self.outcome),
                self.least_points <= 0 or (ruling is not None and ruling["points"] >= self.least_points),
                self.player is None or named == self.player,
                not self.strokes or shot["index"] in self.strokes,
            )
        )


def chosen(analysis: Analysis, choice: Choice) -> list[dict[str, Any]]:
    """The strokes of a match that a choice takes, in order."""
    players = tuple(analysis.document.get("players") or ("A", "B"))
    return [shot for shot in analysis.document["shots"] if choice.takes(shot, players)]


def cited_rules(shot: Mapping[str, Any]) -> list[str]:
    """Rules that points or fouls of a stroke rest on, bonuses included, each once."""
    ruling = shot["ruling"]
    if not ruling:
        return []
    return list(dict.fromkeys(item["rule"] for item in (*ruling["items"], *ruling["fouls"])))


def _under(rule: str, wanted: str) -> bool:
    return rule == wanted or rule.startswith(f"{wanted}.")


def _order(rule: str) -> list[int]:
    return [int(part) for part in rule.split(".")]
