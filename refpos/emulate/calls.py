"""A call of refpos, made in an emulated arithmetic: its arguments read, its result stored."""

import inspect
from fractions import Fraction

import numpy as np

from .. import catalogue, checks, foreign
from ..arithmetic import formats, rounding
from ..conformance.registry import check, complete, plain_numbers
from ..errors import InputError, InputTypeError, shown
from ..steps.angles.frequencies import Frequencies, geometric
from . import alibi_slope_programs, rotation_programs, table_programs
from .operations import BFLOAT16, FLOAT32, rounded
from .profile_registry import EMULATED, outputs

#: each enters its emulations when it is imported
WITH_EMULATIONS = (table_programs, rotation_programs, alibi_slope_programs)
#: arguments that say where a result goes, not what it is
NOT_TAKEN = ("out", "view")
SLOPES = ("alibi", "alibi_slopes")
NO_FREQUENCIES = ("running", "divisor")  # ways to angles that compute none


def applies(profile, name):
    """Whether an emulation is one of a function of the catalogue."""
    if name not in EMULATED or (name in SLOPES) != (profile.kind == "slopes"):
        return False
    return profile.frequencies not in NO_FREQUENCIES or catalogue.find(name).family != "frequencies"


def emulated(profile, function, positional, options):
    """The result of a call in an emulated arithmetic: an array, two of them, or (inv_freq, attention factor)."""
    name = _name(profile, function)
    entry = catalogue.find(name)
    given = inspect.signature(entry.function).bind(*positional, **entry.current(options)).arguments
    for key in NOT_TAKEN:
        value = given.pop(key, None)
        if value is not None and value is not False:
            raise InputError("E_CHOICE", key, f"{key} must be left out for an emulation, got {shown(value)}")
    given.pop("threads", None)
    fmt, values = values_of(profile, name, given)
    if entry.family == "frequencies":
        return _stored(values[0], fmt), float(values[1])
    results = tuple(_stored(part, fmt) for part in values)
    return results if len(results) > 1 else results[0]


def values_of(profile, name, given, checked=False):
    """(the format of the results, the results as float64 arrays) of a call of the function of that name; checked: it
    is known that the function takes the call."""
    fmt, arguments = read(profile, name, given, checked)
    found = outputs(name, arguments, profile.for_output(fmt), fmt)
    return fmt, found if catalogue.find(name).family == "frequencies" else [rounded(part, fmt) for part in found]


def _name(profile, function):
    name = function if isinstance(function, str) else catalogue.name_of(function)
    if not formats.is_text(name) or name not in catalogue.ENTRIES or not applies(profile, name):
        known = ", ".join(one for one in EMULATED if applies(profile, one))
        sentence = f"function must be one of {known} for {profile.name}, got {shown(name)}"
        raise InputError("E_CHOICE", "function", sentence)
    return name


def read(profile, name, given, checked=False):
    """(the format of the result, all arguments) of a call, which refpos itself has taken first."""
    arguments = plain_numbers(name, {key: _as_read(key, value) for key, value in given.items()})
    asked = arguments.pop("dtype", None)
    fmt = _format(profile, name, arguments, asked)
    if not checked:
        _check(name, arguments, asked)
    return fmt, complete(name, arguments)


def _format(profile, name, arguments, asked):
    """The format asked for, that of x, or the one with which the program ends."""
    if "x" in arguments:
        x = checks.array("x", arguments["x"])
        return formats.resolve(asked) if asked is not None else formats.of_array(x) or FLOAT32
    if asked is not None:
        return formats.resolve(asked)
    if profile.kind == "slopes":
        return BFLOAT16 if profile.name == "falcon_alibi" else FLOAT32
    made = catalogue.find(name).family == "frequencies"
    own = (profile.inv_freq if made else profile.table) or (profile.arithmetic if made else profile.wave_format)
    return profile.wave_format if own == "output" else own


def _check(name, arguments, asked):
    """Let the function itself refuse what it refuses."""
    if "x" not in arguments and (asked is None or formats.resolve(asked) is BFLOAT16):
        asked = "float16"  # results of the same shape, which every NumPy holds
    check(name, arguments, asked)


def _as_read(key, value):
    """An argument as NumPy and `_as_call` have it."""
    is_array = isinstance(value, np.ndarray) or (foreign.is_foreign(value) and not isinstance(value, Frequencies))
    return checks.array(key, value) if is_array else _as_call(key, value)


def _as_call(key, value):
    """Frequencies as the call that makes them, from whose arguments an emulation starts."""
    if key == "frequencies" and isinstance(checks.nesting(key, value), (list, tuple)):
        return [_as_call(key, one) for one in value]
    if not isinstance(value, Frequencies):
        return value
    rule = value.fixed
    plain = value.axes is None and value.factor.rational == 1 and getattr(rule, "func", None) is geometric
    (powers, count, scale) = rule.args if plain else ((), 0, 0)
    if not plain or scale != 1 or len(powers) != 1 or (2 / powers[0][1]).denominator != 1 or 2 * count != value.dim:
        sentence = (
            f"{key} must be those of inverse_frequencies, or be given as the call that makes them, such as"
            ' {"function": "llama3", "arguments": {...}}, got other Frequencies'
        )
        raise InputTypeError("E_CHOICE", key, sentence)
    ((base, step),) = powers
    width = int(2 / step)
    own = {} if width == value.dim else {"exponent_dim": width}
    return {"function": "inverse_frequencies", "arguments": {"dim": value.dim, "base": _number(base), **own}}


def _number(base):
    """A base as it was given: an integer or a float where it is one."""
    return int(base) if base.denominator == 1 else float(base) if Fraction(float(base)) == base else base


def _stored(values, fmt):
    array, stored = checks.output(None, np.shape(values), fmt)
    stored[...] = rounding.narrow(np.ascontiguousarray(values), fmt).reshape(np.shape(values))
    return array
