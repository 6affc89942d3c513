"""What is written: tensors by names that every reader takes, and their bytes in one order."""

from collections.abc import Mapping

import numpy as np

from ..errors import FileError, InputTypeError, shown
from .tensors import tensor


def tensors_by_name(tensors, longest):
    """{name: Tensor} sorted by names, each of which a reader gives back."""
    if not isinstance(tensors, Mapping):
        sentence = f"tensors must be a dict of arrays by name, got {type(tensors).__name__}"
        raise InputTypeError("E_DTYPE", "tensors", sentence)
    for name in tensors:
        if not isinstance(name, str):
            raise InputTypeError("E_FILE", "tensors", f"the name of a tensor must be text, got {shown(name)}")
        if not is_text(name):
            sentence = f"the name of a tensor must be text without NUL or lone surrogates, got {shown(name)}"
            raise FileError("E_FILE", "tensors", sentence)
        if len(name.encode()) > longest:
            sentence = f"the name of a tensor must have at most {longest} bytes, got {len(name.encode())}"
            raise FileError("E_FILE", "tensors", sentence)
    return {name: tensor(tensors[name], float8=True) for name in sorted(tensors)}


def is_text(name):
    """Whether UTF-8 can say the name, without a NUL, at which some readers stop."""
    try:
        return b"\0" not in name.encode()
    except UnicodeEncodeError:
        return False


def little_endian(values):
    """The bytes of an array in C order, little-endian."""
    ordered = np.ascontiguousarray(values.astype(values.dtype.newbyteorder("<"), copy=False))
    return memoryview(ordered.reshape(-1).view(np.uint8))
