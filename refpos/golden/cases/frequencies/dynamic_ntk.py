"""Golden cases of dynamic NTK scaling."""

from ...case import project, suite
from ...telling_inputs import DTYPES, SHORT, narrow
from .._formats import in_formats

value, refused = suite("dynamic_ntk", project(
    "transformers", "5.23.0", "modeling_rope_utils.py", "_compute_dynamic_ntk_parameters"
))
LLAMA = {"dim": 128, "factor": 2, "max_position_embeddings": 2048}
FLAGS = ("Scaling", "SequenceLength")

CASES = [
    *[
        value(f"twice-{SHORT[dtype]}", f"a sequence twice as long as the model's, factor 2, {dtype}", **LLAMA,
              seq_len=4096,
              dtype=dtype, flags=(*FLAGS, *narrow(dtype)))
        for dtype in DTYPES
    ],
    *[
        value(f"length-{length}", f"{about}: {length} tokens of 2048", dim=64, factor=2, max_position_embeddings=2048,
              seq_len=length, flags=("ScalingBoundary", *FLAGS))
        for length, about in ((2047, "one token shorter"), (2048, "exactly the model's length"),
                              (2049, "one token longer"), (1, "one token"))
    ],
    value("no-length", "no length: that of the model", dim=64, factor=2, max_position_embeddings=2048, flags=FLAGS),
    value("long", "16 times the length, factor 4, base 500000", dim=128, base=500000, factor=4,
          max_position_embeddings=8192, seq_len=131072, flags=(*FLAGS, "Base")),
    value("factor-1.5", "a factor that is not an integer", dim=32, factor=1.5, max_position_embeddings=4096,
          seq_len=5000,
          flags=FLAGS),
    value("dim-4", "the narrowest width: a fraction", dim=4, base=100, factor=2, max_position_embeddings=8, seq_len=16,
          flags=FLAGS),
    refused("dim-2", "width 2, for which the exponent has no value", "E_SIZE", "dim", dim=2, factor=2,
            max_position_embeddings=8),
    refused("factor-zero", "factor 0", "E_NUMBER", "factor", dim=8, factor=0, max_position_embeddings=8),
    refused("length-zero", "a sequence without tokens", "E_SIZE", "seq_len", dim=8, factor=2, max_position_embeddings=8,
            seq_len=0),
    refused("length-float", "a length that is a float", "E_SIZE", "max_position_embeddings", dim=8, factor=2,
            max_position_embeddings=8.5),
]

# what no other case tells apart
CASES += [
    value("length-left-out-f32", "no length: nothing changes, though two tokens are few, in float32", dim=8, factor=4,
          max_position_embeddings=2, dtype="float32", flags=("Scaling", "ScalingBoundary")),
]

# the same in other formats
CASES += in_formats(
    CASES,
    float64="length-left-out-f32",
    float32="dim-4",
    float16="dim-4 length-left-out-f32",
    bfloat16="dim-4 length-left-out-f32",
)

# what no other case tells apart
CASES += [
    value("length-15-f32", "15 tokens of 16: nothing changes, in float32", dim=8, base=100, factor=4,
          max_position_embeddings=16, seq_len=15, dtype="float32", flags=("ScalingBoundary", *FLAGS)),
]

# the same in other formats
CASES += in_formats(
    CASES,
    float16="length-15-f32",
    bfloat16="length-15-f32",
)
