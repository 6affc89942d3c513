"""Positions of PoSE: chunks of a short sequence, skips between them, over the range of a long one."""

from __future__ import annotations

import itertools
from collections.abc import Sequence

import numpy as np

from .. import checks
from ..catalogue import register
from ..errors import InputError
from ..types import Integer, Integers
from . import _rows


@register(
    family="positions",
    paper="Zhu et al. 2023, PoSE, arXiv:2309.10400, section 3.2",
    conventions="the first chunk begins at 0 in the revised code, at the first skip in the paper; skips are data",
    also="PoSE, positional skip-wise training, randomized positions, randomized positional encodings",
)
def skipped_positions(
    chunks: Sequence[Integer], skips: Sequence[Integer], *, target: Integer | None = None
) -> Integers:
    """Position ids that skip between chunks, so that a short sequence covers a long range (PoSE).

        P[k] = k + skips[c],  c = the chunk of token k

    Parameters
    ----------
    chunks : sequence of int
        The lengths of the chunks, integers from 0, in all at most 2**24 tokens.
    skips : sequence of int
        For each chunk the total number of positions that are left out before it: integers that never fall; the first is
        0 in the revised code.
    target : int, optional
        Length that is trained for, beyond which no position may lie; None for no limit.

    Returns
    -------
    ndarray of int64
        Shape (sum of chunks,).

    Raises
    ------
    InputError
        E_SIZE (chunks, skips, target), E_SHAPE (another number of skips than chunks), E_POSITION (skips that fall, a
        position at target or beyond, or beyond 2**53).

    Notes
    -----
    The skips are drawn by the caller: of two chunks the second skip from 0 .. target - length.

    References
    ----------
    dwzhu-pku/PoSE at ebd4f63, src/train_pose.py, train_preprocess_function_pose.

    Examples
    --------
    >>> skipped_positions([3, 2], [0, 10])
    array([ 0,  1,  2, 13, 14])
    """
    chunks = [checks.integer("chunks", one, 0, _rows.MOST_TOKENS) for one in checks.listed("chunks", chunks, "lengths")]
    skips = [
        checks.integer("skips", one, 0, _rows.LARGEST_POSITION) for one in checks.listed("skips", skips, "integers")
    ]
    if len(skips) != len(chunks):
        raise InputError("E_SHAPE", "skips", f"skips must be one for each of {len(chunks)} chunks, got {len(skips)}")
    for before, skip in itertools.pairwise(skips):
        if skip < before:
            raise InputError("E_POSITION", "skips", f"skips must never fall, got {skip} after {before}")
    length = sum(chunks)
    if length > _rows.MOST_TOKENS:
        raise InputError("E_SIZE", "chunks", f"chunks must have at most {_rows.MOST_TOKENS} tokens, got {length}")
    limit = _rows.LARGEST_POSITION + 1 if target is None else checks.integer("target", target)
    positions = np.arange(length, dtype=np.int64) + np.repeat(np.array(skips, np.int64), chunks)
    if length and positions[-1] >= limit:
        raise InputError("E_POSITION", "skips", f"skips must leave positions below {limit}, got {positions[-1]}")
    return positions
