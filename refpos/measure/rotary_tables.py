"""Reading a rotary table: where its cosines and sines stand, its frequencies and positions, and its call."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from .. import foreign
from ..conversion import convert_table
from ..errors import InputError
from ..tensor_files import Tensor
from .grouped import groups_of, measured_only
from .held_format import held, narrowed
from .one_value import of_one_value
from .pairs import square
from .reading_result import Reading
from .solving import unit_of
from .subjects import Table
from .whole import reading_of, rest_of, with_call
from .wording import frequencies_call, number, positions_argument, runs

COMPLEX = ("complex64", "complex128")
#: of one array (.., n, 2) whose last axis is (cos, sin), as torch.view_as_real gives it of complex numbers
STACKED = "pairs (cos, sin)"
NAMES = ("cos", "sin")
DEEPEST = 2  # readings of parts within parts
APART = 0.1  # of its median over the rows, by which half of the sums of squares are off that are no table's
ONE_ARRAY = ("cos-sin-tiled", "cos-sin-repeated", "cos-sin", "sin-cos-tiled", "sin-cos-repeated", "sin-cos")
TWO_ARRAYS = ("tiled", "repeated", "compact")


def read_table(y):
    """The `Reading` of a rotary table: (cos, sin), or one array in any layout that `conversion.convert_table` knows."""
    arrays, _ = _arrays(y)
    constant = of_one_value([held(one, "y") for one in arrays]) if arrays[0].dtype.kind != "c" else None
    if constant is not None:
        return constant
    best = None
    for layout, cosines, sines, notes in _compact(y):
        found = _read_rows(layout, *_of_rows(cosines, sines), notes)
        if found.call is not None:
            return found
        best = best or found
    return best


def _read_rows(layout, subject, leading, notes, depth=0):
    """The `Reading` of cosines and sines; depth: of parts within parts."""
    groups, unsolved, angles = groups_of(subject, unit_of(subject.cosines.dtype))
    found = _reading(layout, subject, leading, groups, unsolved, angles, notes)
    if found.call is None and not np.isfinite(found.positions).any():
        return _no_table(subject, found)
    # rows of other numbers, such as those of another base, are read by themselves
    if found.call is None or leading or depth >= DEEPEST:
        return found
    within = groups[0].solutions[0].verdict.within
    off = np.flatnonzero(~within)
    if not 1 < len(off) < len(within):
        return found
    rest = Table(*(Tensor(part.dtype, part.values[:, off]) for part in subject))
    part = _read_rows(layout, rest, (), notes, depth + 1)
    return found if part.call is None else replace(found, parts=((f"rows {runs(off)}", part),))


def _no_table(subject, reading):
    """A reading without frequencies and positions, or that these are no cosines and sines of any angles."""
    sizes = np.concatenate([square(subject.complex_rows(k, slice(None))[0]) for k in range(subject.shape[0])])
    middle = np.median(sizes, axis=0)
    apart = np.abs(sizes / np.where(middle > 0, middle, 1) - 1)
    if np.median(apart) <= APART:
        return reading
    low, high = (number(f"{one:.4g}") for one in (sizes.min(), sizes.max()))
    summary = f"no rotary table: cos^2 + sin^2 of one pair differs from row to row, {low} to {high}"
    return Reading("unknown", summary, reading.format, notes=reading.notes)


def _compact(y):
    """(layout, cosines, sines, notes) of every layout that the arrays may have; each column
    stands there once."""
    arrays, layouts = _arrays(y)
    fits = []
    for layout in layouts:
        try:
            pair = _unpacked(arrays if len(arrays) > 1 else arrays[0], layout)
        except InputError:
            continue
        fits.append((layout, *(held(part, "y") for part in pair)))
    if not fits:
        shapes = " and ".join(str(one.shape) for one in arrays)
        sentence = f"y must be a table in a layout of conversion.convert_table, got the shape {shapes}"
        raise InputError("E_SHAPE", "y", sentence)
    for layout, *pair in fits:
        yield layout, *_of_one_format(pair)


def _unpacked(arrays, layout):
    if layout == STACKED:
        return arrays[..., 0].copy(), arrays[..., 1].copy()
    return convert_table(arrays, layout, "compact")


def _arrays(y):
    """(arrays as `convert_table` takes them, layouts that they may have)."""
    if isinstance(y, Mapping):
        missing = [name for name in NAMES if name not in y]
        if missing:
            raise InputError("E_MISSING", "y", f"y must hold cos and sin, got none named {missing[0]}")
        y = tuple(y[name] for name in NAMES)
    if isinstance(y, (tuple, list)) and not isinstance(y, Tensor) and len(y) == 2:
        parts = [held(one, name).tensor.values for one, name in zip(y, NAMES)]
        if parts[0].shape != parts[1].shape or not parts[0].ndim or parts[0].dtype != parts[1].dtype:
            told = " and ".join(f"{one.shape} {one.dtype}" for one in parts)
            raise InputError("E_SHAPE", "y", f"cos and sin must have one shape (.., n) and dtype, got {told}")
        return tuple(parts), TWO_ARRAYS
    kind = str(getattr(y, "dtype", "")).rpartition(".")[2]
    if kind in COMPLEX:
        return (foreign.read("y", y)[0],), ("complex",)
    array = held(y, "y").tensor.values
    if array.ndim < 1 or array.size == 0:
        raise InputError("E_SHAPE", "y", f"y must have an axis of channels, got shape {array.shape}")
    matrices = ("matrix",) if array.shape[-2:] == (2, 2) and array.ndim > 2 else ()
    return (array,), matrices + ((STACKED,) if array.shape[-1] == 2 and array.ndim > 2 else ()) + ONE_ARRAY


def _of_one_format(pair):
    """(cosines, sines, notes): both in the narrowest format that holds all of them."""
    narrow = [narrowed(one, "y") for one in pair]
    kept = narrow if narrow[0].format == narrow[1].format else pair
    return *(one.tensor for one in kept), tuple(dict.fromkeys(one.note for one in kept if one.note))


def _of_rows(cosines, sines):
    """(`Table`, leading axes that are longer than 1 but for the last one, which counts rows)."""
    *leading, pairs = cosines.values.shape
    longer = [size for size in leading if size > 1] or [1]
    shape = math.prod(longer[:-1]), longer[-1], pairs
    return Table(*(Tensor(part.dtype, part.values.reshape(shape)) for part in (cosines, sines))), tuple(longer[:-1])


def _reading(layout, subject, leading, groups, unsolved, angles, notes):
    pairs = subject.shape[-1]
    what = f"rotary table of {pairs} pairs, layout {layout!r}"
    told = (tuple((k, k) for k in range(pairs)),) * 2
    fmt = subject.cosines.dtype
    if not groups:
        return reading_of("rotary table", what, fmt, told, angles, notes, *measured_only(angles))
    group = groups[0]
    frequencies, positions, backwards, rule = rest_of(subject, group)
    positions = 0.0 - positions if backwards else positions
    off = sorted([*unsolved, *(region for one in groups[1:] for region in one.solutions)])
    if off:
        notes = (*notes, *(f"other numbers in {subject.place(region)}" for region in off))
    found = reading_of("rotary table", what, fmt, told, angles, notes, frequencies, positions, False, rule)
    given = "found.positions" if leading else positions_argument(positions)
    call = f"refpos.rope_table({given}, {frequencies_call(group.rule.recipe)}, dtype={fmt!r})"
    if layout == STACKED:
        call = f"np.stack({call}, -1)"
    elif layout != "compact":
        call = f"refpos.conversion.convert_table({call}, 'compact', {layout!r})"
    return with_call(subject, replace(found, positions=positions.reshape(*leading, -1)), group, call)
