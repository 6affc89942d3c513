"""Searches for hard cases: exact values as close as can be to a rounding boundary, or to zero."""

import math
import random
from fractions import Fraction

from flint import arb, ctx, fmpq

from .digits import SHAPES, boundary_distance
from .formulas import power

BITS = 600  # of every exact value here: positions to 2**53 and distances to 2**-110 leave more than 400 to spare


def exact(compute):
    """The fraction in the middle of a ball computed with 600 bits, which must be good to 300."""
    before = ctx.prec
    try:
        ctx.prec = BITS
        ball = compute()
        mantissa, exponent = ball.mid().man_exp()
        assert ball.rel_accuracy_bits() > 300
        return Fraction(int(mantissa)) * Fraction(2) ** int(exponent)
    finally:
        ctx.prec = before


def theta(base, dim, i):
    """The rotary frequency base**(-2i/dim) as a ball."""
    return power(Fraction(base), Fraction(-2 * i, dim))


def value(base, dim, i, position, which):
    """The sine or cosine of position * frequency, to 300 bits and more."""
    return exact(lambda: getattr(theta(base, dim, i) * position, which)())


def convergents(number, limit):
    """Numerators and denominators of the continued fraction, denominators to a limit."""
    before, now = (0, 1), (1, 0)
    while True:
        whole = number.__floor__()
        before, now = now, (whole * now[0] + before[0], whole * now[1] + before[1])
        if now[1] > limit:
            return
        yield now
        if number == whole:
            return
        number = 1 / (number - whole)


def zeros_of_sine(base, dim, i, limit):
    """Positions at which the sine comes closest to 0: p * theta next to k * pi."""
    ratio = exact(lambda: theta(base, dim, i) / arb.pi())
    return [den for num, den in convergents(ratio, limit) if num]


def zeros_of_cosine(base, dim, i, limit):
    """Positions at which the cosine comes closest to 0: 2 p * theta next to an odd multiple of pi."""
    ratio = exact(lambda: 2 * theta(base, dim, i) / arb.pi())
    return [den for num, den in convergents(ratio, limit) if num % 2]


