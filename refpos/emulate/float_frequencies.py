"""Frequencies as programs compute them: powers of a base, and the scalings in the order of operations of transformers.

What transformers keeps as a Python float (bases that are stretched, the ends of a ramp, attention factors) is float64
here too, each operation rounded once.
"""

from dataclasses import replace
from fractions import Fraction
from math import ceil, floor, inf, pi
from typing import NamedTuple

import numpy as np

from .. import checks
from ..conformance.registry import complete, exact_frequencies
from ..errors import InputError
from ..frequencies.axial_frequencies import pair_sources, widths_and_bases
from ..frequencies.ntk_by_parts import CLAMPS
from ..frequencies.yarn import given_factor
from ..steps.rows import doubles
from . import running_ramps
from .operations import FLOAT64, exponential, logarithm, power, product, quotient, rounded, rounded_fraction, total

FLOAT_PI = Fraction(pi)
LOG2_E = 1.442695  # of MLX's exponential


class Made(NamedTuple):
    """Frequencies of a program, as float64 (n,), what multiplies cosines and sines, and the axis of each frequency.

    ratios: what multiplies the angle of each frequency to give that of the next, for running products. times, over:
    what multiplies each angle after that, or divides it; kept: what share of it is not multiplied.
    """

    inv_freq: np.ndarray
    factor: float = 1.0
    axes: tuple | None = None
    ratios: np.ndarray | None = None
    times: float | None = None
    over: np.ndarray | None = None
    kept: np.ndarray | None = None


def made(call, profile):
    """The frequencies of a call {"function": name, "arguments": {...}}."""
    name = call["function"]
    if name not in MADE:
        known = ", ".join(MADE)
        sentence = f"frequencies must come from one of {known} for an emulation, got {name}"
        raise InputError("E_CHOICE", "frequencies", sentence)
    allowed = {"running": (*PLAIN, *SCALED), "divisor": PLAIN}.get(profile.frequencies, MADE)
    if name not in allowed:
        sentence = f"frequencies must come from one of {', '.join(allowed)} for {profile.name}, got {name}"
        raise InputError("E_CHOICE", "frequencies", sentence)
    if profile.frequencies == "float64" and profile.arithmetic is not FLOAT64:
        found = made(call, replace(profile, arithmetic=FLOAT64, frequencies="power"))
        return found._replace(inv_freq=rounded(found.inv_freq, profile.arithmetic))
    return MADE[name](complete(name, call["arguments"]), profile)


# -- powers -----------------------------------------------------------------------------------------------------------


def geometric(count, denominator, base, profile, step=1):
    """base**(-step i / denominator), i < count, as an emulation computes it."""
    fmt, rule = profile.arithmetic, profile.frequencies
    numbers = rounded(step * np.arange(count, dtype=np.float64), fmt)
    if rule in ("exp", "exp-quotient", "mlx-exp"):
        log = logarithm(checks.positive("base", _python_float(base), "E_BASE"))
        if rule == "mlx-exp":
            constant = quotient(rounded(log, fmt), rounded_fraction(denominator, fmt), fmt)
            exponents = product(product(-numbers, constant, fmt), rounded(LOG2_E, fmt), fmt)
            return Made(power(2.0, exponents, fmt))
        if rule == "exp":
            # the constant is a Python float, which the product takes in the format
            constant = rounded(quotient(log, rounded_fraction(denominator, FLOAT64), FLOAT64), fmt)
            return Made(exponential(-product(numbers, constant, fmt), fmt))
        exponents = quotient(product(numbers, rounded(log, fmt), fmt), rounded_fraction(denominator, fmt), fmt)
        return Made(exponential(-exponents, fmt))
    if rule == "running":
        return _running(count, denominator, base, fmt, step)
    inside = FLOAT64 if rule == "float64" else fmt
    exponents = quotient(numbers, rounded_fraction(denominator, inside), inside)
    powers = power(rounded_fraction(_python_float(base), inside), exponents, inside)
    if rule == "divisor":
        return Made(powers)
    return Made(rounded(quotient(1.0, powers, inside), fmt))


