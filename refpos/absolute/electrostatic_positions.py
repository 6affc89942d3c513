"""Ten numbers of each node that say how its charge is felt in the graph."""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from .. import checks
from ..arithmetic import formats, reals, rounding
from ..catalogue import register
from ..steps.graphs import graphs
from ..steps.rows import doubles
from ..types import Array, ArrayLike, DType, Integer

__all__ = ["electrostatic_positions"]

COLUMNS = 10


@register(
    family="absolute",
    paper="Rampasek et al. 2022, Recipe for a General, Powerful, Scalable Graph Transformer, arXiv:2205.12454, table 1",
    conventions="potentials less those of the column's own node; column 5 repeats column 1; deviations over n - 1",
    no_error_bound="solvers of pseudo-inverses state no error of single entries",
    also="electrostatic position encoding, ElstaticSE",
)
def electrostatic_positions(
    edges: ArrayLike, n: Integer, *, dtype: DType = "float64", out: Array | None = None
) -> Array:
    """Electrostatic position encoding: statistics of the potentials between the nodes of a graph.

        V[i, j] = G[i, j] - G[j, j],   G the pseudo-inverse of D - A
        E[j] = [min, max, mean, std of V[:, j],   min of V[j, :], max of V[:, j], mean, std of V[j, :],
                sum over i of A[i, j] V[i, j] / d_i,   sum over i of A[j, i] V[j, i] / d_j]

    Parameters
    ----------
    edges : array_like
        Integers (edges, 2), source and target, each edge in both directions; one that stands there twice counts twice,
        and loops cancel.
    n : int
        Number of nodes, 0 to 2048.
    dtype : str or dtype, default 'float64'
        Format of the result: float64, float32, float16 or bfloat16.
    out : ndarray, optional
        Array that receives the result.

    Returns
    -------
    ndarray
        Shape (n, 10): exact fractions and roots of fractions, rounded once to `dtype`.

    Raises
    ------
    InputError
        E_SIZE (n), E_SHAPE, E_DTYPE and E_POSITION (edges), E_OUT, E_TOO_LARGE.

    Notes
    -----
    Means are over all n nodes, and the squares of deviations are divided by n - 1. The sixth number is that of the
    code, the second once more.

    A node without edges takes no part in the last two sums, which are 0 there; the code has NaN for the whole graph
    then. Of one node deviations are NaN, 0 / 0. It is made to check other code: 100 nodes take some seconds.

    References
    ----------
    get_electrostatic_function_encoding in graphgps/transform/posenc_stats.py of rampasek/GraphGPS at 2801570.

    Examples
    --------
    >>> electrostatic_positions([[0, 1], [1, 0]], 2)[0]
    array([-0.5       ,  0.        , -0.25      ,  0.35355339, -0.5       ,
            0.        , -0.25      ,  0.35355339, -0.5       , -0.5       ])
    """
    counts, n = graphs.read(edges, n)
    counts, fmt = graphs.without_loops(graphs.undirected(counts)), formats.resolve(dtype)
    result, stored = checks.output(out, (n, COLUMNS), fmt, apart_from=doubles.arrays(edges))
    patterns = formats.bits(stored)
    potentials, divisor = potentials_of(counts)
    for j in range(n):
        down, across = potentials[:, j], potentials[j]
        values = [*statistics(down, divisor), *statistics(across, divisor)]
        values[5] = values[1]
        values += neighbours(counts, potentials, divisor, j)
        patterns[j] = [rounded(value, fmt) for value in values]
    return result


def potentials_of(counts):
    """(V, divisor): V over the divisor are the potentials, Python ints (n, n)."""
    n = len(counts)
    parts = graphs.components(counts)
    inverses = [inverse(graphs.laplacian(counts[np.ix_(part, part)]).astype(object)) for part in parts]
    divisor = np.lcm.reduce(np.array([1, *(d for _, d in inverses)], object))
    potentials = np.zeros((n, n), object)
    for part, (numbers, own) in zip(parts, inverses):
        potentials[np.ix_(part, part)] = numbers * (divisor // own)
    return potentials - np.diag(potentials), int(divisor)


def inverse(laplacian):
    """(numbers, divisor) of the pseudo-inverse of the Laplacian of a graph that hangs together, as Python ints.

    With J all ones it is (L + J / n)**-1 - J / n; n L + J is inverted without fractions (Bareiss 1968).
    """
    n = len(laplacian)
    a = np.concatenate([n * laplacian + 1, np.diag(np.ones(n, np.int64)).astype(object)], axis=1)
    before = 1
    for k in range(n):
        row, pivot = a[k].copy(), a[k, k]  # positive, as all leading minors are
        a = (a * pivot - np.multiply.outer(a[:, k], row)) // before
        a[k] = row
        before = pivot
    # a[:, n:] / pivot inverts n L + J; times n, less 1 / n
    return n * n * a[:, n:] - before, n * before


def statistics(values, divisor):
    """Least, largest, mean and the square of the deviation of Python ints over a divisor."""
    n = len(values)
    total, squares = int(values.sum()), int((values * values).sum())
    variance = None if n == 1 else Fraction(n * squares - total * total, n * (n - 1) * divisor**2)
    return [
        Fraction(int(values.min()), divisor),
        Fraction(int(values.max()), divisor),
        Fraction(total, n * divisor),
        (variance,),
    ]


def neighbours(counts, potentials, divisor, j):
    """What neighbours feel of node j, each by its degree, and what j feels of them, by its own."""
    degrees = counts.sum(axis=1).tolist()
    near = np.flatnonzero(counts[j]).tolist()
    felt = sum((Fraction(int(counts[i, j]) * potentials[i, j], degrees[i]) for i in near), Fraction(0))
    feels = sum((Fraction(int(counts[j, i]) * potentials[j, i], degrees[j]) for i in near), Fraction(0))
    return [felt / divisor, feels / divisor]


def rounded(value, fmt):
    """Bit pattern of a fraction, or of the root of one in a tuple, which is None for NaN."""
    if isinstance(value, Fraction):
        return rounding.nearest_fraction(value, fmt)
    (square,) = value
    return fmt.nan if square is None else reals.square_root(square).pattern(fmt) if square else 0
