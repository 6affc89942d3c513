"""Graphormer's bias: a number for each distance, one for the virtual node, and the edges on the way."""

from __future__ import annotations

import numpy as np

from .. import checks
from ..arithmetic import formats
from ..catalogue import register
from ..errors import InputError
from ..steps.rows import doubles
from ..steps.scores import ordered_sums
from ..types import Array, ArrayLike, DType, Integer

__all__ = ["graphormer_bias"]


@register(
    family="relative",
    paper="Ying et al. 2021, Do Transformers Really Perform Bad for Graph Representation?, arXiv:2106.05234, "
    "sections 3.1.2 and 3.1.3",
    conventions="virtual node first; mean over hops, at most as many as are read; the mask is added twice",
    contract="written",
    also="Graphormer",
)
def graphormer_bias(
    spatial: ArrayLike,
    spatial_weight: ArrayLike,
    virtual: ArrayLike,
    *,
    paths: ArrayLike | None = None,
    edge_weight: ArrayLike | None = None,
    hop_weight: ArrayLike | None = None,
    mask: ArrayLike | None = None,
    dtype: DType = "float64",
    out: Array | None = None,
    threads: Integer | None = None,
) -> Array:
    """The attention bias of Graphormer for each pair of nodes, with the virtual node in front.

        B[h, 1 + i, 1 + j] = mask + spatial_weight[spatial[i, j], h] + e[i, j, h] + mask
        B[h, 0, :] = B[h, 1:, 0] = mask + virtual[h] + mask
        e[i, j] = sum over hops k of (mean over f of edge_weight[paths[i, j, k, f]]) . hop_weight[k] / hops[i, j]
        hops[i, j] = spatial[i, j] - 1, at least 1 and at most the hops of `paths`

    Parameters
    ----------
    spatial : array_like
        Distances (n, n), `spatial_rows` of rule graphormer.
    spatial_weight : array_like
        Learned table of the distances, shape (rows, heads).
    virtual : array_like
        The bias of the virtual node, (heads,) or (1, heads).
    paths : array_like, optional
        `path_edge_rows`, (n, n, hops, features), which needs edge_weight and hop_weight; without paths there is no e.
    edge_weight : array_like, optional
        Learned table of the edge features, shape (rows, heads).
    hop_weight : array_like, optional
        Shape (at least hops, heads, heads), or (hops heads heads, 1) as a checkpoint has it.
    mask : array_like, optional
        Mask, shape (n + 1, n + 1), -infinity where there is no attention, added before and after everything else: what
        is finite there counts twice.
    dtype : str or dtype, default 'float64'
        Format of the result: float64, float32, float16 or bfloat16.
    out : ndarray, optional
        Array that receives the result.
    threads : int, optional
        Number of threads; the default is all cores. The values never depend on it.

    Returns
    -------
    ndarray
        Shape (heads, n + 1, n + 1) of class `sequence64`: sums from the left as written, over features and hops from 0
        on with the index ascending, each operation rounded to float64, then rounded once to `dtype`.

    Raises
    ------
    InputError
        E_SHAPE, E_DTYPE, E_POSITION (rows beyond a table), E_OUT, E_TOO_LARGE.

    Notes
    -----
    Row 0 of a weight is read as it stands; the code draws it at random after it was set to zeros. uint16 is read as bit
    patterns of bfloat16.

    References
    ----------
    GraphAttnBias in graphormer/modules/graphormer_layers.py of microsoft/Graphormer at ac154fe; edge_type "multi_hop"
    with paths of multi_hop_max_dist hops.

    Examples
    --------
    >>> import numpy as np
    >>> graphormer_bias([[1, 2], [2, 1]], np.array([[0.0], [1.0], [0.5]]), np.array([3.0]))
    array([[[3. , 3. , 3. ],
            [3. , 1. , 0.5],
            [3. , 0.5, 1. ]]])
    """
    threads, fmt = checks.thread_count(threads), formats.resolve(dtype)
    rows, table = read_rows("spatial", spatial, 2), doubles.read("spatial_weight", spatial_weight, ("rows", "heads"))[0]
    if rows.shape[0] != rows.shape[1]:
        raise InputError("E_SHAPE", "spatial", f"spatial must be (n, n), got shape {rows.shape}")
    n, heads = len(rows), table.shape[1]
    token = doubles.read("virtual", virtual)[0]
    if token.shape not in ((heads,), (1, heads)):
        sentence = f"virtual must be ({heads},), a number for each column of spatial_weight, got shape {token.shape}"
        raise InputError("E_SHAPE", "virtual", sentence)
    on_paths = read_paths(paths, edge_weight, hop_weight, n, heads)
    added = doubles.read_shaped("mask", mask, (n + 1, n + 1), "the nodes and the virtual one before them")
    below("spatial", rows, len(table))
    given = doubles.arrays(spatial, spatial_weight, virtual, paths, edge_weight, hop_weight, mask)
    result, stored = checks.output(out, (heads, n + 1, n + 1), fmt, apart_from=given)
    bias = np.zeros(result.shape) if added is None else np.broadcast_to(added, result.shape).copy()
    with np.errstate(all="ignore"):
        bias[:, 1:, 1:] += np.moveaxis(table[rows], -1, 0)
        bias[:, 1:, 0] += token.reshape(heads, 1)
        bias[:, 0] += token.reshape(heads, 1)
        if on_paths is not None:
            bias[:, 1:, 1:] += np.moveaxis(of_paths(rows, *on_paths, threads), -1, 0)
        if added is not None:
            bias += added
    doubles.store(stored, ordered_sums.canonical(bias), fmt)
    return result


