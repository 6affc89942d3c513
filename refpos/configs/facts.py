"""What transformers' configuration classes and model files fix without a word in config.json: one row for each type.

Read from transformers 5.23.0. A key that a file writes always wins over what stands here.
"""

VERSION = "5.23.0"

#: model_type: hidden_size, num_attention_heads, head_dim (None: their quotient), max_position_embeddings, rope_theta,
#: and the folder below models/ where that is not the type
TYPES = {
    "afmoe": (2048, 16, 128, 16384, 1e4),
    "apertus": (4096, 32, None, 65536, 12000000.0),
    "arcee": (2560, 32, None, 4096, 1e4),
    "aria_text": (4096, 32, None, 2048, 1e4, "aria"),
    "axk1": (7168, 64, None, 32768, 1e4),
    "axk2": (2048, 32, 64, 131072, 1e4),
    "bailing_hybrid": (2560, 32, 128, 262144, 6000000.0),
    "bamba": (4096, 32, None, 262144, 1e4),
    "beam": (5120, 48, 128, 8192, 1e4),
    "bitnet": (2560, 20, None, 2048, 5e5),
    "blt_global_transformer": (2048, 16, None, 4096, 5e5, "blt"),
    "blt_local_decoder": (1024, 16, None, 24576, 5e5, "blt"),
    "blt_local_encoder": (1024, 16, None, 24576, 5e5, "blt"),
    "blt_patcher": (768, 12, None, 8192, 1e4, "blt"),
    "chameleon": (4096, 32, None, 4096, 1e4),
    "clvp_encoder": (768, 12, None, None, 1e4, "clvp"),
    "codegen": (4096, 16, None, 2048, 1e4),
    "cohere": (8192, 64, None, 8192, 5e5),
    "cohere2": (8192, 64, None, 8192, 1e4),
    "cohere2_moe": (8192, 64, 128, 8192, 1e4),
    "cohere_compass_text": (8192, 64, None, 8192, 1e4, "cohere_compass"),
    "cohere_compass_vision": (1152, 16, None, None, 1e4, "cohere_compass"),
    "cosmos3_edge_text": (2048, 16, 128, 131072, 100000000.0, "cosmos3_edge"),
    "csm": (2048, 32, None, 2048, 5e5),
    "csm_depth_decoder_model": (1024, 8, None, 33, 5e5, "csm"),
    "cwm": (6144, 48, 128, 131072, 1e6),
    "dbrx": (2048, 16, None, 2048, 1e4),
    "deepseek_ocr2_encoder": (4096, 32, None, 32768, 1e4, "deepseek_ocr2"),
    "deepseek_ocr2_text": (4096, 32, None, 2048, 1e4, "deepseek_ocr2"),
    "deepseek_v2": (4096, 32, None, 2048, 1e4),
    "deepseek_v3": (7168, 128, None, 4096, 1e4),
    "deepseek_v32": (7168, 128, 64, 163840, 1e4),
    "deepseek_v4": (4096, 64, 512, 1048576, 1e4),
    "dia_decoder": (2048, 16, 128, 3072, 1e4, "dia"),
    "dia_encoder": (1024, 16, 128, 1024, 1e4, "dia"),
    "diffllama": (2048, 32, None, 2048, 1e4),
    "diffusion_gemma_text": (2304, 8, 256, 131072, 1e4, "diffusion_gemma"),
    "dinov3_vit": (384, 6, None, None, 100.0),
    "doge": (1024, 8, None, 2048, 1e4),
    "dots1": (4608, 32, None, 2048, 1e4),
    "dots3_note_audio_encoder": (1280, 20, None, 6000, 1e4, "dots3_note"),
    "dots3_note_text": (5120, 128, 256, 524288, 80000000.0, "dots3_note"),
    "dots3_note_vision_encoder": (1536, 24, None, None, 1e4, "dots3_note"),
    "edgetam_video": (None, None, None, None, 1e4),
    "efficientloftr": (256, 8, None, None, 1e4),
    "embedding_gemma2_text": (512, 4, 256, 262144, 1e4, "embedding_gemma2"),
    "emu3_text_model": (4096, 32, None, 9216, 1e6, "emu3"),
    "eomt_dinov3": (1024, 16, None, None, 100.0),
    "ernie4_5": (1024, 16, 128, 131072, 5e5),
    "ernie4_5_moe": (2560, 20, None, 131072, 5e5),
    "ernie4_5_vl_moe_text": (2560, 20, None, 131072, 5e5, "ernie4_5_vl_moe"),
    "ernie4_5_vl_moe_vision": (1280, 16, None, None, 1e4, "ernie4_5_vl_moe"),
    "esm": (768, 12, None, 1026, 1e4),
    "esmc": (2560, 40, None, 2048, 1e4),
    "esmfold2_atom_encoder": (128, 4, None, None, 20.0, "esmfold2"),
    "eurobert": (768, 12, None, 8192, 1e4),
    "evolla": (4096, 32, None, 8192, 5e5),
    "evolla_protein_encoder": (1280, 20, None, 1026, 1e4, "evolla"),
    "exaone4": (4096, 32, None, 2048, 1e4),
    "exaone4_5_vision": (3584, 16, None, None, 1e4, "exaone4_5"),
    "exaone_moe": (4096, 32, None, 2048, 1e4),
    "falcon": (4544, 71, None, 2048, 1e4),
    "falcon_h1": (4096, 32, None, 8192, 1e4),
    "flex_olmo": (4096, 32, None, 4096, 5e5),
    "flint": (2048, 32, 128, 262144, 1e4),
    "gemma": (3072, 16, 256, 8192, 1e4),
    "gemma2": (2304, 8, 256, 8192, 1e4),
    "gemma3_text": (2304, 8, 256, 131072, 1e6, "gemma3"),
    "gemma3n_text": (2048, 8, 256, 32768, 1e6, "gemma3n"),
    "gemma4_text": (2304, 8, 256, 131072, 1e4, "gemma4"),
    "gemma4_unified_text": (2304, 8, 256, 262144, 1e4, "gemma4_unified"),
    "gemma4_vision": (768, 12, 64, 131072, 100.0, "gemma4"),
    "glm": (4096, 32, 128, 131072, 1e4),
    "glm4": (4096, 32, 128, 131072, 1e4),
    "glm4_moe": (4096, 96, None, 131072, 1e4),
    "glm4_moe_lite": (2048, 20, 64, 202752, 1e4),
    "glm4v_moe_text": (4096, 96, None, 65536, 1e4, "glm4v_moe"),
    "glm4v_moe_vision": (1536, 12, None, None, 1e4, "glm4v_moe"),
    "glm4v_text": (4096, 32, None, 32768, 1e4, "glm4v"),
    "glm4v_vision": (1536, 12, None, None, 1e4, "glm4v"),
    "glm5_next_vision": (1024, 16, None, None, 1e4, "glm5_next"),
    "glm_image_text": (4096, 32, None, 131072, 1e4, "glm_image"),
    "glm_moe_dsa": (6144, 64, 64, 202752, 1e4),
    "glm_ocr_text": (1024, 16, None, 131072, 1e4, "glm_ocr"),
    "glm_ocr_vision": (1024, 16, None, None, 1e4, "glm_ocr"),
    "glmasr_encoder": (1280, 20, None, 1500, 1e4, "glmasr"),
    "gpt_neox": (6144, 64, None, 2048, 1e4),
    "gpt_neox_japanese": (2560, 32, None, 2048, 1e4),
    "gpt_oss": (2880, 64, 64, 131072, 150000.0),
    "gptj": (4096, 16, None, 2048, 1e4),
    "gradium_phonon_tts": (768, 12, None, 8192, 1e4),
    "granite": (4096, 32, None, 2048, 1e4),
    "granite4_vision_text": (4096, 32, None, 2048, 1e4, "granite4_vision"),
    "granite_docling_text": (1024, 16, None, 32768, 1e4, "granite_docling"),
    "granite_swa": (2560, 20, None, 8192, 1e4),
    "granitemoe": (4096, 32, None, 2048, 1e4),
    "granitemoe_swa": (4096, 32, None, 2048, 1e4),
    "granitemoehybrid": (4096, 32, None, 2048, 1e4),
    "granitemoeshared": (4096, 32, None, 2048, 1e4),
    "gte": (768, 12, None, 8192, 160000.0),
    "helium": (2560, 20, 128, 4096, 100000.0),
    "higgs_audio_v2": (3072, 24, 128, 2048, 1e4),
    "hrm_text": (1536, 12, 128, 2048, 1e4),
    "hunyuan_v1_dense": (4096, 32, None, 2048, 1e4),
    "hunyuan_v1_moe": (4096, 32, None, 2048, 1e4),
    "hunyuan_vl_text": (4096, 32, None, 2048, 1e4, "hunyuan_vl"),
    "hy_v3": (4096, 64, 128, 131072, 11158840.0),
    "hy_v4": (2816, 32, 256, 262144, 1e4),
    "hyperclovax": (4096, 32, None, 2048, 1e4),
    "idefics": (4096, 32, None, 2048, 1e4),
    "inkling2_vision": (1024, 16, None, None, 1e4, "inkling2"),
    "jais2": (3328, 26, None, 8192, 1e4),
    "jetmoe": (2048, None, 128, 4096, 1e4),
    "jina_embeddings_v3": (1024, 16, None, 8194, 20000.0),
    "kimi_k25_vision": (1152, 16, None, None, 1e4, "kimi_k25"),
    "kolibri1": (2560, 48, 128, 262144, 1e4),
    "kyutai_speech_to_text": (2048, 32, None, 750, 1e4),
    "laguna": (2048, 48, 128, 131072, 1e4),
    "lasr_encoder": (512, 8, None, 10000, 1e4, "lasr"),
    "lfm2": (2560, 32, None, 128000, 1e6),
    "lfm2_moe": (2048, 32, None, 128000, 1e6),
    "lfm3": (2048, 16, 128, 128000, 1e6),
    "lfm3_vl_vision": (1024, 16, None, None, 1e6, "lfm3_vl"),
    "llama": (4096, 32, None, 2048, 1e4),
    "llama4_text": (5120, 40, 128, 131072, 5e5, "llama4"),
    "llama4_vision_model": (768, 16, None, None, 1e4, "llama4"),
    "longcat_flash": (6144, 64, 64, 131072, 10000000.0),
    "mellum": (2304, 32, 128, 131072, 1e4),
    "mimi": (512, 8, None, 8000, 1e4),
    "mimo_v2_flash": (4096, 64, 192, 131072, 1e4),
    "minicpm3": (2560, 40, None, 32768, 1e4),
    "minimax": (4096, 32, None, 131072, 1e6),
    "minimax_m2": (3072, 48, 128, 196608, 5000000.0),
    "minimax_m3_vl_text": (6144, 64, 128, 524288, 5000000.0, "minimax_m3_vl"),
    "minimax_m3_vl_vision": (1280, 16, None, None, 1e4, "minimax_m3_vl"),
    "ministral": (4096, 32, None, 131072, 1e4),
    "ministral3": (4096, 32, 128, 262144, 1e4),
    "mistral": (4096, 32, None, 131072, 1e4),
    "mistral4": (4096, 32, None, 1048576, 1e4),
    "mistral_large4_text": (6144, 64, 64, 1048576, 1e4, "mistral_large4"),
    "mixtral": (4096, 32, None, 131072, 1e6),
    "mlcd_vision_model": (1664, 16, None, None, 1e4, "mlcd"),
    "mllama_text_model": (4096, 32, None, 131072, 5e5, "mllama"),
    "modernbert": (768, 12, None, 8192, 160000.0),
    "modernbert-decoder": (768, 12, None, 8192, 160000.0, "modernbert_decoder"),
    "molmo2_text": (4096, 32, 128, 36864, 1e4, "molmo2"),
    "moonshine": (288, 8, None, 512, 1e4),
    "moonshine_streaming": (320, 8, None, 4096, 1e4),
    "moshi": (4096, 32, None, 3000, 1e4),
    "muse_glimmer_assistant": (6656, 32, 128, 131072, 5e5),
    "muse_glimmer_text": (6656, 32, 128, 131072, 1e4, "muse_glimmer"),
    "muse_glimmer_vision": (1536, 16, None, 1024, 1e4, "muse_glimmer"),
    "muse_spark_text": (8192, 128, 64, 1048576, 1e4, "muse_spark"),
    "muse_spark_vision": (1536, 16, None, 1024, 1e4, "muse_spark"),
    "musicflamingo": (1280, None, None, None, 1200.0),
    "nanochat": (768, 6, None, 2048, 1e4),
    "nemotron": (6144, 48, None, 4096, 1e4),
    "nemotron3_5_transcribe_asr_audio": (1280, 10, None, 5000, 1e4, "nemotron3_5_transcribe"),
    "nemotron3_5_transcribe_word_timestamp": (1280, 16, None, 5000, 1e4, "nemotron3_5_transcribe"),
    "nemotron3_diarization_audio": (512, 8, None, 5000, 1e4, "nemotron3_diarization"),
    "neomme": (1024, 16, 64, 16384, 1e6),
    "neucodec": (1024, 16, 64, 4096, 1e4),
    "nomic_bert": (768, 12, None, 2048, 1000.0),
    "olmo": (4096, 32, None, 2048, 1e4),
    "olmo2": (4096, 32, None, 2048, 1e4),
    "olmo3": (4096, 32, None, 2048, 5e5),
    "olmo_hybrid": (3840, 30, None, 65536, 1e4),
    "olmoe": (2048, 16, None, 4096, 1e4),
    "openai_privacy_filter": (640, 14, 64, 131072, 150000.0),
    "paddleocr_vl_text": (1024, 16, 128, 131072, 5e5, "paddleocr_vl"),
    "paddleocr_vl_vision": (1152, 16, None, None, 1e4, "paddleocr_vl"),
    "pe_audio_encoder": (1792, 14, 128, 10000, 20000, "pe_audio"),
    "pe_audio_video_encoder": (1792, 14, 128, 10000, 20000, "pe_audio_video"),
    "pe_video_encoder": (1792, 14, 128, 10000, 20000, "pe_video"),
    "persimmon": (4096, 64, None, 16384, 1e4),
    "phi": (2048, 32, None, 2048, 1e4),
    "phi3": (3072, 32, None, 4096, 1e4),
    "phi4_multimodal": (3072, 32, None, 131072, 1e4),
    "phimoe": (4096, 32, None, 131072, 1e6),
    "pixtral": (1024, 16, None, None, 1e4),
    "pocket_tts": (1024, 16, None, 8192, 1e4),
    "pocket_tts_audio_tokenizer": (512, 8, None, 8000, 1e4),
    "qwen2": (4096, 32, None, 32768, 1e4),
    "qwen2_5_omni_dit": (1024, 16, 64, 32768, 1e4, "qwen2_5_omni"),
    "qwen2_5_omni_talker": (3584, 28, 128, 32768, 1e6, "qwen2_5_omni"),
    "qwen2_5_omni_text": (3584, 28, None, 32768, 1e6, "qwen2_5_omni"),
    "qwen2_5_omni_vision_encoder": (3584, 16, None, None, 1e4, "qwen2_5_omni"),
    "qwen2_5_vl_text": (8192, 64, None, 32768, 1e6, "qwen2_5_vl"),
    "qwen2_5_vl_vision": (3584, 16, None, None, 1e4, "qwen2_5_vl"),
    "qwen2_moe": (2048, 16, None, 32768, 1e4),
    "qwen2_vl_text": (8192, 64, None, 32768, 1e6, "qwen2_vl"),
    "qwen2_vl_vision": (1280, 16, None, None, 1e4, "qwen2_vl"),
    "qwen3": (4096, 32, 128, 32768, 1e4),
    "qwen3_5_moe_text": (2048, 16, 256, 32768, 1e4, "qwen3_5_moe"),
    "qwen3_5_moe_vision": (1152, 16, None, None, 1e4, "qwen3_5_moe"),
    "qwen3_5_text": (4096, 16, 256, 32768, 1e4, "qwen3_5"),
    "qwen3_5_vision": (1152, 16, None, None, 1e4, "qwen3_5"),
    "qwen3_moe": (2048, 32, None, 32768, 1e4),
    "qwen3_next": (2048, 16, 256, 32768, 1e4),
    "qwen3_omni_moe_code2wav": (1024, 16, None, 8000, 1e4, "qwen3_omni_moe"),
    "qwen3_omni_moe_talker_code_predictor": (1024, 16, 128, 32768, 1e4, "qwen3_omni_moe"),
    "qwen3_omni_moe_talker_text": (1024, 16, None, 32768, 1e4, "qwen3_omni_moe"),
    "qwen3_omni_moe_text": (2048, 28, None, 32768, 1e6, "qwen3_omni_moe"),
    "qwen3_omni_moe_vision_encoder": (1152, 16, None, None, 1e4, "qwen3_omni_moe"),
    "qwen3_vl_moe_text": (2048, 16, None, 128000, 5e5, "qwen3_vl_moe"),
    "qwen3_vl_moe_vision": (1152, 16, None, None, 1e4, "qwen3_vl_moe"),
    "qwen3_vl_text": (4096, 32, 128, 128000, 5e5, "qwen3_vl"),
    "qwen3_vl_vision": (1152, 16, None, None, 1e4, "qwen3_vl"),
    "qwen4_exp_text": (2048, 16, 256, 32768, 1e4, "qwen4_exp"),
    "qwen4_exp_vision": (1152, 16, None, None, 1e4, "qwen4_exp"),
    "recurrent_gemma": (2560, 10, None, None, 1e4),
    "roformer": (768, 12, None, 1536, 1e4),
    "sam2_video": (None, None, None, None, 1e4),
    "sam3_tracker_video": (None, None, None, None, 1e4),
    "sam3_vit_model": (1024, 16, None, None, 1e4, "sam3"),
    "sapiens2": (1024, 16, None, None, 100.0),
    "seamless_m4t": (1024, 16, None, 1024, 1e4),
    "seed_oss": (4096, 80, 128, 524288, 1e4),
    "smollm3": (2048, 16, None, 32768, 2000000.0),
    "solar_open": (4096, 64, 128, 131072, 1e6),
    "stablelm": (2560, 32, None, 4096, 1e4),
    "starcoder2": (3072, 24, None, 4096, 1e4),
    "step3p5": (4096, 64, 128, 128000, 1e4, "step3p7"),
    "step3p5_vision": (1536, 16, None, 2704, 1e4, "step3p7"),
    "t5_gemma_module": (2304, 8, 256, 8192, 1e4, "t5gemma"),
    "t5gemma2_decoder": (2304, 8, 256, 131072, 1e6, "t5gemma2"),
    "t5gemma2_text": (2304, 8, 256, 131072, 1e6, "t5gemma2"),
    "timesfm2_5": (1280, 16, 80, 16384, 1e4),
    "ultrabert": (4096, 32, None, 32768, 1e4),
    "unlimited_ocr_text": (1280, 10, None, 32768, 1e4, "unlimited_ocr"),
    "vaultgemma": (2304, 8, 256, 8192, 1e4),
    "video_llama_3_vision": (768, 12, None, None, 1e4, "video_llama_3"),
    "voxtral_realtime_encoder": (1280, 32, 64, 1500, 1e4, "voxtral_realtime"),
    "voxtral_realtime_text": (4096, 32, None, 131072, 1e4, "voxtral_realtime"),
    "wav2vec2-bert": (1024, 16, None, None, 1e4, "wav2vec2_bert"),
    "wav2vec2-conformer": (768, 12, None, None, 1e4, "wav2vec2_conformer"),
    "xcodec2": (1024, 16, 64, 4096, 1e4),
    "youtu": (2048, 16, None, 131072, 1e4),
    "zamba2": (2560, 32, None, 4096, 1e4),
    "zaya": (2048, 8, 128, 131072, 1e4),
    # types whose code lies beside their weights, see CUSTOM
    "baichuan": (4096, 32, None, 4096, 1e4),
    "chatglm": (4096, 32, 128, 2048, 1e4),
    "internlm2": (4096, 32, None, 2048, 1e4),
    "minimax_text_01": (4096, 32, None, 131072, 1e6),
    "nomic_bert_custom": (768, 12, None, 2048, 1e4),
    "qwen": (4096, 32, 128, 8192, 1e4),
    "stablelm_epoch": (2560, 32, None, 4096, 1e4),
}

