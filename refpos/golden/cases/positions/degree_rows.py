"""Golden cases of degrees in graphs."""

from ...case import paper, project, suite
from .._graphs import CAFFEINE, TREE, both, cells, complete, drawn, path, star, tensor

value, refused = suite("degree_rows", paper("Ying et al. 2021, Graphormer, arXiv:2106.05234, section 3.1.1"))
GRAPHORMER = project("microsoft/Graphormer", "ac154fe", "graphormer/data/wrapper.py", "preprocess_item")
GPS = project("rampasek/GraphGPS", "2801570", "graphgps/encoder/graphormer_encoder.py", "graphormer_pre_processing")
OUT = {"direction": "out", "offset": 1, "source": GRAPHORMER}

CASES = [
    value("molecule", "the rings of a molecule", n=14, inputs=both(CAFFEINE), **OUT),
    value("star", "a star", n=6, inputs=both(star(5)), **OUT),
    value("complete", "K5", n=5, inputs=both(complete(5)), **OUT),
    value("grid", "a grid of 3 x 4 cells", n=12, inputs=both(cells(3, 4)), **OUT),
    value("loops", "a loop counts, a repeated edge counts once", n=8, inputs=both([*TREE, (3, 3), (0, 1)]), **OUT),
    value("padded", "row 0 beyond the nodes", n=4, padded=6, inputs=both(path(4)), flags=("OffByOne",), **OUT),
    *[
        value(f"directed-{direction}", f"a directed graph, {direction}", n=9, direction=direction, offset=0,
              inputs=tensor(drawn(9, 14, 5, directed=True)), source=GPS)
        for direction in ("in", "out")
    ],
    *[
        value(f"one-way-{direction}", f"a path in one direction, {direction}", n=4, direction=direction, offset=0,
              inputs=tensor(path(4)), source=GPS)
        for direction in ("in", "out")
    ],
    value("parts", "two components and a node without edges", n=8, inputs=both([*path(3), *path(4, 3)]), **OUT),
    value("isolated", "no edges", n=3, inputs=tensor([]), **OUT),
    value("empty", "no nodes", n=0, inputs=tensor([]), **OUT),
    refused("direction", "neither direction", "E_CHOICE", "direction", n=2, direction="both", offset=0,
            inputs=tensor([])),
    refused("padded", "fewer than there are nodes", "E_SIZE", "padded", n=4, padded=3, direction="in", offset=1,
            inputs=tensor([])),
]  # fmt: skip
