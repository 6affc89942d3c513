"""Layouts: which columns of a table hold the sines and which the cosines."""

from typing import get_args

import numpy as np

from ..types import SinusoidLayout

LAYOUTS = get_args(SinusoidLayout)


def columns(rows, layout, sines, cosines):
    """The views (cos, sin) of the columns of rows (n, >= sines + cosines); cosines is sines or one less."""
    if layout == "interleaved":
        return rows[:, 1 : 2 * cosines : 2], rows[:, 0 : 2 * sines : 2]
    if layout == "sin-cos":
        return rows[:, sines : sines + cosines], rows[:, :sines]
    return rows[:, :cosines], rows[:, cosines : cosines + sines]


def as_rows(stored):
    """The array as rows of its last axis, and a function that brings them back where the strides allow no view."""
    rows = stored.reshape(-1, stored.shape[-1])
    if not rows.size or np.shares_memory(rows, stored):
        return rows, lambda: None
    return rows, lambda: stored.__setitem__(..., rows.reshape(stored.shape))
