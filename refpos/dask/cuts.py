"""How each function of the catalogue is cut into blocks: which arguments run along which axes of its result.

A rule takes the arguments of a call and returns a `Cut`. A function without a rule needs its whole input at once.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from .. import checks
from ..absolute.sincos_grid import read_axis, sincos_grid
from ..errors import InputError, shown
from ..steps.positions.exact_positions import Group, Positions, as_int64
from ..steps.waves import grids
from ..steps.waves.grids import Grid

LIMIT = 2**53


class Source(NamedTuple):
    """What is cut: a range, a NumPy array or a Dask array; the names of its axes; those that are never cut; and what
    makes of a piece the argument of the call."""

    values: Any
    axes: tuple[str, ...]
    whole: tuple[str, ...] = ()
    read: Callable[..., Any] | None = None


class Cut(NamedTuple):
    """The sources, the names of the axes of the result, and block(*pieces, **keywords), which computes one."""

    sources: Sequence[Source]
    axes: tuple[str, ...]
    block: Callable[..., Any]
    keywords: dict[str, Any]


# -- sources ----------------------------------------------------------------------------------------------------------


def is_dask(value):
    """Whether a value is a Dask array, of whatever kind."""
    return type(value).__module__.partition(".")[0] == "dask" and hasattr(value, "dask")


def plural(name, value, prefix, core=0, read=None):
    """The source of an array whose last `core` axes are never cut."""
    if not is_dask(value):
        value = checks.array(name, value)
    axes = tuple(f"{prefix}{k}" for k in range(value.ndim))
    return Source(value, axes, axes[value.ndim - core :], read)


def run(name, value, prefix, counts=True):
    """The source of positions: a count, a range, exact ones, or an array."""
    if isinstance(value, Positions):
        if len(value.shape) != 1:
            raise InputError("E_SHAPE", name, f"{name} must be exact along one axis, got shape {value.shape}")
        return Source(range(*value.shape), (f"{prefix}0",), (), partial(part, value))
    if counts and isinstance(value, (int, np.integer)) and not isinstance(value, bool):
        value = range(checks.integer(name, value, 0, LIMIT, code="E_POSITION"))
    if isinstance(value, range):
        return Source(value, (f"{prefix}0",))
    return plural(name, value, prefix)


def part(positions, index):
    """The exact positions at a run of indices."""
    start = int(index[0]) if len(index) else 0
    return positions.part(start, start + len(index))


def cells(grid, index):
    """The exact positions of cells of a grid, for each axis, at any indices of the row-major order."""
    found = []
    for axis, at in zip(grid.axes, np.unravel_index(index, grid.shape) if index.size else [index] * len(grid.axes)):
        group = axis.groups[0]
        found.append(Positions(index.shape, [Group(None, as_int64(group.multipliers)[at], group.exponent)], axis.unit))
    return found


# -- rules ------------------------------------------------------------------------------------------------------------


def rows(*names, core=0, needed=()):
    """The rule of functions that treat each row of some arguments alone; `needed` must not be None."""

    def rule(entry, arguments):
        for name in needed:
            if arguments.get(name) is None:
                sentence = f"{name} must be given in blocks, where None reads it from all positions, got None"
                raise InputError("E_CHOICE", name, sentence)
        if isinstance(arguments[names[0]], Grid):
            return of_grid(entry, arguments, names[0])
        if arguments.get("rule") == "cpm_ant":
            sentence = "rule must be one of distances alone in blocks, got 'cpm_ant'"
            raise InputError("E_CHOICE", "rule", sentence)
        arguments, counts = dict(arguments), names[0] in ("positions", "rows")
        given = [arguments.pop(name) for name in names]
        if core:
            sources = [plural(name, value, "r", core) for name, value in zip(names, given)]
        else:
            sources = [run(name, value, "r", counts) for name, value in zip(names, given)]
        axes = sources[0].axes[: len(sources[0].axes) - core]
        result = axes + (("channels",) if entry.name not in ELEMENTWISE else ())
        frequencies = arguments.get("frequencies")
        if entry.name in ("rope_table", "xpos_table") and getattr(frequencies, "axes", None) is not None:
            if len(sources[0].axes) < 2:
                sentence = "positions must be (axes, ...) or a grid, since the frequencies have several axes"
                raise InputError("E_SHAPE", "positions", f"{sentence}, got {shown(given[0])}")
            sources = [sources[0]._replace(whole=sources[0].axes[:1])]
            result = (*axes[1:], "channels")
        return Cut(sources, result, call_rows, {"function": entry.function, "names": names, **arguments})

    return rule


def call_rows(*pieces, function, names, **keywords):
    """The function of pieces of the arguments of those names."""
    return function(**dict(zip(names, pieces)), **keywords)


def of_grid(entry, arguments, name):
    """The cut of a table of the cells of a grid: along each of its axes."""
    arguments = dict(arguments)
    grid = arguments.pop(name)
    sources = [Source(range(*axis.shape), (f"g{k}",), (), partial(part, axis)) for k, axis in enumerate(grid.axes)]
    axes = tuple(f"g{k}" for k in range(len(grid.axes)))
    return Cut(sources, (*axes, "channels"), call_grid, {"function": entry.function, "argument": name, **arguments})


def call_grid(*pieces, function, argument, **keywords):
    """The function of a grid of the pieces of its axes."""
    return function(**{argument: Grid(pieces)}, **keywords)


def sincos(*names):
    """The rule of the sine-cosine tables of grids, whose axes are those arguments."""

    def rule(entry, arguments):
        if arguments.get("extra_tokens") is not None or arguments.get("token_order", "row-major") != "row-major":
            sentence = "extra_tokens and token_order must be left out in blocks, which are cut along the axes of a grid"
            raise InputError("E_CHOICE", "extra_tokens", f"{sentence}, got one of them")
        arguments = dict(arguments)
        if entry.name == "sincos_grid":
            grid = arguments.pop("grid")
            grid = grid if isinstance(grid, Grid) else grids.grid(*checks.listed("grid", grid, "sizes or coordinates"))
        else:
            sizes = {name: arguments.pop(name) for name in names}
            entry.function(*[0] * len(names), **arguments)  # for its checks
            if entry.name == "sincos_2d":
                sizes = {name: checks.integer(name, size) for name, size in sizes.items()}
            elif "axis_order" not in arguments:
                arguments["axis_order"] = entry.defaults["axis_order"]
            grid = Grid(tuple(read_axis(name, size) for name, size in sizes.items()))
        return of_grid(replace(entry, function=sincos_grid), {"grid": grid, **arguments}, "grid")

    return rule


def distances(entry, arguments):
    """The rule of biases of the distance of queries and keys."""
    for name in ("anchor", "mask"):
        given = arguments.get(name)
        if given is not None and not (isinstance(given, str) and given == "query"):
            sentence = f"{name} must be None in blocks, which know distances alone, got {shown(arguments[name])}"
            raise InputError("E_CHOICE", name, sentence)
    arguments = dict(arguments)
    query_len, key_len = (checks.integer(name, arguments.pop(name)) for name in ("query_len", "key_len"))
    offset = arguments.pop("query_offset", entry.defaults["query_offset"])
    offset = (
        key_len - query_len
        if offset is None
        else checks.integer("query_offset", offset, -LIMIT, LIMIT, code="E_POSITION")
    )
    sources = [Source(range(query_len), ("queries",)), Source(range(key_len), ("keys",))]
    if "view" in entry.parameters:
        heads = entry.function(query_len=0, key_len=0, **arguments).shape[0]
        sources.insert(0, Source(range(heads), ("heads",)))
    axes = tuple(source.axes[0] for source in sources)
    return Cut(sources, axes, call_distances, {"function": entry.function, "offset": offset, **arguments})


def call_distances(*pieces, function, offset, **keywords):
    """The bias of runs of heads, queries and keys: they alone are made of what a view of all heads holds."""
    heads, queries, keys = pieces if len(pieces) == 3 else (None, *pieces)
    if len(queries) and len(keys):
        offset = offset + keywords.get("query_step", 1) * int(queries[0]) - int(keys[0])
    keywords |= {"query_len": len(queries), "key_len": len(keys), "query_offset": offset}
    if heads is None:
        return function(**keywords)
    first = int(heads[0]) if len(heads) else 0
    return np.array(function(view=True, **keywords)[first : first + len(heads)], order="C")


def pairs(*leading, needed=()):
    """The rule of functions of the positions of queries and of keys."""

    def rule(entry, arguments):
        for name in needed:
            if arguments.get(name) is None:
                raise InputError("E_CHOICE", name, f"{name} must be given in blocks, got None")
        arguments, names = dict(arguments), ("query_positions", "key_positions")
        sources = [run(name, arguments.pop(name), name[0]) for name in names]
        for name, source in zip(names, sources):
            if len(source.axes) != 1:
                raise InputError("E_SHAPE", name, f"{name} must have one axis, got {len(source.axes)}")
        axes = (*leading, "q0", "k0")
        return Cut(sources, axes, call_rows, {"function": entry.function, "names": names, **arguments})

    return rule


def rotation(positions, always_axes=False):
    """The rule of rotations of x, whose positions run along seq_axis, and perhaps its leading axes."""

    def rule(entry, arguments):
        if entry.name == "xpos" and arguments.get("length") is None:
            sentence = "length must be given in blocks, where None reads it from all positions, got None"
            raise InputError("E_CHOICE", "length", sentence)
        arguments, seq_axis = dict(arguments), checks.integer("seq_axis", arguments.get("seq_axis", -2), -64, 64)
        x = plural("x", arguments.pop("x"), "x", 1)
        along = len(x.axes) + seq_axis if seq_axis < 0 else seq_axis
        if not 0 <= along < len(x.axes) - 1:
            sentence = f"seq_axis must be one of the axes of x but the last, got {seq_axis} for {len(x.axes)} axes"
            raise InputError("E_AXIS", "seq_axis", sentence)
        arguments["seq_axis"] = along - len(x.axes)
        many = always_axes or getattr(arguments.get("frequencies"), "axes", None) is not None
        source = tokens(positions, arguments.pop(positions), x, along, many)
        names = ("x", positions)
        return Cut((x, source), x.axes, call_rows, {"function": entry.function, "names": names, **arguments})

    return rule


def tokens(name, value, x, along, many):
    """The source of the positions of tokens, whose axes are named after those of x that they run along."""
    if isinstance(value, Grid):
        axis, count = x.axes[along], math.prod(value.shape)
        source = Source(range(count), (axis,), (), partial(cells, value))
    else:
        source = run(name, value, "p")
        lead = ("p",) if many else ()
        count = len(source.axes) - len(lead) - 1
        if count < 0 or count > along or (isinstance(source.values, range) and many):
            wanted = "(axes, ..., seq) or a grid" if many else "a count or (..., seq), with leading axes of x"
            raise InputError("E_SHAPE", name, f"{name} must be {wanted}, got {len(source.axes)} axes")
        axes, whole = [*lead, *x.axes[:count], x.axes[along]], set(lead)
        for k in range(count):
            if source.values.shape[k + len(lead)] == 1:
                axes[k + len(lead)] = f"one{k}"
                whole.add(f"one{k}")
        source = Source(source.values, tuple(axes), tuple(sorted(whole)), source.read)
    size, found = x.values.shape[along], np.shape(source.values)[-1] if not is_dask(source.values) else None
    found = source.values.shape[-1] if found is None else found
    if size != found:
        raise InputError("E_SHAPE", name, f"{name} must be those of {size} tokens, one for each of x, got {found}")
    return source


def whole_sequence(entry, arguments):
    """The rule of rotations of the cells of a grid: x is cut along every axis but the sequence and the channels."""
    arguments, seq_axis = dict(arguments), checks.integer("seq_axis", arguments.get("seq_axis", -2), -64, 64)
    x = plural("x", arguments.pop("x"), "x", 1)
    if not -len(x.axes) <= seq_axis < len(x.axes):
        raise InputError("E_AXIS", "seq_axis", f"seq_axis must be an axis of x, got {seq_axis}")
    x = x._replace(whole=tuple({x.axes[seq_axis], *x.whole}))
    arguments["seq_axis"] = seq_axis % len(x.axes) - len(x.axes)
    return Cut((x,), x.axes, call_rows, {"function": entry.function, "names": ("x",), **arguments})


#: functions whose result has the shape of their argument
ELEMENTWISE = {
    "t5_buckets", "log_buckets", "dual_chunk_positions", "rerope_positions", "self_extend_positions",
}  # fmt: skip
RULES = {
    **dict.fromkeys(
        ("sinusoidal", "rope_table", "binary_code", "mlp_positions", "dual_chunk_positions", "rerope_positions"),
        rows("positions"),
    ),
    **dict.fromkeys(("xpos_scale", "xpos_table"), rows("positions", needed=("length",))),
    "self_extend_positions": rows("positions", needed=("longest",)),
    **dict.fromkeys(("timestep_embedding", "timestep_fourier"), rows("timesteps")),
    **dict.fromkeys(("t5_buckets", "log_buckets"), rows("relative_positions")),
    "learned": rows("rows"),
    **dict.fromkeys(
        ("coordinate_sine", "fourier_bands", "fourier_projection", "equal_earth", "sphere_code", "cape_2d"),
        rows("coordinates", core=1),
    ),
    "integrated_fourier": rows("mean", "variance", core=1),
    "spherical_harmonics": rows("x", core=1),
    "centred_points": rows("points", core=1),
    "sincos_2d": sincos("height", "width"),
    "sincos_3d": sincos("frames", "height", "width"),
    "sincos_grid": sincos("grid"),
    **dict.fromkeys(
        ("alibi", "decay", "kerple", "rotary_bias", "sandwich", "t5_bias", "relative_bias", "relative_rows"), distances
    ),
    **dict.fromkeys(("window_regions", "rerope_distances", "dual_chunk_distances"), pairs()),
    "self_extend_distances": pairs(needed=("longest",)),
    "fire": pairs("heads"),
    **dict.fromkeys(("rope", "xpos"), rotation("positions")),
    **dict.fromkeys(("ernie_image_rope", "vjepa2_rope"), rotation("positions", always_axes=True)),
    **dict.fromkeys(("mrope", "xdrope"), rotation("position_ids", always_axes=True)),
    **dict.fromkeys(("rope_2d", "rope_3d"), whole_sequence),
}
