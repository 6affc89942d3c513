"""Golden cases of the positions of MiniCPM-V 4.7."""

from ....case import project, suite
from ._multimodal import rows, table

FLAGS = ("AxisOrder", "OffByOne")
MARKERS = {"image_start_id": 11, "image_end_id": 12, "slice_start_id": 13, "slice_end_id": 14, "newline_id": 15}
#: ( ) around a picture, [ ] around a slice, / between rows of slices
TOKENS = {"t": 9, "i": 7, "v": 7, "(": 11, ")": 12, "[": 13, "]": 14, "/": 15, ".": 0}
KINDS = {**dict.fromkeys(TOKENS, 0), "i": 1, "v": 2}
value, refused = suite("minicpm_v_positions", project(
    "transformers", "5.23.0", "models/minicpmv4_7/modeling_minicpmv4_7.py", "get_rope_index"
))  # fmt: skip


def tensors(words, images=(), videos=(), merge=2):
    """Rows, and the sizes in tokens of their pictures and slices."""
    by_name = {**rows(words, KINDS), **rows(words, TOKENS, "input_ids")}
    for name, sizes in (("target_sizes", images), ("target_sizes_videos", videos)):
        if sizes:
            by_name[name] = table([(merge * h, merge * w) for h, w in sizes])
    return by_name


PARTS = (
    ("text", "text alone", ("ttt",), (), ()),
    ("image", "a picture of 1 x 2 tokens", ("t(ii)t",), ((1, 2),), ()),
    ("tall", "a picture of 3 x 1 tokens", ("tt(iii)t",), ((3, 1),), ()),
    ("first", "a picture at the very start", ("(ii)t",), ((2, 1),), ()),
    ("two-images", "two pictures with text between", ("(ii)t(ii)t",), ((1, 2), (2, 1)), ()),
    ("side-by-side", "two pictures side by side", ("t(i)(ii)t",), ((1, 1), (1, 2)), ()),
    ("newline", "a newline between two pictures", ("t(i)/(ii)t",), ((1, 1), (1, 2)), ()),
    ("slices", "a thumbnail of 1 x 1 and two slices in a row", ("t(i)[i][i]t",), ((1, 1),) * 3, ()),
    ("stretched", "a thumbnail of 1 x 2 over a canvas of 1 x 4", ("(ii)[ii][ii]t",), ((1, 2),) * 3, ()),
    ("rows", "slices in two rows", ("(i)[i]/[i]t",), ((1, 1),) * 3, ()),
    ("two-by-two", "slices in two rows of two", ("(i)[i][i]/[i][i]t",), ((1, 1),) * 5, ()),
    ("tie", "a thumbnail of 3 over a canvas of 2: a tie, to even", ("(iii)[i][i]t",), ((1, 3), (1, 1), (1, 1)), ()),
    ("video", "two frames", ("t(vv)(vv)t",), (), ((1, 2), (1, 2))),
    ("image-video", "a picture, then a frame", ("t(i)t(vv)",), ((1, 1),), ((2, 1),)),
    ("left", "padded on the left", ("..(ii)t", "t(i)ttt"), ((1, 2), (1, 1)), ()),
    ("right", "padded on the right", ("(ii)t..", "t(i)ttt"), ((1, 2), (1, 1)), ()),
    ("no-end", "a picture that ends the row without a marker", ("t(ii",), ((1, 2),), ()),
)

CASES = [
    *[
        value(slug, about, downsample_mode="4x", inputs=tensors(words, images, videos), flags=FLAGS, **MARKERS)
        for slug, about, words, images, videos in PARTS
    ],
    value("16x", "4 x 4 patches are a token", downsample_mode="16x", inputs=tensors(("t(ii)t",), ((1, 2),), (), 4),
          flags=FLAGS, **MARKERS),
    value("float32-tie", "23 columns over a canvas of 14: float32 lies above the tie 6.5", downsample_mode="4x",
          inputs=tensors(("(" + "i" * 23 + ")" + "[iiiiiii]" * 2,), ((1, 23), (1, 7), (1, 7))), flags=FLAGS, **MARKERS),
    refused("no-size", "a picture without a size", "E_SHAPE", "target_sizes", downsample_mode="4x",
            inputs=tensors(("(i)",)), **MARKERS),
    refused("tokens", "fewer tokens than the size has", "E_SHAPE", "mm_token_type_ids", downsample_mode="4x",
            inputs=tensors(("(i)",), ((1, 2),)), **MARKERS),
    refused("merge", "a size that is no multiple of the merge size", "E_SIZE", "target_sizes", downsample_mode="16x",
            inputs=tensors(("(i)",), ((1, 1),)), **MARKERS),
    refused("no-start", "a picture without its start", "E_SHAPE", "input_ids", downsample_mode="4x",
            inputs=tensors(("ti)",), ((1, 1),)), **MARKERS),
    refused("mode", "an unknown mode", "E_CHOICE", "downsample_mode", downsample_mode="8x", inputs=tensors(("t",)),
            **MARKERS),
]
