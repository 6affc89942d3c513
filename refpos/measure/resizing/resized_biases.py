"""Reading a relative position bias table of another window: the grid of its offsets, resized as a table."""

from __future__ import annotations

import math
from functools import partial

import numpy as np

from ...errors import InputError
from ...tables.resize_bias import FILTERS
from ..held_format import Held
from ..reading_result import Reading
from ..solving import unit_of
from ..verification import counted
from ..wording import number
from ..written import Call, Written, judged
from .resized import reading_of_layouts
from .table_layouts import Layout, sides_of

CLOSE = 2.0**-16  # of the numbers, what a program may leave whose bounds are not derived
CLASS_ROWS = 3  # for a class token, which are copied


def read_resized_bias(y, inputs):
    """The `Reading` of a resized bias table, `Held`, by the inputs of `resize_bias`, `Written` by name."""
    weight = inputs["weight"]
    old, new = (sides_of(name, inputs[name].value) for name in ("old", "new"))
    if len(old) != 2 or len(new) != 2 or np.ndim(weight.value) != 2:
        sentence = "weight must be (rows, heads), old and new (height, width)"
        raise InputError("E_SHAPE", "weight", f"{sentence}, got {np.shape(weight.value)}, {old} and {new}")
    token = bool(inputs["class_token"].value) if "class_token" in inputs else False
    rest = Written(f"{weight.text}[-{CLASS_ROWS}:]", weight.value[-CLASS_ROWS:]) if token else None
    table = Written(f"{weight.text}[:-{CLASS_ROWS}]", weight.value[:-CLASS_ROWS]) if token else weight
    geometric = _geometric(y, inputs, old, new)
    if geometric is not None:
        return geometric
    layouts = list(_layouts(table, old, new, y.shape[0] - (CLASS_ROWS if token else 0)))
    return reading_of_layouts(y, {}, layouts, weight, rest, lambda found: _named(found, old, new))


def _geometric(y, inputs, old, new):
    """The `Reading` of a table by the method "geometric", which no kernel has; None for another one."""
    given = {name: inputs[name] for name in ("weight", "class_token") if name in inputs}
    sides = {name: Written(repr(one), one) for name, one in (("old", old), ("new", new))}
    call = Call("resize_bias", {**given, **sides, "method": Written("'geometric'", "geometric")})
    try:
        expected = call.values(y.format)
    except InputError:
        return None
    if expected.values.shape != y.shape or old == new:
        return None
    made, numbers = Held(expected).numbers(), y.numbers()
    left = np.sqrt(((made - numbers) ** 2).mean() / ((numbers * numbers).mean() or 1.0))
    if not left <= CLOSE + unit_of(y.format):
        return None
    verdict = judged(y.tensor, expected, partial(counted, expected))
    cells = " x ".join(str(2 * side - 1) for side in new)
    summary = f"resized table of {cells} cells: method 'geometric' of refpos.tables.resize_bias"
    if verdict.kind is None or not verdict.within.all():
        return Reading("resized table", f"{summary}, which leaves {number(f'{100 * left:.1g}')} %", y.format)
    return Reading("resized table", summary, y.format, call=call.text(y.format), met=verdict.kind, elements=made.size)


def _layouts(weight, old, new, count):
    """The grids of offsets, or of distances, of both windows."""
    rows = len(weight.value)
    for before in dict.fromkeys((old, old[::-1])):
        for after in dict.fromkeys((new, new[::-1])):
            text = ", ".join(word for word, differs in (("old", before != old), ("new", after != new)) if differs)
            text = f"height and width of {text} exchanged" if text else ""
            for offsets in (True, False):
                sides = [tuple(2 * side - 1 if offsets else side for side in one) for one in (before, after)]
                if math.prod(sides[0]) == rows and math.prod(sides[1]) == count:
                    yield Layout(text, weight, *sides, True)
    yield Layout("all rows on one axis", weight, (rows,), (count,))


def _named(found, old, new):
    """The method of `resize_bias` that is the same."""
    offsets = found.layout.old != tuple(old)
    for method, options in FILTERS.items():
        same = found.kernel.options.get("cubic") == (None if options["cubic"] is None else float(options["cubic"]))
        same = same and found.kernel.options["method"] == options["method"] and not found.kernel.offset
        same = same and found.kernel.options.get("align") == "half-pixel" and "border" not in found.kernel.options
        same = same and found.kernel.options.get("antialias", False) == options["antialias"]
        if same and offsets == (method != "levit") and not found.layout.text:
            return f", method {method!r} of refpos.tables.resize_bias"
    return ""
