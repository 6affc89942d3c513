"""A call of a function of the catalogue as data, and what it gives: the asked one, and every wrong one beside it."""

from __future__ import annotations

import contextlib
import functools
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np

from .. import catalogue
from ..arithmetic import formats, rounding
from ..conformance.memoize import once
from ..errors import InputError
from ..measure.made import patterns
from ..steps.angles.frequencies import Frequencies
from ..steps.positions import coordinates
from ..steps.waves import grids
from ..tensor_files import Tensor
from .eight_bits import eight_bit_rules
from .numbers import as_numbers

#: the argument of a call that makes frequencies which holds others in their place
MADE = "made"
#: the argument of a call that names the arithmetic in which it is made, see emulated.py
EMULATION = "emulation"
#: the argument of a call that names the format to which its results are rounded, where it has no dtype for that
ROUNDED = "rounded"
#: the argument that may be a call whose exact values are rounded, so that it is handed over as it is
VALUES = "values"


class Call(NamedTuple):
    """A call of a function of the catalogue; arguments as Python takes them, frequencies as calls that make them or as
    `Frequencies` that keep the call which their error bounds are derived from."""

    suite: str
    arguments: dict[str, Any]
    tensors: dict[str, Tensor]

    def change(self, **arguments):
        """The call with other arguments."""
        return self._replace(arguments={**self.arguments, **arguments})

    def without(self, *names):
        """The call without those arguments."""
        return self._replace(arguments={name: value for name, value in self.arguments.items() if name not in names})

    def given(self, **tensors):
        """The call with other arrays; a sum of one without axes is a number, which would count positions."""
        tensors = {name: one._replace(values=np.asarray(one.values)) for name, one in tensors.items()}
        left = {name: value for name, value in self.arguments.items() if name not in tensors}
        return self._replace(arguments=left, tensors={**self.tensors, **tensors})

    def outputs(self):
        """What the call returns, by name."""
        made = self.arguments.get("frequencies")
        return results(*(self.change(frequencies=made_once(made)) if is_call(made) else self))


def results(suite, arguments, tensors, dtype=None, threads=None):
    """The output tensors, by name, of a call of a function of the catalogue."""
    arguments = {name: passed(name, value) for name, value in arguments.items()}
    rounded = arguments.pop(ROUNDED, None)
    if rounded is not None and dtype is None:
        exact = "float64" if "x" in tensors and tensors["x"].dtype in formats.FORMATS else None
        wide = results(suite, arguments, tensors, exact, threads)
        return {name: stored(as_numbers(one, one), formats.FORMATS[rounded]) for name, one in wide.items()}
    if dtype is not None:
        arguments, tensors = _in_format(arguments, tensors, dtype)
    arrays = {name: array_of(name, tensor) for name, tensor in tensors.items()}
    if eight_bit_rules.RULE in arguments:
        return eight_bit_rules.outputs(suite, {**arrays, **arguments})
    entry = catalogue.find(suite)
    if entry.family == "frequencies":
        return _frequencies(suite, {**arrays, **arguments})
    if threads is not None and "threads" in entry.parameters:
        arguments["threads"] = threads
    kind = arguments.get("dtype")
    if kind == "bfloat16" and "out" in entry.parameters:
        # bit patterns need an array to go to
        arguments.update(_for_patterns(entry.function, {**arrays, **arguments}))
    # without a dtype in the call the result has that of the array that is rotated or copied
    main = tensors.get(entry.copies or "x")
    if kind is None and "x" in tensors and main.dtype == "bfloat16":
        arguments["dtype"] = "bfloat16"
    kind = kind or (main.dtype if main else None)
    result = entry.function(**arrays, **arguments)
    if entry.is_vjp:  # each gradient has the dtype of its argument, and for a number that of the array
        kinds = {name: tensors[name].dtype if name in tensors else array.dtype.name for name, array in result.items()}
        return {catalogue.GRADIENT + name: Tensor(kinds[name], array) for name, array in result.items()}
    made = result if isinstance(result, tuple) else (result,)
    names = entry.outputs_of(arguments)
    if entry.whole:  # bit patterns too are integers
        return {name: Tensor("int64", np.asarray(array, np.int64)) for name, array in zip(names, made, strict=True)}
    # bit patterns of a table of bfloat16, where NumPy has no dtype for them
    patterns = "bfloat16" if any(tensor.dtype == "bfloat16" for tensor in tensors.values()) else "uint16"
    kinds = [kind or (patterns if array.dtype == np.uint16 else array.dtype.name) for array in made]
    return {name: Tensor(held, array) for name, held, array in zip(names, kinds, made, strict=True)}


def _for_patterns(function, given):
    """{"out": arrays of patterns} for a call of bfloat16; none where its dtype is that of x, and not of the result."""
    try:
        made = function(**{**given, "dtype": "float16"})  # which has the same shapes
    except InputError as error:
        if error.argument == "dtype":
            return {}
        raise
    return {"out": patterns(made)}


def stored(values, fmt):
    """float64 values rounded to a format, as a tensor."""
    bits = rounding.narrow(np.ascontiguousarray(values), fmt).reshape(values.shape)
    return Tensor(fmt.name, bits.view(np.float16) if fmt.name == "float16" else bits)


