"""Golden cases of the sinusoidal table."""

from ...case import counting, listed, paper, project, suite
from ...telling_inputs import DTYPES, FEW, LONG, POSITIONS, SHORT, narrow
from .._absolute import tables
from .._formats import in_formats

PAPER = paper("Vaswani et al. 2017, Attention Is All You Need, arXiv:1706.03762, section 3.5")
LAYOUTS = {"interleaved": "InterleavedVsHalf", "sin-cos": "InterleavedVsHalf", "cos-sin": "SineCosineOrder"}
value, refused = suite("sinusoidal", PAPER)


def at(values, dtype="int64", shape=None):
    """Positions as an input tensor."""
    return {"positions": listed(values, dtype, shape)}


def _hf(file):
    return project("transformers", "5.23.0", file)


CASES = [
    value("textbook", "the first rows of the table of the paper", positions=8, dim=8),
    *[
        value(f"telling-{layout}-{SHORT[dtype]}", f"telling positions, layout {layout}, {dtype}", dim=16, layout=layout,
              dtype=dtype, inputs=at(POSITIONS), flags=(*LONG, LAYOUTS[layout], *narrow(dtype), "EndianSwap"))
        for layout in LAYOUTS for dtype in DTYPES
    ],
    *[
        value(f"base-{base}-{SHORT[dtype]}", f"base {base} at telling positions, {dtype}", dim=10, base=base,
              dtype=dtype, inputs=at(POSITIONS), flags=(*LONG, "Base", *narrow(dtype)))
        for base, dtype in (
            (100, "float64"), (100, "float32"), (500000, "float64"), (500000, "bfloat16"), (1000000, "float32"),
            (1000000, "float16"), (10**7, "float64"), (10**7, "float32"),
        )
    ],
    # real tables
    value("transformer-base-f32", "Transformer base: 512 positions of width 512", positions=512, dim=512,
          dtype="float32", flags=("NarrowAngle",)),
    value("marian-512-f32", "Marian: sines, then cosines", positions=512, dim=512, layout="sin-cos", dtype="float32",
          flags=("NarrowAngle", "InterleavedVsHalf"), source=_hf("models/marian/modeling_marian.py")),
    value("whisper-tiny-f32", "Whisper tiny: 1500 positions of width 384 with endpoint", positions=1500,
          dim=384, layout="sin-cos", endpoint=True, dtype="float32", flags=("NarrowAngle", "Endpoint"),
          source=_hf("models/whisper/modeling_whisper.py")),
    value("whisper-rows-f64", "Whisper: the last rows, in full", dim=64, layout="sin-cos", endpoint=True,
          inputs={"positions": counting(1496, 4)}, flags=("NarrowAngle", "Endpoint"),
          source=_hf("models/whisper/modeling_whisper.py")),
    value("musicgen-rows-f32", "Musicgen: cosines first, endpoint", dim=64, layout="cos-sin", endpoint=True,
          dtype="float32", inputs=at((0, 1, 2, 499, 1499, 2047)), flags=("NarrowAngle", "Endpoint", "SineCosineOrder"),
          source=_hf("models/musicgen/modeling_musicgen.py")),
    value("diffusion-timesteps-f32", "diffusion timesteps: cosines first, width 320", dim=320, layout="cos-sin",
          dtype="float32", inputs=at((0, 1, 250, 501, 999)), flags=("NarrowAngle", "SineCosineOrder", "Endpoint"),
          source=project("huggingface/diffusers", "168e5b7", "src/diffusers/models/embeddings.py",
                         "get_timestep_embedding")),
    value("ddpm-endpoint-f32", "DDPM timesteps: sines first, endpoint, width 128", dim=128, layout="sin-cos",
          endpoint=True, dtype="float32", inputs=at((0, 1, 500, 999)), flags=("NarrowAngle", "Endpoint"),
          source=project("hojonathanho/diffusion", "c461299", "diffusion_tf/nn.py", "get_timestep_embedding")),
    # frequencies with endpoint
    *[
        value(f"endpoint-{dim}-{layout}-{SHORT[dtype]}", f"endpoint, width {dim}, layout {layout}, {dtype}",
              dim=dim, layout=layout,
              endpoint=True, dtype=dtype, inputs=at(FEW), flags=("NarrowAngle", "Endpoint", LAYOUTS[layout],
                  *narrow(dtype)))
        for dim, layout, dtype in (
            (4, "sin-cos", "float64"), (16, "interleaved", "float64"), (16, "sin-cos", "float16"),
            (12, "cos-sin", "bfloat16"), (24, "sin-cos", "float32"),
        )
    ],
    value("endpoint-2", "one frequency, which is 1 with endpoint too", dim=2, endpoint=True, inputs=at(FEW),
          flags=("Endpoint",)),
    # odd widths
    *[
        value(f"odd-{rule}-{dim}-{layout}", f"odd width {dim}, rule {rule}, layout {layout}", dim=dim, odd=rule,
              layout=layout, inputs=at((0, 1, 2, 300, 131072)), dtype=dtype, flags=("OddDimension", LAYOUTS[layout]))
        for rule, dim, layout, dtype in (
            ("truncate", 1, "interleaved", "float64"), ("truncate", 3, "interleaved", "float64"),
            ("truncate", 7, "sin-cos", "float32"),
            ("truncate", 17, "cos-sin", "float64"), ("truncate", 17, "interleaved", "bfloat16"),
            ("pad", 3, "sin-cos", "float64"),
            ("pad", 7, "interleaved", "float32"), ("pad", 17, "cos-sin", "float16"), ("pad", 17, "sin-cos", "float64"),
        )
    ],
    value("odd-truncate-9-endpoint", "odd width, truncated, with endpoint", dim=9, endpoint=True,
          layout="sin-cos", inputs=at((0, 1, 2, 300)), flags=("OddDimension", "Endpoint")),
    value("odd-pad-9-endpoint", "odd width, padded, with endpoint, as tensor2tensor does", dim=9, odd="pad",
          endpoint=True, layout="sin-cos", inputs=at((0, 1, 2, 300)), flags=("OddDimension", "Endpoint"),
          source=project("tensorflow/tensor2tensor", "75b75f2", "tensor2tensor/layers/common_attention.py",
                         "get_timing_signal_1d")),
    # positions that are no small integers
    *[
        value(f"{slug}-{SHORT[dtype]}", about, dim=8, dtype=dtype, inputs=at(values, kind), flags=flags)
        for slug, about, values, kind, dtype, flags in (
            ("negative", "negative positions", (-1, -2, -257, -4097, -131072, -(2**31)), "int64", "float64", LONG),
            ("negative", "negative positions", (-1, -2, -257, -4097, -131072, -(2**31)), "int64", "float32", LONG),
            ("fractional", "halves, quarters, thirds and tenths as float64 holds them",
             (0.5, -0.25, 1 / 3, 0.1, 999.9, 1e5 + 1 / 3),
             "float64", "float64", ("FractionalPosition", "NarrowAngle")),
            ("fractional", "halves, quarters, thirds and tenths as float64 holds them",
             (0.5, -0.25, 1 / 3, 0.1, 999.9, 1e5 + 1 / 3),
             "float64", "float32", ("FractionalPosition", "NarrowAngle")),
            ("float16-positions", "positions that come as float16", (0.5, 2049.0 - 1, 65504.0, -0.333251953125),
             "float16", "float32",
             ("FractionalPosition", "NarrowAngle")),
            ("bfloat16-positions", "positions that come as bfloat16", (0.5, 258.0, 131072.0, -3.140625), "bfloat16",
             "bfloat16",
             ("FractionalPosition", "NarrowAngle", "DoubleRounding")),
            ("float32-positions", "positions that come as float32",
             (0.5, 16777216.0, 2147483648.0, 0.100000001490116119384765625), "float32",
             "float64", ("FractionalPosition", "LargeArgument")),
            ("exact-limit", "the largest whole positions", (2**53, 2**53 - 1, -(2**53), 2**52 + 1), "int64", "float64",
             LONG),
            ("huge", "finite floats far beyond any sequence", (1e22, 1e300, -1.7976931348623157e308), "float64",
             "float64",
             ("LargeArgument",)),
            ("small", "positions so small that sines are subnormal", (5e-324, -1e-310, 1e-30, 2.0**-149), "float64",
             "float64",
             ("Subnormal",)),
            ("small", "positions so small that sines are subnormal", (5e-324, -1e-310, 1e-40, 2.0**-149, 1e-30),
             "float64", "float32",
             ("Subnormal",)),
            ("small", "positions so small that sines are subnormal", (2.0**-24, 3.0 * 2.0**-25, 1e-6, -1e-7), "float64",
             "float16",
             ("Subnormal", "DoubleRounding")),
        )
    ],
    *[
        value(f"scale-{slug}", about, dim=8, position_scale=scale, inputs=at((0, 1, 10, 4097, 131071)),
              flags=("NarrowAngle",), dtype=dtype)
        for slug, about, scale, dtype in (
            ("quarter", "positions scaled by 1/4", 0.25, "float64"),
            ("thousand", "positions scaled by 1000, as for timesteps in 0..1", 1000, "float32"),
            ("tenth", "positions scaled by the float64 next to 1/10, without rounding the product", 0.1, "float64"),
        )
    ],
    value("timesteps-scaled-f32", "timesteps in 0..1 times 1000", dim=16, position_scale=1000, layout="cos-sin",
          dtype="float32", inputs=at((0.0, 0.001, 0.5, 0.999, 1.0), "float64"),
          flags=("FractionalPosition", "NarrowAngle", "SineCosineOrder")),
    # shapes
    value("batch", "positions of shape (2, 3)", dim=6, inputs=at((0, 1, 2, 10, 11, 12), shape=(2, 3))),
    value("single", "one position without an axis", dim=6, inputs=at((2049,), shape=()), flags=("NarrowAngle",)),
    value("empty", "no positions", positions=0, dim=6),
    value("offset", "rows 2 to 9, as models with an offset of 2 read them", dim=8, inputs={"positions": counting(2, 8)},
          flags=("OffByOne",)),
    value("dim-2", "the narrowest even width", dim=2, inputs=at(POSITIONS), flags=LONG),
    value("base-1", "base 1: all channels alike", dim=4, base=1, inputs=at(FEW), flags=("Base",)),
    value("base-below-1", "base 1/2", dim=4, base=0.5, inputs=at(FEW), flags=("Base",)),
    # a row of zeros
    *[
        value(f"zero-row-{slug}", about, dim=dim, zero_row=row, layout=layout, endpoint=endpoint, odd="pad",
              dtype=dtype, inputs=at(values, kind, shape), flags=("OffByOne", "Endpoint", *narrow(dtype)))
        for slug, about, dim, row, layout, endpoint, dtype, values, kind, shape in (
            ("0", "position 0: no cosines of 0", 3, 0, "sin-cos", True, "float64", (0, 1, 2), "int64", None),
            ("1", "position 1, an odd width", 5, 1, "sin-cos", True, "float32", (1, 1, 2, 3, 1, 0), "int64", (2, 3)),
            ("interleaved", "the frequencies of the paper, interleaved", 6, 2, "interleaved", False, "bfloat16",
             (2, 3, -2), "int64", None),
            ("fractional", "among positions that are not integers", 4, 1, "cos-sin", False, "float16",
             (0.5, 1.0, 1.5, 1.0009765625), "float64", None),
            ("far", "the largest position, among those of many exponents", 4, 2**53, "sin-cos", False, "float64",
             (2.0**53, 2.0**53 - 1, 1e300, 0.1), "float64", None),
            ("absent", "no position has it", 4, 7, "sin-cos", True, "float64", (0, 1, 2), "int64", None),
        )
    ],
    value("zero-row-range", "the second of 5 positions", positions=5, dim=4, zero_row=1, flags=("OffByOne",)),
    value("million-2", "base 1000000, width 2, past 2**24", dim=2, base=1000000, inputs=at((2**24 + 1, 2**24)),
          dtype="float32", flags=LONG),
    # refusals
    refused("zero-row-negative", "a row before the first", "E_SIZE", "zero_row", positions=4, dim=4, zero_row=-1),
    refused("zero-row-fraction", "a row between two others", "E_SIZE", "zero_row", positions=4, dim=4, zero_row=1.5),
    # over the root of the width
    *[
        value(f"canary-{dim}-{SHORT[dtype]}", f"Canary: over sqrt({dim}), {dtype}", dim=dim, layout="sin-cos",
              divisor="sqrt-dim", dtype=dtype, inputs=at((0, 1, 2, 511, 1023)),
              flags=("AttentionFactor", "InterleavedVsHalf", "NarrowAngle", *narrow(dtype)),
              source=project("transformers", "5.23.0", "models/canary/modeling_canary.py",
                             "CanaryPositionalEmbedding"))
        for dim, dtype in ((4, "float64"), (6, "float64"), (64, "float32"), (10, "float16"), (12, "bfloat16"))
    ],
    value("canary-odd", "an odd width, and a row of zeros", positions=4, dim=5, odd="pad", zero_row=2,
          divisor="sqrt-dim", flags=("AttentionFactor", "OddDimension", "OffByOne")),
    refused("divisor", "a divisor that is not known", "E_CHOICE", "divisor", positions=4, dim=4, divisor="dim"),
    refused("dim-zero", "no width", "E_SIZE", "dim", positions=4, dim=0),
    refused("dim-negative", "a negative width", "E_SIZE", "dim", positions=4, dim=-4),
    refused("dim-1-pad", "width 1 padded leaves no frequency", "E_ODD_DIM", "dim", positions=4, dim=1, odd="pad"),
    refused("base-zero", "base 0", "E_BASE", "base", positions=4, dim=4, base=0),
    refused("base-nan", "base NaN", "E_BASE", "base", positions=4, dim=4, base=float("nan")),
    refused("layout", "an unknown layout", "E_CHOICE", "layout", positions=4, dim=4, layout="cos-first"),
    refused("odd", "an unknown rule for odd widths", "E_CHOICE", "odd", positions=4, dim=5, odd="drop"),
    refused("dtype", "an unknown dtype", "E_DTYPE", "dtype", positions=4, dim=4, dtype="float8"),
    refused("scale-infinite", "an infinite scale", "E_NUMBER", "position_scale", positions=4, dim=4,
            position_scale=float("inf")),
    refused("positions-negative", "a negative number of positions", "E_POSITION", "positions", positions=-1, dim=4),
    refused("positions-nan", "a position that is NaN", "E_POSITION", "positions", dim=4,
            inputs=at((0.0, float("nan")), "float64")),
    refused("positions-infinite", "an infinite position", "E_POSITION", "positions", dim=4,
            inputs=at((0.0, float("inf")), "float32")),
    refused("positions-beyond", "a whole position beyond 2**53", "E_POSITION", "positions", dim=4,
            inputs=at((2**53 + 1,))),
    *tables("sinusoidal", value),
    # larger
    *[
        value(f"extended-{layout}-{SHORT[dtype]}", f"4096 positions of width 256, layout {layout}, {dtype}",
              positions=4096, dim=256,
              layout=layout, dtype=dtype, tier="extended", flags=("NarrowAngle", LAYOUTS[layout], *narrow(dtype)))
        for layout, dtype in (("interleaved", "float32"), ("sin-cos", "bfloat16"), ("cos-sin", "float16"))
    ],
    value("extended-late-f32", "2048 positions up to 2**31", dim=128, dtype="float32", tier="extended", flags=LONG,
          inputs={"positions": counting(2**31 - 2048, 2048)}),
    value("full-131072-f32", "131072 positions of width 64", positions=131072, dim=64, dtype="float32", tier="full",
          flags=LONG),
]

# the same in other formats
CASES += in_formats(
    CASES,
    float16="odd-truncate-3-interleaved model-timesfm",
    bfloat16="zero-row-0 model-timesfm",
)

# numbers that the cases of a format have only once
CASES += in_formats(
    CASES,
    float16="zero-row-0",
)

# conventions that no case above tells
CASES += in_formats(
    CASES,
    float64="odd-pad-17-cos-sin",
    float32="odd-truncate-3-interleaved odd-truncate-17-cos-sin odd-truncate-9-endpoint endpoint-2",
    float16="""
        odd-truncate-17-cos-sin odd-truncate-9-endpoint odd-pad-7-interleaved endpoint-2 zero-row-interleaved textbook
        batch
    """,
    bfloat16="""
        odd-truncate-17-cos-sin odd-truncate-9-endpoint odd-pad-7-interleaved odd-pad-17-cos-sin textbook batch
    """,
)
