"""Float64 arguments whose sine or cosine is nearest to a midpoint, by lattices of three dimensions.

Near an argument a, sin(k u - 2 pi n) is linear in the small d = k u - 2 pi n - a, and hard where its value in ulps is
half an integer m + 1/2 but for little. (k, n, m) with d below 2**-35 and that little below 2**-17 is a point of a
lattice near a target: the lattice is reduced (LLL), and the points around Babai's are tried.
"""

from itertools import product

from flint import arb, ctx, fmpz_mat

BITS, UNIT = 480, 160  # of balls; of the integers of a lattice after the point
NEAR, LITTLE = 35, 17
AROUND = list(product((-1, 0, 1), repeat=3))


def whole(ball):
    """The ball in units of 2**-UNIT."""
    found = (ball * arb(2) ** UNIT).floor().unique_fmpz()
    assert found is not None, "a ball has too few bits"
    return int(found)


def reduced(unit, slope):
    """The reduced basis: rows of floats k 2**-51, d 2**NEAR, (slope d - m) 2**LITTLE, slope in ulps; and the k."""
    turn, rows = 2 * arb.pi(), []
    for k, step in ((1, unit), (0, turn)):
        rows += [k << UNIT - 51, whole(step * arb(2) ** NEAR), whole(step * slope * arb(2) ** LITTLE)]
    basis = fmpz_mat(3, 3, [*rows, 0, 0, 1 << UNIT + LITTLE]).lll()
    floats = [[float(int(basis[i, j])) * 2.0**-UNIT for j in range(3)] for i in range(3)]
    return floats, [int(basis[i, 0]) >> UNIT - 51 for i in range(3)]


def nearest_planes(basis, target):
    """Babai's lattice point: (the target less this point, how often each row is taken)."""
    one, two, three = basis
    cross = [one[(i + 1) % 3] * two[(i + 2) % 3] - one[(i + 2) % 3] * two[(i + 1) % 3] for i in range(3)]
    size = dot(one, one)
    flat = [two[i] - dot(two, one) / size * one[i] for i in range(3)]
    counts = []
    for row, normal in ((three, cross), (two, flat), (one, one)):
        counts.insert(0, round(dot(target, normal) / dot(row, normal)))
        target = [target[i] - counts[0] * row[i] for i in range(3)]
    return target, counts


def dot(left, right):
    return sum(x * y for x, y in zip(left, right, strict=True))


def near(exponent, place, which, most):
    """Significands k of arguments k * 2**(exponent - 52) around that of place, with a sine or cosine that is about
    `most` ulps from a midpoint at most."""
    ctx.prec, unit = BITS, arb(2) ** (exponent - 52)
    sine, cosine = (unit * place).sin_cos()
    value, change = (sine, cosine) if which == "sin" else (cosine, -sine)
    ulps = arb(2) ** (53 - int(value.mid().man_exp()[0]).bit_length() - int(value.mid().man_exp()[1]))
    value, (basis, multiples) = value * ulps, reduced(unit, change * ulps)
    off = float(arb("0.5") - (value - value.floor()))
    rest, counts = nearest_planes(basis, [3.0 - place * 2.0**-51, 0.0, off * 2.0**LITTLE])
    found = []
    for around in AROUND:
        left = [rest[j] - sum(n * basis[i][j] for i, n in enumerate(around)) for j in range(3)]
        d = left[1] * 2.0**-NEAR
        k = place + sum((n + count) * k for n, count, k in zip(around, counts, multiples, strict=True))
        if abs(left[2] * 2.0**-LITTLE + float(value) * d * d / 2) < most and 2**52 <= k < 2**53:
            found.append(k)
    return found
