"""Reading a learned table at another size: its kernel, alignment and border, and the call of `resize_table`."""

from __future__ import annotations

import contextlib
import math
from typing import NamedTuple

import numpy as np

from ...arithmetic import formats, rounding
from ...errors import InputError
from ...steps.rows import doubles
from ...tensor_files import Tensor
from ..reading_result import Reading
from ..solving import unit_of
from ..wording import number, runs
from ..written import Call, Written, judged
from .axis_weights import measured
from .table_kernels import Kernel, applied, kernels
from .table_layouts import Layout, layouts_of

KIND = "resized table"
CHANNELS = 8  # that are looked at to choose a kernel
NEAR = 2.0**-6  # of the numbers, what a kernel that is told may leave
EXACT = 2.0**-18  # of the numbers, what the kernel of a program may leave
TRIED = 4  # of the kernels that leave least, that are verified
OPTIONS = ("method", "align", "cubic", "antialias", "border", "scale")


class Found(NamedTuple):
    """A layout and a kernel, the factor of its numbers, and what it leaves of them."""

    layout: Layout
    kernel: Kernel
    factor: float
    left: float


def read_resized(y, inputs):
    """The `Reading` of a table at another size, `Held`, by the inputs of `resize_table`, `Written` by name."""
    weight = inputs["weight"].value
    if np.ndim(weight) < 2 or weight.shape[-1] != y.shape[-1]:
        sentence = f"y must have the {np.shape(weight)[-1:]} channels of weight last"
        raise InputError("E_SHAPE", "y", f"{sentence}, got shape {y.shape}")
    shape = y.shape[1:] if len(y.shape) > 2 and y.shape[0] == 1 else y.shape
    return reading_of_layouts(y, inputs, layouts_of(inputs, shape), inputs["weight"])


def reading_of_layouts(y, inputs, layouts, weight, rest=None, named=lambda found: ""):
    """The `Reading` of the best of the layouts. rest: rows behind the table, as written, that are copied.

    named: what else is said of a `Found`.
    """
    rows = Tensor(y.format, y.tensor.values.reshape(-1, y.shape[-1]))
    notes, unit = (y.note,) if y.note else (), unit_of(y.format)
    numbers = y.numbers().reshape(-1, y.shape[-1])
    numbers = numbers if rest is None else numbers[: -len(rest.value)]
    if not np.isfinite(numbers).all() or not numbers.any():
        summary = "no table: numbers that are not finite" if numbers.any() else "every number is 0: nothing was written"
        return Reading("unknown", summary, y.format, notes=notes)
    found = _ranked(numbers, layouts, unit)
    for one in [one for one in found if one.left <= NEAR][:TRIED]:
        verdict = _verdict(one, rows, rest) if one.factor == 1 else None
        if verdict is not None and verdict.kind is not None:
            off = np.flatnonzero(~verdict.within)
            return Reading(
                KIND, _summary(one, inputs) + named(one), y.format, call=_text(one, y, rest), met=verdict.kind,
                elements=rows.values.size, outside=(f"cells {runs(off)}",) if len(off) else (), notes=notes,
                coefficients=_weights(one),
            )  # fmt: skip
    if not found:
        return Reading("unknown", f"no table of {weight.value.shape} at another size has the shape {y.shape}", y.format)
    return measured(y, numbers, found[0], _summary(found[0], inputs), notes)


def _ranked(rows, layouts, unit):
    """`Found` of layouts and kernels, those that leave least first; of equal ones the first that was tried. Layouts
    behind one that leaves nothing are not tried."""
    found, channels = [], slice(0, CHANNELS)
    for layout in layouts:
        with contextlib.suppress(ValueError):
            cells = layout.cells(rows)[..., channels]
            table = doubles.read("weight", layout.weight.value)[0]
            table = layout._replace(weight=Written("", table)).table()[..., channels]
            if table.shape[-1] != cells.shape[-1]:
                continue
            for kernel in kernels():
                made = applied([kernel.weights(*sides) for sides in zip(layout.old, layout.new)], table)
                found.append(_judged(layout, kernel, made, cells))
            if min((one.left for one in found), default=1.0) <= max(unit, EXACT):
                break
    return sorted(found, key=lambda one: float(f"{one.left:.1e}"))


