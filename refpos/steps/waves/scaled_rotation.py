"""Rotation of pairs of channels whose length changes with the position: each result rounded once.

The pair is rotated as in `rotation` and multiplied by factor * base_i**(exponent at the position), in doubles or pairs
of doubles with the power of two apart. What the rounding test leaves undecided is rounded exactly, with integers:
the power is algebraic, so that its product with cosine and sine is transcendental where they are.
"""

import math
from dataclasses import replace
from fractions import Fraction
from typing import NamedTuple

import numpy as np

from ...arithmetic import formats, powers, reals, rounding
from ...kernels.threads import for_blocks
from ..angles import axis_runs, phases, seeds
from ..angles.frequencies import Frequencies
from ..angles.phases import Angle
from ..positions.exact_positions import as_int64
from . import rotation
from .rotation import pair_views

#: error radii: how far a result may be from the truth before rounding, relative to (|x| + |y|) * power; proved bounds
#: are 2**-76.3 with pairs and 2**-48.3 with doubles (docs/numbers.md)
PAIR_RADIUS = 2.0**-74
DOUBLE_RADIUS = 2.0**-47
BLOCK = 1 << 15  # elements computed at a time
SMALL, LARGE = 2.0**-900, 2.0**1000  # sizes within which nothing over- or underflows


class Growth(NamedTuple):
    """The powers base_i**(step * (p - centre)) at position p, one base for each pair of channels."""

    bases: tuple
    step: Fraction
    centre: Fraction

    def power(self, i, position):
        """The power of one pair at one position, a fraction, as a `reals.Real`."""
        return powers.real(self.bases[i], self.step * (position - self.centre))


class _GroupAngles(NamedTuple):
    """The angles and powers of a group of positions, from the frequencies in their units, their unit and exponent."""

    frequencies: Frequencies
    growth: Growth
    unit: Fraction
    exponent: int

    def angle(self, i, multiplier):
        """The `Angle` of pair i at one multiplier, with the power in the factor of its frequencies."""
        power = self.growth.power(i, multiplier * Fraction(2) ** self.exponent * self.unit)
        return Angle(replace(self.frequencies, factor=self.frequencies.factor * power), i, multiplier, self.exponent)


def rotate(source, stored, positions, pairing, frequencies, growth, fmt, backwards, threads):
    """Turn and scale the first frequencies.dim channels of source (n, others..., dim) into stored, copy the others.

    positions: the `Positions` of the n rows. source may be stored itself; its byte order and alignment are its own.
    """
    if source.shape[-1] > frequencies.dim:
        stored[..., frequencies.dim :] = source[..., frequencies.dim :]
    native = source.dtype.newbyteorder("=")

    def pairs_of(rows):
        x = np.require(source[rows], native, "A")
        return [rounding.widen(view, fmt) for view in pair_views(x, pairing, frequencies.dim)]

    def put(rows, results):
        for view, result in zip(pair_views(stored, pairing, frequencies.dim), results):
            view[rows] = result

    row_size = max(1, math.prod(source.shape[1:]))
    _each_block(positions, frequencies, growth, fmt, backwards, threads, row_size, pairs_of, put)


def fill(cos, sin, positions, frequencies, growth, fmt, threads):
    """Fill cos and sin (n, half), of the storage dtype, with factor * power * cosine and sine."""
    half = len(frequencies)

    def pairs_of(rows):
        count = rows.stop - rows.start if isinstance(rows, slice) else len(rows)
        return np.ones((count, half)), np.zeros((count, half))

    def put(rows, results):
        cos[rows], sin[rows] = results

    _each_block(positions, frequencies, growth, fmt, False, threads, 2 * half, pairs_of, put)


def fill_powers(stored, positions, growth, fmt):
    """Fill stored (n, bases), of the storage dtype, with the powers."""
    for group in positions.groups:
        _fill_powers_of_group(stored, group, positions.unit, growth, fmt)


