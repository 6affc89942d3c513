"""Golden cases of the rotation of queries and keys."""

from ...case import call, cancelling, extreme, grid, listed, paper, project, scattered, suite, tiny
from ...telling_inputs import DTYPES, LONG, POSITIONS, SHORT, narrow
from .. import _models
from .._formats import in_formats
from .._scalings import SCALED

value, refused = suite("rope", paper("Su et al. 2021, RoFormer, arXiv:2104.09864, section 3.4.2"))
PAIRINGS = ("interleaved", "half")
FEW = (0, 1, 257, 4097, 131071)
LAYOUT = ("InterleavedVsHalf",)


def frequencies(dim, base=10000):
    """The argument `frequencies`, as the call that makes it."""
    return call("inverse_frequencies", dim=dim, base=base)


def tensors(x, positions=None, shape=None, dtype="int64"):
    """The input tensors x and positions."""
    return {"x": x} if positions is None else {"x": x, "positions": listed(positions, dtype, shape)}


def _hf(name):
    return project("transformers", "5.23.0", f"models/{name}/modeling_{name}.py")


CASES = [
    # real models
    value("gpt-j-256-64", "GPT-J: the first 64 of 256 channels, interleaved", pairing="interleaved", rotary_dim=64,
          inputs=tensors(scattered("float32", (2, 256), 1), (1, 2047)), flags=("PartialRotary", "NarrowAngle", *LAYOUT),
          source=_hf("gptj")),
    value("gpt-neox-96-24", "GPT-NeoX 20B: the first 24 of 96 channels, halves", pairing="half", rotary_dim=24,
          inputs=tensors(scattered("float16", (2, 96), 2), (1, 2047)),
          flags=("PartialRotary", "NarrowAngle", "DoubleRounding", *LAYOUT), source=_hf("gpt_neox")),
    value("phi-2-80-32", "Phi-2: the first 32 of 80 channels, halves", pairing="half", rotary_dim=32,
          inputs=tensors(scattered("float32", (2, 80), 3), (1, 2047)), flags=("PartialRotary", "NarrowAngle", *LAYOUT),
          source=_hf("phi")),
    value("llama-3-128-f32", "Llama 3 in transformers: halves, base 500000", pairing="half", base=500000,
          inputs=tensors(scattered("float32", (3, 128), 4), (1, 4097, 131071)), flags=(*LONG, "Base", *LAYOUT),
          source=_hf("llama")),
    value("llama-3-128-bf16", "Llama 3 in bfloat16", pairing="half", base=500000,
          inputs=tensors(scattered("bfloat16", (3, 128), 5), (1, 4097, 131071)),
          flags=(*LONG, "Base", "DoubleRounding", *LAYOUT), source=_hf("llama")),
    value("llama-meta-128-f32", "Llama in the code of Meta: interleaved", pairing="interleaved",
          inputs=tensors(scattered("float32", (3, 128), 4), (1, 2047, 4095)), flags=("NarrowAngle", *LAYOUT),
          source=project("meta-llama/llama", "8580eb9", "llama/model.py", "apply_rotary_emb")),
    value("gemma-3-256-bf16", "Gemma 3, full attention: width 256, base 1000000", pairing="half", base=1000000,
          inputs=tensors(scattered("bfloat16", (1, 256), 6), (32767,)),
          flags=(*LONG, "Base", "DoubleRounding", *LAYOUT), source=_hf("gemma3")),
    value("chatglm-64-32", "GLM: half of the channels, interleaved", pairing="interleaved", rotary_dim=32,
          inputs=tensors(scattered("float16", (2, 64), 7), (5, 8191)),
          flags=("PartialRotary", "NarrowAngle", "DoubleRounding", *LAYOUT), source=_hf("glm")),
    # every format, pairing and direction at telling positions
    *[
        value(f"telling-{pairing}-{SHORT[dtype]}", f"telling positions, pairing {pairing}, {dtype}", pairing=pairing,
              inputs=tensors(scattered(dtype, (len(POSITIONS), 8), 10 + k), POSITIONS),
              flags=(*LONG, *LAYOUT, *narrow(dtype), "FmaContraction", "EndianSwap"))
        for k, (pairing, dtype) in enumerate((p, d) for p in PAIRINGS for d in DTYPES)
    ],
    *[
        value(f"inverse-{pairing}-{SHORT[dtype]}", f"rotated back, pairing {pairing}, {dtype}", pairing=pairing,
              inverse=True, inputs=tensors(scattered(dtype, (len(FEW), 8), 20 + k), FEW),
              flags=("Inverse", "NarrowAngle", *LAYOUT, *narrow(dtype)))
        for k, (pairing, dtype) in enumerate((p, d) for p in PAIRINGS for d in DTYPES)
    ],
    *[
        value(f"cancelling-{pairing}-{SHORT[dtype]}",
              f"pairs that the rotation brings close to 0, pairing {pairing}, {dtype}", pairing=pairing,
              inputs=tensors(cancelling(dtype, (len(FEW), 8)), FEW),
              flags=("Cancellation", "FmaContraction", "NarrowAngle", *LAYOUT))
        for pairing in PAIRINGS for dtype in DTYPES
    ],
    *[
        value(f"subnormal-{pairing}-{SHORT[dtype]}", f"subnormal numbers and zeros of both signs, {dtype}",
              pairing=pairing,
              inputs=tensors(tiny(dtype, (len(FEW), 8), 40 + k), FEW), flags=("Subnormal", *narrow(dtype)))
        for k, (pairing, dtype) in enumerate(zip(PAIRINGS * 2, DTYPES))
    ],
    *[
        value(f"extreme-{pairing}-{SHORT[dtype]}", f"the largest numbers of {dtype}", pairing=pairing,
              inputs=tensors(extreme(dtype, (len(FEW), 8)), FEW), flags=("NarrowAngle",))
        for pairing, dtype in zip(PAIRINGS * 2, DTYPES)
    ],
    *[
        value(f"zeros-{SHORT[dtype]}", f"zeros of both signs in each place of the pair, {dtype}", pairing="interleaved",
              inputs=tensors(listed((0.0, -0.0, -0.0, 0.0, -0.0, -0.0, 0.0, 0.0) * 3, dtype, (3, 8)), (0, 1, 4097)))
        for dtype in ("float64", "bfloat16")
    ],
    value("units-interleaved", "rows of a unit matrix: each output shows cosine and sine", pairing="interleaved",
          inputs=tensors(listed([float(i == j) for i in range(8) for j in range(8)], "float64", (8, 8)), (1,) * 8),
          flags=LAYOUT),
    value("units-half", "rows of a unit matrix: each output shows cosine and sine", pairing="half",
          inputs=tensors(listed([float(i == j) for i in range(8) for j in range(8)], "float64", (8, 8)), (1,) * 8),
          flags=LAYOUT),
    # bases
    *[
        value(f"base-{base}-{SHORT[dtype]}", f"base {base}, {dtype}", pairing=pairing, base=base,
              inputs=tensors(scattered(dtype, (len(FEW), 8), 50 + k), FEW),
              flags=("Base", "NarrowAngle", *LAYOUT, *narrow(dtype)))
        for k, (base, dtype, pairing) in enumerate((
            (100, "float64", "half"), (500000, "float32", "interleaved"), (1000000, "float16", "half"),
            (10**7, "float64", "interleaved"), (10**7, "bfloat16", "half"),
        ))
    ],
    value("frequencies", "frequencies given in place of the base", pairing="half", frequencies=frequencies(8, 500000),
          inputs=tensors(scattered("float32", (3, 8), 60), (0, 3, 131071)), flags=("Base", *LONG)),
    value("frequencies-partial", "frequencies narrower than the channels", pairing="interleaved",
          frequencies=frequencies(4, 500000),
          inputs=tensors(scattered("float64", (3, 10), 61), (0, 3, 131071)), flags=("Base", "PartialRotary", *LONG)),
    # partial rotation
    *[
        value(f"partial-{width}-{rotary}-{pairing}", f"the first {rotary} of {width} channels, pairing {pairing}",
              pairing=pairing, rotary_dim=rotary, inputs=tensors(scattered(dtype, (2, width), 70 + k), (3, 2049)),
              flags=("PartialRotary", "NarrowAngle", *LAYOUT))
        for k, (width, rotary, pairing, dtype) in enumerate((
            (16, 4, "interleaved", "float64"), (16, 4, "half", "float64"), (16, 12, "half", "float32"),
            (5, 2, "half", "float64"), (6, 6, "interleaved", "float32"),
        ))
    ],
    # axes
    value("heads-after-sequence", "x (batch, sequence, heads, width)", pairing="half", seq_axis=-3, positions=3,
          inputs=tensors(scattered("float32", (2, 3, 2, 4), 80)), flags=("HeadAxis",)),
    value("heads-before-sequence", "x (batch, heads, sequence, width)", pairing="half", positions=3,
          inputs=tensors(scattered("float32", (2, 2, 3, 4), 80)), flags=("HeadAxis",)),
    value("heads-square", "as many heads as positions: a wrong axis keeps the shape", pairing="interleaved",
          positions=4, seq_axis=-3, inputs=tensors(scattered("float64", (1, 4, 4, 4), 81)),
          flags=("HeadAxis", *LAYOUT)),
    value("positions-per-row", "positions (batch, sequence) for x (batch, heads, sequence, width)", pairing="half",
          inputs=tensors(scattered("float32", (2, 2, 3, 4), 82), (0, 1, 2, 4095, 4096, 4097), (2, 3)),
          flags=("HeadAxis", "NarrowAngle")),
    value("positions-per-row-after", "positions (batch, sequence) for x (batch, sequence, heads, width)",
          pairing="interleaved", seq_axis=1,
          inputs=tensors(scattered("float64", (2, 3, 2, 4), 83), (0, 1, 2, 0, 0, 1), (2, 3)),
          flags=("HeadAxis", *LAYOUT)),
    value("positions-shared", "positions (1, sequence) for a batch of 2", pairing="half",
          inputs=tensors(scattered("float32", (2, 3, 4), 84), (7, 8, 9), (1, 3)), flags=("HeadAxis", "OffByOne")),
    value("decode-step", "one query at position 131072", pairing="half",
          inputs=tensors(scattered("float32", (1, 4, 1, 8), 85), (131072,)), flags=("UnequalLengths", *LONG)),
    value("counted", "positions as a count", pairing="interleaved", positions=4,
          inputs=tensors(scattered("float64", (4, 6), 86)), flags=LAYOUT),
    value("empty", "no positions", pairing="half", positions=0, inputs=tensors(scattered("float64", (0, 4), 87))),
    # positions that are no small integers
    value("negative-f32", "negative positions", pairing="half",
          inputs=tensors(scattered("float32", (3, 8), 90), (-1, -257, -131072)), flags=("NarrowAngle", "Inverse")),
    value("fractional-f64", "positions that are not integers", pairing="interleaved",
          inputs=tensors(scattered("float64", (4, 8), 91), (0.25, -0.5, 1 / 3, 8191.75), dtype="float64"),
          flags=("FractionalPosition",)),
    value("fractional-bf16", "positions that are not integers", pairing="half",
          inputs=tensors(scattered("bfloat16", (3, 8), 92), (0.25, 0.1, 999.9), dtype="float64"),
          flags=("FractionalPosition", "DoubleRounding")),
    value("exact-limit", "positions of 2**53 and float64 beyond", pairing="half",
          inputs=tensors(scattered("float64", (3, 4), 93), (2.0**53, -1e18, 1e100), dtype="float64"),
          flags=("LargeArgument",)),
    # refusals
    refused("pairing", "an unknown pairing", "E_CHOICE", "pairing", pairing="neox", positions=2,
            inputs=tensors(scattered("float32", (2, 4), 1))),
    refused("block-half-alternating", "blocks where two axes alternate", "E_CHOICE", "pairing", pairing="block-half",
            frequencies=call("axial_frequencies", widths=[4, 4], arrangement="interleaved"), positions=grid(2, 2),
            inputs=tensors(scattered("float64", (4, 8), 120))),
    refused("pairing-null", "no pairing", "E_CHOICE", "pairing", pairing=None, positions=2,
            inputs=tensors(scattered("float32", (2, 4), 1))),
    refused("width-odd", "an odd width", "E_ODD_DIM", "dim", pairing="half", positions=2,
            inputs=tensors(scattered("float32", (2, 5), 1))),
    refused("rotary-odd", "an odd rotary width", "E_ODD_DIM", "rotary_dim", pairing="half", positions=2, rotary_dim=3,
            inputs=tensors(scattered("float32", (2, 8), 1))),
    refused("rotary-wide", "a rotary width beyond the channels", "E_ROTARY_DIM", "rotary_dim", pairing="half",
            positions=2, rotary_dim=8, inputs=tensors(scattered("float32", (2, 4), 1))),
    refused("frequencies-wide", "frequencies wider than the channels", "E_ROTARY_DIM", "rotary_dim", pairing="half",
            positions=2, frequencies=frequencies(8), inputs=tensors(scattered("float32", (2, 4), 1))),
    refused("length", "more positions than rows", "E_SHAPE", "positions", pairing="half", positions=3,
            inputs=tensors(scattered("float32", (2, 4), 1))),
    refused("batch", "positions for another batch", "E_SHAPE", "positions", pairing="half",
            inputs=tensors(scattered("float32", (2, 2, 4), 1), (0, 1, 0, 1, 0, 1), (3, 2))),
    refused("vector", "x without a sequence axis", "E_SHAPE", "x", pairing="half", positions=4,
            inputs=tensors(scattered("float32", (4,), 1))),
    refused("integers", "x of integers", "E_DTYPE", "x", pairing="half", positions=2,
            inputs=tensors(listed((1, 2, 3, 4), "int64", (2, 2)))),
    refused("axis-last", "the channel axis as the sequence axis", "E_AXIS", "seq_axis", pairing="half", positions=2,
            seq_axis=-1, inputs=tensors(scattered("float32", (2, 4), 1))),
    refused("axis-beyond", "a sequence axis that x lacks", "E_AXIS", "seq_axis", pairing="half", positions=2,
            seq_axis=-4, inputs=tensors(scattered("float32", (2, 4), 1))),
    refused("base-zero", "base 0", "E_BASE", "base", pairing="half", positions=2, base=0,
            inputs=tensors(scattered("float32", (2, 4), 1))),
    refused("positions-nan", "a position that is NaN", "E_POSITION", "positions", pairing="half",
            inputs=tensors(scattered("float32", (1, 4), 1), (float("nan"),), dtype="float64")),
    # scalings, with their factor on cosine and sine
    *[
        value(f"yarn-{pairing}-{SHORT[dtype]}", f"YaRN by 16 with its factor, {pairing}, {dtype}", pairing=pairing,
              frequencies=call("yarn", dim=8, base=10000, factor=16, original_max_position_embeddings=4096),
              inputs=tensors(scattered(dtype, (len(FEW), 8), 110 + k), FEW),
              flags=("Scaling", "AttentionFactor", *LONG, *LAYOUT, *narrow(dtype)))
        for k, (pairing, dtype) in enumerate(zip(PAIRINGS * 2, DTYPES))
    ],
    value("gpt-oss-bf16", "gpt-oss: YaRN without whole ends of the ramp", pairing="half",
          frequencies=call("yarn", dim=64, base=150000, factor=32, original_max_position_embeddings=4096,
                           truncate=False),
          inputs=tensors(scattered("bfloat16", (3, 64), 114), (0, 4097, 131071)),
          flags=("Scaling", "AttentionFactor", "DoubleRounding", *LONG, *LAYOUT), source=_hf("gpt_oss")),
    value("factor-half", "a factor of 3/2 that is given", pairing="interleaved",
          frequencies=call("yarn", dim=8, base=10000, factor=4, original_max_position_embeddings=4096,
                           attention_factor=1.5),
          inputs=tensors(scattered("float16", (3, 8), 115), (0, 1, 4097)),
          flags=("Scaling", "AttentionFactor", "DoubleRounding", *LAYOUT)),
    value("llama-3.1-f32", "Llama 3.1: scaled frequencies without a factor", pairing="half",
          frequencies=call("llama3", dim=128, base=500000, factor=8, low_freq_factor=1, high_freq_factor=4,
                           original_max_position_embeddings=8192),
          inputs=tensors(scattered("float32", (2, 128), 116), (1, 131071)), flags=("Scaling", *LONG, *LAYOUT),
          source=_hf("llama")),
    value("gemma-4-bf16", "Gemma 4: three quarters of the pairs stand still", pairing="half",
          frequencies=call("proportional", dim=16, base=1000000, partial_rotary_factor=0.25),
          inputs=tensors(scattered("bfloat16", (3, 16), 117), (0, 1, 131071)),
          flags=("Scaling", "PartialRotary", "DoubleRounding", *LONG, *LAYOUT), source=_hf("gemma4")),
    value("yarn-partial-inverse", "YaRN on the first 8 of 10 channels, rotated back: the factor stays", pairing="half",
          inverse=True, frequencies=call("yarn", dim=8, base=10000, factor=16, original_max_position_embeddings=4096),
          inputs=tensors(scattered("float64", (3, 10), 118), (0, 3, 131071)),
          flags=("Scaling", "AttentionFactor", "PartialRotary", "Inverse", *LAYOUT)),
    value("block-half-2x2", "the blocks of two axes, each in halves", pairing="block-half",
          frequencies=call("axial_frequencies", widths=[4, 4]), positions=grid(2, 2),
          inputs=tensors(scattered("float64", (4, 8), 119)), flags=("AxisOrder", *LAYOUT)),
    value("block-half-2x3-zeros", "blocks of two axes of which one frequency is 0", pairing="block-half",
          frequencies=call("axial_frequencies", widths=[4, 6], frequencies=[
              call("given_frequencies", inv_freq=[1, 0]), call("given_frequencies", inv_freq=[0.5, 0, 0.25]),
          ]), positions=grid(2, 3), inputs=tensors(scattered("float64", (6, 12), 121)), flags=("AxisOrder", *LAYOUT)),
    # larger
    *[
        value(f"extended-{pairing}-{SHORT[dtype]}", f"x (1, 2, 512, 64), pairing {pairing}, {dtype}", pairing=pairing,
              positions=512, tier="extended", inputs=tensors(scattered(dtype, (1, 2, 512, 64), 100 + k)),
              flags=("NarrowAngle", *LAYOUT, *narrow(dtype)))
        for k, (pairing, dtype) in enumerate((p, d) for p in PAIRINGS for d in DTYPES[1:])
    ],
]

