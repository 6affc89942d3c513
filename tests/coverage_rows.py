"""What the table of docs/coverage.md says that nothing else knows: for each row its words, calls, cases and witness.

Numbers of golden cases, links, versions, and all that a preset of `refpos.models` says of itself are added by
tests/test_coverage.py, which also looks whether everything named here exists.
"""

from typing import NamedTuple


class Row(NamedTuple):
    """One convention. All but `what`, `ran` and `note` are names with spaces between them.

    id: its numbers in the lists of conventions that COUNTS counts, for the test that none of them lacks a row. calls:
    functions of the catalogue, or paths below refpos. presets: names of `refpos.models`, whose calls, cases, witness
    and real code come from themselves. cases: patterns of golden cases beside those. witness: functions below
    tests/witness. ran: code of others that a test runs, "library:path" each. tests: the files that run it.
    """

    id: str
    what: str
    calls: str = ""
    presets: str = ""
    cases: str = ""
    witness: str = ""
    ran: str = ""
    tests: str = ""
    note: str = ""


class Missing(NamedTuple):
    """A convention of the lists that this package does not compute, and why."""

    id: str
    what: str
    why: str


INIT = "transformers:modeling_rope_utils.ROPE_INIT_FUNCTIONS"
TEXT = "transformers:models.{0}.modeling_{0}.{1}".format

SCALINGS = [
    Row("A1, N9", "the ladder of the paper, any base", "inverse_frequencies", cases="inverse_frequencies/*",
        witness="scalings.inverse_frequencies", ran=TEXT("llama", "LlamaRotaryEmbedding"),
        tests="test_scalings.py test_config.py"),
    Row("A2, N1", "linear, position interpolation", "linear", cases="linear/*", witness="scalings.linear", ran=INIT,
        tests="test_scalings.py test_lengths.py"),
    Row("N2", "NTK-aware, the power and the plain product", "ntk", cases="ntk/*", witness="scalings.ntk",
        ran="diffusers:models.embeddings.get_2d_rotary_pos_embed_lumina", tests="test_models.py",
        note="the product; the power by formula and in Cosmos"),
    Row("A3, N3", "dynamic NTK, and what its module keeps", "dynamic_ntk frequencies.dynamic_ntk.kept_length",
        cases="dynamic_ntk/*", witness="scalings.dynamic_ntk", ran=f"{INIT} {TEXT('llama', 'LlamaRotaryEmbedding')}",
        tests="test_scalings.py"),
    Row("N4", "NTK by parts, the ramp of YaRN without its factor", "ntk_by_parts", cases="ntk_by_parts/*",
        witness="scalings.ntk_by_parts", ran=INIT, tests="test_scalings.py", note="as part of yarn"),
    Row("A4, N4", "YaRN: truncate, clamp, mscale, attention_factor", "yarn",
        cases="yarn/* rope_table/yarn-* rope/yarn-*", witness="scalings.yarn",
        ran=INIT, tests="test_scalings.py test_config.py"),
    Row("A5, N5", "LongRoPE, both sides of the length; PhiMoE", "longrope", cases="longrope/*",
        witness="scalings.longrope", ran=f"{INIT} {TEXT('phimoe', 'PhimoeRotaryEmbedding')}",
        tests="test_scalings.py test_config.py"),
    Row("A6, N6", "Llama 3", "llama3", cases="llama3/* rope_table/llama-3.1-* rope/llama-3.1-*",
        witness="scalings.llama3", ran=INIT, tests="test_scalings.py"),
    Row("A7, N7", "proportional: exponents of the whole head, zeros behind", "proportional",
        cases="proportional/* rope_table/gemma-4-* rope/gemma-4-*", witness="scalings.proportional", ran=INIT,
        tests="test_scalings.py"),
    Row("A8", "NTK-alpha of HunYuan", "ntk_alpha", cases="ntk_alpha/*", witness="scalings.ntk_alpha",
        ran=TEXT("hunyuan_v1_dense", "HunYuanDenseV1RotaryEmbedding"), tests="test_config.py test_real_code.py"),
    Row("A9", "learned log-scale of Mistral Large 4", "learned_log_scale", cases="learned_log_scale/*",
        witness="scalings.learned_log_scale", ran=TEXT("mistral_large4", "MistralLarge4TextRotaryEmbedding"),
        tests="test_real_code.py"),
    Row("A10", "a base for each type of layer", "from_config",
        cases="inverse_frequencies/gemma-3-* inverse_frequencies/modernbert-* inverse_frequencies/mimo-*",
        witness="scalings.inverse_frequencies",
        ran=f"{TEXT('gemma3', 'Gemma3RotaryEmbedding')} {TEXT('modernbert', 'ModernBertRotaryEmbedding')}",
        tests="test_config.py", note="and all others with layer types"),
    Row("A11", "YaRN on the softmax scale", "yarn_softmax_scale", cases="yarn_softmax_scale/*",
        witness="scalings.softmax_scale", ran=TEXT("deepseek_v3", "yarn_apply_mscale"), tests="test_real_code.py"),
    Row("A12", "layers without rotation (NoPE)", "from_config", ran="transformers:SmolLM3Config",
        tests="test_config.py test_real_code.py", note="nothing to compute; which layers, from the configuration"),
    Row("A13", "attention temperature of Llama 4, Ministral 3, Mistral 4", "attention_temperature",
        cases="attention_temperature/*", witness="scalings.temperature",
        ran=TEXT("ministral3", "get_llama_4_attn_scale"), tests="test_real_code.py",
        note="that of Llama 4 stands inside its attention: test_scalings.py runs its formula in float32"),
    Row("A15", "odd widths and shares: StableLM, EfficientLoFTR, CLVP, ESM", "inverse_frequencies from_config",
        cases="inverse_frequencies/odd-width-*", witness="scalings.inverse_frequencies",
        ran=f"{TEXT('efficientloftr', 'EfficientLoFTRRotaryEmbedding')} {TEXT('esm', 'EsmRotaryEmbedding')}",
        tests="test_config.py"),
    Row("N8", "Resonance", "resonance", cases="resonance/* rope_table/resonance-*", witness="scalings.resonance",
        tests="test_scalings.py"),
    Row("", "frequencies as a checkpoint holds them", "given_frequencies", cases="given_frequencies/*",
        witness="digits.from_fractions", tests="test_golden.py"),
]  # fmt: skip

