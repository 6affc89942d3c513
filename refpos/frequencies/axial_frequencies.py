"""Frequencies of rotations along several axes."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Literal, get_args

from .. import checks
from ..catalogue import register
from ..errors import InputError, shown
from ..steps.angles import frequency_sets
from ..steps.angles.frequencies import Frequencies, geometric_frequencies
from ..types import Integer, Number
from .inverse_frequencies import inverse_frequencies

__all__ = ["axial_frequencies"]

Allocation = Literal["separate", "strided", "sections"]
ALLOCATIONS = get_args(Allocation)
Arrangement = Literal["blocks", "interleaved"]
ARRANGEMENTS = get_args(Arrangement)


@register(
    family="frequencies",
    paper="Heo et al. 2024, Rotary Position Embedding for Vision Transformer, arXiv:2403.13298, section 3",
    conventions="axes in the order of widths; allocation separate, strided, sections; arrangement blocks, interleaved",
    outputs=("inv_freq", "attention_factor", "axes"),
    also="axial RoPE, 2D RoPE frequencies, multi-axis frequencies, EmbedND",
)
def axial_frequencies(
    widths: Sequence[Integer],
    *,
    base: Number | Sequence[Number] = 10000.0,
    axes: Sequence[Integer] | None = None,
    allocation: Allocation = "separate",
    arrangement: Arrangement = "blocks",
    endpoint: bool = False,
    times_pi: Number | None = None,
    frequencies: Sequence[Frequencies] | None = None,
) -> Frequencies:
    """Axial RoPE frequencies: the channels of a rotation divided among several axes.

        block k has widths[k] channels and rotates by the position on axis axes[k]

    Parameters
    ----------
    widths : sequence of int
        Even widths of the blocks, in the order of the channels, as (16, 56, 56) for the axes of Flux.
    base : float, Fraction or sequence of them, default 10000
        Base of the frequencies, one number or one for each block.
    axes : sequence of int, optional
        The axis of each block (default 0, 1, ...); (1, 0) puts the second axis first.
    allocation : {'separate', 'strided', 'sections'}, default 'separate'
        Division of the frequencies: "separate" gives each block base**(-2j / widths[k]), or base**(-j / (n - 1)) with
        endpoint, n = widths[k]/2; "strided" deals one set of frequencies base**(-2i / sum) out in turn, so that block 0
        takes i = 0, K, 2K ... (Pixtral); "sections" cuts that set into runs (the chunks of M-RoPE).
    arrangement : {'blocks', 'interleaved'}, default 'blocks'
        Order of the pairs: "blocks" keeps the pairs of an axis together, "interleaved" alternates the axes pair by pair
        (Lumina, Kimi).
    endpoint : bool, default False
        Whether the last frequency of a block is 1/base, as stated for `allocation`.
    times_pi : float or Fraction, optional
        Factor of the angles in multiples of pi (2 where the frequencies count periods, as in DINOv3; 1/2 in LTX-Video).
    frequencies : sequence of Frequencies, optional
        `Frequencies` for each block instead of base.

    Returns
    -------
    Frequencies
        `Frequencies` of width sum(widths) with `axes` (None where there is one); `rope_table` and `rope` take positions
        (axes, ...) or a `grid` with them. Everything is exact; `inv_freq` is rounded once.

    Raises
    ------
    InputError
        E_ODD_DIM, E_SHAPE (lengths that differ), E_AXIS, E_BASE, E_CHOICE, E_NUMBER.

    References
    ----------
    - naver-ai/rope-vit, models/vit_rope.py.
    - black-forest-labs/flux, modules/layers.py, EmbedND.
    - mistralai/mistral-inference, rope.py, precompute_freqs_cis_2d.
    - facebookresearch/dinov3, layers/rope_position_encoding.py.
    - huggingface/diffusers, transformer_ltx.py, transformer_lumina.py.

    Examples
    --------
    >>> axial_frequencies((4, 4), base=100).inv_freq
    array([1. , 0.1, 1. , 0.1])
    >>> axial_frequencies((4, 4), base=100, allocation="strided").axes
    (0, 0, 1, 1)
    """
    widths = _read_widths(widths)
    axes = _read_axes(axes, len(widths))
    checks.choice("allocation", allocation, ALLOCATIONS)
    checks.choice("arrangement", arrangement, ARRANGEMENTS)
    if frequencies is not None:
        parts = _checked_parts(frequencies, widths, base, allocation)
    else:
        parts = [_block(width, b, endpoint) for width, b in widths_and_bases(widths, base, allocation)]
    if times_pi is not None:
        number = checks.real("times_pi", times_pi)
        if not number:
            raise InputError("E_NUMBER", "times_pi", f"times_pi must not be 0, got {times_pi!r}")
        parts = [frequency_sets.times_pi(part, number) for part in parts]
    order = pair_sources([width // 2 for width in widths], allocation, arrangement)
    axis_of_pairs = tuple(axes[block] for block, _, _ in order)
    order = tuple((part, number) for _, part, number in order)
    return frequency_sets.joined_on_axes(tuple(parts), order, axis_of_pairs if any(axis_of_pairs) else None)


def widths_and_bases(widths, base, allocation):
    """(width, base) of each set of frequencies: of every block its own, or of one that they share."""
    return list(zip(widths, _bases(base, len(widths)))) if allocation == "separate" else [(sum(widths), base)]


def pair_sources(halves, allocation, arrangement):
    """For each pair of channels (its block, its set of frequencies, the number of its frequency in that set)."""
    count = len(halves)
    if (allocation == "strided" or arrangement == "interleaved") and len(set(halves)) != 1:
        reason = "for allocation 'strided'" if allocation == "strided" else "where axes alternate"
        raise InputError("E_SHAPE", "widths", f"widths must be equal {reason}, got {halves}")
    order = [(k, j) for k, half in enumerate(halves) for j in range(half)]
    if arrangement == "interleaved":
        order.sort(key=lambda pair: pair[1])
    if allocation == "separate":
        return [(k, k, j) for k, j in order]
    return [(k, 0, k + j * count if allocation == "strided" else sum(halves[:k]) + j) for k, j in order]


def _read_widths(widths):
    if not isinstance(widths, (tuple, list)) or not widths:
        wanted = "a list with a width for each block"
        raise InputError("E_SHAPE", "widths", f"widths must be {wanted}, got {shown(widths)}")
    widths = [checks.multiple("widths", width, 2) for width in widths]
    if sum(widths) > checks.WIDEST:
        raise InputError("E_SIZE", "widths", f"widths must add up to at most {checks.WIDEST}, got {sum(widths)}")
    return widths


def _read_axes(axes, count):
    if axes is None:
        return tuple(range(count))
    if not isinstance(axes, (tuple, list)) or len(axes) != count:
        raise InputError("E_SHAPE", "axes", f"axes must be given for each of the {count} blocks, got {shown(axes)}")
    return tuple(checks.integer("axes", axis, 0, 63, code="E_AXIS") for axis in axes)


def _bases(base, count):
    if not isinstance(base, (tuple, list)):
        return [base] * count
    if len(base) != count:
        raise InputError("E_SHAPE", "base", f"base must be one number or {count}, one for each block, got {len(base)}")
    return base


def _block(width, base, endpoint):
    if not checks.flag("endpoint", endpoint):
        return inverse_frequencies(width, base=base)
    count = width // 2
    return geometric_frequencies(width, count, Fraction(1, max(count - 1, 1)), checks.positive("base", base, "E_BASE"))


def _checked_parts(frequencies, widths, base, allocation):
    if not isinstance(base, (int, float)) or base != 10000 or allocation != "separate":
        received = f"base {shown(base)} and allocation {allocation!r}"
        raise InputError("E_BASE", "base", f"base and allocation must be left out with frequencies, got {received}")
    if not isinstance(frequencies, (tuple, list)) or not all(isinstance(f, Frequencies) for f in frequencies):
        sentence = f"frequencies must be a list of Frequencies, got {type(frequencies).__name__}"
        raise InputError("E_NUMBER", "frequencies", sentence)
    if [f.dim for f in frequencies] != widths:
        raise InputError(
            "E_SHAPE", "frequencies", f"frequencies must have the widths {widths}, got {[f.dim for f in frequencies]}"
        )
    return list(frequencies)
