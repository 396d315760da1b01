"""Pots from phrases: the called ball, its pocket, cushions, combination and jump."""

from __future__ import annotations

from referee.calls.bag import Bag, Misfit, cushions_said, pocket_said, refuse
from referee.calls.call import BankBlack, Combination, Element, Pot
from referee.calls.chunks import Chunk, Place
from referee.calls.words import BOTH

SAME = "same"  # «туда же»: a pocket that the element before it says


def pots(bag: Bag) -> list[Element]:
    refuse(bag, "a pot", "contacts", "no_contacts")
    target, rest = _target(bag)
    if target == BOTH and (rest or bag.has("carom", "combination", "jump", "over", "over_jaw", "through", "off_number")):
        raise Misfit("leaves open which of the two balls is meant", next(c for c in bag.chunks if c.ball == BOTH))
    found: list[Element] = []
    for pocket in _pockets(bag):
        for cushions, two_balls in _pot_cushions(bag, target):
            for combination in _combinations(bag, target, rest, two_balls):
                for jump, extra in _jumps(bag, target):
                    found.append(Pot(target, pocket, cushions, extra or combination, jump))
    return found + _perhaps_bank(bag, target, rest)


def _perhaps_bank(bag: Bag, target: str, rest: list[Chunk]) -> list[Element]:
    """«чёрный жёлтым от двух бортов», «жёлтым от двух бортов» without a pocket may be the bank onto black as well."""
    if pocket_said(bag) or not bag.has("cushions", "weak_cushion"):
        return []
    if not rest and all(c.kind == "instrument" for c in bag.chunks if c.ball) and not bag.is_cue(target):
        return [BankBlack(target, cushions_said(bag) or 0)]
    tools = [c for c in rest if c.kind == "instrument" and c.ball != "any" and not bag.is_cue(c.ball)]
    if target != "black" or len(tools) != 1 or len(rest) != 1:
        return []
    return [BankBlack(tools[0].ball or "", cushions_said(bag) or 0)]


def _target(bag: Bag) -> tuple[str, list[Chunk]]:
    """The called ball and the other balls named without a preposition that rules them out."""
    named = [c for c in bag.all("plain") if c.case == "BALL_N"] or [c for c in bag.all("plain") if c.case == "BALL_G"]
    others = [c for c in bag.chunks if c.ball]
    if len(named) > 1 and bag.has("carom", "combination"):
        cues = [c for c in named if bag.is_cue(c.ball)]
        if bag.has("carom"):
            return ("own" if not cues else cues[0].ball or "own"), [c for c in others if c not in cues]
    if len(named) > 1:
        raise Misfit("is a second called ball", named[1])
    if named:
        if named[0].ball == "any":
            raise Misfit("does not say which ball", named[0])
        return named[0].ball or "", [c for c in others if c is not named[0]]
    return _hidden_target(bag, others)


def _hidden_target(bag: Bag, others: list[Chunk]) -> tuple[str, list[Chunk]]:
    """No ball in the nominative: «жёлтым по красному в угол» pots the red, «играю жёлтым в угол» the yellow."""
    tools = [c for c in bag.all("instrument") if c.ball != "any"]
    onto = [c for c in bag.all("to") if c.ball != "any"]
    if tools and len(onto) == 1 and not bag.is_cue(onto[0].ball) and not bag.has("carom"):
        if bag.has("cushions", "weak_cushion") and not bag.is_cue(tools[0].ball):
            raise Misfit("leaves open which ball meets the cushion", bag.all("cushions", "weak_cushion")[0])
        return onto[0].ball or "", [c for c in others if c is not onto[0]]
    if len(tools) == 1 and not onto:
        return tools[0].ball or "", [c for c in others if c is not tools[0]]
    if tools and (bag.is_cue(tools[0].ball)):
        return tools[0].ball or "", [c for c in others if c is not tools[0]]
    if bag.has("carom") or any(c.number == 2 for c in bag.all("off")):
        return "own", others
    raise Misfit("does not say which ball is to be potted")