APPLICATION = [
    Row("", "cosines and sines", "rope_table", cases="rope_table/*", witness="formulas.rope_table axes.table",
        ran=TEXT("llama", "LlamaRotaryEmbedding"), tests="test_scalings.py test_interop.py"),
    Row("B1", "half", "rope", presets="llama", cases="rope/*half* rope/llama-3-*", witness="formulas.rope",
        ran=TEXT("llama", "apply_rotary_pos_emb"), tests="test_conversion.py test_config.py",
        note="and every rotary module by its own function"),
    Row("B2", "half, the first channels", "rope", presets="gpt_neox", cases="rope/partial-*-half rope/phi-2-*",
        witness="formulas.rope", ran=TEXT("gpt_neox", "apply_rotary_pos_emb"), tests="test_conversion.py"),
    Row("B3", "interleaved", "rope", presets="gptj roformer cohere glm helium ernie4_5",
        cases="rope/*interleaved* rope/gpt-j-* rope/chatglm-*", witness="formulas.rope",
        ran=f"{TEXT('gptj', 'apply_rotary_pos_emb')} {TEXT('sam2_video', 'apply_rotary_pos_emb_2d')}",
        tests="test_conversion.py"),
    Row("B4", "complex numbers, 2 x 2 matrices", "rope conversion.convert_table", presets="llama_meta",
        cases="rope/llama-meta-*", witness="formulas.rope",
        ran=f"{TEXT('deepseek_v2', 'apply_rotary_emb')} {TEXT('pe_audio', 'apply_rotary_pos_emb')}",
        tests="test_conversion.py"),
    Row("B5", "interleaved, written in halves (DeepSeek-V3)", "conversion.reorder", cases="rope/*interleaved*",
        witness="formulas.rope", ran=TEXT("deepseek_v3", "apply_rotary_pos_emb_interleave"),
        tests="test_conversion.py", note="the result re-ordered"),
    Row("B6", "the last channels; outputs turned back", "rope", presets="deepseek_v2", cases="rope/*inverse*",
        witness="formulas.rope", ran=TEXT("deepseek_v4", "apply_rotary_pos_emb"), tests="test_conversion.py"),
    Row("B7", "half from a compact table, YaRN without truncation", "rope", presets="gpt_oss",
        cases="yarn/gpt-oss-* rope/gpt-oss-* rope_table/gpt-oss-*", witness="scalings.yarn",
        ran=TEXT("gpt_oss", "apply_rotary_pos_emb"), tests="test_conversion.py"),
    Row("B8", "one tensor, heads before or after the sequence", "rope", presets="gemma4", cases="rope/heads-*",
        witness="formulas.rope", ran=TEXT("gemma4", "apply_rotary_pos_emb"), tests="test_models.py"),
    Row("B9", "before the projection (Wav2Vec2-Conformer)", "rope", cases="rope/heads-after-sequence",
        witness="formulas.rope",
        ran=TEXT("wav2vec2_conformer", "Wav2Vec2ConformerSelfAttention"), tests="test_conversion.py"),
    Row("B10", "values too (RoFormer, CLVP)", "rope", cases="rope/*interleaved*", witness="formulas.rope",
        ran=TEXT("roformer", "RoFormerSelfAttention"), tests="test_conversion.py"),
    Row("B11", "scaled queries (ESM)", "rope", cases="rope/*half*", witness="formulas.rope",
        ran="transformers:models.esm.modeling_esm", tests="test_conversion.py"),
    Row("B12", "times of sound, windows and steps (Music Flamingo)", presets="music_flamingo"),
    Row("B13", "codecs (Mimi, Moshi): half, base 10000", "rope from_config", cases="rope/telling-half-*",
        witness="formulas.rope", ran=TEXT("mimi", "MimiRotaryEmbedding"), tests="test_config.py"),
    Row("B14", "weights from Meta's order to halves",
        "conversion.reorder conversion.prove_weights conversion.qkv_order",
        ran="transformers:core_model_loading.PermuteForRope "
            "transformers:modeling_gguf_pytorch_utils.LlamaTensorProcessor", tests="test_conversion.py",
        note="permutations, proved"),
    Row("", "by minus the phase (nanochat)", "rope", presets="nanochat", cases="rope/*inverse*",
        witness="formulas.rope", ran=TEXT("nanochat", "apply_rotary_pos_emb"), tests="test_conversion.py"),
    Row("", "blocks of axes, each in halves", "rope axial_frequencies", cases="rope/block-half-* rope_2d/block-half-*",
        witness="axes.axial", ran=TEXT("gemma4", "apply_multidimensional_rope"), tests="test_conversion.py"),
]  # fmt: skip

