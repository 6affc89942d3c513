"""Numbers in MXFP8: blocks of 32 numbers of 8 bits that share a power of two."""

from __future__ import annotations

from functools import partial
from typing import Any, Literal, NamedTuple, Union, get_args

from .. import checks
from ..arithmetic import eight_bits
from ..catalogue import register
from ..errors import InputError, InputTypeError
from ..steps.rows import exact_calls
from ..types import ArrayLike, Float8Name, Patterns

ScaleRule = Literal["floor", "even", "rceil"]
SCALE_RULES = get_args(ScaleRule)


class Blocks(NamedTuple):
    """Numbers in blocks: bit patterns of the elements, and of the scale of each block."""

    elements: Patterns
    scales: Patterns


@register(
    family="tables",
    paper="Open Compute Project, OCP Microscaling Formats (MX) Specification 1.0, 2023, sections 5 and 6.3",
    conventions="blocks along the last axis; scale_rule (no default); elements saturate",
    outputs=("elements", "scales"),
    whole=True,
    contract="once",
    also="MXFP8, MX, microscaling, E8M0, float8_e8m0fnu, block scaled float8, mxfp8_e4m3, mxfp8_e5m2",
)
def round_mxfp8(
    values: Union[ArrayLike, partial[Any]],
    *,
    dtype: Float8Name,
    scale_rule: ScaleRule,
    out: tuple[Patterns, Patterns] | None = None,
) -> Blocks:
    """Numbers in MXFP8: blocks of 32 along the last axis, of a scale 2**s and elements of 8 bits, each rounded once.

        element = round(value / 2**s)        with m the largest magnitude of the block and emax 8 (E4M3) or 15 (E5M2)
        floor:  s = floor(log2(m)) - emax
        even:   s = floor(log2(m')) - emax,  m' being m rounded to the significand of an element, ties away from zero
        rceil:  s = ceil(log2(m / largest)),  largest being 448 (E4M3) or 57344 (E5M2)

    Parameters
    ----------
    values : array_like or functools.partial
        An array (..., 32 n) or a call that is not made yet, as in `round_float8`.
    dtype : {'float8_e4m3fn', 'float8_e5m2'}
        The format of the elements.
    scale_rule : {'floor', 'even', 'rceil'}
        How the scale is chosen: "floor" is that of the specification, with which numbers of up to twice the largest
        element are cut to it; "rceil" is that of NVIDIA's kernels, with which none is.
    out : tuple of two ndarrays of uint8, optional
        Arrays that receive (elements, scales).

    Returns
    -------
    Blocks
        (elements, scales) of uint8 bit patterns: elements of the shape of values, scales (..., n) in E8M0, where the
        pattern s + 127 stands for 2**s.

    Raises
    ------
    InputError
        E_CHOICE (dtype, scale_rule, a call of another function or with dtype, out or view), E_DTYPE and E_SHAPE
        (values), E_OUT, and what the call itself raises.

    Notes
    -----
    s is cut to -127 .. 127, and is -127 of a block of zeros. Elements that round to more than the largest number are
    that number. A block with a NaN or an infinity has the scale 255, which is NaN, and NaN as elements: the
    specification leaves this open. m is exact, so that a block whose largest number is 1 - 2**-60 is one below 1.

    References
    ----------
    - OCP Microscaling Formats (MX) Specification 1.0, sections 5.2 (MXFP8), 5.4.1 (E8M0) and 6.3 (conversion: "floor").
    - pytorch/ao, torchao/prototype/mx_formats/mx_tensor.py, ScaleCalculationMode ("even", "rceil").

    Examples
    --------
    >>> import numpy as np
    >>> elements, scales = round_mxfp8(np.full(32, 3.0), dtype="float8_e4m3fn", scale_rule="floor")
    >>> elements[:2], scales  # 384 times 2**-7
    (array([124, 124], dtype=uint8), array([120], dtype=uint8))
    """
    fmt = eight_bits.FORMATS8[checks.choice("dtype", dtype, tuple(eight_bits.FORMATS8))]
    checks.choice("scale_rule", scale_rule, SCALE_RULES)
    numbers = exact_calls.marked("values", values)
    if not numbers.ndim or numbers.shape[-1] % eight_bits.BLOCK:
        sentence = f"values must have a last axis of a multiple of {eight_bits.BLOCK}, got shape {numbers.shape}"
        raise InputError("E_SHAPE", "values", sentence)
    if out is not None and (not isinstance(out, (tuple, list)) or len(out) != 2):
        raise InputTypeError("E_OUT", "out", f"out must be a pair of arrays, got {type(out).__name__}")
    elements, scales = out or (None, None)
    blocks = numbers.reshape(*numbers.shape[:-1], numbers.shape[-1] // eight_bits.BLOCK, eight_bits.BLOCK)
    elements, stored = checks.output(elements, numbers.shape, checks.UINT8)
    scales, stored_scales = checks.output(scales, blocks.shape[:-1], checks.UINT8, apart_from=(elements,))
    rounded, stored_scales[...] = eight_bits.rounded_blocks(blocks, fmt, scale_rule)
    stored[...] = rounded.reshape(numbers.shape)
    return Blocks(elements, scales)
