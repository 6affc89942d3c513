"""Which tokens each rank has in context parallelism, and the order that puts the shards together."""

from __future__ import annotations

from typing import Literal, NamedTuple, Union, get_args

import numpy as np

from ... import checks
from ...catalogue import register
from ...errors import InputError
from ...types import ArrayLike, Integer, Integers
from . import _packed

Order = Literal["contiguous", "striped", "zigzag"]
ORDERS = get_args(Order)


class ContextParallelIndices(NamedTuple):
    """The tokens of each rank, and where each token stands in the joined shards."""

    indices: Integers
    inverse: Integers


@register(
    family="positions",
    paper="Brandon et al. 2023, Striped Attention, arXiv:2311.09431; conventions of Megatron-LM, Transformer Engine and"
    " ring-flash-attention",
    conventions="order: contiguous, striped or zigzag (no default); each sequence is shared out among all ranks",
    outputs=("indices", "inverse"),
    also="context parallel, context parallelism, ring attention, zigzag, striped attention, load balancing,"
    " get_batch_on_this_cp_rank, thd_get_partitioned_indices, head-tail load balancer",
)
def context_parallel_indices(
    cu_seqlens: Union[Integer, ArrayLike], *, ranks: Integer, order: Order
) -> ContextParallelIndices:
    """The tokens of each rank in context parallelism, each packed sequence shared out among all ranks.

        contiguous:  tokens r n/R .. (r + 1) n/R - 1
        striped:     tokens r, r + R, r + 2 R, ...
        zigzag:      chunks r and 2 R - 1 - r of 2 R chunks of n/(2 R) tokens

    of a sequence of n tokens, for rank r of R; the sequences follow each other in each rank.

    Parameters
    ----------
    cu_seqlens : int or array_like
        Integers (sequences + 1,), 0 and the running sums of the lengths; an int is the length of one sequence, or of a
        packed batch that is shared out as a whole.
    ranks : int
        R, at least 1.
    order : {'contiguous', 'striped', 'zigzag'}
        Which tokens a rank has, as stated above.

    Returns
    -------
    indices, inverse : ndarray of int64
        Shapes (ranks, tokens / ranks) and (tokens,): `joined[inverse]` has the tokens in their order, where `joined`
        has the shards of rank 0, 1, ... one after the other.

    Raises
    ------
    InputError
        E_DTYPE, E_SHAPE and E_POSITION (cu_seqlens), E_SIZE (ranks; lengths that are no multiples of R, of 2 R with
        zigzag), E_CHOICE (order), E_TOO_LARGE.

    Notes
    -----
    The positions of rank r are those of its tokens, `packed_positions(cu_seqlens, restart=True)[indices[r]]`: two
    sequences of 4 on 2 ranks in zigzag order give rank 0 the tokens 0, 3, 4, 7 at positions 0, 3, 0, 3.

    References
    ----------
    - Megatron-LM, get_batch_on_this_cp_rank (zigzag of the whole batch).
    - Transformer Engine, thd_partition_indices_kernel (zigzag of each sequence).
    - zhuzilin/ring-flash-attention, extract_local of test_zigzag_ring_flash_attn_varlen_func.py and
      test_stripe_flash_attn_varlen_func.py.
    - torch 2.13, distributed/tensor/experimental/_context_parallel/_load_balancer.py (head-tail).

    Examples
    --------
    >>> context_parallel_indices(8, ranks=2, order="zigzag").indices
    array([[0, 1, 6, 7],
           [2, 3, 4, 5]])
    >>> indices, inverse = context_parallel_indices([0, 4, 8], ranks=2, order="zigzag")
    >>> indices[0], indices.reshape(-1)[inverse]
    (array([0, 3, 4, 7]), array([0, 1, 2, 3, 4, 5, 6, 7]))
    """
    bounds = _packed.read_cu_seqlens(cu_seqlens)
    ranks = checks.integer("ranks", ranks, 1, 2**31)
    checks.choice("order", order, ORDERS)
    lengths, wanted = np.diff(bounds), 2 * ranks if order == "zigzag" else ranks
    if (lengths % wanted).any():
        name = "2 * ranks" if order == "zigzag" else "ranks"
        wrong = lengths[np.argmax(lengths % wanted != 0)]
        sentence = f"cu_seqlens must have lengths that are multiples of {name} = {wanted}, got {wrong}"
        raise InputError("E_SIZE", "cu_seqlens", sentence)
    total = int(bounds[-1])
    _, indices = checks.output(None, (ranks, total // ranks), checks.INT64)
    try:
        first, step = _first_and_step(bounds, lengths // ranks, ranks, order)
        rank = np.arange(ranks if total else 0, dtype=np.int64)[:, None]
        np.multiply(rank, step, out=indices[: len(rank)])
        indices += first
        return ContextParallelIndices(indices, _packed.inverse_of(indices, total))
    except MemoryError:
        sentence = f"the result and what it is made of must fit into memory, got {total} tokens"
        raise InputError("E_TOO_LARGE", "out", sentence) from None


def _first_and_step(bounds, local, ranks, order):
    """The tokens of rank 0, and how much further each of them is on the next rank; local: tokens of a rank by
    sequence."""
    ids = np.empty(int(bounds[-1]) // ranks, np.int64)
    _packed.fill_ids(ids, bounds // ranks)
    start, local = bounds[ids], local[ids]  # of the sequence of each token
    inside = np.arange(len(ids), dtype=np.int64) - start // ranks
    if order == "striped":
        return start + inside * ranks, np.int64(1)
    if order == "contiguous":
        return start + inside, local
    half = local // 2
    tail = inside >= half
    return start + inside + np.where(tail, half * (2 * ranks - 2), 0), np.where(tail, -half, half)
