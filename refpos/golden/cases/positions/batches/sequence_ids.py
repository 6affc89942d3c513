"""Golden cases of the sequence of each token."""

from ....case import listed, project, suite

value, refused = suite(
    "sequence_ids", project("transformers", "5.23.0", "data/data_collator.py", "DataCollatorWithFlattening")
)
FLAGS = ("PackedSequence",)


def batch(*bounds):
    return {"cu_seqlens": listed(bounds)}


CASES = [
    value("three", "sequences of 3, 2 and 4", inputs=batch(0, 3, 5, 9), flags=FLAGS),
    value("empty-sequences", "sequences without tokens keep their number", inputs=batch(0, 0, 3, 3, 3, 5, 5),
          flags=FLAGS),
    value("singles", "sequences of one token", inputs=batch(0, 1, 2, 3), flags=FLAGS),
    value("none", "no sequences", inputs=batch(0), flags=FLAGS),
    value("length", "the length of one sequence", cu_seqlens=4, flags=FLAGS),
    value("one", "one token", cu_seqlens=1, flags=FLAGS),
    refused("falls", "boundaries that fall", "E_POSITION", "cu_seqlens", inputs=batch(0, 3, 2)),
    refused("start", "boundaries from 1", "E_POSITION", "cu_seqlens", inputs=batch(1, 3)),
]  # fmt: skip
