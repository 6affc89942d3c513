"""Rotary encodings of models whose positions are real numbers: seconds, and coordinates in space."""

from __future__ import annotations

from dataclasses import replace

from .. import checks
from ..errors import InputError
from ..frequencies.axial_frequencies import axial_frequencies
from ..frequencies.linear import linear
from ..steps.angles import frequency_sets
from ..types import Integer, Number
from . import token_positions
from .registry import from_transformers
from .rotary import Rotary


@from_transformers(
    file="models/musicflamingo/modeling_musicflamingo.py", positions=token_positions.windows,
    notes=(
        "The output of the audio encoder is rotated, before the projector; queries and keys are not; in float64.",
        "It rotates by -p: p is the time in seconds times the number of the window, and times that of the step in it.",
        "Time steps come with a second factor 2 pi, windows do not.",
    ),
)  # fmt: skip
def music_flamingo(
    head_dim: Integer = 1280, *, rotary_dim: Integer = 256, base: Number = 1200, max_position_embeddings: Integer = 1200
) -> Rotary:
    """Music Flamingo: the audio embeddings, by window and by step in it, each times the time.

    window 2 pi base**(-2j / rotary_dim) / max_position_embeddings | step 2 pi times the same; interleaved; by -p

    rotary_dim: channels of each axis; those behind both are left.

    >>> music_flamingo(16, rotary_dim=4, base=100, max_position_embeddings=10).frequencies.turns(1)
    Fraction(1, 100)
    """
    frequencies = linear(rotary_dim, base=base, factor=max_position_embeddings)
    return Rotary(twice_timed(frequencies), "interleaved", head_dim, inverse=True)


def twice_timed(frequencies):
    """Frequencies in turns along the first axis, and times 2 pi once more along the second."""
    first = frequency_sets.times_pi(frequencies, 2)
    return axial_frequencies((frequencies.dim,) * 2, frequencies=[first, frequency_sets.times_pi(first, 2)])


@from_transformers(
    file="models/esmfold2/modeling_esmfold2.py", positions=token_positions.atoms,
    notes=("Atoms are rotated: their coordinates in angstroms, and the number that tells residues apart.",),
)  # fmt: skip
def esmfold2(
    head_dim: Integer = 32,
    *,
    num_spatial_rope_pairs_per_axis: Integer = 2,
    num_uid_rope_pairs: Integer = 10,
    spatial_rope_base_frequency: Number = 20,
    uid_rope_base_frequency: Number = 10000,
) -> Rotary:
    """ESMFold2, atoms: the three coordinates, then the number of the residue.

    x 20**(-j / 2) | y the same | z the same | residue 10000**(-j / 10) | channels left; half

    >>> [esmfold2().frequencies.axes.count(axis) for axis in range(4)]
    [2, 2, 2, 10]
    """
    frequencies = of_atoms(
        checks.multiple("head_dim", head_dim, 2) // 2,
        checks.integer("num_spatial_rope_pairs_per_axis", num_spatial_rope_pairs_per_axis, 1),
        checks.integer("num_uid_rope_pairs", num_uid_rope_pairs, 1),
        spatial_rope_base_frequency,
        uid_rope_base_frequency,
    )
    return Rotary(frequencies, "half", head_dim)


def of_atoms(pairs, spatial, uid, spatial_base, uid_base):
    """So many pairs: `spatial` for each coordinate, `uid` for the residue, and the others at rest."""
    rest = pairs - 3 * spatial - uid
    if rest < 0:
        raise InputError("E_SHAPE", "head_dim", f"head_dim must be at least {2 * (pairs - rest)}, got {2 * pairs}")
    bases = [spatial_base] * 3 + [uid_base]
    turning = axial_frequencies((2 * spatial,) * 3 + (2 * uid,), base=bases)
    order = [(0, i) for i in range(len(turning))] + [(1, 0)] * rest
    frequencies = frequency_sets.joined([replace(turning, axes=None), frequency_sets.from_fractions([0])], order)
    return replace(frequencies, axes=turning.axes + (3,) * rest)
