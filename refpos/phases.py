"""Phases: position times frequency in full turns, as fixed-point fractions of a turn.

A frequency becomes the fraction of a turn it adds per position, cut to 160 bits; multiplied by a whole position and
reduced modulo 1 it needs no range reduction. With |m| <= 2**53 the phase is off by less than 2**53 * 2**-160 < 2**-106
turns.
"""

from functools import lru_cache

import numpy as np

from . import exact, rounding

LIMBS = 5  # of 32 bits


@lru_cache(maxsize=64)
def per_position(frequencies, exponent):
    """Turns per multiplier of positions multiplier * 2**exponent, modulo 1: uint64 (5, dim/2), 32 bits each."""
    turns = [_turns(frequencies, i, 1, exponent, 32 * LIMBS) for i in range(len(frequencies))]
    limbs = np.array([[t >> 32 * k & 0xFFFFFFFF for t in turns] for k in range(LIMBS)], dtype=np.uint64)
    limbs.flags.writeable = False
    return limbs


def _turns(frequencies, i, multiplier, exponent, bits):
    # (multiplier * 2**exponent * theta_i / 2 pi) mod 1, times 2**bits, off by less than 2
    reach = max(0, multiplier.bit_length() + exponent) + 16
    # rounded up, so that few precisions are ever asked for
    work = -(-(bits + reach) // 256) * 256
    theta = frequencies.fixed(work)[i]
    size = work + max(0, theta.bit_length() - work) + reach
    size = max(work, theta.bit_length()) + reach
    turns = (theta * multiplier << size - 1) // exact.pi(size) >> work - bits - exponent
    return turns & (1 << bits) - 1


def cos_sin(frequencies, i, multiplier, exponent, bits):
    """Enclosures of cosine and sine at one position and frequency: integers (cos, sin, error), times 2**-bits."""
    return exact.cos_sin(_turns(frequencies, i, multiplier, exponent, bits), bits)


def rounded_cos_sin(frequencies, i, multiplier, exponent, fmt):
    """Bit patterns of cosine and sine, rounded once."""
    if multiplier == 0:
        return rounding.nearest(1, 0, fmt), 0

    def enclosure(which):
        def at(bits):
            values = cos_sin(frequencies, i, multiplier, exponent, bits)
            return values[which], values[2]

        return at

    return rounding.decide(enclosure(0), fmt), rounding.decide(enclosure(1), fmt)
