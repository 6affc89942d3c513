"""Golden cases of electrostatic positions of graphs."""

from ...case import paper, project, suite
from ...telling_inputs import DTYPES, SHORT, narrow
from .._formats import in_formats
from .._graphs import CAFFEINE, TREE, bipartite, both, cells, complete, cycle, drawn, path, star, tensor

value, refused = suite("electrostatic_positions", paper("Rampasek et al. 2022, GraphGPS, arXiv:2205.12454, table 1"))
GPS = project(
    "rampasek/GraphGPS", "2801570", "graphgps/transform/posenc_stats.py", "get_electrostatic_function_encoding"
)

CASES = [
    *[
        value(f"molecule-{SHORT[dtype]}", f"the rings of a molecule, {dtype}", n=14, dtype=dtype, source=GPS,
              inputs=both(CAFFEINE), flags=narrow(dtype))
        for dtype in DTYPES
    ],
    value("two-nodes-f64", "two nodes", n=2, dtype="float64", inputs=both(path(2))),
    value("path-f64", "a path", n=6, dtype="float64", inputs=both(path(6))),
    value("cycle-f64", "a cycle: all nodes alike", n=7, dtype="float64", inputs=both(cycle(7))),
    value("star-f64", "a star", n=6, dtype="float64", inputs=both(star(5))),
    value("complete-f64", "K5", n=5, dtype="float64", inputs=both(complete(5))),
    value("bipartite-f32", "K3,4", n=7, dtype="float32", inputs=both(bipartite(3, 4))),
    value("grid-f64", "a grid of 3 x 4 cells", n=12, dtype="float64", inputs=both(cells(3, 4))),
    value("drawn-f64", "a drawn graph", n=12, dtype="float64", inputs=both(drawn(12, 14, 11))),
    value("tree-f16", "a tree", n=8, dtype="float16", inputs=both(TREE), flags=narrow("float16")),
    value("two-parts-f64", "two components", n=9, dtype="float64", inputs=both([*cycle(5), *path(4, 5)])),
    value("apart-f64", "a node without edges", n=5, dtype="float64", inputs=both(path(4))),
    value("loops-f64", "loops cancel, a repeated edge counts twice", n=8, dtype="float64",
          inputs=both([*TREE, (3, 3), (0, 1)])),
    value("one-node", "one node: deviations are NaN", n=1, dtype="float64", inputs=tensor([])),
    value("isolated", "no edges", n=3, dtype="float32", inputs=tensor([])),
    value("empty", "no nodes", n=0, dtype="float32", inputs=tensor([])),
    refused("one-way", "an edge without its other direction", "E_POSITION", "edges", n=3, inputs=tensor(path(3))),
    refused("nodes", "more nodes than are taken", "E_SIZE", "n", n=2049, inputs=tensor([])),
]  # fmt: skip

# numbers that the cases of a format have only once
CASES += in_formats(
    CASES,
    bfloat16="one-node",
)
