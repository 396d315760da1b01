"""From phrases to one element of a call (a pot, a three-cushion carom, a bank onto black), whatever their order.

`readings(chunks, cue)` gives every element that the phrases can mean; an empty result comes with the reason.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from referee.calls.call import BankBlack, Carom, Combination, Element, Pot
from referee.calls.chunks import Chunk, Place

OTHER = {"white": "yellow", "yellow": "white"}


class Misfit(Exception):
    """The phrases do not make one element; `chunk` is the one in the way."""

    def __init__(self, reason: str, chunk: Chunk | None = None) -> None:
        super().__init__(reason)
        self.reason = reason
        self.chunk = chunk


@dataclass(slots=True)
class _Bag:
    """The phrases of one element, sorted by what they say."""

    cue: str
    chunks: list[Chunk]
    by: dict[str, list[Chunk]] = field(default_factory=dict)

    def all(self, *kinds: str) -> list[Chunk]:
        return [chunk for chunk in self.chunks if chunk.kind in kinds]

    def has(self, *kinds: str) -> bool:
        return any(chunk.kind in kinds for chunk in self.chunks)

    def is_cue(self, ball: str | None) -> bool:
        return ball in ("own", self.cue)


def readings(chunks: list[Chunk], cue: str) -> list[Element]:
    """The elements that these phrases can mean. Raises Misfit when there is none."""
    bag = _Bag(cue, _coordinated(chunks, cue))
    if unclear := bag.all("company"):
        raise Misfit("is not clear", unclear[0])
    if bag.has("tribort") or (bag.has("carom") and not _pocket_said(bag)) or _looks_like_tribort(bag):
        return list(_carom(bag))
    if any(chunk.ball == "black" for chunk in bag.all("to", "against")) and not _pocket_said(bag):
        return _bank(bag)
    return _pots(bag)


def _pocket_said(bag: _Bag) -> bool:
    return bag.has("pocket", "side", "anywhere")


def _coordinated(chunks: list[Chunk], cue: str) -> list[Chunk]:
    """«от жёлтого и красного» is two times «от»; separators inside one element mean nothing else."""
    out: list[Chunk] = []
    own_said = any(c.kind in ("plain", "instrument") and c.ball in ("own", cue) for c in chunks)
    for i, chunk in enumerate(chunks):
        before = out[-1] if out else None
        if chunk.kind == "and":
            continue
        same_case = before is not None and (chunk.case == before.case or (chunk.case == "BALL_G" and before.kind == "off"))
        joined = i > 0 and chunks[i - 1].kind == "and"
        if before is not None and chunk.kind == "plain" and before.kind in ("off", "to", "over", "through") and before.ball:
            linked = (joined or own_said) and not (chunk.ball in ("own", cue) and before.ball not in ("own", cue) and not joined)
            oblique = linked and chunk.case in ("BALL_G", "BALL_D") and (before.kind != "to" or before.case == chunk.case)
            listed = (
                joined
                and before.kind == "to"
                and before.case == chunk.case == "BALL_N"
                and before.ball != "black"
                and _three_cushions(chunks)
            )
            english = joined and own_said and chunk.case == "BALL_N" and before.kind == "off" and same_case
            if oblique or english or listed:
                chunk = Chunk(before.kind, chunk.text, chunk.start, chunk.end, ball=chunk.ball, case=chunk.case)
        out.append(chunk)
    return out


# --- cushions and contacts ------------------------------------------------------------------------------------------
def _cushions(bag: _Bag) -> int | None:
    """How many cushions were said; None: none. A bare «борт» («bank») gives way to a number."""
    said = bag.all("cushions")
    strong = said + bag.all("without")
    if not strong:
        return 1 if bag.has("weak_cushion") else None
    if len(strong) > 1:
        named = {chunk.detail for chunk in strong}
        if all(chunk.number is None and chunk.detail and chunk.kind == "cushions" for chunk in strong) and len(named) == len(strong):
            return len(strong)  # «от левого борта и от дальнего борта»
        if len({_count(chunk) for chunk in strong}) > 1:
            raise Misfit("contradicts the number of cushions said before", strong[1])
    return _count(strong[0])


def _count(chunk: Chunk) -> int:
    if chunk.kind == "without":
        return 0
    return 1 if chunk.number is None else chunk.number


def _contacts(bag: _Bag) -> int:
    said = bag.all("contacts")
    if len(said) > 1:
        raise Misfit("is a second number of contacts", said[1])
    if not said:
        return 0
    if said[0].number is None and said[0].text.split()[-1] in ("соударениями", "касаниями", "контактами", "contacts", "collisions"):
        raise Misfit("does not say how many", said[0])
    return 1 if said[0].number is None else said[0].number


def _refuse(bag: _Bag, what: str, *kinds: str) -> None:
    if found := bag.all(*kinds):
        raise Misfit(f"does not belong to {what}", found[0])


# --- three-cushion carom --------------------------------------------------------------------------------------------
def _three_cushions(chunks: list[Chunk]) -> bool:
    if any(c.place is not None for c in chunks):
        return False
    return any(c.kind in ("tribort", "carom") or (c.kind == "cushions" and c.number == 3) for c in chunks)


def _looks_like_tribort(bag: _Bag) -> bool:
    """«от жёлтого от трёх бортов по красному», «три борта с жёлтого на красный»: no pocket, three cushions, two object balls."""
    if _pocket_said(bag) or not any(_count(chunk) == 3 for chunk in bag.all("cushions")):
        return False
    objects = [c for c in bag.all("plain", "off", "to", "instrument") if c.ball and not bag.is_cue(c.ball)]
    onto = [c for c in objects if c.kind == "to"]
    if any(c.kind == "instrument" for c in objects):
        return False
    bare_count = any(c.text[0] in "т3t" for c in bag.all("cushions"))  # «три борта жёлтый в красный», not «от трёх бортов»
    shaped = bool(bag.all("off")) or bare_count or all(c.kind == "plain" for c in objects)
    return len(objects) == 2 and shaped and all(c.ball != "black" for c in onto)


def _carom(bag: _Bag) -> list[Carom]:
    what = "a three-cushion carom"
    _refuse(bag, what, "pocket", "side", "anywhere", "contacts", "jump", "over", "over_jaw", "combination", "off_number", "without")
    cushions = [chunk for chunk in bag.all("cushions") if chunk.number is not None]
    for chunk in cushions:
        if chunk.number != 3:
            raise Misfit("does not belong to a three-cushion carom", chunk)
    if bag.has("carom") and not bag.has("tribort") and not cushions and bag.has("cushions", "weak_cushion"):
        raise Misfit("is one cushion; a carom needs three", bag.all("cushions", "weak_cushion")[0])
    said = [c for c in bag.chunks if c.ball and not (c.kind in ("plain", "instrument") and bag.is_cue(c.ball))]
    if any(c.kind == "off" and c.number for c in bag.chunks):
        raise Misfit("does not name the two balls", bag.all("off")[0])
    if len(said) > 2 or any(c.ball == "any" for c in said):
        raise Misfit("is more than a carom needs: it goes from one ball to another", said[-1])
    if len(said) == 2:
        return [_ordered(said)]
    return _carom_guess(bag, said)


def _ordered(said: list[Chunk]) -> Carom:
    first, second = said
    if first.kind in ("to", "against") and second.kind not in ("to", "against"):
        first, second = second, first
    if second.kind == "off" and first.kind not in ("off", "to", "against"):
        first, second = second, first
    return Carom(first.ball or "", second.ball or "")


def _carom_guess(bag: _Bag, said: list[Chunk]) -> list[Carom]:
    """With one ball named the other one is the remaining object ball; with none there are two ways."""
    objects = [OTHER[bag.cue], "red"]
    both = [Carom(objects[0], objects[1]), Carom(objects[1], objects[0])]
    if not said:
        return both
    chunk = said[0]
    known = OTHER[bag.cue] if chunk.ball == "other" and bag.cue == "white" else chunk.ball
    if known not in objects:
        raise Misfit("leaves open which other ball is meant", chunk)
    rest = objects[1 - objects.index(known)]
    name = chunk.ball or ""
    if chunk.kind in ("to", "against"):
        return [Carom(rest, name)]
    if chunk.kind == "off":
        return [Carom(name, rest)]
    return [Carom(name, rest), Carom(rest, name)]


# --- bank onto black ------------------------------------------------------------------------------------------------
def _bank(bag: _Bag) -> list[Element]:
    what = "a bank onto black"
    _refuse(bag, what, "jump", "over", "over_jaw", "off_number")
    targets = [chunk for chunk in bag.all("to", "against") if chunk.ball == "black"]
    if len(targets) > 1:
        raise Misfit("names black twice", targets[1])
    via = bag.all("through", "off") + [c for c in bag.all("plain") if c.ball == "any"]  # «через красный», «и от шара»: met on the way
    balls = [chunk for chunk in bag.chunks if chunk.ball and chunk is not targets[0] and chunk not in via]
    objects = [chunk for chunk in balls if not bag.is_cue(chunk.ball)] or balls
    if len(objects) > 1:
        raise Misfit("is a second ball: one object ball is banked onto black", objects[1])
    cushions = _cushions(bag)
    if cushions is None:
        raise Misfit("needs a number of cushions", targets[0])
    contacts = _contacts(bag) or sum(chunk.number or 1 for chunk in via)
    if not objects and via:
        raise Misfit("is not clear: which ball is banked onto black?", via[0])
    if not objects:
        names = (OTHER[bag.cue], "red")
    elif objects[0].ball == "any":
        raise Misfit("does not say which ball", objects[0])
    else:
        names = (objects[0].ball or "",)
    return [BankBlack(name, cushions, contacts) for name in names]


# --- pots -----------------------------------------------------------------------------------------------------------
def _pots(bag: _Bag) -> list[Element]:
    _refuse(bag, "a pot", "contacts")
    target, rest = _target(bag)
    found: list[Element] = []
    for pocket in _pockets(bag):
        for cushions, two_balls in _pot_cushions(bag, target):
            for combination in _combinations(bag, target, rest, two_balls):
                for jump, extra in _jumps(bag, target):
                    found.append(Pot(target, pocket, cushions, extra or combination, jump))
    return found + _perhaps_bank(bag, target, rest)


def _perhaps_bank(bag: _Bag, target: str, rest: list[Chunk]) -> list[Element]:
    """«чёрный жёлтым от двух бортов», «жёлтым от двух бортов» without a pocket may be the bank onto black as well."""
    if _pocket_said(bag) or not bag.has("cushions", "weak_cushion"):
        return []
    if not rest and all(c.kind == "instrument" for c in bag.chunks if c.ball) and not bag.is_cue(target):
        return [BankBlack(target, _cushions(bag) or 0)]
    tools = [c for c in rest if c.kind == "instrument" and c.ball != "any" and not bag.is_cue(c.ball)]
    if target != "black" or len(tools) != 1 or len(rest) != 1:
        return []
    return [BankBlack(tools[0].ball or "", _cushions(bag) or 0)]


def _target(bag: _Bag) -> tuple[str, list[Chunk]]:
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


def _hidden_target(bag: _Bag, others: list[Chunk]) -> tuple[str, list[Chunk]]:
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


def _pockets(bag: _Bag) -> tuple[str, ...]:
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


def _pot_cushions(bag: _Bag, target: str) -> list[tuple[int, bool]]:
    """Pairs (cushions, «от двух» meant two balls)."""
    number = _cushions(bag)
    bare = bag.all("off_number")
    if len(bare) > 1 or (bare and number is not None):
        raise Misfit("is a second number", bare[-1])
    if bare:
        count = bare[0].number or 0
        pairs = [(_capped(count, bare[0]), False)]
        return [(0, True), *pairs] if count == 2 and bag.is_cue(target) else pairs
    if number is not None and number >= 1 and not bag.is_cue(target) and _cue_with_cushion(bag):
        return [(0, False), (_capped(number, bag.chunks[0]), False)]
    return [(_capped(number or 0, bag.chunks[0]), False)]


def _cue_with_cushion(bag: _Bag) -> bool:
    """«битком от борта жёлтый в угол»: the cushion stands beside the cue ball, so it may be the cue ball that meets it."""
    if bag.has("combination"):
        return False
    for first, second in zip(bag.chunks, bag.chunks[1:], strict=False):
        if first.kind == "instrument" and bag.is_cue(first.ball) and second.kind in ("cushions", "weak_cushion"):
            return True
    return False


def _capped(count: int, chunk: Chunk) -> int:
    if count > 99:
        raise Misfit("is no number of cushions", chunk)
    return min(count, 3)


def _combinations(bag: _Bag, target: str, rest: list[Chunk], two_balls: bool) -> list[Combination | None]:
    literal = bag.has("combination")
    own = bag.is_cue(target)
    struck = [c for c in rest if c.kind == "instrument" and bag.is_cue(c.ball)]
    if struck and not literal and (own or bag.has("carom")):
        raise Misfit("names the cue ball twice", struck[0])
    if any(c.kind == "instrument" and bag.is_cue(c.ball) for c in rest) and not literal:
        rest = [c for c in rest if not (c.kind == "instrument" and bag.is_cue(c.ball))]  # struck by the cue ball: nothing special
    tools = [c for c in rest if c.kind == "instrument"]
    touched = [c for c in rest if c.kind in ("off", "to", "against", "plain")]
    if bag.has("jump"):  # «с перескоком красного»
        touched = [c for c in touched if not (c.kind == "plain" and c.case == "BALL_G")]
    if stray := [c for c in touched if c.kind == "plain" and not bag.has("carom")]:
        raise Misfit("is a ball without a part in the call", stray[0])
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


def _carom_combination(names: tuple[tuple[str, ...], tuple[str, ...]], own: bool, bag: _Bag) -> list[Combination | None]:
    if not own and not bag.has("carom"):
        raise Misfit("is for the own ball; an object ball goes in off one ball", bag.all("off", "off_number")[0])
    if any(c.ball == "black" for c in bag.all("to")) and sum(c.kind == "plain" for c in bag.chunks) > 1:
        raise Misfit("is a bank, not a part of a carom", bag.all("to")[0])
    return [Combination("carom", names[1] or names[0])]


def _off(touched: list[Chunk], names: tuple[str, ...], own: bool, literal: bool, bag: _Bag) -> list[Combination | None]:
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


def _jumps(bag: _Bag, target: str) -> list[tuple[str | None, Combination | None]]:
    """Pairs (jump, combination that «через красный» may mean instead)."""
    jaws, over, through = bag.all("over_jaw"), bag.all("over"), bag.all("through")
    if len(jaws) + len(over) + len(through) > 1:
        raise Misfit("is a second thing to jump over", (jaws + over + through)[1])
    if jaws:
        return [("jaw", None)]
    if over or bag.has("jump"):
        return [("ball", None)]
    if through:
        names = _names(through)
        if bag.has("combination"):
            return [(None, Combination("by", names))]
        return [("ball", None)] if bag.is_cue(target) else [("ball", None), (None, Combination("by", names))]
    return [(None, None)]
