"""A learned table at the sizes of several images."""

from __future__ import annotations

from itertools import accumulate
from math import prod
from typing import NamedTuple

import numpy as np

from .. import checks
from ..arithmetic import formats
from ..catalogue import register
from ..errors import InputError
from ..steps.rows import gather, learned_tables, table_gradients
from ..steps.rows.gather import Table
from ..types import Array, ArrayLike, DType, Integer, Number
from .resize_table import Align, Border, Method, read_plan, resize_table

__all__ = ["resize_packed"]

OPTIONS = ("method", "align", "cubic", "antialias", "border")


def _gradient(function, given, cotangent):
    """The sums of the cotangents with the weights of each old cell, over all images."""
    table_gradients.check_options(given)
    options = {name: given[name] for name in OPTIONS}
    table, plan = _read(given["weight"], given["grid_thw"], given["merge_size"], given["length"], options)
    fmt, channels = learned_tables.result_format(table, given["dtype"]), table.shape[-1]
    cotangent = table_gradients.read_cotangent(cotangent, (*plan.shape, channels), fmt)
    rows, known = [], {}
    for (frames, *size), count in zip(plan.images, plan.counts):
        if tuple(size) not in known:
            known[tuple(size)] = _weights_of(given["weight"], size, plan.merge_size, options)
        own = known[tuple(size)] * frames
        rows += own if plan.length is None else own + own[:1] * (plan.length - count)
    result, stored = checks.output(None, table.shape, table.fmt)
    cells = stored.reshape(prod(table.shape[:-1]), channels)
    vectors = Table(cotangent.patterns.reshape(len(rows), channels), cotangent.fmt)
    table_gradients.fill_transposed(cells, vectors, [rows], table.fmt)
    return result


def _weights_of(weight, size, merge_size, options):
    """{cell of the table: weight} of each row of an image of that size, in blocks."""
    plan = read_plan(weight, size, **options)[2]
    wide, (down, across) = plan.old[1], plan.axes
    cells = _in_blocks(np.arange(prod(size), dtype=np.int64).reshape(*size, 1), merge_size).reshape(-1)
    return [
        {row * wide + column: a * b for row, a in down[j].items() for column, b in across[k].items()}
        for j, k in zip(*(part.tolist() for part in np.divmod(cells, size[1])))
    ]


