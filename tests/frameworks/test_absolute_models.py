"""The tables that named models add to their embeddings, beside the real code: within what float32 explains."""

from importlib import import_module
from types import SimpleNamespace
from typing import NamedTuple

import evidence
import numpy as np
import pytest
import torch
from diffusers.models.embeddings import SinusoidalPositionalEmbedding

import refpos
from refpos import compare, conformance, models
from refpos.conformance import error_bounds

COUNT = 600


def hf(name):
    """The module of a model in transformers."""
    return import_module(f"transformers.models.{name}.modeling_{name}")


def weight(name, cls):
    """The table of a module that makes it in float64."""
    return lambda dim: getattr(hf(name), cls)(COUNT, dim).create_weight().detach()


def embedding(name, cls):
    """The table of a module that has a function for it: with a row of zeros where one is given."""

    def table(dim, padding_idx=None):
        more = () if name.startswith("musicgen") else (padding_idx,)
        return getattr(hf(name), cls).get_embedding(COUNT, dim, *more)

    return table


def written(name):
    """The table that a function writes into a tensor."""
    function = hf(name).create_sinusoidal_embeddings
    return lambda dim: function(COUNT, dim, torch.empty(COUNT, dim))


def positional(name, cls):
    """The buffer of a module that is made of a length and a width."""
    return lambda dim: getattr(hf(name), cls)(COUNT, dim).positional_embedding


def florence2(dim):
    vision = SimpleNamespace(embed_dim=[dim], max_temporal_embeddings=COUNT)
    return (
        hf("florence2")
        .Florence2VisionPositionalEmbeddingCosine1D(SimpleNamespace(vision_config=vision))
        .pos_idx_to_embed
    )


