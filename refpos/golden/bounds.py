"""The conformance bounds of a case, from its own parameters."""

from .. import conformance, formats
from .format import bit_strings
from .run import _argument, arguments_of

import numpy as np


def bounds_of(case, tensors, outputs):
    """{class: {output: array of the shape of the output}} as `conformance.bounds` derives them."""
    arguments = {name: _argument(value) for name, value in arguments_of(case).items() if name != "frequencies"}
    nested = case.arguments.get("frequencies")
    if nested:
        inner = {name: _argument(value) for name, value in nested["arguments"].items()}
        arguments["dim" if case.suite == "rope_table" else "rotary_dim"] = inner["dim"]
        arguments["base"] = inner.get("base", 10000)
    arrays = {name: _float32_positions(name, tensor) for name, tensor in tensors.items()}
    dtype = next(iter(outputs.values())).dtype
    fmt = formats.FORMATS.get(dtype)
    return conformance.bounds(case.suite, arguments, arrays, fmt)


def largest(bounds):
    """{class: {output: bits of the largest bound, float64}}; those of correct and faithful are counts of ulps."""
    return {
        name: {output: bit_strings(np.array([limit.max(initial=0.0)], np.float64))[0] for output, limit in limits.items()}
        for name, limits in bounds.items()
    }


def _float32_positions(name, tensor):
    return tensor if tensor.dtype == "bfloat16" else tensor.values
