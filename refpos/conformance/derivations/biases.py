"""Error bounds of what is added to attention scores."""

import math
from fractions import Fraction

import numpy as np

from ... import checks
from ...arithmetic import reals
from ...relative.alibi import positions_of_keys
from ...relative.alibi_2d import squares
from ...relative.alibi_slopes import alibi_slopes, exponents
from ...relative.decay import decay
from ...relative.decay_rates import decay_rates
from ...steps.distances import bias
from ..classes import FLOAT32, FLOAT64
from ..registry import error_bound
from .rounding_errors import LOGARITHM, POWER, compound, relative_bound, rounded_bound, underflow_error, unit_roundoff

POWER_CLASSES = {"float64-power": FLOAT64, "float32-power": FLOAT32}
LOG_2 = Fraction(6931471806, 10**10)  # above ln 2


@error_bound("alibi_slopes")
def _alibi_slopes(arguments, fmt):
    slopes = exact_slopes(arguments)
    errors = slope_errors(arguments)
    limits = {}
    for name, arithmetic in (("float64-power", FLOAT64), ("float32-power", FLOAT32)):
        error = slopes * errors[name] + underflow_error(arithmetic)
        limits[name] = {"output": rounded_bound(error, slopes, arithmetic, fmt)}
    return limits


@error_bound("alibi")
def _alibi(arguments, fmt):
    distances, masked, spread = distances_of(arguments)
    distances = np.abs(distances).astype(np.float64)
    width = arguments["head_dim"]
    slopes, divided = exact_slopes(arguments), 0 if width is None else 2  # a root and a quotient
    slopes = slopes if width is None else slopes * float(reals.square_root(Fraction(1, width)))
    size = slopes[:, None] * distances[..., None, :]  # (..., heads, distances)
    errors = slope_errors(arguments)
    limits = {}
    for name, arithmetic in (("float64-power", FLOAT64), ("float32-product", FLOAT32), ("float32-power", FLOAT32)):
        u = unit_roundoff(arithmetic)
        product = compound(u + u * (distances > math.ldexp(1.0, arithmetic.precision)) + divided * u)[..., None, :]
        slope = errors[name][:, None]
        error = size * (slope + product + slope * product)
        error += underflow_error(arithmetic) * (1 + distances)[..., None, :]
        exact = masked | (distances[..., None, :] == 0)
        limits[name] = {"output": spread(np.where(exact, 0.0, rounded_bound(error, size, arithmetic, fmt)))}
    return limits


def distances_of(arguments):
    """The distances (..., n) of an ALiBi bias, which of them are masked, and how bounds (..., heads, n) become it."""
    queries, keys, offset = (arguments[name] for name in ("query_len", "key_len", "query_offset"))
    offset, mode = keys - queries if offset is None else offset, arguments["mode"]
    if arguments["anchor"] in (None, "query"):
        distances = bias.relative_positions(queries, keys, offset)
        after = (distances > 0) & (mode in ("causal", "clipped"))
        return distances, after, lambda rows: bias.strided(rows, queries, keys)
    distances, ranks = positions_of_keys(arguments["anchor"], keys, arguments["mask"])
    after = np.arange(keys, dtype=np.int64) > offset + np.arange(queries, dtype=np.int64)[:, None]  # (queries, keys)
    return distances[ranks], False, lambda rows: np.where(after & (mode == "causal"), 0.0, rows[..., None, :])


@error_bound("alibi_2d")
def _alibi_2d(arguments, fmt):
    first, size = int(arguments["class_token"]), squares(arguments["height"], arguments["width"])
    exact = exact_slopes(arguments)[:, None, None] * np.sqrt(size)  # (heads, patches, patches)
    errors = slope_errors(arguments)
    limits = {}
    for name, arithmetic in (("float64-power", FLOAT64), ("float32-product", FLOAT32), ("float32-power", FLOAT32)):
        slope, u = errors[name][:, None, None], unit_roundoff(arithmetic)
        error = exact * (slope + (1 + slope) * compound(3 * u)) + underflow_error(arithmetic) * (1 + np.sqrt(size))
        limit = np.where(size == 0, 0.0, rounded_bound(error, exact, arithmetic, fmt))
        limits[name] = {"output": np.pad(limit, ((0, 0), (first, 0), (first, 0)))}
    return limits


