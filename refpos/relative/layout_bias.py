"""The bias of LayoutLM v2 and v3: a bucket of places in the text and two of places on the page."""

from __future__ import annotations

import math

import numpy as np

from .. import checks
from ..arithmetic import formats
from ..catalogue import register
from ..errors import InputError
from ..steps.distances import log_edges
from ..steps.distances.bias import LARGEST_OFFSET
from ..steps.rows import doubles
from ..steps.scores import ordered_sums
from ..types import Array, ArrayLike, DType, Integer
from .t5_buckets import MOST_BUCKETS, bucket_edges, rule

__all__ = ["layout_bias"]

LEFT, LOWER = 0, 3  # the sides of a box that are compared


@register(
    family="relative",
    paper="Xu et al. 2021, LayoutLMv2, arXiv:2012.14740, section 2.2",
    conventions="key minus query of places, left and lower sides; divided by sqrt(head_dim) or not (no default)",
    contract="written",
    also="LayoutLMv2, LayoutLMv3, spatial attention bias",
)
def layout_bias(
    weight: ArrayLike | None,
    x_weight: ArrayLike | None,
    y_weight: ArrayLike | None,
    position_ids: ArrayLike | None,
    boxes: ArrayLike | None,
    *,
    head_dim: Integer | None,
    max_distance: Integer = 128,
    max_box_distance: Integer = 256,
    dtype: DType = "float64",
    out: Array | None = None,
    threads: Integer | None = None,
) -> Array:
    """The relative position bias of LayoutLMv2 and v3: one of the text, two of the page.

        B[h, i, j] = (weight[b(p_j - p_i), h] + (x_weight[c(x0_j - x0_i), h] + y_weight[c(y1_j - y1_i), h])) / s

    b, c: `t5_buckets` in both directions, as many as the weights have rows, to max_distance and to max_box_distance. s
    = sqrt(head_dim), as LayoutLMv3 divides the bias too; head_dim=None, LayoutLMv2, leaves it out.

    Parameters
    ----------
    weight : array_like or None
        Learned table of the distances of position ids, shape (buckets, heads), in LayoutLM rel_pos_bias.weight.T.
    x_weight : array_like or None
        Learned table of the distances of left sides, shape (buckets, heads), rel_pos_x_bias.
    y_weight : array_like or None
        Learned table of the distances of lower sides, shape (buckets, heads), rel_pos_y_bias.
    position_ids : array_like or None
        Integers (..., tokens).
    boxes : array_like or None
        Integers (..., tokens, 4), left, upper, right and lower side, of which the left and the lower are read.
    head_dim : int or None
        Head dimension, by whose root the bias is divided; None to leave that out.
    max_distance : int, default 128
        Largest distance of the buckets of position ids.
    max_box_distance : int, default 256
        Largest distance of the buckets of box sides.
    dtype : str or dtype, default 'float64'
        Format of the result: float64, float32, float16 or bfloat16.
    out : ndarray, optional
        Array that receives the result.
    threads : int, optional
        Number of threads; the default is all cores. The values never depend on it.

    Returns
    -------
    ndarray
        Shape (..., heads, tokens, tokens) of class `sequence64`: each sum, the root and the quotient are rounded to
        float64, then the result once to `dtype`.

    Raises
    ------
    InputError
        E_SHAPE, E_DTYPE, E_CHOICE (arguments that belong together), E_SIZE (head_dim, distances, threads), E_POSITION
        (beyond +-2**53), E_OUT, E_TOO_LARGE.

    Notes
    -----
    What a model lacks is None: weight and position_ids, or both others and boxes.

    LayoutLMv2 adds weight and the two others to its scores one after the other.

    References
    ----------
    Transformers 5.23.0, models/layoutlmv2/modeling_layoutlmv2.py, LayoutLMv2Encoder, and
    models/layoutlmv3/modeling_layoutlmv3.py, LayoutLMv3Encoder and LayoutLMv3SelfAttention.

    Examples
    --------
    >>> import numpy as np
    >>> table = np.arange(4.0)[:, None]
    >>> boxes = [[0, 0, 1, 1], [5, 0, 6, 1]]
    >>> layout_bias(table, 10 * table, 100 * table, [0, 1], boxes, head_dim=None)[0]
    array([[ 0., 33.],
           [11.,  0.]])
    """
    fmt, _ = formats.resolve(dtype), checks.thread_count(threads)
    divisor = None if head_dim is None else math.sqrt(checks.integer("head_dim", head_dim, 1))
    parts, shape = read_layout(weight, x_weight, y_weight, position_ids, boxes, max_distance, max_box_distance)
    apart_from = doubles.arrays(weight, x_weight, y_weight, position_ids, boxes)
    result, stored = checks.output(out, shape, fmt, apart_from=apart_from)
    if stored.size:
        with np.errstate(all="ignore"):
            values = summed([gathered_biases(table, rows) for table, rows in parts])
            doubles.store(stored, ordered_sums.canonical(values if divisor is None else values / divisor), fmt)
    return result


