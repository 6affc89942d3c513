"""Which functions have emulations."""

import inspect

#: {function: its emulation}, which takes (arguments, profile), and the name or the format of the result where it asks
EMULATED = {}


def emulates(*names):
    """Enter the decorated function as the emulation of those of the catalogue."""

    def enter(function):
        EMULATED.update(dict.fromkeys(names, function))
        return function

    return enter


def outputs(name, arguments, profile, fmt):
    """The outputs of a function in an emulation: float64 arrays of values."""
    function = EMULATED[name]
    asked = inspect.signature(function).parameters
    more = {key: value for key, value in (("name", name), ("fmt", fmt)) if key in asked}
    return function(arguments, profile, **more)
