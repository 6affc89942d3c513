"""Named models that add a table to their embeddings: for each a case of the function that makes the table.

A case is called `model-` and the name of the preset, and has the arguments of the preset, and float32 where the
function has a dtype.
"""

import inspect
from fractions import Fraction
from typing import Any, NamedTuple

from ... import catalogue, models
from ..case import Values, fraction, listed, scattered
from ._graphs import CAFFEINE, both, cells
from ._models import slug

NOTHING: dict = {}


class Row(NamedTuple):
    """A preset, its sizes, and what its table leaves open: input tensors, or other arguments."""

    name: str
    sizes: dict[str, Any]
    inputs: dict[str, Values] = NOTHING
    where: dict[str, Any] = NOTHING
    flags: tuple[str, ...] = ("NarrowAngle",)

    @property
    def encoding(self):
        """The `Absolute`."""
        return models.load(self.name, **self.sizes)


def at(*positions):
    """Positions as an input tensor."""
    return {"positions": listed(positions)}


def ids(*words):
    """Rows of which the first two stand for padding and the first token, as the rules of fairseq number them."""
    return {"positions": listed(tuple(map(int, "".join(words))), shape=(len(words), len(words[0])))}


ENDPOINT = ("NarrowAngle", "Endpoint")
FIRST_COSINES = ("NarrowAngle", "Endpoint", "SineCosineOrder")
HALVES = ("NarrowAngle", "InterleavedVsHalf")
PADDED = ("NarrowAngle", "Endpoint", "OffByOne")
ROWS_OF_TOKENS = ids("11234", "23111", "23145")

SEQUENCES = [
    Row("xlm", {"dim": 32}, at(0, 1, 2, 255, 511), flags=HALVES),
    Row("distilbert", {"dim": 48}, at(0, 1, 2, 255, 511), flags=HALVES),
    Row("florence2", {"dim": 40}, at(0, 1, 2, 99), flags=HALVES),
    Row("speecht5", {"dim": 36}, at(0, 1, 2, 599, 4999), flags=HALVES),
    Row("animatediff", {"dim": 44}, at(0, 1, 2, 31), flags=HALVES),
    Row("marian", {"dim": 34}, at(0, 1, 2, 255, 511), flags=HALVES),
    Row("pegasus", {"dim": 38}, at(0, 1, 2, 255, 511), flags=HALVES),
    Row("informer", {"dim": 7}, at(0, 1, 2, 63, 191), flags=(*HALVES, "OddDimension")),
    Row("time_series_transformer", {"dim": 5}, at(0, 1, 2, 63, 191), flags=(*HALVES, "OddDimension")),
    Row("ctrl", {"dim": 50}, at(0, 1, 2, 127, 255), flags=HALVES),
    Row("canary", {"dim": 4}, at(0, 1, 2, 511, 1023), flags=ENDPOINT),
    Row("whisper", {"dim": 64}, at(0, 1, 2, 750, 1499), flags=ENDPOINT),
    Row("qwen3_omni_audio", {"dim": 60}, at(0, 1, 2, 750, 1499), flags=ENDPOINT),
    Row("tipsv2", {"dim": 7}, at(0, 1, 2, 31, 63), flags=(*ENDPOINT, "OddDimension")),
    Row("fun_asr_nano", {"dim": 56}, at(1, 2, 3, 999, 1500), flags=PADDED),
    Row("timesfm", {"dim": 7, "min_timescale": 2, "max_timescale": 30000}, at(0, 1, 2, 31, 511), flags=ENDPOINT),
    Row("gemma4_audio", {"dim": 52}, at(12, 11, 6, 1, 0), flags=ENDPOINT),
    Row("pegasus_x", {"dim": 42}, at(3, 4, 1023, 16383), flags=ENDPOINT),
    Row("musicgen", {"dim": 5}, at(0, 1, 2, 499, 2047), flags=(*FIRST_COSINES, "OddDimension")),
    Row("musicgen_melody", {"dim": 46}, at(0, 1, 2, 499, 2047), flags=FIRST_COSINES),
    Row("m2m_100", {"dim": 24}, ROWS_OF_TOKENS, flags=PADDED),
    Row("nllb_moe", {"dim": 5, "padding_idx": 0}, ids("00123", "12003"), flags=(*PADDED, "OddDimension")),
    Row("kosmos2", {"dim": 30}, ROWS_OF_TOKENS, flags=PADDED),
    Row("speech_to_text", {"dim": 28}, ROWS_OF_TOKENS, flags=PADDED),
    Row("xglm", {"dim": 26}, at(2, 3, 4, 513, 2049), flags=PADDED),
    Row("fsmt", {"dim": 22}, ids("44567", "56444"), flags=PADDED),
    Row("trocr", {"dim": 20}, ROWS_OF_TOKENS, flags=PADDED),
]


