"""Graph networks that add eigenvectors of Laplacians."""

from __future__ import annotations

from typing import get_args

import numpy as np

from .. import checks
from ..absolute.laplacian_positions import Laplacian, Normaliser
from ..errors import InputError
from ..types import ArrayLike, Integer, Integers
from .absolute import Absolute
from .registry import preset


def undirected(edges: ArrayLike = ()) -> Integers:
    """Edges (edges, 2) in both directions, each once, in the order of their sources and targets; loops as they are.

    >>> undirected([[2, 1], [0, 1], [1, 0]]).tolist()
    [[0, 1], [1, 0], [1, 2], [2, 1]]
    """
    pairs = checks.integers("edges", edges)
    if pairs.size and (pairs.ndim != 2 or pairs.shape[1] != 2):
        raise InputError("E_SHAPE", "edges", f"edges must be (edges, 2), got shape {pairs.shape}")
    pairs = pairs.reshape(-1, 2).astype(np.int64)
    return np.unique(np.concatenate([pairs, pairs[:, ::-1]]), axis=0)


@preset(
    project="graphdeeplearning/benchmarking-gnns", version="b6c407712fa576e9699555e1e035d1e327ccae6c",
    file="data/molecules.py, positional_encoding", positions=undirected,
    notes=("Signs are drawn anew for each batch of training.",
           "numpy.linalg.eig, which it calls, gives vectors of one eigenvalue that need not be orthogonal."),
)  # fmt: skip
def benchmarking_gnns(k: Integer = 8) -> Absolute:
    """Benchmarking GNNs: eigenvectors from the second one on, zeros where a graph has too few nodes.

    columns 1 to k of L = I - D**-1/2 A D**-1/2, degrees at least 1, loops counted

    >>> benchmarking_gnns().table([[0, 1], [1, 0]], 2, k=2).round(3).tolist()
    [[0.707, 0.0], [-0.707, 0.0]]
    """
    decided = {"laplacian": "sym", "loops": "keep", "skip_first": True, "pad": "zeros", "normaliser": None}
    return Absolute("laplacian_positions", {"k": checks.integer("k", k, 0), **decided})


@preset(
    project="rampasek/GraphGPS", version="28015707cbab7f8ad72bed0ee872d068ea59c94b",
    file="graphgps/transform/posenc_stats.py, get_lap_decomp_stats", positions=undirected,
    notes=("Eigenvalues stand beside the vectors: laplacian_values.",
           "Signs are drawn anew for each batch of training.",
           "laplacian='rw-lower' is what numpy.linalg.eigh makes of its rw."),
)  # fmt: skip
def graphgps(k: Integer = 10, *, laplacian: Laplacian = "sym", normaliser: Normaliser = "L2") -> Absolute:
    """GraphGPS, LapPE: eigenvectors from the first one on, NaN where a graph has too few nodes.

    columns 0 to k - 1 of L = I - D**-1/2 A D**-1/2, without loops, each over a norm

    >>> graphgps(laplacian="none", normaliser="abs-max").table([[0, 1], [1, 0]], 2, k=3).round(3).tolist()
    [[1.0, 1.0, nan], [1.0, -1.0, nan]]
    """
    chosen = {
        "laplacian": checks.choice("laplacian", laplacian, get_args(Laplacian)),
        "normaliser": checks.choice("normaliser", normaliser, get_args(Normaliser)),
    }
    decided = {"loops": "drop", "skip_first": False, "pad": "nan"}
    return Absolute("laplacian_positions", {"k": checks.integer("k", k, 0), **chosen, **decided})
