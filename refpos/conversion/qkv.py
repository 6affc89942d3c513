"""Fused projections: which rows of one q-k-v weight belong to q, to k and to v."""

from __future__ import annotations

import numpy as np

from .. import checks
from ..guard import guarded
from ..rotary.rope_in_qkv import FUSIONS, head_counts
from ..types import Fusion, Integer, Integers
from .channels import order
from .layout import MOST, Layout


@guarded
def qkv_rows(
    num_heads: Integer, head_dim: Integer, *, fusion: Fusion, num_kv_heads: Integer | None = None
) -> tuple[Integers, Integers, Integers]:
    """The rows of q, of k and of v in a fused projection.

        concatenated: all q, all k, all v     grouped: for each key-value head its q heads, its k, its v

    Parameters
    ----------
    num_heads : int
        Number of query heads.
    head_dim : int
        Number of channels of a head.
    fusion : {'concatenated', 'grouped'}
        How q, k and v lie in the weight, as stated above.
    num_kv_heads : int, optional
        Number of key-value heads, by default num_heads; it divides num_heads.

    Returns
    -------
    q, k, v : ndarray of int64
        Three int64 index arrays, (num_heads * head_dim,) and twice (num_kv_heads * head_dim,).

    Raises
    ------
    InputError
        E_CHOICE, E_SIZE.

    Notes
    -----
    Grouped with as many as heads is q, k, v head by head.

    References
    ----------
    - concatenated: Phi-3 and vLLM's q, k, v for Llama.
    - grouped: transformers, models/gpt_neox and models/bloom (as many as heads), models/falcon (new decoder),
      InternLM2.

    Examples
    --------
    >>> qkv_rows(2, 2, fusion="grouped")
    (array([0, 1, 6, 7]), array([2, 3, 8, 9]), array([ 4,  5, 10, 11]))
    """
    checks.choice("fusion", fusion, FUSIONS)
    num_heads, num_kv_heads = head_counts(num_heads, num_kv_heads)
    head_dim = checks.integer("head_dim", head_dim, 1, MOST)
    share = num_heads // num_kv_heads
    rows = np.arange((num_heads + 2 * num_kv_heads) * head_dim, dtype=np.int64)
    if fusion == "concatenated":
        return tuple(np.split(rows, [num_heads * head_dim, (num_heads + num_kv_heads) * head_dim]))
    groups = rows.reshape(num_kv_heads, share + 2, head_dim)
    return tuple(part.reshape(-1) for part in (groups[:, :share], groups[:, share], groups[:, share + 1]))


@guarded
def qkv_order(
    source: Layout,
    target: Layout,
    *,
    num_heads: Integer,
    fusion: Fusion,
    num_kv_heads: Integer | None = None,
    to_fusion: Fusion | None = None,
) -> Integers:
    """The permutation of the rows of a fused projection into another layout: new = old[order].

        q and k rows by `order(source, target)`, v rows as they are

    Parameters
    ----------
    source, target : Layout
        Layouts to convert from and to, what `layout` returns.
    num_heads : int
        Number of heads that lie one after another.
    fusion : {'concatenated', 'grouped'}
        How q, k and v lie in the weight, "concatenated" or "grouped"
    num_kv_heads : int, optional
        Number of key-value heads; the default is num_heads.
    to_fusion : {'concatenated', 'grouped'}, optional
        How they lie afterwards (default the same).

    Returns
    -------
    ndarray of int64
        int64 indices, shape ((num_heads + 2 num_kv_heads) * head_dim,).

    Raises
    ------
    InputError
        E_CHOICE, E_SIZE, and what `order` raises (E_ROTARY_DIM, E_SHAPE).

    Notes
    -----
    The same indices serve the bias.

    References
    ----------
    As `qkv_rows`.

    Examples
    --------
    >>> from refpos.conversion import layout
    >>> meta, hf = layout(4, pairing="interleaved"), layout(4, pairing="half")
    >>> qkv_order(meta, hf, num_heads=1, fusion="concatenated")
    array([ 0,  2,  1,  3,  4,  6,  5,  7,  8,  9, 10, 11])
    """
    num_heads, num_kv_heads = head_counts(num_heads, num_kv_heads)
    orders = [order(source, target, num_heads=n) for n in (num_heads, num_kv_heads)]
    counts = {"num_kv_heads": num_kv_heads}
    old = qkv_rows(num_heads, source.head_dim, fusion=fusion, **counts)
    if to_fusion is not None:
        checks.choice("to_fusion", to_fusion, FUSIONS)
    new = qkv_rows(num_heads, source.head_dim, fusion=to_fusion or fusion, **counts)
    indices = np.empty(sum(map(len, old)), np.int64)
    for to, rows in zip(new, (old[0][orders[0]], old[1][orders[1]], old[2])):
        indices[to] = rows
    return indices
