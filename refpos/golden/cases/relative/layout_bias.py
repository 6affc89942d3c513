"""Golden cases of the bias of LayoutLM v2 and v3."""

from ...case import counting, extreme, listed, paper, project, scattered, suite
from ...telling_inputs import DTYPES, SHORT, narrow
from .._formats import in_formats

value, refused = suite("layout_bias", paper("Xu et al. 2021, LayoutLMv2, arXiv:2012.14740, section 2.2"))
V2 = project("transformers", "5.23.0", "models/layoutlmv2/modeling_layoutlmv2.py", "LayoutLMv2Encoder")
V3 = project("transformers", "5.23.0", "models/layoutlmv3/modeling_layoutlmv3.py", "LayoutLMv3SelfAttention")
FLAGS = ("BucketDirection", "BucketEdge")
#: left, upper, right and lower side of words of two lines, of which one is the page
PAGE = ((48, 84, 156, 108), (160, 80, 205, 108), (48, 120, 130, 141), (900, 121, 990, 141), (0, 0, 1000, 1000))


def tables(dtype, heads, buckets, box_buckets, seed):
    """The three weights."""
    sizes = {"weight": buckets, "x_weight": box_buckets, "y_weight": box_buckets}
    return {name: scattered(dtype, (size, heads), seed + k, 1) for k, (name, size) in enumerate(sizes.items())}


def places(boxes=PAGE, position_ids=None):
    """Boxes, and positions in their order."""
    flat = [side for box in boxes for side in box]
    return {"position_ids": counting(0, len(boxes)) if position_ids is None else listed(position_ids),
            "boxes": listed(flat, shape=(len(boxes), 4))}  # fmt: skip


