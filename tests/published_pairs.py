"""Published configurations, by the keys that an encoding is made from, and pairs of them with what differs."""

LLAMA_2_7B = {"model_type": "llama", "hidden_size": 4096, "num_attention_heads": 32, "num_hidden_layers": 32,
              "max_position_embeddings": 4096, "rope_scaling": None, "rope_theta": 10000.0}  # fmt: skip
CODELLAMA_7B = {**LLAMA_2_7B, "max_position_embeddings": 16384, "rope_theta": 1000000}
LLAMA_3_8B = {**LLAMA_2_7B, "max_position_embeddings": 8192, "rope_theta": 500000.0}
LLAMA_3_8B_1048K = {**LLAMA_3_8B, "max_position_embeddings": 1048576, "rope_theta": 3580165449.0}  # gradientai
LLAMA3_SCALING = {"factor": 8.0, "low_freq_factor": 1.0, "high_freq_factor": 4.0,
                  "original_max_position_embeddings": 8192, "rope_type": "llama3"}  # fmt: skip
LLAMA_3_1_8B = {**LLAMA_3_8B, "max_position_embeddings": 131072, "rope_scaling": LLAMA3_SCALING}
LLAMA_3_1_70B = {**LLAMA_3_1_8B, "hidden_size": 8192, "num_attention_heads": 64, "num_hidden_layers": 80}
LLAMA_3_2_1B = {**LLAMA_3_1_8B, "hidden_size": 2048, "head_dim": 64, "num_hidden_layers": 16,
                "rope_scaling": {**LLAMA3_SCALING, "factor": 32.0}}  # fmt: skip
LLAMA_3_2_3B = {**LLAMA_3_1_8B, "hidden_size": 3072, "num_attention_heads": 24, "head_dim": 128,
                "num_hidden_layers": 28, "rope_scaling": {**LLAMA3_SCALING, "factor": 32.0}}  # fmt: skip
LONGCHAT_7B_16K = {**LLAMA_2_7B, "max_position_embeddings": 2048, "rope_condense_ratio": 8}  # before its commit 242a915
YI_6B = {**LLAMA_2_7B, "rope_theta": 5000000.0}
YI_6B_200K = {**YI_6B, "max_position_embeddings": 200000, "rope_theta": 10000000.0}
MISTRAL_7B_V01 = {"model_type": "mistral", "hidden_size": 4096, "num_attention_heads": 32, "num_hidden_layers": 32,
                  "max_position_embeddings": 32768, "sliding_window": 4096, "rope_theta": 10000.0}  # fmt: skip
MISTRAL_7B_V02 = {**MISTRAL_7B_V01, "sliding_window": None, "rope_theta": 1000000.0}
MIXTRAL_8X7B = {**MISTRAL_7B_V02, "model_type": "mixtral"}
QWEN_2_5_7B = {"model_type": "qwen2", "hidden_size": 3584, "num_attention_heads": 28, "num_hidden_layers": 28,
               "max_position_embeddings": 32768, "rope_theta": 1000000.0}  # fmt: skip
QWEN_2_5_0_5B = {**QWEN_2_5_7B, "hidden_size": 896, "num_attention_heads": 14, "num_hidden_layers": 24}
QWEN_2_5_32B = {**QWEN_2_5_7B, "hidden_size": 5120, "num_attention_heads": 40, "num_hidden_layers": 64}
QWEN_3_8B = {"model_type": "qwen3", "hidden_size": 4096, "num_attention_heads": 32, "head_dim": 128,
             "num_hidden_layers": 36, "max_position_embeddings": 40960, "rope_theta": 1000000}  # fmt: skip
QWEN_3_0_6B = {**QWEN_3_8B, "hidden_size": 1024, "num_attention_heads": 16, "num_hidden_layers": 28}
QWEN_3_YARN = {"rope_type": "yarn", "factor": 4.0, "original_max_position_embeddings": 32768}
QWEN_3_30B = {**QWEN_3_8B, "model_type": "qwen3_moe", "hidden_size": 2048, "num_hidden_layers": 48}
QWEN_3_30B_2507 = {**QWEN_3_30B, "max_position_embeddings": 262144, "rope_theta": 10000000}
PHI_2 = {"model_type": "phi", "hidden_size": 2560, "num_attention_heads": 32, "partial_rotary_factor": 0.4,
         "max_position_embeddings": 2048, "rope_theta": 10000.0}  # fmt: skip
