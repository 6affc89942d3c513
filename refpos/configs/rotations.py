"""The rotation along one sequence, or along the three axes of M-RoPE, from its rope parameters."""

from dataclasses import replace

from ..models.rotary import Rotary
from . import notes, rope_types, widths


def rotary(row, keys, layer_type, parameters, seq_len):
    """The `Rotary` of one layer type; parameters: its Keys, keys: those around them."""
    rope_type = parameters.take("rope_type", "the scaling", "default")
    base = parameters.number("rope_theta", "the base of the frequencies", row.rope_theta)
    head, rotated = widths.head_widths(row, keys, layer_type)
    width = widths.rotary_width(row, parameters, rope_type, rotated)
    widths.check_width(row, width, rotated)
    frequencies = _frequencies(row, keys, parameters, rope_type, base, width, seq_len)
    pairing, deinterleaved = _pairing(row, keys)
    read = {*parameters.log.used, *parameters.log.assumed}
    values = {name: value for name, (path, value) in parameters.entries.items() if path in read}
    return Rotary(
        frequencies,
        pairing,
        head,
        placement=row.placement,
        inverse=row.inverse,
        source=row.source,
        notes=(
            *notes.of_the_model(row, keys, parameters, rope_type),
            *notes.of_other_projects(row, parameters, rope_type, frequencies),
        ),
        deinterleaved=deinterleaved,
        parameters={**values, "rope_type": rope_type, "rope_theta": base},
    )


def _frequencies(row, keys, parameters, rope_type, base, width, seq_len):
    """The frequencies of the scaling, with what some types do to them."""
    lengths = rope_types.Lengths(row, keys)
    if row.model_type == "phimoe":  # its list of divisors is that of short sequences at every length
        frequencies = rope_types.frequencies(rope_type, width, base, parameters, lengths, None)
        if rope_type != "default":
            frequencies = rope_types.by_length(frequencies, parameters, lengths, seq_len)
        return frequencies
    frequencies = rope_types.frequencies(rope_type, width, base, parameters, lengths, seq_len)
    if row.model_type == "qwen":
        frequencies = rope_types.by_doublings(frequencies, base, keys, seq_len)
    if row.model_type == "neomme":
        frequencies = replace(frequencies, axes=tuple(i % 2 for i in range(len(frequencies))))
    if row.mrope_arrangement is not None:
        decides = "how many pairs turn by frame, row and column"
        sections = parameters.sequence("mrope_section", decides, list(row.mrope_section))
        frequencies = rope_types.three_axes(frequencies, row.mrope_arrangement, sections)
    return frequencies


def _pairing(row, keys):
    """(pairing, whether the result is deinterleaved)."""
    is_interleaved = row.pairing == "interleaved"
    if row.pairing_key is not None:
        is_interleaved = keys.take(row.pairing_key, "whether channels 2i and 2i + 1 turn together", is_interleaved)
    return ("interleaved", row.deinterleaved) if is_interleaved else ("half", False)
