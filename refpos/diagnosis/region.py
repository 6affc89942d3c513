"""Entries of an axis that are off where the other entries agree: of one axis, of two, or two parts of one."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

AGREEING = 0.1  # of the entries of an axis, that must agree so that the others are a region of it
MOSTLY = 0.9  # of its rows, of how many an entry is off that is off for itself


class Region(NamedTuple):
    """Entries of one axis of the outputs that are off."""

    axis: int
    entries: np.ndarray
    size: int

    @property
    def share(self):
        """How much of the axis is off."""
        return len(self.entries) / self.size

    @property
    def rest(self):
        """The other entries of the axis."""
        return self._replace(entries=np.flatnonzero(~self.chosen))

    def without(self, other):
        """The same region of an array without the entries of another one."""
        if self.axis != other.axis:
            return self
        kept = other.rest.entries
        return Region(self.axis, np.searchsorted(kept, self.entries), len(kept))

    @property
    def chosen(self):
        """Which entries of the axis are off."""
        return np.isin(np.arange(self.size, dtype=np.int64), self.entries)

    def mask(self, shape):
        """Which elements of an array are in the region."""
        along = [self.size if axis == self.axis else 1 for axis in range(len(shape))]
        return np.broadcast_to(self.chosen.reshape(along), shape)

    def of(self, values, axis=None):
        """The entries of an array; of all of them the array itself."""
        if len(self.entries) == self.size:
            return np.ascontiguousarray(values)
        return np.ascontiguousarray(values.take(self.entries, self.axis if axis is None else axis))

    def part(self, tensors):
        """The entries of some outputs."""
        return {name: one._replace(values=self.of(one.values)) for name, one in tensors.items()}


def regions_of(off: np.ndarray) -> Iterator[Region]:
    """The `Region` of each axis of which enough entries agree everywhere."""
    for axis in range(off.ndim):
        wrong = off.any(axis=tuple(k for k in range(off.ndim) if k != axis))
        entries, size = np.flatnonzero(wrong), len(wrong)
        if not 0 < len(entries) < size:
            continue
        hull = np.arange(entries[0], entries[-1] + 1, dtype=np.int64)
        chosen = hull if len(hull) <= (1 - AGREEING) * size else entries
        if len(chosen) <= (1 - AGREEING) * size:
            yield Region(axis, chosen, size)


def pairs_of_regions(off: np.ndarray) -> Iterator[tuple[Region, Region]]:
    """Two regions that hold together all that is off; channels make pairs and are no regions."""
    cells = off.any(axis=-1)
    for axis in range(cells.ndim):
        share = cells.mean(axis=tuple(k for k in range(cells.ndim) if k != axis))
        whole = np.flatnonzero(share >= MOSTLY)
        if 0 < len(whole) <= (1 - AGREEING) * len(share):
            one = Region(axis, whole, len(share))
            others = regions_of(np.where(one.mask(cells.shape), False, cells))
            yield from ((one, other) for other in others if other.axis != axis)
    for axis in range(cells.ndim):
        yield from _split(axis, cells.any(axis=tuple(k for k in range(cells.ndim) if k != axis)))


def _split(axis, off):
    """The entries of an axis that are off on both sides of the widest gap between them."""
    entries = np.flatnonzero(off)
    gaps = np.diff(entries)
    if 0 < len(entries) <= (1 - AGREEING) * len(off) and gaps.max(initial=1) > 1:
        at = int(gaps.argmax()) + 1
        yield tuple(Region(axis, part, len(off)) for part in (entries[:at], entries[at:]))
