"""Resolving power: of how many elements of a tensor the bounds of a class say something.

With S the largest finite magnitude that is expected (1 where all of it is 0), a bound says something of an element when
it is below S / 2, and so excludes every error of half that magnitude and more. Of the whole tensor it says nothing
where it admits one of WRONG, or more than one of a hundred tensors of random numbers between -S and S. What is expected
to be infinite or NaN is left as it is in these, since only equality passes there. docs/conformance.md explains it.
"""

import math

import numpy as np

from ..arithmetic import formats, rounding

CHUNK = 1 << 14  # elements that are looked at together
CHANCE = 0.01  # of random tensors, the share that a bound may admit


def resolved(expected, unit, limit, fmt, size):
    """How many elements of a Tensor a bound says something of; 0 where it says nothing of the whole.

    unit: "ulp" or "absolute". limit: a number, or an array of the shape of the tensor. fmt: the Format to compare in.
    size: `largest(expected)`.
    """
    limit = np.asarray(limit, np.float64)
    if are_small(_bounding(limit).max(initial=0.0), unit, fmt, size):
        return expected.values.size
    return resolved_in(expected, {unit: unit}, [(..., {unit: limit})], fmt, size)[unit]


def are_small(most, unit, fmt, size):
    """Whether bounds, of which that is the largest, say something of every element of each tensor of a size."""
    size = size or 1.0
    return most * (_ulp(np.array(size), fmt) if _in_ulps(unit, fmt) else 1) < CHANCE * size


def resolved_in(expected, units, parts, fmt, size):
    """The same by class, of {class: unit} and bounds that come in parts (index of the tensor, {class: bounds})."""
    size, finite = size or 1.0, _Finite(expected)
    told, chance = dict.fromkeys(units, 0), dict.fromkeys(units, 1.0)
    admitted, far = {kind: np.ones(len(WRONG), bool) for kind in units}, np.zeros(len(WRONG))
    for index, limits in parts:
        for numbers, some in _chunks(expected.values.shape, index):
            wide = finite.numbers(numbers)
            known = np.isfinite(wide)
            with np.errstate(over="ignore"):
                errors = np.abs(finite.wrong(numbers[known]) - wide[known])
            far = np.maximum(far, errors.max(axis=1, initial=0.0))
            for kind, unit in units.items():
                limit = _flat(limits[kind], some) * (_ulp(wide, fmt) if _in_ulps(unit, fmt) else np.ones(wide.shape))
                told[kind] += int((~known | (limit < size - limit)).sum())  # < size / 2 without overflow and underflow
                admitted[kind] &= (errors <= limit[known]).all(axis=1)
                chance[kind] = _chance(chance[kind], wide[known] / size, limit[known] / size)
    if not finite.count:
        return dict.fromkeys(units, expected.values.size)
    with np.errstate(over="ignore"):
        is_far = 2 * far >= size
    return {kind: 0 if (admitted[kind] & is_far).any() or chance[kind] > CHANCE else told[kind] for kind in units}


class _Finite:
    """The elements of a tensor by their number in C order; a class because those that are finite are found once."""

    def __init__(self, expected):
        self.flat, self.dtype = np.asarray(expected.values).reshape(-1), expected.dtype
        starts = range(0, self.flat.size, CHUNK)
        known = [np.isfinite(_numbers(self.flat[start : start + CHUNK], self.dtype)) for start in starts]
        known = np.concatenate(known) if known else np.zeros(0, bool)
        self.count = int(np.count_nonzero(known))
        self.places = None if self.count == known.size else np.flatnonzero(known)

    def numbers(self, places):
        """The numbers at some places."""
        return _numbers(self.flat[places], self.dtype)

    def wrong(self, places):
        """What each tensor of WRONG has at some places, which are finite."""
        rank = places if self.places is None else np.searchsorted(self.places, places)
        return np.stack([np.broadcast_to(one(self, rank), rank.shape) for one in WRONG])

    def ranked(self, rank):
        """The numbers of so many among those that are finite."""
        return self.numbers(rank % self.count if self.places is None else self.places[rank % self.count])


#: tensors that no bound may admit where they are off by S / 2 or more somewhere: zeros, which exclude minus the tensor
#: too, ones, the numbers in reverse order, and each in the place of the next
WRONG = (
    lambda finite, rank: 0.0,
    lambda finite, rank: 1.0,
    lambda finite, rank: finite.ranked(finite.count - 1 - rank),
    lambda finite, rank: finite.ranked(rank - 1),
)


def _chunks(shape, index):
    """(numbers of elements in C order, slice of the part) of the elements of a part of a tensor, a few at a time."""
    count = math.prod(shape)
    if index is not ...:
        axes = (*index, *[slice(None)] * (len(shape) - len(index)))
        chosen = np.ix_(*(np.arange(size, dtype=np.int64)[one] for size, one in zip(shape, axes)))
        every = np.ravel_multi_index(chosen, shape).reshape(-1)
        count = every.size
    for start in range(0, count, CHUNK):
        some = slice(start, min(start + CHUNK, count))
        yield np.arange(some.start, some.stop, dtype=np.int64) if index is ... else every[some], some


def _flat(limit, some):
    """Some elements of bounds, or one number for all."""
    limit = np.asarray(limit, np.float64)
    if limit.ndim:
        limit = limit.reshape(-1)[some] if limit.flags.c_contiguous else limit.flat[some]
    return _bounding(limit)


def _bounding(limit):
    """Bounds where only equality passes as 0."""
    return np.nan_to_num(limit, nan=0.0, posinf=0.0)


def _in_ulps(unit, fmt):
    return unit == "ulp" and isinstance(fmt, formats.Format)


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


def _chance(chance, centre, half):
    """The share of random tensors that a bound admits: of those before some elements, and of these."""
    shares = (np.minimum(centre + half, 1.0) - np.maximum(centre - half, -1.0)) / 2
    # products in the order of the elements are the same on all machines
    return float(np.cumprod(np.concatenate([[chance], shares]), dtype=np.float64)[-1])
