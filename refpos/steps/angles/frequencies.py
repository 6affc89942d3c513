"""Frequencies: how far each pair of channels turns from one position to the next, exactly.

A frequency is known as a rule that gives it to any number of bits, so every later step can ask for the precision it
needs. Scalings replace the rule and nothing else.
"""

from __future__ import annotations

import pickle
from collections.abc import Callable, Sequence
from copy import copy
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import lru_cache, partial
from math import gcd, prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ... import catalogue, checks
from ...arithmetic import formats, reals, rounding
from ...arithmetic.powers import fixed_product, integer_root
from ...arithmetic.reals import Real
from ...errors import InputError, InputTypeError
from ...guard import guarded
from ...types import Array, DType
from .wavelengths import wavelengths

LARGEST_EXPONENT = 4096  # frequencies beyond 2**+-4096 are refused: the integers of their phases grow with them
BITS = 256  # which tell one frequency from another
LOG_2 = 0.6931471805599453


def _unknown(i):
    return None


NO_FACTOR = reals.rational(1)


@dataclass(frozen=True, eq=False)
class Frequencies:
    """The frequencies of one rotary width, exactly, and the factor by which their cosines and sines are multiplied.

    Attributes
    ----------
    dim : int
        Rotary dimension; there are dim/2 frequencies.
    fixed : callable
        `fixed(bits)` gives integers n_i with |theta_i - n_i * 2**-bits| <= 2**-bits.
    rational : callable
        `rational(i)` is theta_i as a fraction where it is rational, else None.
    factor : Real
        Exact factor of cosine and sine.
    turns : callable
        `turns(i)` is theta_i / 2 pi as a fraction where it is rational, else None.
    axes : tuple of int or None
        For each frequency the axis whose position it multiplies; None where tokens have one position.
    inv_freq : ndarray
        The thetas rounded once to float64, as is the array that `np.asarray` makes of them.
    attention_factor : float
        `factor`, rounded once to float64.
    wavelengths : ndarray
        The numbers of positions of one period.
    """

    dim: int
    fixed: Callable[[int], Sequence[int]]
    rational: Callable[[int], Fraction | None]
    factor: Real = NO_FACTOR
    turns: Callable[[int], Fraction | None] = _unknown
    axes: tuple[int, ...] | None = None
    #: what kernels make of the frequencies for small calls: constants of them, no results
    prepared: dict[object, object] = field(default_factory=dict, init=False)
    #: the call that made them, as (function, arguments, named arguments); it says nothing of what they are equal to
    recipe: tuple[str, tuple[object, ...], dict[str, object]] | None = field(default=None, init=False, repr=False)

    def __getstate__(self) -> dict[str, object]:
        return {**self.__dict__, "prepared": {}}  # holds addresses of this process

    def __copy__(self) -> Frequencies:
        again = replace(self)
        object.__setattr__(again, "recipe", self.recipe)
        return again

    def __deepcopy__(self, memo: dict[int, object]) -> Frequencies:
        return self.__copy__()  # nothing in them changes but what is prepared

    def __reduce__(self) -> tuple[Any, ...]:
        """The call that made them; where there is none, or its arguments have changed since, the rules themselves."""
        if self.recipe is not None and _makes(self.recipe, self):
            return _made, self.recipe
        try:
            pickle.dumps(self.__getstate__())
        except Exception:  # whatever a rule raises that is not a function of a module
            sentence = "frequencies must come from a function of refpos to be pickled, got rules of other code"
            raise InputTypeError("E_CHOICE", "frequencies", sentence) from None
        return restored, (self.__getstate__(),)

    def made_by(self, name: str, given: tuple[object, ...], named: dict[str, object]) -> Frequencies:
        """These frequencies, with the call of the catalogue that made them; a copy where another call did."""
        recipe = name, given, named
        if self.recipe is not None and not _same(self.recipe, recipe):
            return replace(self).made_by(*recipe)
        object.__setattr__(self, "recipe", recipe)
        return self

    def __len__(self) -> int:
        return self.dim // 2

    def __repr__(self) -> str:
        values = np.array2string(self.inv_freq, threshold=8, precision=6, separator=", ")
        axes = "" if self.axes is None else f", axes={self.axes}"
        return f"Frequencies(inv_freq={values}, attention_factor={self.attention_factor!r}{axes})"

    @property
    def attention_factor(self) -> float:
        """The factor on cosine and sine that comes with a scaling, as a float rounded once; without one it is 1.0."""
        return float(self.factor)

    @property
    def inv_freq(self) -> NDArray[np.float64]:
        """The frequencies as float64, rounded once: shape (dim/2,), radians per position."""
        return self.rounded("float64")

    @property
    def wavelengths(self) -> NDArray[np.float64]:
        """After how many positions each pair has made one turn, 2 pi / inv_freq rounded once; infinite where it has 0.

        >>> from refpos import inverse_frequencies
        >>> inverse_frequencies(4, base=10000).wavelengths
        array([  6.28318531, 628.31853072])
        """
        return wavelengths(self)

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Array:
        """What `np.asarray` makes of them: `inv_freq`, or `rounded(dtype)`. There is nothing that could be shared."""
        if copy is False:
            raise ValueError("copy must be True or None, since frequencies are not stored as floats, got False")
        if dtype is None or np.dtype(dtype).kind != "f":
            return self.inv_freq if dtype is None else self.inv_freq.astype(dtype)
        return self.rounded(dtype)

    def rounded(self, dtype: DType) -> Array:
        """The frequencies rounded once to any of the four formats: shape (dim/2,), radians per position."""
        fmt = formats.resolve(dtype)
        array, stored = checks.output(None, (len(self),), fmt)
        self.fill(stored, fmt)
        return array

    def fill(self, stored: Array, fmt: formats.Format) -> None:
        """Write the rounded frequencies into an array of the storage dtype."""
        formats.bits(stored)[...] = _patterns(self, fmt)


