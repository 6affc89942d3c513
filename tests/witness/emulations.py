"""What programs compute, step by step: each operation in 240 bits of mpmath and then rounded to the bits of its format.

Plain Python, nothing of refpos. A format is a number of bits; the range of exponents is never left by what is asked.
"""

import math
from fractions import Fraction

from mpmath import cos, exp, mp, mpf, power, sin, sqrt

BITS = {"float64": 53, "float32": 24, "float16": 11, "bfloat16": 8}
WORK = 240


def near(value, bits):
    """A number rounded to so many bits, ties to even."""
    value = value if isinstance(value, Fraction) else Fraction(*value.as_integer_ratio()) if value else Fraction(0)
    if not value:
        return mpf(0)
    sign, value = (-1 if value < 0 else 1), abs(value)
    shift = bits - (value.numerator.bit_length() - value.denominator.bit_length())
    while value * Fraction(2) ** shift >= 2**bits:
        shift -= 1
    while value * Fraction(2) ** shift < 2 ** (bits - 1):
        shift += 1
    with mp.workprec(WORK):
        return sign * mpf(round(value * Fraction(2) ** shift)) / mpf(2) ** shift


def exactly(value):
    """A number of mpmath as a fraction."""
    sign, mantissa, exponent, _ = value._mpf_
    return Fraction(-mantissa if sign else mantissa) * Fraction(2) ** exponent


class Steps:
    """Operations in one format, each rounded once."""

    def __init__(self, name):
        self.bits = BITS[name]

    def of(self, value):
        return self._near(mpf(value) if not isinstance(value, Fraction) else mpf(value.numerator) / value.denominator)

    def _near(self, value):
        return near(exactly(value), self.bits)

    def times(self, a, b):
        return self._near(a * b)

    def over(self, a, b):
        return self._near(a / b)

    def plus(self, a, b):
        return self._near(a + b)

    def power(self, a, b):
        return self._near(power(a, b))

    def exp(self, a):
        return self._near(exp(a))

    def waves(self, a):
        return self._near(cos(a)), self._near(sin(a))


def frequencies(profile, dim, base):
    """inv_freq of each emulation; of ggml_product the ratio of angles."""
    s, d = Steps("float32"), Steps("float64")
    half, one, numbers = dim // 2, mpf(1), [mpf(2 * i) for i in range(dim // 2)]
    log = d._near(mp.log(mpf(base)))
    if profile in ("float64_angle", "float64_quotient", "float32_inv_freq"):
        powers = [d.power(mpf(base), d.over(i, mpf(dim))) for i in numbers]
        if profile == "float64_quotient":
            return powers
        inverse = [d.over(one, power) for power in powers]
        return inverse if profile == "float64_angle" else [s.of(value) for value in inverse]
    if profile == "float32_exp":
        constant = s.of(d.over(log, mpf(half)))
        return [s.exp(-s.times(i / 2, constant)) for i in numbers]
    if profile == "float32_exp_quotient":
        return [s.exp(-s.over(s.times(i / 2, s.of(log)), mpf(half))) for i in numbers]
    if profile == "mlx":
        constant, turn = s.over(s.of(log), mpf(half)), s.of(mpf(1.442695))
        return [s.power(mpf(2), s.times(s.times(-i / 2, constant), turn)) for i in numbers]
    if profile == "ggml_product":
        return [s.power(s.of(mpf(base)), s.over(mpf(-2), mpf(dim)))] * half
    found = [s.over(one, s.power(s.of(mpf(base)), s.over(i, mpf(dim)))) for i in numbers]
    for name in ("bfloat16", "float16"):
        if profile in (f"{name}_inv_freq", f"{name}_angle"):
            found = [Steps(name).of(value) for value in found]
    return found


def tf32(value):
    """Ten bits behind the point, ties away from zero."""
    low, high = near(exactly(value), 24), exactly(value)
    if not low:
        return low
    shift = 11
    exponent = math.floor(mp.log(abs(low), 2))
    scale = Fraction(2) ** (shift - 1 - exponent)
    sign = -1 if high < 0 else 1
    whole = math.floor(abs(exactly(low)) * scale + Fraction(1, 2))
    return sign * mpf(whole) / (mpf(scale.numerator) / scale.denominator)


def rope_table(profile, positions, dim, base):
    """Rows of (cos, sin) of each position and pair, as Python floats."""
    with mp.workprec(WORK):
        thetas = frequencies(profile, dim, base)
        return [_row(profile, mpf(p), thetas) for p in positions]


