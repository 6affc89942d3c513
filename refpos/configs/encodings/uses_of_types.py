"""What the name of a model type alone says of its encodings, read from its own default configuration."""

from __future__ import annotations

from typing import NamedTuple

from ...errors import InputError
from .. import model_defaults
from ..config import from_config
from . import encoding_rows

#: {model type: other names of the models that have it}
ALSO = {
    "llama": ("Llama 2", "Code Llama", "Vicuna", "Alpaca", "TinyLlama", "Yi"),
    "t5": ("Flan-T5", "ByT5"),
    "qwen2": ("Qwen1.5", "Qwen2.5", "QwQ"),
    "gpt_neox": ("Pythia",),
    "esm": ("ESM-2",),
    "bert": ("SciBERT", "BioBERT"),
    "deberta-v2": ("DeBERTa-v3",),
    "deepseek_v2": ("MLA", "multi-head latent attention"),
    "deepseek_v3": ("DeepSeek-R1", "MLA", "multi-head latent attention"),
}


class Use(NamedTuple):
    """One encoding of a model type: in which part, by which function of refpos, and how."""

    part: str
    function: str
    words: tuple[str, ...]


def model_types() -> dict[str, dict[str, str]]:
    """{model type: {key of a part: the type of that part}}, sorted."""
    found = {name: dict(row.parts) for name, row in model_defaults.rows().items()}
    for name, row in encoding_rows.rows().items():
        found.setdefault(name, {}).update(row.parts)
    return dict(sorted(found.items()))


def uses(name: str) -> list[Use] | None:
    """The encodings of a model type; None where its name alone does not say them."""
    parts = model_types()[name]
    try:
        config = from_config({"model_type": name, **{key: {"model_type": part} for key, part in parts.items()}})
    except InputError:
        return None
    found = [
        Use(part, "rope", tuple(_rotary(layers, one)))
        for part, several in config.parts.items()
        for layers, one in several.rotaries.items()
    ]
    found += [Use(one.part, one.name, (one.place,)) for one in config.encodings]
    return list(dict.fromkeys(found))


def _rotary(layers, one):
    """The pairing of a rotation, and what differs from rope with all channels and base 10 000."""
    of = one.parameters
    yield one.pairing
    if one.frequencies.axes is not None:
        yield f"{len(set(one.frequencies.axes))} axes"
    if one.rotary_dim != one.head_dim:
        yield f"{one.rotary_dim} of {one.head_dim} channels"
    if of.get("rope_theta") is not None:
        yield f"base {of['rope_theta']:,.0f}".replace(",", " ")
        if layers == f"rope_theta {of['rope_theta']:g}":  # named after their base alone
            layers = "all"
    if of.get("rope_type") not in (None, "default", "axial"):
        yield of["rope_type"]
    if layers != "all":
        yield layers
