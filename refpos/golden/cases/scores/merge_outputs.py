"""Golden cases of attention over parts of the keys made one."""

from ...case import extreme, listed, paper, project, scattered, suite
from ...telling_inputs import DTYPES, SHORT, narrow

value, refused = suite("merge_outputs", paper("An et al. 2024, Dual Chunk Attention, arXiv:2402.17463, section 3.5"))
CHUNKLLAMA = project("HKUNLP/ChunkLlama", "2add4d7c99d24dcc1ab03414cc602abb2e28cf2c", "chunkllama_attn_replace.py",
                     "merge_attn_outputs")
INFINITY = float("inf")


def parts(dtype, shape, seed, spread=3):
    """Outputs of parts and the logarithms of their sums, as input tensors."""
    return {"outputs": scattered(dtype, shape, seed, 1), "log_sums": scattered(dtype, shape[:-1], seed + 1, spread)}


def row(outputs, log_sums):
    """One number of one query from each part."""
    count = len(outputs)
    return {"outputs": listed(outputs, "float64", (count, 1, 1)), "log_sums": listed(log_sums, "float64", (count, 1))}


CASES = [
    *[
        value(f"{slug}-{SHORT[dtype]}", f"{about}, {dtype}", dtype=dtype, source=CHUNKLLAMA, flags=narrow(dtype),
              inputs=parts(held, shape, 10 * k))
        for k, (slug, about, shape) in enumerate((
            ("three", "intra, successive and inter chunks", (3, 2, 4, 3)), ("two", "two windows", (2, 3, 5)),
        ))
        for dtype, held in zip(DTYPES, ("float64", "float32", "float32", "bfloat16"))
    ],
    value("one", "one part: what it is", dtype="float64", inputs=parts("float64", (1, 3, 2), 30)),
    value("many", "seven parts, in their order", dtype="float64", inputs=parts("float64", (7, 2, 3, 2), 32)),
    value("far", "logarithms so far apart that the smaller part is lost", dtype="float64",
          inputs=row((1.0, 3.0), (0.0, -800.0))),
    value("large", "logarithms whose exponentials overflow", dtype="float64", inputs=row((1.0, 3.0), (5000.0, 5001.0))),
    value("left-out", "a part without keys, whose output is NaN", dtype="float64",
          inputs=row((float("nan"), 3.0, 4.0), (-INFINITY, 0.5, 0.25))),
    value("none", "no part has keys", dtype="float64", inputs=row((2.0, 3.0), (-INFINITY, -INFINITY))),
    value("infinite", "a logarithm that is infinite", dtype="float64", inputs=row((2.0, 3.0), (INFINITY, 0.0))),
    value("nan", "a logarithm that is NaN", dtype="float64", inputs=row((2.0, 3.0), (float("nan"), 0.0))),
    value("cancelling", "outputs that cancel but for the order of the sum", dtype="float64", flags=("Cancellation",),
          inputs=row((1.0, 2.0**53, -(2.0**53), 1.0), (0.0, 0.0, 0.0, 0.0))),
    value("extreme", "the largest numbers", dtype="float32",
          inputs={"outputs": extreme("float32", (2, 2, 2)), "log_sums": scattered("float32", (2, 2), 40)}),
    value("no-queries", "no queries", dtype="float32", inputs=parts("float32", (3, 2, 0, 4), 42)),
    refused("no-parts", "no parts", "E_SHAPE", "outputs", inputs=parts("float32", (0, 2, 3), 1)),
    refused("outputs", "outputs without a query", "E_SHAPE", "outputs", inputs=parts("float32", (2, 3), 1)),
    refused("log-sums", "a logarithm for each channel", "E_SHAPE", "log_sums",
            inputs={"outputs": scattered("float32", (2, 3, 4), 1), "log_sums": scattered("float32", (2, 3, 4), 1)}),
    refused("integers", "logarithms that are no floats", "E_DTYPE", "log_sums",
            inputs={"outputs": scattered("float32", (2, 3, 4), 1),
                    "log_sums": listed((1, 2, 3, 4, 5, 6), shape=(2, 3))}),
]  # fmt: skip
