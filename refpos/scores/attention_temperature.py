"""What models multiply their queries by at long distances."""

from __future__ import annotations

from fractions import Fraction
from math import lcm

import numpy as np

from .. import checks
from ..arithmetic import formats, reals
from ..catalogue import register
from ..errors import InputError, shown
from ..steps.positions.exact_positions import PositionsLike, as_int64, read_positions
from ..types import Array, DType, Number

__all__ = ["attention_temperature"]


@register(
    family="scores",
    paper="Nakanishi 2025, Scalable-Softmax, arXiv:2501.19399, as used by Llama 4",
    conventions="shift 1 (Llama 4) or 0 (Ministral 3, Mistral 4), no default",
    also="temperature tuning, attn_scale, floor_scale",
)
def attention_temperature(
    positions: PositionsLike,
    *,
    attn_scale: Number,
    floor_scale: Number,
    shift: Number,
    dtype: DType = "float64",
    out: Array | None = None,
) -> Array:
    """Attention temperature: the factor on each query that grows with the log of its position (Llama 4).

        1 + attn_scale ln(1 + floor((p + shift) / floor_scale))

    Parameters
    ----------
    positions : int or array_like
        An int n (meaning 0 .. n-1) or an array of integers or finite floats of any shape, with p + shift not below 0.
    attn_scale : float or Fraction
        Factor of the logarithm, a number not below 0.
    floor_scale : float or Fraction
        Number of positions between two steps, greater than 0.
    shift : float or Fraction
        The number of tokens counted before p, 1 in Llama 4 (which thus switches at position floor_scale - 1) and 0 in
        Ministral 3 and Mistral 4.
    dtype : str or dtype, default 'float64'
        Format of the result: float64, float32, float16 or bfloat16.
    out : ndarray, optional
        Array that receives the result.

    Returns
    -------
    ndarray
        An array of the shape of positions, every element the exact value rounded once to `dtype`.

    Raises
    ------
    InputError
        E_POSITION, E_NUMBER, E_DTYPE, E_OUT, E_TOO_LARGE.

    Notes
    -----
    All numbers are taken as exactly what they are.

    References
    ----------
    - transformers 5.23.0, models/llama4/modeling_llama4.py, Llama4TextAttention (attn_scale, floor_scale).
    - models/ministral3/modeling_ministral3.py, get_llama_4_attn_scale (beta, max_position_embeddings).

    Examples
    --------
    >>> attention_temperature([8190, 8191], attn_scale=0.1, floor_scale=8192, shift=1)
    array([1.        , 1.06931472])
    """
    positions = read_positions(positions)
    scale, step = checks.real("attn_scale", attn_scale), checks.positive("floor_scale", floor_scale)
    if scale < 0:
        raise InputError("E_NUMBER", "attn_scale", f"attn_scale must be at least 0, got {shown(attn_scale)}")
    shift = checks.real("shift", shift)
    fmt = formats.resolve(dtype)
    result, stored = checks.output(out, positions.shape, fmt)
    patterns = np.empty(result.size, f"u{fmt.width // 8}")
    for index, multipliers, exponent in positions.groups:
        slope = Fraction(2) ** exponent * positions.unit / step
        numbers = _floors(as_int64(multipliers), slope, shift / step)
        if len(numbers) and numbers.min() < 0:
            worst = multipliers[int(numbers.argmin())] * slope * step
            raise InputError("E_POSITION", "positions", f"positions must be at least {-shift}, got {float(worst):.17g}")
        distinct, number_of = np.unique(numbers, return_inverse=True)
        of_distinct = np.array([_pattern(1 + int(number), scale, fmt) for number in distinct], patterns.dtype)
        patterns[slice(None) if index is None else index] = of_distinct[number_of]
    formats.bits(stored)[...] = patterns.reshape(positions.shape)
    return result


def _floors(multipliers, slope, start):
    """floor(multiplier * slope + start) for integers and two fractions, exactly."""
    common = lcm(slope.denominator, start.denominator)
    a, b = int(slope * common), int(start * common)
    largest = max(abs(int(multipliers.max(initial=0))), abs(int(multipliers.min(initial=0))))
    if abs(a) * max(largest, 1) + abs(b) >= 2**62 or common >= 2**62:
        multipliers = multipliers.astype(object)
    return (multipliers * a + b) // common


def _pattern(number, scale, fmt):
    # the logarithm of an integer from 2 on is irrational
    if number == 1 or scale == 0:
        return reals.rational(1).pattern(fmt)
    return reals.evaluated(lambda digits: scale * digits.log(number) + 1).pattern(fmt)
