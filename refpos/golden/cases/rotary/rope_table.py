"""Golden cases of the rotary tables."""

from ...case import call, counting, fraction, grid, listed, paper, project, suite
from ...telling_inputs import DTYPES, LONG, POSITIONS, SHORT, narrow
from .. import _hard, _hard_arguments, _hard_far, _models
from .._scalings import SCALED

value, refused = suite("rope_table", paper("Su et al. 2021, RoFormer, arXiv:2104.09864, section 3.4.2"))


def frequencies(dim, base=10000):
    """The argument `frequencies`, as the call that makes it."""
    return call("inverse_frequencies", dim=dim, base=base)


LLAMA_3_1 = call("llama3", dim=128, base=500000, factor=8, low_freq_factor=1, high_freq_factor=4,
                   original_max_position_embeddings=8192)  # fmt: skip
YARN = call("yarn", dim=8, base=10000, factor=16, original_max_position_embeddings=4096)
GPT_OSS = call("yarn", dim=64, base=150000, factor=32, original_max_position_embeddings=4096, truncate=False)


def at(values, dtype="int64", shape=None):
    """Positions as an input tensor."""
    return {"positions": listed(values, dtype, shape)}


def _hf(name):
    return project("transformers", "5.23.0", f"models/{name}/modeling_{name}.py")


def _df(file):
    return project("huggingface/diffusers", "0.42.1", file)


