"""Checks made once, at the public edge: each returns the value in the form the steps use, or raises."""

import itertools
import math
import operator
import os
from decimal import Decimal
from fractions import Fraction
from typing import NamedTuple

import numpy as np

from . import foreign
from .arithmetic import formats
from .errors import SUGGESTED, InputError, InputTypeError, nearest, shown
from .foreign.masks import has_masked

LARGEST_SIZE = 2**63 - 1
MOST_AXES = 64 if hasattr(np, "vecdot") else 32  # NumPy 2, NumPy 1
WIDEST = 2**20  # most channels whose frequencies are known one by one
LONGEST_PATH = 2**12
MOST_ITEMS = 2**24  # of what is read one by one
READ_AT_ONCE = 2**16  # numbers
DEEPEST = 32  # lists in lists of an argument that is taken apart
LARGEST_PART = 2**2048  # of a fraction; every float is one of parts below 2**1075


_BOOLS = {bool, np.bool_}


class CopiedDtype(NamedTuple):
    """A dtype whose values are copied or counted, never rounded; `output` takes it in place of a format."""

    name: str
    width: int

    @property
    def storage(self):
        """The NumPy dtype that holds the values."""
        return self.name


INT64 = CopiedDtype("int64", 64)
UINT16 = CopiedDtype("uint16", 16)
UINT8 = CopiedDtype("uint8", 8)


def array(name, values, code="E_SHAPE", what="a rectangular array"):
    """An array of any dtype and library; what is not a rectangle of values, or has entries under a mask, is refused."""
    return foreign.tagged(name, *foreign.read(name, values, code, what))


def learned(name, values):
    """Weights as an array; uint16 are bit patterns of bfloat16, and come as float32."""
    found = array(name, values)
    return foreign.widened(found, "bfloat16") if found.dtype.name == "uint16" else found


def of_64_bits(name, found, code):
    """An array of integers or floats that float64 or 64-bit integers hold, or of bfloat16."""
    if found.dtype.name != "bfloat16" and (found.dtype.kind not in "iuf" or found.itemsize > 8):
        sentence = f"{name} must be integers of 8 to 64 bits or floats of at most 64, got dtype {found.dtype}"
        raise InputTypeError(code, name, sentence)
    return found


def widened(name, given, code="E_SHAPE", what="a rectangular array"):
    """As `array`, where only the values count: bfloat16 and 8-bit floats are float32."""
    return foreign.widened(*foreign.read(name, given, code, what))


def of_numpy(name, value):
    """The value; an array of another library as `widened` reads it."""
    return widened(name, value) if foreign.is_foreign(value) else value


def listed(name, values, of, code="E_SHAPE"):
    """The items of a list, tuple, range or array of one axis."""
    if isinstance(values, np.ndarray) or foreign.is_foreign(values):
        values = widened(name, values, code)
    if not isinstance(values, (list, tuple, range, np.ndarray)) or (
        isinstance(values, np.ndarray) and values.ndim != 1
    ):
        raise InputTypeError(code, name, f"{name} must be a list of {of}, got {shown(values)}")
    if len(values[MOST_ITEMS : MOST_ITEMS + 1]):
        raise InputError(code, name, f"{name} must be at most {MOST_ITEMS} {of}, got {shown(values)}")
    return values.tolist() if isinstance(values, np.ndarray) else values


def nesting(name, value):
    """The value, whose lists and dicts may hold each other to the depth DEEPEST: what takes it apart calls itself."""
    level = [value]
    for _ in range(DEEPEST):
        nested = {id(one): one for one in level if isinstance(one, (list, tuple, dict))}.values()  # each of them once
        level = [inner for one in nested for inner in (one.values() if isinstance(one, dict) else one)]
        if not level:
            return value
    raise InputTypeError("E_SHAPE", name, f"{name} must be lists at most {DEEPEST} deep, got {type(value).__name__}")


def integer(name, value, minimum=0, maximum=LARGEST_SIZE, code="E_SIZE"):
    """An integer in [minimum, maximum]; booleans and floats are refused."""
    try:
        if type(value) is not int and (isinstance(value, (bool, np.bool_, np.timedelta64)) or has_masked(value)):
            raise TypeError
        number = operator.index(of_numpy(name, value))
    except InputError:
        raise
    except Exception:  # whatever an object raises that is asked to be an integer
        raise InputTypeError(code, name, f"{name} must be an integer, got {shown(value)}") from None
    if not minimum <= number <= maximum:
        limit = f"at least {minimum}" if number < minimum else f"at most {maximum}"
        raise InputError(code, name, f"{name} must be {limit}, got {shown(number)}")
    return number


