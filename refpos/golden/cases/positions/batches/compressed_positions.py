"""Golden cases of the positions of compressed rows."""

from ....case import project, suite

value, refused = suite(
    "compressed_positions",
    project("transformers", "5.23.0", "models/deepseek_v4/modeling_deepseek_v4.py", "DeepseekV4HCACompressor"),
)
FLAGS = ("CompressedRow", "OffByOne")

CASES = [
    *[
        value(f"{length}-of-{ratio}-after-{past}", f"{length} tokens after {past}, windows of {ratio}", length=length,
              ratio=ratio, past_length=past, flags=FLAGS)
        for length, ratio, past in (
            (9, 4, 0), (3, 4, 0), (3, 4, 9), (1, 4, 11), (1, 4, 12), (10, 4, 6), (0, 4, 7), (0, 4, 8),
            (10, 128, 250), (2, 128, 126), (3, 128, 127), (3, 2, 2**31 - 2))
    ],
    value("default", "from the start", length=6, ratio=2, flags=FLAGS),
    refused("ratio", "windows of no tokens", "E_SIZE", "ratio", length=4, ratio=0),
    refused("length", "a negative length", "E_SIZE", "length", length=-1, ratio=4),
    refused("past", "a negative length before", "E_SIZE", "past_length", length=4, ratio=4, past_length=-1),
]  # fmt: skip
