"""The first position at which two rotations turn a pair by angles that can be told apart."""

import numpy as np

from ...rotary.rope_table import rope_table
from ...steps.angles import frequency_sets
from .differences import TOLERANCE

#: positions that are looked at, where a configuration says nothing of its length, and at most
USUAL, MOST = 2**17, 2**20
BLOCK = 256


def first_position(a, b, below):
    """The first position below a limit whose cosines or sines differ by more than TOLERANCE, or None.

    a, b: `Rotary`; a pair that one of them lacks is not rotated there. Every axis has the same position.
    """
    count = max(len(a.inv_freq), len(b.inv_freq))
    (theta_a, factor_a), (theta_b, factor_b) = _padded(a, count), _padded(b, count)
    apart, gap = np.abs(factor_a - factor_b), np.abs(theta_a - theta_b)
    if (apart > TOLERANCE).any():
        return 0 if below else None
    pairs = np.flatnonzero(gap)
    if not len(pairs):
        return None
    apart, gap, factor_a, factor_b = apart[pairs], gap[pairs], factor_a[pairs], factor_b[pairs]
    # |f cos(pa) - g cos(pb)| <= |f - g| + max(f, g) p |a - b|: below these positions no pair differs
    least = (TOLERANCE - apart) / (np.maximum(factor_a, factor_b) * gap)
    # |f exp(ipa) - g exp(ipb)| >= 2 sqrt(f g) |sin(p(a - b)/2)|, which is more than sqrt(2) TOLERANCE there
    surely = 1.5 * TOLERANCE / (np.sqrt(factor_a * factor_b) * gap)
    # |sin| grows as far as the angles of neighbouring positions differ by less than 1
    latest = surely.min() + 1 if gap.max() < 1 else np.inf
    chosen = pairs[least <= latest]
    start = max(0, int(min(least.min() * 0.99, below)) - 1)
    return _walk(a, b, chosen, start, below)


def _padded(rotary, count):
    """(signed frequencies, factors) of so many pairs."""
    theta, factor = np.zeros(count), np.ones(count)
    own = rotary.inv_freq
    theta[: len(own)] = -own if rotary.inverse else own
    factor[: len(own)] = rotary.attention_factor
    return theta, factor


def _walk(a, b, chosen, start, below):
    """The first position of a block that differs; blocks grow."""
    size = BLOCK
    while start < below:
        positions = np.arange(start, min(start + size, below), dtype=np.int64)
        tables = [_cos_sin(one, chosen, positions) for one in (a, b)]
        differs = (np.abs(tables[0] - tables[1]) > TOLERANCE).any((0, 2))
        if differs.any():
            return int(positions[differs.argmax()])
        start, size = start + size, min(2 * size, 2**14)
    return None


def _cos_sin(rotary, chosen, positions):
    """(cos and sin, positions, chosen pairs)."""
    table = np.zeros((2, len(positions), len(chosen)))
    table[0] = 1.0
    own = chosen[chosen < len(rotary.frequencies)]
    if len(own):
        table[..., : len(own)] = rope_table(positions, frequency_sets.picked(rotary.frequencies, own.tolist()))
    if rotary.inverse:
        table[1] *= -1
    return table
