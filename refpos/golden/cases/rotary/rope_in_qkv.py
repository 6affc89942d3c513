"""Golden cases of the rotation inside a packed buffer: what is no query and no key is compared as well."""

from ...case import call, listed, paper, project, scattered, suite
from ...telling_inputs import DTYPES, SHORT, narrow
from .._formats import in_formats

value, refused = suite("rope_in_qkv", paper("Su et al. 2021, RoFormer, arXiv:2104.09864, section 3.4.2"))
FLASH = project("Dao-AILab/flash-attention", "2.8.3", "flash_attn/layers/rotary.py", "apply_rotary_emb_qkv_")
MEGATRON = project("NVIDIA/Megatron-LM", "core_v0.14.0", "megatron/core/transformer/attention.py", "SelfAttention")
FLAGS = ("InterleavedVsHalf", "HeadAxis")
PLACES = (0, 1, 4097, 131071)


def packed(heads, dim, seed, dtype="float32", tokens=4, lead=()):
    """Rows of so many heads as an input tensor."""
    return {"x": scattered(dtype, (*lead, tokens, heads * dim), seed)}


def at(*places):
    return {"positions": listed(places)}


CASES = [
    *[
        value(f"{fusion}-{pairing}-{SHORT[dtype]}", f"4 query and 2 key-value heads, {fusion}, {dtype}", num_heads=4,
              num_kv_heads=2, fusion=fusion, pairing=pairing, inputs={**packed(8, 8, 740 + k, dtype), **at(*PLACES)},
              flags=(*FLAGS, "LongContextInteger", *narrow(dtype)))
        for k, (fusion, pairing, dtype) in enumerate(
            (f, p, d) for f, p in (("concatenated", "half"), ("grouped", "interleaved")) for d in DTYPES)
    ],
    *[
        value(f"partial-{SHORT[dtype]}", f"4 of 6 channels are rotated, {dtype}", num_heads=2, num_kv_heads=1,
              fusion="grouped", pairing="half", rotary_dim=4, base=500000, flags=(*FLAGS, "PartialRotary", "Base"),
              inputs={**packed(4, 6, 750 + k, dtype, 3), **at(5, 2, 65537)})
        for k, dtype in enumerate(DTYPES)
    ],
    *[
        value(f"inverse-{SHORT[dtype]}", f"rotated back, {dtype}", num_heads=2, num_kv_heads=2, fusion="concatenated",
              pairing="interleaved", inverse=True, flags=(*FLAGS, "Inverse"),
              inputs={**packed(6, 4, 755 + k, dtype, 3), **at(1, 2, 3)})
        for k, dtype in enumerate(DTYPES)
    ],
    value("flash-attention", "qkv of flash-attention, (batch, seq, 3, heads, dim)", num_heads=2, fusion="concatenated",
          pairing="half", positions=3, inputs=packed(6, 16, 760, "bfloat16", 3, (2,)), flags=FLAGS, source=FLASH),
    value("megatron", "q, k and v of each group, and one sequence after the other", num_heads=4, num_kv_heads=2,
          fusion="grouped", pairing="half", inputs={**packed(8, 8, 761, "bfloat16", 5), **at(0, 1, 2, 0, 1)},
          flags=(*FLAGS, "PackedSequence"), source=MEGATRON),
    *[
        value(f"one-key-head-{SHORT[dtype]}", f"one key-value head for all, {dtype}", num_heads=3, num_kv_heads=1,
              fusion="concatenated", pairing="half", inputs={**packed(5, 4, 762 + k, dtype, 2), **at(7, 4096)},
              flags=FLAGS)
        for k, dtype in enumerate(DTYPES)
    ],
    *[
        value(f"scaled-{SHORT[dtype]}", f"scaled frequencies, {dtype}", num_heads=2, num_kv_heads=1,
              fusion="concatenated", pairing="half", flags=(*FLAGS, "Scaling"),
              inputs={**packed(4, 8, 766 + k, dtype, 2), **at(3, 8191)},
              frequencies=call("linear", dim=8, factor=4, base=10000))
        for k, dtype in enumerate(DTYPES)
    ],
    *[
        value(f"batch-{SHORT[dtype]}", f"positions of each row, {dtype}", num_heads=2, fusion="grouped", pairing="half",
              inputs={**packed(6, 4, 770 + k, dtype, 2, (2,)), "positions": listed((0, 1, 9, 4095), shape=(2, 2))},
              flags=FLAGS)
        for k, dtype in enumerate(DTYPES)
    ],
    *[
        value(f"two-axes-{SHORT[dtype]}", f"positions on two axes, a block of channels each, {dtype}", num_heads=1,
              fusion="grouped",
              pairing="block-half", frequencies=call("axial_frequencies", widths=[4, 4], base=100),
              inputs={**packed(3, 8, 780 + k, dtype, 3), "positions": listed((0, 3, 2, 1, 65, 7), shape=(2, 3))},
              flags=(*FLAGS, "AxisOrder"))
        for k, dtype in enumerate(DTYPES)
    ],
    *[
        value(f"two-axes-half-{SHORT[dtype]}", f"positions on two axes, each with half of the pairs, {dtype}",
              num_heads=1, fusion="grouped",
              pairing="half", frequencies=call("axial_frequencies", widths=[4, 4], base=100),
              inputs={**packed(3, 8, 790 + k, dtype, 3), "positions": listed((0, 3, 2, 1, 65, 7), shape=(2, 3))},
              flags=(*FLAGS, "AxisOrder"))
        for k, dtype in enumerate(DTYPES)
    ],
    *[
        value(f"two-channels-{SHORT[dtype]}", f"2 of 4 channels are rotated, {dtype}", num_heads=1,
              fusion="grouped",
              pairing="half", rotary_dim=2, inputs={**packed(3, 4, 784 + k, dtype, 2), **at(1, 300)},
              flags=(*FLAGS, "PartialRotary"))
        for k, dtype in enumerate(DTYPES)
    ],
    value("values", "values are copied: zeros of both signs, subnormal numbers, infinity", num_heads=1,
          fusion="concatenated", pairing="half", flags=(*FLAGS, "Subnormal"),
          inputs={"x": listed((1.0, 2.0, -1.0, 0.5, -0.0, float("inf"), 1.0, 2.0, 3.0, 4.0, 2.0**-149, 0.0), "float32",
                              (2, 6)), **at(1, 2)}),
    value("empty", "no tokens", num_heads=2, fusion="grouped", pairing="half", positions=0,
          inputs=packed(6, 4, 775, tokens=0), flags=FLAGS),
    refused("width", "a row of 7 heads and a half", "E_SHAPE", "x", num_heads=4, num_kv_heads=2, fusion="grouped",
            pairing="half", positions=2, inputs={"x": scattered("float32", (2, 60), 1)}),
    refused("heads", "heads that the key-value heads do not divide", "E_SIZE", "num_kv_heads", num_heads=4,
            num_kv_heads=3, fusion="grouped", pairing="half", positions=2, inputs=packed(10, 4, 1, tokens=2)),
    refused("fusion", "an unknown layout", "E_CHOICE", "fusion", num_heads=1, fusion="interleaved", pairing="half",
            positions=2, inputs=packed(3, 4, 1, tokens=2)),
    refused("odd", "heads of 3 channels", "E_ODD_DIM", "dim", num_heads=1, fusion="grouped", pairing="half",
            positions=2, inputs=packed(3, 3, 1, tokens=2)),
    refused("positions", "three positions for two tokens", "E_SHAPE", "positions", num_heads=1, fusion="grouped",
            pairing="half", inputs={**packed(3, 4, 1, tokens=2), **at(0, 1, 2)}),
]  # fmt: skip
CASES += in_formats(CASES, float64="values")