def argument(value):
    """An argument as a function takes it: lists element by element, and {"function": ..., "arguments": ...} called."""
    if isinstance(value, (list, tuple)) and not hasattr(value, "_fields"):
        return [argument(one) for one in value]
    if is_call(value):
        return _called(value["function"], {name: argument(inner) for name, inner in value["arguments"].items()})
    return value


def passed(name, value):
    """The argument of that name as a function takes it: every call in it made, but for values that are a call."""
    return to_be_made(value) if name == VALUES and is_call(value) else argument(value)


def to_be_made(value):
    """A call as a function that makes it."""
    arguments = {name: argument(inner) for name, inner in value["arguments"].items()}
    for name in {"x", "weight"} & arguments.keys():  # as JSON says them, where 1.0 is 1
        with contextlib.suppress(OverflowError):  # the function refuses what is no float64
            arguments[name] = np.array(arguments[name], np.float64)
    return functools.partial(catalogue.find(value["function"]).function, **arguments)


def is_call(value):
    """Whether an argument is a call that is not made yet."""
    return isinstance(value, dict) and "function" in value


def made_once(recipe):
    """The `Frequencies` of a call; those of equal calls are the same, so that they are computed once."""
    return recipe if isinstance(recipe, Frequencies) else _made_once(recipe)


_made_once = once(argument)


def _called(name, arguments):
    """A grid, coordinates along one axis of it, or what a function of the catalogue returns."""
    if name == "grid":
        return grids.grid(*arguments["coordinates"])
    if name in coordinates.__all__:
        return getattr(coordinates, name)(**arguments)
    return catalogue.find(name).function(**arguments)


def _frequencies(name, arguments):
    fmt = formats.resolve(arguments.pop("dtype", "float64"))
    made = arguments.pop(MADE, None)
    frequencies = catalogue.find(name).function(**arguments) if made is None else made
    stored = np.empty(len(frequencies), fmt.storage)
    frequencies.fill(stored, fmt)
    factor = np.array(frequencies.factor.pattern(fmt), f"u{fmt.width // 8}").view(fmt.storage)
    native = (array.view(np.float16) if fmt.name == "float16" else array for array in (stored, factor))
    tensors = [Tensor(fmt.name, array) for array in native]
    axes = frequencies.axes or (0,) * len(frequencies)
    tensors.append(Tensor("int64", np.array(axes, np.int64)))
    return dict(zip(catalogue.find(name).outputs, tensors))


def array_of(name, tensor):
    """The array of a tensor, as a function takes it."""
    if name in ("positions", "timesteps") and tensor.dtype == "bfloat16":
        # the same numbers under a dtype NumPy has
        return rounding.widen(tensor.values, formats.FORMATS["bfloat16"]).astype(np.float32)
    return tensor.values


def _in_format(arguments, tensors, dtype):
    if "dtype" in arguments:
        return {**arguments, "dtype": dtype}, tensors
    changed = {}
    for name in {"x", "cache", "cotangent"} & tensors.keys():  # a cotangent has the dtype of x
        fmt = formats.FORMATS[tensors[name].dtype]
        values = rounding.widen(tensors[name].values.view(fmt.storage), fmt)
        changed[name] = Tensor(dtype, values.astype(dtype))
    return arguments, {**tensors, **changed}


# -- frequencies ------------------------------------------------------------------------------------------------------


def recipe_of(frequencies, is_given=False):
    """The call that makes `Frequencies`, as data; where it is not known, or gives others by now, that of their
    numbers. is_given: whether somebody gave them, and not a mistake that is tried: then they are refused where their
    numbers are not all that they have."""
    kept = frequencies.recipe
    if kept is not None:
        name, given, named = kept
        arguments = dict(zip(catalogue.find(name).parameters, given)) | named
        made = {"function": name, "arguments": {key: as_data(value, is_given) for key, value in arguments.items()}}
        if same_frequencies(frequencies, argument(made)):
            return made
    if is_given:
        _check_numbers_alone(frequencies)
    return {"function": "given_frequencies", "arguments": {"inv_freq": frequencies.inv_freq.tolist()}}


def _check_numbers_alone(frequencies):
    """Refuse axes and a factor, which given_frequencies has not: its bounds would be those of other numbers."""
    held = {"axes": frequencies.axes, "attention_factor": frequencies.attention_factor}
    changed = [f"{name} {value}" for name, value in held.items() if value not in (None, 1)]
    if changed:
        sentence = "frequencies with axes or an attention_factor must be those that a function such as yarn returned"
        raise InputError("E_CHOICE", "frequencies", f"{sentence}, got changed ones with {' and '.join(changed)}")


def as_data(value, is_given=False):
    """An argument with `Frequencies` in it as the calls that make them, and fractions as the numbers that they are."""
    if isinstance(value, Frequencies):
        return recipe_of(value, is_given)
    if isinstance(value, Fraction):
        # a scaling makes the frequencies it starts from with its base as a fraction, and equal ones are made once
        if value.denominator == 1:
            return value.numerator
        try:
            return float(value) if Fraction(float(value)) == value else value
        except OverflowError:  # beyond every float
            return value
    if isinstance(value, (list, tuple)) and any(isinstance(one, Frequencies) for one in value):
        return [as_data(one, is_given) for one in value]
    return value


def same_frequencies(one, other):
    """Whether two `Frequencies` have the same rounded numbers, axes and factor."""
    if len(one) != len(other) or one.axes != other.axes or one.attention_factor != other.attention_factor:
        return False
    return bool((one.inv_freq == other.inv_freq).all())
