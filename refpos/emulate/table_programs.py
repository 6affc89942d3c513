"""Tables in an emulated arithmetic: the layouts of refpos, filled with the cosines and sines of a program."""

from fractions import Fraction

import numpy as np

from .. import checks
from ..absolute.sincos_grid import in_order_of_channels, outer_to_inner
from ..conformance.derivations.angles import as_floats
from ..conformance.derivations.exact_inputs import exact_positions
from ..conformance.derivations.tables import axis_sizes, behind_zeros, over_grid
from ..conformance.registry import complete, exact_frequencies
from ..steps.positions.axis_order import read_order
from ..steps.positions.exact_positions import read_positions, read_times, rows_at
from ..steps.waves.grids import Grid
from ..steps.waves.sinusoids import halves
from ..steps.waves.tables import cos_sin_columns
from .float_angles import angles, tables, waves
from .float_frequencies import geometric, made, rungs
from .operations import quotient, rounded
from .profile_registry import emulates


@emulates("rope_table")
def _rope_table(arguments, profile):
    call = arguments["frequencies"]
    return tables(arguments["positions"], made(call, profile), exact_frequencies(call), profile)


@emulates("sinusoidal")
def _sinusoidal(arguments, profile):
    dim, padded = arguments["dim"], arguments["dim"] % 2 if arguments["odd"] == "pad" else 0
    base = checks.positive("base", arguments["base"], "E_BASE")
    positions = read_positions(exact_positions(arguments["positions"]))
    found = rungs(dim - padded, base, arguments["endpoint"], profile)
    cosines = len(found.inv_freq) if padded else dim - len(found.inv_freq)
    scale = checks.positive("position_scale", arguments["position_scale"])
    values = _columns(positions, found, dim, arguments["layout"], cosines, profile, scale)
    if arguments["divisor"]:
        fmt = profile.wave_format
        values = quotient(values, rounded(np.sqrt(float(dim)), fmt), fmt)
    if arguments["zero_row"] is not None:
        values.reshape(-1, dim)[rows_at(positions, arguments["zero_row"])] = 0.0
    return (values,)


def _columns(positions, found, dim, layout, cosines, profile, scale=Fraction(1)):
    """Sines and cosines side by side: (*positions.shape, dim)."""
    angle = angles(as_floats(positions)[..., None], found, profile, scale)
    cos, sin = (part.reshape(-1, part.shape[-1]) for part in waves(angle, 1.0, profile))
    rows = np.zeros((len(sin), dim))
    into_cos, into_sin = cos_sin_columns(rows, layout, sin.shape[1], cosines)
    into_cos[:], into_sin[:] = cos[:, :cosines], sin
    return rows.reshape(*positions.shape, dim)


@emulates("timestep_embedding")
def _timestep_embedding(arguments, profile):
    dim, half = arguments["dim"], arguments["dim"] // 2
    span = half - checks.real("downscale_freq_shift", arguments["downscale_freq_shift"])
    found = geometric(half, span, checks.positive("max_period", arguments["max_period"], "E_BASE"), profile)
    layout, times = halves(arguments["flip_sin_to_cos"]), read_times(exact_positions(arguments["timesteps"]))
    return (_columns(times, found, dim, layout, half, profile, checks.positive("scale", arguments["scale"])),)


@emulates("sincos_2d")
def _sincos_2d(arguments, profile):
    return _cells(arguments, "hw", profile)


@emulates("sincos_3d")
def _sincos_3d(arguments, profile):
    return _cells(arguments, "thw", profile)


def _cells(arguments, letters, profile):
    names = {"t": "frames", "h": "height", "w": "width"}
    given = {name: value for name, value in arguments.items() if name not in names.values()}
    sizes = list(axis_sizes(arguments, letters).values())
    return _sincos_grid(complete("sincos_grid", {**given, "grid": sizes}), profile)


@emulates("sincos_grid")
def _sincos_grid(arguments, profile):
    grid, dim, extra, widths = (arguments[name] for name in ("grid", "dim", "extra_tokens", "widths"))
    axes = list(grid.axes if isinstance(grid, Grid) else grid)
    order = read_order(arguments["axis_order"], len(axes))
    outer = outer_to_inner(arguments["token_order"], len(axes))
    base, layout = checks.positive("base", arguments["base"], "E_BASE"), arguments["layout"]
    blocks = []
    for axis, width in zip(order, widths or [dim // len(axes)] * len(axes)):
        found = rungs(width, base, arguments["endpoint"], profile)
        along = read_positions(exact_positions(axes[axis]))
        blocks.append(_columns(along, found, width, layout, width // 2, profile))
    pieces = in_order_of_channels(blocks, arguments["packing"])
    numbered = [(outer.index(order[block]), piece) for block, piece in pieces]
    cells = over_grid(numbered, len(axes))[..., :dim]
    return (cells if extra is None else behind_zeros(cells, extra),)


@emulates(*("inverse_frequencies linear proportional ntk ntk_alpha dynamic_ntk longrope llama3 ntk_by_parts yarn"
            " given_frequencies axial_frequencies mrope_frequencies").split())  # fmt: skip
def _frequencies(arguments, profile, name):
    """(inv_freq, attention factor), as a program stores them."""
    found = made({"function": name, "arguments": arguments}, profile)
    kept = rounded(found.inv_freq, profile.inv_freq or profile.arithmetic)
    return kept, np.array(found.factor)
