"""Attention of ONNX, opset 23."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, NamedTuple, Union, get_args

import numpy as np

from .. import checks
from ..arithmetic import formats
from ..catalogue import register
from ..errors import InputError
from ..scores.attention import attention, read_outputs
from ..steps.rows import doubles
from ..types import Array, ArrayLike, DType, Integer, Number
from . import _heads

__all__ = ["onnx_attention"]

Output = Literal["output", "present_key", "present_value", "qk_matmul_output"]
OUTPUTS = get_args(Output)


class Call(NamedTuple):
    """What `attention` takes: q, k and v (batch, heads, seq, dim) in float64, what is added, and which keys count."""

    q: np.ndarray
    k: np.ndarray
    v: np.ndarray
    bias: np.ndarray | None
    mask: np.ndarray | None
    scale: Number | None
    softcap: Number | None

    def shown(self, mode):
        """(output, options) of the call of `attention` that gives qk_matmul_output in this mode."""
        options = {"scale": self.scale}
        if mode > 0:
            options["softcap"] = self.softcap
        if mode > 1:
            options |= {"bias": self.bias, "mask": self.mask}
        return "weights" if mode == 3 else "scores", options


@register(
    family="operators",
    paper="ONNX operator Attention, opset 23",
    conventions="causal: query i reads the keys up to i + past; query head h reads key head h // (heads / key heads); "
    "the mask is added after scale and softcap",
    outputs=OUTPUTS,
    contract="written",
    also="ai.onnx.Attention, Attention-23",
)
def onnx_attention(
    q: ArrayLike,
    k: ArrayLike,
    v: ArrayLike,
    attn_mask: ArrayLike | None = None,
    past_key: ArrayLike | None = None,
    past_value: ArrayLike | None = None,
    *,
    is_causal: Integer = 0,
    kv_num_heads: Integer = 0,
    q_num_heads: Integer = 0,
    qk_matmul_output_mode: Integer = 0,
    scale: Number | None = None,
    softcap: Number = 0.0,
    outputs: Output | Sequence[Output] = "output",
    dtype: DType = "float64",
    out: Array | Sequence[Array] | None = None,
    threads: Integer | None = None,
) -> Union[Array, tuple[Array, ...]]:
    """Attention of ONNX (opset 23): grouped heads, cached keys, masks, softcap, and what the products were.

        K = concat(past_key, k),  V = concat(past_value, v);   s_ij = scale (q_i . K_j)
        t_ij = softcap tanh(s_ij / softcap);  u_ij = t_ij + attn_mask_ij;  w = softmax(u);  Y = w V

    Parameters
    ----------
    q : array_like
        The input Q, (batch, heads, queries, dim) or (batch, queries, heads * dim).
    k : array_like
        The input K, (batch, key heads, keys, dim) or (batch, keys, key heads * dim).
    v : array_like
        The input V, (batch, key heads, keys, value_dim) or (batch, keys, key heads * value_dim).
    attn_mask : array_like, optional
        Broadcast to (batch, heads, queries, past + keys): True or 1 where a key counts, or floats that are added.
    past_key, past_value : array_like, optional
        Cached keys and values, (batch, key heads, past, dim) and (batch, key heads, past, value_dim).
    is_causal : int, default 0
        1: query i reads the keys 0 .. i + past.
    kv_num_heads, q_num_heads : int, default 0
        Numbers of heads, which inputs of three axes need; of four axes they are not read.
    qk_matmul_output_mode : int, default 0
        What "qk_matmul_output" is: 0 s, 1 t, 2 u, 3 w; -infinity in u where a key does not count.
    scale : float or Fraction, optional
        Factor of the products, default 1 / sqrt(dim).
    softcap : float or Fraction, default 0
        Cap of the scores, 0 for none.
    outputs : {'output', 'present_key', 'present_value', 'qk_matmul_output'} or sequence of them, default 'output'
        What to return: a name, for an array, or a list of names, for a tuple of arrays in its order: "output" is Y in
        the axes of q; "present_key" and "present_value" are K and V, (batch, key heads, past + keys, ...);
        "qk_matmul_output" is (batch, heads, queries, past + keys).
    dtype : str or dtype, default 'float64'
        Format of the result: float64, float32, float16 or bfloat16.
    out : ndarray or sequence of ndarrays, optional
        Array that receives the result, or one for each name of a list.
    threads : int, optional
        Number of threads; the default is all cores. The values never depend on it.

    Returns
    -------
    ndarray or tuple of ndarrays
        An array, or a tuple of arrays in the order of outputs, of class `sequence64`, rounded once to `dtype`.

    Raises
    ------
    InputError
        E_SHAPE, E_MISSING (heads, past_key, past_value), E_DTYPE, E_CHOICE (outputs, is_causal,
        qk_matmul_output_mode), E_NUMBER, E_SIZE, E_OUT, E_TOO_LARGE.

    Notes
    -----
    The operations and their order are those of `attention`: scale once, not its root on q and on k. A query that no
    key counts for has output and weights 0. softmax_precision of the operator changes no operation in float64.
    uint16 is read as bit patterns of bfloat16.

    References
    ----------
    ONNX 1.23.2, docs/Operators.md, Attention, with its erratum of fully masked rows.

    Examples
    --------
    >>> q = k = np.eye(2).reshape(1, 1, 2, 2)
    >>> onnx_attention(q, k, 2 * k, is_causal=1, scale=1)
    array([[[[2.        , 0.        ],
             [0.53788284, 1.46211716]]]])
    """
    names, single = read_outputs(outputs, OUTPUTS)
    mode = checks.integer("qk_matmul_output_mode", qk_matmul_output_mode, 0, 3, "E_CHOICE")
    fmt, threads = formats.resolve(dtype), checks.thread_count(threads)
    call, rank = read_call(
        q, k, v, attn_mask, past_key, past_value, is_causal, kv_num_heads, q_num_heads, scale, softcap
    )
    found = {name: _value(name, call, mode, rank, threads) for name in names}
    inputs = doubles.arrays(q, k, v, attn_mask, past_key, past_value)
    return _heads.written(found, names, single, out, inputs, fmt)


def _value(name, call, mode, rank, threads):
    """One output in float64."""
    if name in ("present_key", "present_value"):
        return call.k if name == "present_key" else call.v
    if name == "qk_matmul_output":
        kind, options = call.shown(mode)
        return attention(call.q, call.k, call.v, outputs=kind, threads=threads, **options)
    values = attention(call.q, call.k, call.v, threads=threads, **call.shown(2)[1])
    return values if rank == 4 else _heads.joined(values)


def read_call(q, k, v, attn_mask, past_key, past_value, is_causal, kv_num_heads, q_num_heads, scale, softcap):
    """(the arguments as a `Call`, the axes of q)."""
    causal = checks.integer("is_causal", is_causal, 0, 1, "E_CHOICE")
    arrays = {name: doubles.read(name, value)[0] for name, value in (("q", q), ("k", k), ("v", v))}
    rank = arrays["q"].ndim
    for name, array in arrays.items():
        if array.ndim not in (3, 4) or array.ndim != rank:
            known = "three or four axes, as many as q"
            raise InputError("E_SHAPE", name, f"{name} must have {known}, got shape {array.shape}")
    counts = (("q_num_heads", q_num_heads), ("kv_num_heads", kv_num_heads), ("kv_num_heads", kv_num_heads))
    q, k, v = (_by_heads(*pair, *given) for pair, given in zip(arrays.items(), counts))
    new = k.shape[2]
    k, v = _joined(k, v, past_key, past_value)
    bias, mask = _read_mask(attn_mask, (*q.shape[:3], k.shape[2]))
    if causal:
        lower = np.tri(q.shape[2], k.shape[2], k.shape[2] - new, dtype=bool)
        mask = lower if mask is None else mask & lower
    cap = checks.real("softcap", softcap)
    return Call(q, k, v, bias, mask, scale, None if cap == 0 else softcap), rank


def _by_heads(name, array, argument, count):
    """(batch, heads, seq, dim) of an input of three or four axes."""
    count = checks.integer(argument, count)
    if array.ndim == 4:
        return array
    if not count:
        raise InputError("E_MISSING", argument, f"{argument} must be given for a {name} of three axes, got 0")
    width = array.shape[2]
    if width % count:
        raise InputError("E_SHAPE", argument, f"{argument} must divide the {width} channels of {name}, got {count}")
    return _heads.split(array, count)


def _joined(k, v, past_key, past_value):
    """Keys and values behind the cached ones."""
    pasts = {"past_key": past_key, "past_value": past_value}
    missing = [name for name, value in pasts.items() if value is None]
    if len(missing) == 2:
        return k, v
    if missing:
        raise InputError("E_MISSING", missing[0], f"{missing[0]} must be given with the other past, got None")
    joined = []
    for (name, value), array in zip(pasts.items(), (k, v)):
        cached, _ = doubles.read(name, value)
        if cached.ndim != 4 or (*cached.shape[:2], cached.shape[3]) != (*array.shape[:2], array.shape[3]):
            batch, heads, _, width = array.shape
            sentence = f"{name} must be ({batch}, {heads}, past, {width}), got shape {cached.shape}"
            raise InputError("E_SHAPE", name, sentence)
        joined.append(np.concatenate([cached, array], axis=2))
    return joined


def _read_mask(attn_mask, shape):
    """(bias, mask) for scores of that shape, of which at most one is not None: integers but bit patterns of bfloat16
    are a mask."""
    if attn_mask is None:
        return None, None
    array = checks.array("attn_mask", attn_mask, "E_DTYPE", "an array of floats or bool")
    try:
        np.broadcast_to(array, shape)
    except ValueError:
        sentence = f"attn_mask must broadcast to {shape}, (batch, heads, queries, past + keys)"
        raise InputError("E_SHAPE", "attn_mask", f"{sentence}, got shape {array.shape}") from None
    if array.dtype.kind in "biu" and array.dtype != np.uint16:
        return None, _counts(array)
    return doubles.read("attn_mask", attn_mask)[0], None


def _counts(array):
    """True where a key counts."""
    if array.dtype.kind != "b" and array.size and (array.min() < 0 or array.max() > 1):
        sentence = "attn_mask must be True or 1 where a key counts, False or 0 elsewhere, or floats"
        raise InputError("E_NUMBER", "attn_mask", f"{sentence}, got {int(array.min())} .. {int(array.max())}")
    return array.astype(bool)
