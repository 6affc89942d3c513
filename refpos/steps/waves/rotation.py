"""Rotation: each pair of channels is rotated by its phase, the result rounded once.

The cosine and sine stay unrounded pairs of doubles; only x cos - y sin is rounded. What the rounding test leaves
undecided is rounded exactly, with integers: for a position that is not 0, x cos - y sin is transcendental unless
x = y = 0 (were it algebraic, so would be e**(i phase)), so that it never lies halfway between two values.
"""

import math
from functools import partial

import numpy as np

from ... import kernels
from ...arithmetic import formats, rounding
from ...kernels.threads import for_blocks
from ..angles import attention_factor, axis_runs, phases
from ..positions import exact_positions
from . import rotation_plan, tables

# error radii: how far a rotated channel may be from the truth before rounding, relative to |x| + |y|. Proved bounds are
# 2**-75.5 with pairs and 2**-49.3 with doubles; CLOSER_RADIUS, where 2**-76.8 is proved, is for pairs that no factor
# multiplies
PAIR_RADIUS = 2.0**-74
DOUBLE_RADIUS = 2.0**-48
CLOSER_RADIUS = 1.5 * 2.0**-77


def radii(fmt, factor):
    """The error radii of the first and the second rounding test."""
    radius = PAIR_RADIUS if fmt.width == 64 else DOUBLE_RADIUS
    return radius * attention_factor.scale(factor), tables.second_radius(CLOSER_RADIUS, factor)


