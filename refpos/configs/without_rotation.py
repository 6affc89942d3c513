"""Models without a rotary encoding: what they encode positions by, and which function of refpos computes it.

Types of transformers 5.23.0, each in the words of a sentence "it encodes positions by ...".
"""

ALIBI = "ALiBi (refpos.alibi)"
BUCKETS = "a learned bias of each bucket of distances (refpos.t5_bias)"
SINES = "a table of sines and cosines that is added (refpos.sinusoidal)"
GRID = "sines and cosines of row and column (refpos.sincos_2d)"
WHISPER = "sines in the encoder (refpos.sinusoidal, layout sin-cos, endpoint) and a learned table in the decoder"
LEARNED = "learned positions, a table of the model's weights"
LEARNED_BUCKETS = "a learned table, and a learned bias of each bucket of distances (refpos.t5_bias)"
WINDOW = "a learned bias of each offset in a window, a table of the model's weights"
WINDOW_NETWORK = "a learned network of the offset in a window, weights of the model"
RELATIVE = "learned embeddings of relative positions, weights of the model"
RELATIVE_SINES = "sines of relative positions that enter the scores (Transformer-XL)"
CONVOLUTION = "a learned convolution, weights of the model"
FREQUENCIES = "a rotation with learned frequencies, weights of the model (refpos.given_frequencies)"
ORDER = "the order of its recurrence or convolutions alone"

_TYPES = {
    ALIBI: "bloom mpt",
    BUCKETS: "longt5 mt5 pop2piano switch_transformers t5 umt5",
    SINES: "autoformer ctrl fsmt informer m2m_100 marian musicgen musicgen_decoder nllb-moe pegasus pegasus_x"
    " speech_to_text speecht5 time_series_transformer timesfm videomae videoprism_text_model xglm",
    GRID: "vit_mae",
    WHISPER: "whisper",
    LEARNED: "albert align altclip audio-spectrogram-transformer bart bert bert-generation big_bird bigbird_pegasus"
    " biogpt blenderbot blenderbot-small blip blip_vision_model blip_text_model bridgetower camembert canine"
    " chinese_clip clip clip_text_model clip_vision_model clipseg convbert decision_transformer deit dinov2"
    " dinov2_with_registers dpt electra ernie flava git gpt2 gpt_bigcode gpt_neo groupvit ijepa imagegpt"
    " layoutlm led lilt longformer luke lxmert markuplm mbart megatron-bert mobilebert mvp nystromformer"
    " openai-gpt opt owlv2 owlvit plbart rembert roberta roberta-prelayernorm roc_bert siglip"
    " siglip_text_model siglip_vision_model siglip2 splinter squeezebert tapas timesformer vilt"
    " videoprism_vision_model visual_bert vit vit_msn vivit xclip xlm-roberta xlm-roberta-xl xmod yolos",
    LEARNED_BUCKETS: "layoutlmv2 layoutlmv3 mpnet udop",
    WINDOW: "beit data2vec-vision donut-swin maskformer-swin swin",
    WINDOW_NETWORK: "swin2sr swinv2",
    RELATIVE: "deberta deberta-v2 sew-d",
    RELATIVE_SINES: "funnel xlnet",
    CONVOLUTION: "hubert sew unispeech unispeech-sat wav2vec2 wavlm",
    FREQUENCIES: "lightglue",
    ORDER: "convnext convnextv2 falcon_mamba mamba mamba2 mobilenet_v1 mobilenet_v2 regnet resnet rwkv xlstm",
}
ENCODINGS = {kind: what for what, kinds in _TYPES.items() for kind in kinds.split()}

#: of types that have a rotation by a switch, what they have where it is off: by the value of its key
SWITCHED_OFF = {
    ("falcon", True): ALIBI,
    ("esm", "absolute"): LEARNED,
    ("evolla_protein_encoder", "absolute"): LEARNED,
    ("wav2vec2-bert", "relative_key"): RELATIVE,
    ("wav2vec2-bert", "relative"): RELATIVE_SINES,
    ("wav2vec2-conformer", "relative"): RELATIVE_SINES,
    ("seamless_m4t", "relative"): RELATIVE_SINES,
    ("granitemoehybrid", None): ORDER,
    ("zamba2", False): ORDER,
}


def of_parts(values):
    """What the nested parts of a configuration without a rotation encode positions by, in words, or nothing."""
    named = {name: part.get("model_type") for name, part in values.items()
             if name.endswith("_config") and isinstance(part, dict)}  # fmt: skip
    known = {name: kind for name, kind in named.items() if isinstance(kind, str) and kind in ENCODINGS}
    words = ", and ".join(f"{name} ({kind}) by {ENCODINGS[kind]}" for name, kind in known.items())
    return words and f"a file that encodes positions in {words}"