PHI_3_MINI_4K = {"model_type": "phi3", "hidden_size": 3072, "num_attention_heads": 32, "rope_theta": 10000.0,
                 "max_position_embeddings": 4096, "original_max_position_embeddings": 4096}  # fmt: skip
PHI_3_LISTS = {"short_factor": [1.0 + k / 50 for k in range(48)], "long_factor": [1.0 + k for k in range(48)]}
PHI_3_MINI_128K = {**PHI_3_MINI_4K, "max_position_embeddings": 131072,
                   "rope_scaling": {"type": "longrope", **PHI_3_LISTS}}  # fmt: skip
PYTHIA_1_4B = {"model_type": "gpt_neox", "hidden_size": 2048, "num_attention_heads": 16, "rotary_pct": 0.25,
               "rotary_emb_base": 10000, "max_position_embeddings": 2048}  # fmt: skip
STABLELM_2 = {"model_type": "stablelm", "hidden_size": 2048, "num_attention_heads": 32, "partial_rotary_factor": 0.25,
              "max_position_embeddings": 4096, "rope_theta": 10000}  # fmt: skip
GEMMA_3_1B = {"model_type": "gemma3_text", "head_dim": 256, "num_hidden_layers": 26, "sliding_window": 512,
              "max_position_embeddings": 32768, "rope_theta": 1000000, "rope_local_base_freq": 10000,
              "sliding_window_pattern": 6}  # fmt: skip
GEMMA_3_4B_TEXT = {**GEMMA_3_1B, "num_hidden_layers": 34, "sliding_window": 1024, "max_position_embeddings": 131072,
                   "rope_scaling": {"factor": 8.0, "rope_type": "linear"}}  # fmt: skip
GEMMA_3_4B = {"model_type": "gemma3", "text_config": GEMMA_3_4B_TEXT,
              "vision_config": {"model_type": "siglip_vision_model", "hidden_size": 1152, "image_size": 896,
                                "patch_size": 14}}  # fmt: skip
GPT_OSS_20B = {"model_type": "gpt_oss", "head_dim": 64, "hidden_size": 2880, "num_attention_heads": 64,
               "num_hidden_layers": 24, "max_position_embeddings": 131072, "rope_theta": 150000,
               "rope_scaling": {"rope_type": "yarn", "factor": 32.0, "beta_fast": 32.0, "beta_slow": 1.0,
                                "truncate": False, "original_max_position_embeddings": 4096}}  # fmt: skip
DEEPSEEK_YARN = {"type": "yarn", "factor": 40, "beta_fast": 32, "beta_slow": 1, "mscale": 1.0, "mscale_all_dim": 1.0,
                 "original_max_position_embeddings": 4096}  # fmt: skip
DEEPSEEK_V3 = {"model_type": "deepseek_v3", "qk_rope_head_dim": 64, "qk_nope_head_dim": 128, "rope_theta": 10000,
               "num_attention_heads": 128, "hidden_size": 7168, "max_position_embeddings": 163840,
               "rope_scaling": DEEPSEEK_YARN}  # fmt: skip
COMMAND_R = {"model_type": "cohere", "hidden_size": 8192, "num_attention_heads": 64, "rope_theta": 8000000.0,
             "max_position_embeddings": 8192}  # fmt: skip
COMMAND_R7B = {"model_type": "cohere2", "hidden_size": 4096, "num_attention_heads": 32, "num_hidden_layers": 32,
               "rope_theta": 50000, "sliding_window": 4096, "sliding_window_pattern": 4}  # fmt: skip
SMOLLM_3 = {"model_type": "smollm3", "hidden_size": 2048, "num_attention_heads": 16, "num_hidden_layers": 36,
            "max_position_embeddings": 65536, "rope_theta": 5000000.0, "no_rope_layers": [1, 1, 1, 0] * 9}  # fmt: skip
