"""The types that public functions share: what they take, what they return, and the names that they choose among.

A choice is a `Literal` said once, here or beside the one function that has it; its check reads the names from it.
"""

from __future__ import annotations

import os
from decimal import Decimal
from fractions import Fraction
from typing import Any, Literal, Protocol, Union

import numpy as np
from numpy.typing import ArrayLike, NDArray

__all__ = [
    "AngleFactor",
    "AnyPath",
    "Array",
    "ArrayLike",
    "AxisOrder2D",
    "AxisOrder3D",
    "ClassName",
    "DType",
    "Float8Name",
    "Float32s",
    "FloatName",
    "Fusion",
    "HasDType",
    "Integer",
    "Integers",
    "Number",
    "OneBlockPairing",
    "Pairing",
    "Patterns",
    "PiFactor",
    "PositionDType",
    "SinusoidLayout",
    "TransformersVersion",
]

Array = NDArray[Any]  # of the dtype that is asked for, or that of x
Integers = NDArray[np.int64]
Float32s = NDArray[np.float32]
Patterns = NDArray[np.uint8]  # of numbers of 8 bits

Integer = Union[int, np.integer[Any]]
#: taken as exactly what it is
Number = Union[int, float, Fraction, Decimal, np.integer[Any], np.floating[Any]]
AnyPath = Union[str, bytes, os.PathLike[str], os.PathLike[bytes]]


class HasDType(Protocol):
    """What has a dtype, as the scalar types of JAX."""

    @property
    def dtype(self) -> np.dtype[Any]: ...


FloatName = Literal["float64", "float32", "float16", "bfloat16"]
Float8Name = Literal["float8_e4m3fn", "float8_e5m2"]
DType = Union[FloatName, np.dtype[Any], type[np.generic], type[float], HasDType]
PositionDType = Union[Literal["int64"], DType]

OneBlockPairing = Literal["interleaved", "half"]
Pairing = Literal[OneBlockPairing, "block-half"]
#: how queries, keys and values lie in one row
Fusion = Literal["concatenated", "grouped"]
AxisOrder2D = Literal["hw", "wh"]
AxisOrder3D = Literal["thw", "twh", "htw", "hwt", "wth", "wht"]
SinusoidLayout = Literal["interleaved", "sin-cos", "cos-sin"]
PiFactor = Literal["pi", "2pi"]
#: what multiplies coordinates and frequencies
AngleFactor = Union[PiFactor, Number]
TransformersVersion = Literal["transformers-4.57.1", "transformers-5.23.0"]

#: strictest first
ClassName = Literal[
    "correct",
    "faithful",
    "float64-angle",
    "float32-angle",
    "float32-exp-angle",
    "float16-table",
    "bfloat16-table",
    "rounded-table",
    "float64-power",
    "float32-product",
    "float32-power",
    "float64-logarithm",
    "float32-logarithm",
    "float64-resize",
    "float32-resize",
    "sequence64",
    "sequence32",
    "weights16",
    "sequence16",
]
