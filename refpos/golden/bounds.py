"""The conformance bounds of a case, from its own parameters."""

import numpy as np

from ..arithmetic import formats
from ..conformance import error_bounds
from . import emulated
from .format import bit_strings
from .run import argument, call


def bounds_of(suite, arguments, tensors, outputs):
    """{class: {output: array of the shape of the output}} as `error_bounds.bounds` derives them, from arguments as the
    documents say them; of emulations, and where no bound is derived, `correct` and, of rounded numbers, `faithful`."""
    if emulated.NAME in arguments or not error_bounds.derives(suite):
        return _counted(outputs)
    made = {"frequencies", "parts"} & set(arguments)  # given as the calls that make them
    call_arguments = {name: argument(value) for name, value in arguments.items() if name not in made}
    if "frequencies" in made:
        call_arguments["frequencies"] = call(arguments["frequencies"])
    if "parts" in made:
        call_arguments["parts"] = [{**part, "arguments": argument_of_each(part)} for part in arguments["parts"]]
    # bfloat16 stays tagged, so that patterns are not taken for numbers
    arrays = {name: tensor if tensor.dtype == "bfloat16" else tensor.values for name, tensor in tensors.items()}
    fmt = formats.FORMATS.get(next(iter(outputs.values())).dtype)
    return error_bounds.bounds(suite, call_arguments, arrays, fmt)


def argument_of_each(part):
    """The arguments of a call as Python takes them; the call is not made."""
    return {name: argument(value) for name, value in part["arguments"].items()}


def _counted(outputs):
    all_integers = all(tensor.dtype == "int64" for tensor in outputs.values())
    counts = {"correct": 0.0} if all_integers else {"correct": 0.0, "faithful": 1.0}
    return {
        name: {
            output: np.full(tensor.values.shape, 0.0 if tensor.dtype == "int64" else count)
            for output, tensor in outputs.items()
        }
        for name, count in counts.items()
    }


def largest(bounds):
    """{class: {output: bits of the largest bound, float64}}; those of correct and faithful are counts of ulps."""
    return {
        name: {
            output: bit_strings(np.array([limit.max(initial=0.0)], np.float64))[0] for output, limit in limits.items()
        }
        for name, limits in bounds.items()
    }
