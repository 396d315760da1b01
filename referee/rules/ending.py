"""The end of the game (rule 1, D17)."""

from __future__ import annotations


def winner(scores: tuple[int, int], target: int | None, last: int) -> int | None:
    """The player who has reached the target, also by the opponent's foul; None while nobody has, or without a target.

    `last` is the player who got the points of this stroke; should both stand at the target, that one has won.
    """
    if target is None:
        return None
    reached = [p for p in (0, 1) if scores[p] >= target]
    if not reached:
        return None
    return last if last in reached else reached[0]