MODERNBERT = {"model_type": "modernbert", "hidden_size": 768, "num_attention_heads": 12, "num_hidden_layers": 22,
              "global_rope_theta": 160000.0, "local_rope_theta": 10000.0, "global_attn_every_n_layers": 3,
              "max_position_embeddings": 8192}  # fmt: skip
INTERNLM_2 = {"model_type": "internlm2", "hidden_size": 4096, "num_attention_heads": 32, "rope_theta": 1000000,
              "max_position_embeddings": 32768, "rope_scaling": {"type": "dynamic", "factor": 2.0}}  # fmt: skip
CHATGLM_3_6B = {"model_type": "chatglm", "hidden_size": 4096, "num_attention_heads": 32, "kv_channels": 128,
                "seq_length": 8192}  # fmt: skip
CHATGLM_3_6B_32K = {**CHATGLM_3_6B, "seq_length": 32768, "rope_ratio": 50}
LLAVA_1_5_7B = {"model_type": "llava", "text_config": {**LLAMA_2_7B},
                "vision_config": {"model_type": "clip_vision_model", "hidden_size": 1024, "image_size": 336,
                                  "patch_size": 14}}  # fmt: skip
QWEN_2_VL_7B = {**QWEN_2_5_7B, "model_type": "qwen2_vl", "rope_scaling": {"type": "mrope",
                "mrope_section": [16, 24, 24]}, "vision_config": {"model_type": "qwen2_vl", "depth": 32,
                "embed_dim": 1280, "num_heads": 16}}  # fmt: skip
LLAMA_LONGROPE = {"model_type": "llama", "head_dim": 128, "max_position_embeddings": 131072, "rope_parameters": {
    "rope_type": "longrope", "rope_theta": 10000.0, "original_max_position_embeddings": 4096, "factor": 32.0,
    "short_factor": [1.0] * 64, "long_factor": [4.0 + k for k in range(64)]}}  # fmt: skip
FALCON_7B = {"model_type": "falcon", "hidden_size": 4544, "num_attention_heads": 71, "alibi": False}
FALCON_RW_1B = {"model_type": "falcon", "hidden_size": 2048, "num_attention_heads": 32, "alibi": True}

BERT_BASE = {"model_type": "bert", "hidden_size": 768, "num_attention_heads": 12, "max_position_embeddings": 512}
BERT_LARGE = {**BERT_BASE, "hidden_size": 1024, "num_attention_heads": 16}
ROBERTA_BASE = {**BERT_BASE, "model_type": "roberta", "max_position_embeddings": 514, "pad_token_id": 1}
DEBERTA_V3 = {"model_type": "deberta-v2", "hidden_size": 768, "position_biased_input": False, "position_buckets": 256,
              "relative_attention": True, "max_position_embeddings": 512, "max_relative_positions": -1,
              "pos_att_type": "p2c|c2p", "share_att_key": True}  # fmt: skip
GPT_2 = {"model_type": "gpt2", "n_embd": 768, "n_head": 12, "n_positions": 1024, "n_ctx": 1024}
BART_LARGE = {"model_type": "bart", "d_model": 1024, "max_position_embeddings": 1024}
MARIAN = {"model_type": "marian", "d_model": 512, "max_position_embeddings": 512}
OPT_125M = {"model_type": "opt", "hidden_size": 768, "max_position_embeddings": 2048}
T5_SMALL = {"model_type": "t5", "num_heads": 8, "d_kv": 64, "relative_attention_num_buckets": 32}
T5_BASE = {**T5_SMALL, "num_heads": 12}
BLOOM_560M = {"model_type": "bloom", "n_head": 16, "hidden_size": 1024}
BLOOM_7B1 = {**BLOOM_560M, "n_head": 32, "hidden_size": 4096}
MPT_7B = {"model_type": "mpt", "d_model": 4096, "n_heads": 32, "max_seq_len": 2048,
          "attn_config": {"alibi": True, "alibi_bias_max": 8}}  # fmt: skip
WHISPER_SMALL = {"model_type": "whisper", "d_model": 768, "max_source_positions": 1500, "max_target_positions": 448}
WHISPER_LARGE = {**WHISPER_SMALL, "d_model": 1280}
SWIN_TINY = {"model_type": "swin", "window_size": 7, "num_heads": [3, 6, 12, 24]}

# -- metadata of GGUF files -------------------------------------------------------------------------------------------

