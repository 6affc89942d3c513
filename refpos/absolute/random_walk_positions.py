"""How likely a random walk is back where it began after so many steps."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from math import lcm
from typing import Union

import numpy as np

from .. import checks
from ..arithmetic import formats, reals
from ..catalogue import register
from ..errors import InputError
from ..steps.graphs import graphs
from ..steps.rows import doubles
from ..types import Array, ArrayLike, DType, Integer

__all__ = ["random_walk_positions"]

MOST_STEPS, MOST_DIMENSIONS = 1024, 64


@register(
    family="absolute",
    paper="Dwivedi et al. 2022, Graph Neural Networks with Learnable Structural and Positional Representations, "
    "arXiv:2110.07875, section 3.2",
    conventions="degrees of edges that leave a node; loops and repeated edges count; times k**(space_dim / 2)",
    also="RWSE, RWPE, random walk structural encoding, random walk position encoding, graph position encoding",
)
def random_walk_positions(
    edges: ArrayLike,
    n: Integer,
    steps: Union[Integer, Sequence[Integer], Array],
    *,
    space_dim: Integer = 0,
    dtype: DType = "float64",
    out: Array | None = None,
) -> Array:
    """Random walk structural encoding: the probability of being back at a node after k steps.

        E[i, k] = ((D**-1 A)**k)[i, i] * k**(space_dim / 2),   D the sums of the rows of A

    Parameters
    ----------
    edges : array_like
        Integers (edges, 2), source and target; the walk goes along their direction, a loop is a step, and an edge that
        stands there twice is taken twice as often. From a node that no edge leaves no walk goes on: its row of D**-1 A
        is zeros.
    n : int
        Number of nodes, 0 to 2048.
    steps : int or array_like
        Numbers of steps k: a count K, meaning 1 .. K, or a list of integers, 0 to 1024.
    space_dim : int, default 0
        Dimension of the space in the factor, an integer from 0 to 64.
    dtype : str or dtype, default 'float64'
        Format of the result: float64, float32, float16 or bfloat16.
    out : ndarray, optional
        Array that receives the result.

    Returns
    -------
    ndarray
        Shape (n, steps): the exact number, a fraction times the root of k**space_dim, rounded once to `dtype`.

    Raises
    ------
    InputError
        E_SIZE (n, steps, space_dim), E_SHAPE, E_DTYPE and E_POSITION (edges), E_OUT, E_TOO_LARGE.

    Notes
    -----
    On a bipartite graph no walk is back after an odd number of steps: 0 there, exactly.

    References
    ----------
    get_rw_landing_probs in graphgps/transform/posenc_stats.py of rampasek/GraphGPS at 2801570.

    Examples
    --------
    >>> triangle = [[0, 1], [1, 0], [1, 2], [2, 1], [2, 0], [0, 2]]
    >>> random_walk_positions(triangle, 3, 4)[0]
    array([0.   , 0.5  , 0.25 , 0.375])
    """
    counts, n = graphs.read(edges, n)
    steps, fmt = read_steps(steps), formats.resolve(dtype)
    dim = checks.integer("space_dim", space_dim, 0, MOST_DIMENSIONS)
    result, stored = checks.output(out, (n, len(steps)), fmt, apart_from=doubles.arrays(edges))
    patterns, known = formats.bits(stored), {}
    moves, divisor = weights(counts)
    for node in range(n):
        returns = walk(moves, node, max(steps, default=0))
        for column, k in enumerate(steps):
            key = returns[k], k
            if key not in known:
                known[key] = pattern(Fraction(returns[k], divisor**k), k**dim, fmt)
            patterns[node, column] = known[key]
    return result


def read_steps(steps):
    """The numbers of steps as a list."""
    steps = checks.of_numpy("steps", steps)
    several = isinstance(steps, (list, tuple, range)) or (isinstance(steps, np.ndarray) and steps.ndim)
    if not several:
        return list(range(1, checks.integer("steps", steps, 0, MOST_STEPS) + 1))
    listed = checks.listed("steps", steps, "integers", "E_SIZE")
    if len(listed) > MOST_STEPS + 1:
        raise InputError("E_SIZE", "steps", f"steps must be at most {MOST_STEPS + 1} numbers, got {len(listed)}")
    return [checks.integer("steps", k, 0, MOST_STEPS) for k in listed]


def weights(counts):
    """([{target: weight}] for each node, divisor): weights over the divisor are the probabilities of a step."""
    degrees = counts.sum(axis=1).tolist()
    divisor = lcm(*(degree for degree in degrees if degree))
    rows = [np.flatnonzero(row).tolist() for row in counts]
    return [
        {j: int(counts[i, j]) * (divisor // degrees[i]) for j in row} for i, row in enumerate(rows)
    ], divisor  # fmt: skip


def walk(moves, node, most):
    """How likely each number of steps from 0 to `most` leads from a node to itself, times divisor**k."""
    now, returns = {node: 1}, [1]
    for _ in range(most):
        after = {}
        for i, weight in now.items():
            for j, move in moves[i].items():
                after[j] = after.get(j, 0) + weight * move
        now = after
        returns.append(now.get(node, 0))
    return returns


def pattern(value, square, fmt):
    """Bit pattern of a fraction from 0 on times the root of an integer."""
    exact = value * value * square
    return reals.square_root(exact).pattern(fmt) if exact else 0
