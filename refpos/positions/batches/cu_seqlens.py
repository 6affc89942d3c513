"""The boundaries of packed sequences, from what marks them."""

from __future__ import annotations

from typing import Literal, get_args

import numpy as np

from ... import checks
from ...catalogue import register
from ...errors import InputError
from ...types import ArrayLike, Integers
from .. import _rows

Rule = Literal["lengths", "segments", "first", "zeros", "jumps"]
RULES = get_args(Rule)


@register(
    family="positions",
    paper="conventions of FlashAttention (flash_attn_varlen_func) and transformers, modeling_flash_attention_utils.py",
    conventions="rule: lengths, segments, first (transformers 5), zeros (transformers 4) or jumps (no default)",
    also="cu_seqlens_q, cumulative sequence lengths, sequence packing, varlen, segment ids, query_start_loc, qo_indptr,"
    " document boundaries",
)
def cu_seqlens(values: ArrayLike, *, rule: Rule) -> Integers:
    """Cumulative lengths of packed sequences, from their lengths, segment ids or position ids.

        lengths:   0, n_0, n_0 + n_1, ...           values: the lengths n_s
        segments:  t where values[t] != values[t - 1]
        first:     t where values[t] is the smallest of all position ids
        zeros:     t where values[t] is 0
        jumps:     t where values[t] != values[t - 1] + 1

    The last four begin with 0 and end with the number of tokens.

    Parameters
    ----------
    values : array_like
        Integers (sequences,) with "lengths", else (tokens,).
    rule : {'lengths', 'segments', 'first', 'zeros', 'jumps'}
        What marks the beginning of a sequence, as stated above.

    Returns
    -------
    ndarray of int64
        Shape (sequences + 1,).

    Raises
    ------
    InputError
        E_CHOICE (rule), E_DTYPE and E_SHAPE (values), E_SIZE (negative lengths, more than 2**53 tokens), E_POSITION
        (negative position ids; first and zeros: position ids that begin with another number).

    Notes
    -----
    FlashAttention takes int32. Sequences without tokens show in lengths only. Two sequences of one token each, or
    position ids that run on, are one sequence to "jumps" where the numbers happen to follow each other; segment ids of
    neighbours must differ.

    References
    ----------
    - transformers 5.23.0, modeling_flash_attention_utils.py, prepare_fa_kwargs_from_position_ids (first; zeros in
      4.57.1); masking_utils.py, find_packed_sequence_indices (jumps).
    - Dao-AILab/flash-attention, flash_attn_varlen_func (cu_seqlens_q).

    Examples
    --------
    >>> cu_seqlens([3, 2, 4], rule="lengths")
    array([0, 3, 5, 9])
    >>> cu_seqlens([2, 3, 4, 2, 3], rule="first")
    array([0, 3, 5])
    """
    checks.choice("rule", rule, RULES)
    axis, code = ("sequences", "E_SIZE") if rule == "lengths" else ("tokens", "E_POSITION")
    array = _rows.read_integers("values", values, (axis,), None if rule == "segments" else 0, code)
    if rule == "lengths":
        return _sums(array)
    if not len(array):
        return np.zeros(1, np.int64)
    starts = np.ones(len(array), bool)
    if rule in ("first", "zeros"):
        marker = array.min() if rule == "first" else 0
        np.equal(array, marker, out=starts)
        if not starts[0]:
            sentence = f"values must begin with the position that begins a sequence, {marker}, got {array[0]}"
            raise InputError("E_POSITION", "values", sentence)
    else:
        before = array[:-1] if rule == "segments" else array[:-1] + 1
        np.not_equal(array[1:], before, out=starts[1:])
    return np.append(np.flatnonzero(starts), len(array)).astype(np.int64, copy=False)


def _sums(lengths):
    """0 and the running sums of lengths."""
    sums = np.zeros(len(lengths) + 1, np.int64)
    # in parts of 32 bits, whose sums no int64 loses
    total = (int((lengths >> 32).sum()) << 32) + int((lengths & 2**32 - 1).sum())
    if total > _rows.LARGEST_POSITION:
        sentence = f"values must have a sum of at most {_rows.LARGEST_POSITION}, got {total}"
        raise InputError("E_SIZE", "values", sentence)
    np.cumsum(lengths, dtype=np.int64, out=sums[1:])
    return sums
