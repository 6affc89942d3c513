"""Golden cases of the matrix that moves a row of the sinusoidal table."""

from ...case import fraction, paper, project, suite
from ...telling_inputs import DTYPES, SHORT, narrow
from .._formats import in_formats

PAPER = paper("Vaswani et al. 2017, Attention Is All You Need, arXiv:1706.03762, section 3.5")
LAYOUTS = {"interleaved": "InterleavedVsHalf", "sin-cos": "InterleavedVsHalf", "cos-sin": "SineCosineOrder"}
value, refused = suite("shift_matrix", PAPER)

CASES = [
    *[
        value(f"{layout}-{SHORT[dtype]}", f"5 tokens on, layout {layout}, {dtype}", offset=5, dim=8, layout=layout,
              dtype=dtype, flags=(LAYOUTS[layout], "NarrowAngle", *narrow(dtype)))
        for layout in LAYOUTS for dtype in DTYPES
    ],
    *[
        value(f"back-3-{layout}", f"3 tokens back: the sign of the sines, layout {layout}", offset=-3, dim=6,
              layout=layout, flags=("Inverse", LAYOUTS[layout]))
        for layout in LAYOUTS
    ],
    value("none", "by no token: the matrix that changes nothing", offset=0, dim=6),
    value("dim-2", "the rotation of one pair", offset=1, dim=2, flags=("Inverse",)),
    value("half", "half a token on", offset=0.5, dim=4, dtype="float32", flags=("FractionalPosition",)),
    value("third", "a third of a token back", offset=fraction(-1, 3), dim=4, flags=("FractionalPosition",)),
    value("far", "2**31 + 1 tokens on", offset=2**31 + 1, dim=8, dtype="float32",
          flags=("LargeArgument", "LongContextInteger")),
    value("farthest", "as far as float64 goes", offset=1.7976931348623157e308, dim=4, flags=("LargeArgument",)),
    value("tiny", "by so little that sines are subnormal", offset=5e-324, dim=4, flags=("Subnormal",)),
    value("base-million", "base 1000000", offset=7, dim=10, base=1000000, dtype="float32", flags=("Base",)),
    value("whisper", "Whisper: 50 frames, a second, with endpoint", offset=50, dim=12, layout="sin-cos",
          endpoint=True, dtype="float32", flags=("Endpoint",),
          source=project("transformers", "5.23.0", "models/whisper/modeling_whisper.py", "sinusoids")),
    value("musicgen", "MusicGen: one step, cosines first, with endpoint", offset=1, dim=12, layout="cos-sin",
          endpoint=True, dtype="bfloat16", flags=("Endpoint", "SineCosineOrder", "DoubleRounding"),
          source=project("transformers", "5.23.0", "models/musicgen/modeling_musicgen.py")),
    refused("odd", "an odd width has a sine without a cosine", "E_ODD_DIM", "dim", offset=1, dim=5),
    refused("dim-zero", "no width", "E_ODD_DIM", "dim", offset=1, dim=0),
    refused("offset-nan", "an offset that is NaN", "E_NUMBER", "offset", offset=float("nan"), dim=4),
    refused("offset-infinite", "an infinite offset", "E_NUMBER", "offset", offset=float("inf"), dim=4),
    refused("base", "base 0", "E_BASE", "base", offset=1, dim=4, base=0),
    refused("layout", "an unknown layout", "E_CHOICE", "layout", offset=1, dim=4, layout="half"),
]

# the same in other formats
CASES += in_formats(
    CASES,
    float64="base-million whisper",
    float16="base-million whisper",
    bfloat16="base-million",
)