MROPE = [
    Row("C1a, G1", "chunked sections", "mrope mrope_frequencies", presets="qwen2_vl qwen2_5_vl qwen2_5_omni",
        cases="mrope/chunked-* mrope/qwen2-* mrope_frequencies/qwen2-vl-*", tests="test_config.py"),
    Row("C1b, G3", "interleaved sections", "mrope mrope_frequencies", presets="qwen3_vl qwen3_5 qwen3_omni",
        cases="mrope/interleaved-* mrope/qwen3-* mrope_frequencies/qwen3-*", tests="test_config.py"),
    Row("C1c, G4", "chunked in interleaved pairs; with halves", "mrope", presets="glm4v glm4v_moe",
        cases="mrope/glm-4v mrope_frequencies/glm-4v"),
    Row("C1d, G5", "rows and columns alternate, time last", "mrope", presets="ernie4_5_vl",
        cases="mrope/ernie-* mrope_frequencies/ernie-*"),
    Row("B15", "rows on the even frequencies, columns on the odd ones (NeoMME)", presets="neomme"),
    Row("C1e, G7", "XD-RoPE of HunYuan-VL, no rotation", "xdrope", presets="hunyuan_vl", cases="xdrope/*",
        witness="axes.xdrope_axes",
        ran=TEXT("hunyuan_vl", "HunYuanVLRotaryEmbedding"), tests="test_real_code.py test_axes.py"),
    Row("G6", "VideoRoPE", "videorope_positions", presets="videorope",
        cases="mrope/videorope mrope_frequencies/videorope rope_table/videorope-*"),
    Row("G3", "Cosmos 3: text, video and sound", presets="cosmos3"),
    Row("G8", "MHRoPE: each head turns by one axis, on the whole ladder", "rope", cases="rope/heads-*",
        witness="formulas.rope", tests="test_real_code.py",
        note="a call for the heads of each axis, by the formula of its authors' code; heads without an axis are left"),
]  # fmt: skip

