"""Where sines and cosines of one frequency may stand in a row, and rows each of which stands there once."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ..steps.waves.tables import LAYOUTS, cos_sin_columns
from ..types import Array

FEW_ROWS = 64  # by which layouts are told apart
NEAR = 32  # rounding units, of float32 at least, by which a sum of squares may be off
ROWS, PAIRS = 0.6, 0.75  # shares of rows, and of pairs, whose sum of squares must be one number
AT_ONCE = 8  # pairs of all rows that are looked at together
FIRST_COSINE = "interleaved, cosines first"


class Layout(NamedTuple):
    """Columns of sines and of the cosines beside them, (pairs,), -1 where there is no cosine, or where one of both is
    zeros; arguments of the call; the columns of its result in the order of the numbers, and how they are written."""

    text: str
    sines: Array
    cosines: Array
    arguments: dict[str, Any]
    channels: Array | None = None
    taken: str = ""

    @property
    def name(self):
        """The layout as an argument."""
        return self.arguments["layout"]

    @property
    def both(self):
        """Which pairs have a cosine."""
        return self.cosines >= 0

    def without(self, dead):
        """The layout without the angles of some columns."""
        return self._replace(cosines=np.where(dead[self.sines] | dead[self.cosines], -1, self.cosines))


def spread(count):
    """The numbers of a few of so many rows, by which layouts are told apart."""
    return np.linspace(0, count - 1, min(FEW_ROWS, count)).astype(np.int64)


def layouts_of(few, unit):
    """The layouts whose pairs have one sum of squares, of a few rows as float64, (rows, width); the likeliest first."""
    few = few[np.isfinite(few).all(axis=1) & few.any(axis=1)]
    dead = ~few.any(axis=0)  # columns of zeros, beside which there is no angle
    found = [one.without(dead) for one in _layouts(few.shape[1], few)]
    found = [one for one in found if len(few) and _is_paired(few, one, unit)]
    # at most positions most angles are small
    return sorted(found, key=lambda one: _size(few, one.cosines) < _size(few, one.sines))


def _size(values, columns):
    return float(np.abs(values[:, columns[columns >= 0]]).mean())


def _layouts(width, few):
    seen = []
    padded = [True] if width % 2 and width > 1 and not few[:, -1].any() else []
    for pad in [*padded, False]:
        even = width - 1 if pad else width
        count, more = (even + 1) // 2, {"odd": "pad"} if pad else {}
        for name in LAYOUTS:
            cosines, sines = (
                part[0] for part in cos_sin_columns(np.arange(width, dtype=np.int64)[None], name, count, even // 2)
            )
            cosines = np.concatenate([cosines, np.full(count - even // 2, -1, np.int64)])
            if (sines.tolist(), cosines.tolist()) not in seen:
                seen.append((sines.tolist(), cosines.tolist()))
                yield Layout(name + (", last column 0" if pad else ""), sines, cosines, {"layout": name, **more})
    if width % 2 == 0:
        index = np.arange(width, dtype=np.int64)
        taken = f"[..., np.arange({width}) ^ 1]"
        yield Layout(FIRST_COSINE, index[1::2], index[::2], {"layout": "interleaved"}, index ^ 1, taken)


def _is_paired(values, layout, unit):
    near = _near(values, layout, unit)
    return bool(near.size and (near.mean(axis=0) >= ROWS).mean() >= PAIRS)


def rows_of_one_size(table, rows, layout, unit):
    """Which of some rows of a `Held` have the sum of squares of the others in most pairs."""
    pairs, near = np.flatnonzero(layout.both), np.zeros(len(rows), np.int64)
    for start in range(0, len(pairs), AT_ONCE):
        some = pairs[start : start + AT_ONCE]
        columns = np.concatenate([layout.sines[some], layout.cosines[some]])
        index = np.arange(len(some), dtype=np.int64)
        few = layout._replace(sines=index, cosines=index + len(some))
        near += np.count_nonzero(_near(table.numbers(np.ix_(rows, columns)), few, unit), axis=1)
    return near / max(1, len(pairs)) >= PAIRS


def _near(values, layout, unit):
    """Where the sum of squares of a pair is the usual one of its pair, (rows, pairs)."""
    sines, cosines = (values[:, columns[layout.both]] for columns in (layout.sines, layout.cosines))
    with np.errstate(over="ignore", invalid="ignore"):
        size = sines * sines + cosines * cosines
        usual = np.median(size, axis=0)
        return (np.abs(size - usual) <= NEAR * max(unit, 2.0**-24) * usual) & (usual > 0)


class Rows(NamedTuple):
    """The indices of rows that are not those of an earlier one, and which of them each row is."""

    first: Array
    which: Array


def different_rows(values):
    """The `Rows` of an array (rows, width), bit by bit."""
    stored = np.ascontiguousarray(values)
    lines = stored.view(np.dtype((np.void, stored.dtype.itemsize * stored.shape[1]))).reshape(-1)
    _, first, which = np.unique(lines, return_index=True, return_inverse=True)
    order = np.argsort(first)
    rank = np.empty(len(order), np.int64)
    rank[order] = np.arange(len(order), dtype=np.int64)
    return Rows(first[order], rank[which.reshape(-1)])
