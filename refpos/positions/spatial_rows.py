"""The rows that pairs of nodes of a graph read: how many steps lead from one to the other."""

from __future__ import annotations

from typing import Literal, get_args

import numpy as np

from .. import checks
from ..catalogue import register
from ..errors import InputError, shown
from ..steps.graphs import graphs
from ..types import ArrayLike, Integer, Integers

Rule = Literal["graphormer", "graphgps"]
UNREACHABLE = 510  # of Graphormer, and any distance from there on


@register(
    family="positions",
    paper="Ying et al. 2021, Do Transformers Really Perform Bad for Graph Representation?, arXiv:2106.05234, "
    "section 3.1.2",
    conventions="rule: graphormer (distance + 1, row 0 pads, 511 unreachable) or graphgps (cut); row: from, column: to",
    also="spatial encoding, shortest path distance",
)
def spatial_rows(
    edges: ArrayLike, n: Integer, *, rule: Rule, distance: Integer | None = None, padded: Integer | None = None
) -> Integers:
    """The shortest-path distance between two nodes, as the row of a learned table (Graphormer's spatial encoding).

        graphormer  R[i, j] = steps + 1, and 511 where no path leads from i to j or it has 510 steps or more
        graphgps    R[i, j] = min(steps, distance - 1), and `distance` where no path leads from i to j

    Parameters
    ----------
    edges : array_like
        Integers (edges, 2), source and target; paths go along their direction, repeated edges and loops change nothing.
    n : int
        Number of nodes, 0 to 2048.
    rule : {'graphormer', 'graphgps'}
        Which rows, as stated above.
    distance : int, optional
        Row of the pairs without a path, with graphgps, from 1 on.
    padded : int, optional
        With graphormer, the number of nodes of the largest graph of a batch: pairs with a node from n on read row 0.

    Returns
    -------
    ndarray of int64
        Shape (n, n), or (padded, padded).

    Raises
    ------
    InputError
        E_SIZE (n, distance, padded), E_SHAPE, E_DTYPE and E_POSITION (edges), E_CHOICE (rule, and arguments that it
        does not have).

    Notes
    -----
    The virtual node of Graphormer is none of these nodes: it has a number of its own, which `graphormer_bias` takes.

    References
    ----------
    - floyd_warshall in graphormer/data/algos.pyx and pad_spatial_pos_unsqueeze in graphormer/data/collator.py of
      microsoft/Graphormer at ac154fe.
    - graphormer_pre_processing in graphgps/encoder/graphormer_encoder.py of rampasek/GraphGPS at 2801570.

    Examples
    --------
    >>> spatial_rows([[0, 1], [1, 0], [1, 2]], 3, rule="graphormer")
    array([[  1,   2,   3],
           [  2,   1,   2],
           [511, 511,   1]])
    """
    counts, n = graphs.read(edges, n)
    checks.choice("rule", rule, get_args(Rule))
    for name, value, of in (("distance", distance, "graphgps"), ("padded", padded, "graphormer")):
        if value is not None and rule != of:
            raise InputError("E_CHOICE", name, f"{name} must be left out with rule={rule!r}, got {shown(value)}")
    if rule == "graphgps":
        distance = checks.integer("distance", distance, 1)
        found = graphs.distances(counts, n)
        return np.where(found < n, np.minimum(found, distance - 1), distance)
    size = n if padded is None else checks.integer("padded", padded, n, graphs.MOST_NODES)
    result = np.zeros((size, size), np.int64)
    result[:n, :n] = graphs.distances(counts, UNREACHABLE) + 1
    return result
