"""Golden cases of the rotary tables."""

from ..case import counting, listed, paper, project, suite
from ..telling import DTYPES, LONG, POSITIONS, SHORT, narrow

value, refused = suite("rope_table", paper("Su et al. 2021, RoFormer, arXiv:2104.09864, section 3.4.2"))


def frequencies(dim, base=10000):
    """The argument `frequencies`, as the call that makes it."""
    return {"function": "inverse_frequencies", "arguments": {"dim": dim, "base": base}}


def scaled(function, **arguments):
    """The argument `frequencies`, as the call of a scaling."""
    return {"function": function, "arguments": arguments}


LLAMA_3_1 = scaled("llama3", dim=128, base=500000, factor=8, low_freq_factor=1, high_freq_factor=4,
                   original_max_position_embeddings=8192)  # fmt: skip
YARN = scaled("yarn", dim=8, base=10000, factor=16, original_max_position_embeddings=4096)
GPT_OSS = scaled("yarn", dim=64, base=150000, factor=32, original_max_position_embeddings=4096, truncate=False)


def at(values, dtype="int64", shape=None):
    """Positions as an input tensor."""
    return {"positions": listed(values, dtype, shape)}


def _hf(name):
    return project("transformers", "5.23.0", f"models/{name}/modeling_{name}.py")


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
          frequencies=scaled("proportional", dim=16, base=1000000, partial_rotary_factor=0.25),
          inputs=at((0, 1, 131071)), flags=(*LONG, "PartialRotary", "Scaling"), source=_hf("gemma4")),
    value("resonance-periods", "resonance at whole, half and quarter turns of the wavelengths 6 and 628",
          frequencies=scaled("resonance", frequencies=frequencies(4)), inputs=at((0, 1, 2, 3, 6, 157, 314, 628,
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
