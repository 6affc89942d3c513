"""Reading position ids: runs, repeats, padding and grids, of one sequence, a batch or several axes."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np

from ..arithmetic import formats
from ..errors import InputError, InputTypeError
from ..public import dotted
from ..tensor_files import Tensor, answer
from .alike import in_parts
from .held_format import numbers
from .position_runs import padded_run, padding, periodic, run_of
from .reading_result import Reading

POSITIONS = ("packed_positions", "table_rows", "attention_mask_positions", "grid_positions")
KIND = "position ids"
MOST_AXES = 4
MOST_PADDED = 64  # rows of a batch whose lengths a call lists


def read_positions(y, name):
    """The `Reading` of integers (.., n), (axes, n) or (n, axes)."""
    tensor = answer(y, "y")
    values = _integers(tensor)
    if not values.size:
        raise InputError("E_MISSING", "y", f"y must have at least one number, got the shape {values.shape}")
    fmt = tensor.dtype
    if values.dtype.kind == "f":
        summary = "no position ids: not all numbers are integers below 2**53"
        return Reading("unknown", summary, fmt)
    if not values.ndim:
        found = read_positions(values.reshape(1), name)
        return replace(found, call=f"{found.call}[0]")
    base = Reading(KIND, "", fmt, positions=values.astype(np.float64))
    return _grid(base, values) or _batch(base, values, name) or _parts(base, values, name)


def _integers(tensor):
    """The numbers as int64; as float64 where they are no integers."""
    values = tensor.values
    if tensor.dtype in formats.FORMATS:
        wide = numbers(Tensor(tensor.dtype, values))
        with np.errstate(invalid="ignore"):
            return wide.astype(np.int64) if (np.abs(wide) < 2.0**53).all() and (wide == np.rint(wide)).all() else wide
    if values.dtype.kind not in "iu":
        raise InputTypeError("E_DTYPE", "y", f"y must be integers, got {tensor.dtype}")
    return values.astype(np.int64) if not values.size or -(2**53) < values.min() <= values.max() < 2**53 else (
        values.astype(np.float64))  # fmt: skip


def _said(base, run, values, text, outside=()):
    """The reading of a run with the expression of the whole array."""
    if text is None:
        return replace(base, summary=f"{KIND}: {run.words}")
    return replace(base, summary=f"{KIND}: {run.words}", call=text, met="correct", elements=values.size)


def _grid(base, values):
    """The reading of coordinates of the cells of a grid along each axis; None where they are none."""
    if values.ndim < 2:
        return None
    for last in (False, True):
        axes = np.moveaxis(values, -1, 0) if last else values
        if not 2 <= len(axes) <= MOST_AXES or axes[0].size < 4:
            continue
        found = [_coordinates(one.reshape(-1)) for one in axes]
        if None in found:
            continue
        order = sorted(range(len(found)), key=lambda k: -found[k][1])
        sizes = [found[k][2] for k in order]
        strides = [math.prod(sizes[k + 1 :]) for k in range(len(sizes))]
        if strides != [found[k][1] for k in order] or math.prod(sizes) != axes[0].size:
            continue
        along = [str(found[k][2]) if not found[k][0] else f"np.arange({found[k][0]}, {found[k][0] + found[k][2]})"
                 for k in order]  # fmt: skip
        given = np.argsort(order).tolist()
        text = f"{dotted('grid_positions')}([{', '.join(along)}])" + ("" if given == sorted(given) else f"[{given}]")
        text += f".reshape{axes.shape}" if axes.ndim > 2 else ""
        text = f"np.moveaxis({text}, 0, -1)" if last else text
        swapped = "" if given == sorted(given) else f", axes in the order {', '.join(map(str, given))}"
        words = f"{KIND}: a grid of {' x '.join(map(str, sizes))} cells{swapped}{', axes last' if last else ''}"
        return replace(base, summary=words, call=text, met="correct", elements=values.size)
    return None


def _coordinates(line):
    """(first, rows with one coordinate, coordinates) of an axis; None where it is none."""
    if (line == line[0]).all():
        return int(line[0]), len(line), 1
    return periodic(line)


def _batch(base, values, name):
    """The reading of rows that are all the same, or padded to one length; None where they are neither."""
    lines = values.reshape(-1, values.shape[-1])
    if (lines == lines[:1]).all():
        run = run_of(lines[0], name)
        text = run.text if values.ndim == 1 or run.text is None else f"np.broadcast_to({run.text}, {values.shape})"
        return _said(base, run, values, text)
    if values.ndim != 2 or len(lines) > MOST_PADDED or name == "grid_positions":
        return None
    found, whole = [padding(line, name) for line in lines], np.ones(values.shape[-1], bool)
    others = {one[1:] for one in found if one is not None}
    if len(others) != 1:
        return None
    first, other = others.pop()
    count = np.arange(first, first + values.shape[-1], dtype=np.int64)
    one_more = first == other + 1  # a row that begins with one padded token counts on from it
    begins = count if not one_more else count - (lines[:, :1] == other)
    if any(
        one is None and (line != begin).any()
        for one, line, begin in zip(found, lines, np.broadcast_to(begins, lines.shape))
    ):
        return None
    kept = np.stack([whole if one is None else one[0] for one in found])
    kept &= (np.arange(len(count), dtype=np.int64) > 0) | ~(one_more & (lines[:, :1] == other))
    run = padded_run(kept, first, other, name)
    return None if run is None else _said(base, run, values, run.text)


def _parts(base, values, name):
    """The reading of the most common row, with the others as parts."""
    lines = values.reshape(-1, values.shape[-1])

    def read(line, _):
        run = run_of(line, name)
        return _said(replace(base, positions=line.astype(np.float64)), run, line, run.text)

    return in_parts(lines, read, "row")
