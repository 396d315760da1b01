"""Drawing a billiard table: how things look, where the camera stands, the empty table, balls and people.

from sample_videos.render import Renderer, Look, overhead_camera, random_look
picture = Renderer(table, camera, look, seed=1).frame({"white": [(500, 900, 34)]})
"""

from sample_videos.render.look import Lamp, Look
from sample_videos.render.overlay import PARTS, Overlay, make_overlay
from sample_videos.render.people import Capsule, arm, cue, hand, player
from sample_videos.render.random_look import random_look
from sample_videos.render.renderer import Renderer
from sample_videos.render.sensor import Sensor, random_sensor
from sample_videos.render.views import look_at, overhead_camera, random_camera, tilted_camera

__all__ = [
    "PARTS",
    "Capsule",
    "Lamp",
    "Look",
    "Overlay",
    "Renderer",
    "Sensor",
    "arm",
    "cue",
    "hand",
    "look_at",
    "make_overlay",
    "overhead_camera",
    "player",
    "random_camera",
    "random_look",
    "random_sensor",
    "tilted_camera",
]
