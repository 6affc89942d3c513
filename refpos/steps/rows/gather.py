"""Gather: entries of a learned table chosen by an index, their bits copied.

A bias of learned weights is an index, which says what entry each query and key has, and a gather:

    result[heads..., *i] = table[heads..., index[*i]]

Swin and BEiT number the entries of (entries, heads) by two-dimensional offsets, T5 by buckets; MaxViT has a pair of
indices for (heads, rows, columns). Of Shaw's vectors (offsets, channels) the channels stay last, in the result too.
"""

import math
from typing import NamedTuple

import numpy as np

from ... import checks, foreign
from ...arithmetic import formats
from ...arithmetic.formats import FORMATS, Format, bits
from ...checks import UINT16, CopiedDtype
from ...errors import InputError, InputTypeError
from ...kernels.threads import for_blocks

BLOCK = 1 << 18  # values copied at a time


class Table(NamedTuple):
    """A learned table as unsigned integers in native byte order, so that NaNs keep their payload, and its format."""

    patterns: np.ndarray
    fmt: Format | CopiedDtype

    @property
    def shape(self):
        """The shape of the weight."""
        return self.patterns.shape

    def part(self, rows, axes=None):
        """Some of its rows; axes: sizes of the axes that these rows are then cut into."""
        patterns = self.patterns[rows]
        return Table(patterns if axes is None else patterns.reshape(*axes, *patterns.shape[1:]), self.fmt)


def read_table(name, weight, axes):
    """A weight of float64, float32, float16, bfloat16 or uint16 bit patterns, in any strides and byte order.

    axes: what the axes of the weight are called, for the message where their number differs.
    """
    array, kind = foreign.tagged_if_known(*foreign.read(name, weight, "E_DTYPE", "an array of floats"))
    fmt = formats.of_array(array) if kind is None else None
    if kind == "bfloat16" or (fmt is None and kind is None and array.dtype.name == "uint16"):
        fmt = UINT16
    if fmt is None:
        known = ", ".join([*FORMATS, "uint16"])
        raise InputTypeError("E_DTYPE", name, f"{name} must have one of the dtypes {known}, got {kind or array.dtype}")
    if array.ndim != len(axes):
        named = f"({', '.join(axes)}{',' if len(axes) == 1 else ''})"
        # checkpoints of vision transformers have (1, tokens, channels)
        hint = f": give {name}[0]" if array.shape[:1] == (1,) and array.ndim == len(axes) + 1 else ""
        raise InputError("E_SHAPE", name, f"{name} must have shape {named}, got {array.shape}{hint}")
    checks.room(name, array)
    unsigned = np.dtype(f"u{array.itemsize}")
    patterns = array.view(unsigned if array.dtype.isnative else unsigned.newbyteorder())
    return Table(patterns.astype(unsigned, copy=False), fmt)


def read_index(name, index, size):
    """An index as int64, of any shape; each number must be one of 0 .. size - 1."""
    index = checks.integers(name, index)
    low, high = checks.extremes(index) if index.size else (0, -1)
    if low < 0 or high >= size:
        limit = f"within 0 .. {size - 1}" if size else "empty, as the table is"
        raise InputError("E_NUMBER", name, f"{name} must be {limit}, got {low if low < 0 else high}")
    return index.astype(np.int64, copy=False)


def gather(table, *indices, axes=(0,), others="first", out=None, threads=None):
    """The entries of a `Table` at the indices: what `read_index` returns, one for each of the axes, which broadcast.

    axes: the axes of the table that the indices number. others: where the other axes stand in the result, "first"
    (heads, *index) or "last" (*index, channels). `out` receives the result; its bits do not depend on `threads`.
    """
    index_shape = checks.broadcast(*(index.shape for index in indices))
    rest = tuple(size for k, size in enumerate(table.shape) if k not in _from_front(table, axes))
    shape = (*rest, *index_shape) if others == "first" else (*index_shape, *rest)
    checks.thread_count(threads)
    array, stored = checks.output(out, shape, table.fmt, apart_from=(table.patterns, *indices))
    fill(stored, table, *indices, axes=axes, others=others, threads=threads)
    return array


def fill(stored, table, *indices, axes=(0,), others="first", threads=None):
    """Fill `stored`, of the storage dtype and any strides, with what `gather` returns."""
    if not stored.size:
        return
    shape, axes = table.shape, _from_front(table, axes)
    rest = [k for k in range(len(shape)) if k not in axes]
    index = indices[0] if len(axes) == 1 else _flat_index(indices, [shape[k] for k in axes])
    # entries of one head lie together, so that its values are written in order
    heads, order = (len(rest), (*rest, *axes)) if others == "first" else (0, (*axes, *rest))
    entries, target = np.ascontiguousarray(table.patterns.transpose(order)), bits(stored)
    if len(axes) > 1:
        before, after = entries.shape[:heads], entries.shape[heads + len(axes) :]
        entries = entries.reshape(*before, math.prod(shape[k] for k in axes), *after)
    if stored.size <= BLOCK:  # "clip": the index is checked already, and other modes write to a buffer first
        np.take(entries, index, axis=heads, out=target, mode="clip")
    else:
        each = np.ndindex(entries.shape[:heads])
        _fill_rows([(entries[(*head, ...)], target[(*head, ...)]) for head in each], index, threads)


def _fill_rows(parts, index, threads):
    """target[*i] = entries[index[*i]] for each of the parts (entries, target), a block of rows at a time."""
    if not index.ndim:
        index, parts = index[None], [(entries, target[None]) for entries, target in parts]
    row_size = max(1, parts[0][1].size // len(index))
    rows = max(1, BLOCK // row_size)
    blocks = [(part, start) for part in parts for start in range(0, len(index), rows)]
    at_once = max(1, BLOCK // (min(rows, len(index)) * row_size))

    def work(first, last):
        for (entries, target), start in blocks[first:last]:
            np.take(entries, index[start : start + rows], axis=0, out=target[start : start + rows], mode="clip")

    for_blocks(work, len(blocks), at_once, threads)


def _flat_index(indices, sizes):
    """The number of each entry among all of the axes, in row-major order."""
    flat = indices[0]
    for index, size in zip(indices[1:], sizes[1:]):
        flat = flat * size + index
    return flat


def _from_front(table, axes):
    """The axes counted from the front."""
    return [axis % table.patterns.ndim for axis in axes]
