"""Settings that hold for all tests."""

from __future__ import annotations

import os

from hypothesis import settings

# In CI the same examples every time: a new counterexample is found on a desk, not in somebody else's change.
settings.register_profile("ci", derandomize=True, deadline=None)
settings.register_profile("desk", deadline=None)
settings.load_profile("ci" if os.environ.get("CI") else "desk")
