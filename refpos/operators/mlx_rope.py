"""rope of MLX."""

from __future__ import annotations

import numpy as np

from .. import checks
from ..catalogue import register
from ..errors import InputError
from ..frequencies.given_frequencies import given_frequencies
from ..frequencies.linear import linear
from ..rotary.rope import rope
from ..steps.waves.rotary_arguments import read_channels
from ..types import Array, ArrayLike, DType, Integer, Number

__all__ = ["mlx_rope"]

FREQUENCIES = {"linear": linear, "given_frequencies": given_frequencies}


@register(
    family="operators",
    paper="MLX 0.32.4, mlx.core.fast.rope",
    conventions="traditional rotates channels (2i, 2i + 1); freqs are wavelengths over 2 pi, not frequencies; scale "
    "multiplies positions; offset is the position of the first token",
    also="mx.fast.rope, mlx.core.fast.rope",
)
def mlx_rope(
    x: ArrayLike,
    dims: Integer,
    *,
    traditional: bool,
    base: Number | None,
    scale: Number,
    offset: ArrayLike,
    freqs: ArrayLike | None = None,
    dtype: DType | None = None,
    out: Array | None = None,
    threads: Integer | None = None,
) -> Array:
    """Rotary position embedding of MLX (mx.fast.rope): `rope` with an offset and wavelengths.

        y1 = x1 cos(p theta_i) - x2 sin(p theta_i),  y2 = x2 cos(p theta_i) + x1 sin(p theta_i)
        p = scale (offset + t),   theta_i = base**(-2i / dims), or 1 / freqs[i]

    Parameters
    ----------
    x : array_like
        Queries or keys, (batch, ..., seq, dim).
    dims : int
        How many leading channels are rotated, an even number; the others are copied.
    traditional : bool
        True rotates channels (2i, 2i + 1), False (i, i + dims / 2).
    base : float, Fraction or None
        Base of the frequencies, greater than 0, None where freqs are given.
    scale : float or Fraction
        What positions are multiplied by, greater than 0.
    offset : int or array_like
        Integers: the position of the first token, or one for each sequence, (batch,).
    freqs : array_like, optional
        Numbers greater than 0 that positions are divided by, (dims / 2,).
    dtype : str or dtype, optional
        "bfloat16" if x holds bit patterns as uint16.
    out : ndarray, optional
        Array that receives the result; it may be x itself, but not overlap x otherwise.
    threads : int, optional
        Number of threads; the default is all cores. The values never depend on it.

    Returns
    -------
    ndarray
        An array of the shape and dtype of x: the exact value of the formula for the exact x, cosine and sine, rounded
        once.

    Raises
    ------
    InputError
        E_DTYPE, E_SHAPE (x, offset, freqs), E_ODD_DIM (dims), E_SIZE (dims), E_ROTARY_DIM, E_CHOICE (traditional),
        E_MISSING (base), E_BASE, E_NUMBER (scale, freqs), E_POSITION, E_OUT.

    Notes
    -----
    MLX takes a scale of 0 or below too. Infinite and NaN channels are as in `rope`.

    References
    ----------
    MLX 0.32.4, mlx/fast.cpp, rope; python/src/fast.cpp.

    Examples
    --------
    >>> import numpy as np
    >>> x = np.array([[[1.0, 0.0, 1.0, 0.0]]], dtype=np.float32)
    >>> mlx_rope(x, 4, traditional=True, base=10000.0, scale=1.0, offset=1)
    array([[[0.5403023 , 0.84147096, 0.99995   , 0.00999983]]], dtype=float32)
    """
    array, _ = read_channels(x, dtype)
    call = mlx_call(array.shape, dims, traditional, base, scale, offset, freqs)
    made = call["frequencies"]
    frequencies = FREQUENCIES[made["function"]](**made["arguments"])
    return rope(x, **{**call, "frequencies": frequencies}, dtype=dtype, out=out, threads=threads)


def mlx_call(shape, dims, traditional, base, scale, offset, freqs):
    """The arguments of `rope` for an x of this shape but x itself; frequencies are the call that makes them."""
    if len(shape) < 3:
        raise InputError("E_SHAPE", "x", f"x must be (batch, ..., seq, dim), got shape {shape}")
    width = checks.even_width("dims", dims)
    if width > shape[-1]:
        raise InputError("E_ROTARY_DIM", "dims", f"dims must be at most the {shape[-1]} channels of x, got {width}")
    interleaved, factor = checks.flag("traditional", traditional), checks.positive("scale", scale)
    if (base is None) == (freqs is None):
        got = "neither" if base is None else "both"
        raise InputError("E_MISSING", "base", f"base must be given, or freqs and base=None, got {got}")
    if freqs is None:
        checks.positive("base", base, "E_BASE")
        made = {"function": "linear", "arguments": {"dim": width, "base": base, "factor": 1 / factor}}
    else:
        numbers = [checks.positive("freqs", one) for one in checks.numbers("freqs", freqs, width // 2)]
        made = {"function": "given_frequencies", "arguments": {"inv_freq": [factor / one for one in numbers]}}
    pairing = "interleaved" if interleaved else "half"
    return {"positions": token_positions(shape, offset), "pairing": pairing, "frequencies": made}


def token_positions(shape, offset):
    """The position of each token, (batch or 1, 1, ..., seq) as `rope` takes them."""
    first = checks.integers("offset", offset)
    if first.shape not in ((), (1,), shape[:1]):
        sentence = f"offset must be one number or {shape[:1]}, (batch,)"
        raise InputError("E_SHAPE", "offset", f"{sentence}, got shape {first.shape}")
    first = [checks.integer("offset", one, -(2**53), 2**53, "E_POSITION") for one in first.reshape(-1)]
    steps = np.arange(shape[-2], dtype=np.int64)
    return (np.array(first, np.int64)[:, None] + steps).reshape(len(first), *[1] * (len(shape) - 3), shape[-2])
