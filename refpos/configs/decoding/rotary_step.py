"""One rotation for many small calls: the bits and errors of `Rotary.rotate`, with nothing that is decided once."""

from collections.abc import Callable
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from ...models.rotary import Rotary
from ...steps.angles.frequencies import Frequencies
from ...steps.waves import fast_path


class RotaryStep(NamedTuple):
    """A `Rotary`, and rotate(x, positions, seq_axis, dtype, threads), which does what its method does."""

    rotary: Rotary
    rotate: Callable

    @property
    def frequencies(self) -> Frequencies:
        """Those of the rotation."""
        return self.rotary.frequencies


def rotary_step(rotary):
    """The `RotaryStep` of a `Rotary`."""
    is_plain = rotary.placement == "first" and rotary.blocks == 1 and not rotary.deinterleaved
    frequencies, axes = rotary.frequencies, rotary.frequencies.axes
    count = 0 if axes is None else max(axes, default=0) + 1
    # of tokens whose position is the same on every axis, the axes change nothing
    one_axis = frequencies if axes is None else replace(frequencies, axes=None)
    pairing, inverse, channels = rotary.pairing, rotary.inverse, rotary.head_dim

    def rotate(x, positions, seq_axis, dtype, threads):
        if is_plain and type(x) is np.ndarray and x.shape[-1:] == (channels,) and fast_path.on_one_thread(threads):
            row = positions if axes is None else _only_row(positions, count)
            rotated = fast_path.rotate(x, row, pairing, one_axis, 10000.0, inverse, seq_axis, dtype, None)
            if rotated is not None:
                return rotated
        return rotary.rotate(x, positions, seq_axis=seq_axis, dtype=dtype, threads=threads)

    return RotaryStep(rotary, rotate)


def _only_row(positions, count):
    """The positions of the tokens on the first of the axes, where those on the others are the same integers."""
    if type(positions) is np.ndarray and positions.ndim == 2 and len(positions) == count:
        return positions[0] if (positions[1:] == positions[0]).all() else None
    if type(positions) is list and len(positions) == count:
        is_list = all(type(row) is list and row == positions[0] for row in positions)
        return positions[0] if is_list and all(type(one) is int for row in positions for one in row) else None
    return None
