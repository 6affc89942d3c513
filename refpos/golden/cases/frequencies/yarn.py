"""Golden cases of YaRN."""

from ...case import paper, project, suite
from ...telling_inputs import DTYPES, SHORT, narrow
from .._formats import in_formats
from .._scalings import RAMPS

value, refused = suite("yarn", paper("Peng et al. 2023, YaRN, arXiv:2309.00071, sections 3.2 and 3.4"))
FLAGS = ("AttentionFactor", "Scaling", "ScalingBoundary")
GPT_OSS = {"dim": 64, "base": 150000, "factor": 32, "original_max_position_embeddings": 4096}
DEEPSEEK = {"dim": 64, "base": 10000, "factor": 40, "original_max_position_embeddings": 4096}
QWEN = {"dim": 128, "base": 1000000, "factor": 4, "original_max_position_embeddings": 32768}


def _hf(file):
    return project("transformers", "5.23.0", file)


OSS = _hf("models/gpt_oss/configuration_gpt_oss.py")
V2 = project("deepseek-ai/DeepSeek-V2", "1", "modeling_deepseek.py, DeepseekV2YarnRotaryEmbedding")
UTILS = _hf("modeling_rope_utils.py")

CASES = [
    *[
        value(f"gpt-oss-{SHORT[dtype]}", f"gpt-oss: width 64, base 150000, no floor and ceil, {dtype}", **GPT_OSS,
              truncate=False, dtype=dtype, flags=(*FLAGS, "Base", *narrow(dtype)), source=OSS)
        for dtype in DTYPES
    ],
    value("gpt-oss-truncated", "the same with floor and ceil, as some servers had it", **GPT_OSS,
          flags=(*FLAGS, "Base"), source=OSS),
    value("deepseek-v3", "DeepSeek-V3: mscale and mscale_all_dim 1, so that the factor is 1", **DEEPSEEK, mscale=1,
          mscale_all_dim=1, flags=FLAGS, source=project("deepseek-ai/DeepSeek-V3", "1", "config.json")),
    value("deepseek-v2-lite-f32", "DeepSeek-V2-Lite: both 0.707", **DEEPSEEK, mscale=0.707, mscale_all_dim=0.707,
          dtype="float32", flags=FLAGS, source=project("deepseek-ai/DeepSeek-V2-Lite", "1", "config.json")),
    value("mscale-unequal", "mscale 1 over mscale_all_dim 0.707", **DEEPSEEK, mscale=1, mscale_all_dim=0.707,
          flags=FLAGS,
          source=UTILS),
    value("mscale-unequal-f16", "the same in float16", **DEEPSEEK, mscale=1, mscale_all_dim=0.707, dtype="float16",
          flags=(*FLAGS, "DoubleRounding"), source=UTILS),
    value("mscale-alone", "mscale without mscale_all_dim changes nothing", **DEEPSEEK, mscale=0.707, flags=FLAGS,
          source=UTILS),
    value("mscale-all-dim-zero", "mscale_all_dim 0 counts as not given", **DEEPSEEK, mscale=0.707, mscale_all_dim=0,
          flags=FLAGS, source=UTILS),
    value("mscale-ratio", "DeepSeek's rule: mscale 0.707 over mscale_all_dim 0, 1.2608", **DEEPSEEK, mscale=0.707,
          mscale_all_dim=0, mscale_rule="ratio", flags=FLAGS, source=V2),
    value("mscale-ratio-alone-f32", "the same with mscale_all_dim left out, in float32", **DEEPSEEK, mscale=0.707,
          mscale_rule="ratio", dtype="float32", flags=(*FLAGS, *narrow("float32")), source=V2),
    value("mscale-ratio-all-dim-alone", "DeepSeek's rule with mscale left out: 1 over mscale_all_dim 0.707", **DEEPSEEK,
          mscale_all_dim=0.707, mscale_rule="ratio", flags=FLAGS, source=V2),
    value("mscale-ratio-zeros", "DeepSeek's rule with two zeros: the factor is 1", **DEEPSEEK, mscale=0,
          mscale_all_dim=0, mscale_rule="ratio", flags=FLAGS, source=V2),
    value("mscale-ratio-none", "DeepSeek's rule without either: m(factor, 1), as in the paper", **DEEPSEEK,
          mscale_rule="ratio", flags=FLAGS, source=V2),
    *[
        value(f"qwen-2.5-{SHORT[dtype]}", f"Qwen2.5 at 131072 tokens: width 128, factor 4, {dtype}", **QWEN,
              dtype=dtype,
              flags=(*FLAGS, "Base", *narrow(dtype)),
              source=project("Qwen/Qwen2.5-7B-Instruct", "1", "README.md"))
        for dtype in ("float64", "float32", "bfloat16")
    ],
    value("qwen-2.5-ratio", "the factor from the two lengths", dim=128, base=1000000, max_position_embeddings=131072,
          original_max_position_embeddings=32768, flags=(*FLAGS, "Base")),
    value("ministral-3", "Ministral 3: factor 16 on 16384 tokens", dim=128, base=1000000, factor=16, mscale=1,
          mscale_all_dim=1, original_max_position_embeddings=16384, flags=(*FLAGS, "Base"),
          source=_hf("models/ministral3/configuration_ministral3.py")),
    value("mistral-large-4", "Mistral Large 4: factor 2048 on 512 tokens, attention factor 1", dim=64, factor=2048,
          original_max_position_embeddings=512, attention_factor=1, flags=FLAGS,
          source=_hf("models/mistral_large4/configuration_mistral_large4.py")),
    value("attention-factor", "a given attention factor, 1.2079441541679836 as a float64", **DEEPSEEK,
          attention_factor=1.2079441541679836, flags=FLAGS, source=UTILS),
    value("attention-factor-bf16", "the same in bfloat16", **DEEPSEEK, attention_factor=1.2079441541679836,
          dtype="bfloat16", flags=(*FLAGS, "DoubleRounding"), source=UTILS),
    value("factor-1", "factor 1: nothing changes and the factor is 1", dim=32, factor=1,
          original_max_position_embeddings=4096, flags=FLAGS),
    value("factor-just-above-1", "factor 1 + 2**-52: an attention factor just above 1", dim=8,
          factor=1.0000000000000002, original_max_position_embeddings=4096, flags=FLAGS),
    value("factor-below-1", "factor 1/2: the attention factor stays 1", dim=16, factor=0.5,
          original_max_position_embeddings=4096, flags=FLAGS),
    value("clamp-half", "the largest end dim/2-1", dim=64, factor=4, original_max_position_embeddings=131072,
          clamp="dim/2-1", flags=FLAGS,
          source=project("jingyaogong/minimind", "2025-12", "model/model_minimind.py", "precompute_freqs_cis")),
    refused("no-factor", "neither a factor nor two lengths", "E_NUMBER", "factor", dim=8,
            original_max_position_embeddings=4096),
    refused("attention-factor-zero", "attention factor 0", "E_NUMBER", "attention_factor", **DEEPSEEK,
            attention_factor=0),
    refused("mscale-negative", "a negative mscale", "E_NUMBER", "mscale", **DEEPSEEK, mscale=-1, mscale_all_dim=1),
    refused("mscale-nan", "mscale_all_dim NaN", "E_NUMBER", "mscale_all_dim", **DEEPSEEK, mscale=1,
            mscale_all_dim=float("nan")),
    refused("mscale-rule", "an unknown rule of mscale", "E_CHOICE", "mscale_rule", **DEEPSEEK, mscale_rule="x"),
    refused("beta-order", "beta_fast below beta_slow", "E_NUMBER", "beta_fast", **DEEPSEEK, beta_fast=1, beta_slow=2),
]

