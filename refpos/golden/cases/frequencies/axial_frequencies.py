"""Golden cases of the frequencies of rotations along several axes."""

from ...case import call, paper, project, suite
from ...telling_inputs import DTYPES, SHORT, narrow
from .._formats import in_formats

value, refused = suite(
    "axial_frequencies",
    paper("Heo et al. 2024, Rotary Position Embedding for Vision Transformer, arXiv:2403.13298, section 3"),
)


def _hf(file):
    return project("transformers", "5.23.0", file)


def _df(file):
    return project("huggingface/diffusers", "0.42.1", file)


CASES = [
    *[
        value(f"flux-{SHORT[dtype]}", f"Flux: widths 16, 56 and 56, {dtype}", widths=[16, 56, 56], dtype=dtype,
              flags=("AxisOrder", "NarrowAngle", *narrow(dtype)),
              source=project("black-forest-labs/flux", "802fb47", "src/flux/modules/layers.py"))
        for dtype in DTYPES
    ],
    value("flux-2", "Flux 2: four axes of 32 channels, base 2000", widths=[32, 32, 32, 32], base=2000,
          flags=("AxisOrder", "Base"), source=_df("models/transformers/transformer_flux2.py")),
    value("wan", "Wan 2: frames take the channels that thirds leave", widths=[44, 42, 42], flags=("AxisOrder",),
          source=project("Wan-Video/Wan2.1", "9737cba", "wan/modules/model.py")),
    value("hunyuan-video-f32", "HunyuanVideo: base 256", widths=[16, 56, 56], base=256, dtype="float32",
          flags=("AxisOrder", "Base"),
          source=project("Tencent/HunyuanVideo", "fa14b00", "hyvideo/modules/posemb_layers.py")),
    value("cogvideox", "CogVideoX: a quarter and two times three eighths", widths=[16, 24, 24], flags=("AxisOrder",),
          source=_df("models/embeddings.py")),
    value("z-image", "Z-Image: base 256", widths=[32, 48, 48], base=256, flags=("AxisOrder", "Base"),
          source=_df("models/transformers/transformer_z_image.py")),
    value("rope-vit", "RoPE-ViT: columns first, base 100", widths=[32, 32], base=100, axes=[1, 0],
          flags=("AxisOrder", "Base"), source=project("naver-ai/rope-vit", "ce85c2e", "deit/models_v2_rope.py")),
    value("qwen2-vl-vision-f32", "the vision tower of Qwen2-VL: head width 80", widths=[40, 40], dtype="float32",
          flags=("AxisOrder", "NarrowAngle"), source=_hf("models/qwen2_vl/modeling_qwen2_vl.py")),
    value("pixtral", "Pixtral: rows and columns share one set of frequencies", widths=[32, 32], allocation="strided",
          flags=("AxisSections", "AxisOrder", "Endpoint"), source=_hf("models/pixtral/modeling_pixtral.py")),
    value("sections", "one set of frequencies cut in two", widths=[32, 32], allocation="sections",
          flags=("AxisSections", "AxisOrder", "Endpoint")),
    value("kimi", "Kimi K2.5: columns and rows alternate, columns first", widths=[36, 36], axes=[1, 0],
          arrangement="interleaved", flags=("AxisSections", "AxisOrder"),
          source=_hf("models/kimi_k25/modeling_kimi_k25.py")),
    value("lumina", "Lumina: rows and columns alternate", widths=[36, 36], arrangement="interleaved",
          flags=("AxisSections", "AxisOrder"), source=_df("models/embeddings.py")),
    *[
        value(f"dinov3-{SHORT[dtype]}", f"DINOv3: whole turns, base 100, {dtype}", widths=[32, 32], base=100,
              times_pi=2, dtype=dtype, flags=("AxisOrder", "Base", "NarrowAngle", *narrow(dtype)),
              source=project("facebookresearch/dinov3", "6876159", "dinov3/layers/rope_position_encoding.py"))
        for dtype in DTYPES
    ],
    value("pixel-256", "timm with in_pixels for 256 pixels: frequencies that grow from pi to 128 pi",
          widths=[32, 32], base=0.0078125, endpoint=True, times_pi=1, flags=("Endpoint",),
          source=project("huggingface/pytorch-image-models", "1.0.31", "timm/layers/pos_embed_sincos.py")),
    value("growing", "frequencies that grow from pi/2 to 2**13 pi/2, three axes in turn, as LTX-Video has them",
          widths=[14, 14, 14], base=2.0**-13, endpoint=True, arrangement="interleaved", times_pi=0.5,
          flags=("AxisSections", "Endpoint", "AxisOrder")),
    value("bases", "a base for each axis", widths=[8, 8, 8], base=[10000, 100, 500000], flags=("Base", "AxisOrder")),
    value("one-pair", "one pair of channels for each of two axes", widths=[2, 2]),
    value("one-pair-endpoint", "one frequency with endpoint", widths=[2, 4], endpoint=True, flags=("Endpoint",)),
    value("one-axis", "a single block has the common frequencies", widths=[16]),
    value("shared-axis", "two blocks of one axis", widths=[4, 4], axes=[0, 0]),
    refused("widths-odd", "an odd width", "E_ODD_DIM", "widths", widths=[16, 7]),
    refused("widths-none", "no widths", "E_SHAPE", "widths", widths=[]),
    refused("axes-count", "fewer axes than widths", "E_SHAPE", "axes", widths=[4, 4], axes=[0]),
    refused("axes-negative", "a negative axis", "E_AXIS", "axes", widths=[4, 4], axes=[0, -1]),
    refused("bases-count", "more bases than widths", "E_SHAPE", "base", widths=[4, 4], base=[100, 100, 100]),
    refused("base-zero", "base 0", "E_BASE", "base", widths=[4, 4], base=0),
    refused("allocation", "an allocation that is not known", "E_CHOICE", "allocation", widths=[4, 4],
            allocation="shared"),
    refused("arrangement", "an arrangement that is not known", "E_CHOICE", "arrangement", widths=[4, 4],
            arrangement="xy"),
    refused("strided-unequal", "alternating frequencies with unequal widths", "E_SHAPE", "widths", widths=[4, 6],
            allocation="strided"),
    refused("interleaved-unequal", "alternating axes with unequal widths", "E_SHAPE", "widths", widths=[4, 6],
            arrangement="interleaved"),
    refused("times-pi-nan", "NaN times pi", "E_NUMBER", "times_pi", widths=[4, 4], times_pi=float("nan")),
]

# what no other case tells apart
CASES += [
    value("frequencies-f32", "frequencies that differ for each axis, in float32", widths=[4, 4], dtype="float32",
          flags=("AxisOrder",), frequencies=[call("inverse_frequencies", dim=4, base=100),
                                            call("inverse_frequencies", dim=4, base=1000)]),
]

# the same in other formats
CASES += in_formats(
    CASES,
    float64="frequencies-f32",
    float32="kimi bases pixtral sections one-pair-endpoint",
    float16="kimi bases pixtral sections one-pair-endpoint frequencies-f32",
    bfloat16="kimi bases pixtral sections one-pair-endpoint frequencies-f32",
)
