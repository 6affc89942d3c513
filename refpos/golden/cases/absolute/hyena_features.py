"""Golden cases of Hyena's positional features."""

from ...case import fraction, paper, project, suite
from ...telling_inputs import DTYPES, SHORT, narrow
from .._formats import in_formats

value, refused = suite("hyena_features", paper("Poli et al. 2023, Hyena Hierarchy, arXiv:2302.10866, appendix D.3"))
SAFARI = project("HazyResearch/safari", "c1b5c7bcaceaf556e5b0327733a85079ec9fc431", "src/models/sequence/hyena.py",
                 "PositionalEmbedding")
FLAGS = ("SineCosineOrder",)

CASES = [
    *[
        value(f"{length}x{dim}-{SHORT[dtype]}", f"{length} positions, {dim} features, {dtype}", length=length, dim=dim,
              dtype=dtype, flags=(*FLAGS, *narrow(dtype)), source=SAFARI)
        for length, dim in ((8, 5), (11, 9)) for dtype in DTYPES
    ],
    value("hyena-33", "33 features: 16 bands, as safari's language models have them", length=24, dim=33, flags=FLAGS,
          source=SAFARI),
    value("hyena-64x65-f32", "65 features", length=16, dim=65, dtype="float32", flags=FLAGS, source=SAFARI),
    value("one-band", "one band is the lowest: 1e-4 of a turn at the end", length=10, dim=3, flags=FLAGS,
          source=SAFARI),
    value("one-position", "one position: time 0", length=1, dim=7, flags=FLAGS),
    value("two-positions", "times 0 and 1", length=2, dim=5, flags=FLAGS),
    value("low-whole", "whole bands: quarters and twelfths of turns are exact", length=12, dim=9, low=0, flags=FLAGS),
    value("low-fraction", "bands from 1/10000 exactly", length=12, dim=7, low=fraction(1, 10000), flags=FLAGS),
    value("no-positions", "no positions", length=0, dim=5, flags=FLAGS),
    refused("dim-even", "an even width", "E_ODD_DIM", "dim", length=4, dim=6),
    refused("dim-one", "time alone", "E_ODD_DIM", "dim", length=4, dim=1),
    refused("low-negative", "a negative band", "E_NUMBER", "low", length=4, dim=5, low=-1),
    refused("length-float", "a length that is not an integer", "E_SIZE", "length", length=4.5, dim=5),
]

# the same in other formats
CASES += in_formats(
    CASES,
    float32="low-whole",
    float16="low-whole",
    bfloat16="low-whole",
)
