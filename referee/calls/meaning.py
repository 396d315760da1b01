"""From phrases to a call: finds where one element ends and the next begins, and gathers every reading.

The fewest elements that make sense are taken; «и», a comma or «плюс» may or may not part two elements («от жёлтого и красного»), a
semicolon always does. Where no separator helps (recognised speech has none), an element may end anywhere.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import combinations, product

from referee.calls.call import Call, Element, Pot
from referee.calls.chunks import Chunk, chunks_of
from referee.calls.elements import Misfit, readings
from referee.calls.errors import AmbiguousCall, CallError
from referee.calls.phrases import pieces_of
from referee.calls.pots import SAME
from referee.calls.sense import sensible
from referee.calls.structure import MAX_ELEMENTS as MOST_SAID
from referee.calls.words import BOTH, Word, normalise, words_of

CUES = ("white", "yellow")
MAX_ELEMENTS = 4
MAX_SEPARATORS = 12
MAX_READINGS = 24


def parse(text: str, cue: str) -> Call:
    """The call that `text` (Russian or English) makes when the cue ball is `cue`.

    Raises AmbiguousCall when it has several readings, CallError (with `.part`) when it is not understood.
    """
    if cue not in CUES:
        raise CallError(f"the cue ball is white or yellow, not {cue!r}", part=str(cue))
    if not isinstance(text, str):
        raise CallError("a call is a text", part=repr(text)[:40])
    if not _encodes(text):
        raise CallError("a call is text in Unicode, this holds half of a surrogate pair", part=ascii(text)[:40])
    try:
        calls = _read(words_of(text), cue, text)
    except CallError as error:
        part = _as_written(text, error.part)
        raise CallError(str(error).replace(f"«{error.part}»", f"«{part}»"), part=part) from None
    if len(calls[0].elements) > MOST_SAID:
        raise CallError(f"a call has at most {MOST_SAID} elements", part=text.strip()[:40])
    if len(calls) > 1:
        shown = "; ".join(f"({i}) {_plain(call)}" for i, call in enumerate(calls[:6], 1))
        raise AmbiguousCall(f"«{text.strip()}» can mean {shown}", part=text.strip(), readings=tuple(calls[:MAX_READINGS]))
    return calls[0]


def _encodes(text: str) -> bool:
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True


def _read(words: list[Word], cue: str, text: str) -> list[Call]:
    """All readings. Where an adjective after «шар» or a colour makes no sense as a part of it, it is read as the next ball."""
    if not any(word.kind not in ("AND", "HARD") for word in words):
        raise CallError("nothing is called", part=text.strip()[:40])
    plain = normalise(text)
    pieces, split = pieces_of(words, cue), pieces_of(words, cue, split=True)
    try:
        return _calls(_trimmed(chunks_of(pieces, plain)), cue, plain)
    except CallError:
        if split == pieces:
            raise
        try:
            return _calls(_trimmed(chunks_of(split, plain)), cue, plain)
        except CallError:
            pass
        raise


def _as_written(text: str, part: str) -> str:
    """A part of the normalised text as it stands in the text itself («ё», capitals), where the two have one length."""
    plain = normalise(text)
    at = plain.find(part)
    return text[at : at + len(part)] if part and at >= 0 and len(plain) == len(text) else part


def _plain(call: Call) -> str:
    from referee.calls.text import call_text

    return call_text(call, "en")


def _in_own_words(call: Call, plain: str) -> bool:
    """Whether the text is what the program itself says of the call: read back, it is that call, even one that no rule allows."""
    from referee.calls.text import call_text

    return any(normalise(call_text(call, language)) == plain for language in ("ru", "en"))


def _trimmed(chunks: list[Chunk]) -> list[Chunk]:
    separators = ("and", "hard")
    while chunks and chunks[-1].kind in separators:
        chunks = chunks[:-1]
    while chunks and chunks[0].kind in separators:
        chunks = chunks[1:]
    if not chunks:
        raise CallError("nothing is called")
    return chunks


def _completed(chunks: list[Chunk]) -> list[Chunk]:
    """«свой в левую середину, чужой в правую»: the noun is said once for the two sides."""
    middles = {chunk.place.side for chunk in chunks if chunk.place and chunk.place.kind == "middle"}
    other = {"left": "right", "right": "left"}
    return [
        replace(chunk, place=replace(chunk.place, kind="middle"))
        if chunk.place and _elliptic(chunk) and other[chunk.place.side or ""] in middles
        else chunk
        for chunk in chunks
    ]


def _elliptic(chunk: Chunk) -> bool:
    place = chunk.place
    return chunk.kind == "pocket" and place is not None and place.side is not None and not (place.kind or place.end or place.free)


def _calls(chunks: list[Chunk], cue: str, plain: str) -> list[Call]:
    chunks = _completed(chunks)
    seen: dict[tuple[int, int], list[Element] | Misfit] = {}
    first_misfit: Misfit | None = None
    void: list[Call] = []

    def elements(start: int, end: int) -> list[Element] | Misfit:
        if (start, end) not in seen:
            seen[start, end] = _segment(chunks[start:end], cue)
        return seen[start, end]

    for parts, guessed in _partitions(chunks):
        if guessed and void:
            break
        found: dict[Call, None] = {}
        for cuts in parts:
            groups = [elements(*span) for span in cuts]
            if guessed and any(
                isinstance(group, list) and not _whole(chunks[start:end], group) for group, (start, end) in zip(groups, cuts, strict=True)
            ):
                continue
            misfit = next((group for group in groups if isinstance(group, Misfit)), None)
            if misfit is not None:
                first_misfit = first_misfit or misfit
                continue
            bare = [_bareness(chunks[start:end]) for start, end in cuts]
            led = [chunks[start].kind == "pocket" for start, _ in cuts]
            for elements_ in _shared(bare, led, [group for group in groups if not isinstance(group, Misfit)]):
                for call in _spelled_out(elements_, cue):
                    found[call] = None
        meant = [call for call in found if sensible(call, cue)]
        if meant or (found and any(_in_own_words(call, plain) for call in found)):
            return meant or list(found)
        void = void or list(found)
    if void:  # nothing that may be called: the void call that takes the fewest elements
        return void
    if any(chunk.kind == "hard" for chunk in chunks):  # a semicolon that parts nothing («жёлтый в угол; от борта»)
        return _calls([replace(chunk, kind="and") if chunk.kind == "hard" else chunk for chunk in chunks], cue, plain)
    same = next((chunk for chunk in chunks if chunk.kind == SAME), None)
    if same is not None and (first_misfit is None or not any(chunk.place for chunk in chunks)):
        first_misfit = Misfit("does not say which pocket: no one pocket was named before", same)
    raise _error(first_misfit, chunks)


def _whole(chunks: list[Chunk], elements: list[Element]) -> bool:
    """Whether an element can stand without a separator: a pot says its pocket, or the cut would be a guess."""
    return any(chunk.place is not None for chunk in chunks) or not any(isinstance(element, Pot) for element in elements)


def _error(misfit: Misfit | None, chunks: list[Chunk]) -> CallError:
    whole = " ".join(chunk.text for chunk in chunks)
    if misfit is None:
        return CallError(f"«{whole}» makes no call", part=whole)
    part = misfit.chunk.text if misfit.chunk is not None else whole
    return CallError(f"«{part}» {misfit.reason}", part=part)


def _segment(chunks: list[Chunk], cue: str) -> list[Element] | Misfit:
    chunks = [chunk for i, chunk in enumerate(chunks) if chunk.kind != "and" or 0 < i < len(chunks) - 1]
    if not chunks:
        return Misfit("is empty")
    try:
        return readings(chunks, cue)
    except Misfit as misfit:
        return misfit


Cuts = list[tuple[int, int]]


def _partitions(chunks: list[Chunk]) -> Iterator[tuple[list[Cuts], bool]]:
    """Ways to cut, in groups of equal merit: few elements before many, at separators before anywhere (True: such a guess)."""
    hard = [i for i, chunk in enumerate(chunks) if chunk.kind == "hard"]
    soft = [i for i, chunk in enumerate(chunks) if chunk.kind == "and" and not _coordinates(chunks, i)]
    if len(soft) > MAX_SEPARATORS:
        raise CallError("too many parts in one call", part=chunks[soft[MAX_SEPARATORS]].text)
    for extra in range(MAX_ELEMENTS):
        yield [_cut(chunks, sorted([*hard, *chosen])) for chosen in combinations(soft, extra)], False
    anywhere = [
        i for i, chunk in enumerate(chunks) if i and chunk.kind not in ("hard", "and") and chunks[i - 1].kind not in ("hard", "and")
    ]
    for extra in range(1, 3):
        places = sorted({*anywhere, *soft})
        yield [_cut(chunks, sorted([*hard, *chosen])) for chosen in combinations(places, extra)], True


def _coordinates(chunks: list[Chunk], i: int) -> bool:
    """The «и» of «от жёлтого и красного» joins two balls: no element begins after it."""
    if not 0 < i < len(chunks) - 1:
        return False
    before, after = chunks[i - 1], chunks[i + 1]
    return before.kind == "off" and before.ball is not None and after.kind == "plain" and after.case == "BALL_G" and before.case == "BALL_G"


def _cut(chunks: list[Chunk], places: list[int]) -> Cuts:
    """Spans between the cuts; a cut at a separator leaves it out, one at a phrase goes before it."""
    cuts: Cuts = []
    start = 0
    for place in places:
        cuts.append((start, place))
        start = place + 1 if chunks[place].kind in ("and", "hard") else place
    cuts.append((start, len(chunks)))
    return cuts


def _bareness(chunks: list[Chunk]) -> str:
    """What an element says besides its ball: "ball" (nothing), "no pocket" or "full"."""
    said = [chunk for chunk in chunks if chunk.kind != "and"]
    if len(said) == 1 and said[0].ball is not None:
        return "ball"
    return "full" if any(chunk.place is not None or chunk.kind == SAME for chunk in said) else "no pocket"


def _spelled_out(elements: tuple[Element, ...], cue: str) -> list[Call]:
    """The calls with «туда же» as the pocket named before and «оба» as two balls; none if that names no pocket or a ball twice."""
    said: list[Element] = []
    for element in elements:
        if isinstance(element, Pot) and element.pocket == SAME:
            before = next((e.pocket for e in reversed(said) if isinstance(e, Pot)), "")
            if "-" not in before:  # «в угол, туда же»: a class of pockets cannot say that it is the same one
                return []
            element = replace(element, pocket=before)
        said.append(element)
    if not any(isinstance(e, Pot) and e.ball == BOTH for e in said):
        return [Call(tuple(said))]
    pairs = [("own", "other")] if cue == "white" else [("own", "other"), ("white", "red")]
    calls = [Call(tuple(made for e in said for made in _each(e, pair))) for pair in pairs]
    return [call for call in calls if sensible(call, cue)]


def _each(element: Element, balls: tuple[str, str]) -> tuple[Element, ...]:
    return tuple(replace(element, ball=ball) for ball in balls) if isinstance(element, Pot) and element.ball == BOTH else (element,)


def _shared(bare: list[str], led: list[bool], groups: list[list[Element]]) -> Iterator[tuple[Element, ...]]:
    """The calls of these elements. «свой и чужой в угол» says the pocket once for both balls; the rest may be for one or both."""
    for elements in product(*groups):
        variants: list[tuple[Element, ...]] = [tuple(elements)]
        for i in range(len(elements) - 2, -1, -1):
            variants = [variant for known in variants for variant in _lent(known, i, bare[i])]
        yield from (_led(variant, bare, led) for variant in variants)


def _led(elements: tuple[Element, ...], bare: list[str], led: list[bool]) -> tuple[Element, ...]:
    """«в угол свой и чужой»: a pocket said before all the balls is that of each."""
    out = list(elements)
    for i in range(1, len(out)):
        mine, before = out[i], out[i - 1]
        if led[0] and bare[i] == "ball" and isinstance(mine, Pot) and isinstance(before, Pot):
            out[i] = replace(mine, pocket=before.pocket)
    return tuple(out)


def _lent(elements: tuple[Element, ...], i: int, bare: str) -> list[tuple[Element, ...]]:
    """The readings of element `i` when the next one says the pocket and it does not."""
    mine, following = elements[i], elements[i + 1]
    if not (isinstance(mine, Pot) and isinstance(following, Pot)) or bare == "full" or following.pocket == "any":
        return [elements]
    same_pocket = replace(mine, pocket=following.pocket)
    options = [same_pocket] if bare == "ball" else [same_pocket, mine]
    if bare == "ball" and (following.cushions or following.combination or following.jump):
        options.append(replace(following, ball=mine.ball))
    return [(*elements[:i], option, *elements[i + 1 :]) for option in options]
