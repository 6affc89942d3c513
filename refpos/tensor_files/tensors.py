"""A tensor of a file: values, and the name of their element type."""

from typing import NamedTuple

import numpy as np

from ..errors import InputTypeError, shortened, shown
from ..foreign import native
from ..types import Array

#: safetensors name -> name of the element type here; bfloat16 is held as uint16 bit patterns
SAFETENSORS = {
    "F64": "float64", "F32": "float32", "F16": "float16", "BF16": "bfloat16",
    "I64": "int64", "I32": "int32", "I16": "int16", "I8": "int8",
    "U64": "uint64", "U32": "uint32", "U16": "uint16", "U8": "uint8", "BOOL": "bool",
}  # fmt: skip
DTYPES = {name: code for code, name in SAFETENSORS.items()}
MOST_DIMENSIONS = 64  # of a NumPy array


class Tensor(NamedTuple):
    """Values and the name of their element type; of bfloat16, `values` are the bit patterns as uint16."""

    dtype: str
    values: Array


class Unread(NamedTuple):
    """A tensor of a file that was not read: its dtype and shape where they are known, and why it cannot be."""

    dtype: str = ""
    shape: tuple[int, ...] = ()
    why: str = ""


def tensor(array):
    """The array as a Tensor, in native byte order; a bfloat16 array gives its bit patterns. Arrays of torch, jax, mlx
    and cupy are read where they lie in the memory of the CPU.

    Raises E_DTYPE for an element type that no file format here can hold (complex, object, text, long double).

    >>> tensor(np.arange(3, dtype=np.float32)).dtype
    'float32'
    """
    if isinstance(array, Tensor):
        _agree(*array)
        return array
    array, kind = native(array)
    if kind is not None:
        return Tensor(kind, array)
    try:
        array = np.asarray(array)
    except (TypeError, ValueError, OverflowError):
        sentence = f"a tensor must be a rectangular array of numbers, got {shown(array)}"
        raise InputTypeError("E_DTYPE", "dtype", sentence) from None
    if array.dtype.name not in DTYPES:
        known = ", ".join(DTYPES)
        received = shortened(str(array.dtype))
        raise InputTypeError("E_DTYPE", "dtype", f"a tensor must have one of the dtypes {known}, got {received}")
    if array.dtype.name == "bfloat16":
        return Tensor("bfloat16", array.view(np.uint16))
    return Tensor(array.dtype.name, array.astype(array.dtype.newbyteorder("="), copy=False))


def _agree(kind, values):
    """Refuse a Tensor whose values are not those of its element type."""
    held = "uint16" if kind == "bfloat16" else kind
    if not isinstance(kind, str) or kind not in DTYPES or not isinstance(values, np.ndarray):
        received = f"{shown(kind)} of {type(values).__name__}"
        raise InputTypeError("E_DTYPE", "dtype", f"a Tensor must have a dtype of {', '.join(DTYPES)}, got {received}")
    if values.dtype.name != held:
        sentence = f"a Tensor of dtype {kind} must hold values of dtype {held}, got {shortened(str(values.dtype))}"
        raise InputTypeError("E_DTYPE", "dtype", sentence)


def itemsize(kind):
    """Bytes of one value of an element type."""
    return 2 if kind == "bfloat16" else np.dtype(kind).itemsize
