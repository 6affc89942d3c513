"""Golden cases of ggml_rope_ext of llama.cpp."""

from ...case import fraction, listed, project, scattered, suite
from ...telling_inputs import DTYPES, LONG, SHORT, narrow

value, refused = suite("ggml_rope_ext", project("llama.cpp", "1f08e2d", "ggml/src/ggml-cpu/ops.cpp", "rope_yarn"))
PAIRS, CACHE = ("InterleavedVsHalf",), ("CacheOffset",)
NEOX = {"n_dims": 8, "mode": 2, "freq_base": 10000.0}
YARN = {"ext_factor": 1.0, "freq_scale": 0.25}


def tensors(dtype="float32", shape=(3, 2, 8), seed=1300, places=(3, 4, 5), **more):
    return {"x": scattered(dtype, shape, seed), "positions": listed(places), **more}


def factors(*numbers):
    return {"freq_factors": listed(numbers, "float32")}


CASES = [
    *[
        value(f"{('normal', 'neox')[mode // 2]}-{SHORT[dtype]}", f"freq_scale 1/2 and attn_factor, {dtype}",
              n_dims=8, mode=mode, freq_base=10000.0, freq_scale=0.5, attn_factor=1.25,
              flags=("AttentionFactor", "Scaling", *PAIRS, *narrow(dtype)),
              inputs=tensors(dtype, seed=1300 + 2 * k + mode))
        for k, dtype in enumerate(DTYPES)
        for mode in (0, 2)
    ],
    *[
        value(f"factors-{SHORT[dtype]}", f"frequencies divided by factors, 8 of 10 channels, {dtype}", **NEOX,
              flags=("Scaling", "PartialRotary", *PAIRS, *narrow(dtype)),
              inputs=tensors(dtype, (3, 2, 10), 1320 + k, (4097, 2, 131071), **factors(1.0, 1.5, 2.0, 8.0)))
        for k, dtype in enumerate(DTYPES)
    ],
    *[
        value(f"yarn-{SHORT[dtype]}", f"YaRN of 64 channels, {dtype}", n_dims=64, mode=2, freq_base=1000000.0,
              n_ctx_orig=4096, beta_fast=16.0, beta_slow=2.0, **YARN, flags=("Scaling", "Base", *narrow(dtype)),
              inputs=tensors(dtype, (2, 1, 64), 1330 + k, (8191, 16383)))
        for k, dtype in enumerate(DTYPES)
    ],
    *[
        value(f"yarn-{side}-{SHORT[dtype]}", f"ends of YaRN that are {told} pairs, {dtype}", n_ctx_orig=1000,
              beta_fast=fast, beta_slow=slow, **YARN, **NEOX, flags=("ScalingBoundary", "Scaling", *narrow(dtype)),
              inputs=tensors(dtype, (2, 1, 8), 1360 + k, (1999, 3999)))
        for k, dtype in enumerate(DTYPES)
        # n_ctx_orig / (2 pi beta) is 10 and 100, but for half a thousandth
        for side, told, fast, slow in (("above", "just above", 15.9075, 1.59075), ("below", "just below", 15.9234, 1.0))
    ],
    *[
        value(f"mrope-{SHORT[dtype]}", f"times, rows and columns, {dtype}", n_dims=8, mode=8, freq_base=10000.0,
              sections=[1, 2, 1, 0], flags=("AxisSections", "AxisOrder", *narrow(dtype)),
              inputs=tensors(dtype, (2, 2, 8), 1340 + k, (7, 8, 1, 2, 30, 40, 0, 0)))
        for k, dtype in enumerate(DTYPES)
    ],
    value("plain-f32", "no scaling", **NEOX, flags=PAIRS, inputs=tensors(seed=1350)),
    value("batch-f32", "(batch, tokens, heads, head_size)", **NEOX, flags=("HeadAxis", *PAIRS),
          inputs=tensors(shape=(2, 3, 2, 8), seed=1351)),
    value("square-f32", "as many heads as tokens", **NEOX, flags=("HeadAxis",),
          inputs=tensors(shape=(3, 3, 8), seed=1352)),
    value("long-f32", "positions past 2**24", **NEOX, flags=LONG,
          inputs=tensors(shape=(2, 1, 8), seed=1353, places=(2**24 + 1, 2**31 - 1))),
    value("factors-scale-f32", "factors, freq_scale 1/3 and attn_factor", n_dims=8, mode=0, freq_base=500000.0,
          freq_scale=fraction(1, 3), attn_factor=0.75, flags=("AttentionFactor", "Scaling", "Base"),
          inputs=tensors(seed=1354, **factors(1.0, 1.0, 4.0, 8.0))),
    value("yarn-equal-f32", "YaRN whose two ends are one pair", n_dims=8, mode=0, freq_base=10000.0, n_ctx_orig=64,
          beta_fast=1.0, beta_slow=1.0, **YARN, flags=("ScalingBoundary", "Scaling"),
          inputs=tensors(seed=1355, places=(100, 200, 255))),
    value("yarn-scale-1-f32", "YaRN that extends nothing", n_ctx_orig=4096, ext_factor=1.0, **NEOX,
          flags=("ScalingBoundary",), inputs=tensors(seed=1356)),
    value("mrope-scale-f32", "times, rows and columns at half the speed", n_dims=12, mode=8, freq_base=1000000.0,
          freq_scale=0.5, sections=[2, 2, 2, 0], flags=("AxisSections", "Scaling"),
          inputs=tensors(shape=(1, 1, 16), seed=1357, places=(5, 9, 17, 3))),
    value("no-tokens-f32", "no tokens", **NEOX, inputs=tensors(shape=(0, 2, 8), seed=1358, places=())),
    # refused
    refused("two-axes", "x of two axes", "E_SHAPE", "x", **NEOX, inputs=tensors(shape=(3, 8))),
    refused("odd", "7 rotated channels", "E_ODD_DIM", "n_dims", n_dims=7, mode=2, freq_base=10000.0, inputs=tensors()),
    refused("wide", "more rotated channels than there are", "E_ROTARY_DIM", "n_dims", n_dims=10, mode=2,
            freq_base=10000.0, inputs=tensors()),
    refused("mode", "a mode that there is not", "E_CHOICE", "mode", n_dims=8, mode=1, freq_base=10000.0,
            inputs=tensors()),
    refused("vision", "the mode of vision encoders", "E_CHOICE", "mode", n_dims=8, mode=24, freq_base=10000.0,
            inputs=tensors()),
    refused("ext-factor", "half of YaRN", "E_CHOICE", "ext_factor", ext_factor=0.5, **NEOX, inputs=tensors()),
    refused("yarn-factors", "factors with YaRN", "E_CHOICE", "freq_factors", n_ctx_orig=64, **YARN, **NEOX,
            inputs=tensors(**factors(1.0, 1.0, 1.0, 2.0))),
    refused("yarn-attn-factor", "attn_factor with YaRN", "E_CHOICE", "attn_factor", attn_factor=2.0, n_ctx_orig=64,
            **YARN, **NEOX, inputs=tensors()),
    refused("yarn-faster", "YaRN that shortens", "E_CHOICE", "freq_scale", ext_factor=1.0, freq_scale=2.0,
            n_ctx_orig=64, **NEOX, inputs=tensors()),
    refused("factors-count", "3 factors for 4 pairs", "E_SHAPE", "freq_factors", **NEOX,
            inputs=tensors(**factors(1.0, 2.0, 4.0))),
    refused("positions", "positions of one axis more", "E_SHAPE", "positions", **NEOX,
            inputs={**tensors(), "positions": listed((1, 2, 3), shape=(1, 3))}),
    refused("sections", "mode 8 without sections", "E_MISSING", "sections", n_dims=8, mode=8, freq_base=10000.0,
            inputs=tensors(places=tuple(range(12)))),
    refused("sections-fourth", "pairs of the fourth number", "E_SHAPE", "sections", n_dims=8, mode=8,
            freq_base=10000.0, sections=[1, 1, 1, 1], inputs=tensors(places=tuple(range(12)))),
    refused("base", "a base of 0", "E_BASE", "freq_base", n_dims=8, mode=2, freq_base=0.0, inputs=tensors()),
]  # fmt: skip