def _running(count, denominator, base, fmt, step):
    """theta_scale = base**(-step / denominator), which each angle is multiplied by to give the next."""
    exponent = quotient(-float(step), rounded_fraction(denominator, fmt), fmt)
    scale = power(rounded_fraction(base, fmt), exponent, fmt)
    values = np.ones(count)
    for i in range(1, count):
        values[i] = product(values[i - 1], scale, fmt)
    return Made(values, ratios=np.full(count, scale))


def _python_float(number):
    """A base as Python holds it: a float, or an integer of any size."""
    number = Fraction(number)
    return number if number.denominator == 1 else Fraction(doubles.number("base", number))


def _of_width(arguments, profile, base=None):
    dim = arguments["dim"]
    if base is None:
        base = checks.positive("base", arguments["base"], "E_BASE")
    elif not 0 < base < inf:
        raise InputError("E_BASE", "base", f"base must stay within float64 when it is scaled, got {base}")
    return geometric(dim // 2, Fraction(arguments.get("exponent_dim") or dim), base, profile, 2)


def _float(name, arguments):
    return doubles.number(name, arguments[name])


# -- scalings ---------------------------------------------------------------------------------------------------------


def _linear(arguments, profile):
    fmt, inner = profile.arithmetic, arguments["frequencies"]
    before = made(inner, profile) if inner else _of_width(arguments, profile)
    factor = rounded(_float("factor", arguments), fmt)
    if profile.frequencies == "running":
        if inner and inner["function"] in SCALED:
            known = ", ".join(PLAIN)
            sentence = f"frequencies must come from one of {known} for {profile.name}, got {inner['function']}"
            raise InputError("E_CHOICE", "frequencies", sentence)
        return before._replace(times=quotient(1.0, factor, fmt))
    return before._replace(inv_freq=quotient(before.inv_freq, factor, fmt))


def _proportional(arguments, profile):
    fmt, factor = profile.arithmetic, rounded(_float("factor", arguments), profile.arithmetic)
    turning = int(float(arguments["partial_rotary_factor"]) * arguments["dim"] // 2)
    found = quotient(_of_width(arguments, profile).inv_freq, factor, fmt)
    found[turning:] = 0.0
    return Made(found)


def _stretched(arguments, profile, factor):
    """base * factor**(dim / (dim - 2)) in place of base, as Python floats."""
    dim, base = arguments["dim"], _float("base", arguments)
    return _of_width(arguments, profile, base * float(power(factor, dim / (dim - 2), FLOAT64)))


def _ntk(arguments, profile):
    factor = _float("factor", arguments)
    if arguments["rule"] == "product":
        return _of_width(arguments, profile, _float("base", arguments) * factor)
    return _stretched(arguments, profile, factor)


def _ntk_alpha(arguments, profile):
    return _stretched(arguments, profile, _float("alpha", arguments))


def _dynamic_ntk(arguments, profile):
    factor, trained = _float("factor", arguments), arguments["max_position_embeddings"]
    length = max(arguments["seq_len"] or 0, trained)
    return _stretched(arguments, profile, (factor * length / trained) - (factor - 1))


def _longrope(arguments, profile):
    fmt, trained = profile.arithmetic, arguments["original_max_position_embeddings"]
    name = "long_factor" if (arguments["seq_len"] or 0) > trained else "short_factor"
    numbers = np.array([rounded_fraction(checks.real(name, value), fmt) for value in arguments[name]])
    grown = _growing(arguments, profile)
    return Made(quotient(1.0, product(numbers, grown, fmt), fmt), _factor("longrope", arguments))


def _growing(arguments, profile):
    """base**(2i/dim), by which transformers multiplies before it takes the reciprocal."""
    if profile.frequencies == "power":
        return _of_width(arguments, replace(profile, frequencies="divisor")).inv_freq
    return quotient(1.0, _of_width(arguments, profile).inv_freq, profile.arithmetic)


def _factor(name, arguments):
    """The attention factor, which Python computes as a float."""
    return exact_frequencies({"function": name, "arguments": arguments}).attention_factor


def _llama3(arguments, profile):
    fmt = profile.arithmetic
    factor, low = (rounded(_float(name, arguments), fmt) for name in ("factor", "low_freq_factor"))
    trained = arguments["original_max_position_embeddings"]
    ends = [rounded(trained / _float(name, arguments), fmt) for name in ("low_freq_factor", "high_freq_factor")]
    width = rounded(_float("high_freq_factor", arguments) - _float("low_freq_factor", arguments), fmt)
    running = profile.frequencies == "running"
    before = _of_width(arguments, profile)
    plain = _of_width(arguments, replace(profile, frequencies="power")).inv_freq if running else before.inv_freq
    # torch takes a number over a tensor as the reciprocal times that number
    lengths = product(quotient(1.0, plain, fmt), rounded(2 * pi, fmt), fmt)
    divided = np.where(lengths > ends[0], quotient(plain, factor, fmt), plain)
    turns = product(quotient(1.0, lengths, fmt), rounded(float(trained), fmt), fmt)
    smooth = quotient(total(turns, -low, fmt), width, fmt)
    rest = product(total(1.0, -smooth, fmt), divided, fmt)
    mixed = total(quotient(rest, factor, fmt), product(smooth, divided, fmt), fmt)
    between = ~(lengths < ends[1]) & ~(lengths > ends[0])
    if running:  # the factors that a converter writes, by which angles are divided
        mixed = quotient(1.0, total(quotient(total(1.0, -smooth, fmt), factor, fmt), smooth, fmt), fmt)
        return before._replace(over=np.where(between, mixed, np.where(lengths > ends[0], factor, 1.0)))
    return Made(np.where(between, mixed, divided))


def _yarn(arguments, profile):
    if profile.frequencies != "running":
        return _ramped(arguments, profile)._replace(factor=_factor("yarn", arguments))
    lengths = arguments["max_position_embeddings"], arguments["original_max_position_embeddings"]
    fmt, factor = profile.arithmetic, doubles.number("factor", given_factor(arguments["factor"], *lengths))
    times = float(quotient(1.0, rounded(factor, fmt), fmt))
    betas = [_float(name, arguments) for name in ("beta_fast", "beta_slow")]
    kept = running_ramps.ramp(arguments, betas, _float("base", arguments), fmt)
    stored = any(arguments[name] is not None for name in ("attention_factor", "mscale", "mscale_all_dim"))
    size = _factor("yarn", arguments) if stored or factor <= 1 else running_ramps.magnitude(times, fmt)
    return _of_width(arguments, profile)._replace(times=times, kept=kept, factor=size)


def _ramped(arguments, profile):
    fmt, dim = profile.arithmetic, arguments["dim"]
    lengths = arguments.get("max_position_embeddings"), arguments["original_max_position_embeddings"]
    factor = rounded(doubles.number("factor", given_factor(arguments["factor"], *lengths)), fmt)
    low, high = _ramp_ends(arguments)
    width = rounded(high - low or 0.001, fmt)
    ramp = quotient(total(np.arange(dim // 2, dtype=np.float64), -rounded(low, fmt), fmt), width, fmt)
    kept = total(1.0, -np.clip(ramp, 0.0, 1.0), fmt)
    plain = _of_width(arguments, profile).inv_freq
    divided = quotient(1.0, product(factor, _growing(arguments, profile), fmt), fmt)
    return Made(total(product(divided, total(1.0, -kept, fmt), fmt), product(plain, kept, fmt), fmt))


def _ramp_ends(arguments):
    """Between which frequencies the ramp rises, in Python floats."""
    dim, base = arguments["dim"], _float("base", arguments)
    trained = arguments["original_max_position_embeddings"]
    most = dim - 1 if arguments["clamp"] == CLAMPS[0] else dim // 2 - 1

    def end(beta):
        return dim * logarithm(trained / (beta * 2 * pi)) / (2 * logarithm(base))

    low, high = (end(_float(name, arguments)) for name in ("beta_fast", "beta_slow"))
    if arguments["truncate"]:
        low, high = floor(low), ceil(high)
    return max(low, 0), min(high, most)


# -- given ones, and several axes -------------------------------------------------------------------------------------


def _given(arguments, profile):
    values = [checks.real("inv_freq", value) for value in checks.numbers("inv_freq", arguments["inv_freq"])]
    return Made(np.array([rounded_fraction(value, profile.arithmetic) for value in values]))


def _axial(arguments, profile):
    widths, bases, rule = (arguments[name] for name in ("widths", "base", "allocation"))
    if arguments["frequencies"] is not None:
        parts = [made(call, profile) for call in arguments["frequencies"]]
    else:
        parts = [
            rungs(width, checks.positive("base", base, "E_BASE"), arguments["endpoint"], profile)
            for width, base in widths_and_bases(widths, bases, rule)
        ]
    axes = arguments["axes"] or range(len(widths))
    order = pair_sources([width // 2 for width in widths], rule, arguments["arrangement"])
    if profile.frequencies == "running" and rule != "separate":
        raise InputError("E_CHOICE", "allocation", f"allocation must be 'separate' for {profile.name}, got {rule!r}")
    if any(part.times is not None or part.over is not None for part in parts):
        known = ", ".join(PLAIN)
        sentence = f"frequencies must come from {known} for {profile.name}, got a scaling of one axis"
        raise InputError("E_CHOICE", "frequencies", sentence)
    found = np.array([parts[part].inv_freq[k] for _, part, k in order])
    ratios = None if parts[0].ratios is None else np.array([parts[part].ratios[k] for _, part, k in order])
    if arguments["times_pi"] is not None:
        fmt, number = profile.arithmetic, checks.real("times_pi", arguments["times_pi"])
        found = product(found, rounded(rounded_fraction(number * FLOAT_PI, FLOAT64), fmt), fmt)
    axes = tuple(axes[block] for block, _, _ in order)
    return Made(found, parts[0].factor, axes if any(axes) else None, ratios)


def rungs(width, base, endpoint, profile):
    """The frequencies of a width (rounded up to pairs), exponents 2i/width or, with the endpoint, i/(pairs - 1)."""
    count = (width + 1) // 2
    return geometric(count, max(count - 1, 1), base, profile) if endpoint else geometric(count, width, base, profile, 2)


def _mrope(arguments, profile):
    inner = arguments["frequencies"]
    before = made(inner, profile) if inner else _of_width(arguments, profile)
    return before._replace(axes=exact_frequencies({"function": "mrope_frequencies", "arguments": arguments}).axes)


MADE = {
    "inverse_frequencies": _of_width,
    "linear": _linear,
    "proportional": _proportional,
    "ntk": _ntk,
    "ntk_alpha": _ntk_alpha,
    "dynamic_ntk": _dynamic_ntk,
    "longrope": _longrope,
    "llama3": _llama3,
    "ntk_by_parts": _ramped,
    "yarn": _yarn,
    "given_frequencies": _given,
    "axial_frequencies": _axial,
    "mrope_frequencies": _mrope,
}
#: frequencies that are powers of one base on each axis
PLAIN = ("inverse_frequencies", "axial_frequencies", "mrope_frequencies")
#: scalings that llama.cpp makes of running products: a factor of all angles, one of each frequency, or a mean of both
SCALED = ("linear", "llama3", "yarn")
