"""Simulated strokes, rendered pictures and the sample match with its truth. Imports calibration."""
