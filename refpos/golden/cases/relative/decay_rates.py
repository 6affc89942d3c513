"""Golden cases of the rates of decay."""

from ...case import fraction, paper, project, suite
from ...telling_inputs import SHORT, narrow
from .._formats import in_formats

value, refused = suite("decay_rates", paper("Qin et al. 2024, Lightning Attention-2, arXiv:2401.04658"))
MINIMAX = project("transformers", "5.23.0", "models/minimax/modeling_minimax.py",
                  "MiniMaxLightningAttention.get_slope_rate")
RETNET = paper("Sun et al. 2023, RetNet, arXiv:2307.08621, section 2.2")

CASES = [
    *[
        value(f"lightning-{heads}-{layer}-of-{layers}-{SHORT[dtype]}", f"{heads} heads, layer {layer} of {layers}",
              num_heads=heads, rule="lightning", layer=layer, layers=layers, dtype=dtype, source=MINIMAX,
              flags=(*narrow(dtype), *(("SlopeNonPowerOfTwo",) if heads & heads - 1 else ())))
        for heads, layer, layers, dtype in (
            (8, 0, 4, "float64"), (8, 3, 4, "float64"), (12, 1, 4, "float32"), (12, 3, 4, "float32"),
            (6, 0, 1, "float64"), (64, 0, 80, "float32"), (64, 79, 80, "float32"), (5, 40, 80, "bfloat16"),
            (4, 79, 80, "float16"), (1, 1, 2, "float64"), (40, 7, 9, "bfloat16"),
        )
    ],
    value("lightning-eps-fraction", "eps 1/1000 exactly", num_heads=3, rule="lightning", layer=2, layers=3,
          eps=fraction(1, 1000), flags=("SlopeNonPowerOfTwo",)),
    *[
        value(f"retnet-{heads}-{SHORT[dtype]}", f"{heads} heads of RetNet, {dtype}", num_heads=heads, rule="retnet",
              dtype=dtype, source=RETNET, flags=("OffByOne", *narrow(dtype)))
        for heads, dtype in ((3, "float64"), (8, "float64"), (16, "float32"), (8, "bfloat16"), (10, "float16"),
                             (60, "float64"))
    ],
    refused("layer-missing", "lightning attention without its layer", "E_SIZE", "layer", num_heads=4,
            rule="lightning", layers=2),
    refused("layer-beyond", "a layer after the last", "E_SIZE", "layer", num_heads=4, rule="lightning", layer=2,
            layers=2),
    refused("retnet-layer", "RetNet with a layer", "E_CHOICE", "layer", num_heads=4, rule="retnet", layer=0),
    refused("rule", "an unknown rule", "E_CHOICE", "rule", num_heads=4, rule="alibi"),
    refused("eps-zero", "eps 0", "E_NUMBER", "eps", num_heads=4, rule="lightning", layer=0, layers=2, eps=0),
    refused("heads-many", "more heads than are made one by one", "E_SIZE", "num_heads", num_heads=2**13,
            rule="retnet"),
]

# the same in other formats
CASES += in_formats(
    CASES,
    float64="lightning-5-40-of-80-bf16",
    float32="lightning-eps-fraction",
    float16="lightning-eps-fraction",
    bfloat16="lightning-eps-fraction",
)