POSITIONS = [
    Row("C2, G1", "Qwen2-VL, both published algorithms", "qwen2_vl_positions", cases="qwen2_vl_positions/*",
        witness="position_ids.qwen2_vl_positions", ran=TEXT("qwen2_vl", "Qwen2VLModel"), tests="test_position_ids.py",
        note="the older one by formula and as printed"),
    Row("C2, G2", "Qwen2.5-VL, both, and SGLang and vLLM", "qwen2_5_vl_positions", cases="qwen2_5_vl_positions/*",
        witness="position_ids.qwen2_5_vl_positions", ran=TEXT("qwen2_5_vl", "Qwen2_5_VLModel"),
        tests="test_position_ids.py", note="the older one and SGLang by formula and as printed"),
    Row("C2, G3", "Qwen3-VL", "qwen3_vl_positions", cases="qwen3_vl_positions/*",
        witness="position_ids.qwen3_vl_positions", ran=TEXT("qwen3_vl", "Qwen3VLModel"), tests="test_position_ids.py"),
    Row("C2, G4", "GLM-4V", "glm4v_positions", cases="glm4v_positions/*", witness="position_ids.glm4v_positions",
        ran=TEXT("glm4v", "Glm4vModel"), tests="test_position_ids.py"),
    Row("C2, G5", "ERNIE-4.5-VL", "ernie4_5_vl_positions", cases="ernie4_5_vl_positions/*",
        witness="position_ids.ernie4_5_vl_positions", ran=TEXT("ernie4_5_vl_moe", "Ernie4_5_VLMoeModel"),
        tests="test_position_ids.py"),
    Row("C3, G2", "Qwen2.5-Omni (TMRoPE)", "qwen2_5_omni_positions", cases="qwen2_5_omni_positions/*",
        witness="position_ids.qwen2_5_omni_positions",
        ran=TEXT("qwen2_5_omni", "Qwen2_5OmniPreTrainedModelForConditionalGeneration"), tests="test_position_ids.py"),
    Row("C4", "Qwen3-Omni", "qwen3_omni_positions", cases="qwen3_omni_positions/*",
        witness="position_ids.qwen3_omni_positions",
        ran=TEXT("qwen3_omni_moe", "Qwen3OmniMoePreTrainedModelForConditionalGeneration"),
        tests="test_position_ids.py"),
    Row("C5", "GLM-Image", "glm_image_positions", cases="glm_image_positions/*",
        witness="position_ids.glm_image_positions", ran=TEXT("glm_image", "GlmImageModel"),
        tests="test_position_ids.py"),
    Row("C6, G7", "HunYuan-VL", "hunyuan_vl_positions", cases="hunyuan_vl_positions/*",
        witness="position_ids.hunyuan_vl_positions", ran=TEXT("hunyuan_vl", "HunYuanVLModel"),
        tests="test_position_ids.py"),
    Row("C7", "MiniCPM-V", "minicpm_v_positions", cases="minicpm_v_positions/*",
        witness="position_ids.minicpm_v_positions", ran=TEXT("minicpmv4_7", "MiniCPMV4_7Model"),
        tests="test_position_ids.py"),
    Row("G6", "VideoRoPE", "videorope_positions", cases="videorope_positions/*",
        witness="position_ids.videorope_positions", tests="test_position_ids.py"),
    Row("", "text from a mask, both fills", "attention_mask_positions", cases="attention_mask_positions/*",
        witness="position_ids.attention_mask_positions", ran="transformers:generation.utils.GenerationMixin",
        tests="test_position_ids.py", note="the older fill by formula"),
    Row("E10", "orders of vision tokens: merge blocks, windows, column-major", "vision_token_order",
        cases="vision_token_order/*", witness="position_ids.vision_token_order",
        ran="transformers:vision_utils.get_vision_position_ids transformers:vision_utils.get_vision_window_index",
        tests="test_position_ids.py"),
    Row("E1-E15", "cells of a grid under any coordinates", "grid_positions grid coordinates", cases="grid_positions/*",
        witness="axes.coordinates axes.cells", tests="test_coverage.py",
        note="what each model makes of them is run with its preset"),
    Row("E9", "Llama 4, vision", "llama4_vision_positions", cases="llama4_vision_positions/*",
        witness="position_ids.llama4_vision_positions", ran=TEXT("llama4", "Llama4VisionRotaryEmbedding"),
        tests="test_models.py"),
    Row("F5", "Lumina 2, Z-Image", "lumina2_positions z_image_positions",
        cases="lumina2_positions/* z_image_positions/*",
        witness="position_ids.lumina2_positions position_ids.z_image_positions",
        ran="diffusers:models.transformers.transformer_lumina2.Lumina2RotaryPosEmbed "
            "diffusers:models.transformers.transformer_z_image.ZImageTransformer2DModel", tests="test_models.py"),
    Row("F6, F7", "Flux, Flux 2", "flux_positions flux2_positions", cases="flux_positions/* flux2_positions/*",
        witness="position_ids.flux_positions position_ids.flux2_positions", tests="test_position_ids.py"),
    Row("F14", "Qwen-Image, centred and layered", "qwen_image_positions", cases="qwen_image_positions/*",
        witness="position_ids.qwen_image_positions",
        ran="diffusers:models.transformers.transformer_qwenimage.QwenEmbedRope", tests="test_models.py"),
    Row("F14", "Qwen-Image 2.1, images in the text", "qwen_image21_positions", cases="qwen_image21_positions/*",
        witness="position_ids.qwen_image21_positions",
        ran="diffusers:models.transformers.transformer_qwenimage21.QwenImage21Rope",
        tests="test_position_ids.py test_models.py"),
    Row("F6", "ERNIE-Image", "ernie_image_positions", cases="ernie_image_positions/*",
        witness="position_ids.ernie_image_positions",
        ran="diffusers:models.transformers.transformer_ernie_image.ErnieImageSingleStreamAttnProcessor",
        tests="test_models.py"),
    Row("F15", "Ideogram 4", "ideogram4_positions", cases="ideogram4_positions/*",
        witness="position_ids.ideogram4_positions", tests="test_golden.py"),
]  # fmt: skip

