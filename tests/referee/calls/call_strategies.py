"""Every valid call, for hypothesis."""

from hypothesis import strategies as st

from referee.calls import BankBlack, Call, Carom, Combination, Pot
from referee.calls.structure import BALLS, POCKETS

balls = st.sampled_from(BALLS)
combinations = st.builds(Combination, st.sampled_from(("by", "off", "carom")), st.lists(balls, max_size=2, unique=True).map(tuple))
pots = st.builds(
    Pot,
    ball=balls,
    pocket=st.sampled_from(POCKETS),
    cushions=st.integers(0, 3),
    combination=st.none() | combinations,
    jump=st.sampled_from((None, "ball", "jaw")),
)
caroms = st.builds(Carom, balls, balls)
banks = st.builds(BankBlack, balls, st.integers(0, 12), st.integers(0, 12))
elements = pots | caroms | banks
calls = st.builds(Call, st.lists(elements, min_size=1, max_size=3).map(tuple))
cues = st.sampled_from(("white", "yellow"))
