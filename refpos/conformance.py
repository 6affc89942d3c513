"""Conformance classes: a named pipeline, and how far from the correctly rounded value its results can be.

Bounds come from the parameters of the call alone, element by element, and are never fitted to what some program gave;
docs/conformance.md derives every constant. Two facts carry all of it. An operation of precision p has relative error at
most u = 2**-p, a library function that is k ulp off its correctly rounded value at most (2k + 1) u. And relative errors
s_1, s_2, ... in any mixture of products and quotients amount to at most s / (1 - s), s = s_1 + s_2 + ...
"""

from decimal import MAX_EMAX, MIN_EMIN, Context, Decimal
from fractions import Fraction
from typing import NamedTuple, Optional

import numpy as np

from . import bias, checks, formats, rounding
from .encodings.alibi_slopes import alibi_slopes, exponents
from .encodings.rope import rope
from .encodings.rope_table import rope_table
from .errors import InputError
from .files import tensor
from .frequencies import Frequencies, sinusoid_ladder
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
    "float32-angle": Class(
        "absolute", "frequencies by a float32 power, angles, sine and cosine in float32, then one rounding"
    ),
    "float32-exp-angle": Class("absolute", "float32-angle with frequencies by a float32 exponential of a logarithm"),
    "float16-table": Class("absolute", "float32-angle whose cosines and sines are rounded to float16"),
    "bfloat16-table": Class("absolute", "float32-angle whose cosines and sines are rounded to bfloat16"),
    "float64-power": Class(
        "absolute", "slopes by a float64 power, distances times slopes in float64, then one rounding"
    ),
    "float32-product": Class("absolute", "slopes rounded once to float32, then a float32 product with the distance"),
    "float32-power": Class("absolute", "slopes by a float32 power, then a float32 product with the distance"),
}

# ulps a library function may be off its correctly rounded value (CUDA C++ Programming Guide, table of maximum ulp
# errors); k ulp and the half ulp of that rounding are (2k + 1) u
SINE = 5  # sin, cos: 2 ulp
POWER = 9  # pow: 4 ulp
EXPONENTIAL = 5  # exp, exp2: 2 ulp
LOGARITHM = 3  # log, log2: 1 ulp
LOG_2 = Fraction(6931471806, 10**10)  # above ln 2
INFLATE = 1 + 2.0**-40  # covers the float64 arithmetic of the bounds: fewer than 2**10 roundings of 2**-53 each


class Pipeline(NamedTuple):
    """The arithmetic of a class, whether exp may replace pow in it, and the format its table is cut to."""

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
    """Frequencies scale * base**-t: the exponents as fractions, the frequencies themselves, base and scale exactly."""

    exponents: list
    frequencies: Frequencies
    base: Fraction
    scale: Fraction


class Phases(NamedTuple):
    """Sizes of the exact values, as float64: of positions (..., 1), and of angles, cosines and sines (..., n)."""

    ladder: Ladder
    positions: np.ndarray
    angle: np.ndarray
    cos: np.ndarray
    sin: np.ndarray


class Waves(NamedTuple):
    """Errors of computed cosines and sines, and limits on their size: each (..., n)."""

    cos: np.ndarray
    sin: np.ndarray
    cos_size: np.ndarray
    sin_size: np.ndarray


def bounds(function_name, arguments, inputs, fmt):
    """For each conformance class, how far from the correctly rounded output its pipeline can end up.

        |actual - expected| <= bound,  bound = error of the pipeline + half an ulp of the expected value

    function_name: a catalogue name. arguments: its keyword arguments (of rope_table, dim and base for its frequencies).
    inputs: its arrays by argument name (positions, x, weight; an integer positions may stand in either). fmt: the
    output's dtype.

    Returns {class: {output name: float64 array of the output's shape}}, strictest class first; outputs are "cos" and
    "sin" of rope_table, "output" of everything else. The arrays of `correct` and `faithful` count ulps, all others are
    absolute. Bounds of sine and cosine are at most 2. Where x is not finite the bound is 0: only equality passes. A
    pipeline that overflows is in no class.

    Raises E_CHOICE for a function without classes, or with frequencies of its own (the derivation starts from dim and
    base), and what the function itself raises.

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
    """Relative error of one rounding; of 16 bits also of a rounding to float32 first, which adds at most 2**-23."""
    return 2.0**-fmt.precision + (2.0**-23 if fmt.width == 16 else 0.0)


def _underflow(fmt):
    """Absolute error of a result below the normal range, where float32 and bfloat16 may be flushed to zero."""
    return 2.0 ** (fmt.lowest + (0 if fmt.name in ("float16", "float64") else fmt.precision - 1))


def _inexact(number, fmt):
    """Whether the fraction is no value of the format's precision."""
    whole = number.numerator.bit_length() - ((number.numerator & -number.numerator).bit_length() - 1)
    return number.denominator & (number.denominator - 1) != 0 or whole > fmt.precision


