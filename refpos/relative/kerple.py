"""KERPLE: a bias whose fall with distance is a kernel with two learned numbers for each head."""

from __future__ import annotations

from fractions import Fraction
from functools import partial
from typing import Literal, get_args

import numpy as np

from .. import checks
from ..arithmetic import exponentials, formats, formulas, powers, reals
from ..arithmetic.double_double import add, multiply
from ..arithmetic.exponentials import as_pair
from ..arithmetic.hard_cases import Pairs, exponentials_of, round_hard_cases, unknown
from ..catalogue import register
from ..errors import InputError
from ..steps.distances import bias, kernel_gradients
from ..steps.rows import learned_tables, table_gradients
from ..types import Array, ArrayLike, DType, Integer, Number

Kernel = Literal["log", "power", "weight"]
KERNELS = get_args(Kernel)
LARGEST_POWER = 2
MODERATE = 2.0**200  # parameters up to it, and down to 1 over it, neither over- nor underflow in pairs


def _gradient_for(name):
    """The rule for "p" or "a"; a number that counts as a limit has the gradient 0."""

    def gradient(function, given, cotangent):
        table_gradients.check_options(given)
        held = table_gradients.format_of(name, given[name], bits=False)
        if held is None:
            return None
        kind, least = checks.choice("kind", given["kind"], KERNELS), checks.positive("least", given["least"])
        kernels = read_kernels(given["p"], given["a"], kind, least)
        lengths = _read_lengths(given["query_len"], given["key_len"], given["query_offset"])
        shape = len(kernels), *lengths[:2]
        cotangent = table_gradients.read_cotangent(cotangent, shape, formats.resolve(given["dtype"]))
        distances = distances_of(*lengths)
        totals, specials = kernel_gradients.totals_of(learned_tables.values(cotangent), len(distances))
        result, stored = checks.output(None, (len(kernels),), held)
        patterns = formats.bits(stored)
        raw = [checks.real(name, one) for one in checks.numbers(name, given[name])]
        for head, (one, (p, a)) in enumerate(zip(raw, kernels)):
            pattern = 0
            if one == (p if name == "p" else a):
                terms, odd = (kernel_gradients.pairs(distances, sums[head]) for sums in (totals, specials))
                pattern = kernel_gradients.pattern(name, kind, kernel_gradients.Kernel(p, a, terms), odd, held)
            patterns[head] = pattern
        return result

    return gradient


@register(
    family="relative",
    paper="Chi et al. 2022, KERPLE, arXiv:2205.09921, section 4",
    conventions="kind log, power (both added) or weight (multiplies); keys after the query have distance 0; no default",
    also="KERPLE",
    gradients={"p": _gradient_for("p"), "a": _gradient_for("a")},
)
def kerple(
    p: ArrayLike,
    a: ArrayLike,
    query_len: Integer,
    key_len: Integer,
    *,
    kind: Kernel,
    least: Number = 0.01,
    query_offset: Integer | None = None,
    dtype: DType = "float64",
    out: Array | None = None,
    view: bool = False,
    threads: Integer | None = None,
) -> Array:
    """The KERPLE bias: a power or logarithmic kernel of the distance, with parameters for each head.

        log:    -p_h ln(1 + a_h d)
        power:  -a_h d**p_h
        weight: exp(-a_h d**p_h), which multiplies the scores

    Parameters
    ----------
    p, a : array_like
        Parameters p_h and a_h, one finite number for each head, taken as exactly what they are; those below `least`
        count as `least`, and with power and weight a p above 2 counts as 2, as in the authors' code.
    query_len : int
        Number of queries.
    key_len : int
        Number of keys.
    kind : {'log', 'power', 'weight'}
        Which kernel, as stated above.
    least : float or Fraction, default 0.01
        Smallest value of p and a.
    query_offset : int, optional
        Position of the first query; by default key_len - query_len, so that the queries are the last tokens.
    dtype : str or dtype, default 'float64'
        Format of the result: float64, float32, float16 or bfloat16.
    out : ndarray, optional
        Array that receives the result.
    view : bool, default False
        True returns a read-only view of heads * (query_len + key_len - 1) values.
    threads : int, optional
        Number of threads; the default is all cores. The values never depend on it.

    Returns
    -------
    ndarray
        Shape (heads, query_len, key_len) of `dtype`, each value rounded once; distance 0 gives exactly 0, and with
        weight exactly 1.

    Raises
    ------
    InputError
        E_SHAPE (p, a), E_NUMBER (p, a, least), E_CHOICE (kind, view), E_SIZE (query_len, key_len, threads), E_POSITION
        (query_offset, beyond +-2**53), E_DTYPE, E_TOO_LARGE, E_OUT.

    Notes
    -----
    Positions i, j as in `alibi`.

    References
    ----------
    chijames/KERPLE at 73f1ee2, megatron/mpu/layers.py, ParallelKerpleLog and ParallelKerplePower.

    Examples
    --------
    >>> kerple([0.5], [1], 1, 5, kind="power")
    array([[[-2.        , -1.73205081, -1.41421356, -1.        ,
              0.        ]]])
    """
    checks.choice("kind", kind, KERNELS)
    kernels = read_kernels(p, a, kind, checks.positive("least", least))
    query_len, key_len, query_offset = _read_lengths(query_len, key_len, query_offset)
    checks.thread_count(threads)
    fmt, (exact, pairs_of) = formats.resolve(dtype), RULES[kind]

    def fill(values):
        distances = distances_of(query_len, key_len, query_offset)
        for (p, a), row in zip(kernels, values):
            pairs = partial(_pairs, pairs_of, as_pair(p), as_pair(a), distances, float(kind == "weight"))
            round_hard_cases(row, fmt, pairs, lambda k, p=p, a=a: exact(p, a, int(distances[k])))

    return bias.toeplitz(fill, (len(kernels), query_len, key_len), fmt, out=out, view=view, threads=threads)