#: types that are no classes of transformers: where their code is
CUSTOM = {
    "baichuan": ("baichuan-inc/Baichuan2-7B-Base", "modeling_baichuan.py"),
    "chatglm": ("THUDM/chatglm3-6b, glm-4-9b", "modeling_chatglm.py"),
    "internlm2": ("internlm/internlm2-7b", "modeling_internlm2.py"),
    "minimax_text_01": ("MiniMaxAI/MiniMax-Text-01", "modeling_minimax_text_01.py"),
    "nomic_bert_custom": ("nomic-ai/nomic-bert-2048", "modeling_hf_nomic_bert.py"),
    "qwen": ("Qwen/Qwen-7B", "modeling_qwen.py"),
    "stablelm_epoch": ("stabilityai/stablelm-3b-4e1t", "modeling_stablelm_epoch.py"),
}
#: a type of transformers and a custom one of the same name, which has one of these keys
CUSTOM_BY_KEY = {"nomic_bert": (("n_embd", "rotary_emb_base", "rotary_emb_fraction"), "nomic_bert_custom")}

#: parts of a model that have a rotary encoding of their own, and the types they have unless they say another one
PARTS = {
    "aria": {"text_config": "aria_text"},
    "audioflamingo3": {"text_config": "qwen2"},
    "aya_vision": {"text_config": "cohere2"},
    "blt": {
        "patcher_config": "blt_patcher",
        "encoder_config": "blt_local_encoder",
        "decoder_config": "blt_local_decoder",
        "global_config": "blt_global_transformer",
    },
    "chmv2": {"backbone_config": "dinov3_vit"},
    "clvp": {"text_config": "clvp_encoder", "speech_config": "clvp_encoder"},
    "cohere2_vision": {"text_config": "cohere2"},
    "cohere_compass": {"vision_config": "cohere_compass_vision", "text_config": "cohere_compass_text"},
    "colmodernvbert": {"vlm_config": "modernvbert"},
    "colpali": {"vlm_config": "paligemma"},
    "colqwen2": {"vlm_config": "qwen2_vl"},
    "cosmos3_edge": {"text_config": "cosmos3_edge_text"},
    "cosmos3_omni": {"vision_config": "qwen3_vl_vision", "text_config": "qwen3_vl_text"},
    "csm": {"codec_config": "mimi", "depth_decoder_config": "csm_depth_decoder_model"},
    "deepseek_ocr2_vision": {"encoder_config": "deepseek_ocr2_encoder"},
    "deepseek_ocr2": {"vision_config": "deepseek_ocr2_vision", "text_config": "deepseek_ocr2_text"},
    "deepseek_vl": {"text_config": "llama"},
    "deepseek_vl_hybrid": {"text_config": "llama"},
    "dia": {"encoder_config": "dia_encoder", "decoder_config": "dia_decoder"},
    "diffusion_gemma": {"text_config": "diffusion_gemma_text", "vision_config": "gemma4_vision"},
    "dots3_note": {
        "text_config": "dots3_note_text",
        "vision_config": "dots3_note_vision_encoder",
        "audio_config": "dots3_note_audio_encoder",
    },
    "embedding_gemma2": {"text_config": "embedding_gemma2_text"},
    "emu3": {"text_config": "emu3_text_model"},
    "ernie4_5_vl_moe": {"vision_config": "ernie4_5_vl_moe_vision", "text_config": "ernie4_5_vl_moe_text"},
    "qwen3_omni_moe_talker": {
        "text_config": "qwen3_omni_moe_talker_text",
        "code_predictor_config": "qwen3_omni_moe_talker_code_predictor",
    },
    "esmfold2": {
        "atom_encoder": "esmfold2_atom_encoder",
        "esmc_config": "esmc",
        "structure_head": "esmfold2_structure_head",
    },
    "esmfold2_diffusion_module": {"atom_encoder": "esmfold2_atom_encoder"},
    "esmfold2_structure_head": {"diffusion_module": "esmfold2_diffusion_module"},
    "evolla": {"protein_encoder_config": "evolla_protein_encoder"},
    "exaone4_5": {"vision_config": "exaone4_5_vision", "text_config": "exaone4"},
    "fast_vlm": {"text_config": "qwen2"},
    "fun_asr_nano": {"text_config": "qwen3"},
    "fuyu": {"text_config": "persimmon"},
    "gemma3": {"text_config": "gemma3_text"},
    "gemma3n": {"text_config": "gemma3n_text"},
    "gemma4": {"text_config": "gemma4_text"},
    "gemma4_unified": {"text_config": "gemma4_unified_text"},
    "gemma4_unified_assistant": {"text_config": "gemma4_unified_text"},
    "glm46v": {"text_config": "glm4v_text", "vision_config": "glm4v_vision"},
    "glm4v": {"vision_config": "glm4v_vision", "text_config": "glm4v_text"},
    "glm4v_moe": {"vision_config": "glm4v_moe_vision", "text_config": "glm4v_moe_text"},
    "glm5_next": {"vision_config": "glm5_next_vision"},
    "glm_image": {"text_config": "glm_image_text"},
    "glm_ocr": {"vision_config": "glm_ocr_vision", "text_config": "glm_ocr_text"},
    "glmasr": {"text_config": "llama", "audio_config": "glmasr_encoder"},
    "glmga": {"text_config": "glm4v_text", "vision_config": "glm4v_vision"},
    "got_ocr2": {"text_config": "qwen2"},
    "granite4_vision": {"text_config": "granite4_vision_text"},
    "granite_docling": {"text_config": "granite_docling_text"},
    "granite_speech": {"text_config": "granite"},
    "granite_speech_plus": {"text_config": "granite"},
    "hunyuan_vl": {"text_config": "hunyuan_vl_text"},
    "hyperclovax_vision_v2": {"vision_config": "qwen2_5_vl_vision", "text_config": "hyperclovax"},
    "idefics2": {"text_config": "mistral"},
    "idefics3": {"text_config": "llama"},
    "inkling2": {"vision_config": "inkling2_vision"},
    "internvl": {"text_config": "qwen2"},
    "janus": {"text_config": "llama"},
    "jev": {"text_config": "qwen3_5_text"},
    "kimi_k25": {"text_config": "deepseek_v3", "vision_config": "kimi_k25_vision"},
    "kyutai_speech_to_text": {"codec_config": "mimi"},
    "lasr_ctc": {"encoder_config": "lasr_encoder"},
    "lfm2_vl": {"text_config": "lfm2"},
    "lfm3_vl": {"vision_config": "lfm3_vl_vision", "text_config": "lfm3"},
    "lighton_ocr": {"vision_config": "pixtral", "text_config": "qwen3"},
    "llama4": {"text_config": "llama4_text", "vision_config": "llama4_vision_model"},
    "llava": {"text_config": "llama"},
    "llava_next": {"text_config": "llama"},
    "llava_next_video": {"text_config": "llama"},
    "llava_onevision": {"text_config": "qwen2"},
    "minicpm_ocr": {"text_config": "qwen3_5_text"},
    "minicpmv4_6": {"text_config": "qwen3_5_text"},
    "minicpmv4_7": {"text_config": "qwen3_5_text"},
    "minimax_m3_vl": {"text_config": "minimax_m3_vl_text", "vision_config": "minimax_m3_vl_vision"},
    "mistral3": {"text_config": "mistral", "vision_config": "pixtral"},
    "mistral_large4": {"text_config": "mistral_large4_text", "vision_config": "pixtral"},
    "mllama": {"text_config": "mllama_text_model"},
    "modernvbert": {"text_config": "modernbert"},
    "molmo2": {"text_config": "molmo2_text"},
    "moshi": {"audio_encoder_config": "mimi"},
    "moss_transcribe_diarize": {"text_config": "qwen3"},
    "muse_glimmer": {"text_config": "muse_glimmer_text", "vision_config": "muse_glimmer_vision"},
    "muse_spark": {"text_config": "muse_spark_text", "vision_config": "muse_spark_vision"},
    "musicflamingo": {"text_config": "qwen2"},
    "nemotron3_5_transcribe_audio": {
        "asr_config": "nemotron3_5_transcribe_asr_audio",
        "diarization_config": "nemotron3_diarization",
    },
    "nemo_speechlm": {
        "audio_config": "nemotron3_5_transcribe_audio",
        "word_timestamp_config": "nemotron3_5_transcribe_word_timestamp",
    },
    "nemotron3_diarization": {"audio_config": "nemotron3_diarization_audio"},
    "neucodec": {"semantic_model_config": "wav2vec2-bert"},
    "ovis2": {"text_config": "qwen2"},
    "paddleocr_vl": {"vision_config": "paddleocr_vl_vision", "text_config": "paddleocr_vl_text"},
    "paligemma": {"text_config": "gemma"},
    "pe_audio": {"text_config": "modernbert", "audio_config": "pe_audio_encoder"},
    "pe_audio_video_encoder": {"audio_config": "pe_audio_encoder", "video_config": "pe_video_encoder"},
    "pe_audio_video": {"text_config": "modernbert", "audio_video_config": "pe_audio_video_encoder"},
    "pe_video": {"text_config": "modernbert", "video_config": "pe_video_encoder"},
    "perception_lm": {"text_config": "llama"},
    "pi0": {"vlm_config": "paligemma", "dit_config": "gemma"},
    "pp_chart2table": {"text_config": "qwen2"},
    "qianfan_ocr": {"text_config": "qwen3"},
    "qwen2_5_omni_thinker": {"text_config": "qwen2_5_omni_text", "vision_config": "qwen2_5_omni_vision_encoder"},
    "qwen2_5_omni_token2wav": {"dit_config": "qwen2_5_omni_dit"},
    "qwen2_5_omni": {
        "thinker_config": "qwen2_5_omni_thinker",
        "talker_config": "qwen2_5_omni_talker",
        "token2wav_config": "qwen2_5_omni_token2wav",
    },
    "qwen2_5_vl": {"vision_config": "qwen2_5_vl_vision", "text_config": "qwen2_5_vl_text"},
    "qwen2_audio": {"text_config": "qwen2"},
    "qwen2_vl": {"vision_config": "qwen2_vl_vision", "text_config": "qwen2_vl_text"},
    "qwen3_5": {"vision_config": "qwen3_5_vision", "text_config": "qwen3_5_text"},
    "qwen3_5_moe": {"vision_config": "qwen3_5_moe_vision", "text_config": "qwen3_5_moe_text"},
    "qwen3_asr": {"text_config": "qwen3"},
    "qwen3_omni_moe_thinker": {
        "text_config": "qwen3_omni_moe_text",
        "vision_config": "qwen3_omni_moe_vision_encoder",
    },
    "qwen3_omni_moe": {
        "thinker_config": "qwen3_omni_moe_thinker",
        "talker_config": "qwen3_omni_moe_talker",
        "code2wav_config": "qwen3_omni_moe_code2wav",
    },
    "qwen3_vl": {"vision_config": "qwen3_vl_vision", "text_config": "qwen3_vl_text"},
    "qwen3_vl_moe": {"vision_config": "qwen3_vl_moe_vision", "text_config": "qwen3_vl_moe_text"},
    "qwen4_exp": {"vision_config": "qwen4_exp_vision", "text_config": "qwen4_exp_text"},
    "sam3_vision_model": {"backbone_config": "sam3_vit_model"},
    "sam3": {"vision_config": "sam3_vision_model"},
    "sam3_lite_text": {"vision_config": "sam3_vision_model"},
    "sam3_tracker": {"vision_config": "sam3_vision_model"},
    "sam3_tracker_video": {"vision_config": "sam3_vision_model"},
    "sam3_video": {"detector_config": "sam3", "tracker_config": "sam3_tracker_video"},
    "shieldgemma2": {"text_config": "gemma3_text"},
    "smolvlm": {"text_config": "llama"},
    "step3p7": {"vision_config": "step3p5_vision", "text_config": "step3p5"},
    "t5gemma2_encoder": {"text_config": "t5gemma2_text"},
    "t5gemma2": {"encoder": "t5gemma2_encoder", "decoder": "t5gemma2_decoder"},
    "ultravbert": {"text_config": "ultrabert"},
    "unlimited_ocr": {"text_config": "unlimited_ocr_text"},
    "vibevoice": {"text_config": "qwen2"},
    "vibevoice_asr": {"text_config": "qwen2"},
    "video_llama_3": {"text_config": "qwen2", "vision_config": "video_llama_3_vision"},
    "video_llava": {"text_config": "llama"},
    "vipllava": {"text_config": "llama"},
    "voxtral": {"text_config": "llama"},
    "voxtral_realtime": {"text_config": "voxtral_realtime_text", "audio_config": "voxtral_realtime_encoder"},
    "xcodec2": {"semantic_model_config": "wav2vec2-bert"},
    "t5gemma": {"encoder": "t5_gemma_module", "decoder": "t5_gemma_module"},
    "gemma4_assistant": {"text_config": "gemma4_text"},
}

