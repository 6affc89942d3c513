"""Numbers of 8 bits: OCP OFP8 (E4M3 without infinity, E5M2), and blocks of them with a power of two each, OCP MX.

A float64 value is rounded once, to nearest even. Where it stands for another number, the float64 must have the marks of
`formats.MARKED`, so that it lies on the same side of every midpoint as that number.

Source: OCP 8-bit Floating Point Specification (OFP8) 1.0, sections 5.1 and 5.2; OCP Microscaling Formats (MX)
Specification 1.0, sections 5.4.1 and 6.3.
"""

import math
from typing import NamedTuple

import numpy as np

from . import rounding
from .formats import Format


class Format8(NamedTuple):
    """A format of 8 bits. wide: the same significand and smallest subnormal with more exponents, in 16 bits: up to
    `largest` its patterns are those of the 8 bits, and a larger pattern is an overflow."""

    wide: Format
    largest: int  # pattern of the largest finite number
    overflow: int  # pattern of what is larger, without saturation: infinity, or NaN where there is none
    nan: int
    emax: int  # exponent of the largest finite number


FORMATS8 = {
    "float8_e4m3fn": Format8(Format("float8_e4m3fn", 4, -9, 8, "uint16"), 0x7E, 0x7F, 0x7F, 8),
    "float8_e5m2": Format8(Format("float8_e5m2", 3, -16, 15, "uint16"), 0x7B, 0x7C, 0x7E, 15),
}
#: the format of the scales of blocks, 2**(pattern - BIAS); SCALE_NAN has no number
SCALE, BIAS, SCALE_NAN = "float8_e8m0fnu", 127, 0xFF
BLOCK = 32  # elements that share a scale
LARGEST = 7 / 8  # significand of the largest number of both formats


def rounded(values, fmt, saturate):
    """Bit patterns of float64 values; with `saturate` the largest finite number for what is larger, infinity included.
    Every NaN is the positive one."""
    wide = rounding.narrow(values, fmt.wide).reshape(values.shape)
    magnitude = wide & np.uint16(0x7FFF)
    patterns = np.where(magnitude > fmt.largest, fmt.largest if saturate else fmt.overflow, magnitude)
    patterns |= np.where(patterns == fmt.nan, 0, wide >> np.uint16(8) & np.uint16(0x80))
    return np.where(magnitude == fmt.wide.nan, fmt.nan, patterns).astype(np.uint8)


def rounded_blocks(values, fmt, rule):
    """(patterns of elements, patterns of scales) of float64 values (..., blocks, BLOCK).

    Each element is the quotient of the value and its scale, rounded once, with saturation. A block with a NaN or an
    infinity is NaN as a whole.
    """
    largest = np.abs(values).max(-1)
    finite = np.isfinite(largest)
    exponents = np.where(finite & (largest > 0), _exponents(np.where(finite, largest, 0), fmt, rule), -BIAS)
    exponents = np.clip(exponents, -BIAS, BIAS)
    # scaled exactly, but for what is far below half the smallest subnormal
    quotients = np.ldexp(np.where(finite[..., None], values, np.nan), -exponents[..., None])
    scales = np.where(finite, exponents + BIAS, SCALE_NAN).astype(np.uint8)
    return rounded(quotients, fmt, saturate=True), scales


def _exponents(largest, fmt, rule):
    """The exponents of the scales of blocks whose largest magnitudes are given, before they are clipped."""
    significand, exponent = np.frexp(largest)  # from 1/2 to 1
    if rule == "even":
        exponent += significand >= 1 - math.ldexp(0.5, -fmt.wide.precision)  # which rounds to 1
    if rule == "rceil":
        exponent += significand > LARGEST
    return exponent - 1 - fmt.emax
