"""The kernels in NumPy, array by array: the reference that the compiled twin is compared with bit for bit.

A pair (high, low) of doubles stands for high + low; in the tables high is a multiple of 2**-26 and |low| <= 2**-27,
so a product of two highs is exact in double without a fused multiply-add. Entries whose rounding is not certain are not
decided here: their flat indices are reported, and the caller rounds them exactly, in integers.
"""

import numpy as np
from numpy.lib.stride_tricks import as_strided

from ..arithmetic import rounding
from .numpy_products import products as products
from .numpy_scatter import round_sums as round_sums
from .numpy_scatter import split_sums as split_sums
from .numpy_seeds import LOW32 as LOW32
from .numpy_seeds import PART, added, anchor_waves, as_waves, made_seeds, parts
from .numpy_seeds import SHIFT32 as SHIFT32
from .numpy_seeds import seeds as seeds
from .numpy_seeds import turns as turns
from .numpy_small import Turns as Turns
from .numpy_waves import scattered, waves

BLOCK = 1 << 17  # entries that a caller hands over at a time
# absolute error radii within which no product of channels overflows or loses bits to underflow: |x| + |y| times the
# power of two of the factor is then from 2**-900 to 2**1020 in float64
SMALLEST_ERROR_RADIUS, LARGEST_ERROR_RADIUS = 2.0**-974, 2.0**946
TILE = 1  # rows of a rotation that are done together, and for which `undecided` must have room
LONG_RUN = 1 << 20  # bytes of a run from which on `copy_runs` is as fast as it can be
TEMPLATE_BYTES = 1 << 20  # bytes of a block of a grid that is laid out in the cache before it is copied
CACHED_BYTES = 1 << 24  # bytes of output up to which what is written stays in a cache
SMALL = 1 << 18  # entries of a table that `table_small` fills
SMALL_ROWS = 32  # of which it does so many together, or a multiple
READS_RANGES = True  # as positions of `table_small`
SCATTERED_BLOCKS = 8  # blocks of rows not evenly spaced, of narrower formats, done together: they share their digits


