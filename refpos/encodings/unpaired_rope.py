"""Encodings that look like rotations but turn the two channels of a pair by different angles."""

from ..catalogue import register
from ..errors import InputError
from ..rotation import pair_views
from .rope import rope

__all__ = ["unpaired_rope"]


@register(
    family="rotary",
    paper="Assran et al. 2025, V-JEPA 2, arXiv:2506.09985, section 2.1",
    conventions="pairing (no default); frequencies of the first and of the second channels of the pairs",
)
def unpaired_rope(x, positions, *, pairing, frequencies, seq_axis=-2, dtype=None, threads=None):
    """Pairs of channels whose two results take different angles, as two published models compute them.

        y1 = x1 cos(p alpha_i) - x2 sin(p alpha_i)
        y2 = x2 cos(p' beta_i) + x1 sin(p' beta_i)

    This is no rotation: the length of a pair changes, and scores do not depend on distances alone. It is kept because
    checkpoints were trained with it. frequencies: a pair of `Frequencies` (alpha, beta) of one width, each with its
    axes, as `vjepa2_frequencies` and `xdrope_frequencies` give them; p and p' are the positions on those axes. x,
    positions, pairing, seq_axis, dtype: as in `rope`.

    Returns an array of the shape and dtype of x, every element the exact value rounded once.

    Raises E_NUMBER when frequencies are no pair, E_SHAPE when their widths differ, and what `rope` raises.

    Source: facebookresearch/vjepa2, src/models/utils/modules.py, rotate_queries_or_keys (tiled tables, adjacent
    pairs); transformers 5.23.0, models/hunyuan_vl (sections cut from tiled tables).

    >>> from refpos import inverse_frequencies
    >>> f = inverse_frequencies(2), inverse_frequencies(4, base=100)
    >>> unpaired_rope([[1.0, 0.0]], 1, pairing="half", frequencies=f)
    Traceback (most recent call last):
        ...
    refpos.errors.InputError: frequencies must have one width, got 2 and 4
    """
    if not isinstance(frequencies, (tuple, list)) or len(frequencies) != 2:
        raise InputError("E_NUMBER", "frequencies", f"frequencies must be a pair of Frequencies, got {frequencies!r}")
    first, second = frequencies
    if getattr(first, "dim", None) != getattr(second, "dim", None):
        raise InputError("E_SHAPE", "frequencies", f"frequencies must have one width, got {first.dim} and {second.dim}")
    options = {"pairing": pairing, "seq_axis": seq_axis, "dtype": dtype, "threads": threads}
    result = rope(x, positions, frequencies=first, **options)
    other = rope(x, positions, frequencies=second, **options)
    pair_views(result, pairing, first.dim)[1][...] = pair_views(other, pairing, first.dim)[1]
    return result
