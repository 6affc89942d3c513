"""Golden cases of the log-n factor on queries."""

from ...case import listed, project, suite
from ...telling_inputs import DTYPES, SHORT, narrow
from .._formats import in_formats

REROPE = project("bojone/rerope", "2cbd019", "rerope_patch.py", "forward_with_rerope")
QWEN = project("QwenLM/Qwen", "Qwen-7B", "modeling_qwen.py", "logn_list")
LONGLM = project("datamllab/LongLM", "18950b5", "self_extend_patch/Llama.py", "self_extend_forward")
value, refused = suite("log_n_scale", REROPE)
FLAGS = ("AttentionFactor", "OffByOne", "ScalingBoundary", "QueryKeyScale")


def _at(values, dtype="int64", shape=None):
    return {"positions": listed(values, dtype, shape)}


CASES = [
    *[
        value(f"rerope-4096-{SHORT[dtype]}", f"trained on 4096 tokens, {dtype}", training_length=4096, dtype=dtype,
              inputs=_at((0, 1, 4094, 4095, 4096, 4097, 8190, 8191, 8192, 65535, 131071, 999983)),
              flags=(*FLAGS, *narrow(dtype)))
        for dtype in DTYPES
    ],
    value("qwen-2048", "Qwen: trained on 2048 tokens", training_length=2048, dtype="float32",
          inputs=_at((0, 2046, 2047, 2048, 8191, 32766)), flags=FLAGS, source=QWEN),
    value("longlm-1000", "a length that is no power of two", training_length=1000,
          inputs=_at((998, 999, 1000, 999999, 10**9 - 1)), flags=FLAGS, source=LONGLM),
    value("powers-of-36", "ratios of logarithms that are fractions", training_length=6,
          inputs=_at((5, 35, 215, 216, 7775)),
          flags=FLAGS),
    value("first", "the first 4 positions: 1", positions=4, training_length=512, flags=FLAGS),
    value("smallest", "trained on 2 tokens", positions=9, training_length=2, flags=FLAGS),
    value("far", "positions to 2**53", training_length=4096, inputs=_at((2**24, 2**31 - 1, 2**53 - 1, 2**53)),
          flags=(*FLAGS, "LongContextInteger")),
    value("batch", "positions (2, 3)", training_length=5, inputs=_at((0, 1, 2, 7, 8, 9), shape=(2, 3)),
          flags=(*FLAGS, "HeadAxis")),
    value("empty", "no positions", positions=0, training_length=512),
    refused("length-one", "a length of 1", "E_SIZE", "training_length", positions=2, training_length=1),
    refused("negative", "a negative position", "E_POSITION", "positions", training_length=512, inputs=_at((-1,))),
    refused("floats", "positions that are floats", "E_POSITION", "positions", training_length=512,
            inputs=_at((1.0,), "float64")),
    refused("dtype", "integers as the result", "E_DTYPE", "dtype", positions=2, training_length=512, dtype="int64"),
]

# the same in other formats
CASES += in_formats(
    CASES,
    float16="powers-of-36",
    bfloat16="powers-of-36",
)

# what the cases of a format do not tell apart
CASES += in_formats(
    CASES,
    float32="smallest",
    float16="smallest",
    bfloat16="smallest",
)
