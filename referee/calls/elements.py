"""From phrases to one element of a call (a pot, a three-cushion carom, a bank onto black), whatever their order.

`readings(chunks, cue)` gives every element that the phrases can mean; an empty result comes with the reason.
"""

from __future__ import annotations

from referee.calls.bag import Bag, Misfit, pocket_said
from referee.calls.banks import bank
from referee.calls.call import Element
from referee.calls.caroms import carom, looks_like_tribort, three_cushions
from referee.calls.chunks import Chunk
from referee.calls.pots import pots

__all__ = ["Misfit", "readings"]


def readings(chunks: list[Chunk], cue: str) -> list[Element]:
    """The elements that these phrases can mean. Raises Misfit when there is none."""
    bag = Bag(cue, _coordinated(chunks, cue))
    banked = any(chunk.ball == "black" for chunk in bag.all("to", "against")) and not pocket_said(bag)
    if unclear := [chunk for chunk in bag.all("company") if not (banked and chunk.ball == "any")]:
        raise Misfit("is not clear", unclear[0])
    if bag.has("tribort") or (bag.has("carom") and not pocket_said(bag)) or looks_like_tribort(bag):
        return list(carom(bag))
    if banked:
        return bank(bag)
    return pots(bag)


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
        if before is not None and joined and before.kind == "cushions" and _after_cushion(chunks, i, cue, before):
            chunk = Chunk("off", chunk.text, chunk.start, chunk.end, ball=chunk.ball, case=chunk.case)
        if before is not None and chunk.kind == "plain" and before.kind in ("off", "to", "over", "through") and before.ball:
            linked = (joined or own_said) and not (chunk.ball in ("own", cue) and before.ball not in ("own", cue) and not joined)
            oblique = linked and chunk.case in ("BALL_G", "BALL_D") and (before.kind != "to" or before.case == chunk.case)
            listed = (
                joined
                and before.kind == "to"
                and before.case == chunk.case == "BALL_N"
                and before.ball != "black"
                and three_cushions(chunks)
            )
            english = joined and own_said and chunk.case == "BALL_N" and before.kind == "off" and same_case
            if oblique or english or listed:
                chunk = Chunk(before.kind, chunk.text, chunk.start, chunk.end, ball=chunk.ball, case=chunk.case)
        out.append(chunk)
    return out


def _after_cushion(chunks: list[Chunk], i: int, cue: str, cushion: Chunk) -> bool:
    """«жёлтый от борта и красного»: off both. Not in «жёлтого от борта и красного»: there red may be called as yellow is."""
    chunk = chunks[i]
    if chunk.kind != "plain" or chunk.ball in ("own", cue):
        return False
    led_by = cushion.text.split()[0]
    if not any(c.place for c in chunks) and any(c.kind == "to" and c.ball == "black" for c in chunks):  # a bank onto black
        return led_by in ("от", "с", "со", "после", "через") if chunk.case == "BALL_G" else led_by in ("off", "from", "via")
    others = [c for c in chunks[:i] if c.kind in ("plain", "instrument")]
    called = bool(others) and not any(c.case == "BALL_G" for c in others)
    return called and chunk.case == "BALL_G" and led_by in ("от", "с", "со", "после")
