"""Emulations as explanations: the numbers of a call in the arithmetic of a program, named where all elements agree.

A call whose arguments have an `emulation` is made in it. Its numbers are defined to the last bit, so that an answer is
judged against them as `correct`, or as `faithful` within one unit in the last place.
"""

from __future__ import annotations

from .. import catalogue, emulate
from ..arithmetic import formats
from ..emulate import calls
from .call import EMULATION, ROUNDED, Call, argument, array_of, as_data, stored
from .mistake import Mistake, Outputs


def other_arithmetic(call: Call):
    """The mistakes of computing a call as programs do, each in an emulation that it has."""
    for name, profile in emulate.PROFILES.items():
        if emulate.applies(name, call.suite):
            computed = f"emulate.{name} ({profile.meaning})"
            yield Mistake(EMULATION, computed, "the exact value", _to(name), outputs=outputs, rare=True)


def _to(name):
    return lambda call: call.change(**{EMULATION: name})


def outputs(call: Call) -> Outputs:
    """The output tensors of a call in the emulation that its arguments name."""
    suite, asked = call.suite, call.without(EMULATION, ROUNDED).arguments
    given = {name: as_data(value) if name == "frequencies" else argument(value) for name, value in asked.items()}
    given.update({name: array_of(name, tensor) for name, tensor in call.tensors.items()})
    main = call.tensors.get("x")
    if main is not None and main.dtype == "bfloat16":
        given["dtype"] = "bfloat16"
    if ROUNDED in call.arguments:
        given["dtype"] = call.arguments[ROUNDED]
    entry = catalogue.find(suite)
    made_into = asked.get("dtype") if entry.family == "frequencies" else None
    if made_into:
        given.pop("dtype")
    fmt, values = calls.values_of(emulate.find(call.arguments[EMULATION]), suite, given, checked=True)
    fmt = formats.FORMATS[made_into] if made_into else fmt
    made = {name: stored(part, fmt) for name, part in zip(entry.outputs, values)}
    if len(made) < len(entry.outputs):  # the axes of frequencies are integers
        made = {**call.without(EMULATION).outputs(), **made}
    return made
