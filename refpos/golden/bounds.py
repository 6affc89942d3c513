"""The conformance bounds of a case, from its own parameters."""

import numpy as np

from ..arithmetic import formats
from ..conformance import CLASSES, power
from ..diagnosis import bounds
from .format import bit_strings
from .run import call


def bounds_of(suite, arguments, tensors, outputs):
    """{class: {output: array of the shape of the output}} of a call whose arguments are those of a document."""
    return bounds.bounds_of(suite, {name: call(value) for name, value in arguments.items()}, tensors, outputs)


def largest(bounds):
    """{class: {output: bits of the largest bound, float64}}; those of correct and faithful are counts of ulps."""
    return {
        name: {
            output: bit_strings(np.array([limit.max(initial=0.0)], np.float64))[0] for output, limit in limits.items()
        }
        for name, limits in bounds.items()
    }


def resolved(bounds, outputs):
    """{class: {output: of how many elements the bounds say something}}, 0 where they would admit a wrong tensor."""
    tensors = {name: outputs[name if name in outputs else "inv_freq"] for name in next(iter(bounds.values()))}
    sizes = {name: power.largest(tensor) for name, tensor in tensors.items()}
    found = {}
    for kind, limits in bounds.items():
        found[kind] = {}
        for name, limit in limits.items():
            tensor, unit = tensors[name], CLASSES[kind].unit
            limit, fmt = np.reshape(limit, tensor.values.shape), formats.FORMATS.get(tensor.dtype)
            found[kind][name] = power.resolved(tensor, unit, limit, fmt, sizes[name])
    return found