guarded(Frequencies, quiet=False)  # read in every call, where a microsecond counts


def _made(name, given, named):
    """What the function of that name in the catalogue makes of the arguments, with nothing prepared."""
    return copy(catalogue.find(name).function(*given, **named))


def restored(state):
    """The frequencies of a state."""
    again = object.__new__(Frequencies)
    again.__dict__.update(state)
    return again


def _makes(recipe, frequencies):
    """Whether the call still makes these frequencies: an array among its arguments may have been written to."""
    try:
        return are_equal(_made(*recipe), frequencies)
    except InputError:
        return False


def are_equal(one, other):
    """Whether two frequencies have the same width, exact values, factor and axes."""
    return one is other or _tell(one) == _tell(other)


def _tell(frequencies):
    """What tells frequencies from all others."""
    factor = frequencies.factor.fixed(BITS)
    return frequencies.dim, tuple(frequencies.fixed(BITS)), factor, frequencies.axes


def _same(one, other):
    """Whether two calls are equal; arrays among their arguments are told apart, which costs only a copy."""
    try:
        return bool(one == other)
    except Exception:  # whatever an array of another library raises that is compared
        return False


@lru_cache(maxsize=64)
def _patterns(frequencies, fmt):
    """The bit patterns of all frequencies, of the dtype of their format."""
    near = enumerate(frequencies.fixed(256))
    patterns = np.array([_round_frequency(frequencies, i, n, fmt) for i, n in near], f"u{fmt.width // 8}")
    patterns.flags.writeable = False
    return patterns


def _round_frequency(frequencies, i, near, fmt):
    """The bit pattern of frequency i; near: it times 2**256, off by at most 1."""
    pattern = rounding.rounding_test(near, 1, 256, fmt)
    if pattern is not None:
        return pattern
    value = frequencies.rational(i)
    if value is not None:
        return rounding.nearest_fraction(value, fmt)

    def enclosure(bits):
        n = frequencies.fixed(bits)[i]
        return max(n, 1) if abs(n) <= 1 else n, 1  # so small are only powers, which are greater than 0

    return rounding.round_exactly(enclosure, fmt, 1280)


def as_reals(frequencies):
    """Each frequency as a `Real`."""
    return [Real(partial(_number, frequencies, i), frequencies.rational(i)) for i in range(len(frequencies))]


def _number(frequencies, i, bits):
    return frequencies.fixed(bits)[i]


def scaled(frequencies, multipliers, factor=None):
    """The frequencies theta_i * m_i, for a tuple of `reals.Real` m_i >= 0, with another factor if one is given."""
    product = replace(
        frequencies,
        fixed=partial(_scaled_fixed, frequencies, multipliers),
        rational=partial(_scaled_rational, frequencies.rational, multipliers),
        turns=partial(_scaled_rational, frequencies.turns, multipliers),
    )
    return product if factor is None else replace(product, factor=factor)


@lru_cache(maxsize=64)
def _scaled_fixed(frequencies, multipliers, bits):
    # with m < 2**growth and theta < 2**size, both rounded at 2**-work, the product is off by less than 2**-(bits + 2)
    growth = max([0] + [m.fixed(8).bit_length() - 8 for m in multipliers])
    size = max([0] + [n.bit_length() - 8 for n in frequencies.fixed(8)])
    work = bits + max(growth, size) + 4
    pairs = zip(frequencies.fixed(work), (m.fixed(work) for m in multipliers))
    return tuple(n * m + (1 << 2 * work - bits - 1) >> 2 * work - bits for n, m in pairs)


