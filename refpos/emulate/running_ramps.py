"""YaRN as llama.cpp has it beside its running products (rope_yarn in ggml/src/ggml-cpu/ops.cpp), all in float32."""

from fractions import Fraction
from math import ceil, floor, pi

import numpy as np

from ..arithmetic import reals
from ..errors import InputError
from ..frequencies.ntk_by_parts import CLAMPS
from .operations import FLOAT64, product, quotient, rounded, total

FIXED = {"truncate": True, "clamp": CLAMPS[0]}  # of which llama.cpp has no other


def ramp(arguments, betas, base, fmt):
    """How much of each angle is kept as it is, from 1 of the fastest to 0: (dim/2,)."""
    for name, value in FIXED.items():
        if arguments[name] != value:
            sentence = f"{name} must be {value!r} for a running product, got {arguments[name]!r}"
            raise InputError("E_CHOICE", name, sentence)
    dim, trained = arguments["dim"], rounded(float(arguments["original_max_position_embeddings"]), fmt)
    fast, slow = (_end(dim, trained, rounded(beta, fmt), rounded(base, fmt), fmt) for beta in betas)
    low, high = max(0, floor(fast)), min(dim - 1, ceil(slow))
    width = max(rounded(0.001, fmt), float(high - low))
    y = quotient(np.arange(dim // 2, dtype=np.float64) - low, width, fmt)
    return total(1.0, -np.clip(y, 0.0, 1.0), fmt)


def _end(dim, trained, beta, base, fmt):
    """The frequency that turns beta times within the trained length."""
    turns = product(product(beta, 2.0, fmt), rounded(pi, fmt), fmt)
    above = product(float(dim), _log(quotient(trained, turns, fmt), fmt), fmt)
    return float(quotient(above, 2 * _log(base, fmt), fmt))


def magnitude(times, fmt):
    """What multiplies cosines and sines: 1 + 0.1 log(1 / freq_scale)."""
    return float(total(1.0, product(rounded(0.1, fmt), _log(quotient(1.0, times, fmt), fmt), fmt), fmt))


def mixed(angles, times, kept, fmt):
    """Angles times freq_scale, and as they are, in the shares of the ramp."""
    scaled = product(times, angles, fmt)
    return total(product(scaled, total(1.0, -kept, fmt), fmt), product(angles, kept, fmt), fmt)


def _log(number, fmt):
    """The logarithm of a number of a format, rounded once to it."""
    number = Fraction(float(number))
    if number == 1:
        return 0.0
    found = reals.evaluated(lambda digits: digits.log(number))
    return float(found.rounded(FLOAT64.name if fmt is FLOAT64 else fmt.name))