#: names that mean another model type
ALIASES = {
    "MiniMaxText01": "minimax_text_01",
    "exaone4_5_text": "exaone4",
    "kimi_k2": "deepseek_v3",
}

#: model_type: other names of hidden_size and so on; files hold either
_TOWER = {"num_attention_heads": "num_heads"}
_GPT = {
    "hidden_size": "n_embd",
    "num_attention_heads": "n_head",
    "max_position_embeddings": "n_positions",
    "num_hidden_layers": "n_layer",
}
NAMES = {
    "bailing_hybrid": {"max_position_embeddings": "model_max_length"},
    "chatglm": {"head_dim": "kv_channels"},
    "codegen": _GPT,
    "cohere_compass_vision": _TOWER,
    "dbrx": {
        "hidden_size": "d_model",
        "num_attention_heads": "n_heads",
        "max_position_embeddings": "max_seq_len",
        "num_hidden_layers": "n_layers",
    },
    "dots3_note_audio_encoder": {"max_position_embeddings": "max_source_positions"},
    "dots3_note_vision_encoder": {"hidden_size": "embed_dim"},
    "ernie4_5_vl_moe_vision": _TOWER,
    "exaone4_5_vision": _TOWER,
    "falcon": {"hidden_size": "n_embed", "num_attention_heads": "n_head", "num_hidden_layers": "n_layer"},
    "glm4_moe_lite": {"head_dim": "qk_rope_head_dim"},
    "glm4v_moe_vision": _TOWER,
    "glm4v_vision": _TOWER,
    "glm5_next_vision": _TOWER,
    "glm_ocr_vision": _TOWER,
    "gptj": _GPT,
    "hunyuan_vl_text": {"head_dim": "attention_head_dim"},
    "jetmoe": {"head_dim": "kv_channels"},
    "moonshine": {"num_attention_heads": "decoder_num_attention_heads"},
    "nomic_bert_custom": {"hidden_size": "n_embd", "num_attention_heads": "n_head", "num_hidden_layers": "n_layer"},
    "qwen": {"head_dim": "kv_channels"},
    "qwen2_5_omni_vision_encoder": _TOWER,
    "qwen2_5_vl_vision": _TOWER,
    "qwen2_vl_vision": {"hidden_size": "embed_dim", "num_attention_heads": "num_heads"},
    "qwen3_5_moe_vision": _TOWER,
    "qwen3_5_vision": _TOWER,
    "qwen3_omni_moe_vision_encoder": _TOWER,
    "qwen3_vl_moe_vision": _TOWER,
    "qwen3_vl_vision": _TOWER,
    "qwen4_exp_vision": _TOWER,
    "seamless_m4t": {"num_attention_heads": "speech_encoder_attention_heads"},
    "step3p5_vision": {"hidden_size": "width"},
    "zamba2": {"head_dim": "attention_head_dim"},
}

