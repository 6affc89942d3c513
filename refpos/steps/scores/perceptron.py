"""Perceptrons of the class `sequence64`: linear, activation, linear, .. in the fixed order."""

from .activations import ACTIVATIONS
from .ordered_sums import linear


def perceptron(x, layers, activation, threads=None):
    """x (..., n) through (weight, bias) of each layer, bias an array or None; the activation between two layers."""
    for k, (weight, bias) in enumerate(layers):
        x = linear(ACTIVATIONS[activation](x) if k else x, weight, bias, threads)
    return x
