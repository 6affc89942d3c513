"""Conformance classes: a named pipeline, and how far from the correctly rounded value it can end up, element by element.

Bounds come from the parameters of the call alone and are never fitted to what some program gave; docs/conformance.md derives every
constant. Two facts carry all of it. An operation of precision p has relative error at most u = 2**-p, a library function that is
k ulp off its correctly rounded value at most (2k + 1) u. And relative errors s_1, s_2, ... in any mixture of products and quotients
amount to at most s / (1 - s), s = s_1 + s_2 + ...
"""

from decimal import MAX_EMAX, MIN_EMIN, Context, Decimal
from fractions import Fraction
from typing import NamedTuple, Optional

import numpy as np

from . import bias, checks, formats, rounding
from .encodings.alibi_slopes import alibi_slopes, exponents
from .errors import InputError
from .files import tensor
from .frequencies import sinusoid_ladder
from .layouts import columns
from .rotation import pair_views


class Class(NamedTuple):
    """What a class admits; its bounds count ulps or absolute differences."""

    unit: str
    meaning: str


#: strictest first; README and reports name classes in this order
CLASSES = {
    "correct": Class("ulp", "the correctly rounded value itself (0 ulp off)"),
    "faithful": Class("ulp", "the correctly rounded value or one of its two neighbours (at most 1 ulp off)"),
    "float64-angle": Class("absolute", "frequencies, angles, sine and cosine in float64, then one rounding"),
    "float32-angle": Class("absolute", "frequencies by a float32 power, angles, sine and cosine in float32, then one rounding"),
    "float32-exp-angle": Class("absolute", "float32-angle with frequencies by a float32 exponential of a logarithm"),
    "float16-table": Class("absolute", "float32-angle whose cosines and sines are rounded to float16"),
    "bfloat16-table": Class("absolute", "float32-angle whose cosines and sines are rounded to bfloat16"),
    "float64-power": Class("absolute", "slopes by a float64 power, distances times slopes in float64, then one rounding"),
    "float32-product": Class("absolute", "slopes rounded once to float32, then a float32 product with the distance"),
    "float32-power": Class("absolute", "slopes by a float32 power, then a float32 product with the distance"),
}

# ulps a library function may be off its correctly rounded value (CUDA C++ Programming Guide, table of maximum ulp errors);
# k ulp and the half ulp of that rounding are (2k + 1) u
SINE = 5  # sin, cos: 2 ulp
POWER = 9  # pow: 4 ulp
EXPONENTIAL = 5  # exp, exp2: 2 ulp
LOGARITHM = 3  # log, log2: 1 ulp
LOG_2 = Fraction(6931471806, 10**10)  # above ln 2
INFLATE = 1 + 2.0**-40  # covers the float64 arithmetic of the bounds: fewer than 2**10 roundings of 2**-53 each


class Pipeline(NamedTuple):
    """The arithmetic of a class: of angle and functions, whether exp may replace pow, and the format the table is cut to."""

    arithmetic: formats.Format
    exponential: bool = False
    table: Optional[formats.Format] = None


_F64, _F32, _F16, _BF16 = (formats.FORMATS[name] for name in ("float64", "float32", "float16", "bfloat16"))
PIPELINES = {
    "float64-angle": Pipeline(_F64, exponential=True),
    "float32-angle": Pipeline(_F32),
    "float32-exp-angle": Pipeline(_F32, exponential=True),
    "float16-table": Pipeline(_F32, table=_F16),
    "bfloat16-table": Pipeline(_F32, table=_BF16),
}


class Ladder(NamedTuple):
    """Frequencies scale * base**-t: the exponents as fractions, the frequencies as float64, base and scale exactly."""

    exponents: list
    theta: np.ndarray
    base: Fraction
    scale: Fraction


class Waves(NamedTuple):
    """Errors of computed cosines and sines against the exact ones, and limits on the size of the sines: each (*positions, n)."""

    cos: np.ndarray
    sin: np.ndarray
    size: np.ndarray  # of the computed sine
    exact: np.ndarray  # of the exact sine
    moving: np.ndarray  # where the angle is not 0; elsewhere sine and cosine are 0 and 1 without error


