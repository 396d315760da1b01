"""The rules of Poedinok as pure functions of immutable values: one module for each family of rules.

`terms` (words and numbers) and `facts` (what each ball did in a stroke) are the ground; `pots`, `carom`, `bank` and
`bonuses` say what a stroke makes; `call`, `black` and `in_hand` say whether a call may be made at all; `fouls` what is
penalised; `spotting` and `succession` what comes next; `ending` when it is over; `explain` tells it to the hall and
`adjudication` puts it together. No clock, no file, no image, no numpy.
"""