@error_bound("decay_rates")
def _decay_rates(arguments, fmt):
    rates = decay_rates(**_rule_of(arguments))
    return {
        name: {"output": relative_bound(rates, _rate_errors(arguments, arithmetic), arithmetic, fmt)}
        for name, arithmetic in POWER_CLASSES.items()
    }


@error_bound("decay")
def _decay(arguments, fmt):
    queries, keys, offset = (arguments[name] for name in ("query_len", "key_len", "query_offset"))
    offset = keys - queries if offset is None else offset
    relative = bias.relative_positions(queries, keys, offset)
    distances = np.maximum(-relative, 0).astype(np.float64)
    # the exponents of exp, or of a power of two: rate times distance
    lowest = int(-relative[0]) if len(relative) else 0
    span = decay(**_rule_of(arguments), query_len=1, key_len=len(relative), query_offset=lowest)[:, 0]
    rates = decay_rates(**_rule_of(arguments))
    logs = rates if arguments["rule"] == "lightning" else (1 - rates) * (1 + 2.0**-4)  # at least |ln g|
    limits = {}
    for name, arithmetic in POWER_CLASSES.items():
        u = unit_roundoff(arithmetic)
        rounded = distances > math.ldexp(1.0, arithmetic.precision)
        errors = _rate_errors(arguments, arithmetic) + 2 * u + u * rounded[:, None]
        if arguments["rule"] == "retnet":  # the logarithm of a rounded rate, or a power
            errors = np.broadcast_to((LOGARITHM + 2) * u + u / (1 - rates), (len(distances), len(rates)))
        moved = (logs * distances[:, None] * errors).T  # how far an exponent is off
        relative_error = np.where(moved < 0.5, moved / (1 - np.minimum(moved, 0.5)) + POWER * u, 1.0)
        relative_error = relative_error * (1 + np.minimum(moved, 0.5))
        error = np.minimum(span * relative_error, 1.0 + POWER * u) + underflow_error(arithmetic)
        error = np.where(moved < 0.5, error, 1.0)
        limit = np.where(relative >= 0, 0.0, rounded_bound(error, span, arithmetic, fmt))
        limits[name] = {"output": bias.strided(limit, queries, keys)}
    return limits


def _rule_of(arguments):
    return {name: arguments[name] for name in ("num_heads", "rule", "layer", "layers", "eps")}


def _rate_errors(arguments, arithmetic):
    """Relative errors of the rates: (heads,)."""
    heads, u = arguments["num_heads"], unit_roundoff(arithmetic)
    if arguments["rule"] == "retnet":
        return np.full(heads, compound(u))
    layers, eps = arguments["layers"], float(arguments["eps"])
    share = 1 - arguments["layer"] / (layers - 1 + eps) + eps  # in float64, of three sums and a quotient
    powers = np.arange(1, heads + 1, dtype=np.int64)
    root = (POWER + float(16 / heads * LOG_2)) * 2.0**-53 + u  # rounded to the arithmetic
    return compound(powers * root + (POWER + 2) * u + 4 * 2.0**-53 * (1 + 1 / share))


def exact_slopes(arguments):
    """The slopes of an ALiBi bias as float64."""
    return alibi_slopes(**{name: arguments[name] for name in ("num_heads", "convention", "max_bias")})


def slope_errors(arguments):
    """Relative errors of the slopes 2**-e of each pipeline: each (heads,)."""
    heads, convention = arguments["num_heads"], arguments["convention"]
    largest = 1 << heads.bit_length() - 1 if convention == "recursive" else heads
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
