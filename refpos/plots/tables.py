"""Tables as heat maps with the wavelengths of their channels; what a rotation makes of ones, with the scores."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from .. import catalogue
from ..errors import InputError
from ..steps.frequencies import Frequencies
from . import matrices, style
from .calls import Call, called

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from ..types import ArrayLike

#: functions whose tables have a ladder of sinusoids, and their default layout
LADDERS = ("sinusoidal", "timestep_embedding", "rope", "rope_table", "xpos", "xpos_table", "pope")
RISE = 0.36  # of the wavelengths above a table


def heat_map(
    table: str | ArrayLike,
    /,
    *,
    wavelengths: ArrayLike | None = None,
    ax: Axes | None = None,
    theme: style.ThemeName = "light",
    **arguments: Any,
) -> Axes:
    """A table as colours, positions down and channels across, with the wavelength of each channel above it.

    table: the name of an encoding, with its keywords as further arguments, or an array (positions, channels); longer
    axes than 512 are thinned, and say so. wavelengths: one for each channel, in positions; those of sinusoids and
    rotations follow from the call. NaN is hatched, infinities are blank. ax: an Axes to draw on, else one in a figure
    of its own. theme: "light" or "dark".

    Returns the Axes; `plots.save(ax, "table.svg")` writes it. Raises E_CHOICE, E_SHAPE, E_MISSING without matplotlib,
    and what the encoding raises.

    >>> ax = heat_map("sinusoidal", positions=64, dim=32)  # doctest: +SKIP
    """
    from . import names

    style.needed()
    if isinstance(table, str):
        call = called(names.entry_of(table), arguments)
        result = call.result[0] if isinstance(call.result, tuple) else call.result
        if isinstance(result, Frequencies) or np.ndim(result) < 2:
            raise InputError(
                "E_SHAPE", "table", f"table must have two axes, got {call.entry.name}, which gives another kind"
            )
        rows = flattened(np.asarray(result))
        found = wavelengths_of(call, rows.shape[1])
        title = f"heat map: {call.entry.name}"
    else:
        if arguments:
            raise InputError(
                "E_CHOICE", next(iter(arguments)), "keywords must go with the name of an encoding, got an array"
            )
        rows, found, title = matrices.as_floats(table), None, "heat map: table"
        if rows.ndim != 2:
            raise InputError("E_SHAPE", "table", f"table must have two axes, got shape {rows.shape}")
    found = found if wavelengths is None else np.asarray(wavelengths, np.float64)
    if found is not None and np.shape(found) != (rows.shape[1],):
        raise InputError(
            "E_SHAPE", "wavelengths", f"wavelengths must be {rows.shape[1]} numbers, got shape {np.shape(found)}"
        )
    with style.canvas(ax, theme) as ax:
        drawn(ax, rows, ("position", "channel"), found)
        return style.titled(ax, title, _words("A table", rows, found), RISE * (found is not None))


def draw_table(ax, call, result, title):
    """The table of a call, with wavelengths where its channels are sinusoids."""
    rows = flattened(result)
    found = wavelengths_of(call, rows.shape[1])
    lengths = [call.arguments.get(name) for name in ("query_len", "key_len")]
    at = (1 - lengths[0], lengths[1] - 1, 0, rows.shape[1] - 1) if call.entry.name == "distance_features" else None
    drawn(ax, rows, names_of(call), found, at=at)
    return style.titled(ax, title, f"{call.entry.summary} {_words('A table', rows, found)}", RISE * (found is not None))


def draw_rotated(ax, call, result, title):
    """What a rotation makes of the same vector at each place, and beside it the score of the first with every other."""
    rows = flattened(result[0] if result.ndim > 2 else result)
    found = wavelengths_of(call, rows.shape[1])
    token = "token" if call.entry.name not in ("rope", "xpos", "pope") else "position"
    drawn(ax, rows, (token, "channel"), found, bar_place=(1.33, 0.0, 0.025, 1.0))
    side = style.beside(ax, (1.04, 0.0, 0.24, 1.0), sharey=ax)
    scores = np.array([sum(float(a) * float(b) for a, b in zip(rows[0], row)) for row in rows])
    side.plot(scores / rows.shape[1], np.arange(len(rows), dtype=np.int64), color=style.palette().lines[1])
    side.axvline(0, color=style.palette().faint, linewidth=0.6)
    side.tick_params(labelleft=False)
    side.set_xlabel(f"score with\n{token} 0, / width")
    words = f"{call.entry.summary} The same vector of ones, turned at each of {len(rows)} places: "
    words += f"{_words('a table', rows, found)} Beside it the score of the first place with every other, "
    words += f"{scores[0] / rows.shape[1]:.3g} at the start and {scores[-1] / rows.shape[1]:.3g} at the end."
    return style.titled(ax, title, words, RISE * (found is not None))


def drawn(ax, rows, names, wavelengths, bar_place=(1.02, 0.0, 0.025, 1.0), at=None):
    """The heat map, its bar, and the wavelengths above it."""
    image = matrices.draw(ax, rows, names=names, at=at)
    matrices.bar(ax, image, matrices.notes(rows), place=bar_place)
    if wavelengths is not None:
        above = style.beside(ax, (0.0, 1.1, 1.0, 0.24), sharex=ax)
        finite = np.where(np.isfinite(wavelengths), wavelengths, np.nan)
        above.plot(
            np.arange(len(finite), dtype=np.int64), finite, drawstyle="steps-mid", color=style.palette().lines[0]
        )
        above.axhline(len(rows), color=style.palette().lines[1], linestyle="--", linewidth=1)
        above.annotate(f"{len(rows)} positions", (0, len(rows)), (2, 2), textcoords="offset points",
                       fontsize=style.FONT - 2, color=style.palette().lines[1])  # fmt: skip
        above.set_yscale("log")
        above.tick_params(labelbottom=False)
        above.set_ylabel("wave-\nlength")
        above.grid(True, axis="y")


def _words(what, rows, wavelengths):
    text = f"{what} of {rows.shape[0]} rows and {rows.shape[1]} channels, values {matrices.extent(rows, '.3g')}."
    if wavelengths is not None:
        finite = wavelengths[np.isfinite(wavelengths)]
        text += f" Above it the wavelengths of the channels, from {finite.min():.3g} to {finite.max():.4g} positions."
    return f"{text} {matrices.notes(rows)}"


def flattened(result):
    """A table of any shape as (rows, channels)."""
    return np.asarray(result).reshape(-1, np.shape(result)[-1]) if np.ndim(result) != 2 else np.asarray(result)


def names_of(call):
    """What stands in the rows and columns of a result."""
    first = next(iter(call.entry.parameters))
    rows = {"positions": "position", "timesteps": "timestep number", "boxes": "box", "rows": "row"}.get(first, "row")
    special = {
        "shift_matrix": ("channel", "channel"), "convit_start": ("head", "offset, squared, down, across"),
        "box_rows": ("box", "row of x0, y0, x1, y1, height, width"), "hash_rows": ("hash", "character"),
        "context_rows": ("block", "place of a key"), "distance_features": ("distance", "feature"),
        "laplacian_positions": ("node", "eigenvector"), "random_walk_positions": ("node", "steps, from 1"),
        "heat_kernel": ("node", "number of the time"), "electrostatic_positions": ("node", "statistic"),
        "tree_positions": ("node", "channel"), "spatial_rows": ("from node", "to node"),
        "attention": ("query", "key"), "add": ("position", "channel"),
        "learned": ("position", "channel"), "gated_table": ("position", "channel"),
        "relative_values": ("query", "channel"),
        "exponential_modulation": ("position", "channel"), "hyena_features": ("position", "channel"),
        "normalised_sinusoidal": ("position", "channel"), "conv_positions": ("position", "channel"),
    }  # fmt: skip
    if call.entry.name in special:
        return special[call.entry.name]
    pairs = any(
        name in call.entry.parameters for name in ("query_len", "query_positions", "query", "regions", "k", "scores")
    )
    if call.entry.family != "absolute" and (pairs or call.entry.name.endswith(("_rows", "_scores"))):
        return "query", "key"
    return (rows if rows != "row" else "place"), "channel"


def wavelengths_of(call: Call, channels: int) -> Any:
    """The wavelength of each channel of a table of sinusoids; None where the table is another."""
    name, arguments = call.entry.name, {**call.entry.defaults, **call.arguments}
    if name not in LADDERS or (name == "sinusoidal" and (arguments["odd"] == "pad" or arguments["endpoint"])):
        return None
    known = arguments.get("frequencies")
    if isinstance(known, Frequencies):
        waves = known.wavelengths
    else:
        base, make = arguments.get("base", arguments.get("max_period", 10000)), catalogue.ENTRIES["inverse_frequencies"]
        width = (
            arguments.get("rotary_dim") or arguments.get("dim") or arguments.get("x", np.empty((0, channels))).shape[-1]
        )
        if base is None or not isinstance(width, (int, np.integer)) or width % 2:
            return None
        waves = make.function(2 * (channels // 2) if name == "xpos" else width, base=base).wavelengths
        if name == "pope":
            waves = make.function(2 * width, base=base).wavelengths
    if arguments.get("position_scale", 1) != 1:
        return None
    if channels == len(waves):
        return waves
    halves = arguments.get("pairing") == "half" or arguments.get("layout") in ("sin-cos", "cos-sin") \
        or name == "timestep_embedding"  # fmt: skip
    both = np.concatenate([waves, waves]) if halves else np.repeat(waves, 2)
    return np.concatenate([both, np.full(max(0, channels - len(both)), np.nan)])[:channels]
