"""Cosines and sines in plain double as complex numbers, in NumPy: one product adds two angles.

Rows at positions that are not evenly spaced are products too: a position is a sum of digits, and a digit has few
values, whose waves are made once.
"""

from math import isqrt

import numpy as np

KNOT_SHIFT = np.uint64(54)  # of 1024 knots in 64 bits of a turn: the bits below the number of a knot
HALF_KNOT = 1 << 53
BELOW_KNOT = np.uint64(10)
QUARTER = 1 << 62
UNIT = 6.283185307179586 * 2.0**-74  # of the distance from a knot, in radians
# series of the cosine and the sine of a number of such units
COS_2, SIN_3 = -UNIT * UNIT / 2, -UNIT * UNIT * UNIT / 6
COS_4, SIN_5 = COS_2 * COS_2 / 6, SIN_3 * COS_2 / 10
PART = 1 << 14  # entries done at a time: temporaries stay in the cache

MADE_AT_ONCE = 1 << 13  # entries of a small table made from their positions, at most
MOST_DIGITS = 5
DIGIT_ENTRIES = 1 << 17  # of the waves of all values of all digits, at most
# what an entry takes, in the time of a product of two waves: one made from its position, one that is looked up
MADE, LOOKED_UP = 9, 0.5


def waves(multipliers, phases, knots, quarters=0, groups=None):
    """cos + i sin at multipliers (n,) times phases (5, half) plus so many quarters of a turn: complex (n, half), each
    part off by less than 2**-51.5.

    knots (5, 2048) end with cosine and sine at j/1024 turns in turns. A quarter less the angle gives sin + i cos.
    phases may be those of several groups (5, groups, half), and groups (n,) the group of each row.
    """
    shape = len(multipliers), phases.shape[-1]
    out, near_knots = np.empty(shape, np.complex128), knots[4].view(np.complex128)
    # the phases as the nearest integer of 2**-64 turns and the rest, from -1/2 to 1/2 of one, in units of 2**-74
    below = (phases[2] << np.uint64(32) | phases[1]).view(np.int64)
    upper, below = (phases[4] << np.uint64(32) | phases[3]) + (below < 0), below * 2.0**-54
    nearest = np.uint64(HALF_KNOT + quarters * QUARTER)
    step = max(1, PART // max(1, shape[1]))
    turns, number, room = (np.empty((min(step, shape[0]), shape[1]), kind) for kind in ("u8", "u8", np.complex128))
    for start in range(0, shape[0], step):
        part, rows = out[start : start + step], multipliers[start : start + step, None]
        if len(part) < len(turns):
            turns, number, room = (array[: len(part)] for array in (turns, number, room))
        of_rows = [each if groups is None else each.take(groups[start : start + step], 0) for each in (upper, below)]
        np.multiply(rows.astype(np.uint64), of_rows[0], out=turns)  # modulo 1
        np.add(turns, nearest, out=number)
        np.right_shift(number, KNOT_SHIFT, out=number)
        near_knots.take(number.view(np.int64), out=part, mode="clip")
        np.left_shift(turns, BELOW_KNOT, out=turns)  # with a sign: the distance from the nearest knot
        distance = turns.view(np.int64).astype(np.float64)
        rest = np.multiply(rows.astype(np.float64), of_rows[1], out=number.view(np.float64))
        distance += rest
        part *= _near_one(distance, turns.view(np.float64), rest, room)
    return out


def _near_one(x, square, series, out):
    """cos x + i sin x for x in units of the distance, |x| <= 2**-7.76 in radians; square and series are overwritten."""
    np.multiply(x, x, out=square)
    np.multiply(square, SIN_5, out=series)
    series += SIN_3
    series *= square
    series += UNIT
    np.multiply(series, x, out=out.imag)
    np.multiply(square, COS_4, out=series)
    series += COS_2
    series *= square
    np.add(series, 1, out=out.real)
    return out


def scattered(multipliers, phases, knots):
    """(make, error): make(part) gives sin + i cos of a slice of the rows, off by less than error * 2**-49.2."""
    low, high = int(multipliers.min()), int(multipliers.max())
    count, width = _best_digits(max(~low, high, 1).bit_length(), low < 0, phases.shape[1], len(multipliers))
    if count == 1:
        return lambda part: waves(-multipliers[part], phases, knots, 1), 1
    # the last digit has the sign
    shifts, last = range(0, count * width, width), (count - 1) * width
    values = [range(1 << width)] * (count - 1) + [range(low >> last, (high >> last) + 1)]
    tables = _digit_tables(values, shifts, phases, knots)

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
    if rows * half <= MADE_AT_ONCE:
        return best
    for count in range(2, MOST_DIGITS + 1):
        width = -(-bits // count)
        values = count + signed << width
        seeds = 2 * count << -(-width // 2)
        time = MADE * seeds + values + rows * (count - 1 + LOOKED_UP * count)
        if values * half <= DIGIT_ENTRIES and time < least:
            best, least = (count, width), time
    return best


def _digit_tables(values, shifts, phases, knots):
    """cos - i sin of all values of each digit, of the last sin + i cos: a coarse step and a fine one make each."""
    parts = []
    for digits, shift in zip(values, shifts):
        step = isqrt(len(digits) - 1) + 1
        parts += [-np.array(steps, np.int64) << shift for steps in (digits[::step], range(step))]
    made = np.split(
        waves(np.concatenate(parts), phases, knots), np.cumsum([len(part) for part in parts], dtype=np.int64)[:-1]
    )
    made[-1] *= 1j
    return [(coarse[:, None] * fine).reshape(-1, phases.shape[1]) for coarse, fine in zip(made[::2], made[1::2])]
