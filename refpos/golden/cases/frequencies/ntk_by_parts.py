"""Golden cases of NTK-by-parts."""

from ...case import paper, project, suite
from ...telling_inputs import DTYPES, SHORT, narrow
from .._formats import in_formats
from .._scalings import RAMPS

value, refused = suite("ntk_by_parts", paper("Peng et al. 2023, YaRN, arXiv:2309.00071, section 3.2"))
EDGE = ("Scaling", "ScalingBoundary")
MINIMIND = project("jingyaogong/minimind", "2025-12", "model/model_minimind.py", "precompute_freqs_cis")


def _of(dim, trained, base=10000, factor=16, **more):
    return {"dim": dim, "base": base, "factor": factor, "original_max_position_embeddings": trained, **more}


CASES = [
    *[
        value(f"llama-2-{SHORT[dtype]}", f"Llama 2 stretched 16 times: width 128, {dtype}", **_of(128, 4096),
              dtype=dtype,
              flags=(*EDGE, *narrow(dtype)))
        for dtype in DTYPES
    ],
    value("not-truncated", "the same without floor and ceil", **_of(128, 4096, truncate=False), flags=EDGE),
    value("clamp-wide", "ramp beyond the last pair: width 64, 131072 tokens", **_of(64, 131072), flags=EDGE),
    value("clamp-half", "the same with the largest end dim/2-1", **_of(64, 131072, clamp="dim/2-1"), flags=EDGE,
          source=MINIMIND),
    value("clamp-wide-not-truncated", "ramp beyond the last pair, without floor and ceil",
          **_of(64, 131072, truncate=False), flags=EDGE),
    value("low-zero", "ramp from the first pair: 100 tokens, below 32 turns", **_of(16, 100), flags=EDGE),
    value("betas-equal", "one beta without floor and ceil: a step between two pairs",
          **_of(32, 4096, beta_fast=4, beta_slow=4, truncate=False), flags=EDGE),
    value("betas-equal-truncated", "one beta with floor and ceil: a ramp of one pair",
          **_of(32, 4096, beta_fast=4, beta_slow=4), flags=EDGE),
    value("single-step", "floor and ceil on one pair: the ramp is 1/1000 wide", **_of(2, 4096), flags=EDGE),
    value("factor-1", "factor 1 changes nothing, whatever the ramp", **_of(16, 4096, factor=1), flags=("Scaling",)),
    value("factor-below-1", "factor 1/2: low frequencies grow", **_of(16, 4096, factor=0.5), flags=("Scaling",)),
    value("beta-fraction", "betas 2.5 and 0.1, as float64", **_of(32, 2048, beta_fast=2.5, beta_slow=0.1), flags=EDGE),
    # D(1) = 81.0000047: float32 logarithms give 81, and its ceiling is 81 where that of D is 82
    value("edge-ceil-f32", "an upper end just above 81, which logarithms in float32 put on it",
          **_of(256, 39360, base=1000000), dtype="float32", flags=EDGE),
    # D(2) = 62.9999955: float32 logarithms give 63
    value("edge-floor-f32", "a lower end just below 63, which logarithms in float32 put on it",
          **_of(128, 215296, base=20000, beta_fast=2), dtype="float32", flags=EDGE),
    # D(1) - 50 = -2.2e-16 and D(1) - 19 = 1.0e-16: the logarithms of float64 give 51 and 19
    value("edge-below-50", "an upper end within 2**-51 below 50, where float64 goes on to 51",
          **_of(128, 4096, base=4000.83372005315), flags=EDGE),
    value("edge-above-19", "an upper end within 2**-53 above 19, where float64 stays at 19",
          **_of(64, 4096, base=54912.562809887735), flags=EDGE),
    value("edge-below-19", "the next base: an upper end just below 19", **_of(64, 4096, base=54912.56280988774),
          flags=EDGE),
    refused("base-1", "base 1, whose logarithm is 0", "E_BASE", "base", **_of(8, 4096, base=1)),
    refused("beta-order", "beta_fast below beta_slow", "E_NUMBER", "beta_fast", **_of(8, 4096, beta_fast=1,
            beta_slow=32)),
    refused("beta-zero", "beta_slow 0", "E_NUMBER", "beta_slow", **_of(8, 4096, beta_slow=0)),
    refused("ramp-down", "2 tokens, less than one turn: the ramp would go down", "E_NUMBER",
            "original_max_position_embeddings", **_of(8, 2, truncate=False)),
    refused("ramp-beyond", "a ramp beyond the width", "E_NUMBER", "original_max_position_embeddings",
            **_of(8, 4096, base=2)),
    refused("factor-zero", "factor 0", "E_NUMBER", "factor", **_of(8, 4096, factor=0)),
    refused("length-zero", "no length of pretraining", "E_SIZE", "original_max_position_embeddings", **_of(8, 0)),
    refused("truncate", "truncate that is no truth value", "E_CHOICE", "truncate", **_of(8, 4096, truncate="yes")),
    refused("clamp", "an unknown largest end", "E_CHOICE", "clamp", **_of(8, 4096, clamp="dim")),
]

# the same in other formats
CASES += in_formats(
    CASES,
    float32="clamp-wide-not-truncated betas-equal clamp-half",
    float16="edge-floor-f32 clamp-wide-not-truncated betas-equal clamp-half edge-ceil-f32",
    bfloat16="edge-floor-f32 clamp-wide-not-truncated betas-equal clamp-half edge-ceil-f32",
)

CASES += [
    value(f"ramp-{slug}-{SHORT[dtype]}", f"{about}, {dtype}", **ramp, dtype=dtype,
          flags=(*EDGE, "Base", *narrow(dtype)))
    for slug, (about, ramp) in RAMPS.items() for dtype in DTYPES
]

# what no other case tells apart
CASES += [
    value("base-left-out-f32", "the default base, and an end of 8.4 without floor and ceil, limited to 7, in float32",
          dim=16, factor=4, original_max_position_embeddings=100000, truncate=False, clamp="dim/2-1", dtype="float32",
          flags=(*EDGE, "Base"), source=MINIMIND),
]

# the same in other formats
CASES += in_formats(
    CASES,
    float64="base-left-out-f32",
    float16="base-left-out-f32",
    bfloat16="base-left-out-f32",
)
