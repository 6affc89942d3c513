"""How far scaled frequencies can be from the exact ones, operation by operation; docs/conformance.md derives every
term."""

from fractions import Fraction
from math import ceil, floor

import numpy as np

from ... import checks
from ...frequencies.ntk_by_parts import CLAMPS
from ...frequencies.yarn import given_factor, used_mscales
from ...steps.rows import doubles
from ..registry import computed_frequencies, error_bound
from .computed_frequencies import ComputedFrequencies, frequencies_behind, power_errors, unscaled_frequencies
from .rounding_errors import (
    DERIVATION,
    EXPONENTIAL,
    LOGARITHM,
    POWER,
    compound,
    conversion_error,
    followed_by,
    log_size,
    logarithm,
    unit_roundoff,
)


def _unscaled(arguments):
    return unscaled_frequencies(arguments["dim"], arguments["base"])


def _positive(arguments, *names):
    """Arguments as exact numbers greater than 0."""
    numbers = [checks.positive(name, arguments[name], "E_BASE" if name == "base" else "E_NUMBER") for name in names]
    return numbers if len(names) > 1 else numbers[0]


# -- factors on every frequency ---------------------------------------------------------------------------------------


@error_bound("linear")
def _linear(arguments, exact):
    behind, factor = frequencies_behind(arguments), _positive(arguments, "factor")

    def errors(pipeline):
        return followed_by(behind.errors(pipeline), _quotient_error(factor, pipeline.arithmetic))

    return ComputedFrequencies(exact, errors, behind.factor_error)


def _quotient_error(factor, fmt):
    return 0.0 if factor == 1 else unit_roundoff(fmt) + conversion_error(factor, fmt)


@error_bound("proportional")
def _proportional(arguments, exact):
    behind, factor = _unscaled(arguments), _positive(arguments, "factor")
    rotates = np.array([exact.rational(i) != 0 for i in range(len(exact))], bool)

    def errors(pipeline):
        divided = followed_by(behind.errors(pipeline), _quotient_error(factor, pipeline.arithmetic))
        return np.where(rotates, divided, 0.0)

    return ComputedFrequencies(exact, errors)


@error_bound("learned_log_scale")
def _learned_log_scale(arguments, exact):
    behind = computed_frequencies(arguments["frequencies"])
    alpha = [checks.real("alpha", value) for value in arguments["alpha"]]

    def errors(pipeline):
        fmt = pipeline.arithmetic
        u = unit_roundoff(fmt)
        # the number, its exponential and a product
        scale = [float(abs(value)) * 2 * conversion_error(value, fmt) + (EXPONENTIAL + 1) * u for value in alpha]
        return followed_by(behind.errors(pipeline), np.where([value == 0 for value in alpha], 0.0, scale))

    return ComputedFrequencies(exact, errors, behind.factor_error)


@error_bound("resonance")
def _resonance(arguments, exact):
    behind = computed_frequencies(arguments["frequencies"])
    turns = [exact.turns(i) for i in range(len(exact))]
    lengths = np.array([float(1 / turn) if turn else np.inf for turn in turns])
    with np.errstate(divide="ignore"):
        before = 2 * np.pi / behind.frequencies.inv_freq

    def errors(pipeline):
        u = unit_roundoff(pipeline.arithmetic)
        with np.errstate(invalid="ignore", over="ignore"):
            off = before * (followed_by(behind.errors(pipeline), 3 * u) + DERIVATION)
            low, high = np.ceil(before - off - 0.5), np.floor(before + off + 0.5)
            apart = np.maximum(lengths - low, high - lengths) / np.maximum(low, 1.0)
        # the integer, 2 pi and a quotient
        return np.where(np.isfinite(lengths), followed_by(np.maximum(apart, 0.0), 3 * u), 0.0)

    return ComputedFrequencies(exact, errors, behind.factor_error)


@error_bound("high_frequencies")
def _high_frequencies(arguments, exact):
    behind = computed_frequencies(arguments["frequencies"])
    edge = 2 * np.pi / arguments["length"]
    before, kept = np.abs(behind.frequencies.inv_freq), exact.inv_freq != 0

    def errors(pipeline):
        before_error = behind.errors(pipeline)
        # a frequency that is off by more than its distance from the edge may fall on the other side of it
        unsure = np.abs(before - edge) <= before * before_error + 3 * unit_roundoff(pipeline.arithmetic) * edge
        return np.where(kept, np.where(unsure, 1.0, before_error), 0.0)

    return ComputedFrequencies(exact, errors, behind.factor_error)


# -- other bases ------------------------------------------------------------------------------------------------------