def _fill_powers_of_group(stored, group, unit, growth, fmt):
    index, multipliers, exponent = group
    unit, radius = Fraction(2) ** exponent * unit, PAIR_RADIUS if fmt.width == 64 else DOUBLE_RADIUS
    step = max(1, BLOCK // len(growth.bases))
    for start in range(0, len(multipliers), step):
        chosen = as_int64(multipliers[start : start + step])
        power = _powers_at(chosen, _ends(multipliers), unit, growth, reals.rational(1), fmt)
        rest = 0.0 if power.low is None else power.low
        values, sure = powers.round_pairs(power.high, rest, power.high * radius, power.exponent, fmt)
        for row, i in np.argwhere(~sure).tolist():
            formats.bits(values)[row, i] = growth.power(i, int(chosen[row]) * unit).pattern(fmt)
        stored[slice(start, start + step) if index is None else index[start : start + step]] = values


# -- blocks of rows ---------------------------------------------------------------------------------------------------


def _each_block(positions, frequencies, growth, fmt, backwards, threads, row_size, pairs_of, put):
    """Turn the pairs of each block of rows, of row_size elements each: pairs_of(rows) returns them, put(rows, results)
    stores their results."""
    frequencies = axis_runs.in_units(frequencies, positions.unit)
    for group in positions.groups:
        if len(group.multipliers):
            angles = _GroupAngles(frequencies, growth, positions.unit, group.exponent)
            work = _work(group, angles, fmt, backwards, pairs_of, put)
            for_blocks(work, len(group.multipliers), max(1, BLOCK // row_size), threads)


def _work(group, angles, fmt, backwards, pairs_of, put):
    index, multipliers, exponent = group
    frequencies, growth = angles.frequencies, angles.growth
    per_position, ends = phases.per_position(frequencies, exponent), _ends(multipliers)
    unit = Fraction(2) ** exponent * angles.unit
    _powers_at(as_int64(multipliers[:1]), ends, unit, growth, frequencies.factor, fmt)  # cached for all threads

    def work(start, stop):
        rows = slice(start, stop) if index is None else index[start:stop]
        chosen = as_int64(multipliers[start:stop])
        waves = seeds.make_seeds(chosen, per_position, 4 if fmt.width == 64 else 2)
        power = _powers_at(chosen, ends, unit, growth, frequencies.factor, fmt)
        put(rows, _rotated(*pairs_of(rows), chosen, waves, power, angles, fmt, backwards))

    return work


def _ends(multipliers):
    """The smallest and the largest multiplier of a group."""
    if isinstance(multipliers, range):
        return tuple(sorted((multipliers[0], multipliers[-1])))
    return int(multipliers.min()), int(multipliers.max())


def _powers_at(chosen, ends, unit, growth, factor, fmt):
    """The powers at some multipliers of a group, counted from its smallest one."""
    low, high = ends
    start = growth.step * (low * unit - growth.centre)
    return powers.scaled_powers(
        growth.bases, start, growth.step * unit, chosen - low, high - low, factor, pairs=fmt.width == 64
    )


def _rotated(x, y, chosen, waves, power, angles, fmt, backwards):
    """Both results (n, others..., half) in the storage dtype: x cos - y sin and y cos + x sin, times the power."""
    shape = (len(x), *(1,) * (x.ndim - 2), x.shape[-1])
    waves = waves.reshape(len(waves), *shape)
    cos, sin = waves[: len(waves) // 2], waves[len(waves) // 2 :]
    sin = -sin if backwards else sin
    high, low, exponent = (None if part is None else part.reshape(shape) for part in power)
    combine, radius = (_combine_pairs, PAIR_RADIUS) if fmt.width == 64 else (_combine_doubles, DOUBLE_RADIUS)
    with np.errstate(all="ignore"):
        size = np.abs(x) + np.abs(y)
        sure = (size == 0) | (size >= SMALL) & (size <= LARGE)
        error_radius = size * high * radius
        results = []
        for leading, rest in (combine(x, y, cos, -sin, high, low), combine(y, x, cos, sin, high, low)):
            values, certain = powers.round_pairs(leading, rest, error_radius, exponent, fmt)
            sure &= certain | (size == 0)
            results.append(np.where(size == 0, values.dtype.type(0), values))
    for at in map(tuple, np.argwhere(~sure).tolist()):
        angle = angles.angle(at[-1], int(chosen[at[0]]))
        patterns = rotation.rounded_pair(float(x[at]), float(y[at]), angle, fmt, backwards)
        for result, pattern in zip(results, patterns):
            formats.bits(result)[at] = pattern
    return results


def _combine_doubles(x, y, cos, sin, high, low):
    return (x * cos[0] + y * sin[0]) * high, 0.0


def _combine_pairs(x, y, cos, sin, high, low):
    """(x cos + y sin) * (high + low) as a pair, off by less than (|x| + |y|) * high * 2**-76.3."""
    first, first_rest = powers.exact_product(x, cos[0])
    second, second_rest = powers.exact_product(y, sin[0])
    total = first + second
    other = total - first
    rest = ((first - (total - other)) + (second - other)) + ((first_rest + second_rest) + (x * cos[1] + y * sin[1]))
    leading, product_rest = powers.exact_product(total, high)
    return leading, product_rest + (rest * high + total * low)
