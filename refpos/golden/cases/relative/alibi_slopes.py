"""Golden cases of the ALiBi slopes."""

from ...case import paper, project, suite
from ...telling_inputs import SHORT, narrow
from .._formats import in_formats

value, refused = suite("alibi_slopes", paper("Press et al. 2022, Train Short, Test Long, arXiv:2108.12409, section 3"))


def _flags(heads, dtype="float64"):
    return (*(("SlopeNonPowerOfTwo",) if heads & heads - 1 else ()), *narrow(dtype))


CASES = [
    *[
        value(f"{convention}-{heads}-{SHORT[dtype]}", f"{heads} heads, convention {convention}, {dtype}",
              num_heads=heads, convention=convention, dtype=dtype, flags=_flags(heads, dtype))
        for heads, convention, dtype in (
            (1, "recursive", "float64"), (2, "recursive", "float64"), (3, "recursive", "float64"),
            (5, "recursive", "float64"),
            (6, "recursive", "float32"), (7, "recursive", "float64"), (8, "recursive", "float64"),
            (10, "recursive", "float32"),
            (12, "recursive", "float64"), (12, "recursive", "bfloat16"), (12, "recursive", "float16"),
            (16, "recursive", "float32"),
            (20, "recursive", "float64"), (32, "recursive", "float64"), (40, "recursive", "float32"),
            (64, "recursive", "bfloat16"),
            (1, "geometric", "float64"), (3, "geometric", "float64"), (6, "geometric", "float32"),
            (7, "geometric", "float64"),
            (12, "geometric", "float64"), (12, "geometric", "float16"), (20, "geometric", "bfloat16"),
            (64, "geometric", "float64"),
        )
    ],
    value("bloom-112", "BLOOM 176B: 112 heads", num_heads=112, flags=_flags(112),
          source=project("transformers", "5.23.0", "models/bloom/modeling_bloom.py", "build_alibi_tensor")),
    value("bloom-112-f32", "BLOOM 176B: 112 heads in float32", num_heads=112, dtype="float32", flags=_flags(112),
          source=project("transformers", "5.23.0", "models/bloom/modeling_bloom.py", "build_alibi_tensor")),
    value("falcon-rw-71-bf16", "71 heads in bfloat16, as Falcon models round them", num_heads=71, dtype="bfloat16",
          flags=_flags(71, "bfloat16"), source=project("transformers", "5.23.0", "models/falcon/modeling_falcon.py",
                                                       "build_alibi_tensor")),
    value("mpt-max-bias-16", "MPT with alibi_bias_max 16", num_heads=12, max_bias=16, flags=_flags(12),
          source=project("transformers", "5.23.0", "models/mpt/modeling_mpt.py", "build_mpt_alibi_tensor")),
    value("max-bias-4-geometric", "max_bias 4", num_heads=6, max_bias=4, convention="geometric", flags=_flags(6)),
    value("max-bias-fraction", "max_bias 7.5", num_heads=10, max_bias=7.5, flags=_flags(10)),
    value("max-bias-large-f16", "max_bias 40 in float16: subnormal numbers and zero", num_heads=8, max_bias=40,
          dtype="float16", flags=("Subnormal",)),
    *[
        value(f"halving-{heads}-{SHORT[dtype]}", f"{heads} heads, slopes 1, 1/2, 1/4, ..., {dtype}", num_heads=heads,
              convention="halving", dtype=dtype, flags=(*_flags(heads, dtype), *more))
        for heads, dtype, more in ((8, "float64", ()), (6, "float32", ()), (30, "float16", ("Subnormal",)))
    ],
    refused("halving-max-bias", "slopes 1/2**i with a largest exponent", "E_NUMBER", "max_bias", num_heads=8,
            max_bias=16, convention="halving"),
    refused("heads-zero", "no heads", "E_SIZE", "num_heads", num_heads=0),
    refused("heads-negative", "a negative number of heads", "E_SIZE", "num_heads", num_heads=-8),
    refused("heads-float", "a number of heads that is not an integer", "E_SIZE", "num_heads", num_heads=2.5),
    refused("convention", "an unknown convention", "E_CHOICE", "convention", num_heads=8, convention="interpolated"),
    refused("max-bias-zero", "max_bias 0", "E_NUMBER", "max_bias", num_heads=8, max_bias=0),
    refused("max-bias-nan", "max_bias NaN", "E_NUMBER", "max_bias", num_heads=8, max_bias=float("nan")),
    *[
        value(f"extended-{convention}-{heads}", f"{heads} heads, convention {convention}", num_heads=heads,
              convention=convention, tier="extended", flags=_flags(heads))
        for heads in (25, 71, 96, 127, 128) for convention in ("recursive", "geometric")
    ],
]

# the same in other formats
CASES += in_formats(
    CASES,
    float32="max-bias-4-geometric",
    bfloat16="halving-6-f32 max-bias-4-geometric",
)
