"""A tensor of a file: values, and the name of their element type."""

from typing import NamedTuple

import numpy as np

from .. import foreign
from ..errors import InputError, InputTypeError, shortened, shown
from ..foreign.masks import has_masked
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


def tensor(array, name="a tensor"):
    """The array as a Tensor, in native byte order; a bfloat16 array gives its bit patterns. Arrays of torch, jax, mlx
    and cupy are read where they lie in the memory of the CPU. name: of the messages.

    Raises E_DTYPE for an element type that no file format here can hold (complex, object, text, long double, 8-bit
    floats), for what is not a rectangle of numbers, and for entries under a mask.

    >>> tensor(np.arange(3, dtype=np.float32)).dtype
    'float32'
    """
    if isinstance(array, Tensor):
        _agree(*array)
        return array
    array, kind = foreign.read(name, array, "E_DTYPE", "a rectangular array of numbers")
    if kind == "bfloat16":
        return Tensor(kind, array)
    if kind is not None or array.dtype.name not in DTYPES:
        known = ", ".join(DTYPES)
        received = kind or shortened(str(array.dtype))
        raise InputTypeError("E_DTYPE", name, f"{name} must have one of the dtypes {known}, got {received}")
    if array.dtype.name == "bfloat16":
        return Tensor("bfloat16", array.view(np.uint16))
    return Tensor(array.dtype.name, array.astype(array.dtype.newbyteorder("="), copy=False))


def answer(array, name):
    """The array as a Tensor that is only compared: as `tensor`, and 8-bit floats as the float32 numbers they are."""
    if isinstance(array, Tensor):
        return tensor(array)
    array, kind = foreign.read(name, array, "E_DTYPE", "a rectangular array of numbers")
    if kind == "bfloat16":
        return Tensor(kind, array)
    return tensor(foreign.widened(array, kind) if foreign.is_float8(kind or array.dtype.name) else array, name)


def _agree(kind, values):
    """Refuse a Tensor whose values are not those of its element type."""
    held = "uint16" if kind == "bfloat16" else kind
    if not isinstance(kind, str) or kind not in DTYPES or not isinstance(values, np.ndarray):
        received = f"{shown(kind)} of {type(values).__name__}"
        raise InputTypeError("E_DTYPE", "dtype", f"a Tensor must have a dtype of {', '.join(DTYPES)}, got {received}")
    if has_masked(values):
        raise InputError("E_DTYPE", "dtype", f"a Tensor must have no masked entries, got {shown(values)}")
    if values.dtype.name != held:
        sentence = f"a Tensor of dtype {kind} must hold values of dtype {held}, got {shortened(str(values.dtype))}"
        raise InputTypeError("E_DTYPE", "dtype", sentence)


def itemsize(kind):
    """Bytes of one value of an element type."""
    return 2 if kind == "bfloat16" else np.dtype(kind).itemsize
