"""Golden cases of the grouped positions of Self-Extend."""

from ...case import counting, listed, paper, project, suite
from ...telling_inputs import DTYPES, SHORT, narrow
from .._formats import in_formats

value, refused = suite("self_extend_positions",
paper("Jin et al. 2024, LLM Maybe LongLM, arXiv:2401.01325, algorithm 1"))
FIRST = project("datamllab/LongLM", "3256680", "llama_self_extend_patch.py", "apply_grouped_rotary_pos_emb")
LATER = project("datamllab/LongLM", "18950b5", "self_extend_patch/Llama.py", "self_extend_forward")
FLAGS = ("OffByOne", "ScalingBoundary")
SIX = {"role": "query", "group_size": 6, "neighbor_window": 1024}
SMALL = {"group_size": 2, "neighbor_window": 4}

CASES = [
    *[
        value(f"default-{role}", f"group 8, window 1024: {role}", role=role, group_size=8, neighbor_window=1024,
              shift="floor", dtype="int64", inputs={"positions": counting(1020, 40)}, flags=FLAGS, source=FIRST)
        for role in ("query", "key")
    ],
    value("divides", "8 divides 1024: both shifts agree", role="query", group_size=8, neighbor_window=1024,
          shift="exact", dtype="int64", inputs={"positions": counting(1020, 40)}, flags=FLAGS, source=LATER),
    value("six-floor", "group 6, window 1024: moved by 854", **SIX, shift="floor", dtype="int64",
          inputs={"positions": counting(1020, 20)}, flags=FLAGS, source=FIRST),
    *[
        value(f"six-exact-{SHORT[dtype]}", f"group 6, window 1024: moved by 853 1/3, {dtype}", **SIX, shift="exact",
              dtype=dtype, inputs={"positions": counting(1020, 20)}, flags=(*FLAGS, *narrow(dtype)), source=LATER)
        for dtype in DTYPES
    ],
    value("window-not-reached", "positions below the window: not moved", **SIX, shift="exact", dtype="int64",
          positions=20,
          flags=FLAGS, source=LATER),
    value("window-reached", "the largest position is the window", role="query", **SMALL, shift="floor", dtype="int64",
          positions=5, flags=FLAGS),
    value("decode", "one query, the longest given", role="query", **SMALL, shift="floor", longest=9, dtype="int64",
          inputs={"positions": listed((1,))}, flags=(*FLAGS, "SequenceLength")),
    value("matrix", "positions (2, 3)", role="query", **SMALL, shift="floor", dtype="int64",
          inputs={"positions": listed((0, 1, 2, 7, 8, 9), shape=(2, 3))}, flags=FLAGS),
    value("far", "positions to 2**53", role="query", group_size=7, neighbor_window=2**31, shift="floor", dtype="int64",
          inputs={"positions": listed((0, 2**31, 2**53))}, flags=(*FLAGS, "LongContextInteger")),
    value("far-exact", "positions to 2**53 in sevenths", role="query", group_size=7, neighbor_window=1025,
          shift="exact",
          dtype="float64", inputs={"positions": listed((0, 2**31, 2**53 - 1, 2**53))},
          flags=(*FLAGS, "LongContextInteger")),
    value("group-1", "group 1: positions as they are", role="query", group_size=1, neighbor_window=4, shift="exact",
          dtype="int64", positions=9, flags=FLAGS),
    value("empty", "no positions", role="key", **SMALL, shift="floor", dtype="int64", positions=0),
    refused("integers", "thirds as integers", "E_DTYPE", "dtype", **SIX, shift="exact", dtype="int64", positions=2000),
    refused("shift-unknown", "a shift that is no name", "E_CHOICE", "shift", **SIX, shift="round", positions=2),
    refused("role-unknown", "a role that is no name", "E_CHOICE", "role", role="value", **SMALL, shift="floor",
            positions=2),
    refused("group-zero", "group 0", "E_SIZE", "group_size", role="key", group_size=0, neighbor_window=4, shift="floor",
            positions=2),
    refused("window-zero", "window 0", "E_SIZE", "neighbor_window", role="key", group_size=2, neighbor_window=0,
            shift="floor", positions=2),
    refused("longest-small", "a longest below the positions", "E_SIZE", "longest", role="query", **SMALL, shift="floor",
            longest=3, positions=9),
    refused("negative", "a negative position", "E_POSITION", "positions", role="key", **SMALL, shift="floor",
            inputs={"positions": listed((-1,))}),
]

# what no other case tells apart
CASES += [
    *[
        value(f"longest-{longest}-{shift}" + ("-f32" if dtype == "float32" else ""),
              f"the largest query is {longest}, the window 6, {shift}, {dtype}",
              role="query", group_size=4, neighbor_window=6, shift=shift, longest=longest, dtype=dtype,
              inputs={"positions": listed((0, 1, 5))})
        for longest, shift, dtype in ((5, "floor", "int64"), (6, "floor", "int64"), (5, "floor", "float32"),
                                      (6, "floor", "float32"), (5, "exact", "float32"), (6, "exact", "float32"))
    ],
    value("keys-f32", "keys are not shifted, in float32", role="key", group_size=4, neighbor_window=6, shift="exact",
          dtype="float32", inputs={"positions": listed((0, 1, 5, 9))}),
]

# the same in other formats
CASES += in_formats(
    CASES,
    float64="longest-6-floor-f32 longest-5-floor-f32 keys-f32",
    float16="longest-6-floor-f32 longest-5-floor-f32 longest-6-exact-f32 keys-f32",
    bfloat16="longest-6-exact-f32 longest-5-floor-f32 longest-6-floor-f32 keys-f32",
)

# numbers that the cases of a format have only once
CASES += in_formats(
    CASES,
    bfloat16="matrix",
)
