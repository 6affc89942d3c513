"""Rotations whose positions are measured: the times of a sound, and the coordinates of atoms."""

from ... import checks
from ...errors import InputError, shown
from ..keys import Field, Keys
from . import rope_types, widths
from .model_specific import sets_of_keys
from .rope_config import RopeConfig
from .rope_parameters import one_set


def sound(row, keys):
    """The rotation of audio embeddings by their times, windows and steps."""
    parameters = one_set(keys, sets_of_keys(row, keys))
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
    columns = 2 * (width + width % 2)  # for windows, and as many for steps
    widths.check_width(row, parameters, width, head, columns)
    scaling = rope_types.scaling(row, keys, parameters, rope_type)
    parameters.ignore_rest("no part of the rotation reads it")
    return RopeConfig(
        row=row,
        rope_type=rope_type,
        base=base,
        head_dim=head,
        width=width,
        scaling=scaling,
        pairing="interleaved",
        notes=("positions: seconds times the window, and times the step in it; the encoder's output is transposed",),
        parameters={"rope_type": rope_type, "rope_theta": base},
    )


def atoms(row, keys):
    """The rotation of atoms by their coordinates and the number of their residue."""
    head = widths.head_dim(row, keys)
    spatial = keys.integer("num_spatial_rope_pairs_per_axis", "pairs that turn by each coordinate", 2)
    uid = keys.integer("num_uid_rope_pairs", "pairs that turn by the residue", 10)
    bases = keys.read({
        "spatial_rope_base_frequency": Field("the base for coordinates", row.rope_theta),
        "uid_rope_base_frequency": Field("the base for residues", 10000.0),
    })  # fmt: skip
    spatial_base, uid_base = bases.values()
    return RopeConfig(
        row=row,
        rope_type="default",
        base=spatial_base,
        head_dim=head,
        width=checks.multiple("head_dim", head, 2),
        scaling={"spatial": spatial, "uid": uid, "spatial_base": spatial_base, "uid_base": uid_base},
        notes=("positions: x, y, z and the number of the residue (ref_pos and ref_space_uid)",),
        parameters=bases,
    )


ROTARIES = {"esmfold2_atom_encoder": atoms, "musicflamingo": sound}
