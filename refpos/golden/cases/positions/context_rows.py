"""Golden cases of the keys that each block of queries sees."""

from ...case import project, suite

GEMMA = project("transformers", "5.23.0", "models/gemma3n/modeling_gemma3n.py", "_extract_block_context")
value, refused = suite("context_rows", GEMMA)
FLAGS = ("OffByOne", "SequenceLength")

CASES = [
    *[
        value(f"{length}-{block}-{left}-{right}", f"{length} tokens in blocks of {block}, {left} and {right} around",
              length=length, block=block, left=left, right=right, flags=FLAGS)
        for length, block, left, right in (
            (5, 3, 2, 1), (7, 3, 3, 1), (6, 3, 3, 1), (1, 12, 12, 0), (25, 12, 12, 0), (4, 1, 2, 2), (9, 2, 0, 0),
            (3, 5, 0, 4), (2, 2, 5, 5))
    ],
    value("empty", "no tokens", length=0, block=3, left=2, right=1),
    refused("block", "blocks of none", "E_SIZE", "block", length=4, block=0, left=1, right=1),
    refused("left", "a negative context", "E_SIZE", "left", length=4, block=2, left=-1, right=1),
]  # fmt: skip