#: parts whose hidden_size is that of what they are joined to, and the key of their own
NOT_HIDDEN = {"qwen2_vl_vision": "embed_dim"}

#: head_dim is hidden_size / num_attention_heads whatever the file says
DERIVED_HEAD_DIM = frozenset(["deepseek_ocr2_text", "falcon", "unlimited_ocr_text"])

#: model_type: qk_nope_head_dim and qk_rope_head_dim; a head is [nope | rope], the rotary part has qk_rope_head_dim
LATENT = {
    "axk1": (128, 64),
    "axk2": (64, 32),
    "bailing_hybrid": (128, 64),
    "deepseek_v2": (128, 64),
    "deepseek_v3": (128, 64),
    "deepseek_v32": (128, 64),
    "glm4_moe_lite": (192, 64),
    "glm_moe_dsa": (192, 64),
    "hy_v4": (192, 64),
    "longcat_flash": (128, 64),
    "minicpm3": (64, 32),
    "mistral4": (64, 64),
    "mistral_large4_text": (64, 64),
    "youtu": (128, 64),
}

#: of these, classes that set head_dim to qk_rope_head_dim whatever a file says; in others a head_dim of the file wins,
#: and then the table does not fit the rotary part
HEAD_DIM_IS_REPLACED = frozenset(
    "axk2 bailing_hybrid deepseek_v2 deepseek_v32 glm_moe_dsa hy_v4 minicpm3 mistral_large4_text".split()
)

