"""Gradients of what reads learned tables: exact sums of the cotangents that stand where an element was read."""

from fractions import Fraction
from typing import Any

import numpy as np

from ... import checks
from ...errors import InputError, InputTypeError
from . import doubles, gather, learned_tables, scatter, weighted_sums
from .gather import Table


def read_cotangent(cotangent, shape, fmt):
    """The gradient for a result of that shape and format, as a `Table`."""
    table = gather.read_table("cotangent", cotangent, tuple(map(str, shape)))
    wanted, kind = learned_tables.floats(fmt), learned_tables.floats(table.fmt)
    if kind is not wanted:
        received = "uint16, bit patterns of bfloat16" if str(getattr(cotangent, "dtype", "")) == "uint16" else kind.name
        sentence = f"cotangent must have the dtype of the result, {wanted.name}, got {received}"
        raise InputTypeError("E_DTYPE", "cotangent", sentence)
    if table.shape != tuple(shape):
        sentence = f"cotangent must have the shape of the result, {tuple(shape)}, got {table.shape}"
        raise InputError("E_SHAPE", "cotangent", sentence)
    return table


def check_options(given):
    """Refuse the `threads` and the `view` that the function refuses; no gradient depends on them."""
    checks.thread_count(given["threads"])
    if "view" in given:
        checks.flag("view", given["view"])


def format_of(name, value, bits=True):
    """What `checks.output` takes for the gradient of an argument; None for integers and exact numbers, which have none.

    bits: whether uint16 are bit patterns of bfloat16.
    """
    array = checks.array(name, value)
    if array.dtype.kind in "iuO" and not (bits and array.dtype.name == "uint16"):
        return None
    table = gather.read_table(name, array, tuple(map(str, array.shape)))
    return table.fmt if array.dtype.name == "uint16" else learned_tables.floats(table.fmt)


def read_trained(name, values):
    """An argument that has a gradient, as a `Table` of any shape."""
    return gather.read_table(name, values, ("axis",) * checks.array(name, values, "E_DTYPE", "an array of floats").ndim)


def rounded(tables, found):
    """{name: gradient in the shape and dtype of the `Table`} of float64 gradients of the same names; every NaN is the
    positive quiet one."""
    made = {}
    for name, table in tables.items():
        made[name], stored = checks.output(None, table.shape, table.fmt)
        values = found[name]
        doubles.store(stored, np.where(np.isnan(values), np.nan, values), table.fmt)
    return made


def add_rows(table, rows, cotangent, factor=Fraction(1)):
    """The gradient for a `Table` (count, channels): factor times the sum of the cotangents of each row.

    rows: of any shape, the row of each vector of the `Table` cotangent (*rows.shape, channels).
    """
    result, stored = checks.output(None, table.shape, table.fmt)
    fmt = learned_tables.floats(cotangent.fmt)
    vectors = np.ascontiguousarray(cotangent.patterns).view(fmt.storage).reshape(rows.size, table.shape[1])
    scatter.fill(stored, rows.reshape(-1), vectors, fmt, learned_tables.floats(table.fmt), factor)
    return result


def of_copies(name: str) -> Any:
    """The rule of a function that copies elements of the argument of that name."""

    def gradient(function, given, cotangent):
        weight = checks.array(name, given[name])
        table = gather.read_table(name, weight, tuple(map(str, weight.shape)))
        numbered = np.arange(weight.size, dtype=np.float64).reshape(weight.shape)
        # which element stands where, in float64, which holds the numbers exactly
        read = function(**{**given, name: numbered}).astype(np.int64)
        cotangent = read_cotangent(cotangent, read.shape, table.fmt)
        flat = Table(table.patterns.reshape(-1, 1), table.fmt)
        return add_rows(flat, read, cotangent).reshape(table.shape)

    return gradient


def fill_transposed(stored, cotangent, axes, fmt):
    """Fill stored (*old, channels) with the weighted sums of a `Table` (*new, channels) along each axis.

    axes: for each axis {old row: weight} of each new row.
    """
    if not cotangent.patterns.size:
        stored[...] = 0  # of all formats the pattern of +0
        return
    transposed = []
    for size, axis in zip(stored.shape, axes):
        weights = [{} for _ in range(size)]
        for new, of_row in enumerate(axis):
            for row, weight in of_row.items():
                weights[row][new] = weight
        transposed.append(weighted_sums.axis(weights))
    weighted_sums.fill(stored, learned_tables.values(cotangent), transposed, learned_tables.floats(fmt))
