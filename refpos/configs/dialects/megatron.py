"""Arguments of Megatron-LM, and the configuration of NeMo 1 that names them alike, as a dict or as JSON."""

import re

from ...errors import InputError, shown
from ...frequencies.inverse_frequencies import inverse_frequencies
from ...frequencies.linear import linear
from ...frequencies.llama3 import llama3
from ...frequencies.yarn import yarn
from ...models.rotary import Rotary
from ..encodings import encodings
from ..encodings.encoding_rows import EncodingRow
from ..keys import MOST_LAYERS, Keys
from ..rotary.widths import width_of_share
from ..submodels import Part

SOURCE = {"project": "megatron-core", "version": "0.16.1", "file": "core/models/gpt/gpt_model.py"}
KINDS = ("learned_absolute", "rope", "yarn")
#: constants of RotaryEmbedding._apply_scaling, of which pretraining passes none
LLAMA3 = {
    "factor": 8.0, "low_freq_factor": 1.0, "high_freq_factor": 4.0, "original_max_position_embeddings": 8192,
}  # fmt: skip
OF_YARN = {
    "factor": ("yarn_rotary_scaling_factor", "divides the low frequencies"),
    "original_max_position_embeddings": (
        "yarn_original_max_position_embeddings", "the length of pretraining, for the ramp",
    ),
    "beta_fast": ("yarn_beta_fast", "frequencies with at least so many rotations are kept"),
    "beta_slow": ("yarn_beta_slow", "frequencies with fewer rotations are divided"),
    "mscale": ("yarn_mscale", "one of the two numbers in the attention factor"),
    "mscale_all_dim": ("yarn_mscale_all_dim", "one of the two numbers in the attention factor"),
}  # fmt: skip
#: arguments that must be without effect, and why
REFUSED = {
    "multi_latent_attention": "latent attention has keys of its own",
    "scale_positional_embedding": "NeMo scales the frequencies by constants of its code",
    "rope_scaling": "Megatron-LM names it use_rope_scaling",
    "rotary_base_local": "the layers have two bases",
}
TABLE = {"kind": "learned", "tensor": "embedding.position_embeddings.weight", "dim": "hidden_size"}
#: arguments that decide nothing here, and why
IGNORED = {
    **dict.fromkeys(
        ("apply_rope_fusion", "fused_single_qkv_rope", "use_rotary_position_embeddings"),
        "decides which program rotates, not by how much",
    ),
    **dict.fromkeys(("relative_attention_num_buckets", "relative_attention_max_distance"), "of T5 alone"),
    **dict.fromkeys(("rope_type", "rotary_scaling_factor", "mscale", "mscale_all_dim"), "of latent attention alone"),
    "mrope_section": "read with position_embedding_type mrope alone",
}
OF_ROTATIONS = re.compile(r"rotary_|rope_|yarn_|use_rope_|no_rope_|seq_len_interpolation")


def is_file(values):
    """Whether a dict holds such arguments."""
    names = {"position_embedding_type", "num_layers", "num_attention_heads"}
    return names <= values.keys() and not {"model_type", "num_hidden_layers", "architecture"} & values.keys()


def read(values, log, seq_len):
    """(type, {name: Part}, encodings, nothing left out): what the arguments describe."""
    keys = Keys(values, "", log)
    kind = keys.take("position_embedding_type", "which encoding there is")
    if kind not in KINDS:
        sentence = f"position_embedding_type must be one of {', '.join(KINDS)}, got {shown(kind)}"
        raise InputError("E_CHOICE", "position_embedding_type", sentence)
    for name, why in REFUSED.items():
        if keys.peek(name):
            sentence = f"{name} must be left out or false, got {shown(keys.peek(name))}: {why}"
            raise InputError("E_CHOICE", name, sentence)
    for name, why in IGNORED.items():
        keys.ignore(name, why)
    if kind == "learned_absolute":
        tables = tuple(_learned(keys))
        for name in keys.entries:
            if OF_ROTATIONS.match(name) and keys.has_no_note(name):
                keys.ignore(name, "there is no rotation with learned_absolute")
        return "megatron", {}, tables, {}
    rotary = _yarn(keys) if kind == "yarn" else _rope(keys)
    layers = _layers(keys)
    rotaries = {"all": rotary} if not layers or "all" in layers else {}
    return "megatron", {"text": Part("megatron", rotaries, layers)}, (), {}


def _learned(keys):
    """The table of positions, by the rule of encodings."""
    if keys.peek("use_rotary_position_embeddings") or keys.peek("add_position_embedding") is False:
        sentence = "position_embedding_type must agree with the arguments that it replaces, got learned_absolute"
        raise InputError("E_CHOICE", "position_embedding_type", sentence)
    rows = "encoder_seq_length" if "encoder_seq_length" in keys else "max_position_embeddings"  # NeMo, Megatron-LM
    return encodings.of_keys(
        keys, EncodingRow(model_type="megatron", source=SOURCE, encodings=({**TABLE, "rows": rows},))
    )


