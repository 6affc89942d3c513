"""Golden cases of the edges on paths."""

from ...case import counting, listed, paper, project, suite
from .._graphs import CAFFEINE, TREE, both, cells, complete, cycle, drawn, path, tensor

value, refused = suite("path_edge_rows", paper("Ying et al. 2021, Graphormer, arXiv:2106.05234, section 3.1.3"))
GRAPHORMER = project("microsoft/Graphormer", "ac154fe", "graphormer/data/algos.pyx", "gen_edge_input")


def numbered(edges, features=1):
    """Edges whose attributes all differ."""
    count = edges["edges"].shape[0]
    numbers = listed([11 * edge + feature for edge in range(count) for feature in range(features)],
                     shape=(count, features))  # fmt: skip
    return {**edges, "attributes": numbers}


CASES = [
    value("molecule", "the rings of a molecule, paths of 5 edges at most", n=14, hops=5, source=GRAPHORMER,
          inputs=numbered(both(CAFFEINE))),
    value("features", "three attributes of each edge", n=5, hops=4, source=GRAPHORMER,
          inputs=numbered(both(path(5)), 3)),
    value("cycle", "an even cycle: of two ways the one whose middle comes first", n=6, hops=3,
          inputs=numbered(both(cycle(6)))),
    value("grid", "a grid, where many paths are as short", n=9, hops=4, inputs=numbered(both(cells(3, 3)))),
    value("drawn", "a drawn graph", n=10, hops=5, inputs=numbered(both(drawn(10, 16, 3)))),
    value("directed", "a directed graph", n=9, hops=6, inputs=numbered(tensor(drawn(9, 10, 5, directed=True)))),
    value("one-way", "a path in one direction", n=4, hops=3, inputs=numbered(tensor(path(4)))),
    value("five-hops", "a path longer than what is read", n=8, hops=5, inputs=numbered(both(path(8)))),
    value("one-hop", "only the first edge", n=6, hops=1, inputs=numbered(both(TREE[:5]))),
    value("offset", "features 10 rows apart", n=4, hops=2, offset=10, inputs=numbered(both(path(4)), 2)),
    value("flat", "one attribute, without an axis of its own", n=4, hops=2,
          inputs={**both(path(4)), "attributes": counting(0, 6)}),
    value("repeated", "of a repeated edge the last counts", n=3, hops=2,
          inputs=numbered(tensor([(0, 1), (1, 2), (0, 1)]))),
    value("loops", "loops are on no shortest path", n=3, hops=2, inputs=numbered(both([(0, 1), (1, 1), (1, 2)]))),
    value("complete", "K4: every path is one edge", n=4, hops=3, inputs=numbered(both(complete(4)))),
    value("parts", "two components and a node without edges", n=6, hops=2,
          inputs=numbered(both([*path(3), *path(2, 3)]))),
    value("isolated", "no edges", n=2, hops=2, inputs=numbered(tensor([]))),
    value("empty", "no nodes", n=0, hops=2, inputs=numbered(tensor([]))),
    refused("attributes", "fewer attributes than edges", "E_SHAPE", "attributes", n=3, hops=2,
            inputs={**both(path(3)), "attributes": counting(0, 2)}),
    refused("negative", "an attribute below 0", "E_POSITION", "attributes", n=2, hops=2,
            inputs={**tensor([(0, 1)]), "attributes": listed([-1])}),
    refused("hops", "no hops", "E_SIZE", "hops", n=2, hops=0, inputs=numbered(tensor([(0, 1)]))),
]  # fmt: skip
