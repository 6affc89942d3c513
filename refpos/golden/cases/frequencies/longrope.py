"""Golden cases of LongRoPE."""

from ....models.diffusion import PHI_3_LONG
from ...case import listed, paper, project, suite
from ...telling_inputs import DTYPES, SHORT, narrow
from .._formats import in_formats

value, refused = suite("longrope", paper("Ding et al. 2024, LongRoPE, arXiv:2402.13753, section 3"))
FLAGS = ("AttentionFactor", "Scaling", "SequenceLength")

PHI_3_SHORT = (
    *(1.05,) * 3, 1.1, 1.1, 1.1500000000000001, 1.2000000000000002, 1.2500000000000002, 1.3000000000000003,
    1.3500000000000003, 1.5000000000000004, *(2.000000000000001,) * 21, *(2.0500000000000007,) * 3,
    *(2.1000000000000005,) * 3, *(2.1500000000000004,) * 2, 2.3499999999999996, 2.549999999999999, 2.5999999999999988,
    2.5999999999999988, 2.7499999999999982, 2.849999999999998, 2.849999999999998, 2.9499999999999975,
)  # fmt: skip
PHI_3_5_SHORT = (
    1.0, 1.0199999809265137, 1.0299999713897705, 1.0299999713897705, *(1.0499999523162842,) * 5, 1.0699999332427979,
    1.0999999046325684, 1.1099998950958252, 1.1599998474121094, 1.1599998474121094, 1.1699998378753662,
    1.2899998426437378, 1.339999794960022, 1.679999828338623, 1.7899998426437378, 1.8199998140335083,
    1.8499997854232788, 1.8799997568130493, 1.9099997282028198, 1.9399996995925903, 1.9899996519088745,
    *(2.0199997425079346,) * 6, *(2.0299997329711914,) * 9, 2.0799996852874756, 2.0899996757507324, 2.189999580383301,
    2.2199995517730713, 2.5899994373321533, 2.729999542236328, 2.749999523162842, 2.8399994373321533,
)  # fmt: skip
PHI_3_5_LONG = (
    1.0800000429153442, 1.1100000143051147, 1.1399999856948853, 1.340000033378601, 1.5899999141693115,
    1.600000023841858, 1.6200000047683716, 2.620000123977661, 3.2300000190734863, 3.2300000190734863, 4.789999961853027,
    7.400000095367432, 7.700000286102295, 9.09000015258789, 12.199999809265137, 17.670000076293945, 24.46000099182129,
    28.57000160217285, 30.420001983642578, 30.840002059936523, 32.590003967285156, 32.93000411987305,
    42.320003509521484, 44.96000289916992, 50.340003967285156, 50.45000457763672, 57.55000305175781, 57.93000411987305,
    58.21000289916992, 60.1400032043457, 62.61000442504883, 62.62000274658203, 62.71000289916992, 63.1400032043457,
    63.1400032043457, 63.77000427246094, 63.93000411987305, 63.96000289916992, 63.970001220703125, 64.02999877929688,
    64.06999969482422, 64.08000183105469, 64.12000274658203, 64.41000366210938, 64.4800033569336, 64.51000213623047,
    64.52999877929688, 64.83999633789062,
)  # fmt: skip
#: the first eight of each list of Phi-3.5-MoE
PHI_MOE_SHORT = (1.0, *(1.0399999618530273,) * 3, *(1.0499999523162842,) * 4)
PHI_MOE_LONG = (
    1.0199999809265137, 1.0299999713897705, 1.0399999618530273, *(1.0499999523162842,) * 3, *(1.059999942779541,) * 2,
)  # fmt: skip


def _lists(short, long):
    """The two lists as input tensors."""
    return {"short_factor": listed(short, "float64"), "long_factor": listed(long, "float64")}


