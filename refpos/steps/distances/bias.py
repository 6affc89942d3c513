"""Relative positions to bias: one value for each head and relative position becomes (heads, query, key).

A bias that depends on key position minus query position only is a Toeplitz matrix: of heads * query_len * key_len
entries only heads * (query_len + key_len - 1) differ. They are computed once; the rest is a copy, or no copy at all.
"""

import math

import numpy as np

from ... import checks
from ...arithmetic import formats
from ...errors import InputError, shown
from ..waves import tables

LARGEST_OFFSET = 2**53


def relative_positions(query_len, key_len, query_offset):
    """Every key position minus query position, ascending: shape (query_len + key_len - 1,), or (0,) without entries."""
    if not query_len or not key_len:
        return np.empty(0, np.int64)
    return np.arange(1 - query_len - query_offset, key_len - query_offset, dtype=np.int64)


def read_offset(query_offset):
    """The argument `query_offset`: the position of the first query, an integer of either sign."""
    return checks.integer("query_offset", query_offset, -LARGEST_OFFSET, LARGEST_OFFSET, code="E_POSITION")


def toeplitz(fill, shape, fmt, *, out=None, view=False, apart_from=(), threads=None):
    """The bias of that shape (heads, query_len, key_len), from the values at `relative_positions`.

    fill(values) writes them, a row for each head. With view, the result is a read-only view of these rows.
    """
    heads, query_len, key_len = shape
    rows = (heads, query_len + key_len - 1 if query_len and key_len else 0)
    if checks.flag("view", view):
        _check_view(out, shape, fmt)
        array, values = checks.output(None, rows, fmt)
        fill(values)
        return strided(array, query_len, key_len)
    array, stored = checks.output(out, shape, fmt, apart_from=apart_from)
    if query_len == 1 or key_len == 1:
        # every value occurs once: the output itself holds the rows, queries in descending order
        fill(stored[:, 0] if query_len == 1 else stored[:, ::-1, 0])
        return array
    values = np.empty(rows, fmt.storage)
    fill(values)
    expand(values, stored, threads)
    return array


def repeated(rows, query_len, first_query, fmt, *, out=None, view=False, threads=None):
    """The bias (..., heads, query_len, keys) that repeats rows (..., heads, keys), of the storage of the format.

    first_query: the position of the first query where keys after a query get minus infinity, else None.
    """
    *batch, heads, keys = rows.shape
    shape = (*batch, heads, query_len, keys)
    if view:
        _check_view(out, shape, fmt)
        array, values = checks.output(None, rows.shape, fmt)
        values[...] = rows
        return np.broadcast_to(array[..., None, :], shape)
    array, stored = checks.output(out, shape, fmt)
    for index in np.ndindex(*batch):
        source = np.broadcast_to(rows[index][:, None], shape[-3:])
        tables.copy_repeated(source, stored[index], threads)
    if first_query is not None:
        for query in range(query_len):
            formats.bits(stored)[..., query, max(0, first_query + query + 1) :] = minus_infinity(fmt)
    return array


def minus_infinity(fmt):
    """The bit pattern of minus infinity."""
    return (1 << fmt.width) - (1 << fmt.precision - 1)


def read_mask(mask, key_len, kind=np.int64):
    """The argument `mask`, (..., key_len), as an array of 0 and 1, or of booleans."""
    array = checks.array("mask", mask)
    is_row = array.ndim and array.shape[-1] == key_len and array.dtype.kind in "biu"
    if not is_row or not (array.dtype.kind == "b" or np.isin(array, (0, 1)).all()):
        raise InputError("E_SHAPE", "mask", f"mask must be (..., {key_len}) of 0 and 1, got {shown(mask)}")
    return array.astype(kind)


def strided(values, query_len, key_len):
    """Read-only view (heads, query_len, key_len) of rows of values: [h, i, j] is values[h, j - i + query_len - 1]."""
    if not values.size:
        empty = np.empty((len(values), query_len, key_len), values.dtype)
        empty.flags.writeable = False
        return empty
    head, step = values.strides
    return np.lib.stride_tricks.as_strided(
        values[:, query_len - 1 :], (len(values), query_len, key_len), (head, -step, step), writeable=False
    )


def expand(values, stored, threads):
    """Copy rows of values (heads, query_len + key_len - 1) into a bias (heads, query_len, key_len) of their dtype."""
    # each row of the bias is contiguous in its row of values, so rows are copied whole
    tables.copy_repeated(strided(values, *stored.shape[1:]), stored, threads)


def _check_view(out, shape, fmt):
    if out is not None:
        raise InputError("E_OUT", "out", f"out must be None with view=True, got {type(out).__name__}")
    check_size(shape, fmt)


def check_size(shape, fmt):
    """Refuse a result that no array can hold."""
    if math.prod(shape) * (fmt.width // 8) > checks.LARGEST_SIZE:
        dims = " x ".join(map(str, shape))
        raise InputError("E_TOO_LARGE", "out", f"the result must have fewer than 2**63 bytes, got {dims} of {fmt.name}")
