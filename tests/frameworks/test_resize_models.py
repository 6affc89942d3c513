"""Learned tables resized as the project of each preset does it: the real function beside refpos, within its class.

Each row runs the real code on a float32 table. Sums in float32 meet `float32-resize`, those of scipy `float64-resize`,
and copied rows are `correct`. `PYTHONPATH=tests python -m frameworks.test_resize_models` writes the table of
docs/tables.md.
"""

import inspect
import math
from collections import Counter
from importlib import import_module
from pathlib import Path
from types import SimpleNamespace
from typing import NamedTuple

import jax
import numpy as np
import pytest
import torch
from scipy import ndimage
from torch.nn.functional import interpolate
from transformers.models.cosmos3_edge.modeling_cosmos3_edge import Cosmos3EdgeVisionEmbeddings
from transformers.models.dpt.modeling_dpt import DPTViTEmbeddings
from transformers.models.glm4v.modeling_glm4v import Glm4vVisionEmbeddings
from transformers.models.hiera.modeling_hiera import HieraEmbeddings
from transformers.models.radio.modeling_radio import RadioPatchEmbeddings
from transformers.models.sam2.modeling_sam2 import Sam2HieraDetModel
from transformers.models.sam3.modeling_sam3 import Sam3ViTEmbeddings
from transformers.models.siglip2.modeling_siglip2 import Siglip2VisionEmbeddings
from transformers.models.timesformer.modeling_timesformer import TimesformerEmbeddings
from transformers.models.tvp.modeling_tvp import TvpVisualInputEmbedding
from transformers.models.vilt.modeling_vilt import ViltEmbeddings
from transformers.vision_utils import get_vision_interpolation_indices_and_weights

import refpos
from frameworks._timm import timm_module
from frameworks.test_resize_table import interpolating, planes, stand_in
from refpos import conformance, models
from refpos.positions import vision_token_order

SIDE, DIM = 14, 3
PAGE = Path(__file__).resolve().parents[2] / "docs" / "tables.md"
TORCH, PACKED = "float32-resize", {"grid_thw": [[1, 16, 24], [2, 6, 4], [1, 2, 14]]}


def numbers(*shape, seed=0):
    return np.random.default_rng(seed).standard_normal(shape).astype(np.float32)


def tensor(array):
    return torch.from_numpy(array)


def result(made):
    """(1, rows, channels) of torch as an array of rows."""
    return made.detach().numpy()[0]


def cells(made):
    """(1, channels, *grid) of torch as rows."""
    return np.moveaxis(made.detach().numpy()[0], 0, -1).reshape(-1, made.shape[1])


def behind(weight, prefix, made):
    """Rows behind those of the class tokens."""
    return np.concatenate([weight[:prefix], made.reshape(-1, weight.shape[-1])])


def rows_of(weight, prefix):
    """The grid behind the class tokens, as torch has it."""
    return planes(weight[prefix:].reshape(SIDE, SIDE, -1))


# -- the real functions: (weight, new size) to what the preset gives --------------------------------------------------


def by_torch(**options):
    return lambda weight, size: back32(interpolate(planes(weight), size=size, **options))


def by_factor(weight, size, factors=(1.6, 0.7)):
    return back32(interpolate(planes(weight), scale_factor=factors, mode="bicubic"))


def back32(made):
    return np.moveaxis(made.numpy()[0], 0, -1)


def by_transformers(name):
    def real(weight, size):
        prefix = len(weight) - SIDE**2
        empty = torch.zeros(1, prefix + size[0] * size[1], DIM)
        with torch.no_grad():
            return result(
                interpolating(name).interpolate_pos_encoding(stand_in(name, weight), empty, *(16 * n for n in size))
            )

    return real


