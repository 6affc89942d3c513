"""Golden cases of distances in graphs."""

from ...case import paper, project, suite
from .._graphs import CAFFEINE, TREE, both, cells, complete, cycle, drawn, path, tensor

value, refused = suite("spatial_rows", paper("Ying et al. 2021, Graphormer, arXiv:2106.05234, section 3.1.2"))
GRAPHORMER = project("microsoft/Graphormer", "ac154fe", "graphormer/data/algos.pyx", "floyd_warshall")
GPS = project("rampasek/GraphGPS", "2801570", "graphgps/encoder/graphormer_encoder.py", "graphormer_pre_processing")
FIRST = {"rule": "graphormer", "source": GRAPHORMER}
SECOND = {"rule": "graphgps", "source": GPS}

CASES = [
    value("molecule", "the rings of a molecule", n=14, inputs=both(CAFFEINE), **FIRST),
    value("path", "a path", n=6, inputs=both(path(6)), **FIRST),
    value("cycle", "a cycle: two ways round", n=8, inputs=both(cycle(8)), **FIRST),
    value("one-way", "a path in one direction: 511 back", n=5, inputs=tensor(path(5)), **FIRST),
    value("round", "a cycle in one direction", n=5, inputs=tensor(cycle(5)), **FIRST),
    value("directed", "a directed graph", n=9, inputs=tensor(drawn(9, 10, 5, directed=True)), **FIRST),
    value("parts", "two components and a node without edges", n=8, inputs=both([*path(3), *cycle(4, 3)]), **FIRST),
    value("loops", "loops and repeated edges change nothing", n=8, inputs=both([*TREE, (0, 0), (0, 1)]), **FIRST),
    value("padded", "row 0 beyond the nodes", n=4, padded=7, inputs=both(path(4)), flags=("OffByOne",), **FIRST),
    value("complete", "K4", n=4, inputs=both(complete(4)), **FIRST),
    value("grid", "a grid of 3 x 4 cells", n=12, inputs=both(cells(3, 4)), **FIRST),
    value("one-node", "one node", n=1, inputs=tensor([]), **FIRST),
    value("empty", "no nodes", n=0, inputs=tensor([]), **FIRST),
    *[
        value(f"gps-{distance}", f"cut at {distance} steps", n=9, distance=distance,
              inputs=both([*path(6), *path(3, 6)]), **SECOND)
        for distance in (1, 3, 5, 20)
    ],
    value("gps-directed", "a directed graph", n=9, distance=3, inputs=tensor(drawn(9, 10, 5, directed=True)),
          **SECOND),
    refused("distance", "a cut that Graphormer has not", "E_CHOICE", "distance", n=2, distance=3, inputs=tensor([]),
            rule="graphormer"),
    refused("padded", "fewer than there are nodes", "E_SIZE", "padded", n=4, padded=3, inputs=tensor([]),
            rule="graphormer"),
    refused("rule", "a rule without a name", "E_CHOICE", "rule", n=2, inputs=tensor([]), rule="floyd"),
    refused("node", "an edge from a node that is not there", "E_POSITION", "edges", n=2, inputs=tensor([(-1, 0)]),
            rule="graphormer"),
]  # fmt: skip
