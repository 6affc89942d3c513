"""The rotation along the axes of an image."""

from ...errors import InputError, shown
from . import widths
from .rope_config import RopeConfig


def read(row, keys, parameters):
    """The `RopeConfig` of positions along the axes of an image; parameters: its Keys, keys: those around them."""
    axes = len(row.axial.get("axes", (0, 1)))
    rope_type = parameters.take("rope_type", "the rotation is along the axes of an image", "axial")
    if rope_type not in ("axial", "default"):
        sentence = f"{parameters.path('rope_type')} must be axial or default, got {shown(rope_type)}"
        raise InputError("E_CHOICE", "rope_type", sentence)
    base = parameters.number("rope_theta", "the base of the frequencies", row.rope_theta)
    head = _head_width(row, keys)
    width = 2 * (head // axes // 2)
    if row.model_type == "efficientloftr":
        width = widths.rotary_width(row, parameters, "default", widths.head_dim(row, keys))
    leaves_a_rest = width * axes != head and row.model_type != "minimax_m3_vl_vision"
    if width % 2 or not width or leaves_a_rest:
        sentence = f"a head of {row.model_type} must give each of {axes} axes the same even width, got {head} channels"
        raise InputError("E_ODD_DIM", "head_dim", sentence)
    return RopeConfig(
        row=row,
        rope_type="axial",
        base=base,
        head_dim=head,
        width=width,
        pairing=row.pairing,
        notes=(f"positions: {row.axial_positions}",),
        parameters={"rope_type": "axial", "rope_theta": base},
    )


def _head_width(row, keys):
    """The channels that are shared out among the axes."""
    if row.model_type == "efficientloftr":
        return keys.width("hidden_size", "the vector of all heads is rotated", row.hidden_size)
    if row.hidden_size is not None:
        return widths.head_dim(row, keys)
    rate = keys.integer("memory_attention_downsample_rate", "divides memory_attention_hidden_size", 1)
    heads = keys.integer("memory_attention_num_attention_heads", "divides memory_attention_hidden_size", 1)
    size = keys.width("memory_attention_hidden_size", "divided by both it is the width of a head", 256)
    return size // (rate * heads)