def _narrows(wide, fmt):
    """Whether rounding from the one to the other can change a value."""
    return wide.precision > fmt.precision or wide.lowest < fmt.lowest


def _rounded(error, size, path):
    """(error, size) after a rounding to each format of the path that is narrower; size bounds the computed value."""
    for previous, fmt in zip(path, path[1:]):
        if _narrows(previous, fmt):
            step = _unit(fmt) * size + _underflow(fmt)
            error, size = error + step, size + step
    return error, size


def _total(error, exact, fmt):
    """An error against the exact value made one against its rounding; the roundings in this module are covered."""
    return (error + _unit(fmt) * exact + 2.0**fmt.lowest) * INFLATE


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
    return Ladder([i * step for i in range(len(exact))], exact, base, scale)


def _phases(positions, ladder):
    cos, sin = rope_table(positions, ladder.frequencies)
    p = np.abs(positions)[..., None]
    with np.errstate(over="ignore"):
        return Phases(ladder, p, p * ladder.frequencies.inv_freq, np.abs(cos), np.abs(sin))


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
    return _compound(total) + (ladder.frequencies.inv_freq < 2.0 ** (2 - fmt.largest))


def _waves(phases, pipeline):
    """Errors of cos and sin against the exact ones, as tables hold them before they are rounded to the output."""
    fmt, ladder = pipeline.arithmetic, phases.ladder
    u = _unit(fmt)
    with np.errstate(over="ignore"):
        held = phases.positions == (phases.positions.astype(np.float32) if fmt is _F32 else phases.positions)
    # a frequency of exactly 1 costs no rounding in the product
    free = np.array([t == 0 and ladder.scale == 1 for t in ladder.exponents], bool)
    product = _compound(np.where(free, 0.0, u) + np.where(held, 0.0, u))
    frequency = _frequency_error(ladder, pipeline)
    relative = frequency + product + frequency * product
    with np.errstate(over="ignore"):
        moved = np.minimum(np.where(relative > 0, phases.angle * relative + _underflow(fmt), 0.0), 2.0)
    cos, cos_size = _function(moved, phases.cos, phases.sin, pipeline)
    sin, sin_size = _function(moved, phases.sin, phases.cos, pipeline)
    return Waves(cos, sin, cos_size, sin_size)


def _function(moved, value, slope, pipeline):
    """(error, size) of a cosine or sine whose argument is off by `moved`, from the exact value and slope."""
    error = np.minimum(moved, moved * slope + moved * moved / 2)  # Taylor; no slope exceeds 1
    size = np.minimum(1.0, value + error)
    step = _compound(SINE * _unit(pipeline.arithmetic)) * size + _underflow(pipeline.arithmetic)
    path = [part for part in (pipeline.arithmetic, pipeline.table) if part]
    error, size = _rounded(error + step, np.minimum(1.0, size + step), path)
    return np.minimum(error, 2.0), np.minimum(size, 1.0)


def _tables(phases, fmt, pipeline):
    """Bounds of (cos, sin) rounded to fmt; at angle 0 every library gives exactly 1 and 0."""
    waves = _waves(phases, pipeline)
    path = [pipeline.table or pipeline.arithmetic, fmt]
    pairs = (waves.cos, waves.cos_size, phases.cos), (waves.sin, waves.sin_size, phases.sin)
    limits = (np.minimum(_total(_rounded(error, size, path)[0], exact, fmt), 2.0) for error, size, exact in pairs)
    return tuple(np.where(phases.angle > 0, limit, 0.0) for limit in limits)


def _pipelines(fmt):
    """The pipelines of tables in that format: one is cut to 16 bits only where that takes bits away."""
    return {
        name: pipeline
        for name, pipeline in PIPELINES.items()
        if not pipeline.table or pipeline.table.precision < fmt.precision
    }


