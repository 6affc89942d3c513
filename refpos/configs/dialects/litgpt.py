"""The configuration of litgpt, model_config.yaml as a dict or as JSON: the fields of its class Config."""

from ...errors import InputError, shown
from ...frequencies.inverse_frequencies import inverse_frequencies
from ...frequencies.linear import linear
from ...frequencies.llama3 import llama3
from ...models.rotary import Rotary
from ..keys import MOST_LAYERS, Keys
from ..rotary.widths import width_of_share
from ..submodels import Part
from .gguf_layers import FULL, SLIDING

SOURCE = {"project": "litgpt", "version": "0.5.13", "file": "litgpt/model.py"}
OF_YARN = ("beta_fast", "beta_slow")
OF_LLAMA3 = {
    "factor": "divides the low frequencies",
    "low_freq_factor": "frequencies with fewer rotations are divided",
    "high_freq_factor": "frequencies with at least so many rotations are kept",
    "original_max_seq_len": "the length of pretraining, for the ramp",
}


def is_file(values):
    """Whether a dict holds the fields of Config."""
    return {"n_embd", "rotary_percentage"} <= values.keys() and "model_type" not in values


def read(values, log, seq_len):
    """(type, {name: Part}, no other encodings, nothing left out): the rotations of a file."""
    keys = Keys(values, "", log)
    if keys.peek("latent_attention"):
        sentence = "latent_attention must be null, got an object: latent attention is read from config.json"
        raise InputError("E_CHOICE", "latent_attention", sentence)
    head = keys.head_width("head_size", "n_embd", "n_head")
    width = width_of_share(keys, "rotary_percentage", head)
    base = keys.number("rope_base", "the base of the frequencies", 10000.0)
    local = keys.number("rope_local_base_freq", "the base of the layers with 1 in rope_indices")
    condense = keys.number("rope_condense_ratio", "divides the positions", 1.0)
    frequencies, parameters = _adjusted(keys, width, base)
    is_interleaved = keys.flag("rope_interleave", "whether channels 2i and 2i + 1 turn together")

    def rotary(frequencies, parameters):
        if condense != 1:
            frequencies = linear(width, factor=condense, frequencies=frequencies)
            parameters = {**parameters, "rope_condense_ratio": condense}
        pairing = "interleaved" if is_interleaved else "half"
        return Rotary(frequencies, pairing, head, source=dict(SOURCE), deinterleaved=is_interleaved,
                      parameters=parameters)  # fmt: skip

    others = rotary(frequencies, parameters)
    if local is None:
        _check_indices(keys)
        return "litgpt", {"text": Part("litgpt", {"all": others})}, (), {}
    plain = rotary(inverse_frequencies(width, base=local), {"rope_type": "default", "rope_theta": local})
    names = tuple(SLIDING if flag else FULL for flag in _indices(keys))
    rotaries = {name: one for name, one in ((FULL, others), (SLIDING, plain)) if name in names}
    return "litgpt", {"text": Part("litgpt", rotaries, names)}, (), {}


def _adjusted(keys, width, base):
    """The frequencies that rope_adjustments make, and the parameters by the names of transformers."""
    plain, parameters = inverse_frequencies(width, base=base), {"rope_type": "default", "rope_theta": base}
    if not keys.peek("rope_adjustments"):
        return plain, parameters
    inner = keys.inner("rope_adjustments")
    for name in OF_YARN:
        if name in inner:
            sentence = (
                f"{inner.path(name)} must be left out: litgpt 0.5.13 divides the high frequencies of YaRN and keeps the"
                " low ones, the reverse of the paper, so read the config.json of the model"
            )
            raise InputError("E_CHOICE", name, sentence)
    if inner.entries.keys() == {"factor"}:
        factor = inner.need("factor", "divides the frequencies")
        return linear(width, factor=factor, frequencies=plain), {**parameters, "rope_type": "linear", "factor": factor}
    if inner.entries.keys() != OF_LLAMA3.keys():
        sentence = f"rope_adjustments must hold factor, alone or with {', '.join(list(OF_LLAMA3)[1:])}"
        raise InputError("E_CHOICE", "rope_adjustments", f"{sentence}, got {inner.described()}")
    scaling = {name: inner.need(name, decides) for name, decides in OF_LLAMA3.items()}
    scaling["original_max_position_embeddings"] = scaling.pop("original_max_seq_len")
    return llama3(width, base=base, **scaling), {**parameters, **scaling, "rope_type": "llama3"}


def _check_indices(keys):
    """Refuse indices of a second base that the file does not have."""
    if "rope_indices" in keys:
        sentence = "rope_indices must be null without rope_local_base_freq, got a list: there is one base"
        raise InputError("E_CHOICE", "rope_indices", sentence)


def _indices(keys):
    """For each layer whether it has the local base; without a list all have."""
    count = keys.size("n_layer", "the number of layers", MOST_LAYERS)
    flags = keys.sequence("rope_indices", "which layers have the local base", [1] * count)
    if len(flags) < count:
        raise InputError("E_SHAPE", "rope_indices", f"rope_indices must have {count} numbers, got {len(flags)}")
    for flag in flags[:count]:
        if flag not in (0, 1):
            raise InputError("E_CHOICE", "rope_indices", f"rope_indices must hold 0 and 1, got {shown(flag)}")
    return flags[:count]
