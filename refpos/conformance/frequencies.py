"""How far computed frequencies can be from the exact ones: an account of each scaling, operation by operation.

An account is made from the arguments of the call; docs/conformance.md derives every term.
"""

from collections.abc import Callable
from fractions import Fraction
from math import ceil, floor
from typing import NamedTuple

import numpy as np

from .. import catalogue, checks
from ..arithmetic import formats, reals
from ..frequencies.axial_frequencies import pair_sources, widths_and_bases
from ..frequencies.inverse_frequencies import inverse_frequencies
from ..frequencies.ntk_by_parts import CLAMPS
from ..frequencies.yarn import given_factor, used_mscales
from ..steps.frequencies import Frequencies, sinusoid_ladder

# ulps a library function may be off its correctly rounded value (CUDA C++ Programming Guide, table of maximum ulp
# errors); k ulp and the half ulp of that rounding are (2k + 1) u
SINE = 5  # sin, cos: 2 ulp
POWER = 9  # pow: 4 ulp
EXPONENTIAL = 5  # exp, exp2: 2 ulp
LOGARITHM = 3  # log, log2: 1 ulp
_F64 = formats.FORMATS["float64"]
OWN = 2.0**-51  # relative error of the float64 arithmetic of these accounts, where it is not swallowed elsewhere


class Pipeline(NamedTuple):
    """The arithmetic of a class, whether exp may replace pow in it, and the format its table is cut to."""

    arithmetic: formats.Format
    exponential: bool = False
    table: formats.Format | None = None


class Origin(NamedTuple):
    """Exact frequencies and the relative errors of computed ones, as functions of a pipeline.

    `errors` gives an array (n,), `factor_error` a number for the attention factor.
    """

    frequencies: Frequencies
    errors: Callable[[Pipeline], np.ndarray]
    factor_error: Callable[[Pipeline], float] = lambda pipeline: 0.0


def compound(total):
    """Relative errors that sum to total, multiplied and divided in any order."""
    return total / (1 - total)


def joined(error, total):
    """A relative error, and after it operations whose relative errors sum to total."""
    return error + (1 + error) * compound(total)


def unit(fmt):
    """Relative error of one rounding; of 16 bits also of a rounding to float32 first, which adds at most 2**-23."""
    return 2.0**-fmt.precision + (2.0**-23 if fmt.width == 16 else 0.0)


def underflow(fmt):
    """Absolute error of a result below the normal range, where float32 and bfloat16 may be flushed to zero."""
    return 2.0 ** (fmt.lowest + (0 if fmt.name in ("float16", "float64") else fmt.precision - 1))


def inexact(number, fmt):
    """Whether the fraction is no value of the format's precision."""
    whole = number.numerator.bit_length() - ((number.numerator & -number.numerator).bit_length() - 1)
    return number.denominator & (number.denominator - 1) != 0 or whole > fmt.precision


def log(number):
    """|ln number| of a positive fraction as float64."""
    return abs(reals.float_log(number))


def held(number, fmt):
    """Relative error of a given number in the format."""
    return unit(fmt) * inexact(abs(number), fmt)


# -- ladders ----------------------------------------------------------------------------------------------------------


def ladder_origin(given, dim, endpoint=False, scale=Fraction(1), roundings=1):
    """The frequencies of a width: base**(-2i/dim), or base**(-i/(count - 1)) with the endpoint."""
    base = checks.positive("base", given.get("base", 10000.0), "E_BASE")
    exact = sinusoid_ladder(dim, base, endpoint, scale)
    step = Fraction(1, max(len(exact) - 1, 1)) if endpoint else Fraction(2, dim)
    exponents = [i * step for i in range(len(exact))]

    def errors(pipeline):
        # the scale and its product
        more = 2 * unit(pipeline.arithmetic) if scale != 1 else 0.0
        return _power(exponents, log(base), held(base, pipeline.arithmetic), exact, pipeline, more, roundings)

    return Origin(exact, errors)


