"""The kernels of resized tables: nearest, linear and cubic rows, alignment, borders, antialiasing, scales."""

from __future__ import annotations

from fractions import Fraction
from typing import NamedTuple

import numpy as np

from ...steps.rows import interpolation_weights
from ...types import Array

OFFSET = 0.1  # rows that programs add to the new size for a scale, as DINOv2
CUBICS = (-0.75, -0.5)


class Kernel(NamedTuple):
    """Options of `resize_table`, by name; whether its scale is that of (new + 0.1) / old."""

    options: dict
    offset: bool = False

    def arguments(self, old, new):
        """The options of a call."""
        if not self.offset:
            return self.options
        return {**self.options, "scale": [(after + OFFSET) / before for before, after in zip(old, new)]}

    @property
    def text(self):
        """The kernel in words."""
        options = dict(self.options)
        words = [options.pop("method")]
        if "cubic" in options:
            words = [f"cubic (a {options.pop('cubic')})"]
        words += [options.pop("align")] if "align" in options else []
        words += ["antialias"] if options.pop("antialias", False) else []
        words += [f"border {one}" for one in options.values()]
        return ", ".join([*words, *([f"scale (new + {OFFSET}) / old"] if self.offset else [])])

    def weights(self, old, new):
        """The weights of one axis, (new, old)."""
        options = {"align": None, "cubic": None, "antialias": False, **self.options}
        border = options.pop("border", "renormalise" if options["antialias"] else "clamp")
        cubic = None if options["cubic"] is None else Fraction(options["cubic"])
        scale = Fraction((new + OFFSET) / old) if self.offset else None
        made = interpolation_weights.of_axis(old, new, **{**options, "cubic": cubic}, border=border, scale=scale)
        return as_matrix(made, old)


def as_matrix(made, old):
    """Weights {row: fraction} of new rows as an array (new, old)."""
    matrix = np.zeros((len(made), old))
    for j, of_row in enumerate(made):
        for row, weight in of_row.items():
            matrix[j, row] = float(weight)
    return matrix


def kernels():
    """The kernels that are tried; of equal ones the first is told."""
    filters = [{"method": "cubic", "cubic": CUBICS[0]}, {"method": "linear"}, {"method": "cubic", "cubic": CUBICS[1]}]
    yield from (Kernel({"method": method}) for method in ("nearest", "nearest-exact"))
    for options in filters:
        yield Kernel({**options, "align": "half-pixel"})
        yield Kernel({**options, "align": "corners"})
    for options in filters:
        yield Kernel({**options, "align": "half-pixel", "antialias": True})
        yield Kernel({**options, "align": "half-pixel"}, True)
        yield Kernel({**options, "align": "half-pixel", "antialias": True}, True)
        for border in ("renormalise", "zeros"):
            yield Kernel({**options, "align": "half-pixel", "border": border})


def applied(matrices, table) -> Array:
    """A matrix (new, old) applied along each axis of a table (*old, channels)."""
    for axis, matrix in enumerate(matrices):
        front = np.moveaxis(table, axis, 0)
        rows = np.zeros((len(matrix), *front.shape[1:]))
        for weights, total in zip(matrix, rows):
            for k in np.flatnonzero(weights):
                total += weights[k] * front[k]
        table = np.moveaxis(rows, 0, axis)
    return table
