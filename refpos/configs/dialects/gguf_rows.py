"""What llama.cpp does with each architecture of a GGUF file: one row, read in the graphs, src/models/*.cpp.

Its table of rope types says how an architecture pairs its channels; whether a layer is rotated, and with which base,
stands in the graphs alone.
"""

from typing import NamedTuple

from ...errors import InputError, shown


class Row(NamedTuple):
    """The rotation of an architecture."""

    pairing: str
    # "all"; "sliding": those that slide, or all where none does; "step": all but every fourth; "step from first": the
    # same from the first layer on, where layers slide; "finetuned": all, or none with rope.scaling.finetuned false;
    # "blocks": all of a model of 32 layers
    layers: str = "all"
    placement: str = "first"
    axes: str | None = None  # arrangement of the axes of dimension_sections
    # which layers have no attention, and so no rotation: "heads": those without heads for keys; "interval": all but
    # every n-th, by full_attention_interval
    recurrent: str = ""
    has_factors: bool = False  # the frequencies are divided by tensors of the file
    has_betas: bool = False  # the ends of the ramp of YaRN are those of the file, where other graphs have 32 and 1
    is_fixed: bool = False  # all channels of a head, with the base 10000: no key is read
    # which layers slide: each but every n-th; "always", "key": with attention.sliding_window, "unless 0": without that
    # key too, "64 layers": in a model of so many
    every: int = 0
    full_first: bool = False  # the first of n layers is the full one, and not the last
    slides: str = "always"
    # how those are rotated: "same" as the others; "own": by freq_base_swa, or 10000, without a scaling; "own unscaled":
    # the same, but by freq_base where freq_base_swa is missing; "own scaled": so with the scaling; "plain": by
    # freq_base, without a scaling and without a factor
    sliding: str = "same"
    # what yarn_log_multiplier is: "" where no version is known to read it; "whole": mscale_all_dim; "tenth": a tenth
    # of it
    multiplier: str = ""
    scales_softmax: bool = False  # the softmax scale is multiplied beside cosine and sine
    # what queries are multiplied by attention_temperature with: "": nothing; "length" and "pretraining": the scale of
    # the file, and the key for its step; "bare layers": fixed numbers, in layers without a rotation
    temperature: str = ""


def _named(names, row):
    return dict.fromkeys(names.split(), row)


CONSECUTIVE, HALVES = Row("interleaved"), Row("half")
#: as converted from models that rotate the last channels of a head
LAST = CONSECUTIVE._replace(placement="last")
LATENT = LAST._replace(scales_softmax=True)

