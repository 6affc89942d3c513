"""GGUF metadata: which rotary encoding the keys of a llama.cpp file mean."""

from dataclasses import replace

from .. import checks
from ..arithmetic import reals
from ..errors import InputError
from ..frequencies.inverse_frequencies import inverse_frequencies
from ..frequencies.linear import linear
from ..frequencies.yarn import yarn
from ..models.rotary import Rotary
from . import rope_types
from .keys import WIDEST, Keys, check_names
from .submodels import Part

SOURCE = {"project": "llama.cpp", "version": "2026", "file": "src/llama-model.cpp, src/llama-context.cpp"}

#: channels (2i, 2i + 1) turn together: conversion has permuted the weights of models that pair halves elsewhere
CONSECUTIVE = frozenset(
    "llama llama-embed mllama deci baichuan starcoder internlm2 minicpm xverse command-r cohere2 olmo arctic deepseek"
    " deepseek2 deepseek2-ocr deepseek32 deepseek4 muse-glimmer plm chatglm glm4 glm-dsa granite granitemoe"
    " granitehybrid chameleon solar bailingmoe neo-bert smollm3 arcee ernie4_5 ernie4_5-moe mistral3 mistral4".split()
)
#: channels (i, i + dimension_count/2) turn together
HALVES = frozenset(
    "falcon falcon-h1 grok dbrx bert jina-bert-v3 modern-bert nomic-bert nomic-bert-moe eurobert stablelm bitnet qwen"
    " qwen2 dream qwen2moe qwen3 qwen3moe llada-moe rnd1 olmo2 olmoe phi2 phi3 phimoe plamo plamo2 plamo3 gemma gemma2"
    " gemma3 gemma3n gemma4 gemma-embedding starcoder2 openelm gptneox codeshell orion nemotron exaone exaone4"
    " exaone-moe minicpm3 bailingmoe2 dots1 hunyuan-moe hunyuan-dense jais2 gpt-oss hy-v3 lfm2 lfm2moe smallthinker"
    " seed_oss grovemoe apertus minimax-m2 minimax-m3 cogvlm pangu-embedded afmoe laguna qwen3next mimo2 step35 mellum"
    " glm4moe qwen2vl paddleocr qwen3vl qwen3vlmoe qwen35 qwen35moe".split()
)
#: of these, models whose pairs turn by the axes of dimension_sections
MROPE = {
    **dict.fromkeys(("qwen2vl", "paddleocr"), "chunked"),
    **dict.fromkeys(("qwen3vl", "qwen3vlmoe", "qwen35", "qwen35moe"), "interleaved"),
}


def is_metadata(values):
    """Whether a dict holds the keys of a GGUF file."""
    return isinstance(values.get("general.architecture"), str)


def read_part(values, log):
    """(architecture, Part): the rotation that the metadata of a GGUF file describe."""
    check_names(values, "")
    architecture = values["general.architecture"]
    if architecture not in CONSECUTIVE | HALVES:
        known = len(CONSECUTIVE | HALVES)
        sentence = f"general.architecture must be one of the {known} known ones, got {architecture!r}"
        raise InputError("E_CHOICE", "general.architecture", sentence)
    log.used["general.architecture"] = "how channels are paired"
    prefix = f"{architecture}."
    own = {name.removeprefix(prefix): value for name, value in values.items() if name.startswith(prefix)}
    keys = Keys(own, prefix, log)
    head, width = _widths(keys)
    base = keys.number("rope.freq_base", "the base of the frequencies", 10000.0)
    frequencies, scaling = _scaled(keys, width, base)
    if architecture in MROPE and "rope.dimension_sections" in keys:
        sections = keys.sequence("rope.dimension_sections", "how many pairs turn by frame, row and column")
        frequencies = rope_types.three_axes(frequencies, MROPE[architecture], list(sections)[:3])
    keys.ignore("rope.scaling.finetuned", "says how the model was trained, and changes nothing")
    for name in keys.entries:
        if name.startswith("rope.") and keys.path(name) not in log.used:
            keys.ignore(name, "not described here: it is for the sliding layers, or set by the code of the model")
    is_last = architecture.startswith("deepseek2") or architecture in ("minicpm3", "glm-dsa")
    rotary = Rotary(
        frequencies,
        "interleaved" if architecture in CONSECUTIVE else "half",
        head,
        placement="last" if is_last else "first",
        source=dict(SOURCE),
        notes=("frequencies are divided by the tensor rope_freqs.weight as well, if the file holds one (Llama 3)",),
        parameters={"rope_type": scaling, "rope_theta": base},
    )
    return architecture, Part(architecture, {"all": rotary})


