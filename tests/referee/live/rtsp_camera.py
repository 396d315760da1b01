"""A camera that speaks RTSP, for the system's Python with GStreamer: python3 rtsp_camera.py FILE PORT tcp|udp

FILE: access units of H.264, each after its length (4 bytes, little-endian) and whether it is a key frame (1 byte); played again and
again at 30/s.
"""

import struct
import sys
import threading
import time
from pathlib import Path

import gi

gi.require_version("Gst", "1.0")
gi.require_version("GstRtsp", "1.0")
gi.require_version("GstRtspServer", "1.0")
from gi.repository import GLib, Gst, GstRtsp, GstRtspServer  # noqa: E402

RATE = 30
PIPELINE = (
    "( appsrc name=camera is-live=true format=time caps=video/x-h264,stream-format=byte-stream,alignment=au,framerate=30/1 "
    "! h264parse config-interval=-1 ! rtph264pay name=pay0 pt=96 )"
)


def units_of(path: Path) -> list[tuple[bytes, bool]]:
    data, found, at = path.read_bytes(), [], 0
    while at < len(data):
        size, key = struct.unpack_from("<I?", data, at)
        found.append((data[at + 5 : at + 5 + size], key))
        at += 5 + size
    return found


class Camera(GstRtspServer.RTSPMediaFactory):
    def __init__(self, units: list[tuple[bytes, bool]], transport: GstRtsp.RTSPLowerTrans) -> None:
        super().__init__()
        self.units, self.transport = units, transport
        self.set_shared(True)

    def do_create_element(self, _url):
        return Gst.parse_launch(PIPELINE)

    def do_configure(self, media):
        media.set_protocols(self.transport)
        source = media.get_element().get_by_name_recurse_up("camera")
        threading.Thread(target=self.feed, args=(source,), daemon=True).start()

    def feed(self, source) -> None:
        began, n = time.monotonic(), 0
        while True:
            time.sleep(max(0.0, began + n / RATE - time.monotonic()))
            data, _ = self.units[n % len(self.units)]
            buffer = Gst.Buffer.new_wrapped(data)
            buffer.pts = buffer.dts = int((n / RATE + 0.1) * Gst.SECOND)
            if source.emit("push-buffer", buffer) != Gst.FlowReturn.OK:
                return
            n += 1


def main() -> None:
    Gst.init(None)
    camera = Camera(units_of(Path(sys.argv[1])), getattr(GstRtsp.RTSPLowerTrans, sys.argv[3].upper()))
    server = GstRtspServer.RTSPServer()
    server.set_service(sys.argv[2])
    server.set_address("127.0.0.1")
    server.get_mount_points().add_factory("/camera", camera)
    server.attach(None)
    print("ready", flush=True)
    GLib.MainLoop().run()


if __name__ == "__main__":
    main()
