"""Frequencies of the XD-RoPE of HunYuan-VL."""

from dataclasses import replace

from .. import angles, checks
from ..catalogue import register
from ..errors import InputError
from ..frequencies import inverse_frequencies

__all__ = ["xdrope_frequencies"]


@register(
    family="frequencies",
    paper="Tencent 2025, HunyuanOCR technical report, arXiv:2511.19575",
    conventions="axes in the order of sections; for unpaired_rope with halves",
)
def xdrope_frequencies(dim, *, sections, base=10000.0, frequencies=None):
    """The two axes of each pair of channels in HunYuan-VL, which cuts its tables into sections after doubling them.

        channel c of 0 .. dim - 1 turns by the position on axis k of its section, of 2 sections[k] channels, times
        theta_j = base**(-2j / dim), j = c mod dim/2

    dim: the rotary width. sections: for each axis (in HunYuan-VL sequence, column, row, image) a number of pairs, with
    sum dim/2. base, or frequencies: what `inverse_frequencies` or a scaling returns (`ntk_alpha` in HunYuan-VL).

    Returns a pair of `Frequencies` (for the first, for the second half of the channels) with axes, for `unpaired_rope`
    with pairing "half". Where all axes of a token agree, as in text, it is the usual rotation.

    Raises E_ODD_DIM, E_SHAPE (sections), E_BASE, E_NUMBER.

    Source: transformers 5.23.0, models/hunyuan_vl/modeling_hunyuan_vl.py.

    >>> first, second = xdrope_frequencies(8, sections=(1, 1, 1, 1))
    >>> first.axes, second.axes
    ((0, 0, 1, 1), (2, 2, 3, 3))
    """
    dim = checks.multiple("dim", dim, 2)
    if not isinstance(sections, (tuple, list)) or not sections:
        raise InputError("E_SHAPE", "sections", f"sections must be a list of numbers of pairs, got {sections!r}")
    sections = [checks.integer("sections", count) for count in sections]
    if 2 * sum(sections) != dim:
        raise InputError("E_SHAPE", "sections", f"sections must add up to {dim // 2}, got {sum(sections)}")
    if frequencies is None:
        frequencies = inverse_frequencies(dim, base=base)
    elif angles.check(frequencies).dim != dim:
        raise InputError("E_NUMBER", "frequencies", f"frequencies must have the width {dim}, got {frequencies.dim}")
    axes = [k for k, count in enumerate(sections) for _ in range(2 * count)]
    # every axis counts, also one that only the other half uses
    return tuple(replace(frequencies, axes=tuple(part)) for part in (axes[: dim // 2], axes[dim // 2 :]))