PHI_3 = project("microsoft/Phi-3-mini-128k-instruct", "2024-04", "config.json")
PHI_3_5 = project("microsoft/Phi-3.5-mini-instruct", "1", "config.json")
MOE = project("microsoft/Phi-3.5-MoE-instruct", "1", "config.json")
PHI = {"dim": 96, "original_max_position_embeddings": 4096, "max_position_embeddings": 131072}
SMALL = {"dim": 4, "original_max_position_embeddings": 4096}

CASES = [
    *[
        value(f"phi-3-{side}-{SHORT[dtype]}", f"Phi-3 mini 128k: width 96, {length} tokens, {dtype}", **PHI,
              seq_len=length, dtype=dtype, inputs=_lists(PHI_3_SHORT, PHI_3_LONG), flags=(*FLAGS, *narrow(dtype)),
              source=PHI_3)
        for side, length in (("short", 4096), ("long", 4097)) for dtype in DTYPES
    ],
    value("phi-3.5-4095", "Phi-3.5 mini at 4095 tokens", **PHI, seq_len=4095, inputs=_lists(PHI_3_5_SHORT,
          PHI_3_5_LONG),
          flags=("ScalingBoundary", *FLAGS), source=PHI_3_5),
    value("phi-3.5-4096", "Phi-3.5 mini at 4096 tokens: still the short list", **PHI, seq_len=4096, dtype="float32",
          inputs=_lists(PHI_3_5_SHORT, PHI_3_5_LONG), flags=("ScalingBoundary", *FLAGS), source=PHI_3_5),
    value("phi-3.5-4097", "Phi-3.5 mini at 4097 tokens: the long list", **PHI, seq_len=4097, dtype="float32",
          inputs=_lists(PHI_3_5_SHORT, PHI_3_5_LONG), flags=("ScalingBoundary", *FLAGS), source=PHI_3_5),
    value("no-length", "no length: the short list", **PHI, inputs=_lists(PHI_3_5_SHORT, PHI_3_5_LONG), flags=FLAGS,
          source=PHI_3_5),
    *[
        value(f"phi-moe-{length}",
              f"Phi-3.5-MoE's own factors on cosine and sine, eight of its divisors, {length} tokens",
              dim=16, original_max_position_embeddings=4096, max_position_embeddings=131072, seq_len=length,
              short_mscale=1.243163121016122, long_mscale=1.243163121016122,
              inputs=_lists(PHI_MOE_SHORT, PHI_MOE_LONG), flags=("ScalingBoundary", *FLAGS), source=MOE)
        for length in (4096, 4097)
    ],
    value("mscales-differ", "short_mscale 1.1 and long_mscale 1.2 at 4097 tokens", **SMALL, seq_len=4097, factor=32,
          short_mscale=1.1, long_mscale=1.2, inputs=_lists((1, 1), (1, 4)), flags=FLAGS),
    value("attention-factor", "a given attention factor", **SMALL, factor=32, attention_factor=1.25,
          inputs=_lists((1, 1), (1, 4)), flags=FLAGS),
    value("factor-given", "factor 4 before the ratio of the lengths", **SMALL, factor=4, max_position_embeddings=131072,
          inputs=_lists((1, 1), (1, 4)), flags=FLAGS),
    value("factor-1", "factor 1: the attention factor is 1", **SMALL, factor=1, inputs=_lists((1, 1), (1, 4)),
          flags=FLAGS),
    value("factor-rational", "factor 4096**3: the attention factor is 2, exactly", **SMALL, factor=4096**3,
          inputs=_lists((1, 1), (1, 4)), flags=FLAGS),
    refused("short-length", "a short list of another length", "E_SHAPE", "short_factor", **SMALL, factor=2,
            inputs=_lists((1,), (1, 4))),
    refused("long-length", "a long list of another length", "E_SHAPE", "long_factor", **SMALL, factor=2,
            inputs=_lists((1, 1), (1, 4, 4))),
    refused("divisor-zero", "a divisor that is 0", "E_NUMBER", "long_factor", **SMALL, factor=2,
            inputs=_lists((1, 1), (1, 0))),
    refused("divisor-nan", "a divisor that is NaN", "E_NUMBER", "short_factor", **SMALL, factor=2,
            inputs=_lists((1, float("nan")), (1, 1))),
    refused("no-factor", "neither a factor nor two lengths", "E_NUMBER", "factor", **SMALL, inputs=_lists((1, 1), (1,
            4))),
    refused("length-1", "one token of pretraining, whose logarithm is 0", "E_SIZE", "original_max_position_embeddings",
            dim=4, original_max_position_embeddings=1, factor=2, inputs=_lists((1, 1), (1, 4))),
    refused("mscale-zero", "short_mscale 0", "E_NUMBER", "short_mscale", **SMALL, factor=2, short_mscale=0,
            inputs=_lists((1, 1), (1, 4))),
]

