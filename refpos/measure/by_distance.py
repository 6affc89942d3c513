"""Which element of (.., queries, keys) has a distance first, where numbers depend on the distance alone."""

from __future__ import annotations

import numpy as np

from ..types import Array


def first_places(distances: Array, start: int) -> tuple[Array, Array]:
    """(query, key) of the first element, in C order, at each distance query minus key; start: that of query 0 from
    key 0."""
    queries = np.maximum(distances - start, 0)
    return queries, queries + start - distances
