"""Rows of sines and cosines as a subject of measurement, and what a call of a table gives in their place."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from .. import catalogue
from ..arithmetic import formats
from ..conformance import error_bounds
from ..tensor_files import Tensor
from .held_format import numbers
from .made import made_in
from .pairs import square
from .wave_layouts import Layout


class Waves(NamedTuple):
    """A table (rows, width) with the columns of its sines and cosines."""

    tensor: Tensor
    layout: Layout

    @property
    def shape(self):
        """(regions, rows, pairs)."""
        return 1, self.tensor.values.shape[0], len(self.layout.sines)

    def row_size(self):
        """Numbers of one row."""
        return self.tensor.values.shape[1]

    def place(self, region):
        """Where a region is, in words."""
        return "all"

    def complex_rows(self, region, rows):
        """(cosine + i sine, 1, sum of their squares), each (rows, pairs); 0 where a sine has no cosine."""
        values = numbers(self.tensor, rows)
        with np.errstate(all="ignore"):
            pairs = np.where(self.layout.both, values[:, self.layout.cosines] + 1j * values[:, self.layout.sines], 0)
            size = square(pairs)
            bad = ~np.isfinite(size) | (size == 0)
        return np.where(bad, 0, pairs), np.where(bad, 0.0, 1.0), np.where(bad, 0, size)

    def judged(self, region, rows, recipe, positions, backwards):
        """(answers, expected values, what derives the bounds of each class) of some rows, each (rows, width)."""
        return judged(self.tensor, rows, recipe, 0.0 - positions if backwards else positions, self.layout.channels)


def judged(tensor, rows, recipe, positions, channels=None):
    """(answers, expected values, what derives the bounds of each class) of some rows, by the call of a table;
    channels: the columns of its result in the order of the numbers."""
    name, given, fmt = recipe["function"], recipe["arguments"], formats.FORMATS[tensor.dtype]
    entry = catalogue.find(name)
    stored = made_in(fmt.name, entry.function, positions, **given)
    stored = stored.view(np.uint16) if fmt.name == "bfloat16" else stored
    answers = np.ascontiguousarray(tensor.values[rows])
    order = None if channels is None else np.broadcast_to(channels, answers.shape)

    def ordered(values):
        return values if order is None else np.take_along_axis(values, order, 1)

    def limits():
        call = error_bounds.read_call(name, given, {next(iter(entry.parameters)): positions})
        return {kind: ordered(parts["output"]) for kind, parts in error_bounds.of_answered(name, call, fmt).items()}

    return Tensor(fmt.name, answers), Tensor(fmt.name, np.ascontiguousarray(ordered(stored))), limits
