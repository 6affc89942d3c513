"""Golden cases of the eigenvalues of graphs."""

from ...case import paper, project, suite
from ...telling_inputs import DTYPES, SHORT, narrow
from .._formats import in_formats
from .._graphs import CAFFEINE, TREE, bipartite, both, cells, complete, cycle, drawn, path, star, tensor

value, refused = suite(
    "laplacian_values", paper("Kreuzer et al. 2021, Spectral Attention, arXiv:2106.03893, section 3")
)  # fmt: skip
GPS = project("rampasek/GraphGPS", "2801570", "graphgps/transform/posenc_stats.py", "get_lap_decomp_stats")
SYM = {"laplacian": "sym", "loops": "drop", "skip_first": False, "pad": "nan"}
NONE = {**SYM, "laplacian": "none"}
LOOPS = [*TREE, (3, 3), (0, 1), (5, 5)]

CASES = [
    *[
        value(f"molecule-{SHORT[dtype]}", f"the rings of a molecule, {dtype}", n=14, k=10, dtype=dtype, source=GPS,
              inputs=both(CAFFEINE), flags=narrow(dtype), **SYM)
        for dtype in DTYPES
    ],
    *[
        value(f"{laplacian}-f64", f"loops, an edge twice and a node without edges, {laplacian}", n=9, k=9,
              dtype="float64", inputs=both(LOOPS), **{**SYM, "laplacian": laplacian})
        for laplacian in ("none", "sym", "rw", "rw-lower")
    ],
    value("sym-loops-f64", "the same with its loops", n=9, k=9, dtype="float64", inputs=both(LOOPS),
          **{**SYM, "loops": "keep"}),
    value("rw-lower-loops-f64", "a triangle of rw, with loops", n=9, k=9, dtype="float64", inputs=both(LOOPS),
          **{**SYM, "loops": "keep", "laplacian": "rw-lower"}),
    value("path-f64", "a path", n=7, k=7, dtype="float64", inputs=both(path(7)), **NONE),
    value("cycle-f64", "a cycle: pairs of equal eigenvalues", n=9, k=9, dtype="float64", inputs=both(cycle(9)), **NONE),
    value("star-f64", "a star: 0, 1 five times, 7", n=7, k=7, dtype="float64", inputs=both(star(6)), **NONE),
    value("complete-f64", "K5: 0, 5 four times", n=5, k=5, dtype="float64", inputs=both(complete(5)), **NONE),
    value("bipartite-f64", "K3,4: 2 is the largest", n=7, k=7, dtype="float64", inputs=both(bipartite(3, 4)), **SYM),
    value("grid-f32", "a grid of 3 x 4 cells", n=12, k=12, dtype="float32", inputs=both(cells(3, 4)), **SYM),
    value("drawn-f64", "a drawn graph", n=12, k=6, dtype="float64", inputs=both(drawn(12, 18, 7)), **SYM),
    value("two-parts-f64", "two parts, the first 0 skipped", n=9, k=4, dtype="float64",
          inputs=both([*cycle(5), *path(4, 5)]), **{**SYM, "skip_first": True}),
    value("short-nan", "fewer nodes than columns: NaN", n=3, k=5, dtype="float64", inputs=both(path(3)), **SYM),
    value("short-zeros", "fewer nodes than columns: zeros", n=3, k=5, dtype="float32", inputs=both(path(3)),
          **{**SYM, "pad": "zeros"}),
    value("isolated", "no edges: 1 for sym", n=3, k=3, dtype="float64", inputs=tensor([]), **SYM),
    value("empty", "no nodes", n=0, k=2, dtype="float64", inputs=tensor([]), **SYM),
    refused("one-way", "an edge without its other direction", "E_POSITION", "edges", n=3, k=2, inputs=tensor(path(3)),
            **SYM),
    refused("pad", "a padding without a name", "E_CHOICE", "pad", n=3, k=2, inputs=both(path(3)),
            **{**SYM, "pad": "zero"}),
]  # fmt: skip

# the same in other formats
CASES += in_formats(
    CASES,
    float64="short-zeros",
    float32="rw-lower-f64 path-f64 rw-f64 empty two-parts-f64 sym-loops-f64",
    float16="rw-lower-f64 path-f64 rw-f64 empty short-zeros two-parts-f64 sym-loops-f64",
    bfloat16="rw-lower-f64 path-f64 rw-f64 empty short-zeros two-parts-f64 sym-loops-f64",
)
