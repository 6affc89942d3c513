"""Reading a relative position bias table of another window: the grid of its offsets, resized as a table."""

from __future__ import annotations

import numpy as np

from ..errors import InputError
from ..tables.resize_bias import FILTERS
from .resized import reading_of_layouts
from .table_layouts import Layout
from .written import Written

CLASS_ROWS = 3  # for a class token, which are copied


def read_resized_bias(y, inputs):
    """The `Reading` of a resized bias table, `Held`, by the inputs of `resize_bias`, `Written` by name."""
    weight = inputs["weight"]
    old, new = (tuple(np.atleast_1d(inputs[name].value).tolist()) for name in ("old", "new"))
    if len(old) != 2 or len(new) != 2 or np.ndim(weight.value) != 2:
        sentence = "weight must be (rows, heads), old and new (height, width)"
        raise InputError("E_SHAPE", "weight", f"{sentence}, got {np.shape(weight.value)}, {old} and {new}")
    token = bool(inputs["class_token"].value) if "class_token" in inputs else False
    rest = Written(f"{weight.text}[-{CLASS_ROWS}:]", weight.value[-CLASS_ROWS:]) if token else None
    table = Written(f"{weight.text}[:-{CLASS_ROWS}]", weight.value[:-CLASS_ROWS]) if token else weight
    layouts = list(_layouts(table, old, new, y.shape[0] - (CLASS_ROWS if token else 0)))
    return reading_of_layouts(y, {}, layouts, weight, rest, lambda found: _named(found, old, new))


def _layouts(weight, old, new, count):
    """The grids of offsets, or of distances, of both windows."""
    rows = len(weight.value)
    for before in dict.fromkeys((old, old[::-1])):
        for after in dict.fromkeys((new, new[::-1])):
            text = ", ".join(word for word, differs in (("old", before != old), ("new", after != new)) if differs)
            text = f"height and width of {text} exchanged" if text else ""
            for offsets in (True, False):
                sides = [tuple(2 * side - 1 if offsets else side for side in one) for one in (before, after)]
                if np.prod(sides[0]) == rows and np.prod(sides[1]) == count:
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
