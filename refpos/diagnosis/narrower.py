"""Answers of fewer bits than the call asks for: in a format of their own, or widened again before they were handed
over."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..arithmetic import formats
from .call import ROUNDED, stored
from .error_places import one_value
from .numbers import as_numbers
from .places import NARROWER, held
from .trial import REFUSED


class Done(NamedTuple):
    """What was done to a result before anything else is looked at."""

    mistake: str
    computed: str
    asked: str

    def then(self, other):
        """This and what was done after it."""
        return other if self == NOTHING else Done(*(f"{one} and {two}" for one, two in zip(self, other, strict=True)))


NOTHING = Done("", "", "")


def of_another_format(trial):
    """(trial whose call gives the format of the answers, what was done) where that is another one; else None."""
    kinds, expected = ({tensor.dtype for tensor in part.values()} for part in (trial.answered, trial.outputs))
    kind = next(iter(kinds)) if len(kinds) == 1 else None
    if kind not in formats.FORMATS or len(expected) > 1 or not expected <= formats.FORMATS.keys() - {kind}:
        return None
    asked = trial.call.arguments.get("dtype")
    if asked is None:
        call = trial.call.change(**{ROUNDED: kind})
        done = Done("precision", f"the result rounded to {kind}", f"a result of {next(iter(expected))}")
    else:
        call, done = trial.call.change(dtype=kind), Done("dtype", f"dtype={kind!r}", f"dtype={asked!r}")
    try:
        outputs = call.outputs()
    except REFUSED:
        return None
    return trial._replace(call=call, outputs={name: outputs[name] for name in trial.outputs}), done


def of_fewer_bits(trial):
    """The trials of `of_another_format` for each narrower format that holds all of the answers but not all of what is
    expected, as torch's `.float()` leaves them."""
    wide = {tensor.dtype for part in (trial.answered, trial.outputs) for tensor in part.values()}
    if ROUNDED in trial.call.arguments or not wide <= {"float32", "float64"} or one_value(trial):
        return
    for kind in NARROWER:
        narrow = {name: in_format(tensor, kind) for name, tensor in trial.answered.items()}
        expected = [in_format(tensor, kind) for tensor in trial.outputs.values()]
        if None not in narrow.values() and None in expected:
            found = of_another_format(trial._replace(answered=narrow))
            yield from [] if found is None else [found]


def in_format(tensor, kind):
    """The same numbers in a narrower format; None where it does not hold all of them."""
    values = as_numbers(tensor, tensor)
    if not np.array_equal(held(values, kind), values, equal_nan=True):
        return None
    return stored(values, formats.FORMATS[kind])
