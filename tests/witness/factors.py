"""Numbers factor * (u cos + v sin), one at a time, for factors and channels of any size and angles of any kind.

A number is either known as a fraction or irrational. What is known of an angle is the fraction of a turn, and of a
factor its square, where these are fractions. Then (factor * (u cos + v sin))**2 lies in a cyclotomic field, where it is
computed exactly, and the number is a fraction just where that is the square of one. Beyond the denominator 24 it never
is: the conjugates of u cos + v sin are |u + iv| cos(a phase - b) for all a prime to the denominator, too many for a
number of degree 2. A factor without a rational square is here transcendental or a root of higher degree, and a root of
degree above 2 lies in no cyclotomic field. An angle that is not a fraction of a turn has a transcendental cosine.
"""

import math
from collections.abc import Callable
from fractions import Fraction
from functools import cache
from typing import NamedTuple

import numpy as np
from flint import arb, ctx, fmpq, fmpq_poly, fmpz_poly

from . import scalings
from .digits import SHAPES, from_fractions, patterns, zeros
from .formulas import power
from .generalised import softplus

FIRST = 160  # bits of the first attempt
MOST = 1 << 17
LONG = 1 << 14  # bits of a fraction that is no short binary one, and so lies on no boundary


class Undecided(ArithmeticError):
    """Balls of 2**17 bits do not tell a number."""


class Factor(NamedTuple):
    """A positive number: a function that gives its ball, and its square where that is a fraction."""

    ball: Callable
    square: Fraction | None


class Frequencies(NamedTuple):
    """thetas() as balls, the turns per position where they are fractions, the axis of each pair, and the factor."""

    thetas: Callable
    turns: list
    axes: list
    factor: Factor


# -- what is known exactly --------------------------------------------------------------------------------------------


