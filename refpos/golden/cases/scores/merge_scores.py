"""Golden cases of scores of several rotations made one."""

from ...case import extreme, listed, paper, project, scattered, suite
from ...telling_inputs import DTYPES, SHORT

DUAL = paper("An et al. 2024, Dual Chunk Attention, arXiv:2402.17463, section 3")
REROPE = project("bojone/rerope", "2cbd019", "rerope_patch.py", "forward_with_rerope")
value, refused = suite("merge_scores", DUAL)


def regions(*rows):
    """A digit for each pair, x for -1."""
    numbers = tuple(-1 if one == "x" else int(one) for row in rows for one in row)
    return {"regions": listed(numbers, shape=(len(rows), len(rows[0])))}


#: the regions of tests: a near window of 2, and chunks of 2 tokens
NEAR = ("00111", "00011", "10001", "11000", "11100")
CHUNKS = ("0xxxxx", "00xxxx", "110xxx", "1100xx", "22110x", "221100")

CASES = [
    *[
        value(f"window-{SHORT[dtype]}", f"ReRoPE: two rotations, a window of 2, {dtype}", source=REROPE, dtype=dtype,
              inputs={"scores": scattered(dtype, (2, 2, 5, 5), 10 + k), **regions(*NEAR)})
        for k, dtype in enumerate(DTYPES)
    ],
    *[
        value(f"chunks-{SHORT[dtype]}", f"dual chunks: three rotations, later keys masked, {dtype}", dtype=dtype,
              inputs={"scores": scattered(dtype, (3, 3, 6, 6), 20 + k), **regions(*CHUNKS)})
        for k, dtype in enumerate(DTYPES)
    ],
    value("step", "one query behind a cache", flags=("UnequalLengths",), source=REROPE,
          inputs={"scores": scattered("float32", (2, 4, 1, 7), 30), **regions("1111100")}),
    value("rectangle", "more queries than keys", flags=("UnequalLengths",),
          inputs={"scores": scattered("float32", (2, 4, 2), 31), **regions("01", "10", "x1", "00")}),
    value("by-sequence", "regions of each sequence, the same for its heads",
          inputs={"scores": scattered("float64", (2, 2, 3, 2, 2), 32),
                  "regions": listed((0, 1, 1, 0, 1, -1, 0, 0), shape=(2, 1, 2, 2))}),
    value("one-rotation", "one rotation, and what it masks",
          inputs={"scores": scattered("float32", (1, 2, 2, 2), 33), **regions("0x", "00")}),
    value("narrowed", "scores of float64 in bfloat16, each rounded once", dtype="bfloat16", flags=("DoubleRounding",),
          inputs={"scores": scattered("float64", (2, 3, 2, 2), 37), **regions("01", "1x")}),
    value("overflow", "scores beyond the largest float16", dtype="float16",
          inputs={"scores": scattered("float32", (2, 2, 2), 38, 18), **regions("01", "10")}),
    value("all-masked", "nothing counts", dtype="bfloat16", inputs={"scores": scattered("bfloat16", (2, 1, 2, 2), 34),
          **regions("xx", "xx")}),
    value("four", "four rotations", inputs={"scores": scattered("float64", (4, 2, 2, 4), 35),
          **regions("0123", "3210")}),
    value("extreme", "infinities and the largest numbers",
          inputs={"scores": extreme("float32", (2, 2, 2, 2)), **regions("01", "10")}),
    value("nan", "NaN where a region has it, and nowhere else",
          inputs={"scores": listed((float("nan"), 1.0, 2.0, float("inf")), "float64", (2, 1, 2)), **regions("10")}),
    value("empty", "no keys",
          inputs={"scores": scattered("float32", (2, 3, 2, 0), 36), "regions": listed((), shape=(2, 0))}),
    refused("region", "a region without scores", "E_NUMBER", "regions",
            inputs={"scores": scattered("float32", (2, 2, 2), 1), **regions("02", "00")}),
    refused("region-below", "a region below -1", "E_NUMBER", "regions",
            inputs={"scores": scattered("float32", (2, 2, 2), 1), "regions": listed((0, -2, 0, 0), shape=(2, 2))}),
    refused("shape", "regions of other keys", "E_SHAPE", "regions",
            inputs={"scores": scattered("float32", (2, 2, 3), 1), **regions("01", "10")}),
    refused("scores", "scores of one rotation, without their axis", "E_SHAPE", "scores",
            inputs={"scores": scattered("float32", (2, 2), 1), **regions("01", "10")}),
    refused("floats", "regions that are not integers", "E_DTYPE", "regions",
            inputs={"scores": scattered("float32", (2, 1, 2), 1), "regions": listed((0.0, 1.0), "float64", (1, 2))}),
]  # fmt: skip
