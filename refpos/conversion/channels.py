"""Channels from one layout into another: the permutation, and applying it to activations, weights and biases."""

from __future__ import annotations

import numpy as np

from .. import checks
from ..errors import InputError, InputTypeError
from ..guard import guarded
from ..types import Array, ArrayLike, Integer, Integers
from .layout import MOST, Layout


@guarded
def order(source: Layout, target: Layout, *, num_heads: Integer = 1, rotated: bool = False) -> Integers:
    """The permutation that brings channels from one layout into another: new = old[order].

        old pair i = new pair i, for every pair of every head

    Parameters
    ----------
    source, target : Layout
        Layouts to convert from and to, what `layout` returns, of equal width and number of pairs.
    num_heads : int, default 1
        Number of heads that lie one after another; for keys the number of key-value heads.
    rotated : bool, default False
        True for tensors after the rotation, such as cached keys.

    Returns
    -------
    ndarray of int64
        int64 indices, shape (num_heads * head_dim,).

    Raises
    ------
    InputError
        E_CHOICE where source or target is not a layout, E_ROTARY_DIM, E_SHAPE, E_SIZE.

    Notes
    -----
    Channels that are not rotated keep their order.

    References
    ----------
    huggingface/transformers, models/llama/convert_llama_weights_to_hf.py, permute.

    Examples
    --------
    >>> from refpos.conversion import layout
    >>> order(layout(6, pairing="interleaved"), layout(6, pairing="half"))
    array([0, 2, 4, 1, 3, 5])
    """
    _check_layouts(source, target)
    num_heads = checks.integer("num_heads", num_heads, 1, MOST)
    old, new = (source.written, target.written) if checks.flag("rotated", rotated) else (source.read, target.read)
    of_head = np.empty(source.head_dim, np.int64)
    of_head[new] = old
    return (of_head + source.head_dim * np.arange(num_heads, dtype=np.int64)[:, None]).reshape(-1)


@guarded
def reorder(
    array: ArrayLike,
    source: Layout,
    target: Layout,
    *,
    num_heads: Integer = 1,
    axis: Integer = -1,
    rotated: bool = False,
) -> Array:
    """An array with its channels brought from one layout into another.

        result = array[..., order(source, target)]

    Parameters
    ----------
    array : array_like
        Any dtype, with num_heads * head_dim channels along axis: activations (axis -1); weights (out, in) of q or k
        (axis 0), (in, out) (axis 1), (heads, head_dim, in) (axis 1, num_heads 1); biases (axis 0).
    source : Layout
        Layout to convert from, what `layout` returns.
    target : Layout
        Layout to convert to, what `layout` returns.
    num_heads : int, default 1
        Number of heads that lie one after another.
    axis : int, default -1
        Axis of the channels.
    rotated : bool, default False
        True for tensors after the rotation.

    Returns
    -------
    ndarray
        A new array of the same shape and dtype, its bits only moved.

    Raises
    ------
    InputError
        E_AXIS, E_SHAPE, and what `order` raises (E_CHOICE, E_ROTARY_DIM, E_SIZE).

    References
    ----------
    huggingface/transformers, models/llama/convert_llama_weights_to_hf.py, permute.

    Examples
    --------
    >>> from refpos.conversion import layout
    >>> meta, hf = layout(4, pairing="interleaved"), layout(4, pairing="half")
    >>> reorder(np.arange(8), meta, hf, num_heads=2)
    array([0, 2, 1, 3, 4, 6, 5, 7])
    """
    array = checks.array("array", array)
    indices = order(source, target, num_heads=num_heads, rotated=rotated)
    if array.ndim == 0:
        raise InputError("E_SHAPE", "array", "array must have a channel axis, got a scalar")
    axis = checks.integer("axis", axis, -array.ndim, array.ndim - 1, code="E_AXIS")
    if array.shape[axis] != len(indices):
        wanted = f"{num_heads} x {source.head_dim} channels along axis {axis}"
        raise InputError("E_SHAPE", "array", f"array must have {wanted}, got shape {array.shape}")
    return np.take(array, indices, axis)


def _check_layouts(source, target):
    for name, value in (("source", source), ("target", target)):
        if not isinstance(value, Layout):
            raise InputTypeError("E_CHOICE", name, f"{name} must come from layout, got {type(value).__name__}")
    if source.head_dim != target.head_dim:
        raise InputError("E_SHAPE", "target", f"target must have {source.head_dim} channels, got {target.head_dim}")
    if source.pairs != target.pairs:
        raise InputError("E_ROTARY_DIM", "target", f"target must rotate {source.pairs} pairs, got {target.pairs}")
