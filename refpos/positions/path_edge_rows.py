"""The rows that pairs of nodes of a graph read for the edges on a shortest path between them."""

from __future__ import annotations

import numpy as np

from .. import checks
from ..catalogue import register
from ..errors import InputError
from ..steps.graphs import graphs
from ..types import ArrayLike, Integer, Integers
from .spatial_rows import UNREACHABLE

MOST_NODES = 512  # of a graph that the collator of Graphormer takes
MOST_HOPS = 64
LARGEST = 2**31


@register(
    family="positions",
    paper="Ying et al. 2021, Do Transformers Really Perform Bad for Graph Representation?, arXiv:2106.05234, "
    "section 3.1.3",
    conventions="of several shortest paths that of Floyd and Warshall, middle nodes ascending; row 0 pads",
)
def path_edge_rows(
    edges: ArrayLike, n: Integer, attributes: ArrayLike, *, hops: Integer, offset: Integer = 512
) -> Integers:
    """The attributes of the edges on a shortest path between two nodes, as rows of one learned table.

        R[i, j, h, f] = attributes[edge h of the path from i to j, f] + f offset + 3,   0 where there is no such edge

    Parameters
    ----------
    edges : array_like
        Integers (edges, 2), source and target; of an edge that stands there twice the last one counts.
    n : int
        Number of nodes, 0 to 512.
    attributes : array_like
        Integers from 0 on, (edges, features) or (edges,).
    hops : int
        Number of edges of a path that are read, 1 to 64.
    offset : int, default 512
        Distance of the rows of two features.

    Returns
    -------
    ndarray of int64
        Shape (n, n, hops, features).

    Raises
    ------
    InputError
        E_SIZE (n, hops, offset), E_SHAPE, E_DTYPE and E_POSITION (edges, attributes).

    Notes
    -----
    Of several shortest paths the one is read that the algorithm of Floyd and Warshall finds with middle nodes 0, 1, ..:
    a pair keeps its path until a node makes it shorter, and the path through that node is put together from the two
    that are known at the end.

    From a node to itself, and where no path of fewer than 510 edges leads, all rows are 0. Rows 1 and 2 are never read,
    because the code adds 1 three times.

    References
    ----------
    preprocess_item in graphormer/data/wrapper.py, gen_edge_input in graphormer/data/algos.pyx and pad_3d_unsqueeze in
    graphormer/data/collator.py of microsoft/Graphormer at ac154fe.

    Examples
    --------
    >>> path_edge_rows([[0, 1], [1, 2]], 3, [4, 7], hops=2)[0, :, :, 0]
    array([[ 0,  0],
           [ 7,  0],
           [ 7, 10]])
    """
    n = checks.integer("n", n, 0, MOST_NODES)
    pairs = graphs.read_edges(edges, n)
    hops, offset = checks.integer("hops", hops, 1, MOST_HOPS), checks.integer("offset", offset, 0, LARGEST)
    rows = read_attributes(attributes, len(pairs)) + 3
    rows = rows + offset * np.arange(rows.shape[1], dtype=np.int64)
    result = np.zeros((n, n, hops, rows.shape[1]), np.int64)
    edge_of = {(i, j): row for (i, j), row in zip(pairs.tolist(), rows)}
    steps, middle = shortest(pairs, n)
    for i, j in np.argwhere((steps < UNREACHABLE) & (steps > 0)).tolist():
        nodes = [i, *between(middle, i, j), j]
        for hop in range(min(hops, len(nodes) - 1)):
            result[i, j, hop] = edge_of[nodes[hop], nodes[hop + 1]]
    return result


def read_attributes(attributes, count):
    """The attributes as int64 (edges, features)."""
    found = checks.integers("attributes", attributes)
    if found.ndim == 1:
        found = found[:, None]
    if found.ndim != 2 or len(found) != count:
        sentence = f"attributes must be ({count}, features), a row for each edge, got shape {np.shape(attributes)}"
        raise InputError("E_SHAPE", "attributes", sentence)
    if found.size and not 0 <= found.min() <= found.max() <= LARGEST:
        sentence = f"attributes must be from 0 to 2**31, got {found.min()} to {found.max()}"
        raise InputError("E_POSITION", "attributes", sentence)
    return found.astype(np.int64)


def shortest(pairs, n):
    """(steps, middle): the lengths of shortest paths, and the last node that made each shorter, -1 for an edge."""
    steps, middle = np.full((n, n), UNREACHABLE, np.int64), np.full((n, n), -1, np.int64)
    steps[pairs[:, 0], pairs[:, 1]] = 1
    np.fill_diagonal(steps, 0)
    for k in range(n):
        through = steps[:, k, None] + steps[k]
        shorter = through < steps
        steps[shorter], middle[shorter] = through[shorter], k
    return steps, middle


def between(middle, i, j):
    """The nodes between i and j on their path."""
    nodes, left = [], [(i, j)]
    while left:
        i, j = left.pop()
        k = int(middle[i, j])
        if k < 0:
            nodes.append(j)
        else:
            left += [(k, j), (i, k)]
    return nodes[:-1]