@error_bound("ntk")
def _ntk(arguments, exact):
    factor, base = _positive(arguments, "factor", "base")
    if arguments["rule"] == "power":
        return _larger_base(arguments, exact, factor, lambda fmt: conversion_error(factor, fmt))

    def errors(pipeline):
        fmt = pipeline.arithmetic
        product = conversion_error(base, fmt) + conversion_error(factor, fmt) + 2 * unit_roundoff(fmt)
        return power_errors(_exponents(arguments["dim"]), log_size(base * factor), compound(product), exact, pipeline)

    return ComputedFrequencies(exact, errors)


@error_bound("ntk_alpha")
def _ntk_alpha(arguments, exact):
    alpha = _positive(arguments, "alpha")
    return _larger_base(arguments, exact, alpha, lambda fmt: conversion_error(alpha, fmt))


@error_bound("dynamic_ntk")
def _dynamic_ntk(arguments, exact):
    factor, trained = _positive(arguments, "factor"), arguments["max_position_embeddings"]
    grown = factor * Fraction(max(arguments["seq_len"] or 0, trained), trained)
    difference = grown - (factor - 1)

    def factor_error(fmt):
        # the factor, a product and a quotient in one term, the factor and a difference in the other, then a difference
        terms = grown * 3 + abs(factor - 1) * 2
        return unit_roundoff(fmt) * (doubles.number("factor", terms / difference) + 1)

    return _larger_base(arguments, exact, difference, factor_error)


