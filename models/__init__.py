"""The ball detector: architecture, data, training, weights. Imports calibration and sample_videos."""
