"""The error bounds of a call, class by class."""

import numpy as np

from ..arithmetic import formats
from ..conformance import error_bounds
from ..conformance.classes import PIPELINES
from ..conformance.derivations.exact_inputs import exact_values
from ..conformance.derivations.rounding_errors import unit_roundoff
from ..steps.angles.frequencies import Frequencies
from .call import EMULATION, MADE, ROUNDED, argument, as_data, is_call
from .eight_bits.eight_bit_rules import RULE


def bounds_of(suite, arguments, tensors, outputs):
    """{class: {output: array of the shape of the output}} as `error_bounds.bounds` derives them, from arguments as
    Python takes them and frequencies as the calls that make them; of emulations, and where no bound is derived,
    `correct` and, of numbers that are rounded, `faithful`."""
    if EMULATION in arguments or RULE in arguments or not error_bounds.derives(suite):
        return counted(outputs)
    given = {name: _read(name, value) for name, value in arguments.items() if name not in (MADE, ROUNDED)}
    # bfloat16 stays tagged, so that patterns are not taken for numbers
    arrays = {name: tensor if tensor.dtype == "bfloat16" else tensor.values for name, tensor in tensors.items()}
    fmt = formats.FORMATS.get(next(iter(outputs.values())).dtype)
    limits = error_bounds.of_answered(suite, error_bounds.read_call(suite, given, arrays), fmt)
    factor = _factor_left_out(arguments.get("frequencies"), given)
    return limits if factor == 1 else _times(limits, factor, tensors.get("x"))


def _factor_left_out(frequencies, given):
    """The attention factor of frequencies that a mistake changed, where the call of their numbers is without it."""
    is_left_out = isinstance(frequencies, Frequencies) and given["frequencies"]["function"] == "given_frequencies"
    return frequencies.attention_factor if is_left_out else 1


def _times(limits, factor, x):
    """Bounds of what is multiplied by a factor then: as many times as wide, with the rounding of the factor and of its
    products, two of channels, for which the largest one stands."""
    largest = 1.0 if x is None else 2 * float(np.nan_to_num(np.abs(exact_values(x)), posinf=0.0).max(initial=0.0))
    wider = {}
    for name, parts in limits.items():
        arithmetic = PIPELINES[name].arithmetic if name in PIPELINES else None
        more = 0.0 if arithmetic is None else 4 * unit_roundoff(arithmetic) * largest
        wider[name] = parts if arithmetic is None else {key: factor * (part + more) for key, part in parts.items()}
    return wider


def _read(name, value):
    """An argument as bounds take it: frequencies and parts are the calls that make them."""
    if name == "frequencies":
        return as_data(value)
    if name == "parts":
        return [{**part, "arguments": _made(part)} if is_call(part) else part for part in value]
    return argument(value)


def _made(part):
    """The arguments of a call as Python takes them; the call is not made."""
    return {name: argument(value) for name, value in part["arguments"].items()}


def counted(outputs):
    """The bounds of `correct` and, of numbers that are rounded, `faithful`, which hold for every call."""
    all_integers = all(tensor.dtype == "int64" for tensor in outputs.values())
    counts = {"correct": 0.0} if all_integers else {"correct": 0.0, "faithful": 1.0}
    return {
        name: {
            output: np.broadcast_to(0.0 if tensor.dtype == "int64" else count, tensor.values.shape)
            for output, tensor in outputs.items()
        }
        for name, count in counts.items()
    }
