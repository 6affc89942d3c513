"""The rotary call: its channels, sequence axis, frequencies and token positions, checked, and where the result goes."""

import itertools
import math
from typing import NamedTuple

import numpy as np

from ... import checks, foreign
from ...arithmetic import formats
from ...errors import InputError, InputTypeError, shown
from ..angles import axis_runs
from ..angles.frequencies import checked, rotary_inv_freq
from ..positions.exact_positions import Positions, read_positions
from . import grids
from .grids import Grid

# -- channels and frequencies -----------------------------------------------------------------------------------------


def read_channels(x, dtype, name="x"):
    """x, or an argument of another name, as an array, and its format."""
    x, kind = foreign.tagged_if_known(*foreign.read(name, x))
    if kind == "bfloat16" and dtype is None:
        return x, formats.FORMATS[kind]
    if dtype is formats.MARKED and x.dtype == np.float64:
        return x, dtype
    if dtype is not None:
        fmt = formats.resolve(dtype)
        if kind is not None or x.dtype != np.dtype("uint16") or fmt.name != "bfloat16":
            received = f"{shown(dtype)} with {kind or x.dtype}"
            raise InputTypeError("E_DTYPE", "dtype", f"dtype must be 'bfloat16' with {name} of uint16, got {received}")
        return x, fmt
    fmt = formats.of_array(x) if kind is None else None
    if fmt is None:
        known, patterns = ", ".join(formats.FORMATS), kind is None and x.dtype == np.uint16
        known += ' (or be the bit patterns that dtype="bfloat16" reads)' if patterns else ""
        raise InputTypeError("E_DTYPE", name, f"{name} must have dtype {known}, got {kind or x.dtype}")
    return x, fmt


def sequence_axis(x, seq_axis):
    """The axis of the sequence, counted from the front."""
    if x.ndim < 2:
        raise InputError("E_SHAPE", "x", f"x must have a sequence axis and a channel axis, got shape {x.shape}")
    axis = checks.integer("seq_axis", seq_axis, -x.ndim, x.ndim - 1, code="E_AXIS") % x.ndim
    if axis == x.ndim - 1:
        raise InputError("E_AXIS", "seq_axis", f"seq_axis must not be the channel axis (the last), got {seq_axis}")
    return axis


def choose_frequencies(dim, frequencies, base, rotary_dim):
    """The frequencies of the call: the argument itself, or those of a base and a rotary width."""
    if frequencies is None:
        name, width = ("dim", dim) if rotary_dim is None else ("rotary_dim", rotary_dim)
        frequencies = rotary_inv_freq(checks.multiple(name, width, 2), base)
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


# -- positions --------------------------------------------------------------------------------------------------------


class TokenPositions(NamedTuple):
    """The shape of the tokens, and their `Positions` along each axis; grid: the `Grid` that they form, or None."""

    shape: tuple
    axes: tuple
    grid: Grid | None = None

    def along_sequence(self):
        """The cells of a grid as one sequence; other positions as they are."""
        if self.grid is None:
            return self
        axes = tuple(grids.cells(self.grid, k) for k in range(len(self.axes)))
        return TokenPositions(axes[0].shape, axes)

    def check(self, x_shape, axis):
        """Refuse positions whose axes are not those of x, with the sequence on `axis`."""
        shape, leading = self.shape, len(self.shape) - 1
        if not leading and shape[0] == x_shape[axis]:
            return
        if leading < 0 or shape[-1] != x_shape[axis]:
            told = f"{x_shape[axis]} (axis {axis - len(x_shape)} of x, of shape {tuple(x_shape)})"
            sentence = f"positions must end in the sequence length {told}, got shape {shape}"
            raise InputError("E_SHAPE", "positions", sentence)
        fits = leading <= axis and all(p in (1, n) for p, n in zip(shape[:-1], x_shape))
        if not fits:
            raise InputError(
                "E_SHAPE",
                "positions",
                f"leading axes of positions must be those of x, {x_shape[:axis]}, or 1, got shape {shape}",
            )

    def sequences(self, source, stored, axis):
        """Parts of the arrays as (rows, others..., dim), each with the `Positions` of its rows along each axis.

        An axis along which the positions do not change is one of the others.
        """
        rows = [k for k, size in enumerate(self.shape[:-1]) if size > 1] + [axis]
        others = [k for k in range(source.ndim - 1) if k not in rows]
        order = (*rows, *others, source.ndim - 1)
        source, stored = source.transpose(order), stored.transpose(order)
        last = len(rows)
        if _mergeable(source, stored, 0, last) and _mergeable(source, stored, last, source.ndim - 1):
            shape = (math.prod(self.shape), -1, source.shape[-1])
            return [(source.reshape(shape), stored.reshape(shape), self.axes)]
        n = self.shape[-1]
        return (
            (source[index], stored[index], [along.part(k * n, (k + 1) * n) for along in self.axes])
            for k, index in enumerate(np.ndindex(source.shape[: last - 1]))
        )


