"""Tells a ruling to the hall, in Russian and English: what was made, what was not and why, what is placed where, who plays on."""

from __future__ import annotations

from referee.rules.facts import Facts, FallKind
from referee.rules.fouls import FoulRule
from referee.rules.outcome import Failure, NotMade, Score
from referee.rules.succession import Next
from referee.rules.terms import CUSHION_BONUS, FOUL_POINTS
from referee.rules.validity import VOID_LAW, Called, VoidReason
from referee.rules.wording import (
    BALL_RU,
    FORBIDDEN_TEXT,
    FOUL_TEXT,
    INACTIVE_OPENING,
    NOT_MADE_LAW,
    NOT_MADE_RU,
    POCKET_EN,
    POCKET_RU,
    SPOT_EN,
    SPOT_FREE_RU,
    SPOT_RU,
    VOID_RU,
    capital,
    cushions_en,
    cushions_ru,
    points_en,
    points_ru,
)
from referee.ruling import Explanation, Foul, Item
from referee.state import State

_Lines = list[tuple[str, str]]  # Russian and English of one sentence each
_SPOT_OF = {"black": "centre", "red": "home", "yellow": "pyramid", "white": "pyramid"}


def void_text(reason: VoidReason) -> str:
    """The reason of a void call with its law, in English (the explanation tells it in both languages)."""
    rule, decisions = VOID_LAW[reason]
    return f"{reason.value} (rule {rule}, {', '.join(decisions)})"


def explanation(
    state: State,
    facts: Facts,
    called: Called,
    score: Score,
    fouls: tuple[Foul, ...],
    follow: Next,
    after: State,
    winner: int | None,
) -> Explanation:
    lines: _Lines = []
    if called.void is not None:
        rule, decisions = VOID_LAW[called.void]
        law = ", ".join(decisions)
        lines.append(
            (
                f"Заказ недействителен: {VOID_RU[called.void]} (пр. {rule}, {law}).",
                f"The call is void: {called.void.value} (rule {rule}, {law}).",
            )
        )
    if fouls:
        lines.append(_fouls(facts, score, fouls))
    elif score.made is not None:
        lines += _made(facts, score.made.items)
    lines += _failures(facts, called, score, bool(fouls))
    if not lines:
        lines.append(("Результата нет.", "Nothing was made."))
    lines += _placed(facts, follow) + _taken(facts, follow)
    lines.append(_turn(state, after))
    if winner is not None:
        lines.append(
            (
                f"Партия окончена, победил игрок {winner + 1}, счёт {after.scores[0]}:{after.scores[1]} (пр. 1).",
                f"The game is over: player {winner + 1} wins, score {after.scores[0]}:{after.scores[1]} (rule 1).",
            )
        )
    return Explanation(" ".join(ru for ru, _ in lines), " ".join(en for _, en in lines))


def _fouls(facts: Facts, score: Score, fouls: tuple[Foul, ...]) -> tuple[str, str]:
    """Each foul once by its text, in order; three points once (D2)."""
    said: dict[str, str] = {}
    for foul in fouls:
        ru, en = _foul_text(facts, score, foul)
        said.setdefault(f"{ru} (пр. {foul.rule})", f"{en} (rule {foul.rule})")
    ru = f"{'Фол' if len(said) == 1 else 'Фолы'}: {'; '.join(said)}. Сопернику {points_ru(FOUL_POINTS)}"
    en = f"{'Foul' if len(said) == 1 else 'Fouls'}: {'; '.join(said.values())}. {points_en(FOUL_POINTS)} to the opponent"
    return (ru + (" (один раз, D2)." if len(said) > 1 else "."), en + (" (once, D2)." if len(said) > 1 else "."))


def _foul_text(facts: Facts, score: Score, foul: Foul) -> tuple[str, str]:
    rule = FoulRule(foul.rule)
    if rule is FoulRule.CUE_BALL_POTTED:
        return _own_ball(facts, score)
    if rule is FoulRule.INACTIVE and facts.opening:
        return INACTIVE_OPENING
    if rule is FoulRule.FORBIDDEN_STROKE and foul.event is not None:
        return FORBIDDEN_TEXT.get(facts.events[foul.event].type, FOUL_TEXT[rule])
    ru, en = FOUL_TEXT[rule]
    if rule in (FoulRule.TOUCH, FoulRule.WRONG_BALL) and foul.balls:
        return f"{ru} ({BALL_RU[foul.balls[0]][0]})", f"{en} ({foul.balls[0]})"
    return ru, en