def _widths(keys):
    """Channels of a key, and how many of them are rotated."""
    if "attention.key_length_mla" in keys:
        head = keys.width("attention.key_length_mla", "the width of a head")
    elif "attention.key_length" in keys:
        head = keys.width("attention.key_length", "the width of a head")
    else:
        size = keys.need("embedding_length", "divided by attention.head_count it is the width of a head")
        heads = keys.need("attention.head_count", "divides embedding_length")
        size, heads = checks.integer("embedding_length", size, 1), checks.integer("attention.head_count", heads, 1)
        head = size // heads
        if head > WIDEST:
            sentence = f"embedding_length / attention.head_count must be at most {WIDEST}, got {size} / {heads}"
            raise InputError("E_SIZE", "embedding_length", sentence)
    width = keys.integer("rope.dimension_count", "how many channels are rotated", head)
    if width > head:
        sentence = f"rope.dimension_count must be at most the width of a head, {head}, got {width}"
        raise InputError("E_ROTARY_DIM", "rope.dimension_count", sentence)
    return head, width


def _scaled(keys, width, base):
    """The frequencies, and the name of their scaling."""
    scaling = keys.take("rope.scaling.type", "the scaling", "linear")
    scaling = checks.choice("rope.scaling.type", scaling, ("none", "linear", "yarn"))
    if "rope.scaling.factor" not in keys:
        keys.rename("rope.scale_linear", "rope.scaling.factor")
    factor = keys.number("rope.scaling.factor", "divides the frequencies") or 1
    attention_factor = keys.number("rope.scaling.attn_factor", "multiplies cosine and sine", 1.0)
    attention_factor = reals.rational(checks.positive("rope.scaling.attn_factor", attention_factor))
    if scaling == "yarn":
        frequencies = _yarn(keys, width, base, factor)
        return replace(frequencies, factor=frequencies.factor * attention_factor), scaling
    frequencies = inverse_frequencies(width, base=base)
    if scaling == "linear" and factor != 1:
        frequencies = linear(width, factor=factor, frequencies=frequencies)
    return replace(frequencies, factor=attention_factor), "default" if factor == 1 else scaling


def _yarn(keys, width, base, factor):
    """The frequencies of YaRN as llama.cpp reads its keys."""
    trained = keys.integer("rope.scaling.original_context_length", "the length of pretraining, for the ramp")
    if trained is None:
        trained = keys.need("context_length", "the length of pretraining, for the ramp")
    multiplier = keys.number("rope.scaling.yarn_log_multiplier", "mscale_all_dim of the factor on cosine and sine")
    if multiplier and keys.prefix == "deepseek2.":
        multiplier = 1  # its mscale is taken to be the same number: the two cancel
    return yarn(
        width,
        base=base,
        factor=factor,
        original_max_position_embeddings=trained,
        beta_fast=keys.number("rope.scaling.yarn_beta_fast", rope_types.KEPT, 32.0),
        beta_slow=keys.number("rope.scaling.yarn_beta_slow", rope_types.DIVIDED, 1.0),
        mscale=1 if multiplier else None,
        mscale_all_dim=multiplier,
    )