def table(multipliers, phases, knots, steps, cos, sin, fmt, radius, seed_radius, stream, undecided):
    """Fill cos (n, <= half) and sin (n, half) by angle addition; returns (entries of `undecided`, rows filled).

    multipliers are those of the rows. Every rows_per_anchor-th row is an anchor, whose seeds are computed; steps
    (planes, rows_per_anchor, half) are the seeds of the distances from an anchor to its rows. They are
    pairs (4 planes) for float64, doubles (2 planes) for the narrower formats. A value is accepted when value - radius
    and value + radius round alike; the flat indices of (row, frequency) where cosine or sine fail go to `undecided`.
    seed_radius, the radius of a second rounding test with seeds of the entry's own, and stream, which asks for stores
    past the cache, are for the compiled kernels alone.
    """
    (rows, half), rows_per_anchor = sin.shape, steps.shape[1]
    make, error = _row_waves(multipliers, phases, knots, steps)
    both, indices = _side_by_side(cos, sin), []
    has_zero = _is_unit(steps)
    for part in parts(-(-rows // rows_per_anchor), rows_per_anchor * half, len(steps)):
        part = slice(part.start * rows_per_anchor, min(part.stop * rows_per_anchor, rows))
        # in memory each sine stands before its cosine
        values = [waves[: part.stop - part.start].view(np.float64) for waves in make(part)]
        block = cos[part], sin[part], None if both is None else both[part]
        different = _stored(error * radius, fmt, values, block, multipliers[part], has_zero)
        if different is not None:
            indices.append(np.flatnonzero(different) + part.start * half)
    return _report(np.concatenate(indices), undecided, rows, half) if indices else (0, rows)


def table_small(cos, sin, positions, turns):
    """Fill a small table as `table` does, at whole positions: a range, a list, or an array of int64; returns the flat
    indices of what is not certain, None where this takes as long as any other table."""
    found = turns.reader(positions)
    if found is None:
        return None
    make, radius = found
    return _filled(radius, turns.fmt, make, cos, sin, positions, turns.is_unit)


def table_of_groups(cos, sin, multipliers, phases, groups, knots, factor, fmt, radius):
    """Fill a table as `table` does, its rows at phases per position of several groups, (5, groups, half); returns the
    flat indices of what is not certain."""

    def make(start, stop):
        made = waves(-multipliers[start:stop], phases, knots, 1, groups[start:stop])
        return [made if factor == 1 else made * factor]

    return _filled(radius, fmt, make, cos, sin, multipliers, factor == 1)


def _filled(radius, fmt, make, cos, sin, multipliers, has_zero):
    """Fill a table with the waves of make(start, stop), off by less than the radius; returns the flat indices of (row,
    frequency) where cosine or sine are not certain."""
    (rows, half), both, indices = sin.shape, _side_by_side(cos, sin), [np.empty(0, np.int64)]
    step = max(SMALL_ROWS, PART // (2 * half) // SMALL_ROWS * SMALL_ROWS)
    for start in range(0, rows, step):
        part = slice(start, min(start + step, rows))
        block = cos[part], sin[part], None if both is None else both[part]
        values = [waves.view(np.float64) for waves in make(part.start, part.stop)]
        different = _stored(radius, fmt, values, block, multipliers[part], has_zero)
        if different is not None:
            indices.append(np.flatnonzero(different) + start * half)
    return np.concatenate(indices) if len(indices) > 1 else indices[0]


def _stored(radius, fmt, values, block, multipliers, has_zero):
    """Round sines and cosines in turns into a block (cos, sin, both, where the memory has them in turns, or None);
    returns where they are not certain, None for nowhere.

    has_zero: whether the sines at position 0 are 0 and the cosines 1, as computed; a factor changes them.
    """
    cos, sin, both = block
    lower, upper = _ends(radius, fmt, *values, out=both)
    if both is None:
        sin[...], cos[...] = upper[:, ::2], upper[:, 1 : 2 * cos.shape[1] : 2]
    different = lower != upper
    if has_zero and multipliers[0] == 0:  # as in most tables
        sin[0] = different[0] = 0
    if not np.count_nonzero(different):
        return None
    at_zero = np.flatnonzero(np.asarray(multipliers) == 0) if has_zero else []
    sin[at_zero] = 0
    different[at_zero] = False
    different[:, 2 * cos.shape[1] + 1 :: 2] = False
    return different[:, ::2] | different[:, 1::2]


def _side_by_side(cos, sin):
    """Sine and cosine in turns (n, 2 half) as one array, where the memory has them so; else None."""
    size, shape, base = sin.itemsize, (len(sin), 2 * sin.shape[1]), sin.base
    strides = sin.strides[0], size
    if cos.shape != sin.shape or not cos.strides == sin.strides == (strides[0], 2 * size):
        return None
    if type(base) is np.ndarray and base is cos.base and base.shape == shape and base.strides == strides:
        # they are all of it: sooner told apart than by their addresses
        return base.view(sin.dtype) if np.may_share_memory(base[0, :1], sin) else None
    first, second = (array.__array_interface__["data"][0] for array in (sin, cos))
    return as_strided(sin, shape, strides) if second - first == size else None


def _is_unit(steps):
    """Whether the first step leads to an anchor itself: its cosine is 1, not times a factor."""
    return steps[0, 0, 0] == 1 and (len(steps) == 2 or steps[1, 0, 0] == 0)


def _report(indices, undecided, rows, entries):
    """Write the flat indices, ascending, of as many complete rows of so many entries as there is room for: (indices
    written, rows)."""
    if len(indices) > len(undecided):
        rows = int(indices[len(undecided)]) // entries
        indices = indices[: np.searchsorted(indices, rows * entries)]
    undecided[: len(indices)] = indices
    return len(indices), rows


def _row_waves(multipliers, phases, knots, steps):
    """(make, error): make(part), of a slice of rows from an anchor on, gives sin + i cos of them and some rows more, as
    `added` does, off by error times as much."""
    rows_per_anchor = steps.shape[1]
    if len(steps) == 2 and rows_per_anchor == 1:
        make, error = scattered(multipliers, phases, knots)
        factor = steps[0, 0, 0]
        return lambda part: [make(part) if factor == 1 else make(part) * factor], error
    anchors = anchor_waves(multipliers[::rows_per_anchor], phases, knots, len(steps))
    add = _adder(steps)
    return lambda part: add(anchors[:, part.start // rows_per_anchor : -(-part.stop // rows_per_anchor)]), 1


def _adder(steps):
    """A function that turns anchors, sin + i cos (parts, n, half), by every step: [(rows, half)], as `added` does."""
    if _is_no_step(steps):
        return list
    rotated = -1j * as_waves(steps)[:, None]
    return lambda anchors: [rows.reshape(-1, steps.shape[2]) for rows in added(anchors[:, :, None], rotated)]


def _is_no_step(steps):
    """Whether the only step leads to the anchor itself: its cosine is 1, not times a factor."""
    return steps.shape[1] == 1 and (steps[0] == 1).all() and not steps[1:].any()


def _ends(radius, fmt, leading, rest=None, out=None):
    """leading + rest, less and plus the radius, rounded to the format, the larger in out; doubles have no rest."""
    out = np.empty(leading.shape, fmt.storage) if out is None else out
    if fmt.width == 64:
        return leading + (rest - radius), np.add(leading, rest + radius, out=out)
    if fmt.width == 32:
        ends = leading - radius
        lower = ends.astype(np.float32)
        out[...] = np.add(leading, radius, out=ends)
        return lower, out
    out[...] = rounding.narrow(leading + radius, fmt)
    return rounding.narrow(leading - radius, fmt), out


def rotate(
    multipliers,
    phases,
    knots,
    steps,
    first,
    second,
    out_first,
    out_second,
    fmt,
    radius,
    seed_radius,
    backwards,
    stream,
    undecided,
    starts=None,
    order=None,
):
    """Rotate pairs of channels: first, second and the outs are (n, repeats, half), the positions as in `table`.

    out_first = first cos - second sin, out_second = second cos + first sin (backwards: with -sin). Pairs of channels of
    which one value is not certain keep their values, and their flat indices go to `undecided`. With starts (axes + 1)
    the rows have a multiplier on each of several axes: multipliers hold those of one axis after the other, the columns
    starts[k] to starts[k + 1] of phases belong to axis k, and order (half) is the pair of channels that each column
    turns; None: they are in order.
    """
    waves = _sums(multipliers, phases, knots, steps, len(first), starts, order)
    count, pairs = 0, first[0].size
    for part in parts(len(first), pairs, len(steps)):
        x, y = (rounding.widen(view[part], fmt) for view in (first, second))
        rounded, certain = _rotated(x, y, waves[:, part, None], fmt, radius, backwards)
        indices = np.flatnonzero(~certain) + part.start * pairs
        written, rows = _report(indices, undecided[count:], part.stop, pairs)
        count += written
        for out, values in zip((out_first, out_second), rounded):
            done = rows - part.start
            np.copyto(out[part.start : rows], values[:done], where=certain[:done] if written else True)
        if rows < part.stop:
            return count, rows
    return count, len(first)


def _rotated(x, y, waves, fmt, radius, backwards):
    """Both channels of each pair rotated and rounded, and whether that is certain."""
    cos, sin = np.split(waves, 2)
    if backwards:
        sin = -sin
    with np.errstate(all="ignore"):
        size = np.abs(x) + np.abs(y)
        error_radius = size * radius
        combine = _combine_pairs if fmt.width == 64 else _combine_doubles
        certain = (error_radius >= SMALLEST_ERROR_RADIUS) & (error_radius <= LARGEST_ERROR_RADIUS)
        rounded = []
        for sum_ in (combine(x, y, cos, -sin), combine(y, x, cos, sin)):
            lower, upper = _ends(error_radius, fmt, *sum_)
            certain &= _patterns(lower) == _patterns(upper)
            rounded.append(upper)  # where both channels are 0 or -0 the result is 0
    return rounded, certain | (size == 0)


def _sums(multipliers, phases, knots, steps, rows, starts, order):
    """The seeds of every row: in plain double by angle addition, as pairs times the cosine of the only step."""
    if starts is None:
        anchors = made_seeds(multipliers[:: steps.shape[1]], phases, knots, len(steps))
    else:
        anchors = np.empty((len(steps), rows, phases.shape[1]))
        for on_axis, low, high in zip(multipliers.reshape(-1, rows), starts, starts[1:]):
            columns = slice(low, high) if order is None else order[low:high]
            anchors[:, :, columns] = made_seeds(on_axis, phases[:, low:high], knots, len(steps))
    if _is_no_step(steps):
        return anchors
    if len(steps) == 4:
        return _times_factor(anchors, *steps[:2, 0])
    (waves,) = _adder(steps)(as_waves(anchors))
    return np.stack([waves.imag[:rows], waves.real[:rows]])


def _times_factor(pairs, high, low):
    """Pairs times a factor: pairs again, whose highs are multiples of 2**-26 times a power of two above the factor."""
    grid = np.ldexp(1.5, 26 + np.frexp(high)[1])
    products = np.empty_like(pairs)
    for k in (0, 2):
        product = pairs[k] * high  # exact: 27 by 26 bits
        products[k] = (product + grid) - grid
        products[k + 1] = (product - products[k]) + (pairs[k] * low + pairs[k + 1] * high + pairs[k + 1] * low)
    return products


def _patterns(values):
    return values.view(f"u{values.dtype.itemsize}")


def _combine_doubles(x, y, cos, sin):
    """x cos + y sin in plain double: off by less than (|x| + |y|) * 2**-49.3, sums of angles included."""
    return x * cos[0] + y * sin[0], 0.0


def _combine_pairs(x, y, cos, sin):
    """x cos + y sin as a pair, off by less than (|x| + |y|) * 2**-75.5, errors of cosine and sine included."""
    (c1, c0), (s1, s0) = cos, sin
    x1, y1 = _upper_26_bits(x), _upper_26_bits(y)
    p, q = x1 * c1, y1 * s1  # exact: 26 by 26 bits
    leading = p + q
    other = leading - p
    error = (p - (leading - other)) + (q - other)  # leading + error = p + q exactly
    middle = (x - x1) * c1 + (y - y1) * s1  # exact products of 27 by 26 bits, one rounded sum
    return leading, error + (middle + (x * c0 + y * s0))


def _upper_26_bits(values):
    """The upper 26 bits of the significand, cut."""
    bits = np.ascontiguousarray(values).view(np.uint64)
    return (bits & np.uint64(0xFFFF_FFFF_F800_0000)).view(np.float64)


def copy_runs(source, out, stream):
    """Copy bytes, run by run of the last axis; the source may repeat itself."""
    run = out.shape[-1]
    if 0 < run < LONG_RUN:  # a run is one element: less is spent on each than on a loop over its bytes
        source, out = source.view(f"V{run}"), out.view(f"V{run}")
    np.copyto(out, source)
