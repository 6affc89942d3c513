"""How far computed frequencies can be from the exact ones: powers of a base, stored numbers, several axes."""

import math
from collections.abc import Callable
from fractions import Fraction
from typing import NamedTuple

import numpy as np

from ... import checks
from ...frequencies.axial_frequencies import pair_sources, widths_and_bases
from ...frequencies.inverse_frequencies import inverse_frequencies
from ...steps.angles import frequency_sets
from ...steps.angles.frequencies import Frequencies, geometric_frequencies, sinusoid_inv_freq
from ..classes import FLOAT64, Pipeline
from ..registry import computed_frequencies, error_bound
from .rounding_errors import (
    EXPONENTIAL,
    LOGARITHM,
    POWER,
    compound,
    conversion_error,
    followed_by,
    inexact,
    log_size,
    unit_roundoff,
)


class ComputedFrequencies(NamedTuple):
    """Exact frequencies and the relative errors of computed ones, as functions of a pipeline.

    `errors` gives an array (n,), `factor_error` a number for the attention factor.
    """

    frequencies: Frequencies
    errors: Callable[[Pipeline], np.ndarray]
    factor_error: Callable[[Pipeline], float] = lambda pipeline: 0.0


def power_errors(exponents, log_base, base_error, frequencies, pipeline, more=0.0, roundings=1):
    """Relative errors of 1 / base**t.

    base_error: that of the base. roundings: of each t. more: the errors of operations that follow.
    """
    fmt = pipeline.arithmetic
    u = unit_roundoff(fmt)
    t = np.array([float(exponent) for exponent in exponents])
    slope = t * log_base  # relative change of base**-t for a relative change of t
    base = t * base_error
    rounded = np.array([inexact(exponent, fmt) for exponent in exponents], bool)
    # exponent, base, power and reciprocal
    total = slope * roundings * u * rounded + base + (POWER + 1) * u
    if pipeline.exponential:
        # logarithm, the exponent and a product with it, base, exponential and reciprocal
        operations = roundings + (3 if pipeline.base_two else 1)
        total = np.maximum(total, slope * (LOGARITHM + operations) * u + base + (EXPONENTIAL + 1) * u)
    # a power beyond the range of the format gives a frequency of 0
    return compound(np.where(t == 0, 0.0, total) + more) + (frequencies.inv_freq < math.ldexp(1.0, 2 - fmt.largest))


def sinusoid_frequencies(dim, base, endpoint=False, scale=Fraction(1), roundings=1):
    """scale * base**(-2i/dim), or scale * base**(-i/(count - 1)) with the endpoint."""
    base = checks.positive("base", base, "E_BASE")
    exact = sinusoid_inv_freq(dim, base, endpoint, scale)
    step = Fraction(1, max(len(exact) - 1, 1)) if endpoint else Fraction(2, dim)
    exponents = [i * step for i in range(len(exact))]

    def errors(pipeline):
        fmt = pipeline.arithmetic
        # the scale and its product
        more = 2 * unit_roundoff(fmt) if scale != 1 else 0.0
        base_error = conversion_error(base, fmt)
        return power_errors(exponents, log_size(base), base_error, exact, pipeline, more, roundings)

    return ComputedFrequencies(exact, errors)


def timestep_frequencies(half, shift, max_period, scale):
    """scale * max_period**(-i / (half - shift)), i < half."""
    step, base = 1 / (half - checks.real("downscale_freq_shift", shift)), checks.positive("max_period", max_period)
    exact = geometric_frequencies(2 * half, half, step, base, scale)
    exponents = [abs(i * step) for i in range(half)]

    def errors(pipeline):
        fmt = pipeline.arithmetic
        more = 2 * unit_roundoff(fmt) if scale != 1 else 0.0  # the scale and its product
        # the difference and the quotient of an exponent
        return power_errors(exponents, log_size(base), conversion_error(base, fmt), exact, pipeline, more, 2)

    return ComputedFrequencies(exact, errors)


