"""Running a case: from plain data to the call, and from its result to tensors."""

import sys
from fractions import Fraction

import numpy as np

from .. import catalogue
from ..arithmetic import formats, rounding
from ..errors import InputError
from ..steps import coordinates, grids
from ..tensor_files import Tensor
from . import emulated
from .case import build
from .format import python_value

_NOT_NUMBERS = ("out", "threads", "view")  # they never change a value


def arguments_of(case):
    """The arguments of a case with the defaults of the function written out; those that default to None stay away."""
    if case.refusal:
        return dict(case.arguments)  # what is left out does not matter
    left_out = {*case.inputs, *_NOT_NUMBERS}
    if "frequencies" in case.arguments:
        left_out.add("base")
    defaults = {
        name: default
        for name, default in catalogue.find(case.suite).defaults.items()
        if name not in left_out and default is not None
    }
    if _makes_frequencies(case):
        defaults["dtype"] = "float64"
    return {**defaults, **case.arguments}


def inputs_of(case):
    """The input tensors of a case."""
    return {name: build(values, case) for name, values in case.inputs.items()}


def outputs_of(case, dtype=None, threads=None):
    """The output tensors of a case, by name; `dtype` asks for another format than the case does."""
    return results(case.suite, arguments_of(case), inputs_of(case), dtype, threads)


def results(suite, arguments, tensors, dtype=None, threads=None):
    """The output tensors, by name, of a call of the catalogue; of an emulation where its arguments name one."""
    if emulated.NAME in arguments:
        return emulated.results(suite, arguments, tensors, sys.modules[__name__])
    arguments = {name: argument(value) for name, value in arguments.items()}
    if dtype is not None:
        arguments, tensors = _in_format(arguments, tensors, dtype)
    arrays = {name: array_of(name, tensor) for name, tensor in tensors.items()}
    entry = catalogue.find(suite)
    if entry.family == "frequencies":
        return _frequencies(suite, {**arrays, **arguments})
    if threads is not None and "threads" in entry.parameters:
        arguments["threads"] = threads
    kind = arguments.get("dtype")
    if kind == "bfloat16":
        # bit patterns need an array to go to, and float16 has the same shapes
        arguments["out"] = _patterns(entry.function(**arrays, **{**arguments, "dtype": "float16"}))
    # without a dtype in the call the result has that of the array that is rotated or copied
    main = tensors.get(entry.copies or "x")
    if kind is None and "x" in tensors and main.dtype == "bfloat16":
        arguments["dtype"] = "bfloat16"
    kind = kind or (main.dtype if main else None)
    result = entry.function(**arrays, **arguments)
    made = result if isinstance(result, tuple) else (result,)
    names = entry.outputs_of(arguments)
    return {name: Tensor(kind or array.dtype.name, array) for name, array in zip(names, made, strict=True)}


def _patterns(results):
    """Arrays for bit patterns in the shapes of the results."""
    if isinstance(results, tuple):
        return tuple(map(_patterns, results))
    return np.empty(results.shape, np.uint16)


def refusal_of(case):
    """(code, argument) with which the call is refused; None when it is not."""
    try:
        outputs_of(case)
    except InputError as error:
        return error.code, error.argument
    return None


def argument(value):
    """An argument as a function takes it: lists element by element, and {"function": ..., "arguments": ...} called."""
    if isinstance(value, (list, tuple)):
        return [argument(one) for one in value]
    if isinstance(value, dict) and "function" in value:
        return _called(value["function"], {name: argument(inner) for name, inner in value["arguments"].items()})
    return _number(value)


def call(value):
    """A call {"function": ..., "arguments": ...} with its arguments as Python takes them, but not made."""
    if isinstance(value, (list, tuple)):
        return [call(one) for one in value]
    if isinstance(value, dict) and "function" in value:
        return {**value, "arguments": {name: call(inner) for name, inner in value["arguments"].items()}}
    return _number(value)


def _number(value):
    if isinstance(value, dict) and "fraction" in value:
        return Fraction(*value["fraction"])
    return python_value(value)


def _called(name, arguments):
    """A grid, coordinates along one axis of it, or what a function of the catalogue returns."""
    if name == "grid":
        return grids.grid(*arguments["coordinates"])
    if name in coordinates.__all__:
        return getattr(coordinates, name)(**arguments)
    return catalogue.find(name).function(**arguments)


def _makes_frequencies(case):
    return catalogue.find(case.suite).family == "frequencies"


def _frequencies(name, arguments):
    fmt = formats.resolve(arguments.pop("dtype", "float64"))
    frequencies = catalogue.find(name).function(**arguments)
    stored = np.empty(len(frequencies), fmt.storage)
    frequencies.fill(stored, fmt)
    factor = np.array(frequencies.factor.pattern(fmt), f"u{fmt.width // 8}").view(fmt.storage)
    native = (array.view(np.float16) if fmt.name == "float16" else array for array in (stored, factor))
    tensors = [Tensor(fmt.name, array) for array in native]
    axes = frequencies.axes or (0,) * len(frequencies)
    tensors.append(Tensor("int64", np.array(axes, np.int64)))
    return dict(zip(catalogue.find(name).outputs, tensors))


def array_of(name, tensor):
    """The array that a function takes for an input."""
    if name in ("positions", "timesteps") and tensor.dtype == "bfloat16":
        # the same numbers under a dtype NumPy has
        return rounding.widen(tensor.values, formats.FORMATS["bfloat16"]).astype(np.float32)
    return tensor.values


def _in_format(arguments, tensors, dtype):
    if "dtype" in arguments:
        return {**arguments, "dtype": dtype}, tensors
    x = tensors["x"]
    fmt = formats.FORMATS[x.dtype]
    values = rounding.widen(x.values.view(fmt.storage), fmt)
    return arguments, {**tensors, "x": Tensor(dtype, values.astype(dtype))}
