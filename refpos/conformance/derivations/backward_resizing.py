"""Error bounds of the gradients of learned tables at another size: transposed weights, and sums in any order."""

from typing import NamedTuple

import numpy as np

from ...positions.multimodal.vision_token_order import vision_token_order
from ...steps.rows.interpolation_weights import NEAREST
from ...tables.resize_bias import FILTERS, HALF_PIXEL, points_of, read_windows
from ...tables.resize_packed import OPTIONS
from ...tables.resize_table import READ, read_plan
from ..registry import complete
from .backward import bounds_gradients, numbers
from .resizing import Weights, along, weighted_sizes, weights_of_axis
from .rounding_errors import INFLATE, compound, underflow_error, unit_roundoff
from .running_error import Bounded

COORDINATES = 6  # roundings of a difference of two coordinates, and of that of the points beside it
SHARE = 4  # roundings of a quotient up to 1 of such differences, and of 1 less it
FLUSHED = 8  # numbers of a term that may be flushed to zero, each times weights of all axes, which are at most 1.6
SMALLER = 2.0**-60  # so that no sum of sizes overflows, where the sum itself is finite


class Sums(NamedTuple):
    """Sums of numbers of a program, of their errors and of their sizes times SMALLER, and how many numbers each is the
    sum of."""

    values: np.ndarray
    error: np.ndarray
    sizes: np.ndarray
    count: np.ndarray

    def added(self, other):
        """Those of both."""
        return Sums(*(one + two for one, two in zip(self, other)))

    def change(self, rule):
        """Each of the four arrays at other places."""
        return Sums(*map(rule, self))


def terms(x):
    """Numbers before any sum."""
    return Sums(x.values, x.error, (np.abs(x.values) + x.error) * SMALLER, np.ones(x.values.shape))


def transposed(x, axes):
    """Sums (*old, channels) of sums (*new, channels), by the transposed `Weights` of each axis."""
    # a weight without summands is 0 in every program
    back = [Weights(axis.exact.T, (axis.error * (axis.summands > 0)).T, axis.most, axis.summands.T) for axis in axes]
    exact, summands = ([getattr(axis, name) for axis in back] for name in ("exact", "summands"))
    error, sizes = weighted_sizes(back, x.sizes)
    error = error / SMALLER + along([np.abs(axis) for axis in exact], x.error)
    return Sums(along(exact, x.values), error, sizes, along(summands, x.count))


def rounded(x, count, fmt):
    """The `Bounded` of sums in any order whose terms are products with weights of so many axes."""
    steps = x.count + count + 2  # the products, and a rounding of the sum that is empty before
    error = x.error + compound(steps * unit_roundoff(fmt)) / SMALLER * x.sizes + FLUSHED * steps * underflow_error(fmt)
    return Bounded(x.values, np.where(x.count > 0, error * INFLATE, 0.0), fmt)


def known(matrix):
    """`Weights` that every program has: 0 and 1."""
    return Weights(matrix, np.zeros(matrix.shape), 1, matrix)


def matrix_of(axis, old):
    """Weights {old row: fraction} of new rows, (new, old)."""
    matrix = np.zeros((len(axis), old))
    for row, weights in zip(matrix, axis):
        for column, weight in weights.items():
            row[column] = float(weight)
    return matrix


def _axes_of(given, plan, old, fmt):
    """The `Weights` of each axis of a call of `resize_table`, where so many rows are left."""
    if given["method"] in NEAREST:
        return [known(matrix_of(*axis)) for axis in zip(plan.axes, old)]
    scale, u = given["scale"], unit_roundoff(fmt)
    scales = scale if isinstance(scale, (list, tuple)) else [scale] * len(old)
    return [weights_of_axis(*axis, given, u) for axis in zip(old, plan.size, scales)]


@bounds_gradients("resize_table")
def _resize_table(given, fmt):
    table, tile, plan = read_plan(**{name: given[name] for name in READ})
    x, channels = numbers(given["cotangent"], fmt), table.shape[-1]
    first, cells = (terms(x).change(lambda part, rows=rows: part[rows]) for rows in _split(plan.prefix))
    cells = cells.change(lambda part: part.reshape(*plan.size, channels))
    old = [part.stop - part.start for part in plan.region]
    of_cells = Sums(*np.zeros((4, *plan.old, channels)))
    if x.values.size:
        for whole, part in zip(of_cells, transposed(cells, _axes_of(given, plan, old, fmt))):
            whole[plan.region] = part
    found = {"weight": _with_rows(first, rounded(of_cells, len(old), fmt), given["grid"])}
    if tile is not None:
        repeats = [
            np.arange(new, dtype=np.int64)[:, None] % wide == np.arange(wide, dtype=np.int64)
            for new, wide in zip(plan.size, tile.shape)
        ]
        axes = [known(matrix.astype(np.float64)) for matrix in repeats]
        found["window"] = rounded(transposed(cells, axes), 0, fmt)
    return found