GGUF_LLAMA_2_7B = {"general.architecture": "llama", "llama.embedding_length": 4096, "llama.attention.head_count": 32,
                   "llama.rope.dimension_count": 128, "llama.rope.freq_base": 10000.0,
                   "llama.context_length": 4096}  # fmt: skip
GGUF_QWEN_2_5_7B = {"general.architecture": "qwen2", "qwen2.embedding_length": 3584, "qwen2.attention.head_count": 28,
                    "qwen2.rope.freq_base": 1000000.0, "qwen2.context_length": 32768}  # fmt: skip
GGUF_QWEN_3_8B_YARN = {"general.architecture": "qwen3", "qwen3.attention.key_length": 128,
                       "qwen3.rope.freq_base": 1000000.0, "qwen3.context_length": 40960,
                       "qwen3.rope.scaling.type": "yarn", "qwen3.rope.scaling.factor": 4.0,
                       "qwen3.rope.scaling.original_context_length": 32768}  # fmt: skip
GGUF_PYTHIA_1_4B = {"general.architecture": "gptneox", "gptneox.embedding_length": 2048,
                    "gptneox.attention.head_count": 16, "gptneox.rope.dimension_count": 32}  # fmt: skip
GGUF_DEEPSEEK_V3 = {"general.architecture": "deepseek2", "deepseek2.embedding_length": 7168,
                    "deepseek2.attention.head_count": 128, "deepseek2.attention.key_length_mla": 192,
                    "deepseek2.rope.dimension_count": 64, "deepseek2.rope.freq_base": 10000.0,
                    "deepseek2.rope.scaling.type": "yarn", "deepseek2.rope.scaling.factor": 40.0,
                    "deepseek2.rope.scaling.original_context_length": 4096,
                    "deepseek2.rope.scaling.yarn_log_multiplier": 0.1, "deepseek2.context_length": 163840}  # fmt: skip


def without(values, *names):
    """The same file without some keys."""
    return {name: value for name, value in values.items() if name not in names}


def nested(values, **more):
    """The same file as transformers 5 writes it: base, part and scaling in rope_parameters."""
    inner = {"rope_type": "default", **(values.get("rope_scaling") or {}), **more}
    if "type" in inner:
        inner["rope_type"] = inner.pop("type")
    moved = ("rope_theta", "partial_rotary_factor")
    inner |= {name: values[name] for name in moved if name in values}
    return {**without(values, "rope_scaling", *moved), "rope_parameters": inner}


# -- pairs ------------------------------------------------------------------------------------------------------------

GEMMA_TYPES = [("full" if k % 6 == 5 else "sliding") + "_attention" for k in range(34)]
GEMMA_NESTED = {**without(GEMMA_3_4B_TEXT, "rope_theta", "rope_local_base_freq", "rope_scaling"),
                "layer_types": GEMMA_TYPES, "rope_parameters": {
                    "full_attention": {"rope_type": "linear", "factor": 8.0, "rope_theta": 1000000},
                    "sliding_attention": {"rope_type": "default", "rope_theta": 10000}}}  # fmt: skip
MODERNBERT_NESTED = {**without(MODERNBERT, "global_rope_theta", "local_rope_theta"), "rope_parameters": {
    "full_attention": {"rope_type": "default", "rope_theta": 160000.0},
    "sliding_attention": {"rope_type": "default", "rope_theta": 10000.0}}}  # fmt: skip
