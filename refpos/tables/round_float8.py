"""Numbers in the 8-bit formats E4M3 and E5M2."""

from __future__ import annotations

from functools import partial
from typing import Any, Union

from .. import checks
from ..arithmetic import eight_bits
from ..catalogue import register
from ..steps.rows import exact_calls
from ..types import ArrayLike, Float8Name, Patterns


@register(
    family="tables",
    paper="Open Compute Project, OCP 8-bit Floating Point Specification (OFP8) 1.0, 2023",
    conventions="saturate (no default); to nearest even",
    whole=True,
    contract="once",
    also="float8, fp8, OFP8, E4M3, E5M2, float8_e4m3fn, float8_e5m2, FP8 KV cache, quantize to FP8",
)
def round_float8(
    values: Union[ArrayLike, partial[Any]], *, dtype: Float8Name, saturate: bool, out: Patterns | None = None
) -> Patterns:
    """Numbers rounded once to 8 bits, E4M3 without infinity or E5M2: those of an array, or the exact ones of a call.

        E4M3: 4 exponent bits, bias 7, largest 448, smallest 2**-9, no infinity
        E5M2: 5 exponent bits, bias 15, largest 57344, smallest 2**-16

    Parameters
    ----------
    values : array_like or functools.partial
        An array of any shape of float64, float32, float16, bfloat16 or uint16 bit patterns of bfloat16; or a call that
        is not made yet, `partial(refpos.rope, x, positions, pairing="half")`, whose exact values are rounded.
    dtype : {'float8_e4m3fn', 'float8_e5m2'}
        The format.
    saturate : bool
        Whether a number that rounds to more than the largest finite one, infinity included, becomes that one. Otherwise
        it is NaN in E4M3, and infinity in E5M2. torch 2.13.0 saturates E4M3 and not E5M2; ml_dtypes 0.6.0 saturates
        neither.
    out : ndarray of uint8, optional
        Array that receives the result.

    Returns
    -------
    ndarray of uint8
        The bit patterns, of the shape of values or of the result of the call; the cosines and sines of `rope_table`
        have a first axis of 2. Every NaN is the positive one: 0x7F in E4M3, 0x7E in E5M2.

    Raises
    ------
    InputError
        E_CHOICE (dtype, saturate, a call of another function or with dtype, out or view), E_DTYPE and E_SHAPE (values),
        E_OUT, and what the call itself raises.

    Notes
    -----
    Calls of sinusoidal, sincos_2d, sincos_3d, sincos_grid, timestep_embedding, rope_table, rope, rope_2d, rope_3d,
    mrope, alibi, t5_bias, relative_bias and window_bias are taken. The result is the exact value of the formula
    rounded to 8 bits, which is not always the float64 or float32 result rounded again: docs/numbers.md. The patterns
    are read by `.view(ml_dtypes.float8_e4m3fn)`, or in torch as `torch.from_numpy(result).view(torch.float8_e4m3fn)`.

    References
    ----------
    - OCP 8-bit Floating Point Specification (OFP8) 1.0, sections 5.1 (formats) and 5.2 (conversion, saturation).
    - Micikevicius et al. 2022, FP8 Formats for Deep Learning, arXiv:2209.05433, table 1.

    Examples
    --------
    >>> from functools import partial
    >>> import numpy as np
    >>> from refpos import sinusoidal
    >>> round_float8(np.array([1.0, 448.0, 1000.0]), dtype="float8_e4m3fn", saturate=True)
    array([ 56, 126, 126], dtype=uint8)
    >>> round_float8(partial(sinusoidal, 2, 4, base=10000), dtype="float8_e5m2", saturate=True)
    array([[ 0, 60,  0, 60],
           [59, 56, 33, 60]], dtype=uint8)
    """
    fmt = eight_bits.FORMATS8[checks.choice("dtype", dtype, tuple(eight_bits.FORMATS8))]
    saturate = checks.flag("saturate", saturate)
    numbers = exact_calls.marked("values", values)
    result, stored = checks.output(out, numbers.shape, checks.UINT8)
    stored[...] = eight_bits.rounded(numbers, fmt, saturate)
    return result
