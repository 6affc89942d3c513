"""Arrays of the four formats as exact float64 numbers, and float64 results rounded once: the edge of `sequence64`."""

import numpy as np

from ... import checks, foreign
from ...arithmetic import formats, rounding
from ...errors import InputError, shown
from . import gather, learned_tables


def read(name, values, axes=None):
    """(float64 numbers, format) of an array of floats; uint16 are bit patterns of bfloat16.

    axes: what its axes are called, where their number is fixed.
    """
    table = read_table(name, values, axes)
    return learned_tables.values(table), table.fmt


def read_table(name, values, axes=None):
    """The same as a `gather.Table`, whose numbers are made when they are needed."""
    named = axes if axes is not None else ("axis",) * checks.array(name, values, "E_DTYPE", "an array of floats").ndim
    return gather.read_table(name, values, named)


def read_shaped(name, values, shape, what):
    """float64 numbers of a shape that other arguments fix, or None; `what`: that shape in words, for the message."""
    if values is None:
        return None
    numbers, _ = read(name, values)
    if numbers.shape != shape:
        raise InputError("E_SHAPE", name, f"{name} must be {shape}, {what}, got shape {numbers.shape}")
    return numbers


def number(name, value):
    """A real number rounded once to float64; what is beyond its range is refused."""
    try:
        return float(checks.real(name, value))
    except OverflowError:
        raise InputError("E_NUMBER", name, f"{name} must be within float64, got {shown(value)}") from None


def arrays(*values):
    """Those of the values that are arrays, with which a result must share no memory."""
    return foreign.memory(*values)


def store(stored, values, fmt):
    """Write float64 values, rounded once to the format, into the storage of a result."""
    stored[...] = rounded(values, fmt)


def rounded(values, fmt):
    """float64 values rounded once to the format, in its storage; every NaN is the positive quiet one."""
    fmt = learned_tables.floats(fmt)
    with np.errstate(invalid="ignore"):
        narrowed = rounding.narrow(values, fmt)
    if fmt.width == 32:
        formats.bits(narrowed)[np.isnan(narrowed)] = fmt.nan
    return narrowed
