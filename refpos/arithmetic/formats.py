"""The four number formats refpos rounds to, and how arrays carry them.

A format is its precision and its exponent range; rounding to it is done on bit patterns, so bfloat16 needs no package:
`ml_dtypes` only supplies the dtype that tags an array as bfloat16.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ..errors import InputTypeError, shown


@dataclass(frozen=True)
class Format:
    """A binary floating-point format; the smallest subnormal is 2**lowest."""

    name: str
    precision: int  # significand bits, the hidden one included
    lowest: int
    largest: int  # exponent of the largest finite number
    storage: str  # NumPy dtype that holds the values (or, of 16 bits, their patterns)
    marked: bool = False  # see MARKED

    @cached_property
    def width(self) -> int:
        """Bits of one value: 64, 32 or 16."""
        return np.dtype(self.storage).itemsize * 8

    @cached_property
    def nan(self) -> int:
        """Bit pattern of the positive quiet NaN."""
        return ((1 << (self.width - self.precision)) - 1 << (self.precision - 1)) | 1 << (self.precision - 2)

    @property
    def ulp_of_one(self) -> int:
        """Exponent of the spacing just above 1."""
        return 1 - self.precision


FORMATS = {
    f.name: f
    for f in (
        Format("float64", 53, -1074, 1023, "float64"),
        Format("float32", 24, -149, 127, "float32"),
        Format("float16", 11, -24, 15, "uint16"),
        Format("bfloat16", 8, -133, 127, "uint16"),
    )
}

#: float64 from which numbers of 8 bits can be rounded: the nearest float64, but one whose last MARK bits are 0 is
#: exact, since one that is not is replaced by its neighbour on the side of the exact number (docs/numbers.md,
#: "Numbers of 8 bits")
MARKED = Format("float64", 53, -1074, 1023, "float64", marked=True)
MARK = 44

_OF_DTYPE = {np.dtype(name): FORMATS[name] for name in ("float64", "float32", "float16")}


def of_array(array):
    """The format that the dtype of an array has by name, in any byte order; None where it is none of the four."""
    return _OF_DTYPE.get(array.dtype) or FORMATS.get(array.dtype.name)


def resolve(dtype):
    """The format a dtype argument names: one of the four names or the dtype itself, of NumPy, ml_dtypes, jax, torch
    or mlx."""
    if isinstance(dtype, Format):
        return dtype
    name = dtype
    if not isinstance(dtype, str) and dtype is not None:
        try:
            # an array has a dtype and is none
            name = np.dtype(dtype).name if isinstance(dtype, type) or not hasattr(dtype, "__array__") else None
        except Exception:  # whatever an object raises that is asked to be a dtype
            name = _foreign_name(dtype)
    if not is_text(name) or name not in FORMATS:
        known = ", ".join(map(repr, FORMATS))
        raise InputTypeError("E_DTYPE", "dtype", f"dtype must be one of {known}, got {shown(dtype)}")
    return FORMATS[name]


def is_text(value):
    """Whether a value is text that is equal to text as text is, which a subclass of str need not be."""
    kind = type(value)
    return isinstance(value, str) and (kind is np.str_ or (kind.__eq__, kind.__hash__) == (str.__eq__, str.__hash__))


def _foreign_name(dtype):
    """The name of a dtype of torch or mlx, as torch.float32; None of anything else."""
    library = type(dtype).__module__.partition(".")[0]
    return str(dtype).rpartition(".")[2] if library in ("torch", "mlx") else None


def bfloat16_dtype():
    """The ml_dtypes bfloat16 dtype, needed only to tag an array."""
    try:
        from ml_dtypes import bfloat16
    except ImportError:
        raise InputTypeError(
            "E_DTYPE",
            "dtype",
            "dtype 'bfloat16' must have either the ml_dtypes package (pip install \"refpos[interop]\") or a uint16"
            " array as out= to receive bit patterns, got neither",
        ) from None
    return np.dtype(bfloat16)


def array_dtype(fmt):
    """The dtype of the arrays handed to users."""
    return bfloat16_dtype() if fmt.name == "bfloat16" else np.dtype(fmt.name)


def storage(array, fmt):
    """The same memory as the kernels see it, in the same byte order: floats for 64 and 32 bits, patterns for 16."""
    if fmt.width != 16:
        return array
    return array.view(fmt.storage if array.dtype.isnative else np.dtype(fmt.storage).newbyteorder())


def bits(array):
    """The same memory as unsigned integers of the same width."""
    return array.view(f"u{array.dtype.itemsize}")