CASES += _models.rotations(value)

# every argument of a scaling
CASES += [
    value(f"scaled-{slug}-{SHORT[dtype]}", f"{slug.replace('-', ' ')} with small numbers, {dtype}",
          pairing=PAIRINGS[(k + j) % 2], frequencies=call(function, **arguments),
          inputs=tensors(scattered(dtype, (3, arguments["dim"]), 130 + k), (1, 30, 1000)),
          flags=("Base", "NarrowAngle", "Scaling", *LAYOUT, *narrow(dtype),
                 *(("AttentionFactor",) if function in ("yarn", "longrope") else ())))
    for k, (slug, (function, arguments)) in enumerate(SCALED.items()) for j, dtype in enumerate(DTYPES)
]  # fmt: skip

# the same in other formats
CASES += in_formats(
    CASES,
    float64="model-dinov3-stored",
    float16="block-half-2x2 heads-square model-dinov3-stored",
    bfloat16="block-half-2x2 partial-16-12-half heads-square model-dinov3-stored",
)

# numbers that the cases of a format have only once
CASES += in_formats(
    CASES,
    float64="gpt-neox-96-24",
    bfloat16="gpt-neox-96-24",
)

# conventions that no case above tells
SPECIAL_PAIRS = (
    (float("nan"), 1.0), (float("inf"), 1.5), (-2.0, float("-inf")), (float("inf"), float("inf")),
    (float("-inf"), float("inf")), (float("inf"), float("nan")), (0.0, float("inf")), (0.75, -3.0),
)  # fmt: skip


