"""A learned table at the sizes of several images."""

from __future__ import annotations

from itertools import accumulate, pairwise

import numpy as np

from .. import checks
from ..arithmetic import formats
from ..catalogue import register
from ..errors import InputError
from ..steps.rows import gather, learned_tables
from ..types import Array, ArrayLike, DType, Integer, Number
from .resize_table import Align, Border, Method, resize_table

__all__ = ["resize_packed"]


@register(
    family="tables",
    paper="Dehghani et al. 2023, Patch n' Pack: NaViT, arXiv:2307.06304, section 2; Tschannen et al. 2025, SigLIP 2, "
    "arXiv:2502.14786",
    conventions="those of resize_table; rows in blocks of merge_size x merge_size; padding is the first resized row",
    also="NaViT, SigLIP 2",
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
    table = gather.read_table("weight", weight, ("height", "width", "channels"))
    options = {"method": method, "align": align, "cubic": cubic, "antialias": antialias, "border": border}
    # which refuses what it does not know, also where there is no image
    resize_table(weight, (0, 0), **options, dtype="float32", threads=threads)
    merge_size = checks.integer("merge_size", merge_size, 1)
    images = _read_images(grid_thw, merge_size)
    counts = [frames * height * width for frames, height, width in images]
    length = None if length is None else checks.integer("length", length)
    if length is not None and length < max(counts, default=0):
        raise InputError("E_SIZE", "length", f"length must be at least {max(counts)}, got {length}")
    fmt = learned_tables.result_format(table, dtype)
    shape = (sum(counts),) if length is None else (len(counts), length)
    result, stored = checks.output(out, (*shape, table.shape[-1]), fmt, apart_from=(table.patterns,))
    patterns, resized = formats.bits(stored), {}
    for image, (start, stop) in enumerate(pairwise(accumulate(counts, initial=0))):
        frames, *size = images[image]
        if tuple(size) not in resized:
            made = np.empty((*size, table.shape[-1]), np.uint16 if fmt.name == "bfloat16" else fmt.name)
            resize_table(weight, size, **options, dtype=fmt.name, out=made, threads=threads)
            resized[tuple(size)] = _in_blocks(made, merge_size)
        rows = patterns[start:stop] if length is None else patterns[image]
        rows[: stop - start] = np.tile(resized[tuple(size)], (frames, 1))
        rows[stop - start :] = rows[:1]
    return result


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
    """The bits of a grid as rows, in blocks of merge_size x merge_size."""
    height, width, channels = made.shape
    cut = formats.bits(made).reshape(height // merge_size, merge_size, width // merge_size, merge_size, channels)
    return cut.swapaxes(1, 2).reshape(height * width, channels)
