"""Conformance classes: a named pipeline, and how far from the correctly rounded value its results can be.

Bounds come from the parameters of the call alone, element by element, and are never fitted to what some program gave;
docs/conformance.md derives every constant. Two facts carry all of it. An operation of precision p has relative error at
most u = 2**-p, a library function that is k ulp off its correctly rounded value at most (2k + 1) u. And relative errors
s_1, s_2, ... in any mixture of products and quotients amount to at most s / (1 - s), s = s_1 + s_2 + ...
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from functools import partial
from math import floor
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from .. import catalogue, checks
from ..arithmetic import formats, rounding
from ..encodings.alibi_slopes import alibi_slopes, exponents
from ..encodings.ernie_image_rope import both as both_of_widths
from ..encodings.ernie_image_rope import ernie_image_rope, repeated
from ..encodings.mixed_rope import mixed_rope
from ..encodings.rope import rope
from ..encodings.vjepa2_rope import both as both_of_blocks
from ..encodings.vjepa2_rope import tiled, vjepa2_rope
from ..encodings.xdrope import both as both_of_sections
from ..encodings.xdrope import xdrope
from ..encodings.xpos import xpos
from ..encodings.xpos_scale import growth_of, xpos_scale
from ..errors import InputError, InputTypeError, shown
from ..factors.dual_chunk_mscale import SLOPES
from ..steps import axis_runs, bias, operands, positions
from ..steps.grids import Grid, grid
from ..steps.layouts import columns
from ..steps.positions import Positions
from ..steps.rotation import pair_views, run_views
from ..tensor_files import tensor
from ..types import ArrayLike, ClassName, DType
from . import angles, frequencies
from .frequencies import LOGARITHM, POWER, SINE, Origin, Pipeline, joined, ladder_origin, softmax_scale_error
from .frequencies import compound as _compound
from .frequencies import underflow as _underflow
from .frequencies import unit as _unit


class Class(NamedTuple):
    """What a class admits; its bounds count ulps or absolute differences."""

    unit: str
    meaning: str


#: strictest first; README and reports name classes in this order
CLASSES: dict[ClassName, Class] = {
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
        "absolute", "slopes or factors by a float64 power, products with distances in float64, then one rounding"
    ),
    "float32-product": Class("absolute", "slopes rounded once to float32, then a float32 product with the distance"),
    "float32-power": Class(
        "absolute", "slopes or factors by a float32 power, then a float32 product with the distance"
    ),
    "float64-logarithm": Class("absolute", "a logarithm, a product and a sum in float64, then one rounding"),
    "float32-logarithm": Class("absolute", "a logarithm, a product and a sum in float32, then one rounding"),
}

WITH_FREQUENCIES = ("rope_table", "xpos_table")  # whose frequencies have no default
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


class Waves(NamedTuple):
    """Errors of computed cosines and sines, and limits on their size: each (..., n)."""

    cos: np.ndarray
    sin: np.ndarray
    cos_size: np.ndarray
    sin_size: np.ndarray


def bounds(
    function_name: str, arguments: Mapping[str, Any], inputs: Mapping[str, ArrayLike], fmt: DType
) -> dict[ClassName, dict[str, NDArray[np.float64]]]:
    """For each conformance class, how far from the correctly rounded output its pipeline can end up.

        |actual - expected| <= bound,  bound = error of the pipeline + half an ulp of the expected value

    function_name: a catalogue name. arguments: its keyword arguments. Frequencies are given as the call that makes
    them, {"function": "yarn", "arguments": {...}}, since the derivation starts from its arguments; of rope and
    rope_table dim (rotary_dim) and base do as well. inputs: its arrays by argument name (positions, x, weight; an
    integer positions may stand in either). fmt: the output's dtype.

    Returns {class: {output name: float64 array of the output's shape}}, strictest class first; outputs are "cos" and
    "sin" of tables, "inv_freq", "attention_factor" and "axes" of frequencies, "output" of everything else. The arrays
    of `correct` and `faithful` count ulps, all others are absolute. Bounds of sine and cosine are at most 2 where no
    factor multiplies them. Where x is not finite the bound is 0: only equality passes. A pipeline that overflows is in
    no class.

    Raises E_CHOICE for a function without classes, or with frequencies that are not given as a call, and what the
    function itself raises.

    Source: docs/conformance.md.

    >>> limits = bounds("rope_table", {"dim": 4, "base": 10000}, {"positions": np.array([0, 131072])}, "float32")
    >>> limits["float32-angle"]["sin"] < 0.01
    array([[ True,  True],
           [ True,  True]])
    """
    checks.choice("function_name", function_name, (*_ACCOUNTS, *filter(_makes_frequencies, catalogue.ENTRIES)))
    for name, value in (("arguments", arguments), ("inputs", inputs)):
        if not isinstance(value, dict):
            raise InputTypeError("E_CHOICE", name, f"{name} must be a dict by argument name, got {shown(value)}")
    given = {**arguments, **inputs}
    recipe = given.get("frequencies")
    for one in recipe if isinstance(recipe, (list, tuple)) else [recipe]:
        if one is not None and not (isinstance(one, dict) and set(one) == {"function", "arguments"}):
            received = type(one).__name__
            raise InputError(
                "E_CHOICE", "frequencies", f"frequencies must be given as the call that makes them, got {received}"
            )
    if function_name in WITH_FREQUENCIES and not {"frequencies", "dim", "rotary_dim"} & set(given):
        raise InputError("E_MISSING", "dim", f"dim or frequencies must be given for {function_name}, got none")
    try:
        if function_name.startswith("t5_"):
            return {"correct": {"output": np.zeros(_ACCOUNTS[function_name](given))}}
        if _makes_frequencies(function_name):
            found = _scaling(function_name, given, formats.resolve(fmt))
        else:
            found = _ACCOUNTS[function_name](given, formats.resolve(fmt))
    except KeyError as error:
        name = error.args[0]
        raise InputError("E_MISSING", name, f"{name} must be given for {function_name}, got none") from None
    any_class = next(iter(found.values()))
    counted = {
        name: {output: np.full(limit.shape, count * (output != "axes")) for output, limit in any_class.items()}
        for name, count in (("correct", 0.0), ("faithful", 1.0))
    }
    return {**counted, **found}


def derives(name: str) -> bool:
    """Whether bounds of pipelines are derived for the function of that name.

    >>> derives("rope_table"), derives("path")
    (True, False)
    """
    if not isinstance(name, str):
        raise InputTypeError("E_CHOICE", "name", f"name must be text, got {shown(name)}")
    return name in _ACCOUNTS or _makes_frequencies(name)


def _makes_frequencies(name):
    return name in catalogue.ENTRIES and catalogue.ENTRIES[name].family == "frequencies"


# -- errors that add and compound -------------------------------------------------------------------------------------


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


def _waves(phases, pipeline):
    """Errors of cos and sin against the exact ones, as tables hold them before they are rounded to the output."""
    moved = phases.moved(pipeline)
    cos, cos_size = _function(moved, phases.cos, phases.sin, phases, pipeline)
    sin, sin_size = _function(moved, phases.sin, phases.cos, phases, pipeline)
    return Waves(cos, sin, cos_size, sin_size)


def _function(moved, value, slope, phases, pipeline):
    """(error, size) of a cosine or sine whose argument is off by `moved`, from the exact value and slope."""
    fmt, factor, most = pipeline.arithmetic, phases.factor, 1.0
    error = np.minimum(moved, moved * slope + moved * moved / 2)  # Taylor; no slope exceeds 1
    size = np.minimum(1.0, value + error)
    step = _compound(SINE * _unit(fmt)) * size + _underflow(fmt)
    # at angle 0 every library gives exactly 1 and 0
    error, size = np.where(phases.still, 0.0, error + step), np.minimum(1.0, size + step)
    if phases.factor_error:
        times = joined(phases.factor_error(pipeline), _unit(fmt))
        # the factor and its product may each leave the normal range
        error, size = factor * (error + size * times) + 2 * _underflow(fmt) * (size > 0), factor * size * (1 + times)
        most = 1 + times + (_unit(pipeline.table) if pipeline.table else 0.0)
    error, size = _rounded(error, size, [part for part in (fmt, pipeline.table) if part])
    return np.minimum(error, factor * (1 + most)), np.minimum(size, factor * most)


def _tables(phases, fmt, pipeline):
    """Bounds of (cos, sin) rounded to fmt."""
    factor, plain = phases.factor, phases.factor_error is None
    path = [pipeline.table or pipeline.arithmetic, fmt]
    limits = []
    with np.errstate(invalid="ignore", over="ignore"):
        waves = _waves(phases, pipeline)
        pairs = (waves.cos, waves.cos_size, phases.cos), (waves.sin, waves.sin_size, phases.sin)
        for (error, size, exact), surely in zip(pairs, (plain, True)):
            limit = _total(_rounded(error, size, path)[0], factor * exact, fmt)
            limit = np.where(phases.still & surely, 0.0, np.minimum(limit, 2.0) if plain else limit)
            limits.append(np.where(np.isfinite(factor * exact), limit, 0.0))
    return tuple(limits)


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
    """Positions of any kind; arrays as float64, exactly."""
    found = given["positions"]
    if isinstance(found, (int, np.integer, Grid, Positions)):
        return found
    if isinstance(found, (list, tuple)) and any(isinstance(axis, Positions) for axis in found):
        return found
    return _values(found)


def _channels_of(given, fmt):
    """x as float64, exactly."""
    x = given["x"]
    patterns = fmt is _BF16 and getattr(x, "dtype", None) == np.uint16
    return rounding.widen(np.asarray(x), fmt) if patterns else _values(x)


def _along(part, shape, seq_axis):
    """Numbers (..., seq, n) of the positions shaped like x: leading axes lead, seq lies at seq_axis."""
    axis = seq_axis % len(shape)
    *lead, rows, count = part.shape
    return part.reshape(*lead, *(1,) * (axis - len(lead)), rows, *(1,) * (len(shape) - 2 - axis), count)


def _some(given, names):
    return {name: given[name] for name in names if name in given}


# -- one account for each function ------------------------------------------------------------------------------------


def _sinusoidal(given, fmt):
    dim = given["dim"]
    padded = dim % 2 if given.get("odd") == "pad" else 0
    scale = checks.positive("position_scale", given.get("position_scale", 1))
    origin = ladder_origin(given, dim - padded, given.get("endpoint", False), scale)
    phases, half = angles.along(_positions(given), origin), len(origin.frequencies)
    cosines = dim - padded - half
    found = {}
    for name, pipeline in _pipelines(fmt).items():
        tables = _tables(phases, fmt, pipeline)
        cos, sin = (part.reshape(-1, half) for part in tables)
        rows = np.zeros((len(cos), dim))
        into_cos, into_sin = columns(rows, given.get("layout", "interleaved"), half, cosines)
        into_cos[:], into_sin[:] = cos[:, :cosines], sin
        found[name] = {"output": rows.reshape(*tables[0].shape[:-1], dim)}
    return found


def _sincos_2d(given, fmt):
    return _sines_of_grid(given, fmt, "hw", [given["dim"] // 2] * 2, given["axis_order"])


def _sincos_3d(given, fmt):
    widths = given.get("widths") or [given["dim"] // 3] * 3
    return _sines_of_grid(given, fmt, "thw", widths, given.get("axis_order", "thw"))


def _sines_of_grid(given, fmt, letters, widths, axis_order):
    sizes, dim, extra = _sizes(given, letters), given["dim"], given.get("extra_tokens")
    options = {"layout": "sin-cos", **_some(given, ("base", "endpoint", "layout"))}
    blocks = [
        _sinusoidal({**options, "dim": width, "positions": sizes[letter]}, fmt)
        for letter, width in zip(axis_order, widths)
    ]
    found = {}
    for name in blocks[0]:
        parts = [block[name]["output"] for block in blocks]
        counts = [len(parts[axis_order.index(letter)]) for letter in letters]
        wide = [
            np.broadcast_to(
                part.reshape([-1 if axis == letter else 1 for axis in letters] + [part.shape[1]]),
                (*counts, part.shape[1]),
            )
            for letter, part in zip(axis_order, parts)
        ]
        cells = np.concatenate(wide, -1)[..., :dim]
        if extra is not None:
            cells = np.concatenate([np.zeros((extra, dim)), cells.reshape(-1, dim)])
        found[name] = {"output": cells}
    return found


def _sizes(given, letters):
    """What is given of each axis: a size, or coordinates."""
    names = {"t": "frames", "h": "height", "w": "width"}
    return {letter: given[names[letter]] for letter in letters}


def _origin(given, width):
    """The account of the frequencies of a rotation: of the call that makes them, or of a width and a base."""
    recipe = given.get("frequencies")
    if recipe is None:
        return ladder_origin(given, width)
    return frequencies.origin(recipe["function"], recipe["arguments"])


def _rope_table(given, fmt):
    phases = angles.along(_positions(given), _origin(given, given.get("dim")))
    return _pairs_of_tables(phases, fmt)


def _pairs_of_tables(phases, fmt):
    tables = {name: _tables(phases, fmt, pipeline) for name, pipeline in _pipelines(fmt).items()}
    return {name: {"cos": cos, "sin": sin} for name, (cos, sin) in tables.items()}


def _scaling(name, given, fmt):
    origin = frequencies.origin(name, given)
    named = frequencies.output_names(name)
    theta, factor = np.abs(origin.frequencies.inv_freq), np.array(origin.frequencies.attention_factor)
    found = {}
    for kind in ("float64-angle", "float32-angle", "float32-exp-angle"):
        pipeline = PIPELINES[kind]
        by_output = (theta, origin.errors(pipeline)), (factor, origin.factor_error(pipeline))
        found[kind] = {key: _off(exact, error, pipeline, fmt) for key, (exact, error) in zip(named, by_output)}
        found[kind].update({output: np.zeros(theta.shape) for output in named[2:]})  # axes are copies
    return found


def _off(exact, relative, pipeline, fmt):
    """Bounds of computed numbers, rounded to fmt, from their relative errors."""
    error = exact * relative + _underflow(pipeline.arithmetic)
    limit = _total(_rounded(error, exact + error, [pipeline.arithmetic, fmt])[0], exact, fmt)
    return np.where(relative == 0, 0.0, limit)  # what is exact in the arithmetic is rounded once


# -- rotations --------------------------------------------------------------------------------------------------------


def _rope(given, fmt):
    x, pairing = _channels_of(given, fmt), given["pairing"]
    origin, where = _origin(given, given.get("rotary_dim") or x.shape[-1]), _positions(given)
    options = {"pairing": pairing, "frequencies": origin.frequencies, **_some(given, ("inverse", "seq_axis"))}
    phases = angles.along(where, origin, partial(_along, shape=x.shape, seq_axis=given.get("seq_axis", -2)))
    return _turned(x, rope(x, where, **options), _pairs(pairing, origin.frequencies), (phases, phases), fmt)


def _rope_2d(given, fmt):
    rotary = given.get("rotary_dim") or tensor(given["x"]).values.shape[-1]
    return _on_grid(given, fmt, "hw", [rotary // 2] * 2)


def _rope_3d(given, fmt):
    return _on_grid(given, fmt, "thw", given["widths"])


def _on_grid(given, fmt, letters, widths):
    """A rotation at the cells of a grid, with a block of channels for each axis."""
    arguments = _some(given, ("base", "ladder", "arrangement", "times_pi"))
    arguments.update(widths=widths, axes=[letters.index(axis) for axis in given["axis_order"]])
    where = grid(*_sizes(given, letters).values())
    return _rope({**given, "positions": where, "frequencies": _recipe("axial_frequencies", arguments)}, fmt)


def _mrope(given, fmt):
    arguments = _some(given, ("sections", "arrangement", "base", "frequencies"))
    recipe = _recipe("mrope_frequencies", {**arguments, "dim": 2 * sum(given["sections"])})
    return _rope({**given, "positions": given["position_ids"], "frequencies": recipe}, fmt)


def _recipe(function, arguments):
    return {"function": function, "arguments": arguments}


def _vjepa2_rope(given, fmt):
    x, where = _channels_of(given, fmt), _positions(given)
    half = x.shape[-1] // 3 // 2
    ladder = ladder_origin(given, 2 * half)
    frequencies = both_of_blocks(x.shape[-1], given.get("base", 10000.0))
    origins = _picked(ladder, frequencies, [rungs for rungs, _ in tiled(half)])
    exact = vjepa2_rope(x, where, **_some(given, ("base", "seq_axis")))
    return _unpaired(given, x, exact, where, "interleaved", origins, fmt)


def _ernie_image_rope(given, fmt):
    x, where = _channels_of(given, fmt), _positions(given)
    arguments = {"widths": (32, 48, 48), "base": 256.0, **_some(given, ("widths", "base"))}
    whole = frequencies.origin("axial_frequencies", arguments)
    origins = _picked(whole, both_of_widths(**arguments), repeated(len(whole.frequencies)))
    exact = ernie_image_rope(x, where, **arguments, **_some(given, ("seq_axis",)))
    return _unpaired(given, x, exact, where, "half", origins, fmt)


def _picked(whole, frequencies, parts):
    """The accounts of some of the frequencies of an account."""
    return [
        Origin(chosen, lambda pipeline, part=part: whole.errors(pipeline)[part])
        for chosen, part in zip(frequencies, parts)
    ]


def _xdrope(given, fmt):
    x, where, sections = _channels_of(given, fmt), _values(given["position_ids"]), given["sections"]
    whole = _origin(given, 2 * sum(sections))
    origins = [whole._replace(frequencies=part) for part in both_of_sections(whole.frequencies, sections)]
    options = {"sections": sections, "frequencies": whole.frequencies, **_some(given, ("seq_axis",))}
    return _unpaired(given, x, xdrope(x, where, **options), where, "half", origins, fmt)


def _unpaired(given, x, exact, where, pairing, origins, fmt):
    """Pairs whose two channels have angles of their own."""
    fit = partial(_along, shape=x.shape, seq_axis=given.get("seq_axis", -2))
    phases = [angles.along(where, origin, fit) for origin in origins]
    return _turned(x, exact, _pairs(pairing, origins[0].frequencies), phases, fmt)


def _mixed_rope(given, fmt):
    x, weight, pairing, where = _channels_of(given, fmt), given["weight"], given["pairing"], _positions(given)
    weight = _values(weight)
    scale = _some(given, ("squared_scale",))
    phases = angles.mixed(operands.axes_of(where, len(weight), x.shape[-2]), weight, **scale)
    pairs = pair_views(np.arange(x.shape[-1], dtype=np.int64), pairing, x.shape[-1])
    return _turned(x, mixed_rope(x, where, weight, pairing=pairing, **scale), pairs, (phases, phases), fmt)


_GROWTH = {"centring": None, "downscale": False, "length": None, "scale_base": 512, "gamma": None}


def _powers(given, dim, fit=lambda part: part):
    """The powers of xPos, and their errors as a function of a pipeline."""
    options = {name: given.get(name, default) for name, default in _GROWTH.items()}
    where = positions.read(_positions(given))
    powers = fit(xpos_scale(where, dim, **options))
    return powers, angles.power_errors(where, growth_of(where, dim, **options), powers, fit)


def _xpos_scale(given, fmt):
    powers, errors = _powers(given, given["dim"])
    found = {}
    for kind, like in (("float64-power", "float64-angle"), ("float32-power", "float32-angle")):
        with np.errstate(invalid="ignore", over="ignore"):
            limit = _off(powers, errors(PIPELINES[like]), PIPELINES[like], fmt)
        found[kind] = {"output": np.where(np.isfinite(powers), limit, 0.0)}
    return found


def _xpos_table(given, fmt):
    origin = _origin(given, given.get("dim"))
    phases = angles.along(_positions(given), origin)
    return _pairs_of_tables(angles.grown(phases, *_powers(given, origin.frequencies.dim)), fmt)


def _xpos(given, fmt):
    x, pairing, where = _channels_of(given, fmt), given["pairing"], _positions(given)
    origin = _origin(given, given.get("rotary_dim") or x.shape[-1])
    options = {**_some(given, (*_GROWTH, "inverse", "seq_axis")), "frequencies": origin.frequencies}
    fit = partial(_along, shape=x.shape, seq_axis=given.get("seq_axis", -2))
    phases = angles.along(where, origin, fit)
    phases = angles.grown(phases, *_powers(given, origin.frequencies.dim, fit))
    return _turned(
        x, xpos(x, where, pairing=pairing, **options), _pairs(pairing, origin.frequencies), [phases] * 2, fmt
    )


def _pairs(pairing, frequencies):
    """The channels that come first and second in each pair: two rows of numbers."""
    numbers, found = np.arange(frequencies.dim, dtype=np.int64), np.empty((2, len(frequencies)), np.int64)
    for run in axis_runs.runs(frequencies):
        found[:, run.pairs] = run_views(numbers, pairing, frequencies.dim, run.pairs)
    return found


def _turned(x, exact, pairs, phases, fmt):
    """Bounds of x turned, whose pairs are those channels; phases: of the first and of the second ones."""
    # of float64, a quarter of everything, so that no sum of two terms overflows
    whole = 4.0 if fmt is _F64 else 1.0
    given, results = ([np.abs(array[..., part]) / whole for part in pairs] for array in (x, exact))
    found = {}
    for name, pipeline in _rotations(fmt).items():
        limit = np.zeros(x.shape)
        for part, one, other, y, phase in zip(pairs, given, given[::-1], results, phases):
            turned = ~phase.still | (phase.factor_error is not None)
            with np.errstate(invalid="ignore", over="ignore"):
                bound = _rotation(one, other, y, _waves(phase, pipeline), fmt, pipeline)
            limit[..., part] = np.where(turned, whole * bound, 0.0)
        found[name] = {"output": limit}
    return found


def _rotation(one, other, y, waves, fmt, pipeline):
    """Bound of y = one cos -+ other sin, all without sign: each (..., n)."""
    # a table cut to 16 bits is used by a rotation in the format of x, an uncut one in the wider of the two formats
    inside = fmt if pipeline.table or _narrows(fmt, pipeline.arithmetic) else pipeline.arithmetic
    u, underflow = _unit(inside), _underflow(inside)
    y = np.minimum(y, one * waves.cos_size + other * waves.sin_size)
    error = one * waves.cos + other * waves.sin
    # two products, of which a fused multiply-add leaves one unrounded, and a sum
    error = error + u * (one * waves.cos_size + other * waves.sin_size) + 2 * underflow
    error = error + u * (y + error) + underflow
    error, _ = _rounded(error, y + error, [inside, fmt])
    limit = np.minimum(_total(error, y, fmt), np.finfo(np.float64).max / 4)
    return np.where(np.isfinite(one) & np.isfinite(other), np.nan_to_num(limit), 0.0)


# -- biases, factors and copies ---------------------------------------------------------------------------------------


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
    where = angles.values(positions.read(_positions(given)))
    scale, step = (checks.real(name, given[name]) for name in ("attn_scale", "floor_scale"))
    shifted = [Fraction(p) + checks.real("shift", given["shift"]) for p in where.reshape(-1).tolist()]
    found = {}
    for name, arithmetic in _LOGARITHMS:
        u = _unit(arithmetic)
        limits = [_temperature_limit(p / step, scale, u, arithmetic, fmt) for p in shifted]
        found[name] = {"output": np.array(limits).reshape(where.shape)}
    return found


def _temperature_limit(quotient, scale, u, arithmetic, fmt):
    number = floor(quotient) + 1
    # the position, the shift and the quotient may come out on another side of a whole number
    near = [floor(quotient * (1 + side * 4 * Fraction(u))) + 1 for side in (-1, 1)]
    if near == [1, 1] or scale == 0:
        return 0.0
    size = float(scale) * frequencies.log(Fraction(number)) + 1
    # the number, the logarithm, the scale and a product; a sum
    error = (size - 1) * _compound((LOGARITHM + 2) * u) + 2 * float(scale) * u + u * size
    error += float(scale) * max(frequencies.log(Fraction(max(other, 1), number)) for other in near)
    return float(_total(_rounded(error, size + error, [arithmetic, fmt])[0], size, fmt))


def _yarn_softmax_scale(given, fmt):
    factor = checks.positive("factor", given["factor"])
    mscale = checks.real("mscale_all_dim", given.get("mscale_all_dim", 1))
    return _power_of_mscale(factor, mscale, 2, fmt)


def _dual_chunk_mscale(given, fmt):
    return _power_of_mscale(checks.positive("scale", given["scale"]), 10 * SLOPES[given["version"]], 1, fmt)


def _power_of_mscale(factor, mscale, power, fmt):
    """Bounds of (mscale ln(factor) / 10 + 1)**power, which is 1 exactly for a factor up to 1."""
    found = {}
    for name, arithmetic in _LOGARITHMS:
        u = _unit(arithmetic)
        size, error = 1.0, 0.0
        if factor > 1 and mscale != 0:
            once = 0.1 * float(mscale) * frequencies.log(factor) + 1
            size = once**power
            error = size * _compound(power * softmax_scale_error(factor, float(mscale), u) + (power - 1) * u)
        limit = _total(_rounded(error, size + error, [arithmetic, fmt])[0], size, fmt) if error else 0.0
        found[name] = {"output": np.array(limit)}
    return found


def _log_n_scale(given, fmt):
    tokens = angles.values(positions.read(_positions(given))) + 1
    base = frequencies.log(Fraction(given["training_length"]))
    ratio = np.array([frequencies.log(Fraction(n)) for n in np.maximum(tokens, 1).reshape(-1).tolist()])
    ratio = ratio.reshape(tokens.shape) / base
    size = np.maximum(ratio, 1.0)
    found = {}
    for name, arithmetic in _LOGARITHMS:
        u = _unit(arithmetic)
        # two logarithms and a quotient; the number and the length under them
        error = ratio * _compound((2 * LOGARITHM + 1) * u + u / base) + u / base
        limit = _total(_rounded(error, size + error, [arithmetic, fmt])[0], size, fmt)
        found[name] = {"output": np.where(ratio + error > 1, limit, 0.0)}
    return found


_LOGARITHMS = (("float64-logarithm", _F64), ("float32-logarithm", _F32))
_ACCOUNTS = {
    "sinusoidal": _sinusoidal,
    "sincos_2d": _sincos_2d,
    "sincos_3d": _sincos_3d,
    "rope_table": _rope_table,
    "rope": _rope,
    "rope_2d": _rope_2d,
    "rope_3d": _rope_3d,
    "mrope": _mrope,
    "mixed_rope": _mixed_rope,
    "vjepa2_rope": _vjepa2_rope,
    "ernie_image_rope": _ernie_image_rope,
    "xdrope": _xdrope,
    "xpos": _xpos,
    "xpos_table": _xpos_table,
    "xpos_scale": _xpos_scale,
    "alibi_slopes": _alibi_slopes,
    "alibi": _alibi,
    "t5_buckets": _t5_buckets,
    "t5_bias": _t5_bias,
    "attention_temperature": _attention_temperature,
    "yarn_softmax_scale": _yarn_softmax_scale,
    "dual_chunk_mscale": _dual_chunk_mscale,
    "log_n_scale": _log_n_scale,
}
