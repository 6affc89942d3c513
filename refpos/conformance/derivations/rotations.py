"""Error bounds of rotated queries and keys."""

import math
from functools import partial

import numpy as np

from ...rotary.ernie_image_rope import ernie_image_rope, repeated_rungs
from ...rotary.ernie_image_rope import two_frequency_sets as both_of_widths
from ...rotary.mixed_rope import mixed_rope
from ...rotary.rope import rope
from ...rotary.rope_in_qkv import head_layout
from ...rotary.vjepa2_rope import tiled_rungs, vjepa2_rope
from ...rotary.vjepa2_rope import two_frequency_sets as both_of_blocks
from ...rotary.xdrope import two_frequency_sets as both_of_sections
from ...rotary.xdrope import xdrope
from ...rotary.xpos import xpos
from ...steps.angles import axis_runs
from ...steps.waves.grids import grid
from ...steps.waves.rotary_arguments import read_axes
from ...steps.waves.rotation import pair_views, run_views
from ..classes import FLOAT64, INSTEAD, PIPELINES
from ..registry import complete, computed_frequencies, error_bound
from .angles import phases_of, phases_of_sums, times_powers
from .computed_frequencies import ComputedFrequencies, unscaled_frequencies
from .exact_inputs import exact_channels, exact_positions, exact_values, shaped_like_x
from .rounding_errors import after_roundings, against_rounded, narrows, underflow_error, unit_roundoff
from .tables import GROWTH, axis_sizes, table_errors, xpos_powers

# -- the rotation of pairs --------------------------------------------------------------------------------------------


def rotation_pipelines(fmt):
    """The pipelines of rotations in that format: an x of 16 bits meets tables of its own format."""
    return INSTEAD.get() or {
        name: pipeline
        for name, pipeline in PIPELINES.items()
        if not pipeline.table or fmt.width > 16 or pipeline.table is fmt
    }


def _rotated(x, exact, pairs, phases, fmt):
    """Bounds of x rotated to `exact`, whose pairs are those channels; phases: of the first and of the second ones."""
    # of float64, a quarter of everything, so that no sum of two terms overflows
    scale = 4.0 if fmt is FLOAT64 else 1.0
    before, after = ([np.abs(array[..., part]) / scale for part in pairs] for array in (x, exact))
    limits = {}
    for name, pipeline in rotation_pipelines(fmt).items():
        limit = np.zeros(x.shape)
        for part, one, other, y, phase in zip(pairs, before, before[::-1], after, phases):
            changed = ~phase.is_zero | (phase.factor_error is not None)
            with np.errstate(invalid="ignore", over="ignore"):
                bound = _channel_bound(one, other, y, table_errors(phase, pipeline), fmt, pipeline)
            limit[..., part] = np.where(changed, scale * bound, 0.0)
        limits[name] = {"output": limit}
    return limits


def _channel_bound(one, other, y, table, fmt, pipeline):
    """Bound of y = one cos -+ other sin, all without sign: each (..., n)."""
    # a table of 16 bits is used by a rotation in the format of x, any other in the wider of the two formats
    inside = fmt if pipeline.table or narrows(fmt, pipeline.arithmetic) else pipeline.arithmetic
    u, underflow = unit_roundoff(inside), underflow_error(inside)
    y = np.minimum(y, one * table.cos_size + other * table.sin_size)
    error = one * table.cos + other * table.sin
    # two products, of which a fused multiply-add leaves one unrounded, and a sum
    error = error + u * (one * table.cos_size + other * table.sin_size) + 2 * underflow
    error = error + u * (y + error) + underflow
    error, _ = after_roundings(error, y + error, [inside, fmt])
    limit = np.minimum(against_rounded(error, y, fmt), np.finfo(np.float64).max / 4)
    return np.where(np.isfinite(one) & np.isfinite(other), np.nan_to_num(limit), 0.0)


def pairs_of(pairing, frequencies):
    """The channels that come first and second in each pair: two rows of numbers."""
    channels, pairs = np.arange(frequencies.dim, dtype=np.int64), np.empty((2, len(frequencies)), np.int64)
    for run in axis_runs.runs(frequencies):
        pairs[:, run.pairs] = run_views(channels, pairing, frequencies, run.pairs)
    return pairs


