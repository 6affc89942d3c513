"""Rotary position encoding applied to queries or keys."""

import math

import numpy as np

from .. import angles, checks, formats
from ..catalogue import register
from ..errors import InputError, InputTypeError
from ..frequencies import inverse_frequencies
from ..rotation import rotate

__all__ = ["rope"]

PAIRINGS = ("interleaved", "half", "block-half")


@register(
    family="rotary",
    paper="Su et al. 2021, RoFormer, arXiv:2104.09864, section 3.4.2",
    conventions="pairing interleaved, half or block-half (no default); by +position; first rotary_dim channels",
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

        y1 = a (x1 cos(p theta_i) - x2 sin(p theta_i))
        y2 = a (x2 cos(p theta_i) + x1 sin(p theta_i))      theta_i = base**(-2i / rotary_dim),  a = 1

    x: (..., seq, ..., dim) of float64, float32, float16 or bfloat16; seq_axis says which axis is the sequence (-2 for
    (batch, heads, seq, dim), -3 for (batch, seq, heads, dim)). positions: an int (0 .. n-1, n = seq), an array
    (seq,), or (batch..., seq) whose leading axes are those of x or 1; whole numbers to 2**53 in size or finite floats.
    pairing: "interleaved" turns channels (2i, 2i+1), "half" turns (i, i + rotary_dim/2), "block-half" turns the halves
    of the block of each axis. rotary_dim: how many leading channels are rotated (default all, or the width of
    `frequencies`); the others are copied. inverse: turn back by -p. frequencies: what `inverse_frequencies`, a scaling
    or `axial_frequencies` returns, instead of base, with its attention_factor a; where it has several axes, positions
    are (axes, ..., seq) or a `grid` of seq cells. dtype: "bfloat16" if x holds bit patterns as uint16.

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
    where = angles.along_sequence(angles.read(positions, frequencies))
    _check_positions(where.shape, x.shape, axis)
    backwards = checks.flag("inverse", inverse)
    result, stored = _target(x, out, fmt)
    if not x.size:
        return result
    for source, target, axes in _sequences(formats.storage(x, fmt), stored, where, axis):
        rotate(source, target, axes, pairing, frequencies, fmt, backwards, threads)
    return result


def _channels(x, dtype):
    x = np.asarray(x)
    if dtype is not None:
        fmt = formats.resolve(dtype)
        if x.dtype != np.dtype("uint16") or fmt.name != "bfloat16":
            raise InputTypeError(
                "E_DTYPE", "dtype", f"dtype must be 'bfloat16' with x of uint16, got {dtype!r} with {x.dtype}"
            )
        return x, fmt
    fmt = formats.of_array(x)
    if fmt is None:
        known = ", ".join(formats.FORMATS)
        raise InputTypeError("E_DTYPE", "x", f"x must have dtype {known}, got {x.dtype}")
    return x, fmt


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
    elif rotary_dim is not None and rotary_dim != angles.check(frequencies).dim:
        raise InputError(
            "E_ROTARY_DIM",
            "rotary_dim",
            f"rotary_dim must be the width {frequencies.dim} of frequencies, got {rotary_dim}",
        )
    elif base != 10000.0:
        raise InputError("E_BASE", "base", f"base must be left out when frequencies are given, got {base!r}")
    if angles.check(frequencies).dim > dim:
        raise InputError(
            "E_ROTARY_DIM", "rotary_dim", f"rotary_dim must be at most the width {dim} of x, got {frequencies.dim}"
        )
    return frequencies


def _check_positions(shape, x_shape, axis):
    leading = len(shape) - 1
    if not leading and shape[0] == x_shape[axis]:
        return
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
        result = np.empty(x.shape, x.dtype if x.dtype.isnative else x.dtype.newbyteorder("="))
        return result, formats.storage(result, fmt)
    in_place = out is x or (
        isinstance(out, np.ndarray)
        and np.shares_memory(out, x)
        and out.ctypes.data == x.ctypes.data
        and (out.strides, out.shape, out.dtype) == (x.strides, x.shape, x.dtype)
    )
    return checks.output(out, x.shape, fmt, apart_from=() if in_place else (x,))


def _sequences(source, stored, where, axis):
    """Parts of the arrays as (rows, others..., dim), each with the positions of its rows along each axis.

    An axis along which the positions do not change is one of the others.
    """
    rows = [k for k, size in enumerate(where.shape[:-1]) if size > 1] + [axis]
    others = [k for k in range(source.ndim - 1) if k not in rows]
    order = (*rows, *others, source.ndim - 1)
    source, stored = source.transpose(order), stored.transpose(order)
    last = len(rows)
    if _mergeable(source, stored, 0, last) and _mergeable(source, stored, last, source.ndim - 1):
        shape = (math.prod(where.shape), -1, source.shape[-1])
        return [(source.reshape(shape), stored.reshape(shape), where.axes)]
    n = where.shape[-1]
    indices = enumerate(np.ndindex(source.shape[: last - 1]))
    return (
        (source[index], stored[index], [axis.part(k * n, (k + 1) * n) for axis in where.axes]) for k, index in indices
    )


def _mergeable(source, stored, start, stop):
    """Whether the elements along axes start .. stop are evenly spaced in both arrays, as those of one axis are."""
    shape = source.shape
    if stop - start < 2:
        return True
    long = [k for k in range(start, stop) if shape[k] > 1]
    return len(long) < 2 or all(
        array.strides[j] == shape[k] * array.strides[k] for array in (source, stored) for j, k in zip(long, long[1:])
    )
