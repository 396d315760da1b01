"""From strokes to the score, and what people see. Imports vision."""

from referee.rules.adjudication import adjudicate

__all__ = ["adjudicate"]
