"""Frequencies of the multimodal rotation (M-RoPE)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, get_args

from .. import checks
from ..catalogue import register
from ..errors import InputError, shown
from ..steps.angles import frequency_sets
from ..steps.angles.frequencies import Frequencies, checked
from ..types import Integer, Number
from .inverse_frequencies import inverse_frequencies

__all__ = ["mrope_frequencies"]

Arrangement = Literal["chunked", "interleaved", "alternating"]
ARRANGEMENTS = get_args(Arrangement)


@register(
    family="frequencies",
    paper="Wang et al. 2024, Qwen2-VL, arXiv:2409.12191, section 2.1",
    conventions="axes t, h, w; arrangement chunked, interleaved or alternating (no default)",
    outputs=("inv_freq", "attention_factor", "axes"),
    also="mrope_section, M-RoPE frequencies",
)
def mrope_frequencies(
    dim: Integer,
    *,
    sections: Sequence[Integer],
    arrangement: Arrangement,
    base: Number = 10000.0,
    frequencies: Frequencies | None = None,
) -> Frequencies:
    """M-RoPE frequencies: the pairs of one set divided among time, row and column.

        chunked       t ... t h ... h w ... w   sections (t, h, w) in that order
        interleaved   t h w t h w ... t t       row at 1, 4, 7 ... < 3 h, column at 2, 5, 8 ... < 3 w, time elsewhere
        alternating   h w h w ... t ... t       sections (h, w, t): rows at even, columns at odd pairs, then time

    Parameters
    ----------
    dim : int
        Rotary dimension, even.
    sections : sequence of int
        Number of pairs of each axis, with sum dim/2; in "interleaved" the models never read the first number, which
        must complete the sum all the same.
    arrangement : {'chunked', 'interleaved', 'alternating'}
        Order of the axes among the pairs, as stated above.
    base : float or Fraction, default 10000
        Base of the frequencies, finite and greater than 0.
    frequencies : Frequencies, optional
        What `inverse_frequencies` or a scaling returns, instead of base.

    Returns
    -------
    Frequencies
        `Frequencies` with axes 0 (t), 1 (h), 2 (w), for position ids (3, batch, seq).

    Raises
    ------
    InputError
        E_ODD_DIM, E_SHAPE (sections), E_CHOICE, E_BASE, E_NUMBER.

    References
    ----------
    - transformers 5.23.0, models/qwen2_vl (chunked), models/qwen3_vl (interleaved), models/ernie4_5_vl_moe
      (alternating).
    - Wei et al. 2025, VideoRoPE, arXiv:2502.05173 (alternating).

    Examples
    --------
    >>> mrope_frequencies(12, sections=(2, 2, 2), arrangement="interleaved").axes
    (0, 1, 2, 0, 1, 2)
    """
    dim = checks.multiple("dim", dim, 2)
    checks.choice("arrangement", arrangement, ARRANGEMENTS)
    sections = sections_of(sections)
    if sum(sections) != dim // 2:
        raise InputError("E_SHAPE", "sections", f"sections must add up to {dim // 2}, got {sum(sections)}")
    if frequencies is None:
        frequencies = inverse_frequencies(dim, base=base)
    elif checked(frequencies).dim != dim:
        raise InputError("E_NUMBER", "frequencies", f"frequencies must have the width {dim}, got {frequencies.dim}")
    return frequency_sets.with_axes(frequencies, _AXES[arrangement](*sections))


def sections_of(sections):
    """Three numbers of pairs."""
    sections = checks.listed("sections", sections, "numbers of pairs")
    if len(sections) != 3:
        raise InputError("E_SHAPE", "sections", f"sections must be three numbers of pairs, got {shown(sections)}")
    return [checks.integer("sections", count, 0, checks.WIDEST) for count in sections]


def _chunked(t, h, w):
    return (0,) * t + (1,) * h + (2,) * w


def _interleaved(t, h, w):
    axes = [0] * (t + h + w)
    axes[1 : 3 * h : 3] = [1] * len(axes[1 : 3 * h : 3])
    axes[2 : 3 * w : 3] = [2] * len(axes[2 : 3 * w : 3])
    return tuple(axes)


def _alternating(h, w, t):
    if h != w:
        raise InputError("E_SHAPE", "sections", f"sections must have as many rows as columns, got {h} and {w}")
    return (1, 2) * h + (0,) * t


_AXES = {"chunked": _chunked, "interleaved": _interleaved, "alternating": _alternating}