def special_rows(pairing, tokens):
    """The special pairs as the pairing has them, then an infinity and a NaN that are copied."""
    pairs = SPECIAL_PAIRS if pairing == "interleaved" else tuple(zip(*SPECIAL_PAIRS))
    return ([number for pair in pairs for number in pair] + [float("-inf"), float("nan")]) * tokens


CASES += [
    *[
        value(f"not-finite-{pairing}-{SHORT[dtype]}", f"infinities and NaN in each place of a pair, {pairing}, {dtype}",
              pairing=pairing, rotary_dim=16, base=100,
              inputs=tensors(listed(special_rows(pairing, 3), dtype, (3, 18)), (0, 1, 2)),
              flags=("Base", "PartialRotary", *LAYOUT, *narrow(dtype)))
        for pairing in PAIRINGS for dtype in DTYPES
    ],
    *[
        value(f"interleaved-sections-{SHORT[dtype]}", f"three axes in turn until rows, then columns end, {dtype}",
              pairing="half", frequencies=call("mrope_frequencies", dim=12, sections=[3, 1, 2], base=20,
                                               arrangement="interleaved"),
              inputs=tensors(scattered(dtype, (3, 12), 150 + k), (0, 5, 40, 21, 2, 9, 11, 30, 3), (3, 3)),
              flags=("AxisSections", "Base", *LAYOUT, *narrow(dtype)))
        for k, dtype in enumerate(DTYPES)
    ],
]

CASES += in_formats(
    CASES,
    float64="positions-per-row",
    float32="yarn-partial-inverse",
    float16="yarn-partial-inverse positions-per-row",
    bfloat16="yarn-partial-inverse positions-per-row",
)
