"""Golden cases of rotations whose learned frequencies mix the axes."""

from ...case import call, fraction, grid, listed, paper, project, scattered, suite
from ...telling_inputs import SHORT, narrow
from .._formats import in_formats

value, refused = suite(
    "mixed_rope",
    paper("Heo et al. 2024, Rotary Position Embedding for Vision Transformer, arXiv:2403.13298, section 3.2"),
)
FLAGS = ("AxisOrder", "NonSquare", "HeadAxis", "InterleavedVsHalf")
ROPE_VIT = project("naver-ai/rope-vit", "ce85c2e", "deit/models_v2_rope.py")
MOCHI = project("huggingface/diffusers", "0.42.1", "models/transformers/transformer_mochi.py")
MOCHI_SCALE = project("genmoai/mochi", "0c86aeb", "src/genmo/mochi_preview/dit/joint_model/rope_mixed.py")
DTYPES = ("float64", "float32", "float16")


def tensors(tokens, heads, pairs, seed, *, axes=2, dtype="float32", weight="float32", spread=1):
    """The input tensors x (heads, tokens, channels) and weight (axes, heads, pairs)."""
    return {
        "x": scattered(dtype, (heads, tokens, 2 * pairs), seed),
        "weight": scattered(weight, (axes, heads, pairs), seed + 1, spread),
    }


