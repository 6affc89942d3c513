"""FIRE: a bias that a small perceptron makes of the distance, divided by how far the query can look back."""

from __future__ import annotations

from typing import Literal, get_args

import numpy as np

from .. import checks
from ..absolute.mlp_positions import read_layers
from ..arithmetic import elementary, formats
from ..catalogue import register
from ..errors import InputError, shown
from ..positions._windows import read_queries_and_keys
from ..steps.positions.exact_positions import PositionsLike
from ..steps.rows import doubles, learned_tables, table_gradients
from ..steps.scores import ordered_sums, perceptron, perceptron_gradient
from ..types import Array, ArrayLike, DType, Integer, Number

__all__ = ["fire"]

FireMode = Literal["clipped", "symmetric"]
FireActivation = Literal["relu", "leaky_relu"]
MODES, ACTIVATION_NAMES = map(get_args, (FireMode, FireActivation))
PAIRS = 1 << 16  # queries and keys that go through the perceptron at a time
LINES = ("weight_in", "bias_in", "weight_out", "bias_out")


def _gradient_for(name):
    """The rule for an array of a line, for "c" or for "length", in the order of docs/gradients.md."""

    def gradient(function, given, cotangent):
        table_gradients.check_options(given)
        mode = checks.choice("mode", given["mode"], MODES)
        activation = checks.choice("activation", given["activation"], ACTIVATION_NAMES)
        layers = read_layers(*(given[one] for one in LINES))
        c, length, eps = read_numbers(given["c"], given["length"], given["eps"])
        query, key = read_queries_and_keys(given["query_positions"], given["key_positions"])
        shape = (len(layers[1][0]), len(query), len(key))
        cotangent = table_gradients.read_cotangent(cotangent, shape, formats.resolve(given["dtype"]))
        dy = np.moveaxis(learned_tables.values(cotangent), 0, -1).reshape(len(query) * len(key), shape[0])
        distances = distances_of(query - key, mode)
        x = ratios(query, distances, c, length, eps)
        made = perceptron_gradient.trace(x.reshape(-1, 1), layers, activation, dy)
        if name in LINES:
            found = perceptron_gradient.of_line(name, made)
        else:
            back = perceptron_gradient.of_rows(made).reshape(x.shape)
            found = _of_number(name, doubles.number(name, given[name]), back, x, query, distances, (c, length, eps))
        return _stored(name, given[name], found)

    return gradient


def _of_number(name, raw, back, x, query, distances, numbers):
    """The gradient for c or length, from those for the ratios x (queries, keys)."""
    c, length, eps = numbers
    with np.errstate(all="ignore"):
        most = np.maximum(query.astype(np.float64), length)  # (queries, 1)
        divisor = _psi(most, c) + eps
        of_divisor = ordered_sums.total(-(back * x) / divisor)
        if name == "c":
            away = distances.astype(np.float64)
            found = ordered_sums.total((back / divisor * (away / (c * away + 1.0))).reshape(-1))
            found = found + ordered_sums.total(of_divisor * (most / (c * most + 1.0))[:, 0])
        else:
            share = np.where(length > query[:, 0], 1.0, 0.5)
            counts = length >= query[:, 0]
            found = ordered_sums.total((of_divisor * (c / (c * most + 1.0))[:, 0] * share)[counts])
        return ordered_sums.canonical(found * np.sign(raw))


def _stored(name, value, found):
    """The gradient in the dtype of the argument, of a number without one in float64."""
    fmt = table_gradients.format_of(name, value) or formats.FORMATS["float64"]
    result, stored = checks.output(None, checks.array(name, value).shape, fmt)
    doubles.store(stored, found.reshape(stored.shape), fmt)
    return result


