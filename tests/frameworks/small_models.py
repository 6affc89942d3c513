"""Small random models of transformers, by their types."""

import torch
from transformers import CONFIG_MAPPING, AutoModel

SMALL = {"hidden_size": 64, "num_attention_heads": 4, "num_key_value_heads": 2, "intermediate_size": 64, "d_model": 64,
         "num_hidden_layers": 2, "vocab_size": 99, "encoder_layers": 2, "decoder_layers": 2, "encoder_ffn_dim": 64,
         "encoder_attention_heads": 4, "decoder_attention_heads": 4, "decoder_ffn_dim": 64, "n_layer": 2, "n_head": 4,
         "n_embd": 64, "ffn_dim": 64, "num_layers": 2, "num_heads": 4, "d_ff": 64, "num_experts": 4,
         "num_local_experts": 4, "n_routed_experts": 4, "moe_intermediate_size": 32}  # fmt: skip
#: types whose models hold inv_freq and run as rotary modules
ROTARY = (
    "apertus arcee bitnet cohere cohere2 deepseek_v2 deepseek_v3 ernie4_5 exaone4 falcon gemma gemma2 gemma3_text"
    " glm glm4 gpt_neox gpt_oss granite helium hunyuan_v1_dense llama llama4_text minimax mistral mixtral modernbert"
    " nemotron neomme olmo olmo2 olmo3 olmoe persimmon phi phi3 qwen2 qwen2_moe qwen3 qwen3_5_text qwen3_moe"
    " qwen3_vl_text seed_oss smollm3 stablelm starcoder2"
).split()
#: types with frequencies that are not run, sinusoidal tables, learned tables, biases, or windows
OTHERS = (
    "albert bart bert bloom camembert ctrl deberta-v2 distilbert dinov3_vit electra esm fastspeech2_conformer fsmt gpt2"
    " gpt_neo ibert longt5 m2m_100 marian mbart mpnet mpt mt5 nystromformer opt parakeet_encoder pegasus roberta"
    " roformer speech_to_text swin swinv2 t5 umt5 videomae vit whisper xglm xlm-roberta"
).split()


#: what other small models of these types need
OWN_KEYS = {"esm": {"vocab_size": 33, "pad_token_id": 1, "mask_token_id": 32},
            "gpt_neo": {"attention_types": [[["global", "local"], 1]]},
            "gemma3_text": {"num_hidden_layers": 6}, "hunyuan_v1_dense": {"head_dim": 16},
            "nemotron": {"head_dim": 16, "num_key_value_heads": 2}}  # fmt: skip


def tiny(kind, **changes):
    """A small configuration of a type."""
    default = CONFIG_MAPPING[kind]()
    found = {name: value for name, value in SMALL.items() if type(getattr(default, name, None)) is int}
    found = {name: value for name, value in found.items() if default.attribute_map.get(name) not in found}
    if (getattr(default, "pad_token_id", None) or 0) >= SMALL["vocab_size"]:
        found["pad_token_id"] = 0
    return CONFIG_MAPPING[kind](**{**found, **OWN_KEYS.get(kind, {}), **changes})


def made(kind, **changes):
    torch.manual_seed(0)
    return AutoModel.from_config(tiny(kind, **changes))


def sentences(found):
    return [f"{one.tensor}: {one.sentence}" for one in found.findings]