#: the ladder of rope_type "default" reads partial_rotary_factor, with this value where no file has one; that of all
#: other types does not, though every other rope_type does
PARTIAL = {
    "bamba": 0.5,
    "diffusion_gemma_text": 1.0,
    "dots3_note_audio_encoder": 0.5,
    "efficientloftr": 4.0,
    "glm": 0.5,
    "glm4": 0.5,
    "glm4_moe": 0.5,
    "glm4_moe_lite": 1.0,
    "glm4v_moe_text": 0.5,
    "glm4v_text": 1.0,
    "glm_image_text": 1.0,
    "glm_ocr_text": 1.0,
    "glmasr_encoder": 0.5,
    "gpt_neox": 0.25,
    "gpt_neox_japanese": 1.0,
    "laguna": 1.0,
    "mellum": 1.0,
    "mimo_v2_flash": 0.334,
    "minimax_m2": 1.0,
    "minimax_m3_vl_text": 1.0,
    "moonshine": 0.9,
    "moonshine_streaming": 0.8,
    "musicflamingo": 0.2,
    "nemotron": 0.5,
    "nemotron3_5_transcribe_asr_audio": 0.5,
    "nemotron3_5_transcribe_word_timestamp": 0.5,
    "nemotron3_diarization_audio": 1.0,
    "neomme": 1.0,
    "persimmon": 0.5,
    "phi": 0.5,
    "phi3": 1.0,
    "phi4_multimodal": 1.0,
    "qwen3_5_moe_text": 0.25,
    "qwen3_5_text": 0.25,
    "qwen3_next": 0.25,
    "qwen4_exp_text": 1.0,
    "recurrent_gemma": 0.5,
    "solar_open": 1.0,
    "stablelm": 0.25,
    "step3p5": 1.0,
    "zaya": 0.5,
    "chatglm": 0.5,
    "minimax_text_01": 1.0,
    "nomic_bert_custom": 1.0,
    "qwen": 1.0,
    "stablelm_epoch": 0.25,
    "deepseek_v4": 0.125,
    "dots3_note_text": 0.25,
}

