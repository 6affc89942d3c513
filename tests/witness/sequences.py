"""The sequences of the class `sequence64` in plain Python floats, one operation after the other, each rounded once.

Python computes with IEEE doubles and contracts nothing. Elementary functions are those of witness/elementary.py.
"""

import math

from .elementary import rounded


def dot(a, b):
    """0 + a[0] b[0] + a[1] b[1] + .."""
    total = 0.0
    for x, y in zip(a, b, strict=True):
        product = x * y
        total = total + product
    return total


def total(values):
    """0 + x[0] + x[1] + .."""
    result = 0.0
    for value in values:
        result = result + value
    return result


def divided(x, y):
    """x / y as IEEE 754 has it."""
    if y != 0:
        return x / y
    if x != x or x == 0:
        return math.nan
    return math.copysign(math.inf, x) * math.copysign(1, y)


def linear(x, weight, bias=None):
    """A row times the rows of weight, then + bias."""
    sums = [dot(x, row) for row in weight]
    return sums if bias is None else [value + b for value, b in zip(sums, bias, strict=True)]


def mean(x):
    """The sum by the count."""
    return divided(total(x), float(len(x)))


def variance(x, unbiased):
    """The mean of the squares of differences from the mean."""
    middle = mean(x)
    return divided(total([(value - middle) * (value - middle) for value in x]), float(len(x) - unbiased))


def layer_norm(x, weight, bias, eps):
    """Each value less the mean, by the root of variance + eps, times weight, plus bias."""
    middle, size = mean(x), math.sqrt(variance(x, False) + eps)
    return [divided(value - middle, size) * w + b for value, w, b in zip(x, weight, bias, strict=True)]


def softmax(x, kept):
    """exp(x - maximum) by their sum, over the entries that are kept; zeros where there are none."""
    most = max((value for value, keep in zip(x, kept, strict=True) if keep), default=-math.inf)
    if most == -math.inf:
        return [0.0] * len(x)
    powers = [rounded("exp", value - most) if keep else 0.0 for value, keep in zip(x, kept, strict=True)]
    whole = total(powers)
    return [power / whole for power in powers]


def activation(name, x):
    """An activation of one float."""
    if name == "relu":
        return x if x > 0 or x != x else 0.0
    if name == "leaky_relu":
        return x * 0.01 if x < 0 else x
    if name == "silu":
        return x * rounded("sigmoid", x)
    if name == "gelu":
        return x * 0.5 * (1 + rounded("erf", x * float.fromhex("0x1.6a09e667f3bcdp-1")))
    if name == "gelu_tanh":
        cube = x * x * x
        inner = float.fromhex("0x1.9884533d43651p-1") * (x + 0.044715 * cube)
        return x * 0.5 * (1 + rounded("tanh", inner))
    return x if name == "identity" else rounded(name, x)


def convolution(x, weight, groups, padding):
    """x (length, in), weight (out, in / groups, kernel), zeros around: (new length, out), by (in, kernel)."""
    taken, size = len(weight[0]), len(weight[0][0])
    made = len(weight) // groups
    zeros = [0.0] * len(x[0])
    rows = [zeros] * padding[0] + list(x) + [zeros] * padding[1]
    return [
        [
            dot(
                [rows[i + t][o // made * taken + c] for c in range(taken) for t in range(size)],
                [weight[o][c][t] for c in range(taken) for t in range(size)],
            )
            for o in range(len(weight))
        ]
        for i in range(len(rows) - size + 1)
    ]


def weight_norm(direction, magnitude):
    """Each kernel element of (out, in, kernel) times magnitude / its norm, squares summed over out, then in."""
    result = direction.copy()
    for t, size in enumerate(magnitude):
        values = direction[:, :, t].reshape(-1).tolist()
        scale = divided(size, math.sqrt(total([value * value for value in values])))
        result[:, :, t] = direction[:, :, t] * scale
    return result
