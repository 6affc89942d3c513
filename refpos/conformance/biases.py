"""Error bounds of what is added to attention scores."""

from fractions import Fraction

import numpy as np

from .. import checks
from ..encodings.alibi_slopes import alibi_slopes, exponents
from ..steps import bias
from .classes import FLOAT32, FLOAT64
from .registry import error_bound
from .rounding_errors import POWER, compound, rounded_bound, underflow_error, unit_roundoff

LOG_2 = Fraction(6931471806, 10**10)  # above ln 2


@error_bound("alibi_slopes")
def _alibi_slopes(arguments, fmt):
    slopes = _exact_slopes(arguments)
    errors = _slope_errors(arguments)
    limits = {}
    for name, arithmetic in (("float64-power", FLOAT64), ("float32-power", FLOAT32)):
        error = slopes * errors[name] + underflow_error(arithmetic)
        limits[name] = {"output": rounded_bound(error, slopes, arithmetic, fmt)}
    return limits


@error_bound("alibi")
def _alibi(arguments, fmt):
    queries, keys, offset = (arguments[name] for name in ("query_len", "key_len", "query_offset"))
    distances = bias.relative_positions(queries, keys, keys - queries if offset is None else offset)
    masked = (distances > 0) & (arguments["mode"] == "causal")
    distances = np.abs(distances).astype(np.float64)
    size = _exact_slopes(arguments)[:, None] * distances  # (heads, queries + keys - 1)
    errors = _slope_errors(arguments)
    limits = {}
    for name, arithmetic in (("float64-power", FLOAT64), ("float32-product", FLOAT32), ("float32-power", FLOAT32)):
        u = unit_roundoff(arithmetic)
        product = compound(u + u * (distances > 2.0**arithmetic.precision))
        slope = errors[name][:, None]
        error = size * (slope + product + slope * product) + underflow_error(arithmetic) * (1 + distances)
        rows = np.where(masked | (distances == 0), 0.0, rounded_bound(error, size, arithmetic, fmt))
        limits[name] = {"output": bias.strided(rows, queries, keys)}
    return limits


def _exact_slopes(arguments):
    return alibi_slopes(**{name: arguments[name] for name in ("num_heads", "convention", "max_bias")})


def _slope_errors(arguments):
    """Relative errors of the slopes 2**-e of each pipeline: each (heads,)."""
    heads, convention = arguments["num_heads"], arguments["convention"]
    largest = heads if convention == "geometric" else 1 << heads.bit_length() - 1
    powers = [*range(1, largest + 1), *range(1, 2 * (heads - largest), 2)]
    of_heads = exponents(heads, convention, checks.positive("max_bias", arguments["max_bias"]))

    def relative(fmt, of_root):
        # the k-th power of a root 2**-(e/k) that is off by of_root units, and a product;
        # or 2**e with two roundings in e, and a reciprocal
        roots = [e / k for e, k in zip(of_heads, powers)]
        by_root = [k * of_root(root) * (root.denominator != 1) + POWER + 1 for root, k in zip(roots, powers)]
        by_two = [float(2 * e * LOG_2) + POWER + 1 for e in of_heads]
        return compound(np.maximum(by_root, by_two) * unit_roundoff(fmt))

    return {
        # the root is itself a power, with two roundings in its exponent
        "float64-power": relative(FLOAT64, lambda root: POWER + float(2 * root * LOG_2)),
        "float32-product": np.full(heads, compound(unit_roundoff(FLOAT32) + 2.0**-40)),
        # the root is a float64-power rounded to float32
        "float32-power": relative(FLOAT32, lambda root: 1 + 2.0**-20),
    }
