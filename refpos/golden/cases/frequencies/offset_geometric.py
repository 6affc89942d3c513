"""Golden cases of the frequencies of AlphaGenome."""

from ...case import paper, project, suite
from ...telling_inputs import DTYPES, SHORT, narrow
from .._formats import in_formats

value, refused = suite("offset_geometric", paper("Avsec et al. 2026, AlphaGenome, doi:10.1038/s41586-025-10014-0"))
ALPHAGENOME = project("google-deepmind/alphagenome_research", "0072ba823982b79c1aa201a71ca847166681c6c7",
                      "src/alphagenome_research/model/attention.py", "apply_rope")
FLAGS = ("Endpoint",)

CASES = [
    *[
        value(f"alphagenome-128-{SHORT[dtype]}", f"AlphaGenome: heads of 128 channels, 8192 positions, {dtype}",
              dim=128, dtype=dtype, flags=(*FLAGS, *narrow(dtype)), source=ALPHAGENOME)
        for dtype in DTYPES
    ],
    value("one", "one frequency is 1", dim=2, max_position=100, flags=FLAGS),
    value("two", "both ends", dim=4, max_position=100, flags=FLAGS),
    value("squares", "powers of 9: 1, 3, 9", dim=6, max_position=11, flags=FLAGS),
    value("none-grows", "as many positions as frequencies: 1 / (i + 1)", dim=10, max_position=5, flags=FLAGS),
    value("irrational", "powers of 10 with thirds", dim=8, max_position=13, flags=FLAGS),
    value("long-f32", "2**31 positions", dim=10, max_position=2**31, dtype="float32", flags=FLAGS),
    refused("dim-odd", "an odd width", "E_ODD_DIM", "dim", dim=7),
    refused("positions-few", "fewer positions than frequencies", "E_SIZE", "max_position", dim=8, max_position=3),
]

# the same in other formats
CASES += in_formats(
    CASES,
    float16="two",
    bfloat16="squares",
)

# numbers that the cases of a format have only once
CASES += in_formats(
    CASES,
    bfloat16="long-f32",
)
