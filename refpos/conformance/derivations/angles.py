"""How far computed angles can be from the exact ones, and the powers that multiply cosine and sine: errors that depend
on the position of each token along its axes.

docs/conformance.md derives every term.
"""

import math
from collections.abc import Callable
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from ...arithmetic import elementary, reals, rounding
from ...rotary.mixed_rope import angle_sums
from ...rotary.rope_table import rope_table
from ...steps.positions.exact_positions import as_int64
from ...steps.waves.rotary_arguments import read_token_positions
from ..classes import Pipeline
from .rounding_errors import (
    DERIVATION,
    POWER,
    compound,
    conversion_error,
    followed_by,
    log_size,
    underflow_error,
    unit_roundoff,
)


class Phases(NamedTuple):
    """Exact cosines and sines without sign and factor, as float64 (..., n), and the errors of computed ones.

    is_zero: where the angle is surely 0. angle_error(pipeline): how far a computed angle may be off, at most 2. factor:
    what multiplies cosine and sine, off by a relative factor_error(pipeline); None where nothing does.
    """

    cos: np.ndarray
    sin: np.ndarray
    is_zero: np.ndarray
    angle_error: Callable[[Pipeline], np.ndarray]
    factor: np.ndarray
    factor_error: Callable[[Pipeline], np.ndarray] | None


# -- positions --------------------------------------------------------------------------------------------------------


def as_floats(axis):
    """The positions of one axis as float64."""
    values = np.empty(axis.shape).reshape(-1)
    for index, multipliers, exponent in axis.groups:
        values[slice(None) if index is None else index] = np.ldexp(as_int64(multipliers).astype(np.float64), exponent)
    return values.reshape(axis.shape) * float(axis.unit)


def coordinate_error(axis):
    """How far computed coordinates may be off, in units of the arithmetic; 0 for counted or stored ones."""
    c = as_floats(axis)
    if axis.unit == 1 or not c.size:
        return np.zeros(c.shape)
    first = c.flat[0]
    # the way from the first coordinate, that one, its rounding or a map from 0 .. 1, and the sum
    part = abs(first) + 1 if first % 1 else 0.0
    with np.errstate(over="ignore"):
        return 5 * np.abs(c - first) + abs(first) + part + np.abs(c)


def is_rounded(p, fmt):
    """Where the positions are not values of the arithmetic."""
    if fmt.name == "tf32":
        return np.ldexp(np.round(np.ldexp(np.frexp(p)[0], fmt.precision)), -fmt.precision) != np.frexp(p)[0]
    if fmt.width == 64:
        return np.zeros(p.shape, bool)
    return p != rounding.widen(rounding.narrow(p, fmt), fmt)


def for_pairs(of_axis, tokens, axes):
    """A number of each position, of the axis of each pair of channels: (..., n), or (..., 1) of a single axis."""
    numbers = [of_axis(axis) for axis in tokens.axes]
    if tokens.grid is not None:
        rank = len(numbers)
        along = [part.reshape([-1 if i == k else 1 for i in range(rank)]) for k, part in enumerate(numbers)]
        numbers = [np.broadcast_to(part, tokens.shape) for part in along]
    return numbers[0][..., None] if axes is None else np.stack([numbers[axis] for axis in axes], -1)


# -- angles -----------------------------------------------------------------------------------------------------------