def bounds(function_name, arguments, inputs, fmt):
    """For each conformance class, the largest difference from the correctly rounded output that its pipeline can produce.

        |actual - expected| <= bound,  bound = error of the pipeline + half an ulp of the expected value

    function_name: a catalogue name. arguments: its keyword arguments. inputs: its arrays by argument name (positions, x, weight, ...;
    an integer positions may stand in either). fmt: the output dtype.
    Returns {class: {output name: float64 array of the output's shape}}, strictest class first; outputs are "cos" and "sin" of
    rope_table, "output" of everything else. The arrays of `correct` and `faithful` count ulps, all others are absolute. Bounds of sine and
    cosine are at most 2. Where x is not finite the bound is 0: only equality passes. A
    pipeline that overflows is in no class.

    Raises E_CHOICE for a function without classes, or with frequencies of its own: the derivation starts from dim and base.

    Source: docs/conformance.md.

    >>> limits = bounds("rope_table", {"dim": 4, "base": 10000}, {"positions": np.array([0, 131072])}, "float32")
    >>> limits["float32-angle"]["sin"] < 0.01
    array([[ True,  True],
           [ True,  True]])
    """
    if function_name not in _ACCOUNTS:
        known = ", ".join(map(repr, _ACCOUNTS))
        raise InputError("E_CHOICE", "function_name", f"function_name must be one of {known}, got {function_name!r}")
    given = {**arguments, **inputs}
    if given.get("frequencies") is not None:
        received = type(given["frequencies"]).__name__
        raise InputError("E_CHOICE", "frequencies", f"frequencies must be given as dim and base, got {received}")
    if function_name.startswith("t5_"):
        return {"correct": {"output": np.zeros(_ACCOUNTS[function_name](given))}}
    found = _ACCOUNTS[function_name](given, formats.resolve(fmt))
    any_class = next(iter(found.values()))
    counted = {
        name: {output: np.full(limit.shape, count) for output, limit in any_class.items()}
        for name, count in (("correct", 0.0), ("faithful", 1.0))
    }
    return {**counted, **found}


# -- errors that add and compound -------------------------------------------------------------------------------------


def _compound(total):
    """Relative errors that sum to total, multiplied and divided in any order."""
    return total / (1 - total)


def _unit(fmt):
    return 2.0**-fmt.precision


def _underflow(fmt):
    """Absolute error of a result below the normal range; float32 and bfloat16 results may be flushed to zero there."""
    return 2.0 ** (fmt.lowest + (0 if fmt.name in ("float16", "float64") else fmt.precision - 1))


def _inexact(number, fmt):
    """Whether the fraction is no value of the format's precision."""
    whole = number.numerator.bit_length() - ((number.numerator & -number.numerator).bit_length() - 1)
    return number.denominator & (number.denominator - 1) != 0 or whole > fmt.precision


def _narrows(wide, fmt):
    """Whether rounding from the one to the other can change a value."""
    return wide.precision > fmt.precision or wide.lowest < fmt.lowest


def _rounded(error, size, path, moving=True):
    """The error after a rounding to each format of the path; size bounds the computed value."""
    previous = path[0]
    for fmt in path[1:]:
        if _narrows(previous, fmt):
            step = _unit(fmt) * size + _underflow(fmt)
            error, size = error + step * moving, size + step
        previous = fmt
    return error


def _total(error, exact_size, fmt, moving=True):
    """Error against the exact value made one against the correctly rounded value, with the roundings of this module covered."""
    with np.errstate(invalid="ignore", over="ignore"):
        return (error + (_unit(fmt) * exact_size + 2.0**fmt.lowest) * moving) * INFLATE


# -- frequencies and waves --------------------------------------------------------------------------------------------


def _log(number):
    """|ln number| of a positive fraction as float64."""
    context = Context(prec=60, Emax=MAX_EMAX, Emin=MIN_EMIN)
    return abs(float(context.subtract(context.ln(Decimal(number.numerator)), context.ln(Decimal(number.denominator)))))


def _ladder(given, dim, endpoint=False, scale=Fraction(1)):
    """The frequencies of a width: base**(-2i/dim), or base**(-i/(count - 1)) with the endpoint."""
    base = checks.positive("base", given.get("base", 10000.0), "E_BASE")
    exact = sinusoid_ladder(dim, base, endpoint, scale)
    step = Fraction(1, max(len(exact) - 1, 1)) if endpoint else Fraction(2, dim)
    return Ladder([i * step for i in range(len(exact))], exact.inv_freq, base, scale)


