"""Golden cases of heat kernels of graphs."""

from ...case import listed, paper, project, suite
from ...telling_inputs import DTYPES, SHORT, narrow
from .._formats import in_formats
from .._graphs import CAFFEINE, TREE, bipartite, both, cells, complete, cycle, drawn, path, star, tensor

value, refused = suite("heat_kernel", paper("Rampasek et al. 2022, GraphGPS, arXiv:2205.12454, table 1"))
GPS = project("rampasek/GraphGPS", "2801570", "graphgps/transform/posenc_stats.py", "get_heat_kernels_diag")


def at(pairs, *times, directed=False):
    """A graph and the times."""
    return {**(tensor if directed else both)(pairs), "times": listed([float(time) for time in times], "float64")}


CASES = [
    *[
        value(f"molecule-{SHORT[dtype]}", f"the rings of a molecule, {dtype}", n=14, dtype=dtype, source=GPS,
              inputs=at(CAFFEINE, 0.1, 1, 2, 10), flags=narrow(dtype))
        for dtype in DTYPES
    ],
    *[
        value(f"dim-{dim}-{SHORT[dtype]}", f"times t^({dim}/2), {dtype}", n=8, space_dim=dim, dtype=dtype,
              inputs=at(drawn(8, 24, 3), 0.3, 2, 4), source=GPS, flags=narrow(dtype))
        for dim, dtype in ((1, "float64"), (2, "float32"), (3, "bfloat16"), (7, "float16"))
    ],
    value("soon-f64", "t = 0.01: nearly 1 - 1 / n", n=6, dtype="float64", inputs=at(path(6), 0.01, 2.0**-60),
          flags=("Cancellation",)),
    value("late-f64", "t = 100: what is left is far below 1 / n", n=6, dtype="float64", inputs=at(cycle(6), 100),
          flags=("Cancellation",)),
    value("late-f32", "t = 100: subnormal and 0 in float32", n=3, dtype="float32", inputs=at(path(3), 90, 100, 200),
          flags=("Cancellation", "Subnormal")),
    value("never-f64", "so late that nothing is left", n=4, dtype="float64", inputs=at(complete(4), 300, 1e6, 1e300)),
    value("zero-f64", "t = 0: 1 - 1 / nodes", n=5, dtype="float64", inputs=at(star(4), 0)),
    value("zero-dim-f64", "t = 0 times 0^(1/2)", n=5, space_dim=1, dtype="float64", inputs=at(star(4), 0, 1)),
    value("two-parts-f64", "two components, and a node without edges", n=10, dtype="float64",
          inputs=at([*cycle(5), *path(4, 5)], 0.5, 5)),
    value("bipartite-f64", "K3,4", n=7, dtype="float64", inputs=at(bipartite(3, 4), 0.25, 1)),
    value("grid-f64", "a grid of 3 x 4 cells", n=12, dtype="float64", inputs=at(cells(3, 4), 1, 3)),
    value("loops-f64", "loops cancel, a repeated edge counts twice", n=8, dtype="float64",
          inputs=at([*TREE, (3, 3), (0, 1)], 1)),
    value("halves-f64", "two nodes: e^(-2t) / 2, not e^(-4t) / 2", n=2, dtype="float64", inputs=at(path(2), 0.5, 1)),
    value("isolated", "no edges", n=3, dtype="float64", inputs=at([], 1, 2)),
    value("empty", "no nodes", n=0, dtype="float32", inputs=at([], 1, 2)),
    refused("one-way", "an edge without its other direction", "E_POSITION", "edges", n=3,
            inputs=at(path(3), 1, directed=True)),
    refused("negative", "a time before the start", "E_NUMBER", "times", n=3, inputs=at(path(3), -1)),
    refused("infinite", "a time without end", "E_NUMBER", "times", n=3, inputs=at(path(3), float("inf"))),
]  # fmt: skip

# numbers that the cases of a format have only once
CASES += in_formats(
    CASES,
    float16="late-f32",
    bfloat16="late-f32",
)
