"""Whether a call can be made at all, whatever lies on the table: of two readings, one that no rule allows was not meant (D7, D32)."""

from __future__ import annotations

from referee.calls.call import BankBlack, Call, Carom, Element, Pot


def sensible(call: Call, cue: str) -> bool:
    """Whether no element contradicts itself, and no ball is potted twice."""
    pots = [_colour(element.ball, cue) for element in call.elements if isinstance(element, Pot)]
    return len(set(pots)) == len(pots) and all(_element(element, cue) for element in call.elements)


def _colour(ball: str, cue: str) -> str:
    """The colour that a name means, as far as it tells: «other» with yellow as cue ball is white or red."""
    if ball == "own":
        return cue
    return "yellow" if ball == "other" and cue == "white" else ball


def _element(element: Element, cue: str) -> bool:
    if isinstance(element, Carom):
        balls = {_colour(element.first, cue), _colour(element.second, cue)}
        return len(balls) == 2 and not balls & {cue, "black"}
    if isinstance(element, BankBlack):
        return element.cushions > 0 and _colour(element.ball, cue) not in (cue, "black")
    return _pot(element, cue)


def _pot(pot: Pot, cue: str) -> bool:
    ball, combination = _colour(pot.ball, cue), pot.combination
    if combination is None:
        return ball != "black"
    named = [_colour(name, cue) for name in combination.balls]
    if ball in named or cue in named:
        return False
    return (combination.how == "carom") == (ball == cue)