def vilt(weight, size):
    """visual_embed, which draws patches; here it draws them in order."""
    height, width = size
    projection = torch.nn.Conv2d(1, DIM, 1, 1)
    space = SimpleNamespace(
        patch_embeddings=lambda pixels: torch.zeros_like(projection(pixels)), position_embeddings=tensor(weight)[None],
        config=SimpleNamespace(image_size=SIDE, patch_size=1), cls_token=torch.zeros(1, 1, DIM),
        dropout=torch.nn.Identity(),
    )  # fmt: skip
    space.patch_embeddings.projection = projection
    draw, torch.multinomial = torch.multinomial, lambda p, count, **_: torch.arange(int(count))
    try:
        pixels = torch.zeros(1, 1, height, width)
        return result(ViltEmbeddings.visual_embed(space, pixels, torch.ones(1, height, width), -1)[0])
    finally:
        torch.multinomial = draw


def dpt(weight, size):
    return result(DPTViTEmbeddings._resize_pos_embed(None, tensor(weight)[None], *size))


def hiera(weight, size):
    space = SimpleNamespace(patch_stride=(4, 4))
    empty = torch.zeros(1, size[0] * size[1], DIM)
    return result(HieraEmbeddings.interpolate_pos_encoding(space, empty, tensor(weight)[None], *(4 * n for n in size)))


def pvt(weight, size):
    """_get_pos_embed of its authors."""
    if size[0] * size[1] == SIDE**2:
        return weight
    return cells(interpolate(rows_of(weight, 0), size=size, mode="bilinear"))


def timesformer(weight, size):
    """Its embeddings of an image of zeros."""
    empty = torch.zeros(1, size[0] * size[1], DIM)
    space = SimpleNamespace(
        attention_type="space_only", patch_embeddings=lambda pixels: (empty, 1, size[1]),
        cls_token=torch.zeros(1, 1, DIM), position_embeddings=tensor(weight)[None], pos_drop=torch.nn.Identity(),
    )  # fmt: skip
    return result(TimesformerEmbeddings.forward(space, torch.zeros(1)))


def timesformer_time(weight, size):
    empty = torch.zeros(size[0], 1, DIM)
    space = SimpleNamespace(
        attention_type="divided_space_time", patch_embeddings=lambda pixels: (empty, size[0], 1),
        cls_token=torch.zeros(1, 1, DIM), position_embeddings=torch.zeros(1, 2, DIM), pos_drop=torch.nn.Identity(),
        time_embeddings=tensor(weight)[None], time_drop=torch.nn.Identity(),
    )  # fmt: skip
    return result(TimesformerEmbeddings.forward(space, torch.zeros(1)))[1:]


def dino(weight, size):
    """interpolate_pos_encoding of its authors: a scale_factor with 0.1 more, and the size asserted."""
    if tuple(size) == (SIDE, SIDE):
        return weight
    made = interpolate(rows_of(weight, 1), scale_factor=tuple((n + 0.1) / SIDE for n in size), mode="bicubic")
    assert made.shape[2:] == tuple(size)
    return behind(weight, 1, cells(made))


def tvp(weight, size):
    space = SimpleNamespace(max_grid_row_position_embeddings=SIDE, max_grid_col_position_embeddings=SIDE)
    made = TvpVisualInputEmbedding.interpolate_pos_encoding(space, tensor(weight)[None], *size)
    return made.numpy()[0, : size[0], : size[1]]


def vjepa(weight, size):
    if size[1:] == weight.shape[1:3] and size[0] < len(weight):
        return weight[: size[0]]
    factors = tuple(new / old for new, old in zip(size, weight.shape[:-1], strict=True))
    return back32(interpolate(planes(weight), scale_factor=factors, mode="trilinear"))


def vjepa_image(weight, size):
    if tuple(size) == (SIDE, SIDE):
        return weight
    factor = math.sqrt(size[0] * size[1] / SIDE**2)
    return back32(interpolate(planes(weight), scale_factor=factor, mode="bicubic"))


def zoom(weight, size):
    factors = [new / old for new, old in zip(size, weight.shape[:-1], strict=True)]
    return ndimage.zoom(weight, (*factors, 1), order=1)


def zoomed_behind(prefix):
    return lambda weight, size: behind(weight, prefix, zoom(weight[prefix:].reshape(SIDE, SIDE, -1), size))