# what no other case tells apart
CASES += [
    value("small-f32", "small numbers, so that each of them moves the result, in float32", dim=16, base=100, factor=4,
          original_max_position_embeddings=24, beta_fast=2, beta_slow=0.5, truncate=False, mscale=0.9,
          mscale_all_dim=0.4, dtype="float32", flags=(*FLAGS, "Base"), source=UTILS),
    value("small-ratio-f32", "the factor from two small lengths, in float32", dim=16, base=100,
          max_position_embeddings=96, original_max_position_embeddings=24, dtype="float32", flags=(*FLAGS, "Base")),
    value("clamp-wide-f32", "a ramp beyond the last pair: the largest end is dim-1, in float32", dim=64, factor=4,
          original_max_position_embeddings=131072, dtype="float32", flags=FLAGS),
]

# the same in other formats
CASES += in_formats(
    CASES,
    float64="small-f32 clamp-wide-f32",
    float32="mistral-large-4 mscale-alone mscale-ratio-all-dim-alone clamp-half",
    float16="""
        small-ratio-f32 small-f32 mscale-alone mscale-ratio-all-dim-alone mistral-large-4 clamp-half clamp-wide-f32
    """,
    bfloat16="small-f32 small-ratio-f32 mscale-ratio-all-dim-alone mscale-alone clamp-half clamp-wide-f32",
)

CASES += [
    value(f"ramp-{slug}-{SHORT[dtype]}", f"{about}, {dtype}", **ramp, dtype=dtype,
          flags=(*FLAGS, "Base", *narrow(dtype)))
    for slug, (about, ramp) in RAMPS.items() for dtype in DTYPES
]

# what no other case tells apart
CASES += [
    value("clamp-half-untruncated-f32",
          "a ramp without floor and ceil, whose end beyond the pairs is limited to 3, in float32", dim=8,
          base=10, factor=4, original_max_position_embeddings=64, beta_fast=20, beta_slow=0.05, truncate=False,
          clamp="dim/2-1", dtype="float32", flags=(*FLAGS, "Base")),
    value("mscale-zero-f32", "mscale 0 counts as not given, and mscale_all_dim with it, in float32", dim=8, factor=40,
          original_max_position_embeddings=4096, mscale=0, mscale_all_dim=0.707, dtype="float32", flags=FLAGS,
          source=UTILS),
    value("mscale-ratio-zero-f32", "DeepSeek's rule with mscale 0: 1 over mscale_all_dim 0.707, in float32", dim=8,
          factor=40, original_max_position_embeddings=4096, mscale=0, mscale_all_dim=0.707, mscale_rule="ratio",
          dtype="float32", flags=FLAGS, source=V2),
]

# the same in other formats
CASES += in_formats(
    CASES,
    float64="clamp-half-untruncated-f32 mscale-zero-f32 mscale-ratio-zero-f32",
    float32="factor-below-1 mscale-all-dim-zero",
    float16="""
        clamp-half-untruncated-f32 mscale-zero-f32 mscale-ratio-zero-f32 factor-below-1 mscale-all-dim-zero
        mscale-ratio-alone-f32
    """,
    bfloat16="""
        clamp-half-untruncated-f32 mscale-zero-f32 mscale-ratio-zero-f32 factor-below-1 mscale-all-dim-zero
        mscale-ratio-alone-f32
    """,
)
