"""How far computed angles can be from the exact ones, and the powers that multiply the waves: accounts that follow the
positions of the tokens along their axes.

docs/conformance.md derives every term.
"""

from collections.abc import Callable
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from ..arithmetic import reals
from ..encodings.mixed_rope import angle_sums
from ..encodings.rope_table import rope_table
from ..steps.call import read_token_positions
from ..steps.positions import as_int64
from .frequencies import POWER, Pipeline, compound, held, joined, log, underflow, unit


class Phases(NamedTuple):
    """Exact cosines and sines without sign and factor, as float64 (..., n), and what is known of computed ones.

    still: where the angle is surely 0. moved(pipeline): how far a computed angle may be off, at most 2. factor: what
    multiplies cosine and sine, off by a relative factor_error(pipeline); None where nothing does.
    """

    cos: np.ndarray
    sin: np.ndarray
    still: np.ndarray
    moved: Callable[[Pipeline], np.ndarray]
    factor: np.ndarray
    factor_error: Callable[[Pipeline], np.ndarray] | None


# -- positions --------------------------------------------------------------------------------------------------------


def values(axis):
    """The positions of one axis as float64."""
    found = np.empty(axis.shape).reshape(-1)
    for index, multipliers, exponent in axis.groups:
        found[slice(None) if index is None else index] = np.ldexp(as_int64(multipliers).astype(np.float64), exponent)
    return found.reshape(axis.shape) * float(axis.unit)


def drift(axis):
    """How far coordinates may be off that are computed, not counted or given, in units of the arithmetic."""
    c = values(axis)
    if axis.unit == 1 or not c.size:
        return np.zeros(c.shape)
    first = c.flat[0]
    # the way from the first coordinate, that one, its rounding or a map from 0 .. 1, and the sum
    part = abs(first) + 1 if first % 1 else 0.0
    return 5 * np.abs(c - first) + abs(first) + part + np.abs(c)


def rounded(p, fmt):
    """Where the positions are no values of the arithmetic."""
    return p != p.astype(np.float32) if fmt.name == "float32" else np.zeros(p.shape, bool)


def _for_pairs(of_axis, places, axes):
    """A number of each position, of the axis of each pair of channels: (..., n), or (..., 1) of a single axis."""
    found = [of_axis(axis) for axis in places.axes]
    if places.grid is not None:
        rank = len(found)
        along = [part.reshape([-1 if i == k else 1 for i in range(rank)]) for k, part in enumerate(found)]
        found = [np.broadcast_to(part, places.shape) for part in along]
    return found[0][..., None] if axes is None else np.stack([found[axis] for axis in axes], -1)


# -- angles -----------------------------------------------------------------------------------------------------------


def along(positions, origin, fit=None):
    """The phases of positions and the frequencies of an account; fit(array) puts them beside the channels of x, the
    cells of a grid as one sequence."""
    frequencies = origin.frequencies
    places = read_token_positions(positions, frequencies)
    cos, sin = rope_table(positions, replace(frequencies, factor=reals.rational(1)))
    p, spread = (_for_pairs(of_axis, places, frequencies.axes) for of_axis in (values, drift))
    parts = [np.abs(cos), np.abs(sin), np.abs(p), spread]
    if fit is not None:
        cells = (-1,) if places.grid is not None else places.shape
        parts = [fit(part.reshape(*cells, part.shape[-1])) for part in parts]
    cos, sin, p, spread = parts
    theta = np.abs(frequencies.inv_freq)
    with np.errstate(over="ignore"):
        angle = p * theta

    def moved(pipeline):
        fmt = pipeline.arithmetic
        u = unit(fmt)
        frequency = origin.errors(pipeline)
        # a frequency of exactly 1 costs no rounding in the product
        free = (frequency == 0) & (theta == 1)
        product = compound(np.where(free, 0.0, u) + np.where(rounded(p, fmt) & (spread == 0), u, 0.0))
        relative = frequency + product + frequency * product
        with np.errstate(over="ignore"):
            found = np.where(relative > 0, angle * relative + underflow(fmt), 0.0)
            return np.minimum(found + theta * spread * u * (1 + relative), 2.0)

    multiplied = frequencies.factor.rational != 1
    still = (angle == 0) & (theta * spread == 0)
    factor_error = origin.factor_error if multiplied else None
    return Phases(cos, sin, still, moved, np.float64(frequencies.attention_factor), factor_error)


