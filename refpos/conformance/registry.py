"""Which function has an error bound, and a call with all of its arguments."""

import numpy as np

from .. import catalogue, checks, foreign
from ..errors import InputError, shown
from .memoize import once

#: {name: derivation}. Of a function that returns `Frequencies` it takes (arguments, exact frequencies) and returns
#: `computed_frequencies.ComputedFrequencies`; of all others it takes (arguments, format) and returns
#: {class: {output: array}}
ERROR_BOUNDS = {}
#: where the error bound of a function of each family belongs, and one to copy from
FILE_OF_FAMILY = {
    "frequencies": ("scalings.py", "linear"),
    "absolute": ("tables.py", "sinusoidal"),
    "rotary": ("rotations.py", "rope"),
    "relative": ("biases.py", "alibi"),
    "scores": ("attention.py", "attention"),
    "tables": ("resizing.py", "resize_table"),
    "operators": ("operators.py", "onnx_rotary_embedding"),
}
#: families whose functions need none
NO_BOUND = {"positions": "positions are integers or rounded once"}
NO_BOUND_OF_GRADIENT = "a gradient that is a sum of products, rounded once, is compared with the expected value alone"
#: what may stand in place of frequencies
WIDTHS = ("dim", "rotary_dim")
#: arguments that may be lists of calls
OF_CALLS = ("frequencies", "parts")


def error_bound(name):
    """Enter the decorated derivation as the error bound of that function."""

    def enter(derivation):
        if name in ERROR_BOUNDS:
            raise InputError("E_CHOICE", "name", f"a function must have one error bound, got {name!r} twice")
        ERROR_BOUNDS[name] = derivation
        return derivation

    return enter


def derives(name):
    """Whether there is an error bound for the function of that name, or only equality is right."""
    return name in ERROR_BOUNDS or (name in catalogue.ENTRIES and catalogue.ENTRIES[name].exact)


def reason_for_none(entry):
    """Why no error bound is derived for a function: what its file or its family says; None where neither does."""
    if entry.is_vjp:
        return None if entry.contract == "written" or entry.name in ERROR_BOUNDS else NO_BOUND_OF_GRADIENT
    return entry.no_error_bound or NO_BOUND.get(entry.family)


def without_bound(entry):
    """That a function has no error bound, and why, or where it belongs."""
    reason = reason_for_none(entry)
    if not reason:
        file, like = FILE_OF_FAMILY[entry.family]
        reason = (
            f'add one under @error_bound("{entry.name}") in refpos/conformance/derivations/{file} (see {like}),'
            " or the reason for none as no_error_bound= of its @register"
        )
    return f"{entry.name} has no error bound: {reason}"


def derivation_of(name):
    """The error bound of a function of the catalogue."""
    if name not in ERROR_BOUNDS:
        raise InputError("E_CHOICE", "function_name", without_bound(catalogue.find(name)))
    return ERROR_BOUNDS[name]


def complete(name, arguments):
    """The arguments of a call of a catalogue function, with its defaults for those that are left out.

    Frequencies are the call that makes them. A width and a base may stand in their place: a table's `dim` or
    `rotary_dim`, and `dim` for the `rotary_dim` of a rotation.
    """
    entry = catalogue.find(name)
    arguments = entry.current(arguments)
    call = {**entry.defaults, **arguments}
    if "frequencies" in entry.required and call.get("frequencies") is None:
        call["frequencies"] = _unscaled(name, arguments)
    elif "rotary_dim" in entry.parameters and call["rotary_dim"] is None:
        call["rotary_dim"] = arguments.get("dim")
    stand_ins = (*WIDTHS, "base") if "frequencies" in entry.required or "rotary_dim" in entry.parameters else ()
    for key in call:
        if key not in (*entry.parameters, *stand_ins, "dtype"):
            known = ", ".join(entry.parameters)
            sentence = f"arguments must be among those of {name} ({known}), got {shown(key)}"
            raise InputError("E_CHOICE", "arguments", sentence)
    for key in entry.required:
        if key not in call:
            raise InputError("E_MISSING", key, f"{key} must be given for {name}, got none")
    return call


