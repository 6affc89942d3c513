"""Tensors of torch, and of classes derived from it."""

from __future__ import annotations

import sys
from typing import Any

import numpy as np

from ..errors import InputTypeError
from .float8 import is_float8


def read(name: str, tensor: Any) -> tuple[np.ndarray, str | None]:
    """(array, None), or (bit patterns, their dtype) of bfloat16 and 8-bit floats, of a tensor's values: the sign and
    the conjugation that torch has put off are carried out first."""
    received = _unreadable(tensor)
    if received is not None:
        wanted, got = received
        raise InputTypeError("E_DTYPE", name, f"{name} must {wanted}, got a {type(tensor).__name__} {got}")
    tensor = tensor.resolve_conj().resolve_neg()
    kind = str(tensor.dtype).removeprefix("torch.")
    if kind == "bfloat16":
        return np.asarray(tensor.view(sys.modules["torch"].int16)).view(np.uint16), kind
    if is_float8(kind):
        return np.asarray(tensor.view(sys.modules["torch"].uint8)), kind
    return np.asarray(tensor), None


def _unreadable(tensor):
    """(what a tensor must be, what it is) where NumPy cannot read it; None where it can."""
    if getattr(tensor, "is_nested", False):
        return "be one rectangle: call .to_padded_tensor() first", "that is nested"
    if getattr(tensor, "is_quantized", False):
        return "hold its numbers: call .dequantize() first", f"of {tensor.dtype}"
    layout = str(getattr(tensor, "layout", "torch.strided"))
    if layout != "torch.strided":
        return "be dense: call .to_dense() first", f"with the layout {layout}"
    place = getattr(getattr(tensor, "device", None), "type", "cpu")
    if place == "meta":
        return "hold numbers", "on the device meta, which holds none"
    if place != "cpu":
        return "lie in the memory of the CPU: call .cpu() first", f"on {place}"
    return None