def read_layout(weight, x_weight, y_weight, position_ids, boxes, max_distance, max_box_distance):
    """[(table, rows)] of each bias, float64 (buckets, heads) and int64 (..., tokens, tokens), and the shape of all."""
    _check_given(weight, x_weight, y_weight, position_ids, boxes)
    parts = []
    if weight is not None:
        places = _whole("position_ids", position_ids)
        if not places.ndim:
            raise InputError("E_SHAPE", "position_ids", "position_ids must be (..., tokens), got a single number")
        parts.append(("weight", weight, places, "max_distance", max_distance))
    if x_weight is not None:
        sides = _whole("boxes", boxes)
        if sides.ndim < 2 or sides.shape[-1] != 4:
            raise InputError("E_SHAPE", "boxes", f"boxes must be (..., tokens, 4), got shape {sides.shape}")
        for name, table, side in (("x_weight", x_weight, LEFT), ("y_weight", y_weight, LOWER)):
            parts.append((name, table, sides[..., side], "max_box_distance", max_box_distance))
    made, heads = [], None
    for name, values, places, limit, most in parts:
        table, _ = doubles.read(name, values, ("buckets", "heads"))
        if heads not in (None, table.shape[1]):
            sentence = f"{name} must have {heads} heads as the first table has"
            raise InputError("E_SHAPE", name, f"{sentence}, got {table.shape[1]}")
        heads = table.shape[1]
        edges, upper = _edges(name, table, limit, most)
        made.append((table, log_edges.apply(places[..., None, :] - places[..., :, None], *rule(edges, upper))))
    try:
        *lead, tokens, _ = checks.broadcast(*(rows.shape for _, rows in made))
    except ValueError:
        tokens = None
    if tokens is None or any(rows.shape[-1] != tokens for _, rows in made):
        wanted = f"boxes must have as many tokens as position_ids, {made[0][1].shape[:-1]}"
        sentence = f"{wanted}, and leading axes that broadcast"
        raise InputError("E_SHAPE", "boxes", f"{sentence}, got {made[-1][1].shape[:-1]}")
    return made, (*lead, heads, tokens, tokens)


def _check_given(weight, x_weight, y_weight, position_ids, boxes):
    if weight is None and x_weight is None:
        raise InputError("E_CHOICE", "weight", "weight must be given where x_weight is None, got None")
    pairs = (("position_ids", position_ids, "weight", weight), ("y_weight", y_weight, "x_weight", x_weight),
             ("boxes", boxes, "x_weight", x_weight))  # fmt: skip
    for name, value, other, partner in pairs:
        if (value is None) != (partner is None):
            wanted = "None" if partner is None else "given"
            raise InputError("E_CHOICE", name, f"{name} must be {wanted} as {other} is, got {_said(value)}")


def _said(value):
    return "None" if value is None else type(value).__name__


def _edges(name, table, limit, most):
    """Where buckets begin, as many as the table has rows."""
    rows = len(table)
    if rows % 2 or not 4 <= rows <= MOST_BUCKETS:
        sentence = f"{name} must have an even number of rows from 4 to {MOST_BUCKETS}, one for each bucket"
        raise InputError("E_SHAPE", name, f"{sentence}, got {rows}")
    return bucket_edges(rows, checks.integer(limit, most, rows // 4 + 1), True)


def _whole(name, values):
    """Integers as int64, whose differences fit."""
    array = checks.integers(name, values)
    low, high = (int(array.min()), int(array.max())) if array.size else (0, 0)
    if low < -LARGEST_OFFSET or high > LARGEST_OFFSET:
        beyond = low if low < -LARGEST_OFFSET else high
        raise InputError("E_POSITION", name, f"{name} must be from -2**53 to 2**53, got {beyond}")
    return array.astype(np.int64)


def gathered_biases(table, rows):
    """(..., heads, tokens, tokens) of a table (buckets, heads)."""
    return np.moveaxis(table[rows], -1, -3)


def summed(parts, add=np.add):
    """The bias of the text plus the sum of those of the page; `add` of two, where numbers are more than arrays."""
    page = parts[-1] if len(parts) == 1 else add(parts[-2], parts[-1])
    return add(parts[0], page) if len(parts) == 3 else page
