"""The rotations of the records of a configuration: no key is read here."""

from dataclasses import replace

from ...frequencies.axial_frequencies import axial_frequencies
from ...frequencies.linear import linear
from ...models.continuous import of_atoms, twice_timed
from ...models.rotary import Rotary
from ..submodels import Part
from . import notes, rope_types


def part(config, seq_len):
    """The `Part` of a `PartConfig`."""
    rotaries = {name: rotary(one, seq_len) for name, one in config.rotations.items() if one is not None}
    return Part(config.row.model_type, rotaries, config.layers, config.first_position)


def rotary(config, seq_len):
    """The `Rotary` of a `RopeConfig`."""
    row, frequencies = config.row, _frequencies(config, seq_len)
    return Rotary(
        frequencies,
        config.pairing,
        config.head_dim,
        placement=row.placement,
        inverse=row.inverse or row.model_type == "musicflamingo",  # the output of its encoder
        source=row.source,
        notes=(*config.notes, *notes.of_other_projects(config, frequencies)),
        blocks=row.blocks,
        deinterleaved=config.deinterleaved,
        parameters=config.parameters,
        softmax_factor=config.softmax_factor,
    )


def _frequencies(config, seq_len):
    """The frequencies of the scaling, with what some types do to them."""
    row = config.row
    if row.axial is not None:
        return axial_frequencies((config.width,) * len(row.axial.get("axes", (0, 1))), base=config.base, **row.axial)
    if row.model_type == "esmfold2_atom_encoder":
        return of_atoms(config.width // 2, **config.scaling)
    frequencies = rope_types.frequencies(config, seq_len)
    if row.model_type == "musicflamingo":
        return twice_timed(linear(frequencies.dim, factor=config.base, frequencies=frequencies))
    if config.factors_by_length:
        frequencies = rope_types.by_length(frequencies, config.factors_by_length, seq_len)
    if config.doubles_from is not None:
        frequencies = rope_types.by_doublings(frequencies, config.base, config.doubles_from, seq_len)
    if row.model_type == "neomme":
        frequencies = replace(frequencies, axes=tuple(i % 2 for i in range(len(frequencies))))
    if row.mrope_arrangement is not None:
        frequencies = rope_types.three_axes(frequencies, row.mrope_arrangement, config.sections)
    return frequencies
