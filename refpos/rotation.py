"""Rotation: each pair of channels turned by its phase, the result rounded once.

The cosine and sine stay unrounded pairs of doubles; only x cos - y sin is rounded. What the rounding test leaves open
is settled with whole numbers: for a position that is not 0, x cos - y sin is transcendental unless x = y = 0 (were it
algebraic, so would be e**(i phase)), so that never lies halfway between two values either.
"""

import math

import numpy as np

from . import formats, kernels, phases, rounding, tables
from .threads import for_blocks

# how far a rotated channel may be from the truth before rounding, relative to |x| + |y|: proved bounds are 2**-75.5
# with pairs, 2**-49.3 with doubles
PAIR_RADIUS = 2.0**-74
DOUBLE_RADIUS = 2.0**-48


def pair_views(channels, pairing, rotary_dim):
    """The views of first and second channels of each pair."""
    if pairing == "interleaved":
        return channels[..., 0:rotary_dim:2], channels[..., 1:rotary_dim:2]
    return channels[..., : rotary_dim // 2], channels[..., rotary_dim // 2 : rotary_dim]


def rotate(views, groups, frequencies, fmt, backwards, threads):
    """Rotate along one sequence: views are (first, second, to first, to second), each (seq, others..., half).

    groups are the `positions.Group`s of the sequence.
    """
    if not views[0].size:
        return
    for index, multipliers, exponent in groups:
        if index is None:
            _rotate_group(views, multipliers, exponent, frequencies, fmt, backwards, threads)
            continue
        parts = [view[index] for view in views]
        _rotate_group(parts, multipliers, exponent, frequencies, fmt, backwards, threads)
        views[2][index], views[3][index] = parts[2:]


def _rotate_group(views, multipliers, exponent, frequencies, fmt, backwards, threads):
    rows, half = len(views[0]), views[0].shape[-1]
    stream = views[0].nbytes * 2 >= tables.STREAM
    rotated, radius = kernels.active.rotate, PAIR_RADIUS if fmt.width == 64 else DOUBLE_RADIUS
    # pairs do not add up to pairs: float64 takes its seeds directly
    near, arguments = tables.plan(multipliers, exponent, frequencies, fmt, most=1 if fmt.width == 64 else tables.STEPS)

    def work(start, stop):
        for part in _repeats(*(view[start:stop] for view in views)):
            first = start
            undecided = np.empty(max(tables.OPEN, kernels.active.TILE * part[0][0].size), np.int64)
            while first < stop:
                rest = [view[first - start :] for view in part]
                found, done = rotated(*arguments(first, stop), *rest, fmt, radius, backwards, stream, undecided)
                for flat in undecided[:found].tolist():
                    at = np.unravel_index(flat, rest[0].shape)
                    _settle(rest, at, frequencies, (int(multipliers[first + at[0]]), exponent), fmt, backwards)
                first += done

    others = views[0].size // (rows * half)
    for_blocks(work, rows, near * max(1, kernels.active.BLOCK // (near * others * half)), threads)


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


def _settle(views, at, frequencies, position, fmt, backwards):
    """Write one rotated pair from whole numbers."""
    x, y = (float(rounding.widen(view[at].reshape(1), fmt)[0]) for view in views[:2])
    patterns = settled(x, y, frequencies, int(at[-1]), position, fmt, backwards)
    for view, pattern in zip(views[2:], patterns):
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
    """Position 0 (exact) and channels that are not finite: the formula in IEEE arithmetic, every NaN the quiet one."""
    float64 = formats.FORMATS["float64"]
    patterns = phases.rounded_cos_sin(frequencies, i, *position, float64)
    cos, sin = np.array(patterns, np.uint64).view(np.float64)
    with np.errstate(all="ignore"):
        values = np.array([x * cos - y * (sign * sin), y * cos + x * (sign * sin)])
        stored = rounding.narrow(values, fmt)
    return [fmt.nan if math.isnan(value) else int(bits) for value, bits in zip(values, formats.bits(stored))]
