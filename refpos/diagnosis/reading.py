"""A call that somebody writes in Python, read as data; and the answers to it."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from .. import catalogue, checks, foreign
from ..arithmetic import formats
from ..errors import InputError, InputTypeError, shown
from ..steps.angles.frequencies import Frequencies
from ..tensor_files import Tensor, answer, tensor
from .call import Call, as_data

#: where and how a result is returned
_NOT_NUMBERS = ("out", "threads", "view")
#: arguments that are arrays, also where they are written as lists
_LISTED = ("positions", "timesteps", "position_ids", "coordinates", "x", "q", "k", "v", "weight", "relative_positions")
TIMES = "times"  # dates, or seconds
LONGEST = 1 << 26  # elements of a range that is made an array


def read_function(function):
    """The catalogue entry of a function of refpos."""
    name = catalogue.name_of(function)
    entry = catalogue.ENTRIES.get(name) if isinstance(name, str) else None
    if entry is None or entry.function is not function:
        sentence = f"expected must be a function of refpos's catalogue, such as refpos.rope, got {shown(function)}"
        raise InputTypeError("E_CHOICE", "expected", sentence)
    return entry


def names_dtype(function, given, named):
    """Whether a call says the dtype of its result."""
    return (dict(zip(read_function(function).parameters, given)) | named).get("dtype") is not None


def read_call(entry, given, named, answered):
    """The `Call` of arguments as Python passes them; where it says no dtype, it has that of the answers."""
    parameters = list(entry.parameters)
    if len(given) > len(parameters):
        sentence = f"{entry.name} must have at most {len(parameters)} arguments, got {len(given)}"
        raise InputError("E_CHOICE", "arguments", sentence)
    call = dict(zip(parameters, given)) | named
    for name in named:
        if name not in parameters or name in parameters[: len(given)]:
            sentence = (
                f"arguments must be those of {entry.name}, each once ({', '.join(parameters)}), got {shown(name)}"
            )
            raise InputError("E_CHOICE", "arguments", sentence)
    missing = [name for name in entry.required if name not in call]
    if missing:
        raise InputError("E_MISSING", missing[0], f"{missing[0]} must be given for {entry.name}, got none")
    if call.get("dtype") is not None and not entry.whole:  # an 8-bit format is what the function itself reads
        call["dtype"] = formats.resolve(call["dtype"]).name
    elif takes_dtype_of_answers(entry, call):
        call["dtype"] = format_of(answered)
    return _sorted(entry, call)


def takes_dtype_of_answers(entry, call):
    """Whether a call leaves out the dtype of its result, so that its answers say it."""
    return call.get("dtype") is None and (entry.defaults.get("dtype") == "float64" or entry.family == "frequencies")


def format_of(answered):
    """The format of the first answers that are rounded numbers."""
    found = [one.dtype for one in answered.values() if one.dtype in formats.FORMATS]
    return found[0] if found else "float64"


def _sorted(entry, call):
    """Arrays apart from arguments, with the defaults of the function for the others."""
    left_out = {"base"} if call.get("frequencies") is not None else set()
    defaults = {name: one for name, one in entry.defaults.items() if one is not None and name not in left_out}
    arguments, tensors = {}, {}
    for name, value in {**defaults, **call}.items():
        if name in _NOT_NUMBERS or (value is None and name not in entry.required):
            continue
        value = _listed_times(value) if name == TIMES else value
        if _is_array(value) or (name in _LISTED and isinstance(value, (list, range)) and _is_plain(name, value)):
            tensors[name] = _array(name, value)
        elif isinstance(value, (np.integer, np.floating)) and np.ndim(value) == 0:
            arguments[name] = value.item()
        else:
            arguments[name] = None if value is None else as_data(checks.nesting(name, value), is_given=True)
    x = tensors.get("x")
    if arguments.get("dtype") == "bfloat16" and x is not None and x.dtype == "uint16":
        tensors["x"] = Tensor("bfloat16", x.values)
    return Call(entry.name, arguments, tensors)


def _listed_times(value):
    """Dates and times, of which no `Tensor` holds an array, as a list; seconds as they are."""
    kind = value.dtype.kind if isinstance(value, np.ndarray) else ""
    if kind == "M":
        return np.datetime_as_string(value.astype("M8[s]")).tolist()
    return value.tolist() if kind in ("U", "O") else value


def _is_array(value):
    if isinstance(value, Frequencies):
        return False
    return isinstance(value, (Tensor, np.ndarray)) or foreign.is_foreign(value)


def _is_plain(name, values):
    """Whether a list holds numbers or lists of numbers, and no coordinates."""
    if name == "coordinates" and not any(np.ndim(one) for one in values):  # those of axes, each counted
        return False
    return isinstance(values, range) or not any(hasattr(one, "_fields") or isinstance(one, dict) for one in values)


def _array(name, value):
    return tensor(_listed(name, value) if isinstance(value, (list, range)) else value, name)


def _listed(name, value):
    """A list as an array; a range is one of integers, which may be too many to be held."""
    if isinstance(value, range) and value and abs(value[-1] - value[0]) // abs(value.step) >= LONGEST:
        raise InputError("E_TOO_LARGE", name, f"{name} must have at most {LONGEST} positions, got {shown(value)}")
    return checks.array(name, value)


def read_answers(actual, names, whole=False):
    """{output: Tensor} of what somebody got: an array, a list of the outputs, or a dict of some by their names.

    whole: whether integers are expected, for which 8-bit floats give their bit patterns."""
    like = "int64" if whole else None
    if isinstance(actual, Mapping):
        unknown = [name for name in actual if name not in names]
        if unknown or not actual:
            received = shown(unknown[0]) if unknown else "an empty dict"
            raise InputError("E_MISSING", "actual", f"actual must have names among {', '.join(names)}, got {received}")
        return {name: answer(actual[name], name, like) for name in names if name in actual}
    if len(names) > 1 and isinstance(actual, (tuple, list)) and not isinstance(actual, Tensor):
        if len(actual) != len(names):
            sentence = f"actual must be the {len(names)} outputs {', '.join(names)}, got {len(actual)}"
            raise InputError("E_MISSING", "actual", sentence)
        return {name: answer(one, name, like) for name, one in zip(names, actual, strict=True)}
    if len(names) > 1 and names[0] != "inv_freq":
        one = f"one of them alone as {{{names[0]!r}: {names[0]}}}"
        sentence = f"actual must be ({', '.join(names)}) or a dict of these names, {one}, got {type(actual).__name__}"
        raise InputTypeError("E_MISSING", "actual", sentence)
    return {names[0]: answer(actual, "actual", like)}