def _own_ball(facts: Facts, score: Score) -> tuple[str, str]:
    """12.7 with the reason: the first thing that differs from the call, or why it does not count without one."""
    ru, en = f"{BALL_RU[facts.cue][0]} (биток) упал не по заказу", f"{facts.cue}, the cue ball, was potted otherwise than called"
    reason = next((f.reason for f in score.failures if f.ball == facts.cue), None)
    if reason is None or reason is NotMade.VOID_CALL:
        return ru, en
    return f"{ru}: {NOT_MADE_RU[reason]}", f"{en}: {reason.value}"


def _made(facts: Facts, items: tuple[Item, ...]) -> _Lines:
    phrases = [_item(facts, item) for item in items]
    ru = capital("; ".join(p[0] for p in phrases))
    en = capital("; ".join(p[1] for p in phrases))
    total = sum(i.points for i in items)
    if len(items) > 1:
        ru, en = f"{ru}. Всего {points_ru(total)}", f"{en}. {points_en(total)} in all"
    return [(ru + ".", en + ".")]


def _item(facts: Facts, item: Item) -> tuple[str, str]:
    """«жёлтый в дальний левый угол: 3 очка (пр. 8.2)», and so for every scoring rule."""
    ball = item.ball or facts.cue
    law_ru, law_en = f"{points_ru(item.points)} (пр. {item.rule})", f"{points_en(item.points)} (rule {item.rule})"
    if item.rule in ("8.1", "8.2", "8.3", "10"):
        fall = facts.fall(ball)
        pocket = fall.pocket if fall else ""
        ru, en = f"{BALL_RU[ball][0]} в {POCKET_RU.get(pocket, pocket)}", f"{ball} into the {POCKET_EN.get(pocket, pocket)}"
        if fall is not None and fall.kind is FallKind.HUNG:
            ru, en = ru + " с задержкой до 3 с", en + " within 3 s of its stop"
        elif fall is not None and fall.knock is not None:
            ru, en = ru + " добиванием", en + ", knocked in"
    elif item.rule == "9.1":
        made = {points: n for n, points in CUSHION_BONUS.items()}[item.points]
        ru, en = (cushions_ru(made), cushions_en(made)) if made < 3 else ("от трёх и более бортов", "off three or more cushions")
    elif item.rule == "9.2":
        ru, en = "комбинация", "combination"
    elif item.rule == "9.3":
        ru, en = "перескок", "jump"
    elif item.rule == "9.4":
        ru, en = "два прямолетящих шара в разные лузы", "two straight balls in two pockets"
    elif item.rule == "8.4":
        ru, en = "трёхбортный карамболь", "three-cushion carom"
    elif item.rule == "8.5":  # as many points as cushions
        ru = f"{BALL_RU[ball][3]} {cushions_ru(item.points)} по чёрному"
        en = f"{ball} {cushions_en(item.points)} onto black"
    else:
        ru, en = f"дополнительных соударений {item.points}", f"additional contacts: {item.points}"
    return f"{ru}: {law_ru}", f"{en}: {law_en}"


def _failures(facts: Facts, called: Called, score: Score, foul: bool) -> _Lines:
    lines: _Lines = []
    if foul and score.made is not None:
        return [("Сыгранное не засчитывается (пр. 12).", "What was made does not count (rule 12).")]
    for failure in score.failures:
        late_cue = failure.reason is NotMade.FELL_LATE and failure.ball == facts.cue
        if failure.reason is NotMade.VOID_CALL or (foul and failure.ball == facts.cue and not late_cue):
            continue  # told by the void call, or by 12.7
        line = _failure(facts, called, failure, scored=score.made is not None)
        if line not in lines:
            lines.append(line)
    return lines