def weight(*shape, **more):
    """A learned table as an input tensor, and others beside it."""
    return {"weight": scattered("float32", shape, sum(shape) + 500), **more}


IMAGES = {"grid_thw": listed((1, 6, 10, 2, 4, 2), shape=(2, 3))}
PADDED_IMAGES = {"grid_thw": listed((1, 3, 8, 1, 1, 24), shape=(2, 3))}
RESIZED = ("Resampling", "NonSquare")
WIDE, OLD = {"size": (8, 12)}, {"size": (8, 12), "grid": (7, 7)}
RESIZINGS = [
    Row("torch_resize", WIDE, weight(7, 7, 2)),
    Row("torch_scale_resize", {"scale_factor": (1.6, 0.7), "grid": (5, 9)}, weight(5, 9, 2)),
    Row("timm_resize", {"size": (8, 12), "grid": (7, 5)}, weight(36, 2)),
    Row("jax_image_resize", {**WIDE, "antialias": False}, weight(7, 7, 2)),
    Row("scipy_zoom", WIDE, weight(7, 5, 2)),
    *[
        Row(f"{name}_resize", OLD, weight(49 + prefix, 2))
        for prefix, names in enumerate((
            "pvt hiera big_vision",
            "vit vit_mae clip blip dinov2 dinov2_with_registers rf_detr tipsv2 vilt dpt dino dinov2_original jax_vit",
            "deit",
        ))
        for name in names.split()
    ],
    Row("timesformer_resize", {"size": (9, 4), "grid": (6, 6)}, weight(37, 2)),
    Row("timesformer_time_resize", {"frames": 8}, weight(5, 2)),
    Row("tvp_resize", {"size": (4, 9), "grid": (6, 5)}, weight(6, 5, 2)),
    Row("vjepa_resize", {"size": (3, 6, 4), "grid": (4, 6, 4)}, weight(4, 6, 4, 2)),
    Row("vjepa_image_resize", {"size": (4, 6), "grid": (7, 7)}, weight(7, 7, 2)),
    Row("flexivit_resize", {"size": (12, 8)}, weight(7, 7, 2)),
    Row("big_vision_naflex_resize", {"length": 25}, {**weight(8, 8, 2), **PADDED_IMAGES}),
    Row("radio_resize", {"size": (5, 12), "grid": (8, 6)}, weight(8, 6, 2)),
    Row("timm_naflex_resize", {"size": (5, 9), "grid": (8, 8), "ar_preserving": True}, weight(8, 8, 2)),
    Row("timm_naflex_factorized_resize", {"size": 5, "side": 16, "larger": 9}, weight(16, 3)),
    Row("sam2_resize", WIDE, weight(7, 7, 2, window=scattered("float32", (8, 8, 2), 531))),
    Row("sam3_resize", {"size": (12, 5)}, weight(5, 7, 2)),
    Row("ast_resize", {"size": (13, 6), "grid": (12, 15)}, weight(182, 2)),
    *[Row(f"{name}_resize", {}, {**weight(8, 8, 2), **IMAGES})
      for name in ("qwen3_vl", "glm4v", "kimi_k25", "paddleocr_vl", "cosmos3_edge")],
    Row("siglip2_resize", {"length": 25}, {**weight(8, 8, 2), **PADDED_IMAGES}),
]  # fmt: skip


def read(num_rows, *rows, shape=None, dim=2):
    """A learned table, and rows of it."""
    return {"weight": scattered("float32", (num_rows, dim), 400 + num_rows), "rows": listed(rows, shape=shape)}


def positions_of(count, dim=2):
    """The sizes of a table."""
    return {"max_position_embeddings": count, "dim": dim}


def square(side, dim=2):
    """The sizes of a table of an image of side x side patches."""
    return {"image_size": 16 * side, "patch_size": 16, "dim": dim}


def tables_of(count, *shape):
    """Tables of one shape, of boxes or of axes."""
    return {"weights": scattered("float32", (count, *shape), 450 + shape[0])}


