"""Golden cases of forget gates."""

from ...case import listed, paper, project, scattered, suite
from ...telling_inputs import DTYPES, SHORT, narrow
from .._formats import in_formats

value, refused = suite("forget_gate", paper("Lin et al. 2025, Forgetting Transformer, arXiv:2503.02130, section 3"))
FOX = project("zhixuan-lin/forgetting-transformer", "883f260c636e87971339749b0d8310004794a5cc",
              "src/forgetting_transformer/ops/forgetting_attention.py", "ForgettingAttention")
XT = project("x-transformers", "2.31.10", "x_transformers/x_transformers.py", "DataDependentAlibi")
CABLE = project("axiomlab/Cable", "2d7410b4e5c7d65e8a57f98a89a792da5642e5f5", "src/Cable.py", "CausalSelfAttention")
INFINITY = float("inf")


def gates(dtype, shape, seed, both=False, spread=3):
    """Logits, and those of the other direction, as input tensors."""
    found = {"logits": scattered(dtype, shape, seed, spread)}
    return {**found, "backward": scattered(dtype, shape, seed + 1, spread)} if both else found


def row(*logits):
    """The logits of one head, written out."""
    return {"logits": listed(logits, "float64", (1, len(logits)))}


CASES = [
    *[
        value(f"{mode}-{SHORT[dtype]}", f"{about}, {dtype}", mode=mode, dtype=dtype, source=source,
              inputs=gates(held, (2, 3, 5), 10 * k, mode == "bidirectional"), flags=("OffByOne", *narrow(dtype)))
        for k, (mode, about, source) in enumerate((
            ("causal", "Forgetting Transformer", FOX), ("linear", "x-transformers, causal", XT),
            ("bidirectional", "x-transformers, bidirectional", XT),
        ))
        for dtype, held in zip(DTYPES, ("float64", "float32", "float32", "bfloat16"))
    ],
    value("cable", "Cable: the negative logits", mode="causal", dtype="float64", source=CABLE,
          inputs=gates("float32", (4, 6), 40)),
    *[
        value(f"step-{mode}", f"2 queries behind a cache of 4 keys, {mode}", mode=mode, query_len=2, dtype="float64",
              source=FOX, inputs=gates("float32", (3, 6), 50, mode == "bidirectional"), flags=("UnequalLengths",))
        for mode in ("causal", "linear", "bidirectional")
    ],
    value("no-queries", "no queries", mode="causal", query_len=0, dtype="float64", inputs=gates("float32", (3, 6), 50)),
    value("scale", "post_log_scale 3", mode="linear", scale=3, dtype="float64", source=XT,
          inputs=gates("float32", (3, 4), 60)),
    value("scale-third", "a scale that is no power of two, below 0", mode="bidirectional", scale=-0.3, dtype="float32",
          inputs=gates("float32", (3, 4), 64, True)),
    value("equal", "equal gates: ALiBi", mode="causal", dtype="float64", inputs=row(*(1.5,) * 6), flags=("OffByOne",)),
    value("open", "gates that forget nothing, of padding", mode="causal", dtype="float64",
          inputs=row(INFINITY, INFINITY, 0.5, INFINITY, -1.0)),
    value("shut", "a gate of 0: NaN where both sums are behind it", mode="linear", dtype="float64",
          inputs=row(0.5, -INFINITY, 0.5, 1.0)),
    value("nan", "a logit that is NaN", mode="causal", dtype="float64", inputs=row(0.5, float("nan"), 0.5)),
    value("long", "sums that lose the small gates behind a large one", mode="causal", dtype="float64",
          flags=("Cancellation",), inputs=row(-3e15, 1.0, 30.0, 2.0, 35.0, -1.0, 33.0)),
    value("small", "logits far above 0, whose logarithms are subnormal", mode="causal", dtype="float64",
          flags=("Subnormal",), inputs=row(700.0, 710.0, 744.0, 740.0)),
    value("flat", "one head without an axis", mode="causal", dtype="float64",
          inputs={"logits": scattered("float64", (4,), 70)}),
    value("one-token", "one token", mode="bidirectional", dtype="float32", inputs=gates("float32", (2, 1), 72, True)),
    value("no-tokens", "no tokens", mode="causal", dtype="float32", inputs=gates("float32", (2, 0), 74)),
    refused("mode", "an unknown mode", "E_CHOICE", "mode", mode="symmetric", inputs=gates("float32", (2, 3), 1)),
    refused("backward-missing", "one direction of two", "E_CHOICE", "backward", mode="bidirectional",
            inputs=gates("float32", (2, 3), 1)),
    refused("backward-unread", "gates that nothing reads", "E_CHOICE", "backward", mode="causal",
            inputs=gates("float32", (2, 3), 1, True)),
    refused("backward-shape", "the other direction of other tokens", "E_SHAPE", "backward", mode="bidirectional",
            inputs={**gates("float32", (2, 3), 1), "backward": scattered("float32", (2, 4), 1)}),
    refused("query-len", "more queries than tokens", "E_SIZE", "query_len", mode="causal", query_len=4,
            inputs=gates("float32", (2, 3), 1)),
    refused("integers", "logits that are no floats", "E_DTYPE", "logits", mode="causal",
            inputs={"logits": listed((1, 2, 3))}),
]  # fmt: skip

# the same in other formats
CASES += in_formats(
    CASES,
    float32="step-causal",
    float16="step-causal scale",
    bfloat16="step-causal scale",
)
