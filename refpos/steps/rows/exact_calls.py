"""Numbers that are rounded only once, to 8 bits: those of an array, or those of a call that is not made yet."""

import functools
import inspect

import numpy as np

from ... import catalogue, checks, foreign
from ...arithmetic import formats, rounding
from ...errors import InputError, InputTypeError, shown
from ..waves import rotary_arguments

#: functions whose results can have the marks of `formats.MARKED`, and what they would round or copy
TABLES = ("sinusoidal", "sincos_2d", "sincos_3d", "sincos_grid", "timestep_embedding", "rope_table", "alibi")
ROTATIONS = ("rope", "rope_2d", "rope_3d", "mrope")
COPIES = ("t5_bias", "relative_bias", "window_bias")
CALLS = (*TABLES, *ROTATIONS, *COPIES)


def marked(name, values):
    """The numbers as float64 with the marks of `formats.MARKED`; of a pair of tables, both on a first axis of 2."""
    if not isinstance(values, functools.partial):
        return _of_array(name, values)
    function, given = catalogue.name_of(values.func), _arguments(name, values)
    if function in COPIES:
        return _of_array(name, values())
    if function in ROTATIONS:
        x, fmt = rotary_arguments.read_channels(given.pop("x", None), given.pop("dtype", None))
        given["x"] = rounding.widen(formats.storage(x, fmt), fmt)
    result = values.func(**given, dtype=formats.MARKED)
    return np.stack(result) if isinstance(result, tuple) else result


def _of_array(name, values):
    """An array of one of the four formats as float64, exactly."""
    found = checks.widened(name, values)
    if found.dtype == np.uint16:  # bit patterns of bfloat16
        found = foreign.widened(found, "bfloat16")
    if found.dtype.kind != "f" or found.itemsize > 8:
        known = ", ".join(formats.FORMATS)
        raise InputTypeError("E_DTYPE", name, f"{name} must have dtype {known}, got {found.dtype}")
    with np.errstate(invalid="ignore"):  # signalling NaN patterns
        return found.astype(np.float64)


def _arguments(name, call):
    """The arguments of a call by name, of which none says how or where its results are rounded."""
    function = catalogue.name_of(call.func)
    if function not in CALLS or catalogue.find(function).function is not call.func:
        known = checks.one_of(CALLS, function, most=400)
        raise InputError("E_CHOICE", name, f"the function of {name} must be {known}, got {shown(function)}")
    try:
        given = inspect.signature(call.func).bind_partial(*call.args, **call.keywords).arguments
    except TypeError as error:
        sentence = f"the arguments of {name} must be those of {function}, got some of which Python says: {error}"
        raise InputTypeError("E_CHOICE", name, sentence) from None
    barred = [each for each in ("dtype", "out", "view") if each in given]
    if function in ROTATIONS and barred == ["dtype"]:  # that of x
        barred = []
    if barred:
        raise InputError("E_CHOICE", name, f"the call of {name} must leave {barred[0]} out, got {barred[0]}")
    return given
