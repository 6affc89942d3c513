"""Golden cases of the rows of tables that the boxes of words read."""

from ...case import listed, project, suite

FLAGS = ("AxisOrder", "OffByOne")


def _hf(name, function):
    return project("transformers", "5.23.0", f"models/{name}/modeling_{name}.py", function)


LAYOUTLM = _hf("layoutlm", "LayoutLMEmbeddings")
V2 = _hf("layoutlmv2", "LayoutLMv2Embeddings")
V3 = _hf("layoutlmv3", "LayoutLMv3TextEmbeddings")
LILT = _hf("lilt", "LiltLayoutEmbeddings")
value, refused = suite("box_rows", LAYOUTLM)


def boxes(*sides, shape=None):
    """Boxes as an input tensor."""
    return {"boxes": listed(tuple(side for box in sides for side in box), shape=shape or (len(sides), 4))}


#: the corners of a page, a word, a line without height, a column without width, and [CLS], [SEP]
PAGE = ((0, 0, 1000, 1000), (48, 84, 73, 128), (10, 500, 990, 500), (500, 10, 500, 990), (0, 0, 0, 0),
        (1000, 1000, 1000, 1000))  # fmt: skip
#: right before left, lower before upper, both, and sizes above 1023
SWAPPED = ((73, 84, 48, 128), (48, 128, 73, 84), (9, 9, 1, 2), (0, 0, 1024, 2000), (1, 0, 1024, 1022))

CASES = [
    *[
        value(slug, about, clip=clip, num_rows=1024, inputs=boxes(*PAGE), flags=FLAGS, source=source)
        for slug, about, clip, source in (
            ("layoutlm", "LayoutLM: sizes as they are", None, LAYOUTLM),
            ("layoutlmv2", "LayoutLMv2: sizes as they are", None, V2),
            ("layoutlmv3", "LayoutLMv3: heights and widths of 0 to 1023", 1023, V3),
            ("lilt", "LiLT: sizes as they are", None, LILT),
        )
    ],
    value("clipped", "negative sizes are 0 and large ones 1023", clip=1023, inputs=boxes(*SWAPPED), flags=FLAGS,
          source=V3),
    value("clip-zero", "sizes are left out", clip=0, inputs=boxes(*SWAPPED), flags=FLAGS),
    value("clip-short", "sizes of 0 to 10", clip=10, inputs=boxes(*PAGE), flags=FLAGS),
    value("no-clip-large", "a size above 1023 without a clip", clip=None, flags=FLAGS,
          inputs=boxes((0, 0, 1024, 2000))),
    value("full", "the last row of the table", clip=None, num_rows=1001, inputs=boxes(*PAGE), flags=FLAGS),
    value("batch", "boxes of shape (2, 3, 4)", clip=None, inputs=boxes(*PAGE, shape=(2, 3, 4)), flags=FLAGS),
    value("single", "one box", clip=None, inputs=boxes((1, 2, 30, 400), shape=(4,)), flags=FLAGS),
    value("far", "sides of 62 bits", clip=None, flags=FLAGS, inputs=boxes((0, 1, 2**62, 2**62 + 1))),
    refused("width", "right before left, not clipped", "E_POSITION", "boxes", clip=None,
            inputs=boxes((73, 84, 48, 128))),
    refused("height", "lower before upper, not clipped", "E_POSITION", "boxes", clip=None,
            inputs=boxes((48, 128, 73, 84))),
    refused("beyond", "a side beyond the page", "E_POSITION", "boxes", clip=None, num_rows=1001,
            inputs=boxes((0, 0, 1001, 5))),
    refused("negative", "a side before the page", "E_POSITION", "boxes", clip=1023, inputs=boxes((-1, 0, 5, 5))),
    refused("sides", "three sides", "E_SHAPE", "boxes", clip=None, inputs={"boxes": listed((1, 2, 3), shape=(1, 3))}),
    refused("floats", "boxes that are floats", "E_DTYPE", "boxes", clip=None,
            inputs={"boxes": listed((0.0, 0.0, 1.0, 1.0), "float64", (1, 4))}),
    refused("clip-negative", "a clip below 0", "E_SIZE", "clip", clip=-1, inputs=boxes((0, 0, 5, 5))),
    refused("rows-zero", "tables of no rows", "E_SIZE", "num_rows", clip=None, num_rows=0, inputs=boxes((0, 0, 0, 0))),
]  # fmt: skip
