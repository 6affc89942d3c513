"""DAPE: a perceptron that changes a bias by the scores it is added to, all heads together."""

from __future__ import annotations

import numpy as np

from .. import checks
from ..arithmetic import formats
from ..catalogue import register
from ..errors import InputError
from ..relative.fire import ACTIVATION_NAMES, PAIRS, FireActivation
from ..steps.rows import doubles
from ..steps.scores import ordered_sums, perceptron
from ..types import Array, ArrayLike, DType, Integer

__all__ = ["dape"]


@register(
    family="scores",
    paper="Zheng et al. 2024, DAPE: Data-Adaptive Positional Encoding, arXiv:2405.14722, section 3.2",
    conventions="the scores of all heads first, then their biases; activation leaky_relu or relu",
    contract="written",
    also="DAPE, data-adaptive positional encoding",
)
def dape(
    scores: ArrayLike,
    bias: ArrayLike,
    weight_in: ArrayLike,
    bias_in: ArrayLike | None,
    weight_out: ArrayLike,
    bias_out: ArrayLike | None,
    *,
    activation: FireActivation = "leaky_relu",
    dtype: DType = "float64",
    out: Array | None = None,
    threads: Integer | None = None,
) -> Array:
    """DAPE: attention scores with a bias that an MLP adapts to the data.

        S[h, i, j] = (scores + bias)[h, i, j] + f(scores[0, i, j], .., scores[H-1, i, j], bias[0, i, j], ..)[h]
        f(x) = weight_out . activation(weight_in . x + bias_in) + bias_out

    Parameters
    ----------
    scores : array_like
        Scores, shape (..., heads, queries, keys), divided by the root of their width but not yet masked.
    bias : array_like
        Shape (heads, queries, keys), as `alibi`, `kerple` or `fire` give it.
    weight_in : array_like
        Weight of the first layer, shape (hidden, 2 heads).
    bias_in : array_like or None
        Bias of the first layer, shape (hidden,) or None.
    weight_out : array_like
        Weight of the last layer, shape (heads, hidden).
    bias_out : array_like or None
        Bias of the last layer, shape (heads,) or None.
    activation : {'relu', 'leaky_relu'}, default 'leaky_relu'
        "leaky_relu", below 0 x times the float64 nearest 0.01, or "relu".
    dtype : str or dtype, default 'float64'
        Format of the result: float64, float32, float16 or bfloat16.
    out : ndarray, optional
        Array that receives the result.
    threads : int, optional
        Number of threads; the default is all cores. The values never depend on it.

    Returns
    -------
    ndarray
        An array of the shape of scores, of class `sequence64`: each operation is rounded to float64, sums go from 0 on
        with the index ascending, biases last; then it is rounded once to `dtype`.

    Raises
    ------
    InputError
        E_SHAPE (scores, bias, weights), E_DTYPE, E_CHOICE (activation), E_OUT, E_TOO_LARGE.

    Notes
    -----
    Arrays of uint16 are bit patterns of bfloat16.

    An infinite score, which a mask makes, is a number like others to the perceptron: mask afterwards.

    References
    ----------
    chuanyang-Zheng/DAPE at bde344a, DAPE.py, AliBi_DAPE, ParallelKerpleLog_DAPE and FIRE_DAPE.

    Examples
    --------
    >>> dape([[[1.0, -200.0]]], [[[0.0, -1.0]]], [[1.0, 0.0]], None, [[1.0]], None)
    array([[[   2., -203.]]])
    """
    checks.choice("activation", activation, ACTIVATION_NAMES)
    fmt, checked = formats.resolve(dtype), checks.thread_count(threads)
    values, added = read_scores(scores, bias)
    layers = read_wide_layers(values.shape[-3], weight_in, bias_in, weight_out, bias_out)
    arrays = doubles.arrays(scores, bias, weight_in, bias_in, weight_out, bias_out)
    result, stored = checks.output(out, values.shape, fmt, apart_from=arrays)
    queries, keys = values.shape[-2:]
    step = max(1, PAIRS // max(1, keys))
    for index in np.ndindex(values.shape[:-3] if stored.size else (0,)):
        for start in range(0, queries, step):
            rows = np.s_[:, start : start + step]
            own, other = values[index][rows], added[rows]
            x = np.moveaxis(np.concatenate([own, other]), 0, -1)
            change = np.moveaxis(perceptron.perceptron(x, layers, activation, checked), -1, 0)
            with np.errstate(all="ignore"):
                total = ordered_sums.canonical((own + other) + change)
            doubles.store(stored[index][rows], total, fmt)
    return result


def read_scores(scores, bias):
    """float64 scores (..., heads, queries, keys) and bias (heads, queries, keys)."""
    values, _ = doubles.read("scores", scores)
    if values.ndim < 3:
        raise InputError("E_SHAPE", "scores", f"scores must be (..., heads, queries, keys), got {values.shape}")
    added, _ = doubles.read("bias", bias, ("heads", "queries", "keys"))
    if added.shape != values.shape[-3:]:
        sentence = f"bias must be {values.shape[-3:]}, a number for each score of one sequence, got {added.shape}"
        raise InputError("E_SHAPE", "bias", sentence)
    return values, added


def read_wide_layers(heads, weight_in, bias_in, weight_out, bias_out):
    """[(weight, bias)] of both lines, as float64: of 2 heads numbers, and to one for each head."""
    first, _ = doubles.read("weight_in", weight_in, ("hidden", "2 heads"))
    if first.shape[1] != 2 * heads:
        sentence = f"weight_in must be (hidden, {2 * heads}), a column for the score and the bias of each head"
        raise InputError("E_SHAPE", "weight_in", f"{sentence}, got {first.shape}")
    last, _ = doubles.read("weight_out", weight_out, ("heads", "hidden"))
    if last.shape != (heads, len(first)):
        sentence = f"weight_out must be {heads, len(first)}, a row for each head, as wide as weight_in has rows"
        raise InputError("E_SHAPE", "weight_out", f"{sentence}, got {last.shape}")
    return [
        (first, doubles.read_shaped("bias_in", bias_in, (len(first),), "a number for each row of weight_in")),
        (last, doubles.read_shaped("bias_out", bias_out, (heads,), "a number for each head")),
    ]
