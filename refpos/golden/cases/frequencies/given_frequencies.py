"""Golden cases of frequencies that a model has stored."""

from ...case import listed, paper, suite
from ...telling_inputs import DTYPES, SHORT, narrow

value, refused = suite("given_frequencies", paper("Su et al. 2021, RoFormer, arXiv:2104.09864, section 3.2.2"))

#: bfloat16 values, as a buffer has them after a cast; written in float32 and float64 as well
STORED = (1.0, 0.56640625, 0.31640625, 0.177734375, 0.10009765625, 0.056396484375)


def of(values, dtype="float64", shape=None):
    """Stored frequencies as an input tensor."""
    return {"inv_freq": listed(values, dtype, shape)}


CASES = [
    *[
        value(f"stored-{SHORT[dtype]}", f"a buffer that was cast to bfloat16, as {dtype}", inputs=of(STORED),
              dtype=dtype, flags=("NarrowAngle",))
        for dtype in DTYPES
    ],
    value("from-f32", "a buffer of float32", inputs=of((1.0, 0.5, 0.25, 2.0**-20), "float32")),
    value("growing", "frequencies above 1", inputs=of((1.5707963267948966, 15.707963267948966, 157.07963267948966))),
    value("negative-zero", "a frequency below 0 and one that is 0", inputs=of((-0.5, 0.0))),
    value("ties-f32", "halfway between two float32", inputs=of((1.0 + 2.0**-24, 1.0 + 3 * 2.0**-24)), dtype="float32",
          flags=("DoubleRounding",)),
    value("ties-bf16", "halfway between two bfloat16, and just beside",
          inputs=of((1.0 + 2.0**-8, 1.0 + 2.0**-8 + 2.0**-40)), dtype="bfloat16", flags=narrow("bfloat16")),
    value("whole", "integers", inputs=of((1, 2, 3), "int64")),
    refused("empty", "no frequencies", "E_SHAPE", "inv_freq", inputs=of(())),
    refused("two-axes", "a matrix", "E_SHAPE", "inv_freq", inputs=of((1.0, 0.5), shape=(1, 2))),
    refused("nan", "NaN", "E_NUMBER", "inv_freq", inputs=of((1.0, float("nan")))),
    refused("infinite", "infinity", "E_NUMBER", "inv_freq", inputs=of((1.0, float("inf")))),
]
