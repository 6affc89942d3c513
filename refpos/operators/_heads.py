"""What the attention operators share: heads of three axes, and their outputs."""

from __future__ import annotations

import numpy as np

from .. import checks
from ..arithmetic.formats import Format
from ..scores.attention import given_outs
from ..steps.rows import doubles
from ..types import Array


def split(array: np.ndarray, heads: int) -> np.ndarray:
    """(batch, seq, heads * dim) as (batch, heads, seq, dim)."""
    batch, seq, width = array.shape
    return array.reshape(batch, seq, heads, width // heads).swapaxes(1, 2)


def joined(array: np.ndarray) -> np.ndarray:
    """(batch, heads, seq, dim) as (batch, seq, heads * dim)."""
    batch, heads, seq, width = array.shape
    return array.swapaxes(1, 2).reshape(batch, seq, heads * width)


def written(found: dict[str, np.ndarray], names: list[str], single: bool, out, inputs, fmt: Format):
    """The outputs of these names in float64, rounded once to the format: an array, or a tuple of arrays."""
    arrays: list[Array] = []
    for name, given in zip(names, given_outs(out, names, single)):
        result, stored = checks.output(given, found[name].shape, fmt, apart_from=[*inputs, *arrays])
        doubles.store(stored, found[name], fmt)
        arrays.append(result)
    return arrays[0] if single else tuple(arrays)
