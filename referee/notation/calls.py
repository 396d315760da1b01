"""A call on one line: `Y|2>FL` is the yellow off two cushions into the far left corner (grammar: docs/NOTATION.md)."""

from __future__ import annotations

from referee.calls import BankBlack, Call, CallFormError, Carom, Combination, Element, Pot, from_json, to_json
from referee.notation import names
from referee.notation.scanner import NotationError, Scanner

_BALLS = names.back(names.CALLED_BALLS)
_POCKETS = names.back(names.CALLED_POCKETS)
_HOW = names.back(names.COMBINATIONS)
_JUMPS = names.back(names.JUMPS)


def write_call(call: Call | None) -> str:
    """One word, without spaces; `-` when nothing was called. Raises NotationError for a call that is not valid."""
    if call is None:
        return "-"
    try:
        from_json(to_json(call))
    except (CallFormError, AttributeError) as error:
        raise NotationError(str(error)) from None
    return ",".join(_write(element) for element in call.elements)


def _write(element: Element) -> str:
    if isinstance(element, Carom):
        return f"{names.CALLED_BALLS[element.first]}~{names.CALLED_BALLS[element.second]}"
    ball = names.CALLED_BALLS[element.ball]
    if isinstance(element, BankBlack):
        return f"{ball}|{element.cushions}#{element.contacts or ''}"
    combination = ""
    if element.combination is not None:
        combination = names.COMBINATIONS[element.combination.how] + "".join(names.CALLED_BALLS[b] for b in element.combination.balls)
    cushions = f"|{element.cushions}" if element.cushions else ""
    jump = names.JUMPS[element.jump] if element.jump else ""
    return f"{ball}{cushions}{combination}{jump}>{names.CALLED_POCKETS[element.pocket]}"


def read_call(text: str) -> Call | None:
    """The call of a line that holds nothing else. Raises NotationError naming the column."""
    scanner = Scanner(text)
    call = scan_call(scanner)
    scanner.end()
    return call


def scan_call(scanner: Scanner) -> Call | None:
    """The call that stands at the scanner's place."""
    if scanner.take("-"):
        return None
    start = scanner.at
    elements = [_element(scanner)]
    while scanner.take(","):
        elements.append(_element(scanner))
    call = Call(tuple(elements))
    try:
        return from_json(to_json(call))
    except CallFormError as error:
        raise scanner.error(f"a valid call ({error})", start) from None


def _element(scanner: Scanner) -> Element:
    ball = scanner.one_of(_BALLS, "a ball")
    if scanner.take("~"):
        return Carom(ball, scanner.one_of(_BALLS, "the second ball of the carom"))
    cushions = scanner.whole("a number of cushions") if scanner.take("|") else None
    if cushions is not None and scanner.take("#"):
        contacts = scanner.whole("a number of contacts") if scanner.rest[:1].isdigit() else 0
        return BankBlack(ball, cushions, contacts)
    combination = None
    if scanner.rest[:1] in _HOW:
        combination = Combination(scanner.one_of(_HOW, "a combination"), _balls(scanner))
    jump = scanner.one_of(_JUMPS, "a jump") if scanner.rest.startswith("^") else None
    scanner.need(">", "«>» and a pocket" if cushions is None else "«>» and a pocket, or «#» for a bank onto black")
    return Pot(ball, scanner.one_of(_POCKETS, "a pocket"), cushions or 0, combination, jump)


def _balls(scanner: Scanner) -> tuple[str, ...]:
    balls: list[str] = []
    while scanner.rest[:1] in _BALLS and len(balls) < 2:
        balls.append(scanner.one_of(_BALLS, "a ball"))
    return tuple(balls)
