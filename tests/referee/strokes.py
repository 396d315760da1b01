"""Random but sensible strokes for property tests: balls that fall are gone, events follow in time, contacts are of balls on the table."""

from __future__ import annotations

from math import dist

from hypothesis import strategies as st

from calibration.table import POCKETS, table
from referee.calls.call import BankBlack, Call, Carom, Combination, Pot
from referee.rules.terms import BALLS, adjoining
from referee.state import State
from vision.shot import Event, Shot

TABLE = table("pyramid-12ft")
_NAMES = ("own", "other", *BALLS)
_WORDS = ("contact",) * 6 + ("cushion",) * 4 + ("pocket",) * 3 + ("jaw", "midline", "stop", "hang", "jump", "off_table")
_RARE = ("touch", "double_hit", "push", "press", "strike")


@st.composite
def places(draw: st.DrawFn, balls: tuple[str, ...]) -> dict[str, tuple[float, float]]:
    """Places that do not overlap, often on or near a spot, where most of the law is."""
    found: dict[str, tuple[float, float]] = {}
    near = [*TABLE.spots.values(), (3516.0, 887.5)]
    for ball in balls:
        for _ in range(20):
            if draw(st.integers(0, 2)) == 0:
                x, y = draw(st.sampled_from(near))
                along = draw(st.sampled_from((0.0, -20.0, 20.0, 68.0, 90.0))) if x < 3500 else 0.0
                place = (x + along, y + draw(st.sampled_from((0.0, -30.0, 30.0))))
            else:
                place = (float(draw(st.integers(40, 3500))), float(draw(st.integers(40, 1730))))
            if all(dist(place, other) >= TABLE.ball for other in found.values()):
                found[ball] = place
                break
        else:
            grid = ((float(x), float(y)) for x in range(100, 3400, 100) for y in range(100, 1700, 100))
            found[ball] = next(p for p in grid if all(dist(p, other) >= TABLE.ball for other in found.values()))
    return found


@st.composite
def states(draw: st.DrawFn) -> State:
    cue = draw(st.sampled_from(("white", "white", "yellow")))
    waiting = draw(st.sampled_from(((), (), (), ("red",), ("black",), ("black", "red"), ("white",), ("red", "white"))))
    waiting = tuple(b for b in waiting if b != cue)
    opening = draw(st.integers(0, 7)) == 0 and cue == "white" and not waiting
    there = draw(places(tuple(b for b in BALLS if b not in waiting)))
    return State(
        player=draw(st.integers(0, 1)),
        scores=(draw(st.integers(0, 40)), draw(st.integers(0, 40))),
        target=draw(st.sampled_from((None, 30, 45))),
        opening=opening,
        cue_ball=cue,
        placement="in_hand_house" if opening else draw(st.sampled_from(("as_lies", "as_lies", "as_lies", "in_hand"))),
        positions={b: there.get(b) for b in BALLS},
        waiting=waiting,
    )


@st.composite
def calls(draw: st.DrawFn) -> Call | None:
    if draw(st.integers(0, 2)) == 0:
        return None
    return Call(tuple(draw(st.lists(elements(), min_size=1, max_size=2))))


@st.composite
def elements(draw: st.DrawFn) -> Pot | Carom | BankBlack:
    kind = draw(st.integers(0, 5))
    if kind == 0:
        return Carom(draw(st.sampled_from(BALLS)), draw(st.sampled_from(("red", "yellow", "white"))))
    if kind == 1:
        return BankBlack(draw(st.sampled_from(_NAMES)), draw(st.integers(0, 3)), draw(st.integers(0, 2)))
    how = draw(st.sampled_from((None, None, None, "by", "off", "carom")))
    combination = None
    if how is not None:
        combination = Combination(how, tuple(draw(st.lists(st.sampled_from(BALLS), max_size=2 if how == "carom" else 1, unique=True))))
    return Pot(
        draw(st.sampled_from(_NAMES)),
        draw(st.sampled_from((*POCKETS, "corner", "middle", "any", "any"))),
        draw(st.sampled_from((0, 0, 0, 1, 2, 3))),
        combination,
        draw(st.sampled_from((None, None, None, None, "ball", "jaw"))),
    )


@st.composite
def strokes(draw: st.DrawFn, state: State) -> Shot:
    there = [b for b in BALLS if state.positions[b] is not None]
    events = [Event(0.0, "strike", state.cue_ball if draw(st.integers(0, 15)) else draw(st.sampled_from(there)))]
    t = 0.0
    for _ in range(draw(st.integers(0, 9))):
        t = round(t + draw(st.sampled_from((0.1, 0.4, 1.0, 3.0, 3.5))), 3)
        if not there:
            break
        kind = draw(st.sampled_from(_WORDS)) if draw(st.integers(0, 14)) else draw(st.sampled_from(_RARE))
        events.append(_event(draw, t, kind, there, state.cue_ball))
        if events[-1].type in ("pocket", "off_table"):
            there.remove(events[-1].ball or "")
    rest = draw(places(tuple(there)))
    return Shot(tuple(events), {b: rest.get(b) for b in BALLS})


def _event(draw: st.DrawFn, t: float, kind: str, there: list[str], cue: str) -> Event:
    ball = cue if cue in there and draw(st.integers(0, 2)) == 0 else draw(st.sampled_from(there))
    if kind == "contact" and len(there) > 1:
        return Event(t, "contact", balls=(ball, draw(st.sampled_from([b for b in there if b != ball]))))
    pocket = draw(st.sampled_from(POCKETS))
    if kind == "cushion":
        return Event(t, "cushion", ball, cushion=draw(st.sampled_from(("home", "foot", "left", "right"))))
    if kind == "pocket":
        return Event(t, "pocket", ball, pocket=pocket)
    if kind == "jaw":
        return Event(t, "jaw", ball, pocket=pocket, cushion=draw(st.sampled_from(sorted(adjoining(pocket)))))
    if kind == "hang":
        return Event(t, "stop", ball, jaws=pocket)
    if kind == "jump":
        other = draw(st.sampled_from([None, *(b for b in there if b != ball)]))
        return Event(t, "jump", ball, over=other) if other else Event(t, "jump", ball, over_jaw=pocket)
    if kind == "contact":
        return Event(t, "midline", ball)
    return Event(t, kind, ball)


@st.composite
def played(draw: st.DrawFn) -> tuple[State, Shot, Call | None]:
    state = draw(states())
    return state, draw(strokes(state)), draw(calls())
