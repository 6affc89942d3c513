"""What the suites of gradients share: a case in each format, and calls whose cotangent is refused."""

import math

from ..case import listed, scattered
from ..telling_inputs import DTYPES, SHORT, narrow

#: numbers of which some are infinite, or none
SPECIAL = (1.0, float("nan"), float("inf"), float("-inf"), 0.5, 3.0, -2.0, 0.0)
SEED = 40000


def in_each(value, slug, about, inputs, *, flags=(), dtypes=DTYPES, **arguments):
    """The case in each format; inputs: {name: shape, or function of the dtype that makes the tensor}."""
    return [
        value(f"{slug}-{SHORT[dtype]}", f"{about}, {dtype}", flags=(*flags, *narrow(dtype)), inputs=_all(inputs, dtype),
              **arguments)
        for dtype in dtypes
    ]


def _all(inputs, dtype):
    """The tensors in one format."""
    return {name: _made(one, dtype, number) for number, (name, one) in enumerate(inputs.items())}


def _made(one, dtype, number):
    return one(dtype) if callable(one) else scattered(dtype, one, SEED + number)


def of_result(value, slug, about, inputs, *, dtypes=DTYPES, **arguments):
    """The case in each format, which the result is asked for in too; shapes are of numbers from -2 to 2."""
    made = {name: _near(one, number) for number, (name, one) in enumerate(inputs.items())}
    return [
        one
        for dtype in dtypes
        for one in in_each(value, slug, about, made, dtypes=(dtype,), dtype=dtype, **arguments)
    ]


def _near(one, number):
    return one if callable(one) else lambda dtype: scattered(dtype, one, SEED + number, 1)


def made_by(make, **tensors):
    """The tensors {name: shape}, made by a function of dtype and shape."""
    return {name: lambda dtype, shape=shape: make(dtype, shape) for name, shape in tensors.items()}


def whole(*values, shape=None):
    """A tensor of integers in every format of the case."""
    return lambda dtype: listed(values, "int64", shape)


def numbers(*values, shape=None):
    """A tensor of the numbers, which every format holds."""
    return lambda dtype: listed(values, dtype, shape)


def special(*shape):
    """A tensor of the numbers of SPECIAL in turn."""
    return lambda dtype: listed([SPECIAL[k % len(SPECIAL)] for k in range(math.prod(shape))], dtype, shape)


def cotangents_refused(refused, argument, shape, result, **call):
    """Cotangents of another shape, of one axis less, and of another dtype than the result."""
    made = {argument: scattered("float32", shape, SEED), **_all(call.pop("inputs", {}), "float32")}
    longer = (result[0] + 1, *result[1:])
    return [
        refused(slug, about, code, "cotangent", inputs={**made, "cotangent": scattered(dtype, sizes, SEED + 2)}, **call)
        for slug, about, code, dtype, sizes in (
            ("cotangent-longer", "a cotangent with one row more than the result", "E_SHAPE", "float32", longer),
            ("cotangent-flat", "a cotangent without the last axis", "E_SHAPE", "float32", result[:-1]),
            ("cotangent-float64", "a cotangent of float64 for a result of float32", "E_DTYPE", "float64", result),
        )
    ]
