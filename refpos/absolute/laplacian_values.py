"""Eigenvalues of the Laplacian of a graph."""

from __future__ import annotations

from typing import get_args

import numpy as np

from .. import checks
from ..arithmetic import formats
from ..catalogue import register
from ..steps.graphs import spectra
from ..steps.rows import doubles
from ..types import Array, ArrayLike, DType, Integer
from .laplacian_positions import PADS, Laplacian, Loops, Pad, read_undirected

__all__ = ["laplacian_values"]


@register(
    family="absolute",
    paper="Kreuzer et al. 2021, Rethinking Graph Transformers with Spectral Attention, arXiv:2106.03893, section 3",
    conventions="laplacian; loops kept or dropped; the first skipped or not; padding (no defaults)",
    no_error_bound="eigensolvers state no error of single eigenvalues",
    contract="written",
    also="Laplacian eigenvalues",
)
def laplacian_values(
    edges: ArrayLike,
    n: Integer,
    k: Integer,
    *,
    laplacian: Laplacian,
    loops: Loops,
    skip_first: bool,
    pad: Pad,
    dtype: DType = "float64",
    out: Array | None = None,
) -> Array:
    """The first eigenvalues of the Laplacian of an undirected graph: those of the columns of `laplacian_positions`.

        L v = w v,   w[0] <= w[1] <= ..,   those below 0 as 0

    The eigenvalues of rw are those of sym.

    Parameters
    ----------
    edges : array_like
        Integers (edges, 2), source and target, each edge in both directions; an edge that stands there twice counts
        twice in A.
    n : int
        Number of nodes, 0 to 2048.
    k : int
        Number of eigenvalues.
    laplacian : {'none', 'sym', 'rw', 'rw-lower'}
        Which Laplacian, as in `laplacian_positions`.
    loops : {'keep', 'drop'}
        "drop" leaves edges from a node to itself out; with "keep" each adds 1 to A and to the degree.
    skip_first : bool
        Whether to leave out the first eigenvalue, however many parts the graph has.
    pad : {'zeros', 'nan'}
        What fills the entries beyond the n (less one) that there are.
    dtype : str or dtype, default 'float64'
        Format of the result: float64, float32, float16 or bfloat16.
    out : ndarray, optional
        Array that receives the result.

    Returns
    -------
    ndarray
        Shape (k,) of class `sequence64`: the diagonal that Jacobi's method leaves, each operation rounded to float64,
        then rounded once to `dtype`.

    Raises
    ------
    InputError
        E_SIZE (n, k), E_SHAPE, E_DTYPE and E_POSITION (edges), E_CHOICE, E_OUT, E_TOO_LARGE.

    Notes
    -----
    An eigenvalue that is exactly 0 may come out as some 1e-16.

    References
    ----------
    get_lap_decomp_stats in graphgps/transform/posenc_stats.py of rampasek/GraphGPS at 2801570, which repeats them for
    each node.

    Examples
    --------
    >>> path = [[0, 1], [1, 0], [1, 2], [2, 1]]
    >>> laplacian_values(path, 3, 4, laplacian="none", loops="drop", skip_first=True, pad="nan").round(15)
    array([ 1.,  3., nan, nan])
    """
    counts, _ = read_undirected(edges, n, checks.choice("loops", loops, get_args(Loops)))
    k, fmt = checks.integer("k", k, 0, checks.WIDEST), formats.resolve(dtype)
    laplacian = checks.choice("laplacian", laplacian, get_args(Laplacian))
    skipped, pad = checks.flag("skip_first", skip_first), PADS[checks.choice("pad", pad, get_args(Pad))]
    result, stored = checks.output(out, (k,), fmt, apart_from=doubles.arrays(edges))
    found = spectra.spectrum(counts, laplacian)[0][int(skipped) : int(skipped) + k]
    table = np.full(k, pad)
    table[: len(found)] = found
    doubles.store(stored, table, fmt)
    return result