CASES = [
    *[
        value(f"telling-{base}-{SHORT[dtype]}", f"telling positions, base {base}, {dtype}",
              frequencies=frequencies(16, base), dtype=dtype,
              inputs=at(POSITIONS), flags=(*LONG, *(("Base",) if base != 10000 else ()), *narrow(dtype)))
        for base in (10000, 500000) for dtype in DTYPES
    ],
    *[
        value(f"telling-{base}-{SHORT[dtype]}", f"telling positions, base {base}, {dtype}",
              frequencies=frequencies(8, base), dtype=dtype,
              inputs=at(POSITIONS), flags=(*LONG, "Base", *narrow(dtype)))
        for base, dtype in ((100, "float64"), (1000000, "float32"), (10**7, "float64"), (10**7, "bfloat16"))
    ],
    value("llama-2-4095-f32", "Llama 2: the last position of its context", frequencies=frequencies(128),
          dtype="float32", inputs=at((4095,)), flags=("NarrowAngle", "LongContextInteger"), source=_hf("llama")),
    value("llama-3-8191-f32", "Llama 3: the last positions of its context", frequencies=frequencies(128, 500000),
          dtype="float32",
          inputs=at((8190, 8191)), flags=("NarrowAngle", "LongContextInteger", "Base"), source=_hf("llama")),
    value("llama-3-131071-f32", "head width 128, base 500000 at position 131071", frequencies=frequencies(128, 500000),
          dtype="float32", inputs=at((131071,)), flags=(*LONG, "Base"), source=_hf("llama")),
    value("llama-3-131071-f64", "the same in float64", frequencies=frequencies(128, 500000), inputs=at((131071,)),
          flags=(*LONG, "Base"), source=_hf("llama")),
    value("llama-3-131071-bf16", "the same in bfloat16", frequencies=frequencies(128, 500000), dtype="bfloat16",
          inputs=at((131071,)), flags=(*LONG, "Base", "DoubleRounding"), source=_hf("llama")),
    value("llama-2-cache-f32", "Llama 2: the table of its whole context", positions=4096, frequencies=frequencies(128),
          dtype="float32", flags=("NarrowAngle", "LongContextInteger", "OffByOne"), source=_hf("llama")),
    value("gemma-3-32767-bf16", "Gemma 3, full attention: width 256, base 1000000",
          frequencies=frequencies(256, 1000000), dtype="bfloat16",
          inputs=at((32767,)), flags=(*LONG, "Base", "DoubleRounding"), source=_hf("gemma3")),
    value("gpt-neox-2047-f16", "GPT-NeoX 20B: rotary width 24 at the end of its context", frequencies=frequencies(24),
          dtype="float16",
          inputs=at((2046, 2047)), flags=("NarrowAngle", "PartialRotary", "DoubleRounding"), source=_hf("gpt_neox")),
    *[
        value(f"hard-{base}-{SHORT[dtype]}",
              f"cosines and sines nearest to a midpoint of {dtype}, or to 0: base {base}",
              frequencies=call("inverse_frequencies", dim=16, exponent_dim=128, base=base), dtype=dtype,
              inputs=at(positions), flags=(*LONG, *narrow(dtype)))
        for (base, dtype), positions in _hard.POSITIONS.items()
    ],
    *[
        value(f"hard-far-{base}-{SHORT[dtype]}",
              f"cosines and sines of positions below 2**53 nearest to a midpoint of {dtype}: base {base}",
              frequencies=call("inverse_frequencies", dim=16, exponent_dim=128, base=base), dtype=dtype,
              inputs=at(positions), flags=(*LONG, *narrow(dtype)))
        for (base, dtype), positions in _hard_far.POSITIONS.items()
    ],
    *[
        value(f"hard-arguments-{SHORT[dtype]}",
              f"cosines and sines of numbers of {dtype} nearest to a midpoint of it, or to 0",
              frequencies=frequencies(2), dtype=dtype, inputs=at(arguments, "float64"),
              flags=("FractionalPosition", "LargeArgument", *narrow(dtype)))
        for dtype, arguments in _hard_arguments.ARGUMENTS.items()
    ],
    value("first-rows", "positions 0 to 7, width 8", positions=8, frequencies=frequencies(8)),
    value("offset-65536-f32", "positions 65536 to 65543, as models of images with an offset have them",
          frequencies=frequencies(16),
          dtype="float32", inputs={"positions": counting(65536, 8)}, flags=(*LONG, "OffByOne")),
    value("strided", "every 1000th position", frequencies=frequencies(8), inputs={"positions": counting(7, 8, 1000)},
          flags=("NarrowAngle",)),
    value("backwards", "descending positions", frequencies=frequencies(8), inputs={"positions": counting(4100, 8, -1)},
          flags=("NarrowAngle",)),
    value("negative-f32", "negative positions", frequencies=frequencies(8), dtype="float32",
          inputs=at((-1, -255, -131072, -(2**31))), flags=LONG),
    value("fractional", "quarters, as interpolation of positions gives them", frequencies=frequencies(8),
          inputs=at((0.25, 0.5, 1.75, 2047.75, 8191.25), "float64"), flags=("FractionalPosition", "NarrowAngle")),
    value("fractional-f32", "tenths as float32 holds them", frequencies=frequencies(8), dtype="float32",
          inputs=at((0.1, 0.2, 1000.1), "float64"), flags=("FractionalPosition", "NarrowAngle")),
    value("batch", "positions of shape (2, 4), left-padded in the second row", frequencies=frequencies(8),
          inputs=at((0, 1, 2, 3, 0, 0, 0, 1), shape=(2, 4)), flags=("HeadAxis",)),
    value("single", "one position without an axis", frequencies=frequencies(8), inputs=at((2**24 + 1,), shape=()),
          flags=LONG),
    value("empty", "no positions", positions=0, frequencies=frequencies(8)),
    value("dim-2", "one pair", frequencies=frequencies(2), inputs=at(POSITIONS),
          flags=("LargeArgument", "LongContextInteger")),
    *[
        value(f"llama-3.1-131071-{SHORT[dtype]}", f"Llama 3.1 at the end of its context, {dtype}",
              frequencies=LLAMA_3_1,
              dtype=dtype, inputs=at((131071,)), flags=(*LONG, "Scaling", *narrow(dtype)), source=_hf("llama"))
        for dtype in ("float32", "bfloat16")
    ],
    *[
        value(f"yarn-telling-{SHORT[dtype]}", f"YaRN with its factor on cosine and sine, telling positions, {dtype}",
              frequencies=YARN, dtype=dtype, inputs=at(POSITIONS),
              flags=(*LONG, "AttentionFactor", "Scaling", *narrow(dtype)))
        for dtype in DTYPES
    ],
    value("gpt-oss-131071-f32", "gpt-oss at the end of its context", frequencies=GPT_OSS, dtype="float32",
          inputs=at((0, 131071)), flags=(*LONG, "AttentionFactor", "Scaling"), source=_hf("gpt_oss")),
    value("gemma-4-zeros-f32", "proportional rotation: pairs that stand still", dtype="float32",
          frequencies=call("proportional", dim=16, base=1000000, partial_rotary_factor=0.25),
          inputs=at((0, 1, 131071)), flags=(*LONG, "PartialRotary", "Scaling"), source=_hf("gemma4")),
    value("resonance-periods", "resonance at whole, half and quarter turns of the wavelengths 6 and 628",
          frequencies=call("resonance", frequencies=frequencies(4)), inputs=at((0, 1, 2, 3, 6, 157, 314, 628,
          628 * 10**6)),
          flags=(*LONG, "Scaling")),
    refused("positions-nan", "a position that is NaN", "E_POSITION", "positions", frequencies=frequencies(4),
            inputs=at((float("nan"),), "float64")),
    refused("positions-beyond", "a whole position beyond 2**53", "E_POSITION", "positions", frequencies=frequencies(4),
            inputs=at((-(2**53) - 1,))),
    refused("frequencies", "frequencies that are a number", "E_NUMBER", "frequencies", positions=4, frequencies=4),
    refused("frequencies-odd", "frequencies of an odd width", "E_ODD_DIM", "dim", positions=4,
            frequencies=frequencies(5)),
    refused("dtype", "integers as the result", "E_DTYPE", "dtype", positions=4, frequencies=frequencies(4),
            dtype="int32"),
    *[
        value(f"extended-{base}-{SHORT[dtype]}", f"8192 positions of width 128, base {base}, {dtype}", positions=8192,
              frequencies=frequencies(128, base), dtype=dtype, tier="extended",
              flags=("NarrowAngle", "LongContextInteger", *narrow(dtype)))
        for base, dtype in ((10000, "float32"), (500000, "bfloat16"), (1000000, "float16"))
    ],
    value("extended-late-f32", "4096 positions up to 131071", frequencies=frequencies(128, 500000), dtype="float32",
          tier="extended", inputs={"positions": counting(131072 - 4096, 4096)}, flags=(*LONG, "Base")),
    value("full-131072-f32", "the table of 131072 positions, base 500000", positions=131072,
          frequencies=frequencies(64, 500000), dtype="float32", tier="full", flags=(*LONG, "Base")),
]

