"""exp and ln of decimals to hundreds of digits and more, in integers, where `decimal` takes many times as long.

exp divides its argument by 2**s, sums the series and squares s times; ln takes one step of Newton's method of third
order, which itself bounds the error of the approximation that it starts from. Errors are stated in units of the last
bit and rest on no estimate.
"""

from decimal import Decimal
from functools import lru_cache
from math import isqrt

from .contexts import context

LEAST_DIGITS = 150  # below it `decimal` is faster
LONGEST = 20_000  # decimal digits of what is worth being an integer
BITS_PER_DIGIT = 3.33  # a little more than log2(10)
GUARD = 16  # bits beyond those asked for; every bound below leaves room for it


def exp(value, down, up):
    """(low, high) around e**value, for decimals of size below 10**4; None where this is not the way to do it.

    down, up: the `decimal.Context` of each end.
    """
    if down.prec < LEAST_DIGITS or not -LONGEST < value.adjusted() < 4:
        return None
    bits = int(down.prec * BITS_PER_DIGIT) + GUARD
    n, power = _exp(_fixed(value, bits + 2 * GUARD), bits + 2 * GUARD, bits)
    return _decimal(n - 1, power - bits, down), _decimal(n + 2, power - bits, up)


def log(value, down, up):
    """(low, high) around ln(value), for a value greater than 0; None where this is not the way to do it."""
    if down.prec < LEAST_DIGITS or abs(value.adjusted()) > LONGEST or value == 1:
        return None
    lost = max(0, -up.subtract(value, 1).adjusted())  # zeros before the first digit of the logarithm
    if lost > LONGEST:
        return None
    bits = int((down.prec + lost) * BITS_PER_DIGIT) + GUARD
    m, power = _normalised(value, bits)
    total, error = _log(m, bits)
    total, error = total + power * ln_2(bits), error + abs(power)
    return _decimal(total - error, -bits, down), _decimal(total + error, -bits, up)


# -- integers ---------------------------------------------------------------------------------------------------------


def _exp(x, precise, bits):
    """(n, power): e**(x * 2**-precise) lies in n - 1/2 .. n + 3/2, times 2**(power - bits); n has bits + 1 bits.

    |x| * 2**-precise < 2**14. Each of K < bits terms is off by less than 2 units of 2**-work, the multiples of ln 2 by
    less than 2**15; s squarings double a relative error each time: in all below 2**s (2 K + 8) + 2**16 units.
    """
    squarings = isqrt(bits) // 2
    work = bits + squarings + bits.bit_length() + GUARD
    x = x << work - precise if work > precise else x >> precise - work
    power, rest = divmod(x, ln_2(work))
    y = rest >> squarings
    total = term = 1 << work
    k = 1
    while term:
        term = (term * y >> work) // k
        total += term
        k += 1
    for _ in range(squarings):
        total = total * total >> work
    return total >> work - bits, power


def _log(m, bits):
    """(n, error) of ln(m * 2**-bits) in units of 2**-bits; m, from 2**(bits - 1) to 2**bits, may be off by 4."""
    y = _start(m, bits)
    n, power = _exp(y, bits, bits)
    size = n >> -power if power < 0 else n << power  # e**y, off by less than 4
    d = (m - size << bits) // (m + size)  # ln(m / size) is 2 (d + d**3 / 3 + ..); d is off by less than 10
    return y + 2 * d, 24 + (abs(d) ** 3 >> 2 * bits)


def _start(m, bits):
    """About ln(m * 2**-bits), to a third of the bits and some more."""
    if bits < 300:
        short = context(100)
        return int(short.multiply(short.ln(short.divide(m, 1 << bits)), 1 << bits))
    fewer = bits // 3 + GUARD
    return _log(m >> bits - fewer, fewer)[0] << bits - fewer


@lru_cache(maxsize=16)
def ln_2(bits):
    """ln 2 * 2**bits, off by less than 1 (18 artanh(1/26) - 2 artanh(1/4801) + 8 artanh(1/8749))."""
    guard = bits.bit_length() + 8
    terms = (18, 26), (-2, 4801), (8, 8749)
    return sum(times * _artanh_inverse(n, bits + guard) for times, n in terms) >> guard


def _artanh_inverse(n, bits):
    power = (1 << bits) // n
    total, k = power, 1
    while power:
        power //= n * n
        k += 2
        total += power // k
    return total


# -- decimals ---------------------------------------------------------------------------------------------------------


def _parts(value):
    """A decimal as an integer times ten to a power, and that power."""
    sign, digits, exponent = value.as_tuple()
    return int(Decimal((sign, digits, 0))), exponent


def _fixed(value, bits):
    """A decimal times 2**bits, rounded down to an integer."""
    n, exponent = _parts(value)
    return (n << bits) * 10**exponent if exponent > 0 else (n << bits) // 10**-exponent


def _normalised(value, bits):
    """(m, power): a decimal above 0 is m * 2**(power - bits), m from 2**(bits - 1) to 2**bits and off by up to 4."""
    n, exponent = _parts(value)
    above, below = (n * 10**exponent, 1) if exponent > 0 else (n, 10**-exponent)
    shift = bits + 2 + below.bit_length() - above.bit_length()
    m = (above << shift) // below if shift > 0 else (above >> -shift) // below
    drop = m.bit_length() - bits
    return m >> drop, bits + drop - shift


def _decimal(n, power, context):
    """n * 2**power, rounded as the context says."""
    return context.multiply(n, 1 << power) if power > 0 else context.divide(n, 1 << -power)
