"""What programs really compute: named sequences of operations, each correctly rounded in its format.

    refpos.emulate.float32_angle(refpos.rope_table, 4096, refpos.inverse_frequencies(128))

An emulation is called with a function of refpos and the arguments of that function; docs/emulations.md writes out the
steps of each. `PROFILES` lists them by name, `applies(name, function)` says whether one is an emulation of a function,
and `bounds` how far it can be from the exact value.
"""

from __future__ import annotations

from .limits import bounds
from .lookup import applies, find
from .profiles import PROFILES, Profile

__all__ = ["PROFILES", "Profile", "applies", "bounds", "find", *PROFILES]

globals().update(PROFILES)
