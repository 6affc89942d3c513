"""A rotation at the length of each call: read again only at lengths at which its scaling changes."""

from functools import lru_cache

from ...errors import InputError
from ...steps.angles.frequencies import are_equal

VERY_LONG = 2**30  # a length at which every scaling has changed that depends on it
MOST_KEPT = 8  # ranges of lengths


def depends_on_length(read):
    """Whether read(length) gives other frequencies for a very long sequence than for one of unknown length."""
    return not _gives(read, VERY_LONG, read(None))


class ByLength:
    """What read(length) gives, which has `frequencies`: once for all lengths between two at which they are equal.

    As a sequence grows no scaling returns to frequencies that it had before.
    """

    def __init__(self, read):
        self._read = lru_cache(maxsize=4)(read)
        self._known = []  # of (lengths, what they have)

    def at(self, length):
        """What sequences of that length have."""
        for lengths, made in self._known:
            if length in lengths:
                return made
        made = self._read(length)
        new = range(length, self._last(length, made) + 1), made
        # ranges of one length, of which dynamic scalings have a new one in every step, are dropped first
        self._known = sorted([*self._known, new], key=lambda one: len(one[0]))[-MOST_KEPT:]
        return made

    def _last(self, length, made):
        """The last length up to which nothing changes."""
        if not _gives(self._read, length + 1, made):
            return length
        low, high = length + 1, VERY_LONG
        if low >= high or _gives(self._read, high, made):
            return max(low, high)
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (middle, high) if _gives(self._read, middle, made) else (low, middle)
        return low


def _gives(read, length, made):
    """Whether the frequencies at a length, which may be refused, are these."""
    try:
        return are_equal(read(length).frequencies, made.frequencies)
    except InputError:
        return False
