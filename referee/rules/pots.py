"""Potted balls: straight ones (rule 3, D3), hanging ones (rule 3, D18, D39), and balls potted as called (rules 2, 9, 10)."""

from __future__ import annotations

from referee.calls.call import Pot
from referee.rules import bonuses
from referee.rules.facts import Facts, Fall, FallKind, reflection_class
from referee.rules.outcome import Failure, Made, NotMade, Pocketed
from referee.rules.terms import matches_pocket, pair
from referee.ruling import Item


def is_straight(facts: Facts, fall: Fall) -> bool:
    """D3: the cue ball met the object ball first of all balls, and the ball that fell met no other and was not reflected.

    Of a ball that was knocked in the path up to its stop is looked at (D39).
    """
    path = facts.paths[fall.ball]
    if reflection_class(path.reflections(fall.end), fall.pocket) != 0:
        return False
    others = {c.other for c in path.contacts(fall.end)}
    if fall.ball == facts.cue:
        return len(others) == 1
    first = facts.cue_path.first_met
    return first is not None and first.other == fall.ball and others == {facts.cue}


def reflection_decisions(facts: Facts, fall: Fall) -> tuple[str, ...]:
    """D4 where the ball touched a cushion, D11 where it touched the jaw of another pocket."""
    touched = facts.paths[fall.ball].reflections(fall.end)
    others = any(r.jaws not in (None, fall.pocket) for r in touched)
    return (("D4",) if touched else ()) + (("D11",) if others else ())


def knocked_by_straight_cue(facts: Facts, fall: Fall) -> bool:
    """Rule 3, D39: until the knock the cue ball touched that ball only and was not reflected (adjoining cushions, jaws exempt)."""
    if fall.knock is None or fall.ball == facts.cue:
        return False
    cue = facts.cue_path
    by_cue = any(c.index == fall.knock for c in cue.contacts())
    alone = all(c.other == fall.ball for c in cue.contacts(fall.knock))
    return by_cue and alone and reflection_class(cue.reflections(fall.knock), fall.pocket) == 0


def uncalled(facts: Facts, fall: Fall) -> Made | Failure:
    """Rule 3 («gentlemen's» call): does a ball that fell without any call count? From hand none does (11, D6, D33)."""
    ball, events = fall.ball, (fall.index,)
    decisions: tuple[str, ...] = ()
    if fall.kind is FallKind.LATE:
        return Failure(NotMade.FELL_LATE, ball, fall.index, ("D18",))
    if ball == "black":
        return Failure(NotMade.BLACK_UNCALLED, ball, fall.index)
    if facts.from_hand:
        used = "D6" if fall.knock is None else "D33"
        return Failure(NotMade.FROM_HAND, ball, fall.index, (used,))
    straight = is_straight(facts, fall)
    shape = ("D3", *reflection_decisions(facts, fall))
    if fall.kind is FallKind.KNOCKED:
        decisions = ("D39",)
    elif fall.kind is FallKind.KNOCKED_LATE:
        if not knocked_by_straight_cue(facts, fall):
            return Failure(NotMade.KNOCKED_IN_LATE, ball, fall.knock, ("D29",) if ball == facts.cue else ("D39",))
        decisions = ("D39",)
    elif not straight:
        return Failure(NotMade.NO_CALL, ball, fall.index, shape)
    else:
        decisions = shape if fall.kind is FallKind.CLEAN else (*shape, "D39")
    if fall.knock is not None and fall.stop is not None:
        events = (fall.stop, fall.knock, fall.index)
    elif fall.stop is not None:
        events = (fall.stop, fall.index)
    item = bonuses.pot_item(ball, events, decisions)
    return Made((item,), (Pocketed(ball, fall.pocket, straight, fall.index),))


def called(facts: Facts, pot: Pot) -> Made | Failure:
    """Is `pot`, whose ball is a colour, made exactly as called (rule 2, D5)? Black only by a combination (rule 10, D23)."""
    ball = pot.ball
    fall = facts.fall(ball)
    if fall is None:
        return Failure(NotMade.NOT_POTTED, ball)
    failure = _not_in_time(facts, fall) or _otherwise(facts, fall, pot)
    if failure is not None:
        return failure
    path = facts.paths[ball]
    decisions = ("D5", *reflection_decisions(facts, fall), *(("D39",) if fall.stop is not None else ()))
    events = tuple(i for i in (fall.stop, fall.knock, fall.index) if i is not None)
    items: list[Item] = [bonuses.pot_item(ball, events, (*decisions, "D23") if ball == "black" else decisions)]
    if pot.cushions:
        items.append(bonuses.cushion_item(ball, pot.cushions, path.reflections(fall.end), fall.pocket))
    if pot.combination is not None:
        items.append(bonuses.combination_item(facts, ball, fall))
    if pot.jump is not None and ball == facts.cue:
        items.append(bonuses.jump_item(ball, path.jumps))
    straight = pot.cushions == 0 and pot.combination is None and is_straight(facts, fall)
    return Made(tuple(items), (Pocketed(ball, fall.pocket, straight, fall.index),), _provides(facts, pot, fall))


