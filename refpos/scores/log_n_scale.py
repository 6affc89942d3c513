"""What models multiply their queries by beyond the trained length: a ratio of logarithms."""

from __future__ import annotations

from fractions import Fraction
from functools import lru_cache

import numpy as np

from .. import checks
from ..arithmetic import exponentials, formats
from ..arithmetic.double_double import divide
from ..arithmetic.hard_cases import Pairs, round_hard_cases
from ..arithmetic.powers import integer_root
from ..catalogue import register
from ..steps.positions.exact_positions import PositionsLike, read_whole_positions
from ..types import Array, DType, Integer

__all__ = ["log_n_scale"]


@register(
    family="scores",
    paper="Su 2023, Rectified Rotary Position Embeddings, github.com/bojone/rerope",
    conventions="p + 1 tokens at position p; at least 1",
    also="log-n scaling, logn, use_logn_attn",
)
def log_n_scale(
    positions: PositionsLike, *, training_length: Integer, dtype: DType = "float64", out: Array | None = None
) -> Array:
    """Log-n scaling: the factor on each query that grows with the log of the context length.

        max(1, ln(p + 1) / ln(training_length))

    Parameters
    ----------
    positions : int or array_like
        An int n (meaning 0 .. n-1) or integers of any shape, 0 to 2**53.
    training_length : int
        Length of training in tokens, at least 2.
    dtype : str or dtype, default 'float64'
        Format of the result: float64, float32, float16 or bfloat16.
    out : ndarray, optional
        Array that receives the result.

    Returns
    -------
    ndarray
        An array of the shape of positions, every element the exact value rounded once to `dtype`, rational values
        (13/12 for p + 1 = 2**13 and 2**12) included.

    Raises
    ------
    InputError
        E_POSITION, E_SIZE (training_length), E_DTYPE, E_OUT, E_TOO_LARGE.

    References
    ----------
    - bojone/rerope, rerope_patch.py (training_length).
    - datamllab/LongLM, self_extend_patch/Llama.py (scale_base).
    - QwenLM/Qwen, modeling_qwen.py, logn_list (seq_length).

    Examples
    --------
    >>> log_n_scale([0, 2046, 2047, 4095], training_length=2048)
    array([1.        , 1.        , 1.        , 1.09090909])
    """
    positions = read_whole_positions("positions", positions)
    length = checks.integer("training_length", training_length, 2)
    fmt = formats.resolve(dtype)
    result, stored = checks.output(out, positions.shape, fmt)
    numbers, number_of = np.unique(np.maximum(positions + 1, min(length, 2**53)), return_inverse=True)
    values = np.empty(len(numbers), fmt.storage)
    round_hard_cases(values, fmt, _pairs(numbers, length), lambda k: _ratio(int(numbers[k]), length))
    stored[...] = values[number_of].reshape(positions.shape)
    return result


def _pairs(numbers, length):
    """The `Pairs` of ln number / ln length, and 1 up to the length."""
    log = exponentials.pair_of(lambda digits: digits.log(length))

    def pairs(start, stop):
        n, low = exponentials.integers(numbers[start:stop])
        total, rest, radius = exponentials.logarithm_of_pair(n, low, n, low)  # from 2 on, not near 1
        high, low = divide(total, rest, *log)
        grows = numbers[start:stop] > length
        # ln length is off by 2**-105 of itself, the quotient by 2**-101
        radius = np.where(grows, radius / log[0] + high * 2.0**-99, 0.0)
        return Pairs(np.where(grows, high, 1.0), np.where(grows, low, 0.0), radius, np.zeros(n.shape, np.int64))

    return pairs


def _ratio(number, length):
    """max(1, ln number / ln length) as a formula; the logarithms of two integers have a rational ratio only where both
    are powers of the same integer (Gelfond and Schneider)."""
    if number <= length:
        return Fraction(1)
    (root, a), (length_root, b) = _as_power(number), _as_power(length)
    if root == length_root:
        return Fraction(a, b)
    return lambda digits: digits.log(number) / digits.log(length)


@lru_cache(maxsize=4096)
def _as_power(number):
    """(root, exponent) of an integer from 2 on, the exponent as large as it can be."""
    for exponent in range(number.bit_length() - 1, 1, -1):
        root = integer_root(number, exponent)
        if root is not None:
            return root, exponent
    return number, 1