def _split(count):
    """The first rows, so many, and all others."""
    return slice(count), slice(count, None)


def _with_rows(first, x, grid):
    """The rows of a grid behind those that were copied; without a grid there are none."""
    if grid is None:
        return x
    flat = (part.reshape(-1, part.shape[-1]) for part in x[:2])
    return Bounded(*(np.concatenate(parts) for parts in zip(first[:2], flat)), x.fmt)


@bounds_gradients("resize_packed")
def _resize_packed(given, fmt):
    """All frames of an image and the copies of its first row are summed before the weights, or after them."""
    grids, merge, length = np.asarray(given["grid_thw"], np.int64), given["merge_size"], given["length"]
    options = complete("resize_table", {"weight": None, "size": None} | {name: given[name] for name in OPTIONS})
    order = vision_token_order(grids, order="merge-blocks", spatial_merge_size=merge)[:, 1:]
    old = np.shape(given["weight"])
    x, start = terms(numbers(given["cotangent"], fmt)), 0
    found = Sums(*np.zeros((4, *old)))
    for image, (frames, *size) in enumerate(grids.tolist()):
        stop = start + frames * size[0] * size[1]
        cells, here = order[start:stop], slice(start, stop) if length is None else image
        if length is not None:  # the rows behind are copies of the first
            cells = np.concatenate([cells, np.repeat(cells[:1], length - len(cells), 0)])
        at_cells = x.change(lambda part, here=here, cells=cells, size=size: _added(part[here], cells, size))
        plan = read_plan(given["weight"], size, *(options[name] for name in OPTIONS))[2]
        axes = _axes_of(options, plan, old[:-1], fmt)
        found, start = found.added(transposed(at_cells, axes)), stop
    return {"weight": rounded(found, 2, fmt)}


def _added(rows, cells, size):
    """Rows (n, channels) added to their cells of a grid of that size."""
    made = np.zeros((*size, rows.shape[-1]))
    np.add.at(made, tuple(cells.T), rows)
    return made


@bounds_gradients("resize_bias")
def _resize_bias(given, fmt):
    table, plan = read_windows(*(given[name] for name in ("weight", "old", "new", "method", "class_token")))
    dy, heads = numbers(given["cotangent"], fmt), table.shape[1]
    if plan.old == plan.new:
        return {"weight": dy}  # a copy
    cells, last = (terms(dy).change(lambda part, rows=rows: part[rows]) for rows in _split(len(dy.values) - plan.last))
    cells = cells.change(lambda part: part.reshape(*plan.after, heads))
    axes = [_of_window(*axis, plan.method, fmt) for axis in zip(plan.before, plan.after, plan.axes())]
    made = rounded(transposed(cells, axes), 2, fmt)
    flat = (part.reshape(-1, heads) for part in made[:2])
    return {"weight": Bounded(*(np.concatenate(parts) for parts in zip(flat, last[:2])), fmt)}


def _of_window(old, new, weights, method, fmt):
    """The `Weights` of one axis of a grid of offsets."""
    if method != "geometric":
        options = complete("resize_table", {"weight": None, "size": new, **FILTERS[method]})
        return weights_of_axis(old, new, None, options | HALF_PIXEL, unit_roundoff(fmt))
    return _between(matrix_of(weights, old), points_of((old + 1) // 2, (new + 1) // 2), fmt)


def _between(matrix, points, fmt):
    """Weights of a line between ascending points, which a program rounds. A coordinate that it may find on the other
    side of a point has the weights of either side."""
    u, new = unit_roundoff(fmt), len(matrix)
    points = np.array([float(point) for point in points])
    gap = np.min(np.diff(points), initial=np.inf)
    moved = COORDINATES * u * (np.max(np.abs(points)) + new)
    x = np.arange(new, dtype=np.float64)[:, None] - new // 2
    # the hat of a point reaches to the points beside it; beyond the ends the last weight is 1
    edges = np.concatenate([[-np.inf], points, [np.inf]])
    within = (edges[:-2] - moved < x) & (x < edges[2:] + moved)
    beyond = (x < points[0] - moved) | (x > points[-1] + moved)
    error = np.where(within & ~beyond, moved / gap + SHARE * u, 0.0)
    return Weights(matrix, error, 2, within.astype(np.float64))