ROWS = {
    # channels (2i, 2i + 1) turn together: conversion has permuted the weights of models that pair halves elsewhere
    **_named(
        "arctic chameleon chatglm command-r ernie4_5 ernie4_5-moe glm4 granitemoe internlm2 llada maincoder neo-bert"
        " olmo xverse",
        CONSECUTIVE,
    ),
    **_named(
        "arcee bailingmoe deci deepseek llama llama-embed minicpm nanbeige",
        CONSECUTIVE._replace(has_factors=True),
    ),
    "mistral3": CONSECUTIVE._replace(has_factors=True, has_betas=True, multiplier="whole", temperature="pretraining"),
    **_named("deepseek2 mistral4", LATENT._replace(multiplier="tenth", temperature="length")),
    "deepseek32": LATENT._replace(multiplier="tenth"),
    "glm-dsa": LATENT,
    "plm": LAST,
    "baichuan": CONSECUTIVE._replace(layers="blocks"),
    "granite": CONSECUTIVE._replace(layers="finetuned", has_factors=True),
    "granitehybrid": CONSECUTIVE._replace(layers="finetuned", has_factors=True, recurrent="heads"),
    "cohere2": CONSECUTIVE._replace(layers="sliding", every=4, has_factors=True),
    "llama4": CONSECUTIVE._replace(
        layers="step", every=4, slides="unless 0", sliding="own scaled", has_factors=True, temperature="bare layers"
    ),
    "muse-glimmer": CONSECUTIVE._replace(layers="sliding", every=4, sliding="own unscaled"),
    "smollm3": CONSECUTIVE._replace(layers="step"),
    # channels (i, i + dimension_count/2) turn together
    **_named(
        "bailingmoe2 bitnet codeshell dbrx dots1 dream eurobert falcon falcon-h1 gemma glm4moe gptneox grovemoe"
        " hunyuan-dense jais2 jina-bert-v3 llada-moe minimax-01 minimax-m2 minimax-m3 nemotron nomic-bert"
        " nomic-bert-moe olmoe openelm orion pangu-embedded phi2 plamo qwen qwen2 qwen2moe qwen3 qwen3moe"
        " rnd1 seed_oss stablelm starcoder2",
        HALVES,
    ),
    "grok": HALVES._replace(has_betas=True),
    **_named("lfm2 lfm2moe plamo2", HALVES._replace(recurrent="heads")),
    "qwen3next": HALVES._replace(recurrent="interval"),
    **_named("apertus exaone hunyuan-moe hy_v3 phi3 phimoe", HALVES._replace(has_factors=True)),
    "minicpm3": HALVES._replace(placement="last", has_factors=True),
    **_named("cogvlm deepseek2-ocr", HALVES._replace(is_fixed=True)),
    "afmoe": HALVES._replace(layers="step", every=4, slides="key", sliding="own scaled"),
    "exaone-moe": HALVES._replace(layers="sliding", every=4, has_factors=True),
    "exaone4": HALVES._replace(layers="sliding", every=4, slides="64 layers", has_factors=True),
    "gemma2": HALVES._replace(every=2, sliding="own scaled"),
    "gemma3": HALVES._replace(every=6, slides="key", sliding="own"),
    "gemma3n": HALVES._replace(every=5, sliding="own"),
    "gemma-embedding": HALVES._replace(every=6, sliding="own"),
    "gpt-oss": HALVES._replace(every=2, sliding="own scaled"),
    **_named("mellum olmo2", HALVES._replace(every=4, slides="key", sliding="plain")),
    "modern-bert": HALVES._replace(every=3, full_first=True, slides="key", sliding="own"),
    "plamo3": HALVES._replace(every=8, slides="key", sliding="own"),
    "smallthinker": HALVES._replace(
        layers="step from first", every=4, full_first=True, slides="key", sliding="own scaled"
    ),
    # pairs turn by the axes of dimension_sections
    **_named("paddleocr qwen2vl", HALVES._replace(axes="chunked")),
    **_named("qwen3vl qwen3vlmoe", HALVES._replace(axes="interleaved")),
    **_named("qwen35 qwen35moe", HALVES._replace(axes="interleaved", recurrent="interval")),
}
#: architectures of text alone or of text and images: a file of the latter has sections, and then pairs halves
WITH_SECTIONS = _named("glm4 glm4moe", HALVES._replace(axes="chunked"))

#: architectures whose files llama.cpp refuses where a part of a head is rotated
WHOLE = frozenset("deci falcon llama llama-embed".split())

#: architectures without a rotation, and what they have
WITHOUT = {
    **_named("bert gpt2 starcoder", "which adds a table of positions"),
    **_named("bloom jais jina-bert-v2 mpt refact", "whose scores have a bias of ALiBi"),
    **_named("t5 t5encoder", "whose scores have a bias of T5"),
    **_named("arwkv7 mamba mamba2 rwkv6 rwkv6qwen2 rwkv7", "whose positions are the order of its recurrence"),
    **_named("jamba kimi-linear nemotron_h nemotron_h_moe", "whose attention has no positions"),
}


def row_of(architecture, has_sections):
    """The row of an architecture; E_CHOICE for one without a rotation, or one whose graph was not read."""
    if architecture in WITHOUT:
        sentence = f"must be one with a rotation, got {architecture!r}, {WITHOUT[architecture]}"
        raise InputError("E_CHOICE", "general.architecture", f"general.architecture {sentence}")
    if architecture not in ROWS:
        sentence = f"general.architecture must be one of the {len(ROWS)} known ones, got {shown(architecture)}"
        raise InputError("E_CHOICE", "general.architecture", sentence)
    return WITH_SECTIONS[architecture] if has_sections and architecture in WITH_SECTIONS else ROWS[architecture]
