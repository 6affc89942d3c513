"""Tables as heat maps with the wavelengths of their channels; what a rotation makes of ones, with the scores."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from .. import catalogue
from ..errors import InputError
from ..guard import guarded
from ..steps.angles.frequencies import Frequencies
from ..steps.positions.calendar_features import BY_FREQUENCY, read_frequency
from . import matrices, style
from .calls import Call, called

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from ..types import ArrayLike

#: functions whose tables have sinusoids of geometric frequencies, and their default layout
SINUSOIDS = ("sinusoidal", "timestep_embedding", "rope", "rope_table", "xpos", "xpos_table", "pope")
RISE = 0.36  # of the wavelengths above a table
#: functions whose rows stand at the numbers of their first argument
GIVEN = ("timestep_embedding", "timestep_fourier", "functional_time", "periodic", "time2vec", "fourier_bands",
         "fourier_projection", "integrated_fourier", "sinusoidal")  # fmt: skip
#: what the columns of a table are, where each is something else
COLUMNS = {
    "calendar_features": lambda call: [
        name.replace("_of_", "\nof ") for name in BY_FREQUENCY[read_frequency(call.arguments["frequency"])]
    ],
    "convit_start": lambda call: ["dx", "dy", "dx² + dy²"],
    "heat_kernel": lambda call: [f"{float(time):g}" for time in np.ravel(call.arguments["times"])],
    "periodic": lambda call: ["sine", "cosine"],
    "box_rows": lambda call: ["x0", "y0", "x1", "y1", "height", "width"],
}
#: blocks of columns that are something else each
BLOCKS = {"learned_boxes": ["x0", "y0", "x1", "y1", "height", "width"]}
#: what the rows of a table are, likewise
ROWS = {
    "mean_of_rows": lambda call: [counted(np.sum(np.asarray(span) >= 0)) for span in call.arguments["rows"]],
}
#: what the numbers of a table are, where its name does not say so
VALUES = {"rope_table": "cosine", "xpos_table": "cosine times the scale", "xpos_scale": "scale",
          "heat_kernel": "heat left, less its even share",
          "random_walk_positions": "probability to be back"}  # fmt: skip


@guarded
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

    Parameters
    ----------
    table : str or array_like
        The name of an encoding, or an array (positions, channels); longer axes than 512 are thinned, and say so.
    wavelengths : array_like, optional
        One for each channel, in positions; those of sinusoids and rotations follow from the call.
    ax : matplotlib Axes, optional
        An Axes to draw on, else one in a figure of its own.
    theme : {'light', 'dark'}, default 'light'
        "light" or "dark".
    **arguments : keywords
        Keywords of the encoding.

    Returns
    -------
    matplotlib Axes
        The Axes; `plots.save(ax, "table.svg")` writes it.

    Raises
    ------
    InputError
        E_CHOICE, E_SHAPE, E_MISSING without matplotlib, and what the encoding raises.

    Notes
    -----
    NaN is hatched, infinities are striped.

    Examples
    --------
    >>> ax = heat_map("sinusoidal", positions=64, dim=32)  # doctest: +SKIP
    """
    from . import name_lookup

    style.needed()
    if isinstance(table, str):
        call = called(name_lookup.entry_of(table), arguments)
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
        rows, found, title = matrices.numbers("table", table), None, "heat map: table"
        if rows.ndim != 2:
            raise InputError("E_SHAPE", "table", f"table must have two axes, got shape {rows.shape}")
    if wavelengths is not None:
        found = matrices.numbers("wavelengths", wavelengths)
        if found.shape != (rows.shape[1],):
            sentence = f"wavelengths must be {rows.shape[1]} numbers, got shape {found.shape}"
            raise InputError("E_SHAPE", "wavelengths", sentence)
        if (found <= 0).any():
            sentence = f"wavelengths must be greater than 0, got {float(np.nanmin(found)):g}"
            raise InputError("E_NUMBER", "wavelengths", sentence)
    with style.canvas(ax, theme) as ax:
        drawn(ax, rows, ("position", "channel"), found)
        return style.titled(ax, title, _words("A table", rows, found), RISE * (found is not None))


