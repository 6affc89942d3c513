"""Rounding once: exact numbers to bit patterns by nearest even, and float64 values to the narrower formats."""

import math
from fractions import Fraction

import numpy as np

from ..errors import InputError
from . import formats

#: bits of the finest enclosure; a number that is still undecided with it is refused (docs/numbers.md, "It ends")
MOST_BITS = 1 << 14
#: a number of 10**DECIMAL_RANGE is infinite in every format, one of 10**-DECIMAL_RANGE is 0
DECIMAL_RANGE = 400
MARK = (1 << formats.MARK) - 1


def nearest(integer, shift, fmt):
    """Bit pattern of integer * 2**-shift rounded to nearest even; overflow gives infinity, as IEEE 754 says."""
    sign = (1 << fmt.width - 1) if integer < 0 else 0
    magnitude = abs(integer)
    if not magnitude:
        return 0
    # exponent of the last bit kept: precision bits of the value, but never below the smallest subnormal
    last = max(magnitude.bit_length() - shift - fmt.precision, fmt.lowest)
    drop = last + shift
    if drop > 0:
        kept, rest, half = magnitude >> drop, magnitude & (1 << drop) - 1, 1 << drop - 1
        kept += rest > half or (rest == half and kept & 1)
    else:
        kept = magnitude << -drop
    # a carry to 2**precision moves into the exponent field by itself, and so does the step from subnormal to normal
    pattern = kept + (last - fmt.lowest << fmt.precision - 1)
    if fmt.marked and drop > 0 and rest and not pattern & MARK:
        pattern += -1 if kept << drop > magnitude else 1
    infinity = (1 << fmt.width - 1) - (1 << fmt.precision - 1)
    return sign | min(pattern, infinity)


def nearest_fraction(value, fmt):
    """Bit pattern of a fraction rounded to nearest even."""
    shift = max(fmt.precision + 2 - value.numerator.bit_length() + value.denominator.bit_length(), 2 - fmt.lowest)
    quotient, rest = divmod(abs(value.numerator) << shift, value.denominator)
    # two bits or more below the last one kept: a tie stays a tie, nothing else becomes one
    sticky = quotient << 1 | (rest > 0)
    return nearest(-sticky if value < 0 else sticky, shift + 1, fmt)


def nearest_decimal(value, fmt):
    """Bit pattern of a finite decimal rounded to nearest even. The fraction of an end of an interval such as 1E-10**18
    would fill the memory: beyond the range of the formats a power of ten stands for it."""
    size = value.adjusted()
    if value and abs(size) > DECIMAL_RANGE:
        bound = Fraction(10) ** (DECIMAL_RANGE if size > 0 else -DECIMAL_RANGE)
        return nearest_fraction(-bound if value < 0 else bound, fmt)
    return nearest_fraction(Fraction(value), fmt)


def rounding_test(n, error, shift, fmt):
    """The bit pattern to which all numbers in (n - error, n + error) * 2**-shift round; None where there are two."""
    low, high = nearest(n - error, shift, fmt), nearest(n + error, shift, fmt)
    return low if low == high else None


def round_exactly(enclosure, fmt, bits=160, exponent=0):
    """Bit pattern of a real number that is not a midpoint, by rounding tests of enclosures that shrink (Ziv 1991).

    enclosure(bits) returns integers (n, error): the number lies in (n - error, n + error) * 2**(exponent - bits).
    Refuses a number that MOST_BITS leave undecided, such as one exactly halfway between two values of the format.
    """
    for precision in precisions(bits):
        pattern = rounding_test(*enclosure(precision), precision - exponent, fmt)
        if pattern is not None:
            return pattern


def precisions(bits, most=MOST_BITS):
    """`bits` and its doubles, until one is `most` or more; then a refusal, for the number is undecided."""
    yield bits
    while bits < most:
        bits *= 2
        yield bits
    sentence = f"the exact value must be decided by about {most} bits, got one that is closer to a halfway point"
    raise InputError("E_UNDECIDED", "value", sentence)


def round_float(value, fmt):
    """Bit pattern of one float rounded once."""
    rounded = narrow(np.array([value], np.float64), fmt)
    return int(rounded.view(f"u{rounded.dtype.itemsize}")[0])


def narrow(values, fmt):
    """float64 values rounded once to the format, as an array of its storage dtype; too large ones become infinite."""
    if fmt.width == 64:
        return values
    if fmt.width == 32:
        with np.errstate(over="ignore", under="ignore", invalid="ignore"):  # the caller may have errors raised
            return values.astype(np.float32)
    return _narrow16(values, fmt)


def _narrow16(values, fmt):
    pattern = np.ascontiguousarray(values).view(np.uint64)
    magnitude = pattern & np.uint64(0x7FFF_FFFF_FFFF_FFFF)
    drop = 53 - fmt.precision
    # normal results: add half (less one when the last kept bit is even) and cut; the carry moves into the exponent
    last = magnitude >> np.uint64(drop) & np.uint64(1)
    kept = magnitude + (last + np.uint64((1 << drop - 1) - 1)) >> np.uint64(drop)
    smallest_normal = fmt.lowest + fmt.precision - 1
    bias = 1023 + smallest_normal - 1
    infinity = (1 << 15) - (1 << fmt.precision - 1)
    result = np.minimum(kept - np.uint64(bias << fmt.precision - 1), np.uint64(infinity))
    # subnormal results: adding 2**(lowest + 52) leaves the patterns in the last bits, rounded by the addition itself
    small = magnitude < np.uint64(1023 + smallest_normal << 52)
    if small.any():
        anchor = np.float64(math.ldexp(1.0, fmt.lowest + 52))
        shifted = np.where(small, magnitude, np.uint64(0)).view(np.float64) + anchor
        result = np.where(small, shifted.view(np.uint64) - anchor.view(np.uint64), result)
    result = np.where(magnitude > np.uint64(0x7FF0 << 48), np.uint64(fmt.nan), result)
    return (result | pattern >> np.uint64(48) & np.uint64(0x8000)).astype(np.uint16)


def unmarked(values):
    """Whether float64 values that are not exact still need the mark of `formats.MARKED`."""
    patterns = np.ascontiguousarray(values).view(np.uint64)
    # without the sign, so that neither zero is among them: what rounds to 0 is 0 in every narrower format
    return (patterns & np.uint64(MARK) == 0) & (patterns << np.uint64(1) != 0)


def widen(stored, fmt):
    """The exact float64 values of an array in the storage of a format."""
    if fmt.width == 64:
        return stored.astype(np.float64)
    with np.errstate(invalid="ignore"):  # signalling NaN patterns
        if fmt.width == 32:
            return stored.astype(np.float64)
        if fmt.name == "float16":
            # the storage keeps the order of the bytes of its array
            return stored.view("f2" if stored.dtype.isnative else np.dtype("f2").newbyteorder()).astype(np.float64)
        return (stored.astype(np.uint32) << np.uint32(16)).view(np.float32).astype(np.float64)
