"""Scores of queries with one learned vector for the offset of rows and one for the offset of columns."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Literal, get_args

import numpy as np

from .. import checks
from ..arithmetic import formats
from ..catalogue import find, register
from ..errors import InputError, shown
from ..kernels.threads import for_blocks
from ..relative.decomposed_rows import decomposed_rows
from ..relative.relative_rows import relative_rows
from ..steps.rows import doubles, learned_tables, table_gradients
from ..steps.scores import heads, ordered_sums, relative_gradients
from ..tables.resize_table import resize_table
from ..types import Array, ArrayLike, DType, Integer

__all__ = ["decomposed_scores"]

OffsetSign = Literal["query-key", "key-query"]
Resize = Literal["linear"]
SIGNS, RESIZES = get_args(OffsetSign), get_args(Resize)
BLOCK = 1 << 18  # scores of a thread at a time


TABLES = ("weight_h", "weight_w")


def _gradients(function, given, cotangent):
    """{argument: gradient} of the queries and of both tables."""
    sign, threads = checks.choice("sign", given["sign"], SIGNS), checks.thread_count(given["threads"])
    grids = [read_grid(name, given[name]) for name in ("query_grid", "key_grid")]
    first, fmt = int(checks.flag("class_token", given["class_token"])), formats.resolve(given["dtype"])
    cells, weights = read_queries(given["q"], grids[0], first), [given[name] for name in TABLES]
    tables = read_tables(*weights, *grids, cells.shape[-1], sign, given["resize"], threads)
    shape = (*cells.shape[:-2], *(math.prod(grid) + first for grid in grids))
    change = learned_tables.values(table_gradients.read_cotangent(cotangent, shape, fmt))[..., first:, first:]
    count = math.prod(cells.shape[:-2]), cells.shape[-2]
    images, change = cells.reshape(*count, cells.shape[-1]), change.reshape(*count, *grids[1])
    of_queries, of_tables = gradients_of_axes(images, tables, change, *grids, sign, threads)
    made = np.zeros((*cells.shape[:-2], count[1] + first, cells.shape[-1]))
    made[..., first:, :] = of_queries.reshape(cells.shape)
    found = table_gradients.rounded({"q": table_gradients.read_trained("q", given["q"])}, {"q": made})
    for name, weight, of_table in zip(TABLES, weights, of_tables):
        table = table_gradients.read_trained(name, weight)
        if table.shape == of_table.shape:
            found.update(table_gradients.rounded({name: table}, {name: of_table}))
        else:
            resized = {"size": len(of_table), "method": given["resize"], "align": "half-pixel", "dtype": "float64"}
            found[name] = find("resize_table").vjp.function(weight=weight, cotangent=of_table, **resized)["weight"]
    return found


@register(
    family="scores",
    paper="Li et al. 2022, MViTv2, arXiv:2112.01526, section 4.1; Srinivas et al. 2021, Bottleneck Transformers, "
    "arXiv:2101.11605, section 3",
    conventions="sign query minus key (MViT) or key minus query (BoTNet), no default; queries as they are, not scaled",
    contract="written",
    also=(
        "SAM, Segment Anything, MViTv2, decomposed relative position, add_decomposed_rel_pos, BoTNet, HaloNet, "
        "halo attention"
    ),
    gradients=dict.fromkeys(("q", *TABLES), _gradients),
)
def decomposed_scores(
    q: ArrayLike,
    weight_h: ArrayLike,
    weight_w: ArrayLike,
    query_grid: Sequence[Integer],
    key_grid: Sequence[Integer],
    *,
    sign: OffsetSign,
    resize: Resize | None = None,
    class_token: bool = False,
    dtype: DType = "float64",
    out: Array | None = None,
    threads: Integer | None = None,
) -> Array:
    """Decomposed relative position scores (SAM, MViTv2): q times a vector of rows plus q times one of columns.

        S[(r, c), (r', c')] = q[(r, c)] . weight_h[row(r, r')] + q[(r, c)] . weight_w[row(c, c')]

        "query-key":  row = decomposed_rows(queries, keys) of that axis,  2 max(queries, keys) - 1 rows
        "key-query":  row = k - q + keys - 1,                             2 keys - 1 rows,  queries <= keys

    Parameters
    ----------
    q : array_like
        Queries, shape (..., queries, dim), the cells row by row, not scaled, although models scale the q that meets the
        keys.
    weight_h, weight_w : array_like
        Shape (rows, dim), of offsets of rows and of columns.
    query_grid, key_grid : sequence of int
        (height, width) of the cells.
    sign : {'query-key', 'key-query'}
        Sign and number of the offsets, as stated above.
    resize : {'linear'}, optional
        "linear" makes tables of other lengths fit, `resize_table(weight, rows, method="linear", align="half-pixel")`
        rounded to float64; None refuses them.
    class_token : bool, default False
        Whether there is a query before the cells, and a key, whose scores are 0.
    dtype : str or dtype, default 'float64'
        Format of the result: float64, float32, float16 or bfloat16.
    out : ndarray, optional
        Array that receives the result.
    threads : int, optional
        Number of threads; the default is all cores. The values never depend on it.

    Returns
    -------
    ndarray
        Shape (..., queries, keys) of class `sequence64`: both products summed in float64 with the channel ascending,
        then added, then rounded once to `dtype`.

    Raises
    ------
    InputError
        E_SHAPE (q, weight_h, weight_w, query_grid, key_grid), E_SIZE (query_grid, key_grid), E_DTYPE, E_CHOICE, E_OUT,
        E_TOO_LARGE.

    Notes
    -----
    In HaloNet the grids are a block and the window around it, and offset 0 is that of the first cells of both.

    Nothing of size queries * keys * dim is made. Arrays of uint16 are read as bit patterns of bfloat16.

    References
    ----------
    - add_decomposed_relative_positions in models/vitdet/modeling_vitdet.py and get_decomposed_rel_pos in
      models/sam/modeling_sam.py (transformers 5.23.0).
    - timm 1.0.31, cal_rel_pos_type in timm/models/mvitv2.py, PosEmbedRel in timm/layers/bottleneck_attn.py and
      timm/layers/halo_attn.py.

    Examples
    --------
    >>> import numpy as np
    >>> weight_h, weight_w = np.array([[1.0], [2.0], [3.0]]), np.array([[10.0], [20.0], [30.0]])
    >>> decomposed_scores(np.ones((4, 1)), weight_h, weight_w, (2, 2), (2, 2), sign="query-key")
    array([[22., 12., 21., 11.],
           [32., 22., 31., 21.],
           [23., 13., 22., 12.],
           [33., 23., 32., 22.]])
    """
    checks.thread_count(threads)
    checks.choice("sign", sign, SIGNS)
    queries, keys = read_grid("query_grid", query_grid), read_grid("key_grid", key_grid)
    first, fmt = int(checks.flag("class_token", class_token)), formats.resolve(dtype)
    cells = read_queries(q, queries, first)
    tables = read_tables(weight_h, weight_w, queries, keys, cells.shape[-1], sign, resize, threads)
    shape = (*cells.shape[:-2], math.prod(queries) + first, math.prod(keys) + first)
    result, stored = checks.output(out, shape, fmt, apart_from=doubles.arrays(q, weight_h, weight_w))
    if stored.size:
        stored[..., :first, :], stored[..., :first] = 0, 0  # of all formats the pattern of +0
        images = cells.reshape(math.prod(shape[:-2]), *queries, cells.shape[-1])
        lines = scores_of_axes(images, tables, queries, keys, sign, threads)
        fill_sums(stored[..., first:, first:], *lines, fmt, threads)
    return result


def read_grid(name, grid):
    """(height, width)."""
    sizes = checks.listed(name, grid, "sizes")
    if len(sizes) != 2:
        raise InputError("E_SHAPE", name, f"{name} must be (height, width), got {shown(grid)}")
    return tuple(checks.integer(name, size, 1, checks.WIDEST) for size in sizes)


def read_queries(q, grid, first):
    """The queries of the cells as float64, (..., height * width, dim), without that of a class token."""
    numbers = heads.read("q", q)
    count = math.prod(grid) + first
    if numbers.shape[-2] != count:
        rule = "height * width of query_grid" + (" and a class token" if first else "")
        raise InputError("E_SHAPE", "q", f"q must have {count} queries, {rule}, got shape {numbers.shape}")
    return numbers[..., first:, :]


def read_tables(weight_h, weight_w, queries, keys, dim, sign, resize, threads=None):
    """Both tables as float64, with as many rows as the grids need."""
    if resize is not None:
        checks.choice("resize", resize, RESIZES)
    tables = []
    for name, weight, query, key in zip(("weight_h", "weight_w"), (weight_h, weight_w), queries, keys):
        table, _ = doubles.read(name, weight, ("rows", "dim"))
        count = count_rows(query, key, sign)
        if table.shape[1] != dim:
            raise InputError("E_SHAPE", name, f"{name} must have {dim} channels, as q has, got shape {table.shape}")
        if len(table) != count and (resize is None or not len(table)):
            rule = "2 max(queries, keys) - 1" if sign == "query-key" else "2 keys - 1"
            sentence = f"{name} must have {rule} = {count} rows, or resize='linear' and at least one"
            raise InputError("E_SHAPE", name, f"{sentence}, got {len(table)}")
        if len(table) != count:
            table = resize_table(table, count, method=resize, align="half-pixel", threads=threads)
        tables.append(table)
    return tables


def count_rows(query, key, sign):
    """How many rows the table of an axis has."""
    if sign == "query-key":
        return 2 * max(query, key) - 1
    if query > key:
        sentence = f"query_grid must have at most the sizes of key_grid, {key}, with sign='key-query'"
        raise InputError("E_SIZE", "query_grid", f"{sentence}, got {query}")
    return 2 * key - 1


def rows_of(query, key, sign):
    """The row of every query and key of an axis: (query, key)."""
    if sign == "query-key":
        return decomposed_rows(query, key)
    return relative_rows(query, key, sign=sign, low=1 - key, high=key - 1, outside="refuse")


def scores_of_axes(cells, tables, queries, keys, sign, threads=None):
    """Scores (batch, height, width, key height) and (.., key width) of cells (batch, height, width, dim)."""
    down, across = (rows_of(query, key, sign) for query, key in zip(queries, keys))
    of_rows = scores_of_axis(cells, tables[0], down, threads)
    return of_rows, scores_of_axis(cells.swapaxes(1, 2), tables[1], across, threads).swapaxes(1, 2)


def scores_of_axis(cells, table, rows, threads):
    """q . table[rows]: cells (batch, n, others, dim), rows (n, keys): (batch, n, others, keys)."""
    batch, n, others, dim = cells.shape
    lines = cells.swapaxes(0, 1).reshape(n, batch * others, dim)
    products = ordered_sums.matmul(lines, table[rows].swapaxes(-1, -2), threads)
    return products.reshape(n, batch, others, rows.shape[1]).swapaxes(0, 1)


def gradients_of_axes(cells, tables, change, queries, keys, sign, threads=None):
    """(the gradient for cells (images, height * width, dim), those for both tables): change (.., key height, width)."""
    parts, of_tables = [], []
    for axis, table in enumerate(tables):
        lines = ordered_sums.total(change if axis == 0 else change.swapaxes(-1, -2), threads)
        rows = rows_of(queries[axis], keys[axis], sign)[np.indices(queries, np.int64)[axis].reshape(-1)]
        parts.append(relative_gradients.of_vectors(lines, table, rows, cells.shape, threads))
        of_tables.append(relative_gradients.of_table(lines, cells, rows, table.shape))
    with np.errstate(all="ignore"):
        return parts[0] + parts[1], of_tables


def fill_sums(stored, of_rows, of_columns, fmt, threads):
    """Sums of the scores of both axes for every key, rounded once into stored (..., queries, keys)."""
    lead, keys = stored.shape[:-2], stored.shape[-1]
    batch, height, width = of_rows.shape[:3]

    def work(start, stop):
        for number in range(start, stop):
            image, row = divmod(number, height)
            with np.errstate(all="ignore"):
                sums = of_rows[image, row, :, :, None] + of_columns[image, row, :, None, :]
            target = stored[np.unravel_index(image, lead)] if lead else stored
            lines = slice(row * width, (row + 1) * width)
            doubles.store(target[lines], ordered_sums.canonical(sums.reshape(width, keys)), fmt)

    for_blocks(work, batch * height, max(1, BLOCK // max(1, width * keys)), threads)