def _mergeable(source, stored, start, stop):
    """Whether the elements along axes start .. stop are evenly spaced in both arrays, as those of one axis are."""
    shape = source.shape
    if stop - start < 2:
        return True
    longer = [k for k in range(start, stop) if shape[k] > 1]
    neighbours = itertools.pairwise(longer)
    return len(longer) < 2 or all(
        array.strides[j] == shape[k] * array.strides[k] for j, k in neighbours for array in (source, stored)
    )


def read_token_positions(positions, frequencies):
    """The argument `positions`: one array where frequencies have no axes, else one for each axis, or a grid."""
    if isinstance(positions, Grid):
        _check_count(len(positions.axes), frequencies)
        return TokenPositions(positions.shape, positions.axes, positions)
    if frequencies.axes is None:
        positions = read_positions(positions)
        return TokenPositions(positions.shape, (positions,))
    parts = _one_for_each_axis(positions)
    _check_count(len(parts), frequencies)
    axes = tuple(map(read_positions, parts))
    if len({axis.shape for axis in axes}) != 1:
        shapes = ", ".join(str(axis.shape) for axis in axes)
        raise InputError("E_SHAPE", "positions", f"positions must have the same shape on each axis, got {shapes}")
    return TokenPositions(axes[0].shape, axes)


def check_first(positions, frequencies, x_shape, axis):
    """Refuse an array of positions by its shape, as `TokenPositions.check` does, before its numbers are read."""
    if isinstance(positions, np.ndarray) and positions.ndim > (frequencies.axes is not None):
        shape = positions.shape if frequencies.axes is None else positions.shape[1:]
        TokenPositions(shape, ()).check(x_shape, axis)


def read_axes(positions, count, size=None):
    """The `Positions` of `size` tokens along each of `count` axes; of as many tokens as there are without a size."""
    if isinstance(positions, Grid):
        axes = TokenPositions(positions.shape, positions.axes, positions).along_sequence().axes
    else:
        axes = tuple(map(read_positions, _one_for_each_axis(positions)))
    wanted = axes[0].shape[-1:] if size is None and axes else (size,)
    if len(axes) != count or any(axis.shape != wanted for axis in axes):
        shapes = ", ".join(str(axis.shape) for axis in axes)
        told = "tokens" if size is None else size
        raise InputError("E_SHAPE", "positions", f"positions must be ({told},) on each of {count} axes, got {shapes}")
    return axes


def _one_for_each_axis(positions):
    """The positions as a list or array of those along each axis; what is neither belongs to a single axis."""
    positions = checks.of_numpy("positions", positions)
    if isinstance(positions, np.ndarray):
        positions = checks.array("positions", positions)
        checks.room("positions", positions)
        return positions if positions.ndim else [positions]
    is_sequence = isinstance(positions, (list, tuple)) and not isinstance(positions, Positions)
    return positions if is_sequence else [positions]


def _check_count(count, frequencies):
    needed = axis_runs.axis_count(frequencies)
    if count < needed:
        raise InputError("E_SHAPE", "positions", f"positions must have {needed} axes first, got {count}")


# -- result -----------------------------------------------------------------------------------------------------------


def result_like(x, out, fmt):
    """The array to return and its storage; out may be x itself."""
    if out is None:
        result = checks.empty("out", x.shape, x.dtype if x.dtype.isnative else x.dtype.newbyteorder("="))
        return result, formats.storage(result, fmt)
    in_place = out is x or (
        isinstance(out, np.ndarray)
        and np.shares_memory(out, x)
        and out.ctypes.data == x.ctypes.data
        and (out.strides, out.shape, out.dtype) == (x.strides, x.shape, x.dtype)
    )
    return checks.output(out, x.shape, fmt, apart_from=() if in_place else (x,))
