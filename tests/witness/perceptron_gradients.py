"""Gradients of a perceptron of distances in plain Python floats, pair by pair, in the order that is written."""

import numpy as np

from .gates import psi
from .sequences import activation, divided, dot, linear, total
from .suites import LINES, line, lines_of, of_doubles, witness


def column(rows, k):
    return [row[k] for row in rows]


def lines_gradient(rows, cotangents, lines, name):
    """{array: gradient} of both lines, and the gradients for the rows; cotangents: one list of each row."""
    first, bias, last, _ = lines
    hidden = [linear(row, first, bias) for row in rows]
    active = [[activation(name, one) for one in row] for row in hidden]
    below = 0.01 if name == "leaky_relu" else 0.0
    back = []
    for row, dy in zip(hidden, cotangents, strict=True):
        sums = [dot(dy, column(last, k)) for k in range(len(first))]
        back.append([(one * below if below else 0.0) if z <= 0 else one for one, z in zip(sums, row, strict=True)])
    units, heads = range(len(first)), range(len(last))
    found = {
        "weight_in": [dot(column(back, k), column(rows, 0)) for k in units],
        "bias_in": [total(column(back, k)) for k in units],
        "weight_out": [[dot(column(cotangents, h), column(active, k)) for k in units] for h in heads],
        "bias_out": [total(column(cotangents, h)) for h in heads],
    }
    return found, [dot(row, column(first, 0)) for row in back]


def sign(number):
    return float((number > 0) - (number < 0))


def numbers_gradient(queries, keys, x, back, *, c, length, eps, mode):
    """The gradients for c and length, from those for the ratios x, both one list for each query."""
    size, threshold = abs(c), abs(length)
    own, of_divisors, slopes, shares = [], [], [], []
    for i, row, slope_row in zip(queries, x, back, strict=True):
        most = max(float(i), threshold)
        whole = psi(most, size) + eps
        for j, slope in zip(keys, slope_row, strict=True):
            away = float(abs(i - j) if mode == "symmetric" else max(i - j, 0))
            own.append(divided(slope, whole) * divided(away, size * away + 1.0))
        of_divisors.append(total([divided(-(slope * one), whole) for one, slope in zip(row, slope_row, strict=True)]))
        slopes.append((divided(most, size * most + 1.0), divided(size, size * most + 1.0)))
        shares.append(1.0 if threshold > i else 0.5 if threshold == i else None)
    of_c = total(own) + total([one * slope for one, (slope, _) in zip(of_divisors, slopes, strict=True)])
    met = zip(of_divisors, slopes, shares, strict=True)
    of_length = total([one * slope * share for one, (_, slope), share in met if share is not None])
    return {"c": of_c * sign(c), "length": of_length * sign(length)}


@witness("vjp_fire", source=("definition: the derivative of fire", "order: docs/orders/vjp_fire.txt"))
def _fire(given, call, dtype):
    queries, keys, lines = line(given, "query_positions"), line(given, "key_positions"), lines_of(given)
    c, length, eps = (float(given[name]) for name in ("c", "length", "eps"))
    mode, places = given["mode"], [(i, j) for i in queries for j in keys]
    ratio = {
        (i, j): divided(psi(abs(i - j) if mode == "symmetric" else max(i - j, 0), c),
                        psi(max(float(i), abs(length)), c) + eps)
        for i, j in places
    }  # fmt: skip
    cotangents = given["cotangent"].reshape(len(lines[2]), len(places)).T.tolist()
    found, back = lines_gradient([[ratio[one]] for one in places], cotangents, lines, given["activation"])
    width = len(keys)
    back = [back[k * width : (k + 1) * width] for k in range(len(queries))]
    x = [[ratio[i, j] for j in keys] for i in queries]
    numbers = numbers_gradient(queries, keys, x, back, c=c, length=length, eps=eps, mode=mode)
    result = {
        f"gradient_{name}": of_doubles(np.array(found[name]), given[name].shape, dtype)
        for name in LINES
        if given.get(name) is not None
    }
    return {**result, **{f"gradient_{name}": of_doubles([one], (), "float64") for name, one in numbers.items()}}
