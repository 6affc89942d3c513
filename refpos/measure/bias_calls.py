"""Calls of biases: their text, the numbers that they give, and the strictest class that measured numbers meet."""

from __future__ import annotations

import numpy as np

from ..arithmetic import formats, rounding
from ..conformance import error_bounds
from ..public import dotted
from ..tensor_files import Tensor
from .held_format import numbers
from .verification import strictest


def call_text(name, sizes, given, fmt):
    """A call with its sizes, or other first arguments, and keywords."""
    words = [str(one) for one in sizes] + [f"{key}={value!r}" for key, value in given.items()]
    return f"{dotted(name)}({', '.join([*words, f'dtype={fmt!r}'])})"


def values_of(made, fmt):
    """What a function gave in a format, as float64."""
    return numbers(Tensor(fmt, made.view(np.uint16) if fmt == "bfloat16" else np.asarray(made)))


def class_met(name, call, fmt, values, expected, chosen=lambda part: part):
    """The strictest class within whose bounds values lie of what the call gives, both float64 of a format; None where
    there is none. chosen: the heads of the call that they are."""
    kind = formats.FORMATS[fmt]
    limits = error_bounds.of_answered(name, error_bounds.read_call(name, call, {}), kind)
    shape = np.atleast_2d(values).shape
    limits = {one: np.reshape(chosen(parts["output"]), shape) for one, parts in limits.items()}
    return strictest(*(_stored(np.reshape(part, shape), kind) for part in (values, expected)), limits)


def _stored(values, fmt):
    """Values of a format, as float64, as a tensor of it."""
    made = np.ascontiguousarray(values)
    if fmt.name == "bfloat16":
        return Tensor("bfloat16", rounding.narrow(made, fmt))
    return Tensor(fmt.name, made.astype(fmt.name))