#: of these, classes that read it in rope_parameters and rope_scaling alone
PARTIAL_BELOW = frozenset(["bamba"])

#: rotary parts narrower than a head are turned by these, by the width of the table
SLICED = frozenset(PARTIAL) - {"efficientloftr", "glm4_moe_lite", "mellum", "solar_open", "diffusion_gemma_text"}
#: and by these by int(head_dim * partial_rotary_factor), which has to be even
SLICED_EVEN = frozenset("gpt_neox_japanese persimmon phi stablelm".split())

#: channels (2i, 2i + 1) turn together
INTERLEAVED = frozenset(
    "blt_local_encoder blt_local_decoder blt_global_transformer blt_patcher chatglm codegen cohere cohere2 cohere2_moe"
    " deepseek_v2 deepseek_v4 edgetam_video efficientloftr ernie4_5 ernie4_5_moe ernie4_5_vl_moe_text glm glm4"
    " glm4v_text glm_ocr_text gptj helium inkling2_vision llama4_text llama4_vision_model moonshine"
    " moonshine_streaming openai_privacy_filter pe_audio_encoder pe_audio_video_encoder pe_video_encoder roformer"
    " sam2_video sam3_tracker_video sam3_vit_model".split()
)
#: the same, and the result is written with all first channels in front
DEINTERLEAVED = frozenset(
    "axk2 bailing_hybrid deepseek_v32 dots3_note_text glm_moe_dsa longcat_flash mistral_large4_text".split()
)
#: that, unless rope_interleave is false: then channels (i, i + rotary_dim/2)
DEINTERLEAVED_BY_KEY = frozenset("axk1 deepseek_v3 glm4_moe_lite mistral4 youtu".split())

#: turned by -p
INVERSE = frozenset(["nanochat"])

#: rope_parameters where a file has neither them nor rope_scaling
NESTED = ("full_attention", "sliding_attention")
_YARN_OSS = {
    "rope_type": "yarn",
    "factor": 32.0,
    "beta_fast": 32.0,
    "beta_slow": 1.0,
    "truncate": False,
    "original_max_position_embeddings": 4096,
}
_GEMMA4 = {
    "sliding_attention": {"rope_type": "default", "rope_theta": 1e4},
    "full_attention": {"rope_type": "proportional", "partial_rotary_factor": 0.25, "rope_theta": 1e6},
}
PARAMETERS = {
    "apertus": {
        "rope_type": "llama3",
        "rope_theta": 12000000.0,
        "factor": 8.0,
        "original_max_position_embeddings": 8192,
        "low_freq_factor": 1.0,
        "high_freq_factor": 4.0,
    },
    "beam": {"sliding_attention": {"rope_type": "default", "rope_theta": 1e4}, "full_attention": None},
    "cosmos3_edge_text": {"rope_type": "default", "mrope_section": [24, 20, 20]},
    "cwm": {
        "rope_theta": 1e6,
        "factor": 16.0,
        "high_freq_factor": 4.0,
        "low_freq_factor": 1.0,
        "original_max_position_embeddings": 8192,
        "rope_type": "llama3",
    },
    "diffusion_gemma_text": _GEMMA4,
    "embedding_gemma2_text": {
        "sliding_attention": {"rope_type": "default", "rope_theta": 1e4},
        "full_attention": {"rope_type": "default", "rope_theta": 1e6},
    },
    "gemma4_text": _GEMMA4,
    "gemma4_unified_text": _GEMMA4,
    "gpt_oss": _YARN_OSS,
    "higgs_audio_v2": {
        "factor": 32.0,
        "rope_theta": 5e5,
        "high_freq_factor": 0.5,
        "low_freq_factor": 0.125,
        "original_max_position_embeddings": 1024,
        "rope_type": "llama3",
    },
    "laguna": {
        "full_attention": {"rope_type": "default", "rope_theta": 5e5, "partial_rotary_factor": 0.5},
        "sliding_attention": {"rope_type": "default", "rope_theta": 1e4, "partial_rotary_factor": 1.0},
    },
    "lfm3": {
        "sliding_attention": {"rope_type": "default", "rope_theta": 1e4},
        "full_attention": {"rope_type": "proportional", "rope_theta": 1e6, "partial_rotary_factor": 0.5},
    },
    "mellum": {
        "full_attention": {"rope_type": "default", "rope_theta": 5e5},
        "sliding_attention": {"rope_type": "default", "rope_theta": 1e4},
    },
    "mimo_v2_flash": {
        "full_attention": {"rope_type": "default", "rope_theta": 5000000.0, "partial_rotary_factor": 0.334},
        "sliding_attention": {"rope_type": "default", "rope_theta": 1e4, "partial_rotary_factor": 0.334},
    },
    "ministral3": {
        "rope_type": "yarn",
        "rope_theta": 1e6,
        "factor": 16.0,
        "original_max_position_embeddings": 16384,
        "beta_fast": 32.0,
        "beta_slow": 1.0,
        "mscale_all_dim": 1.0,
        "mscale": 1.0,
        "llama_4_scaling_beta": 0.1,
    },
    "mistral4": {
        "rope_type": "yarn",
        "rope_theta": 1e4,
        "factor": 128.0,
        "original_max_position_embeddings": 8192,
        "beta_fast": 32.0,
        "beta_slow": 1.0,
        "mscale_all_dim": 1.0,
        "mscale": 1.0,
        "llama_4_scaling_beta": 0.1,
    },
    "mistral_large4_text": {
        "rope_type": "yarn",
        "rope_theta": 1e4,
        "factor": 2048.0,
        "original_max_position_embeddings": 512,
        "beta_fast": 32.0,
        "beta_slow": 1.0,
        "attention_factor": 1.0,
    },
    "muse_spark_text": {"rope_type": "default", "rope_theta": 5e5},
    "openai_privacy_filter": _YARN_OSS,
    "ultrabert": {
        "sliding_attention": {"rope_type": "default", "rope_theta": 1e4},
        "full_attention": {"rope_type": "default", "rope_theta": 2560000.0},
    },
    "zaya": {
        "hybrid": {"rope_type": "default", "rope_theta": 5000000.0, "partial_rotary_factor": 0.5},
        "hybrid_sliding": {"rope_type": "default", "rope_theta": 1e4, "partial_rotary_factor": 0.5},
    },
}