def draw_table(ax, call, result, title):
    """The table of a call, with wavelengths where its channels are sinusoids."""
    rows = flattened(result)
    found = wavelengths_of(call, rows.shape[1])
    names, at = names_of(call), places_of(call, *rows.shape)
    drawn(ax, rows, names, found, at=at, title=VALUES.get(call.entry.name, "value"))
    named(ax, call, *rows.shape)
    words = _words("A table", rows, found, names)
    return style.titled(ax, title, f"{call.entry.summary} {words}", RISE * (found is not None))


def counted(rows):
    """So many rows in words."""
    return "no row" if rows == 0 else "1 row" if rows == 1 else f"{rows} rows"


def named(ax, call, rows, columns):
    """Words in place of numbers where the columns or rows are not alike, and lines between their blocks."""
    name = call.entry.name
    if name in COLUMNS and columns <= 12:
        ax.set_xticks(range(columns), COLUMNS[name](call))
    if name in ROWS and rows <= 12 and np.ndim(call.arguments["rows"]) == 2:
        ax.set_yticks(range(rows), ROWS[name](call))
    if name in BLOCKS and call.arguments["combine"] == "concat":
        width = columns / len(BLOCKS[name])
        edges = np.arange(len(BLOCKS[name]), dtype=np.int64) * width - 0.5
        ax.set_xticks(edges + width / 2, BLOCKS[name])
        for edge in edges[1:]:
            ax.axvline(edge, color=style.palette().ground, linewidth=2)


def places_of(call, rows, columns):
    """The numbers of the first and last row and column where they are not those of the array: the positions, times or
    coordinates that were given, if their steps are equal; None otherwise."""
    name = call.entry.name
    if name == "distance_features":
        return 1 - call.arguments["query_len"], call.arguments["key_len"] - 1, 0, columns - 1
    if name == "random_walk_positions" and np.ndim(call.arguments["steps"]) == 0:
        return 0, rows - 1, 1, columns
    first = call.arguments.get(next(iter(call.entry.parameters)))
    if name not in GIVEN or np.size(first) != rows or rows < 2:
        return None
    given = np.asarray(first, np.float64).reshape(-1)
    steps = np.diff(given)
    if not steps[0] > 0 or np.abs(steps - steps[0]).max() > 1e-9 * steps[0]:
        return None
    return given[0], given[-1], 0, columns - 1


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
    side.set_xlabel(f"score with {token} 0,\ndivided by the width", fontsize=style.FONT - 1)
    words = f"{call.entry.summary} The same vector of ones, rotated to each of {len(rows)} positions: "
    words += f"{_words('a table', rows, found, (token, 'channel'))} Beside it the score of the first place with every "
    words += f"other, {scores[0] / rows.shape[1]:.3g} at the start and {scores[-1] / rows.shape[1]:.3g} at the end."
    return style.titled(ax, title, words, RISE * (found is not None))


def drawn(ax, rows, names, wavelengths, bar_place=(1.02, 0.0, 0.025, 1.0), at=None, title="value"):
    """The heat map, its bar, and the wavelengths above it."""
    image = matrices.draw(ax, rows, names=names, at=at)
    matrices.bar(ax, image, "\n".join(filter(None, (title, matrices.notes(rows)))), place=bar_place)
    if wavelengths is not None:
        above = style.beside(ax, (0.0, 1.1, 1.0, 0.24), sharex=ax)
        finite = np.where(np.isfinite(wavelengths), wavelengths, np.nan)
        above.plot(
            np.arange(len(finite), dtype=np.int64), finite, drawstyle="steps-mid", color=style.palette().lines[0]
        )
        length = len(rows) if at is None else at[1] - at[0]
        above.axhline(length, color=style.palette().lines[1], linestyle="--", linewidth=1)
        told = f"{length} {names[0]}s" if at is None else f"{names[0]} {at[0]:g} to {at[1]:g}"
        above.annotate(told, (0, length), (2, 2), textcoords="offset points",
                       fontsize=style.FONT - 2, color=style.palette().lines[1])  # fmt: skip
        above.set_yscale("log")
        above.tick_params(labelbottom=False)
        above.set_ylabel("wave-\nlength")
        above.grid(True, axis="y")


