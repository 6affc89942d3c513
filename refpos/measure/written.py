"""Inputs of a call beside their text in it, the call, and its values and bounds beside the numbers that are read."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any, NamedTuple

import numpy as np

from .. import catalogue
from ..arithmetic import formats, rounding
from ..conformance import CLASSES, error_bounds
from ..conformance.derivations import attention
from ..conformance.registry import complete
from ..public import dotted
from ..tensor_files import Tensor
from .made import made_in
from .verification import Verified, verified


class Written(NamedTuple):
    """An argument: as Python writes it, what that is, and {class: how far a program may have it from that}."""

    text: str
    value: Any
    errors: dict | None = None


class Compared(NamedTuple):
    """Answers, what a call gives, and what derives the bounds of each class, all of one shape (.., rows, width)."""

    answers: Tensor
    expected: Tensor
    limits_of: Callable[[], dict]

    def row_size(self):
        """Numbers of one row."""
        return self.answers.values.size // max(1, self.answers.values.shape[-2])

    def judged(self, region, rows, recipe, positions, backwards):
        """(answers, expected values, what derives the bounds of each class) of some rows."""
        answers, expected = (
            Tensor(one.dtype, np.ascontiguousarray(one.values[..., rows, :])) for one in (self.answers, self.expected)
        )
        return answers, expected, lambda: {kind: limit[..., rows, :] for kind, limit in self.limits_of().items()}


class Call(NamedTuple):
    """A call of refpos: its text, the function, and the arguments as they are written."""

    function: str
    arguments: dict[str, Written]

    def text(self, fmt):
        """The call as Python writes it, with a result of that format; required arguments by their place."""
        required = catalogue.find(self.function).required
        places = [name for name in required if not _by_name(self.function, name)]
        first = [self.arguments[name].text for name in places if name in self.arguments]
        named = [f"{name}={one.text}" for name, one in self.arguments.items() if name not in places]
        return f"{dotted(self.function)}({', '.join([*first, *named, f'dtype={fmt!r}'])})"

    def values(self, fmt):
        """What the call gives, rounded once to a format, as a `Tensor`."""
        given = {name: one.value for name, one in self.arguments.items()}
        values = made_in(fmt, catalogue.find(self.function).function, **given)
        return of_format(values, fmt)

    def limits(self, fmt):
        """{class: bounds of the result}."""
        given = {name: one.value for name, one in self.arguments.items()}
        inherited = self._inherited()
        if inherited:
            limits = attention.of_inputs(complete(self.function, given), formats.FORMATS[fmt], inherited)
            return {kind: next(iter(parts.values())) for kind, parts in limits.items()}
        call = error_bounds.read_call(self.function, given, {})
        limits = error_bounds.of_answered(self.function, call, formats.FORMATS[fmt])
        return {kind: next(iter(parts.values())) for kind, parts in limits.items()}

    def _inherited(self):
        """{class: (how far a program may have q from the argument, k)} of attention; None where they are inputs."""
        pair = [self.arguments[name] for name in ("q", "k") if name in self.arguments]
        kinds = {kind for one in pair for kind in one.errors or ()}
        return {kind: tuple((one.errors or {}).get(kind, np.zeros(one.value.shape)) for one in pair) for kind in kinds}


class Masked(NamedTuple):
    """A call, with the number of a mask where a key does not count, and rows and columns of its result exchanged."""

    call: Call
    mask: Any = None
    exchanged: bool = False

    def text(self, fmt):
        """The call as Python writes it."""
        text, mask = self.call.text(fmt), self.mask
        if self.exchanged:
            text = f"np.swapaxes({text}, -1, -2)"
        if mask is None or mask.counts is None:
            return text
        below = "-np.inf" if mask.below == -np.inf else repr(mask.below)
        return f"np.where({mask.counts.text}, {text}, {below})"

    def verdict(self, y):
        """`Verified` of numbers, a `Tensor`."""
        expected = self.call.values(y.dtype)
        if self.exchanged:
            expected = expected._replace(values=np.swapaxes(expected.values, -1, -2))
        if self.mask is not None and self.mask.counts is not None and expected.values.shape == y.values.shape:
            counts = np.broadcast_to(self.mask.counts.value, y.values.shape).astype(bool)
            below = rounding.narrow(np.array([self.mask.below]), formats.FORMATS[y.dtype]).view(expected.values.dtype)
            expected = expected._replace(values=np.where(counts, expected.values, below[0]))
        return judged(y, expected, lambda: self._limits(y.dtype))

    def _limits(self, fmt):
        """{class: bounds of the numbers}."""
        limits = self.call.limits(fmt)
        return {kind: np.swapaxes(limit, -1, -2) for kind, limit in limits.items()} if self.exchanged else limits


def _by_name(function, name):
    parameter = catalogue.find(function).parameters[name]
    return parameter.kind is parameter.KEYWORD_ONLY


def of_format(values, fmt):
    """Values of a format as the tensor of it; bfloat16 as bit patterns."""
    values = np.asarray(values)
    if fmt == "bfloat16":
        values = values.view(np.uint16)
    return Tensor(fmt, values)


def judged(answers, expected, limits_of):
    """`Verified`: whether answers lie within the bounds, row by row; both are tensors (.., rows, width).
    limits_of: what derives the bounds, which are not needed where all rows are within a unit in the last place."""
    rows = answers.values.shape[-2]
    if expected.values.shape != answers.values.shape or not answers.values.size:
        return Verified(None, np.zeros(rows, bool))
    subject = Compared(answers, expected, cache(limits_of))
    return verified(subject, 0, None, np.zeros(rows), False, tuple(CLASSES))
