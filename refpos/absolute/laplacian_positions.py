"""Eigenvectors of the Laplacian of a graph."""

from __future__ import annotations

from typing import Literal, get_args

import numpy as np

from .. import checks
from ..arithmetic import formats
from ..catalogue import register
from ..steps.graphs import graphs, spectra
from ..steps.rows import doubles
from ..types import Array, ArrayLike, DType, Integer

__all__ = ["Laplacian", "Loops", "Normaliser", "Pad", "laplacian_positions"]

Laplacian = Literal["none", "sym", "rw", "rw-lower"]
Loops = Literal["keep", "drop"]
Pad = Literal["zeros", "nan"]
Normaliser = Literal["L1", "L2", "abs-max", "wavelength", "wavelength-asin", "wavelength-soft"]
PADS = {"zeros": 0.0, "nan": np.nan}


@register(
    family="absolute",
    paper="Dwivedi et al. 2020, Benchmarking Graph Neural Networks, arXiv:2003.00982, section 2.2",
    conventions="laplacian; loops kept or dropped; the first column skipped or not; padding; normaliser (no defaults)",
    no_error_bound="signs and bases of eigenspaces are free: compare projectors, as docs/graphs.md shows",
    contract="written",
    also="Laplacian eigenvectors, LapPE, Laplacian position encoding, graph position encoding",
)
def laplacian_positions(
    edges: ArrayLike,
    n: Integer,
    k: Integer,
    *,
    laplacian: Laplacian,
    loops: Loops,
    skip_first: bool,
    pad: Pad,
    normaliser: Normaliser | None,
    dtype: DType = "float64",
    out: Array | None = None,
) -> Array:
    """Laplacian position encoding: the first eigenvectors of an undirected graph's Laplacian, in a stated basis.

        none  L = D - A     sym  L = I - D**-1/2 A D**-1/2     rw  L = I - D**-1 A
        rw-lower  the symmetric matrix of the lower triangle of rw, which a symmetric solver reads

        L1  sum |v|      L2  sqrt(sum v**2)      abs-max  max |v|      wavelength  2 max |v| sqrt(w) / pi
        wavelength-asin  arcsin(v / max |v|) over sqrt(w)      wavelength-soft  sum(softmax(|v|) |v|) sqrt(w)

    Parameters
    ----------
    edges : array_like
        Integers (edges, 2), source and target, each edge in both directions, as an edge_index of PyG transposed by .T;
        an edge that stands there twice counts twice in A.
    n : int
        Number of nodes, 0 to 2048.
    k : int
        Number of columns.
    laplacian : {'none', 'sym', 'rw', 'rw-lower'}
        Which Laplacian, as stated above; A is the adjacency matrix and D the degrees.
    loops : {'keep', 'drop'}
        "drop" leaves edges from a node to itself out; with "keep" each adds 1 to A and to the degree. A degree of 0
        counts as 1 in all but none, so that a node without edges has eigenvalue 1.
    skip_first : bool
        Whether to leave out the first column, however many parts the graph has.
    pad : {'zeros', 'nan'}
        What fills the columns beyond the n (less one) that there are.
    normaliser : {'L1', 'L2', 'abs-max', 'wavelength', 'wavelength-asin', 'wavelength-soft'} or None
        That of GraphGPS, which divides a column v of eigenvalue w by the number stated above, with 1 for w below 1e-12,
        and no divisor below 1e-12.
    dtype : str or dtype, default 'float64'
        Format of the result: float64, float32, float16 or bfloat16.
    out : ndarray, optional
        Array that receives the result.

    Returns
    -------
    ndarray
        Shape (n, k) of class `sequence64`: Jacobi's method in the order that `steps/graphs/eigenvectors.py` writes,
        each operation rounded to float64, then rounded once to `dtype`; the same bits everywhere.

    Raises
    ------
    InputError
        E_SIZE (n, k), E_SHAPE, E_DTYPE and E_POSITION (edges; also one that lacks its other direction), E_CHOICE,
        E_OUT, E_TOO_LARGE.

    Notes
    -----
    Columns ascend by eigenvalue. Neighbouring eigenvalues that differ by at most 2**-40 times the largest |L| count as
    one, and the basis of their eigenspace is made node by node: node 0, 1, .. is projected into the eigenspace, and
    what lies along the vectors found so far is taken off. Where the squared length that is left is above 0.117 / n, the
    rest at length 1 is the next vector, and the node is its leader. So a single vector is positive at the first node
    where its square is above 0.117 / n, and vectors of one eigenspace are 0 at the leaders of those before them. Those
    of rw are the vectors of sym over the roots of degrees, each of length 1.

    100 nodes take 2 seconds, and twice as many nodes eight times as long.

    References
    ----------
    - positional_encoding in data/molecules.py of graphdeeplearning/benchmarking-gnns at b6c4077 (sym, keep, first
      skipped, zeros, None).
    - get_lap_decomp_stats and eigvec_normalizer in graphgps/transform/posenc_stats.py of rampasek/GraphGPS at 2801570
      (drop, first kept, nan), where `numpy.linalg.eigh` of rw is rw-lower.

    Examples
    --------
    >>> path = [[0, 1], [1, 0], [1, 2], [2, 1]]
    >>> options = dict(laplacian="sym", loops="drop", pad="zeros", normaliser=None)
    >>> laplacian_positions(path, 3, 3, skip_first=True, **options).round(8) + 0
    array([[ 0.70710678,  0.5       ,  0.        ],
           [ 0.        , -0.70710678,  0.        ],
           [-0.70710678,  0.5       ,  0.        ]])
    """
    counts, _ = read_undirected(edges, n, checks.choice("loops", loops, get_args(Loops)))
    k, fmt = checks.integer("k", k, 0, checks.WIDEST), formats.resolve(dtype)
    laplacian = checks.choice("laplacian", laplacian, get_args(Laplacian))
    skipped, pad = checks.flag("skip_first", skip_first), PADS[checks.choice("pad", pad, get_args(Pad))]
    if normaliser is not None:
        checks.choice("normaliser", normaliser, get_args(Normaliser))
    result, stored = checks.output(out, (len(counts), k), fmt, apart_from=doubles.arrays(edges))
    values, vectors = spectra.spectrum(counts, laplacian)
    picked = slice(int(skipped), int(skipped) + k)
    columns = spectra.normalised(vectors[:, picked], values[picked], normaliser)
    table = np.full(result.shape, pad)
    table[:, : columns.shape[1]] = columns
    doubles.store(stored, table, fmt)
    return result


def read_undirected(edges, n, loops):
    """(counts, n) of an undirected graph, loops kept or dropped."""
    counts, n = graphs.read(edges, n)
    counts = graphs.undirected(counts)
    return (graphs.without_loops(counts) if loops == "drop" else counts), n
