"""Golden cases of Graphormer's bias."""

from ...case import listed, mixed, paper, project, scattered, suite
from ...telling_inputs import DTYPES, SHORT, narrow
from .._formats import in_formats

value, refused = suite("graphormer_bias", paper("Ying et al. 2021, Graphormer, arXiv:2106.05234, section 3.1"))
GRAPHORMER = project("microsoft/Graphormer", "ac154fe", "graphormer/modules/graphormer_layers.py", "GraphAttnBias")
INFINITY = float("inf")


def numbers(shape, below, seed):
    """Integers from 0 to below, the same everywhere."""
    count = 1
    for size in shape:
        count *= size
    return listed([z % below for z in mixed(count, seed).tolist()], shape=shape)


def arrays(n, heads, seed, dtype="float32", rows=9):
    """Rows of pairs of nodes and the weights of distances and of the virtual node."""
    return {"spatial": numbers((n, n), rows, seed), "spatial_weight": scattered(dtype, (rows, heads), seed + 1, 0),
            "virtual": scattered(dtype, (heads,), seed + 2, 0)}  # fmt: skip


def on_paths(n, heads, hops, features, seed, dtype="float32", rows=11):
    """Edges on paths and their weights."""
    return {"paths": numbers((n, n, hops, features), rows, seed + 3),
            "edge_weight": scattered(dtype, (rows, heads), seed + 4, 0),
            "hop_weight": scattered(dtype, (hops + 1, heads, heads), seed + 5, 0)}  # fmt: skip


def mask(n, *cells, fill=-INFINITY):
    """A mask (n + 1, n + 1) of zeros but for some cells."""
    values = [fill if (i, j) in cells else 0.0 for i in range(n + 1) for j in range(n + 1)]
    return {"mask": listed(values, "float32", (n + 1, n + 1))}


CASES = [
    *[
        value(f"hops-{SHORT[dtype]}", f"distances, the virtual node and edges on paths, {dtype}", dtype=dtype,
              inputs={**arrays(4, 3, 900 + 20 * k), **on_paths(4, 3, 5, 2, 900 + 20 * k)}, source=GRAPHORMER,
              flags=narrow(dtype))
        for k, dtype in enumerate(DTYPES)
    ],
    *[
        value(f"plain-{SHORT[dtype]}", f"distances and the virtual node, {dtype}", dtype=dtype,
              inputs=arrays(5, 2, 1000 + 20 * k), source=GRAPHORMER, flags=narrow(dtype))
        for k, dtype in enumerate(DTYPES)
    ],
    value("double-f64", "weights of float64", dtype="float64", source=GRAPHORMER,
          inputs={**arrays(3, 4, 1100, "float64"), **on_paths(3, 4, 3, 3, 1100, "float64")}),
    value("bfloat16-weights", "weights of bfloat16", dtype="float32",
          inputs={**arrays(3, 2, 1120, "bfloat16"), **on_paths(3, 2, 2, 1, 1120, "bfloat16")}),
    value("masked-f64", "pairs that are not attended", dtype="float64", flags=("AttentionMask",),
          inputs={**arrays(4, 2, 1140), **on_paths(4, 2, 5, 1, 1140), **mask(4, (1, 3), (2, 4), (4, 4))}),
    value("mask-twice-f64", "what is finite in the mask counts twice", dtype="float64", flags=("AttentionMask",),
          inputs={**arrays(3, 2, 1160), **mask(3, (0, 0), (0, 2), (1, 0), (2, 3), fill=0.375)}),
    value("one-hop-f64", "one hop: every sum is divided by 1", dtype="float64",
          inputs={**arrays(4, 2, 1180), **on_paths(4, 2, 1, 3, 1180)}),
    value("one-head-f32", "one head", dtype="float32", inputs={**arrays(3, 1, 1200), **on_paths(3, 1, 4, 2, 1200)}),
    value("flat-hops-f64", "the matrices of the hops as a checkpoint has them", dtype="float64", source=GRAPHORMER,
          inputs={**arrays(3, 2, 1220), **on_paths(3, 2, 2, 1, 1220),
                  "hop_weight": scattered("float32", (12, 1), 1226, 0),
                  "virtual": scattered("float32", (1, 2), 1227, 0)}),
    value("cancelling-f64", "terms that cancel but for the roundings of the fixed order", dtype="float64",
          flags=("Cancellation",),
          inputs={"spatial": listed([1], shape=(1, 1)), "spatial_weight": listed([0.0, 2.0**53], "float64", (2, 1)),
                  "virtual": listed([1.0], "float64"), "paths": listed([1, 2], shape=(1, 1, 2, 1)),
                  "edge_weight": listed([0.0, 1.0, -(2.0**53)], "float64", (3, 1)),
                  "hop_weight": listed([1.0, 1.0], "float64", (2, 1, 1))}),
    value("one-node", "one node", dtype="float32", inputs={**arrays(1, 2, 1240), **on_paths(1, 2, 2, 1, 1240)}),
    value("empty", "the virtual node alone", dtype="float32",
          inputs={**arrays(1, 2, 1260), "spatial": listed([], shape=(0, 0))}),
    refused("spatial", "a row beyond the table", "E_POSITION", "spatial",
            inputs={**arrays(3, 2, 1280), "spatial_weight": scattered("float32", (4, 2), 1, 0)}),
    refused("virtual", "a number too many for the virtual node", "E_SHAPE", "virtual",
            inputs={**arrays(3, 2, 1280), "virtual": scattered("float32", (3,), 1, 0)}),
    refused("paths", "paths without their weights", "E_SHAPE", "edge_weight",
            inputs={**arrays(3, 2, 1280), "paths": numbers((3, 3, 2, 1), 4, 1)}),
    refused("hop-weight", "fewer matrices than hops", "E_SHAPE", "hop_weight",
            inputs={**arrays(3, 2, 1280), **on_paths(3, 2, 4, 1, 1280),
                    "hop_weight": scattered("float32", (3, 2, 2), 1, 0)}),
    refused("mask", "a mask without the virtual node", "E_SHAPE", "mask",
            inputs={**arrays(3, 2, 1280), "mask": scattered("float32", (3, 3), 1, 0)}),
]  # fmt: skip

# the same in other formats
CASES += in_formats(
    CASES,
    float32="mask-twice-f64",
    float16="mask-twice-f64",
    bfloat16="mask-twice-f64",
)
