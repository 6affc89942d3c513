"""What the functions of packed batches share: checked boundaries, lengths and offsets."""

from __future__ import annotations

import numpy as np

from ... import checks
from ...errors import InputError
from .. import _rows

MOST = _rows.LARGEST_POSITION


def read_cu_seqlens(values):
    """Boundaries (sequences + 1,) as int64 that begin with 0 and never fall; an int is the length of one sequence."""
    found = checks.integers("cu_seqlens", values)
    if not found.ndim:
        return np.array([0, checks.integer("cu_seqlens", found, 0, MOST)], np.int64)
    array = _rows.read_integers("cu_seqlens", found, ("sequences + 1",))
    if not array.size:
        raise InputError("E_SHAPE", "cu_seqlens", "cu_seqlens must have at least one boundary, got shape (0,)")
    if array[0]:
        raise InputError("E_POSITION", "cu_seqlens", f"cu_seqlens must begin with 0, got {array[0]}")
    falls = array[1:] < array[:-1]
    if falls.any():
        at = int(np.argmax(falls))
        raise InputError(
            "E_POSITION", "cu_seqlens", f"cu_seqlens must never fall, got {array[at + 1]} after {array[at]}"
        )
    if array[-1] > MOST:
        raise InputError("E_SIZE", "cu_seqlens", f"cu_seqlens must be at most {MOST}, got {array[-1]}")
    return array


def read_offsets(name, values, count, what):
    """One offset for each of `count` rows or sequences, as int64; an int is that of all of them."""
    found = checks.integers(name, values)
    if not found.ndim:
        return np.broadcast_to(np.int64(checks.integer(name, found, 0, MOST)), (count,))
    array = _rows.read_integers(name, found, (what,), 0)
    if len(array) != count:
        raise InputError("E_SHAPE", name, f"{name} must be an int or one for each of {count} {what}, got {len(array)}")
    if array.size and array.max() > MOST:
        raise InputError("E_SIZE", name, f"{name} must be at most {MOST}, got {array.max()}")
    return array


def fill_ids(stored, bounds):
    """Write the sequence of each token: the steps between the ids at the beginnings, added up in place."""
    if stored.size:
        kept = np.flatnonzero(np.diff(bounds))
        stored[...] = 0
        stored[bounds[kept]] = np.diff(kept, prepend=0)
        np.cumsum(stored, dtype=np.int64, out=stored)


def inverse_of(indices, total):
    """Where each of the integers 0 .. total - 1 stands in `indices`, which holds each of them once."""
    inverse = checks.empty("out", (total,), np.int64)
    inverse[indices.reshape(-1)] = np.arange(total, dtype=np.int64)
    return inverse
