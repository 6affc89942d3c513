"""Arrays of other libraries as NumPy arrays: none of the libraries is imported."""

from __future__ import annotations

import sys

import numpy as np

from .errors import InputTypeError


def native(array, name="dtype"):
    """What NumPy makes of an array of torch, jax, mlx, cupy or any other library that has DLPack or `__array__`; of
    bfloat16 where NumPy has no such type, (bit patterns as uint16, "bfloat16"). Returns (array, its format or None).

    Raises E_DTYPE for an array that requires grad, or lies where NumPy cannot read it, with what to call.
    """
    library = type(array).__module__.partition(".")[0]
    if library == "numpy" or not hasattr(array, "dtype"):
        return array, None
    if getattr(array, "requires_grad", False):
        sentence = f"{name} must not require grad: call .detach() first, got a {type(array).__name__} that does"
        raise InputTypeError("E_DTYPE", name, sentence)
    place = getattr(getattr(array, "device", None), "type", "cpu")
    if library == "torch" and place != "cpu":
        sentence = f"{name} must lie in the memory of the CPU: call .cpu() first, got a tensor on {place}"
        raise InputTypeError("E_DTYPE", name, sentence)
    if library == "cupy":
        return array.get(), None
    if str(array.dtype).endswith("bfloat16") and library in ("torch", "mlx"):
        return np.asarray(array.view(sys.modules[type(array).__module__].uint16)), "bfloat16"
    try:
        return np.asarray(array), None
    except (TypeError, ValueError, RuntimeError, BufferError):
        if hasattr(array, "__dlpack__"):
            return np.from_dlpack(array), None
        raise
