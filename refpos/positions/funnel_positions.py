"""The position of each token of Funnel after some of its poolings."""

from __future__ import annotations

import numpy as np

from .. import checks
from ..catalogue import register
from ..types import Integer, Integers

__all__ = ["funnel_positions"]

MOST_BLOCKS = 53  # 2**block is the distance to the class token


@register(
    family="positions",
    paper="Dai et al. 2020, Funnel-Transformer, arXiv:2006.03236, section 2.2",
    conventions="separate_cls: the class token is not pooled; truncate_seq: the last token is dropped (no defaults)",
)
def funnel_positions(length: Integer, *, block: Integer, separate_cls: bool, truncate_seq: bool) -> Integers:
    """Funnel Transformer positions: those of the tokens that remain after `block` poolings.

        P_0 = 0, 1, .., length - 1
        P_b = every second of P_{b-1}                                        without separate_cls
        P_b = 1 - 2**b, then every second of P_{b-1} after its first token   with separate_cls

    Parameters
    ----------
    length : int
        Number of tokens before the first pooling.
    block : int
        The number of poolings, 0 to 53.
    separate_cls : bool
        Whether the first token is the class token, which stays as it is, as far before the second as that is before the
        third.
    truncate_seq : bool
        Whether, with separate_cls, the last token of P_{b-1} is dropped before every second is taken; without it this
        changes nothing.

    Returns
    -------
    ndarray of int64
        Shape (tokens that are left,).

    Raises
    ------
    InputError
        E_SIZE (length, block), E_CHOICE (separate_cls, truncate_seq), E_TOO_LARGE.

    Notes
    -----
    Rows of a table of the distances -2 length .. 2 length - 1, which Funnel makes, between blocks b (or where queries
    are pooled b + 1) and b: `relative_rows(queries, keys, sign="query-key", low=-2 * length, high=2 * length - 1,
    outside="refuse")` of the positions of both. A token in a pooled place has the segment of token max(P, 0).

    References
    ----------
    Transformers 5.23.0, models/funnel/modeling_funnel.py, FunnelAttentionStructure.stride_pool_pos. Where pooling
    leaves 2 tokens of 2, which happens without truncate_seq, its code takes the pooled positions for those of the keys
    as well; the positions here are those of the formula.

    Examples
    --------
    >>> funnel_positions(9, block=1, separate_cls=True, truncate_seq=True)
    array([-1,  1,  3,  5,  7])
    >>> funnel_positions(9, block=2, separate_cls=True, truncate_seq=True)
    array([-3,  1,  5])
    """
    length = checks.integer("length", length)
    block = checks.integer("block", block, 0, MOST_BLOCKS)
    separate_cls, truncate_seq = (
        checks.flag(name, value) for name, value in (("separate_cls", separate_cls), ("truncate_seq", truncate_seq))
    )
    array, positions = checks.output(None, (length,), checks.INT64)
    positions[...] = np.arange(length, dtype=np.int64)
    for pooled in range(1, block + 1):
        if separate_cls and len(positions):
            rest = positions[1:-1] if truncate_seq else positions[1:]
            positions = np.concatenate((np.array([1 - 2**pooled], np.int64), rest[::2]))
        else:
            positions = positions[::2]
    return array if not block else np.ascontiguousarray(positions)
