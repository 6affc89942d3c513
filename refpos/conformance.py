"""Conformance classes: a named pipeline, and how far from the correctly rounded value its results can be.

Bounds come from the parameters of the call alone, element by element, and are never fitted to what some program gave;
docs/conformance.md derives every constant. Two facts carry all of it. An operation of precision p has relative error at
most u = 2**-p, a library function that is k ulp off its correctly rounded value at most (2k + 1) u. And relative errors
s_1, s_2, ... in any mixture of products and quotients amount to at most s / (1 - s), s = s_1 + s_2 + ...
"""

from dataclasses import replace
from fractions import Fraction
from math import floor
from typing import NamedTuple

import numpy as np

from . import bias, catalogue, checks, formats, frequency_errors, reals, rounding
from .encodings.alibi_slopes import alibi_slopes, exponents
from .encodings.rope import rope
from .encodings.rope_table import rope_table
from .errors import InputError
from .files import tensor
from .frequency_errors import LOGARITHM, POWER, SINE, Origin, Pipeline, ladder_origin, softmax_scale_error
from .frequency_errors import compound as _compound
from .frequency_errors import unit as _unit
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
    "float64-logarithm": Class("absolute", "a logarithm, a product and a sum in float64, then one rounding"),
    "float32-logarithm": Class("absolute", "a logarithm, a product and a sum in float32, then one rounding"),
}

LOG_2 = Fraction(6931471806, 10**10)  # above ln 2
INFLATE = 1 + 2.0**-40  # covers the float64 arithmetic of the bounds: fewer than 2**10 roundings of 2**-53 each

_F64, _F32, _F16, _BF16 = (formats.FORMATS[name] for name in ("float64", "float32", "float16", "bfloat16"))
PIPELINES = {
    "float64-angle": Pipeline(_F64, exponential=True),
    "float32-angle": Pipeline(_F32),
    "float32-exp-angle": Pipeline(_F32, exponential=True),
    "float16-table": Pipeline(_F32, table=_F16),
    "bfloat16-table": Pipeline(_F32, table=_BF16),
}


