"""Error bounds of what multiplies queries, keys or scores: logarithms, products and a sum."""

from fractions import Fraction
from math import floor

import numpy as np

from ... import checks
from ...scores.dual_chunk_mscale import SLOPES
from ...steps.positions.exact_positions import read_positions
from ..classes import LOGARITHM_CLASSES
from ..registry import error_bound
from .angles import as_floats
from .exact_inputs import exact_positions
from .rounding_errors import LOGARITHM, compound, log_size, rounded_bound, unit_roundoff
from .scalings import softmax_scale_error


def _positions_of(arguments):
    return as_floats(read_positions(exact_positions(arguments["positions"])))


@error_bound("attention_temperature")
def _attention_temperature(arguments, fmt):
    p = _positions_of(arguments)
    scale, step, shift = (checks.real(name, arguments[name]) for name in ("attn_scale", "floor_scale", "shift"))
    quotients = [(Fraction(value) + shift) / step for value in p.reshape(-1).tolist()]
    limits = {}
    for name, arithmetic in LOGARITHM_CLASSES.items():
        of_tokens = [_temperature_bound(quotient, scale, arithmetic, fmt) for quotient in quotients]
        limits[name] = {"output": np.array(of_tokens).reshape(p.shape)}
    return limits


def _temperature_bound(quotient, scale, arithmetic, fmt):
    u, number = unit_roundoff(arithmetic), floor(quotient) + 1
    # the position, the shift and the quotient may lead to the next integer
    possible = [floor(quotient * (1 + side * 4 * Fraction(u))) + 1 for side in (-1, 1)]
    if possible == [1, 1] or scale == 0:
        return 0.0
    size = float(scale) * log_size(Fraction(number)) + 1
    # the number, the logarithm, the scale and a product; a sum
    error = (size - 1) * compound((LOGARITHM + 2) * u) + 2 * float(scale) * u + u * size
    error += float(scale) * max(log_size(Fraction(max(other, 1), number)) for other in possible)
    return float(rounded_bound(error, size, arithmetic, fmt))


@error_bound("yarn_softmax_scale")
def _yarn_softmax_scale(arguments, fmt):
    factor = checks.positive("factor", arguments["factor"])
    return _power_of_mscale(factor, checks.real("mscale_all_dim", arguments["mscale_all_dim"]), 2, fmt)


@error_bound("dual_chunk_mscale")
def _dual_chunk_mscale(arguments, fmt):
    return _power_of_mscale(checks.positive("scale", arguments["scale"]), 10 * SLOPES[arguments["version"]], 1, fmt)


def _power_of_mscale(factor, mscale, power, fmt):
    """Bounds of (mscale ln(factor) / 10 + 1)**power, which is 1 exactly for a factor up to 1."""
    limits = {}
    for name, arithmetic in LOGARITHM_CLASSES.items():
        limit = 0.0
        if factor > 1 and mscale != 0:
            u = unit_roundoff(arithmetic)
            once = 0.1 * float(mscale) * log_size(factor) + 1
            size = once**power
            relative = compound(power * softmax_scale_error(factor, float(mscale), u) + (power - 1) * u)
            limit = rounded_bound(size * relative, size, arithmetic, fmt)
        limits[name] = {"output": np.array(limit)}
    return limits


@error_bound("log_n_scale")
def _log_n_scale(arguments, fmt):
    tokens = _positions_of(arguments) + 1
    log_length = log_size(Fraction(arguments["training_length"]))
    logs = np.array([log_size(Fraction(n)) for n in np.maximum(tokens, 1).reshape(-1).tolist()])
    ratio = logs.reshape(tokens.shape) / log_length
    size = np.maximum(ratio, 1.0)
    limits = {}
    for name, arithmetic in LOGARITHM_CLASSES.items():
        u = unit_roundoff(arithmetic)
        # two logarithms and a quotient; the number and the length under them
        error = ratio * compound((2 * LOGARITHM + 1) * u + u / log_length) + u / log_length
        limits[name] = {"output": np.where(ratio + error > 1, rounded_bound(error, size, arithmetic, fmt), 0.0)}
    return limits