def _scaled_rational(known, multipliers, i):
    value, multiplier = known(i), multipliers[i].rational
    if multiplier == 0:
        return Fraction(0)
    return None if value is None or multiplier is None else value * multiplier


# -- powers of a base -------------------------------------------------------------------------------------------------


@lru_cache(maxsize=64)
def geometric(powers, count, scale, bits):
    """scale * (product of base**-step over the powers)**i * 2**bits for i < count, each off by at most 1."""
    growth = max(0, 2 - int(_slope(powers) * count * 1.5))  # bits of the largest, where they grow
    guard = growth + 2 * count.bit_length() + max(0, scale.numerator.bit_length() - scale.denominator.bit_length()) + 16
    work = bits + guard
    ratio = fixed_product([(base, -step) for base, step in powers], work)
    value, values = 1 << work, []
    for _ in range(count):
        values.append(value)
        value = value * ratio >> work
    return tuple((v * scale.numerator // scale.denominator + (1 << guard - 1)) >> guard for v in values)


def _slope(powers):
    """About the natural logarithm by which the frequencies fall from one to the next."""
    return sum(reals.float_log(base) * float(step) for base, step in powers)


@lru_cache(maxsize=1024)  # results that are rounded exactly ask for the same frequencies again and again
def rational_power(powers, scale, i):
    """scale * (product of base**-step over the powers)**i as a fraction, or None where it is irrational."""
    # the bases are coprime, so the product is rational only if each power is
    parts = [part for part in _coprime([(base, -i * step) for base, step in powers]) if part[1]]
    roots = [integer_root(number, exponent.denominator) for number, exponent in parts]
    if None in roots:
        return None
    return scale * prod(Fraction(root) ** exponent.numerator for root, (_, exponent) in zip(roots, parts))


def _coprime(powers):
    """The same product as powers of integers above 1 that share no factor: [(number, exponent)]."""
    rest = [(base.numerator, exponent) for base, exponent in powers]
    rest += [(base.denominator, -exponent) for base, exponent in powers]
    # floats are full of twos: all of one number are taken out at once
    twos = [(number & -number).bit_length() - 1 for number, _ in rest]
    coprime = [(2, sum(k * exponent for k, (_, exponent) in zip(twos, rest)))] if any(twos) else []
    rest = [(number >> k, exponent) for k, (number, exponent) in zip(twos, rest)]
    while rest:
        number, exponent = rest.pop()
        for k, (other, other_exponent) in enumerate(coprime):
            shared = gcd(number, other)
            if shared > 1:
                del coprime[k]
                rest += [(number // shared, exponent), (other // shared, other_exponent)]
                rest.append((shared, exponent + other_exponent))
                break
        else:
            if number > 1:
                coprime.append((number, exponent))
    return coprime


@lru_cache(maxsize=64)
def geometric_frequencies(dim, count, step, base, scale=Fraction(1), name="base"):
    """The geometric frequencies scale * base**(-i * step), i < count; name: the argument that the base is."""
    return frequencies_of_powers(dim, count, ((base, step),), scale, name)


@lru_cache(maxsize=64)
def frequencies_of_powers(dim, count, powers, scale=Fraction(1), name="base"):
    """The geometric frequencies scale * (product of base**-step)**i, i < count, of a tuple of (base, step)."""
    size = _slope(powers) * (1 - count) / LOG_2
    if abs(size) > LARGEST_EXPONENT:
        sentence = f"{name} must give frequencies from 2**-4096 to 2**4096, got about 2**{size:.0f}"
        raise InputError("E_BASE", name, sentence)
    return Frequencies(dim, partial(geometric, powers, count, scale), partial(rational_power, powers, scale))


def rotary_inv_freq(dim, base):
    """The frequencies of a rotary width: dim/2 exponents 2i/dim."""
    return geometric_frequencies(dim, dim // 2, Fraction(2, dim), checks.positive("base", base, "E_BASE"))


def sinusoid_inv_freq(dim, base, endpoint, scale=Fraction(1)):
    """The frequencies of a sinusoidal width: (dim+1)/2 exponents 2i/dim, or i/(half-1) with endpoint."""
    count = (dim + 1) // 2
    step = Fraction(1, max(count - 1, 1)) if endpoint else Fraction(2, dim)
    return geometric_frequencies(2 * count, count, step, base, scale)


def checked(frequencies):
    """The argument `frequencies`, which must be `Frequencies`."""
    if not isinstance(frequencies, Frequencies):
        sentence = (
            "frequencies must come from inverse_frequencies or its like, or of numbers from given_frequencies,"
            f" got {type(frequencies).__name__}"
        )
        raise InputTypeError("E_NUMBER", "frequencies", sentence)
    return frequencies