#: one table for full and one for sliding attention, made from flat keys: the key of the base and its default for each,
#: and which of them rope_scaling is for
TWO_BASES = {
    "gemma3_text": (("rope_theta", 1e6), ("rope_local_base_freq", 1e4), ("full_attention",)),
    "gemma3n_text": (("rope_theta", 1e6), ("rope_local_base_freq", 1e4), ("full_attention",)),
    "modernbert": (("global_rope_theta", 160000.0), ("local_rope_theta", 1e4), NESTED),
    "modernbert-decoder": (("global_rope_theta", 160000.0), ("local_rope_theta", 1e4), NESTED),
    # rope_theta is the base of full attention only: the other keeps its default, whatever the file says
    "olmo3": (("rope_theta", 5e5), (None, 5e5), ("full_attention",)),
    "t5gemma2_decoder": (("rope_theta", 1e6), ("rope_local_base_freq", 1e4), ("full_attention",)),
    "t5gemma2_text": (("rope_theta", 1e6), ("rope_local_base_freq", 1e4), ("full_attention",)),
}

#: read rope_parameters, one for each layer type, and no key beside them
NESTED_ONLY = frozenset(
    "beam cohere_compass_text diffusion_gemma_text embedding_gemma2_text gemma4_text gemma4_unified_text laguna mellum"
    " mimo_v2_flash ultrabert zaya".split()
)

#: head_dim of the full attention layers where a file has neither global_head_dim nor per_layer_config
GLOBAL_HEAD_DIM = {
    "diffusion_gemma_text": 512,
    "embedding_gemma2_text": 512,
    "gemma4_text": 512,
    "gemma4_unified_text": 512,
}

#: other names of rope_theta and partial_rotary_factor; files hold either
BASE_NAMES = {
    "gpt_neox": "rotary_emb_base",
    "gpt_neox_japanese": "rotary_emb_base",
    "nomic_bert_custom": "rotary_emb_base",
    "qwen": "rotary_emb_base",
    "seamless_m4t": "rotary_embedding_base",
    "wav2vec2-bert": "rotary_embedding_base",
    "wav2vec2-conformer": "rotary_embedding_base",
}
PARTIAL_NAMES = {
    "gpt_neox": "rotary_pct",
    "gpt_neox_japanese": "rotary_pct",
    "nomic_bert_custom": "rotary_emb_fraction",
    "qwen": "rotary_pct",
    "stablelm_epoch": "rope_pct",
}

#: rope_type names that mean another one
SYNONYMS = {
    "hunyuan_vl_text": {"xdrope": "dynamic"},
    "phi3": {"su": "longrope", "yarn": "longrope"},
    "phi4_multimodal": {"su": "longrope", "yarn": "longrope"},
}
#: and the same in every model with mrope_section
MROPE_TYPE = {"mrope": "default"}

#: top-level original_max_position_embeddings where a file has none
ORIGINAL_LENGTH = {"phi3": 4096, "phi4_multimodal": 4096}

#: arrangement and default mrope_section of the three axes of a text model
MROPE = {
    "cohere_compass_text": ("interleaved", [24, 20, 20]),
    "cosmos3_edge_text": ("interleaved", [24, 20, 20]),
    "ernie4_5_vl_moe_text": ("alternating", [22, 22, 20]),
    "glm4v_moe_text": ("chunked", [8, 12, 12]),
    "glm4v_text": ("chunked", [8, 12, 12]),
    "glm_image_text": ("chunked", [8, 12, 12]),
    "glm_ocr_text": ("chunked", [8, 12, 12]),
    "paddleocr_vl_text": ("chunked", [16, 24, 24]),
    "qwen2_5_omni_talker": ("chunked", [16, 24, 24]),
    "qwen2_5_omni_text": ("chunked", [16, 24, 24]),
    "qwen2_5_vl_text": ("chunked", [16, 24, 24]),
    "qwen2_vl_text": ("chunked", [16, 24, 24]),
    "qwen3_5_moe_text": ("interleaved", [11, 11, 10]),
    "qwen3_5_text": ("interleaved", [11, 11, 10]),
    "qwen3_omni_moe_talker_text": ("interleaved", [24, 20, 20]),
    "qwen3_omni_moe_text": ("interleaved", [24, 20, 20]),
    "qwen3_vl_moe_text": ("interleaved", [24, 20, 20]),
    "qwen3_vl_text": ("interleaved", [24, 20, 20]),
    "qwen4_exp_text": ("interleaved", [11, 11, 10]),
}

#: rotations along the axes of an image: arguments of axial_frequencies for a head of `dim`, and what else differs
_TOWERS = (
    "cohere_compass_vision dots3_note_vision_encoder ernie4_5_vl_moe_vision exaone4_5_vision glm4v_moe_vision"
    " glm4v_vision glm5_next_vision glm_ocr_vision lfm3_vl_vision mlcd_vision_model muse_glimmer_vision"
    " muse_spark_vision paddleocr_vl_vision qwen2_5_omni_vision_encoder qwen2_5_vl_vision qwen2_vl_vision"
    " qwen3_5_moe_vision qwen3_5_vision qwen3_omni_moe_vision_encoder qwen3_vl_moe_vision qwen3_vl_vision"
    " qwen4_exp_vision video_llama_3_vision edgetam_video sam2_video sam3_tracker_video sam3_vit_model"
).split()
_HALF_TURNS = {"times_pi": 2}
AXIAL = {
    **{name: {} for name in _TOWERS},
    "dinov3_vit": _HALF_TURNS,
    "efficientloftr": {"arrangement": "interleaved"},
    "eomt_dinov3": _HALF_TURNS,
    "gemma4_vision": {},
    "inkling2_vision": {"axes": (1, 0)},
    "kimi_k25_vision": {"arrangement": "interleaved", "axes": (1, 0)},
    "llama4_vision_model": {},
    "minimax_m3_vl_vision": {"axes": (0, 1, 2)},
    "pixtral": {"ladder": "strided"},
    "sapiens2": _HALF_TURNS,
    "step3p5_vision": {"axes": (1, 0)},
}
#: what positions along those axes are, where they are not (row, column) from 0
AXES = {
    "dinov3_vit": "row and column of a patch's center, from -1 to 1 (refpos.coordinates)",
    "efficientloftr": "row and column, from 1; the rotated vector is the one of all heads",
    "eomt_dinov3": "row and column of a patch's center, from -1 to 1 (refpos.coordinates)",
    "gemma4_vision": "column and row, and each half of a head is rotated alone",
    "llama4_vision_model": "column and row, from 1; the class token is not rotated",
    "minimax_m3_vl_vision": "frame, row and column; channels behind the three axes are not rotated",
    "sapiens2": "row and column of a patch's center, from -1 to 1 (refpos.coordinates)",
}
#: names of parts that are neither text nor vision
PART_NAMES = {"esmfold2_atom_encoder": "atoms", "musicflamingo": "audio"}

#: blocks of a head that are rotated alone
BLOCKS = {"gemma4_vision": 2}

