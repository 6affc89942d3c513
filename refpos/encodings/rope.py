"""Rotary position encoding applied to queries or keys."""

import numpy as np

from .. import checks, formats, positions as steps
from ..catalogue import register
from ..errors import InputError, InputTypeError
from ..frequencies import Frequencies, inverse_frequencies
from ..rotation import pair_views, rotate

__all__ = ["rope"]

PAIRINGS = ("interleaved", "half")


@register(
    family="rotary",
    paper="Su et al. 2021, RoFormer, arXiv:2104.09864, section 3.4.2",
    conventions="pairing interleaved or half (no default); rotates by +position; first rotary_dim channels",
)
def rope(
    x,
    positions,
    *,
    pairing,
    frequencies=None,
    base=10000.0,
    rotary_dim=None,
    inverse=False,
    seq_axis=-2,
    dtype=None,
    out=None,
    threads=None,
):
    """Rotate each pair of channels by position times frequency.

        y1 = x1 cos(p theta_i) - x2 sin(p theta_i)
        y2 = x2 cos(p theta_i) + x1 sin(p theta_i)      theta_i = base**(-2i / rotary_dim)

    x: (..., seq, ..., dim) of float64, float32, float16 or bfloat16; seq_axis says which axis is the sequence (-2 for
    (batch, heads, seq, dim), -3 for (batch, seq, heads, dim)). positions: an int (0 .. n-1, n = seq), an array
    (seq,), or (batch..., seq) whose leading axes are those of x or 1; whole numbers to 2**53 in size or finite floats.
    pairing: "interleaved" turns channels (2i, 2i+1), "half" turns (i, i + rotary_dim/2). rotary_dim: how many leading
    channels are rotated (default all, or the width of `frequencies`); the others are copied. inverse: turn back by -p.
    frequencies: what `inverse_frequencies` returns, instead of base. dtype: "bfloat16" if x holds bit patterns as
    uint16.

    Returns an array of the shape and dtype of x: the exact value of the formula for the exact x, cosine and sine,
    rounded once. `out` receives it and may be x itself, but not overlap x otherwise. Where x is not finite the
    formula holds in IEEE arithmetic, and every NaN is the positive quiet one. Where x1 and x2 are both zero so is the
    result.

    Raises E_DTYPE, E_SHAPE, E_AXIS, E_ODD_DIM, E_ROTARY_DIM, E_BASE, E_POSITION, E_CHOICE, E_OUT.

    Source: Su et al. 2021, RoFormer, section 3.4.2. Interleaved: EleutherAI/mesh-transformer-jax (GPT-J) and Meta's
    Llama; half: EleutherAI/gpt-neox and transformers, models/llama/modeling_llama.py, apply_rotary_pos_emb.

    >>> x = np.array([[1.0, 0.0, 1.0, 0.0]], dtype=np.float32)
    >>> rope(x, [1], pairing="interleaved", base=10000)
    array([[0.5403023 , 0.84147096, 0.99995   , 0.00999983]], dtype=float32)
    >>> rope(x, [1], pairing="half", base=10000)
    array([[-0.30116868,  0.        ,  1.3817732 ,  0.        ]],
          dtype=float32)
    """
    x, fmt = _channels(x, dtype)
    checks.choice("pairing", pairing, PAIRINGS)
    axis = _sequence_axis(x, seq_axis)
    frequencies = _frequencies(x.shape[-1], frequencies, base, rotary_dim)
    where = steps.read(positions)
    _check_positions(where.shape, x.shape, axis)
    backwards = checks.flag("inverse", inverse)
    source = formats.storage(np.require(x, x.dtype.newbyteorder("="), "A"), fmt)
    result, stored = _target(x, out, fmt)
    stored[..., frequencies.dim :] = source[..., frequencies.dim :]
    leading = len(where.shape) - 1
    for index in np.ndindex(x.shape[:leading]):
        # (seq, others..., dim): one sequence of rows, first and second channels of x and of the result
        arrays = [np.moveaxis(array[index], axis - leading, 0) for array in (source, stored)]
        views = [view for array in arrays for view in pair_views(array, pairing, frequencies.dim)]
        first = _row(index, where.shape)
        rotate(views, where.within(first, first + x.shape[axis]), frequencies, fmt, backwards, threads)
    return result if out is not None else result.astype(x.dtype, copy=False)


