"""Skew-symmetric generators and the rotations they make: exp(A) x in integers, rounded once.

With A of fractions, every channel of exp(A) x is either the channel of x itself or transcendental: it is a sum of terms
c e**lambda over the eigenvalues of A, algebraic c and lambda, which by Lindemann and Weierstrass is algebraic only
where all terms with lambda other than 0 have vanished, and then it is the channel of x. So enclosures that shrink
always come to round alike at both ends, once the channels that keep their values are known.
"""

import math
from functools import lru_cache, partial

import numpy as np

from . import fixed_point, rounding
from .formats import FORMATS

SERIES_NORM = 8  # the series begins at a norm below 2**-SERIES_NORM


def weighted_sum(matrices, weights):
    """The sum of weights[a] * matrices[a], for fractions, as Python ints (n, n) over a divisor: (matrix, divisor)."""
    divisor = math.lcm(*(weight.denominator for weight in weights))
    return sum(int(weight * divisor) * matrix for weight, matrix in zip(weights, matrices)), divisor


def exponential(matrix, divisor, bits):
    """exp(matrix / divisor) * 2**bits in Python ints, and a bound on its error in the 2-norm.

    matrix: Python ints (n, n), skew-symmetric, or symmetric without eigenvalues above 0: no power of the exponential is
    longer than 1. A Taylor series after halvings, undone by squarings. In units of 2**-work and the 2-norm: the matrix
    of the series is off by n, each term after its rounding by 2 n, the sum of m terms with what is left out by
    2 n (m + 1); a squaring of a matrix that is no longer than 1, but for an error e, gives 2 e + e**2 2**-work + n, and
    e**2 2**-work stays below n by the choice of work.
    """
    n = len(matrix)
    norm = int(abs(matrix).sum(axis=1).max()) // divisor + 1
    halvings = norm.bit_length() + SERIES_NORM
    guard = 2 * halvings + 2 * n.bit_length() + 32
    work = bits + guard
    small = (matrix << work - halvings) // divisor
    total = term = _identity(n) << work
    k = 0
    while term.any():
        k += 1
        term = (_product(term, small) + (k << work - 1)) // (k << work)  # to nearest, so that terms do come to 0
        total = total + term
    for _ in range(halvings):
        total = _product(total, total) >> work
    return total >> guard, ((2 * n * (k + 2) << halvings) >> guard) + n + 1


def _product(a, b):
    """a @ b of Python ints; by rows, because NumPy's matmul of objects ends the process when a signal interrupts it."""
    return sum(a[:, k, None] * b[k] for k in range(len(b)))


def _identity(n):
    return np.array([[int(i == j) for j in range(n)] for i in range(n)], object)


def rotated(matrix, divisor, rows, fmt):
    """Bit patterns (count, n) of exp(matrix / divisor) x for each row x (count, n) of float64, rounded once.

    A channel that keeps its value keeps its bits. A row with a channel that is not finite has what the exact matrix
    gives in IEEE arithmetic, every NaN the positive quiet one.
    """
    exponential_to = lru_cache(maxsize=None)(partial(exponential, matrix, divisor))  # of so many bits
    patterns = [_rotated_row(matrix, exponential_to, row, fmt) for row in rows]
    return np.array(patterns, f"u{fmt.width // 8}").reshape(rows.shape)


def _rotated_row(matrix, exponential_to, row, fmt):
    if not np.isfinite(row).all():
        return _by_ieee(matrix, exponential_to, row, fmt)
    numbers, shift = fixed_point.as_integers(row)
    unchanged = _unchanged(matrix, numbers)
    return [
        rounding.round_float(value, fmt) if keeps_value else _rotated_channel(exponential_to, i, numbers, shift, fmt)
        for i, (value, keeps_value) in enumerate(zip(row, unchanged))
    ]


def _rotated_channel(exponential_to, i, numbers, shift, fmt):
    """Bit pattern of channel i of the product with numbers * 2**-shift, which is not the channel itself."""
    size = int(abs(numbers).sum())

    def enclosure(bits):
        rotation, error = exponential_to(bits)
        return int(rotation[i] @ numbers), error * size

    return rounding.round_exactly(enclosure, fmt, exponent=-shift)


def _unchanged(matrix, numbers):
    """For each channel whether exp(t matrix) x keeps its value for every t: channel i of every matrix**k x is 0."""
    changed, power = np.zeros(len(numbers), bool), numbers
    for _ in numbers:
        power = (matrix * power).sum(axis=1)
        changed |= power != 0
        if changed.all() or not power.any():
            break
    return ~changed


def _by_ieee(matrix, exponential_to, row, fmt):
    """The sums of the channels that are not finite, each times its entry of exp(matrix) rounded to float64."""
    units = _identity(len(row))
    sums = [0.0] * len(row)
    for j, x in enumerate(row.tolist()):
        if not math.isfinite(x):
            column = _rotated_row(matrix, exponential_to, units[j].astype(float), FORMATS["float64"])
            entries = np.array(column, np.uint64).view(np.float64).tolist()
            sums = [value + entry * x for value, entry in zip(sums, entries)]
    return [fmt.nan if math.isnan(value) else rounding.round_float(value, fmt) for value in sums]
