"""Scaled dot product attention."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Literal, Union, get_args

import numpy as np

from .. import checks
from ..arithmetic import elementary, formats
from ..catalogue import register
from ..errors import InputError, InputTypeError, shown
from ..steps.rows import doubles, gather, learned_tables, table_gradients
from ..steps.scores import attention as steps
from ..steps.scores import attention_gradients, heads
from ..types import Array, ArrayLike, DType, Integer, Number

__all__ = ["attention"]

Causal = Literal["upper-left", "lower-right"]
Output = Literal["scores", "weights", "output"]
OUTPUTS = get_args(Output)
ARGUMENTS = ("q", "k", "v", "bias", "mask", "causal", "scale", "softcap", "cosine")  # of which scores are made
TRAINED = ("q", "k", "v", "bias", "cosine")


def _gradients(function, given, cotangent):
    """{argument: gradient} of the arrays among those that train."""
    names, single = read_outputs(given["outputs"])
    if not single:
        raise InputError("E_CHOICE", "outputs", f"outputs must be one name for a gradient, got a list of {len(names)}")
    call = read_call(*(given[name] for name in ARGUMENTS))
    check_values(names, call)
    shape = (*call.q.shape[:-1], call.v.shape[-1] if names == ["output"] else call.k.shape[-2])
    cotangent = table_gradients.read_cotangent(cotangent, shape, formats.resolve(given["dtype"]))
    trained = {name: given[name] for name in TRAINED if given[name] is not None and not np.isscalar(given[name])}
    tables = {name: table_gradients.read_trained(name, array) for name, array in trained.items()}
    held = learned_tables.values(tables["cosine"]) > steps.LARGEST_LOGIT if "cosine" in tables else None
    wanted, threads = {name: table.shape for name, table in tables.items()}, checks.thread_count(given["threads"])
    found = attention_gradients.gradients(call, cotangent, names[0], wanted, held, threads)
    return table_gradients.rounded(tables, found)


@register(
    family="scores",
    paper="Vaswani et al. 2017, Attention Is All You Need, arXiv:1706.03762, section 3.2.1",
    conventions="scale 1 / sqrt(dim of a head) unless given; the bias is added after scale and softcap; causal: query "
    "i reads the keys up to i (upper-left), or the last query reads all (lower-right)",
    outputs=OUTPUTS,
    contract="written",
    also="scaled dot product attention, SDPA, softmax attention, flash attention, flash-attn, causal mask",
    gradients=dict.fromkeys(TRAINED, _gradients),
)
def attention(
    q: ArrayLike,
    k: ArrayLike,
    v: ArrayLike | None,
    *,
    bias: ArrayLike | None = None,
    mask: ArrayLike | None = None,
    causal: Causal | None = None,
    scale: Number | None = None,
    softcap: Number | None = None,
    cosine: ArrayLike | Number | None = None,
    outputs: Output | Sequence[Output] = "output",
    dtype: DType = "float64",
    out: Array | Sequence[Array] | None = None,
    threads: Integer | None = None,
) -> Union[Array, tuple[Array, ...]]:
    """Scaled dot-product attention: its scores, weights or outputs, with bias and mask.

        s_ij = scale (q_i . k_j);  s_ij = softcap tanh(s_ij / softcap);  s_ij = s_ij + bias_ij
        w_ij = exp(s_ij - m_i) / sum_j exp(s_ij - m_i),  m_i = max_j s_ij;   o_i = sum_j w_ij v_j

    Parameters
    ----------
    q : array_like
        Queries, shape (..., heads, queries, dim).
    k : array_like
        Keys, shape (..., key heads, keys, dim).
    v : array_like or None
        Values, shape (..., key heads, keys, value_dim), None where no output is asked for.
    bias : array_like, optional
        Numbers that broadcast to (..., heads, queries, keys). A bias of -infinity is a mask too.
    mask : array_like, optional
        True or 1 where a key counts, broadcast to (..., heads, queries, keys).
    causal : {'upper-left', 'lower-right'}, optional
        None for no mask; "upper-left": query i reads the keys 0 .. i (torch's is_causal); "lower-right": the keys
        0 .. i + keys - queries (flash-attention, decoding with cached keys); both are the same where the lengths are.
    scale : float or Fraction, optional
        Factor of the products, a number, default 1 / sqrt(dim); a score of no channels is 0.
    softcap : float or Fraction, optional
        Cap of the scores, a number greater than 0.
    cosine : array_like, optional
        A learned number g, or one for each head, (heads,) or (heads, 1, 1): q and k are divided by the larger of their
        norm and 1e-12, and the scale is exp(min(g, ln 100)).
    outputs : {'scores', 'weights', 'output'} or sequence of them, default 'output'
        What to return: a name, for an array, or a list of names, for a tuple of arrays in its order: "scores" and
        "weights" are (..., heads, queries, keys), "output" (..., heads, queries, value_dim).
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
        E_SHAPE, E_DTYPE, E_CHOICE (outputs, causal, scale with cosine), E_NUMBER, E_MISSING (v), E_OUT, E_TOO_LARGE.

    Notes
    -----
    Query head h reads key head h // (heads / key heads). Two axes mean one head.

    A score is what the softmax reads: -infinity where a key does not count. There the weight is 0, and nothing of k and
    v takes part, be it NaN or infinite. A query that no key counts for, or all of whose scores are -infinity, has
    weights and output 0.

    Each operation is rounded to float64, in this order: q . k, products summed from 0, channels ascending; times scale,
    which is 1 over a root (rounded, then rounded); over softcap, tanh, times softcap; plus bias; minus the maximum,
    exp, their sum from 0, keys ascending, the quotient; weight times v summed from 0, keys ascending. For cosine,
    squares are summed in the same way, then the root, each channel over it; ln 100 and exp are rounded once. NaN is the
    positive quiet one. uint16 is read as bit patterns of bfloat16.

    References
    ----------
    - Vaswani et al. 2017, section 3.2.1.
    - softcap: transformers 5.23.0, models/gemma2/modeling_gemma2.py, eager_attention_forward.
    - cosine: models/swinv2/modeling_swinv2.py, Swinv2SelfAttention.

    Examples
    --------
    >>> weights, output = attention([[1.0, 0.0]], np.eye(2), [[2.0], [4.0]], outputs=["weights", "output"])
    >>> weights, output
    (array([[0.66976155, 0.33023845]]), array([[2.6604769]]))
    """
    names, single = read_outputs(outputs)
    fmt, call = formats.resolve(dtype), read_call(q, k, v, bias, mask, causal, scale, softcap, cosine)
    check_values(names, call)
    inputs = doubles.arrays(q, k, v, bias, mask, cosine)
    arrays, stored = read_out(out, names, single, call, fmt, inputs)
    steps.fill(stored, call, fmt, checks.thread_count(threads))
    return arrays[0] if single else tuple(arrays)


def read_outputs(outputs, known=OUTPUTS):
    """(names, whether it is one name and not a list)."""
    single = isinstance(outputs, str)
    names = [checks.choice("outputs", outputs, known)] if single else checks.choices("outputs", outputs, known)
    if not names or len(set(names)) < len(names):
        sentence = f"outputs must be some of {', '.join(map(repr, known))}, each once, got {names}"
        raise InputError("E_CHOICE", "outputs", sentence)
    return names, single


def check_values(names, call):
    """Refuse an output without values."""
    if "output" in names and call.v is None:
        raise InputError("E_MISSING", "v", "v must be given for the output, got None")


def given_outs(out, names, single):
    """The array that is given for each of the names, or None."""
    given = [None] * len(names) if out is None else [out] if single else out
    if not isinstance(given, (list, tuple)) or len(given) != len(names):
        got = f"{len(given)}" if isinstance(given, (list, tuple)) else type(given).__name__
        raise InputTypeError("E_OUT", "out", f"out must be a list of {len(names)} arrays, as outputs is, got {got}")
    return given


def read_out(out, names, single, call, fmt, inputs):
    """(arrays to return, {name: storage})."""
    given = given_outs(out, names, single)
    shape = *call.q.shape[:-1], call.k.shape[-2]
    arrays, stored = [], {}
    for name, array in zip(names, given):
        size = (*shape[:-1], call.v.shape[-1]) if name == "output" else shape
        result, stored[name] = checks.output(array, size, fmt, apart_from=[*inputs, *arrays])
        arrays.append(result)
    return arrays, stored


def read_call(q, k, v, bias, mask, causal, scale, softcap, cosine):
    """The arguments as the steps take them."""
    q, k = heads.read_table("q", q), heads.read_table("k", k)
    if q.shape[-1] != k.shape[-1]:
        raise InputError("E_SHAPE", "k", f"k must have {q.shape[-1]} channels, as q has, got shape {k.shape}")
    heads.group_of("k", k.shape[:-2], q.shape[:-2])
    v = None if v is None else heads.read_table("v", v)
    if v is not None and v.shape[:-1] != k.shape[:-1]:
        raise InputError("E_SHAPE", "v", f"v must be {k.shape[:-1]} and its channels, as k, got shape {v.shape}")
    shape, offset = (*q.shape[:-1], k.shape[-2]), None
    if causal is not None:
        lower = checks.choice("causal", causal, get_args(Causal)) == "lower-right"
        offset = k.shape[-2] - q.shape[-2] if lower else 0
    cap = None if softcap is None else doubles.number("softcap", checks.positive("softcap", softcap))
    if cap == 0:
        raise InputError("E_NUMBER", "softcap", "softcap must be a number of float64, got one that rounds to 0")
    return steps.Call(
        q, k, v, read_bias(bias, shape), read_mask(mask, shape), offset, read_factors(scale, cosine, q.shape), cap,
        cosine is not None,
    )  # fmt: skip


def read_factors(scale, cosine, shape):
    """The number that scores are multiplied by, for each head: (..., heads)."""
    *lead, _, dim = shape
    if cosine is None:
        return np.broadcast_to(heads.read_scale(scale, dim), lead)
    if scale is not None:
        raise InputError("E_CHOICE", "scale", f"scale must be left out with cosine, got {shown(scale)}")
    if np.isscalar(cosine):
        logits = np.array(doubles.number("cosine", cosine))
    else:
        logits, _ = doubles.read("cosine", cosine)
        count = lead[-1] if lead else 1
        if logits.shape not in ((), (count,), (count, 1, 1)):
            sentence = f"cosine must be ({count},) or ({count}, 1, 1), a number for each head, got {logits.shape}"
            raise InputError("E_SHAPE", "cosine", sentence)
        logits = logits.reshape(logits.shape[:1] if lead else ())
    factors = elementary.exp(np.where(logits > steps.LARGEST_LOGIT, steps.LARGEST_LOGIT, logits))
    return np.broadcast_to(factors, lead)


def read_bias(bias, shape):
    """The bias as a `Table` of the shape of the scores, or None."""
    if bias is None:
        return None
    axes = ("axis",) * checks.array("bias", bias, "E_DTYPE", "an array of floats").ndim
    table = gather.read_table("bias", bias, axes)
    return gather.Table(broadcast("bias", table.patterns, shape), table.fmt)


def read_mask(mask, shape):
    """The mask as an array of the shape of the scores, or None."""
    if mask is None:
        return None
    array = checks.array("mask", mask, "E_DTYPE", "an array of bool")
    if array.dtype != np.bool_:
        sentence = "mask must be True or 1 where a key counts, False or 0 elsewhere (what is added is a bias)"
        if array.dtype.kind not in "iu":
            raise InputTypeError("E_DTYPE", "mask", f"{sentence}, got {array.dtype}")
        if array.size and (array.min() < 0 or array.max() > 1):
            raise InputError("E_NUMBER", "mask", f"{sentence}, got {int(array.min())} .. {int(array.max())}")
    return broadcast("mask", array.astype(np.bool_, copy=False), shape)


def broadcast(name, array, shape):
    """A view of the array in the shape of the scores."""
    if array.size == math.prod(shape) and array.shape == shape[len(shape) - array.ndim :]:
        return array.reshape(shape)  # leading axes of length 1, ten times as fast
    try:
        return np.broadcast_to(array, shape)
    except ValueError:
        sentence = f"{name} must broadcast to {shape}, (.., heads, queries, keys), got shape {array.shape}"
        raise InputError("E_SHAPE", name, sentence) from None
