"""Golden cases of NTK-aware scaling."""

from ...case import paper, project, suite
from ...telling_inputs import DTYPES, SHORT, narrow
from .._formats import in_formats

value, refused = suite("ntk", paper("Peng et al. 2023, YaRN, arXiv:2309.00071, section 3.1"))
DIFFUSERS = project("diffusers", "0.35.0", "models/embeddings.py", "get_1d_rotary_pos_embed")

CASES = [
    *[
        value(f"llama-2-{SHORT[dtype]}", f"Llama 2 stretched 4 times: width 128, {dtype}", dim=128, factor=4,
              dtype=dtype,
              flags=("Scaling", "Base", *narrow(dtype)))
        for dtype in DTYPES
    ],
    value("code-llama", "factor 8 on base 1000000, that of Code Llama", dim=128, base=1000000, factor=8,
          flags=("Scaling", "Base"), source=project("codellama/CodeLlama-34b-hf", "1", "config.json")),
    *[
        value(f"product-{SHORT[dtype]}", f"the base times the factor itself, {dtype}", dim=32, factor=1.5,
              rule="product",
              dtype=dtype, flags=("Scaling", "Base", *narrow(dtype)), source=DIFFUSERS)
        for dtype in ("float64", "float32")
    ],
    value("power-beside-product", "the same under the rule of the paper", dim=32, factor=1.5, flags=("Scaling",
          "Base")),
    value("dim-4", "the narrowest width: exponent 2", dim=4, factor=2, flags=("Scaling",)),
    value("dim-2-product", "width 2 under the rule product", dim=2, factor=2, rule="product", flags=("Scaling",)),
    value("factor-below-1", "factor 1/2: a smaller base", dim=16, factor=0.5, flags=("Scaling",)),
    value("rational", "base 8 and factor 4, width 6: powers of two from irrational powers", dim=6, base=8, factor=4,
          flags=("Scaling",)),
    value("factor-1", "factor 1 changes nothing", dim=16, factor=1, flags=("Scaling",)),
    refused("dim-2", "width 2, for which the exponent has no value", "E_SIZE", "dim", dim=2, factor=2),
    refused("dim-odd", "an odd width", "E_ODD_DIM", "dim", dim=5, factor=2),
    refused("factor-zero", "factor 0", "E_NUMBER", "factor", dim=8, factor=0),
    refused("rule", "an unknown rule", "E_CHOICE", "rule", dim=8, factor=2, rule="sum"),
]

# the same in other formats
CASES += in_formats(
    CASES,
    float32="rational",
    float16="rational product-f64",
    bfloat16="rational product-f64",
)
