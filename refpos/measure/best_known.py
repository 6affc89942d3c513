"""The best known number of an interval: one that models have, else the one of fewest digits."""

from __future__ import annotations

MOST_DIGITS = 17
LARGEST = 1e300
#: bases of published models
BASES = (10000, 500000, 1000000, 10000000, 5000000, 100, 1000, 5000, 50000, 100000, 150000, 160000, 600000, 8000000)
#: lengths of pretraining of published models
LENGTHS = tuple(1 << k for k in range(12, 18)) + tuple(1 << k for k in (11, 10, 9, 18, 20, 8, 19)) + (24576, 40960)


def inside(low, high, known=()):
    """The numbers of an interval that are tried: known ones, then those of more and more digits, then its middle."""
    if not -LARGEST < low <= high < LARGEST:
        return []
    found = [number for number in known if low <= number <= high]
    middle = (low + high) / 2
    for digits in range(1, MOST_DIGITS + 1):
        number = float(f"{middle:.{digits}g}")
        if low <= number <= high and number not in found:
            found.append(number)
            if len(found) > len(known) + 2:
                break
    return [int(one) if one == int(one) else one for one in [*found, middle] if one != 0][:4]


def digits_of(number):
    """How many significant digits a number is written with."""
    return len(repr(float(number)).partition("e")[0].replace(".", "").lstrip("-0").rstrip("0")) or 1