def _pockets(bag: Bag) -> tuple[str, ...]:
    if bag.has("same"):
        refuse(bag, "the same pocket as before", "pocket", "side", "anywhere")
        return (SAME,)
    place = Place()
    said = [chunk for chunk in bag.chunks if chunk.place is not None]
    if sum(chunk.kind == "pocket" for chunk in said) > 1:
        raise Misfit("is a second pocket", [chunk for chunk in said if chunk.kind == "pocket"][1])
    for chunk in said:
        joined = place.join(chunk.place or Place())
        if joined is None:
            raise Misfit("contradicts the pocket said before", chunk)
        place = joined
    pockets = place.pockets()
    if not pockets:
        raise Misfit("is no pocket: a middle pocket is neither near nor far", said[0])
    return pockets


def _pot_cushions(bag: Bag, target: str) -> list[tuple[int, bool]]:
    """Pairs (cushions, «от двух» meant two balls)."""
    number = cushions_said(bag)
    bare = bag.all("off_number")
    if len(bare) > 1 or (bare and number is not None):
        raise Misfit("is a second number", bare[-1])
    if bare:
        count = bare[0].number or 0
        pairs = [(_capped(count, bare[0]), False)]
        return [(0, True), *pairs] if count == 2 and bag.is_cue(target) else pairs
    if number is not None and number >= 1 and not bag.is_cue(target) and (_cue_with_cushion(bag) or _driver_with_cushion(bag)):
        return [(0, False), (_capped(number, bag.chunks[0]), False)]
    return [(_capped(number or 0, bag.chunks[0]), False)]


def _cue_with_cushion(bag: Bag) -> bool:
    """«битком от борта жёлтый в угол»: the cushion stands beside the cue ball, so it may be the cue ball that meets it."""
    if bag.has("combination"):
        return False
    for first, second in zip(bag.chunks, bag.chunks[1:], strict=False):
        if first.kind == "instrument" and bag.is_cue(first.ball) and second.kind in ("cushions", "weak_cushion"):
            return True
    return False


def _driver_with_cushion(bag: Bag) -> bool:
    """«красным от борта жёлтый в угол»: the cushion stands between the driving ball and the called one, so either may meet it."""
    parts = [c for c in bag.chunks if c.ball or c.kind in ("cushions", "weak_cushion")]
    if len(parts) != 3 or bag.has("combination"):
        return False
    driver, cushion, called = parts
    return driver.kind == "instrument" and not cushion.ball and called.kind == "plain"


def _capped(count: int, chunk: Chunk) -> int:
    if count > 99:
        raise Misfit("is no number of cushions", chunk)
    return min(count, 3)


def _combinations(bag: Bag, target: str, rest: list[Chunk], two_balls: bool) -> list[Combination | None]:
    literal = bag.has("combination")
    own = bag.is_cue(target)
    struck = [c for c in rest if c.kind == "instrument" and bag.is_cue(c.ball)]
    if struck and not literal and (own or bag.has("carom")):
        raise Misfit("names the cue ball twice", struck[0])
    if any(c.kind == "instrument" and bag.is_cue(c.ball) for c in rest) and not literal:
        rest = [c for c in rest if not (c.kind == "instrument" and bag.is_cue(c.ball))]  # struck by the cue ball: nothing special
    if not own and not literal and not bag.has("carom") and [(c.kind, c.ball) for c in rest] == [("off", "own")]:
        rest = []  # «чужой от битка»: so does every object ball
    tools = [c for c in rest if c.kind == "instrument"]
    touched = [c for c in rest if c.kind in ("off", "to", "against", "plain")]
    if bag.has("jump"):  # «с перескоком красного»
        touched = [c for c in touched if not (c.kind == "plain" and c.case == "BALL_G")]
    if stray := [c for c in touched if c.kind == "plain" and not bag.has("carom")]:
        raise Misfit("is a ball without a part in the call", stray[0])
    if tools and not bag.has("cushions", "weak_cushion"):
        touched = [c for c in touched if c.kind != "to" or c.ball != target]  # «жёлтым в чёрный, чёрный в угол»
    number = next((c.number for c in bag.all("off") if c.number), None)
    if number is not None and (number != 2 or touched or tools):
        raise Misfit("does not fit the other balls that were named", bag.all("off")[0])
    names = _names(tools), _names(touched)
    if any(len(set(balls)) < len(balls) for balls in names) or len(names[0]) > 2 or len(names[1]) > 2:
        raise Misfit("are more balls than a combination has", (tools or touched)[-1])
    if tools and touched:
        raise Misfit("is a second combination for one ball", touched[0])
    if bag.has("carom") or number == 2 or two_balls:
        return _carom_combination(names, own, bag)
    if tools:
        return [Combination("by", names[0])]
    if touched:
        return _off(touched, names[1], own, literal, bag)
    if literal:
        return [Combination("carom")] if own else [Combination("by"), Combination("off")]
    return [None]


