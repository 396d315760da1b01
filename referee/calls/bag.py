"""The phrases of one element, and what they say of cushions and contacts."""

from __future__ import annotations

from dataclasses import dataclass

from referee.calls.chunks import Chunk

OTHER = {"white": "yellow", "yellow": "white"}


_REPEATED = "is a second cushion, or the same one said again: say how many"


class Misfit(Exception):
    """The phrases do not make one element; `chunk` is the one in the way."""

    def __init__(self, reason: str, chunk: Chunk | None = None) -> None:
        super().__init__(reason)
        self.reason = reason
        self.chunk = chunk


@dataclass(frozen=True, slots=True)
class Bag:
    """The phrases of one element, sorted by what they say."""

    cue: str
    chunks: list[Chunk]

    def all(self, *kinds: str) -> list[Chunk]:
        return [chunk for chunk in self.chunks if chunk.kind in kinds]

    def has(self, *kinds: str) -> bool:
        return any(chunk.kind in kinds for chunk in self.chunks)

    def is_cue(self, ball: str | None) -> bool:
        return ball in ("own", self.cue)


def pocket_said(bag: Bag) -> bool:
    return bag.has("pocket", "side", "anywhere", "same")


def cushions_said(bag: Bag) -> int | None:
    """How many cushions were said; None: none. A bare «борт» («bank») gives way to a number."""
    said = bag.all("cushions")
    strong = said + bag.all("without") + ([] if pocket_said(bag) else bag.all("off_number"))  # «жёлтым от двух по чёрному»
    weak = bag.all("weak_cushion")
    if len(weak) > 1:
        raise Misfit(_REPEATED, weak[1])
    if not strong:
        return 1 if weak else None
    if len(strong) > 1:
        named = {chunk.detail for chunk in strong}
        if all(chunk.number is None and chunk.detail and chunk.kind == "cushions" for chunk in strong) and len(named) == len(strong):
            return len(strong)  # «от левого борта и от дальнего борта»
        if sum(chunk.kind == "cushions" and chunk.number is None for chunk in strong) > 1:
            raise Misfit(_REPEATED, strong[1])
        if len({count(chunk) for chunk in strong}) > 1:
            raise Misfit("contradicts the number of cushions said before", strong[1])
    return count(strong[0])


def count(chunk: Chunk) -> int:
    if chunk.kind == "without":
        return 0
    return 1 if chunk.number is None else chunk.number


def contacts_said(bag: Bag) -> int:
    said = bag.all("contacts", "no_contacts")
    if len(said) > 1:
        raise Misfit("is a second number of contacts", said[1])
    if not said or said[0].kind == "no_contacts":
        return 0
    if said[0].number is None and said[0].text.split()[-1] in ("соударениями", "касаниями", "контактами", "contacts", "collisions"):
        raise Misfit("does not say how many", said[0])
    return 1 if said[0].number is None else said[0].number


def refuse(bag: Bag, what: str, *kinds: str) -> None:
    if found := bag.all(*kinds):
        raise Misfit(f"does not belong to {what}", found[0])
