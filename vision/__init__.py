"""From pixels to strokes. Imports calibration and models."""
