"""Golden cases of positions in trees."""

from ...case import fraction, listed, paper, project, suite
from ...telling_inputs import DTYPES, SHORT, narrow
from .._formats import in_formats

value, refused = suite("tree_positions", paper("Shiv and Quirk 2019, NeurIPS 2019, section 3"))
ICECAPS = project(
    "microsoft/icecaps", "926d5bd", "icecaps/estimators/abstract_transformer_estimator.py", "treeify_positions"
)


def nodes(*paths):
    """Paths as an input tensor, with -1 behind the shorter ones."""
    longest = max(map(len, paths), default=0)
    flat = [child for path in paths for child in (*path, *[-1] * (longest - len(path)))]
    return {"paths": listed(flat, shape=(len(paths), longest))}


BINARY = nodes((), (0,), (1,), (0, 0), (0, 1), (1, 0), (1, 1), (1, 0, 1), (0, 1, 1, 0))
TERNARY = nodes((), (2,), (0, 2), (1, 0, 2), (2, 2, 1, 0))


def decays(*values):
    """Decays as an input tensor."""
    return {"decay": listed(list(values), "float64")}


CASES = [
    *[
        value(f"learned-{SHORT[dtype]}", f"two decays and the width of a model, {dtype}", degree=2, depth=4, dim=256,
              dtype=dtype, inputs={**BINARY, **decays(0.7, 0.3)}, source=ICECAPS, flags=narrow(dtype))
        for dtype in DTYPES
    ],
    value("plain-f64", "decay 1: the steps as they are", degree=2, depth=4, decay=1, dim=None, dtype="float64",
          inputs=BINARY),
    value("half-f64", "decay 1/2: powers of two", degree=3, depth=5, decay=0.5, dim=None, dtype="float64",
          inputs=TERNARY),
    value("third-f64", "decay 1/3", degree=3, depth=4, decay=fraction(1, 3), dim=None, dtype="float64",
          inputs=TERNARY),
    value("negative-f64", "a decay below 0 changes its sign at every step", degree=3, depth=4, dim=64,
          dtype="float64", inputs={**TERNARY, **decays(-0.6, -0.25)}),
    value("near-one-f64", "decays near 1: 1 - p^2 cancels", degree=2, depth=4, dim=128, dtype="float64",
          inputs={**BINARY, **decays(1 - 2.0**-40, 0.999)}, flags=("Cancellation",)),
    value("one-and-zero-f64", "decay 1 gives zeros with a width, decay 0 the newest step alone", degree=2, depth=3,
          dim=8, dtype="float64", inputs={**BINARY, **decays(1.0, 0.0, -1.0)}),
    value("exact-f32", "decay 3/5: the root is a fraction", degree=2, depth=4, decay=fraction(3, 5), dim=2,
          dtype="float32", inputs=BINARY),
    value("shallow-f64", "deeper nodes lose their oldest steps", degree=2, depth=2, decay=0.9, dim=None,
          dtype="float64", inputs=BINARY),
    value("deep-f64", "more depth than any node has", degree=2, depth=9, decay=0.8, dim=16, dtype="float64",
          inputs=BINARY),
    value("chain-f32", "a chain of 40 first children", degree=1, depth=40, decay=0.5, dim=None, dtype="float32",
          inputs=nodes((), (0,) * 40), flags=("Subnormal",)),
    value("tiny-f16", "powers below the normal numbers", degree=1, depth=30, decay=0.4, dim=None, dtype="float16",
          inputs=nodes((0,) * 30), flags=("DoubleRounding", "Subnormal")),
    value("root", "the root alone", degree=2, depth=3, decay=0.5, dim=None, dtype="float64", inputs=nodes(())),
    value("empty", "no nodes", degree=2, depth=3, decay=0.5, dim=None, dtype="float32", inputs=nodes()),
    refused("child", "a child beyond the degree", "E_POSITION", "paths", degree=2, depth=3, decay=0.5, dim=None,
            inputs=nodes((0, 2))),
    refused("hole", "a step that is missing", "E_POSITION", "paths", degree=2, depth=3, decay=0.5, dim=None,
            inputs={"paths": listed([0, -1, 1], shape=(1, 3))}),
    refused("decay", "a decay above 1", "E_NUMBER", "decay", degree=2, depth=3, decay=1.5, dim=None, inputs=BINARY),
    refused("degree", "no children", "E_SIZE", "degree", degree=0, depth=3, decay=0.5, dim=None, inputs=BINARY),
]  # fmt: skip

# the same in other formats
CASES += in_formats(
    CASES,
    bfloat16="tiny-f16",
)

# numbers that the cases of a format have only once
CASES += in_formats(
    CASES,
    float64="tiny-f16",
    float32="tiny-f16",
    float16="exact-f32",
    bfloat16="exact-f32",
)