def mixed(places, weight, squared_scale=None):
    """The phases of weighted sums of positions: (heads, tokens, n) for weight (axes, heads, n)."""
    learned = np.asarray(weight, np.float64)
    scale = [float(value) for value in squared_scale or [1] * len(places)]
    p, spread = zip(*(_stretched(axis, square) for axis, square in zip(places, scale)))
    p, spread = np.array(p), np.array(spread)  # (axes, tokens)
    tables = [rope_table([1], exact) for exact in angle_sums(places, weight, squared_scale)]
    shape = (learned.shape[1], p.shape[1], learned.shape[2])
    cos, sin = (np.abs(np.array(part)).reshape(shape) for part in zip(*tables))
    p, spread, learned = np.abs(p)[:, None, :, None], spread[:, None, :, None], np.abs(learned)[:, :, None]

    def moved(pipeline):
        fmt = pipeline.arithmetic
        u = unit(fmt)
        given = np.where(rounded(p, fmt) & (spread == 0), u, 0.0) + np.where(rounded(learned, fmt), u, 0.0)
        # the product, and a sum for each axis but one
        relative = compound(len(p) * u + given)
        terms = p * learned * relative + spread * learned * u * (1 + relative) + underflow(fmt)
        return np.minimum(terms.sum(0), 2.0)

    still = ((p + spread) * learned == 0).all(0)
    return Phases(cos, sin, still, moved, np.float64(1), None)


def _stretched(axis, square):
    """Positions times the root of a number, and how far those may be off that were scaled on the way."""
    c, root = values(axis), np.sqrt(square)
    if square == 1:
        return c, drift(axis)
    # the middles of cells, whose edges lie up to a step further out; the number, its root and a product
    step = np.abs(np.diff(c)).max(initial=0.0)
    spread = 5 * (np.abs(c - c[:1]) + step) + 2 * (np.abs(c[:1]) + step) + 4 * np.abs(c)
    return c * root, spread * root


# -- the powers of xPos -----------------------------------------------------------------------------------------------


def power_errors(where, growth, powers, fit=lambda part: part):
    """Relative errors of the powers of xPos, as a function of a pipeline; where: positions, powers: the exact ones."""
    p = fit(values(where)[..., None])
    steps = np.abs(p - float(growth.centre)) * float(abs(growth.step))
    logs = np.array([log(base) for base in growth.bases])
    scale_base, shrinks = 1 / abs(growth.step), growth.step < 0

    def errors(pipeline):
        fmt = pipeline.arithmetic
        u = unit(fmt)
        lost = rounded(p, fmt)
        # the difference, the scale base and the quotient; the position
        exponent = steps * compound(2 * u + held(scale_base, fmt)) + np.where(lost, u, 0.0) * np.abs(p) / float(
            scale_base
        )
        # zeta: two products with the width, a sum and a quotient
        moved = steps * compound(4 * u) + logs * exponent
        # e**x - 1 <= x / (1 - x), and e**x <= 2**(2 x)
        found = np.where(moved < 0.5, compound(np.minimum(moved, 0.5)), 2.0 ** np.minimum(2 * moved, 1000) - 1)
        found = np.where((steps == 0) & ~lost, 0.0, joined(found, POWER * u))
        if shrinks:  # the reciprocal, and of small powers what gradual underflow takes
            found = joined(joined(found, u), np.minimum(powers * 2.0**fmt.lowest, 0.5))
        return found

    return errors


def grown(phases, powers, errors):
    """The phases times the powers of xPos."""
    before = phases.factor_error or (lambda pipeline: 0.0)

    def both(pipeline):
        first, second = before(pipeline), errors(pipeline)
        return first + second + first * second + (unit(pipeline.arithmetic) if phases.factor_error else 0.0)

    with np.errstate(over="ignore"):
        return phases._replace(factor=phases.factor * powers, factor_error=both)
