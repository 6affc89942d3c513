"""Error bounds of cosines and sines: rotary tables, and the sinusoids that are added to embeddings."""

from typing import NamedTuple

import numpy as np

from ... import checks
from ...absolute.add import number_or_root
from ...absolute.sincos_grid import in_order_of_channels, outer_to_inner
from ...absolute.sinusoidal import divided
from ...errors import InputError
from ...rotary.xpos_scale import growth_of, xpos_scale
from ...steps.positions.axis_order import read_order
from ...steps.positions.coordinates import listed
from ...steps.positions.exact_positions import read_positions, read_times, rows_at
from ...steps.waves.grids import Grid
from ...steps.waves.sinusoids import halves
from ...steps.waves.tables import cos_sin_columns
from ..classes import BFLOAT16, INSTEAD, PIPELINES
from ..registry import complete, computed_frequencies, derivation_of, error_bound
from .angles import phases_of, power_errors, times_powers
from .computed_frequencies import frequencies_between, sinusoid_frequencies, timestep_frequencies
from .exact_inputs import exact_channels, exact_positions
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
    return INSTEAD.get() or {
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
    frequencies = divided(computed.frequencies, dim, arguments["divisor"])
    # the root; the quotient is counted as the product with any factor is
    root_error = _root_error if arguments["divisor"] else computed.factor_error
    computed = computed._replace(frequencies=frequencies, factor_error=root_error)
    positions = exact_positions(arguments["positions"])
    phases = phases_of(positions, computed)
    limits = sines_and_cosines(phases, fmt, dim, arguments["layout"], dim - padded - len(computed.frequencies))
    if arguments["zero_row"] is not None:
        zeros = rows_at(read_positions(positions), arguments["zero_row"])
        for outputs in limits.values():
            outputs["output"].reshape(-1, dim)[zeros] = 0.0  # which nobody computes
    return limits


def _root_error(pipeline):
    return unit_roundoff(pipeline.arithmetic)


@error_bound("timestep_embedding")
def _timestep_embedding(arguments, fmt):
    dim, scale = arguments["dim"], checks.positive("scale", arguments["scale"])
    half, shift, base = dim // 2, arguments["downscale_freq_shift"], arguments["max_period"]
    return _of_times(arguments, fmt, timestep_frequencies(half, shift, base, scale))


@error_bound("timestep_fourier")
def _timestep_fourier(arguments, fmt):
    ends, first, last = (arguments[name] for name in ("ends", "first", "last"))
    return _of_times(arguments, fmt, frequencies_between(arguments["dim"] // 2, ends, first, last))


def _of_times(arguments, fmt, computed):
    """Bounds of the sines and cosines of timesteps, a half of each."""
    phases = phases_of(read_times(exact_positions(arguments["timesteps"])), computed)
    layout, dim = halves(arguments["flip_sin_to_cos"]), arguments["dim"]
    return sines_and_cosines(phases, fmt, dim, layout, dim // 2)


def sines_and_cosines(phases, fmt, dim, layout, cosines):
    """Bounds of the sines and of so many cosines in one array of width dim."""
    half, limits = phases.cos.shape[-1], {}
    for name, pipeline in table_pipelines(fmt).items():
        cos, sin = (part.reshape(-1, half) for part in rounded_tables(phases, fmt, pipeline))
        rows = np.zeros((len(cos), dim))
        into_cos, into_sin = cos_sin_columns(rows, layout, half, cosines)
        into_cos[:], into_sin[:] = cos[:, :cosines], sin
        limits[name] = {"output": rows.reshape(*phases.cos.shape[:-1], dim)}
    return limits


@error_bound("add")
def _add(arguments, fmt):
    """The table rounded to the format of x, a product for each factor that is not 1, and the sum, in that format."""
    x, table = exact_channels(arguments["x"], fmt), exact_channels(arguments["table"], BFLOAT16)
    tokens, prefix, at = x.shape[-2], checks.integer("prefix", arguments["prefix"]), arguments["at"]
    behind, rows = x[..., prefix:, :], table[: tokens - prefix] if at is None else table[np.asarray(at)]
    u, tiny = unit_roundoff(fmt), underflow_error(fmt)
    exact, sizes, error = 0.0, 0.0, 0.0
    with np.errstate(invalid="ignore", over="ignore"):
        for values, name in ((behind, "x_scale"), (rows, "scale")):
            factor = number_or_root(name, arguments[name], arguments[f"squared_{name}"])
            steps = 2 if factor.rational != 1 else 0  # the factor and its product
            product = values * float(factor)
            # of the table, its rounding; and what both may lose below the normal range
            off = np.abs(product) * compound((steps + 1) * u) + 2 * tiny * max(1.0, abs(float(factor)))
            exact, sizes, error = exact + product, sizes + np.abs(product) + off, error + off
        limit = np.where(np.isfinite(sizes), against_rounded(error + u * sizes + tiny, sizes, fmt), 0.0)
    limits = np.zeros(x.shape)
    limits[..., prefix:, :] = limit
    return {"rounded-table": {"output": limits}}


@error_bound("shift_matrix")
def _shift_matrix(arguments, fmt):
    dim, layout = arguments["dim"], arguments["layout"]
    computed = sinusoid_frequencies(dim, arguments["base"], arguments["endpoint"])
    phases = phases_of(listed([arguments["offset"]]), computed)
    c, s = (part[0] for part in cos_sin_columns(np.arange(dim, dtype=np.int64)[None, :], layout, dim // 2, dim // 2))
    limits = {}
    for name, pipeline in table_pipelines(fmt).items():
        cos, sin = (part[0] for part in rounded_tables(phases, fmt, pipeline))
        matrix = np.zeros((dim, dim))  # where 0 stands every program has 0
        matrix[s, s] = matrix[c, c] = cos
        matrix[s, c] = matrix[c, s] = sin
        limits[name] = {"output": matrix}
    return limits


@error_bound("sincos_2d")
def _sincos_2d(arguments, fmt):
    sizes = list(axis_sizes(arguments, "hw").values())
    return _sincos_grid(complete("sincos_grid", {**_without(arguments, "height", "width"), "grid": sizes}), fmt)


@error_bound("sincos_3d")
def _sincos_3d(arguments, fmt):
    sizes = list(axis_sizes(arguments, "thw").values())
    given = _without(arguments, "frames", "height", "width")
    return _sincos_grid(complete("sincos_grid", {**given, "grid": sizes}), fmt)


def _without(arguments, *names):
    return {name: value for name, value in arguments.items() if name not in names}


@error_bound("sincos_grid")
def _sincos_grid(arguments, fmt):
    grid, dim, extra, widths = (arguments[name] for name in ("grid", "dim", "extra_tokens", "widths"))
    axes = list(grid.axes if isinstance(grid, Grid) else grid)
    order = read_order(arguments["axis_order"], len(axes))
    outer = outer_to_inner(arguments["token_order"], len(axes))
    options = {name: arguments[name] for name in ("base", "endpoint", "layout")}
    blocks = [
        _sinusoidal(complete("sinusoidal", {**options, "dim": width, "positions": axes[axis]}), fmt)
        for axis, width in zip(order, widths or [dim // len(axes)] * len(axes))
    ]
    limits = {}
    for name in blocks[0]:
        pieces = in_order_of_channels([block[name]["output"] for block in blocks], arguments["packing"])
        numbered = [(outer.index(order[block]), piece) for block, piece in pieces]
        cells = over_grid(numbered, len(axes))[..., :dim]
        limits[name] = {"output": cells if extra is None else behind_zeros(cells, extra)}
    return limits


def over_grid(pieces, count):
    """Tables (n, channels) of the axes of a grid side by side, each repeated along the other axes."""
    sizes = {axis: len(piece) for axis, piece in pieces}
    shape = tuple(sizes[axis] for axis in range(count))
    repeated = [
        np.broadcast_to(
            piece.reshape([-1 if k == axis else 1 for k in range(count)] + [piece.shape[1]]), (*shape, piece.shape[1])
        )
        for axis, piece in pieces
    ]
    return np.concatenate(repeated, -1)


@error_bound("joined")
def _joined(arguments, fmt):
    """Of parts that are the calls that make them."""
    parts, extra = arguments["parts"], arguments["extra_tokens"]
    for part in parts if isinstance(parts, (list, tuple)) else [parts]:
        if not (isinstance(part, dict) and set(part) == {"function", "arguments"}):
            sentence = f"parts must be given as the calls that make them, got {type(part).__name__}"
            raise InputError("E_CHOICE", "parts", sentence)
    blocks = [derivation_of(part["function"])(complete(part["function"], part["arguments"]), fmt) for part in parts]
    limits = {}
    for name in blocks[0]:
        pieces = [block[name]["output"] for block in blocks]
        shape = checks.broadcast(*(piece.shape[:-1] for piece in pieces))
        cells = np.concatenate([np.broadcast_to(piece, (*shape, piece.shape[-1])) for piece in pieces], -1)
        limits[name] = {"output": cells if extra is None else behind_zeros(cells, extra)}
    return limits


def behind_zeros(cells, extra):
    """The cells of a grid as rows, behind so many rows of zeros."""
    return np.concatenate([np.zeros((extra, cells.shape[-1])), cells.reshape(-1, cells.shape[-1])])


def axis_sizes(arguments, letters):
    """The size or the coordinates of each axis of a grid, by its letter."""
    names = {"t": "frames", "h": "height", "w": "width"}
    return {letter: arguments[names[letter]] for letter in letters}