def phases_of(positions, computed, shape_like_x=None):
    """The phases of positions and computed frequencies.

    shape_like_x(array): puts a number for each token beside the channels of x, the cells of a grid as one sequence.
    """
    frequencies = computed.frequencies
    tokens = read_token_positions(positions, frequencies)
    cos, sin = rope_table(positions, replace(frequencies, factor=reals.rational(1)))
    p, off = (for_pairs(of_axis, tokens, frequencies.axes) for of_axis in (as_floats, coordinate_error))
    parts = [np.abs(cos), np.abs(sin), np.abs(p), off]
    if shape_like_x is not None:
        cells = (-1,) if tokens.grid is not None else tokens.shape
        parts = [shape_like_x(part.reshape(*cells, part.shape[-1])) for part in parts]
    cos, sin, p, off = parts
    theta = np.abs(frequencies.inv_freq)
    with np.errstate(over="ignore"):
        angle = p * theta

    def angle_error(pipeline):
        fmt = pipeline.product or pipeline.arithmetic
        u = unit_roundoff(fmt)
        frequency = frequency_errors(computed, pipeline)
        # a frequency of exactly 1 costs no rounding in the product
        free = (frequency == 0) & (theta == 1) & (pipeline.scale == 1)
        product = compound(np.where(free, 0.0, u if pipeline.scale == 1 else 3 * u) + position_error(p, off, pipeline))
        relative = frequency + product + frequency * product
        below = underflow_error(fmt) * (1.0 if pipeline.scale == 1 else 1 + pipeline.scale)
        with np.errstate(over="ignore"):
            error = np.where(relative > 0, angle * relative + below, 0.0)
            return np.minimum(error + theta * off * u * (1 + relative), 2.0)

    is_zero = (angle == 0) & (theta * off == 0)
    factor_error = computed.factor_error if frequencies.factor.rational != 1 else None
    return Phases(cos, sin, is_zero, angle_error, np.float64(frequencies.attention_factor), factor_error)


def frequency_errors(computed, pipeline):
    """Relative errors of the frequencies of a pipeline, and of what they are rounded to."""
    arithmetic = pipeline.frequencies or pipeline.arithmetic
    theta = np.abs(computed.frequencies.inv_freq)
    u = unit_roundoff(arithmetic)
    if pipeline.running and not pipeline.scaled:
        return _running_errors(theta, u)
    error = computed.errors(pipeline._replace(arithmetic=arithmetic))
    if pipeline.running:  # the scaling as of frequencies by a power, its factor and that of the angle
        return followed_by(_running_errors(theta, u), error + 4 * u)
    for fmt in (pipeline.inv_freq, pipeline.operands):
        if fmt:
            lost = rounding_error(fmt) * is_rounded(theta, fmt) + np.where(error > 0, rounding_error(fmt), 0.0)
            below = (theta > 0) & (theta < math.ldexp(1.0, fmt.lowest + fmt.precision))
            tiny = np.where(below, underflow_error(fmt) / np.where(below, theta, 1.0), 0.0)
            error = followed_by(error, np.minimum(lost, rounding_error(fmt))) + tiny
    return error


def _running_errors(theta, u):
    """Of a product of equal factors: each is off by a power and its rounded exponent and base, and by its product."""
    numbers = np.arange(len(theta), dtype=np.int64)
    steps = numbers - np.maximum.accumulate(np.where(theta == 1, numbers, 0))
    logs = np.abs(elementary.log(np.where(theta > 0, theta, 1.0))) * (1 + DERIVATION)
    return compound(np.minimum(steps * (POWER + 2) * u + logs * u, 0.5))


def rounding_error(fmt):
    """Relative error of one rounding, of TF32 also where its last bits are cut off."""
    return 2 * unit_roundoff(fmt) if fmt.name == "tf32" else unit_roundoff(fmt)


def position_error(p, off, pipeline):
    """Relative error of positions that are rounded: those that are computed are counted elsewhere."""
    first = pipeline.positions or pipeline.product or pipeline.arithmetic
    error = np.where(is_rounded(p, first) & ((off == 0) | (pipeline.positions is not None)), unit_roundoff(first), 0.0)
    if pipeline.operands:
        error = error + np.where(is_rounded(p, pipeline.operands), rounding_error(pipeline.operands), 0.0)
    return error


