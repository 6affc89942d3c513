"""A learned function of the offset of two tokens or cells, which models add to attention scores."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, get_args

import numpy as np

from .. import checks
from ..absolute.mlp_positions import ACTIVATION_NAMES, Activation
from ..arithmetic import elementary, formats
from ..catalogue import register
from ..errors import InputError, shown
from ..steps.rows import doubles
from ..steps.scores import ordered_sums
from ..steps.scores.activations import ACTIVATIONS
from ..types import Array, ArrayLike, DType, Integer, Number
from .log_coordinates import LARGEST, line_of, read_spans

__all__ = ["distance_mlp"]

Coordinates = Literal["offset", "log", "swin-v2"]
COORDINATES = get_args(Coordinates)


@register(
    family="relative",
    paper="Liu et al. 2022, Swin Transformer V2, arXiv:2111.09883, section 3.3; Wang et al. 2022, CrossFormer, "
    "arXiv:2108.00154, section 3.3",
    conventions="coordinates offset, log or swin-v2; activation (no defaults); a norm before each activation or none",
    contract="written",
    also="continuous position bias, CPB, log-CPB, Swin v2, swinv2, DynamicPositionBias",
)
def distance_mlp(
    size: Integer | Sequence[Integer],
    weight_in: ArrayLike,
    bias_in: ArrayLike | None,
    weight_out: ArrayLike,
    bias_out: ArrayLike | None,
    *,
    coordinates: Coordinates,
    activation: Activation,
    weights: ArrayLike | None = None,
    biases: ArrayLike | None = None,
    norm_eps: Number | None = None,
    norm_weights: ArrayLike | None = None,
    norm_biases: ArrayLike | None = None,
    pretrained: Sequence[Integer] | None = None,
    sigmoid: Number | None = None,
    dtype: DType = "float64",
    out: Array | None = None,
    threads: Integer | None = None,
) -> Array:
    """Continuous relative position bias: an MLP makes the bias of each head and offset (Swin v2's CPB).

        x = weight_in c + bias_in,   x = weights[n] f(x) + biases[n],   T = weight_out f(x) + bias_out
        f(x) = activation(norm(x)),  norm(x) = norm_weights[n] (x - mean) / sqrt(variance + norm_eps) + norm_biases[n]

    Parameters
    ----------
    size : int or sequence of int
        n keys in a row, whose offsets d go from 1 - n to n - 1, or (height, width) of a window, the row first.
    weight_in : array_like
        Weight of the first layer, shape (hidden, 1), or (hidden,), of a row and (hidden, 2) of a window.
    bias_in : array_like or None
        Bias of the first layer, shape (hidden,) or None.
    weight_out : array_like
        Weight of the last layer, shape (heads, hidden).
    bias_out : array_like or None
        Bias of the last layer, shape (heads,) or None.
    coordinates : {'offset', 'log', 'swin-v2'}
        Input c: d itself ("offset"), sign(d) log(1 + |d|) ("log"), or that of `log_coordinates` ("swin-v2"), to which
        `pretrained` belongs.
    activation : {'relu', 'gelu', 'gelu_tanh', 'silu', 'sigmoid', 'softplus', 'tanh', 'identity'}
        The activation, as in `mlp_positions`.
    weights : array_like, optional
        Further layers (layers, hidden, hidden), or None.
    biases : array_like, optional
        Those of the further layers, (layers, hidden), or None.
    norm_eps : float or Fraction, optional
        Epsilon of the norm; None leaves the norm out.
    norm_weights, norm_biases : array_like, optional
        Weights and biases of the norms, shape (layers + 1, hidden) or None.
    pretrained : sequence of int, optional
        Window (height, width) of pretraining, for "swin-v2", as in `log_coordinates`.
    sigmoid : float or Fraction, optional
        Where it is given, T becomes sigmoid / (1 + exp(-T)); Swin v2 has 16.
    dtype : str or dtype, default 'float64'
        Format of the result: float64, float32, float16 or bfloat16.
    out : ndarray, optional
        Array that receives the result.
    threads : int, optional
        Number of threads; the default is all cores. The values never depend on it.

    Returns
    -------
    ndarray
        Shape (2 n - 1, heads) or (2 height - 1, 2 width - 1, heads), a table for `relative_bias` or, with all offsets
        on one axis, for `window_bias`, sign="query-key" of both. Of class `sequence64`: c is rounded once to float64,
        then each operation in the order of the formulas, sums with the index ascending, biases last; then once to
        `dtype`.

    Raises
    ------
    InputError
        E_SIZE, E_SHAPE (size, pretrained, weights and biases), E_DTYPE, E_CHOICE, E_NUMBER, E_OUT, E_TOO_LARGE.

    Notes
    -----
    Arrays of uint16 are bit patterns of bfloat16.

    References
    ----------
    - x-transformers 2.31.10, DynamicPositionBias.
    - cheerss/CrossFormer, models/crossformer.py, DynamicPosBias.
    - Swinv2SelfAttention in models/swinv2/modeling_swinv2.py (transformers 5.23.0).
    - timm 1.0.31, timm/layers/pos_embed_rel.py, RelPosMlp.

    Examples
    --------
    >>> table = distance_mlp(3, [1.0, -1.0], None, [[1.0, 10.0]], None, coordinates="offset", activation="relu")
    >>> table[:, 0]
    array([20., 10.,  0.,  1.,  2.])
    """
    checks.thread_count(threads)
    activation, sizes = checks.choice("activation", activation, ACTIVATION_NAMES), read_size(size)
    lines = read_lines(sizes, coordinates, pretrained)
    layers = read_layers(len(sizes), weight_in, bias_in, weights, biases, weight_out, bias_out)
    norms = read_norms(norm_eps, norm_weights, norm_biases, len(layers) - 1, len(layers[0][0]))
    factor = None if sigmoid is None else doubles.number("sigmoid", sigmoid)
    given = (weight_in, bias_in, weight_out, bias_out, weights, biases, norm_weights, norm_biases)
    shape, fmt = (*(2 * n - 1 for n in sizes), len(layers[-1][0])), formats.resolve(dtype)
    result, stored = checks.output(out, shape, fmt, apart_from=doubles.arrays(*given))
    if stored.size:
        table = network(grid_of(lines), layers, norms, activation, threads)
        doubles.store(stored, table if factor is None else squashed(table, factor), fmt)
    return result


def read_size(size):
    """[n] or [height, width]."""
    sizes = [size] if np.isscalar(size) or size is None else checks.listed("size", size, "sizes")
    if len(sizes) not in (1, 2):
        raise InputError("E_SHAPE", "size", f"size must be a number of keys or (height, width), got {shown(size)}")
    return [checks.integer("size", one, 1, checks.WIDEST) for one in sizes]


def read_lines(sizes, coordinates, pretrained):
    """The coordinates of the offsets 1 - n to n - 1 of every axis, as float64."""
    if checks.choice("coordinates", coordinates, COORDINATES) == "swin-v2":
        sides = [checks.integer("size", n, 1, LARGEST) for n in sizes]
        if len(sides) != 2:
            sentence = "size must be (height, width) with coordinates='swin-v2'"
            raise InputError("E_SHAPE", "size", f"{sentence}, got {shown(sizes)}")
        spans = read_spans(sides, coordinates, pretrained)
        return [line_of(side, span, formats.FORMATS["float64"]) for side, span in zip(sides, spans)]
    if pretrained is not None:
        sentence = f"pretrained must be left out with coordinates={coordinates!r}, got {shown(pretrained)}"
        raise InputError("E_CHOICE", "pretrained", sentence)
    offsets = [np.arange(1 - n, n, dtype=np.float64) for n in sizes]
    if coordinates == "offset":
        return offsets
    return [np.copysign(elementary.log1p(np.abs(d)), d) for d in offsets]


def grid_of(lines):
    """The coordinates of every offset, (.., axes)."""
    return np.stack(np.meshgrid(*lines, indexing="ij"), -1)


def read_layers(axes, weight_in, bias_in, weights, biases, weight_out, bias_out):
    """[(weight, bias)] of all lines of the network, as float64."""
    first, _ = doubles.read("weight_in", weight_in)
    first = first[:, None] if first.ndim == axes == 1 else first
    if first.ndim != 2 or first.shape[1] != axes:
        sentence = f"weight_in must be (hidden, {axes}), a number for each axis of size"
        raise InputError("E_SHAPE", "weight_in", f"{sentence}, got shape {first.shape}")
    hidden = len(first)
    layers = [(first, doubles.read_shaped("bias_in", bias_in, (hidden,), "as many as weight_in has rows"))]
    layers += read_hidden(weights, biases, hidden)
    last, _ = doubles.read("weight_out", weight_out, ("heads", "hidden"))
    if last.shape[1] != hidden:
        sentence = f"weight_out must be (heads, {hidden}), as many as weight_in has rows"
        raise InputError("E_SHAPE", "weight_out", f"{sentence}, got shape {last.shape}")
    return [*layers, (last, doubles.read_shaped("bias_out", bias_out, (len(last),), "as many as weight_out has rows"))]


def read_hidden(weights, biases, hidden):
    """[(weight, bias)] of the lines between the first and the last."""
    if weights is None:
        if biases is not None:
            raise InputError("E_SHAPE", "biases", f"biases must be None where weights is, got {shown(biases)}")
        return []
    stack, _ = doubles.read("weights", weights, ("layers", "hidden", "hidden"))
    if stack.shape[1:] != (hidden, hidden):
        sentence = f"weights must be (layers, {hidden}, {hidden}), as many as weight_in has rows"
        raise InputError("E_SHAPE", "weights", f"{sentence}, got shape {stack.shape}")
    both = doubles.read_shaped("biases", biases, stack.shape[:2], "a row for each of weights")
    return list(zip(stack, [None] * len(stack) if both is None else both))


def read_norms(norm_eps, norm_weights, norm_biases, count, hidden):
    """(eps, weight, bias) of the norm before each activation, or None for each."""
    given = {"norm_weights": norm_weights, "norm_biases": norm_biases}
    if norm_eps is None:
        for name, values in given.items():
            if values is not None:
                raise InputError("E_CHOICE", name, f"{name} must be None where norm_eps is, got {shown(values)}")
        return [None] * count
    eps = doubles.number("norm_eps", checks.positive("norm_eps", norm_eps))
    what = "a row for each activation"
    pairs = [doubles.read_shaped(name, values, (count, hidden), what) for name, values in given.items()]
    return [(eps, *(None if part is None else part[n] for part in pairs)) for n in range(count)]


def network(x, layers, norms, activation, threads=None):
    """Coordinates (.., axes) through a line, then a norm, an activation and a line for each of the others."""
    (weight, bias), *others = layers
    x = ordered_sums.linear(x, weight, bias, threads)
    for norm, (weight, bias) in zip(norms, others):
        if norm is not None:
            eps, size, shift = norm
            x = ordered_sums.layer_norm(x, size, shift, eps=eps, threads=threads)
        x = ordered_sums.linear(ACTIVATIONS[activation](x), weight, bias, threads)
    return x


def squashed(table, factor):
    """factor times the logistic function."""
    with np.errstate(all="ignore"):
        return ordered_sums.canonical(factor * elementary.sigmoid(table))
