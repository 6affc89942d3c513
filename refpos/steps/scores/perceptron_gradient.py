"""Gradients of a perceptron of two lines in the order of `sequence64`.

For rows x (n, in) in their order, hidden = linear(x, weight_in, bias_in), active = activation(hidden) and the cotangent
dy (n, out):

    weight_out[h, k] = 0 + dy[0, h] active[0, k] + dy[1, h] active[1, k] + ..
    bias_out[h]      = 0 + dy[0, h] + dy[1, h] + ..
    back[r, k]       = 0 + dy[r, 0] weight_out[0, k] + ..,  then 0 (relu) or * 0.01 (leaky_relu) where hidden <= 0
    weight_in[k, a]  = 0 + back[0, k] x[0, a] + ..
    bias_in[k]       = 0 + back[0, k] + ..
    x[r, a]          = 0 + back[r, 0] weight_in[0, a] + ..
"""

from typing import NamedTuple

import numpy as np

from .activations import ACTIVATIONS
from .ordered_sums import canonical, linear, matmul, total

#: of each activation the slope where its argument is 0 or less; above it is 1
SLOPES = {"relu": 0.0, "leaky_relu": 0.01}


class Trace(NamedTuple):
    """What a perceptron made of rows x (n, in): hidden (n, k), and the cotangent (n, out) of its result."""

    x: np.ndarray
    hidden: np.ndarray
    cotangent: np.ndarray
    layers: list
    activation: str


def trace(x, layers, activation, cotangent):
    """The `Trace` of rows through both (weight, bias) of the layers."""
    return Trace(x, linear(x, *layers[0]), cotangent, layers, activation)


def of_line(name, made):
    """The gradient for "weight_in", "bias_in", "weight_out" or "bias_out"."""
    if name == "weight_out":
        return matmul(made.cotangent.T, ACTIVATIONS[made.activation](made.hidden))
    if name == "bias_out":
        return total(made.cotangent.T)
    back = before_activation(made)
    return total(back.T) if name == "bias_in" else matmul(back.T, made.x)


def of_rows(made):
    """The gradient for x (n, in)."""
    return matmul(before_activation(made), made.layers[0][0])


def before_activation(made):
    """The gradient for hidden (n, k)."""
    back, slope = matmul(made.cotangent, made.layers[1][0]), SLOPES[made.activation]
    with np.errstate(all="ignore"):
        return canonical(np.where(made.hidden <= 0, back * slope if slope else 0.0, back))
