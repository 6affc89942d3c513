"""Formulas of single numbers, as balls: products of exponentials and sines, harmonics, logarithms of ratios."""

from fractions import Fraction
from functools import cache
from math import comb, perm

import numpy as np
from flint import arb, ctx

from .axes import ball
from .balls import leading
from .digits import from_fractions
from .fourier import niven, points, split, theta, thetas_of


def digits_of(values, shape):
    """Digits of a flat list: fractions, and rules that give the ball of an irrational number."""
    result = from_fractions([value if isinstance(value, Fraction) else Fraction(0) for value in values])
    rest = [k for k, value in enumerate(values) if not isinstance(value, Fraction)]
    if rest:
        everything = range(len(rest))
        found = leading(
            len(rest), 1, lambda rows, bits: [(values[rest[k]](),) for k in (everything if rows is None else rows)]
        )
        result[rest] = found.reshape(len(rest))
    return result.reshape(*shape)


# -- integrated Fourier features --------------------------------------------------------------------------------------


def integrated_fourier(mean, variance, call, *, factor, order, kinds="sin-cos"):
    """Digits (..., channels) of exp(-f^2 v / 2) times sine or cosine of factor f m."""
    (shape, means), (_, variances) = points(mean), points(variance)
    several = [thetas_of(one) for one in (call if isinstance(call, list) else [call] * len(means))]
    ranges = {"kind": kinds.split("-"), "axis": range(len(means)), "band": range(len(several[0]))}
    outer, middle, inner = order.split("-")
    channels = [{outer: x, middle: y, inner: z} for x in ranges[outer] for y in ranges[middle] for z in ranges[inner]]
    values = []
    for row in range(len(means[0])):
        for at in channels:
            axis, theta = at["axis"], several[at["axis"]][at["band"]]
            values.append(expected_wave(at["kind"], factor, theta, means[axis][row], variances[axis][row]))
    return digits_of(values, (*shape, len(channels)))


def expected_wave(kind, factor, theta, mean, variance):
    """A fraction where it is one, else a rule."""
    number, is_pi = split(factor)
    turns = None
    if mean == 0 or theta.rational == 0:
        turns = Fraction(0)
    elif is_pi and theta.rational is not None:
        turns = mean * theta.rational * number / 2
    wave = None if turns is None else niven(kind, turns)
    flat = variance == 0 or theta.rational == 0
    if wave == 0 or (flat and wave is not None):
        return wave

    def sine():
        angle = theta.rule() * ball(mean * number) * (arb.pi() if is_pi else 1)
        return ball(wave) if wave is not None else angle.sin() if kind == "sin" else angle.cos()

    def exponent():
        return theta.rule() ** 2 * ball(variance / 2)

    if exponent() > 2000:  # below all that a format holds
        return Fraction(1 if sine() > 0 else -1, 2**2500)
    return lambda: (-exponent()).exp() * sine()


# -- spherical harmonics ----------------------------------------------------------------------------------------------


