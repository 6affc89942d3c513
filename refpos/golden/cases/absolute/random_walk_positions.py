"""Golden cases of random walks on graphs."""

from ...case import listed, paper, project, suite
from ...telling_inputs import DTYPES, SHORT, narrow
from .._formats import in_formats
from .._graphs import CAFFEINE, TREE, bipartite, both, cells, complete, cycle, drawn, path, star, tensor

value, refused = suite("random_walk_positions", paper("Dwivedi et al. 2022, arXiv:2110.07875, section 3.2"))
GPS = project("rampasek/GraphGPS", "2801570", "graphgps/transform/posenc_stats.py", "get_rw_landing_probs")

CASES = [
    *[
        value(f"molecule-16-{SHORT[dtype]}", f"16 steps on the rings of a molecule, {dtype}", n=14, steps=16,
              dtype=dtype, inputs=both(CAFFEINE), source=GPS, flags=narrow(dtype))
        for dtype in DTYPES
    ],
    *[
        value(f"dim-{dim}-{SHORT[dtype]}", f"times k^({dim}/2), {dtype}", n=10, steps=9, space_dim=dim, dtype=dtype,
              inputs=both(drawn(10, 20, 3)), source=GPS, flags=narrow(dtype))
        for dim, dtype in ((1, "float64"), (2, "float32"), (3, "bfloat16"), (7, "float16"))
    ],
    value("path-f64", "a path: never back after odd steps", n=6, steps=7, dtype="float64", inputs=both(path(6))),
    value("bipartite-f64", "K3,4: never back after odd steps", n=7, steps=6, dtype="float64",
          inputs=both(bipartite(3, 4))),
    value("cycle-f64", "an odd cycle: back after 5 steps at first", n=5, steps=8, dtype="float64",
          inputs=both(cycle(5))),
    value("star-f64", "a star: the middle is back every other step", n=6, steps=5, dtype="float64",
          inputs=both(star(5))),
    value("complete-f32", "K5", n=5, steps=12, dtype="float32", inputs=both(complete(5))),
    value("grid-f64", "a grid of 3 x 4 cells", n=12, steps=8, space_dim=2, dtype="float64", inputs=both(cells(3, 4))),
    value("loops-f64", "loops are steps, and a repeated edge is taken twice as often", n=9, steps=6, dtype="float64",
          inputs=both([*TREE, (3, 3), (0, 1), (8, 8)])),
    value("directed-f64", "a directed graph: degrees of edges that leave", n=8, steps=8, dtype="float64",
          inputs=tensor(drawn(8, 16, 5, directed=True))),
    value("one-way-f64", "a path in one direction ends", n=4, steps=3, dtype="float64", inputs=tensor(path(4))),
    value("round-f64", "a cycle in one direction: back after every fifth step", n=5, steps=10, dtype="float64",
          inputs=tensor(cycle(5))),
    value("listed-f64", "steps in another order, 0 among them", n=6, dtype="float64", space_dim=0,
          inputs={**both(path(6)), "steps": listed([4, 0, 1, 12, 4])}),
    value("listed-dim-f64", "0 steps times 0^(1/2)", n=6, dtype="float64", space_dim=1,
          inputs={**both(cycle(6)), "steps": listed([0, 2, 9])}),
    value("many-f32", "100 steps", n=5, dtype="float32", inputs={**both(drawn(5, 40, 2)), "steps": listed([64, 100])}),
    value("isolated", "no edges", n=3, steps=4, dtype="float64", inputs=tensor([])),
    value("empty", "no nodes", n=0, steps=4, dtype="float32", inputs=tensor([])),
    refused("node", "an edge to a node that is not there", "E_POSITION", "edges", n=3, steps=2, inputs=both(path(4))),
    refused("steps", "fewer than no steps", "E_SIZE", "steps", n=3, steps=-1, inputs=both(path(3))),
    refused("space-dim", "a space of dimension -1", "E_SIZE", "space_dim", n=3, steps=2, space_dim=-1,
            inputs=both(path(3))),
]  # fmt: skip

# the same in other formats
CASES += in_formats(
    CASES,
    float16="many-f32",
    bfloat16="many-f32",
)