def whole_root(number, degree):
    """The root of an integer where it is whole, else None."""
    low, high = 0, 1 << -(-number.bit_length() // degree)
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if middle**degree <= number else (low, middle - 1)
    return low if low**degree == number else None


def rational_power(base, exponent):
    """base**exponent where it is a fraction of not too many digits, else None."""
    base, exponent = Fraction(base), Fraction(exponent)
    size = max(base.numerator.bit_length(), base.denominator.bit_length())
    if base == 1 or not exponent:
        return Fraction(1)
    if exponent.denominator > size:
        return None
    parts = [whole_root(n, exponent.denominator) for n in (base.numerator, base.denominator)]
    if None in parts or abs(exponent.numerator) * size > LONG:
        return None
    return Fraction(*parts) ** exponent.numerator


def root_of(value):
    """The square root of a fraction where it is one, else None."""
    parts = [math.isqrt(n) for n in (value.numerator, value.denominator)]
    found = Fraction(*parts)
    return found if found * found == value else None


def _log_ratio(number, base):
    """ln(number) / ln(base) where it is a fraction."""
    for below in range(1, 65):
        above = round(below * math.log(number) / math.log(base))
        if above and number**below == Fraction(base) ** above:
            return Fraction(above, below)
    return None


def _square(call):
    """The square of the attention factor of a call, where that is a fraction."""
    given = call["arguments"]
    if isinstance(given.get("frequencies"), dict):
        return _square(given["frequencies"])
    if call["function"] not in ("yarn", "longrope"):
        return Fraction(1)
    if given.get("attention_factor"):
        return Fraction(given["attention_factor"]) ** 2
    factor = scalings.ratio_of(given)
    if factor <= 1:
        return Fraction(1)
    if call["function"] == "longrope":
        ratio = _log_ratio(factor, given["original_max_position_embeddings"])
        return None if ratio is None else 1 + ratio
    scales = given.get("mscale"), given.get("mscale_all_dim")
    return Fraction(1) if all(scales) and scales[0] == scales[1] else None


# -- frequencies ------------------------------------------------------------------------------------------------------


def frequencies_of(call):
    """The `Frequencies` of {"function": name, "arguments": arguments}, of blocks for axes too."""
    given = call["arguments"]
    if call["function"] == "axial_frequencies":
        return _blocks(given)
    rule, ball = scalings.scaling(call)
    count = scalings.dim_of(call) // 2
    turns = [None] * count
    if call["function"] == "resonance":
        turns = [Fraction(1, n) if n else Fraction(0) for n in scalings.wavelengths(given)]
    return Frequencies(_kept(rule), turns, [0] * count, Factor(_kept(ball), _square(call)))


def _blocks(given):
    """One set of frequencies for all blocks; times_pi where it is there, of one whose divisors alone make it."""
    (inner,) = {id(part): part for part in given["frequencies"]}.values()
    one, times = frequencies_of(inner), given.get("times_pi")
    axes = [axis for axis in given.get("axes") or range(len(given["widths"])) for _ in one.turns]
    turns, thetas = one.turns, one.thetas
    if times is not None:
        assert inner["function"] == "longrope" and inner["arguments"]["base"] == 1
        turns = [Fraction(times) / 2 / Fraction(d) for d in inner["arguments"]["short_factor"]]

        def thetas():
            return [scalings.ball(2 * t) * arb.pi() for t in turns]

    blocks = len(given["widths"])
    return Frequencies(lambda: thetas() * blocks, turns * blocks, axes, one.factor)


def _kept(rule):
    """A rule whose last balls are kept for each precision."""
    made = {}

    def found():
        if ctx.prec not in made:
            made[ctx.prec] = rule()
        return made[ctx.prec]

    return found


def times_power(factor, base, exponent):
    """A factor times base**exponent."""
    if not exponent or base == 1:
        return factor
    square = rational_power(base, 2 * exponent)
    known = None if None in (square, factor.square) else square * factor.square
    return Factor(_kept(lambda: factor.ball() * power(base, exponent)), known)


# -- angles -----------------------------------------------------------------------------------------------------------


class Wave:
    """Cosine and sine at one position of one pair."""

    def __init__(self, frequencies, i, position):
        self.frequencies, self.i, self.position = frequencies, i, Fraction(position)
        turns = frequencies.turns[i]
        self.turns = Fraction(0) if not self.position else None if turns is None else turns * self.position % 1
        self.made, self.rounded = {}, None

    def balls(self):
        """Cosine and sine at the current precision."""
        if ctx.prec not in self.made:
            if self.turns is not None:
                sine, cosine = (2 * scalings.ball(self.turns)).sin_cos_pi()
            else:
                before = ctx.prec
                ctx.prec += max(0, int(abs(self.position)).bit_length()) + 16
                angle = self.frequencies.thetas()[self.i] * scalings.ball(self.position)
                ctx.prec = before
                sine, cosine = angle.sin_cos()
            self.made[ctx.prec] = cosine, sine
        return self.made[ctx.prec]

    def floats(self):
        """Cosine and sine as floats, 0 where they are exactly; good to many digits but not rounded."""
        if self.rounded is None:
            self.rounded = tuple(self._float(which) for which in (0, 1))
        return self.rounded

    def _float(self, which):
        quarter = (Fraction(1, 4), Fraction(0))[which]
        if self.turns is not None and (self.turns - quarter) % Fraction(1, 2) == 0:
            return 0.0
        ctx.prec = FIRST
        while self.balls()[which].rel_accuracy_bits() < 64:
            ctx.prec *= 2
        return float(self.balls()[which].mid())


@cache
def _field(turns):
    """(cyclotomic polynomial, cosine and sine of so many turns) in the field of the roots of unity of an order."""
    order = math.lcm(4, turns.denominator)
    modulus = fmpq_poly(fmpz_poly.cyclotomic(order))
    steps = int(turns * order) % order

    def root(k):
        return fmpq_poly([0] * (k % order) + [1]) % modulus

    # sine = (z - 1/z) / 2i = (1/z - z) i / 2
    cosine = (root(steps) + root(-steps)) / 2
    sine = (root(-steps + order // 4) - root(steps + order // 4)) / 2
    return modulus, cosine, sine


def known(u, v, wave, factor):
    """factor * (u cos + v sin) without its sign, where it is a fraction; else None. u, v: fractions."""
    if not u and not v:
        return Fraction(0)
    if wave.turns is None or wave.turns.denominator > 24:
        return None
    modulus, cosine, sine = _field(wave.turns)
    value = cosine * fmpq(u.numerator, u.denominator) + sine * fmpq(v.numerator, v.denominator)
    if not value:
        return Fraction(0)
    if factor.square is None:
        return None
    square = value * value % modulus
    if square.degree() > 0:
        return None
    return root_of(Fraction(int(square[0].p), int(square[0].q)) * factor.square)


# -- digits -----------------------------------------------------------------------------------------------------------


def digits_of(ball):
    """(negative, head, exponent, more) of the irrational number in a ball, None where it is too wide for 64 digits."""
    if not ball.is_finite():
        return None
    (man, e), (radius, r) = ball.mid().man_exp(), ball.rad().man_exp()
    man, e, radius, r = int(man), int(e), int(radius), int(r)
    if not man:
        return None
    negative, man = man < 0, abs(man)
    spare = max(0, 192 - man.bit_length())
    man, e = man << spare, e - spare
    if r + radius.bit_length() > e + man.bit_length() - 66:
        return None
    radius = radius << r - e if r >= e else (radius >> e - r) + 1
    low, high = man - radius, man + radius
    cut = low.bit_length() - 64
    if low >> cut != high >> cut:
        return None
    return negative, low >> cut, low.bit_length() - 1 + e, True


def number(u, v, wave, factor):
    """(negative, head, exponent, more) of factor * (u cos + v sin) for floats u, v; of 0, head 0."""

    def ball():
        cosine, sine = wave.balls()
        value = cosine * u + sine * v if u and v else cosine * u if u else sine * v
        return value if factor.square == 1 else value * factor.ball()

    exact = None
    if wave.turns is not None or not (u or v):
        exact = known(Fraction(u), Fraction(v), wave, factor)
    return _known_or_decided(ball, exact)


def _known_or_decided(ball, exact):
    if exact is not None:
        (found,) = zip(*(array.tolist() for array in from_fractions([exact]).arrays), strict=True)
        if not exact:
            return found
        return (_sign(ball), *found[1:])
    return decided(ball)


def _sign(ball):
    ctx.prec = FIRST
    while True:
        value = ball()
        if value > 0 or value < 0:
            return bool(value < 0)
        ctx.prec *= 2


def decided(ball):
    """(negative, head, exponent, more) of an irrational number, from balls of as many bits as it takes."""
    ctx.prec = FIRST
    while ctx.prec <= MOST:
        found = digits_of(ball())
        if found:
            return found
        ctx.prec *= 2
    raise Undecided


def soft(x, which, wave, factor):
    """Digits of factor * ln(1 + e**x) * cosine (which 0) or sine (1)."""
    quarter = Fraction(1, 4) if which == 0 else Fraction(0)
    if wave.turns is not None and (wave.turns - quarter) % Fraction(1, 2) == 0:
        return False, 0, 0, False
    if x <= 2**14:
        return decided(lambda: softplus(x) * wave.balls()[which] * factor.ball())
    # x and less than 2**-23000: what is a fraction for x itself lies just beyond it
    exact = known(*((Fraction(x), Fraction(0))[:: 1 - 2 * which]), wave, factor)
    found = _known_or_decided(
        lambda: (arb(x) + arb(0, 1) / arb(2) ** 23000) * wave.balls()[which] * factor.ball(), exact
    )
    return (*found[:3], True)


# -- patterns ---------------------------------------------------------------------------------------------------------


def as_patterns(rows, name):
    """Bit patterns of a list of digits."""
    found = zeros((len(rows),))
    for target, column, kind in zip(
        found.arrays, zip(*rows, strict=True), (bool, np.uint64, np.int64, bool), strict=True
    ):
        target[...] = np.array(column, kind)
    return patterns(found, name)


def special(value, name):
    """The pattern of a zero, an infinity or a NaN, the positive quiet one."""
    precision, _, _, width = SHAPES[name]
    sign = 1 << width - 1 if math.copysign(1, value) < 0 else 0
    if math.isnan(value):
        return (1 << width - 1) - (1 << precision - 2)
    return sign | (0 if value == 0 else (1 << width - 1) - (1 << precision - 1))


def turned(x, y, wave, factor, sign):
    """Digits of factor * (x cos - y sin) and factor * (y cos + x sin) for finite floats; sign -1 turns back.

    Each with the zero whose sign IEEE arithmetic gives, None where it is not 0.
    """
    found = []
    for u, v, other, minus in ((x, y, -sign * y, True), (y, x, sign * x, False)):
        digits = number(u, other, wave, factor)
        found.append((digits, None if digits[1] else _zero(u, v, wave, sign, minus) if x or y else 0.0))
    return found


def _zero(u, v, wave, sign, minus):
    """The zero u cos -+ v (sign sin) in IEEE arithmetic: of two zeros, or of what cancels."""
    cosine, sine = (math.copysign(1, value) if value else 0.0 for value in wave.floats())
    if u and v and cosine and sine:
        return 0.0
    first, second = ((math.copysign(1, n) if n else n) * wave for n, wave in ((u, cosine), (v, sign * sine)))
    return first - second if minus else first + second


def by_ieee(x, y, wave, factor, sign):
    """Two readings of the pair (x cos - y sin, y cos + x sin) where a channel is not finite: the factor multiplies
    cosine and sine before they are rounded, or what comes out."""
    one, readings = Factor(lambda: arb(1), Fraction(1)), []
    for scale in (factor, one):
        waves = [number(1.0, 0.0, wave, scale), number(0.0, 1.0, wave, scale)]
        cosine, sine = as_patterns(waves, "float64").view(np.float64)
        with np.errstate(all="ignore"):
            readings.append((x * cosine - y * (sign * sine), y * cosine + x * (sign * sine)))
    return readings