def _exponents(dim):
    return [Fraction(2 * i, dim) for i in range(dim // 2)]


def _larger_base(arguments, exact, factor, factor_error):
    """base * factor**(dim / (dim - 2)) in place of base; factor_error(fmt): that of a computed factor."""
    dim, base = arguments["dim"], _positive(arguments, "base")
    power = Fraction(dim, dim - 2)
    log_base = abs(float(power) * logarithm(factor) + logarithm(base))

    def errors(pipeline):
        fmt = pipeline.arithmetic
        u = unit_roundoff(fmt)
        # the factor and its exponent, the power, the product and its rounding to the format of the frequencies
        grown = float(power) * (factor_error(fmt) + log_size(factor) * u) + POWER * u
        base_error = compound(grown + conversion_error(base, fmt) + 2 * u)
        return power_errors(_exponents(dim), log_base, base_error, exact, pipeline)

    return ComputedFrequencies(exact, errors)


# -- ramps ------------------------------------------------------------------------------------------------------------


def _on_ramp(error, factor, ramp_error, kept):
    """Relative errors of w (1 - g + g / factor) = w kept, for terms off by `error` and a ramp g off by ramp_error."""
    return error + (1 + error) * abs(doubles.number("factor", 1 - 1 / factor)) * np.minimum(ramp_error, 1.0) / kept


@error_bound("llama3")
def _llama3(arguments, exact):
    behind = _unscaled(arguments)
    factor, low, high = _positive(arguments, "factor", "low_freq_factor", "high_freq_factor")
    theta = behind.frequencies.inv_freq
    turns = arguments["original_max_position_embeddings"] / (2 * np.pi) * theta
    width, edge = doubles.number("high_freq_factor", high - low), doubles.number("low_freq_factor", low)
    ramp = (turns - edge) / (width or 1.0)
    kept = exact.inv_freq / np.where(theta > 0, theta, 1)

    def errors(pipeline):
        u, before = unit_roundoff(pipeline.arithmetic), behind.errors(pipeline)
        # turns: 2 pi, the quotient that is the wavelength, the length, their quotient;
        # ramp: low, a difference and a quotient
        off = turns * followed_by(before, 4 * u) + u * edge + u * np.abs(turns - edge) + DERIVATION * (turns + edge)
        # where the ramp is a step, frequencies within the error of its edge may stand on either side
        off = off / width + np.abs(ramp) * 3 * u if width else np.where(np.abs(ramp) < off, 1.0, 0.0)
        # product, quotient, factor and sum; 1 - s
        inside = _on_ramp(followed_by(before, 4 * u), factor, off + u, kept)
        outside = followed_by(before, np.where(ramp <= 0, 2 * u, 0.0))
        on_ramp = (ramp > -off) & (ramp < 1 + off) if width else off > 0
        return np.where(on_ramp, inside, outside)

    return ComputedFrequencies(exact, errors)


@error_bound("ntk_by_parts")
def _ntk_by_parts(arguments, exact):
    return _ramped(arguments, exact, arguments["factor"], lambda pipeline: 0.0)


@error_bound("yarn")
def _yarn(arguments, exact):
    lengths = arguments["max_position_embeddings"], arguments["original_max_position_embeddings"]
    factor = given_factor(arguments["factor"], *lengths)

    def factor_error(pipeline):
        return _or_rounded(arguments, ("attention_factor",), pipeline, lambda u: _mscale_error(arguments, factor, u))

    return _ramped(arguments, exact, factor, factor_error)


def _ramped(arguments, exact, factor, factor_error):
    behind, factor = _unscaled(arguments), checks.positive("factor", factor)
    dim, trained = arguments["dim"], arguments["original_max_position_embeddings"]
    base, *betas = _positive(arguments, "base", "beta_fast", "beta_slow")
    most = dim - 1 if arguments["clamp"] == CLAMPS[0] else dim // 2 - 1
    unscaled = behind.frequencies.inv_freq
    kept = exact.inv_freq / np.where(unscaled > 0, unscaled, 1)

    def errors(pipeline):
        u, before = unit_roundoff(pipeline.arithmetic), behind.errors(pipeline)
        unit = u if pipeline.running else 2.0**-53  # llama.cpp has the ends in float32 too
        ends = [_ramp_end(dim, base, trained, *beta, unit) for beta in zip(("beta_fast", "beta_slow"), betas)]
        ramp, off = _ramp(dim, ends, arguments["truncate"], most, u)
        # the factor and its product, a product and a sum; 1 - g twice
        inside = _on_ramp(followed_by(before, 4 * u), factor, off + 2 * u, kept)
        outside = followed_by(before, np.where(ramp > 0, 2 * u, 0.0))
        return np.where((ramp > -off) & (ramp < 1 + off), inside, outside)

    return ComputedFrequencies(exact, errors, factor_error)


def _ramp_end(dim, base, trained, name, beta, unit=2.0**-53):
    """(D(beta), how far D computed with that unit roundoff may be off)."""
    argument = checks.positive(name, doubles.number(name, trained / beta) / (2 * np.pi))
    slope = dim / (2 * log_size(base))
    value = slope * logarithm(argument)
    # 2 pi, two operations and beta under the logarithm; two logarithms, two products, a quotient
    return value, unit * (slope * 5 + abs(value) * (2 * LOGARITHM + 4)) + DERIVATION * (slope + abs(value))


def _ramp(dim, ends, truncate, most, u):
    """The ramp before it is cut to 0 .. 1, and how far a computed one may be off: each (dim/2,)."""
    (fast, fast_off), (slow, slow_off) = ends
    i = np.arange(dim // 2, dtype=np.int64)
    if truncate:
        # floor and ceil may give the next integer where one lies within the error of an end
        lows = {max(floor(fast + side * fast_off), 0) for side in (-1, 1)}
        highs = {min(ceil(slow + side * slow_off), most) for side in (-1, 1)}
        ramps = [(i - low) / (high - low or 0.001) for low in lows for high in highs]
        ramp = ramps[0]
        # of integers only the quotient rounds
        return ramp, np.abs(ramp) * u + np.max([np.abs(other - ramp) for other in ramps], axis=0)
    low, high = max(fast, 0.0), min(slow, float(most))
    width = high - low or 0.001
    ramp = (i - low) / width
    # the ends, their roundings, the differences and the quotient
    off = fast_off + slow_off
    return ramp, (off + u * (abs(low) + np.abs(i - low))) / width + np.abs(ramp) * (off / width + 3 * u)


# -- attention factors ------------------------------------------------------------------------------------------------


@error_bound("longrope")
def _longrope(arguments, exact):
    behind, stored = _unscaled(arguments), ("short_mscale", "long_mscale", "attention_factor")
    return ComputedFrequencies(
        exact,
        # the number of the list, and its product with the power
        lambda pipeline: followed_by(behind.errors(pipeline), 2 * unit_roundoff(pipeline.arithmetic)),
        lambda pipeline: _or_rounded(arguments, stored, pipeline, lambda u: _root_error(arguments, u)),
    )


def _or_rounded(arguments, names, pipeline, formula_error):
    """The error of the attention factor: one rounding where an argument may set it, else that of its formula too."""
    u = unit_roundoff(pipeline.arithmetic)
    stored = any(arguments[name] is not None for name in names)
    return compound(u + (0.0 if stored else formula_error(u)))


def _root_error(arguments, u):
    trained = arguments["original_max_position_embeddings"]
    factor = given_factor(arguments["factor"], arguments["max_position_embeddings"], trained)
    if factor <= 1:
        return 0.0
    # two logarithms, the factor under the first, their quotient, a sum, a root
    ratio = log_size(factor) / log_size(Fraction(trained))
    return ratio * (2 * LOGARITHM + 1) * u + u / log_size(Fraction(trained)) + 2 * u


def _mscale_error(arguments, factor, u):
    scales = used_mscales(*(arguments[name] for name in ("mscale", "mscale_all_dim", "mscale_rule")))
    if factor <= 1:
        return 0.0
    # m(factor, 0) is 1 exactly
    return sum(softmax_scale_error(factor, doubles.number("mscale", mscale), u) for mscale in scales if mscale) + u


def softmax_scale_error(factor, mscale, u):
    """Relative error of m(factor, mscale) = mscale ln(factor) / 10 + 1."""
    # logarithm, 1/10, mscale and two products, the factor under the logarithm; the sum
    return 0.1 * mscale * (log_size(factor) * (LOGARITHM + 4) + 1) * u + u