BASE = {**tables("float32", 2, 8, 8, 1), **places()}
BOXES = "x_weight", "y_weight", "boxes"
CASES = [
    *[
        value(f"{name}-{SHORT[dtype]}", f"{name}: 32 and 64 buckets, {dtype}", head_dim=width, dtype=dtype,
              inputs={**tables("float32", 2, 32, 64, 500 + 10 * k), **places()}, source=source,
              flags=(*FLAGS, *narrow(dtype)))
        for k, (name, width, source) in enumerate((("v2", None, V2), ("v3", 64, V3))) for dtype in DTYPES
    ],
    value("v3-12", "heads of 12 channels: the root is rounded", head_dim=12, dtype="float64", source=V3, flags=FLAGS,
          inputs={**tables("float64", 3, 32, 64, 520), **places()}),
    value("upper", "boxes of one lower side: the upper one is not read", head_dim=None, dtype="float64", source=V2,
          inputs={**tables("float64", 2, 32, 64, 530), **places([(9, 9 * k, 40, 200) for k in range(4)])}, flags=FLAGS),
    value("lower", "boxes of one upper side: the lower one is read", head_dim=None, dtype="float64", source=V2,
          inputs={**tables("float64", 2, 32, 64, 540), **places([(9, 9, 40, 10 + 40 * k) for k in range(4)])},
          flags=FLAGS),
    value("edges", "x0 around the edges of buckets", head_dim=None, dtype="float64", source=V2, flags=FLAGS,
          inputs={**tables("float64", 1, 32, 64, 550),
                  **places([(x, 0, 1000, 7) for x in (0, 15, 16, 17, 18, 240, 255, 256, 257)])}),
    value("image", "patches after the words: their places begin again", head_dim=16, dtype="float64", source=V3,
          inputs={**tables("float64", 2, 32, 64, 560), **places(position_ids=(0, 1, 2, 0, 1))}, flags=FLAGS),
    value("batch", "two pages, one order of tokens", head_dim=None, dtype="float64", source=V2, flags=("HeadAxis",),
          inputs={**tables("float64", 2, 8, 16, 570), "position_ids": counting(0, 2),
                  "boxes": listed((0, 0, 9, 9, 5, 3, 9, 8, 7, 7, 8, 8, 700, 1, 800, 90), shape=(2, 2, 4))}),
    value("text-only", "LayoutLMv3 without boxes", head_dim=16, dtype="float64", x_weight=None, y_weight=None,
          boxes=None, source=V3, flags=FLAGS,
          inputs={"weight": scattered("float64", (32, 2), 580), "position_ids": listed((0, 1, 9, 140))}),
    value("boxes-only", "LayoutLMv2 without places", head_dim=None, dtype="float64", weight=None, position_ids=None,
          source=V2, flags=FLAGS,
          inputs={name: one for name, one in {**tables("float64", 2, 8, 64, 590), **places()}.items()
                  if name in BOXES}),
    value("distances", "other distances", head_dim=None, dtype="float32", max_distance=20, max_box_distance=1000,
          inputs={**tables("float32", 2, 16, 32, 600), **places()}, flags=FLAGS),
    value("cancelling", "the sum of the page first: 1 is not lost", head_dim=None, dtype="float64", source=V2,
          flags=("Cancellation",),
          inputs={"weight": listed((1.0,) * 4, "float64", (4, 1)),
                  "x_weight": listed((2.0**53,) * 4, "float64", (4, 1)),
                  "y_weight": listed((-(2.0**53),) * 4, "float64", (4, 1)), **places(PAGE[:2])}),
    value("bfloat16-inputs", "weights of bfloat16", head_dim=64, dtype="bfloat16", source=V3,
          inputs={**tables("bfloat16", 2, 32, 64, 610), **places()}, flags=(*FLAGS, *narrow("bfloat16"))),
    value("extreme", "the largest numbers", head_dim=4, dtype="float32",
          inputs={**BASE, "weight": extreme("float32", (8, 2))}),
    value("far", "positions past 2^24", head_dim=None, dtype="float64", flags=("LongContextInteger",),
          inputs={**tables("float64", 1, 32, 64, 620), **places(PAGE[:3], (2**24, 2**24 + 1, 2**31 - 1))}),
    value("no-tokens", "no tokens", head_dim=None, dtype="float32",
          inputs={**tables("float32", 2, 8, 8, 630), "position_ids": listed(()), "boxes": listed((), shape=(0, 4))}),
    refused("head-dim", "heads of no width", "E_SIZE", "head_dim", head_dim=0, inputs=BASE),
    refused("rows", "an odd number of buckets", "E_SHAPE", "x_weight", head_dim=None,
            inputs={**BASE, "x_weight": scattered("float32", (7, 2), 1)}),
    refused("heads", "a table of other heads", "E_SHAPE", "y_weight", head_dim=None,
            inputs={**BASE, "y_weight": scattered("float32", (8, 3), 1)}),
    refused("tokens", "fewer positions than boxes", "E_SHAPE", "boxes", head_dim=None,
            inputs={**BASE, "position_ids": counting(0, 4)}),
    refused("sides", "boxes of two sides", "E_SHAPE", "boxes", head_dim=None,
            inputs={**BASE, "boxes": listed((0, 1) * 5, shape=(5, 2))}),
    refused("half", "one of the two tables of boxes", "E_CHOICE", "y_weight", head_dim=None, y_weight=None,
            inputs={name: one for name, one in BASE.items() if name != "y_weight"}),
    refused("distance", "a distance that half of the near buckets reach", "E_SIZE", "max_box_distance", head_dim=None,
            max_box_distance=2, inputs=BASE),
    refused("floats", "boxes of fractions", "E_DTYPE", "boxes", head_dim=None,
            inputs={**BASE, "boxes": listed((0.5,) * 20, "float64", (5, 4))}),
]  # fmt: skip

# what no other case tells apart
CASES += [
    value("edges-of-buckets-f32", "distances at the last edges of the buckets, 90, 91 and 215, 216, in float32",
          head_dim=None, dtype="float32", flags=("BucketEdge",),
          inputs={"weight": scattered("float32", (32, 2), 640, 1), "x_weight": scattered("float32", (64, 2), 641, 1),
                  "y_weight": scattered("float32", (64, 2), 642, 1), "position_ids": listed((0, 90, 181)),
                  "boxes": listed([0] * 4 + [215] * 4 + [431] * 4, shape=(3, 4))}),
    value("edges-of-more-f32", "the same with 120 and 300 as the largest distances", head_dim=None, dtype="float32",
          max_distance=120, max_box_distance=300, flags=("BucketEdge",),
          inputs={"weight": scattered("float32", (32, 2), 643, 1), "x_weight": scattered("float32", (64, 2), 644, 1),
                  "y_weight": scattered("float32", (64, 2), 645, 1), "position_ids": listed((0, 85, 171)),
                  "boxes": listed([0] * 4 + [250] * 4 + [499] * 4, shape=(3, 4))}),
]

# the same in other formats
CASES += in_formats(
    CASES,
    float64="edges-of-more-f32",
    float16="edges-of-more-f32",
    bfloat16="edges-of-more-f32",
)

# numbers that the cases of a format have only once
CASES += in_formats(
    CASES,
    float16="text-only",
    bfloat16="text-only",
)
