"""Frequencies of V-JEPA 2."""

from dataclasses import replace

from .. import checks, ladders
from ..catalogue import register
from ..errors import InputError
from ..frequencies import inverse_frequencies

__all__ = ["vjepa2_frequencies"]


@register(
    family="frequencies",
    paper="Assran et al. 2025, V-JEPA 2, arXiv:2506.09985, section 2.1",
    conventions="axes t, h, w; for unpaired_rope with interleaved pairs",
)
def vjepa2_frequencies(head_dim, *, base=10000.0):
    """The two frequencies of each pair of channels in V-JEPA 2, which tiles its tables but turns adjacent channels.

        channel c of a block of m = 2 floor(floor(head_dim / 3) / 2) turns by theta_j = base**(-2j / m), j = c mod m/2

    head_dim: the width of a head, at least 6; the blocks of frame, row and column follow each other, and what is left
    over is not turned. Returns a pair of `Frequencies` (for even, for odd channels) of width 3 m with axes 0, 1, 2, for
    `unpaired_rope` with pairing "interleaved".

    Raises E_SIZE, E_BASE.

    Source: facebookresearch/vjepa2, src/models/utils/modules.py, rotate_queries_or_keys.

    >>> even, odd = vjepa2_frequencies(12, base=100)
    >>> even.inv_freq, odd.inv_freq
    (array([1., 1., 1., 1., 1., 1.]), array([0.1, 0.1, 0.1, 0.1, 0.1, 0.1]))
    """
    head_dim = checks.integer("head_dim", head_dim, 1)
    half = head_dim // 3 // 2
    if not half:
        raise InputError("E_SIZE", "head_dim", f"head_dim must be at least 6, got {head_dim}")
    ladder = inverse_frequencies(2 * half, base=base)
    axes = (0,) * half + (1,) * half + (2,) * half
    return tuple(
        replace(ladders.picked(ladder, [(2 * i + odd) % half for i in range(half)] * 3), axes=axes) for odd in (0, 1)
    )
