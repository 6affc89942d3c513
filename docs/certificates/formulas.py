"""Formulas as text, which intervals.py and check.c evaluate: numbers, and operators after them."""

from math import gcd, isqrt

import intervals
from intervals import need


def fits(n, d):
    """Whether a fraction has an odd numerator and denominator below 2**63."""
    common = gcd(n, d)
    return all(one // (one & -one) < 1 << 63 for one in (abs(n) // common, abs(d) // common) if one)


def text(n, d=1):
    """A fraction as formulas have it: an integer, or an odd numerator and denominator and a power of two."""
    if d < 0:
        n, d = -n, -d
    if n % d == 0 and abs(n // d) < 1 << 53:
        return str(n // d)
    common = gcd(n, d)
    n, d, twos = n // common, d // common, 0
    while n % 2 == 0:
        n, twos = n // 2, twos + 1
    while d % 2 == 0:
        d, twos = d // 2, twos - 1
    need(fits(n, d), "a number of more than 63 bits")
    return f"{n}{f'/{d}' if d > 1 else ''}{f'@{twos}' if twos else ''}"


def root(n, d):
    """The integer whose d-th power is n, or None."""
    low, high = 0, 1 << n.bit_length() // d + 1
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if middle**d <= n else (low, middle)
    return low if low**d == n else None


def power(base, n, d):
    """base**(n/d) of a fraction, as a fraction where it is one."""
    common, whole = gcd(n, d) * (1 if d > 0 else -1), gcd(*base)
    n, d, base = n // common, d // common, (base[0] // whole, base[1] // whole)
    over, under = (root(one, d) for one in base)
    if over and under and max(over, under).bit_length() * abs(n) < 200:
        over, under = (over**n, under**n) if n >= 0 else (under**-n, over**-n)
        if fits(over, under):
            return text(over, under)
    need(max(abs(n), d).bit_length() < 63, "a number of more than 63 bits")
    return f"{text(*base)}^{n}/{d}" if n else "1"


def times(x, y):
    """The product of two formulas, of fractions a fraction if it is not too long."""
    if x == "1" or y == "1":
        return y if x == "1" else x
    if not set(f"{x}{y}") - set("0123456789/@-"):
        (n, d), (m, e) = intervals.fraction(x), intervals.fraction(y)
        if fits(n * m, d * e):
            return text(n * m, d * e)
    return f"{x} {y} *"


def log(n, d):
    """The logarithm of a fraction, as one that is not too near to 0 for the checkers and a multiple of ln 2."""
    twos = max(d.bit_length() - n.bit_length() - 100, 0)
    return f"{text(n << twos, d)} ln" + (f" 2 ln {twos} * -" if twos else "")


def over_root(n):
    """1 / sqrt(n) of an integer."""
    return text(1, isqrt(n)) if isqrt(n) ** 2 == n else f"1 {n} sqrt /"


def less(x, y):
    """Whether one formula is less than another, which intervals must decide."""
    (low, high), (other_low, other_high) = intervals.formula(x), intervals.formula(y)
    need(high < other_low or low >= other_high, "a comparison that is not decided")
    return high < other_low


def times_pi(theta, factor):
    """theta times a fraction of pi; of a fraction as `3/2 pi *`, so that twelfths() finds it."""
    if " " in theta or "^" in theta:
        return f"{times(theta, text(*factor))} pi *"
    n, d = intervals.fraction(theta)
    return f"{text(n * factor[0], d * factor[1])} pi *"


#: 2 cos(k pi / 12) where it is an integer; no other cosine of a fraction of pi is a fraction (Niven)
TWICE_COS = {0: 2, 4: 1, 6: 0, 8: -1, 12: -2, 16: -1, 18: 0, 20: 1}


def twelfths(theta, position):
    """k mod 24 where theta times the position is k pi / 12, or None."""
    if position[0] == 0:
        return 0
    if not theta.endswith(" pi *") or theta.count(" ") > 2 or "^" in theta:
        return None
    n, d = intervals.fraction(theta.removesuffix(" pi *"))
    n, d = 12 * n * position[0], d * position[1]
    return None if n % d else n // d % 24


def plain_wave(kind, theta, position):
    """A cosine or sine that is a fraction, as a formula, or None."""
    k = twelfths(theta, position)
    twice = None if k is None else TWICE_COS.get((k - (6 if kind == "s" else 0)) % 24)
    return None if twice is None else text(twice, 2)


def wave(kind, theta, position, i, factor="1"):
    """The claim of factor times a cosine or sine, of which some are fractions."""
    found = plain_wave(kind, theta, position)
    return found if found == "0" or (found and factor == "1") else f"{kind} {text(*position)} t{i}"


def spelled(claim):
    """A claim of a wave as a formula that others can hold."""
    kind, *given = claim.split()
    if kind not in ("c", "s", "r"):
        return claim
    *weights, position, theta = given
    angle = f"{position} {theta} *"
    if kind == "r":
        return f"{weights[0]} {angle} cos * {weights[1]} {angle} sin * + f *"
    return f"{angle} {'cos' if kind == 'c' else 'sin'} f *"
