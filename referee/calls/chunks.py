"""From terminals to phrases: runs `calls.lark` (LALR) and turns every phrase of the tree into a `Chunk`."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cache
from importlib.resources import files

from lark import Lark, Token, Tree, UnexpectedInput
from lark.lexer import Lexer

from referee.calls.errors import CallError
from referee.calls.phrases import Piece

BALL_TYPES = {"BALL_N", "BALL_G", "BALL_D", "BALL_I"}


@dataclass(frozen=True, slots=True)
class Place:
    """What was said of a pocket. `free`: any will do («в любую»)."""

    end: str | None = None
    side: str | None = None
    kind: str | None = None
    free: bool = False

    def join(self, other: Place) -> Place | None:
        """Both things said of one pocket, or None if they contradict each other."""
        merged = {}
        for name in ("end", "side", "kind"):
            mine, theirs = getattr(self, name), getattr(other, name)
            if mine and theirs and mine != theirs:
                return None
            merged[name] = mine or theirs
        return Place(**merged, free=self.free or other.free)

    def pockets(self) -> tuple[str, ...]:
        """The pocket or class that is meant; more than one if the words fit several pockets, none if no pocket is so."""
        if self.kind == "middle":
            return () if self.end else (f"middle-{self.side}" if self.side else "middle",)
        if self.end and self.side:
            return (f"{self.end}-{self.side}",)
        if self.end:
            return (f"{self.end}-left", f"{self.end}-right")
        if self.side:
            ends = ("home", "foot") if self.kind == "corner" else ("home", "middle", "foot")
            return tuple(f"{end}-{self.side}" for end in ends)
        return (self.kind or "any",)


@dataclass(frozen=True, slots=True)
class Chunk:
    """One phrase. `kind` is the rule of the grammar; `case` the terminal of its ball, `number` a count (None: not said)."""

    kind: str
    text: str
    start: int
    end: int
    ball: str | None = None
    case: str | None = None
    number: int | None = None
    place: Place | None = None
    detail: str = ""


class _Pieces(Lexer):
    """Lark asks for a lexer class; ours has already done its work."""

    def __init__(self, _conf: object) -> None:
        pass

    def lex(self, lexer_state: list[Piece], parser_state: object = None) -> Iterator[Token]:  # type: ignore[override]
        for piece in lexer_state:
            yield Token(piece.type, piece.value or piece.text, piece.start, 1, piece.start + 1, 1, piece.end + 1, piece.end)


@cache
def _parser() -> Lark:
    grammar = files("referee.calls").joinpath("calls.lark").read_text(encoding="utf-8")
    return Lark(grammar, parser="lalr", lexer=_Pieces)


def chunks_of(pieces: list[Piece], plain: str) -> list[Chunk]:
    """The phrases in order. Raises CallError naming the words from which no phrase could be made."""
    try:
        tree = _parser().parse(pieces)  # type: ignore[arg-type] - our lexer takes pieces
    except UnexpectedInput as error:
        token = getattr(error, "token", None)
        at = token.start_pos if token is not None and token.type != "$END" and token.start_pos is not None else None
        part = plain[at:].strip() if at is not None else pieces[-1].text if pieces else ""
        message = f"«{part}» does not fit what was said before it" if at is not None else f"something is missing after «{part}»"
        raise CallError(message, part=part) from None
    return _merged([_chunk(child, plain) for child in tree.children if isinstance(child, Tree)])


def _chunk(tree: Tree, plain: str) -> Chunk:
    tokens = list(tree.scan_values(lambda value: isinstance(value, Token)))
    start, end = tokens[0].start_pos, tokens[-1].end_pos
    kind = str(tree.data).rstrip("_")
    base = Chunk(kind, plain[start:end], start, end)
    balls = [token for token in tokens if token.type in BALL_TYPES]
    numbers = [int(token) for token in tokens if token.type in ("NUM", "NBALLS", "CUSHN")]
    if kind in ("pocket", "side", "anywhere"):
        return _place_chunk(base, tokens)
    if kind == "cushions" and any(isinstance(child, Tree) for child in tree.children):  # «от короткого и длинного борта»
        numbers = [1 + sum(isinstance(child, Tree) for child in tree.children)]
    detail = " ".join(sorted(str(token) for token in tokens if token.type.startswith(("SIDE", "END", "CADJ", "CLASS"))))
    number = numbers[0] if numbers else None
    if balls and kind not in ("contacts",):
        return replace(base, ball=str(balls[0]), case=balls[0].type)
    return replace(base, number=number, detail=detail)


def _place_chunk(base: Chunk, tokens: list[Token]) -> Chunk:
    place = Place()
    for token in tokens:
        said = _said(token)
        joined = place.join(said) if said else None
        if joined is None:
            raise CallError(f"«{base.text}» is no pocket", part=base.text)
        place = joined
    return replace(base, place=place)


def _said(token: Token) -> Place | None:
    kind, value = token.type.removesuffix("_G"), str(token)
    if kind == "SIDE" or (kind == "ADVERB" and value in ("left", "right")):
        return Place(side=value)
    if kind in ("END", "ADVERB"):
        return Place(end=value)
    if kind == "CADJ" and value == "middle":
        return Place(kind="middle")
    if kind == "CLASS":
        return Place(free=True) if value == "any" else Place(kind=value)
    if kind == "ANYWHERE":
        return Place(free=True)
    return Place() if kind in ("LUZA", "TO") else None


def _merged(chunks: list[Chunk]) -> list[Chunk]:
    """Neighbouring words on one pocket («в угол, в дальний левый») become one; what belongs to a contact goes into it."""
    out: list[Chunk] = []
    for chunk in chunks:
        last = out[-1] if out else None
        if last is not None and last.kind == "contacts" and _of_contact(chunk):
            out[-1] = replace(last, text=f"{last.text} {chunk.text}", end=chunk.end)
            continue
        if last is not None and chunk.kind == "carom" and last.kind == "cushions" and last.number == 3 and last.text[0] in "т3t":
            out[-1] = replace(last, kind="tribort", number=None, text=f"{last.text} {chunk.text}", end=chunk.end)  # «трёхбортный карамболь»
            continue
        if last is not None and chunk.place and last.place and (joined := last.place.join(chunk.place)):
            out[-1] = replace(last, place=joined, text=f"{last.text} {chunk.text}", end=chunk.end)
            continue
        comma = len(out) > 1 and last is not None and last.kind == "and" and last.text == ","
        if comma and chunk.place and out[-2].place and (joined := out[-2].place.join(chunk.place)):
            out[-2:] = [replace(out[-2], place=joined, text=f"{out[-2].text}, {chunk.text}", end=chunk.end)]
            continue
        out.append(chunk)
    return out


def _of_contact(chunk: Chunk) -> bool:
    """«с касанием красного», «contact with the red», «соударением о красный»."""
    if chunk.ball == "black":
        return False
    return chunk.kind in ("company", "against") or (chunk.kind == "plain" and chunk.case == "BALL_G") or chunk.text.startswith("with ")