def by_jax(method, antialias=True):
    def real(weight, size):
        shape = (*size, weight.shape[-1])
        return np.asarray(jax.image.resize(weight, shape, method, antialias, precision=jax.lax.Precision.HIGHEST))

    return real


def naflex_of_big_vision(weight, images, length=400):
    """_pos_emb_resize: a canvas, from which each token reads its row; tokens that pad are at 0, 0."""
    tables = []
    for _, height, width in images:
        scale = jax.numpy.asarray([height, width]) / jax.numpy.asarray(weight.shape[:2])
        canvas = jax.image.scale_and_translate(
            weight, (64, 64, weight.shape[-1]), (0, 1), scale, jax.numpy.zeros(2), "bilinear", antialias=True,
            precision=jax.lax.Precision.HIGHEST,
        )  # fmt: skip
        own = np.asarray(canvas)[:height, :width].reshape(height * width, -1)
        tables.append(np.concatenate([own, np.repeat(np.asarray(canvas)[:1, 0], length - len(own), 0)]))
    return np.stack(tables)


def radio(weight, size):
    space = SimpleNamespace(position_embedding=tensor(weight.reshape(1, -1, DIM)), max_rows=SIDE, max_cols=SIDE)
    made = RadioPatchEmbeddings._interpolate_position_embedding(space, size, torch.float32)
    return result(made).reshape(*size, DIM)


def naflex(**options):
    """The table of timm's NaFlexViT, through the call of batches of one size, or by patches."""

    def real(weight, size):
        space = SimpleNamespace(
            pos_embed=tensor(weight)[None], pos_embed_interp_mode="bicubic", pos_embed_align_corners=False,
            pos_embed_antialias=True, pos_embed_ar_preserving=options.get("ar_preserving", False),
        )  # fmt: skip
        x, vit = torch.zeros(1, size[0] * size[1], DIM), timm_module("models.naflexvit").NaFlexEmbeds
        at = tensor(np.indices(size).reshape(2, -1).T.copy())[None]
        if options.get("use_grid_sample"):
            vit._apply_learned_naflex_pos_embed_grid_sample(space, x, at)
        else:
            vit._apply_learned_naflex_pos_embed(space, x, at)
            one_size = torch.zeros_like(x)
            vit._apply_learned_pos_embed(space, one_size, size)
            assert (one_size == x).all()
        return result(x).reshape(*size, DIM)

    return real


def naflex_factorized(weight, size):
    space = SimpleNamespace(pos_embed_y=tensor(weight)[None], pos_embed_x=torch.zeros(1, 7, DIM),
                            pos_embed_ar_preserving=False)  # fmt: skip
    x = torch.zeros(1, size[0] * 5, DIM)
    timm_module("models.naflexvit").NaFlexEmbeds._apply_factorized_pos_embed(space, x, (size[0], 5))
    return result(x).reshape(size[0], 5, DIM)[:, 0]


def by_timm(weight, size):
    resample = timm_module("layers").resample_abs_pos_embed
    return result(resample(tensor(weight)[None], list(size), (SIDE, SIDE), num_prefix_tokens=1))


WINDOW = numbers(8, 8, DIM, seed=1)


def sam2(weight, size):
    space = SimpleNamespace(pos_embed=planes(weight), pos_embed_window=planes(WINDOW))
    return Sam2HieraDetModel._get_pos_embed(space, size).numpy()[0]


def sam3(weight, size):
    made = Sam3ViTEmbeddings._tile_position_embeddings(None, tensor(weight.reshape(1, -1, DIM)), *size)
    return result(made).reshape(*size, DIM)


def ast(weight, size, grid=(SIDE, SIDE)):
    """ASTModel of its authors: each axis is cut in the middle or interpolated, times first."""
    (f, t), (rows, columns), made = size, grid, planes(weight[2:].reshape(*grid, -1))
    start = int(columns / 2) - int(t / 2)
    made = made[..., start : start + t] if t <= columns else interpolate(made, size=(rows, t), mode="bilinear")
    start = int(rows / 2) - int(f / 2)
    made = made[:, :, start : start + f] if f <= rows else interpolate(made, size=(f, t), mode="bilinear")
    return behind(weight, 2, cells(made))