def _rotations(fmt):
    """The pipelines of rotations in that format: an x of 16 bits meets tables of its own format."""
    return {
        name: pipeline
        for name, pipeline in PIPELINES.items()
        if not pipeline.table or fmt.width > 16 or pipeline.table is fmt
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
    """Positions (..., seq) shaped like x without its channels: leading axes lead, seq lies at seq_axis."""
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
    phases, half = _phases(positions, ladder), len(ladder.frequencies)
    cosines = dim - padded - half
    found = {}
    for name, pipeline in _pipelines(fmt).items():
        cos, sin = (part.reshape(-1, half) for part in _tables(phases, fmt, pipeline))
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
    phases = _phases(_positions(given), _ladder(given, given["dim"]))
    tables = {name: _tables(phases, fmt, pipeline) for name, pipeline in _pipelines(fmt).items()}
    return {name: {"cos": cos, "sin": sin} for name, (cos, sin) in tables.items()}


def _inverse_frequencies(given, fmt):
    ladder = _ladder(given, given["dim"])
    theta = ladder.frequencies.inv_freq
    found = {}
    for name in ("float64-angle", "float32-angle", "float32-exp-angle"):
        pipeline = PIPELINES[name]
        error = theta * _frequency_error(ladder, pipeline) + _underflow(pipeline.arithmetic)
        found[name] = {"output": _total(_rounded(error, theta + error, [pipeline.arithmetic, fmt])[0], theta, fmt)}
    return found


def _rope(given, fmt):
    x, pairing = given["x"], given["pairing"]
    patterns = fmt is _BF16 and getattr(x, "dtype", None) == np.uint16
    x = rounding.widen(np.asarray(x), fmt) if patterns else _values(x)
    rotary = given.get("rotary_dim") or x.shape[-1]
    positions, axis = _positions(given), given.get("seq_axis", -2)
    ladder = _ladder(given, rotary)
    inverse = given.get("inverse", False)
    exact = rope(x, positions, pairing=pairing, frequencies=ladder.frequencies, inverse=inverse, seq_axis=axis)
    phases = _phases(_along(positions, x.shape, axis), ladder)
    # of float64, a quarter of everything, so that no sum of two terms overflows
    whole = 4.0 if fmt is _F64 else 1.0
    pairs = pair_views(np.abs(x) / whole, pairing, rotary)
    results = pair_views(np.abs(exact) / whole, pairing, rotary)
    found = {}
    for name, pipeline in _rotations(fmt).items():
        waves = _waves(phases, pipeline)
        limit = np.zeros(x.shape)
        for into, one, other, y in zip(pair_views(limit, pairing, rotary), pairs, pairs[::-1], results):
            into[...] = np.where(phases.angle > 0, whole * _rotation(one, other, y, waves, fmt, pipeline), 0.0)
        found[name] = {"output": limit}
    return found


def _rotation(one, other, y, waves, fmt, pipeline):
    """Bound of y = one cos -+ other sin, all without sign: each (..., n)."""
    # a table cut to 16 bits is used by a rotation in the format of x, an uncut one in the wider of the two formats
    inside = fmt if pipeline.table or _narrows(fmt, pipeline.arithmetic) else pipeline.arithmetic
    u, underflow = _unit(inside), _underflow(inside)
    with np.errstate(invalid="ignore", over="ignore"):
        y = np.minimum(y, one + other)
        error = one * waves.cos + other * waves.sin
        # two products, of which a fused multiply-add leaves one unrounded, and a sum
        error = error + u * (one * waves.cos_size + other * waves.sin_size) + 2 * underflow
        error = error + u * (y + error) + underflow
        error, _ = _rounded(error, y + error, [inside, fmt])
        limit = np.minimum(_total(error, y, fmt), np.finfo(np.float64).max / 4)
    return np.where(np.isfinite(one) & np.isfinite(other), limit, 0.0)


def _slope_errors(given):
    """Relative errors of the slopes 2**-e of each pipeline: each (heads,)."""
    heads = given["num_heads"]
    convention = given.get("convention", "recursive")
    largest = heads if convention == "geometric" else 1 << heads.bit_length() - 1
    powers = [*range(1, largest + 1), *range(1, 2 * (heads - largest), 2)]
    found = exponents(heads, convention, checks.positive("max_bias", given.get("max_bias", 8)))

    def relative(fmt, of_root):
        # the k-th power of a root 2**-(e/k) that is off by of_root units, and a product;
        # or 2**e with two roundings in e, and a reciprocal
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
        found[name] = {"output": _total(_rounded(error, slopes + error, [arithmetic, fmt])[0], slopes, fmt)}
    return found


def _exact_slopes(given):
    return alibi_slopes(
        given["num_heads"], **{name: given[name] for name in ("convention", "max_bias") if name in given}
    )


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
        limit = _total(_rounded(error, size + error, [arithmetic, fmt])[0], size, fmt)
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
