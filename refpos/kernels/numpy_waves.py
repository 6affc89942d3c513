"""Cosines and sines in plain double as complex numbers, in NumPy: one product adds two angles.

Rows at positions that are not evenly spaced are products too: a position is a sum of digits, and a digit has few
values, whose waves are made once.
"""

from math import isqrt

import numpy as np

KNOT_SHIFT = np.uint64(53)  # of 2048 knots in 64 bits of a turn: the bits below the number of a knot
HALF_KNOT = np.uint64(1 << 52)
BELOW_KNOT = np.uint64(11)
SIGN = np.uint64(1 << 63)
UNIT = 6.283185307179586 * 2.0**-75  # of the distance from a knot, in radians
PART = 1 << 14  # entries done at a time: temporaries stay in the cache

KEPT = 256  # frequencies whose first waves are kept, at most
KEPT_BITS, KEPT_DIGITS = 5, 4  # positions below 2**20
MOST_DIGITS = 5
DIGIT_ENTRIES = 1 << 17  # of the waves of all values of all digits, at most
# what an entry takes, in the time of a product of two waves: one made from its position, one that is looked up
MADE, LOOKED_UP = 9, 0.5


def waves(multipliers, phases, knots, turn=1):
    """cos - i sin at multipliers (n,) times phases (5, half): complex (n, half), each part off by less than 2**-51.9.

    knots (4, 2048) are cosine and sine at j/2048 turns as pairs. turn: 1, or 1j for sin + i cos.
    """
    out = np.empty((len(multipliers), phases.shape[1]), np.complex128)
    knots = turn * (knots[0] + knots[1] - 1j * (knots[2] + knots[3]))
    upper, below = phases[4] << np.uint64(32) | phases[3], phases[2] * 2.0**-32 + phases[1] * 2.0**-64
    step = max(1, PART // max(1, out.shape[1]))
    for start in range(0, len(out), step):
        part, rows = out[start : start + step], multipliers[start : start + step, None]
        turns = rows.astype(np.uint64) * upper  # modulo 1, in units of 2**-64
        turns += (rows * below).astype(np.int64).view(np.uint64)
        turns += HALF_KNOT  # so that the upper 11 bits are the nearest knot, and those below the distance from it
        knots.take((turns >> KNOT_SHIFT).view(np.int64), out=part, mode="clip")
        turns <<= BELOW_KNOT
        turns ^= SIGN
        part *= _near_one(turns.view(np.int64) * UNIT)
    return out


def _near_one(x):
    """cos x - i sin x for |x| <= 2**-9.34."""
    wave, square = np.empty(x.shape, np.complex128), x * x
    series = square * (-1 / 120)
    series += 1 / 6
    series *= square
    series -= 1
    np.multiply(series, x, out=wave.imag)
    np.multiply(square, 1 / 24, out=series)
    series -= 0.5
    series *= square
    np.add(series, 1, out=wave.real)
    return wave


def scattered(multipliers, phases, knots):
    """(make, error): make(part) gives sin + i cos of a slice of the rows, off by less than error * 2**-49.3."""
    low, high = int(multipliers.min()), int(multipliers.max())
    count, width = _best_digits(max(~low, high, 1).bit_length(), low < 0, phases.shape[1], len(multipliers))
    if count == 1:
        return lambda part: waves(multipliers[part], phases, knots, 1j), 1
    # the last digit has the sign
    shifts, last = range(0, count * width, width), (count - 1) * width
    values = [range(1 << width)] * (count - 1) + [range(low >> last, (high >> last) + 1)]
    tables = _digit_tables(values, shifts, phases, knots)
    tables[-1] *= 1j

    def make(part):
        rows = multipliers[part]
        made = tables[-1].take((rows >> last) - (low >> last), 0)
        for table, shift in zip(tables, shifts[:-1]):
            made *= table.take(rows >> shift & (1 << width) - 1, 0)
        return made

    return make, 2 if count == 2 else 4


def _best_digits(bits, signed, half, rows):
    """(digits, bits of each) that take the least time; one digit: every row is made from its position."""
    best, least = (1, bits), MADE * rows
    for count in range(2, MOST_DIGITS + 1):
        width = -(-bits // count)
        values = count + signed << width
        seeds = 2 * count << -(-width // 2)
        time = MADE * seeds + values + rows * (count - 1 + LOOKED_UP * count)
        if values * half <= DIGIT_ENTRIES and time < least:
            best, least = (count, width), time
    return best


def _digit_tables(values, shifts, phases, knots):
    """cos - i sin of all values of each digit: a coarse step and a fine one make each."""
    parts = []
    for digits, shift in zip(values, shifts):
        step = isqrt(len(digits) - 1) + 1
        parts += [np.array(steps, np.int64) << shift for steps in (digits[::step], range(step))]
    made = np.split(
        waves(np.concatenate(parts), phases, knots), np.cumsum([len(part) for part in parts], dtype=np.int64)[:-1]
    )
    return [(coarse[:, None] * fine).reshape(-1, phases.shape[1]) for coarse, fine in zip(made[::2], made[1::2])]


class Turns:
    """What small tables share: the waves of the digits to base 32 of positions, each made when it is first needed.

    They take half a kilobyte for each frequency and digit. The arguments are those of the compiled twin.
    """

    def __init__(self, phases, knots, steps, fmt, radius, seed_radius, nothing):
        self.given, self.fmt, self.radius, self._tables = (phases, knots, steps), fmt, radius, ()

    def reach(self, multipliers):
        """Whether the digits of those positions are kept; makes them."""
        high = int(multipliers.max())
        count = -(-high.bit_length() // KEPT_BITS)
        if high < 0 or count > KEPT_DIGITS or multipliers.min() < 0:
            return False
        phases, knots, steps = self.given
        made = list(self._tables)
        while len(made) < max(count, 1):
            digits = np.arange(1 << KEPT_BITS, dtype=np.int64) << KEPT_BITS * len(made)
            made.append(waves(digits, phases, knots) if made else waves(digits, phases, knots, 1j) * steps[0, 0, 0])
        self._tables = made
        return True

    def waves(self, multipliers):
        """sin + i cos of multipliers (n,)."""
        high = int(multipliers.max())
        made = self._tables[0].take(multipliers & (1 << KEPT_BITS) - 1 if high >> KEPT_BITS else multipliers, 0)
        for k in range(1, -(-high.bit_length() // KEPT_BITS)):
            made *= self._tables[k].take(multipliers >> KEPT_BITS * k & (1 << KEPT_BITS) - 1, 0)
        return made
