"""Results of any function that were rounded to an 8-bit float, as a cache of keys or a quantized table leaves them."""

from __future__ import annotations

import itertools

import numpy as np

from ...arithmetic import formats
from ..call import results
from ..narrower import Done
from ..numbers import as_numbers, blocks
from ..places import NARROWER
from ..trial import REFUSED
from .eight_bit_mistakes import FORMATS
from .eight_bit_rules import Rule, holds, numbers_of

TELLING = 8  # distinct magnitudes up to which numbers say nothing of a format
FIRST = ("", *reversed(NARROWER))  # formats that results may have had before, the widest first


def of_8_bits(trial):
    """What was done to answers that are the results of the call, rounded to an 8-bit float; else None."""
    if {one.dtype for part in (trial.answered, trial.outputs) for one in part.values()} - formats.FORMATS.keys():
        return None
    known = [
        kind
        for kind in FORMATS
        if all(holds(kind, some) for one in trial.answered.values() for some in blocks(one, one))
    ]
    if not known:
        return None
    answered = {name: as_numbers(one, one) for name, one in trial.answered.items()}
    every = np.concatenate([one.reshape(-1)[: 1 << 16] for one in answered.values()])
    if len(np.unique(np.abs(every[: 1 << 16]))) <= TELLING:
        return None
    try:
        made = results(*trial.call, "float64")
    except REFUSED:
        return None
    exact = {name: as_numbers(made[name], made[name]) for name in answered}
    for first, kind, saturate in itertools.product(FIRST, known, (True, False)):
        rule = Rule(kind, first, saturate=saturate)
        if all(np.array_equal(numbers_of(exact[name], rule), one, equal_nan=True) for name, one in answered.items()):
            asked = f"a result of {next(iter(trial.outputs.values())).dtype}"
            before = f", and to {first} first" if first in NARROWER[:2] else ""
            return Done("precision", f"the result rounded to {kind}{before}", asked)
    return None
