"""Spherical harmonics: what their golden cases claim."""

from fractions import Fraction
from math import isqrt

from features import points
from formulas import plain_wave, text
from intervals import fraction
from positions import product
from sums import integer


def factorial(n):
    return product(range(1, n + 1))


def legendre(degree, m):
    """{power of z: integer} of 2**degree times the m-th derivative of the Legendre polynomial."""
    found = {}
    for k in range((degree - m) // 2 + 1):
        left = degree - 2 * k
        ways = factorial(2 * degree - 2 * k) // (factorial(k) * factorial(degree - k) * factorial(left))
        found[left - m] = (-1) ** k * ways * (factorial(left) // factorial(left - m))
    return found


def root_of(degree, m):
    """sqrt(k / pi) as a formula, the root of a number above 1/4 and a power of two."""
    k = Fraction((2 * degree + 1) * factorial(degree - m), factorial(degree + m) * (2 if m else 4))
    twos = max(k.denominator.bit_length() - k.numerator.bit_length(), 0) // 2
    return f"{integer(k.numerator << 2 * twos)} {integer(k.denominator)} / pi / sqrt 1@-{twos} *"


def of_direction(place, degree, m):
    """The value at a direction of fractions, but for the root, as a fraction."""
    x, y, z = place
    re, im = Fraction(1), Fraction(0)
    for _ in range(abs(m)):
        re, im = re * x - im * y, re * y + im * x
    total = sum(c * z**power for power, c in legendre(degree, abs(m)).items()) * Fraction(1, 2**degree)
    return total * (re if m >= 0 else im)


def at_place(lon, lat, degree, m):
    """The value at a place of the earth, but for the root, as a formula; 0 where it is."""
    azimuth, angle = [(Fraction(*one) + more) * Fraction(1, 180) for one, more in ((lon, 180), (lat, 90))]
    angle = angle.numerator, angle.denominator
    z, sine = (plain_wave(kind, "1 pi *", angle) for kind in "cs")
    around = azimuth * abs(m)
    wave = plain_wave("c" if m >= 0 else "s", "1 pi *", (around.numerator, around.denominator))
    terms = sorted(legendre(degree, abs(m)).items(), reverse=True)
    if "0" in (wave, sine if m else None):
        return "0"
    if z is not None and sum(c * Fraction(*fraction(z)) ** power for power, c in terms) == 0:
        return "0"
    z, sine = (one or f"{text(*lat)} 90 + 180 / pi * {f}" for one, f in ((z, "cos"), (sine, "sin")))
    words, before = "0", None
    for power, c in terms:
        words += f" {z} * {z} *" if before is not None else ""
        words, before = f"{words} {integer(c)} +", power
    words += f" {z} *" * before
    words += f" {sine} *" * abs(m) + f" 1@-{degree} *"
    wave = wave or f"{text(*lon)} 180 + {abs(m)} * 180 / pi * {'cos' if m >= 0 else 'sin'}"
    return f"{words} {wave} *"


def spherical_harmonics(a, _):
    """A polynomial of z, a power of x + iy, and a root; of satclip order 0 is pi times as large."""
    places, count, rule = points(a["x"]), a["degree"] ** 2, a["convention"]

    def value(index):
        token, place = divmod(index, count)
        degree = isqrt(place)
        m = place - degree**2 - degree
        root = root_of(degree, abs(m))
        root += " -1 *" if rule in ("tcnn", "satclip-closed-form") and m % 2 else ""
        if rule.startswith("satclip"):
            found = at_place(places[0][token], places[1][token], degree, m)
            return "0" if found == "0" else f"{found} {root} *" + (" pi *" if m == 0 and rule == "satclip" else "")
        at = [Fraction(*axis[token]) * 2 - 1 if rule == "tcnn" else Fraction(*axis[token]) for axis in places]
        total = of_direction(at, degree, m)
        return f"{integer(total.numerator)} {integer(total.denominator)} / {root} *" if total else "0"

    return [], "1", value


FUNCTIONS = {"spherical_harmonics": (spherical_harmonics, "x degree convention")}
