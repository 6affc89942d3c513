"""How far a program may be from the outputs of an operator: the bound of its class, as a number and in ULPs."""

import math

import numpy as np

from ...arithmetic import formats, rounding
from ...conformance.distances import steps_between
from ..bounds import bounds_of, resolved
from ..run import arguments_of

#: the classes of operators, by the arithmetic that these have: that of a rotation is in the format of x
CLASSES = ("rounded-table", "sequence32")


def absolute(case, inputs, outputs):
    """{output: bound of each element}: how far an answer may be from the golden number."""
    (limits,) = _of_class(case, inputs, outputs).values()
    return {name: np.reshape(limits[name], outputs[name].values.shape) for name in outputs}


def tell(case, inputs, outputs):
    """Whether the bounds of every output exclude something: those of subnormal numbers may admit all others."""
    (counts,) = resolved(_of_class(case, inputs, outputs), outputs).values()
    return all(counts.values())


def _of_class(case, inputs, outputs):
    """{class: {output: bounds}} of the class that an operator is held to."""
    limits = bounds_of(case.suite, arguments_of(case), inputs, outputs)
    kind = next(name for name in CLASSES if name in limits)
    return {kind: limits[kind]}


def ulps(tensor, limit):
    """How many ULPs the bound of each element is, on the side where they are more: a list in C order.

    None where the bound is more than half of the number: a count that reaches zero on one side admits every number on
    the other.
    """
    fmt, numbers = formats.FORMATS[tensor.dtype], widened(tensor)
    sides = [_steps(tensor, numbers, sign * limit, fmt) for sign in (1, -1)]
    counts = np.maximum(*sides).reshape(-1).tolist()
    told = (limit <= np.abs(numbers) / 2).reshape(-1).tolist()
    return [int(count) if is_told else None for count, is_told in zip(counts, told)]


def _steps(tensor, numbers, limit, fmt):
    """Steps from each number to the last one of the format that is not beyond number + limit."""
    with np.errstate(over="ignore"):
        end = np.nextafter(numbers + limit, np.copysign(np.inf, limit))  # the sum is rounded, and must not lose a step
        nearest = rounding.narrow(end, fmt)
        beyond = np.abs(rounding.widen(nearest, fmt) - numbers) > np.abs(end - numbers)
    found = steps_between(formats.bits(nearest), formats.bits(tensor.values), fmt)
    return found - (beyond & (found > 0))


def widened(tensor):
    """The numbers of a tensor of floats in float64."""
    return rounding.widen(formats.storage(tensor.values, formats.FORMATS[tensor.dtype]), formats.FORMATS[tensor.dtype])


def numbers(tensor):
    """The elements in C order as Python has them, each exactly."""
    values = widened(tensor) if tensor.dtype in formats.FORMATS else tensor.values
    return values.reshape(-1).tolist()


def are_finite(tensors):
    """Whether every number is finite, as JSON needs it."""
    return all(np.isfinite(widened(one)).all() for one in tensors.values() if one.dtype in formats.FORMATS)


def rotates_within(inputs):
    """Whether x and the caches are of one format, finite, and no sum of their products is beyond its largest number."""
    tensors = {name: inputs[name] for name in ("x", "cos_cache", "sin_cache")}
    kinds = {one.dtype for one in tensors.values()}
    if len(kinds) > 1 or not are_finite(tensors) or not all(one.values.size for one in tensors.values()):
        return False
    x, cos, sin = (np.abs(widened(one)).max() for one in tensors.values())
    largest = formats.FORMATS[kinds.pop()].largest
    with np.errstate(over="ignore"):
        return bool(x * (cos + sin) < math.ldexp(1.0, largest))
