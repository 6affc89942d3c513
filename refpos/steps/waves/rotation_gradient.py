"""The gradient of a rotation: its transpose, which rotates by the opposite angles with the same factor."""

from typing import Any

from ... import checks
from ...errors import InputError, InputTypeError
from . import rotary_arguments


def rotate_back(function: Any, given: Any, cotangent: Any) -> Any:
    """The gradient for x of a rotation that takes `inverse`."""
    x, fmt = rotary_arguments.read_channels(given["x"], given["dtype"])
    array, kind = rotary_arguments.read_channels(cotangent, given["dtype"], "cotangent")
    if kind is not fmt:
        sentence = f"cotangent must have the dtype of the result, {fmt.name}, got {kind.name}"
        raise InputTypeError("E_DTYPE", "cotangent", sentence)
    if array.shape != x.shape:
        sentence = f"cotangent must have the shape of the result, {x.shape}, got {array.shape}"
        raise InputError("E_SHAPE", "cotangent", sentence)
    return function(**{**given, "x": cotangent, "inverse": not checks.flag("inverse", given["inverse"])})
