"""Position encoding by accumulated Householder transformations (PaTH): the scores of queries and keys."""

from __future__ import annotations

import numpy as np

from .. import checks
from ..arithmetic import fixed_point, formats, rounding
from ..catalogue import register
from ..errors import InputError, InputTypeError
from ..types import Array, ArrayLike, DType

__all__ = ["path"]


@register(
    family="rotary",
    paper="Yang et al. 2025, PaTH Attention: Position Encoding via Accumulating Householder Transformations,"
    " arXiv:2505.16381, section 3",
    conventions="products from the query to the key, the key's own matrix left out; scores before scale and softmax",
    no_error_bound="programs multiply its matrices in different orders, and a bound holds for one order only",
    also="PaTH attention, PaTH, path_attention",
)
def path(
    q: ArrayLike,
    k: ArrayLike,
    w: ArrayLike,
    beta: ArrayLike,
    *,
    gate: ArrayLike | None = None,
    dtype: DType = "float64",
    out: Array | None = None,
) -> Array:
    """PaTH attention scores: query and key, with the product of a matrix of each token between them.

        score[i, j] = q_i^T H_i H_(i-1) ... H_(j+1) k_j + sum of gate_s over s = j+1 .. i,   j <= i
        H_s = I - beta_s w_s w_s^T,   score[i, j] = -inf for j > i

    Parameters
    ----------
    q, k : array_like
        Queries and keys (..., seq, dim).
    w : array_like
        Vectors of the reflections, (..., seq, dim).
    beta : array_like
        Factors of the reflections, shape (..., seq).
    gate : array_like, optional
        Logarithms of forget gates, (..., seq).
    dtype : str or dtype, default 'float64'
        Format of the result: float64, float32, float16 or bfloat16.
    out : ndarray, optional
        Array that receives the result.

    Returns
    -------
    ndarray
        Shape (..., seq, seq), every element the exact value rounded once to `dtype`.

    Raises
    ------
    InputError
        E_SHAPE, E_NUMBER, E_DTYPE, E_OUT.

    Notes
    -----
    All inputs are floats, taken as exactly what they are, so that w comes normalised and beta from its sigmoid. Heads
    that share keys are repeated.

    The scale is left to the caller; it multiplies the gates too. H_s is a reflection, and scores belong to distances,
    where w is the same for all tokens and beta is 2 over its square.

    It is made to check other code on short sequences: with each token between, the integers grow by the bits of beta
    and of w twice. 64 tokens of 64 float32 channels take some 0.5 s, 128 take 2 s.

    References
    ----------
    fla-org/flash-linear-attention, fla/ops/path_attn/naive.py, naive_path_attn.

    Examples
    --------
    >>> import numpy as np
    >>> path([[1.0, 0.0]] * 2, [[1.0, 0.0]] * 2, [[0.0, 1.0], [1.0, 0.0]], [2.0, 0.5])
    array([[ 1. , -inf],
           [ 0.5,  1. ]])
    """
    values = {"q": q, "k": k, "w": w, "beta": beta, **({} if gate is None else {"gate": gate})}
    values = {name: _floats(name, array) for name, array in values.items()}
    shape = values["q"].shape
    _check_shapes(shape, values)
    fmt = formats.resolve(dtype)
    result, stored = checks.output(out, (*shape[:-1], shape[-2]), fmt)
    patterns = formats.bits(stored)
    patterns[...] = rounding.round_float(-np.inf, fmt)
    for at in np.ndindex(shape[:-2]):
        exact = {name: fixed_point.as_integers(array[at]) for name, array in values.items()}
        for i, j, number, shift in _scores(**exact):
            patterns[(*at, i, j)] = rounding.nearest(number, shift, fmt)
    return result


def _floats(name, array):
    """The exact values in float64."""
    array = checks.array(name, array)
    fmt = formats.of_array(array)
    if fmt is None:
        raise InputTypeError("E_DTYPE", name, f"{name} must have dtype {', '.join(formats.FORMATS)}, got {array.dtype}")
    values = rounding.widen(formats.storage(array, fmt), fmt)
    if not np.isfinite(values).all():
        raise InputError("E_NUMBER", name, f"{name} must be finite, got {values[~np.isfinite(values)][0]}")
    return values


def _check_shapes(shape, values):
    if len(shape) < 2:
        raise InputError("E_SHAPE", "q", f"q must have a sequence axis and a channel axis, got shape {shape}")
    for name, array in values.items():
        wanted = shape[:-1] if name in ("beta", "gate") else shape
        if array.shape != wanted:
            raise InputError("E_SHAPE", name, f"{name} must have shape {wanted} for q {shape}, got {array.shape}")


def _scores(q, k, w, beta, gate=None):
    """(i, j, number, shift) of each score, which is number * 2**-shift, of one head: each argument (ints, shift)."""
    (q, q_shift), (k, k_shift), (w, w_shift), (beta, beta_shift) = q, k, w, beta
    gate, gate_shift = gate or ([0] * len(q), 0)
    for i, row in enumerate(q):
        shift, gates = q_shift, 0  # row * 2**-shift is q_i^T H_i ... H_(j+1)
        for j in range(i, -1, -1):
            scale = shift + k_shift
            yield i, j, (int(row @ k[j]) << gate_shift) + (gates << scale), scale + gate_shift
            row = (row << 2 * w_shift + beta_shift) - (row @ w[j]) * beta[j] * w[j]
            shift += 2 * w_shift + beta_shift
            gates += gate[j]
