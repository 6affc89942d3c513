"""Tables: cosine and sine of every phase, rounded once.

Kernels fill them from the seeds of a `rotation_plan`. Entries that the rounding test leaves undecided are rounded
exactly, with integers.
"""

from contextlib import contextmanager
from itertools import product
from typing import get_args

import numpy as np

from ... import kernels
from ...arithmetic import formats, rounding
from ...kernels.mapped_memory import give_back
from ...kernels.threads import for_blocks
from ...types import SinusoidLayout
from ..angles import attention_factor, phases, small_angles
from ..angles.axis_runs import in_units
from ..angles.phases import Angle
from ..angles.seeds import knots, step_zero
from ..positions.exact_positions import as_int64, multipliers_at
from . import rotation_plan

LAYOUTS = get_args(SinusoidLayout)
UNDECIDED = 1 << 14  # undecided entries that a kernel may report before they are rounded exactly
FEW = 64  # undecided entries of a block that cost less rounded together with those of the other blocks
STREAM = 8 << 20  # bytes of output from which on stores go past the cache
COPIED = 1 << 16  # entries of a block that is computed in memory of its own and then copied
COPY_BLOCK = 1 << 22  # bytes of a block that is only copied

# error radii: how far a value may be from the truth before rounding. Proved bounds are 2**-75.6 (pairs), 2**-49.6
# (doubles), and 2**-77.8 for a pair that is a seed itself, without any sum
PAIR_RADIUS = 2.0**-74
DOUBLE_RADIUS = 2.0**-49
SEED_RADIUS = 2.0**-77


def radius(fmt):
    """The error radius of the rounding test for values of about 1."""
    return PAIR_RADIUS if fmt.width == 64 else DOUBLE_RADIUS


def second_radius(radius, factor):
    """The error radius of the second rounding test, of what the first leaves undecided; 0, for no second test, where a
    factor multiplies the seeds."""
    return radius if factor.rational == 1 else 0.0


def radii(fmt, factor, radius=radius):
    """The error radii of the first and the second rounding test."""
    return radius(fmt) * attention_factor.scale(factor), second_radius(SEED_RADIUS, factor)


# -- layouts ----------------------------------------------------------------------------------------------------------


def cos_sin_columns(rows, layout, sines, cosines):
    """The views (cos, sin) of the columns of rows (n, >= sines + cosines); cosines is sines or one less."""
    if layout == "interleaved":
        return rows[:, 1 : 2 * cosines : 2], rows[:, 0 : 2 * sines : 2]
    if layout == "sin-cos":
        return rows[:, sines : sines + cosines], rows[:, :sines]
    return rows[:, :cosines], rows[:, cosines : cosines + sines]


@contextmanager
def rows_of(stored):
    """The array as rows of its last axis; where its strides allow no view of them, they are brought back at the end."""
    rows = stored.reshape(-1, stored.shape[-1])
    yield rows
    if rows.size and not np.shares_memory(rows, stored):
        stored[...] = rows.reshape(stored.shape)


# -- tables -----------------------------------------------------------------------------------------------------------


def fill(cos, sin, positions, frequencies, fmt, threads, radius=radius):
    """Fill cos (n, <= half) and sin (n, half), of the storage dtype and any strides, at `positions.Positions`."""
    frequencies = frequencies if positions.unit == 1 else in_units(frequencies, positions.unit)
    if not sin.size:
        return
    if not attention_factor.is_near_one(frequencies.factor):
        return _round_groups_exactly(cos, sin, positions.groups, frequencies, fmt)
    both_radii = radii(fmt, frequencies.factor, radius)
    few = sin.size <= rotation_plan.DIRECT  # of which a plan would make every row by itself
    if fmt.width < 64 and (few or len(positions.groups) > 1) and hasattr(kernels.active, "table_of_groups"):
        return _fill_groups(cos, sin, positions, frequencies, fmt, threads, both_radii)
    for group in positions.groups:
        _fill_group(cos, sin, group, frequencies, fmt, threads, both_radii)