def of_paths(rows, paths, edges, hops, threads):
    """What the edges on the way add, (n, n, heads)."""
    vectors = ordered_sums.mean(np.moveaxis(edges[paths], -2, -1), threads)  # (n, n, hops, heads)
    total = np.zeros(vectors.shape[:2] + vectors.shape[3:])
    for k in range(vectors.shape[2]):
        total = total + ordered_sums.matmul(vectors[:, :, k], hops[k], threads)
    return ordered_sums.canonical(total / hops_of(rows, vectors.shape[2])[..., None])


def hops_of(rows, most):
    """By how many hops the sum over a path is divided."""
    return np.clip(rows - 1, 1, max(most, 1)).astype(np.float64)


def read_paths(paths, edge_weight, hop_weight, n, heads):
    """(paths, edge_weight, hop_weight), or None without paths."""
    names = ("paths", "edge_weight", "hop_weight")
    missing = [name for name, value in zip(names, (paths, edge_weight, hop_weight)) if value is None]
    if missing:
        if len(missing) < 3:
            sentence = f"{missing[0]} must be given, as paths, edge_weight and hop_weight belong together, got none"
            raise InputError("E_SHAPE", missing[0], sentence)
        return None
    found = read_rows("paths", paths, 4)
    if found.shape[:2] != (n, n) or not found.shape[3]:
        sentence = f"paths must be ({n}, {n}, hops, at least 1 feature), as spatial has nodes, got shape {found.shape}"
        raise InputError("E_SHAPE", "paths", sentence)
    edges = doubles.read("edge_weight", edge_weight, ("rows", "heads"))[0]
    if edges.shape[1] != heads:
        sentence = f"edge_weight must be (rows, {heads}), as many heads as spatial_weight, got shape {edges.shape}"
        raise InputError("E_SHAPE", "edge_weight", sentence)
    below("paths", found, len(edges))
    hops = doubles.read("hop_weight", hop_weight)[0]
    if hops.ndim == 2 and hops.shape[1] == 1 and heads and not len(hops) % heads**2:
        hops = hops.reshape(-1, heads, heads)
    if hops.ndim != 3 or hops.shape[1:] != (heads, heads) or len(hops) < found.shape[2]:
        sentence = f"hop_weight must be (at least {found.shape[2]}, {heads}, {heads}), a matrix for each hop of paths"
        raise InputError("E_SHAPE", "hop_weight", f"{sentence}, got shape {hops.shape}")
    return found, edges, hops


def read_rows(name, rows, axes):
    """Rows of a table as int64, with so many axes."""
    found = checks.integers(name, rows)
    if found.ndim != axes:
        raise InputError("E_SHAPE", name, f"{name} must have {axes} axes, got shape {found.shape}")
    return checks.copied(name, found, np.int64)


def below(name, rows, count):
    """Refuses rows that a table of so many does not have."""
    if rows.size and not 0 <= rows.min() <= rows.max() < count:
        sentence = f"{name} must be rows from 0 to {count - 1}, those of its table, got {rows.min()} to {rows.max()}"
        raise InputError("E_POSITION", name, sentence)
