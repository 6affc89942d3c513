"""Error bounds of the gradients of FIRE: its perceptron, c and the threshold."""

import numpy as np

from ...absolute.mlp_positions import read_layers
from ...positions._windows import read_queries_and_keys
from ...relative.fire import LINES, distances_of, read_numbers
from ...steps.rows import doubles
from ...steps.scores import ordered_sums
from ...steps.scores.perceptron_gradient import SLOPES
from . import running_error
from .backward import bounds_gradients, changed, numbers, once_more, sums, total
from .gated_attention import ratios, times_plus_one
from .running_error import Bounded


@bounds_gradients("fire")
def _fire(given, fmt):
    layers = [[numbers(part, fmt) for part in layer] for layer in read_layers(*(given[name] for name in LINES))]
    c, length, eps = read_numbers(given["c"], given["length"], given["eps"])
    query, key = read_queries_and_keys(given["query_positions"], given["key_positions"])
    distances = distances_of(query - key, given["mode"])
    x, divisor, most = ratios(query, distances, c, length, eps, fmt)
    # log(1) is 0 in every program
    x = x._replace(error=np.where(((distances == 0) | (c == 0)) & (divisor.values != 0), 0.0, x.error))
    heads = len(given["cotangent"])
    dy = changed(numbers(given["cotangent"], fmt), lambda part: np.moveaxis(part, 0, -1).reshape(x.values.size, heads))
    rows = changed(x, lambda part: part.reshape(x.values.size, 1))
    found, of_rows = _of_lines(rows, layers, given["activation"], dy)
    back = changed(of_rows, lambda part: part.reshape(x.values.shape))
    # what a pair gives to its divisor: over it twice, or over its square
    of_divisor = once_more(running_error.divide(once_more(running_error.multiply(back, x)), divisor))
    of_divisor = of_divisor._replace(values=-of_divisor.values)
    of_distances = once_more(running_error.divide(back, divisor))
    away = numbers(distances, fmt)
    of_c = running_error.add(_sum(of_distances, _slope(away, away, c)), _sum(of_divisor, _slope(most, most, c)))
    share = _share(query, length, fmt)
    of_length = _sum(of_divisor, running_error.multiply(_slope(numbers(c, fmt), most, c), share))
    return {
        **found,
        "c": _of_size(of_c, doubles.number("c", given["c"])),
        "length": _of_size(of_length, doubles.number("length", given["length"])),
    }


def _of_size(x, number):
    """The gradient for a number from that for its size."""
    return Bounded(x.values * np.sign(number), x.error * abs(np.sign(number)), x.fmt)


def _sum(pairs, of_query):
    """The sum over all pairs of numbers (queries, keys) and (queries, 1) or (queries, keys), in any order."""
    product = once_more(running_error.multiply(pairs, of_query))
    return total(changed(product, np.ravel))


def _slope(numerator, n, c):
    """numerator / (c n + 1)."""
    return running_error.divide(numerator, times_plus_one(c, n))


def _share(query, length, fmt):
    """What of a maximum of a query and the length belongs to the length, (queries, 1)."""
    place, threshold = running_error.from_input(query, fmt), running_error.from_input(length, fmt)
    values = np.where(length > query, 1.0, np.where(length == query, 0.5, 0.0))
    near = place.error + threshold.error
    return Bounded(values, np.where((near > 0) & (np.abs(length - query) <= near), 1.0, 0.0), fmt)


def _of_lines(x, layers, activation, dy):
    """({name: gradient} of the lines, that of the rows x (n, in)); dy (n, out)."""
    (weight_in, bias_in), (weight_out, _) = layers
    hidden = running_error.linear(x, weight_in, bias_in)
    active = running_error.activate(activation, hidden)
    back = running_error.multiply(sums(ordered_sums.matmul, dy, weight_out), _slopes(x, layers[0], hidden, activation))
    by_unit, by_head = (changed(part, np.transpose) for part in (back, dy))
    found = {
        "weight_in": sums(ordered_sums.matmul, by_unit, x),
        "bias_in": total(by_unit),
        "weight_out": sums(ordered_sums.matmul, by_head, active),
        "bias_out": total(by_head),
    }
    return found, sums(ordered_sums.matmul, back, weight_in)


def _slopes(x, line, hidden, activation):
    """The slopes of the activation; a hidden number that may be on either side of 0 in a program has either of them."""
    weight, bias = line
    zeros = [((part.values == 0) & (part.error == 0)).astype(np.float64) for part in (x, weight)]
    nonzero = ordered_sums.matmul(1 - zeros[0], (1 - zeros[1]).T)
    of_bias = 0.0 if bias is None else bias.error
    error = np.where(nonzero == 0, of_bias, hidden.error)  # a product with 0 is 0 in every program
    low = running_error.from_input(SLOPES[activation], x.fmt)
    below = hidden.values <= 0
    either = (np.abs(hidden.values) <= error) & (error > 0)
    values = np.where(below, low.values, 1.0)
    return Bounded(values, np.where(either, 1.0 - low.values, 0.0) + np.where(below | either, low.error, 0.0), x.fmt)
