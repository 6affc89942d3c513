"""Rotations whose positions are measured: the times of a sound, and the coordinates of atoms."""

from .. import checks
from ..errors import InputError, shown
from ..frequencies.linear import linear
from ..models.continuous import of_atoms, twice_timed
from ..models.rotary import Rotary
from . import rope_parameters, rope_types, widths
from .keys import Keys
from .parameter_sets import one_set


def sound(row, keys):
    """The rotation of audio embeddings by their times, windows and steps."""
    parameters = one_set(keys, rope_parameters.by_layer_type(row, keys))
    rope_type = parameters.take("rope_type", "the scaling", "default")
    if rope_type not in ("default", "linear"):  # with all others the class of the model raises
        sentence = f"{parameters.path('rope_type')} must be default or linear, got {shown(rope_type)}"
        raise InputError("E_CHOICE", "rope_type", sentence)
    base = parameters.number("rope_theta", "the base of the frequencies, and what divides them", row.rope_theta)
    audio = Keys(keys.dictionary("audio_config"), f"{keys.prefix}audio_config.", keys.log)
    head = audio.width("hidden_size", "the width of an embedding", row.hidden_size)
    keys.ignore("head_dim", "this class sets it to audio_config.hidden_size")
    keys.ignore("max_position_embeddings", "this class sets it to rope_theta")
    width = widths.rotary_width(row, parameters, rope_type, head)
    widths.check_width(row, width, head, 2 * (width + width % 2))  # columns for windows, and as many for steps
    frequencies = rope_types.frequencies(rope_type, width, base, parameters, None, None)
    parameters.ignore_rest("no part of the rotation reads it")
    return Rotary(
        twice_timed(linear(frequencies.dim, factor=base, frequencies=frequencies)),
        "interleaved",
        head,
        inverse=True,
        source=row.source,
        notes=("positions: seconds times the window, and times the step in it; the encoder's output is turned",),
        parameters={"rope_type": rope_type, "rope_theta": base},
    )


def atoms(row, keys):
    """The rotation of atoms by their coordinates and the number of their residue."""
    head = widths.head_dim(row, keys)
    spatial = keys.integer("num_spatial_rope_pairs_per_axis", "pairs that turn by each coordinate", 2)
    uid = keys.integer("num_uid_rope_pairs", "pairs that turn by the residue", 10)
    bases = [
        keys.number("spatial_rope_base_frequency", "the base for coordinates", row.rope_theta),
        keys.number("uid_rope_base_frequency", "the base for residues", 10000.0),
    ]
    pairs = checks.multiple("head_dim", head, 2) // 2
    return Rotary(
        of_atoms(pairs, spatial, uid, *bases),
        "half",
        head,
        source=row.source,
        notes=("positions: x, y, z and the number of the residue (ref_pos and ref_space_uid)",),
        parameters={"spatial_rope_base_frequency": bases[0], "uid_rope_base_frequency": bases[1]},
    )


ROTARIES = {"esmfold2_atom_encoder": atoms, "musicflamingo": sound}
