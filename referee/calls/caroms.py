"""Three-cushion caroms from phrases."""

from __future__ import annotations

from referee.calls.bag import OTHER, Bag, Misfit, count, pocket_said, refuse
from referee.calls.call import Carom
from referee.calls.chunks import Chunk


def three_cushions(chunks: list[Chunk]) -> bool:
    if any(c.place is not None for c in chunks):
        return False
    return any(c.kind in ("tribort", "carom") or (c.kind == "cushions" and c.number == 3) for c in chunks)


def looks_like_tribort(bag: Bag) -> bool:
    """«от жёлтого от трёх бортов по красному», «три борта с жёлтого на красный»: no pocket, three cushions, two object balls."""
    if pocket_said(bag) or not any(count(chunk) == 3 for chunk in bag.all("cushions")):
        return False
    objects = [c for c in bag.all("plain", "off", "to", "instrument") if c.ball and not bag.is_cue(c.ball)]
    onto = [c for c in objects if c.kind == "to"]
    if any(c.kind == "instrument" for c in objects):
        return False
    bare_count = any(c.text[0] in "т3t" for c in bag.all("cushions"))  # «три борта жёлтый в красный», not «от трёх бортов»
    shaped = bool(bag.all("off")) or bare_count or all(c.kind == "plain" for c in objects)
    return len(objects) == 2 and shaped and all(c.ball != "black" for c in onto)


def carom(bag: Bag) -> list[Carom]:
    what = "a three-cushion carom"
    refuse(bag, what, "pocket", "side", "anywhere", "same", "contacts", "no_contacts", "combination", "without")
    refuse(bag, what, "jump", "over", "over_jaw", "bare_jaw")
    cushions = [chunk for chunk in bag.all("cushions", "off_number") if chunk.number is not None]
    for chunk in cushions:
        if chunk.number != 3:
            raise Misfit("does not belong to a three-cushion carom", chunk)
    if bag.has("carom") and not bag.has("tribort") and not cushions and bag.has("cushions", "weak_cushion"):
        raise Misfit("is one cushion; a carom needs three", bag.all("cushions", "weak_cushion")[0])
    said = [c for c in bag.chunks if c.ball and not (c.kind in ("plain", "instrument") and bag.is_cue(c.ball))]
    if any(c.number for c in bag.all("off", "through")):
        raise Misfit("does not name the two balls", bag.all("off", "through")[0])
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


def _carom_guess(bag: Bag, said: list[Chunk]) -> list[Carom]:
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
