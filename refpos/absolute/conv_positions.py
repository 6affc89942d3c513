"""Positions from a convolution over the tokens: zeros outside tell where the ends are."""

from __future__ import annotations

from typing import Literal, get_args

import numpy as np

from .. import checks
from ..arithmetic import formats
from ..catalogue import register
from ..errors import InputError, shown
from ..steps.rows import doubles
from ..steps.scores import convolution, ordered_sums
from ..steps.scores.activations import ACTIVATIONS
from ..types import Array, ArrayLike, DType, Integer, Number
from .mlp_positions import ACTIVATION_NAMES, Activation

__all__ = ["conv_positions"]

Padding = Literal["same", "causal"]
PADDINGS = get_args(Padding)


@register(
    family="absolute",
    paper="Baevski et al. 2020, wav2vec 2.0, arXiv:2006.11477, section 2; Chu et al. 2021, Conditional Positional "
    "Encodings for Vision Transformers, arXiv:2102.10882, section 4",
    conventions="groups, padding and activation (no default); the last frame of an even kernel is dropped",
    contract="written",
    also="convolutional position embedding, conditional position encoding, CPE, CPVT, PEG, wav2vec2, positional "
    "convolution",
)
def conv_positions(
    x: ArrayLike,
    weight: ArrayLike,
    bias: ArrayLike | None = None,
    *,
    groups: Integer,
    padding: Padding,
    activation: Activation,
    magnitude: ArrayLike | None = None,
    norm_eps: Number | None = None,
    residual: bool = False,
    dtype: DType | None = None,
    out: Array | None = None,
    threads: Integer | None = None,
) -> Array:
    """Convolutional position embedding: a convolution over neighbouring tokens (wav2vec 2.0, CPVT, Twins, CoaT).

        E = activation(norm(sum over input channel c, then kernel t, of weight[o, c, t] x[p + t - before, c] + bias[o]))

    Parameters
    ----------
    x : array_like
        Shape (..., length, channels) in one dimension, (..., height, width, channels) in two; class tokens are left
        out.
    weight : array_like
        Shape (out, channels / groups, kernel) for one dimension, (out, channels / groups, rows, columns) for two.
    bias : array_like, optional
        The bias of each output channel, (out,).
    groups : int
        Number of groups of the convolution, the number of channels for a depthwise convolution.
    padding : {'same', 'causal'}
        Zeros around the input: "same" puts kernel // 2 before and (kernel - 1) // 2 after, so that the size stays;
        "causal" puts all of them before.
    activation : {'relu', 'gelu', 'gelu_tanh', 'silu', 'sigmoid', 'softplus', 'tanh', 'identity'}
        The activation, as in `mlp_positions`.
    magnitude : array_like, optional
        Shape (kernel,) of a weight norm (dim 2): each kernel element of weight is first multiplied by magnitude / its
        norm over both kinds of channels.
    norm_eps : float or Fraction, optional
        Epsilon of a layer norm over the channels before the activation, without weights, as data2vec has.
    residual : bool, default False
        Whether x is added at the end, as Twins and CoaT do; wav2vec 2.0 adds it outside.
    dtype : str or dtype, optional
        Format of the result, by default that of x: float64, float32, float16 or bfloat16.
    out : ndarray, optional
        Array that receives the result.
    threads : int, optional
        Number of threads; the default is all cores. The values never depend on it.

    Returns
    -------
    ndarray
        An array of the shape of x with `out` channels, in `dtype` or that of x, of class `sequence64`: each operation
        is rounded to float64; sums start at 0 and go through the input channels, and in each through the kernel,
        ascending; zeros outside are multiplied too; the result is rounded once. uint16 is read as bit patterns of
        bfloat16.

    Raises
    ------
    InputError
        E_SHAPE, E_DTYPE, E_SIZE (groups), E_CHOICE, E_NUMBER (norm_eps), E_OUT, E_TOO_LARGE.

    References
    ----------
    - transformers 5.23.0, models/wav2vec2/modeling_wav2vec2.py, Wav2Vec2PositionalConvEmbedding (also hubert and
      wavlm), models/data2vec/modeling_data2vec_audio.py.
    - timm 1.0.31, models/twins.py, PosConv, models/coat.py, ConvPosEnc.

    Examples
    --------
    >>> import numpy as np
    >>> conv_positions(np.ones((4, 1)), np.ones((1, 1, 3)), groups=1, padding="same", activation="identity")[:, 0]
    array([2., 3., 3., 2.])
    """
    checks.thread_count(threads)
    activation = checks.choice("activation", activation, ACTIVATION_NAMES)
    padding, residual = checks.choice("padding", padding, PADDINGS), checks.flag("residual", residual)
    values, kind = doubles.read("x", x)
    groups = checks.integer("groups", groups, 1)
    arrays = read_weights(values, weight, bias, magnitude, groups)
    eps = read_eps(norm_eps)
    fmt = kind if dtype is None else formats.resolve(dtype)
    made = arrays[0].shape[0]
    if residual and made != values.shape[-1]:
        sentence = f"weight must have {values.shape[-1]} rows where x is added, got {made}"
        raise InputError("E_SHAPE", "weight", sentence)
    apart_from = doubles.arrays(x, weight, bias, magnitude)
    result, stored = checks.output(out, (*values.shape[:-1], made), fmt, apart_from=apart_from)
    if stored.size:
        y = sequence(values, *arrays, groups, padding, activation, eps, threads)
        if residual:
            with np.errstate(all="ignore"):
                y = ordered_sums.canonical(y + values)
        doubles.store(stored, y, fmt)
    return result


