"""What a rotation is given: channels, their sequence axis, frequencies, positions, and where the result goes."""

import math

import numpy as np

from .. import checks
from ..arithmetic import formats
from ..errors import InputError, InputTypeError, shown
from . import positions, token_positions
from .frequencies import checked, rotary_ladder
from .grids import Grid


def channels_of(x, dtype, name="x"):
    """x, or an argument of another name, as an array, and its format."""
    x = checks.array(name, x)
    if dtype is not None:
        fmt = formats.resolve(dtype)
        if x.dtype != np.dtype("uint16") or fmt.name != "bfloat16":
            received = f"{shown(dtype)} with {x.dtype}"
            raise InputTypeError("E_DTYPE", "dtype", f"dtype must be 'bfloat16' with {name} of uint16, got {received}")
        return x, fmt
    fmt = formats.of_array(x)
    if fmt is None:
        known = ", ".join(formats.FORMATS)
        raise InputTypeError("E_DTYPE", name, f"{name} must have dtype {known}, got {x.dtype}")
    return x, fmt


def sequence_axis(x, seq_axis):
    """The axis of the sequence, counted from the front."""
    if x.ndim < 2:
        raise InputError("E_SHAPE", "x", f"x must have a sequence axis and a channel axis, got shape {x.shape}")
    axis = checks.integer("seq_axis", seq_axis, -x.ndim, x.ndim - 1, code="E_AXIS") % x.ndim
    if axis == x.ndim - 1:
        raise InputError("E_AXIS", "seq_axis", f"seq_axis must not be the channel axis (the last), got {seq_axis}")
    return axis


def frequencies_of(dim, frequencies, base, rotary_dim):
    """The frequencies that are given, or those of a base and a rotary width."""
    if frequencies is None:
        wanted = dim if rotary_dim is None else rotary_dim
        width = checks.multiple("dim" if rotary_dim is None else "rotary_dim", wanted, 2)
        frequencies = rotary_ladder(width, base)
    elif rotary_dim is not None and checks.integer("rotary_dim", rotary_dim) != checked(frequencies).dim:
        raise InputError(
            "E_ROTARY_DIM",
            "rotary_dim",
            f"rotary_dim must be the width {frequencies.dim} of frequencies, got {rotary_dim}",
        )
    elif checks.real("base", base, "E_BASE") != 10000:
        raise InputError("E_BASE", "base", f"base must be left out when frequencies are given, got {shown(base)}")
    if checked(frequencies).dim > dim:
        raise InputError(
            "E_ROTARY_DIM", "rotary_dim", f"rotary_dim must be at most the width {dim} of x, got {frequencies.dim}"
        )
    return frequencies


def check_positions(shape, x_shape, axis):
    """Refuse positions whose axes are not those of x."""
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


def axes_of(given, count, size):
    """The `positions.Positions` of `size` tokens along each of `count` axes."""
    if isinstance(given, Grid):
        axes = token_positions.along_sequence(token_positions.Places(given.shape, given.axes, given)).axes
    else:
        axes = tuple(map(positions.read, token_positions.lines(given)))
    if len(axes) != count or any(axis.shape != (size,) for axis in axes):
        shapes = ", ".join(str(axis.shape) for axis in axes)
        raise InputError("E_SHAPE", "positions", f"positions must be ({size},) on each of {count} axes, got {shapes}")
    return axes


def target_of(x, out, fmt):
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


def sequences(source, stored, where, axis):
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