class Phases(NamedTuple):
    """Sizes of the exact values, as float64: of positions (..., 1), and of angles, cosines and sines (..., n).

    Cosines and sines are those before the attention factor.
    """

    origin: Origin
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

    function_name: a catalogue name. arguments: its keyword arguments. Frequencies are given as the call that makes
    them, {"function": "yarn", "arguments": {...}}, since the derivation starts from its arguments; of rope and
    rope_table dim (rotary_dim) and base do as well. inputs: its arrays by argument name (positions, x, weight; an
    integer positions may stand in either). fmt: the output's dtype.

    Returns {class: {output name: float64 array of the output's shape}}, strictest class first; outputs are "cos" and
    "sin" of rope_table, "inv_freq" and "attention_factor" of scalings, "output" of everything else. The arrays of
    `correct` and `faithful` count ulps, all others are absolute. Bounds of sine and cosine are at most twice the
    attention factor. Where x is not finite the bound is 0: only equality passes. A pipeline that overflows is in no
    class; frequencies of a function without an account have `correct` and `faithful` alone.

    Raises E_CHOICE for a function without classes, or with frequencies that are not given as a call, and what the
    function itself raises.

    Source: docs/conformance.md.

    >>> limits = bounds("rope_table", {"dim": 4, "base": 10000}, {"positions": np.array([0, 131072])}, "float32")
    >>> limits["float32-angle"]["sin"] < 0.01
    array([[ True,  True],
           [ True,  True]])
    """
    if not derives(function_name) and not _makes_frequencies(function_name):
        known = ", ".join(map(repr, (*_ACCOUNTS, *filter(_makes_frequencies, catalogue.ENTRIES))))
        raise InputError("E_CHOICE", "function_name", f"function_name must be one of {known}, got {function_name!r}")
    given = {**arguments, **inputs}
    recipe = given.get("frequencies")
    if recipe is not None and not (isinstance(recipe, dict) and set(recipe) == {"function", "arguments"}):
        received = type(recipe).__name__
        raise InputError(
            "E_CHOICE", "frequencies", f"frequencies must be given as the call that makes them, got {received}"
        )
    if function_name.startswith("t5_"):
        return {"correct": {"output": np.zeros(_ACCOUNTS[function_name](given))}}
    if _makes_frequencies(function_name):
        found = _scaling(function_name, given, formats.resolve(fmt))
    else:
        found = _ACCOUNTS[function_name](given, formats.resolve(fmt))
    any_class = next(iter(found.values()))
    counted = {
        name: {output: np.full(limit.shape, count) for output, limit in any_class.items()}
        for name, count in (("correct", 0.0), ("faithful", 1.0))
    }
    found.pop(None, None)
    return {**counted, **found}


def derives(name):
    """Whether bounds of pipelines are derived for the function of that name."""
    return name in _ACCOUNTS or name in frequency_errors.ACCOUNTS


def _makes_frequencies(name):
    return name in catalogue.ENTRIES and catalogue.ENTRIES[name].family == "frequencies"


# -- errors that add and compound -------------------------------------------------------------------------------------


def _underflow(fmt):
    """Absolute error of a result below the normal range, where float32 and bfloat16 may be flushed to zero."""
    return 2.0 ** (fmt.lowest + (0 if fmt.name in ("float16", "float64") else fmt.precision - 1))


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


def _phases(positions, origin):
    cos, sin = rope_table(positions, replace(origin.frequencies, factor=reals.rational(1)))
    p = np.abs(positions)[..., None]
    with np.errstate(over="ignore"):
        return Phases(origin, p, p * origin.frequencies.inv_freq, np.abs(cos), np.abs(sin))


def _waves(phases, pipeline):
    """Errors of cos and sin against the exact ones, as tables hold them before they are rounded to the output."""
    fmt, origin = pipeline.arithmetic, phases.origin
    u = _unit(fmt)
    with np.errstate(over="ignore"):
        held = phases.positions == (phases.positions.astype(np.float32) if fmt is _F32 else phases.positions)
    frequency = origin.errors(pipeline)
    # a frequency of exactly 1 costs no rounding in the product
    free = (frequency == 0) & (origin.frequencies.inv_freq == 1)
    product = _compound(np.where(free, 0.0, u) + np.where(held, 0.0, u))
    relative = frequency + product + frequency * product
    with np.errstate(over="ignore"):
        moved = np.minimum(np.where(relative > 0, phases.angle * relative + _underflow(fmt), 0.0), 2.0)
    cos, cos_size = _function(moved, phases.cos, phases.sin, phases, pipeline)
    sin, sin_size = _function(moved, phases.sin, phases.cos, phases, pipeline)
    return Waves(cos, sin, cos_size, sin_size)


def _function(moved, value, slope, phases, pipeline):
    """(error, size) of a cosine or sine whose argument is off by `moved`, from the exact value and slope."""
    fmt, factor = pipeline.arithmetic, phases.origin.frequencies.attention_factor
    error = np.minimum(moved, moved * slope + moved * moved / 2)  # Taylor; no slope exceeds 1
    size = np.minimum(1.0, value + error)
    step = _compound(SINE * _unit(fmt)) * size + _underflow(fmt)
    # at angle 0 every library gives exactly 1 and 0
    error, size = np.where(phases.angle > 0, error + step, 0.0), np.minimum(1.0, size + step)
    if phases.origin.frequencies.factor.rational != 1:
        times = frequency_errors.joined(phases.origin.factor_error(pipeline), _unit(fmt))
        error, size = factor * (error + size * times) + _underflow(fmt) * (size > 0), factor * size * (1 + times)
    error, size = _rounded(error, size, [part for part in (fmt, pipeline.table) if part])
    return np.minimum(error, 2.0 * factor), np.minimum(size, factor)


def _tables(phases, fmt, pipeline):
    """Bounds of (cos, sin) rounded to fmt."""
    waves, frequencies = _waves(phases, pipeline), phases.origin.frequencies
    factor = frequencies.attention_factor
    path = [pipeline.table or pipeline.arithmetic, fmt]
    pairs = (waves.cos, waves.cos_size, phases.cos), (waves.sin, waves.sin_size, phases.sin)
    limits = (
        np.minimum(_total(_rounded(error, size, path)[0], factor * exact, fmt), 2.0 * factor)
        for error, size, exact in pairs
    )
    plain = frequencies.factor.rational == 1
    moving = phases.angle > 0
    return tuple(np.where(moving | still, limit, 0.0) for limit, still in zip(limits, (not plain, False)))


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
    origin = ladder_origin(given, dim - padded, given.get("endpoint", False), scale)
    positions = _positions(given)
    phases, half = _phases(positions, origin), len(origin.frequencies)
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


def _origin(given, width):
    """The account of the frequencies of a rotation: of the call that makes them, or of a width and a base."""
    recipe = given.get("frequencies")
    if recipe is None:
        return ladder_origin(given, width)
    return frequency_errors.origin(recipe["function"], recipe["arguments"])


def _rope_table(given, fmt):
    origin = _origin(given, given.get("dim"))
    if origin is None:
        cos, sin = rope_table(given["positions"], frequency_errors.made(given["frequencies"]))
        return {None: {"cos": cos, "sin": sin}}
    phases = _phases(_positions(given), origin)
    tables = {name: _tables(phases, fmt, pipeline) for name, pipeline in _pipelines(fmt).items()}
    return {name: {"cos": cos, "sin": sin} for name, (cos, sin) in tables.items()}


def _scaling(name, given, fmt):
    origin = frequency_errors.origin(name, given)
    named = frequency_errors.output_names(name)
    if origin is None:
        exact = frequency_errors.made({"function": name, "arguments": given})
        return {None: dict(zip(named, (exact.inv_freq, np.zeros(()))))}
    theta, factor = origin.frequencies.inv_freq, np.array(origin.frequencies.attention_factor)
    found = {}
    for kind in ("float64-angle", "float32-angle", "float32-exp-angle"):
        pipeline = PIPELINES[kind]
        by_output = (theta, origin.errors(pipeline)), (factor, origin.factor_error(pipeline))
        found[kind] = {key: _off(exact, error, pipeline, fmt) for key, (exact, error) in zip(named, by_output)}
    return found


def _off(exact, relative, pipeline, fmt):
    """Bounds of computed numbers, rounded to fmt, from their relative errors."""
    error = exact * relative + _underflow(pipeline.arithmetic)
    return _total(_rounded(error, exact + error, [pipeline.arithmetic, fmt])[0], exact, fmt)


def _rope(given, fmt):
    x, pairing = given["x"], given["pairing"]
    patterns = fmt is _BF16 and getattr(x, "dtype", None) == np.uint16
    x = rounding.widen(np.asarray(x), fmt) if patterns else _values(x)
    origin = _origin(given, given.get("rotary_dim") or x.shape[-1])
    if origin is None:
        return {None: {"output": x}}
    positions, axis, rotary = _positions(given), given.get("seq_axis", -2), origin.frequencies.dim
    inverse = given.get("inverse", False)
    exact = rope(x, positions, pairing=pairing, frequencies=origin.frequencies, inverse=inverse, seq_axis=axis)
    phases = _phases(_along(positions, x.shape, axis), origin)
    turned = (phases.angle > 0) | (origin.frequencies.factor.rational != 1)
    # of float64, a quarter of everything, so that no sum of two terms overflows
    whole = 4.0 if fmt is _F64 else 1.0
    pairs = pair_views(np.abs(x) / whole, pairing, rotary)
    results = pair_views(np.abs(exact) / whole, pairing, rotary)
    found = {}
    for name, pipeline in _rotations(fmt).items():
        waves = _waves(phases, pipeline)
        limit = np.zeros(x.shape)
        for into, one, other, y in zip(pair_views(limit, pairing, rotary), pairs, pairs[::-1], results):
            into[...] = np.where(turned, whole * _rotation(one, other, y, waves, fmt, pipeline), 0.0)
        found[name] = {"output": limit}
    return found


def _rotation(one, other, y, waves, fmt, pipeline):
    """Bound of y = one cos -+ other sin, all without sign: each (..., n)."""
    # a table cut to 16 bits is used by a rotation in the format of x, an uncut one in the wider of the two formats
    inside = fmt if pipeline.table or _narrows(fmt, pipeline.arithmetic) else pipeline.arithmetic
    u, underflow = _unit(inside), _underflow(inside)
    with np.errstate(invalid="ignore", over="ignore"):
        y = np.minimum(y, one * waves.cos_size.max(initial=1.0) + other * waves.sin_size.max(initial=1.0))
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


def _attention_temperature(given, fmt):
    positions = _positions(given)
    scale, step = (checks.real(name, given[name]) for name in ("attn_scale", "floor_scale"))
    shifted = [Fraction(p) + checks.real("shift", given["shift"]) for p in positions.reshape(-1).tolist()]
    found = {}
    for name, arithmetic in _LOGARITHMS:
        u = _unit(arithmetic)
        limits = [_temperature_limit(p / step, scale, u, arithmetic, fmt) for p in shifted]
        found[name] = {"output": np.array(limits).reshape(positions.shape)}
    return found


def _temperature_limit(quotient, scale, u, arithmetic, fmt):
    number = floor(quotient) + 1
    # the position, the shift and the quotient may come out on another side of a whole number
    near = [floor(quotient * (1 + side * 4 * Fraction(u))) + 1 for side in (-1, 1)]
    if near == [1, 1] or scale == 0:
        return 0.0
    size = float(scale) * frequency_errors.log(Fraction(number)) + 1
    # the number, the logarithm, the scale and a product; a sum
    error = (size - 1) * _compound((LOGARITHM + 2) * u) + 2 * float(scale) * u + u * size
    error += float(scale) * max(frequency_errors.log(Fraction(max(other, 1), number)) for other in near)
    return float(_total(_rounded(error, size + error, [arithmetic, fmt])[0], size, fmt))


def _yarn_softmax_scale(given, fmt):
    factor = checks.positive("factor", given["factor"])
    mscale = checks.real("mscale_all_dim", given.get("mscale_all_dim", 1))
    found = {}
    for name, arithmetic in _LOGARITHMS:
        u = _unit(arithmetic)
        if factor <= 1 or mscale == 0:
            found[name] = {"output": np.zeros(())}
            continue
        once = 0.1 * float(mscale) * frequency_errors.log(factor) + 1
        size = once * once
        error = size * _compound(2 * softmax_scale_error(factor, float(mscale), u) + u)
        found[name] = {"output": np.array(_total(_rounded(error, size + error, [arithmetic, fmt])[0], size, fmt))}
    return found


_LOGARITHMS = (("float64-logarithm", _F64), ("float32-logarithm", _F32))
_ACCOUNTS = {
    "sinusoidal": _sinusoidal,
    "sincos_2d": _sincos_2d,
    "rope_table": _rope_table,
    "rope": _rope,
    "alibi_slopes": _alibi_slopes,
    "alibi": _alibi,
    "t5_buckets": _t5_buckets,
    "t5_bias": _t5_bias,
    "attention_temperature": _attention_temperature,
    "yarn_softmax_scale": _yarn_softmax_scale,
}
