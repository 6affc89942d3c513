"""Positions in a cache that keeps the first tokens and the latest ones."""

from __future__ import annotations

from typing import Literal, NamedTuple, get_args

from ... import checks
from ...catalogue import register
from ...types import Integer, Integers
from .._windows import MOST

Order = Literal["sequential", "rolling"]
ORDERS = get_args(Order)


class StreamingPositions(NamedTuple):
    """The token in each slot of the cache, and its position inside the cache."""

    indices: Integers
    positions: Integers


@register(
    family="positions",
    paper="Xiao et al. 2023, Efficient Streaming Language Models with Attention Sinks, arXiv:2309.17453, section 3.2",
    conventions="order: sequential (StreamingLLM) or rolling (Mistral, mlx-lm) slots (no default)",
    outputs=("indices", "positions"),
    also="StreamingLLM, attention sinks, sink tokens, sliding window, rolling buffer cache, positions inside the cache,"
    " rotating cache, start_size, recent_size",
)
def streaming_positions(length: Integer, *, sinks: Integer, window: Integer, order: Order) -> StreamingPositions:
    """Which tokens a cache of attention sinks and a sliding window holds, and their positions inside the cache.

        kept:        the tokens p < sinks, and p >= length - window
        sequential:  slot k has the k-th kept token
        rolling:     slot p has token p < sinks, slot sinks + (p - sinks) mod window another

    Parameters
    ----------
    length : int
        Number of tokens so far, those that the cache dropped included.
    sinks : int
        Number of first tokens that stay, 0 to 2**31; 0 leaves a sliding window.
    window : int
        Number of latest tokens that stay, 1 to 2**31.
    order : {'sequential', 'rolling'}
        Slots in the order of the tokens, or each new token over the oldest.

    Returns
    -------
    indices, positions : ndarray of int64
        Shape (kept tokens,) each, by slot: the position of the token in the text, and how many kept tokens precede it.

    Raises
    ------
    InputError
        E_SIZE (length, sinks, window), E_CHOICE (order), E_TOO_LARGE.

    Notes
    -----
    StreamingLLM rotates keys at `positions`, and the next query at their number; a sliding window as that of Mistral
    has keys rotated at `indices`. Rolling slots are those of tokens that come one at a time: a cache that takes several
    at once may have another order. To make room for n coming tokens, as evict_for_space does, give window - n.

    References
    ----------
    - mit-han-lab/streaming-llm, kv_cache.py, StartRecentKVCache; pos_shift/modify_llama.py.
    - mlx-lm, models/cache.py, RotatingKVCache (keep).
    - Jiang et al. 2023, Mistral 7B, arXiv:2310.06825, figure 2 (rolling, no sinks).

    Examples
    --------
    >>> streaming_positions(10, sinks=2, window=3, order="sequential")
    StreamingPositions(indices=array([0, 1, 7, 8, 9]), positions=array([0, 1, 2, 3, 4]))
    >>> streaming_positions(10, sinks=2, window=3, order="rolling").indices
    array([0, 1, 8, 9, 7])
    """
    length = checks.integer("length", length)
    sinks, window = checks.integer("sinks", sinks, 0, MOST), checks.integer("window", window, 1, MOST)
    checks.choice("order", order, ORDERS)
    first = min(length, sinks)
    later = min(length - first, window)
    positions = checks.counted("length", first + later)
    indices = checks.counted("length", first + later)
    indices[first:] += length - later - first
    if order == "rolling" and later == window:
        places = (length - sinks) % window  # the slot of the oldest, which comes next
        for one in (indices, positions):  # a roll in place: both go up by 1
            one[first : first + places] += window - places
            one[first + places :] -= places
    return StreamingPositions(indices, positions)
