"""Arguments of cases as JSON says them, and as Python takes them."""

import numpy as np

from .format import bit_strings, from_bit_strings


def json_value(value):
    """An argument as JSON says it: floats that are integers as such, other floats as {"float64": bits}, also within
    lists and calls."""
    if isinstance(value, (list, tuple)):
        return [json_value(one) for one in value]
    if isinstance(value, dict):
        return {name: json_value(argument) for name, argument in value.items()}
    if isinstance(value, float):
        if value.is_integer() and abs(value) <= 2**53:
            return int(value)
        return {"float64": bit_strings(np.array([value], np.float64))[0]}
    return value


def python_value(value):
    """An argument as Python takes it."""
    if isinstance(value, dict) and list(value) == ["float64"]:
        return float(from_bit_strings("float64", (), [value["float64"]]).values)
    return value