def _fill_groups(cos, sin, positions, frequencies, fmt, threads, radii):
    """Fill the rows of all groups together, block by block."""
    exponents = [group.exponent for group in positions.groups]
    per_position = np.concatenate([phases.per_position(frequencies, k)[:, None] for k in exponents], 1)
    factor = attention_factor.multiply_seeds(step_zero(2, 1), frequencies.factor)[0, 0, 0]

    def work(start, stop):
        part = positions.groups if stop - start == len(sin) else positions.within(start, stop)
        multipliers, groups = np.empty(stop - start, np.int64), np.zeros(stop - start, np.intp)
        for index, of_group, exponent in part:
            rows = slice(None) if index is None else index
            multipliers[rows], groups[rows] = as_int64(of_group), exponents.index(exponent)
        block = cos[start:stop], sin[start:stop]
        arguments = multipliers, per_position, groups, knots(), factor, fmt, radii[0]
        undecided = kernels.active.table_of_groups(*block, *arguments)
        group_of_each = groups[undecided // sin.shape[1]]
        for k in {*group_of_each.tolist()}:
            round_entries_exactly(block, undecided[group_of_each == k], multipliers, frequencies, exponents[k], fmt)
        if cos.nbytes + sin.nbytes >= STREAM:
            give_back_rows(cos, slice(start, stop)), give_back_rows(sin, slice(start, stop))

    for_blocks(work, len(sin), block_rows(1, sin.shape[1]), threads)


def _fill_group(cos, sin, group, frequencies, fmt, threads, radii):
    index, multipliers, exponent = group
    half = sin.shape[1]
    plan = rotation_plan.by_one_position(frequencies, group, fmt)
    large = cos.nbytes + sin.nbytes >= STREAM
    stream = large and index is None  # scattered rows are computed in memory of their own, in the cache
    left = []  # flat indices of undecided entries that are rounded together at the end

    def work(start, stop):
        rows = slice(start, stop) if index is None else index[start:stop]
        targets = (cos[rows], sin[rows]) if index is None else [rows_like(array, stop - start) for array in (cos, sin)]
        first = start
        while first < stop:
            block = [array[first - start :] for array in targets]
            undecided = room_for_undecided(block[1])
            arguments = plan.kernel_arguments(first, stop)
            count, done = kernels.active.table(*arguments, *block, fmt, *radii, stream, undecided)
            found = undecided[:count]
            if fmt.marked:
                found = np.union1d(found, _unmarked_entries(*block, done))
            if len(found) and index is None and len(found) < FEW:
                left.append(found + first * half)
            elif len(found):
                done_multipliers = as_int64(multipliers[first : first + done])
                round_entries_exactly(block, found, done_multipliers, frequencies, exponent, fmt)
            first += done
        if index is not None:
            cos[rows], sin[rows] = targets
        if large:
            give_back_rows(cos, rows), give_back_rows(sin, rows)

    rows_at_once = block_rows(plan.rows_per_anchor, half, index is not None)
    if plan.rows_per_anchor == 1 and fmt.width < 64:
        rows_at_once *= getattr(kernels.active, "SCATTERED_BLOCKS", 1)
    for_blocks(work, len(multipliers), rows_at_once, threads)
    if left:
        round_entries_exactly((cos, sin), np.concatenate(left), multipliers, frequencies, exponent, fmt)


def _unmarked_entries(cos, sin, rows):
    """The flat indices of entries of the first rows to which `formats.MARKED` may give a mark."""
    unmarked = rounding.unmarked(sin[:rows])
    unmarked[:, : cos.shape[1]] |= rounding.unmarked(cos[:rows])
    return np.flatnonzero(unmarked)


def _round_groups_exactly(cos, sin, groups, frequencies, fmt):
    """Fill the rows of all groups with integers."""
    for index, multipliers, exponent in groups:
        rows = range(len(sin)) if index is None else index.tolist()
        for row, multiplier in zip(rows, as_int64(multipliers).tolist()):
            for i in range(sin.shape[1]):
                _round_exactly(cos, sin, row, Angle(frequencies, i, multiplier, exponent), fmt)


def round_entries_exactly(block, undecided, multipliers, frequencies, exponent, fmt):
    """Round the undecided entries of rows at those multipliers; they are flat indices of (row, frequency)."""
    cos, sin = block
    rows, columns = np.divmod(undecided, sin.shape[1])
    chosen = multipliers_at(multipliers, rows)
    start = rows[chosen == 0]
    if start.size:  # at position 0 every sine is undecided: it is 0, and every cosine 1
        formats.bits(cos)[start], sin[start] = frequencies.factor.pattern(fmt), 0
    rows, columns, chosen = (part[chosen != 0] for part in (rows, columns, chosen))
    if not rows.size:
        return
    *values, certain = small_angles.round_cos_sin(frequencies, columns, chosen, exponent, fmt)
    if fmt.marked:
        certain &= ~(rounding.unmarked(values[0]) | rounding.unmarked(values[1]))
    for array, rounded in zip(block, values):
        has_column = certain & (columns < array.shape[1])
        array[rows[has_column], columns[has_column]] = rounded[has_column]
    for row, i, multiplier in zip(*(part[~certain].tolist() for part in (rows, columns, chosen))):
        _round_exactly(cos, sin, row, Angle(frequencies, i, multiplier, exponent), fmt)


def _round_exactly(cos, sin, row, angle, fmt):
    """Write the cosine and the sine of one angle, computed with integers."""
    for array, pattern in zip((cos, sin), phases.rounded_cos_sin(angle, fmt)):
        if angle.i < array.shape[1]:
            formats.bits(array)[row, angle.i] = pattern


# -- blocks of rows ---------------------------------------------------------------------------------------------------


def block_rows(rows_per_anchor, entries, copied=False):
    """How many rows of so many entries make a block: a multiple of rows_per_anchor, and few where they are copied."""
    most = min(kernels.active.BLOCK, COPIED) if copied else kernels.active.BLOCK
    return rows_per_anchor * max(1, most // (rows_per_anchor * entries))


def room_for_undecided(array, rows=1):
    """Memory for the flat indices of undecided entries of (n, ..., half), at least for those of so many rows."""
    return np.empty(min(array.size, max(UNDECIDED, rows * (array.size // len(array)))), np.int64)


def rows_like(array, rows):
    """Memory for so many rows of an array."""
    return np.empty((rows, *array.shape[1:]), array.dtype)


def give_back_rows(array, rows):
    """Give back the mapped memory of a block of rows: a slice, or ascending indices."""
    give_back(array[rows if isinstance(rows, slice) else slice(rows[0], rows[-1] + 1)])


def copy_repeated(source, stored, threads):
    """Copy `source`, which may repeat itself (strides of 0, overlapping rows), into `stored`; both (outer, inner, run).

    Runs of contiguous elements go past the cache where the output is large. The source may have another byte order.
    """
    if not stored.size:
        return
    if source.dtype == stored.dtype and stored.strides[-1] == source.strides[-1] == stored.itemsize:
        parts, copy = [array.view(np.uint8) for array in (source, stored)], kernels.active.copy_runs
    else:
        parts, copy = (source, stored), lambda source, stored, stream: np.copyto(stored, source)
    large = stored.nbytes >= STREAM
    outer, inner, _ = stored.shape
    outer_rows = max(1, min(outer, COPY_BLOCK // stored[0].nbytes))
    rows = inner if outer_rows > 1 else max(1, COPY_BLOCK // stored[0, 0].nbytes)
    corners = list(product(range(0, outer, outer_rows), range(0, inner, rows)))

    def work(start, stop):
        for k, row in corners[start:stop]:
            at = slice(k, k + outer_rows), slice(row, row + rows)
            copy(*(array[at] for array in parts), large)
            if large:
                give_back(stored[at]), give_back(source[at])

    for_blocks(work, len(corners), 1, threads)