def timesfm(dim, min_timescale=1, max_timescale=10000):
    config = SimpleNamespace(hidden_size=dim, min_timescale=min_timescale, max_timescale=max_timescale)
    table = hf("timesfm").TimesFmPositionalEmbedding(config)(COUNT)[0]
    assert table.shape == (COUNT + dim % 2, dim // 2 * 2) and not table[COUNT:].any()
    return table[:COUNT]


def gemma4_audio(dim):
    config = SimpleNamespace(hidden_size=dim, attention_chunk_size=12, attention_context_left=13,
                             attention_context_right=0)  # fmt: skip
    return hf("gemma4").Gemma4AudioRelPositionalEncoding(config)(torch.zeros(1)).reshape(13, dim)


def fun_asr_nano(dim):
    module = hf("fun_asr_nano").FunAsrNanoPositionEmbedding(COUNT + 1, dim)
    return module(torch.zeros(1, COUNT, dim))


def pegasus_x(dim, max_scale=10000):
    return hf("pegasus_x").PegasusXSinusoidalPositionalEmbedding(dim, max_scale)(torch.zeros(1, COUNT, dim), 3)[0]


class Row(NamedTuple):
    """A preset, its sizes, the real code, the class that its table meets, and where its positions begin and step."""

    name: str
    sizes: dict
    real: object
    met: str = "float32-exp-angle"
    positions: object = range(COUNT)


FLOAT64 = "float64-angle"
ROWS = [
    Row("xlm", {"dim": 32}, written("xlm"), FLOAT64),
    Row("distilbert", {"dim": 48}, written("distilbert"), FLOAT64),
    Row("florence2", {"dim": 40}, florence2),
    Row("speecht5", {"dim": 36}, lambda dim: hf("speecht5").SpeechT5ScaledPositionalEncoding(0, dim, COUNT).pe[0]),
    Row("animatediff", {"dim": 44}, lambda dim: SinusoidalPositionalEmbedding(dim, COUNT).pe[0]),
    Row("marian", {"dim": 7}, weight("marian", "MarianSinusoidalPositionalEmbedding"), FLOAT64),
    Row("pegasus", {"dim": 38}, weight("pegasus", "PegasusSinusoidalPositionalEmbedding"), FLOAT64),
    Row("informer", {"dim": 5}, weight("informer", "InformerSinusoidalPositionalEmbedding"), FLOAT64),
    Row("time_series_transformer", {"dim": 5},
        weight("time_series_transformer", "TimeSeriesSinusoidalPositionalEmbedding"), FLOAT64),
    Row("ctrl", {"dim": 50}, lambda dim: hf("ctrl").positional_encoding(COUNT, dim, torch.float), "float32-angle"),
    Row("canary", {"dim": 4}, positional("canary", "CanaryPositionalEmbedding")),
    Row("whisper", {"dim": 64}, lambda dim: hf("whisper").sinusoids(COUNT, dim)),
    Row("qwen3_omni_audio", {"dim": 60}, positional("qwen3_omni_moe", "SinusoidsPositionEmbedding")),
    Row("tipsv2", {"dim": 7}, embedding("tipsv2", "Tipsv2SinusoidalPositionalEmbedding")),
    Row("fun_asr_nano", {"dim": 56}, fun_asr_nano, positions=range(1, COUNT + 1)),
    Row("timesfm", {"dim": 7}, timesfm),
    Row("timesfm", {"dim": 2, "min_timescale": 2, "max_timescale": 30000}, timesfm),
    Row("gemma4_audio", {"dim": 52}, gemma4_audio, positions=range(12, -1, -1)),
    Row("pegasus_x", {"dim": 42}, pegasus_x, positions=range(3, COUNT + 3)),
    Row("musicgen", {"dim": 5}, embedding("musicgen", "MusicgenSinusoidalPositionalEmbedding")),
    Row("musicgen_melody", {"dim": 46}, embedding("musicgen_melody", "MusicgenMelodySinusoidalPositionalEmbedding")),
    Row("m2m_100", {"dim": 24, "padding_idx": 1}, embedding("m2m_100", "M2M100SinusoidalPositionalEmbedding")),
    Row("nllb_moe", {"dim": 5, "padding_idx": 0}, embedding("nllb_moe", "NllbMoeSinusoidalPositionalEmbedding")),
    Row("kosmos2", {"dim": 30, "padding_idx": 1}, embedding("kosmos2", "Kosmos2TextSinusoidalPositionalEmbedding")),
    Row("speech_to_text", {"dim": 28, "padding_idx": 1},
        embedding("speech_to_text", "Speech2TextSinusoidalPositionalEmbedding")),
    Row("xglm", {"dim": 26, "padding_idx": 1}, embedding("xglm", "XGLMSinusoidalPositionalEmbedding")),
    Row("fsmt", {"dim": 22, "padding_idx": 1}, embedding("fsmt", "SinusoidalPositionalEmbedding")),
    Row("trocr", {"dim": 20, "padding_idx": 1}, embedding("trocr", "TrOCRSinusoidalPositionalEmbedding")),
]  # fmt: skip


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.name)
def test_tables_are_those_of_the_model(row):
    encoding = models.load(row.name, **row.sizes)
    theirs = row.real(**row.sizes).numpy()
    assert theirs.dtype == np.float32
    limits = conformance.bounds(
        encoding.function, {**encoding.arguments}, {"positions": np.array(row.positions)}, "float32"
    )
    ours = encoding.table(row.positions, dtype="float32")
    of_class = {name: outputs["output"] for name, outputs in limits.items()}
    report = refpos.compare(theirs, ours, bounds=of_class, conformance=row.met)
    assert report, report


def test_every_absolute_preset_with_real_code_has_a_row():
    added = [models.find(name) for name in evidence.ADDED]
    # those of the families learned and resizing are run by test_learned_models.py and test_resize_models.py
    run = {one.name for one in added if one.checked != "formula" and one.family not in ("learned", "resizing")}
    assert {row.name for row in ROWS} == run


@pytest.mark.parametrize("dim", [4, 6, 64])
def test_canary_divides_by_the_root_of_its_width(dim):
    theirs = hf("canary").CanaryPositionalEmbedding(COUNT, dim)(torch.arange(COUNT)).numpy()
    ours = models.load("canary", dim=dim).table(COUNT, divisor="sqrt-dim", dtype="float32")
    arguments = {"positions": COUNT, "dim": dim, "layout": "sin-cos", "divisor": "sqrt-dim"}
    limits = error_bounds.bounds("sinusoidal", arguments, {}, "float32")
    bounds = {kind: limit["output"] for kind, limit in limits.items()}
    assert compare(theirs, ours, bounds=bounds).classes["float32-exp-angle"].met
    assert np.abs(models.load("canary", dim=dim).table(COUNT) - ours).max() > 0.4
