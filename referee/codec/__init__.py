"""One stroke in, one ruling out, as JSON (contract: adjudication): strict reading with the path of what is wrong, and writing."""

from referee.codec.errors import CaseError
from referee.codec.read import Case, case_from_json, parse_case, shot_from_json, state_from_json
from referee.codec.write import case_to_json, event_to_json, ruling_to_json, shot_to_json, state_to_json

__all__ = [
    "Case",
    "CaseError",
    "case_from_json",
    "case_to_json",
    "event_to_json",
    "parse_case",
    "ruling_to_json",
    "shot_from_json",
    "shot_to_json",
    "state_from_json",
    "state_to_json",
]
