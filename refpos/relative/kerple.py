"""KERPLE: a bias whose fall with distance is a kernel with two learned numbers for each head."""

from __future__ import annotations

from fractions import Fraction
from typing import Literal, get_args

from .. import checks
from ..arithmetic import formats, formulas, powers
from ..catalogue import register
from ..errors import InputError
from ..steps.distances import bias
from ..types import Array, ArrayLike, DType, Integer, Number

Kernel = Literal["log", "power", "weight"]
KERNELS = get_args(Kernel)
LARGEST_POWER = 2


@register(
    family="relative",
    paper="Chi et al. 2022, KERPLE, arXiv:2205.09921, section 4",
    conventions="kind log, power (both added) or weight (multiplies); keys after the query have distance 0; no default",
    also="KERPLE",
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
    pairs = read_kernels(p, a, kind, checks.positive("least", least))
    query_len, key_len = checks.integer("query_len", query_len), checks.integer("key_len", key_len)
    query_offset = key_len - query_len if query_offset is None else bias.read_offset(query_offset)
    checks.thread_count(threads)
    fmt, value = formats.resolve(dtype), {"log": _log, "power": _power, "weight": _weight}[kind]

    def fill(values):
        distances = (-bias.relative_positions(query_len, key_len, query_offset)).tolist()
        zero = Fraction(int(kind == "weight"))
        for pair, row in zip(pairs, values):
            formulas.fill(row, (value(*pair, d) if d > 0 else zero for d in distances), fmt)

    return bias.toeplitz(fill, (len(pairs), query_len, key_len), fmt, out=out, view=view, threads=threads)


def read_kernels(p, a, kind, least):
    """The pairs (p, a) of the heads as fractions in their range."""
    p, a = ([max(checks.real(n, one), least) for one in checks.numbers(n, v)] for n, v in (("p", p), ("a", a)))
    if len(p) != len(a):
        raise InputError("E_SHAPE", "a", f"a must have as many heads as p, {len(p)}, got {len(a)}")
    return list(zip(p if kind == "log" else [min(one, Fraction(LARGEST_POWER)) for one in p], a))


def _log(p, a, distance):
    """-p ln(1 + a d): of a fraction other than 1 the logarithm is transcendental."""
    return lambda digits: digits.log1p(a * distance) * -p


def _power(p, a, distance):
    """-a d**p, a fraction where d has the root."""
    power = powers.real(Fraction(distance), p)
    if power.rational is not None:
        return -a * power.rational
    return lambda digits: digits.power(Fraction(distance), p) * -a


def _weight(p, a, distance):
    """exp(-a d**p), transcendental, since the exponent is algebraic (Lindemann)."""
    power = _power(p, a, distance)
    return formulas.exponential((lambda digits: digits.of(power)) if isinstance(power, Fraction) else power)
