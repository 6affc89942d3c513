"""What is measured: complex numbers whose angles are position times frequency, and the call that has their values."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from ..arithmetic import formats, rounding
from ..conformance import error_bounds
from ..rotary.rope import rope
from ..rotary.rope_table import rope_table
from ..tensor_files import Tensor
from .frequency_rule import made
from .held_format import Held, in_format, numbers
from .pairs import Pairs, square
from .unwrapping import units

AT_A_TIME = 1 << 14  # numbers that are measured, or judged, together
FEW = 16  # entries of an axis that are looked at to see whether angles change along it


class Rotation(NamedTuple):
    """x and its rotation y, with the pairs of channels and the axes: `sequence` counts rows, `others` have positions
    of their own; along all remaining axes the angles are the same."""

    x: Held
    y: Held
    pairs: Pairs
    sequence: int
    others: tuple[int, ...]

    @property
    def shape(self):
        """(regions, rows, pairs)."""
        return _regions(self), self.y.shape[self.sequence], len(self.pairs.first)

    def row_size(self):
        """Numbers of one row of one region."""
        regions, rows, _ = self.shape
        return self.y.tensor.values.size // max(1, regions * rows)

    def place(self, region):
        """Where a region is, in words; of (batch, heads, seq, dim) and (batch, seq, heads, dim) the axis of heads has
        its name."""
        shape = [self.y.shape[axis] for axis in self.others]
        places = np.unravel_index(region, shape) if shape else ()
        heads = 3 - self.sequence if len(self.y.shape) == 4 and self.sequence in (1, 2) else None
        told = (f"head {at}" if axis == heads else f"axis {axis} at {at}" for axis, at in zip(self.others, places))
        return ", ".join(told) or "all"

    def block(self, one, region, rows):
        """Channels of some rows of a region, (.., rows, width)."""
        index = [slice(None)] * len(self.y.shape)
        for axis, at in zip(self.others, np.unravel_index(region, [self.y.shape[axis] for axis in self.others])):
            index[axis] = slice(int(at), int(at) + 1)
        index[self.sequence] = rows
        return np.moveaxis(one.tensor.values[tuple(index)], self.sequence, -2)

    def complex_rows(self, region, rows):
        """(numbers whose angles are those of the rotation, sum of squares of x, of y), each (rows, pairs)."""
        x, y = (numbers(Tensor(one.format, self.block(one, region, rows))) for one in (self.x, self.y))
        one, other = self.pairs.complex_of(x), self.pairs.complex_of(y, written=True)
        with np.errstate(all="ignore"):
            crossed, before, after = other * one.conj(), square(one), square(other)
            bad = ~(np.isfinite(crossed) & np.isfinite(before) & np.isfinite(after))
        leading = tuple(range(crossed.ndim - 2))
        return tuple(np.where(bad, 0, part).sum(axis=leading) for part in (crossed, before, after))

    def judged(self, region, rows, recipe, positions, backwards):
        """(answers, expected values, what derives the bounds of each class) of some rows, each with rows on the axis
        before the last."""
        channels = np.concatenate([self.pairs.first, self.pairs.second])
        written = np.concatenate([self.pairs.first_written, self.pairs.second_written])
        x, y = self.block(self.x, region, rows)[..., channels], self.block(self.y, region, rows)[..., written]
        x, y = Tensor(self.x.format, np.ascontiguousarray(x)), Tensor(self.y.format, np.ascontiguousarray(y))
        fmt = formats.FORMATS[y.dtype]
        if formats.FORMATS[x.dtype].precision < fmt.precision:
            x = in_format(Tensor("float64", numbers(x)), y.dtype) or Tensor("float64", numbers(x))
        given = {"pairing": "half", "inverse": backwards}
        if x.dtype == y.dtype:
            more = {"dtype": "bfloat16"} if x.dtype == "bfloat16" else {}
            expected = rope(x.values, positions, frequencies=made(recipe), **given, **more)
        else:
            wide = rope(numbers(x), positions, frequencies=made(recipe), **given)
            expected = rounding.narrow(np.ascontiguousarray(wide), fmt).reshape(wide.shape)
        arrays = {"x": x if x.dtype == "bfloat16" else x.values, "positions": positions}

        def limits():
            read = error_bounds.read_call("rope", {**given, "frequencies": recipe}, arrays)
            return {kind: parts["output"] for kind, parts in error_bounds.of_answered("rope", read, fmt).items()}

        return y, _of_format(expected, fmt), limits

    def copies(self):
        """Whether the channels that are in no pair are those of x."""
        channels = self.pairs.copied(self.y.shape[-1])
        x, y = (one.tensor.values[..., channels] for one in (self.x, self.y))
        if self.x.format == self.y.format:
            return bool((x == y).all())
        return bool((numbers(Tensor(self.x.format, x)) == numbers(Tensor(self.y.format, y))).all())


class Table(NamedTuple):
    """Cosines and sines, each (regions, rows, pairs)."""

    cosines: Tensor
    sines: Tensor

    @property
    def shape(self):
        """(regions, rows, pairs)."""
        return self.cosines.values.shape

    def row_size(self):
        """Numbers of one row of one region."""
        return 2 * self.shape[-1]

    def place(self, region):
        """Where a region is, in words."""
        return f"entry {region} of the leading axes"

    def complex_rows(self, region, rows):
        """(cosine + i sine, 1, sum of their squares), each (rows, pairs)."""
        cosines, sines = (numbers(part, (region, rows)) for part in self)
        with np.errstate(all="ignore"):
            values = cosines + 1j * sines
            size = square(values)
            bad = ~(np.isfinite(size) & np.isfinite(values))
        return np.where(bad, 0, values), np.where(bad, 0.0, 1.0), np.where(bad, 0, size)

    def judged(self, region, rows, recipe, positions, backwards):
        """(answers, expected values, what derives the bounds of each class) of some rows, each with rows on the axis
        before the last."""
        fmt = formats.FORMATS[self.cosines.dtype]
        places = -positions if backwards else positions
        wide = np.stack(rope_table(places, made(recipe)))
        expected = rounding.narrow(np.ascontiguousarray(wide), fmt).reshape(wide.shape)
        answers = np.stack([part.values[region, rows] for part in self])

        def limits():
            read = error_bounds.read_call("rope_table", {"frequencies": recipe}, {"positions": places})
            derived = error_bounds.of_answered("rope_table", read, fmt)
            return {kind: np.stack([parts["cos"], parts["sin"]]) for kind, parts in derived.items()}

        return Tensor(fmt.name, answers), _of_format(expected, fmt), limits


def _of_format(stored, fmt):
    """Stored values as the tensor of their format."""
    return Tensor(fmt.name, stored.view(np.float16) if fmt.name == "float16" else stored)


def _regions(rotation):
    return math.prod(rotation.y.shape[axis] for axis in rotation.others)


def measured_rows(subject, region, without=None):
    """(numbers of size 1 with the angles of all rows, 0 where there is no angle, (rows, pairs); sums of squares before
    and after of each pair, (2, pairs); of each row, (2, rows))."""
    _, rows, pairs = subject.shape
    z, of_pairs, of_rows = np.zeros((rows, pairs), complex), np.zeros((2, pairs)), np.zeros((2, rows))
    step = max(1, AT_A_TIME // max(1, subject.row_size()))
    for start in range(0, rows, step):
        some = slice(start, start + step)
        values, *squares = subject.complex_rows(region, some)
        z[some] = units(values)
        for k, size in enumerate(squares):
            of_pairs[k] += size.sum(axis=0) if without is None else size[~without[some]].sum(axis=0)
            of_rows[k, some] = size.sum(axis=1)
    return z, of_pairs, of_rows


def rotation_axes(x, y, pairs, unit):
    """(axis of the sequence, other axes along which angles change) of a rotation, by a few entries of each axis."""
    shape = y.shape[:-1]
    few = np.ix_(*(np.linspace(0, size - 1, min(FEW, size)).astype(np.int64) for size in shape))
    with np.errstate(all="ignore"):
        z = pairs.complex_of(y.numbers(few), written=True) * pairs.complex_of(x.numbers(few)).conj()
    z = np.where(np.isfinite(z), z, 0)
    usual = len(shape) - 1
    apart = [_incoherence(z, axis) for axis in range(len(shape))]
    changing = [axis for axis in range(len(shape)) if apart[axis] > 64 * unit * unit + 1e-11]
    last = [axis for axis in changing if axis >= usual - 1]
    chosen = max(last or changing or [usual], key=lambda axis: (apart[axis], axis))
    return chosen, tuple(axis for axis in changing if axis != chosen)


def _incoherence(z, axis):
    """How far numbers along an axis are from having one angle, in the pair in which they are farthest."""
    together, size = np.abs(z.sum(axis=axis)), np.abs(z).sum(axis=axis)
    leading = tuple(range(together.ndim - 1))
    share = together.sum(axis=leading) / np.maximum(size.sum(axis=leading), 1e-300)
    return float(1 - share[size.sum(axis=leading) > 0].min(initial=1.0))
