"""Weights between the coordinates of "geometric" tables (timm 1.0.31, resize_rel_pos_bias_table), which are doubles."""

from fractions import Fraction

HALF = Fraction(1, 2)


def rounded(x):
    """A fraction as the nearest double, ties to even."""
    if x == 0:
        return x
    sign, n, d = -1 if x < 0 else 1, abs(x.numerator), x.denominator
    twos = n.bit_length() - d.bit_length() - 54
    n, d = (n << -twos, d) if twos < 0 else (n, d << twos)
    whole, rest = divmod(n, d)
    drop = whole.bit_length() - 53
    kept, tail = whole >> drop, (whole & (1 << drop) - 1) * d + rest
    kept += 2 * tail > d << drop or (2 * tail == d << drop and kept % 2)
    return sign * Fraction(kept) * Fraction(2) ** (drop + twos)


def double(n, d):
    return rounded(Fraction(n, d))


def ratio(count, reach):
    """The last q of the bisection from 1.01 to 1.5 for (1 - q**count) / (1 - q) = reach, each step in doubles."""
    low, high, q = double(101, 100), Fraction(3, 2), None
    while rounded(high - low) > double(1, 10**6):
        q = rounded(low + high) * HALF
        total = double(rounded(1 - rounded(q**count)), rounded(1 - q))
        low, high = (low, q) if total > reach else (q, high)
    return q


def points(old, new):
    """The coordinates of the old rows of an axis, ascending: 0 and +-(1 + q + ... + q**i)."""
    right, place, q = [], Fraction(1), ratio(old - 1, new - 1)
    for i in range(old - 1):
        right.append(place)
        place = rounded(place + rounded(q ** (i + 1)))
    return [-one for one in reversed(right)] + [Fraction(0)] + right


def of_axis(old, new):
    """[{old row: weight} of each new row] from the sides of the windows: linear, and held beyond the ends."""
    places, found = points(old, new), []
    for x in range(1 - new, new):
        after = sum(place < x for place in places)
        if after in (0, len(places)) or places[after] == x:
            found.append({min(after, len(places) - 1): Fraction(1)})
            continue
        share = Fraction(x - places[after - 1], places[after] - places[after - 1])
        found.append({after - 1: 1 - share, after: share})
    return found
