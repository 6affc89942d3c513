"""The gate of WavLM: each token says how strong the bias of its distances is."""

from __future__ import annotations

import numpy as np

from .. import checks
from ..arithmetic import elementary, formats
from ..catalogue import register
from ..errors import InputError
from ..steps.rows import doubles
from ..steps.scores import heads, ordered_sums
from ..types import Array, ArrayLike, DType, Integer

__all__ = ["gated_bias"]


@register(
    family="relative",
    paper="Chen et al. 2022, WavLM, arXiv:2110.13900, section III.A",
    conventions="a gate for each head and query, from its own channels of the hidden state",
    contract="written",
    also="WavLM, gated relative position bias",
)
def gated_bias(
    bias: ArrayLike,
    hidden: ArrayLike,
    weight: ArrayLike,
    weight_bias: ArrayLike | None,
    constant: ArrayLike,
    *,
    dtype: DType = "float64",
    out: Array | None = None,
    threads: Integer | None = None,
) -> Array:
    """Gated relative position bias: the bias times a gate of the query's hidden state (WavLM).

        z = weight . x + weight_bias,  a = sigmoid(sum of the first half of z),  b = sigmoid(sum of the second half)
        gated[h, i, j] = (a (b constant[h] - 1) + 2) bias[h, i, j],  with x = hidden[h, i]

    Parameters
    ----------
    bias : array_like
        Bias, shape (heads, queries, keys), as `t5_bias` gives it, or with leading axes that broadcast.
    hidden : array_like
        Shape (..., heads, queries, head_dim), what enters the layer, each head its own channels: in WavLM
        hidden.reshape(batch, queries, heads, head_dim).swapaxes(1, 2).
    weight : array_like
        Shape (2 n, head_dim); n is 4 in WavLM.
    weight_bias : array_like or None
        Bias of the gate, shape (2 n,) or None.
    constant : array_like
        Learned constants, shape (heads,).
    dtype : str or dtype, default 'float64'
        Format of the result: float64, float32, float16 or bfloat16.
    out : ndarray, optional
        Array that receives the result.
    threads : int, optional
        Number of threads; the default is all cores. The values never depend on it.

    Returns
    -------
    ndarray
        Shape (..., heads, queries, keys) of class `sequence64`: each operation is rounded to float64, sums from 0 on
        with the index ascending, weight_bias last, the sigmoid correctly; then rounded once to `dtype`.

    Raises
    ------
    InputError
        E_SHAPE, E_DTYPE, E_SIZE (threads), E_OUT, E_TOO_LARGE.

    Notes
    -----
    Arrays of uint16 are read as bit patterns of bfloat16.

    References
    ----------
    Transformers 5.23.0, models/wavlm/modeling_wavlm.py, WavLMAttention.

    Examples
    --------
    >>> import numpy as np
    >>> gated_bias(np.ones((1, 2, 1)), [[[0.0], [1.0]]], [[1.0], [-1.0]], None, [1.0]).round(3)
    array([[[1.75 ],
            [1.466]]])
    """
    fmt, threads = formats.resolve(dtype), checks.thread_count(threads)
    numbers, x, layer, own = read_gated(bias, hidden, weight, weight_bias, constant)
    shape = (*x.shape[:-1], numbers.shape[-1])
    apart_from = doubles.arrays(bias, hidden, weight, weight_bias, constant)
    result, stored = checks.output(out, shape, fmt, apart_from=apart_from)
    if stored.size:
        projected = ordered_sums.linear(x, *layer, threads).reshape(*x.shape[:-1], 2, -1)
        with np.errstate(all="ignore"):
            a, b = np.moveaxis(elementary.sigmoid(ordered_sums.total(projected, threads)), -1, 0)
            gate = a * (b * own[:, None] - 1.0) + 2.0
            values = ordered_sums.canonical(gate[..., None] * numbers)
        doubles.store(stored, values, fmt)
    return result


def read_gated(bias, hidden, weight, weight_bias, constant):
    """(bias, hidden state, (weight, weight_bias), constant) as float64."""
    x = heads.read("hidden", hidden)
    if x.ndim < 3:
        raise InputError("E_SHAPE", "hidden", f"hidden must be (..., heads, queries, head_dim), got shape {x.shape}")
    numbers = heads.read("bias", bias)
    pairs = list(zip(reversed(numbers.shape[:-1]), reversed(x.shape[:-1])))
    if not 3 <= numbers.ndim <= x.ndim or any(one not in (1, size) for one, size in pairs):
        wanted = f"{(*x.shape[-3:-1], 'keys')}".replace("'", "")
        sentence = f"bias must be {wanted} as hidden has it, or with leading axes that broadcast"
        raise InputError("E_SHAPE", "bias", f"{sentence}, got shape {numbers.shape}")
    layer, _ = doubles.read("weight", weight, ("outputs", "head_dim"))
    if layer.shape[1] != x.shape[-1] or len(layer) % 2 or not len(layer):
        sentence = f"weight must be (2 n, {x.shape[-1]}), two halves and the head_dim of hidden"
        raise InputError("E_SHAPE", "weight", f"{sentence}, got {layer.shape}")
    offsets = doubles.read_shaped("weight_bias", weight_bias, (len(layer),), "a number for each row of weight")
    own = doubles.read_shaped("constant", constant, (x.shape[-3],), "a number for each head")
    if own is None:
        raise InputError("E_SHAPE", "constant", f"constant must be ({x.shape[-3]},), a number for each head, got None")
    return numbers, x, (layer, offsets), own