def integers(name, values, code="E_DTYPE"):
    """An array of any integer dtype; floats and booleans are refused."""
    found, kind = foreign.read(name, values, code, "a rectangular array of integers")
    if isinstance(values, (list, tuple)) and found.dtype.kind == "i" and _BOOLS & {*map(type, values)}:
        raise InputTypeError(code, name, f"{name} must be integers, got {shown(values)}")
    if not hasattr(values, "dtype") and (found.dtype.kind == "i" or not found.size):
        return found.astype(np.int64)  # of Python's integers some platforms make int32
    if kind is not None or found.dtype.kind not in "iu":
        too_large = isinstance(values, (list, tuple)) and {*map(type, values)} == {int}  # which NumPy makes floats
        received = shown(max(values, key=abs)) if too_large else kind or found.dtype
        sentence = f"{name} must be integers {'below 2**63' if too_large else 'of at most 64 bits'}, got {received}"
        raise InputTypeError(code, name, sentence)
    return found


def multiple(name, value, of):
    """A positive width that is a multiple of `of`."""
    number = integer(name, value, -LARGEST_SIZE, code="E_ODD_DIM")
    if number % of or number <= 0:
        wanted = "even" if of == 2 else f"a multiple of {of}"
        limit = "" if number > 0 else f" and at least {of}"
        raise InputError("E_ODD_DIM", name, f"{name} must be {wanted}{limit}, got {shown(number)}")
    return number


def even_width(name, value):
    """An even width whose frequencies are made one by one."""
    number = multiple(name, value, 2)
    if number > WIDEST:
        raise InputError("E_SIZE", name, f"{name} must be at most {WIDEST}, got {shown(number)}")
    return number


def choice(name, value, known, command=""):
    """One of the known names; the message lists them or, where they are many, those that resemble the value.

    command: what lists the names, for the message about a value that resembles none of them.
    """
    if not formats.is_text(value) or value not in known:
        raise InputError("E_CHOICE", name, f"{name} must be {one_of(known, value, command)}, got {shown(value)}")
    return value


def choices(name, values, known, command=""):
    """A list of known names; one name stands for a list of it."""
    if isinstance(values, str):
        values = [values]
    return [choice(name, value, known, command) for value in listed(name, values, "names", "E_CHOICE")]


def one_of(known, value, command="", most=200):
    """What a name must be, for a message: one of the known names where they are few, else of those nearest to the
    value."""
    text = ", ".join(map(repr, known))
    if len(text) <= most:
        return f"one of {text}"
    near = nearest(value, known) if formats.is_text(value) else []
    if not near and command:
        return f"one of the {len(known)} names that `{command}` lists"
    if near:
        return f"one of {len(known)} names (did you mean {', '.join(map(repr, near))}?)"
    return f"one of {len(known)} names, such as {', '.join(map(repr, list(known)[:SUGGESTED]))}"


def flag(name, value):
    """True or False, nothing else."""
    if not isinstance(value, (bool, np.bool_)):
        raise InputTypeError("E_CHOICE", name, f"{name} must be True or False, got {shown(value)}")
    return bool(value)


def real(name, value, code="E_NUMBER"):
    """A finite real number as the exact fraction it is, of numerator and denominator up to 2**2048."""
    value = of_numpy(name, value)
    try:
        number = _fraction(value)
    except (ValueError, OverflowError):
        raise InputError(code, name, f"{name} must be finite, got {shown(value)}") from None
    except Exception:  # whatever an object raises that is asked to be a number
        raise InputTypeError(code, name, f"{name} must be a real number, got {shown(value)}") from None
    if number is None or max(abs(number.numerator), number.denominator) > LARGEST_PART:
        sentence = f"{name} must be a fraction of integers up to 2**2048, got {shown(value)}"
        raise InputError(code, name, sentence)
    return number


def _fraction(value):
    """The number as a fraction; None for a decimal of so large an exponent that it would fill the memory."""
    if isinstance(value, (np.generic, np.ndarray)):
        if np.ndim(value) or np.asarray(value).dtype.kind in "bmMSU" or has_masked(value):
            raise TypeError
        value = value.item()
    if isinstance(value, (bool, np.bool_, str)):
        raise TypeError
    if isinstance(value, np.floating):  # a long double
        return Fraction(*value.as_integer_ratio())
    if isinstance(value, Decimal) and value.is_finite() and abs(value.as_tuple().exponent) > 1000:
        return None if value else Fraction(0)
    return Fraction(value)


def numbers(name, values, count=None):
    """The items of a list or array of one axis, `count` or at least one, which `real` or `positive` is to check."""
    values = of_numpy(name, values)
    if not isinstance(values, (list, tuple, np.ndarray)):
        raise InputTypeError("E_SHAPE", name, f"{name} must be a list or an array, got {type(values).__name__}")
    shape = array(name, values).shape
    if len(shape) != 1 or not shape[0] or count not in (None, shape[0]):
        wanted = "at least one number on one axis" if count is None else f"{count} numbers"
        raise InputError("E_SHAPE", name, f"{name} must have {wanted}, got shape {shape}")
    return values


