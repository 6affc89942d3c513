"""Weighted sums of the cells of a grid, axis by axis, with fractions as weights: the exact sum rounded once.

For formats below 64 bits the sums are made in float64, one axis after the other, with a bound for the error. Where sum
plus and minus bound round apart, and for float64, the products are added without loss.
"""

from collections.abc import Sequence
from fractions import Fraction
from itertools import product
from math import lcm, prod
from typing import NamedTuple

import numpy as np

from ...arithmetic import formats, powers, rounding
from ...arithmetic.exact_sums import SMALLEST_VALUE, UNIT, error_of, exactly, rounded_sum, total_of
from ...kernels.threads import for_blocks

ROWS = 8  # new rows that are made at a time
ENTRIES = 1 << 14  # entries that are made without loss at a time
LARGEST_EXPONENT = 900  # of the largest value, above which or below whose negative float64 sums may lose bits
UNDERFLOW = 2.0**-950  # more than all products below the range of float64 can lose


class Axis(NamedTuple):
    """What the rows of one axis become: arrays (new, most taps), in which taps that are missing weigh 0."""

    taps: Sequence  # {row: fraction} of each new row
    rows: np.ndarray
    high: np.ndarray  # the weights, cut to doubles
    low: np.ndarray  # what was cut
    sizes: np.ndarray  # (new,), at least the sums of the sizes of the weights
    bits: np.ndarray  # (new,), of the longest weight, all weights of the row being multiples of one power of two


def axis(taps):
    """One axis from the taps of its new rows, [{row: fraction}]."""
    most = max(map(len, taps), default=0)
    rows, high, low = np.zeros((len(taps), most), np.intp), np.zeros((len(taps), most)), np.zeros((len(taps), most))
    for j, tap in enumerate(taps):
        for k, (row, weight) in enumerate(tap.items()):
            double = float(weight)
            rows[j, k], high[j, k] = row, double
            exact = double.as_integer_ratio() == weight.as_integer_ratio()
            low[j, k] = 0.0 if exact else float(weight - Fraction(double))
    return Axis(
        taps, rows, high, low, np.abs(high).sum(1) * (1 + 1e-9), np.array([_bits(tap) for tap in taps], np.int64)
    )


