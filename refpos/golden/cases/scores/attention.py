"""Golden cases of scaled dot product attention."""

from ...case import extreme, fraction, listed, paper, project, scattered, suite, tiny
from ...telling_inputs import DTYPES, SHORT, narrow
from .._formats import in_formats

PAPER = paper("Vaswani et al. 2017, Attention Is All You Need, arXiv:1706.03762, section 3.2.1")
value, refused = suite("attention", PAPER)
TORCH = project("torch", "2.13.0", "torch/nn/functional.py", "scaled_dot_product_attention")


def model(name, file, function):
    """The attention of a model of transformers."""
    return project("transformers", "5.23.0", f"models/{file}", function)


GEMMA = model("gemma2", "gemma2/modeling_gemma2.py", "eager_attention_forward")
SWIN = model("swinv2", "swinv2/modeling_swinv2.py", "Swinv2SelfAttention")
T5 = model("t5", "t5/modeling_t5.py", "T5Attention")
ALL = ["scores", "weights", "output"]
NAN, INF = float("nan"), float("inf")
SCALE, MASK = ("AttentionScale",), ("AttentionMask",)


def tensors(dtype="float64", q=(2, 3, 4), k=(2, 5, 4), channels=3, seed=900, spread=1, **more):
    """q, k and v as input tensors."""
    return {"q": scattered(dtype, q, seed, spread), "k": scattered(dtype, k, seed + 1, spread),
            "v": scattered(dtype, (*k[:-1], channels), seed + 2, spread), **more}  # fmt: skip


def ones(shape, *zeros):
    """A mask of ones, but for the zeros at these places of it, as if it were one row."""
    count = 1
    for size in shape:
        count *= size
    return {"mask": listed([int(place not in zeros) for place in range(count)], "int64", shape)}


def told(values, dtype="float64", shape=None):
    return listed([float(number) for number in values], dtype, shape)


#: one query, two keys, of which the second has what must not be read
HIDDEN = {
    "q": told([1, 2], shape=(1, 2)),
    "k": told([1, 0, NAN, INF], shape=(2, 2)),
    "v": told([3, 4, NAN, -INF], shape=(2, 2)),
}
PLAIN = {"q": told([1, 0, 0, 1], shape=(2, 2)), "k": told([1, 0, 1, 1], shape=(2, 2)), "v": told([2, 4], shape=(2, 1))}

