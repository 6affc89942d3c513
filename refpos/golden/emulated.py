"""Emulations as explanations: the numbers of a call in the arithmetic of a program, named where all elements agree.

A call whose arguments have an `emulation` is made in it. Its numbers are defined to the last bit, so that an answer is
judged against them as `correct`, or as `faithful` within one unit in the last place.
"""

import numpy as np

from ..arithmetic import formats, rounding
from ..tensor_files import Tensor

NAME = "emulation"


def mistakes(call):
    """(name, what was computed, what is asked for, the call) of every emulation of a call."""
    from .. import emulate

    for name, profile in emulate.PROFILES.items():
        if emulate.applies(name, call.suite):
            yield NAME, f"emulate.{name} ({profile.meaning})", "the exact value", call.change(**{NAME: name})


def results(suite, arguments, tensors, run):
    """The output tensors of a call in the emulation that its arguments name; run: the module that makes the call."""
    from .. import catalogue
    from ..emulate import calls, find

    asked = {name: value for name, value in arguments.items() if name != NAME}
    profile = find(arguments[NAME])
    given = {name: value if name == "frequencies" else run.argument(value) for name, value in asked.items()}
    given.update({name: run.array_of(name, tensor) for name, tensor in tensors.items()})
    main = tensors.get("x")
    if main is not None and main.dtype == "bfloat16":
        given["dtype"] = "bfloat16"
    made_into = asked.get("dtype") if catalogue.find(suite).family == "frequencies" else None
    if made_into:
        given.pop("dtype")
    fmt, values = calls.values_of(profile, suite, given)
    fmt = formats.FORMATS[made_into] if made_into else fmt
    tensors_of = {name: _tensor(part, fmt) for name, part in zip(catalogue.find(suite).outputs, values)}
    if len(tensors_of) < len(catalogue.find(suite).outputs):  # the axes of frequencies are whole numbers
        tensors_of = {**run.results(suite, asked, tensors), **tensors_of}
    return tensors_of


def _tensor(values, fmt):
    stored = rounding.narrow(np.ascontiguousarray(values), fmt).reshape(values.shape)
    return Tensor(fmt.name, stored.view(np.float16) if fmt.name == "float16" else stored)
