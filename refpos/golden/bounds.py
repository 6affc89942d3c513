"""The conformance bounds of a case, from its own parameters."""

import numpy as np

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