# -- along several axes ------------------------------------------------------------------------------------------------

def _along(slug, about, positions, made, *, dtype="float64", flags=("AxisOrder", "NonSquare"), **options):
    """One table of a grid."""
    return value(slug, about, positions=positions, frequencies=made, dtype=dtype, flags=(*flags, *narrow(dtype)),
                 **options)


def _ids(slug, about, values, shape, made, *, kind="int64", **options):
    """One table of position ids, (axes, ..., tokens)."""
    return value(slug, about, frequencies=made, inputs=at(values, kind, shape), **options)


def _ij(size):
    return call("affine", size=size, start=1)


def _middles(size, count):
    return call("half_pixel", size=size, count=count)


def _eva(size):
    return call("affine", size=size, step=fraction(16, size))


FLUX = call("axial_frequencies", widths=[16, 56, 56])
COGVIDEOX = call("axial_frequencies", widths=[16, 24, 24])
QWEN_2 = call("mrope_frequencies", dim=128, sections=[16, 24, 24], arrangement="chunked", base=1000000)
QWEN_3 = call("mrope_frequencies", dim=128, sections=[24, 20, 20], arrangement="interleaved", base=5000000)
DINO = call("axial_frequencies", widths=[32, 32], base=100, times_pi=2)
FRACTIONAL = ("AxisOrder", "NonSquare", "FractionalPosition")
FLUX_CODE = project("black-forest-labs/flux", "802fb47", "src/flux/modules/layers.py")
DINO_CODE = project("facebookresearch/dinov3", "6876159", "dinov3/layers/rope_position_encoding.py")

