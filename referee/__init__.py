"""From strokes to the score, and what people see. Imports vision."""