def sequence(x, weight, bias, magnitude, groups, padding, activation, eps, threads=None):
    """The convolution of float64 arrays, what follows it, and no residual."""
    if magnitude is not None:
        weight = convolution.weight_norm(weight, magnitude.reshape(1, 1, -1), 2, threads)
    around = [zeros_around(size, padding) for size in weight.shape[2:]]
    y = convolution.convolution(x, weight, bias, groups=groups, padding=around, threads=threads)
    if eps is not None:
        y = ordered_sums.layer_norm(y, eps=eps, threads=threads)
    return ACTIVATIONS[activation](y)


def zeros_around(size, padding):
    """The number of zeros before and after an axis, for a kernel of that size."""
    return (size // 2, (size - 1) // 2) if padding == "same" else (size - 1, 0)


def read_weights(x, weight, bias, magnitude, groups):
    """(weight, bias, magnitude) as float64, which fit x (..., channels) and the groups."""
    kernel, _ = doubles.read("weight", weight)
    if kernel.ndim not in (3, 4) or 0 in kernel.shape[2:] or x.ndim < kernel.ndim - 1:
        sentence = f"weight must be (out, in, kernel) or (out, in, rows, columns), x as it needs, got {kernel.shape}"
        raise InputError("E_SHAPE", "weight", f"{sentence} for x {x.shape}")
    made, taken = kernel.shape[:2]
    if x.shape[-1] != taken * groups or made % groups:
        sentence = f"weight must take {x.shape[-1]} / groups channels and make a multiple of groups, got {kernel.shape}"
        raise InputError("E_SHAPE", "weight", f"{sentence} with groups {shown(groups)}")
    if magnitude is not None and kernel.ndim != 3:
        raise InputError(
            "E_SHAPE", "magnitude", f"magnitude must be left out with two axes, got weight of shape {kernel.shape}"
        )
    sizes = doubles.read_shaped("magnitude", magnitude, (kernel.shape[2],), "a number for each kernel element")
    return kernel, doubles.read_shaped("bias", bias, (made,), "a number for each row of weight"), sizes


def read_eps(norm_eps):
    """The argument `norm_eps` as float64, or None."""
    return None if norm_eps is None else doubles.number("norm_eps", checks.positive("norm_eps", norm_eps))