@cache
def legendre_derivative(degree, order):
    """Coefficients, lowest first, of the derivative of that order of P = sum (-1)^k C(n, k) C(2n - 2k, n) x^(n-2k)."""
    coefficients = [Fraction(0)] * (degree + 1)
    for k in range(degree // 2 + 1):
        whole = (-1) ** k * comb(degree, k) * comb(2 * degree - 2 * k, degree)
        coefficients[degree - 2 * k] = Fraction(whole, 2**degree)
    return [perm(power, order) * coefficients[power] for power in range(order, degree + 1)]


def polynomial(coefficients, x, zero):
    """The polynomial at a fraction or a ball."""
    total = zero
    for coefficient in reversed(coefficients):
        total = total * x + (coefficient if isinstance(zero, Fraction) else ball(coefficient))
    return total


def normalisation(degree, order, convention):
    """The rational part of the square of the factor, which pi divides, or multiplies in order 0 of SatCLIP's table."""
    products = Fraction(1)
    for number in range(degree - order + 1, degree + order + 1):
        products /= number
    return Fraction(2 * degree + 1, 4) * products * (2 if order else 1)


def spherical_harmonics(x, degree, *, convention):
    """Digits (..., degree^2) of real harmonics, as Sloan (Stupid Spherical Harmonics, A2) and Green write them."""
    shape, along = points(x)
    of_token = place if convention.startswith("satclip") else direction
    values = []
    for token in zip(*along, strict=True):
        token = [2 * c - 1 for c in token] if convention == "tcnn" else token
        for n in range(degree):
            for m in range(-n, n + 1):
                values.append(of_token(token, n, m, convention))
    return digits_of(values, (*shape, degree**2))


def direction(token, n, m, convention):
    x, y, z = token
    order = abs(m)
    wave = sum(
        comb(order, k) * x ** (order - k) * y**k * (-1) ** (k // 2) for k in range(m < 0, order + 1, 2)
    )  # fmt: skip
    exact = polynomial(legendre_derivative(n, order), z, Fraction(0)) * wave
    if exact == 0:
        return Fraction(0)
    sign = -1 if convention == "tcnn" and order % 2 else 1
    square = normalisation(n, order, convention)
    return lambda: ball(sign * exact) * (ball(square) / arb.pi()).sqrt()


def place(token, n, m, convention):
    longitude, latitude = token
    order = abs(m)
    wave = niven("sin" if m < 0 else "cos", order * (longitude + 180) / 360)
    on_equator = latitude == 0 and (n - order) % 2 == 1  # the polynomial is odd
    if wave == 0 or on_equator or (order and latitude in (-90, 90)):
        return Fraction(0)
    square = normalisation(n, order, convention)
    sign = -1 if convention == "satclip-closed-form" and order % 2 else 1

    def value():
        polar, azimuth = (arb.pi() * ball(angle) / 180 for angle in (latitude + 90, (longitude + 180) * order))
        root = ball(square) * arb.pi() if convention == "satclip" and not order else ball(square) / arb.pi()
        product = polynomial(legendre_derivative(n, order), polar.cos(), arb(0)) * polar.sin() ** order
        return root.sqrt() * product * (azimuth.sin() if m < 0 else azimuth.cos()) * sign

    return value


# -- codes of places --------------------------------------------------------------------------------------------------


def sphere_code(coordinates, call, *, rule):
    """Digits (..., channels), each channel a formula of its own."""
    shape, along = points(coordinates)
    thetas = thetas_of(call) if call else []
    values = []
    for lon, lat in zip(*along, strict=True):
        values += in_degrees(rule, lon, lat) if not call else in_radians(rule, lon, lat, thetas)
    width = len(values) // max(len(along[0]), 1)
    return digits_of(values, (*shape, width or len(in_radians(rule, 1, 1, thetas) if call else in_degrees(rule, 1, 1))))


def in_degrees(code, lon, lat):
    """Codes of angles; the only rational products of two such cosines are quarters (Conway and Jones)."""

    def radians(degrees):
        return ball(Fraction(degrees)) * arb.pi() / 180

    def quarters(rule):
        with_many_bits = decided(rule)
        return rule if with_many_bits is None else Fraction(with_many_bits, 4)

    if code == "direct":
        return [(lambda angle=angle: radians(angle - 180)) if angle != 180 else Fraction(0) for angle in (lon, lat)]
    if code == "wrap":
        rules = [lambda angle=angle, f=f: f(radians(angle)) for angle in (lon, lat) for f in (arb.cos, arb.sin)]
    else:
        rules = [
            lambda: radians(lon).cos() * radians(lat).cos(),
            lambda: radians(lon).sin() * radians(lat).cos(),
            lambda: radians(lat).sin(),
        ]
    return [quarters(rule) for rule in rules]


def decided(rule):
    """The number of quarters that a number is within 2^-2900, if any."""
    before, ctx.prec = ctx.prec, 3000
    value = rule() * 4
    ctx.prec = before
    nearest = round(float(value))
    return nearest if abs(value - nearest) < arb(2) ** -2900 else None


def in_radians(code, x, y, thetas):
    """Codes of numbers of degrees taken as radians: exact only where an angle is 0."""
    x, y = Fraction(x), Fraction(y)

    def product(*waves):
        known = [Fraction(f is arb.cos) if not (angle and theta.rational != 0) else None for f, angle, theta in waves]
        if Fraction(0) in known:
            return Fraction(0)
        rest = [wave for wave, one in zip(waves, known, strict=True) if one is None]
        if not rest:
            return Fraction(1)

        def value():
            result = arb(1)
            for f, angle, one in rest:
                result *= f((angle() if callable(angle) else ball(angle)) * one.rule())
            return result

        return value

    one, sin, cos = theta(1, 0), arb.sin, arb.cos
    if code == "grid":
        return [product((f, angle, t)) for angle in (x, y) for t in thetas for f in (sin, cos)]
    if code == "theory":
        root = [lambda s=s: ball(-x / 2) + s * arb(3).sqrt() * ball(y / 2) for s in (1, -1)] if x or y else [0, 0]
        return [product((f, angle, t)) for t in thetas for angle in (x, *root) for f in (sin, cos)]
    channels = []
    for t in thetas:
        plain = [[(sin, y, t)], [(cos, y, t)], [(sin, x, t)], [(cos, x, t)]]
        both = [[(cos, y, t), (cos, x, t)], [(cos, y, t), (sin, x, t)]]
        if code.startswith("M"):
            both = [[(cos, y, t), (cos, x, one)], [(cos, y, one), (cos, x, t)]]
            both += [[(cos, y, t), (sin, x, one)], [(cos, y, one), (sin, x, t)]]
        for waves in (plain if code.endswith("+") else plain[:1]) + both:
            channels += [product(*waves)] * 2
    return channels


# -- the Equal Earth projection ---------------------------------------------------------------------------------------


def equal_earth(coordinates, *, scale=1):
    """Digits (..., 2) of x and y as Savric, Patterson and Jenny write them."""
    shape, along = points(coordinates)
    values = []
    for latitude, longitude in zip(*along, strict=True):

        def theta(latitude=latitude):
            return (arb(3).sqrt() / 2 * (arb.pi() * ball(latitude / 180)).sin()).asin()

        def x(theta=theta, longitude=longitude):
            t, (a1, a2, a3, a4) = theta(), equal_earth_coefficients()
            below = 3 * (9 * a4 * t**8 + 7 * a3 * t**6 + 3 * a2 * t**2 + a1)
            return 2 * arb(3).sqrt() * arb.pi() * ball(longitude / 180) * t.cos() / below * ball(Fraction(scale))

        def y(theta=theta):
            t, (a1, a2, a3, a4) = theta(), equal_earth_coefficients()
            return (a4 * t**9 + a3 * t**7 + a2 * t**3 + a1 * t) * ball(Fraction(scale))

        values += [x if longitude else Fraction(0), y if latitude else Fraction(0)]
    return digits_of(values, (*shape, 2))


def equal_earth_coefficients():
    return [ball(Fraction(text)) for text in ("1.340264", "-0.081106", "0.000893", "0.003796")]


# -- CAPE of images ---------------------------------------------------------------------------------------------------


def cape_2d(coordinates, dim, *, radii):
    """Digits (..., dim): cosines, then sines, of pi r_k (x cos k + y sin k)."""
    shape, along = points(coordinates)
    count = dim // 2
    step = Fraction(1, count) if radii == "from-one" else Fraction(1, max(count - 1, 1))
    values = []
    for x, y in zip(*along, strict=True):
        for f in (arb.cos, arb.sin):
            for k in range(count):
                exponent = (k + (radii == "from-one")) * step
                values.append(wave_of_direction(f, Fraction(x), Fraction(y), k, exponent))
    return digits_of(values, (*shape, dim))


def wave_of_direction(f, x, y, k, exponent):
    """A fraction where x and y are 0, or the angle is a known part of a turn; else a rule."""
    if x == 0 and (y == 0 or k == 0):
        return Fraction(f is arb.cos)
    if k == 0 and exponent.denominator == 1:
        exact = niven("cos" if f is arb.cos else "sin", x * 10**exponent.numerator / 2)
        if exact is not None:
            return exact

    def value():
        radius = (arb(10).log() * ball(exponent)).exp()
        return f(arb.pi() * radius * (ball(x) * arb(k).cos() + ball(y) * arb(k).sin()))

    return value


# -- relations of boxes -----------------------------------------------------------------------------------------------


def box_relation(boxes, dim, *, targets=None, base=10000, scale=100, eps=Fraction(1e-5)):
    """Digits (..., n, m, 4 dim); the logarithm of a fraction is 0 where that is 1, and irrational elsewhere."""
    targets = boxes if targets is None else targets
    half = dim // 2
    frequencies = [theta(base, -Fraction(2 * i, half), scale) for i in range(half)]
    values = []
    for at in np.ndindex(boxes.shape[:-2]):
        for source in boxes[at].tolist():
            for target in targets[at].tolist():
                s, t = ([Fraction(value) for value in box] for box in (source, target))
                numbers = [1 + abs(s[k] - t[k]) / (s[k + 2] + eps) for k in (0, 1)]
                numbers += [(s[k] + eps) / (t[k] + eps) for k in (2, 3)]
                values += [wave(kind, number, one) for number in numbers for kind in "sc" for one in frequencies]
    return digits_of(values, (*boxes.shape[:-1], targets.shape[-2], 4 * dim))


def wave(kind, number, one):
    if number == 1:
        return Fraction(kind == "c")
    if kind == "s":
        return lambda: (ball(number).log() * one.rule()).sin()
    return lambda: (ball(number).log() * one.rule()).cos()


# -- coordinates that are no angles -----------------------------------------------------------------------------------


def soft_grid(height, width):
    """Digits (height, width, 4)."""
    values = []
    for r in range(height):
        for c in range(width):
            y, x = Fraction(r, height - 1 or 1), Fraction(c, width - 1 or 1)
            values += [y, x, 1 - y, 1 - x]
    return digits_of(values, (height, width, 4))


def centred_points(pixels, height, width, *, share):
    """Digits (..., 2)."""
    shape, along = points(pixels)
    longer = Fraction(max(width, height)) * Fraction(share)
    values = [(p - Fraction(side, 2)) / longer for xy in zip(*along, strict=True)
              for p, side in zip(xy, (width, height), strict=True)]  # fmt: skip
    return digits_of(values, (*shape, 2))
