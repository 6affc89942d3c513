"""Resolving power: of how many elements of a tensor the bounds of a class say something.

With S the largest finite magnitude that is expected (1 where all of it is 0), a bound says something of an element when
it is below S / 2, and so excludes every error of half that magnitude and more. Of the whole tensor it says nothing
where it admits one of WRONG, or more than one of a hundred tensors of random numbers between -S and S. What is expected
to be infinite or NaN is left as it is in these, since only equality passes there. docs/conformance.md explains it.
"""

import numpy as np

from ..arithmetic import formats, rounding

CHUNK = 1 << 20  # elements that are widened together
CHANCE = 0.01  # of random tensors, the share that a bound may admit
#: tensors that no bound may admit where they are off by S / 2 or more somewhere; where it excludes zeros, it excludes
#: minus the tensor too
WRONG = (
    np.zeros_like,
    np.ones_like,
    lambda values: values[::-1],
    lambda values: np.roll(values, 1),
)


def resolved(expected, unit, limit, fmt, size):
    """How many elements of a Tensor a bound says something of; 0 where it says nothing of the whole.

    unit: "ulp" or "absolute". limit: a number, or an array of the shape of the tensor. fmt: the Format to compare in.
    size: `largest(expected)`.
    """
    values, size = expected.values, size or 1.0
    limit = np.nan_to_num(np.asarray(limit, np.float64), nan=0.0, posinf=0.0)  # there only equality passes
    in_ulps = unit == "ulp" and isinstance(fmt, formats.Format)
    if limit.max(initial=0.0) * (_ulp(np.array(size), fmt) if in_ulps else 1) < CHANCE * size:
        return values.size
    wide = _numbers(np.asarray(values).reshape(-1), expected.dtype)
    limit = np.broadcast_to(limit, values.shape).reshape(-1) * (_ulp(wide, fmt) if in_ulps else 1)
    finite = np.isfinite(wide)
    if not finite.any():
        return values.size
    # limit < size / 2 without overflow and underflow
    return 0 if _admits(wide[finite], limit[finite], size) else int((~finite | (limit < size - limit)).sum())


def largest(expected):
    """The largest finite magnitude of a Tensor, as float64; 0 where there is none."""
    flat, found = np.asarray(expected.values).reshape(-1), 0.0
    for start in range(0, flat.size, CHUNK):
        magnitudes = np.abs(_numbers(flat[start : start + CHUNK], expected.dtype))
        found = max(found, float(magnitudes.max(initial=0.0, where=np.isfinite(magnitudes))))
    return found


def _numbers(values, dtype):
    if values.dtype == np.uint16 and dtype in formats.FORMATS:
        return rounding.widen(values, formats.FORMATS[dtype]).astype(np.float64)
    with np.errstate(invalid="ignore"):  # signalling NaN
        return values.astype(np.float64)


def _ulp(values, fmt):
    """The unit in the last place of each value; of what is not finite, any number."""
    exponent = np.frexp(values)[1] - fmt.precision
    return np.ldexp(1.0, np.maximum(exponent, fmt.lowest))


def _admits(values, limit, size):
    """Whether a bound admits a wrong tensor, or too many of the random ones."""
    with np.errstate(over="ignore"):
        for wrong in WRONG:
            error = np.abs(wrong(values) - values)
            if (error <= limit).all() and 2 * error.max() >= size:
                return True
        centre, half = values / size, limit / size
        shares = (np.minimum(centre + half, 1.0) - np.maximum(centre - half, -1.0)) / 2
    # products in the order of the elements are the same on all machines
    return float(np.cumprod(shares, dtype=np.float64)[-1]) > CHANCE
