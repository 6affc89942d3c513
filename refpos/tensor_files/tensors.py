"""A tensor of a file: values, and the name of their element type."""

from typing import NamedTuple

import numpy as np

from .. import foreign
from ..errors import InputError, InputTypeError, shortened, shown
from ..foreign.masks import has_masked
from ..types import Array

#: safetensors name -> name of the element type here; bfloat16 and 8-bit floats are held as bit patterns
SAFETENSORS = {
    "F64": "float64", "F32": "float32", "F16": "float16", "BF16": "bfloat16",
    "I64": "int64", "I32": "int32", "I16": "int16", "I8": "int8",
    "U64": "uint64", "U32": "uint32", "U16": "uint16", "U8": "uint8", "BOOL": "bool",
    "F8_E4M3": "float8_e4m3fn", "F8_E5M2": "float8_e5m2", "F8_E8M0": "float8_e8m0fnu",
}  # fmt: skip
DTYPES = {name: code for code, name in SAFETENSORS.items()}
#: those that NumPy has no dtype for -> that of their bit patterns
PATTERNS = {"bfloat16": "uint16", **{name: "uint8" for name in DTYPES if name.startswith("float8")}}
NANS = {"float8_e4m3fn": 0x7F, "float8_e5m2": 0x7E, "float8_e8m0fnu": 0xFF}
PATTERN_INTEGERS = ("uint8", "int64")  # what bit patterns of 8 bits are compared with
MOST_DIMENSIONS = 64  # of a NumPy array


class Tensor(NamedTuple):
    """Values and the name of their element type; of bfloat16 and 8-bit floats, `values` are the bit patterns."""

    dtype: str
    values: Array


class Unread(NamedTuple):
    """A tensor of a file that was not read: its dtype and shape where they are known, and why it cannot be; held: the
    bytes that a npz or npy file has for it, whatever its header says."""

    dtype: str = ""
    shape: tuple[int, ...] = ()
    why: str = ""
    held: int | None = None


def tensor(array, name="a tensor", *, float8=False):
    """The array as a Tensor, in native byte order; a bfloat16 array gives its bit patterns. Arrays of torch, jax, mlx
    and cupy are read where they lie in the memory of the CPU. name: of the messages. float8: whether arrays of 8-bit
    floats that safetensors can hold give their bit patterns as well.

    Raises E_DTYPE for an element type that no file format here can hold (complex, object, text, long double, other
    8-bit floats), for what is not a rectangle of numbers, and for entries under a mask.

    >>> tensor(np.arange(3, dtype=np.float32)).dtype
    'float32'
    """
    if isinstance(array, Tensor):
        _agree(*array)
        return array
    array, kind = foreign.read(name, array, "E_DTYPE", "a rectangular array of numbers")
    known = [one for one in DTYPES if float8 or one not in NANS]
    if kind in PATTERNS and kind in known:
        return Tensor(kind, array)
    if kind is not None or array.dtype.name not in known:
        known = ", ".join(known)
        received = kind or shortened(str(array.dtype))
        raise InputTypeError("E_DTYPE", name, f"{name} must have one of the dtypes {known}, got {received}")
    if array.dtype.name in PATTERNS:
        return Tensor(array.dtype.name, array.view(PATTERNS[array.dtype.name]))
    return Tensor(array.dtype.name, array.astype(array.dtype.newbyteorder("="), copy=False))


def answer(array, name, like=None):
    """The array as a Tensor that is only compared: as `tensor`, and 8-bit floats as the float32 numbers they are, or as
    bit patterns of their dtype where integers are expected, of which like is the dtype."""
    if isinstance(array, Tensor) and _is_of_8_bits(array):
        array, kind = array.values, array.dtype
    elif isinstance(array, Tensor):
        array, kind = tensor(array).values, array.dtype if array.dtype in PATTERNS else None
    else:
        array, kind = foreign.read(name, array, "E_DTYPE", "a rectangular array of numbers")
    name_of_8_bits = kind or array.dtype.name
    if not foreign.is_float8(name_of_8_bits):
        return tensor(array if kind is None else Tensor(kind, array), name)
    if like not in PATTERN_INTEGERS:
        return tensor(foreign.widened(array, kind), name)
    return Tensor(name_of_8_bits, array.view(np.uint8))


def patterns_of(one):
    """The bit patterns of an 8-bit float that files hold as integers, every NaN the positive one; any other Tensor."""
    if one.dtype not in NANS:
        return one
    is_nan = np.isnan(foreign.widened(one.values, one.dtype))
    return Tensor("uint8", np.where(is_nan, np.uint8(NANS[one.dtype]), one.values))


def _is_of_8_bits(array):
    """Whether a Tensor holds bit patterns of an 8-bit float, also of one that no file can hold."""
    kind, values = array.dtype, array.values
    return isinstance(kind, str) and foreign.is_float8(kind) and getattr(values, "dtype", None) == np.uint8


def _agree(kind, values):
    """Refuse a Tensor whose values are not those of its element type."""
    held = PATTERNS.get(kind, kind) if isinstance(kind, str) else kind
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
    return np.dtype(PATTERNS.get(kind, kind)).itemsize