def _power(exponents, log_base, base_error, frequencies, pipeline, more=0.0, roundings=1):
    """Relative errors of 1 / base**t, for a base that is off by base_error, a t that is rounded so many times, and of
    what follows it."""
    fmt = pipeline.arithmetic
    u = unit(fmt)
    t = np.array([float(exponent) for exponent in exponents])
    slope = t * log_base  # relative change of base**-t for a relative change of t
    base = t * base_error
    rounded = np.array([inexact(exponent, fmt) for exponent in exponents], bool)
    # exponent, base, power and reciprocal
    total = slope * roundings * u * rounded + base + (POWER + 1) * u
    if pipeline.exponential:
        # logarithm, the exponent and a product with it, base, exponential and reciprocal
        total = np.maximum(total, slope * (LOGARITHM + roundings + 1) * u + base + (EXPONENTIAL + 1) * u)
    # a power beyond the range of the format gives a frequency of 0
    return compound(np.where(t == 0, 0.0, total) + more) + (frequencies.inv_freq < 2.0 ** (2 - fmt.largest))


def _plain(given):
    """The unscaled frequencies behind a scaling: an origin, and its exponents."""
    dim, base = given["dim"], checks.positive("base", given.get("base", 10000.0), "E_BASE")
    width = given.get("exponent_dim") or dim
    exact = inverse_frequencies(dim, base=base, exponent_dim=width)
    exponents = [Fraction(2 * i, width) for i in range(dim // 2)]

    def errors(pipeline):
        return _power(exponents, log(base), held(base, pipeline.arithmetic), exact, pipeline)

    return Origin(exact, errors)


# -- scalings ---------------------------------------------------------------------------------------------------------


def origin(name, given):
    """The account of a function that returns `Frequencies`."""
    given = {key: value for key, value in given.items() if key != "dtype"}
    return ACCOUNTS[name](given, made({"function": name, "arguments": given}))


def output_names(name):
    """What the golden corpus calls the tensors of a function that returns `Frequencies`."""
    if name in ("inverse_frequencies", "given_frequencies"):  # inv_freq is what the latter is given
        return ("output",)
    along = name in ("axial_frequencies", "mrope_frequencies")
    return ("inv_freq", "attention_factor", "axes") if along else ("inv_freq", "attention_factor")


def _inner(given):
    found = given.get("frequencies")
    if isinstance(found, (list, tuple)):  # one for each block of an axis
        return {"frequencies": [made(one) for one in found]}
    return {"frequencies": made(found)} if isinstance(found, dict) else {}


def made(recipe):
    """The frequencies of {"function": name, "arguments": arguments}, which may hold others such."""
    given = {key: value for key, value in recipe["arguments"].items() if key != "dtype"}
    return catalogue.find(recipe["function"]).function(**{**given, **_inner(given)})


def _behind(given):
    """The origin of the frequencies that are passed in, or of plain ones."""
    found = given.get("frequencies")
    return origin(found["function"], found["arguments"]) if isinstance(found, dict) else _plain(given)


def _inverse_frequencies(given, frequencies):
    return _plain(given)


def _linear(given, frequencies):
    start = _behind(given)
    factor = checks.positive("factor", given["factor"])

    def errors(pipeline):
        fmt = pipeline.arithmetic
        return joined(start.errors(pipeline), 0.0 if factor == 1 else unit(fmt) + held(factor, fmt))

    return Origin(frequencies, errors, start.factor_error)


def _proportional(given, frequencies):
    start, factor = _plain(given), checks.positive("factor", given.get("factor", 1))
    turning = np.array([frequencies.rational(i) != 0 for i in range(len(frequencies))], bool)

    def errors(pipeline):
        fmt = pipeline.arithmetic
        divided = 0.0 if factor == 1 else unit(fmt) + held(factor, fmt)
        return np.where(turning, joined(start.errors(pipeline), divided), 0.0)

    return Origin(frequencies, errors)


def _stretched(given, frequencies, factor, factor_error):
    """base * factor**(dim / (dim - 2)) in place of base; factor_error(fmt): that of a computed factor."""
    dim, base = given["dim"], checks.positive("base", given.get("base", 10000.0), "E_BASE")
    power = Fraction(dim, dim - 2)
    exponents = [Fraction(2 * i, dim) for i in range(dim // 2)]
    signed = float(power) * _signed_log(factor) + _signed_log(base)

    def errors(pipeline):
        fmt = pipeline.arithmetic
        u = unit(fmt)
        # the factor and its exponent, the power, the product and its rounding to the arithmetic of the ladder
        grown = float(power) * (factor_error(fmt) + log(factor) * u) + POWER * u
        return _power(exponents, abs(signed), compound(grown + held(base, fmt) + 2 * u), frequencies, pipeline)

    return Origin(frequencies, errors)


def _signed_log(number):
    return log(number) * (1 if number > 1 else -1)


def _ntk(given, frequencies):
    factor = checks.positive("factor", given["factor"])
    if given.get("rule", "power") == "power":
        return _stretched(given, frequencies, factor, lambda fmt: held(factor, fmt))
    dim, base = given["dim"], checks.positive("base", given.get("base", 10000.0), "E_BASE")
    exponents = [Fraction(2 * i, dim) for i in range(dim // 2)]

    def errors(pipeline):
        fmt = pipeline.arithmetic
        product = held(base, fmt) + held(factor, fmt) + 2 * unit(fmt)
        return _power(exponents, log(base * factor), compound(product), frequencies, pipeline)

    return Origin(frequencies, errors)


def _ntk_alpha(given, frequencies):
    alpha = checks.positive("alpha", given["alpha"])
    return _stretched(given, frequencies, alpha, lambda fmt: held(alpha, fmt))


def _dynamic_ntk(given, frequencies):
    factor, trained = checks.positive("factor", given["factor"]), given["max_position_embeddings"]
    grown = factor * Fraction(max(given.get("seq_len") or 0, trained), trained)
    left = grown - (factor - 1)

    def error(fmt):
        # the factor, a product and a quotient in one term, the factor and a difference in the other, then a difference
        terms = grown * 3 + abs(factor - 1) * 2
        return unit(fmt) * (float(terms / left) + 1)

    return _stretched(given, frequencies, left, error)


def _blend(error, factor, moved, kept):
    """Relative errors of w (1 - g + g / factor) = w kept, for terms off by `error` and a ramp g off by `moved`."""
    return error + (1 + error) * abs(float(1 - 1 / factor)) * np.minimum(moved, 1.0) / kept


def _llama3(given, frequencies):
    start, factor = _plain(given), checks.positive("factor", given["factor"])
    low, high = (checks.positive(name, given[name]) for name in ("low_freq_factor", "high_freq_factor"))
    theta = start.frequencies.inv_freq
    turns = given["original_max_position_embeddings"] / (2 * np.pi) * theta
    wide, edge = float(high - low), float(low)
    place = (turns - edge) / (wide or 1.0)
    kept = frequencies.inv_freq / np.where(theta > 0, theta, 1)

    def errors(pipeline):
        fmt = pipeline.arithmetic
        u, before = unit(fmt), start.errors(pipeline)
        # 2 pi, a quotient for the wavelength, the length and a quotient for the turns; low, a difference and a quotient
        moved = turns * joined(before, 4 * u) + u * edge + u * np.abs(turns - edge) + OWN * (turns + edge)
        # of a step the frequencies that near its edge may stand on either side
        moved = moved / wide + np.abs(place) * 3 * u if wide else np.where(np.abs(place) < moved, 1.0, 0.0)
        # product, quotient, factor and sum; 1 - s
        inside = _blend(joined(before, 4 * u), factor, moved + u, kept)
        outside = joined(before, np.where(place <= 0, 2 * u, 0.0))
        ramp = (place > -moved) & (place < 1 + moved) if wide else moved > 0
        return np.where(ramp, inside, outside)

    return Origin(frequencies, errors)


def _longrope(given, frequencies):
    start = _plain(given)
    # the number of the list, and its product with the power
    return Origin(
        frequencies,
        lambda pipeline: joined(start.errors(pipeline), 2 * unit(pipeline.arithmetic)),
        lambda pipeline: _given_or(given, ("short_mscale", "long_mscale", "attention_factor"), pipeline, _root_error),
    )


def _given_or(given, names, pipeline, error):
    """The error of the attention factor: of a rounding where it may be given, of the formula where not."""
    known = any(given.get(name) is not None for name in names)
    return compound(unit(pipeline.arithmetic) + (0.0 if known else error(given, pipeline)))


def _root_error(given, pipeline):
    u = unit(pipeline.arithmetic)
    trained = given["original_max_position_embeddings"]
    factor = given_factor(given.get("factor"), given.get("max_position_embeddings"), trained)
    if factor <= 1:
        return 0.0
    # two logarithms, the factor under the first, their quotient, a sum, a root
    ratio = log(factor) / log(Fraction(trained))
    return ratio * (2 * LOGARITHM + 1) * u + u / log(Fraction(trained)) + 2 * u


def _ntk_by_parts(given, frequencies):
    return _ramped(given, frequencies, lambda pipeline: 0.0)


def _yarn(given, frequencies):
    return _ramped(
        given, frequencies, lambda pipeline: _given_or(given, ("attention_factor",), pipeline, _mscale_error)
    )


def _mscale_error(given, pipeline):
    u = unit(pipeline.arithmetic)
    lengths = given.get("max_position_embeddings"), given["original_max_position_embeddings"]
    factor = given_factor(given.get("factor"), *lengths)
    scales = used_mscales(given.get("mscale"), given.get("mscale_all_dim"), given.get("mscale_rule", "both"))
    if factor <= 1:
        return 0.0
    # m(factor, 0) is 1 exactly
    return sum(softmax_scale_error(factor, float(c), u) for c in scales if c) + u


def softmax_scale_error(factor, mscale, u):
    """Relative error of m(factor, mscale) = mscale ln(factor) / 10 + 1."""
    # logarithm, 1/10, mscale and two products, the factor under the logarithm; the sum
    return 0.1 * mscale * (log(factor) * (LOGARITHM + 4) + 1) * u + u


def _ramped(given, frequencies, factor_error):
    start = _plain(given)
    dim, base = given["dim"], checks.positive("base", given.get("base", 10000.0), "E_BASE")
    trained = given["original_max_position_embeddings"]
    factor = given_factor(given.get("factor"), given.get("max_position_embeddings"), trained)
    betas = [checks.positive(name, given.get(name, beta)) for name, beta in (("beta_fast", 32), ("beta_slow", 1))]
    truncate = given.get("truncate", True)
    most = dim - 1 if given.get("clamp", CLAMPS[0]) == CLAMPS[0] else dim // 2 - 1
    ends = [_correction(dim, base, trained, beta) for beta in betas]
    plain = start.frequencies.inv_freq
    kept = frequencies.inv_freq / np.where(plain > 0, plain, 1)

    def errors(pipeline):
        u, before = unit(pipeline.arithmetic), start.errors(pipeline)
        place, moved = _ramp(dim, ends, truncate, most, u)
        # the factor and its product, a product and a sum; 1 - g twice
        inside = _blend(joined(before, 4 * u), factor, moved + 2 * u, kept)
        outside = joined(before, np.where(place > 0, 2 * u, 0.0))
        return np.where((place > -moved) & (place < 1 + moved), inside, outside)

    return Origin(frequencies, errors, factor_error)


def _correction(dim, base, trained, beta):
    """(D(beta), how far D computed in float64 may be off)."""
    argument = float(trained / beta) / (2 * np.pi)
    logarithm = _signed_log(Fraction(argument))
    slope = dim / (2 * log(base))
    value = slope * logarithm
    # 2 pi, two operations and beta under the logarithm; two logarithms, two products, a quotient
    return value, 2.0**-53 * (slope * 5 + abs(value) * (2 * LOGARITHM + 4)) + OWN * (slope + abs(value))


def _ramp(dim, ends, truncate, most, u):
    """The ramp before it is cut to 0 .. 1, and how far a computed one may be off: each (dim/2,)."""
    (fast, fast_off), (slow, slow_off) = ends
    i = np.arange(dim // 2, dtype=np.int64)
    if truncate:
        # floor and ceil fall on the other side where a whole number is that near
        lows = {max(floor(fast + side * fast_off), 0) for side in (-1, 1)}
        highs = {min(ceil(slow + side * slow_off), most) for side in (-1, 1)}
        places = [(i - low) / (high - low or 0.001) for low in lows for high in highs]
        place = places[0]
        # of whole numbers only the quotient rounds
        return place, np.abs(place) * u + np.max([np.abs(other - place) for other in places], axis=0)
    low, high = max(fast, 0.0), min(slow, float(most))
    wide = high - low or 0.001
    place = (i - low) / wide
    # the ends, their roundings, the differences and the quotient
    off = fast_off + slow_off
    moved = (off + u * (abs(low) + np.abs(i - low))) / wide + np.abs(place) * (off / wide + 3 * u)
    return place, moved


def _learned_log_scale(given, frequencies):
    start = _behind(given)
    alpha = [checks.real("alpha", value) for value in given["alpha"]]

    def errors(pipeline):
        fmt = pipeline.arithmetic
        u = unit(fmt)
        # the number, its exponential and a product
        scale = np.array([float(abs(value)) * 2 * held(value, fmt) + (EXPONENTIAL + 1) * u for value in alpha])
        return joined(start.errors(pipeline), np.where([value == 0 for value in alpha], 0.0, scale))

    return Origin(frequencies, errors, start.factor_error)


def _resonance(given, frequencies):
    start = _behind(given)
    turns = [frequencies.turns(i) for i in range(len(frequencies))]
    lengths = np.array([float(1 / turn) if turn else np.inf for turn in turns])
    with np.errstate(divide="ignore"):
        before = 2 * np.pi / start.frequencies.inv_freq

    def errors(pipeline):
        u = unit(pipeline.arithmetic)
        with np.errstate(invalid="ignore", over="ignore"):
            off = before * (joined(start.errors(pipeline), 3 * u) + OWN)
            low, high = np.ceil(before - off - 0.5), np.floor(before + off + 0.5)
            apart = np.maximum(lengths - low, high - lengths) / np.maximum(low, 1.0)
        # the whole number, 2 pi and a quotient
        return np.where(np.isfinite(lengths), joined(np.maximum(apart, 0.0), 3 * u), 0.0)

    return Origin(frequencies, errors, start.factor_error)


# -- along several axes -----------------------------------------------------------------------------------------------


def _given(given, frequencies):
    values = [frequencies.rational(i) for i in range(len(frequencies))]

    def errors(pipeline):
        fmt = pipeline.arithmetic
        lost = np.array([0 < abs(value) < Fraction(2) ** (2 - fmt.largest) for value in values])
        # what no float64 holds was computed: a quotient, or evenly between two numbers
        computed = np.array([inexact(abs(value), _F64) for value in values])
        return np.where(computed, 4 * unit(fmt), [held(value, fmt) for value in values]) + lost

    return Origin(frequencies, errors)


def _axial(given, frequencies):
    widths, ladder, endpoint = given["widths"], given.get("ladder", "separate"), given.get("endpoint", False)
    if given.get("frequencies") is not None:
        parts = [origin(one["function"], one["arguments"]) for one in given["frequencies"]]
    else:
        # evenly spaced exponents: the space, a product and a sum
        parts = [
            ladder_origin({"base": base}, width, endpoint, roundings=3 if endpoint else 1)
            for width, base in widths_and_bases(widths, given.get("base", 10000.0), ladder)
        ]
    order = pair_sources([width // 2 for width in widths], ladder, given.get("arrangement", "blocks"))
    number = given.get("times_pi")

    def errors(pipeline):
        fmt = pipeline.arithmetic
        # pi, its multiple and a product
        turns = 0.0 if number is None else 3 * unit(fmt) + held(checks.real("times_pi", number), fmt)
        found = [joined(part.errors(pipeline), turns) for part in parts]
        return np.array([found[k][j] for _, k, j in order])

    return Origin(frequencies, errors, parts[0].factor_error)


def _mrope(given, frequencies):
    start = _behind(given)
    return Origin(frequencies, start.errors, start.factor_error)


ACCOUNTS = {
    "inverse_frequencies": _inverse_frequencies,
    "linear": _linear,
    "ntk": _ntk,
    "ntk_alpha": _ntk_alpha,
    "dynamic_ntk": _dynamic_ntk,
    "ntk_by_parts": _ntk_by_parts,
    "yarn": _yarn,
    "longrope": _longrope,
    "llama3": _llama3,
    "proportional": _proportional,
    "learned_log_scale": _learned_log_scale,
    "resonance": _resonance,
    "given_frequencies": _given,
    "axial_frequencies": _axial,
    "mrope_frequencies": _mrope,
}