def _judged(layout, kernel, made, cells):
    """A `Found`: the factor is 1, or what leaves much less."""
    size = np.sqrt((cells * cells).mean()) or 1.0
    factor = float((made * cells).sum() / ((made * made).sum() or 1.0))
    left, other = (float(np.sqrt(((part - cells) ** 2).mean()) / size) for part in (made, factor * made))
    return Found(layout, kernel, factor, other) if other < left / 64 else Found(layout, kernel, 1.0, left)


def _arguments(found):
    """The arguments of `resize_table`."""
    layout = found.layout
    size = layout.new if len(layout.new) > 1 else layout.new[0]
    options = found.kernel.arguments(layout.old, layout.new)
    if layout.sequence:
        options = {**options, "grid": layout.old, **({"prefix": layout.prefix} if layout.prefix else {})}
    given = {"weight": layout.weight, "size": Written(repr(size), size)}
    return {**given, **{name: Written(repr(value), value) for name, value in options.items()}}


def _verdict(found, rows, rest):
    """`Verified` of rows (rows, channels); None where refpos does not take the call."""
    call = Call("resize_table", _arguments(found))
    with contextlib.suppress(InputError):
        made = call.values(rows.dtype).values
        copied = None if rest is None else _narrow(rest.value, rows.dtype, made.dtype)
        values, zeros = _as_rows(found, made, copied), None if rest is None else np.zeros(rest.value.shape)

        def limits():
            return {kind: _as_rows(found, limit, zeros) for kind, limit in call.limits(rows.dtype).items()}

        return judged(rows, Tensor(rows.dtype, values), limits)
    return None


def _as_rows(found, values, rest):
    """Cells (.., channels) as rows, with those of the prefix where the layout has them and the rest after them."""
    values = values.reshape(-1, values.shape[-1])
    if found.layout.last:
        values = np.roll(values, -found.layout.prefix, axis=0)
    return values if rest is None else np.concatenate([values, rest])


def _narrow(values, fmt, dtype):
    wide = np.ascontiguousarray(doubles.read("weight", values)[0])
    return rounding.narrow(wide, formats.FORMATS[fmt]).reshape(wide.shape).view(dtype)


def _text(found, y, rest):
    """The call as Python writes it, with a result of the shape of y."""
    layout, text = found.layout, Call("resize_table", _arguments(found)).text(y.format)
    if layout.last:
        text = f"np.roll({text}, -{layout.prefix}, 0)"
    if rest is not None:
        text = f"np.concatenate([{text}, {rest.text}])"
    count = (layout.prefix + math.prod(layout.new),) if layout.sequence or rest is not None else layout.new
    return text if (*count, y.shape[-1]) == y.shape or rest is not None else f"{text}.reshape({y.shape})"


def _weights(found):
    """{axis: weights (new, old)}."""
    sides = zip(found.layout.old, found.layout.new)
    return {f"axis {axis}": found.kernel.weights(*pair) for axis, pair in enumerate(sides)}


def _summary(found, inputs):
    """The sentence of a `Found`."""
    layout = found.layout
    old, new = (" x ".join(map(str, sides)) for sides in (layout.old, layout.new))
    words = [f"{KIND} of {new} cells from {old}: {found.kernel.text}"]
    if found.layout.old == found.layout.new:
        words = [f"{KIND} of {new} cells, as many as before: a copy"]
    words += [layout.text] if layout.text else []
    words += [f"times {number(found.factor)}"] if found.factor != 1 else []
    options = found.kernel.arguments(layout.old, layout.new)
    asked = {name: inputs[name].value for name in OPTIONS if name in inputs}
    words += [f"{name} {options.get(name, 'none')} (asked {value})" for name, value in asked.items()
              if options.get(name, False if name == "antialias" else None) != value]  # fmt: skip
    return ", ".join(words)
