"""Arrays of other libraries as NumPy arrays: the one way in for every argument and every answer.

None of the libraries is imported. What an array *says* its values are is read, not the memory behind it: a tensor of
torch may carry a sign or a conjugation that its memory does not have, and an array of NumPy may have entries under a
mask. DLPack knows neither, and is asked only of what has no other way to NumPy.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..errors import InputError, InputTypeError, shown
from . import float8, mlx, torch
from .float8 import is_float8
from .masks import has_masked

DEEPEST = 6  # lists in lists whose items are looked at; a list may hold itself
_PLAIN = {int, float, str, np.float64}


def _sparse(name, values):
    sentence = f"{name} must be a dense array: call .toarray() first, got a {type(values).__name__}"
    raise InputTypeError("E_DTYPE", name, sentence)


_LIBRARIES = {
    "torch": torch.read,
    "mlx": mlx.read,
    "cupy": lambda name, values: (values.get(), None),
    "scipy": _sparse,
    "dask": lambda name, values: (np.asanyarray(values.compute()), None),  # `__array__` drops a mask
}


def is_foreign(value: Any) -> bool:
    """Whether a value is an array that is none of NumPy."""
    if isinstance(value, (int, float, str, list, tuple, range, np.generic, np.ndarray, type)):
        return False
    return any(_has(value, way) for way in ("__array__", "__array_interface__", "__dlpack__")) or (
        type(value).__module__.startswith("scipy.sparse")
    )


def read(
    name: str, values: Any, code: str = "E_SHAPE", what: str = "a rectangular array"
) -> tuple[np.ndarray, str | None]:
    """(NumPy array, None) of an array of any library, a list or a number; where NumPy has no dtype for the values,
    (bit patterns, "bfloat16") as uint16, or (bit patterns, the name of an 8-bit float) as uint8.

    name, code, what: of the message about what cannot be read. Of an array that shares its memory with NumPy nothing
    is copied, unless it must be resolved first.

    Raises InputError or InputTypeError: `code` for what is not a rectangle or has entries under a mask, E_DTYPE for an
    array of another library that NumPy cannot read, with the reason and what to call.
    """
    if type(values) is np.ndarray:
        return values, None
    if is_foreign(values):
        return _of_library(name, values, code)
    if has_masked(values):
        raise InputError(code, name, f"{name} must have no masked entries, got {shown(values)}")
    try:
        array = np.asarray(_with_numpy_arrays(name, values, code, DEEPEST))
    except InputError:
        raise
    except Exception:  # whatever an object raises that is asked to be an array
        raise InputTypeError(code, name, f"{name} must be {what}, got {shown(values)}") from None
    if array.dtype == object:
        _check_common_dtype(name, array)
    return array, None


def memory(*values: Any) -> list[np.ndarray]:
    """The arrays among the values, which have been read before, as those of NumPy: with them a result shares none."""
    return [read("values", value)[0] for value in values if isinstance(value, np.ndarray) or is_foreign(value)]


def tagged(name: str, array: np.ndarray, kind: str | None) -> np.ndarray:
    """What `read` returns as one array, its bit patterns tagged with their dtype of ml_dtypes. Raises E_DTYPE where
    that package is not installed."""
    array, left = tagged_if_known(array, kind)
    if left is not None:
        sentence = f'must have a dtype of NumPy, or the ml_dtypes package (pip install "refpos[interop]") for {left}'
        raise InputTypeError("E_DTYPE", name, f"{name} {sentence}, got neither")
    return array


def tagged_if_known(array: np.ndarray, kind: str | None) -> tuple[np.ndarray, str | None]:
    """What `read` returns, its bit patterns tagged where ml_dtypes is installed, and else as they are."""
    if kind is None:
        return array, None
    try:
        import ml_dtypes
    except ImportError:
        return array, kind
    return array.view(getattr(ml_dtypes, kind)), None


def widened(array: np.ndarray, kind: str | None) -> np.ndarray:
    """What `read` returns, where only the values count: bfloat16 and 8-bit floats as float32, exactly."""
    kind = kind or array.dtype.name
    if kind == "bfloat16":
        patterns = array.view(np.dtype("u2").newbyteorder(array.dtype.byteorder.replace("|", "=")))
        return np.asarray(patterns.astype(np.uint32) << np.uint32(16)).view(np.float32)
    return np.asarray(float8.widened(array.view(np.uint8), kind)) if is_float8(kind) else array


def _check_common_dtype(name, items):
    """Of floats of 16 and 8 bits in a list with other numbers NumPy knows no common dtype."""
    names = sorted({_kind(item) for item in items.reshape(-1)})
    if len(names) > 1 and any(each == "bfloat16" or is_float8(each) for each in names):
        raise InputTypeError("E_DTYPE", name, f"{name} must have items of one dtype, got a list of {', '.join(names)}")


def _kind(item):
    """The name of the dtype of an item, or of its type."""
    dtype = getattr(item, "dtype", None) if _has(item, "dtype") else None
    return dtype.name if isinstance(dtype, np.dtype) else type(item).__name__


def _of_library(name, values, code):
    if getattr(values, "requires_grad", False) is True:
        sentence = f"{name} must not require grad: call .detach() first, got a {type(values).__name__} that does"
        raise InputTypeError("E_DTYPE", name, sentence)
    try:
        array, kind = _reader(values)(name, values)
    except InputError:
        raise
    except Exception as error:  # whatever an object raises that is asked to be an array
        said = shown(str(error), 200)
        sentence = f"{name} must convert to a NumPy array, got a {type(values).__name__} that says: {said}"
        raise InputTypeError("E_DTYPE", name, sentence) from None
    if has_masked(array):
        raise InputError(code, name, f"{name} must have no masked entries, got a {type(values).__name__} that has")
    return np.asarray(array), kind


def _reader(values):
    """What reads an array of its library; a class that somebody derives from theirs belongs to it."""
    for base in type(values).__mro__:
        reader = _LIBRARIES.get(base.__module__.partition(".")[0])
        if reader is not None and hasattr(values, "dtype"):
            return reader
    return _by_protocol


def _by_protocol(name, values):
    """By `__array__` where there is one, whatever it answers; else by DLPack."""
    if not _has(values, "__array__") and not _has(values, "__array_interface__"):
        return np.from_dlpack(values), None
    return np.asanyarray(values), None  # which keeps a mask


def _has(value, attribute):
    try:
        return hasattr(value, attribute)
    except Exception:  # whatever an object raises that is asked for it
        return False


def _with_numpy_arrays(name, values, code, depth):
    """Lists with NumPy arrays in place of those of other libraries, which NumPy would read one number at a time."""
    if not isinstance(values, (list, tuple)) or not depth or all(type(item) in _PLAIN for item in values):
        return values
    items = []
    for item in values:
        if is_foreign(item) or has_masked(item):
            items.append(tagged(name, *read(name, item, code)))
        else:
            items.append(_with_numpy_arrays(name, item, code, depth - 1))
    return items
