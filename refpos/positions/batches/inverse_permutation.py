"""The order that puts a sharded result together."""

from __future__ import annotations

import numpy as np

from ... import checks
from ...catalogue import register
from ...errors import InputError
from ...types import ArrayLike, Integers
from . import _packed


@register(
    family="positions",
    paper="a convention of gathers after context parallelism; numpy.argsort of a permutation",
    conventions="shards one after the other, row-major",
    also="restore indices, unpermute, undo shuffle, gather shards, argsort of a permutation",
)
def inverse_permutation(indices: ArrayLike) -> Integers:
    """Where each token stands in the shards that hold the tokens of `indices`, so that a gather restores their order.

        inverse[indices[k]] = k

    Parameters
    ----------
    indices : array_like
        Integers of any shape that hold each of 0 .. size - 1 once, read in row-major order.

    Returns
    -------
    ndarray of int64
        Shape (size,); `x[indices.reshape(-1)][inverse]` is x.

    Raises
    ------
    InputError
        E_DTYPE (indices), E_POSITION (an index out of range, a token that is in no shard or in two).

    References
    ----------
    torch 2.13, distributed/tensor/experimental/_context_parallel/_load_balancer.py (restore indices).

    Examples
    --------
    >>> inverse_permutation([[0, 3], [1, 2]])
    array([0, 2, 3, 1])
    """
    array = checks.integers("indices", indices)
    checks.room("indices", array)
    flat, total = np.ascontiguousarray(array).reshape(-1), array.size
    if not total:
        return np.zeros(0, np.int64)
    for wrong in (flat.min(), flat.max()):
        if not 0 <= wrong < total:
            sentence = f"indices must be between 0 and {total - 1}, one for each token, got {wrong}"
            raise InputError("E_POSITION", "indices", sentence)
    missing = np.ones(total, bool)
    missing[flat] = False
    if missing.any():
        token = int(np.argmax(missing))
        raise InputError("E_POSITION", "indices", f"indices must hold each token once, got token {token} in no shard")
    return _packed.inverse_of(flat, total)
