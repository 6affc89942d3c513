"""A bias by learned forgetting: what the gates between a key and a query leave of it."""

from __future__ import annotations

from typing import Literal, get_args

import numpy as np

from .. import checks
from ..arithmetic import elementary, formats
from ..catalogue import register
from ..errors import InputError
from ..steps.rows import doubles
from ..steps.scores import ordered_sums
from ..types import Array, ArrayLike, DType, Integer, Number

__all__ = ["forget_gate"]

ForgetMode = Literal["causal", "linear", "bidirectional"]
MODES = get_args(ForgetMode)


@register(
    family="relative",
    paper="Lin et al. 2025, Forgetting Transformer: Softmax Attention with a Forget Gate, arXiv:2503.02130, section 3",
    conventions="mode causal, linear or bidirectional (no default); the gate of the later token counts, that of the "
    "earlier does not",
    contract="written",
    also="Forgetting Transformer, FoX, forgetting attention, data-dependent ALiBi",
)
def forget_gate(
    logits: ArrayLike,
    *,
    mode: ForgetMode,
    backward: ArrayLike | None = None,
    scale: Number = 1,
    query_len: Integer | None = None,
    dtype: DType = "float64",
    out: Array | None = None,
    threads: Integer | None = None,
) -> Array:
    """The forget gate bias of the Forgetting Transformer: summed log gates between key and query.

        causal:        c_i - c_j for j <= i, -inf for j > i          c_i = scale log(sigmoid(logits_0)) + .. up to i
        linear:        c_i - c_j for all j, which a mask must follow
        bidirectional: c_i - c_j for j <= i, r_j - r_i for j > i     r: the same sums of backward

    The bias is thus the sum over the gates after the earlier token, up to the later one; with equal gates it is ALiBi.

    Parameters
    ----------
    logits : array_like
        Shape (..., heads, length), a number for each token: the gate before its sigmoid.
    mode : {'causal', 'linear', 'bidirectional'}
        What the bias is for later keys, as stated above.
    backward : array_like, optional
        Logits of the other direction, of the same shape, for bidirectional alone.
    scale : float or Fraction, default 1
        Number that multiplies each logarithm.
    query_len : int, optional
        Number of queries, the last tokens; None for all.
    dtype : str or dtype, default 'float64'
        Format of the result: float64, float32, float16 or bfloat16.
    out : ndarray, optional
        Array that receives the result.
    threads : int, optional
        Number of threads; the default is all cores. The values never depend on it.

    Returns
    -------
    ndarray
        Shape (..., heads, queries, length) of class `sequence64`: each logarithm, its product with scale, the sums from
        token 0 on and the difference are rounded to float64, then the result once to `dtype`.

    Raises
    ------
    InputError
        E_SHAPE (logits, backward), E_CHOICE (mode; backward without bidirectional), E_NUMBER (scale), E_SIZE
        (query_len), E_DTYPE, E_OUT, E_TOO_LARGE.

    Notes
    -----
    Cable's biases are those of the negative logits, and a logit of infinity forgets nothing, as padding must. Arrays of
    uint16 are bit patterns of bfloat16.

    A gate that is exactly 0, of a logit of -infinity, makes the sums after it -infinity and their differences NaN.

    References
    ----------
    - zhixuan-lin/forgetting-transformer at 883f260, modeling_forgetting_transformer.py, log_fgate, and
      ops/forgetting_attention.py.
    - x-transformers 2.31.10, x_transformers.py, DataDependentAlibi (linear where it is causal; post_log_scale).
    - axiomlab/Cable at 2d7410b, src/Cable.py, CausalSelfAttention.

    Examples
    --------
    >>> forget_gate([[0.0, 0.0, 0.0]], mode="causal")
    array([[[ 0.        ,        -inf,        -inf],
            [-0.69314718,  0.        ,        -inf],
            [-1.38629436, -0.69314718,  0.        ]]])
    """
    checks.thread_count(threads)
    checks.choice("mode", mode, MODES)
    fmt, factor = formats.resolve(dtype), doubles.number("scale", scale)
    gates = read_gates(logits, backward, mode)
    length = gates[0].shape[-1]
    queries = length if query_len is None else checks.integer("query_len", query_len, 0, length)
    shape = (*gates[0].shape[:-1], queries, length)
    result, stored = checks.output(out, shape, fmt, apart_from=doubles.arrays(logits, backward))
    before, after = [sums(gate, factor) for gate in gates] + [None] * (2 - len(gates))
    future = keys_ahead(queries, length) > 0
    for index in np.ndindex(shape[:-2]):
        values = differences(before[index], queries)
        if mode != "linear":
            values = np.where(future, -np.inf if after is None else -differences(after[index], queries), values)
        doubles.store(stored[index], ordered_sums.canonical(values + 0.0), fmt)
    return result


def read_gates(logits, backward, mode):
    """[float64 logits], and those of the other direction where the mode has one."""
    values, _ = doubles.read("logits", logits)
    if not values.ndim:
        raise InputError("E_SHAPE", "logits", f"logits must be (..., heads, length), got shape {values.shape}")
    if (backward is not None) != (mode == "bidirectional"):
        wanted = "an array of logits" if mode == "bidirectional" else "None"
        got = "None" if backward is None else "an array"
        raise InputError("E_CHOICE", "backward", f"backward must be {wanted} with mode {mode!r}, got {got}")
    other = doubles.read_shaped("backward", backward, values.shape, "the shape of logits")
    return [values] if other is None else [values, other]


def keys_ahead(queries, length):
    """Each token minus the token of each of the last queries."""
    places = np.arange(length, dtype=np.int64)
    return places[None, :] - places[length - queries :, None]


def sums(logits, factor):
    """Running sums along the last axis of the logarithms of gates times a factor."""
    with np.errstate(all="ignore"):
        return np.add.accumulate(elementary.logsigmoid(logits) * factor, axis=-1)


def differences(total, queries):
    """Sums (length,) of the last tokens minus those of all."""
    with np.errstate(all="ignore"):
        return total[len(total) - queries :, None] - total[None, :]