VISION = [
    Row("", "axes of their own for blocks of channels", "axial_frequencies rope_2d",
        cases="axial_frequencies/* rope_2d/*", witness="axes.axial axes.rotate", tests="test_axes.py"),
    Row("E1", "rotary-embedding-torch, lang and pixel",
        presets="rotary_embedding_torch rotary_embedding_torch_pixel",
        note="rotary-embedding-torch 0.9.1 was run once, outside of the tests"),
    Row("E2", "EVA-02: rescaled to the grid trained on", presets="eva02", cases="rope_table/eva02-* rope_2d/eva02-*"),
    Row("E3", "timm RotaryEmbedding and Cat, in pixels too", presets="timm_rotary timm_rotary_pixel",
        cases="axial_frequencies/pixel-*", note="timm 1.0.31 was run once, outside of the tests"),
    Row("E3", "PE-Core, PE-Spatial, PE-Lang", presets="pe_core"),
    Row("E4", "RoPE-ViT, axial", presets="rope_vit_axial", cases="*/rope-vit rope_table/rope-vit-* rope_2d/rope-vit-*"),
    Row("E5", "SAM 2, memory attention", presets="sam2", cases="rope_2d/sam2-*"),
    Row("E6", "DINOv3, stored periods too", presets="dinov3 dinov3_stored",
        cases="axial_frequencies/dinov3-* rope_table/dinov3-* rope_2d/dinov3-*"),
    Row("E7", "timm RotaryEmbeddingDinoV3", presets="timm_dinov3",
        note="timm 1.0.31 was run once, outside of the tests"),
    Row("E8", "Pixtral: rows and columns take turns on one ladder", presets="pixtral mistral_vision",
        cases="axial_frequencies/pixtral rope_table/pixtral-* rope_2d/pixtral-*"),
    Row("E9", "Llama 4, vision", presets="llama4_vision", cases="rope_table/llama4-vision-* rope_2d/llama4-vision-*"),
    Row("E10, B15", "vision of Qwen2-VL and its kin", presets="qwen2_vl_vision",
        cases="axial_frequencies/qwen2-vl-vision-* rope_2d/qwen2-vl-vision-*"),
    Row("E11, B15", "Kimi K2.5, Step 3.7, Inkling 2", presets="kimi_k25_vision step3p7_vision inkling2_vision",
        cases="axial_frequencies/kimi rope_table/kimi-* rope_2d/kimi-*"),
    Row("E12, B15", "Gemma 4, vision", presets="gemma4_vision", cases="rope_2d/gemma4-vision-*"),
    Row("E13", "V-JEPA 2, no rotation; its action tokens", "vjepa2_rope", presets="vjepa2", cases="vjepa2_rope/*",
        witness="axes.vjepa2_rules", ran=TEXT("vjepa2", "VJEPA2RopeAttention"),
        tests="test_real_code.py test_axes.py"),
    Row("E14", "MiniMax-M3-VL and MiniMax-H3", presets="minimax_m3_vision minimax_h3"),
    Row("E15", "CogView 4 and GLM-Image", presets="cogview4 glm_image", cases="rope_table/cogview4-*"),
    Row("B15", "atoms by their coordinates and residue (ESMFold2)", presets="esmfold2"),
    Row("E16", "GenLIP", presets="genlip", cases="mrope_frequencies/genlip",
        note="timm 1.0.31 was run once, outside of the tests"),
]  # fmt: skip

