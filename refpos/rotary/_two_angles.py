"""Pairs of channels whose two results rotate by different angles: not rotations, but models were trained with them."""

from ..steps.waves.rotation import pair_views
from .rope import rope


def rope_by_two_angles(x, positions, *, pairing, frequencies, **options):
    """The first channels of pairs as `rope` gives them with frequencies[0], the second ones with frequencies[1].

    y1 = x1 cos(p alpha_i) - x2 sin(p alpha_i)
    y2 = x2 cos(p' beta_i) + x1 sin(p' beta_i)
    """
    first, second = frequencies
    result = rope(x, positions, pairing=pairing, frequencies=first, **options)
    other = rope(x, positions, pairing=pairing, frequencies=second, **options)
    pair_views(result, pairing, first.dim)[1][...] = pair_views(other, pairing, first.dim)[1]
    return result
