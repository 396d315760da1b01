"""The called bank of an object ball onto black (rules 8.5, 9.5; D22, D37, D38)."""

from __future__ import annotations

from referee.calls.call import BankBlack
from referee.rules.facts import Contact, Facts
from referee.rules.outcome import Failure, Made, NotMade
from referee.rules.terms import pair
from referee.ruling import Item


def _extra(facts: Facts, ball: str, met: int, black: int) -> list[tuple[Contact, frozenset[str]]]:
    """D22: contacts of the object ball before black, and of the cue ball before it, with any other ball than these three."""
    pair_named = (facts.cue, ball, "black")
    by_cue = [(c, pair(facts.cue, c.other)) for c in facts.cue_path.contacts(met) if c.other not in pair_named]
    by_ball = [(c, pair(ball, c.other)) for c in facts.paths[ball].contacts(black) if c.other not in pair_named]
    return by_cue + by_ball


def called(facts: Facts, bank: BankBlack) -> Made | Failure:
    """Rule 8.5: as many points as cushions, which must be those called; rule 9.5: as many as additional contacts, likewise.

    Cushions are the object ball's until it meets black and the cue ball's before it meets the object ball; each jaw counts
    (D22, D37). What happens afterwards does no harm, fouls apart.
    """
    ball = bank.ball
    met = next((c.index for c in facts.cue_path.contacts() if c.other == ball), None)
    black = next((c.index for c in facts.paths[ball].contacts() if c.other == "black"), None)
    if met is None or black is None or black < met:
        return Failure(NotMade.BANK_NOT_MET, ball, black)
    cushions = [r.index for r in facts.cue_path.reflections(met)] + [r.index for r in facts.paths[ball].reflections(black)]
    if len(cushions) != bank.cushions:
        return Failure(NotMade.BANK_CUSHIONS, ball, black, ("D22", "D37"))
    extra = _extra(facts, ball, met, black)
    if len(extra) != bank.contacts:
        return Failure(NotMade.BANK_CONTACTS, ball, extra[-1][0].index if extra else black, ("D22",))
    items = [Item("8.5", ball, bank.cushions, (*sorted({met, *cushions}), black), ("D22", "D37"))]
    provides = {pair(facts.cue, ball)}
    if extra:
        items.append(Item("9.5", ball, bank.contacts, tuple(sorted(c.index for c, _ in extra)), ("D22",)))
        provides |= {touched for _, touched in extra}  # D38
    return Made(tuple(items), (), frozenset(provides))