OFF = ("OffByOne",)
AXES = ("AxisOrder", "NonSquare")
BOXES = {"boxes": listed((2, 3, 9, 5, 0, 0, 19, 19, 4, 7, 11, 7), shape=(3, 4))}
LEARNED = [
    *[
        Row(name, positions_of(7), read(7, *rows), flags=OFF)
        for name, rows in (
            ("bert", range(7)), ("gpt2", (5, 6)), ("clip", range(7)), ("led", (3, 4)), ("blenderbot", range(4)),
            ("canine", range(7)), ("layoutlm", range(5)), ("layoutlmv2", range(6)), ("timesformer_time", range(7)),
        )
    ],
    *[
        Row(name, positions_of(5), read(7, *rows), flags=OFF)
        for name, rows in (("bart", range(2, 7)), ("mbart", (6,)), ("yoso", range(2, 7)))
    ],
    *[
        Row(name, positions_of(6), read(6, *rows, shape=(2, 4)), flags=OFF)
        for name, rows in (
            ("roberta", (2, 3, 4, 5, 1, 1, 2, 3)), ("camembert", (1, 2, 3, 4, 2, 1, 3, 1)),
            ("longformer", (2, 3, 1, 1, 1, 1, 1, 1)), ("esm", (2, 3, 4, 5, 2, 3, 4, 1)),
            ("mpnet", (2, 1, 3, 4, 2, 3, 4, 5)), ("luke", (2, 3, 4, 1, 2, 3, 1, 1)),
            ("layoutlmv3", (2, 3, 4, 5, 2, 3, 1, 1)), ("lilt", (1, 1, 2, 3, 2, 3, 4, 5)),
        )
    ],
    *[
        Row(name, positions_of(5), read(7, *rows, shape=(2, 4)), flags=OFF)
        for name, rows in (("opt", (1, 1, 2, 3, 2, 3, 4, 5)), ("biogpt", (2, 1, 3, 4, 1, 2, 3, 4)))
    ],
    Row("prophetnet", positions_of(3), read(3, 1, 2, 2, 0, 1, 0, 2, 2, shape=(2, 4)), flags=OFF),
    Row("tapas", positions_of(3), read(3, 0, 1, 2, 2, 0, 0, 1, 0), flags=OFF),
    Row("layoutlm_boxes", {}, {**tables_of(4, 20, 2), **BOXES}, flags=AXES),
    Row("layoutlmv2_boxes", {}, {**tables_of(4, 21, 2), **BOXES}, flags=AXES),
    Row("layoutlmv3_boxes", {}, {**tables_of(4, 1024, 1), **BOXES}, flags=AXES),
    Row("lilt_boxes", {}, {**tables_of(4, 22, 2), **BOXES}, flags=AXES),
    Row("luke_entities", {}, read(9, 2, 3, 4, 7, -1, -1, -1, -1, -1, shape=(3, 3)), flags=OFF),
    Row("detr_learned", {}, tables_of(2, 5, 3), {"grid": [3, 5]}, flags=AXES),
    Row("florence2_image", {}, tables_of(2, 6, 3), {"grid": [5, 2]}, flags=AXES),
    Row("reformer", {"axial_pos_shape": (3, 5)}, tables_of(2, 7, 2), flags=AXES),
    Row("vit", square(3), read(10, *range(10)), flags=OFF),
    Row("deit", square(3), read(11, *range(11)), flags=OFF),
    Row("dinov2", square(2), read(5, *range(5)), flags=OFF),
    Row("dinov2_with_registers", square(4), read(17, *range(17)), flags=OFF),
    Row("siglip", square(4), read(16, *range(16)), flags=OFF),
    Row("vivit", {"num_frames": 4, "image_size": 4, "tubelet_size": (2, 2, 1), "dim": 2}, read(17, *range(17)),
        flags=OFF),
    Row("vq_diffusion", {}, tables_of(2, 8, 3), {"grid": [3, 5]}, flags=AXES),
    Row("gemma4_learned", {}, tables_of(2, 9, 3), {"grid": [5, 2]}, flags=AXES),
    Row("timesformer", square(2), read(5, *range(5)), flags=OFF),
    *[
        Row(name, square(side), read(side * side, *rows), flags=AXES)
        for name, side, rows in (
            ("idefics2", 5, (0, 1, 3, 15, 16, 18)), ("idefics3", 6, (0, 3, 18, 21)), ("smolvlm", 4, (0, 2, 8, 10)),
            ("phi4_multimodal", 3, (0, 1, 2, 6, 7, 8)), ("minicpm_v", 7, (0, 3, 28, 31)),
        )
    ],
]  # fmt: skip
GRAPHS = [
    Row("benchmarking_gnns", {"k": 6}, both(cells(3, 4)), {"n": 12}, flags=()),
    Row("graphgps", {"k": 6}, both([*CAFFEINE, (3, 3)]), {"n": 15}, flags=()),
]
ROWS = [*SEQUENCES, *GRAPHS, *(row._replace(flags=RESIZED) for row in RESIZINGS), *LEARNED]


def tables(function, value):
    """The tables of the models that call that function, in float32."""

    def plain(number):
        if isinstance(number, tuple):
            return [plain(one) for one in number]
        if isinstance(number, tuple):
            return list(number)
        return fraction(number.numerator, number.denominator) if isinstance(number, Fraction) else number

    kind = {"dtype": "float32"} if "dtype" in inspect.signature(catalogue.find(function).function).parameters else {}
    return [
        value(slug(row.name), f"{row.name}: the table of the model", **kind, inputs=row.inputs,
              flags=row.flags, source=encoding.source, **row.where,
              **{name: plain(argument) for name, argument in encoding.arguments.items()})
        for row in ROWS
        if (encoding := row.encoding).function == function
    ]  # fmt: skip
