"""Checks made once, at the public edge: each returns the value in the form the steps use, or raises."""

import math
import operator
import os
from fractions import Fraction

import numpy as np

from . import formats
from .errors import InputError, InputTypeError

LARGEST_SIZE = 2**63 - 1


def integer(name, value, minimum=0, maximum=LARGEST_SIZE, code="E_SIZE"):
    """A whole number in [minimum, maximum]; booleans and floats are refused."""
    try:
        if isinstance(value, (bool, np.bool_)):
            raise TypeError
        number = operator.index(value)
    except TypeError:
        raise InputTypeError(code, name, f"{name} must be an integer, got {value!r}") from None
    if not minimum <= number <= maximum:
        limit = f"at least {minimum}" if number < minimum else f"at most {maximum}"
        raise InputError(code, name, f"{name} must be {limit}, got {number}")
    return number


def integers(name, values, code="E_DTYPE"):
    """An array of any integer dtype; floats and booleans are refused."""
    try:
        array = np.asarray(values)
    except (ValueError, TypeError, OverflowError):
        sentence = f"{name} must be a rectangular array of integers, got {values!r}"
        raise InputTypeError(code, name, sentence) from None
    if not hasattr(values, "dtype") and (array.dtype.kind == "i" or not array.size):
        return array.astype(np.int64)  # of Python's integers some platforms make int32
    if array.dtype.kind not in "iu":
        raise InputTypeError(code, name, f"{name} must be integers of at most 64 bits, got {array.dtype}")
    return array


def multiple(name, value, of):
    """A positive width that is a multiple of `of`."""
    number = integer(name, value, -LARGEST_SIZE, code="E_ODD_DIM")
    if number % of or number <= 0:
        wanted = "even" if of == 2 else f"a multiple of {of}"
        limit = "" if number > 0 else f" and at least {of}"
        raise InputError("E_ODD_DIM", name, f"{name} must be {wanted}{limit}, got {number}")
    return number


def choice(name, value, known):
    """One of the known names; the message lists them."""
    if not isinstance(value, str) or value not in known:
        raise InputError("E_CHOICE", name, f"{name} must be one of {', '.join(map(repr, known))}, got {value!r}")
    return value


def flag(name, value):
    """True or False, nothing else."""
    if not isinstance(value, (bool, np.bool_)):
        raise InputTypeError("E_CHOICE", name, f"{name} must be True or False, got {value!r}")
    return bool(value)


def real(name, value, code="E_NUMBER"):
    """A finite real number as the exact fraction it is."""
    try:
        if isinstance(value, (bool, np.bool_, str)):
            raise TypeError
        return Fraction(value.item() if isinstance(value, (np.generic, np.ndarray)) else value)
    except (ValueError, OverflowError):
        raise InputError(code, name, f"{name} must be finite, got {value!r}") from None
    except (TypeError, AttributeError):
        raise InputTypeError(code, name, f"{name} must be a real number, got {value!r}") from None


def positive(name, value, code="E_NUMBER"):
    """A finite real number greater than 0, as the exact fraction it is."""
    number = real(name, value, code)
    if number <= 0:
        raise InputError(code, name, f"{name} must be greater than 0, got {value!r}")
    return number


def thread_count(threads):
    """The number of threads to use; None means every core this process may run on."""
    if threads is None:
        return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return integer("threads", threads, 1)


def output(out, shape, fmt, *, name="out", apart_from=()):
    """The array to fill and return (fresh when out is None), as (array, its storage)."""
    size = math.prod(shape) * (fmt.width // 8)
    if size > LARGEST_SIZE:
        dims = " x ".join(map(str, shape))
        raise InputError("E_TOO_LARGE", name, f"the result must have fewer than 2**63 bytes, got {dims} of {fmt.name}")
    if out is None:
        out = np.empty(shape, formats.array_dtype(fmt))
        return out, formats.storage(out, fmt)
    if not isinstance(out, np.ndarray):
        raise InputTypeError("E_OUT", name, f"{name} must be a NumPy array, got {type(out).__name__}")
    patterns = fmt.name == "bfloat16" and out.dtype == np.uint16
    if not (patterns or formats.of_array(out) is fmt or out.dtype.name == fmt.name) or not out.dtype.isnative:
        raise InputError(
            "E_OUT",
            name,
            f"{name} must have dtype {fmt.name} in native byte order, got {out.dtype.str}"
            if out.dtype.name == fmt.name
            else f"{name} must have dtype {fmt.name}, got {out.dtype}",
        )
    if out.shape != tuple(shape):
        raise InputError("E_OUT", name, f"{name} must have shape {tuple(shape)}, got {out.shape}")
    if not out.flags.aligned:
        raise InputError("E_OUT", name, f"{name} must be aligned to its dtype, got an address that is not")
    if not out.flags.writeable:
        raise InputError("E_OUT", name, f"{name} must be writeable, got a read-only array")
    if repeats(out):
        raise InputError(
            "E_OUT", name, f"{name} must not overlap itself, got strides {out.strides} for shape {out.shape}"
        )
    for other in apart_from:
        if np.shares_memory(out, other):
            raise InputError(
                "E_OUT", name, f"{name} must not overlap another argument, got an array that shares memory with one"
            )
    return out, formats.storage(out, fmt)


def repeats(array):
    """Whether two elements of the array may lie at one address (a broadcast or sliding view)."""
    if array.flags.c_contiguous:
        return False
    reach = array.itemsize
    for stride, size in sorted((abs(stride), size) for stride, size in zip(array.strides, array.shape) if size > 1):
        if stride < reach:
            return array.size > 0
        reach = stride * (size - 1) + reach
    return False
