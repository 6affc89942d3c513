"""Weighted sums of the cells of a grid, axis by axis, with fractions as weights: the exact sum rounded once.

The sums are made one axis after the other, in float64 for the narrower formats and in pairs of doubles for float64,
with a bound for the error. Where sum plus and minus bound round apart, the products are added without loss.
"""

from collections.abc import Sequence
from fractions import Fraction
from functools import partial
from itertools import product
from math import lcm, prod
from typing import NamedTuple

import numpy as np

from ...arithmetic import formats, powers, rounding
from ...arithmetic.double_double import add
from ...arithmetic.exact_sums import SMALLEST_VALUE, UNIT, error_of, rounded_sum, total_of
from ...kernels.threads import for_blocks

ROWS = 8  # new rows that are made at a time
ENTRIES = 1 << 14  # entries that are made without loss at a time
LARGEST_EXPONENT = 900  # of the largest value, above which or below whose negative float64 sums may lose bits
CHUNK = 1 << 16  # sums along one axis that are kept in pairs
LEAST_CHANNELS = 8
LONG = 1 << 10  # entries of a row from which sums are made row by row
PAIR = 2.0**-102  # of a sum, what a product and a sum of pairs are off by
UNDERFLOW = 2.0**-950  # more than all products below the range of float64 can lose


class Axis(NamedTuple):
    """What the rows of one axis become: arrays (new, most weights), filled with 0 where a row has fewer."""

    weights: Sequence  # {row: fraction} of each new row
    rows: np.ndarray
    high: np.ndarray  # the weights, cut to doubles
    low: np.ndarray  # what was cut
    sizes: np.ndarray  # (new,), at least the sums of the sizes of the weights
    bits: np.ndarray  # (new,), of the longest weight, all weights of the row being multiples of one power of two


def axis(weights):
    """One axis from the weights of its new rows, [{row: fraction}]."""
    most = max(map(len, weights), default=0)
    rows, high, low = (
        np.zeros((len(weights), most), np.intp),
        np.zeros((len(weights), most)),
        np.zeros((len(weights), most)),
    )
    for j, of_row in enumerate(weights):
        for k, (row, weight) in enumerate(of_row.items()):
            double = float(weight)
            rows[j, k], high[j, k] = row, double
            exact = double.as_integer_ratio() == weight.as_integer_ratio()
            low[j, k] = 0.0 if exact else float(weight - Fraction(double))
    return Axis(weights, rows, high, low, np.abs(high).sum(1) * (1 + 1e-9), np.array([*map(_bits, weights)], np.int64))


