"""Sums of scattered numbers in two integers each, in NumPy: those of a block, then where they are added."""

import numpy as np

from ..arithmetic import exact_sums, rounding
from ..arithmetic.double_double import two_sum

PART = 1 << 14  # numbers done at a time: they and their parts stay in the cache


def split_sums(rows, first_row, values, fmt, rounders, limit, sums, rest, cells):
    """Add two integers of each value to sums[row - first_row, channel]; returns how many values have more than those,
    or are not below the limit: `rest` and `cells` hold what is left of them, and where (docs/numbers.md, "Scattered
    sums").

    values: (n, channels) in the storage of the format. sums: int64 (rows, channels, 2). Of a number x and a rounder r
    the integer is the pattern of x + r less that of r, and x - ((x + r) - r) is left.
    """
    left, channels = 0, values.shape[1]
    step = max(1, PART // max(1, channels))
    rows = rows - first_row
    if len(rows) and rows.view(np.uint64).max() >= len(sums):
        raise ValueError(f"rows must lie within the {len(sums)} rows of the table")
    for start in range(0, len(rows), step):
        at = (rows[start : start + step, None] * channels + np.arange(channels, dtype=np.int64)).reshape(-1)
        numbers = rounding.widen(values[start : start + step], fmt).reshape(-1)
        below = np.abs(numbers) < limit
        whole = below.all()
        part = numbers if whole else np.where(below, numbers, 0.0)
        for k, rounder in enumerate(rounders):
            moved = part + rounder
            np.add.at(sums.reshape(-1), 2 * at + k, moved.view(np.int64) - rounder.view(np.int64))
            part = part - (moved - rounder)
        part = part if whole else np.where(below, part, numbers)
        more = np.flatnonzero(part)  # a NaN too
        rest[left : left + len(more)], cells[left : left + len(more)] = part[more], at[more]
        left += len(more)
    return left


def doubles(sums, units):
    """Sums of integers (n, 2), multiples of 2**units[0] and of 2**units[1], as two doubles each, exactly."""
    shift, (high, low) = int(units[0] - units[1]), sums.T
    carried = low + (1 << shift >> 1) >> shift
    high = high + carried
    rounded = high.astype(np.float64)
    # at most 10 bits are cut from the first integer: with those of the second they fit into a double
    low = (high - rounded.astype(np.int64) << shift) + (low - (carried << shift))
    first, second = np.ldexp(1.0, np.array(units))
    return rounded * first, low * second


def round_sums(sums, units, fmt, out):
    """Round sums of integers (n, 2) once: out[k] has the sum of multiples of 2**units[0] and 2**units[1]."""
    total, rest = two_sum(*doubles(sums, units))
    # the sum of two doubles is rounded once; to fewer bits it is so from the double whose last bit says more
    out[...] = total if fmt.width == 64 else rounding.narrow(exact_sums.to_odd(total, rest), fmt)
