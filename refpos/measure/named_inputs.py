"""Inputs of a function beside its numbers: by their place or by name, as the function takes them, and as written."""

from __future__ import annotations

import numpy as np

from .. import catalogue
from ..errors import InputError, InputTypeError, shown
from ..public import dotted
from ..tensor_files import Tensor, answer
from .written import Written

#: inputs beside those of the function: of what the program does with its numbers
BESIDE = {
    "attention": ("positions", "pairing", "base", "rotary_dim", "frequencies"),
    "xl_scores": ("mask", "causal", "outputs"),
    "deberta_scores": ("mask", "causal", "outputs"),
    "relative_scores": ("k", "mask", "causal", "outputs"),
}
#: arguments that may be left out, because they are measured
MEASURED = {
    "attention": ("v",),
    "xl_scores": ("u", "v"),
    "deberta_scores": ("key_table", "query_table"),
    "resize_table": ("size", "method"),
    "resize_bias": ("method",),
}
PLAIN = (str, int, float, tuple)  # what a call writes out
DROPPED = ("dtype", "out", "threads")


def named_inputs(name, given, named):
    """{name: `Written`} of the inputs of a function; None is left out."""
    entry = catalogue.find(name)
    known = [one for one in entry.parameters if one not in DROPPED]
    if len(given) > len(known):
        sentence = f"inputs of {dotted(name)} must be at most {len(known)}, got {len(given)}"
        raise InputTypeError("E_CHOICE", "inputs", sentence)
    bound = dict(zip(known, given))
    beside = BESIDE.get(name, ())
    for key, value in named.items():
        if key in bound or key not in (*known, *beside):
            names = ", ".join((*known, *beside))
            got = f"{key} twice" if key in bound else key
            raise InputTypeError("E_CHOICE", "inputs", f"inputs of {dotted(name)} must be of {names}, got {got}")
        bound[key] = value
    for key in entry.required:
        if bound.get(key) is None and key not in MEASURED.get(name, ()):
            raise InputError("E_MISSING", key, f"{key} must be given for {dotted(name)}, got none")
    values = {key: _value(value, key) for key, value in bound.items() if value is not None}
    return {key: Written(repr(one) if isinstance(one, PLAIN) else key, one) for key, one in values.items()}


def _value(value, name):
    """An array of any library as refpos takes it, bfloat16 as bit patterns; what is no array, as it is."""
    if isinstance(value, int) and not -(2**63) <= value < 2**64:
        raise InputError("E_NUMBER", name, f"{name} must be an integer of 64 bits, got {shown(value)}")
    if isinstance(value, (str, int, float, dict)) or not (hasattr(value, "__array__") or hasattr(value, "__dlpack__")
                                                          or isinstance(value, (list, Tensor))):  # fmt: skip
        return value
    tensor = value if isinstance(value, Tensor) else answer(value, name)
    return np.ascontiguousarray(tensor.values) if np.ndim(tensor.values) else tensor.values.item()
