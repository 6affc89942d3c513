"""The operations that emulations are made of, each correctly rounded to a format.

Numbers are float64 arrays that hold values of a format. A sum, product or quotient of two numbers of 24 bits or fewer,
rounded to float64 and then to their format, is the one that a single rounding gives, because 53 >= 2 * 24 + 2 (Figueroa
1995, When is double rounding innocuous?). Powers, exponentials, sines and cosines are rounded once.
"""

from fractions import Fraction
from functools import lru_cache

import numpy as np

from ..arithmetic import elementary, formats, powers, reals, rounding
from ..frequencies.given_frequencies import given_frequencies
from ..rotary.rope_table import rope_table

FLOAT64, FLOAT32, FLOAT16, BFLOAT16 = (formats.FORMATS[name] for name in ("float64", "float32", "float16", "bfloat16"))
#: the operands of NVIDIA's tensor cores: float32 without its last 13 bits
TF32 = formats.Format("tf32", 11, -136, 127, "float32")
SURE = 2.0**-52  # an exponential as float64 is off by less than this part of itself


def rounded(values, fmt):
    """Numbers rounded to a format, as float64."""
    values = np.asarray(values, np.float64)
    if fmt is TF32:
        return _tf32(values)
    if fmt.width == 64:
        return values
    return np.asarray(rounding.widen(rounding.narrow(values, fmt), fmt), np.float64)


def _tf32(values):
    """As the instruction cvt.rna.tf32.f32 rounds: to nearest, ties away from zero."""
    patterns = rounded(values, FLOAT32).astype(np.float32).view(np.uint32)
    kept = (patterns + np.uint32(1 << 12)) & np.uint32(0xFFFFE000)
    return np.where(np.isfinite(values), kept.view(np.float32), values).astype(np.float64)


def rounded_fraction(value, fmt):
    """An exact number rounded once to a format, as a float."""
    pattern = rounding.nearest_fraction(Fraction(value), fmt)
    return float(rounding.widen(np.array([pattern], f"u{fmt.width // 8}").view(fmt.storage), fmt)[0])


def quotient(one, other, fmt):
    """one / other in a format; a quotient by 0 is what IEEE 754 says."""
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        return rounded(np.asarray(one, np.float64) / other, fmt)


def product(one, other, fmt):
    """one * other in a format."""
    with np.errstate(invalid="ignore", over="ignore"):
        return rounded(np.asarray(one, np.float64) * other, fmt)


def total(one, other, fmt):
    """one + other in a format."""
    with np.errstate(invalid="ignore", over="ignore"):
        return rounded(np.asarray(one, np.float64) + other, fmt)


def power(base, exponents, fmt):
    """base**t for each exponent t, floats; the base 0 or greater."""
    exponents = np.asarray(exponents, np.float64)
    found = [_power(float(base), exponent, fmt) for exponent in exponents.reshape(-1).tolist()]
    return np.array(found, np.float64).reshape(exponents.shape)


@lru_cache(maxsize=4096)
def _power(base, exponent, fmt):
    if base == 0 or not np.isfinite([base, exponent]).all():
        with np.errstate(all="ignore"):
            return float(np.float64(base) ** exponent)  # what IEEE 754 says of infinity and 0, without a rounding
    pattern = powers.real(Fraction(base), Fraction(exponent)).pattern(fmt)
    return float(rounding.widen(np.array([pattern], f"u{fmt.width // 8}").view(fmt.storage), fmt)[0])


def exponential(x, fmt):
    """e**x."""
    x = np.asarray(x, np.float64)
    values = elementary.exp(x)
    near, far = rounded(values * (1 - SURE), fmt), rounded(values * (1 + SURE), fmt)
    if fmt.width == 64:
        return values
    for place in np.argwhere((near != far) & (x != 0)):
        number = reals.evaluated(lambda digits, x=Fraction(x[tuple(place)]): digits.exp(x))
        near[tuple(place)] = float(number.rounded(fmt))
    return near


def logarithm(number):
    """The natural logarithm of a number greater than 0, rounded once to float64."""
    return reals.float_log(Fraction(number))


def cosine_and_sine(angles, fmt):
    """(cos, sin) of angles; NaN for what is not finite."""
    angles = np.asarray(angles, np.float64)
    finite = np.isfinite(angles)
    shape = (*angles.shape, 1)
    stored = [np.empty(shape, fmt.storage) for _ in range(2)]
    rope_table(np.where(finite, angles, 0.0), _one(), dtype=fmt.name, out=_as_arrays(stored, fmt))
    return tuple(np.where(finite, rounding.widen(part, fmt)[..., 0], np.nan) for part in stored)


def _as_arrays(stored, fmt):
    return tuple(part.view(np.float16) if fmt.name == "float16" else part for part in stored)


@lru_cache(maxsize=1)
def _one():
    return given_frequencies([1])
