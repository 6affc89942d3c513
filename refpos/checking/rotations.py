"""Which rotation of a configuration a tensor belongs to: by the words of its name, its layer and its width."""

from __future__ import annotations

import functools
import re
from typing import NamedTuple

import numpy as np

from ..models.rotary import Rotary

#: parts that a tensor belongs to only where its name says so
SAID = ("vision", "audio", "codec", "depth", "talker", "code2wav", "units")
#: words in the names of tensors -> words of which one is in the name of the part
WORDS_OF_PARTS = {
    "vision": ("vision", "visual", "vit", "image", "pixel", "patch"),
    "audio": ("audio", "speech", "acoustic", "sound"),
    "codec": ("codec",),
    "depth": ("depth",),
    "talker": ("talker",),
    "code2wav": ("code2wav",),
    "thinker": ("thinker",),
    "units": ("units", "t2u"),
    "decoder": ("decoder",),
    "encoder": ("encoder",),
}
#: words in the names of tensors -> the word in the layer type that they mean
WORDS_OF_TYPES = {"local": "sliding", "global": "full", "swa": "sliding"}
LAYER = re.compile(r"(?:^|\.)(?:layers?|blocks?|h|blk|decoder_layers)\.(\d+)\.")


class Meant(NamedTuple):
    """A rotation of the configuration: its part, its layer type, and the `Rotary`."""

    part: str
    layer_type: str
    rotary: Rotary

    @property
    def label(self):
        """The part, with its layer type where there are several."""
        return self.part if self.layer_type == "all" else f"{self.part}, {self.layer_type}"


def types_by_name(names):
    """A function of layer types, which looks at each name once: {the words of a name without those that say a layer
    type: the layer types that such names say}."""

    @functools.cache
    def types_of(types):
        said = {}
        for name in names:
            said.setdefault(_without_types(name, types), set()).update(_said_types(name, types))
        return said

    return types_of


NO_NAMES = types_by_name(())


def meant_by(name, config, beside=NO_NAMES):
    """The rotations that a tensor of that name may belong to, none where the configuration describes none; beside: the
    `types_by_name` of all tensors."""
    if config is None:
        return []
    return [one for part in parts_of(name, list(config.parts)) for one in _rotations(name, part, config, beside)]


def is_of_rotation(name):
    """Whether the module that holds frequencies is one of a rotation by its name, or has none."""
    module = name.rpartition(".")[0].lower()
    return not module or any(word in module for word in ("rot", "rope", "attn", "attention", "embed_positions"))


def _rotations(name, part, config, beside):
    rotaries = config.parts[part].rotaries
    return [Meant(part, kind, rotaries[kind]) for kind in _types_of(name, config.parts[part], beside)]


def parts_of(name, parts):
    """Those parts whose words are in the name; where none is, those that the name says nothing against."""
    said = {kind for kind, words in WORDS_OF_PARTS.items() if _has(name, words)}
    by_part = {part: {kind for kind, words in WORDS_OF_PARTS.items() if _has(part, words)} for part in parts}
    for kind in WORDS_OF_PARTS:
        if kind in said and any(kind in by_part[part] for part in parts):
            parts = [part for part in parts if kind in by_part[part]]
        elif kind in SAID and len({kind in by_part[part] for part in parts}) == 2:
            parts = [part for part in parts if kind not in by_part[part]]
    return parts


def _has(name, words):
    return any(word in re.split(r"[._]", name.lower()) or f"{word}_" in name.lower() for word in words)


def _types_of(name, part, beside):
    """The layer types of a part that a name may mean."""
    types, layer = list(part.rotaries), LAYER.search(name)
    said = _said_types(name, types) if len(types) > 1 else []
    if said:
        return said
    if layer and int(layer[1]) < len(part.layers):
        kind = part.layers[int(layer[1])]
        return [] if kind is None else [kind]
    if len(types) < 2:
        return types
    # rotary_emb beside rotary_emb_local belongs to the layers that are not local
    others = beside(tuple(types)).get(_without_types(name, types), ())
    return [kind for kind in types if kind not in others] or types


def _said_types(name, types):
    """The layer types that words of a name say."""
    leaf = name.rpartition(".")[2]
    named = [kind for kind in types if leaf.startswith(f"{kind}_") or f".{kind}." in f".{name}."]
    if named:
        return named
    words = [wanted for word, wanted in WORDS_OF_TYPES.items() if word in re.split(r"[._]", name)]
    return [kind for kind in types if words and words[0] in kind]


def _without_types(name, types):
    """The words of a name without those that say a layer type; original_inv_freq stands beside each inv_freq."""
    passed_over = {*WORDS_OF_TYPES, "original", *(word for kind in types for word in kind.split("_"))}
    return tuple(word for word in re.split(r"[._]", name) if word not in passed_over)


def call_of(frequencies, parameters):
    """(function, arguments by place, by name) that makes the frequencies; None where no call is known."""
    if frequencies.recipe is not None:
        return frequencies.recipe
    from ..frequencies.inverse_frequencies import inverse_frequencies

    base = parameters.get("rope_theta")
    if isinstance(base, (int, float)) and base > 0 and frequencies.dim % 2 == 0:
        plain = inverse_frequencies(frequencies.dim, base=base)
        if np.array_equal(plain.inv_freq, frequencies.inv_freq) and frequencies.attention_factor == 1:
            return plain.recipe
    return None


def on_one_axis(frequencies, parameters):
    """The same frequencies for tokens that have one position each; None where no call that makes them is known."""
    if frequencies.axes is None:
        return frequencies
    from .. import catalogue

    call = call_of(frequencies, parameters)
    if call is None:
        return None
    name, given, named = call
    inner = named.get("frequencies")
    if name == "mrope_frequencies" and inner is not None:
        return inner
    made = catalogue.find(name).function(*given, **named)
    return made if made.axes is None else None
