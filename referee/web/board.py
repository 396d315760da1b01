"""The picture of the calibration page as an element: `board.js` with typed events, and the values that it draws."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from nicegui.element import Element
from nicegui.events import GenericEventArguments
from numpy.typing import NDArray

from calibration.sketch import Stroke, ball_ring, end_area, sketch
from referee.web.draft import SIDES, Draft, Solution
from referee.web.language import Texts

_FAR = 1e5  # px; what lies farther is not drawn


class Board(Element, component="board.js"):  # pyright: ignore[reportGeneralTypeIssues, reportCallIssue]
    """`on_move(id, x, y, done, seq, epoch)` of a handle, `on_tap(x, y)` px, `on_house("home" | "foot")`, `on_undo()`, `on_redo()`."""

    def __init__(
        self,
        view: dict[str, Any],
        *,
        on_move: Callable[[str, float, float, bool, int, int], Any],
        on_tap: Callable[[float, float], Any],
        on_house: Callable[[str], Any],
        on_undo: Callable[[], Any],
        on_redo: Callable[[], Any],
    ) -> None:
        super().__init__()
        self.props["view"] = view

        def move(event: GenericEventArguments) -> Any:
            args = event.args
            if not isinstance(args, dict):
                return None
            x, y = _number(args.get("x")), _number(args.get("y"))
            seq, epoch = args.get("seq"), args.get("epoch")
            if x is None or y is None or not isinstance(seq, int) or not isinstance(epoch, int):
                return None
            return on_move(str(args.get("id")), x, y, args.get("done") is True, seq, epoch)

        def tap(event: GenericEventArguments) -> Any:
            args = event.args if isinstance(event.args, dict) else {}
            x, y = _number(args.get("x")), _number(args.get("y"))
            return None if x is None or y is None else on_tap(x, y)

        self.on("move", move)
        self.on("tap", tap)
        self.on("house", lambda event: on_house(str(event.args)))
        self.on("undo", lambda _: on_undo(), [])
        self.on("redo", lambda _: on_redo(), [])

    def show(self, view: dict[str, Any]) -> None:
        self.props["view"] = view
        self.update()


def _number(value: Any) -> float | None:
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not np.isfinite(value):
        return None
    return float(value)


def board_view(
    draft: Draft, solution: Solution, texts: Texts, *, picture: str, mode: str, seq: int, epoch: int, busy: str
) -> dict[str, Any]:
    """What the board shows. `mode`: corners, house, balls, look. `seq`: number of the last move that is in it; `epoch` changes
    when handles change their places or meaning by something else than moves.
    """
    width, height = draft.size
    profile = solution.profile
    view: dict[str, Any] = {
        "picture": picture, "width": width, "height": height, "mode": mode, "seq": seq, "epoch": epoch, "busy": busy,
        "handles": _handles(draft, solution, texts), "shapes": {}, "ends": [], "labels": [], "samples": [],
        "texts": {
            "picture": texts["picture"],
            "layers": [{"key": key, "name": texts[f"layer_{key}"]} for key in ("nose", "pocket", "marks", "grid")],
        },
    }  # fmt: skip
    if profile is None or not draft.placed:
        view["shapes"]["nose"] = _path(np.array([*draft.corners, draft.corners[0]]))
        return view
    table, camera = profile.table, profile.camera
    view["shapes"] = _shapes(sketch(table, camera))
    inset = 0.125 * table.length
    for end, x in (("home", inset), ("foot", table.length - inset)):
        area = _path(end_area(table, camera, "home" if end == "home" else "foot"))
        view["ends"].append({"end": end, "area": area, "name": texts["end_is_house" if end == "home" else "end_make_house"]})
        place = camera.project_at([[x, table.width / 2]], table.nose_height)[0]
        if np.isfinite(place).all():
            view["labels"].append({"text": texts[f"label_{end}"], "x": _px(place[0]), "y": _px(place[1]), "house": end == "home"})
    for ball, sample in (draft.balls or {}).items():
        if sample.place_mm is not None:
            ring = _path(ball_ring(table, camera, sample.place_mm))
            view["samples"].append({"name": ball, "ring": ring, "colour": css_colour(sample.bgr)})
    return view


def css_colour(bgr: tuple[float, float, float]) -> str:
    b, g, r = (min(255, max(0, round(v))) for v in bgr)
    return f"#{r:02x}{g:02x}{b:02x}"


def _handles(draft: Draft, solution: Solution, texts: Texts) -> list[dict[str, Any]]:
    handles = []
    for index, (x, y) in enumerate(draft.corners):
        off = texts("mm", value=texts.number(solution.corner_mm[index])) if solution.corner_mm and draft.placed else ""
        handles.append({"id": f"corner{index}", "kind": "corner", "x": x, "y": y, "name": texts[f"corner{index}"], "off": off})
    if draft.bend and draft.noses is None:
        for index, ((cushion, _), (x, y)) in enumerate(zip(SIDES, draft.sides, strict=True)):
            off = texts("mm", value=texts.number(solution.side_mm[index])) if solution.side_mm else ""
            handles.append({"id": f"side{index}", "kind": "side", "x": x, "y": y, "name": texts[f"side_{cushion}"], "off": off})
    return handles


def _shapes(strokes: list[Stroke]) -> dict[str, str]:
    shapes: dict[str, str] = {}
    for stroke in strokes:
        shapes[stroke.layer] = shapes.get(stroke.layer, "") + _path(stroke.points)
    return shapes


def _path(points: NDArray[np.float64]) -> str:
    """SVG path of a polyline; one point becomes a dot; broken where the camera sees nothing."""
    good: NDArray[np.bool_] = np.asarray(np.abs(np.nan_to_num(points, nan=_FAR)).max(axis=1) < _FAR)
    parts, pen_down = [], False
    for (x, y), seen in zip(points, good, strict=True):
        if seen:
            parts.append(f"{'L' if pen_down else 'M'}{_px(x)} {_px(y)}")
        pen_down = seen
    return "".join(parts) + ("h0" if len(points) == 1 and parts else "")


def _px(value: float) -> float:
    return round(float(value), 2)