def _words(what, rows, wavelengths, names=("position", "channel")):
    down, across = (name.partition(",")[0] for name in names)
    text = f"{what}, {down} down ({rows.shape[0]}) and {across} across ({rows.shape[1]}), "
    text += f"values {matrices.extent(rows, '.3g')}."
    if wavelengths is not None:
        finite = wavelengths[np.isfinite(wavelengths)]
        text += f" Above it the wavelengths of the channels, {style.ends(finite)}."
    return f"{text} {matrices.told(rows)}"


def flattened(result):
    """A table of any shape as (rows, channels)."""
    return np.asarray(result).reshape(-1, np.shape(result)[-1]) if np.ndim(result) != 2 else np.asarray(result)


def names_of(call):
    """What stands in the rows and columns of a result."""
    first = next(iter(call.entry.parameters))
    rows = {"positions": "position", "timesteps": "timestep", "boxes": "box", "times": "time", "t": "time t",
            "coordinates": "place", "frames": "cell"}.get(first, "token")  # fmt: skip
    special = {
        "shift_matrix": ("channel after", "channel before"), "convit_start": ("head", "weight of"),
        "calendar_features": ("time", "feature"), "frames": ("frame", "sample"), "audio_patches": ("patch", "number"),
        "cosmos_learnable": ("cell", "channel"), "resize_packed": ("cell", "channel"), "periodic": ("x", "feature"),
        "fourier_bands": ("coordinate", "channel"), "fourier_projection": ("coordinate", "channel"),
        "integrated_fourier": ("mean coordinate", "channel"), "fixed_temporal": ("time", "channel"),
        "learned_boxes": ("box", "channels of"), "mean_of_rows": ("mean of", "channel"),
        "rope_table": ("position", "pair"), "xpos_table": ("position", "pair"), "xpos_scale": ("position", "pair"),
        "box_rows": ("box", "row of the table of"), "hash_rows": ("hash", "character"),
        "context_rows": ("block", "place of a key"), "distance_features": ("distance", "feature"),
        "laplacian_positions": ("node", "eigenvector"), "random_walk_positions": ("node", "steps"),
        "heat_kernel": ("node", "time"), "electrostatic_positions": ("node", "statistic"),
        "tree_positions": ("node", "channel"), "spatial_rows": ("from node", "to node"),
        "attention": ("query", "key"), "merge_outputs": ("query", "channel"), "add": ("position", "channel"),
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
    if call.entry.family not in ("absolute", "tables") and (pairs or call.entry.name.endswith(("_rows", "_scores"))):
        return "query", "key"
    return rows, "channel"


def wavelengths_of(call: Call, channels: int) -> Any:
    """The wavelength of each channel of a table of sinusoids; None where the table is another."""
    name, arguments = call.entry.name, {**call.entry.defaults, **call.arguments}
    if name not in SINUSOIDS or (name == "sinusoidal" and (arguments["odd"] == "pad" or arguments["endpoint"])):
        return None
    known = arguments.get("frequencies")
    if isinstance(known, Frequencies):
        waves = known.wavelengths
    else:
        base, make = arguments.get("base", arguments.get("max_period", 10000)), catalogue.ENTRIES["inverse_frequencies"]
        width = arguments.get("rotary_dim") or arguments.get("dim") or np.shape(arguments.get("x", [0] * channels))[-1]
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