CASES += [
    *[
        _along(f"flux-2x3-{SHORT[dtype]}", f"Flux: an image of 2 x 3 tokens, {dtype}", grid(1, 2, 3), FLUX,
               dtype=dtype, source=FLUX_CODE)
        for dtype in DTYPES
    ],
    _along("flux-kontext-f32", "Flux Kontext: the reference image is 1 on the first axis", grid(_ij(1), 2, 3), FLUX,
           dtype="float32", flags=("AxisOrder", "NonSquare", "OffByOne"), source=FLUX_CODE),
    _along("wan-2x1x3-f32", "Wan: 2 frames of 1 x 3", grid(2, 1, 3),
           call("axial_frequencies", widths=[44, 42, 42]), dtype="float32",
           source=project("Wan-Video/Wan2.1", "9737cba", "wan/modules/model.py")),
    _along("hunyuan-video-2x1x3-bf16", "HunyuanVideo: base 256", grid(2, 1, 3),
           call("axial_frequencies", widths=[16, 56, 56], base=256), dtype="bfloat16",
           flags=("AxisOrder", "NonSquare", "Base"),
           source=project("Tencent/HunyuanVideo", "fa14b00", "hyvideo/modules/posemb_layers.py")),
    _along("qwen-image-5x2-f32", "Qwen-Image: rows -3 .. 1, columns -1 .. 0",
           grid(1, *(call("centred", size=size, rounding="ceil") for size in (5, 2))), FLUX, dtype="float32",
           flags=("Centring", "AxisOrder", "NonSquare", "OffByOne"),
           source=_df("models/transformers/transformer_qwenimage.py")),
    _along("rope-vit-2x3-f32", "RoPE-ViT: columns first, base 100", grid(2, 3),
           call("axial_frequencies", widths=[32, 32], base=100, axes=[1, 0]), dtype="float32",
           flags=("AxisOrder", "NonSquare", "Base"),
           source=project("naver-ai/rope-vit", "ce85c2e", "deit/models_v2_rope.py")),
    _along("llama4-vision-2x2", "Llama 4: positions from 1, columns first", grid(_ij(2), _ij(2)),
           call("axial_frequencies", widths=[44, 44], axes=[1, 0]), flags=("AxisOrder", "OffByOne"),
           source=_hf("llama4")),
    _along("eva02-3x2", "EVA-02: rows 16 i / 3, columns 16 i / 2", grid(_eva(3), _eva(2)),
           call("axial_frequencies", widths=[32, 32]), flags=FRACTIONAL,
           source=project("baaivision/EVA", "5623d08", "EVA-02/asuka/rope.py")),
    *[
        _along(f"dinov3-{norm}-{SHORT[dtype]}", f"DINOv3 on 3 x 4 cells, normalize_coords {norm}, {dtype}",
               grid(_middles(3, rows), _middles(4, columns)), DINO, dtype=dtype,
               flags=(*FRACTIONAL, "Base", "Centring"),
               source=DINO_CODE)
        for norm, rows, columns, dtypes in (
            ("separate", 3, 4, ("float64", "float16")), ("max", 4, 4, ("float32",)), ("min", 3, 3, ("bfloat16",)))
        for dtype in dtypes
    ],
    _along("pixtral-2x3-f32", "Pixtral: rows and columns share one set of frequencies", grid(2, 3),
           call("axial_frequencies", widths=[32, 32], allocation="strided"), dtype="float32",
           flags=("AxisSections", "AxisOrder", "NonSquare", "Endpoint"), source=_hf("pixtral")),
    _along("kimi-2x3", "Kimi K2.5: columns and rows alternate", grid(2, 3),
           call("axial_frequencies", widths=[36, 36], axes=[1, 0], arrangement="interleaved"),
           flags=("AxisOrder", "AxisSections", "NonSquare"), source=_hf("kimi_k25")),
    _along("cogview4-3x7-f32", "CogView 4: floor(i 256 / size)",
           grid(*(call("resampled", size=size, reference=256) for size in (3, 7))),
           call("axial_frequencies", widths=[20, 20]), dtype="float32", flags=("AxisOrder", "NonSquare", "OffByOne"),
           source=_df("models/transformers/transformer_cogview4.py")),
    _along("cogvideox-crop", "CogVideoX: 4 rows from 4 to 26 and 3 columns from 0 to 45, without the ends",
           grid(1, call("linspace", start=4, stop=26, size=4), call("linspace", start=0, stop=45, size=3)), COGVIDEOX,
           flags=(*FRACTIONAL, "OffByOne"), source=_df("models/embeddings.py")),
    _along("cogvideox-crop-ends", "the same with the ends", grid(
        1, call("linspace", start=4, stop=26, size=4, endpoint=True),
        call("linspace", start=0, stop=fraction(135, 4), size=3, endpoint=True)), COGVIDEOX,
        flags=(*FRACTIONAL, "OffByOne"), source=_df("models/embeddings.py")),
    _along("cosmos-30fps", "Cosmos: frames at 30 a second, trained at 24",
           grid(call("affine", size=3, step=fraction(24, 30)), 1, 2),
           call("axial_frequencies", widths=[44, 42, 42]), flags=FRACTIONAL,
           source=_df("models/transformers/transformer_cosmos.py")),
    _along("ltx-2x2x3", "LTX-Video: growing frequencies, 25 frames a second; here of 16 channels an axis", grid(
        call("affine", size=2, start=-1, step=fraction(4, 125)),
        *(call("affine", size=size, start=-1, step=fraction(1, 32)) for size in (2, 3))),
        call("axial_frequencies", widths=[16, 16, 16], base=fraction(1, 10000), endpoint=True,
             arrangement="interleaved", times_pi=0.5), flags=(*FRACTIONAL, "Endpoint", "LargeArgument"),
        source=project("Lightricks/LTX-Video", "5260738", "ltx_video/models/transformers/transformer3d.py")),
    _along("ideogram-65536-f32", "Ideogram: image positions from 65536",
           grid(*(call("affine", size=size, start=65536) for size in (1, 2, 3))),
           call("mrope_frequencies", dim=256, sections=[88, 20, 20], arrangement="interleaved", base=5000000),
           dtype="float32", flags=("AxisSections", "AxisOrder", "Base", *LONG),
           source=_df("models/transformers/transformer_ideogram4.py")),
    _along("yarn-2x3x2-f32", "M-RoPE on frequencies of YaRN, with their factor", grid(2, 3, 2),
           call("mrope_frequencies", dim=8, sections=[2, 1, 1], arrangement="chunked", frequencies=YARN),
           dtype="float32", flags=("AxisSections", "AxisOrder", "NonSquare", "Scaling", "AttentionFactor")),
    _along("one-cell", "a grid of one cell", grid(1, 1, 1), FLUX),
    _along("one-column-f32", "a grid of one column", grid(5, 1), call("axial_frequencies", widths=[8, 8]),
           dtype="float32"),
    _along("no-rows", "a grid without rows", grid(0, 3), call("axial_frequencies", widths=[8, 8])),
    # position ids
    _ids("flux-text-f32", "Flux: two tokens of text, then an image of 1 x 3", [0] * 12 + [0, 1, 2], (3, 5), FLUX,
         dtype="float32", flags=("AxisOrder",), source=FLUX_CODE),
    _ids("qwen2-vl-f32", "Qwen2-VL: text, an image of 2 x 2, text",
         [0, 1, 2, 2, 2, 2, 4, 0, 1, 2, 2, 3, 3, 4, 0, 1, 2, 3, 2, 3, 4], (3, 7), QWEN_2, dtype="float32",
         flags=("AxisSections", "AxisOrder", "Base"), source=_hf("qwen2_vl")),
    _ids("qwen3-vl-batch-f32", "Qwen3-VL: two rows of tokens", list(range(12)), (3, 2, 2), QWEN_3, dtype="float32",
         flags=("AxisSections", "AxisOrder", "Base", "HeadAxis"), source=_hf("qwen3_vl")),
    _ids("videorope-half", "VideoRoPE: halves and negative rows", [0, 2.5, 5, -1, 0, 1, -3, 7, 2], (3, 3),
         call("mrope_frequencies", dim=128, sections=[24, 24, 16], arrangement="alternating", base=1000000),
         kind="float64", flags=("AxisSections", "AxisOrder", "Base", "FractionalPosition"),
         source=project("Wiselnn570/VideoRoPE", "309f5c8", "videorope-transformer/modeling_videorope.py")),
    # refused
    refused("axes-few", "a grid of one axis for three", "E_SHAPE", "positions", positions=grid(3), frequencies=FLUX),
    refused("ids-few", "position ids of two axes for three", "E_SHAPE", "positions", frequencies=FLUX,
            inputs=at((0, 1, 2, 3), shape=(2, 2))),
    refused("counted-axes", "a count where there are axes", "E_SHAPE", "positions", positions=4, frequencies=FLUX),
    refused("grid-none", "a grid without axes", "E_SHAPE", "coordinates", positions=grid(), frequencies=FLUX),
    refused("coordinates-size", "a negative size", "E_SIZE", "size", positions=grid(call("affine", size=-1)),
            frequencies=frequencies(4)),
]

CASES += _models.tables(value)

# -- every argument of a scaling ---------------------------------------------------------------------------------------

CASES += [
    value(f"scaled-{slug}-{SHORT[dtype]}", f"{slug.replace('-', ' ')} with small numbers, {dtype}",
          frequencies=call(function, **arguments), dtype=dtype, inputs=at((1, 30, 1000)),
          flags=("Base", "NarrowAngle", "Scaling", *narrow(dtype)))
    for slug, (function, arguments) in SCALED.items() for dtype in DTYPES
]  # fmt: skip