def _read_lengths(query_len, key_len, query_offset):
    query_len, key_len = checks.integer("query_len", query_len), checks.integer("key_len", key_len)
    return query_len, key_len, key_len - query_len if query_offset is None else bias.read_offset(query_offset)


def distances_of(query_len, key_len, query_offset):
    """The distances (query_len + key_len - 1,) that `bias.toeplitz` spreads."""
    return np.maximum(-bias.relative_positions(query_len, key_len, query_offset), 0)


def read_kernels(p, a, kind, least):
    """The pairs (p, a) of the heads as fractions in their range."""
    p, a = ([max(checks.real(n, one), least) for one in checks.numbers(n, v)] for n, v in (("p", p), ("a", a)))
    if len(p) != len(a):
        raise InputError("E_SHAPE", "a", f"a must have as many heads as p, {len(p)}, got {len(a)}")
    return list(zip(p if kind == "log" else [min(one, Fraction(LARGEST_POWER)) for one in p], a))


def _log(p, a, distance):
    """-p ln(1 + a d): of a fraction other than 1 the logarithm is transcendental."""
    return (lambda digits: digits.log1p(a * distance) * -p) if distance else Fraction(0)


def _power(p, a, distance):
    """-a d**p, a fraction where d has the root."""
    power = powers.real(Fraction(distance), p) if distance else reals.rational(0)
    if power.rational is not None:
        return -a * power.rational
    return lambda digits: digits.power(Fraction(distance), p) * -a


def _weight(p, a, distance):
    """exp(-a d**p), transcendental, since the exponent is algebraic (Lindemann)."""
    power = _power(p, a, distance)
    if isinstance(power, Fraction):
        return formulas.exponential(lambda digits: digits.of(power)) if power else Fraction(1)
    return formulas.exponential(power)


# -- as pairs ---------------------------------------------------------------------------------------------------------


def _pairs(pairs_of, p, a, distances, at_zero, start, stop):
    """The `Pairs` of these distances; of parameters beyond MODERATE none is known."""
    if not all(1 / MODERATE <= size[0] <= MODERATE for size in (p, a)):
        return unknown(stop - start)
    part = distances[start:stop]
    high, low, radius, exponent = pairs_of(p, a, *exponentials.integers(np.maximum(part, 1)))
    near = part > 0
    return Pairs(np.where(near, high, at_zero), low * near, radius * near, exponent * near)


def _log_pairs(p, a, d, d_low):
    u, u_low = multiply(d, d_low, *a)
    high, low, radius = exponentials.logarithm_of_pair(*add(1.0, 0.0, u, u_low), u, u_low)
    # 1 + u is off by 2**-101 of itself, u by 2**-102: near 1 + 0 the logarithm is u
    radius = radius + np.where(u < exponentials.NEAR, high * 2.0**-101, 2.0**-100)
    high, low = multiply(high, low, -p[0], -p[1])
    return Pairs(high, low, p[0] * radius * (1 + 2.0**-40) - high * 2.0**-100, np.zeros(d.shape, np.int64))


def _power_pairs(p, a, d, d_low):
    high, low, radius = exponentials.logarithm_of_pair(d, d_low, d - 1, d_low)
    high, low = multiply(high, low, *p)
    value, value_low, exponent = exponentials.exponential_of_pair(high, low)
    value, value_low = multiply(value, value_low, -a[0], -a[1])
    return Pairs(value, value_low, -value * (p[0] * radius * 2 + high * 2.0**-100 + 2.0**-95), exponent)


def _weight_pairs(p, a, d, d_low):
    high, low, radius, exponent = _power_pairs(p, a, d, d_low)
    high, low, radius = (np.ldexp(part, exponent.astype(np.int32)) for part in (high, low, radius))
    return exponentials_of(high, low, radius)


#: of each kind the formula of one distance, and the pairs of many
RULES = {"log": (_log, _log_pairs), "power": (_power, _power_pairs), "weight": (_weight, _weight_pairs)}
