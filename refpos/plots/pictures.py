"""The picture of any function of the catalogue: its kind follows from the family and the shape of the result."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import numpy as np

from ..errors import InputError, shown
from ..steps.angles.frequencies import Frequencies
from ..steps.positions.calendar_features import BY_FREQUENCY, read_frequency
from . import image_positions, matrices, style, tables, wavelength_plots
from .calls import Call, table_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes

GAP = 100  # of positions, so many times as wide as all else, where a picture is parted
#: functions of one number, with the numbers for which they are drawn
SWEEPS = {"yarn_softmax_scale": ("factor", 64), "dual_chunk_mscale": ("scale", 64)}
FARTHEST = 10**9  # of such a number, at which a dot is drawn


def draw(ax: Axes, call: Call, title: str) -> Axes:
    """The picture of a call on an Axes; its label says what it shows."""
    result = table_of(call.result)
    if isinstance(result, Frequencies):
        return wavelength_plots.draw(ax, call, title)
    result = np.asarray(result)
    for fits, kind in KINDS:
        if fits(call, result):
            return kind(ax, call, result, title)
    return in_rows(ax, call, result, title)


# -- kinds ------------------------------------------------------------------------------------------------------------


def of_one_number(ax, call, result, title):
    """A factor over the numbers that it may be made of."""
    name, most = SWEEPS[call.entry.name]
    given = call.arguments[name]
    if given > FARTHEST:
        raise InputError("E_NUMBER", name, f"{name} must be at most {FARTHEST} in a picture, got {shown(given)}")
    at = np.linspace(1, most, 127)
    values = [float(call.entry.function(**{**call.arguments, name: float(one)})) for one in at]
    ax.plot(at, values)
    ax.plot([float(given)], [float(result)], "o", color=style.palette().lines[1])
    ax.set_xlabel(name)
    ax.set_ylabel("factor")
    ax.grid(True)
    words = f"{call.entry.summary} A line over {name} from 1 to {most}; a dot at {given}."
    return style.titled(ax, title, words)


def in_rows(ax, call, result, title):
    """Numbers one after the other: bars where they are few, else a line over what they were made of."""
    values = result.reshape(-1).astype(np.float64)
    name, at = _places(call, values.size)
    finite = np.where(np.isfinite(values), values, np.nan)
    if values.size <= 24 and values.min() > 0.7 * values.max() > 0:
        ax.plot(np.arange(values.size, dtype=np.int64), finite, "o")
        ax.set_xlabel(name if at is None else "place")
        style.whole_ticks(ax, y=False)
    elif values.size <= 24:
        ax.bar(np.arange(values.size, dtype=np.int64), finite, color=style.palette().lines[0], width=0.7)
        ax.set_xlabel(name if at is None else "place")
        style.whole_ticks(ax, y=False)
    else:
        kept = matrices.chosen(values.size, 2 * matrices.MOST)
        whole = call.entry.whole or call.entry.family == "positions"
        at = np.arange(values.size, dtype=np.int64) if at is None else at
        ax.plot(at[kept], finite[kept], drawstyle="steps-mid" if whole else "default")
        ax.set_xlabel(name)
    ax.set_ylabel(_quantity(call.entry))
    ax.grid(True, axis="y")
    words = f"{call.entry.summary} {values.size} numbers over {name}, from {values.min():.4g} to {values.max():.4g}."
    return style.titled(ax, title, words)


def _places(call, size):
    """(name, numbers) of the first argument that has one number for each of the result."""
    for name, value in call.arguments.items():
        if name in ("weight", "tokens") or isinstance(value, (str, bytes)):
            continue
        try:
            numbers = np.asarray(value, np.float64)
        except (TypeError, ValueError, OverflowError):  # words, dictionaries, lists of different lengths
            continue
        if numbers.shape == (size,):
            return name.replace("_", " ").removesuffix("s"), numbers
    first = next(iter(call.entry.parameters))
    of_heads = first == "num_heads"
    if first == "edges":
        return ("node" if call.entry.family == "positions" else "eigenvector"), None
    return ("head" if of_heads else "channel" if "weight" in call.arguments else "token"), None


def _quantity(entry):
    """What the numbers of a line or of bars are."""
    special = {"t5_buckets": "bucket", "log_buckets": "bucket", "alibi_slopes": "slope", "decay_rates": "rate",
               "laplacian_values": "eigenvalue", "global_block_ids": "block", "cu_seqlens": "first token",
               "sequence_ids": "sequence", "unpad_indices": "slot", "context_parallel_indices": "token of the batch",
               "inverse_permutation": "place in the shards"}  # fmt: skip
    if entry.name in special:
        return special[entry.name]
    if entry.name.endswith("_rows"):
        return "row of the table"
    return {"positions": "position", "scores": "factor"}.get(entry.family, "value")


def on_axes(ax, call, result, title):
    """The positions of tokens, a line of steps for each axis."""
    rows = by_axis(call, result)
    kept = matrices.chosen(rows.shape[1], 200)
    names = _axis_names(call, len(rows))
    image = image_positions.largest_grid(rows) if {"row", "column"} <= {*names} else None
    below = ax if image is None else image_positions.draw(ax, rows, image, names)
    parts = _parted(below, rows)
    for part in parts:
        _steps(part, rows[: style.MOST_LINES], kept, names)
    if len(rows) > 1:
        parts[0].legend(loc="upper left", bbox_to_anchor=(1.0, 1.0))
    token = "time" if call.entry.name == "calendar_rows" else "token"
    parts[-1].set_xlabel(token if rows.shape[1] <= 200 else f"{token} (200 of {rows.shape[1]} drawn)")
    quantity = _quantity(call.entry)
    parts[-1].set_ylabel(quantity if np.issubdtype(result.dtype, np.integer) else f"{quantity} (fractions)")
    words = f"{call.entry.summary} Steps over {rows.shape[1]} {token}s, one line for each of {', '.join(names)}."
    if image is not None:
        words += f" Above them the same of an image of {image.height} by {image.width} cells, as a grid for each."
    return style.titled(ax, title, words)


def _steps(ax, rows, kept, names):
    """A line of steps for each axis."""
    marks = "os^Dvx"
    for k, (row, name) in enumerate(zip(rows, names)):
        small = 4.5 if len(kept) < 80 else 0
        ax.plot(kept, row[kept] + 0.0, marker=marks[k % len(marks)], markersize=small, drawstyle="steps-mid",
                linewidth=0.8, label=name)  # fmt: skip
    style.whole_ticks(ax)
    ax.grid(True, axis="y")


def _parted(ax, rows):
    """The Axes; or, where nothing stands in most of the range of the positions, a panel for those above the gap and one
    for those below."""
    values = np.unique(rows[np.isfinite(rows)])
    gaps = np.diff(values)
    if not gaps.size or gaps.max() <= GAP * max(1, values[-1] - values[0] - gaps.max()):
        return [ax]
    end = int(np.argmax(gaps)) + 1
    ax.set_axis_off()
    parts = style.panels(ax, 2, 1, gap=0.06, rise=1)
    for part, drawn in zip(parts, (values[end:], values[:end])):
        part.set_ylim(drawn[0] - 0.5, drawn[-1] + 0.5)
    parts[0].tick_params(labelbottom=False)
    return parts


def by_axis(call, result):
    """Positions as (axes, tokens), those of the first row of a batch."""
    both = (
        call.result
        if isinstance(call.result, tuple) and getattr(call.result, "_fields", ())[1:] == ("image",)
        else None
    )
    if both is not None:
        result = np.concatenate([np.asarray(part) for part in both])
    result = result.astype(np.float64)
    if result.ndim == 3 and call.entry.name.startswith("lumina2"):
        result = result[0]
    elif result.ndim == 3:
        result = result[:, 0]
    elif result.ndim == 1:
        result = result[None]
    tokens_first = result.shape[0] > result.shape[1] and result.shape[1] <= 4
    return result.T if tokens_first or both is not None else result


def _axis_names(call, count):
    name = call.entry.name
    if name == "calendar_rows" and call.arguments["rule"] == "informer":
        return ["month", "day", "weekday", "hour", "quarter"][:count]
    if name == "calendar_rows":
        found = BY_FREQUENCY[read_frequency(call.arguments["frequency"])]
        return [feature.replace("_", " ") for feature in found]
    told = re.match(r"The \(([a-z, ]+)\) ", call.entry.summary)
    if told and len(told[1].split(", ")) == count:
        return told[1].split(", ")
    if name == "table_rows" or name.startswith(("attention_mask", "cell_rows", "abacus", "global_block")):
        return [f"sequence {k}" for k in range(count)]
    if name == "context_parallel_indices":
        return [f"rank {k}" for k in range(count)]
    if name.startswith("hunyuan"):
        return ["sequence", "column", "row", "image"][:count]
    return {2: ["row", "column"], 3: ["time", "row", "column"]}.get(count, [f"axis {k}" for k in range(count)])


def of_pairs(ax, call, result, title):
    """A matrix of queries and keys."""
    names = tables.names_of(call)
    if call.entry.name in ("decomposed_rows", "relative_rows", "segment_rows", "window_rows"):
        names = ("query", "key")
    scale = matrices.limits(result, centre=not np.issubdtype(result.dtype, np.integer))
    square = _near_square(result) and call.entry.name not in tables.COLUMNS
    image = matrices.draw(ax, result, names=names, scale=scale, aspect="equal" if square else "auto")
    tables.named(ax, call, *result.shape)
    ax.set_anchor("W")
    matrices.bar(ax, image, _bar_title(_value_of(call.entry), result))
    rows, columns = result.shape
    words = f"{call.entry.summary} A matrix of {rows} by {columns}, values {matrices.extent(result)}."
    return style.titled(ax, title, f"{words} {matrices.told(result)}")


def _bar_title(quantity, result):
    """What the colours are, and what the patterns."""
    return "\n".join(filter(None, (quantity, matrices.notes(result))))


def _near_square(result):
    return 0.5 <= result.shape[0] / result.shape[1] <= 2


def _value_of(entry):
    special = {"decay": "multiplies the score", "convit_attention": "weight", "merge_outputs": "value",
               "context_rows": "number of the key, -1: none", "window_regions": "region",
               "dual_chunk_regions": "region, -1: not seen", "rerope_distances": "distance",
               "liere_generators": "value", "project_table": "value"}  # fmt: skip
    if entry.name in special:
        return special[entry.name]
    if entry.name.endswith("_scores") or entry.name == "dape":
        return "score"
    if entry.name.endswith("_rows"):
        return "row of the table"
    if entry.whole:
        return "value"
    if entry.family == "positions":
        return "distance" if entry.name.endswith("distances") else "value"
    if entry.name == "attention":
        return "weight"
    return {"rotary": "score", "relative": "added to the score", "scores": "score"}.get(entry.family, "value")


def of_heads(ax, call, result, title):
    """A matrix of queries and keys for each of some heads."""
    if call.entry.name == "resize_bias":  # the offsets of each axis
        result = result.T.reshape(-1, *(2 * np.array(call.arguments["new"], np.int64) - 1))
    result = result.reshape(-1, *result.shape[-2:])
    if len(result) == 1:
        return of_pairs(ax, call, result[0], title)
    picked = matrices.chosen(len(result), 4)
    names = _names_of_heads(call)
    ax.set_axis_off()
    titles = [f"{names[0]} {k}" for k in picked]
    at = _offsets(result.shape[1:]) if call.entry.name == "resize_bias" else None
    matrices.mosaic(ax, [result[k] for k in picked], titles, names=names[1:], at=at,
                    bar_title=_bar_title(_value_of(call.entry), result))  # fmt: skip
    words = f"{call.entry.summary} Matrices of {result.shape[1]} by {result.shape[2]} for {names[0]} "
    words += (
        f"{', '.join(map(str, picked))} of {len(result)}, values {matrices.extent(result)}. {matrices.told(result)}"
    )
    return style.titled(ax, title, words)


def of_hops(ax, call, result, title):
    """A matrix of pairs of nodes for the first attribute of each edge on their path."""
    return of_heads(ax, call, np.moveaxis(result[..., 0], -1, 0), title)


def _names_of_heads(call):
    special = {"project_table": ("head", "row", "channel"), "merge_outputs": ("head", "query", "channel"),
               "resize_bias": ("head", "offset of rows", "of columns"),
               "path_edge_rows": ("edge", "from node", "to node"),
               "graphormer_bias": ("head", "node", "node")}  # fmt: skip
    if call.entry.name in special:
        return special[call.entry.name]
    if call.entry.name == "liere_generators":
        return "matrix", "channel", "channel"
    return "head", "query", "key"


def of_channels(ax, call, result, title):
    """Cells of a grid, a panel for each of some channels."""
    picked = matrices.chosen(result.shape[-1], 8)
    what = {"distance_mlp": "head", "log_coordinates": "axis", "box_relation": "channel"}.get(
        call.entry.name, "channel"
    )
    names = ("box", "other box") if call.entry.name == "box_relation" else ("row", "column")
    if call.entry.name in ("distance_mlp", "log_coordinates"):
        names = ("offset of rows", "of columns")
    ax.set_axis_off()
    scale = matrices.limits(result, centre=True)
    at = None
    if names[0] == "offset of rows":
        at = _offsets(result.shape[:2])
    if call.entry.name == "sphere_code":
        names, at = ("latitude", "longitude"), _corners(call.arguments["coordinates"])
    matrices.mosaic(ax, [result[..., k] for k in picked], [f"{what} {k}" for k in picked], names=names, scale=scale,
                    at=at, numbers=False, bar_title=_bar_title("value", result))  # fmt: skip
    words = f"{call.entry.summary} A grid of {result.shape[0]} by {result.shape[1]} cells, as an image for each of the "
    words += f"{what}s {', '.join(map(str, picked))} of {result.shape[-1]}."
    return style.titled(ax, title, words)


def _corners(coordinates):
    """The first and last latitude and longitude of a grid of (longitude, latitude)."""
    coordinates = np.asarray(coordinates)
    return *coordinates[[0, -1], 0, 1], *coordinates[0, [0, -1], 0]


def _offsets(shape):
    """The first and last offset of rows and columns, of which the middle one is 0."""
    return tuple(end * (size // 2) for size in shape for end in (-1, 1))


def of_points(ax, call, result, title):
    """Points of a plane."""
    lines = result if result.ndim == 3 else result[None]
    ink = style.palette().lines[0]
    for line in lines:
        ax.plot(line[:, 0], line[:, 1], "o-" if result.ndim == 3 else "o", color=ink, markersize=2.5, linewidth=0.6)
    for line in np.swapaxes(lines, 0, 1) if result.ndim == 3 else []:
        ax.plot(line[:, 0], line[:, 1], "-", color=ink, linewidth=0.6)
    ax.set_aspect("equal")
    ax.set_xlabel("x")
    ax.set_ylabel("y")
    return style.titled(ax, title, f"{call.entry.summary} {lines.shape[0] * lines.shape[1]} points of the plane.")


# -- which kind -------------------------------------------------------------------------------------------------------


def _has(call, *names):
    return all(name in call.arguments for name in names)


def _of_queries_and_keys(call, result):
    pairs = ("query_len", "query_positions", "query", "rows", "regions", "scores", "k", "query_grid", "query_segments")
    made_of = any(name in call.entry.parameters for name in pairs) or call.entry.name in ("window_rows", "irpe_rows")
    return result.ndim == 2 and call.entry.family in ("relative", "scores", "positions", "rotary") and made_of \
        and call.entry.name not in ("relative_values", "distance_features", "cell_rows", "resize_bias", "table_rows",
                                    "mean_of_rows")  # fmt: skip


def _grid_of_channels(call, result):
    return result.ndim == 3 and min(result.shape[:2]) >= 3 and (
        (call.entry.family in ("absolute", "tables") and call.entry.name != "project_table")
        or call.entry.name in ("distance_mlp", "log_coordinates", "box_relation")
    )  # fmt: skip


KINDS: tuple[Any, ...] = (
    (lambda call, result: call.entry.name in SWEEPS, of_one_number),
    (lambda call, result: result.ndim == 0, in_rows),
    (lambda call, result: call.entry.name in ("centred_points", "equal_earth"), of_points),
    (_of_queries_and_keys, of_pairs),
    (lambda call, result: call.entry.name in ("box_rows", "hash_rows", "context_rows", "spatial_rows"), of_pairs),
    (lambda call, result: call.entry.name == "path_edge_rows", of_hops),
    (lambda call, result: call.entry.name == "degree_rows", in_rows),
    (lambda call, result: call.entry.family == "positions", on_axes),
    (lambda call, result: result.ndim == 1, in_rows),
    (_grid_of_channels, of_channels),
    (lambda call, result: call.entry.family in ("relative", "scores") and result.ndim >= 3, of_heads),
    (lambda call, result: call.entry.name in ("liere_generators", "project_table", "resize_bias"), of_heads),
    (lambda call, result: call.entry.family == "rotary" and _has(call, "x"), tables.draw_rotated),
    (lambda call, result: result.ndim >= 2, tables.draw_table),
)