DIFFUSION = [
    Row("", "frames, rows and columns", "rope_3d", cases="rope_3d/*", witness="axes.axial axes.rotate",
        tests="test_axes.py"),
    Row("F0", "ntk_factor times the base, linear_factor below the frequencies", "ntk linear",
        cases="ntk/product-* linear/diffusers", witness="scalings.ntk scalings.linear",
        ran="diffusers:models.embeddings.get_2d_rotary_pos_embed_lumina", tests="test_models.py"),
    Row("F1", "Hunyuan-DiT, crops of a base grid", presets="hunyuan_dit"),
    Row("F2", "CogVideoX 1.0 and 1.5, EasyAnimate", presets="cogvideox cogvideox_1_5 easyanimate",
        cases="axial_frequencies/cogvideox rope_table/cogvideox-* rope_3d/cogvideox"),
    Row("F3", "Allegro", presets="allegro"),
    Row("F4", "Lumina-Next", presets="lumina", cases="axial_frequencies/lumina"),
    Row("F5", "Lumina 2, Z-Image, OmniGen2", presets="lumina2 z_image omnigen2",
        cases="axial_frequencies/z-image rope_3d/z-image"),
    Row("F5", "OmniGen, one axis with the factors of LongRoPE", presets="omnigen"),
    Row("F6", "Flux, Krea 2, HiDream, Kandinsky 5 and 6",
        presets="flux krea2 hidream kandinsky5 kandinsky6 kandinsky6_sr",
        cases="axial_frequencies/flux-f* axial_frequencies/flux-bf16 rope_table/flux-*"),
    Row("F6", "ERNIE-Image, no rotation", "ernie_image_rope", presets="ernie_image", cases="ernie_image_rope/*",
        witness="axes.ernie_image_rules"),
    Row("F7", "Flux 2, Flux 3", presets="flux2 flux3", cases="axial_frequencies/flux-2"),
    Row("F8", "HunyuanVideo", presets="hunyuan_video",
        cases="axial_frequencies/hunyuan-video-* rope_table/hunyuan-video-* rope_3d/hunyuan-video"),
    Row("F9", "Wan 2, Helios, SANA-WM, AnyFlow FAR", presets="wan helios sana_wm anyflow_far",
        cases="axial_frequencies/wan rope_table/wan-* rope_3d/wan"),
    Row("F10", "Mochi: learned sums over stretched axes", "mixed_rope", presets="mochi", cases="mixed_rope/mochi*",
        witness="axes.rotate axes.sum_of_roots"),
    Row("F11", "LTX-Video", presets="ltx_video", cases="rope_table/ltx-*"),
    Row("F12", "LTX-2, video and audio, both types", presets="ltx2 ltx2_audio ltx2_split"),
    Row("F13", "Cosmos", presets="cosmos", cases="rope_table/cosmos-* rope_3d/cosmos-*"),
    Row("F14", "Qwen-Image, 2.1 too, and NucleusMoE-Image", presets="qwen_image qwen_image21 nucleusmoe_image",
        cases="rope_table/qwen-image-*"),
    Row("F15", "Ideogram 4", presets="ideogram4", cases="rope_table/ideogram-*"),
    Row("F16", "Stable Audio, AudioDiT, MiniMax Music 3", presets="stable_audio audio_dit minimax_music3"),
]  # fmt: skip