def _channels(x, dtype):
    x = np.asarray(x)
    if dtype is not None:
        fmt = formats.resolve(dtype)
        if x.dtype != np.dtype("uint16") or fmt.name != "bfloat16":
            raise InputTypeError(
                "E_DTYPE", "dtype", f"dtype must be 'bfloat16' with x of uint16, got {dtype!r} with {x.dtype}"
            )
        return x, fmt
    if x.dtype.name not in formats.FORMATS:
        known = ", ".join(formats.FORMATS)
        raise InputTypeError("E_DTYPE", "x", f"x must have dtype {known}, got {x.dtype}")
    return x, formats.FORMATS[x.dtype.name]


def _sequence_axis(x, seq_axis):
    if x.ndim < 2:
        raise InputError("E_SHAPE", "x", f"x must have a sequence axis and a channel axis, got shape {x.shape}")
    axis = checks.integer("seq_axis", seq_axis, -x.ndim, x.ndim - 1, code="E_AXIS") % x.ndim
    if axis == x.ndim - 1:
        raise InputError("E_AXIS", "seq_axis", f"seq_axis must not be the channel axis (the last), got {seq_axis}")
    return axis


def _frequencies(dim, frequencies, base, rotary_dim):
    if frequencies is None:
        wanted = dim if rotary_dim is None else rotary_dim
        width = checks.multiple("dim" if rotary_dim is None else "rotary_dim", wanted, 2)
        frequencies = inverse_frequencies(width, base=base)
    elif not isinstance(frequencies, Frequencies):
        name = type(frequencies).__name__
        raise InputTypeError("E_NUMBER", "frequencies", f"frequencies must come from inverse_frequencies, got {name}")
    elif rotary_dim is not None and rotary_dim != frequencies.dim:
        raise InputError(
            "E_ROTARY_DIM",
            "rotary_dim",
            f"rotary_dim must be the width {frequencies.dim} of frequencies, got {rotary_dim}",
        )
    elif base != 10000.0:
        raise InputError("E_BASE", "base", f"base must be left out when frequencies are given, got {base!r}")
    if frequencies.dim > dim:
        raise InputError(
            "E_ROTARY_DIM", "rotary_dim", f"rotary_dim must be at most the width {dim} of x, got {frequencies.dim}"
        )
    return frequencies


def _check_positions(shape, x_shape, axis):
    leading = len(shape) - 1
    if leading < 0 or shape[-1] != x_shape[axis]:
        raise InputError(
            "E_SHAPE", "positions", f"positions must end in the sequence length {x_shape[axis]}, got shape {shape}"
        )
    fits = leading <= axis and all(p in (1, n) for p, n in zip(shape[:-1], x_shape))
    if not fits:
        raise InputError(
            "E_SHAPE",
            "positions",
            f"leading axes of positions must be those of x, {x_shape[:axis]}, or 1, got shape {shape}",
        )


def _target(x, out, fmt):
    """The result and its storage; out may be x itself."""
    if out is None:
        stored = np.empty(x.shape, fmt.storage)
        return stored.view(x.dtype.newbyteorder("=")), stored
    in_place = isinstance(out, np.ndarray) and (
        out.__array_interface__["data"][0] == x.__array_interface__["data"][0]
        and (out.strides, out.shape, out.dtype) == (x.strides, x.shape, x.dtype)
    )
    return checks.output(out, x.shape, fmt, apart_from=() if in_place else (x,))


def _row(index, shape):
    """The flat row at which the positions of one sequence begin."""
    row = 0
    for k, size in zip(index, shape):
        row = row * size + (k if size > 1 else 0)
    return row * shape[-1]