CASES = [
    *[
        value(f"2x3-{pairing}-{SHORT[dtype]}", f"2 x 3 cells, 2 heads, {pairing}, {dtype}", positions=grid(2, 3),
              pairing=pairing, inputs=tensors(6, 2, 3, 800 + 2 * k, dtype=dtype), flags=(*FLAGS, *narrow(dtype)))
        for k, (pairing, dtype) in enumerate((p, d) for p in ("interleaved", "half") for d in DTYPES)
    ],
    *[
        value(f"2x3-{pairing}-bf16", f"2 x 3 cells, 2 heads, {pairing}, bfloat16", positions=grid(2, 3),
              pairing=pairing, inputs=tensors(6, 2, 3, seed, dtype="bfloat16"), flags=(*FLAGS, *narrow("bfloat16")))
        for pairing, seed in (("interleaved", 864), ("half", 866))
    ],
    *[
        value(f"weight-{SHORT[dtype]}", f"learned frequencies of {dtype}", positions=grid(2, 2), pairing="half",
              inputs=tensors(4, 1, 2, 820 + 2 * k, weight=dtype), flags=("AxisOrder", "NarrowAngle"))
        for k, dtype in enumerate(("float64", "float16"))
    ],
    value("rope-vit", "RoPE-Mixed of DeiT-S: 6 heads of 64 channels, interleaved", positions=grid(1, 2),
          pairing="interleaved", inputs=tensors(2, 6, 32, 830), flags=FLAGS, source=ROPE_VIT),
    value("mochi", "Mochi: three axes, as in its 24 heads of 128 channels, here 2 of 16", positions=grid(2, 1, 3),
          pairing="interleaved", inputs=tensors(6, 2, 8, 832, axes=3), flags=FLAGS, source=MOCHI),
    value("rope-vit-table", "RoPE-Mixed: pairs (1, 0), which turn into cosine and sine", positions=grid(2, 2),
          pairing="interleaved", inputs={**tensors(4, 2, 2, 862), "x": listed((1.0, 0.0) * 16, "float32", (2, 4, 4))},
          flags=FLAGS, source=ROPE_VIT),
    *[
        value(f"mochi-{height}x{width}-{SHORT[dtype]}", f"Mochi: {frames} frames of {height} x {width}, stretched by"
              f" sqrt(36864 / {height * width}), {dtype}", pairing="interleaved",
              positions=grid(frames, *(call("affine", size=n, start=fraction(1 - n, 2)) for n in (height, width))),
              squared_scale=[1, *[fraction(36864, height * width)] * 2],
              inputs=tensors(frames * height * width, 2, 4, seed, axes=3, dtype=dtype),
              flags=(*FLAGS, "FractionalPosition", *narrow(dtype)), source=MOCHI_SCALE)
        for frames, height, width, dtype, seed in (
            (2, 1, 3, "float32", 850), (1, 2, 3, "float64", 852), (2, 2, 2, "float16", 854), (1, 3, 1, "float32", 856))
    ],
    value("mochi-table", "Mochi: pairs (1, 0), which turn into cosine and sine", pairing="interleaved",
          positions=grid(2, 1, call("affine", size=2, start=fraction(-1, 2))), squared_scale=[1, 18432, 18432],
          inputs={**tensors(4, 1, 2, 858, axes=3), "x": listed((1.0, 0.0) * 8, "float32", (1, 4, 4))},
          flags=(*FLAGS, "FractionalPosition"), source=MOCHI_SCALE),
    value("roots", "scales of three kinds: 3, sqrt(2) and sqrt(8), whose terms cancel", pairing="half",
          positions=grid(2, 3, 3), squared_scale=[9, 2, 8],
          inputs={"x": scattered("float64", (1, 18, 2), 860), "weight": listed((0.5, 1.0, -0.5), "float64", (3, 1, 1))},
          flags=("AxisOrder", "Cancellation")),
    value("ids", "positions as ids", pairing="half",
          inputs={**tensors(3, 2, 2, 834), "positions": listed((1, 257, 4097, 2, 2049, 131071), shape=(2, 3))},
          flags=(*FLAGS, "LongContextInteger", "NarrowAngle")),
    value("halves", "positions that are halves", pairing="half",
          inputs={**tensors(3, 1, 2, 836), "positions": listed((0.5, 1.25, -2, 2, 7.5, 1), "float64", (2, 3))},
          flags=("AxisOrder", "FractionalPosition")),
    value("centred", "rows and columns around 0", pairing="half",
          positions=grid(*(call("centred", size=size, rounding="floor") for size in (3, 2))),
          inputs=tensors(6, 1, 2, 838), flags=("AxisOrder", "Centring", "NonSquare", "OffByOne")),
    value("thirds", "positions that are thirds", pairing="interleaved",
          positions=grid(call("affine", size=2, step=fraction(1, 3)), call("affine", size=2, step=fraction(2, 3))),
          inputs=tensors(4, 1, 2, 840), flags=("AxisOrder", "FractionalPosition")),
    value("batch", "x (batch, heads, seq, width)", positions=grid(2, 2), pairing="half",
          inputs={"x": scattered("float32", (2, 2, 4, 4), 842), "weight": scattered("float32", (2, 2, 2), 843, 1)},
          flags=FLAGS),
    value("one-axis", "one axis", positions=grid(4), pairing="half", inputs=tensors(4, 2, 2, 844, axes=1), flags=FLAGS),
    value("zero-weight", "frequencies that are 0: pairs that stand still", positions=grid(2, 2), pairing="half",
          inputs={"x": scattered("float32", (1, 4, 4), 846),
                  "weight": listed((0.0, 0.5, 0.0, 0.0), "float32", (2, 1, 2))}, flags=("AxisOrder",)),
    value("cancelling-axes", "weights whose sum is 0 on the diagonal", positions=grid(3, 3), pairing="interleaved",
          inputs={"x": scattered("float64", (1, 9, 2), 847), "weight": listed((0.75, -0.75), "float64", (2, 1, 1))},
          flags=("AxisOrder", "Cancellation")),
    value("one-cell", "one cell: nothing turns", positions=grid(1, 1), pairing="half", inputs=tensors(1, 2, 2, 848),
          flags=FLAGS),
    refused("weight-axes", "weights of two axes for three", "E_SHAPE", "positions", positions=grid(1, 2, 2),
            pairing="half", inputs=tensors(4, 2, 2, 1)),
    refused("weight-heads", "weights of another number of heads", "E_SHAPE", "weight", positions=grid(2, 2),
            pairing="half",
            inputs={"x": scattered("float32", (3, 4, 4), 1), "weight": scattered("float32", (2, 2, 2), 2, 1)}),
    refused("cells", "another number of cells", "E_SHAPE", "positions", positions=grid(2, 3), pairing="half",
            inputs=tensors(4, 2, 2, 1)),
    refused("pairing", "a pairing that has no blocks here", "E_CHOICE", "pairing", positions=grid(2, 2),
            pairing="block-half", inputs=tensors(4, 2, 2, 1)),
    refused("scale-count", "scales of two axes for three", "E_SHAPE", "squared_scale", positions=grid(1, 2, 2),
            pairing="half", squared_scale=[1, 2], inputs=tensors(4, 2, 2, 1, axes=3)),
    refused("scale-zero", "a scale that is 0", "E_NUMBER", "squared_scale", positions=grid(2, 2), pairing="half",
            squared_scale=[1, 0], inputs=tensors(4, 2, 2, 1)),
    refused("weight-nan", "a weight that is NaN", "E_NUMBER", "weight", positions=grid(2, 2), pairing="half",
            inputs={"x": scattered("float32", (1, 4, 2), 1),
                    "weight": listed((float("nan"), 1.0), "float32", (2, 1, 1))}),
]

# the same in other formats
CASES += in_formats(
    CASES,
    float64="halves",
    float16="halves",
    bfloat16="mochi-table halves",
)
