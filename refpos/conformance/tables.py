"""Error bounds of cosines and sines: rotary tables, and the sinusoids that are added to embeddings."""

from typing import NamedTuple

import numpy as np

from .. import checks
from ..encodings.xpos_scale import growth_of, xpos_scale
from ..steps.positions import read_positions
from ..steps.tables import cos_sin_columns
from .angles import phases_of, power_errors, times_powers
from .classes import PIPELINES
from .inputs import exact_positions
from .ladders import sinusoid_frequencies
from .registry import complete, computed_frequencies, error_bound
from .rounding_errors import (
    SINE,
    after_roundings,
    against_rounded,
    compound,
    followed_by,
    relative_bound,
    underflow_error,
    unit_roundoff,
)


class TableErrors(NamedTuple):
    """Errors of computed cosines and sines before the rounding to the output, and limits on their size: (..., n)."""

    cos: np.ndarray
    sin: np.ndarray
    cos_size: np.ndarray
    sin_size: np.ndarray


def table_errors(phases, pipeline):
    """How far cosines and sines of the pipeline can be from the exact ones."""
    angle_error = phases.angle_error(pipeline)
    cos, cos_size = _wave_error(angle_error, phases.cos, phases.sin, phases, pipeline)
    sin, sin_size = _wave_error(angle_error, phases.sin, phases.cos, phases, pipeline)
    return TableErrors(cos, sin, cos_size, sin_size)


def _wave_error(angle_error, value, slope, phases, pipeline):
    """(error, size) of a cosine or sine, from the exact value and slope."""
    fmt, factor, most = pipeline.arithmetic, phases.factor, 1.0
    error = np.minimum(angle_error, angle_error * slope + angle_error * angle_error / 2)  # Taylor; no slope exceeds 1
    size = np.minimum(1.0, value + error)
    step = compound(SINE * unit_roundoff(fmt)) * size + underflow_error(fmt)
    # at angle 0 every library gives exactly 1 and 0
    error, size = np.where(phases.is_zero, 0.0, error + step), np.minimum(1.0, size + step)
    if phases.factor_error:
        relative = followed_by(phases.factor_error(pipeline), unit_roundoff(fmt))
        # the factor and its product may each leave the normal range
        error = factor * (error + size * relative) + 2 * underflow_error(fmt) * (size > 0)
        size = factor * size * (1 + relative)
        most = 1 + relative + (unit_roundoff(pipeline.table) if pipeline.table else 0.0)
    error, size = after_roundings(error, size, [part for part in (fmt, pipeline.table) if part])
    return np.minimum(error, factor * (1 + most)), np.minimum(size, factor * most)


def rounded_tables(phases, fmt, pipeline):
    """Bounds of (cos, sin) rounded to fmt."""
    factor, unscaled = phases.factor, phases.factor_error is None
    path = [pipeline.table or pipeline.arithmetic, fmt]
    limits = []
    with np.errstate(invalid="ignore", over="ignore"):
        errors = table_errors(phases, pipeline)
        waves = (errors.cos, errors.cos_size, phases.cos), (errors.sin, errors.sin_size, phases.sin)
        # of an angle of 0 the sine is 0 with any factor, the cosine 1 only without
        for (error, size, exact), exact_at_zero in zip(waves, (unscaled, True)):
            limit = against_rounded(after_roundings(error, size, path)[0], factor * exact, fmt)
            limit = np.where(phases.is_zero & exact_at_zero, 0.0, np.minimum(limit, 2.0) if unscaled else limit)
            limits.append(np.where(np.isfinite(factor * exact), limit, 0.0))
    return tuple(limits)


def table_pipelines(fmt):
    """The pipelines of tables in that format: one is rounded to 16 bits only where that takes bits away."""
    return {
        name: pipeline
        for name, pipeline in PIPELINES.items()
        if not pipeline.table or pipeline.table.precision < fmt.precision
    }


# -- rotary tables ----------------------------------------------------------------------------------------------------


@error_bound("rope_table")
def _rope_table(arguments, fmt):
    computed = computed_frequencies(arguments["frequencies"])
    return _cos_and_sin(phases_of(exact_positions(arguments["positions"]), computed), fmt)


@error_bound("xpos_table")
def _xpos_table(arguments, fmt):
    computed = computed_frequencies(arguments["frequencies"])
    phases = phases_of(exact_positions(arguments["positions"]), computed)
    return _cos_and_sin(times_powers(phases, *xpos_powers(arguments, computed.frequencies.dim)), fmt)


