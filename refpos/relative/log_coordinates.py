"""The logarithmic coordinates of Swin v2, from which its network makes a bias."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Literal, get_args

import numpy as np

from .. import checks
from ..arithmetic import formats, reals, rounding
from ..catalogue import register
from ..errors import InputError, shown
from ..types import Array, DType, Integer

__all__ = ["log_coordinates"]

CoordinateRule = Literal["swin-v2", "cr"]
RULES = get_args(CoordinateRule)
LARGEST = 2**12  # sides of windows


@register(
    family="relative",
    paper="Liu et al. 2022, Swin Transformer V2, arXiv:2111.09883, section 3.3, equation 4",
    conventions="rule swin-v2 or cr (no default); rows first",
    no_error_bound="programs round the quotient, its logarithm and the last division one by one",
    also="log-spaced coordinates, relative_coords_table",
)
def log_coordinates(
    height: Integer,
    width: Integer,
    *,
    rule: CoordinateRule,
    pretrained: Sequence[Integer] | None = None,
    dtype: DType = "float64",
    out: Array | None = None,
) -> Array:
    """The log-spaced coordinates of every offset in a window (Swin v2).

        swin-v2: z = sign(d) log(1 + 8 |d| / (n - 1)) / log(8)        cr: z = sign(d) log(1 + |d|)

    d is the offset of rows, from 1 - height to height - 1, or of columns. n is the side of the window, or of
    `pretrained`; where n is 1 and so d is 0, z is 0.

    Parameters
    ----------
    height : int
        Rows of the window.
    width : int
        Columns of the window.
    rule : {'swin-v2', 'cr'}
        Which formula, as stated above.
    pretrained : sequence of int, optional
        Window (height, width) of pretraining, for swin-v2.
    dtype : str or dtype, default 'float64'
        Format of the result: float64, float32, float16 or bfloat16.
    out : ndarray, optional
        Array that receives the result.

    Returns
    -------
    ndarray
        Shape (2 height - 1, 2 width - 1, 2), the offset of rows first, rounded once to `dtype`; `window_rows(height,
        width, sign="query-key")` are rows of it.

    Raises
    ------
    InputError
        E_SIZE (height, width, pretrained), E_SHAPE (pretrained), E_CHOICE (rule; pretrained with cr), E_DTYPE, E_OUT.

    References
    ----------
    - create_coords_table_and_index in models/swinv2/modeling_swinv2.py (transformers 5.23.0).
    - gen_relative_log_coords in timm/layers/pos_embed_rel.py (timm 1.0.31), with 0 / 0 where a side is 1.

    Examples
    --------
    >>> log_coordinates(1, 2, rule="swin-v2")
    array([[[ 0.        , -1.05664167],
            [ 0.        ,  0.        ],
            [ 0.        ,  1.05664167]]])
    """
    sides = [checks.integer(name, one, 1, LARGEST) for name, one in (("height", height), ("width", width))]
    fmt = formats.resolve(dtype)
    spans = read_spans(sides, checks.choice("rule", rule, RULES), pretrained)
    array, stored = checks.output(out, (2 * sides[0] - 1, 2 * sides[1] - 1, 2), fmt)
    for axis, (side, span) in enumerate(zip(sides, spans)):
        line = formats.bits(line_of(side, span, fmt))
        formats.bits(stored)[..., axis] = line[:, None] if axis == 0 else line
    return array


def line_of(side, span, fmt):
    """The coordinates of the offsets 1 - side to side - 1 of one axis, in the storage of the format."""
    line = formats.bits(np.empty(2 * side - 1, fmt.storage))
    for distance in range(side):
        pattern = _pattern(distance, span, fmt)
        line[side - 1 + distance] = pattern
        line[side - 1 - distance] = pattern | (1 << fmt.width - 1 if distance else 0)
    return line.view(fmt.storage)


def read_spans(sides, rule, pretrained):
    """n - 1 of both axes; None for the rule that divides by nothing."""
    if rule == "cr":
        if pretrained is not None:
            sentence = f"pretrained must be left out with rule='cr', got {shown(pretrained)}"
            raise InputError("E_CHOICE", "pretrained", sentence)
        return None, None
    if pretrained is None:
        return [side - 1 for side in sides]
    sizes = checks.listed("pretrained", pretrained, "sizes")
    if len(sizes) != 2:
        raise InputError("E_SHAPE", "pretrained", f"pretrained must be (height, width), got {shown(pretrained)}")
    return [checks.integer("pretrained", one, 1 if side == 1 else 2, LARGEST) - 1 for one, side in zip(sizes, sides)]


def _pattern(distance, span, fmt):
    """Bit pattern of the coordinate of a distance: a fraction where 1 + 8 d / span is a power of two."""
    if not distance:
        return 0
    if span is None:
        return reals.evaluated(lambda digits: digits.log(Fraction(1 + distance))).pattern(fmt)
    stretched = 1 + Fraction(8 * distance, span)
    if stretched.denominator == 1 and not stretched.numerator & (stretched.numerator - 1):
        return rounding.nearest_fraction(Fraction(stretched.numerator.bit_length() - 1, 3), fmt)
    return reals.evaluated(lambda digits: digits.log(stretched) / digits.log(Fraction(8))).pattern(fmt)