def _row(profile, p, thetas):
    name = "float64" if profile.startswith("float64") else "float32"
    narrow = profile.partition("_")[0]
    s = Steps(narrow if profile.endswith("_angle") else name)
    p = Steps(narrow if profile.endswith(("_angle", "_positions")) else name).of(p)
    row, angle = [], p
    for i, theta in enumerate(thetas):
        if profile == "ggml_product":
            angle = s.times(angle, theta) if i else p
        elif profile == "float64_quotient":
            angle = s.over(p, theta)
        elif profile == "tf32_product":
            angle = s.times(tf32(p), tf32(theta))
        else:
            angle = s.times(p, theta)
        waves = s.waves(angle)
        if profile.endswith(("_table", "_rotation")):
            waves = [Steps(narrow).of(wave) for wave in waves]
        row.append(tuple(map(float, waves)))
    return row


def turned(one, other, table, name):
    """A pair of channels turned by (cos, sin): two products and a sum for each, in one format."""
    with mp.workprec(WORK):
        s = Steps(name)
        one, other, c, n = (s.of(mpf(float(value))) for value in (one, other, *table))
        first = s.plus(s.times(one, c), -s.times(other, n))
        return float(first), float(s.plus(s.times(other, c), s.times(one, n)))


def timestep(time, dim, shift, scale):
    """The sines and cosines of diffusers for one timestep: (cos, sin) of each frequency."""
    with mp.workprec(WORK):
        s, half = Steps("float32"), dim // 2
        log, row = s.of(Steps("float64")._near(mp.log(mpf(10000)))), []
        for i in range(half):
            theta = s.exp(-s.over(s.times(mpf(i), log), s.of(mpf(half - shift))))
            angle = s.times(s.of(mpf(time)), theta)
            row.append(tuple(map(float, s.waves(s.times(s.of(mpf(scale)), angle)))))
        return row


def slopes(profile, heads, most=8):
    """Slopes of each emulation of ALiBi."""
    with mp.workprec(WORK):
        s, d, b = Steps("float32"), Steps("float64"), Steps("bfloat16")
        whole, found = 2 ** math.floor(math.log2(heads)), []
        for count, numbers in ((whole, range(1, whole + 1)), (2 * whole, range(1, 2 * (heads - whole), 2))):
            root = d.power(mpf(2), -d.over(mpf(most), mpf(count)))
            for k in numbers:
                if profile == "press_alibi":
                    slope = s.of(d.times(root, d.power(root, mpf(k - 1))))
                elif profile == "mpt_alibi":
                    exponent = s.times(mpf(k), s.of(d.over(mpf(most), mpf(count))))
                    slope = s.over(mpf(1), s.power(mpf(2), exponent))
                else:
                    slope = s.power(s.of(root), mpf(k))
                found.append(float(b.of(slope) if profile == "falcon_alibi" else slope))
        return found


def falcon_bias(slope, position, head_dim=None):
    """Slope times position in bfloat16, over the root of the width of a head."""
    with mp.workprec(WORK):
        b = Steps("bfloat16")
        bias = b.times(mpf(slope), b.of(mpf(position)))
        if head_dim is None:
            return float(bias)
        root = Steps("float32").of(Steps("float64")._near(sqrt(mpf(head_dim))))
        return float(b.over(bias, root))


def llama3(dim, base, factor, low, high, trained):
    """inv_freq of Llama 3 as transformers computes it: torch takes a number over a tensor as a product."""
    with mp.workprec(WORK):
        s, one, found = Steps("float32"), mpf(1), []
        for theta in frequencies("float32_angle", dim, base):
            length = s.times(s.over(one, theta), s.of(mpf(2 * math.pi)))
            scaled = s.over(theta, s.of(mpf(factor))) if length > s.of(mpf(trained / low)) else theta
            turns = s.times(s.over(one, length), s.of(mpf(trained)))
            smooth = s.over(s.plus(turns, -s.of(mpf(low))), s.of(mpf(high - low)))
            if not length < s.of(mpf(trained / high)) and not length > s.of(mpf(trained / low)):
                rest = s.over(s.times(s.plus(one, -smooth), scaled), s.of(mpf(factor)))
                scaled = s.plus(rest, s.times(smooth, scaled))
            found.append(float(scaled))
        return found