def _bits(weights):
    """Bits of the longest of some weights as multiples of one power of two; 54, too many, where none is common."""
    common = lcm(*(weight.denominator for weight in weights.values()))
    sizes = (weight.numerator * (common // weight.denominator) for weight in weights.values())
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
    row = max(out[0].size, 1)
    if fmt.width < 64 and row >= LONG and abs(grid.exponent) < LARGEST_EXPONENT:
        work = _in_doubles(grid)
        for_blocks(lambda start, stop: work(out, range(start, stop)), len(out), ROWS, threads)
    else:
        for channels in _chunks(grid):
            part = grid._replace(values=grid.values[..., channels], scaled=grid.scaled[..., channels])
            work = _in_pairs(part)
            for_blocks(partial(work, out[..., channels]), len(out), max(ROWS, ENTRIES // row), threads)
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


def _chunks(grid):
    """Slices of channels, of which the sums along all axes but the first fill little memory."""
    sizes = (max(old, len(axis.rows)) for old, axis in zip(grid.values.shape[1:-1], grid.axes[1:]))
    count = max(LEAST_CHANNELS, CHUNK // max(grid.values.shape[0] * prod(sizes), 1))
    return [slice(start, start + count) for start in range(0, grid.values.shape[-1], count)]


def _in_pairs(grid):
    """work(out, start, stop) that fills rows of out by sums in pairs, and by sums without loss where these are not
    sure."""
    first, *others = grid.axes
    high, low = grid.scaled, np.zeros_like(grid.scaled)
    for k in range(len(others), 0, -1):
        high, low = _along_in_pairs(grid.axes[k], high, low, k)
    largest = np.abs(grid.scaled).reshape(-1, grid.scaled.shape[-1]).max(0)
    radius, lost = _radius(grid.axes, largest, PAIR), np.where(largest > 0, UNDERFLOW, 0.0)
    lost = lost + grid.left_out * prod(axis.sizes.max() for axis in grid.axes)

    def work(out, start, stop):
        for begin, end in _blocks(start, stop, high[0].size):
            sums = _weighed_in_pairs(first, slice(begin, end), high, low)
            off = first.sizes[begin:end].reshape(-1, *(1,) * (high.ndim - 1)) * radius + lost
            out[begin:end], certain = rounded_sum(*sums, off, grid.exponent, grid.fmt)
            at, *others = np.nonzero(~certain)
            fill_entries(out, grid, (at + begin, *others))

    return work


def _blocks(start, stop, size):
    """Ranges of rows of that size which are summed at a time."""
    count = max(1, ENTRIES // max(size, 1))
    return [(begin, min(begin + count, stop)) for begin in range(start, stop, count)]


def _along_in_pairs(axis, high, low, k):
    """The sums of pairs along one axis."""
    high, low = np.moveaxis(high, k, 0), np.moveaxis(low, k, 0)
    out = np.empty((2, len(axis.rows), *high.shape[1:]))
    for begin, end in _blocks(0, len(axis.rows), high[0].size):
        out[:, begin:end] = _weighed_in_pairs(axis, slice(begin, end), high, low)
    return np.moveaxis(out[0], 0, k), np.moveaxis(out[1], 0, k)


def _weighed_in_pairs(axis, rows, high, low):
    """The sums of rows of pairs that these new rows are: each product is off by less than 2**-103 of itself, each sum
    by 2**-104 of both sizes."""
    sums = tuple(np.zeros((2, len(axis.rows[rows]), *high.shape[1:])))
    for source, weight, rest in zip(axis.rows[rows].T, axis.high[rows].T, axis.low[rows].T):
        weights = (part.reshape(-1, *(1,) * (high.ndim - 1)) for part in (weight, rest))
        sums = add(*sums, *powers.multiply(high[source], low[source], *weights))
    return sums


def _in_doubles(grid):
    """work(out, rows) that fills rows of out by sums in float64, and by sums without loss where these are not sure."""
    first, *others = grid.axes
    kept = grid.values
    for k in range(len(others), 0, -1):
        kept = _along(grid.axes[k], kept, k)
    largest = np.abs(grid.values).reshape(-1, grid.values.shape[-1]).max(0)
    radius, underflow = _radius(grid.axes, largest), np.where(largest > 0, UNDERFLOW, 0.0)

    def work(out, rows):
        sums, off, room = np.empty((3, *kept.shape[1:]))
        for j in rows:
            _weigh(first, j, kept, sums, room)
            np.multiply(radius, first.sizes[j], out=off)
            off += underflow
            lower = rounding.narrow(np.subtract(sums, off, out=room), grid.fmt)
            upper = rounding.narrow(np.add(sums, off, out=room), grid.fmt)
            out[j] = upper
            unsure = np.unravel_index(np.flatnonzero(formats.bits(lower) != formats.bits(upper)), sums.shape)
            fill_entries(out, grid, (np.full(len(unsure[0]), j), *unsure))

    return work


def _radius(axes, largest, unit=UNIT):
    """How far sums are off, (*new but the first, channels), but for the weights of the first axis.

    largest: the sizes of the values, by channel; unit: what one step in float64, or in pairs, is off.
    """
    # each axis rounds its weights, the products and all sums but one; one more is for sum plus and minus radius
    count = sum(axis.rows.shape[1] + 2 for axis in axes)
    radius = count * unit * 1.01 * largest
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
    # where the product of the weights of a term fits into a double, it has no error, and `rest` is 0
    exact = sum(axis.bits[j] for axis, j in zip(grid.axes, at)) <= 53
    terms = list(product(*(range(axis.rows.shape[1]) for axis in grid.axes)))

    def products():
        for term in terms:
            cells = tuple(axis.rows[j, k] for axis, j, k in zip(grid.axes, at, term))
            value = grid.scaled[(*cells, at[-1])]
            weight, rest = _weight(grid.axes, at, term)
            yield *powers.exact_product(weight, value), rest * value

    if not terms:
        return np.zeros((3, len(at[0])))
    high, low, lost, size = total_of(products())
    bound = lost + np.where(exact, 0.0, error_of(0.0, size, len(terms)))
    bound += grid.left_out * prod(axis.sizes[j] for axis, j in zip(grid.axes, at))
    return high, low, bound * (1 + 1e-6)


def _weight(axes, at, term):
    """The product of the weights of one term, one of each axis, as two doubles, off by less than 2**-101 of itself."""
    high, low = axes[0].high[at[0], term[0]], axes[0].low[at[0], term[0]]
    for axis, j, k in zip(axes[1:], at[1:], term[1:]):
        high, low = powers.multiply(high, low, axis.high[j, k], axis.low[j, k])
    return high, low


def exact_entry(grid, entry):
    """One entry rounded once, by fractions."""
    *cells, channel = entry
    terms = []
    for term in product(*(axis.weights[j].items() for axis, j in zip(grid.axes, cells))):
        rows, weights = zip(*term)
        n, d = grid.values[(*rows, channel)].item().as_integer_ratio()
        terms.append((n * prod(w.numerator for w in weights), d * prod(w.denominator for w in weights)))
    common = lcm(*(d for _, d in terms))
    total = Fraction(sum(n * (common // d) for n, d in terms), common)
    pattern = rounding.nearest_fraction(total, grid.fmt)
    return np.array(pattern, f"u{grid.fmt.width // 8}").view(grid.fmt.storage)


def _fill_specials(out, values, axes, fmt):
    """Overwrite the sums that meet a value that is not finite; of the others `values` has 0."""
    met = ~np.isfinite(values)
    for k, axis in enumerate(axes):
        met = np.moveaxis(met, k, 0)
        met = np.stack([met[list(of_row)].any(0) for of_row in axis.weights])
        met = np.moveaxis(met, 0, k)
    at, total = np.nonzero(met), 0.0
    with np.errstate(invalid="ignore"):
        for term in product(*(range(axis.rows.shape[1]) for axis in axes)):
            cells = tuple(axis.rows[j, k] for axis, j, k in zip(axes, at, term))
            weight = prod(np.sign(axis.high[j, k]) for axis, j, k in zip(axes, at, term))
            value = values[(*cells, at[-1])]
            total = total + np.where((weight != 0) & ~np.isfinite(value), weight * value, 0.0)
    out[at] = rounding.narrow(np.where(np.isnan(total), np.nan, total), fmt)