COHERE_TYPES = [("full" if k % 4 == 3 else "sliding") + "_attention" for k in range(32)]
SAME = []
#: (a, b, options, the differences as "part layers @length: what")
PAIRS = {
    # one file in the spellings of transformers 4 and 5
    "llama-2 nested": (LLAMA_2_7B, nested(LLAMA_2_7B), {}, SAME),
    "llama-2 default base": (LLAMA_2_7B, without(LLAMA_2_7B, "rope_theta", "rope_scaling"), {}, SAME),
    "llama-3.1 nested": (LLAMA_3_1_8B, nested(LLAMA_3_1_8B), {}, SAME),
    "llama-3.1 type": (LLAMA_3_1_8B, {**LLAMA_3_1_8B, "rope_scaling": {**without(LLAMA3_SCALING, "rope_type"),
                                                                      "type": "llama3"}}, {}, SAME),
    "llama-3.1 both spellings": (LLAMA_3_1_8B, {**nested(LLAMA_3_1_8B), "rope_theta": 500000.0}, {}, SAME),
    "qwen3 yarn nested": ({**QWEN_3_8B, "rope_scaling": QWEN_3_YARN},
                          nested({**QWEN_3_8B, "rope_scaling": QWEN_3_YARN}), {}, SAME),
    "gpt-oss nested": (GPT_OSS_20B, nested(GPT_OSS_20B), {}, SAME),
    "deepseek nested": (DEEPSEEK_V3, nested(DEEPSEEK_V3), {}, SAME),
    "phi-2 nested": (PHI_2, nested(PHI_2), {}, SAME),
    "phi-3 su": (PHI_3_MINI_128K, {**PHI_3_MINI_128K, "rope_scaling": {"type": "su", **PHI_3_LISTS}}, {}, SAME),
    "pythia nested": (PYTHIA_1_4B, {**without(PYTHIA_1_4B, "rotary_pct", "rotary_emb_base"), "rope_parameters": {
        "rope_type": "default", "rope_theta": 10000, "partial_rotary_factor": 0.25}}, {}, SAME),
    "gemma-3 nested": (GEMMA_3_4B_TEXT, without(GEMMA_NESTED, "sliding_window_pattern"), {}, SAME),
    "gemma-3 layer types": (GEMMA_3_4B_TEXT, {**GEMMA_3_4B_TEXT, "layer_types": GEMMA_TYPES}, {}, SAME),
    "modernbert nested": (MODERNBERT, MODERNBERT_NESTED, {}, SAME),
    "smollm-3 interval": (SMOLLM_3, {**without(SMOLLM_3, "no_rope_layers"), "no_rope_layer_interval": 4}, {}, SAME),
    "command-r7b layer types": (COMMAND_R7B, {**COMMAND_R7B, "layer_types": COHERE_TYPES}, {}, SAME),
    "qwen2-vl default": (QWEN_2_VL_7B, {**QWEN_2_VL_7B, "rope_scaling": {"rope_type": "default",
                                        "mrope_section": [16, 24, 24]}}, {}, SAME),
    "stablelm share of its class": (STABLELM_2, without(STABLELM_2, "partial_rotary_factor"), {}, SAME),
    "deberta buckets of a list": (DEBERTA_V3, {**DEBERTA_V3, "pos_att_type": ["p2c", "c2p"]}, {}, SAME),
    # types of one encoding
    "mistral and mixtral": (MISTRAL_7B_V02, MIXTRAL_8X7B, {}, SAME),
    "llama and mistral": (LLAMA_2_7B, MISTRAL_7B_V01, {}, SAME),
    "qwen3 and its moe": (QWEN_3_8B, QWEN_3_30B, {}, SAME),
    # GGUF metadata against the file they were made from
    "qwen-2.5 gguf": (QWEN_2_5_7B, GGUF_QWEN_2_5_7B, {}, SAME),
    "pythia gguf": (PYTHIA_1_4B, GGUF_PYTHIA_1_4B, {}, SAME),
    "deepseek gguf": (DEEPSEEK_V3, GGUF_DEEPSEEK_V3, {}, SAME),
    "llama-2 gguf": (LLAMA_2_7B, GGUF_LLAMA_2_7B, {}, ["text: layout of q and k"]),
    "llama-2 gguf, twice": (GGUF_LLAMA_2_7B, GGUF_LLAMA_2_7B, {}, SAME),
    "pythia gguf without count": (PYTHIA_1_4B, without(GGUF_PYTHIA_1_4B, "gptneox.rope.dimension_count"), {},
                                  ["text: rotary_dim"]),
    "qwen-2.5 gguf without base": (QWEN_2_5_7B, without(GGUF_QWEN_2_5_7B, "qwen2.rope.freq_base"), {}, ["text: base"]),
    "qwen3 yarn gguf": ({**QWEN_3_8B, "rope_scaling": QWEN_3_YARN}, GGUF_QWEN_3_8B_YARN, {}, SAME),
    "qwen3 yarn gguf, factor": ({**QWEN_3_8B, "rope_scaling": QWEN_3_YARN}, GGUF_QWEN_3_8B_YARN,
                                {"override_b": {"qwen3.rope.scaling.factor": 2.0}},
                                ["text: inv_freq[24]", "text: attention_factor"]),
    "codellama gguf": (CODELLAMA_7B, GGUF_LLAMA_2_7B, {}, ["text: layout of q and k", "text: base"]),
    # draft and target
    "qwen3 draft": (QWEN_3_0_6B, QWEN_3_8B, {}, SAME),
    "qwen-2.5 draft": (QWEN_2_5_0_5B, QWEN_2_5_32B, {}, ["text: head_dim", "text: rotary_dim"]),
    "qwen-2.5 large draft": (QWEN_2_5_7B, QWEN_2_5_32B, {}, SAME),
    "llama-3.2-1b draft": (LLAMA_3_2_1B, LLAMA_3_1_70B, {}, ["text: head_dim", "text: rotary_dim", "text: factor"]),
    "llama-3.2-3b draft": (LLAMA_3_2_3B, LLAMA_3_1_8B, {}, ["text: factor"]),
    "llama-3.1 draft": (LLAMA_3_1_8B, LLAMA_3_1_70B, {}, SAME),
    "override that the draft lacks": (QWEN_3_0_6B, QWEN_3_8B, {"override_b": {"rope_scaling": QWEN_3_YARN}},
                                      ["text: scaling", "text: factor", "text: original_max_position_embeddings",
                                       "text: attention_factor"]),
    "override of both": (QWEN_3_0_6B, QWEN_3_8B, {"override": {"rope_scaling": QWEN_3_YARN}}, SAME),
    # trainer and server, versions of a model
    "llama-3 and 3.1": (LLAMA_3_8B, LLAMA_3_1_8B, {}, [
        "text: scaling", "text: factor", "text: low_freq_factor", "text: high_freq_factor",
        "text: original_max_position_embeddings"]),
    "llama-3 and 1048k": (LLAMA_3_8B, LLAMA_3_8B_1048K, {}, ["text: base"]),
    "llama-2 and codellama": (LLAMA_2_7B, CODELLAMA_7B, {}, ["text: base"]),
    "mistral 0.1 and 0.2": (MISTRAL_7B_V01, MISTRAL_7B_V02, {}, ["text: base"]),
    "qwen3 2507": (QWEN_3_30B, QWEN_3_30B_2507, {}, ["text: base"]),
    "yi 200k": (YI_6B, YI_6B_200K, {}, ["text: base"]),
    "chatglm 32k": (CHATGLM_3_6B, CHATGLM_3_6B_32K, {}, ["text: base"]),
    "phi-3 4k and 128k": (PHI_3_MINI_4K, PHI_3_MINI_128K, {}, [
        "text: scaling", "text: short_factor", "text: long_factor", "text: attention_factor"]),
    "yarn factor": ({**QWEN_3_8B, "rope_scaling": QWEN_3_YARN},
                    {**QWEN_3_8B, "rope_scaling": {**QWEN_3_YARN, "factor": 2.0}}, {},
                    ["text: factor", "text: attention_factor"]),
    "yarn original length lost": ({**QWEN_3_8B, "rope_scaling": QWEN_3_YARN},
                                  {**QWEN_3_8B, "rope_scaling": {"rope_type": "yarn", "factor": 4.0}}, {},
                                  ["text: original_max_position_embeddings"]),
    "yarn attention factor": ({**QWEN_3_8B, "rope_scaling": QWEN_3_YARN},
                              {**QWEN_3_8B, "rope_scaling": {**QWEN_3_YARN, "attention_factor": 1.0}}, {},
                              ["text: attention_factor"]),
    "gpt-oss truncate lost": (GPT_OSS_20B, GPT_OSS_20B, {"override_b": {"rope_scaling.truncate": None}},
                              ["text: truncate"]),
    "deepseek mscale_all_dim lost": (DEEPSEEK_V3, DEEPSEEK_V3, {"override_b": {"rope_scaling.mscale_all_dim": None}},
                                     ["text: attention_factor", "text: scale of the scores"]),
    "deepseek softmax scale": (DEEPSEEK_V3, DEEPSEEK_V3,
                               {"override_b": {"rope_scaling.mscale": 0.707, "rope_scaling.mscale_all_dim": 0.707}},
                               ["text: scale of the scores"]),
    # original and converted
    "base lost": (QWEN_2_5_7B, without(QWEN_2_5_7B, "rope_theta"), {}, ["text: base"]),
    "rope_parameters lost": (nested(LLAMA_3_8B), without(nested(LLAMA_3_8B), "rope_parameters"), {}, ["text: base"]),
    "share lost": (PHI_2, without(PHI_2, "partial_rotary_factor"), {}, ["text: rotary_dim"]),
    "share of pythia": (PYTHIA_1_4B, {**PYTHIA_1_4B, "rotary_pct": 1.0}, {}, ["text: rotary_dim"]),
    "linear scaling by another key": (LONGCHAT_7B_16K, {**without(LONGCHAT_7B_16K, "rope_condense_ratio"),
                                      "rope_scaling": {"type": "linear", "factor": 8.0}}, {},
                                      ["text: scaling", "text: factor",
                                       "keys: rope_condense_ratio, which is not read,"]),
    "command-r as llama": (COMMAND_R, {**COMMAND_R, "model_type": "llama"}, {}, ["text: layout of q and k"]),
    # layers
    "gemma-3 1b and 4b": (GEMMA_3_1B, GEMMA_3_4B_TEXT, {},
                          ["text 5, 11, 17, 23: scaling", "text 5, 11, 17, 23: factor"]),
    "gemma-3 scaling lost": (GEMMA_3_4B_TEXT, without(GEMMA_3_4B_TEXT, "rope_scaling"), {},
                             ["text 5, 11, 17, 23, 29: scaling", "text 5, 11, 17, 23, 29: factor"]),
    "gemma-3 local base lost": (GEMMA_3_1B, {**GEMMA_3_1B, "rope_local_base_freq": 1000000}, {},
                                ["text 0-4, 6-10, 12-16, 18-22, 24-25: base"]),
    "gemma-3 local base, other layers": (GEMMA_3_1B, {**GEMMA_3_1B, "rope_local_base_freq": 1000000},
                                         {"layers": [5, 11]}, SAME),
    "gemma-3 local base, one layer": (GEMMA_3_1B, {**GEMMA_3_1B, "rope_local_base_freq": 1000000},
                                      {"layers": [4, 5]}, ["text 4: base"]),
    "gemma-3 pattern": ({**GEMMA_3_1B, "num_hidden_layers": 6}, {**GEMMA_3_1B, "num_hidden_layers": 6,
                        "sliding_window_pattern": 3}, {}, ["text 2: base"]),
    "gemma-3 first layers": ({**GEMMA_3_1B, "num_hidden_layers": 4}, GEMMA_3_1B, {},
                             ["text 4-25: layers of another kind"]),
    "modernbert local base": (MODERNBERT, {**MODERNBERT, "local_rope_theta": 160000.0}, {},
                              ["text 1-2, 4-5, 7-8, 10-11, 13-14, 16-17, 19-20: base"]),
    "smollm-3 all rotated": (SMOLLM_3, {**SMOLLM_3, "no_rope_layers": [1] * 36}, {},
                             ["text 3, 7, 11, 15, 19, 23, 27, 31, 35: rotation"]),
    "command-r7b full layers": (COMMAND_R7B, {**COMMAND_R7B, "layer_types": ["sliding_attention"] * 32}, {},
                                ["text 3, 7, 11, 15, 19, 23, 27, 31: rotation"]),
    # lengths that change numbers
    "internlm-2 dynamic lost": (INTERNLM_2, without(INTERNLM_2, "rope_scaling"), {},
                                ["text @32769: scaling", "text @32769: factor"]),
    "internlm-2 dynamic factor": (INTERNLM_2, {**INTERNLM_2, "rope_scaling": {"type": "dynamic", "factor": 3.0}}, {},
                                  ["text @32769: factor"]),
    "internlm-2 short sequences": (INTERNLM_2, without(INTERNLM_2, "rope_scaling"), {"seq_len": 32768}, SAME),
    "internlm-2 dynamic length": (INTERNLM_2, {**INTERNLM_2, "max_position_embeddings": 16384}, {},
                                  ["text @16385: inv_freq[1]"]),
    "phi-3 long list": (PHI_3_MINI_128K, PHI_3_MINI_128K, {"override_b": {"rope_scaling.long_factor": [2.0] * 48}},
                        ["text @4097: long_factor[0]"]),
    "llama longrope nested": (LLAMA_LONGROPE, LLAMA_LONGROPE,
                              {"override_b": {"rope_parameters.long_factor": [2.0] * 64}},
                              ["text @4097: long_factor[0]"]),
    "phi-3 original length": (PHI_3_MINI_128K, PHI_3_MINI_128K, {"override": {"rope_scaling.attention_factor": 1.19},
                              "override_b": {"original_max_position_embeddings": 8192}}, ["text @4097: inv_freq[1]"]),
    # parts
    "llava and its text": (LLAVA_1_5_7B, LLAMA_2_7B, {}, ["vision: embeddings"]),
    "llava's text": (LLAVA_1_5_7B, LLAMA_2_7B, {"part": "text"}, SAME),
    "llava resolution": (LLAVA_1_5_7B, LLAVA_1_5_7B, {"override_b": {"vision_config.image_size": 224}},
                         ["vision: shape of the table", "vision: grid"]),
    "gemma-3 and its text": (GEMMA_3_4B, GEMMA_3_4B_TEXT, {}, ["vision: embeddings"]),
    "qwen2-vl and qwen-2.5": (QWEN_2_VL_7B, QWEN_2_5_7B, {}, ["vision: rotation", "text: axes"]),
    "qwen2-vl sections": (QWEN_2_VL_7B, QWEN_2_VL_7B, {"override_b": {"rope_scaling.mrope_section": [24, 20, 20]}},
                          ["text: axes"]),
    # encodings that are no rotations
    "bert sizes": (BERT_BASE, BERT_LARGE, {}, ["text: shape of the table"]),
    "bert and roberta": (BERT_BASE, ROBERTA_BASE, {}, ["text: rule", "text: num_rows", "text: shape of the table",
                                                      "text: padding_idx"]),
    "gpt-2 length": (GPT_2, {**GPT_2, "n_positions": 2048}, {}, ["text: num_rows", "text: shape of the table"]),
    "gpt-2 and bert": ({**GPT_2, "n_positions": 512}, BERT_BASE, {}, SAME),
    "bart and marian": (BART_LARGE, MARIAN, {}, ["encoder: encoding", "decoder: encoding"]),
    "opt length": (OPT_125M, {**OPT_125M, "max_position_embeddings": 4096}, {},
                   ["text: num_rows", "text: shape of the table"]),
    "deberta buckets": (DEBERTA_V3, {**DEBERTA_V3, "position_buckets": 128}, {},
                        ["text: num_buckets", "text: shape of the table"]),
    "t5 sizes": (T5_SMALL, T5_BASE, {}, ["encoder: shape of the table", "decoder: shape of the table"]),
    "t5 distance": (T5_SMALL, {**T5_SMALL, "relative_attention_max_distance": 256}, {},
                    ["encoder: max_distance", "decoder: max_distance"]),
    "bloom sizes": (BLOOM_560M, BLOOM_7B1, {}, ["text: num_heads"]),
    "bloom and mpt": (BLOOM_7B1, MPT_7B, {}, SAME),  # rows that a constant of each query tells apart
    "mpt bias": (MPT_7B, MPT_7B, {"override_b": {"attn_config.alibi_bias_max": 16}}, ["text: max_bias"]),
    "falcon 7b and rw": (FALCON_7B, FALCON_RW_1B, {}, ["text: rotation", "text: scores"]),
    "whisper sizes": (WHISPER_SMALL, WHISPER_LARGE, {}, ["encoder: dim", "decoder: shape of the table"]),
    "swin window": (SWIN_TINY, {**SWIN_TINY, "window_size": 12}, {},
                    ["vision: height", "vision: width", "vision: shape of the table"]),
    "bert and modernbert": (BERT_BASE, MODERNBERT, {}, ["text: rotation", "text: embeddings"]),
}  # fmt: skip