@register(
    family="tables",
    paper="Dehghani et al. 2023, Patch n' Pack: NaViT, arXiv:2307.06304, section 2; Tschannen et al. 2025, SigLIP 2, "
    "arXiv:2502.14786",
    conventions="those of resize_table; rows in blocks of merge_size x merge_size; padding is the first resized row",
    also="NaViT, SigLIP 2",
    gradients={"weight": _gradient},
)
def resize_packed(
    weight: ArrayLike,
    grid_thw: ArrayLike,
    *,
    method: Method,
    align: Align | None = None,
    cubic: Number | None = None,
    antialias: bool = False,
    border: Border | None = None,
    merge_size: Integer = 1,
    length: Integer | None = None,
    dtype: DType | None = None,
    out: Array | None = None,
    threads: Integer | None = None,
) -> Array:
    """A learned table resized to the size of each of several images, packed one after the other.

        E[i] = resize_table(weight, (height, width), ...)[row_i, column_i],  (row_i, column_i) of `vision_token_order`

    Parameters
    ----------
    weight : array_like
        Learned table, shape (rows, columns, channels).
    grid_thw : array_like
        Integers (count, 3), frames, height and width of each image; each frame has the rows of the image.
    method : {'nearest', 'nearest-exact', 'linear', 'cubic'}
        Interpolation, as in `resize_table`.
    align : {'half-pixel', 'corners'}, optional
        Alignment of the grids, as in `resize_table`.
    cubic : float or Fraction, optional
        Parameter of the cubic kernel, as in `resize_table`.
    antialias : bool, default False
        Whether to widen the kernel where an axis shrinks, as in `resize_table`.
    border : {'clamp', 'renormalise', 'zeros'}, optional
        Treatment of rows outside the grid, as in `resize_table`.
    merge_size : int, default 1
        m; rows come in blocks of m x m patches, 1 is row by row.
    length : int, optional
        None packs the images; a number gives each image that many rows, of which those behind its own are copies of its
        first one.
    dtype : str or dtype, optional
        Format of the result, by default that of weight: float64, float32, float16 or bfloat16.
    out : ndarray, optional
        Array that receives the result.
    threads : int, optional
        Number of threads; the default is all cores. The values never depend on it.

    Returns
    -------
    ndarray
        Shape (tokens, channels), or (count, length, channels), in `dtype` or that of weight, each element the exact sum
        rounded once; a sum that is 0 is +0, and what "nearest" and "nearest-exact" copy keeps the bits of -0 and NaN
        where the dtype is the same.

    Raises
    ------
    InputError
        E_DTYPE, E_SHAPE (weight, grid_thw), E_SIZE (grid_thw, merge_size, length), E_CHOICE, E_OUT, E_TOO_LARGE.

    References
    ----------
    Transformers 5.23.0, vision_utils.py, get_vision_interpolation_indices_and_weights (Qwen3-VL, Kimi K2.5,
    PaddleOCR-VL), models/siglip2/modeling_siglip2.py, resize_positional_embeddings (length).

    Examples
    --------
    >>> import numpy as np
    >>> weight = np.arange(4.0).reshape(2, 2, 1)
    >>> resize_packed(weight, [[1, 1, 3], [2, 1, 1]], method="linear", align="corners").T
    array([[0. , 0.5, 1. , 0. , 0. ]])
    """
    checks.thread_count(threads)
    options = {"method": method, "align": align, "cubic": cubic, "antialias": antialias, "border": border}
    table, plan = _read(weight, grid_thw, merge_size, length, options, threads)
    fmt = learned_tables.result_format(table, dtype)
    result, stored = checks.output(out, (*plan.shape, table.shape[-1]), fmt, apart_from=(table.patterns,))
    patterns, starts = formats.bits(stored), list(accumulate(plan.counts, initial=0))
    of_size = {}  # (height, width): the images of that size
    for image, (_, *size) in enumerate(plan.images):
        of_size.setdefault(tuple(size), []).append(image)
    for size, images in of_size.items():
        made = np.empty((*size, table.shape[-1]), np.uint16 if fmt.name == "bfloat16" else fmt.name)
        resize_table(weight, size, **options, dtype=fmt.name, out=made, threads=threads)
        cells = _in_blocks(formats.bits(made), plan.merge_size)
        for image in images:
            rows = patterns[starts[image] :] if plan.length is None else patterns[image]
            for start in range(0, plan.counts[image], prod(size)):  # of each frame
                rows[start : start + prod(size)].reshape(cells.shape)[...] = cells
            if plan.length is not None:
                rows[plan.counts[image] :] = rows[:1]
    return result


class Plan(NamedTuple):
    """The images (frames, height, width), the rows of each, how they are packed, and the shape before the channels."""

    images: list
    counts: list
    merge_size: int
    length: int | None
    shape: tuple


def _read(weight, grid_thw, merge_size, length, options, threads=None):
    """The table and the `Plan` of a call; what the options do not allow is refused where there is no image too."""
    table = gather.read_table("weight", weight, ("height", "width", "channels"))
    resize_table(weight, (0, 0), **options, dtype="float32", threads=threads)
    merge_size = checks.integer("merge_size", merge_size, 1)
    images = _read_images(grid_thw, merge_size)
    counts = [frames * height * width for frames, height, width in images]
    length = None if length is None else checks.integer("length", length)
    if length is not None and length < max(counts, default=0):
        raise InputError("E_SIZE", "length", f"length must be at least {max(counts)}, got {length}")
    shape = (sum(counts),) if length is None else (len(counts), length)
    return table, Plan(images, counts, merge_size, length, shape)


def _read_images(grid_thw, merge_size):
    """[(frames, height, width)] of the images."""
    grids = checks.integers("grid_thw", grid_thw)
    if grids.ndim != 2 or grids.shape[1] != 3:
        raise InputError("E_SHAPE", "grid_thw", f"grid_thw must have shape (count, 3), got {grids.shape}")
    if grids.size and not 1 <= grids.min() <= grids.max() <= checks.WIDEST:
        wrong = grids.min() if grids.min() < 1 else grids.max()
        raise InputError("E_SIZE", "grid_thw", f"grid_thw must lie within 1 .. {checks.WIDEST}, got {wrong}")
    for image in grids.tolist():
        if image[1] % merge_size or image[2] % merge_size:
            sentence = f"grid_thw must have heights and widths that are multiples of merge_size = {merge_size}"
            raise InputError("E_SIZE", "grid_thw", f"{sentence}, got {image}")
    return grids.tolist()


def _in_blocks(made, merge_size):
    """The cells of a grid (height, width, channels) in blocks: (down, across, merge_size, merge_size, channels)."""
    height, width, channels = made.shape
    cut = made.reshape(height // merge_size, merge_size, width // merge_size, merge_size, channels)
    return cut.swapaxes(1, 2)
