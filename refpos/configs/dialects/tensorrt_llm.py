"""config.json of a checkpoint or an engine of TensorRT-LLM, whose classes decide what position_embedding_type may be.

A class that was not read is refused: some pass the keys on to their attention, others have constants in their place.
"""

from dataclasses import replace
from typing import NamedTuple

from ...errors import InputError, shown
from ...frequencies.inverse_frequencies import inverse_frequencies
from ...frequencies.linear import linear
from ...frequencies.llama3 import llama3
from ...frequencies.yarn import yarn
from ...models.rotary import Rotary
from ..encodings import encodings
from ..encodings.encoding_rows import EncodingRow
from ..keys import WIDEST, Keys
from ..rotary.widths import width_of_share
from ..submodels import Part

ENGINE = "pretrained_config"  # the object of an engine's file that is the configuration of its checkpoint
PAIRINGS = {"rope_gptj": "interleaved", "rope_gpt_neox": "half"}
#: by the rules of encodings
ENCODINGS = {
    "learned_absolute": {
        "kind": "learned", "tensor": "transformer.position_embedding.weight", "rows": "max_position_embeddings",
        "dim": "hidden_size",
    },
    "alibi": {"kind": "alibi", "heads": "num_attention_heads", "arguments": {"query_offset": 0}},
}  # fmt: skip


class Row(NamedTuple):
    """A class: the folder of its code and the commit that was read, the values of position_embedding_type that it
    computes, and how it reads the rotated share of a head, "all", "rotary_pct" or "rotary_dim"."""

    folder: str
    version: str
    kinds: tuple
    share: str = "all"
    has_scaling: bool = True  # whether it reads rotary_base and rotary_scaling

    @property
    def source(self):
        """Project, version and file."""
        file = f"tensorrt_llm/models/{self.folder}/model.py"
        return {"project": "TensorRT-LLM", "version": self.version, "file": file}


LLAMA = Row("llama", "04100fd", ("rope_gpt_neox",))
ROWS = {
    **dict.fromkeys(
        "LlamaForCausalLM MistralForCausalLM MixtralForCausalLM ArcticForCausalLM InternLMForCausalLM"
        " InternLM2ForCausalLM SkyworkForCausalLM GraniteForCausalLM GraniteMoeForCausalLM".split(),
        LLAMA,
    ),
    **dict.fromkeys("QWenForCausalLM Qwen2ForCausalLM".split(), Row("qwen", "14e801d", ("rope_gpt_neox",))),
    "GPTForCausalLM": Row("gpt", "14e801d", ("learned_absolute", "rope_gpt_neox", "rope_gptj"), "rotary_pct"),
    "GPTJForCausalLM": Row("gptj", "027cd51", ("rope_gptj",), "rotary_dim", has_scaling=False),
    "BloomForCausalLM": Row("bloom", "027cd51", ("alibi",)),
}
#: keys of other encodings, which these classes do not read
REFUSED = ("rope_local_base_freq", "longrope_scaling_short_factors", "use_logn_attn", "alibi_bias_max")


def is_file(values):
    """Whether a dict is the configuration of a checkpoint, or of an engine."""
    inner = values[ENGINE] if isinstance(values.get(ENGINE), dict) else values
    names = {"architecture", "hidden_size", "num_hidden_layers", "num_attention_heads"}
    return names <= inner.keys() and "model_type" not in inner


def read(values, log, seq_len):
    """(class, {name: Part}, encodings, nothing left out): what a file describes."""
    is_engine = isinstance(values.get(ENGINE), dict)
    keys = Keys(values[ENGINE], f"{ENGINE}.", log) if is_engine else Keys(values, "", log)
    name = keys.take("architecture", "the class that reads the keys")
    if not isinstance(name, str) or name not in ROWS:
        sentence = f"architecture must be one of the {len(ROWS)} known classes of TensorRT-LLM, got {shown(name)}"
        raise InputError("E_CHOICE", "architecture", sentence)
    row, kind = ROWS[name], keys.take("position_embedding_type", "which encoding there is")
    if kind not in row.kinds:
        sentence = f"position_embedding_type of {name} must be one of {', '.join(row.kinds)}, got {shown(kind)}"
        raise InputError("E_CHOICE", "position_embedding_type", sentence)
    for refused in REFUSED:
        if keys.peek(refused):
            sentence = f"{refused} must be left out, got {shown(keys.peek(refused))}: {name} does not read it"
            raise InputError("E_CHOICE", refused, sentence)
    if kind in PAIRINGS:
        return name, {"text": Part(name, {"all": _rotary(row, keys, PAIRINGS[kind])})}, (), {}
    for key in ("rotary_base", "rotary_scaling", "rotary_pct", "rotary_dim", "rotary_embedding_dim"):
        keys.ignore(key, f"there is no rotation with {kind}")
    others = encodings.of_keys(keys, EncodingRow(model_type=name, source=row.source, encodings=(ENCODINGS[kind],)))
    return name, {}, tuple(replace(one, part="text") for one in others), {}


