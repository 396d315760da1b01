"""The case that the README rules on is one, and is ruled as the README's reader would expect."""

from __future__ import annotations

import json
from pathlib import Path

from referee.adjudicate_command import adjudicate_text

CASE = Path(__file__).resolve().parents[2] / "docs" / "case.json"


def test_the_readme_case_scores_three() -> None:
    ruling = json.loads(adjudicate_text(CASE.read_text("utf-8")))
    assert (ruling["outcome"], ruling["points"], ruling["state"]["cue_ball"]) == ("scored", 3, "yellow")
