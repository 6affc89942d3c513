"""Golden cases of the eigenvectors of graphs."""

from ...case import paper, project, suite
from ...telling_inputs import DTYPES, SHORT, narrow
from .._absolute import tables
from .._formats import in_formats
from .._graphs import CAFFEINE, TREE, bipartite, both, cells, complete, cycle, drawn, path, star, tensor

value, refused = suite(
    "laplacian_positions", paper("Dwivedi et al. 2020, Benchmarking Graph Neural Networks, arXiv:2003.00982")
)
GNNS = project("graphdeeplearning/benchmarking-gnns", "b6c4077", "data/molecules.py", "positional_encoding")
GPS = project("rampasek/GraphGPS", "2801570", "graphgps/transform/posenc_stats.py", "get_lap_decomp_stats")
FIRST = {"laplacian": "sym", "loops": "keep", "skip_first": True, "pad": "zeros", "normaliser": None}
SECOND = {"laplacian": "sym", "loops": "drop", "skip_first": False, "pad": "nan", "normaliser": "L2"}
NORMALISERS = ("L1", "abs-max", "wavelength", "wavelength-asin", "wavelength-soft")

CASES = [
    *[
        value(f"gnns-molecule-{SHORT[dtype]}", f"the rings of a molecule, {dtype}", n=14, k=8, dtype=dtype,
              inputs=both(CAFFEINE), source=GNNS, flags=narrow(dtype), **FIRST)
        for dtype in DTYPES
    ],
    *[
        value(f"gps-{normaliser.lower()}-f64", f"a drawn graph, {normaliser}", n=12, k=6, dtype="float64", source=GPS,
              inputs=both(drawn(12, 18, 7)), **{**SECOND, "normaliser": normaliser})
        for normaliser in NORMALISERS
    ],
    *[
        value(f"gps-{laplacian}-f64", f"loops, an edge twice and a node without edges, {laplacian}", n=9, k=9,
              dtype="float64", source=GPS, inputs=both([*TREE, (3, 3), (0, 1), (5, 5)]),
              **{**SECOND, "laplacian": laplacian})
        for laplacian in ("none", "sym", "rw", "rw-lower")
    ],
    *[
        value(f"gnns-{laplacian}-loops-f64", f"the same with its loops, {laplacian}", n=9, k=5, dtype="float64",
              inputs=both([*TREE, (3, 3), (0, 1), (5, 5)]), source=GNNS, **{**FIRST, "laplacian": laplacian})
        for laplacian in ("sym", "rw", "rw-lower")
    ],
    value("path-f64", "a path: single eigenvalues, exact zeros", n=7, k=6, dtype="float64", inputs=both(path(7)),
          **{**FIRST, "laplacian": "none"}),
    value("cycle-f64", "a cycle: double eigenvalues", n=8, k=7, dtype="float64", inputs=both(cycle(8)), **FIRST),
    value("cycle-cut-f64", "k between the two vectors of an eigenvalue", n=9, k=3, dtype="float64",
          inputs=both(cycle(9)), **FIRST),
    value("star-f64", "a star: all leaves alike", n=7, k=7, dtype="float64", inputs=both(star(6)), **SECOND),
    value("complete-f64", "K5: one eigenvalue four times", n=5, k=5, dtype="float64", inputs=both(complete(5)),
          **SECOND),
    value("bipartite-f64", "K3,4: eigenvalue 2 of the signs of both sides", n=7, k=7, dtype="float64",
          inputs=both(bipartite(3, 4)), **SECOND),
    value("grid-f32", "a grid of 3 x 4 cells", n=12, k=8, dtype="float32", inputs=both(cells(3, 4)), **FIRST),
    value("square-grid-f64", "a grid whose sides are equal: double eigenvalues", n=9, k=8, dtype="float64",
          inputs=both(cells(3, 3)), **{**SECOND, "laplacian": "none"}),
    value("two-parts-f64", "two parts: eigenvalue 0 twice, of which the first is skipped", n=9, k=4, dtype="float64",
          inputs=both([*cycle(5), *path(4, 5)]), **FIRST),
    value("alike-parts-f64", "two parts that are alike: every eigenvalue twice", n=8, k=8, dtype="float64",
          inputs=both([*path(4), *path(4, 4)]), **SECOND),
    value("mixed-parts-f64", "two paths whose nodes take turns", n=8, k=8, dtype="float64",
          inputs=both([(0, 2), (2, 4), (4, 6), (1, 3), (3, 5), (5, 7)]), **SECOND),
    value("short-zeros-f64", "fewer nodes than columns: zeros", n=3, k=6, dtype="float64", inputs=both(path(3)),
          source=GNNS, **FIRST),
    value("short-nan-f32", "fewer nodes than columns: NaN", n=3, k=6, dtype="float32", inputs=both(path(3)),
          source=GPS, **SECOND),
    value("isolated-f64", "no edges at all", n=4, k=4, dtype="float64", inputs=tensor([]), **SECOND),
    value("isolated-none-f64", "no edges at all, all eigenvalues 0", n=3, k=3, dtype="float64", inputs=tensor([]),
          **{**SECOND, "laplacian": "none", "normaliser": "wavelength"}),
    value("one-node", "one node, whose only column is skipped", n=1, k=2, dtype="float64", inputs=tensor([]), **FIRST),
    value("one-column", "one column", n=4, k=1, dtype="float64", inputs=both(path(4)), **SECOND),
    value("empty", "no nodes", n=0, k=3, dtype="float32", inputs=tensor([]), **FIRST),
    *tables("laplacian_positions", value),
    refused("one-way", "an edge without its other direction", "E_POSITION", "edges", n=3, k=2, inputs=tensor(path(3)),
            **FIRST),
    refused("twice-one-way", "an edge twice, its other direction once", "E_POSITION", "edges", n=3, k=2,
            inputs=tensor([(0, 1), (0, 1), (1, 0)]), **FIRST),
    refused("node", "an edge to a node that is not there", "E_POSITION", "edges", n=3, k=2, inputs=both(path(4)),
            **FIRST),
    refused("laplacian", "a Laplacian without a name", "E_CHOICE", "laplacian", n=3, k=2, inputs=both(path(3)),
            **{**FIRST, "laplacian": "symmetric"}),
    refused("normaliser", "a normaliser without a name", "E_CHOICE", "normaliser", n=3, k=2, inputs=both(path(3)),
            **{**FIRST, "normaliser": "l2"}),
]  # fmt: skip

# the same in other formats
CASES += in_formats(
    CASES,
    float64="short-nan-f32",
    float32="""
        gps-l1-f64 gps-abs-max-f64 gps-wavelength-f64 gps-wavelength-asin-f64 gps-wavelength-soft-f64
        gnns-rw-loops-f64 path-f64 gnns-rw-lower-loops-f64 one-node
    """,
    float16="""
        gps-rw-f64 gps-l1-f64 gps-abs-max-f64 gps-wavelength-f64 gps-wavelength-asin-f64 gps-wavelength-soft-f64
        gnns-rw-lower-loops-f64 path-f64 one-node short-nan-f32
    """,
    bfloat16="""
        gps-rw-f64 gps-l1-f64 gps-abs-max-f64 gps-wavelength-f64 gps-wavelength-asin-f64 gps-wavelength-soft-f64
        gnns-rw-lower-loops-f64 path-f64 one-node short-nan-f32
    """,
)