def phases_of_sums(axes, weight, squared_scale):
    """The phases of weighted sums of positions: (heads, tokens, n) for weight (axes, heads, n)."""
    learned = np.asarray(weight, np.float64)
    squares = [float(value) for value in squared_scale or [1] * len(axes)]
    p, off = zip(*(stretched(axis, square) for axis, square in zip(axes, squares)))
    p, off = np.array(p), np.array(off)  # (axes, tokens)
    tables = [rope_table([1], exact) for exact in angle_sums(axes, weight, squared_scale)]
    shape = (learned.shape[1], p.shape[1], learned.shape[2])
    cos, sin = (np.abs(np.array(part)).reshape(shape) for part in zip(*tables))
    p, off, learned = np.abs(p)[:, None, :, None], off[:, None, :, None], np.abs(learned)[:, :, None]

    def angle_error(pipeline):
        fmt = pipeline.arithmetic
        u = unit_roundoff(fmt)
        rounded = np.where(is_rounded(p, fmt) & (off == 0), u, 0.0) + np.where(is_rounded(learned, fmt), u, 0.0)
        # the product, and a sum for each axis but one
        relative = compound(len(p) * u + rounded)
        terms = p * learned * relative + off * learned * u * (1 + relative) + underflow_error(fmt)
        return np.minimum(terms.sum(0), 2.0)

    is_zero = ((p + off) * learned == 0).all(0)
    return Phases(cos, sin, is_zero, angle_error, np.float64(1), None)


def stretched(axis, square):
    """Positions times the root of a number, and how far those may be off that were scaled on the way."""
    c, root = as_floats(axis), np.sqrt(square)
    if square == 1:
        return c, coordinate_error(axis)
    # the middles of cells, whose edges lie up to a step further out; the number, its root and a product
    step = np.abs(np.diff(c)).max(initial=0.0)
    off = 5 * (np.abs(c - c[:1]) + step) + 2 * (np.abs(c[:1]) + step) + 4 * np.abs(c)
    return c * root, off * root


# -- the powers of xPos -----------------------------------------------------------------------------------------------


def power_errors(axis, growth, powers, shape_like_x=lambda part: part):
    """Relative errors of the powers of xPos, as a function of a pipeline; axis: positions, powers: the exact ones."""
    p = shape_like_x(as_floats(axis)[..., None])
    steps = np.abs(p - float(growth.centre)) * float(abs(growth.step))
    logs = np.array([log_size(base) for base in growth.bases])
    scale_base, shrinks = 1 / abs(growth.step), growth.step < 0

    def errors(pipeline):
        fmt = pipeline.arithmetic
        u = unit_roundoff(fmt)
        lost = is_rounded(p, fmt)
        # the difference, the scale base and the quotient; the position
        exponent = steps * compound(2 * u + conversion_error(scale_base, fmt))
        exponent = exponent + np.where(lost, u, 0.0) * np.abs(p) / float(scale_base)
        # zeta: two products with the width, a sum and a quotient
        change = steps * compound(4 * u) + logs * exponent
        # e**x - 1 <= x / (1 - x), and e**x <= 2**(2 x), of which the exponent is rounded up: no power of libm
        doublings = np.ceil(np.minimum(2 * change, 1000)).astype(np.int32)
        error = np.where(change < 0.5, compound(np.minimum(change, 0.5)), np.ldexp(1.0, doublings) - 1)
        error = np.where((steps == 0) & ~lost, 0.0, followed_by(error, POWER * u))
        if shrinks:  # the reciprocal, and of small powers what gradual underflow takes
            error = followed_by(followed_by(error, u), np.minimum(powers * math.ldexp(1.0, fmt.lowest), 0.5))
        return error

    return errors


def times_powers(phases, powers, errors):
    """The phases times the powers of xPos."""
    factor_error = phases.factor_error or (lambda pipeline: 0.0)

    def both(pipeline):
        first, second = factor_error(pipeline), errors(pipeline)
        product = unit_roundoff(pipeline.arithmetic) if phases.factor_error else 0.0
        return first + second + first * second + product

    with np.errstate(over="ignore"):
        return phases._replace(factor=phases.factor * powers, factor_error=both)
