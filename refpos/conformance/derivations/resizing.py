"""Error bounds of learned tables at another size."""

from itertools import accumulate, pairwise
from math import prod
from typing import NamedTuple

import numpy as np

from ... import checks
from ...positions.multimodal.vision_token_order import vision_token_order
from ...steps.rows.interpolation_weights import NEAREST, SUPPORT
from ...steps.rows.learned_tables import read_size
from ...steps.scores import ordered_sums
from ..classes import BFLOAT16, FLOAT32, RESIZE_CLASSES, WEIGHTS16
from ..registry import complete, error_bound
from . import running_error
from .exact_inputs import exact_channels, exact_values
from .rounding_errors import compound, rounded_bound, underflow_error, unit_roundoff
from .running_error import Bounded

COORDINATE = 6  # roundings of a coordinate, none of a number beyond the grid and its first row outside
WEIGHT = {"linear": 4, "cubic": 48}  # roundings of numbers up to 1 that a weight has
SLOPE = {"linear": 1.0, "cubic": 1.4}  # no filter is steeper: (a + 3)**2 / (3 (a + 2)) is 1.35 and 1.39
COMPUTED = 2.0**-45  # relative to the sum of sizes, more than this derivation loses of the exact sum


class Weights(NamedTuple):
    """Weights of one axis and how far computed ones may be off: (new, old)."""

    exact: np.ndarray
    error: np.ndarray
    most: int  # weights of a row that are computed
    summands: np.ndarray  # how many of them each weight is the sum of


@error_bound("resize_table")
def _resize_table(arguments, fmt):
    values, prefix = exact_channels(arguments["weight"], BFLOAT16), 0
    size, channels = read_size(arguments["size"]), values.shape[-1]
    if arguments["grid"] is not None:
        prefix = checks.integer("prefix", arguments["prefix"])
        values = values[prefix:].reshape(*arguments["grid"], channels)
    values = values[tuple(slice(*ends) for ends in arguments["crop"] or ())]
    window = arguments["window"]
    tile = 0.0 if window is None else _repeated(exact_channels(window, BFLOAT16), size)
    limits = {}
    for name, (arithmetic, held) in _classes(fmt).items():
        shape = (*size, channels)
        if arguments["method"] in NEAREST or not all(shape):
            limit = np.zeros(shape)  # rows are copied
        else:
            limit = _limit(values, tile, arguments, size, arithmetic, held, fmt)
        if arguments["grid"] is not None:
            limit = np.concatenate([np.zeros((prefix, channels)), limit.reshape(-1, channels)])
        limits[name] = {"output": limit}
    return limits


def _classes(fmt):
    """{class: (arithmetic, format to which it rounds the weights of an axis, or None)}."""
    kinds = {name: (arithmetic, None) for name, arithmetic in RESIZE_CLASSES.items()}
    return kinds | ({WEIGHTS16: (FLOAT32, fmt)} if fmt.width == 16 else {})


def _limit(values, tile, arguments, size, arithmetic, held, fmt):
    """Bounds of the cells of the new grid; held: the format to which the weights of each axis are rounded, or None."""
    u, scale = unit_roundoff(arithmetic), arguments["scale"]
    scales = scale if isinstance(scale, (list, tuple)) else [scale] * len(size)
    axes = [weights_of_axis(*along, arguments, u, held) for along in zip(values.shape, size, scales)]
    with np.errstate(invalid="ignore", over="ignore"):
        exact = along([axis.exact for axis in axes], values) + tile
        error, sizes = weighted_sizes(axes, np.abs(values))
        sizes = sizes + np.abs(tile)
        # products of weights, with the value, and sums in any order
        steps = prod(axis.most for axis in axes) + len(axes) + 2
        error = error + compound(steps * u) * sizes + steps * underflow_error(arithmetic)
        limit = rounded_bound(error, np.abs(exact) + COMPUTED * sizes, arithmetic, fmt)
    return np.where(np.isfinite(limit), limit, 0.0)


def weighted_sizes(axes, sizes):
    """What the errors of the `Weights` of all axes make of numbers of these sizes, and the sums of their sizes."""
    computed, error = [np.abs(axis.exact) + axis.error for axis in axes], 0.0
    for k, axis in enumerate(axes):  # weights off along one axis, those before it too, those behind it not
        exact_behind = [np.abs(other.exact) for other in axes[k + 1 :]]
        error = error + along([*computed[:k], axis.error, *exact_behind], sizes)
    return error, along(computed, sizes)