def _rotary(row, keys, pairing):
    """The rotation of a class."""
    head = keys.head_width("head_size", "hidden_size", "num_attention_heads")
    width = _width(row, keys, head)
    base = keys.number("rotary_base", "the base of the frequencies", 10000.0)
    if not row.has_scaling and (base != 10000 or keys.peek("rotary_scaling")):
        name = "rotary_scaling" if base == 10000 else "rotary_base"
        raise InputError("E_CHOICE", name, f"{keys.path(name)} must be left out: this class does not read it")
    frequencies, parameters = _scaled(keys, width, base)
    return Rotary(frequencies, pairing, head, source=row.source, parameters=parameters)


def _width(row, keys, head):
    """How many channels are rotated; the keys that a class does not read must say the same."""
    if row.share == "rotary_pct":
        width = width_of_share(keys, "rotary_pct", head, 1.0)
    else:
        width = keys.size("rotary_dim", "how many channels are rotated", WIDEST) if row.share == "rotary_dim" else head
        share = keys.number("rotary_pct", "must be the part that the class rotates")
        if share is not None and int(head * float(share)) != width:
            sentence = f"{keys.path('rotary_pct')} must give {width} of {head} channels, got {shown(share)}"
            raise InputError("E_ROTARY_DIM", "rotary_pct", sentence)
    for name in ("rotary_dim", "rotary_embedding_dim"):
        if keys.integer(name, "how many channels are rotated", maximum=WIDEST) not in (None, width):
            sentence = f"{keys.path(name)} must be {width}, which the class rotates, got {shown(keys.peek(name))}"
            raise InputError("E_ROTARY_DIM", name, sentence)
    if width % 2 or width > head:
        sentence = f"the rotary width must be even and at most {head}, got {width}"
        raise InputError("E_ROTARY_DIM", "rotary_dim", sentence)
    return width


def _scaled(keys, width, base):
    """The frequencies of rotary_scaling, and the parameters by the names of transformers."""
    plain = {"rope_type": "default", "rope_theta": base}
    if not keys.peek("rotary_scaling"):
        return inverse_frequencies(width, base=base), plain
    inner = keys.inner("rotary_scaling")
    inner.rename("type", "rope_type")
    kind = inner.take("rope_type", "the scaling")
    if not isinstance(kind, str) or kind not in SCALINGS:
        sentence = f"{inner.path('rope_type')} must be one of {', '.join(SCALINGS)}, got {shown(kind)}"
        raise InputError("E_CHOICE", "rope_type", sentence)
    frequencies, arguments = SCALINGS[kind](inner, width, base)
    inner.ignore_rest("no part of the rotation reads it")
    return frequencies, {**plain, **arguments, "rope_type": kind}


def _linear(keys, width, base):
    factor = keys.number("factor", "divides the frequencies", 1.0)
    return linear(width, base=base, factor=factor), {"factor": factor}


def _llama3(keys, width, base):
    arguments = {
        "factor": keys.number("factor", "divides the low frequencies", 8.0),
        "low_freq_factor": keys.number("low_freq_factor", "frequencies with fewer rotations are divided", 1.0),
        "high_freq_factor": keys.number("high_freq_factor", "frequencies with so many rotations are kept", 4.0),
        "original_max_position_embeddings": keys.integer(
            "original_max_position_embeddings", "the length of pretraining, for the ramp", 8192
        ),
    }
    return llama3(width, base=base, **arguments), arguments


def _yarn(keys, width, base):
    number = "one of the two numbers in the attention factor"
    arguments = {
        "factor": keys.number("factor", "divides the low frequencies", 1.0),
        "original_max_position_embeddings": keys.integer(
            "original_max_position_embeddings", "the length of pretraining, for the ramp", 4096
        ),
        "beta_fast": keys.number("beta_fast", "frequencies with at least so many rotations are kept", 32.0),
        "beta_slow": keys.number("beta_slow", "frequencies with fewer rotations are divided", 1.0),
        "mscale": keys.number("mscale", number, 1.0),
        "mscale_all_dim": keys.number("mscale_all_dim", number, 0.0),
    }
    return yarn(width, base=base, mscale_rule="ratio", **arguments), arguments


SCALINGS = {"linear": _linear, "llama3": _llama3, "yarn": _yarn}
