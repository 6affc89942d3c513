"""Golden cases of the rotation whose queries grow and keys shrink."""

from ...case import extreme, listed, paper, project, scattered, suite, tiny
from ...telling_inputs import DTYPES, SHORT, narrow
from .._formats import in_formats
from .rope import frequencies, tensors

value, refused = suite("xpos",
paper("Sun et al. 2022, A Length-Extrapolatable Transformer, arXiv:2212.10554, algorithm 1"))
TORCHSCALE = project("microsoft/torchscale", "4d1e0e8", "torchscale/component/xpos_relative_position.py", "XPOS")
LUCIDRAINS = project("rotary-embedding-torch", "0.9.1", "rotary_embedding_torch.py", "rotate_queries_and_keys")
LAYOUT = ("InterleavedVsHalf",)
FLAGS = ("NarrowAngle", "OffByOne", "QueryKeyScale", *LAYOUT)
#: from tokens in the middle, whose factor is 1, to those whose factor leaves float32
FEW = (0, 1, 2, 257, 2048, 4096, 131071)
FAR = (0, 1, 131071, 262144, 2**24 + 1, 2**31 - 1)
ROWS = {"pairing": "interleaved", "positions": 5}


def _five(dtype="float32", seed=200, shape=(5, 8)):
    return {"x": scattered(dtype, shape, seed)}


CASES = [
    # the code of projects
    *[
        value(f"torchscale-5-{who}", f"torchscale: 5 tokens, exponents -3 .. 1, {who}", centring="ceil",
              downscale=who == "keys", inputs=_five(), flags=(*FLAGS, "Centring"), source=TORCHSCALE, **ROWS)
        for who in ("queries", "keys")
    ],
    *[
        value(f"lucidrains-5-{who}", f"lucidrains: 5 tokens, exponents -2 .. 2, {who}", centring="floor",
              downscale=who == "keys", inputs=_five(), flags=(*FLAGS, "Centring"), source=LUCIDRAINS, **ROWS)
        for who in ("queries", "keys")
    ],
    value("torchscale-decode", "torchscale: one query at position 4 of 5 tokens, offset 4", centring="ceil", length=5,
          pairing="interleaved", inputs=tensors(scattered("float32", (1, 8), 201), (4,)),
          flags=(*FLAGS, "SequenceLength", "UnequalLengths"), source=TORCHSCALE),
    value("lucidrains-decode", "lucidrains: one query at position 4 of 5 tokens", centring="floor", length=5,
          pairing="interleaved", inputs=tensors(scattered("float32", (1, 8), 201), (4,)),
          flags=(*FLAGS, "SequenceLength", "UnequalLengths"), source=LUCIDRAINS),
    value("retnet-256-64", "RetNet: heads of 256 channels", centring="ceil", pairing="interleaved", length=2048,
          inputs=tensors(scattered("float32", (3, 256), 202), (0, 1023, 2047)), flags=FLAGS, source=TORCHSCALE),
    value("paper", "the formula of the paper, not centred: length 0", centring="floor", length=0, pairing="interleaved",
          inputs=tensors(scattered("float64", (4, 8), 203), (0, 1, 512, 4096)), flags=FLAGS),
    # every format, pairing and direction at telling positions
    *[
        value(f"telling-{pairing}-{who}-{SHORT[dtype]}", f"telling positions, pairing {pairing}, {who}, {dtype}",
              pairing=pairing, centring=centring, downscale=who == "keys",
              inputs=tensors(scattered(dtype, (len(FEW), 8), 210 + k), FEW),
              flags=(*FLAGS, "LongContextInteger", "SequenceLength", "FmaContraction", *narrow(dtype)))
        for k, (pairing, who, centring, dtype) in enumerate(
            (p, w, c, d) for p, w, c in (("interleaved", "queries", "ceil"), ("half", "keys", "floor")) for d in DTYPES)
    ],
    *[
        value(f"far-{who}-{SHORT[dtype]}", f"factors beyond the range of {dtype}, {who}", pairing="half",
              centring="floor", downscale=who == "keys", inputs=tensors(scattered(dtype, (len(FAR), 8), 220 + k), FAR),
              flags=("LongContextInteger", "Subnormal", "SequenceLength", *narrow(dtype)))
        for k, (who, dtype) in enumerate((w, d) for w in ("queries", "keys") for d in DTYPES)
    ],
    *[
        value(f"subnormal-{SHORT[dtype]}", f"subnormal numbers and zeros of both signs, {dtype}", pairing="interleaved",
              centring="ceil", inputs=tensors(tiny(dtype, (len(FEW), 8), 230 + k), FEW),
              flags=("Subnormal", *narrow(dtype)))
        for k, dtype in enumerate(DTYPES)
    ],
    *[
        value(f"extreme-{SHORT[dtype]}", f"the largest numbers of {dtype}", pairing="half", centring="floor", length=2,
              inputs=tensors(extreme(dtype, (4, 8)), (0, 1, 2, 700)), flags=("NarrowAngle",))
        for dtype in DTYPES
    ],
    # parameters
    value("scale-base-1000", "scale base 1000", centring="ceil", scale_base=1000, inputs=_five("float64"), flags=FLAGS,
          **ROWS),
    value("scale-base-fraction", "scale base 512.5", centring="ceil", scale_base=512.5, inputs=_five("float64"),
          flags=FLAGS, **ROWS),
    value("gamma-half", "gamma 1/2", centring="floor", gamma=0.5, inputs=_five("float64"), flags=FLAGS, **ROWS),
    value("gamma-float", "gamma the float64 next to 2/5", centring="floor", gamma=0.4, inputs=_five("float64"),
          flags=FLAGS, **ROWS),
    value("rational", "factors that are powers of two: gamma 1, scale base 1, 2 channels", centring="floor", gamma=1,
          scale_base=1, pairing="half", positions=5, inputs=_five("bfloat16", 204, (5, 2)), flags=("OffByOne",)),
    value("rotary-4-of-8", "the first 4 of 8 channels", centring="floor", rotary_dim=4, inputs=_five("float32", 205),
          flags=(*FLAGS, "PartialRotary"), **ROWS),
    value("base-500000", "base 500000", centring="floor", base=500000, inputs=_five("float32", 206),
          flags=(*FLAGS, "Base"),
          **ROWS),
    value("inverse", "rotated back, the factor kept", centring="floor", inverse=True, inputs=_five("float32", 207),
          flags=(*FLAGS, "Inverse"), **ROWS),
    value("linear", "frequencies divided by 4", centring="ceil", inputs=_five("float32", 208),
          flags=(*FLAGS, "Scaling"),
          frequencies={"function": "linear", "arguments": {"dim": 8, "factor": 4}}, **ROWS),
    value("other-frequencies", "frequencies given", centring="ceil", inputs=_five("float32", 208), flags=FLAGS,
          frequencies=frequencies(8), **ROWS),
    value("sequence-first", "(seq, heads, dim)", centring="ceil", seq_axis=-3, inputs=_five("float32", 209, (5, 3, 8)),
          flags=(*FLAGS, "HeadAxis"), **ROWS),
    value("batch", "positions (batch, seq), the largest of all rows in the centre", centring="floor", pairing="half",
          inputs=tensors(scattered("float32", (2, 3, 8), 210), (0, 1, 2, 7, 8, 9), (2, 3)), flags=(*FLAGS, "HeadAxis")),
    value("fractional", "positions in quarters", centring="floor", pairing="half",
          inputs=tensors(scattered("float64", (4, 8), 211), (0.0, 0.25, 1.5, 2.75), dtype="float64"),
          flags=("FractionalPosition",)),
    value("empty", "no tokens", centring="floor", pairing="half", positions=0,
          inputs={"x": listed((), "float32", (0, 4))}),
    # refused
    refused("centring-unknown", "a centre that is no name", "E_CHOICE", "centring", centring="middle", inputs=_five(),
            **ROWS),
    refused("pairing-unknown", "a pairing that is no name", "E_CHOICE", "pairing", centring="ceil", pairing="quarter",
            positions=5, inputs=_five()),
    refused("downscale-one", "1 for True", "E_CHOICE", "downscale", centring="ceil", downscale=1, inputs=_five(),
            **ROWS),
    refused("length-negative", "a negative length", "E_SIZE", "length", centring="ceil", length=-1, inputs=_five(),
            **ROWS),
    refused("scale-base-zero", "scale base 0", "E_NUMBER", "scale_base", centring="ceil", scale_base=0, inputs=_five(),
            **ROWS),
    refused("gamma-zero", "gamma 0", "E_NUMBER", "gamma", centring="ceil", gamma=0, inputs=_five(), **ROWS),
    refused("width-odd", "an odd width", "E_ODD_DIM", "dim", centring="ceil", pairing="half", positions=2,
            inputs={"x": scattered("float32", (2, 5), 1)}),
    refused("positions-long", "more positions than tokens", "E_SHAPE", "positions", centring="ceil", pairing="half",
            positions=3, inputs={"x": scattered("float32", (2, 4), 1)}),
    # larger
    *[
        value(f"extended-{SHORT[dtype]}", f"x (1, 2, 512, 64), {dtype}", pairing="interleaved", centring="ceil",
              positions=512, tier="extended", inputs={"x": scattered(dtype, (1, 2, 512, 64), 240 + k)},
              flags=(*FLAGS, *narrow(dtype)))
        for k, dtype in enumerate(DTYPES[1:])
    ],
]