def _names(chunks: list[Chunk]) -> tuple[str, ...]:
    return tuple(c.ball for c in chunks if c.ball and c.ball != "any")


def _carom_combination(names: tuple[tuple[str, ...], tuple[str, ...]], own: bool, bag: Bag) -> list[Combination | None]:
    if not own and not bag.has("carom"):
        raise Misfit("is for the own ball; an object ball goes in off one ball", bag.all("off", "off_number")[0])
    if any(c.ball == "black" for c in bag.all("to")) and sum(c.kind == "plain" for c in bag.chunks) > 1:
        raise Misfit("is a bank, not a part of a carom", bag.all("to")[0])
    return [Combination("carom", names[1] or names[0])]


def _off(touched: list[Chunk], names: tuple[str, ...], own: bool, literal: bool, bag: Bag) -> list[Combination | None]:
    if own and not literal:
        if len(names) == 2:
            return [Combination("carom", names)]
        # «свой от жёлтого в угол» is an own ball played straight: it always goes in off an object ball.
        legal = ("other", "yellow") if bag.cue == "white" else ("other", "white", "red")
        if not names or names[0] in legal:
            return [None]
    if bag.has("to", "against"):
        raise Misfit("is not clear: does the called ball go off this ball, or is this ball to be potted?", bag.all("to", "against")[0])
    return [Combination("off", names)]


def _jumps(bag: Bag, target: str) -> list[tuple[str | None, Combination | None]]:
    """Pairs (jump, combination that «через красный» may mean instead)."""
    jaws, over, through = bag.all("over_jaw", "bare_jaw"), bag.all("over"), bag.all("through")
    if bag.has("bare_jaw") and not bag.has("jump"):
        raise Misfit("is not clear", bag.all("bare_jaw")[0])
    if len(jaws) + len(over) + len(through) > 1:
        raise Misfit("is a second thing to jump over", (jaws + over + through)[1])
    if jaws:
        return [("jaw", None)]
    if over or bag.has("jump"):
        return [("ball", None)]
    if through:
        names = _names(through)
        if through[0].number:
            return _through_two(bag, target, through[0])
        if bag.has("combination"):
            return [(None, Combination("by", names))]
        return [("ball", None)] if bag.is_cue(target) else [("ball", None), (None, Combination("by", names))]
    return [(None, None)]


def _through_two(bag: Bag, target: str, chunk: Chunk) -> list[tuple[str | None, Combination | None]]:
    """«свой через два шара» goes in off both of them; over them only with «перескоком» (`_jumps` has seen to that)."""
    if bag.has("carom"):
        return [(None, None)]
    if not bag.is_cue(target) or chunk.number != 2:
        raise Misfit("does not fit the other balls that were named", chunk)
    return [(None, Combination("carom"))]