def positive(name, value, code="E_NUMBER"):
    """A finite real number greater than 0, as the exact fraction it is."""
    number = real(name, value, code)
    if number <= 0:
        raise InputError(code, name, f"{name} must be greater than 0, got {shown(value)}")
    return number


def file_path(name, value):
    """A path as text."""
    try:
        found = os.fsdecode(value)
        os.fsencode(found)
    except Exception:  # whatever an object raises that is asked to be a path
        found = "\0"
    if "\0" in found or len(found) > LONGEST_PATH:
        raise InputTypeError("E_FILE", name, f"{name} must be a path, got {shown(value)}")
    return found


def function(name, value):
    """Something that can be called."""
    if not callable(value):
        raise InputTypeError("E_CHOICE", name, f"{name} must be a function, got {shown(value)}")
    return value


def thread_count(threads):
    """The number of threads to use; None means every core this process may run on."""
    if threads is None:
        return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return integer("threads", threads, 1)


def broadcast(*shapes):
    """The shape to which the shapes broadcast, of any number of axes; ValueError where they do not. That of NumPy takes
    no more than 32 axes."""
    sizes = itertools.zip_longest(*(reversed(shape) for shape in shapes), fillvalue=1)
    found = [{size for size in of_axis if size != 1} for of_axis in sizes]
    if any(len(others) > 1 for others in found):
        raise ValueError(f"shapes must broadcast, got {', '.join(map(str, shapes))}")
    return tuple(next(iter(others), 1) for others in reversed(found))


def extremes(numbers):
    """(the smallest, the largest) of an array of integers with at least one, as Python's; what a broadcast repeats is
    read once."""
    once = numbers[tuple(slice(None) if stride else slice(1) for stride in numbers.strides)]
    blocks = [once]
    if once.size > READ_AT_ONCE and once.flags.c_contiguous:  # both of a block while it is in the cache
        flat = once.reshape(-1)
        blocks = [flat[start : start + READ_AT_ONCE] for start in range(0, flat.size, READ_AT_ONCE)]
    lows, highs = zip(*((block.min(), block.max()) for block in blocks))
    return int(min(lows)), int(max(highs))


def empty(name, shape, dtype):
    """An array to be filled; what this machine has no memory for is refused, before anything is read or computed."""
    try:
        return np.empty(shape, dtype)
    except MemoryError:
        what, dims = "the result" if name == "out" else name, " x ".join(map(str, shape))
        sentence = f"{what} must fit into memory, got {dims} of {np.dtype(dtype)}"
        raise InputError("E_TOO_LARGE", name, sentence) from None


def counted(name, count, first=0):
    """The integers first .. first + count - 1; a count that this machine has no memory for is refused."""
    empty(name, (count,), np.int64)
    return np.arange(first, first + count, dtype=np.int64)


def copied(name, array, dtype):
    """A copy of an array in another dtype; a broadcast may stand for more than memory holds, which is refused."""
    made = empty(name, array.shape, dtype)
    made[...] = array
    return made


def room(name, array):
    """Refuse a broadcast that stands for more numbers of 64 bits than memory holds."""
    if array.size > MOST_ITEMS and repeats(array):
        empty(name, array.shape, np.float64)


def output(out, shape, fmt, *, name="out", apart_from=()):
    """The array to fill and return (fresh when out is None), as (array, its storage).

    What no array can hold, 2**63 bytes or more, and what this machine has no memory for is refused.
    """
    # NumPy multiplies the sizes besides 0 where there is one
    size = math.prod(n or 1 for n in shape) * (fmt.width // 8)
    if size > LARGEST_SIZE:
        dims = " x ".join(map(str, shape))
        raise InputError("E_TOO_LARGE", name, f"the result must have fewer than 2**63 bytes, got {dims} of {fmt.name}")
    if out is None and len(shape) > MOST_AXES:
        raise InputError("E_SHAPE", name, f"the result must have at most {MOST_AXES} axes, got {len(shape)}")
    if out is None:
        out = empty(name, shape, formats.array_dtype(fmt))
        return out, formats.storage(out, fmt)
    if not isinstance(out, np.ndarray) or hasattr(out, "mask"):  # nothing is written under a mask
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
        raise InputError("E_OUT", name, f"{name} must be aligned to its dtype, got an unaligned array")
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
    # a matrix would stay one in every view and slice
    return out, formats.storage(out.view(np.ndarray) if isinstance(out, np.matrix) else out, fmt)


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
