"""Activations of the class `sequence64`: the elementary functions, correctly rounded, and sequences of operations.

silu, swish      x * sigmoid(x)
gelu             (x * 1/2) * (1 + erf(x * s)),                    s = 2**-0.5 rounded to float64
gelu_tanh        (x * 1/2) * (1 + tanh(t * (x + 0.044715 * ((x * x) * x)))),  t = sqrt(2 / pi) rounded to float64
relu             max(x, 0)
leaky_relu       x, and x times the float64 nearest 0.01 below 0
identity         x
"""

import numpy as np

from ...arithmetic import elementary
from .ordered_sums import canonical

ROOT_OF_HALF = float.fromhex("0x1.6a09e667f3bcdp-1")
ROOT_OF_TWO_BY_PI = float.fromhex("0x1.9884533d43651p-1")


def silu(x):
    """x sigmoid(x): two roundings."""
    return _product(x, elementary.sigmoid(x))


def gelu(x):
    """x times the normal distribution, by erf."""
    with np.errstate(all="ignore"):
        return _product(x * 0.5, 1 + elementary.erf(x * ROOT_OF_HALF))


def gelu_tanh(x):
    """The approximation of GELU by tanh."""
    with np.errstate(all="ignore"):
        return _product(x * 0.5, 1 + elementary.tanh(ROOT_OF_TWO_BY_PI * (x + 0.044715 * ((x * x) * x))))


def _product(x, y):
    with np.errstate(all="ignore"):
        return canonical(x * y)


def relu(x):
    """The larger of x and 0; NaN stays NaN."""
    return canonical(np.where(x < 0, 0.0, x) + 0.0)


def leaky_relu(x):
    """x, and below 0 its product with the float64 nearest 0.01, as torch has it: x / 100 rounds otherwise."""
    with np.errstate(all="ignore"):
        return canonical(np.where(x < 0, x * 0.01, x))


ACTIVATIONS = {
    "identity": canonical,
    "relu": relu,
    "leaky_relu": leaky_relu,
    "gelu": gelu,
    "gelu_tanh": gelu_tanh,
    "silu": silu,
    "sigmoid": elementary.sigmoid,
    "softplus": elementary.softplus,
    "tanh": elementary.tanh,
}
