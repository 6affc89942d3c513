"""Positions through a small perceptron."""

from __future__ import annotations

from typing import Literal, get_args

import numpy as np

from .. import checks
from ..arithmetic import formats, rounding
from ..catalogue import register
from ..errors import InputError
from ..steps.positions.exact_positions import PositionsLike, read_positions
from ..steps.rows import doubles
from ..steps.scores import perceptron
from ..types import Array, ArrayLike, DType, Integer, Number

__all__ = ["mlp_positions"]

Activation = Literal["relu", "gelu", "gelu_tanh", "silu", "sigmoid", "softplus", "tanh", "identity"]
ACTIVATION_NAMES = get_args(Activation)
FLOAT64 = formats.FORMATS["float64"]


@register(
    family="absolute",
    paper="Li et al. 2021, Learnable Fourier Features for Multi-Dimensional Spatial Positional Encoding, "
    "arXiv:2106.02795, section 3: its perceptron, of positions as they are",
    conventions="positions as they are, or divided by a number; activation (no default)",
    contract="written",
    also="MLP position embedding, position MLP",
)
def mlp_positions(
    positions: PositionsLike,
    weight_in: ArrayLike,
    bias_in: ArrayLike | None,
    weight_out: ArrayLike,
    bias_out: ArrayLike | None,
    *,
    activation: Activation,
    divisor: Number = 1,
    dtype: DType = "float64",
    out: Array | None = None,
    threads: Integer | None = None,
) -> Array:
    """An MLP of each position: a linear layer, an activation and a linear layer.

        E[p] = weight_out . activation(weight_in * (p / divisor) + bias_in) + bias_out

    Parameters
    ----------
    positions : int or array_like
        An int n (meaning 0 .. n-1) or an array of any shape.
    weight_in : array_like
        Weight of the first layer, shape (hidden,) or (hidden, 1) as torch has it.
    bias_in : array_like or None
        Bias of the first layer, shape (hidden,) or None.
    weight_out : array_like
        Weight of the last layer, shape (channels, hidden).
    bias_out : array_like or None
        Bias of the last layer, shape (channels,) or None.
    activation : {'relu', 'gelu', 'gelu_tanh', 'silu', 'sigmoid', 'softplus', 'tanh', 'identity'}
        The activation: "relu", "gelu", "gelu_tanh", "silu", "sigmoid", "softplus", "tanh" or "identity".
    divisor : float or Fraction, default 1
        Divisor of the positions, a number greater than 0, often the largest length.
    dtype : str or dtype, default 'float64'
        Format of the result: float64, float32, float16 or bfloat16.
    out : ndarray, optional
        Array that receives the result.
    threads : int, optional
        Number of threads; the default is all cores. The values never depend on it.

    Returns
    -------
    ndarray
        Shape (*positions.shape, channels) of class `sequence64`: p / divisor is rounded to float64, and so is each
        operation after it, sums from 0 on with the index ascending, biases last; then rounded once to `dtype`.

    Raises
    ------
    InputError
        E_POSITION, E_SHAPE (weights, biases), E_DTYPE, E_CHOICE, E_NUMBER, E_OUT, E_TOO_LARGE.

    Notes
    -----
    Arrays of uint16 are read as bit patterns of bfloat16.

    References
    ----------
    PyTorch 2.13, nn.Linear, an activation and nn.Linear on the positions.

    Examples
    --------
    >>> mlp_positions([0, 2], [1.0, -1.0], [0.5, 0.5], [[1.0, 10.0]], None, activation="relu")
    array([[5.5],
           [2.5]])
    """
    activation = checks.choice("activation", activation, ACTIVATION_NAMES)
    fmt, divisor = formats.resolve(dtype), checks.positive("divisor", divisor)
    layers = read_layers(weight_in, bias_in, weight_out, bias_out)
    axis = read_positions(positions)
    apart_from = doubles.arrays(positions, weight_in, bias_in, weight_out, bias_out)
    result, stored = checks.output(out, (*axis.shape, len(layers[1][0])), fmt, apart_from=apart_from)
    if stored.size:
        x = scaled(axis, divisor)[..., None]
        doubles.store(stored, perceptron.perceptron(x, layers, activation, checks.thread_count(threads)), fmt)
    return result


def scaled(axis, divisor):
    """`Positions` over a number, rounded once to float64, which makes what is beyond its range infinite."""
    patterns = [rounding.nearest_fraction(value / divisor, FLOAT64) for value in axis.fractions()]
    return np.array(patterns, np.uint64).view(np.float64).reshape(axis.shape)


def read_layers(weight_in, bias_in, weight_out, bias_out):
    """[(weight, bias)] of both lines, as float64."""
    first, _ = doubles.read("weight_in", weight_in)
    if first.ndim not in (1, 2) or (first.ndim == 2 and first.shape[1] != 1):
        raise InputError("E_SHAPE", "weight_in", f"weight_in must be (hidden,) or (hidden, 1), got {first.shape}")
    first = first.reshape(-1, 1)
    last, _ = doubles.read("weight_out", weight_out, ("channels", "hidden"))
    if last.shape[1] != len(first):
        sentence = f"weight_out must be (channels, {len(first)}), as many as weight_in has rows, got {last.shape}"
        raise InputError("E_SHAPE", "weight_out", sentence)
    return [
        (first, doubles.read_shaped("bias_in", bias_in, (len(first),), "a number for each row of weight_in")),
        (last, doubles.read_shaped("bias_out", bias_out, (len(last),), "a number for each row of weight_out")),
    ]
