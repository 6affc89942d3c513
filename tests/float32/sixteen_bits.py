"""Arrays of float32 of which every operation rounds its result to 16 bits, as programs in bfloat16 and float16 do.

Products of matrices and sums add in float32 and are rounded at the end, as in torch and XLA.
"""

import ml_dtypes
import numpy as np


class _Rounded(np.ndarray):
    """float32 numbers that are values of `kind`."""

    kind = None

    def __array_ufunc__(self, ufunc, method, *inputs, out=None, **options):
        if out is not None:
            options["out"] = tuple(map(bare, out))
        found = getattr(ufunc, method)(*map(bare, inputs), **options)
        if out is None:
            return wrapped(found, type(self))
        out[0][...] = wrapped(found, type(self))
        return out[0]

    def __array_function__(self, function, types, arguments, options):
        return wrapped(function(*bare(arguments), **bare(options)), type(self))


class Bfloat16(_Rounded):
    kind = ml_dtypes.bfloat16


class Float16(_Rounded):
    kind = np.float16


def bare(value):
    """The same without rounding, inside tuples, lists and dicts too."""
    if isinstance(value, dict):
        return {key: bare(one) for key, one in value.items()}
    if isinstance(value, (tuple, list)):
        return type(value)(bare(one) for one in value)
    return value.view(np.ndarray) if isinstance(value, _Rounded) else value


def wrapped(value, kind):
    """Floats rounded to the format of a class of this module, and of that class; all else as it is."""
    if isinstance(value, (tuple, list)):
        return type(value)(wrapped(one, kind) for one in value)
    if not isinstance(value, (np.ndarray, np.floating)) or value.dtype.kind != "f":
        return value
    value = np.asarray(value)
    with np.errstate(over="ignore"):
        found = value.astype(kind.kind).astype(np.float32)
    if (np.isinf(found) & np.isfinite(value)).any():
        raise FloatingPointError  # of ml_dtypes NumPy does not say it
    return found.view(kind)


def in_steps(value, dtype):
    """Arrays of floats as ones that round each result to that dtype, "bfloat16" or "float16"."""
    kind = {"bfloat16": Bfloat16, "float16": Float16}[dtype]
    return wrapped(value, kind) if isinstance(value, np.ndarray) else value
