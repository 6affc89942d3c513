"""GroupQueryAttention of ONNX Runtime, in the domain com.microsoft."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, Union

from .. import checks
from ..arithmetic import formats
from ..catalogue import register
from ..scores.attention import attention, read_outputs
from ..steps.rows import doubles
from ..types import Array, ArrayLike, DType, Integer, Number
from . import _grouped, _heads

__all__ = ["group_query_attention"]

Output = Literal["output", "present_key", "present_value", "output_qk"]


@register(
    family="operators",
    paper="ONNX Runtime contrib operator com.microsoft.GroupQueryAttention, version 1",
    conventions="query head h reads key head h // (num_heads / kv_num_heads); seqlens_k are the tokens of a sequence "
    "less 1; keys are rotated before they are cached; a window holds the key of the query itself; the bias is added "
    "after scale and softcap",
    outputs=_grouped.OUTPUTS,
    contract="written",
    also="com.microsoft.GroupQueryAttention, GQA",
)
def group_query_attention(
    query: ArrayLike,
    key: ArrayLike | None,
    value: ArrayLike | None,
    past_key: ArrayLike | None,
    past_value: ArrayLike | None,
    seqlens_k: ArrayLike,
    total_sequence_length: ArrayLike,
    cos_cache: ArrayLike | None = None,
    sin_cache: ArrayLike | None = None,
    position_ids: ArrayLike | None = None,
    attention_bias: ArrayLike | None = None,
    head_sink: ArrayLike | None = None,
    *,
    num_heads: Integer,
    kv_num_heads: Integer,
    causal: Integer = 1,
    do_rotary: Integer = 0,
    local_window_size: Integer = -1,
    qk_output: Integer | None = None,
    rotary_interleaved: Integer = 0,
    scale: Number | None = None,
    sliding_window_cache: Integer | None = None,
    smooth_softmax: Integer = 0,
    softcap: Number = 0.0,
    outputs: Output | Sequence[Output] = "output",
    dtype: DType = "float64",
    out: Array | Sequence[Array] | None = None,
    threads: Integer | None = None,
) -> Union[Array, tuple[Array, ...]]:
    """GroupQueryAttention of ONNX Runtime (com.microsoft): rotated grouped heads behind a cache, windows and sinks.

        K = past_key[: P], rotate(key);  V = past_value[: P], value;   T = seqlens_k + 1,  P = T - seq (0 for a prompt)
        s_ij = softcap tanh(scale (rotate(q_i) . K_j) / softcap) + attention_bias_ij
        w_ij = exp(s_ij) / (exp(sink) + sum_j exp(s_ij)),   max(0, P + i + 1 - window) <= j <= P + i;   o = w V

    Parameters
    ----------
    query : array_like
        Queries, (batch, seq, num_heads * head_size); without key and value these too, in this order along the last
        axis: (batch, seq, (num_heads + 2 kv_num_heads) * head_size).
    key, value : array_like or None
        New keys and values, (batch, seq, kv_num_heads * head_size), None where query holds them.
    past_key, past_value : array_like or None
        Cached keys and values, (batch, kv_num_heads, room, head_size), None for none.
    seqlens_k : array_like
        Integers, (batch,): the tokens of each sequence with the new ones, less 1.
    total_sequence_length : array_like
        One integer, the largest number of tokens of a sequence: at most room, or room + seq. Where it is seq this is a
        prompt, and nothing of the past is read.
    cos_cache, sin_cache : array_like, optional
        Cosines and sines, (rows, half), at least as many rows as tokens, half being half of the rotated channels.
    position_ids : array_like, optional
        Integers, (batch, seq), a row of the caches for each new token; of a prompt only the first number is read, from
        which all sequences count. The default counts the tokens of each sequence from 0.
    attention_bias : array_like, optional
        Added to the scores, (batch or 1, num_heads or 1, seq, total_sequence_length).
    head_sink : array_like, optional
        A score for each head, (num_heads,), that takes part in the softmax only.
    num_heads, kv_num_heads : int
        Numbers of heads of queries and of keys, of which the second divides the first.
    causal : int, default 1
        0: queries read the keys behind their own too.
    do_rotary : int, default 0
        1: queries and new keys are rotated by the caches.
    local_window_size : int, default -1
        How many keys a query reads, its own the last of them; -1 for all.
    qk_output : int, optional
        What "output_qk" is: 1 s, 2 w, both 0 where a key does not count; 0, the default, where it is not asked for.
    rotary_interleaved : int, default 0
        0 rotates channels (i, i + half) of a head, 1 rotates (2i, 2i + 1).
    scale : float or Fraction, optional
        Factor of the products, default 1 / sqrt(head_size).
    sliding_window_cache : int, optional
        1: the caches hold the last tokens of each sequence, the oldest of them in row 0, of T tokens
        L(T) = T - G ceil(max(T - room, 0) / G), G = room - local_window_size + 1; positions and the columns of a bias
        count from the first token as ever. 0, the default: all tokens.
    smooth_softmax : int, default 0
        1: a sink of 0 for each head.
    softcap : float or Fraction, default 0
        Cap of the scores, 0 for none.
    outputs : {'output', 'present_key', 'present_value', 'output_qk'} or sequence of them, default 'output'
        What to return: a name, for an array, or a list of names, for a tuple of arrays in its order: "output" is
        (batch, seq, num_heads * head_size); "present_key" and "present_value" are
        (batch, kv_num_heads, max(room, total_sequence_length), head_size), of sliding_window_cache
        (batch, kv_num_heads, room, head_size); "output_qk" is (batch, num_heads, seq, total_sequence_length).
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
        E_SHAPE, E_MISSING (key, value, past_key, past_value, cos_cache, sin_cache), E_DTYPE, E_CHOICE (outputs, causal,
        do_rotary, local_window_size, qk_output, rotary_interleaved, sliding_window_cache, smooth_softmax), E_NUMBER,
        E_SIZE, E_OUT, E_TOO_LARGE.

    Notes
    -----
    A rotated channel is the exact value of its formula, rounded once to the format of query or key, as
    `microsoft_rotary_embedding` has it. The operations behind it and their order are those of `attention`; a sink is
    one more key of zeros with a value of zeros, behind the others, whose bias it is.

    What the operator leaves unspecified: rows of the present cache that no token fills are 0; a prompt of fewer tokens
    than seq is cached whole, and its padding reads what its last token reads; with sliding_window_cache it is refused.
    A query that no key counts for has output 0. uint16 is read as bit patterns of bfloat16.

    Quantised caches, query_seqlens, keys of which none is new, norms of q and k, and output_qk of a cache of a window
    are not here.

    References
    ----------
    ONNX Runtime 1.32.0, docs/ContribOperators.md, com.microsoft.GroupQueryAttention;
    onnxruntime/contrib_ops/cpu/bert/gqa_attention_base.h, group_query_attention_helper.h.

    Examples
    --------
    >>> import numpy as np
    >>> x = np.eye(2).reshape(1, 2, 2)
    >>> group_query_attention(x, x, 2 * x, None, None, [1], 2, num_heads=1, kv_num_heads=1, scale=1)
    array([[[2.        , 0.        ],
            [0.53788284, 1.46211716]]])
    """
    names, single = read_outputs(outputs, _grouped.OUTPUTS)
    fmt, threads = formats.resolve(dtype), checks.thread_count(threads)
    tensors = {
        "query": query, "key": key, "value": value, "past_key": past_key, "past_value": past_value,
        "seqlens_k": seqlens_k, "total_sequence_length": total_sequence_length, "cos_cache": cos_cache,
        "sin_cache": sin_cache, "position_ids": position_ids, "attention_bias": attention_bias, "head_sink": head_sink,
    }  # fmt: skip
    attributes = {
        "num_heads": num_heads, "kv_num_heads": kv_num_heads, "causal": causal, "do_rotary": do_rotary,
        "local_window_size": local_window_size, "qk_output": qk_output, "rotary_interleaved": rotary_interleaved,
        "scale": scale, "sliding_window_cache": sliding_window_cache, "smooth_softmax": smooth_softmax,
        "softcap": softcap,
    }  # fmt: skip
    call = _grouped.read(tensors, attributes)
    shown = _grouped.read_shown(names, qk_output, call.windowed)
    found = {"present_key": call.present(call.keys), "present_value": call.present(call.values)}
    if "output" in names:
        found["output"] = _heads.joined(attention(call.q, call.k, call.v, threads=threads, **call.options()))
    if shown:
        scores = attention(call.q, call.k, call.v, outputs=shown, threads=threads, **call.options())
        found["output_qk"] = call.of_keys(scores)
    return _heads.written(found, names, single, out, doubles.arrays(*tensors.values()), fmt)