def packed(name, mode, align, merge):
    """The interpolation of the towers, with the mode and alignment that the class itself sets."""

    def real(weight, images):
        source = inspect.getsource(import_module(f"transformers.models.{name}.modeling_{name}"))
        assert f'interpolation_mode = "{mode}"' in source and f"interpolation_align_corners = {align}" in source
        rows, weights = get_vision_interpolation_indices_and_weights(
            torch.tensor(images), SIDE, mode=mode, align_corners=align, spatial_merge_size=merge
        )
        return (tensor(weight.reshape(-1, DIM))[rows] * weights[:, :, None]).sum(1).numpy()

    return real


def glm4v(weight, images):
    order = vision_token_order(images, order="merge-blocks", spatial_merge_size=2)
    table = torch.nn.Embedding.from_pretrained(tensor(weight.reshape(-1, DIM)))
    space = SimpleNamespace(position_embedding=table, interpolated_method="bicubic")
    lengths = [t * h * w for t, h, w in images]
    with torch.no_grad():
        return Glm4vVisionEmbeddings.forward(
            space, torch.zeros(len(order), DIM), lengths, torch.tensor(images), tensor(order[:, 1]), tensor(order[:, 2])
        ).numpy()


def cosmos3_edge(weight, images):
    resize = Cosmos3EdgeVisionEmbeddings.resize_positional_embeddings
    return resize(tensor(weight), torch.tensor(images), 2).numpy()


def siglip2(weight, images, length=400):
    shapes = torch.tensor(images)[:, 1:]
    return Siglip2VisionEmbeddings.resize_positional_embeddings(tensor(weight), shapes, length).numpy()


# -- the rows ---------------------------------------------------------------------------------------------------------


NONE: dict = {}


class Row(NamedTuple):
    """A preset, the real code, what it has beside sizes, the class that it meets, and its sizes if they are its own."""

    name: str
    real: object
    options: dict = NONE
    met: str = TORCH
    sizes: tuple = ((16, 24), (9, 7), (28, 14), (14, 14), (7, 28))

    @property
    def method(self):
        """The preset and its options, as the page names the row."""
        said = ", ".join(f"{key}={value!r}" for key, value in self.options.items())
        return f"{self.name}({said})"


