"""Features of distances: what models of DNA multiply with learned weights in place of a table of distances."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from functools import lru_cache, partial
from typing import Literal, Union, get_args

import numpy as np

from .. import checks
from ..arithmetic import fixed_point, formats, formulas, powers, reals, rounding
from ..catalogue import register
from ..errors import InputError, shown
from ..steps.angles import phases
from ..steps.distances.gamma_densities import GammaDensities, Normalise
from ..types import Array, DType, Integer, Number

Basis = Literal["exponential", "central-mask", "gamma", "cosine", "one-hot"]
BASES = get_args(Basis)
MaskRule = Literal["doubling", "root", "offset-geometric"]
MASK_RULES = get_args(MaskRule)
NORMALISE = get_args(Normalise)
ZEROS = ("central-mask", "one-hot", "cosine")  # their zeros are exact, and have no sign
FIRST_HALF_LIFE = 8
FIRST_BITS = 160
MOST_FEATURES = 2**12


@register(
    family="relative",
    paper="Avsec et al. 2021, Enformer, doi:10.1038/s41592-021-01252-x, supplementary methods",
    conventions="basis, rule of the central mask and normalise of gamma (no defaults); length given; sign or symmetric",
    no_error_bound="a gamma density by a library's lgamma has no published error bound",
    also="Enformer, Enformer positional features",
)
def distance_features(
    query_len: Integer,
    key_len: Integer,
    features: Integer,
    *,
    basis: Union[Basis, Sequence[Basis]],
    rule: MaskRule | None = None,
    normalise: Normalise | None = None,
    length: Integer | None = None,
    symmetric: bool = False,
    eps: Number = 1e-8,
    dtype: DType = "float64",
    out: Array | None = None,
) -> Array:
    """Enformer's positional features of each distance: n of each basis, in order.

        exponential:  2**(-|p| / h_j),  h_j = 8 (L / 8)**(j / (n - 1))
        central-mask: 1 where w_j > |p|, else 0;  w_j = 2**(j + 1) - 1 (doubling), (L + 1)**((j + 1) / n) - 1 (root),
                      j + (L - n + 1)**(j / n) (offset-geometric)
        gamma:        (g_j(|p|) + eps) / (the largest g + eps),  g_j the gamma density of mean L (j + 1) / n and
                      standard deviation L / 2n, whose shape is the integer 4 (j + 1)**2
        cosine:       cos(2 pi p / (1.25 2**j))
        one-hot:      1 where |p| = j, else 0

    j = 0 .. n - 1; then the same times the sign of p, unless symmetric.

    Parameters
    ----------
    query_len : int
        Number of queries.
    key_len : int
        Number of keys.
    features : int
        Number of features, a multiple of the number of bases, and of twice that unless symmetric.
    basis : {'exponential', 'central-mask', 'gamma', 'cosine', 'one-hot'} or sequence of them
        The bases, a name or a list of names.
    rule : {'doubling', 'root', 'offset-geometric'}, optional
        Rule of the w_j of the central mask, as stated above.
    normalise : {'table', 'row'}, optional
        Where the largest g of gamma is taken: in the "table" or in the "row" of one distance.
    length : int, optional
        L, by default the largest distance and one more.
    symmetric : bool, default False
        Whether to leave out the features times the sign of p.
    eps : float or Fraction, default 1e-08
        Number added in gamma, as stated above.
    dtype : str or dtype, default 'float64'
        Format of the result: float64, float32, float16 or bfloat16.
    out : ndarray, optional
        Array that receives the result.

    Returns
    -------
    ndarray
        Shape (query_len + key_len - 1, features) of `dtype`, each value rounded once.

    Raises
    ------
    InputError
        E_SIZE (query_len, key_len, length), E_ODD_DIM (features), E_CHOICE (basis, rule, normalise, symmetric),
        E_NUMBER (eps), E_DTYPE, E_TOO_LARGE, E_OUT.

    References
    ----------
    - deepmind/deepmind-research, enformer/attention_module.py (three bases, table; older copies: row).
    - google-deepmind/alphagenome_research at 0072ba8, model/attention.py (offset-geometric; L + 1 queries and L keys);
      Borzoi (root). Enformer has 1536 tokens and 192 features of basis=["exponential", "central-mask", "gamma"].

    Examples
    --------
    >>> distance_features(2, 3, 4, basis="central-mask", rule="doubling")
    array([[ 0.,  1.,  0., -1.],
           [ 1.,  1.,  0.,  0.],
           [ 0.,  1.,  0.,  1.],
           [ 0.,  1.,  0.,  1.]])
    """
    query_len, key_len = checks.integer("query_len", query_len), checks.integer("key_len", key_len)
    bases = _read_bases(basis, rule, normalise)
    parts = len(bases) * (1 if checks.flag("symmetric", symmetric) else 2)
    count = checks.multiple("features", features, parts) // parts
    checks.integer("features", count, 1, MOST_FEATURES)
    eps, fmt = checks.positive("eps", eps), formats.resolve(dtype)
    rows = query_len + key_len - 1 if query_len and key_len else 0
    largest = max(query_len, key_len) - 1 if rows else 0
    length = largest + 1 if length is None else checks.integer("length", length, 1)
    result, stored = checks.output(out, (rows, parts * count), fmt)
    away = abs(np.arange(1 - query_len, key_len, dtype=np.int64)) if rows else np.empty(0, np.intp)
    for k, name in enumerate(bases):
        table = np.empty((largest + 1, count), fmt.storage)
        _fill(formats.bits(table), name, rule, normalise, length, eps, fmt)
        patterns = formats.bits(table)[away]
        formats.bits(stored)[:, k * count : (k + 1) * count] = patterns
        if not symmetric:
            start = (len(bases) + k) * count
            formats.bits(stored)[:, start : start + count] = _signed(patterns, query_len - 1, name, fmt)
    return result


def _read_bases(basis, rule, normalise):
    bases = checks.choices("basis", basis, BASES)
    if not bases:
        raise InputError("E_CHOICE", "basis", "basis must have at least one name, got none")
    needed = ("rule", rule, MASK_RULES, "central-mask"), ("normalise", normalise, NORMALISE, "gamma")
    for name, value, known, of in needed:
        if of not in bases and value is not None:
            raise InputError("E_CHOICE", name, f"{name} must be None without basis {of!r}, got {shown(value)}")
        if of in bases:
            checks.choice(name, value, known)
    return bases


def _signed(patterns, zero, name, fmt):
    """The patterns times the sign of the distance, which is 0 in row `zero`; what is exactly 0 stays +0."""
    signed = patterns.copy()
    signed[:zero] ^= patterns.dtype.type(1 << fmt.width - 1)
    if name in ZEROS:
        signed[patterns == 0] = 0
    signed[zero : zero + 1] = 0
    return signed


def _fill(patterns, name, rule, normalise, length, eps, fmt):
    """Write the bit patterns of the features (distances, features) of one basis."""
    distances, count = patterns.shape
    if name == "gamma":
        densities = GammaDensities(length, count, distances, eps, normalise)
        for x in range(distances):
            patterns[x] = [formulas.pattern(densities.feature(x, j), fmt) for j in range(count)]
        return
    value = {
        "exponential": partial(_exponential, length, count),
        "central-mask": partial(_inside, rule, length, count),
        "one-hot": lambda j: lambda x: Fraction(int(x == j)),
        "cosine": _cosine,
    }[name]
    for j in range(count):
        column = value(j)
        for x in range(distances):
            known = column(x)
            patterns[x, j] = known(fmt) if name == "cosine" else formulas.pattern(known, fmt)


def _exponential(length, count, j):
    """2**(-x / h) for h of feature j: rational only if x / h is whole (Gelfond and Schneider)."""
    t = Fraction(j, max(count - 1, 1))
    inverse = powers.real(Fraction(FIRST_HALF_LIFE, length), t).rational

    @lru_cache(maxsize=8)
    def rate(count):
        digits = reals.Digits(count)
        return digits.power(Fraction(FIRST_HALF_LIFE, length), t) * digits.log(2) / FIRST_HALF_LIFE

    def value(x):
        if not x:
            return Fraction(1)
        exponent = None if inverse is None else inverse * x / FIRST_HALF_LIFE
        if exponent is not None and exponent.denominator == 1 and exponent < powers.LARGEST_EXPONENT:
            return Fraction(1, 2**exponent.numerator)
        return formulas.exponential(lambda digits: rate(digits.count) * -x)

    return value


def _inside(rule, length, count, j):
    """Whether the width of feature j is greater than x: compared as integer powers."""

    def value(x):
        if rule == "doubling":
            inside = 2 ** (j + 1) - 1 > x
        elif rule == "root":
            inside = (length + 1) ** (j + 1) > (x + 1) ** count
        else:
            inside = x < j or max(length - count + 1, 0) ** j > (x - j) ** count
        return Fraction(int(inside))

    return value


def _cosine(j):
    """The cosine of 4 x / (5 2**j) turns."""

    def value(x):
        turns = Fraction(4 * x, 5 * 2**j) % 1
        known = phases.exact_cosine(turns)
        if known is not None:
            return partial(rounding.nearest_fraction, known)

        def enclosure(bits):
            cos, _, error = fixed_point.cos_sin((turns.numerator << bits) // turns.denominator, bits)
            return cos, error

        return lambda fmt: rounding.round_exactly(enclosure, fmt, FIRST_BITS)

    return value
