"""Real numbers known by their 64 leading binary digits, and their rounding to the four formats."""

import struct
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

#: name -> (significand bits with the hidden one, exponent of the smallest normal number, of the largest, width)
SHAPES = {
    "float64": (53, -1022, 1023, 64),
    "float32": (24, -126, 127, 32),
    "float16": (11, -14, 15, 16),
    "bfloat16": (8, -126, 127, 16),
}


@dataclass(frozen=True)
class Digits:
    """Arrays of one shape; |value| = (head + something in [0, 1)) * 2**(exponent - 63), head in [2**63, 2**64) or 0.

    `more` is True where that something is not 0, so that ties are told from near ties.
    """

    negative: np.ndarray
    head: np.ndarray
    exponent: np.ndarray
    more: np.ndarray

    @property
    def arrays(self):
        return self.negative, self.head, self.exponent, self.more

    @property
    def shape(self):
        return self.head.shape

    def __getitem__(self, index):
        return Digits(*(array[index] for array in self.arrays))

    def __setitem__(self, index, source):
        for target, part in zip(self.arrays, getattr(source, "arrays", source), strict=True):
            target[index] = part

    def reshape(self, *shape):
        return Digits(*(array.reshape(*shape) for array in self.arrays))


def zeros(shape):
    """Digits of exact zeros."""
    return Digits(np.zeros(shape, bool), np.zeros(shape, np.uint64), np.zeros(shape, np.int64), np.zeros(shape, bool))


def negated(digits):
    """Digits of the numbers with the other sign; zeros stay +0."""
    return Digits((digits.head != 0) & ~digits.negative, digits.head, digits.exponent, digits.more)


def concatenate(parts, axis):
    """Digits side by side."""
    return Digits(*(np.concatenate(arrays, axis) for arrays in zip(*(part.arrays for part in parts), strict=True)))


def stack(parts, axis):
    """Digits on a new axis."""
    return Digits(*(np.stack(arrays, axis) for arrays in zip(*(part.arrays for part in parts), strict=True)))


def from_fractions(values):
    """Digits of exact fractions, as a flat array."""
    result = zeros(len(values))
    for k, value in enumerate(values):
        if value:
            n, d = abs(value.numerator), value.denominator
            exponent = n.bit_length() - d.bit_length()
            if (n << max(0, -exponent)) < (d << max(0, exponent)):
                exponent -= 1
            head, rest = divmod(n << max(0, 63 - exponent), d << max(0, exponent - 63))
            result[k] = value < 0, head, exponent, rest > 0
    return result


def from_floats(values):
    """Digits of float64 values, which are exact."""
    mantissa, exponent = np.frexp(np.abs(values))
    head = (mantissa * 2.0**53).astype(np.uint64) << np.uint64(11)
    return Digits(values < 0, head, np.where(head == 0, 0, exponent - 1).astype(np.int64), np.zeros(values.shape, bool))


def from_floors(words, scale):
    """Digits of irrational numbers v from floor(v * 2**scale), whose size lies in [2**63, 2**128).

    words: (..., 3) uint64, the floors in two's complement, lowest word first.
    """
    negative = words[..., 2] >> np.uint64(63) == 1
    # v is not an integer multiple of 2**-scale, so floor(|v| 2**scale) is -floor(v 2**scale) - 1, all bits turned
    flip = np.where(negative, ~np.uint64(0), np.uint64(0))
    low, high = words[..., 0] ^ flip, words[..., 1] ^ flip
    shift = np.zeros(low.shape, np.int64)  # zeros before the first digit of the pair (high, low)
    top, rest = high.copy(), low.copy()
    for step in (64, 32, 16, 8, 4, 2, 1):
        empty = top < np.uint64(1) << np.uint64(64 - step) if step < 64 else top == 0
        if step == 64:
            top, rest = np.where(empty, rest, top), np.where(empty, np.uint64(0), rest)
        else:
            up, down = np.uint64(step), np.uint64(64 - step)
            top, rest = np.where(empty, top << up | rest >> down, top), np.where(empty, rest << up, rest)
        shift += np.where(empty, step, 0)
    return Digits(negative, top, 127 - shift - scale, np.ones(low.shape, bool))


def patterns(digits, name):
    """Bit patterns (uint64, uint32 or uint16) of the numbers rounded to nearest, ties to even."""
    precision, smallest, largest, width = SHAPES[name]
    quantum = np.maximum(digits.exponent, smallest) - (precision - 1)  # exponent of the last place
    drop = quantum - (digits.exponent - 63)  # digits of the head below the last place, at least 64 - precision
    inside = np.minimum(drop, 63).astype(np.uint64)
    one = np.uint64(1)
    kept = np.where(drop < 64, digits.head >> inside, np.uint64(0))
    below = np.where(drop < 64, digits.head & ((one << inside) - one), digits.head)
    half = one << (np.minimum(drop, 64) - 1).astype(np.uint64)
    tie = (below == half) & ~digits.more
    up = (below > half) | ((below == half) & digits.more) | (tie & (kept & one == one))
    kept = kept + (up & (drop <= 64)).astype(np.uint64)
    carried = kept == one << np.uint64(precision)
    kept, quantum = np.where(carried, kept >> one, kept), quantum + carried
    normal = kept >= one << np.uint64(precision - 1)
    field = np.where(normal, quantum + (precision - 1) + largest, 0)
    fraction = kept & ((one << np.uint64(precision - 1)) - one)
    over = field > 2 * largest
    field, fraction = np.where(over, 2 * largest + 1, field), np.where(over, np.uint64(0), fraction)
    sign = digits.negative.astype(np.uint64) << np.uint64(width - 1)
    return (sign | field.astype(np.uint64) << np.uint64(precision - 1) | fraction).astype(f"u{width // 8}")


def round_fraction(value, name):
    """Bit pattern of one exact fraction: the other account of rounding, one number at a time."""
    _, _, largest, width = SHAPES[name]
    unit = last_place(value, name)
    rounded = round(value / unit) * unit  # the built-in rounds fractions half to even
    if abs(rounded) >= Fraction(2) ** (largest + 1):
        rounded = float("inf") if rounded > 0 else float("-inf")
    exact = -0.0 if rounded == 0 and value < 0 else float(rounded)
    if name == "bfloat16":
        return int.from_bytes(struct.pack(">f", exact)[:2], "big")
    return int.from_bytes(struct.pack({64: ">d", 32: ">f", 16: ">e"}[width], exact), "big")


def last_place(value, name):
    """The spacing of the format at a number."""
    precision, smallest, _, _ = SHAPES[name]
    exponent = smallest
    if value:
        magnitude = abs(value)
        exponent = magnitude.numerator.bit_length() - magnitude.denominator.bit_length()
        exponent -= magnitude < Fraction(2) ** exponent
    return Fraction(2) ** (max(exponent, smallest) - precision + 1)


def boundary_distance(value, name):
    """How far a number lies from the nearest rounding boundary, in units of the last place: between 0 and 1/2."""
    places = abs(value) / last_place(value, name)
    return abs(places - places.__floor__() - Fraction(1, 2))
