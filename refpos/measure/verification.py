"""Whether the values of a call lie within the error bounds of given numbers, row by row."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..arithmetic import formats
from ..conformance import CLASSES, earned, power
from ..conformance.compare import element_errors
from ..types import Array
from .subjects import AT_A_TIME

FEW_ROWS = 24
ULPS = {"correct": 0.0, "faithful": 1.0}  # bounds of the classes that count them
MOSTLY = 0.5  # of the rows that a call must have before it is said to give the numbers


class Verified(NamedTuple):
    """The strictest class that most rows of a region meet, or None; and which rows of it, (rows,), lie within it."""

    kind: str | None
    within: Array

    @property
    def weakness(self):
        """(rows outside of the bounds, place of the class among all, the strictest first)."""
        return int((~self.within).sum()), list(CLASSES).index(self.kind)


def verified(subject, region, recipe, positions, backwards, classes, few=False):
    """`Verified`: the numbers of a region, or a few of its rows, judged by the bounds of a call in some classes. These
    are not derived where all rows are within a unit in the last place."""
    chosen = np.flatnonzero(np.isfinite(positions))
    if few:
        chosen = chosen[np.linspace(0, len(chosen) - 1, min(FEW_ROWS, len(chosen))).astype(np.int64)]
    if not len(chosen):
        return Verified(None, np.zeros(len(positions), bool))
    for in_ulps in (True, False):
        found = _verified(_blocks(subject, region, chosen, (recipe, positions, backwards)), chosen, classes, in_ulps)
        if found is not None:
            break
    within = np.zeros(len(positions), bool)
    within[chosen] = found.within
    return Verified(found.kind, within)


def _blocks(subject, region, chosen, call):
    """(which of the chosen rows, what `subject.judged` says of them), block by block."""
    recipe, positions, backwards = call
    step = max(1, AT_A_TIME // max(1, subject.row_size()))
    for start in range(0, len(chosen), step):
        some = chosen[start : start + step]
        yield slice(start, start + step), subject.judged(region, some, recipe, positions[some], backwards)


def _verified(blocks, chosen, classes, in_ulps):
    """`Verified` of the chosen rows; in_ulps: by the bounds alone that count units in the last place, None where these
    do not hold all rows."""
    within, resolved, count = {}, {}, 0
    for some, (answers, expected, limits_of) in blocks:
        limits = counted(expected) if in_ulps else limits_of()
        for kind, met, told, judged in _judged(answers, expected, limits):
            within.setdefault(kind, np.zeros(len(chosen), bool))[some] = met
            resolved[kind] = resolved.get(kind, 0) + told
            count += judged if kind == "correct" else 0
        if in_ulps and not any(one[some].all() for one in within.values()):
            return None
    counts = {kind: int(within[kind].sum()) for kind in classes if kind in within}
    telling = {kind: count for kind, count in counts.items() if 2 * resolved[kind] > count}
    best = max(telling, key=lambda kind: telling[kind], default=None)  # the first of equals, which is the strictest
    if in_ulps and (best is None or telling[best] < len(chosen)):
        return None
    if best is None:
        return Verified(None, np.zeros(len(chosen), bool))
    return Verified(best if telling[best] >= max(1, MOSTLY * len(chosen)) else None, within[best])


def counted(expected):
    """{class: bounds} of those that count units in the last place."""
    return {kind: np.broadcast_to(ulps, expected.values.shape) for kind, ulps in ULPS.items()}


def _judged(answers, expected, limits):
    """(class, which rows are within its bounds, of how many numbers these say something, how many there are)."""
    fmt, shape = formats.FORMATS[expected.dtype], expected.values.shape
    ulps, error = (part.reshape(shape) for part in element_errors(answers, expected))
    others = (*range(len(shape) - 2), len(shape) - 1)
    size = power.largest(expected)
    flat = {kind: np.reshape(limit, -1) for kind, limit in limits.items()}
    for kind in earned.without_unearned(flat, error.reshape(-1)):
        unit, limit = CLASSES[kind].unit, limits[kind]
        allowed = np.nan_to_num(np.reshape(limit, shape), nan=0.0, posinf=0.0)
        met = ((ulps if unit == "ulp" else error) <= allowed) | (ulps == 0)
        told = ulps.size if kind == "correct" else power.resolved(expected, unit, limit, fmt, size)
        yield kind, met.all(axis=others), told, ulps.size


def any_within(answers, expected, limits):
    """Whether a row of the numbers lies within the bounds of some class."""
    return any(met.any() for _, met, _, _ in _judged(answers, expected, limits))


def strictest(answers, expected, limits):
    """The strictest class within whose bounds all numbers lie, and which says something of most of them; None where
    there is none."""
    for kind, met, told, judged in _judged(answers, expected, limits):
        if met.all() and 2 * told > judged:
            return kind
    return None
