"""Ground floor: the table and the camera. Imports nothing of ours."""
