"""The 8-bit floats of torch and ml_dtypes as the float32 numbers that they are: each of their values is one of float32.

The name has the layout: e4m3 is 4 bits of exponent and 3 of mantissa. The bias is 2**(e - 1) - 1, or the number behind
a b. Without a suffix infinities and NaNs are as in IEEE 754; "fn" has no infinity, and a NaN where all bits are set;
"fnuz" has one NaN only, where -0 would be, and a bias that is 1 larger; e8m0fnu is a power of 2 without sign.

Source: Micikevicius et al. 2022, FP8 Formats for Deep Learning, table 1; openxla/stablehlo, rfcs/20230321-fp8_fnuz.md.
"""

import re

import numpy as np

_LAYOUT = re.compile(r"float8_e(\d)m(\d)(?:b(\d+))?(fn|fnuz|fnu)?")


def is_float8(name):
    """Whether a name of a dtype is that of an 8-bit float.

    >>> is_float8("float8_e4m3fn"), is_float8("float16")
    (True, False)
    """
    return _LAYOUT.fullmatch(name) is not None


def widened(patterns, name):
    """The float32 numbers of bit patterns, an array of uint8 of any shape.

    >>> widened(np.uint8([0x38, 0xBC, 0x7E, 0x7F]), "float8_e4m3fn")
    array([  1. ,  -1.5, 448. ,   nan], dtype=float32)
    """
    exponent_bits, mantissa_bits, bias, suffix = _LAYOUT.fullmatch(name).groups()
    exponent_bits, mantissa_bits = int(exponent_bits), int(mantissa_bits)
    usual = (1 << exponent_bits - 1) - (suffix != "fnuz")
    all_patterns = np.arange(256, dtype=np.int32)
    if suffix == "fnu":  # no sign, no zero
        table = np.ldexp(1.0, all_patterns - usual)
        table[255] = np.nan
        return table.astype(np.float32)[patterns]
    mantissa, exponent = all_patterns % (1 << mantissa_bits), all_patterns >> mantissa_bits & (1 << exponent_bits) - 1
    whole = np.where(exponent > 0, mantissa + (1 << mantissa_bits), mantissa).astype(np.float64)
    last = np.maximum(exponent, 1) - (usual if bias is None else int(bias)) - mantissa_bits
    table = np.where(all_patterns < 128, 1.0, -1.0) * np.ldexp(whole, last)
    highest = exponent == (1 << exponent_bits) - 1
    if suffix is None:
        table = np.where(highest, np.where(mantissa == 0, np.copysign(np.inf, table), np.nan), table)
    else:
        table[all_patterns % 128 == 127 if suffix == "fn" else all_patterns == 128] = np.nan
    return table.astype(np.float32)[patterns]