CASES = [
    *[
        value(f"plain-{SHORT[dtype]}", f"two heads, 3 queries and 5 keys, {dtype}", outputs=ALL, dtype=dtype,
              inputs=tensors("float32", seed=900), flags=(*SCALE, "HeadAxis", *narrow(dtype)), source=TORCH)
        for dtype in DTYPES
    ],
    *[
        value(f"inputs-{SHORT[dtype]}", f"tensors of {dtype}, one output", dtype="float64",
              inputs=tensors(dtype, seed=903), flags=(*SCALE, *narrow(dtype)))
        for dtype in DTYPES[1:]
    ],
    value("two-axes", "without a head axis", outputs=ALL, inputs=tensors(q=(3, 4), k=(5, 4), seed=906)),
    value("batch-f32", "2 sequences of 3 heads", outputs=["output", "scores"], dtype="float32", flags=("HeadAxis",),
          inputs=tensors("float32", (2, 3, 2, 4), (2, 3, 4, 4), 2, 909)),
    # grouped heads
    value("grouped-4-2", "4 heads of queries, 2 of keys: 0 0 1 1", outputs=ALL, flags=("HeadAxis",), source=TORCH,
          inputs=tensors(q=(4, 2, 4), k=(2, 3, 4), seed=912)),
    value("grouped-6-1-f32", "6 heads of queries read one of keys", outputs=ALL, dtype="float32", flags=("HeadAxis",),
          inputs=tensors("float32", (2, 6, 2, 3), (2, 1, 3, 3), 2, 915), source=TORCH),
    value("grouped-bias", "a bias and a mask for each head of the queries", outputs=ALL, flags=("HeadAxis", *MASK),
          inputs=tensors(q=(4, 2, 4), k=(2, 3, 4), seed=918, bias=scattered("float32", (4, 2, 3), 921, 1),
                         **ones((4, 1, 3), 1, 3, 9, 10, 11))),
    # scale
    value("scale-1", "T5: no scale", outputs=ALL, scale=1, inputs=tensors(seed=922), flags=SCALE, source=T5),
    value("scale-model-width", "the root of the model's width, 2 heads of 4, as a mistake", outputs=ALL,
          scale=0.35355339059327373, inputs=tensors(seed=900), flags=SCALE),
    value("scale-third", "a scale that no float has", outputs="scores", scale=fraction(1, 3), flags=SCALE,
          inputs=tensors(seed=925)),
    value("scale-odd-f64", "the root of 7, then 1 over it", outputs="scores", flags=SCALE,
          inputs=tensors(q=(1, 3, 7), k=(1, 2, 7), seed=928)),
    value("scale-gemma2", "Gemma 2 27B: scores over the root of 144, not of the width of a head", outputs=ALL,
          scale=fraction(1, 12), softcap=50, inputs=tensors(spread=3, seed=931), flags=SCALE, source=GEMMA),
    # bias
    value("bias-head", "a bias for each head, after the scale", outputs=ALL, flags=SCALE,
          inputs=tensors(seed=934, bias=scattered("float64", (2, 3, 5), 937, 1))),
    value("bias-row-bf16", "one row of bias for all, of bfloat16", outputs=ALL, dtype="bfloat16",
          inputs=tensors("bfloat16", seed=938, bias=scattered("bfloat16", (5,), 941, 1)),
          flags=(*SCALE, *narrow("bfloat16"))),
    value("bias-infinite", "-infinity in the bias is a mask, also before NaN", outputs=ALL, flags=MASK,
          inputs={**HIDDEN, "bias": told([0.5, -INF])}),
    value("bias-large", "a bias of the least number of float32 is no mask: it counts where all are so", outputs=ALL,
          flags=MASK, inputs={**PLAIN, "bias": told([-(2.0**128 - 2.0**104)] * 2 + [0, -(2.0**128 - 2.0**104)],
                                                    "float32", (2, 2))}),
    # masks
    value("mask-keys", "keys that do not count, and NaN and infinity in them", outputs=ALL, flags=MASK,
          inputs={**HIDDEN, "mask": listed([1, 0])}),
    value("mask-some", "NaN and infinity that some queries read", outputs=ALL, flags=MASK,
          inputs={"q": told([1, 2, 3, -1], shape=(2, 2)), "k": told([1, 0, 1, 1], shape=(2, 2)),
                  "v": told([3, 4, INF, NAN], shape=(2, 2)), "mask": listed([1, 0, 1, 1], "int64", (2, 2))}),
    value("mask-row-f32", "a query that no key counts for", outputs=ALL, dtype="float32", flags=MASK, source=TORCH,
          inputs=tensors("float32", seed=942, **ones((3, 5), 1, 5, 6, 7, 8, 9))),
    value("mask-batch", "pads of each sequence", outputs=["weights", "output"], flags=MASK,
          inputs=tensors(q=(2, 2, 3, 4), k=(2, 2, 4, 4), seed=945, **ones((2, 1, 1, 4), 3, 4, 5))),
    *[
        value(f"causal-{corner}-{queries}-{keys}", f"causal from the {corner} corner, {queries} queries, {keys} keys",
              outputs=ALL, causal=corner, flags=(*MASK, "UnequalLengths"),
              inputs=tensors(q=(1, queries, 3), k=(1, keys, 3), channels=2, seed=948))
        for corner in ("upper-left", "lower-right")
        for queries, keys in ((2, 5), (5, 2), (3, 3), (1, 4))
    ],
    value("causal-mask-bias", "causal, a mask and a bias at once", outputs=ALL, causal="lower-right",
          flags=(*MASK, *SCALE, "UnequalLengths"),
          inputs=tensors(seed=951, bias=scattered("float64", (2, 1, 5), 954, 1), **ones((5,), 0, 3))),
    # softcap
    *[
        value(f"softcap-{SHORT[dtype]}", f"Gemma 2: 50 tanh(s / 50), then bias and mask, {dtype}", outputs=ALL,
              softcap=50, dtype=dtype, flags=(*SCALE, *MASK, *narrow(dtype)), source=GEMMA,
              inputs=tensors("float32", seed=955, spread=4, bias=scattered("float32", (3, 5), 958, 3),
                             **ones((5,), 2)))
        for dtype in DTYPES[:2]
    ],
    value("softcap-small", "a cap that every score meets", outputs=ALL, softcap=fraction(1, 10), flags=SCALE,
          inputs=tensors(seed=959, spread=5)),
    # cosine
    value("cosine-heads", "Swin v2: a logit for each head, one of them beyond ln 100", outputs=ALL, source=SWIN,
          flags=(*SCALE, "HeadAxis"),
          inputs=tensors(seed=962, cosine=told([2.302585092994046, 9.5]),
                         bias=scattered("float64", (2, 3, 5), 965, 3))),
    value("cosine-torch-f32", "logits (heads, 1, 1), as modules have them, and grouped heads", outputs=ALL, source=SWIN,
          dtype="float32", flags=SCALE,
          inputs=tensors("float32", (2, 3, 4), (1, 5, 4), 3, 966,
                         cosine=listed([4.605170249938965, -1.5], "float32", (2, 1, 1)))),
    value("cosine-number", "one logit, and vectors of length 0 and below 1e-12", outputs=ALL, cosine=2, flags=SCALE,
          inputs={"q": told([0, 0, 2.0**-41, 0], shape=(2, 2)), "k": told([3, 4, 0, 0, 0, -(2.0**-60)], shape=(3, 2)),
                  "v": told([1, 2, 3], shape=(3, 1))}),
    # the fixed order
    value("order-scores", "products that cancel but for the roundings of the fixed order", outputs="scores",
          scale=1, flags=("Cancellation",), v=None,
          inputs={"q": told([2.0**53, 1, 1, -(2.0**53)] * 2, shape=(1, 8)), "k": told([1] * 8, shape=(1, 8))}),
    value("order-contracted", "a product that only one rounding of a fused multiply-add would keep", v=None,
          outputs="scores", scale=1, flags=("FmaContraction",),
          inputs={"q": told([1 + 2.0**-52, -1 - 2.0**-51], shape=(1, 2)), "k": told([1 + 2.0**-52, 1], shape=(1, 2))}),
    value("order-output", "values that cancel in the weighted sum", flags=("Cancellation",),
          inputs={"q": told([0], shape=(1, 1)), "k": told([1] * 8, shape=(8, 1)),
                  "v": told([2.0**53, 1, 1, -(2.0**53), 3, 2.0**40, 1, -(2.0**40)], shape=(8, 1))}),
    value("long-row", "a row of as many keys as show the order of the sum", outputs=["weights", "output"],
          inputs=tensors(q=(1, 2, 3), k=(1, 300, 3), channels=2, seed=970, spread=2)),
    # edges
    value("far", "scores so far apart that weights are subnormal and 0", outputs=ALL, scale=1, flags=("Subnormal",),
          inputs={"q": told([1], shape=(1, 1)), "k": told([0, -700, -708.5, -740, -745, -746, -1e4], shape=(7, 1)),
                  "v": told([1, 2, 3, 4, 5, 6, 7], shape=(7, 1))}),
    value("tied", "equal scores of 10000", outputs=ALL, scale=1e4,
          inputs={**PLAIN, "q": told([1, 0, 1, 0], shape=(2, 2))}),
    value("infinite", "infinite scores: +infinity is NaN, -infinity of all is 0", outputs=ALL, scale=1,
          inputs={"q": told([INF, -INF, 1], shape=(3, 1)), "k": told([1, 2], shape=(2, 1)),
                  "v": told([1, 2], shape=(2, 1))}),
    value("nan", "NaN in a query, a key and a value that count", outputs=ALL,
          inputs={"q": told([NAN, 1, 2, 1], shape=(2, 2)), "k": told([1, 0, 1, 1], shape=(2, 2)),
                  "v": told([2, NAN, 4, 1], shape=(2, 2))}),
    *[
        value(f"tiny-{SHORT[dtype]}", f"subnormal numbers of {dtype}", outputs=ALL, flags=("Subnormal", *narrow(dtype)),
              dtype=dtype, inputs={name: tiny(dtype, shape, 975) for name, shape in
                                   (("q", (1, 2, 3)), ("k", (1, 4, 3)), ("v", (1, 4, 2)))})
        for dtype in ("float64", "bfloat16")
    ],
    value("extreme-f32", "the largest numbers of float32", outputs=ALL, dtype="float32",
          inputs={name: extreme("float32", shape) for name, shape in
                  (("q", (1, 2, 3)), ("k", (1, 4, 3)), ("v", (1, 4, 2)))}),
    value("one-key", "one query and one key: weight 1", outputs=ALL,
          inputs=tensors(q=(1, 1, 2), k=(1, 1, 2), seed=978)),
    value("no-keys", "no keys: output 0", outputs=ALL,
          inputs={"q": told([1, 2], shape=(2, 1)), "k": told([], shape=(0, 1)), "v": told([], shape=(0, 3))}),
    value("no-queries", "no queries", outputs=ALL,
          inputs={"q": told([], shape=(0, 2)), "k": told([1, 2], shape=(1, 2)), "v": told([3], shape=(1, 1))}),
    value("no-heads", "no heads", outputs=ALL,
          inputs={name: told([], shape=(0, 2, 3)) for name in "qkv"}),
    value("no-channels", "no channels: all scores 0", outputs=ALL,
          inputs={"q": told([], shape=(2, 0)), "k": told([], shape=(3, 0)), "v": told([1, 2, 4], shape=(3, 1))}),
    # refused
    refused("one-axis", "a vector for q", "E_SHAPE", "q",
            inputs={"q": told([1, 2]), "k": told([1, 2], shape=(1, 2)), "v": told([1], shape=(1, 1))}),
    refused("channels", "keys of another width", "E_SHAPE", "k", inputs=tensors(k=(2, 5, 3))),
    refused("heads", "3 heads of keys for 4 of queries", "E_SHAPE", "k", inputs=tensors(q=(4, 2, 4), k=(3, 2, 4))),
    refused("batch", "another batch", "E_SHAPE", "k", inputs=tensors(q=(2, 4, 2, 4), k=(1, 4, 2, 4))),
    refused("value-length", "values of another length", "E_SHAPE", "v",
            inputs={**tensors(), "v": scattered("float64", (2, 4, 3), 1)}),
    refused("value-none", "an output without values", "E_MISSING", "v", v=None,
            inputs={name: scattered("float64", (2, 2), 1) for name in "qk"}),
    refused("bias", "a bias of another length", "E_SHAPE", "bias",
            inputs=tensors(bias=scattered("float64", (3, 4), 1))),
    refused("mask", "a mask with an axis of its own", "E_SHAPE", "mask", inputs=tensors(**ones((1, 2, 3, 5)))),
    refused("mask-float", "numbers to be added as a mask", "E_DTYPE", "mask",
            inputs=tensors(mask=told([0, 0, -INF, 0, 0]))),
    refused("mask-counts", "a mask that counts", "E_NUMBER", "mask", inputs=tensors(mask=listed([0, 1, 2, 1, 1]))),
    refused("causal", "causal without a corner", "E_CHOICE", "causal", causal=True, inputs=tensors()),
    refused("softcap-zero", "a cap of 0", "E_NUMBER", "softcap", softcap=0, inputs=tensors()),
    refused("scale-cosine", "a scale beside that of the cosine", "E_CHOICE", "scale", scale=1, cosine=1,
            inputs=tensors()),
    refused("cosine-heads", "logits of other heads", "E_SHAPE", "cosine", inputs=tensors(cosine=told([1, 2, 3]))),
    refused("outputs-none", "no output", "E_CHOICE", "outputs", outputs=[], inputs=tensors()),
    refused("outputs-twice", "one output twice", "E_CHOICE", "outputs", outputs=["output", "output"],
            inputs=tensors()),
    refused("outputs-unknown", "an output that is no name", "E_CHOICE", "outputs", outputs="probabilities",
            inputs=tensors()),
]  # fmt: skip