# what no other case tells apart
CASES += [
    value("small-f32", "base 500000 and small lengths, so that each of them moves the result, in float32", dim=8,
          base=500000, original_max_position_embeddings=4, max_position_embeddings=6, seq_len=5, dtype="float32",
          flags=("AttentionFactor", "Base", "Scaling"),
          inputs={"short_factor": listed((1.0, 1.5, 2.0, 3.0), "float64"),
                  "long_factor": listed((1.5, 2.0, 4.0, 8.0), "float64")}),
    value("length-left-out-f32", "no length: the short factors, though two tokens are few, in float32", dim=4,
          original_max_position_embeddings=2, factor=4, dtype="float32",
          flags=("AttentionFactor", "Scaling", "ScalingBoundary"),
          inputs={"short_factor": listed((1.0, 1.5), "float64"), "long_factor": listed((1.5, 4.0), "float64")}),
]

# the same in other formats
CASES += in_formats(
    CASES,
    float64="small-f32 length-left-out-f32",
    float32="mscales-differ attention-factor phi-moe-4096",
    float16="small-f32 mscales-differ attention-factor factor-given phi-moe-4096 length-left-out-f32",
    bfloat16="small-f32 mscales-differ attention-factor length-left-out-f32 phi-moe-4096 factor-given",
)

# what no other case tells apart
UNSORTED = _lists((2, 1, 3, 1.5), (8, 1.5, 4, 2))
CASES += [
    *[
        value(f"all-factors-{side}-f32",
              f"three factors given, that of the {side} list counts, lists in no order, in float32",
              dim=8, base=100, original_max_position_embeddings=4, seq_len=length, factor=4, attention_factor=1.25,
              short_mscale=1.5, long_mscale=2, dtype="float32", inputs=UNSORTED, flags=(*FLAGS, "ScalingBoundary"))
        for side, length in (("short", 4), ("long", 5))
    ],
    value("factor-below-1-f32", "factor 1/2, before the ratio of the lengths: the attention factor is 1, in float32",
          dim=8, base=100, original_max_position_embeddings=4, max_position_embeddings=16, seq_len=5, factor=0.5,
          dtype="float32", inputs=UNSORTED, flags=FLAGS),
]

# the same in other formats
CASES += in_formats(
    CASES,
    float64="all-factors-short-f32 all-factors-long-f32 factor-below-1-f32",
    float16="all-factors-short-f32 all-factors-long-f32 factor-below-1-f32",
    bfloat16="all-factors-short-f32 all-factors-long-f32 factor-below-1-f32",
)

# a second value of numbers that all other cases have alike
CASES += [
    value("three-quarters-f32", "an attention factor of 3/4, in float32", dim=8, base=100, seq_len=4,
          original_max_position_embeddings=4, attention_factor=0.75, dtype="float32", inputs=UNSORTED,
          flags=(*FLAGS, "ScalingBoundary")),
]
CASES += in_formats(
    CASES,
    float64="three-quarters-f32",
    float16="three-quarters-f32",
    bfloat16="three-quarters-f32",
)
