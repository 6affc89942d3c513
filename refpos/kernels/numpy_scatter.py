"""Sums of scattered numbers in two parts, in NumPy: all parts of a block, then where they are added."""

import numpy as np

PART = 1 << 14  # numbers done at a time: they and their parts stay in the cache


def split_sums(rows, values, rounders, sums, rest, cells):
    """Add two parts of each finite value to sums[row * channels + channel]; returns how many values have more than
    those: `rest` and `cells` hold what is left of them, and where. A part is (x + r) - r for the rounder r."""
    left, channels = 0, values.shape[1]
    step = max(1, PART // max(1, channels))
    for start in range(0, len(rows), step):
        at = (rows[start : start + step, None] * channels + np.arange(channels, dtype=np.int64)).reshape(-1)
        numbers = values[start : start + step].reshape(-1)
        for k, rounder in enumerate(rounders):
            part = (numbers + rounder) - rounder
            np.add.at(sums[:, k], at, part)
            numbers = numbers - part
        more = np.flatnonzero(numbers)
        rest[left : left + len(more)], cells[left : left + len(more)] = numbers[more], at[more]
        left += len(more)
    return left