def _options(arguments, *names):
    return {name: arguments[name] for name in names}


def _rotary_frequencies(arguments, width):
    """Those of the call that makes them, or of a width and the base."""
    call = arguments["frequencies"]
    return computed_frequencies(call) if call else unscaled_frequencies(width, arguments["base"])


# -- one axis, grids and position ids ---------------------------------------------------------------------------------


@error_bound("rope")
def _rope(arguments, fmt):
    x, pairing = exact_channels(arguments["x"], fmt), arguments["pairing"]
    computed = _rotary_frequencies(arguments, arguments["rotary_dim"] or x.shape[-1])
    positions = exact_positions(arguments["positions"])
    phases = phases_of(positions, computed, partial(shaped_like_x, shape=x.shape, seq_axis=arguments["seq_axis"]))
    options = _options(arguments, "pairing", "inverse", "seq_axis")
    exact = rope(x, positions, frequencies=computed.frequencies, **options)
    return _rotated(x, exact, pairs_of(pairing, computed.frequencies), (phases, phases), fmt)


@error_bound("rope_in_qkv")
def _rope_in_qkv(arguments, fmt):
    """Those of `rope` for the heads of queries and keys; values are copied."""
    x = exact_channels(arguments["x"], fmt)
    heads, groups, rotated = head_layout(arguments["num_heads"], arguments["num_kv_heads"], arguments["fusion"])
    shape = (*x.shape[:-1], groups, heads // groups, x.shape[-1] // heads)
    limits = _of_heads(arguments, x.reshape(shape)[..., :rotated, :], -4, fmt)
    for limit in limits.values():
        whole = np.zeros(shape)
        whole[..., :rotated, :] = limit["output"]
        limit["output"] = whole.reshape(x.shape)
    return limits


@error_bound("rope_to_cache")
def _rope_to_cache(arguments, fmt):
    """Those of `rope` in the slots that are written; the others are copied."""
    limits = _of_heads(arguments, exact_channels(arguments["x"], fmt), -3, fmt)
    cache = exact_channels(arguments["cache"], fmt)
    slots = exact_values(arguments["slot_mapping"]).astype(np.int64)
    for limit in limits.values():
        whole = np.zeros((math.prod(cache.shape[:-2]), *cache.shape[-2:]))
        whole[slots[slots >= 0]] = limit["output"][slots >= 0]
        limit["output"] = whole.reshape(cache.shape)
    return limits


def _of_heads(arguments, x, seq_axis, fmt):
    """The bounds of `rope` for x, with the other arguments of a call."""
    names = {"positions", "pairing", "frequencies", "base", "rotary_dim", "inverse"} & arguments.keys()
    return _rope(complete("rope", {**_options(arguments, *names), "x": x, "seq_axis": seq_axis}), fmt)


@error_bound("rope_2d")
def _rope_2d(arguments, fmt):
    rotary = arguments["rotary_dim"] or exact_channels(arguments["x"], fmt).shape[-1]
    return _at_cells(arguments, fmt, "hw", [rotary // 2] * 2, "allocation")


@error_bound("rope_3d")
def _rope_3d(arguments, fmt):
    return _at_cells(arguments, fmt, "thw", arguments["widths"])


def _at_cells(arguments, fmt, letters, widths, *more):
    """A rotation at the cells of a grid, with a block of channels for each axis."""
    axial = _options(arguments, "base", "arrangement", "times_pi", *more)
    axial.update(widths=widths, axes=[letters.index(axis) for axis in arguments["axis_order"]])
    cells = grid(*axis_sizes(arguments, letters).values())
    return _rope_with(arguments, cells, "axial_frequencies", axial, fmt)


@error_bound("mrope")
def _mrope(arguments, fmt):
    options = _options(arguments, "sections", "arrangement", "base", "frequencies")
    options["dim"] = 2 * sum(arguments["sections"])
    return _rope_with(arguments, arguments["position_ids"], "mrope_frequencies", options, fmt)


def _rope_with(arguments, positions, function, options, fmt):
    """The bound of `rope` with the frequencies of a call, as several encodings are made of it."""
    call = {**_options(arguments, "x", "pairing", "inverse", "seq_axis"), "positions": positions}
    return _rope(complete("rope", {**call, "frequencies": {"function": function, "arguments": options}}), fmt)


@error_bound("xpos")
def _xpos(arguments, fmt):
    x, positions = exact_channels(arguments["x"], fmt), exact_positions(arguments["positions"])
    computed = _rotary_frequencies(arguments, arguments["rotary_dim"] or x.shape[-1])
    frequencies = computed.frequencies
    shape_like_x = partial(shaped_like_x, shape=x.shape, seq_axis=arguments["seq_axis"])
    phases = phases_of(positions, computed, shape_like_x)
    phases = times_powers(phases, *xpos_powers(arguments, frequencies.dim, shape_like_x))
    options = _options(arguments, "pairing", "inverse", "seq_axis", *GROWTH)
    exact = xpos(x, positions, frequencies=frequencies, **options)
    return _rotated(x, exact, pairs_of(arguments["pairing"], frequencies), (phases, phases), fmt)


# -- pairs whose two channels have angles of their own ----------------------------------------------------------------


@error_bound("vjepa2_rope")
def _vjepa2_rope(arguments, fmt):
    x, positions = exact_channels(arguments["x"], fmt), exact_positions(arguments["positions"])
    half = x.shape[-1] // 3 // 2
    computed = unscaled_frequencies(2 * half, arguments["base"])
    exact_of_channels = both_of_blocks(x.shape[-1], arguments["base"])
    parts = _some_of(computed, exact_of_channels, [rungs for rungs, _ in tiled_rungs(half)])
    exact = vjepa2_rope(x, positions, **_options(arguments, "base", "seq_axis"))
    return _two_angles(arguments, x, exact, positions, "interleaved", parts, fmt)


@error_bound("ernie_image_rope")
def _ernie_image_rope(arguments, fmt):
    x, positions = exact_channels(arguments["x"], fmt), exact_positions(arguments["positions"])
    options = _options(arguments, "widths", "base")
    computed = computed_frequencies({"function": "axial_frequencies", "arguments": options})
    parts = _some_of(computed, both_of_widths(**options), repeated_rungs(len(computed.frequencies)))
    exact = ernie_image_rope(x, positions, **options, seq_axis=arguments["seq_axis"])
    return _two_angles(arguments, x, exact, positions, "half", parts, fmt)


def _some_of(computed, frequencies, parts):
    """The errors of the frequencies that the first and the second channels take from those computed."""
    return [
        ComputedFrequencies(chosen, lambda pipeline, part=part: computed.errors(pipeline)[part])
        for chosen, part in zip(frequencies, parts)
    ]


@error_bound("xdrope")
def _xdrope(arguments, fmt):
    x, sections = exact_channels(arguments["x"], fmt), arguments["sections"]
    position_ids = exact_values(arguments["position_ids"])
    computed = _rotary_frequencies(arguments, 2 * sum(sections))
    parts = [computed._replace(frequencies=part) for part in both_of_sections(computed.frequencies, sections)]
    options = _options(arguments, "sections", "seq_axis")
    exact = xdrope(x, position_ids, frequencies=computed.frequencies, **options)
    return _two_angles(arguments, x, exact, position_ids, "half", parts, fmt)


def _two_angles(arguments, x, exact, positions, pairing, computed, fmt):
    shape_like_x = partial(shaped_like_x, shape=x.shape, seq_axis=arguments["seq_axis"])
    phases = [phases_of(positions, part, shape_like_x) for part in computed]
    return _rotated(x, exact, pairs_of(pairing, computed[0].frequencies), phases, fmt)


@error_bound("mixed_rope")
def _mixed_rope(arguments, fmt):
    x, weight = exact_channels(arguments["x"], fmt), exact_values(arguments["weight"])
    positions = exact_positions(arguments["positions"])
    pairing, scale = arguments["pairing"], arguments["squared_scale"]
    phases = phases_of_sums(read_axes(positions, len(weight), x.shape[-2]), weight, scale)
    pairs = pair_views(np.arange(x.shape[-1], dtype=np.int64), pairing, x.shape[-1])
    exact = mixed_rope(x, positions, weight, pairing=pairing, squared_scale=scale)
    return _rotated(x, exact, pairs, (phases, phases), fmt)
