"""Channels of a partial rotation that should be those of x, and are not."""

from __future__ import annotations

import numpy as np

from ...measure.read import read
from ...measure.wording import runs, several_of
from ...rotary.rope import rope
from ...tensor_files import Tensor
from ..trial import REFUSED
from .measured import Measured
from .measured_pairs import channels_off


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
    told = f"{several_of('channel', off)} are not those of x"
    first, last = int(off[0]), int(off[-1])
    parts = [Tensor(one.dtype, one.values[..., first : last + 1]) for one in (trial.answered[name], x)]
    try:
        found = read(parts[0], rope, parts[1]) if last > first else None
    except REFUSED:
        found = None
    told += f", but a {found.summary}" if found is not None and found.call is not None else ""
    return Measured(told, f"x in channels {runs(kept)}", named=True)
