"""Positions of packed sequences, of chunks of a prompt and of decoding with a cache."""

from __future__ import annotations

from typing import Union

import numpy as np

from ... import checks, foreign
from ...catalogue import register
from ...errors import InputError
from ...types import ArrayLike, Integer, Integers
from . import _packed


@register(
    family="positions",
    paper="conventions of transformers (DataCollatorWithFlattening), FlashAttention and vLLM",
    conventions="restart: each sequence counts from its own start, or on through the batch (no default)",
    also="sequence packing, packing, packed sequences, varlen, ragged batch, position ids of packed documents, chunked"
    " prefill, cache offset, num_computed_tokens, padding-free",
)
def packed_positions(
    cu_seqlens: Union[Integer, ArrayLike],
    *,
    restart: bool,
    offsets: Union[Integer, ArrayLike] = 0,
    out: Integers | None = None,
) -> Integers:
    """Position ids of tokens packed one sequence after the other, restarted or run on, with what the cache holds.

        P[t] = offsets[s] + t - cu_seqlens[s]   with restart
        P[t] = offsets[s] + t                   without

    s is the sequence of token t.

    Parameters
    ----------
    cu_seqlens : int or array_like
        Integers (sequences + 1,), 0 and the running sums of the lengths; an int is the length of one sequence.
    restart : bool
        Whether each sequence counts from its own first token.
    offsets : int or array_like, default 0
        Position of the first token, for all sequences or each (sequences,): the tokens that the cache has of it.
    out : ndarray, optional
        Array that receives the result.

    Returns
    -------
    ndarray of int64
        Shape (tokens,).

    Raises
    ------
    InputError
        E_DTYPE and E_SHAPE (cu_seqlens, offsets), E_POSITION (cu_seqlens that does not begin with 0 or falls, a
        position beyond 2**53), E_SIZE (cu_seqlens, offsets), E_CHOICE (restart), E_OUT, E_TOO_LARGE.

    Notes
    -----
    A chunk of a prompt, or a decoded token, is a sequence whose offset is the number of its tokens before the chunk:
    `cu_seqlens` is then query_start_loc of vLLM and `offsets` its num_computed_tokens. RoBERTa begins at
    padding_idx + 1.

    References
    ----------
    - transformers 5.23.0, data/data_collator.py, DataCollatorWithFlattening (position_ids_start).
    - vLLM, v1/worker/gpu_model_runner.py, _prepare_inputs.
    - mistral-inference, cache.py, BufferCache.get_input_metadata.

    Examples
    --------
    >>> packed_positions([0, 3, 5], restart=True)
    array([0, 1, 2, 0, 1])
    >>> packed_positions([0, 3, 4, 5], restart=True, offsets=[8, 20, 5])
    array([ 8,  9, 10, 20,  5])
    """
    bounds, restart = _packed.read_cu_seqlens(cu_seqlens), checks.flag("restart", restart)
    lengths = np.diff(bounds)
    first = _packed.read_offsets("offsets", offsets, len(lengths), "sequences")
    kept = np.flatnonzero(lengths)
    lengths, first = lengths[kept], first[kept] + (0 if restart else bounds[kept])
    last = first + lengths - 1
    if last.size and last.max() > _packed.MOST:
        sentence = f"offsets must leave positions up to {_packed.MOST}, got {last.max()}"
        raise InputError("E_POSITION", "offsets", sentence)
    apart_from = foreign.memory(cu_seqlens, offsets)
    result, stored = checks.output(out, (int(bounds[-1]),), checks.INT64, apart_from=apart_from)
    if stored.size:
        # steps of 1 but at the beginnings, added up in place: one array, one pass
        stored[...] = 1
        stored[bounds[kept]] = np.concatenate((first[:1], first[1:] - last[:-1]))
        np.cumsum(stored, dtype=np.int64, out=stored)
    return result
