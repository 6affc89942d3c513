"""The row of a table of two that each query and key read: whether they are in one segment."""

from __future__ import annotations

from typing import Literal, get_args

from .. import checks, foreign
from ..catalogue import register
from ..errors import InputError
from ..types import ArrayLike, Integer, Integers

__all__ = ["segment_rows"]

Order = Literal["same-different", "different-same"]
ORDERS = get_args(Order)


@register(
    family="relative",
    paper="Yang et al. 2019, XLNet, arXiv:1906.08237, section 2.5",
    conventions="order of the two rows, same-different or different-same (no default); an id that is in every segment",
    whole=True,
    also="segment encoding, XLNet segments",
)
def segment_rows(
    query_segments: ArrayLike,
    key_segments: ArrayLike,
    *,
    order: Order,
    shared: Integer | None = None,
    out: Integers | None = None,
) -> Integers:
    """The segment index of each query and key: whether both are of one segment (XLNet).

        row[i, j] = order.index("same")  where query_segments[i] = key_segments[j] or one of them is `shared`

    Parameters
    ----------
    query_segments, key_segments : array_like
        The segment of each token, integers (..., queries) and (..., keys) with leading axes that broadcast.
    order : {'same-different', 'different-same'}
        Rows of the table: "same-different" for a table whose row 0 is for one segment (XLNet), "different-same" for the
        other way round (Funnel).
    shared : int, optional
        A segment that is the same as every other, in Funnel 2, of its class token; None if there is none. XLNet gives
        the tokens of its memory segment 0.
    out : ndarray of int64, optional
        Array that receives the result.

    Returns
    -------
    ndarray of int64
        Shape (..., queries, keys), for `xl_scores(..., segments=, segment_rows=, s=)`.

    Raises
    ------
    InputError
        E_DTYPE and E_SHAPE (query_segments, key_segments), E_CHOICE (order), E_POSITION (shared), E_OUT, E_TOO_LARGE.

    References
    ----------
    - transformers 5.23.0, models/xlnet/modeling_xlnet.py, seg_mat in XLNetModel.forward.
    - models/funnel, FunnelAttentionStructure.token_type_ids_to_mat.

    Examples
    --------
    >>> segment_rows([0, 1], [0, 1, 1], order="same-different")
    array([[0, 1, 1],
           [1, 0, 0]])
    """
    checks.choice("order", order, ORDERS)
    queries, keys = _read("query_segments", query_segments), _read("key_segments", key_segments)
    if shared is not None:
        shared = checks.integer("shared", shared, -checks.LARGEST_SIZE, checks.LARGEST_SIZE, "E_POSITION")
    try:
        lead = checks.broadcast(queries.shape[:-1], keys.shape[:-1])
    except ValueError:
        sentence = f"key_segments must have leading axes that broadcast with {queries.shape}, got {keys.shape}"
        raise InputError("E_SHAPE", "key_segments", sentence) from None
    apart = foreign.memory(query_segments, key_segments)
    array, stored = checks.output(out, (*lead, queries.shape[-1], keys.shape[-1]), checks.INT64, apart_from=apart)
    queries, keys = queries[..., :, None], keys[..., None, :]
    same = queries == keys
    if shared is not None:
        same = same | (queries == shared) | (keys == shared)
    stored[...] = same if order == "different-same" else ~same
    return array


def _read(name, values):
    """Segments of tokens, along the last axis."""
    segments = checks.integers(name, values)
    if not 1 <= segments.ndim < checks.MOST_AXES:
        sentence = f"{name} must have from 1 to {checks.MOST_AXES - 1} axes"
        raise InputError("E_SHAPE", name, f"{sentence}, got {segments.ndim}")
    return segments
