"""How much heat stays at a node of a graph, beyond what is spread evenly."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from math import isqrt
from typing import Union

import numpy as np

from .. import checks
from ..arithmetic import formats, matrix_exponential, rounding
from ..catalogue import register
from ..errors import InputError, shown_number
from ..steps.graphs import graphs
from ..steps.rows import doubles
from ..types import Array, ArrayLike, DType, Integer, Number

__all__ = ["heat_kernel"]

MOST_DIMENSIONS = 64
FIRST_BITS = 192


@register(
    family="absolute",
    paper="Rampasek et al. 2022, Recipe for a General, Powerful, Scalable Graph Transformer, arXiv:2205.12454, table 1",
    conventions="exp(-t L) of L = D - A, not exp(-2 t L); without eigenvalue 0; times t**(space_dim / 2)",
    no_error_bound="eigensolvers state no error of their vectors",
    also="HKdiagSE, heat kernel signature, heat kernel diagonal",
)
def heat_kernel(
    edges: ArrayLike,
    n: Integer,
    times: Union[Sequence[Number], Array],
    *,
    space_dim: Integer = 0,
    dtype: DType = "float64",
    out: Array | None = None,
) -> Array:
    """The heat kernel diagonal of a graph without its constant part, for each node and each diffusion time.

        E[i, t] = t**(space_dim / 2) * sum over eigenvalues w > 0 of D - A of exp(-t w) v_w[i]**2
                = t**(space_dim / 2) * (exp(-t (D - A))[i, i] - 1 / nodes of the part of the graph that i is in)

    Parameters
    ----------
    edges : array_like
        Integers (edges, 2), source and target, each edge in both directions; one that stands there twice counts twice,
        and loops cancel.
    n : int
        Number of nodes, 0 to 2048.
    times : array_like
        Diffusion times t, finite numbers from 0 on, each exactly what it is.
    space_dim : int, default 0
        Dimension of the space in the factor, an integer from 0 to 64.
    dtype : str or dtype, default 'float64'
        Format of the result: float64, float32, float16 or bfloat16.
    out : ndarray, optional
        Array that receives the result.

    Returns
    -------
    ndarray
        Shape (n, times): the exact value, rounded once to `dtype`: 0 at a node without edges, for the only eigenvector
        there has eigenvalue 0.

    Raises
    ------
    InputError
        E_SIZE (n, space_dim), E_SHAPE, E_DTYPE and E_POSITION (edges), E_NUMBER (times), E_OUT, E_TOO_LARGE.

    Notes
    -----
    At t above 0 all other values are transcendental (Lindemann and Weierstrass), so that enclosures which shrink always
    decide. It is made to check other code: a part of 20 nodes takes some 50 ms for each time, one of 100 nodes some
    seconds.

    References
    ----------
    get_heat_kernels_diag in graphgps/transform/posenc_stats.py of rampasek/GraphGPS at 2801570, whose comment says
    exp(-2 t w) and whose code exp(-t w).

    Examples
    --------
    >>> heat_kernel([[0, 1], [1, 0]], 3, [0, 0.5])
    array([[0.5       , 0.18393972],
           [0.5       , 0.18393972],
           [0.        , 0.        ]])
    """
    counts, n = graphs.read(edges, n)
    counts, fmt = graphs.undirected(counts), formats.resolve(dtype)
    times = read_times(times)
    dim = checks.integer("space_dim", space_dim, 0, MOST_DIMENSIONS)
    result, stored = checks.output(out, (n, len(times)), fmt, apart_from=doubles.arrays(edges))
    patterns = formats.bits(stored)
    for part in graphs.components(counts):
        inner = graphs.laplacian(counts[np.ix_(part, part)]).astype(object)
        for column, time in enumerate(times):
            patterns[part, column] = diagonal(inner, time, time**dim, fmt)
    return result


def read_times(times):
    """The times as fractions."""
    found = [checks.real("times", time) for time in checks.listed("times", times, "numbers", "E_NUMBER")]
    for time in found:
        if time < 0:
            raise InputError("E_NUMBER", "times", f"times must be at least 0, got {shown_number(time)}")
    return found


def diagonal(laplacian, time, square, fmt):
    """Bit patterns of the values of a part of the graph that hangs together; square: that of the factor of t."""
    n = len(laplacian)
    evenly = Fraction(1, n)
    if n == 1 or not square:
        return [0] * n
    if not time:
        return [rounding.nearest_fraction(1 - evenly, fmt)] * n  # space_dim is 0
    # the smallest eigenvalue above 0 is at least 4 / n**2 (Mohar 1991): so late nothing is left in any format
    if 4 * time > n * n * (800 + square.numerator.bit_length()):
        return [0] * n
    found, open_nodes = [None] * n, list(range(n))
    for bits in rounding.precisions(FIRST_BITS):
        kernel, error = matrix_exponential.exponential(-time.numerator * laplacian, time.denominator, bits)
        root = isqrt((square.numerator << 2 * bits) // square.denominator)
        for i in open_nodes:
            low, high = (max(Fraction(int(kernel[i, i]) + side * error, 1 << bits) - evenly, 0) for side in (-1, 1))
            low, high = low * Fraction(root, 1 << bits), high * Fraction(root + 1, 1 << bits)
            low, high = (rounding.nearest_fraction(end, fmt) for end in (low, high))
            found[i] = low if low == high else None
        open_nodes = [i for i in open_nodes if found[i] is None]
        if not open_nodes:
            return found
