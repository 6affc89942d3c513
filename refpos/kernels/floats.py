"""What the proofs need of floating point: doubles rounded once, to nearest even, subnormal numbers kept."""

import numpy as np

_LEFT = np.array([2.0**-1074, 2.0**-1022, 1 + 2.0**-52, -1 - 2.0**-52])
_RIGHT = np.array([2.0**1000, 0.5, 1.5, 1.5])
_PRODUCTS = [2.0**-74, 2.0**-1023, 1.5 + 2.0**-51, -1.5 - 2.0**-51]
_FAULTS = (
    "subnormal numbers are read as zero (denormals-are-zero)",
    "subnormal results become zero (flush-to-zero)",
    "rounding is not to nearest even",
    "rounding is not to nearest even",
)


def float_state_ok():
    """Whether the calling thread rounds to nearest and keeps subnormal numbers; other code may change that any time."""
    return (_LEFT * _RIGHT).tolist() == _PRODUCTS


def state_fault():
    """What is wrong with the floating point of the calling thread, as a sentence; None when nothing is."""
    for product, expected, fault in zip((_LEFT * _RIGHT).tolist(), _PRODUCTS, _FAULTS):
        if product != expected:
            return fault
    return None


def fault():
    """What is wrong with that or with NumPy's own arithmetic, as a sentence; None when nothing is."""
    one = np.ones(8)  # as many as the widest registers hold
    following = one + 2.0**-52
    small = np.array([2.0**-149]).astype(np.float32)
    if state_fault():
        return state_fault()
    if small.astype(np.float64)[0] != 2.0**-149:
        return _FAULTS[1]
    if (following * following - (1 + 2.0**-51)).any():
        return "a product and a sum are contracted into one operation (fused multiply-add)"
    if ((one + 2.0**-60) - one).any() or (one + (2.0**-53 + 2.0**-70) != following).any():
        return "sums keep more bits than a double has (x87) or are reordered (fast-math)"
    return None
