"""Where a tensor is wrong, and how far: a small picture of its errors, and the indices that they stand at."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..types import Array
from . import power
from .compare import as_tensor, compare, element_errors
from .report import Worst

ROWS, COLUMNS = 128, 192  # of a picture; of a larger tensor each point stands for a block, and shows its largest error
RUNS = 3  # in the words on one axis
#: what each level of a picture says of an element
LEVELS = (
    "equal",
    "off by what is allowed",
    "wrong by less than 0.01 %",
    "wrong by less than 1 %",
    "wrong by less than 30 %",
    "wrong by 30 % or more",
    "not a number, or infinitely far",
)
EDGES = np.array([1e-4, 1e-2, 0.3])  # of the largest magnitude that is expected
ALLOWED, APART = 1, len(LEVELS) - 1


class ErrorMap(NamedTuple):
    """Levels of the errors of a tensor: a row for each index of all axes but the last, a column for each of the last.

    shape: of the tensor. levels: uint8 array, at most 128 x 192, of the largest level in each block. counts:
    elements of each level. places: for each axis, at which indices of it something is wrong. worst: the index of the
    largest error beyond what is allowed, or None; element: what stands there.
    """

    shape: tuple[int, ...]
    levels: Array
    counts: tuple[int, ...]
    places: tuple[str, ...]
    worst: tuple[int, ...] | None
    element: Worst | None = None

    @property
    def wrong(self) -> int:
        """How many elements are off by more than is allowed."""
        return sum(self.counts[ALLOWED + 1 :])


def error_map(actual, expected, limits=(), *, dtype=None):
    """The ErrorMap of two tensors that `compare` takes, of one shape. limits: (unit "ulp" or "absolute", array or
    number) of the classes that may be met; what lies within one of them is allowed. The other levels are shares of the
    largest finite magnitude that is expected."""
    distance, error = element_errors(actual, expected, dtype=dtype)
    wanted = as_tensor("expected", expected, dtype)
    shape = wanted.values.shape
    levels = np.searchsorted(EDGES * power.largest(wanted), error, side="right").astype(np.uint8) + np.uint8(
        ALLOWED + 1
    )
    for unit, limit in limits:
        limit = np.nan_to_num(np.asarray(limit, np.float64), nan=0.0, posinf=0.0).reshape(-1)
        levels[(distance if unit == "ulp" else error) <= limit] = ALLOWED
    levels[~np.isfinite(distance) | ~np.isfinite(error)] = APART
    levels[distance == 0] = 0
    counts = tuple(np.bincount(levels, minlength=len(LEVELS)).tolist())
    wrong = (levels > ALLOWED).reshape(shape)
    places = tuple(_indices(_along(wrong, axis)) for axis in range(wrong.ndim))
    # among those that are not a number or infinitely far, the first
    beyond = np.where(wrong.reshape(-1), np.where(levels == APART, np.inf, error), -1.0)
    worst = tuple(map(int, np.unravel_index(int(beyond.argmax()), shape))) if wrong.any() else None
    columns = shape[-1] if shape else 1
    blocks = _blocks(levels.reshape(levels.size // max(columns, 1), columns))
    element = None if worst is None else _element(as_tensor("actual", actual, dtype), wanted, worst, dtype)
    return ErrorMap(shape, blocks, counts, places, worst, element)


def _element(actual, expected, index, dtype):
    """What stands at an index of both tensors."""
    pair = (tensor._replace(values=tensor.values[index].reshape(1)) for tensor in (actual, expected))
    return compare(*pair, dtype=dtype).worst._replace(index=index)


def _along(wrong, axis):
    return wrong.any(axis=tuple(other for other in range(wrong.ndim) if other != axis))


def _blocks(levels):
    """The largest level of each block, so that no side is too long."""
    for axis, most in enumerate((ROWS, COLUMNS)):
        step = max(1, -(-levels.shape[axis] // most))
        if step > 1:
            levels = np.maximum.reduceat(levels, np.arange(0, levels.shape[axis], step, dtype=np.int64), axis=axis)
    return levels


def _indices(mask):
    """Which indices of an axis, in words: "all 8", "0 to 3 and 7, of 0 to 8", "every second from 1, of 0 to 7"."""
    size, at = mask.size, np.flatnonzero(mask)
    if at.size == size:
        return f"all {size}" if size > 1 else "its only index"
    of = f", of 0 to {size - 1}"
    if not at.size:
        return f"none{of}"
    if at.size > 2 and at.size == len(range(at[0], size, 2)) and (np.diff(at) == 2).all():
        return f"every second from {at[0]}{of}"
    ends = np.flatnonzero(np.diff(at) > 1)
    runs = list(zip(at[np.r_[0, ends + 1]].tolist(), at[np.r_[ends, at.size - 1]].tolist()))
    if len(runs) > RUNS:
        return f"{at.size} indices from {at[0]} to {at[-1]}{of}"
    words = [str(first) if first == last else f"{first} to {last}" for first, last in runs]
    return " and ".join(filter(None, (", ".join(words[:-1]), words[-1]))) + of