def _not_in_time(facts: Facts, fall: Fall) -> Failure | None:
    """Rule 3 and D18: hanging too long, or knocked in later by anything but a straight-flying cue ball."""
    if fall.kind is FallKind.LATE:
        return Failure(NotMade.FELL_LATE, fall.ball, fall.index, ("D18",))
    if fall.kind is FallKind.KNOCKED_LATE and not knocked_by_straight_cue(facts, fall):
        return Failure(NotMade.KNOCKED_IN_LATE, fall.ball, fall.knock, ("D29",) if fall.ball == facts.cue else ("D39",))
    return None


def _otherwise(facts: Facts, fall: Fall, pot: Pot) -> Failure | None:
    """What differs from the call: pocket, cushions, combination, jump, straightness, in this order (D5)."""
    ball = pot.ball
    if not matches_pocket(pot.pocket, fall.pocket):
        return Failure(NotMade.OTHER_POCKET, ball, fall.index, ("D5",))
    made = reflection_class(facts.paths[ball].reflections(fall.end), fall.pocket)
    if made != pot.cushions:
        path_used = ("D39",) if fall.knock is not None else ()
        return Failure(NotMade.OTHER_CUSHIONS, ball, fall.index, ("D4", "D5", *path_used))
    failure = _combination(facts, fall, pot) or _jump(facts, fall, pot)
    if failure is not None:
        return failure
    first = facts.cue_path.first_met
    straight_called = pot.cushions == 0 and pot.combination is None and ball != facts.cue
    if straight_called and (first is None or first.other != ball):
        return Failure(NotMade.NOT_FIRST, ball, None if first is None else first.index, ("D3",))
    return None


def _combination(facts: Facts, fall: Fall, pot: Pot) -> Failure | None:
    """D21, D36: the order of contacts is the called one, and strictly so."""
    ball, cue, combination = pot.ball, facts.cue, pot.combination
    contacts = facts.paths[ball].contacts(fall.end)
    met = list(dict.fromkeys(c.other for c in contacts))  # in the order of first contact
    if combination is None:
        plain = len(met) == 1 if ball == cue else met == [cue]
        return None if plain else Failure(NotMade.UNCALLED_COMBINATION, ball, fall.index, ("D5",))
    wrong = Failure(NotMade.OTHER_COMBINATION, ball, fall.index, ("D21", "D36"))
    if combination.how == "carom":
        if len(met) != 2 or (combination.balls and tuple(met[: len(combination.balls)]) != combination.balls):
            return wrong
        return None if combination.balls or "black" not in met else wrong
    if combination.how == "off":
        if len(met) != 2 or met[0] != cue:
            return wrong
        return None if _named(met[1], combination.balls) else wrong
    if len(met) != 1 or met[0] == cue or not _named(met[0], combination.balls):
        return wrong
    third = facts.paths[met[0]]
    before = {c.other for c in third.contacts(contacts[0].index)}
    return None if before == {cue} else wrong


def _named(ball: str, balls: tuple[str, ...]) -> bool:
    """A combination whose balls are not named provides for any ball but black (D31)."""
    return ball in balls if balls else ball != "black"


def _jump(facts: Facts, fall: Fall, pot: Pot) -> Failure | None:
    """Rule 9.3, D19, D34: the called jump, over a ball or a jaw, is made by the cue ball; an own ball jumps only as called."""
    jumps = [i for i in facts.cue_path.jumps if i < fall.end]
    kinds = {"jaw" if facts.events[i].over_jaw else "ball" for i in jumps}
    if pot.jump is None:
        if pot.ball == facts.cue and jumps:
            return Failure(NotMade.JUMP_NOT_CALLED, pot.ball, jumps[0], ("D34",))
        return None
    return None if kinds == {pot.jump} else Failure(NotMade.JUMP_NOT_MADE, pot.ball, jumps[0] if jumps else None, ("D19", "D34"))


def _provides(facts: Facts, pot: Pot, fall: Fall) -> frozenset[frozenset[str]]:
    """Contacts that a made pot provides for (rule 6, D31): those of its combination, or of the cue ball with the object ball."""
    cue, ball = facts.cue, pot.ball
    if pot.combination is None:
        return frozenset() if ball == cue else frozenset((pair(cue, ball),))
    met = {c.other for c in facts.paths[ball].contacts(fall.end)}
    chain = {pair(ball, other) for other in met}
    if pot.combination.how == "by":
        chain |= {pair(cue, other) for other in met}
    return frozenset(chain)
