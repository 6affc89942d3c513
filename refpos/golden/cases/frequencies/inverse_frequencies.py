"""Golden cases of the inverse frequencies."""

from ...case import paper, project, suite
from ...telling_inputs import DTYPES, SHORT, narrow
from .._formats import in_formats

value, refused = suite("inverse_frequencies", paper("Su et al. 2021, RoFormer, arXiv:2104.09864, section 3.2.2"))


def _model(slug, about, dim, base, file, **more):
    return value(slug, about, flags=("NarrowAngle", "Base") if base != 10000 else ("NarrowAngle",), dim=dim, base=base,
                 source=project("transformers", "5.23.0", file), **more)


CASES = [
    _model("llama-2", "Llama 2: head width 128, base 10000", 128, 10000, "models/llama/modeling_llama.py"),
    _model("llama-3", "Llama 3: head width 128, base 500000", 128, 500000, "models/llama/modeling_llama.py"),
    _model("qwen2", "Qwen2: head width 128, base 1000000", 128, 1000000, "models/qwen2/modeling_qwen2.py"),
    _model("gemma-3-global", "Gemma 3, full attention: head width 256, base 1000000", 256, 1000000,
           "models/gemma3/modeling_gemma3.py"),
    _model("gpt-j", "GPT-J: rotary width 64", 64, 10000, "models/gptj/modeling_gptj.py"),
    _model("gpt-neox", "GPT-NeoX 20B: a quarter of the head width 96", 24, 10000,
           "models/gpt_neox/modeling_gpt_neox.py"),
    _model("phi-2", "Phi-2: rotary width 32", 32, 10000, "models/phi/modeling_phi.py"),
    _model("modernbert-global", "ModernBERT, full attention: base 160000", 64, 160000,
           "models/modernbert/modeling_modernbert.py"),
    _model("mimo-v2-flash", "MiMo-V2-Flash, full attention: rotary width 64, base 5000000", 64, 5000000,
           "models/mimo_v2_flash/modeling_mimo_v2_flash.py"),
    *[
        value(f"dim-128-{SHORT[dtype]}", f"Llama 3 frequencies rounded once to {dtype}", dim=128, base=500000,
              dtype=dtype, flags=("Base", *narrow(dtype)))
        for dtype in DTYPES[1:]
    ],
    *[
        value(f"base-{base}-{SHORT[dtype]}", f"base {base} in {dtype}", dim=80, base=base, dtype=dtype,
              flags=("Base", *narrow(dtype)))
        for base, dtype in ((100, "float64"), (100, "float32"), (10**7, "float64"), (10**7, "float16"),
                            (10**7, "bfloat16"))
    ],
    value("dim-2", "the narrowest width: the frequency 1 alone", dim=2),
    value("dim-4", "frequencies 1 and 1/100", dim=4),
    value("dim-4-f32", "1/100 in float32", dim=4, dtype="float32"),
    value("dim-6", "a width that is no power of two", dim=6),
    value("powers-of-two", "base 2**16 and width 16: every frequency is a power of two, exactly", dim=16, base=65536),
    value("rational", "base 6561 and width 16: frequencies 1, 1/3, 1/9, ... which are rational but no binary fractions",
          dim=16, base=6561),
    value("base-1", "base 1: every frequency is 1", dim=8, base=1),
    value("base-below-1", "base 1/2: frequencies that grow", dim=8, base=0.5),
    value("base-fraction", "base 10000.5, which is exact in binary", dim=8, base=10000.5, flags=("Base",)),
    value("base-tenth", "base 0.1 as a float64, which is not one tenth", dim=6, base=0.1, flags=("Base",)),
    value("base-huge-f16", "base 1e12 in float16: subnormal numbers and zero", dim=16, base=10**12, dtype="float16",
          flags=("Base", "Subnormal", "DoubleRounding")),
    value("odd-width-15", "StableLM with a head of 60 channels: rotary width 15, a table of 16", dim=16,
          exponent_dim=15,
          flags=("OddDimension", "PartialRotary"),
          source=project("transformers", "5.23.0", "models/stablelm/modeling_stablelm.py")),
    value("odd-width-15-f32", "the same in float32", dim=16, exponent_dim=15, dtype="float32",
          flags=("OddDimension", "PartialRotary"),
          source=project("transformers", "5.23.0", "models/stablelm/modeling_stablelm.py")),
    refused("exponent-dim-zero", "an exponent without a width", "E_SIZE", "exponent_dim", dim=8, exponent_dim=0),
    refused("dim-odd", "an odd width", "E_ODD_DIM", "dim", dim=7),
    refused("dim-zero", "no width", "E_ODD_DIM", "dim", dim=0),
    refused("dim-negative", "a negative width", "E_ODD_DIM", "dim", dim=-2),
    refused("dim-float", "a width that is a float", "E_ODD_DIM", "dim", dim=4.5),
    refused("base-zero", "base 0", "E_BASE", "base", dim=4, base=0),
    refused("base-negative", "a negative base", "E_BASE", "base", dim=4, base=-10000),
    refused("base-nan", "base NaN", "E_BASE", "base", dim=4, base=float("nan")),
    refused("base-infinite", "base infinity", "E_BASE", "base", dim=4, base=float("inf")),
    value("extended-1024-f64", "a large width", dim=1024, base=500000, tier="extended", flags=("Base",)),
]

# the same in other formats
CASES += in_formats(
    CASES,
    float16="odd-width-15",
    bfloat16="odd-width-15",
)

# a second value of numbers that all other cases have alike
CASES += [
    value("exponent-dim-10-f32", "exponents of a width of 10 in a table of 8 channels, in float32", dim=8,
          exponent_dim=10, base=100, dtype="float32", flags=("PartialRotary", "Base")),
]
CASES += in_formats(
    CASES,
    float64="exponent-dim-10-f32",
    float16="exponent-dim-10-f32",
    bfloat16="exponent-dim-10-f32",
)
