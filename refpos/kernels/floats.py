"""What the proofs need of floating point: doubles rounded once, to nearest even, subnormal numbers kept.

Every number here is a bit pattern: in a process whose floating point is spoilt, a constant such as 2.0**-74 already
comes out wrong, and would stay wrong in the bytecode that Python stores. Under the guard of `refpos.guard` the state is
right; where that is not built, this module is asked before any other is imported.
"""

import numpy as np


def _doubles(*patterns):
    return np.array(patterns, np.uint64).view(np.float64)


# 2**-1074 * 2**1000, 2**-1022 / 2, and the next number after 1 times 1.5 and -1.5: ties, to even away from zero
_LEFT = _doubles(0x0000000000000001, 0x0010000000000000, 0x3FF0000000000001, 0x3FF0000000000001)
_RIGHT = _doubles(0x7E70000000000000, 0x3FE0000000000000, 0x3FF8000000000000, 0xBFF8000000000000)
_PRODUCTS = _doubles(0x3B50000000000000, 0x0008000000000000, 0x3FF8000000000002, 0xBFF8000000000002)
_FAULTS = (
    "subnormal numbers are read as zero (denormals-are-zero)",
    "subnormal results become zero (flush-to-zero)",
    "rounding is not to nearest even",
    "rounding is not to nearest even",
)


def state_fault():
    """What is wrong with the floating point of the calling thread, as a sentence; None when nothing is."""
    wrong = (_LEFT * _RIGHT).view(np.uint64) != _PRODUCTS.view(np.uint64)
    return _FAULTS[int(wrong.argmax())] if wrong.any() else None


def fault():
    """What is wrong with that or with NumPy's own arithmetic, as a sentence; None when nothing is."""
    # eight of each: as many as the widest registers hold
    one, following, squared, trifle, over_half = (
        np.repeat(_doubles(pattern), 8)
        for pattern in (
            0x3FF0000000000000,
            0x3FF0000000000001,
            0x3FF0000000000002,
            0x3C30000000000000,  # 2**-60, lost when added to 1
            0x3CA0000800000000,  # 2**-53 + 2**-70, which rounds 1 up unless it is rounded to 64 bits first
        )
    )
    if state_fault():
        return state_fault()
    if np.array([1], np.uint32).view(np.float32).astype(np.float64).view(np.uint64)[0] != 0x36A0000000000000:
        return _FAULTS[0]
    if (following * following - squared).any():
        return "a product and a sum are contracted into one operation (fused multiply-add)"
    if ((one + trifle) - one).any() or (one + over_half != following).any():
        return "sums keep more bits than a double has (x87) or are reordered (fast-math)"
    return None
