"""The decay of linear attention: what multiplies the score of each query and key, in place of a softmax."""

from __future__ import annotations

from fractions import Fraction
from functools import partial

import numpy as np

from .. import checks
from ..arithmetic import exponentials, formats, formulas, powers
from ..arithmetic.double_double import multiply
from ..arithmetic.hard_cases import Pairs, exponentials_of, round_hard_cases
from ..catalogue import register
from ..steps.distances import bias
from ..types import Array, DType, Integer, Number
from .decay_rates import DecayRule, read_rates

SMALLEST, LARGEST = 2.0**-50, 2.0**50  # logarithms in size between which pairs are as good as they say


@register(
    family="relative",
    paper="Qin et al. 2024, Lightning Attention-2, arXiv:2401.04658; Sun et al. 2023, RetNet, arXiv:2307.08621",
    conventions="rule lightning (exp(-rate n), by layer) or retnet (rate**n); multiplies the scores; no default",
    also="retention, RetNet, decay mask",
)
def decay(
    num_heads: Integer,
    query_len: Integer,
    key_len: Integer,
    *,
    rule: DecayRule,
    layer: Integer | None = None,
    layers: Integer | None = None,
    eps: Number = 1e-5,
    query_offset: Integer | None = None,
    dtype: DType = "float64",
    out: Array | None = None,
    view: bool = False,
    threads: Integer | None = None,
) -> Array:
    """The decay of each key at each query, multiplied with the scores: RetNet's retention mask.

        lightning: D[h, i, j] = exp(-s_h (i - j)) for j <= i, 0 for j > i
        retnet:    D[h, i, j] = g_h**(i - j)      for j <= i, 0 for j > i

    with the rates s_h and g_h of `decay_rates` and key positions j = 0 .. key_len - 1, query positions i = query_offset
    .. query_offset + query_len - 1.

    Parameters
    ----------
    num_heads : int
        Number of heads.
    query_len : int
        Number of queries.
    key_len : int
        Number of keys.
    rule : {'lightning', 'retnet'}
        Rule of the rates, as in `decay_rates`.
    layer : int, optional
        Number of the layer, from 0; for lightning only.
    layers : int, optional
        Number of layers; for lightning only.
    eps : float or Fraction, default 1e-05
        Number greater than 0, with which the last layer still decays, as in `decay_rates`.
    query_offset : int, optional
        Position of the first query; by default key_len - query_len, so that the queries are the last tokens.
    dtype : str or dtype, default 'float64'
        Format of the result: float64, float32, float16 or bfloat16.
    out : ndarray, optional
        Array that receives the result.
    view : bool, default False
        True returns a read-only view of num_heads * (query_len + key_len - 1) values.
    threads : int, optional
        Number of threads; the default is all cores. The values never depend on it.

    Returns
    -------
    ndarray
        Shape (num_heads, query_len, key_len) of `dtype`, each value rounded once (the rate is not rounded first);
        distance 0 gives exactly 1.

    Raises
    ------
    InputError
        E_SIZE (num_heads, query_len, key_len, layer, layers, threads), E_CHOICE (rule, layer, layers, view), E_NUMBER
        (eps), E_POSITION (query_offset, beyond +-2**53), E_DTYPE, E_TOO_LARGE, E_OUT.

    References
    ----------
    - transformers 5.23.0, models/minimax/modeling_minimax.py, decay_factors: its diagonal_decay is this, its
      query_decay the column of a key just before the block.
    - microsoft/torchscale, component/retnet.py, RetNetRelPos.

    Examples
    --------
    >>> decay(1, 3, 3, rule="retnet")
    array([[[1.        , 0.        , 0.        ],
            [0.96875   , 1.        , 0.        ],
            [0.93847656, 0.96875   , 1.        ]]])
    """
    rates = read_rates(num_heads, rule, layer, layers, eps)
    query_len, key_len = checks.integer("query_len", query_len), checks.integer("key_len", key_len)
    query_offset = key_len - query_len if query_offset is None else bias.read_offset(query_offset)
    checks.thread_count(threads)
    fmt, (exact, log_of) = formats.resolve(dtype), (_power, _log) if rule == "retnet" else (_exponential, _negative)

    def fill(values):
        distances = -bias.relative_positions(query_len, key_len, query_offset)
        for rate, row in zip(rates, values):
            pairs = partial(_pairs, exponentials.pair_of(partial(log_of, rate)), distances)
            round_hard_cases(row, fmt, pairs, lambda k, rate=rate: exact(rate, int(distances[k])))

    return bias.toeplitz(fill, (len(rates), query_len, key_len), fmt, out=out, view=view, threads=threads)


def _exponential(rate, distance):
    """exp(-rate distance), transcendental but at distance 0 (Lindemann)."""
    return formulas.exponential(partial(_exponent, rate, distance)) if distance else Fraction(1)


def _exponent(rate, distance, digits):
    return (digits.of(rate) if isinstance(rate, Fraction) else rate(digits)) * -distance


def _negative(rate, digits):
    """The logarithm of the value at distance 1: minus the rate."""
    return -(digits.of(rate) if isinstance(rate, Fraction) else rate(digits))


def _log(rate, digits):
    return digits.log(rate)


def _pairs(log, distances, start, stop):
    """The `Pairs` of exp(log distance), 0 at a key after the query."""
    part = distances[start:stop]
    reached, known = part >= 0, SMALLEST <= -log[0] <= LARGEST
    high, low = multiply(*exponentials.integers(np.where(reached & known, part, 0)), *log)
    high, low, radius, exponent = exponentials_of(high, low, -high * 2.0**-100)
    radius = np.where(reached, radius if known else np.inf, 0.0)
    return Pairs(high * reached, low * reached, radius, exponent)


def _power(rate, distance):
    """rate**distance; where it is too long a fraction it is not a midpoint, and intervals decide."""
    if distance * rate.denominator.bit_length() <= powers.LONGEST_FRACTION:
        return rate**distance
    return formulas.exponential(lambda digits: digits.log(rate) * distance)