def _rope(keys):
    """The rotation of RotaryEmbedding."""
    keys.rename("rotary_percentage", "rotary_percent")  # the name in NeMo 1
    head = keys.head_width("kv_channels", "hidden_size", "num_attention_heads")
    width = width_of_share(keys, "rotary_percent", head, 1.0)
    base = keys.number("rotary_base", "the base of the frequencies", 10000.0)
    frequencies, parameters = inverse_frequencies(width, base=base), {"rope_type": "default", "rope_theta": base}
    if keys.flag("use_rope_scaling", "whether low frequencies are divided"):
        _check_unpassed(keys, "rope_scaling_factor", LLAMA3["factor"])
        frequencies = llama3(width, base=base, **LLAMA3)
        parameters = {**parameters, **LLAMA3, "rope_type": "llama3"}
    else:
        keys.ignore("rope_scaling_factor", "read with use_rope_scaling alone")
    frequencies, parameters = _interpolated(keys, width, frequencies, parameters)
    pairing = "interleaved" if _is_interleaved(keys) else "half"
    return Rotary(frequencies, pairing, head, source=dict(SOURCE), parameters=parameters)


def _yarn(keys):
    """The rotation of YarnRotaryEmbedding, of all channels of a head."""
    head = keys.head_width("kv_channels", "hidden_size", "num_attention_heads")
    for name in ("rotary_percent", "use_rope_scaling", "rope_scaling_factor"):
        keys.ignore(name, "YaRN rotates all channels of a head, by numbers of its own")
    base = keys.number("rotary_base", "the base of the frequencies", 10000.0)
    arguments = {name: keys.need(key, decides) for name, (key, decides) in OF_YARN.items()}
    keys.require("yarn_correction_range_round_to_int")
    truncate = keys.flag("yarn_correction_range_round_to_int", "whether the ends of the ramp are rounded to integers")
    if _is_interleaved(keys):
        raise InputError("E_CHOICE", "rotary_interleaved", "rotary_interleaved must be false with yarn, got True")
    for name in ("seq_len_interpolation_factor", "rotary_seq_len_interpolation_factor"):
        _check_unpassed(keys, name, 1)
    frequencies = yarn(head, base=base, truncate=truncate, mscale_rule="ratio", **arguments)
    parameters = {"rope_type": "yarn", "rope_theta": base, **arguments, "truncate": truncate}
    return Rotary(frequencies, "half", head, source=dict(SOURCE), parameters=parameters)


def _interpolated(keys, width, frequencies, parameters):
    """The frequencies over the factor that divides positions, which NeMo passes and Megatron-LM does not."""
    _check_unpassed(keys, "rotary_seq_len_interpolation_factor", 1)
    factor = keys.number("seq_len_interpolation_factor", "divides the positions")
    if factor is None or factor == 1:
        return frequencies, parameters
    if parameters["rope_type"] == "default":
        parameters = {**parameters, "rope_type": "linear", "factor": factor}
    else:
        parameters = {**parameters, "seq_len_interpolation_factor": factor}
    return linear(width, factor=factor, frequencies=frequencies), parameters


def _check_unpassed(keys, name, constant):
    """Refuse an argument that some versions of Megatron-LM parse and do not pass to the model."""
    if name in keys and keys.number(name, "must be what the code has without it") != constant:
        sentence = f"{name} must be {constant:g} or left out, got {shown(keys.peek(name))}"
        raise InputError("E_CHOICE", name, f"{sentence}: versions of Megatron-LM differ in whether they pass it on")


def _is_interleaved(keys):
    return keys.flag("rotary_interleaved", "whether channels 2i and 2i + 1 turn together")


def _layers(keys):
    """The name of the rotation of each layer, None without one; empty where all layers are alike."""
    skipped = keys.take("no_rope_freq", "which layers have no rotation")
    if skipped in (None, 0):
        return ()
    count = keys.size("num_layers", "the number of layers", MOST_LAYERS)
    if isinstance(skipped, list):
        if len(skipped) != count or any(flag not in (0, 1) for flag in skipped):
            raise InputError(
                "E_SHAPE", "no_rope_freq", f"no_rope_freq must be {count} numbers 0 or 1, got another list"
            )
        return tuple(None if flag else "all" for flag in skipped)
    every = keys.integer("no_rope_freq", "one in so many layers has no rotation", maximum=MOST_LAYERS)
    if count % every:
        sentence = f"no_rope_freq must divide num_layers, {count}, got {every}"
        raise InputError("E_SIZE", "no_rope_freq", sentence)
    return tuple(None if (layer + 1) % every == 0 else "all" for layer in range(count))