def weights_of_axis(old, new, scale, arguments, u, held=None):
    """The weights of one axis; held: the format to which they are rounded, or None."""
    method, corners = arguments["method"], arguments["align"] == "corners"
    step = float(1 / checks.positive("scale", scale)) if scale is not None else old / new
    if corners:
        step = (old - 1) / (new - 1) if new > 1 else 0.0
    index = np.arange(new, dtype=np.float64)
    at = index * step if corners else (index + 0.5) * step - 0.5
    stretch = max(step, 1.0) if arguments["antialias"] else 1.0
    clamped = not arguments["antialias"] and arguments["border"] in (None, "clamp")
    reach = int(np.ceil(SUPPORT[method] * stretch)) + 1
    offsets = np.floor(at)[:, None] + np.arange(-reach, reach + 2, dtype=np.float64)
    distances = np.abs(offsets - at[:, None])
    weights = _filter(distances / stretch, method, arguments["cubic"])
    moved = COORDINATE * u * (max(old, at.max()) + 1)
    errors = np.full(weights.shape, SLOPE[method] * moved / stretch + WEIGHT[method] * u)
    inside = np.clip(offsets, 0, old - 1).astype(np.intp)
    read = np.ones(weights.shape, bool) if clamped else inside == offsets
    within = (distances < SUPPORT[method] * stretch + 2 * moved).astype(np.float64)  # others are 0
    normalised = arguments["antialias"] or arguments["border"] == "renormalise"
    if not normalised:  # each before those of a border cell are added up
        errors = _after_rounding(weights, errors, held)
    exact, error, summands = np.zeros((3, new, old))
    rows = np.broadcast_to(np.arange(new, dtype=np.intp)[:, None], inside.shape)
    for total, part in ((exact, weights), (error, errors), (summands, within)):
        np.add.at(total, (rows[read], inside[read]), part[read])
    if normalised:
        total, off = exact.sum(1, keepdims=True), error.sum(1, keepdims=True)
        exact = exact / total
        error = (error + np.abs(exact) * off) / (total - off) + compound((2 * reach + 4) * u) * np.abs(exact)
        error = _after_rounding(exact, error, held)
    return Weights(exact, error, 2 * reach + 2, summands)


def _after_rounding(values, error, fmt):
    """The errors of values that are then rounded to a format, if to any."""
    if fmt is None:
        return error
    return error + unit_roundoff(fmt) * (np.abs(values) + error) + underflow_error(fmt)


def _filter(x, method, cubic):
    """The triangle, or the cubic of that slope, at distances from 0 on."""
    if method == "linear":
        return np.maximum(1 - x, 0.0)
    a = float(checks.real("cubic", cubic))
    near, far = ((a + 2) * x - (a + 3)) * x * x + 1, a * (((x - 5) * x + 8) * x - 4)
    return np.where(x < 1, near, np.where(x < 2, far, 0.0))


def along(matrices, values):
    """A matrix (new, old) applied along each axis; by a library of matrices bounds would differ between machines."""
    for k, matrix in enumerate(matrices):
        front = np.moveaxis(values, k, 0)
        rows = ordered_sums.matmul(matrix, front.reshape(len(front), -1))
        values = np.moveaxis(rows.reshape(len(matrix), *front.shape[1:]), 0, k)
    return values


def transposed(x, old, options):
    """The gradient for a table of so many rows, from the `Bounded` x for it at another length: the transposed weights,
    which are off as those of the table are, and sums in any order."""
    arguments = complete("resize_table", {"weight": np.zeros((old, 1)), "size": len(x.values), **options})
    axis = weights_of_axis(old, len(x.values), None, arguments, unit_roundoff(x.fmt))
    weights = Bounded(axis.exact.T, axis.error.T, x.fmt)
    return running_error.matmul(weights, x)


def _repeated(tile, size):
    """The second table at each new cell."""
    return tile[np.ix_(*(np.arange(new, dtype=np.intp) % old for new, old in zip(size, tile.shape)))]


@error_bound("resize_packed")
def _resize_packed(arguments, fmt):
    """That of each image, in its order."""
    grids, merge = exact_values(arguments["grid_thw"]).astype(np.int64), arguments["merge_size"]
    order = vision_token_order(grids, order="merge-blocks", spatial_merge_size=merge)[:, 1:]
    own = {name: arguments[name] for name in ("method", "align", "cubic", "antialias", "border")}
    own["weight"] = exact_channels(arguments["weight"], BFLOAT16)
    counts, length = np.prod(grids, axis=1, dtype=np.int64).tolist(), arguments["length"]
    shape = (len(order),) if length is None else (len(counts), length)
    limits = {name: {"output": np.zeros((*shape, own["weight"].shape[-1]))} for name in _classes(fmt)}
    for image, (start, stop) in enumerate(pairwise(accumulate(counts, initial=0))):
        of_image = _resize_table(complete("resize_table", {**own, "size": grids[image, 1:].tolist()}), fmt)
        for name, outputs in of_image.items():
            output = limits[name]["output"]
            rows = output[start:stop] if length is None else output[image]
            rows[: stop - start] = outputs["output"][tuple(order[start:stop].T)]
            rows[stop - start :] = rows[:1]
    return limits