LEARNED = [
    Row("H1", "RoPE-Mixed", "mixed_rope", presets="rope_vit_mixed", cases="mixed_rope/*", witness="axes.rotate",
        tests="test_axes.py", note="timm 1.0.31 was run once, outside of the tests"),
    Row("H2", "LieRE", "liere liere_generators", cases="liere/* liere_generators/*", witness="generalised.liere",
        tests="test_generalised.py"),
    Row("H3", "ComRoPE, both: generators that commute", "liere", cases="liere/*", witness="generalised.liere",
        tests="test_real_code.py",
        note="the generators of its authors' code, with the exponential of torch"),
    Row("H4", "PoPE", "pope", cases="pope/*", witness="generalised.pope", tests="test_generalised.py",
        note="x-transformers 2.31.10 was run once, outside of the tests"),
    Row("H5", "PaTH", "path", cases="path/*", witness="generalised.path", tests="test_generalised.py"),
]  # fmt: skip

LENGTHS = [
    Row("M1, A14", "xPos, both centrings", "xpos xpos_table xpos_scale", cases="xpos/* xpos_table/* xpos_scale/*",
        witness="lengths.xpos lengths.xpos_table lengths.xpos_scale", tests="test_lengths.py",
        note="the formulas of torchscale and x-transformers in torch; x-transformers 2.31.10, flash-attention and"
             " rotary-embedding-torch 0.9.1 were run once, outside of the tests"),
    Row("M9", "Self-Extend, both shifts", "self_extend_positions self_extend_distances",
        cases="self_extend_*", witness="lengths.self_extend_pair", tests="test_lengths.py",
        note="the steps of LongLM in torch, and matrices its authors printed"),
    Row("M10", "ReRoPE and leaky ReRoPE", "rerope_positions rerope_distances window_regions log_n_scale",
        cases="rerope_* window_regions/* log_n_scale/*", witness="lengths.rerope_pair lengths.log_n_scale",
        tests="test_lengths.py", note="the steps of its author's code in torch, and printed matrices"),
    Row("M11", "dual chunk attention", "dual_chunk_positions dual_chunk_regions dual_chunk_distances dual_chunk_mscale",
        cases="dual_chunk_*", witness="lengths.dual_chunk_pair lengths.mscale", tests="test_lengths.py",
        note="the steps of ChunkLlama in torch; both versions; vLLM 0.33.0 was run once, outside of"
             " the tests, but for its critical queries, which are a role of their own there"),
]  # fmt: skip

NOT_COVERED = [
    Missing("G8", "CircleRoPE, TAD-RoPE", "their positions are not built; any positions can be given"),
    Missing("G8", "positions of MHRoPE: rows and columns from 0 again", "not built; any positions can be given"),
    Missing(
        "G8",
        "HoPE for videos: no rotation by time, times scaled",
        "its code was not read; `mrope` at times of 0 leaves the pairs of time as they are",
    ),
    Missing(
        "G9",
        "HiRoPE, MultiRoPE: two positions of each token of code",
        "no code was at hand; which channels turn by which position is not established here",
    ),
    Missing(
        "H3",
        "STRING: a learned basis, by Cayley's transform or circulant",
        "no code was at hand; the rotation after the change of basis is `mixed_rope`, the basis is left",
    ),
    Missing("H3", "spherical RoPE, GeoRoPE, Givens rotations", "no code was at hand"),
    Missing("H6", "Selective RoPE: angles that sum up along the sequence", "no code was at hand"),
    Missing("N5", "the search for the factors of LongRoPE2", "the factors that are its result can be given"),
    Missing("F9", "the averaged tables of a compressed history in Helios", "no rotation, and of no other model"),
]

#: conventions that must have a row or be named as not covered, and how many each letter has
COUNTS = {"A": 15, "B": 15, "C": 7, "E": 16, "F": 16, "G": 9, "H": 6, "N": 9}
#: and single ones of other lists
MORE = {"F0", "M1", "M9", "M10", "M11"}
#: heading and rows
SECTIONS = [
    ("Frequencies and their scalings", SCALINGS),
    ("Application", APPLICATION),
    ("Multimodal rotations", MROPE),
    ("Positions", POSITIONS),
    ("Vision transformers", VISION),
    ("Image and video diffusion", DIFFUSION),
    ("Learned rotations", LEARNED),
    ("Beyond the trained length", LENGTHS),
]
