"""Offsets between queries and keys, and the rows of a table that they read, by plain rules."""

from __future__ import annotations

from typing import Literal, get_args

import numpy as np

from ... import checks
from ...errors import InputError
from .bias import LARGEST_OFFSET

Sign = Literal["key-query", "query-key", "absolute"]
Outside = Literal["clip", "zero", "refuse"]
SIGNS, OUTSIDES = map(get_args, (Sign, Outside))
#: what multiplies key minus query; "absolute" has no direction
DIRECTIONS = {"key-query": 1, "query-key": -1, "absolute": None}


def signed(relative, sign):
    """Offsets of that sign from key minus query."""
    return abs(relative) if sign == "absolute" else DIRECTIONS[sign] * relative


def read_ends(low, high):
    """The smallest and the largest offset that have a row."""
    low, high = (
        checks.integer(name, one, -LARGEST_OFFSET, LARGEST_OFFSET, "E_NUMBER")
        for name, one in (("low", low), ("high", high))
    )
    if high < low:
        raise InputError("E_NUMBER", "high", f"high must be at least low = {low}, got {high}")
    return low, high


def rows(offset, low, high, outside, culprit):
    """The row offset - low of each offset from low to high, as int64; what lies outside as `outside` says.

    culprit: the argument named where an offset is refused.
    """
    if outside == "clip":
        return np.clip(offset, low, high) - low
    beyond = (offset < low) | (offset > high)
    if outside == "refuse" and beyond.any():
        sentence = f"{culprit} must keep distances within {low} .. {high}"
        raise InputError("E_NUMBER", culprit, f"{sentence}, got {int(offset[beyond].flat[0])}")
    return np.where(beyond, -1, offset - low)