ONE = ((16, 24),)
PADDED = {"length": 400}
IMAGES = ([[1, 16, 24]], [[1, 6, 4], [1, 2, 14], [1, 6, 4]])
ROWS = [
    *[Row("torch_resize", by_torch(mode=mode, **more), {"mode": mode, **more}, TORCH if mode[0] == "b" else "correct")
      for mode, more in (
          ("bicubic", {}), ("bicubic", {"align_corners": True}), ("bicubic", {"antialias": True}), ("bilinear", {}),
          ("bilinear", {"align_corners": True}), ("bilinear", {"antialias": True}), ("nearest", {}),
          ("nearest-exact", {}))],
    Row("torch_resize", by_torch(mode="trilinear"), {"mode": "trilinear"}, sizes=((3, 5, 9), (2, 20, 4))),
    Row("torch_resize", by_torch(mode="linear"), {"mode": "linear"}, sizes=((24,), (9,), (700,))),
    Row("torch_scale_resize", by_factor, {"scale_factor": (1.6, 0.7)}, sizes=ONE),
    Row("timm_resize", by_timm),
    *[Row("jax_image_resize", by_jax(method, antialias), {"method": method, "antialias": antialias},
          "correct" if method == "nearest" else TORCH)
      for method, antialias in (("cubic", True), ("cubic", False), ("linear", True), ("linear", False),
                                ("nearest", True))],
    Row("scipy_zoom", zoom, met="float64-resize"),
    *[Row(f"{name}_resize", by_transformers(name))
      for name in ("vit deit vit_mae clip blip dinov2 dinov2_with_registers rf_detr tipsv2").split()],
    Row("vilt_resize", vilt),
    Row("dpt_resize", dpt),
    Row("pvt_resize", pvt),
    Row("hiera_resize", hiera),
    Row("timesformer_resize", timesformer, met="correct"),
    Row("timesformer_time_resize", timesformer_time, met="correct", sizes=((24,), (9,), (14,))),
    Row("dino_resize", dino),
    Row("dinov2_original_resize", dino),
    Row("tvp_resize", tvp),
    Row("vjepa_resize", vjepa, sizes=((2, 16, 24), (8, 9, 7), (3, 14, 14))),
    Row("vjepa_image_resize", vjepa_image),
    Row("jax_vit_resize", zoomed_behind(1), met="float64-resize"),
    Row("big_vision_resize", zoomed_behind(0), met="float64-resize"),
    Row("flexivit_resize", by_jax("linear"), sizes=((16, 24), (9, 7), (28, 13))),
    Row("big_vision_naflex_resize", naflex_of_big_vision, PADDED, sizes=IMAGES),
    Row("radio_resize", radio),
    Row("timm_naflex_resize", naflex()),
    Row("timm_naflex_resize", naflex(ar_preserving=True), {"ar_preserving": True}),
    Row("timm_naflex_resize", naflex(use_grid_sample=True), {"use_grid_sample": True}),
    Row("timm_naflex_factorized_resize", naflex_factorized, sizes=((24,), (9,), (14,))),
    Row("sam2_resize", sam2, {"window": "8 x 8"}, sizes=((16, 24), (8, 32), (16, 16))),
    Row("sam3_resize", sam3, met="correct"),
    Row("ast_resize", ast, sizes=((16, 24), (9, 24), (16, 7), (12, 101), (13, 14))),
    Row("qwen3_vl_resize", packed("qwen3_vl", "bilinear", True, 2), sizes=IMAGES),
    Row("glm4v_resize", glm4v, sizes=IMAGES),
    Row("kimi_k25_resize", packed("kimi_k25", "bicubic", False, 1), sizes=IMAGES),
    Row("paddleocr_vl_resize", packed("paddleocr_vl", "bilinear", False, 1), sizes=IMAGES),
    Row("cosmos3_edge_resize", cosmos3_edge, sizes=IMAGES),
    Row("siglip2_resize", siglip2, PADDED, sizes=IMAGES),
]  # fmt: skip


def compared(row, size):
    """The report on the real code at a size."""
    takes = inspect.signature(models.find(row.name).encoding).parameters
    own = {name: value for name, value in row.options.items() if name in takes}
    several = isinstance(size[0], list)
    if "size" in takes and row.name != "timm_naflex_factorized_resize":
        own["size"] = size
    elif not several and "scale_factor" not in takes:
        own["frames" if "frames" in takes else "size"] = size[0]
    if "grid" in takes:
        own["grid"] = {3: (4, SIDE, SIDE)}.get(0 if several else len(size), (SIDE, SIDE))
    if "side" in takes:
        own["side"] = SIDE
    encoding = models.load(row.name, **own)
    axes = 2 if several else len(size)
    prefix = encoding.arguments.get("prefix", 0)
    rows = prefix + SIDE * SIDE
    shape = (rows,) if "grid" in encoding.arguments else {1: (SIDE,), 2: (SIDE, SIDE), 3: (4, SIDE, SIDE)}[axes]
    inputs = {"weight": np.concatenate([numbers(prefix, DIM, seed=2), numbers(rows - prefix, DIM)])}
    if shape != (rows,):
        inputs["weight"] = numbers(*shape, DIM)
    if several:
        inputs["grid_thw"] = np.array(size)
    more = {"window": WINDOW} if "window" in row.options else {}
    theirs = row.real(inputs["weight"], size)
    ours = encoding.table(*inputs.values(), **more)
    limits = conformance.bounds(encoding.function, encoding.arguments, {**inputs, **more}, "float32")
    by_class = {name: outputs["output"] for name, outputs in limits.items()}
    assert theirs.dtype == np.float32 and theirs.size > 2 * DIM
    return refpos.compare(theirs, ours, bounds=by_class, conformance=row.met)


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.method)
def test_tables_are_those_of_the_project(row):
    for size in row.sizes:
        report = compared(row, size)
        assert report, f"{size}: {report}"