# the same in other formats
CASES += in_formats(
    CASES,
    float32="tied causal-upper-left-1-4 causal-lower-right-2-5 cosine-number",
    float16="causal-mask-bias scale-gemma2 cosine-number causal-upper-left-1-4 cosine-torch-f32",
    bfloat16="causal-mask-bias tied cosine-number causal-upper-left-1-4 softcap-small cosine-torch-f32",
)

# numbers that the cases of a format have only once
CASES += in_formats(
    CASES,
    float16="scale-model-width",
)

# what no other case tells apart
CASES += [
    value("output-alone-f32", "the output that is given where none is named, 4 heads that read 2, in float32",
          dtype="float32", flags=("HeadAxis", "UnequalLengths"),
          inputs=tensors("float32", (4, 2, 4), (2, 3, 4), 2, 980), source=TORCH),
]  # fmt: skip

# the same in other formats
CASES += in_formats(
    CASES,
    float32="grouped-4-2 cosine-heads softcap-small mask-keys",
    float16="grouped-4-2 cosine-heads softcap-small softcap-f32 mask-row-f32 mask-keys tied",
    bfloat16="grouped-4-2 cosine-heads softcap-f32 mask-row-f32 mask-keys",
)

# a second value of numbers that all other cases have alike
CASES += [
    value("cosine-1-f32", "a logit of 1, in float32", outputs="scores", cosine=1, dtype="float32",
          inputs={"q": told([1, 0, 3, 4], "float32", (2, 2)), "k": told([0, 2, 1, 1, -3, 4], "float32", (3, 2)),
                  "v": told([1, 2, 4], "float32", (3, 1))}, flags=SCALE),
]
CASES += in_formats(
    CASES,
    float64="cosine-1-f32",
    float16="cosine-1-f32",
    bfloat16="cosine-1-f32",
)