def pair_views(array, pairing, rotary_dim):
    """The views of first and second channels of each pair."""
    if pairing == "interleaved":
        return array[..., 0:rotary_dim:2], array[..., 1:rotary_dim:2]
    return array[..., : rotary_dim // 2], array[..., rotary_dim // 2 : rotary_dim]


def run_views(array, pairing, frequencies, pairs):
    """The views of first and second channels of some pairs; in "block-half" the pairs of each axis are a block."""
    if pairing != "block-half":
        views = pair_views(array, pairing, frequencies.dim)
        return views if pairs == slice(0, len(frequencies), 1) else [view[..., pairs] for view in views]
    block = axis_runs.block(frequencies, pairs)
    views = pair_views(array[..., 2 * block.start : 2 * block.stop], "half", 2 * len(block))
    return [view[..., pairs.start - block.start : pairs.stop - block.start : pairs.step] for view in views]


def rotate(source, stored, axes, pairing, frequencies, fmt, backwards, threads):
    """Rotate the first frequencies.dim channels of source (n, others..., dim) into stored, and copy the other channels.

    axes are the `positions.Positions` of the n rows along each axis. source may be stored itself; its byte order and
    alignment are its own.
    """
    most = tables.block_rows(1, len(frequencies))
    parts = [(source, stored)] if source.ndim == 3 and source.shape[1] <= most else list(_repeats(source, stored, most))
    if source.shape[-1] > frequencies.dim and source is not stored:
        for part in parts:
            unrotated, target = (array[..., frequencies.dim :] for array in part)
            tables.copy_repeated(unrotated, target, threads)
    for pairs, index, plan in _plans(axes, pairing, frequencies, fmt, len(source)):
        views_of = partial(run_views, pairing=pairing, frequencies=frequencies, pairs=pairs)
        for part in parts:
            _rotate_rows(*part, index, plan, views_of, fmt, backwards, threads)


def _plans(axes, pairing, frequencies, fmt, rows):
    """(slice of the pairs, indices of the rows or None, `RotationPlan`): all pairs at once, or run by run."""
    if frequencies.axes is not None and pairing != "block-half":
        plan = rotation_plan.by_position_of_each_axis(frequencies, axes, fmt)
        if plan is not None:
            yield slice(0, len(frequencies), 1), None, plan
            return
    # float64: angle addition does not return the pairs of doubles that products need, so each row has its own seeds
    most = 1 if fmt.width == 64 else rotation_plan.STEPS
    for run in axis_runs.runs(frequencies):
        along = exact_positions.zeros(rows) if run.is_zero else axes[run.axis]
        chosen = axis_runs.in_units(run.frequencies, along.unit)
        for group in along.groups:
            yield run.pairs, group.index, rotation_plan.by_one_position(chosen, group, fmt, most)


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


def _rotate_rows(source, stored, index, plan, views_of, fmt, backwards, threads):
    foreign = not (source.flags.aligned and source.dtype.isnative)
    large = source.nbytes >= tables.STREAM
    stream = large and index is None
    factor = plan.frequencies.factor
    if not attention_factor.is_near_one(factor):
        return _round_rows_exactly(source, stored, index, plan, views_of, fmt, backwards)
    both_radii = radii(fmt, factor)

    def work(start, stop):
        rows = slice(start, stop) if index is None else index[start:stop]
        x, y = source[rows], stored[rows]
        if foreign:
            x = np.require(x, x.dtype.newbyteorder("="), "A")
        views = [*views_of(x), *views_of(y)]
        first = start
        while first < stop:
            rest = views if first == start else [view[first - start :] for view in views]
            undecided = tables.room_for_undecided(rest[0], kernels.active.TILE)
            count, done = kernels.active.rotate(
                *plan.kernel_arguments(first, stop), *rest, fmt, *both_radii, backwards, stream, undecided,
                *plan.axis_columns,
            )  # fmt: skip

            def angle_of(row, pair, first=first):
                return plan.locate(first + int(row), int(pair))

            found = undecided[:count]
            if fmt.marked:
                found = np.union1d(found, _unmarked_pairs(rest[2:], done, angle_of))
            left = _write_not_finite(rest, found, angle_of, fmt, backwards) if len(found) else found
            for flat in left.tolist():
                at = np.unravel_index(flat, rest[0].shape)
                _round_pair_exactly(rest, at, angle_of(at[0], at[-1]), fmt, backwards)
            first += done
        if index is not None:
            stored[rows] = y
        if large:
            tables.give_back_rows(stored, rows), tables.give_back_rows(source, rows)

    pairs = source.shape[1] * views_of(source)[0].shape[-1]
    rows = tables.block_rows(plan.rows_per_anchor, pairs, foreign or index is not None)
    for_blocks(work, len(source) if index is None else len(index), rows, threads)


def _unmarked_pairs(results, rows, angle_of):
    """The flat indices of pairs of the first rows to which `formats.MARKED` may give a mark."""
    found = np.flatnonzero(rounding.unmarked(results[0][:rows]) | rounding.unmarked(results[1][:rows]))
    at = np.unravel_index(found, results[0].shape)
    angles, which = np.unique([at[0], at[-1]], axis=1, return_inverse=True)
    # at position 0 channels are copied
    copied = [angle_of(*angle).multiplier == 0 for angle in angles.T]
    return found[~np.array(copied, bool)[which.reshape(-1)]]


def _write_not_finite(views, undecided, angle_of, fmt, backwards):
    """Write the pairs that have a NaN or an infinity, with one cosine and sine an angle; the other undecided pairs."""
    at = np.unravel_index(undecided, views[0].shape)
    x, y = (rounding.widen(view[at], fmt) for view in views[:2])
    odd = ~(np.isfinite(x) & np.isfinite(y))
    if not odd.any():
        return undecided
    infinite = odd & ~(np.isnan(x) | np.isnan(y))  # a NaN makes two of them by any angle
    cos, sin = np.ones((2, len(x)))
    angles, which = np.unique([at[0][infinite], at[-1][infinite]], axis=1, return_inverse=True)
    known = [phases.float64_without_factor(angle_of(*angle)) for angle in angles.T]
    if known:
        cos[infinite], sin[infinite] = np.transpose(known)[:, which.reshape(-1)]
    patterns = _by_ieee(x[odd], y[odd], cos[odd], -sin[odd] if backwards else sin[odd], fmt)
    for view, one in zip(views[2:], patterns, strict=True):
        formats.bits(view)[tuple(places[odd] for places in at)] = one
    return undecided[~odd]


def _round_rows_exactly(source, stored, index, plan, views_of, fmt, backwards):
    """Rotate all rows with integers."""
    for k, row in enumerate(range(len(source)) if index is None else index.tolist()):
        x, y = source[row : row + 1], stored[row : row + 1]
        views = [*views_of(np.require(x, x.dtype.newbyteorder("="), "A")), *views_of(y)]
        for at in np.ndindex(views[0].shape):
            _round_pair_exactly(views, at, plan.locate(k, at[-1]), fmt, backwards)


def _round_pair_exactly(views, at, angle, fmt, backwards):
    """Write one rotated pair, computed with integers; views: of first and second channels, of x and the result."""
    x, y = (float(rounding.widen(view[at].reshape(1), fmt)[0]) for view in views[:2])
    for view, pattern in zip(views[2:], rounded_pair(x, y, angle, fmt, backwards)):
        formats.bits(view)[at] = pattern


def rounded_pair(x, y, angle, fmt, backwards):
    """Bit patterns of factor * (x cos - y sin, y cos + x sin), or with -sin, from integers."""
    sign = -1 if backwards else 1

    def by_ieee():
        cos, sin = phases.float64_without_factor(angle)
        return _by_ieee(x, y, cos, sign * sin, fmt)

    if x == y == 0:
        return [0, 0]
    if math.isnan(x) or math.isnan(y):  # by any angle
        return [fmt.nan, fmt.nan]
    if not (math.isfinite(x) and math.isfinite(y)) or (
        angle.multiplier == 0 and angle.frequencies.factor.rational == 1
    ):
        return by_ieee()
    (a, a_shift), (b, b_shift) = (_shifted_integer(value) for value in (x, y))
    shift = max(a_shift, b_shift)
    a, b = a << shift - a_shift, b << shift - b_shift
    sums = (a, -b * sign), (b, a * sign)
    patterns = [phases.rounded_sum(angle, *sum_, shift, fmt) for sum_ in sums]
    if None in patterns:
        return [zero if pattern is None else pattern for pattern, zero in zip(patterns, by_ieee())]
    return patterns


def _shifted_integer(value):
    """A float as (integer, shift): it is integer * 2**-shift."""
    numerator, denominator = value.as_integer_ratio()
    return numerator, denominator.bit_length() - 1


def _by_ieee(x, y, cos, sin, fmt):
    """Bit patterns at position 0 (exact), of exact zeros, and of channels that are not finite: the formula in IEEE
    arithmetic without the factor, which changes no sign, no zero and no infinity. Every NaN is the quiet one."""
    with np.errstate(all="ignore"):
        values = np.array([x * cos - y * sin, y * cos + x * sin], np.float64)
        patterns = formats.bits(rounding.narrow(values, fmt))
    patterns[np.isnan(values)] = fmt.nan
    return patterns