@register(
    family="relative",
    paper="Li et al. 2024, Functional Interpolation for Relative Positions (FIRE), arXiv:2310.04418, section 3.2",
    conventions="mode clipped or symmetric, eps added to the divisor, activation (no defaults)",
    contract="written",
    also="FIRE, functional interpolation",
    gradients={name: _gradient_for(name) for name in (*LINES, "c", "length")},
)
def fire(
    weight_in: ArrayLike,
    bias_in: ArrayLike | None,
    weight_out: ArrayLike,
    bias_out: ArrayLike | None,
    query_positions: PositionsLike,
    key_positions: PositionsLike,
    *,
    c: Number,
    length: Number,
    eps: Number,
    mode: FireMode,
    activation: FireActivation,
    dtype: DType = "float64",
    out: Array | None = None,
    threads: Integer | None = None,
) -> Array:
    """The FIRE bias: a learned function of the distance relative to the query's position.

        B[h, i, j] = (weight_out . activation(weight_in * x + bias_in) + bias_out)[h]
        x = psi(d) / (psi(max(i, |length|)) + eps),   psi(n) = log(|c n| + 1)

    with d = max(i - j, 0) if clipped, |i - j| if symmetric.

    Parameters
    ----------
    weight_in : array_like
        Weight of the first layer, shape (hidden,) or (hidden, 1).
    bias_in : array_like or None
        Bias of the first layer, shape (hidden,) or None.
    weight_out : array_like
        Weight of the last layer, shape (heads, hidden).
    bias_out : array_like or None
        Bias of the last layer, shape (heads,) or None.
    query_positions, key_positions : int or array_like
        An int n (meaning 0 .. n-1) or integers (n,), 0 to 2**53: a query behind a cache is [k - 1], and randomised
        positions are valid too.
    c : float or Fraction
        The learned number c.
    length : float or Fraction
        The learned threshold times its learned multiplier.
    eps : float or Fraction
        What is added to the divisor, 0 in the paper, 1e-6 in code, never negative.
    mode : {'clipped', 'symmetric'}
        Distance d, as stated above.
    activation : {'relu', 'leaky_relu'}
        The activation: "relu", or "leaky_relu", which is x times the float64 nearest 0.01 below 0.
    dtype : str or dtype, default 'float64'
        Format of the result: float64, float32, float16 or bfloat16.
    out : ndarray, optional
        Array that receives the result.
    threads : int, optional
        Number of threads; the default is all cores. The values never depend on it.

    Returns
    -------
    ndarray
        Shape (heads, queries, keys) of class `sequence64`: c, length, eps and each operation of the formula are rounded
        to float64, sums go from 0 on with the index ascending, biases last; then it is rounded once to `dtype`.

    Raises
    ------
    InputError
        E_SHAPE (weights, biases, positions), E_POSITION, E_NUMBER (c, length, eps), E_CHOICE (mode, activation),
        E_DTYPE, E_OUT, E_TOO_LARGE.

    Notes
    -----
    Arrays of uint16 are bit patterns of bfloat16.

    Where eps and the divisor are 0, as at i = length = 0, x is the quotient that IEEE 754 gives: NaN of 0 / 0.

    References
    ----------
    - Li et al. 2024, equation 4.
    - mcleish7/arithmetic at 86022a5, cramming/architectures/embeddings.py, FIRE (symmetric, relu).
    - chuanyang-Zheng/DAPE at bde344a, DAPE.py, FIRE (clipped, relu) and FIRE_DAPE (leaky_relu).

    Examples
    --------
    >>> fire([1.0], None, [[-1.0]], None, 3, 3, c=1, length=1, eps=0, mode="clipped", activation="relu")
    array([[[ 0.        ,  0.        ,  0.        ],
            [-1.        ,  0.        ,  0.        ],
            [-1.        , -0.63092975,  0.        ]]])
    """
    checks.choice("mode", mode, MODES)
    checks.choice("activation", activation, ACTIVATION_NAMES)
    fmt, checked = formats.resolve(dtype), checks.thread_count(threads)
    layers = read_layers(weight_in, bias_in, weight_out, bias_out)
    numbers = read_numbers(c, length, eps)
    query, key = read_queries_and_keys(query_positions, key_positions)
    arrays = doubles.arrays(weight_in, bias_in, weight_out, bias_out, query_positions, key_positions)
    shape = (len(layers[1][0]), len(query), len(key))
    result, stored = checks.output(out, shape, fmt, apart_from=arrays)
    step = max(1, PAIRS // max(1, len(key)))
    for start in range(0, len(query) if stored.size else 0, step):
        rows = query[start : start + step]
        x = ratios(rows, distances_of(rows - key, mode), *numbers)
        bias = perceptron.perceptron(x[..., None], layers, activation, checked)
        doubles.store(stored[:, start : start + step], np.moveaxis(bias, -1, 0), fmt)
    return result


def read_numbers(c, length, eps):
    """|c|, |length| and eps as float64."""
    values = [doubles.number(name, one) for name, one in (("c", c), ("length", length), ("eps", eps))]
    if values[2] < 0:
        raise InputError("E_NUMBER", "eps", f"eps must be 0 or more, got {shown(eps)}")
    return abs(values[0]), abs(values[1]), values[2]


def distances_of(relative, mode):
    """The distances of integers, query minus key."""
    return np.abs(relative) if mode == "symmetric" else np.maximum(relative, 0)


def ratios(query, distances, c, length, eps):
    """psi of whole distances (queries, keys) over psi of the larger of each query (queries, 1) and the length."""
    with np.errstate(all="ignore"):
        most = np.maximum(query.astype(np.float64), length)
        return ordered_sums.canonical(_psi(distances.astype(np.float64), c) / (_psi(most, c) + eps))


def _psi(n, c):
    return elementary.log(c * n + 1.0)
