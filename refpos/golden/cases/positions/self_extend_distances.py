"""Golden cases of the distances of Self-Extend."""

from ...case import counting, listed, suite
from ...telling_inputs import DTYPES, SHORT, narrow
from .._formats import in_formats
from .self_extend_positions import FIRST, FLAGS, LATER, SMALL

value, refused = suite("self_extend_distances", FIRST)
SIX = {"group_size": 6, "neighbor_window": 1024}
EDGES = {"query_positions": listed((1023, 1024, 1025, 4096)), "key_positions": counting(0, 8)}

CASES = [
    value("small", "10 tokens, group 2, window 4", query_positions=10, key_positions=10, **SMALL, shift="floor",
          dtype="int64", flags=FLAGS),
    value("decode", "the last query of 10 tokens", key_positions=10, **SMALL, shift="floor", dtype="int64",
          inputs={"query_positions": listed((9,))}, flags=(*FLAGS, "UnequalLengths")),
    value("default", "group 8, window 1024 at its edges", group_size=8, neighbor_window=1024, shift="floor",
          dtype="int64",
          inputs=EDGES, flags=FLAGS),
    value("six-floor", "group 6, window 1024 at its edges", **SIX, shift="floor", dtype="int64", inputs=EDGES,
          flags=FLAGS),
    *[
        value(f"six-exact-{SHORT[dtype]}", f"group 6, window 1024 at its edges, {dtype}", **SIX, shift="exact",
              dtype=dtype, inputs=EDGES, flags=(*FLAGS, *narrow(dtype)), source=LATER)
        for dtype in DTYPES
    ],
    value("short", "fewer tokens than the window: ordinary distances", query_positions=6, key_positions=6, **SIX,
          shift="exact", dtype="int64", flags=FLAGS),
    value("empty", "no keys", query_positions=2, key_positions=0, **SMALL, shift="floor", dtype="int64"),
    refused("integers", "thirds as integers", "E_DTYPE", "dtype", query_positions=1030, key_positions=2, **SIX,
            shift="exact", dtype="int64"),
    refused("matrix", "keys of two axes", "E_SHAPE", "key_positions", query_positions=2, **SMALL, shift="floor",
            inputs={"key_positions": listed((0, 1), shape=(1, 2))}),
    refused("shift-unknown", "a shift that is no name", "E_CHOICE", "shift", query_positions=2, key_positions=2,
            **SMALL,
            shift=None),
]

# what no other case tells apart
CASES += [
    *[
        value(f"longest-{longest}-{shift}" + ("-f32" if dtype == "float32" else ""),
              f"the largest query is {longest}, the window 6, {shift}, {dtype}",
              group_size=4, neighbor_window=6, shift=shift, longest=longest, dtype=dtype,
              inputs={"query_positions": listed((0, 5)), "key_positions": listed((0, 7, 13))})
        for longest, shift, dtype in ((5, "floor", "int64"), (6, "floor", "int64"), (5, "floor", "float32"),
                                      (6, "floor", "float32"), (5, "exact", "float32"), (6, "exact", "float32"))
    ],
]

# the same in other formats
CASES += in_formats(
    CASES,
    float64="longest-6-floor-f32 longest-5-floor-f32",
    float16="longest-6-floor-f32 longest-5-floor-f32 longest-6-exact-f32",
    bfloat16="longest-6-floor-f32 longest-5-floor-f32 longest-6-exact-f32",
)
