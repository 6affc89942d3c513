"""The rows that nodes of a graph read by their number of edges."""

from __future__ import annotations

from typing import Literal, get_args

import numpy as np

from .. import checks
from ..catalogue import register
from ..steps.graphs import graphs
from ..types import ArrayLike, Integer, Integers

Direction = Literal["in", "out"]


@register(
    family="positions",
    paper="Ying et al. 2021, Do Transformers Really Perform Bad for Graph Representation?, arXiv:2106.05234, "
    "section 3.1.1",
    conventions="direction; offset 1 where row 0 pads (no defaults); repeated edges count once, a loop once",
    also="centrality encoding",
)
def degree_rows(
    edges: ArrayLike, n: Integer, *, direction: Direction, offset: Integer, padded: Integer | None = None
) -> Integers:
    """The degree of each node of a graph, as the row of a learned table (Graphormer's centrality encoding).

        R[i] = offset + number of nodes j with an edge from i to j ("out"), or from j to i ("in")

    Parameters
    ----------
    edges : array_like
        Integers (edges, 2), source and target. An edge that stands there twice counts once, and a loop counts.
    n : int
        Number of nodes, 0 to 2048.
    direction : {'in', 'out'}
        Which edges count, those that leave a node ("out") or those that enter it ("in").
    offset : int
        Number that is added: 1 for Graphormer, whose row 0 pads; 0 for GraphGPS.
    padded : int, optional
        Number of nodes of the largest graph of a batch: those from n on read row 0.

    Returns
    -------
    ndarray of int64
        Shape (n,) or (padded,).

    Raises
    ------
    InputError
        E_SIZE (n, offset, padded), E_SHAPE, E_DTYPE and E_POSITION (edges), E_CHOICE (direction).

    Notes
    -----
    Graphormer takes "out" for both of its tables, as its graphs are undirected.

    References
    ----------
    - preprocess_item in graphormer/data/wrapper.py and pad_1d_unsqueeze in graphormer/data/collator.py of
      microsoft/Graphormer at ac154fe.
    - graphormer_pre_processing in graphgps/encoder/graphormer_encoder.py of rampasek/GraphGPS at 2801570.

    Examples
    --------
    >>> degree_rows([[0, 1], [0, 1], [0, 2], [2, 2]], 3, direction="out", offset=1, padded=5)
    array([3, 1, 2, 0, 0])
    """
    counts, n = graphs.read(edges, n)
    axis = 0 if checks.choice("direction", direction, get_args(Direction)) == "in" else 1
    offset = checks.integer("offset", offset, 0, 2**31)
    size = n if padded is None else checks.integer("padded", padded, n, graphs.MOST_NODES)
    result = np.zeros(size, np.int64)
    result[:n] = np.count_nonzero(counts, axis=axis) + offset
    return result