@pytest.mark.parametrize("size", [(10, 50), (10, 51), (12, 64), (9, 128), (14, 100), (12, 101)])
def test_ast_cuts_the_grid_that_it_was_trained_on(size):
    """12 x 101, of which an odd number is cut on one side or the other."""
    weight = numbers(2 + 12 * 101, DIM)
    encoding = models.load("ast_resize", size=size)
    limits = conformance.bounds(encoding.function, encoding.arguments, {"weight": weight}, "float32")
    by_class = {name: outputs["output"] for name, outputs in limits.items()}
    theirs = ast(weight, size, (12, 101))
    assert refpos.compare(theirs, encoding.table(weight), bounds=by_class, conformance=TORCH)


def test_torch_leaves_an_antialiased_axis_of_the_same_size():
    """On a CPU, though its factor moves the rows; without antialias it follows the factor."""
    weight = numbers(SIDE, SIDE, DIM)
    for antialias, moved in ((True, False), (False, True)):
        made = interpolate(planes(weight), scale_factor=(2.0, 14.1 / 14), mode="bicubic", antialias=antialias)
        plain = interpolate(planes(weight), size=(28, 14), mode="bicubic", antialias=antialias)
        assert (abs(made - plain).max() > 0.01) == moved
        own = models.load("torch_scale_resize", scale_factor=(2.0, 14.1 / 14), antialias=antialias).table(weight)
        assert (abs(own - back32(made)).max() > 0.01) != moved


def test_every_preset_that_resizes_is_run(capsys):
    """N of N of each library, and of each project whose formula a library computes."""
    presets = {name: models.find(name) for name in models.names() if models.find(name).family == "resizing"}
    run = Counter(presets[name].checked for name in {row.name for row in ROWS})
    wanted = Counter(preset.checked for preset in presets.values())
    with capsys.disabled():
        print("\n" + "\n".join(f"{kind}: {run[kind]} of {count} presets" for kind, count in sorted(wanted.items())))
    assert run == wanted and "formula" not in wanted and len(presets) == 41


# -- the table of the page --------------------------------------------------------------------------------------------

MARK = "<!-- a 14 x 14 grid to 16 x 24 -->\n"


def lines():
    """A line for each method at 16 x 24: its preset, the project, and the largest difference in ulp of float32 at 1."""
    yield "| preset | project | largest difference |"
    yield "| --- | --- | --- |"
    for row in ROWS:
        size = row.sizes[0]
        if len(size) == 3 or row.name.startswith(("timesformer_time", "timm_naflex_factor")) or size == (24,):
            continue
        source = models.find(row.name).encoding().source
        report = compared(row, size)
        worst = 0.0 if not report.different else report.max_abs_error / 2.0**-23
        yield f"| `{row.method}` | {source['project']} {source['version'][:12]} | {worst:.2g} |"


def with_lines(text):
    before, _, after = text.partition(MARK)
    _, _, after = after.partition("\n\n")
    return before + MARK + "\n".join(lines()) + "\n\n" + after


def test_the_page_has_every_method():
    """The differences may change with the library's kernels: by less than a factor of 4."""
    held = PAGE.read_text().partition(MARK)[2].partition("\n\n")[0].splitlines()
    made = list(lines())
    assert [line.rpartition(" | ")[0] for line in held] == [line.rpartition(" | ")[0] for line in made]
    assert len(made) > 45
    for one, other in zip(held[2:], made[2:], strict=True):
        old, new = (float(line.rstrip(" |").rpartition("| ")[2]) for line in (one, other))
        assert min(old, new) * 4 >= max(old, new), (one, other)


if __name__ == "__main__":
    PAGE.write_text(with_lines(PAGE.read_text()))
