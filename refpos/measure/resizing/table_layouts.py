"""How the rows of a learned table, and of a resized one, may stand on a grid: behind a class token, height and width
exchanged, all in one row."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from ... import checks
from ...errors import InputError
from ...steps.rows import learned_tables
from ...types import Array
from ..written import Written

MOST_SIZES = 12  # of a number of cells without a given size, those nearest to a square


class Layout(NamedTuple):
    """What a program does otherwise; the table as the call takes it, its grid and the rows before it; the rows before
    and behind the cells of the result, which are copies, and the sizes of the result."""

    text: str
    weight: Written
    old: tuple[int, ...]
    new: tuple[int, ...]
    sequence: bool = False  # whether the table is one of rows, whose grid is an argument
    prefix: int = 0
    last: bool = False  # whether the rows before the grid are behind that of the result

    def table(self) -> Array:
        """The grid of the table, (*old, channels)."""
        return np.asarray(self.weight.value)[self.prefix if self.sequence else 0 :].reshape(*self.old, -1)

    def cells(self, rows):
        """The cells of a result (rows, channels), as a grid (*new, channels)."""
        if self.prefix:
            rows = rows[: -self.prefix] if self.last else rows[self.prefix :]
        return rows.reshape(*self.new, -1)


def layouts_of(inputs, shape):
    """The layouts that a result of a shape (.., channels) may have, the asked one first."""
    weight = inputs["weight"]
    if "grid" in inputs:
        prefix = checks.integer("prefix", inputs["prefix"].value) if "prefix" in inputs else 0
        grid = sides_of("grid", inputs["grid"].value)
        if weight.value.ndim != 2 or len(weight.value) != prefix + math.prod(grid):
            wanted = f"({prefix} + {' * '.join(map(str, grid))}, channels)"
            raise InputError("E_SHAPE", "weight", f"weight must be {wanted}, got shape {weight.value.shape}")
        return list(_of_sequence(inputs, weight, grid, prefix, shape))
    old = weight.value.shape[:-1]
    found = list(_of_grid(inputs, weight, old, shape))
    if len(old) == 1:
        for prefix in (0, 1):
            side = math.isqrt(max(0, old[0] - prefix))
            if side > 1 and side * side == old[0] - prefix:
                found += _of_sequence(inputs, weight, (side, side), prefix, shape)
    return found


def sides_of(name, sizes):
    """Sizes of axes as integers from 1 on."""
    return tuple(checks.integer(name, one, 1, checks.WIDEST) for one in checks.listed(name, sizes, "sizes"))


def _sizes(inputs, shape, count, axes):
    """The sizes that so many cells may have: the given one, those of the array, else factors near a square."""
    if "size" in inputs:
        given = learned_tables.read_size(inputs["size"].value)
        return [size for size in dict.fromkeys((given, given[::-1])) if math.prod(size) == count and len(size) == axes]
    if len(shape) - 1 == axes:
        return [tuple(shape[:-1])]
    if axes == 1:
        return [(count,)]
    if axes != 2 or count < 1:
        return []
    factors = [(one, count // one) for one in range(1, min(count, 1 << 12) + 1) if count % one == 0]
    return sorted(factors, key=lambda pair: abs(pair[0] - pair[1]))[:MOST_SIZES]


def _of_grid(inputs, weight, old, shape):
    """Layouts of a table (*old, channels)."""
    for new in _sizes(inputs, shape, math.prod(shape[:-1]), len(old)):
        yield Layout("", weight, old, new)
        if len(old) == 2:
            exchanged = np.ascontiguousarray(np.swapaxes(weight.value, 0, 1))
            yield Layout("height and width exchanged", Written(f"np.swapaxes({weight.text}, 0, 1)", exchanged),
                         old[::-1], new)  # fmt: skip
            if old[0] != old[1]:
                text = f"{weight.text}.reshape({old[1]}, {old[0]}, -1)"
                read = Written(text, weight.value.reshape(old[1], old[0], -1))
                yield Layout("rows of the grid read as columns", read, old[::-1], new)


def _of_sequence(inputs, weight, grid, prefix, shape):
    """Layouts of a table (prefix + cells, channels)."""
    count, cells = math.prod(shape[:-1]), math.prod(grid)
    for old in dict.fromkeys((grid, grid[::-1])):
        other = "" if old == grid else "height and width of the table exchanged"
        for new in _sizes(inputs, shape, count - prefix, len(grid)) if count > prefix else ():
            yield Layout(other, weight, old, new, True, prefix)
            if prefix:
                yield Layout(_and(other, "class token last"), weight, old, new, True, prefix, True)
        for new in _sizes(inputs, shape, count, len(grid)) if prefix else ():
            dropped = Written(f"{weight.text}[{prefix}:]", weight.value[prefix:])
            yield Layout(_and(other, "class token dropped"), dropped, old, new, True)
            ends = Written(f"{weight.text}[:{cells}]", weight.value[:cells])
            yield Layout(_and(other, "the first rows of the table as the grid, class token among them"), ends, old, new,
                         True)  # fmt: skip
    yield Layout("all rows on one axis" + (", the class token with the grid" if prefix else ""), weight,
                 (cells + prefix,), (count,))  # fmt: skip


def _and(one, other):
    return f"{one}, {other}" if one else other