def _cos_and_sin(phases, fmt):
    tables = {name: rounded_tables(phases, fmt, pipeline) for name, pipeline in table_pipelines(fmt).items()}
    return {name: {"cos": cos, "sin": sin} for name, (cos, sin) in tables.items()}


GROWTH = ("centring", "downscale", "length", "scale_base", "gamma")  # the arguments of xPos


def xpos_powers(arguments, dim, shape_like_x=lambda part: part):
    """The powers of xPos, and their errors as a function of a pipeline."""
    options = {name: arguments[name] for name in GROWTH}
    axis = read_positions(exact_positions(arguments["positions"]))
    powers = shape_like_x(xpos_scale(axis, dim, **options))
    return powers, power_errors(axis, growth_of(axis, dim, **options), powers, shape_like_x)


@error_bound("xpos_scale")
def _xpos_scale(arguments, fmt):
    powers, errors = xpos_powers(arguments, arguments["dim"])
    limits = {}
    for name, like in (("float64-power", "float64-angle"), ("float32-power", "float32-angle")):
        pipeline = PIPELINES[like]
        with np.errstate(invalid="ignore", over="ignore"):
            limit = relative_bound(powers, errors(pipeline), pipeline.arithmetic, fmt)
        limits[name] = {"output": np.where(np.isfinite(powers), limit, 0.0)}
    return limits


# -- added to embeddings ----------------------------------------------------------------------------------------------


@error_bound("sinusoidal")
def _sinusoidal(arguments, fmt):
    dim = arguments["dim"]
    padded = dim % 2 if arguments["odd"] == "pad" else 0
    scale = checks.positive("position_scale", arguments["position_scale"])
    computed = sinusoid_frequencies(dim - padded, arguments["base"], arguments["endpoint"], scale)
    phases = phases_of(exact_positions(arguments["positions"]), computed)
    return _sines_and_cosines(phases, fmt, dim, arguments["layout"], dim - padded - len(computed.frequencies))


def _sines_and_cosines(phases, fmt, dim, layout, cosines):
    """Bounds of the sines and of so many cosines in one array of width dim."""
    half, limits = phases.cos.shape[-1], {}
    for name, pipeline in table_pipelines(fmt).items():
        cos, sin = (part.reshape(-1, half) for part in rounded_tables(phases, fmt, pipeline))
        rows = np.zeros((len(cos), dim))
        into_cos, into_sin = cos_sin_columns(rows, layout, half, cosines)
        into_cos[:], into_sin[:] = cos[:, :cosines], sin
        limits[name] = {"output": rows.reshape(*phases.cos.shape[:-1], dim)}
    return limits


@error_bound("sincos_2d")
def _sincos_2d(arguments, fmt):
    return _sines_of_grid(arguments, fmt, "hw", [arguments["dim"] // 2] * 2)


@error_bound("sincos_3d")
def _sincos_3d(arguments, fmt):
    return _sines_of_grid(arguments, fmt, "thw", arguments["widths"] or [arguments["dim"] // 3] * 3)


def _sines_of_grid(arguments, fmt, letters, widths):
    axis_order, dim, extra = (arguments[name] for name in ("axis_order", "dim", "extra_tokens"))
    sizes = axis_sizes(arguments, letters)
    options = {name: arguments[name] for name in ("base", "endpoint", "layout")}
    blocks = [
        _sinusoidal(complete("sinusoidal", {**options, "dim": width, "positions": sizes[letter]}), fmt)
        for letter, width in zip(axis_order, widths)
    ]
    limits = {}
    for name in blocks[0]:
        cells = _over_grid([block[name]["output"] for block in blocks], letters, axis_order)[..., :dim]
        if extra is not None:
            cells = np.concatenate([np.zeros((extra, dim)), cells.reshape(-1, dim)])
        limits[name] = {"output": cells}
    return limits


def _over_grid(blocks, letters, axis_order):
    """The blocks of channels of all axes side by side, each repeated along the other axes."""
    counts = [len(blocks[axis_order.index(letter)]) for letter in letters]
    repeated = [
        np.broadcast_to(
            block.reshape([-1 if axis == letter else 1 for axis in letters] + [block.shape[1]]),
            (*counts, block.shape[1]),
        )
        for letter, block in zip(axis_order, blocks)
    ]
    return np.concatenate(repeated, -1)


def axis_sizes(arguments, letters):
    """The size or the coordinates of each axis of a grid, by its letter."""
    names = {"t": "frames", "h": "height", "w": "width"}
    return {letter: arguments[names[letter]] for letter in letters}