def check(name, arguments, dtype=None):
    """Make the call with plain arguments, so that the function itself refuses what it refuses.

    dtype: what the function is asked for where it has such a parameter; None leaves it as given.
    """
    entry = catalogue.find(name)
    call = {key: _made(key, value) for key, value in arguments.items() if key in entry.parameters}
    if dtype is not None and "dtype" in entry.parameters:
        call["dtype"] = dtype
    entry.function(**call)


def _made(key, value):
    """An argument with the frequencies, or the parts, of the calls that make them."""
    if key not in OF_CALLS:
        return value
    return [_called(key, one) for one in value] if isinstance(value, (list, tuple)) else _called(key, value)


def _called(key, value):
    if not is_call(value):
        return value
    called = catalogue.find(value["function"]).function
    return exact_frequencies(value) if key == "frequencies" else called(**value["arguments"])


def _unscaled(name, arguments):
    """The call that makes the frequencies of a width and a base."""
    dim = next((arguments[key] for key in WIDTHS if key in arguments), None)
    if dim is None:
        raise InputError("E_MISSING", "dim", f"dim or frequencies must be given for {name}, got none")
    base = {"base": arguments["base"]} if "base" in arguments else {}
    return {"function": "inverse_frequencies", "arguments": {"dim": dim, **base}}


def computed_frequencies(call):
    """The exact frequencies of a call {"function": name, "arguments": {...}}, and the errors of computed ones."""
    name, arguments = call["function"], call["arguments"]
    derivation, exact = derivation_of(name), exact_frequencies(call)
    checks.integer("dim", exact.dim, maximum=checks.WIDEST)  # derived one by one
    return derivation(complete(name, arguments), exact)


@once
def exact_frequencies(call):
    """The `Frequencies` of a call, whose arguments may hold others such."""
    name, arguments = call["function"], {key: value for key, value in call["arguments"].items() if key != "dtype"}
    complete(name, arguments)  # which refuses what the function does not take
    if catalogue.find(name).family != "frequencies":
        raise InputError("E_CHOICE", "frequencies", f"frequencies must be a call that makes them, got one of {name}")
    inner = arguments.get("frequencies")
    if isinstance(inner, (list, tuple)):  # one for each block of an axis
        arguments["frequencies"] = [exact_frequencies(one) if is_call(one) else one for one in inner]
    elif is_call(inner):
        arguments["frequencies"] = exact_frequencies(inner)
    return catalogue.find(name).function(**arguments)


def is_call(value):
    """Whether a value is a call {"function": name, "arguments": {...}}."""
    if not isinstance(value, dict) or set(value) != {"function", "arguments"}:
        return False
    name, arguments = value["function"], value["arguments"]
    return isinstance(name, str) and isinstance(arguments, dict) and all(isinstance(key, str) for key in arguments)


def plain_numbers(name, arguments):
    """The arguments of a call of that function, with Python's numbers in place of those of NumPy and of arrays of any
    library without an axis, unless the function takes an array there; those of calls among them too."""
    parameters = catalogue.find(name).parameters
    return {key: _plain(key, value, _is_number(parameters.get(key))) for key, value in arguments.items()}


def _is_number(parameter):
    """Whether a parameter is not an array: an unknown one is a width or base in place of frequencies."""
    return parameter is None or not any(kind in str(parameter.annotation) for kind in ("Array", "Positions"))


def _plain(key, value, is_number):
    if is_call(value):
        return {**value, "arguments": plain_numbers(value["function"], value["arguments"])}
    if key in OF_CALLS and isinstance(value, (list, tuple)):
        return [_plain(None, one, False) for one in value]
    if not is_number:
        return value
    return type(value)(_number(key, one) for one in value) if type(value) in (list, tuple) else _number(key, value)


def _number(name, value):
    if foreign.is_foreign(value):
        value = checks.widened(name, value) if getattr(value, "shape", None) == () else value
    elif hasattr(type(value), "__index__") and not isinstance(value, (int, np.generic, np.ndarray)):
        value = checks.integer(name, value, -checks.LARGEST_SIZE)
    if isinstance(value, (np.generic, np.ndarray)) and value.shape == () and value.dtype.kind in "iuf":
        return value.item()
    return value