def _bits(tap):
    """Bits of the longest of some weights as multiples of one power of two; 54, too many, where none is common."""
    common = lcm(*(weight.denominator for weight in tap.values()))
    sizes = (weight.numerator * (common // weight.denominator) for weight in tap.values())
    longest = max((size.bit_length() for size in sizes), default=0)
    return 54 if common & (common - 1) else longest


def fill(out, values, axes, fmt, threads=None):
    """Fill out (*new, channels), in the storage of the format, from float64 values (*old, channels).

    A sum that meets a NaN, or infinities of both signs, is the quiet NaN; a sum that is 0 is +0. Each axis has at least
    one old row.
    """
    if not out.size:
        return
    finite = np.isfinite(values)
    grid = grid_of(values if finite.all() else np.where(finite, values, 0.0), axes, fmt)
    moderate = abs(grid.exponent) < LARGEST_EXPONENT
    work = _in_doubles(grid) if fmt.width < 64 and moderate else _without_loss(grid)
    for_blocks(lambda start, stop: work(out, range(start, stop)), len(out), ROWS, threads)
    if not finite.all():
        _fill_specials(out, np.where(finite, 0.0, values), axes, fmt)


class Grid(NamedTuple):
    """What sums need: the values (*old, channels), and the same times 2**-exponent, so that all lie within -1 .. 1."""

    values: np.ndarray
    scaled: np.ndarray
    exponent: int
    left_out: float  # at least the sizes of the scaled values that were left out as too small
    axes: list
    fmt: formats.Format


def grid_of(values, axes, fmt):
    """The `Grid` of finite values."""
    exponent = int(np.frexp(np.abs(values).max())[1])
    with np.errstate(under="ignore"):  # the caller may have errors raised
        scaled = np.ldexp(values, -exponent)
    small = (np.abs(scaled) < SMALLEST_VALUE) & (values != 0)
    if small.any():
        scaled[small] = 0
    return Grid(values, scaled, exponent, SMALLEST_VALUE if small.any() else 0.0, axes, fmt)


def _without_loss(grid):
    """work(out, rows) that fills rows of out by sums without loss."""

    def work(out, rows):
        first, *others = np.nonzero(np.ones((len(rows), *out.shape[1:]), bool))
        fill_entries(out, grid, (first + rows.start, *others))

    return work


def _in_doubles(grid):
    """work(out, rows) that fills rows of out by sums in float64, and by sums without loss where these are not sure."""
    first, *others = grid.axes
    partial = grid.values
    for k in range(len(others), 0, -1):
        partial = _along(grid.axes[k], partial, k)
    largest = np.abs(grid.values).reshape(-1, grid.values.shape[-1]).max(0)
    radius, underflow = _radius(grid.axes, largest), np.where(largest > 0, UNDERFLOW, 0.0)

    def work(out, rows):
        sums, off, room = np.empty((3, *partial.shape[1:]))
        for j in rows:
            _weigh(first, j, partial, sums, room)
            np.multiply(radius, first.sizes[j], out=off)
            off += underflow
            lower = rounding.narrow(np.subtract(sums, off, out=room), grid.fmt)
            upper = rounding.narrow(np.add(sums, off, out=room), grid.fmt)
            out[j] = upper
            unsure = np.unravel_index(np.flatnonzero(formats.bits(lower) != formats.bits(upper)), sums.shape)
            fill_entries(out, grid, (np.full(len(unsure[0]), j), *unsure))

    return work


def _radius(axes, largest):
    """How far sums in float64 are off, (*new but the first, channels), but for the weights of the first axis.

    largest: the sizes of the values, by channel.
    """
    # each axis rounds its weights, the products and all sums but one; one more is for sum plus and minus radius
    count = sum(axis.rows.shape[1] + 2 for axis in axes)
    radius = count * UNIT * 1.01 * largest
    for axis in reversed(axes[1:]):
        radius = axis.sizes.reshape(-1, *(1,) * radius.ndim) * radius
    return radius


def _along(axis, values, k):
    """The sums along one axis in float64."""
    shape = (*values.shape[:k], len(axis.rows), *values.shape[k + 1 :])
    out, values = np.moveaxis(np.empty(shape), k, 0), np.moveaxis(values, k, 0)
    room = np.empty(values.shape[1:])
    for j in range(len(out)):
        _weigh(axis, j, values, out[j], room)
    return np.moveaxis(out, 0, k)


def _weigh(axis, j, values, out, room):
    """Fill out with the sum of rows of values that the new row j is, in float64; room: as much memory."""
    out[...] = 0.0
    for row, weight in zip(axis.rows[j], axis.high[j]):
        if weight:
            out += np.multiply(values[row], weight, out=room)


def fill_entries(out, grid, entries):
    """Fill entries of out, an index array for each of its axes, with their sums without loss, rounded once."""
    for start in range(0, len(entries[0]), ENTRIES):
        at = tuple(part[start : start + ENTRIES] for part in entries)
        rounded, certain = rounded_sum(*_entry_sums(grid, at), grid.exponent, grid.fmt)
        out[at] = rounded
        for entry in zip(*(part[~certain].tolist() for part in at)):
            out[entry] = exact_entry(grid, entry)


def _entry_sums(grid, at):
    """Sums of the scaled values as high + low, and a bound for the rest: 0 where the sum is exact."""
    # the product of all weights of a tap, and so what it is off by, is 0 in `rest` where it fits into a double
    exact = sum(axis.bits[j] for axis, j in zip(grid.axes, at)) <= 53
    taps = list(product(*(range(axis.rows.shape[1]) for axis in grid.axes)))

    def products():
        for tap in taps:
            cells = tuple(axis.rows[j, k] for axis, j, k in zip(grid.axes, at, tap))
            value = grid.scaled[(*cells, at[-1])]
            weight, rest = _weights(grid.axes, at, tap)
            yield *powers.exact_product(weight, value), rest * value

    if not taps:
        return np.zeros((3, len(at[0])))
    high, low, lost, size = total_of(products())
    bound = lost + np.where(exact, 0.0, error_of(0.0, size, len(taps)))
    bound += grid.left_out * prod(axis.sizes[j] for axis, j in zip(grid.axes, at))
    return high, low, bound * (1 + 1e-6)


def _weights(axes, at, tap):
    """The product of the weights of one tap of each axis as a pair of doubles, off by less than 2**-101 of itself."""
    high, low = axes[0].high[at[0], tap[0]], axes[0].low[at[0], tap[0]]
    for axis, j, k in zip(axes[1:], at[1:], tap[1:]):
        high, low = powers.multiply(high, low, axis.high[j, k], axis.low[j, k])
    return high, low


def exact_entry(grid, entry):
    """One entry rounded once, by fractions."""
    *cells, channel = entry
    total = Fraction(0)
    for tap in product(*(axis.taps[j].items() for axis, j in zip(grid.axes, cells))):
        rows, weights = zip(*tap)
        total += prod(weights) * Fraction(grid.values[(*rows, channel)].item())
    pattern = exactly([(total, Fraction(1))], grid.fmt)
    return np.array(pattern, f"u{grid.fmt.width // 8}").view(grid.fmt.storage)


def _fill_specials(out, values, axes, fmt):
    """Overwrite the sums that meet a value that is not finite; of the others `values` has 0."""
    met = ~np.isfinite(values)
    for k, axis in enumerate(axes):
        met = np.moveaxis(met, k, 0)
        met = np.stack([met[list(tap)].any(0) for tap in axis.taps])
        met = np.moveaxis(met, 0, k)
    at, total = np.nonzero(met), 0.0
    with np.errstate(invalid="ignore"):
        for tap in product(*(range(axis.rows.shape[1]) for axis in axes)):
            cells = tuple(axis.rows[j, k] for axis, j, k in zip(axes, at, tap))
            weight = prod(np.sign(axis.high[j, k]) for axis, j, k in zip(axes, at, tap))
            value = values[(*cells, at[-1])]
            total = total + np.where((weight != 0) & ~np.isfinite(value), weight * value, 0.0)
    out[at] = rounding.narrow(np.where(np.isnan(total), np.nan, total), fmt)
