"""Channels of a partial rotation that should be those of x, and are not."""

from __future__ import annotations

import numpy as np

from ...measure.coefficients import fitted, known_members
from ...measure.read import read
from ...measure.solving import unit_of
from ...measure.wording import number, runs, several_of
from ...rotary.rope import rope
from ...tensor_files import Tensor
from ..error_places import all_of, is_one
from ..numbers import as_numbers
from ..trial import REFUSED
from .measured import Measured
from .measured_pairs import channels_off

UNITS = 2  # rounding units, by which numbers may be off


def _what(answers, x, off, kind):
    """What channels are, in words: one number, x times a number, or not those of x."""
    parts = [one._replace(values=one.values[..., off]) for one in (answers, x)]
    if is_one(parts[0], x):
        return f"are not those of x, but {all_of(parts[0], x)}"
    got, wanted = (as_numbers(one, x).reshape(-1) for one in parts)
    if np.isfinite(got).all() and np.isfinite(wanted).all() and wanted.any():
        found = fitted(got, wanted[None], unit_of(kind))
        factor = known_members(float(found.values[0]), float(found.widths[0]), (1.0, -1.0))[0]
        if (np.abs(got - factor * wanted) <= UNITS * unit_of(kind) * np.abs(factor * wanted)).all():
            return f"are x times {number(factor)}"
    return "are not those of x"


def measured_tail(trial) -> Measured | None:
    """What the channels are that the call copies, where they alone are off; else None."""
    x, (name, expected) = trial.call.tensors.get("x"), next(iter(trial.outputs.items()))
    if trial.call.suite != "rope" or expected.values.shape != x.values.shape:
        return None
    axes = tuple(range(expected.values.ndim - 1))
    kept = np.flatnonzero((expected.values == x.values).all(axis=axes))
    if not 0 < len(kept) < expected.values.shape[-1]:
        return None
    off = np.array(sorted(channels_off(trial)), np.int64)
    if not len(off) or not np.isin(off, kept).all():
        return None
    told = f"{several_of('channel', off)} {_what(trial.answered[name], x, off, expected.dtype)}"
    first, last = int(off[0]), int(off[-1])
    parts = [Tensor(one.dtype, one.values[..., first : last + 1]) for one in (trial.answered[name], x)]
    try:
        found = read(parts[0], rope, parts[1]) if last > first else None
    except REFUSED:
        found = None
    told += f", but a {found.summary}" if found is not None and found.call is not None else ""
    return Measured(told, f"x in channels {runs(kept)}", named=True)