def _frequency_error(ladder, pipeline):
    """Relative error of each computed frequency: shape (n,)."""
    fmt = pipeline.arithmetic
    u = _unit(fmt)
    t = np.array([float(exponent) for exponent in ladder.exponents])
    slope = t * _log(ladder.base)  # relative change of base**-t for a relative change of t
    base = t * (u if _inexact(ladder.base, fmt) else 0)
    rounded = np.array([_inexact(exponent, fmt) for exponent in ladder.exponents], bool)
    # exponent, base, power and reciprocal
    total = slope * u * rounded + base + (POWER + 1) * u
    if pipeline.exponential:
        # logarithm, two operations in the exponent, base, exponential and reciprocal
        total = np.maximum(total, slope * (LOGARITHM + 2) * u + base + (EXPONENTIAL + 1) * u)
    total = np.where(t == 0, 0.0, total) + (2 * u if ladder.scale != 1 else 0.0)
    # a power beyond the range of the format gives a frequency of 0
    return _compound(total) + (ladder.theta < 2.0 ** (2 - fmt.largest))


def _waves(positions, ladder, pipeline):
    """Errors of cos and sin of positions (...,) times the ladder's frequencies, before any output rounding."""
    fmt = pipeline.arithmetic
    u = _unit(fmt)
    p = np.abs(positions)[..., None]
    with np.errstate(over="ignore"):
        angle = p * ladder.theta
        held = p == (p.astype(np.float32) if fmt is _F32 else p)
    moving = angle > 0
    # a frequency of exactly 1 costs no rounding in the product
    free = np.array([t == 0 and ladder.scale == 1 for t in ladder.exponents], bool)
    product = _compound(np.where(free, 0.0, u) + np.where(held, 0.0, u))
    frequency = _frequency_error(ladder, pipeline)
    relative = frequency + product + frequency * product
    delta = np.where(relative > 0, angle * relative + _underflow(fmt), 0.0) * moving
    size, exact = np.minimum(1.0, angle + delta), np.minimum(1.0, angle)
    function = _compound(SINE * u)
    cos = (delta * size + function) * moving  # the slope of the cosine is a sine
    sin = delta + (function * size + _underflow(fmt)) * moving
    return Waves(cos, sin, np.minimum(1.0, size * (1 + function) + _underflow(fmt)) * moving, exact, moving)


def _tables(positions, ladder, fmt, pipeline):
    """Bounds of (cos, sin) rounded to fmt."""
    waves = _waves(positions, ladder, pipeline)
    path = [part for part in (pipeline.arithmetic, pipeline.table, fmt) if part]
    cos = _total(_rounded(waves.cos, 1.0, path, waves.moving), 1.0, fmt, waves.moving)
    sin = _total(_rounded(waves.sin, waves.size, path, waves.moving), waves.exact, fmt, waves.moving)
    return np.minimum(cos, 2.0), np.minimum(sin, 2.0)


def _pipelines(fmt):
    """The pipelines of tables in that format: one is cut to 16 bits only where that takes bits away."""
    return {
        name: pipeline
        for name, pipeline in PIPELINES.items()
        if not pipeline.table or (pipeline.table != fmt and _narrows(fmt, pipeline.table))
    }


# -- what the caller gave ---------------------------------------------------------------------------------------------


def _values(array):
    """The exact float64 values of positions or of x."""
    held = tensor(array)
    if held.dtype == "bfloat16":
        return rounding.widen(held.values, _BF16)
    return held.values.astype(np.float64)


def _positions(given):
    positions = given["positions"]
    if isinstance(positions, (int, np.integer)):
        return np.arange(positions, dtype=np.float64)
    return _values(positions)


def _along(positions, shape, seq_axis):
    """Positions (..., seq) shaped to broadcast against x without its last axis: leading axes lead, seq lies at seq_axis."""
    axis = seq_axis % len(shape)
    lead = positions.shape[:-1]
    return positions.reshape(lead + (1,) * (axis - len(lead)) + positions.shape[-1:] + (1,) * (len(shape) - 2 - axis))