#: there is a rotation only if a key has a value: (key, value, what it is without the key)
SWITCHES = {
    "clvp_encoder": ("use_rotary_embedding", True, True),
    "esm": ("position_embedding_type", "rotary", "absolute"),
    "evolla_protein_encoder": ("position_embedding_type", "rotary", "rotary"),
    "falcon": ("alibi", False, False),
    "granitemoehybrid": ("position_embedding_type", "rope", None),
    "seamless_m4t": ("position_embeddings_type", "rotary", "relative"),
    "wav2vec2-bert": ("position_embeddings_type", "rotary", "relative_key"),
    "wav2vec2-conformer": ("position_embeddings_type", "rotary", "relative"),
    "zamba2": ("use_mem_rope", True, False),
}

#: layer types without attention, and so without a rotation
NO_ATTENTION = frozenset(
    "conv hybrid_mamba linear_attention mamba mamba2 mamba_ssm moe recurrent recurrent_attention".split()
)
#: only sliding attention is rotated, if there is any
SLIDING_ONLY = frozenset("afmoe cohere2 cohere2_moe exaone4 exaone_moe flint kolibri1".split())
#: and sliding_window: null means that all layers are
ALL_WITHOUT_WINDOW = frozenset("exaone4 exaone_moe kolibri1".split())
#: no_rope_layers says 1 for the layers that are rotated; without the key every fourth layer is not
NO_ROPE_LAYERS = frozenset("llama4_text mistral_large4_text smollm3".split())
#: layer_rope_theta has a base for each layer, 0 for none
LAYER_BASES = frozenset("granite_swa granitemoe_swa muse_glimmer_text muse_spark_text".split())

#: number of layers where a file does not say, for the types whose layers differ
LAYERS = {
    "afmoe": 32,
    "beam": 52,
    "cohere2": 40,
    "cohere2_moe": 40,
    "cohere_compass_text": 40,
    "deepseek_v4": 43,
    "diffusion_gemma_text": 30,
    "dots3_note_text": 46,
    "embedding_gemma2_text": 24,
    "exaone4": 32,
    "exaone_moe": 32,
    "flint": 49,
    "gemma3_text": 26,
    "gemma3n_text": 35,
    "gemma4_text": 30,
    "gemma4_unified_text": 30,
    "granite_swa": 24,
    "granitemoe_swa": 32,
    "kolibri1": 50,
    "laguna": 40,
    "lfm3": 24,
    "llama4_text": 48,
    "mellum": 28,
    "mimo_v2_flash": 48,
    "mistral_large4_text": 72,
    "modernbert": 22,
    "modernbert-decoder": 22,
    "muse_glimmer_text": 52,
    "muse_spark_text": 62,
    "neomme": 17,
    "olmo3": 32,
    "smollm3": 36,
    "step3p5": 45,
    "t5gemma2_decoder": 26,
    "t5gemma2_text": 26,
    "ultrabert": 32,
    "zaya": 40,
}
#: attention is full at every n-th layer and sliding at the others: the key of n, and n without it
EVERY = {
    "afmoe": ("global_attn_every_n_layers", 4),
    "beam": (None, 6),
    "cohere2": ("sliding_window_pattern", 4),
    "cohere2_moe": ("sliding_window_pattern", 4),
    "diffusion_gemma_text": (None, 6),
    "embedding_gemma2_text": ("sliding_window_pattern", 6),
    "exaone4": ("sliding_window_pattern", 4),
    "exaone_moe": ("sliding_window_pattern", 4),
    "gemma3_text": ("sliding_window_pattern", 6),
    "gemma3n_text": (None, 5),
    "gemma4_text": (None, 6),
    "gemma4_unified_text": (None, 6),
    "kolibri1": (None, 5),
    "neomme": (None, 6),
    "olmo3": (None, 4),
    "t5gemma2_decoder": ("sliding_window_pattern", 6),
    "t5gemma2_text": ("sliding_window_pattern", 6),
    "ultrabert": (None, 3),
}
#: and at the last one
LAST_IS_FULL = frozenset(
    "beam diffusion_gemma_text embedding_gemma2_text gemma4_text gemma4_unified_text neomme".split()
)
#: attention is full at layers 0, n, 2n ...
FROM_FIRST = {"granite_swa": (None, 4), "granitemoe_swa": (None, 4), "modernbert": ("global_attn_every_n_layers", 3)}
FROM_FIRST["modernbert-decoder"] = FROM_FIRST["modernbert"]
#: all layers are of one type
ONE_TYPE = {
    "cohere_compass_text": "full_attention",
    "laguna": "full_attention",
    "mellum": "full_attention",
    "step3p5": "full_attention",
    "zaya": "hybrid",
}

#: the softmax scale is multiplied by yarn_softmax_scale(factor, mscale_all_dim), if there is an mscale_all_dim
SOFTMAX_SCALED = frozenset(
    "axk1 axk2 bailing_hybrid deepseek_v2 deepseek_v3 deepseek_v32 glm4_moe_lite glm_moe_dsa hy_v4 longcat_flash"
    " minicpm3 mistral4 mistral_large4_text youtu".split()
)

#: keys of objects that look as if they decided
UNREAD = {"dbrx": ("attn_config", "rope_theta")}

#: what a porter must know beside the numbers
NOTES = {
    "bailing_hybrid": "only full attention layers are rotated",
    "chatglm": "ChatGLM2-6B-32K divides positions by rope_ratio instead: linear(64, factor=rope_ratio)",
    "clvp_encoder": "values are rotated too",
    "codegen": "the table is [sin | cos] and rotated tensors are (batch, seq, heads, dim)",
    "deepseek_v4": "the output of attention is turned back by the position of the query, as values are rotated keys",
    "deepseek_v32": "the indexer pairs the same channels by halves",
    "esm": "queries are scaled before they are rotated",
    "gptj": "the table is [sin | cos] and rotated tensors are (batch, seq, heads, dim)",
    "hunyuan_vl_text": (
        "this is the rotation of text tokens; image tokens are no rotation: the table is doubled before it is cut into"
        " mrope_section, so that the two channels of a pair turn by different axes"
    ),
    "llama4_text": "queries and keys of rotated layers are normalized after the rotation",
    "mistral_large4_text": "frequencies are multiplied by exp(alpha), alpha learned and 0 at first (learned_log_scale)",
    "qwen2_5_omni_dit": "only the first head is rotated, and its result is written with all first channels in front",
    "roformer": "values are rotated too where rotary_value is true",
    "seamless_m4t": "the input of the query and key projections is rotated, not queries and keys",
    "wav2vec2-bert": "the input of the query and key projections is rotated, not queries and keys",
    "wav2vec2-conformer": "the input of the query and key projections is rotated, not queries and keys",
}

#: keys that change the frequencies, and the value that leaves them: a file read as another type must not lose one
CHANGES = {
    "rope_ratio": 1,
    "rope_pct": 1,
    "rotary_pct": 1,
    "rotary_dim": None,
    "rotary_emb_base": None,
    "rotary_emb_fraction": 1,
    "rotary_embedding_base": None,
    "rotary_scaling_factor": None,
    "partial_rotary_factor": 1,
    "rope_scaling": None,
    "rope_parameters": None,
    "alibi": False,
    "use_alibi": False,
    "use_dynamic_ntk": False,
}
#: keys that code of other projects reads, and what computes what they mean
ELSEWHERE = {
    "dual_chunk_attention_config": "vLLM reads it: dual_chunk_positions, dual_chunk_regions and dual_chunk_mscale",
    "use_dynamic_ntk": "the code of Qwen 1 reads it: ntk_alpha",
    "use_logn_attn": "the code of Qwen 1 reads it: log_n_scale",
}

#: types with a rotation of a kind of its own, which is not described here
OTHER_KINDS = {
    "vjepa2": "the table does not fit the pairs of channels: it is no rotation",
}
