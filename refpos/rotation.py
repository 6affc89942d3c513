"""Rotation: each pair of channels turned by its phase, the result rounded once.

The cosine and sine stay unrounded pairs of doubles; only x cos - y sin is rounded. What the rounding test leaves open is
settled with whole numbers: for a position that is not 0, x cos - y sin is transcendental unless x = y = 0 (were it
algebraic, so would be e**(i phase)), so that never lies halfway between two values either.
"""

import math

import numpy as np

from . import formats, kernels, phases, rounding, tables
from .threads import for_blocks

# how far a rotated channel may be from the truth before rounding, relative to |x| + |y|: proved bounds are 2**-75 with
# pairs, 2**-50.4 with doubles
PAIR_RADIUS = 2.0**-73
DOUBLE_RADIUS = 2.0**-49


def table_between(positions, frequencies, fmt):
    """A function of (start, stop) giving the unrounded cosines and sines that a rotation in this format needs."""
    if fmt.width == 64:
        return tables.seeds_between(positions, frequencies, 4)
    return tables.doubles_between(positions, frequencies)


def pair_views(channels, pairing, rotary_dim):
    """The views of first and second channels of each pair."""
    if pairing == "interleaved":
        return channels[..., 0:rotary_dim:2], channels[..., 1:rotary_dim:2]
    return channels[..., : rotary_dim // 2], channels[..., rotary_dim // 2 : rotary_dim]


def rotate(views, between, positions, offset, frequencies, fmt, backwards, threads):
    """Rotate along one sequence: views are (first, second, out first, out second), each (seq, others..., half).

    The sequence's positions are the flat rows offset .. offset + seq of `positions.Positions`, whose unrounded cosines and
    sines `between` gives.
    """
    rows, half = views[0].shape[0], views[0].shape[-1]
    others = math.prod(views[0].shape[1:-1])
    per_block = max(1, kernels.active.BLOCK // max(1, others * half))
    stream = views[0].size * views[0].itemsize * 2 >= tables.STREAM

    def work(start, stop):
        table = between(offset + start, offset + stop)
        for part in _repeats(*(view[start:stop] for view in views)):
            _rotate_block(part, table, positions, offset + start, frequencies, fmt, backwards, stream)

    if rows and others and half:
        for_blocks(work, rows, per_block, threads)


def _repeats(*views):
    """The views cut into parts of three axes (rows, repeats, half), with no more repeats than fill a block."""
    if views[0].ndim == 2:
        views = [view[:, None] for view in views]
    if views[0].ndim > 3:
        for k in range(views[0].shape[1]):
            yield from _repeats(*(view[:, k] for view in views))
        return
    most = max(1, kernels.active.BLOCK // (views[0].shape[0] * views[0].shape[-1]))
    for k in range(0, views[0].shape[1], most):
        yield tuple(view[:, k : k + most] for view in views)


def _rotate_block(views, table, positions, offset, frequencies, fmt, backwards, stream):
    first, second, out_first, out_second = views
    undecided = np.empty(first.size, np.int64)
    radius = PAIR_RADIUS if fmt.width == 64 else DOUBLE_RADIUS
    found = kernels.active.rotate(*views, table, fmt, radius, backwards, stream, undecided)
    for flat in undecided[:found].tolist():
        at = np.unravel_index(flat, first.shape)
        x, y = (float(rounding.widen(view[at].reshape(1), fmt)[0]) for view in (first, second))
        position = positions.at(offset + int(at[0]))
        patterns = settled(x, y, frequencies, int(at[-1]), position, fmt, backwards)
        for view, pattern in zip((out_first, out_second), patterns):
            formats.bits(view)[at] = pattern


def settled(x, y, frequencies, i, position, fmt, backwards):
    """Bit patterns of (x cos - y sin, y cos + x sin), or with -sin, from whole numbers."""
    multiplier, exponent = position
    sign = -1 if backwards else 1
    if multiplier == 0 or not (math.isfinite(x) and math.isfinite(y)):
        return _by_ieee(x, y, frequencies, i, position, fmt, sign)
    (a, a_shift), (b, b_shift) = (_whole(v) for v in (x, y))
    shift = max(a_shift, b_shift)
    a, b = a << shift - a_shift, b << shift - b_shift

    def enclosure(of_cos, of_sin):
        def at(bits):
            cos, sin, error = phases.cos_sin(frequencies, i, multiplier, exponent, bits)
            return of_cos * cos + of_sin * sin, (abs(a) + abs(b)) * error

        return at

    first, second = enclosure(a, -b * sign), enclosure(b, a * sign)
    return rounding.decide(first, fmt, exponent=-shift), rounding.decide(second, fmt, exponent=-shift)


def _whole(value):
    """A float as an integer times 2**-shift."""
    numerator, denominator = value.as_integer_ratio()
    return numerator, denominator.bit_length() - 1


def _by_ieee(x, y, frequencies, i, position, fmt, sign):
    """Position 0 (exact) and channels that are not finite: the formula in IEEE arithmetic; every NaN is the quiet one."""
    float64 = formats.FORMATS["float64"]
    patterns = phases.rounded_cos_sin(frequencies, i, *position, float64)
    cos, sin = np.array(patterns, np.uint64).view(np.float64)
    with np.errstate(all="ignore"):
        values = np.array([x * cos - y * (sign * sin), y * cos + x * (sign * sin)])
        stored = rounding.narrow(values, fmt)
    return [fmt.nan if math.isnan(value) else int(bits) for value, bits in zip(values, formats.bits(stored))]
