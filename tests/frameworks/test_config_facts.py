"""Facts of single classes, by the classes of transformers themselves: layers, widths and ramps of files that
`tests/test_config_facts.py` reads."""

import copy
import importlib

import numpy as np
import pytest
import transformers

from refpos import from_config

YARN = {"rope_type": "yarn", "factor": 4.0}
PLAIN = {"rope_type": "default", "rope_theta": 1e4}
HALF = ["full_attention", "sliding_attention"] * 2

LAYERS = [
    *({"model_type": kind, "num_hidden_layers": 4, "layer_types": HALF}
      for kind in "gemma4_text gemma4_unified_text diffusion_gemma_text embedding_gemma2_text gemma3_text".split()),
    {"model_type": "ultrabert", "num_hidden_layers": 3, "attention_windows": [0, 128, 128]},
    {"model_type": "ultrabert", "num_hidden_layers": 3, "attention_windows": [None, 128, 128]},
    {"model_type": "dots3_note_text", "num_hidden_layers": 6, "use_sliding_window": False},
    {"model_type": "dots3_note_text", "num_hidden_layers": 6, "use_sliding_window": None},
    {"model_type": "dots3_note_text", "num_hidden_layers": 6, "use_dsa": False},
]  # fmt: skip


def real_config(values):
    values = copy.deepcopy(values)
    return transformers.CONFIG_MAPPING[values.pop("model_type")](**values)


@pytest.mark.parametrize("values", LAYERS, ids=str)
def test_types_of_layers(values):
    assert from_config(values).parts["text"].layers == tuple(real_config(values).layer_types)


@pytest.mark.parametrize(
    "more",
    [
        {}, {"first_k_dense_replace": 3}, {"first_k_dense_replace": 3, "prefix_dense_sliding_window_pattern": 2},
        {"mlp_layer_types": ["dense"] * 4 + ["sparse"] * 4},
    ],
)  # fmt: skip
def test_layers_of_cohere2_moe_that_are_rotated(more):
    values = {"model_type": "cohere2_moe", "num_hidden_layers": 8, **more}
    config = real_config(values)
    module = importlib.import_module("transformers.models.cohere2_moe.modeling_cohere2_moe")
    small = copy.deepcopy(config)
    small.hidden_size, small.num_attention_heads, small.num_key_value_heads, small.head_dim = 8, 1, 1, 8
    attentions = [module.Cohere2MoeAttention(small, i) for i in range(8)]
    rotated = [one.force_rope or one.sliding_window is not None for one in attentions]
    assert [name is not None for name in from_config(values).parts["text"].layers] == rotated


def test_layers_of_inkling():
    for more in ({}, {"local_layer_ids": [5]}, {"layer_types": ["hybrid"] * 5 + ["hybrid_sliding"]}):
        values = {"model_type": "inkling_text", "num_hidden_layers": 6, **more}
        types = real_config(values).layer_types
        sliding, full = (one.weights["layers"] for one in from_config(values).encodings)
        assert [types[i] for i in sliding] == ["hybrid_sliding"] * len(sliding) and {*sliding, *full} == {*range(6)}
        assert [types[i] for i in full] == ["hybrid"] * len(full)


NESTED = {"main": PLAIN, "compress": {**PLAIN, "rope_theta": 1e5}}
LINEAR = {"rope_type": "linear", "rope_theta": 1e4, "factor": 2.0}
TYPES = {"zaya": ["hybrid"], "laguna": ["full_attention"], "mimo_v2_flash": ["full_attention", "sliding_attention"]}
LENGTHS = {"max_position_embeddings": 4096, "original_max_position_embeddings": 1024}
ROTATIONS = [
    *({"model_type": "deepseek_v4", "rope_parameters": NESTED, **more}
      for more in ({}, {"qk_rope_head_dim": 128}, {"partial_rotary_factor": 0.25})),
    *({"model_type": kind, "num_hidden_layers": 2, "partial_rotary_factor": 0.25,
       **({"layer_types": names * 2} if kind == "laguna" else {}), "rope_parameters": dict.fromkeys(names, one)}
      for kind, names in TYPES.items() for one in (PLAIN, LINEAR)),
    {"model_type": "cohere2_moe", "partial_rotary_factor": 0.25,
     "rope_parameters": {"rope_type": "proportional", "rope_theta": 1e4}},
    {"model_type": "cohere2_moe", "partial_rotary_factor": 0.25, "rope_parameters": LINEAR},
    *({"model_type": kind, "num_hidden_layers": 6, "rope_scaling": YARN, **LENGTHS}
      for kind in ("gemma3_text", "gemma3n_text", "olmo3")),
    {"model_type": "lfm3", "num_hidden_layers": 6, **LENGTHS,
     "rope_parameters": {name: {**YARN, "rope_theta": 1e4} for name in ("full_attention", "sliding_attention")}},
    *({"model_type": "llama", "max_position_embeddings": 8192,
       "rope_scaling": {**YARN, "original_max_position_embeddings": 4096, **more}}
      for more in ({}, {"truncate": None}, {"truncate": False})),
]  # fmt: skip


@pytest.mark.parametrize("values", ROTATIONS, ids=lambda values: f"{values['model_type']}-{len(str(values))}")
def test_frequencies(values):
    config = real_config(values)
    folder = type(config).__module__.split(".")[-2]
    module = importlib.import_module(f"transformers.models.{folder}.modeling_{folder}")
    name = type(config).__name__.removesuffix("Config").removesuffix("Text")
    kinds = [getattr(module, f"{one}RotaryEmbedding", None) for one in (name, f"{name}Text")]
    rotary = next(kind for kind in kinds if kind is not None)(config)
    real = {key.removesuffix("inv_freq").strip("_") or "all": value.numpy()
            for key, value in rotary.named_buffers() if key.endswith("inv_freq") and "original" not in key}  # fmt: skip
    found = from_config(values).parts["text"].rotaries
    assert real and {*real} <= {*found}
    for name, inv_freq in real.items():
        assert found[name].inv_freq.shape == inv_freq.shape, name
        np.testing.assert_allclose(found[name].inv_freq, inv_freq, rtol=1e-5)