# what no other case tells apart
CASES += [
    *[
        value(f"small-{centring}-f32", f"small numbers, so that each of them moves the result, {centring}, in float32",
              positions=5, centring=centring, length=7, scale_base=2, gamma=0.25, pairing="half",
              inputs={"x": scattered("float32", (5, 8), 260)})
        for centring in ("floor", "ceil")
    ],
]

# the same in other formats
CASES += in_formats(
    CASES,
    float64="small-floor-f32 rotary-4-of-8 base-500000 inverse small-ceil-f32 linear",
    float16="small-floor-f32 torchscale-decode rotary-4-of-8 base-500000 inverse linear",
    bfloat16="small-ceil-f32 rotary-4-of-8 base-500000 inverse small-floor-f32 linear",
)

# numbers that the cases of a format have only once
CASES += in_formats(
    CASES,
    float64="rational",
    float32="rational",
    float16="rational",
)

# conventions that no case above tells
CASES += in_formats(CASES, float64="sequence-first", float16="sequence-first", bfloat16="sequence-first")

# a second value of numbers that all other cases have alike
CASES += [
    value("rotary-6-of-8-f32", "the first 6 of 8 channels", centring="floor", rotary_dim=6,
          inputs=_five("float32", 207), flags=(*FLAGS, "PartialRotary"), **ROWS),
]
CASES += in_formats(
    CASES,
    float64="rotary-6-of-8-f32",
    float16="rotary-6-of-8-f32",
    bfloat16="rotary-6-of-8-f32",
)