def frequencies_between(half, ends, first, last):
    """Geometric frequencies in turns from one end to the other, or those of such periods, times 2 pi."""
    start, stop = checks.positive("first", first), checks.positive("last", last)
    exponents = [Fraction(i, max(half - 1, 1)) for i in range(half)]
    low, high = (1 / start, 1 / stop) if ends == "periods" else (start, stop)
    exact = geometric_frequencies(2 * half, half, exponents[1] if half > 1 else Fraction(1), low / high, low)
    size = max(log_size(start), log_size(stop))

    def errors(pipeline):
        fmt = pipeline.arithmetic
        u = unit_roundoff(fmt)
        # the first end and its product, pi and its product; or the logarithms of both ends, a difference and a sum
        more = 4 * u + ((2 * LOGARITHM + 2) * u * size if pipeline.exponential else 0.0)
        # evenly spaced exponents: the space, a product and a sum. The quotient of the ends and its rounding
        return power_errors(exponents, log_size(start / stop), 3 * u, exact, pipeline, more, 3)

    return ComputedFrequencies(frequency_sets.times_pi(exact, 2), errors)


def unscaled_frequencies(dim, base, exponent_dim=None):
    """The frequencies behind a scaling: base**(-2i/dim)."""
    base = checks.positive("base", base, "E_BASE")
    exact = inverse_frequencies(dim, base=base, exponent_dim=exponent_dim)
    exponents = [Fraction(2 * i, exponent_dim or dim) for i in range(dim // 2)]

    def errors(pipeline):
        base_error = conversion_error(base, pipeline.arithmetic)
        return power_errors(exponents, log_size(base), base_error, exact, pipeline)

    return ComputedFrequencies(exact, errors)


def frequencies_behind(arguments):
    """The frequencies that a scaling is handed, or those of its width and base."""
    call = arguments["frequencies"]
    return computed_frequencies(call) if call else unscaled_frequencies(arguments["dim"], arguments["base"])


@error_bound("inverse_frequencies")
def _inverse_frequencies(arguments, exact):
    return unscaled_frequencies(arguments["dim"], arguments["base"], arguments["exponent_dim"])


@error_bound("given_frequencies")
def _given_frequencies(arguments, exact):
    values = [exact.rational(i) for i in range(len(exact))]

    def errors(pipeline):
        fmt = pipeline.arithmetic
        lost = np.array([0 < abs(value) < Fraction(2) ** (2 - fmt.largest) for value in values])
        # a number that no float64 holds was computed: a quotient, or evenly between two numbers
        computed = np.array([inexact(abs(value), FLOAT64) for value in values])
        stored = [conversion_error(value, fmt) for value in values]
        return np.where(computed, 4 * unit_roundoff(fmt), stored) + lost

    return ComputedFrequencies(exact, errors)


@error_bound("axial_frequencies")
def _axial_frequencies(arguments, exact):
    widths, allocation, endpoint = (arguments[name] for name in ("widths", "allocation", "endpoint"))
    if arguments["frequencies"] is not None:
        parts = [computed_frequencies(call) for call in arguments["frequencies"]]
    else:
        # evenly spaced exponents: the space, a product and a sum
        parts = [
            sinusoid_frequencies(width, base, endpoint, roundings=3 if endpoint else 1)
            for width, base in widths_and_bases(widths, arguments["base"], allocation)
        ]
    order = pair_sources([width // 2 for width in widths], allocation, arguments["arrangement"])
    number = None if arguments["times_pi"] is None else checks.real("times_pi", arguments["times_pi"])

    def errors(pipeline):
        fmt = pipeline.arithmetic
        # pi, its multiple and a product
        turns = 0.0 if number is None else 3 * unit_roundoff(fmt) + conversion_error(number, fmt)
        of_parts = [followed_by(part.errors(pipeline), turns) for part in parts]
        return np.array([of_parts[part][k] for _, part, k in order])

    return ComputedFrequencies(exact, errors, parts[0].factor_error)


@error_bound("mrope_frequencies")
def _mrope_frequencies(arguments, exact):
    behind = frequencies_behind(arguments)
    return ComputedFrequencies(exact, behind.errors, behind.factor_error)