def _failure(facts: Facts, called: Called, failure: Failure, *, scored: bool) -> tuple[str, str]:
    reason = failure.reason
    law = NOT_MADE_LAW.get(reason, "2")
    cited = ", ".join(failure.decisions)
    law_ru, law_en = (f"пр. {law}, {cited}", f"rule {law}, {cited}") if cited else (f"пр. {law}", f"rule {law}")
    ball = failure.ball
    fell = ball is not None and facts.fall(ball) is not None
    if reason is NotMade.NOT_CALLED and ball is not None and scored:
        return (
            f"{capital(BALL_RU[ball][0])} упал случайно и не засчитан ({law_ru}).",
            f"{capital(ball)} fell by accident and does not count ({law_en}).",
        )
    if called.said and not scored and reason not in (NotMade.FELL_LATE, NotMade.NOT_CALLED, NotMade.HALF_A_DOUBLE):
        name_ru, name_en = (f"{BALL_RU[ball][0]}: ", f"{ball}: ") if ball is not None and law == "2" else ("", "")
        return (f"Заказ не выполнен: {name_ru}{NOT_MADE_RU[reason]} ({law_ru}).", f"Not as called: {name_en}{reason.value} ({law_en}).")
    name_ru, name_en = (BALL_RU[ball][0], ball) if ball is not None and fell else ("удар", "stroke")
    return (
        f"{capital(name_ru)} не засчитан: {NOT_MADE_RU[reason]} ({law_ru}).",
        f"{capital(name_en)} does not count: {reason.value} ({law_en}).",
    )


def _placed(facts: Facts, follow: Next) -> _Lines:
    """Where balls that were off the table, or black that was moved, have been put."""
    lines: _Lines = []
    for ball in ("black", "red", "yellow", "white"):
        place, name, spot = follow.places[ball], capital(BALL_RU[ball][0]), _SPOT_OF[ball]
        off = facts.fall(ball) is not None or facts.paths[ball].off_table is not None or ball not in facts.on_table
        if ball in follow.waiting:
            lines.append(
                (f"{name} ждёт, пока освободится {SPOT_FREE_RU[spot]} (пр. 5).", f"{capital(ball)} waits for the {SPOT_EN[spot]} (rule 5).")
            )
        elif ball == "black" and place is not None and (off or facts.paths["black"].touches):
            lines.append((f"{name} — на {SPOT_RU[spot]} (пр. 5).", f"{capital(ball)} goes to the {SPOT_EN[spot]} (rule 5)."))
        elif place is not None and off:
            lines.append(_place(ball, facts, follow))
    return lines


def _place(ball: str, facts: Facts, follow: Next) -> tuple[str, str]:
    name, spot = capital(BALL_RU[ball][0]), _SPOT_OF[ball]
    fall = facts.fall(ball)
    if ball == facts.cue and fall is not None and fall.kind is FallKind.LATE:
        return f"{name} возвращён рукой к краю лузы (D18).", f"{capital(ball)} is put back by hand at the edge (D18)."
    if ball == "white" and ("D1" in follow.decisions):
        return f"{name} — к дальнему короткому борту (пр. 2, D1).", f"{capital(ball)} goes to the foot cushion (rule 2, D1)."
    if ball == "yellow" and "D12" in follow.decisions:
        return f"{name} — на отметку пирамиды или ближайшее место (D12).", f"{capital(ball)} goes to the pyramid spot or next to it (D12)."
    return f"{name} — на {SPOT_RU[spot]} (пр. 5).", f"{capital(ball)} goes to the {SPOT_EN[spot]} (rule 5)."


def _taken(facts: Facts, follow: Next) -> _Lines:
    """Yellow that could not be spotted is the cue ball (rule 5): said, for the hall does not expect it."""
    if not follow.yellow_forced:
        return []
    return [
        (
            "Отметка пирамиды занята, поэтому биток — жёлтый (пр. 5).",
            "The pyramid spot is occupied, so yellow is the cue ball (rule 5).",
        )
    ]


def _turn(state: State, after: State) -> tuple[str, str]:
    ball = after.cue_ball
    hand = after.placement == "in_hand"
    how_ru, how_en = ("с рук", "in hand") if hand else ("с места", "as it lies")
    if state.player == after.player:
        return f"Удар продолжается, биток — {BALL_RU[ball][0]}, {how_ru}.", f"The player goes on; cue ball: {ball}, {how_en}."
    return f"Ход переходит, биток — {BALL_RU[ball][0]}, {how_ru}.", f"The turn passes; cue ball: {ball}, {how_en}."
