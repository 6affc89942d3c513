"""Error bounds of biases and features that are formulas of a distance."""

import numpy as np

from ... import checks
from ...absolute.exponential_modulation import exponential_modulation, rates_of
from ...absolute.hyena_features import bands_of
from ...relative.kerple import kerple, read_kernels
from ...relative.sandwich import distances_of, frequencies_of, sandwich
from ...steps.distances import bias
from ..classes import FLOAT32, FLOAT64
from ..registry import error_bound
from .computed_frequencies import ComputedFrequencies
from .exact_inputs import exact_values
from .rounding_errors import (
    EXPONENTIAL,
    LOGARITHM,
    POWER,
    SINE,
    compound,
    log_size,
    rounded_bound,
    underflow_error,
    unit_roundoff,
)

KERNEL_CLASSES = {
    "log": {"float64-logarithm": FLOAT64, "float32-logarithm": FLOAT32},
    "power": {"float64-power": FLOAT64, "float32-power": FLOAT32},
}
ANGLE_FORMATS = {"float64-angle": FLOAT64, "float32-angle": FLOAT32}


def exponential_error(values, moved, u):
    """Errors of exponentials of size `values` up to 1 whose exponents are off by `moved`."""
    bounded = np.minimum(moved, 0.5)
    relative = bounded / (1 - bounded) + (1 + 2 * bounded) * EXPONENTIAL * u
    return np.where(moved < 0.5, values * relative, 1.0)


def row_of(arguments):
    """(relative positions, the arguments that make one row of all of them) of a bias of relative positions."""
    queries, keys, offset = (arguments[name] for name in ("query_len", "key_len", "query_offset"))
    relative = bias.relative_positions(queries, keys, keys - queries if offset is None else offset)
    start = -int(relative[0]) if len(relative) else 0
    return relative, {"query_len": 1, "key_len": len(relative), "query_offset": start}


@error_bound("kerple")
def _kerple(arguments, fmt):
    kind, least = arguments["kind"], checks.positive("least", arguments["least"])
    numbers = {name: exact_values(arguments[name]) for name in ("p", "a")}
    relative, row = row_of(arguments)
    exact = np.abs(kerple(**numbers, **row, kind=kind, least=least)[:, 0])
    pairs = read_kernels(*numbers.values(), kind, least)
    p, a = (np.array([[float(pair[k])] for pair in pairs]) for k in (0, 1))
    distances = np.maximum(-relative, 0).astype(np.float64)
    limits = {}
    for name, arithmetic in KERNEL_CLASSES["log" if kind == "log" else "power"].items():
        u = unit_roundoff(arithmetic)
        if kind == "log":  # the number a, a product and a sum move the logarithm by no more than their relative errors
            error = p * compound(4 * u) + exact * compound((LOGARITHM + 2) * u)
        else:
            power = p * np.frexp(distances)[1] * u + (POWER + 3) * u  # the exponent of two is more than ln
            error = exact * compound(power)
            if kind == "weight":
                powers = np.abs(kerple(**numbers, **row, kind="power", least=least)[:, 0])  # a distance**p
                error = exponential_error(exact, powers * compound(power), u)
        error = error + underflow_error(arithmetic) * (1 + a)
        limit = np.where(distances == 0, 0.0, rounded_bound(error, exact, arithmetic, fmt))
        limits[name] = {"output": bias.strided(limit, arguments["query_len"], arguments["key_len"])}
    return limits