# -- one account for each function ------------------------------------------------------------------------------------


def _sinusoidal(given, fmt):
    dim = given["dim"]
    padded = dim % 2 if given.get("odd") == "pad" else 0
    scale = checks.positive("position_scale", given.get("position_scale", 1))
    ladder = _ladder(given, dim - padded, given.get("endpoint", False), scale)
    positions = _positions(given)
    half = len(ladder.theta)
    cosines = dim - padded - half
    found = {}
    for name, pipeline in _pipelines(fmt).items():
        cos, sin = (part.reshape(-1, half) for part in _tables(positions, ladder, fmt, pipeline))
        rows = np.zeros((positions.size, dim))
        into_cos, into_sin = columns(rows, given.get("layout", "interleaved"), half, cosines)
        into_cos[:], into_sin[:] = cos[:, :cosines], sin
        found[name] = {"output": rows.reshape(*positions.shape, dim)}
    return found


def _sincos_2d(given, fmt):
    height, width, dim = given["height"], given["width"], given["dim"]
    one_axis = {name: given[name] for name in ("base", "endpoint") if name in given}
    one_axis.update(dim=dim // 2, layout=given.get("layout", "sin-cos"))
    rows, columns_ = (_sinusoidal({**one_axis, "positions": size}, fmt) for size in (height, width))
    extra = given.get("extra_tokens")
    found = {}
    for name in rows:
        by_axis = {"h": rows[name]["output"][:, None], "w": columns_[name]["output"][None, :]}
        grid = np.empty((height, width, dim))
        grid[..., : dim // 2], grid[..., dim // 2 :] = (by_axis[axis] for axis in given["axis_order"])
        if extra is not None:
            grid = np.concatenate([np.zeros((extra, dim)), grid.reshape(height * width, dim)])
        found[name] = {"output": grid}
    return found


def _rope_table(given, fmt):
    ladder = _ladder(given, given["dim"])
    positions = _positions(given)
    tables = {name: _tables(positions, ladder, fmt, pipeline) for name, pipeline in _pipelines(fmt).items()}
    return {name: {"cos": cos, "sin": sin} for name, (cos, sin) in tables.items()}


def _inverse_frequencies(given, fmt):
    ladder = _ladder(given, given["dim"])
    found = {}
    for name in ("float64-angle", "float32-angle", "float32-exp-angle"):
        pipeline = PIPELINES[name]
        error = ladder.theta * _frequency_error(ladder, pipeline) + _underflow(pipeline.arithmetic)
        error = _rounded(error, ladder.theta + error, [pipeline.arithmetic, fmt])
        found[name] = {"output": _total(error, ladder.theta, fmt)}
    return found


def _rope(given, fmt):
    x = given["x"]
    patterns = fmt is _BF16 and getattr(x, "dtype", None) == np.uint16
    # a quarter, so that no sum of two terms overflows
    x = np.abs(rounding.widen(np.asarray(x), fmt) if patterns else _values(x)) / 4
    rotary = given.get("rotary_dim") or x.shape[-1]
    ladder = _ladder(given, rotary)
    positions = _along(_positions(given), x.shape, given.get("seq_axis", -2))
    pairs = pair_views(x, given["pairing"], rotary)
    found = {}
    for name, pipeline in PIPELINES.items():
        waves = _waves(positions, ladder, pipeline)
        limit = np.zeros(x.shape)
        for into, one, other in zip(pair_views(limit, given["pairing"], rotary), pairs, pairs[::-1]):
            into[...] = _rotation(one, other, waves, fmt, pipeline)
        found[name] = {"output": limit}
    return found


def _rotation(one, other, waves, fmt, pipeline):
    """Bound of 4 (one cos -+ other sin), for absolute values of the inputs: each (..., n)."""
    path = [part for part in (pipeline.arithmetic, pipeline.table) if part]
    cos = np.minimum(_rounded(waves.cos, 1.0, path, waves.moving), 2.0)
    sin = np.minimum(_rounded(waves.sin, waves.size, path, waves.moving), 2.0)
    # a table cut to 16 bits is used by a rotation in the format of x, an uncut one in the wider of the two formats
    inside = fmt if pipeline.table or _narrows(fmt, pipeline.arithmetic) else pipeline.arithmetic
    u = _unit(inside)
    with np.errstate(invalid="ignore", over="ignore"):
        size = one + other * np.minimum(1.0, waves.exact + sin)
        # two products and a sum; a fused multiply-add leaves out one of the three
        steps = size * (2 * u + u * u) + 4 * _underflow(inside)
        error = _rounded(one * cos + other * sin + steps, size + steps, [inside, fmt])
        limit = np.minimum(4 * _total(error, size, fmt), np.finfo(np.float64).max)
    return np.where(waves.moving & np.isfinite(one) & np.isfinite(other), limit, 0.0)


def _slope_errors(given):
    """Relative errors of the slopes 2**-e of each pipeline: each (heads,)."""
    heads = given["num_heads"]
    convention = given.get("convention", "recursive")
    largest = heads if convention == "geometric" else 1 << heads.bit_length() - 1
    powers = [*range(1, largest + 1), *range(1, 2 * (heads - largest), 2)]
    found = exponents(heads, convention, checks.positive("max_bias", given.get("max_bias", 8)))

    def relative(fmt, of_root):
        # the k-th power of a root 2**-(e/k) that is off by of_root units, and a product; or 2**e with two roundings in e, and a reciprocal
        roots = [e / k for e, k in zip(found, powers)]
        by_root = [k * of_root(root) * (root.denominator != 1) + POWER + 1 for root, k in zip(roots, powers)]
        by_two = [float(2 * e * LOG_2) + POWER + 1 for e in found]
        return _compound(np.maximum(by_root, by_two) * _unit(fmt))

    return {
        # the root is itself a power, with two roundings in its exponent
        "float64-power": relative(_F64, lambda root: POWER + float(2 * root * LOG_2)),
        "float32-product": np.full(heads, _compound(_unit(_F32) + 2.0**-40)),
        # the root is a float64-power rounded to float32
        "float32-power": relative(_F32, lambda root: 1 + 2.0**-20),
    }


def _alibi_slopes(given, fmt):
    slopes = _exact_slopes(given)
    errors = _slope_errors(given)
    found = {}
    for name, arithmetic in (("float64-power", _F64), ("float32-power", _F32)):
        error = slopes * errors[name] + _underflow(arithmetic)
        found[name] = {"output": _total(_rounded(error, slopes + error, [arithmetic, fmt]), slopes, fmt)}
    return found


def _exact_slopes(given):
    return alibi_slopes(given["num_heads"], **{name: given[name] for name in ("convention", "max_bias") if name in given})


def _alibi(given, fmt):
    queries, keys = given["query_len"], given["key_len"]
    offset = given.get("query_offset")
    distances = bias.relative_positions(queries, keys, keys - queries if offset is None else offset)
    masked = (distances > 0) & (given.get("mode", "causal") == "causal")
    distances = np.abs(distances).astype(np.float64)
    slopes = _exact_slopes(given)[:, None]
    size = slopes * distances  # (heads, queries + keys - 1)
    errors = _slope_errors(given)
    found = {}
    for name, arithmetic in (("float64-power", _F64), ("float32-product", _F32), ("float32-power", _F32)):
        u = _unit(arithmetic)
        product = _compound(u + u * (distances > 2.0**arithmetic.precision))
        slope = errors[name][:, None]
        error = size * (slope + product + slope * product) + _underflow(arithmetic) * (1 + distances)
        limit = _total(_rounded(error, size + error, [arithmetic, fmt]), size, fmt)
        rows = np.where(masked | (distances == 0), 0.0, limit)
        found[name] = {"output": bias.strided(rows, queries, keys)}
    return found


def _t5_buckets(given):
    return tensor(given["relative_positions"]).values.shape


def _t5_bias(given):
    weight = given["weight"]
    return tensor(weight).values.shape[1], given["query_len"], given["key_len"]


_ACCOUNTS = {
    "sinusoidal": _sinusoidal,
    "sincos_2d": _sincos_2d,
    "inverse_frequencies": _inverse_frequencies,
    "rope_table": _rope_table,
    "rope": _rope,
    "alibi_slopes": _alibi_slopes,
    "alibi": _alibi,
    "t5_buckets": _t5_buckets,
    "t5_bias": _t5_bias,
}