def midpoints(name, count, rng):
    """Fractions halfway between two values of a format: half of them just below 1, the others anywhere down to 1/2."""
    most = 1 << SHAPES[name][0] - 1  # spacings from 1/2 to 1
    below = {k // 2 if k % 2 else rng.randrange(most) for k in range(count)}
    return [1 - Fraction(2 * k + 1, 4 * most) for k in sorted(below) if k < most]


def positions_near(alpha, targets, limit):
    """For each target t (turns): p <= limit for which p * alpha is close to t modulo 1, about 1/limit.

    Integer combinations of two neighbouring denominators q of the continued fraction of alpha move the angle by little;
    the real solution of two equations (p in the middle, angle on target) is rounded.
    """
    q1, q2 = [den for _, den in convergents(alpha, limit // 2)][-2:]
    one = 1 << 300
    turn = int(alpha * one)
    d1, d2 = (((q * turn + one // 2) % one) - one // 2 for q in (q1, q2))
    determinant, middle = q1 * d2 - q2 * d1, limit // 2
    for target in targets:
        goal = int(target * one)
        a = (2 * (middle * d2 - q2 * goal) // determinant + 1) // 2
        b = (2 * (q1 * goal - middle * d1) // determinant + 1) // 2
        position = a * q1 + b * q2
        if 0 < position <= limit:
            yield position, target


def near_midpoints(name, base, dim, i, limit, count, keep, rng):
    """The integer positions found whose sine or cosine lies closest to a midpoint: (distance, which, position)."""
    alpha = exact(lambda: theta(base, dim, i) / (2 * arb.pi())) % 1
    found = []
    for which, inverse in (("cos", "acos"), ("sin", "asin")):
        turns = [exact_angle(m, inverse) for m in midpoints(name, count, rng)]
        for position, _ in positions_near(alpha, turns, limit):
            distance = boundary_distance(value(base, dim, i, position, which), name)
            found.append((distance, which, position))
    return sorted(found)[:keep]


def exact_angle(number, inverse):
    """acos or asin of a fraction, in turns."""
    return exact(lambda: getattr(arb(fmpq(number.numerator, number.denominator)), inverse)() / (2 * arb.pi()))


def float_near_midpoints(base, dim, i, count, keep):
    """Float positions just off 0 whose cosine lies closest to a float64 midpoint: (distance, which, position)."""
    found = []
    for k in range(count):
        middle = 1 - Fraction(2 * k + 1, 1 << 54)
        position = float(exact(lambda m=middle: arb(fmpq(m.numerator, m.denominator)).acos() / theta(base, dim, i)))
        for p in (position, math.nextafter(position, 0), math.nextafter(position, 1e9)):
            found.append((boundary_distance(value(base, dim, i, p, "cos"), "float64"), "cos", p))
    return sorted(found)[:keep]


def cancelling(name, base, dim, i, position):
    """Integers (a, b) of the format's precision for which a cos - b sin is closest to 0."""
    cotangent = exact(lambda: 1 / (theta(base, dim, i) * position).tan())
    limit = (1 << SHAPES[name][0]) - 1
    fits = [(den, num) for num, den in convergents(cotangent, limit) if abs(num) <= limit and num]
    return fits[-1] if fits else None


def cancelling_at(a, b, base, dim, i, limit):
    """The position to a limit at which a cos - b sin is closest to 0: the angle next to atan(a/b)."""
    turn = exact(lambda: (arb(a) / b).atan() / (2 * arb.pi())) % 1
    alpha = exact(lambda: theta(base, dim, i) / (2 * arb.pi())) % 1
    return next((position for position, _ in positions_near(alpha, [turn], limit)), None)


def product_near_midpoint(factor, name, limit):
    """The integer d <= limit for which d * factor lies closest to a midpoint of the format, and the distance."""
    best = (Fraction(1, 2), 1)
    precision = SHAPES[name][0]
    for shift in range(-precision - 3, precision + 3):  # d * factor = (num / 2) * 2**-shift
        for num, den in convergents(2 * abs(factor) * Fraction(2) ** shift, limit):
            if num % 2 and num.bit_length() == precision + 1:
                best = min(best, (boundary_distance(den * factor, name), den))
    return best


def search(seed=1, count=400, keep=2):
    """All searches for a spread of bases, widths and formats: a dictionary that json can write."""
    rng = random.Random(seed)
    found = {"zeros": [], "midpoints": [], "cancelling": [], "rotated": [], "slopes": []}
    bases_and_dims = [(100, 16), (500, 10), (10000, 64), (10000, 128), (500000, 128), (10**6, 96), (10**7, 256)]
    for base, dim in bases_and_dims:
        for i in sorted({0, 1, rng.randrange(dim // 2), dim // 2 - 1}):
            for which, search in (("sin", zeros_of_sine), ("cos", zeros_of_cosine)):
                for limit in (2**17, 2**31, 2**53):
                    for position in search(base, dim, i, limit)[-1:]:
                        size = abs(value(base, dim, i, position, which))
                        found["zeros"].append([base, dim, i, which, position, log2(size)])
            for name in SHAPES:
                for limit in (2**31, 2**53):
                    for distance, which, position in near_midpoints(name, base, dim, i, limit, count, keep, rng):
                        found["midpoints"].append([base, dim, i, which, position, name, log2(distance)])
            for distance, which, position in float_near_midpoints(base, dim, i, count, keep):
                found["midpoints"].append([base, dim, i, which, position.hex(), "float64", log2(distance)])
            for name in SHAPES:
                position = rng.choice([rng.randrange(1, 2**12), rng.randrange(2**31)])
                pair = cancelling(name, base, dim, i, position)
                if pair:
                    found["cancelling"].append([base, dim, i, position, name, *pair])
                for limit in (2**31, 2**53):
                    a, b = (rng.randrange(1, 1 << SHAPES[name][0]) for _ in range(2))
                    there = cancelling_at(a, b, base, dim, i, limit)
                    if there:
                        found["cancelling"].append([base, dim, i, there, name, a, b])
                cosine = value(base, dim, i, position, "cos")
                distance, factor = product_near_midpoint(cosine, name, (1 << SHAPES[name][0]) - 1)
                if distance < Fraction(1, 2):
                    found["rotated"].append([base, dim, i, position, name, factor, log2(distance)])
    for heads in (3, 12, 20, 24, 112):
        for k in sorted({0, heads // 2, heads - 2}):
            exponent = Fraction(8 * (k + 1), heads)
            slope = exact(lambda e=exponent: power(Fraction(2), -e))
            for name in SHAPES:
                distance, d = product_near_midpoint(slope, name, 2**53)
                if distance < Fraction(1, 2):
                    found["slopes"].append([heads, k, d, name, log2(distance)])
    return found


def log2(number):
    """The logarithm of a fraction, to two decimals."""
    return round(math.log2(number.numerator) - math.log2(number.denominator), 2) if number else None