@error_bound("sandwich")
def _sandwich(arguments, fmt):
    relative, row = row_of(arguments)
    same = {name: arguments[name] for name in ("num_heads", "dim", "first", "subtract", "mode", "base")}
    exact = np.abs(sandwich(**same, **row)[:, 0])
    dim, first, base = arguments["dim"], arguments["first"], checks.positive("base", arguments["base"], "E_BASE")
    exponents = np.arange(first, first + dim // 2, dtype=np.int64) * (2 / dim)
    distances = distances_of(relative, arguments["mode"]).astype(np.float64)
    frequencies = frequencies_of(dim, first, base).inv_freq[first:]
    scale = arguments["num_heads"] / (8 * np.arange(1, arguments["num_heads"] + 1, dtype=np.int64))[:, None]
    limits = {}
    for name, arithmetic in ANGLE_FORMATS.items():
        u = unit_roundoff(arithmetic)
        # exponent (2), base, power, reciprocal, distance and product; cosines; as many sums, the last one dim/2 less
        angle = compound(2 * exponents * log_size(base) * u + (POWER + 3 + exponents) * u)
        moved = np.minimum(distances[:, None] * frequencies * angle, 2).sum(1)
        count = dim // 2 + 1
        error = (moved + SINE * u * count) * (1 + count * u) + compound(count * u) * count
        error = scale * error * (1 + 4 * u) + exact * compound(4 * u)
        limit = rounded_bound(error, exact, arithmetic, fmt)
        limits[name] = {"output": bias.strided(limit, arguments["query_len"], arguments["key_len"])}
    return limits


@error_bound("hyena_features")
def _hyena_features(arguments, fmt):
    length, count = arguments["length"], arguments["dim"] // 2
    bands = np.array([float(band) for band in bands_of(count, arguments["low"])])
    p = np.arange(length, dtype=np.int64)[:, None]
    times = p / max(length - 1, 1)
    angles = 2 * np.pi * bands * p / max(length, 1)
    reach = 2 * np.pi * max(count - 1, float(arguments["low"])) * p / max(length, 1)
    limits = {}
    for name, arithmetic in ANGLE_FORMATS.items():
        u = unit_roundoff(arithmetic)
        # a band of 5 (an end, the step, a product, a sum), 2 pi, two products, a quotient and the angle
        moved = compound(5 * u) * reach + compound(6 * u) * angles
        waves = rounded_bound(np.minimum(moved * 2, 2) + SINE * u, np.ones_like(angles), arithmetic, fmt)
        time = rounded_bound(compound(3 * u) * times, times, arithmetic, fmt)
        limits[name] = {"output": np.concatenate([time, waves, waves], 1)}
    return limits


@error_bound("exponential_modulation")
def _exponential_modulation(arguments, fmt):
    same = {name: arguments[name] for name in ("length", "channels", "fast", "slow", "target")}
    powers = exponential_modulation(**same)
    shift = float(checks.real("shift", arguments["shift"]))
    shares = np.array([float(rate) for rate in rates_of(*(arguments[name] for name in ("channels", "fast", "slow")))])
    times = np.arange(arguments["length"], dtype=np.int64)[:, None] / max(arguments["length"] - 1, 1)
    size = times * max(shares, default=0.0) * log_size(checks.positive("target", arguments["target"]))
    limits = {}
    for name, arithmetic in KERNEL_CLASSES["power"].items():
        u = unit_roundoff(arithmetic)
        # a logarithm of a rounded target, its quotient, evenly spaced rates (5), time (3), a product
        moved = size * compound((LOGARITHM + 11) * u) + times * max(shares, default=0.0) * compound(2 * u)
        error = exponential_error(powers, np.broadcast_to(moved, powers.shape), u)
        error = error * (1 + u) + 2 * u * (powers + abs(shift)) + underflow_error(arithmetic)
        limits[name] = {"output": rounded_bound(error, abs(powers + shift), arithmetic, fmt)}
    return limits


@error_bound("offset_geometric")
def _offset_geometric(arguments, exact):
    count = arguments["dim"] // 2
    base = arguments["max_position"] - count + 1

    def errors(pipeline):
        u = unit_roundoff(pipeline.arithmetic)
        # evenly spaced logarithms of both ends (5), a power, the integer, a sum and a reciprocal
        return compound(np.full(count, 5 * u * base.bit_length() + (POWER + 4) * u))

    return ComputedFrequencies(exact, errors)
