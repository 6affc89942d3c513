"""Rotation: each pair of channels turned by its phase, the result rounded once.

The cosine and sine stay unrounded pairs of doubles; only x cos - y sin is rounded. What the rounding test leaves open
is settled with whole numbers: for a position that is not 0, x cos - y sin is transcendental unless x = y = 0 (were it
algebraic, so would be e**(i phase)), so that never lies halfway between two values either.
"""

import math
from dataclasses import replace
from functools import partial

import numpy as np

from .. import kernels
from ..arithmetic import formats, reals, rounding
from ..kernels.threads import for_blocks
from . import attention_factor, axis_runs, phases, positions, rotation_plan, tables

# how far a rotated channel may be from the truth before rounding, relative to |x| + |y|: proved bounds are 2**-75.5
# with pairs, 2**-49.3 with doubles; CLOSER_RADIUS is for pairs that no factor multiplies
PAIR_RADIUS = 2.0**-74
DOUBLE_RADIUS = 2.0**-48
CLOSER_RADIUS = 2.0**-75


def pair_views(array, pairing, rotary_dim):
    """The views of first and second channels of each pair."""
    if pairing == "interleaved":
        return array[..., 0:rotary_dim:2], array[..., 1:rotary_dim:2]
    return array[..., : rotary_dim // 2], array[..., rotary_dim // 2 : rotary_dim]


def rotate(source, stored, axes, pairing, frequencies, fmt, backwards, threads):
    """Rotate the first frequencies.dim channels of source (n, others..., dim) into stored, and copy the other channels.

    axes are the `positions.Positions` of the n rows along each axis. source may be stored itself; its byte order and
    alignment are its own.
    """
    most = tables.block_rows(1, len(frequencies))
    parts = [(source, stored)] if source.ndim == 3 and source.shape[1] <= most else list(_repeats(source, stored, most))
    if source.shape[-1] > frequencies.dim and source is not stored:
        for part in parts:
            given, made = (array[..., frequencies.dim :] for array in part)
            tables.spread(given, made, threads)
    for pairs, index, turned in _turnings(axes, pairing, frequencies, fmt, len(source)):
        views_of = partial(run_views, pairing=pairing, rotary_dim=frequencies.dim, pairs=pairs)
        for part in parts:
            _rotate_rows(*part, index, turned, views_of, fmt, backwards, threads)


def _turnings(axes, pairing, frequencies, fmt, rows):
    """(slice of the pairs, indices of the rows or None, their `rotation_plan.Turning`): all at once, or run by run."""
    together = (
        None if frequencies.axes is None or pairing == "block-half" else rotation_plan.by_many(frequencies, axes, fmt)
    )
    if together:
        yield slice(0, len(frequencies), 1), None, together
        return
    for run in axis_runs.runs(frequencies):
        where = positions.at_rest(rows) if run.still else axes[run.axis]
        own = axis_runs.in_units(run.frequencies, where.unit)
        for index, multipliers, exponent in where.groups:
            yield run.pairs, index, rotation_plan.by_one(own, multipliers, exponent, fmt)


def run_views(array, pairing, rotary_dim, pairs):
    """The views of first and second channels of some pairs; in "block-half" they are a block of their own."""
    if pairing == "block-half":
        block = array[..., 2 * pairs.start : 2 * pairs.stop]
        return pair_views(block, "half", block.shape[-1])
    views = pair_views(array, pairing, rotary_dim)
    return views if pairs == slice(0, rotary_dim // 2, 1) else [view[..., pairs] for view in views]


def _repeats(source, stored, most):
    """The arrays cut into parts of three axes (rows, repeats, dim), with that many repeats at most."""
    if source.ndim == 2:
        source, stored = source[:, None], stored[:, None]
    if source.ndim > 3:
        for k in range(source.shape[1]):
            yield from _repeats(source[:, k], stored[:, k], most)
        return
    for k in range(0, source.shape[1], most):
        yield source[:, k : k + most], stored[:, k : k + most]


def _rotate_rows(source, stored, index, turned, views_of, fmt, backwards, threads):
    foreign = not (source.flags.aligned and source.dtype.isnative)
    large = source.nbytes >= tables.STREAM
    stream = large and index is None
    if not attention_factor.is_near_one(turned.factor):
        return _settle_rows(source, stored, index, turned, views_of, fmt, backwards)
    radius = (PAIR_RADIUS if fmt.width == 64 else DOUBLE_RADIUS) * attention_factor.scale(turned.factor)
    radii = radius, tables.closer(CLOSER_RADIUS, turned.factor)

    def work(start, stop):
        rows = slice(start, stop) if index is None else index[start:stop]
        given, made = source[rows], stored[rows]
        if foreign:
            given = np.require(given, given.dtype.newbyteorder("="), "A")
        views = [*views_of(given), *views_of(made)]
        first = start
        while first < stop:
            rest = views if first == start else [view[first - start :] for view in views]
            undecided = tables.room_for_open(rest[0], kernels.active.TILE)
            found, done = kernels.active.rotate(
                *turned.arguments(first, stop), *rest, fmt, *radii, backwards, stream, undecided, *turned.axes
            )
            for flat in undecided[:found].tolist():
                at = np.unravel_index(flat, rest[0].shape)
                _settle(rest, at, turned.place(first + int(at[0]), int(at[-1])), fmt, backwards)
            first += done
        if index is not None:
            stored[rows] = made
        if large:
            tables.give_back_rows(stored, rows), tables.give_back_rows(source, rows)

    pairs = source.shape[1] * views_of(source)[0].shape[-1]
    rows = tables.block_rows(turned.near, pairs, foreign or index is not None)
    for_blocks(work, len(source) if index is None else len(index), rows, threads)


def _settle_rows(source, stored, index, turned, views_of, fmt, backwards):
    """Rotate all rows from whole numbers."""
    for k, row in enumerate(range(len(source)) if index is None else index.tolist()):
        given, made = source[row : row + 1], stored[row : row + 1]
        views = [*views_of(np.require(given, given.dtype.newbyteorder("="), "A")), *views_of(made)]
        for at in np.ndindex(views[0].shape):
            _settle(views, at, turned.place(k, at[-1]), fmt, backwards)


def _settle(views, at, place, fmt, backwards):
    """Write one rotated pair from whole numbers."""
    frequencies, i, position = place
    x, y = (float(rounding.widen(view[at].reshape(1), fmt)[0]) for view in views[:2])
    patterns = settled(x, y, frequencies, i, position, fmt, backwards)
    for view, pattern in zip(views[2:], patterns):
        formats.bits(view)[at] = pattern


def settled(x, y, frequencies, i, position, fmt, backwards):
    """Bit patterns of factor * (x cos - y sin, y cos + x sin), or with -sin, from whole numbers."""
    sign = -1 if backwards else 1
    if x == y == 0:
        return [0, 0]
    if not (math.isfinite(x) and math.isfinite(y)) or position[0] == 0 and frequencies.factor.rational == 1:
        return _by_ieee(x, y, frequencies, i, position, fmt, sign)
    (a, a_shift), (b, b_shift) = (_whole(v) for v in (x, y))
    shift = max(a_shift, b_shift)
    a, b = a << shift - a_shift, b << shift - b_shift
    sums = (a, -b * sign), (b, a * sign)
    patterns = [phases.rounded_sum(frequencies, i, *position, *sum_, shift, fmt) for sum_ in sums]
    if None in patterns:
        signed = _by_ieee(x, y, frequencies, i, position, fmt, sign)
        return [zero if pattern is None else pattern for pattern, zero in zip(patterns, signed)]
    return patterns


def _whole(value):
    """A float as an integer times 2**-shift."""
    numerator, denominator = value.as_integer_ratio()
    return numerator, denominator.bit_length() - 1


def _by_ieee(x, y, frequencies, i, position, fmt, sign):
    """Position 0 (exact), exact zeros, and channels that are not finite: the formula in IEEE arithmetic without the
    factor, which changes no sign, no zero and no infinity. Every NaN is the quiet one."""
    plain = replace(frequencies, factor=reals.rational(1))
    patterns = phases.rounded_cos_sin(plain, i, *position, formats.FORMATS["float64"])
    cos, sin = np.array(patterns, np.uint64).view(np.float64)
    with np.errstate(all="ignore"):
        values = np.array([x * cos - y * (sign * sin), y * cos + x * (sign * sin)], np.float64)
        stored = rounding.narrow(values, fmt)
    return [fmt.nan if math.isnan(value) else int(bits) for value, bits in zip(values, formats.bits(stored))]
