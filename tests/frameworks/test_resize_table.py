"""Learned tables resized as torch, Pillow and the models of transformers resize them."""

import importlib
import inspect
from types import SimpleNamespace

import numpy as np
import pytest
import torch
from PIL import Image
from test_resize_table import METHODS
from torch.nn.functional import grid_sample, interpolate
from transformers.models.dpt.modeling_dpt import DPTViTEmbeddings
from transformers.models.glm4v.modeling_glm4v import Glm4vVisionEmbeddings
from transformers.models.hiera.modeling_hiera import HieraEmbeddings
from transformers.models.radio.modeling_radio import RadioPatchEmbeddings
from transformers.models.sam2.modeling_sam2 import Sam2HieraDetModel
from transformers.models.siglip2.modeling_siglip2 import Siglip2VisionEmbeddings
from transformers.models.timesformer.modeling_timesformer import TimesformerEmbeddings
from transformers.models.tvp.modeling_tvp import TvpVisualInputEmbedding
from transformers.models.vilt.modeling_vilt import ViltEmbeddings
from transformers.vision_utils import get_vision_interpolation_indices_and_weights

from refpos import compare, resize_table
from refpos.positions import vision_token_order

SIDE, DIM = 14, 3
CUBIC = {"method": "cubic", "align": "half-pixel", "cubic": -0.75}
ANTIALIAS = {"method": "cubic", "align": "half-pixel", "cubic": -0.5, "antialias": True}
LINEAR = {"method": "linear", "align": "half-pixel"}
CORNERS = {"method": "linear", "align": "corners"}


def numbers(*shape, seed=0):
    return np.random.default_rng(seed).standard_normal(shape)


def planes(weight):
    """(*grid, channels) as torch has it, (1, channels, *grid)."""
    return torch.from_numpy(np.moveaxis(weight, -1, 0)[None].copy())


def back(tensor):
    return np.moveaxis(tensor[0].double().numpy(), 0, -1)


def assert_close(own, theirs, atol=1e-13):
    assert own.shape == theirs.shape
    np.testing.assert_allclose(own, theirs, rtol=0, atol=atol)


# -- torch ------------------------------------------------------------------------------------------------------------

TORCH = [options for options in METHODS if options.get("border") is None and not (
    options["method"] == "cubic" and options["cubic"] == -0.5 and not options.get("antialias"))]  # fmt: skip


def torch_options(options, axes):
    modes = {"linear": ("linear", "bilinear", "trilinear")[axes - 1], "cubic": "bicubic"}
    align = None if options["method"] not in modes else options["align"] == "corners"
    return {"mode": modes.get(options["method"], options["method"]), "align_corners": align,
            "antialias": options.get("antialias", False)}  # fmt: skip


@pytest.mark.parametrize("options", TORCH, ids=lambda options: "-".join(map(str, options.values())))
def test_every_method_of_torch(options):
    assert len(TORCH) == 8
    compared = 0
    for old, new in [((14, 14), (16, 24)), ((14, 14), (9, 7)), ((7, 5), (7, 5)), ((3, 4, 5), (5, 3, 9)), ((9,), (14,)),
                     ((1, 6), (4, 1)), ((37, 37), (16, 16))]:  # fmt: skip
        if len(old) != 2 and (options["method"] == "cubic" or options.get("antialias")):
            continue  # torch has these for two axes only
        weight = numbers(*old, 2)
        theirs = interpolate(planes(weight), size=new, **torch_options(options, len(old)))
        assert_close(resize_table(weight, new, **options), back(theirs))
        compared += 1
    assert compared > 4


@pytest.mark.parametrize("options", [CUBIC, LINEAR], ids=["cubic", "linear"])
@pytest.mark.parametrize("scale", [(16.1 / 14, 24.1 / 14), (1.5, 2.0), (0.4, 1.0)])
def test_a_scale_that_is_given_is_what_torch_uses(options, scale):
    weight = numbers(SIDE, SIDE, 2)
    theirs = back(interpolate(planes(weight), scale_factor=scale, **torch_options(options, 2)))
    own = resize_table(weight, theirs.shape[:2], scale=list(scale), **options)
    assert_close(own, theirs)
    if scale[0] == 16.1 / 14:
        assert abs(own - resize_table(weight, theirs.shape[:2], **options)).max() > 0.01


def test_dino_ramp_moves_by_one_and_a_half():
    ramp = np.arange(196.0).reshape(14, 14, 1)
    moved = resize_table(ramp, (16, 16), scale=16.1 / 14, **CUBIC) - resize_table(ramp, (16, 16), **CUBIC)
    assert 1.5 < abs(moved).max() < 1.6


@pytest.mark.parametrize("border", ["clamp", "zeros"])
@pytest.mark.parametrize("options", [CUBIC, LINEAR], ids=["cubic", "linear"])
def test_borders_of_grid_sample(options, border):
    weight = numbers(5, 9, 2)
    rows, columns = ((torch.arange(n).double() + 0.5) / n * 2 - 1 for n in (8, 13))
    grid = torch.stack(torch.meshgrid(columns, rows, indexing="xy"), -1)[None]
    mode = {"cubic": "bicubic", "linear": "bilinear"}[options["method"]]
    padding = {"clamp": "border", "zeros": "zeros"}[border]
    theirs = grid_sample(planes(weight), grid, mode=mode, align_corners=False, padding_mode=padding)
    assert_close(resize_table(weight, (8, 13), border=border, **options), back(theirs))


@pytest.mark.parametrize("size", [(16, 24), (9, 7), (28, 28)])
def test_antialias_is_that_of_pillow(size):
    weight = numbers(SIDE, SIDE, 1)
    for options, kind in ((ANTIALIAS, Image.BICUBIC), ({**LINEAR, "antialias": True}, Image.BILINEAR)):
        theirs = np.asarray(Image.fromarray(weight[..., 0].astype(np.float32)).resize(size[::-1], kind))
        own = resize_table(weight.astype(np.float32), size, **options)[..., 0]
        assert_close(own, theirs, 1e-6)


# -- interpolate_pos_encoding of transformers -------------------------------------------------------------------------

#: (models, prefix, options)
INTERPOLATE = [
    ("altclip beit blip blip_2 bridgetower chinese_clip clip clipseg data2vec dinov2 flava git", 1, CUBIC),
    ("instructblip instructblipvideo internvl kosmos2 metaclip_2 mlcd owlv2 owlvit qianfan_ocr", 1, CUBIC),
    ("vit vit_mae vit_msn vivit x_clip", 1, CUBIC),
    ("groupvit janus siglip phi4_multimodal granite_docling", 0, CUBIC),
    ("deit", 2, CUBIC),
    ("rf_detr dinov2_with_registers unlimited_ocr", 1, ANTIALIAS),
    ("step3p7", 0, LINEAR),
    ("tipsv2", 1, {**LINEAR, "antialias": True}),
]  # fmt: skip
FILES = {"data2vec": "data2vec_vision"}
EACH = [(name, prefix, options) for names, prefix, options in INTERPOLATE for name in names.split()]


def interpolating(name):
    """The class of a model that has the method."""
    module = importlib.import_module(f"transformers.models.{name}.modeling_{FILES.get(name, name)}")
    method = "interpolate_pos_encoding"
    classes = [
        one for _, one in inspect.getmembers(module, inspect.isclass)
        if one.__module__ == module.__name__ and method in vars(one)
        and list(inspect.signature(getattr(one, method)).parameters)[1:] == ["embeddings", "height", "width"]
    ]  # fmt: skip
    assert len(classes) == 1, classes
    return classes[0]


def stand_in(name, weight):
    """What the method reads of its module: a table, and the size of a patch."""
    table = torch.nn.Parameter(torch.from_numpy(weight)[None])
    embedding = torch.nn.Embedding.from_pretrained(torch.from_numpy(weight))
    of_parameter = name in ("blip", "blip_2", "instructblip", "instructblipvideo")
    pairs = name in ("internvl", "qianfan_ocr", "vivit")
    return SimpleNamespace(
        position_embeddings=table, position_embedding=table if of_parameter else embedding,
        position_ids=torch.arange(len(weight))[None],
        patch_size=(16, 16) if pairs else 16, num_patches=SIDE**2, config=SimpleNamespace(patch_size=16),
        patch_embeddings=SimpleNamespace(num_patches=SIDE**2, patch_size=(16, 16)), cls_token=torch.zeros(1, 1, DIM),
    )  # fmt: skip


@pytest.mark.parametrize("size", [(16, 24), (9, 7), (28, 14)])
@pytest.mark.parametrize("name, prefix, options", EACH, ids=[name for name, _, _ in EACH])
def test_interpolate_pos_encoding(name, prefix, options, size):
    weight = numbers(prefix + SIDE**2, DIM)
    made = interpolating(name).interpolate_pos_encoding(
        stand_in(name, weight), torch.zeros(1, prefix + size[0] * size[1], DIM).double(), *(16 * n for n in size)
    )
    own = resize_table(weight, size, prefix=prefix, grid=(SIDE, SIDE), **options)
    theirs = made.detach().double().numpy()[0]
    in_float32 = made.dtype == torch.float32 or abs(theirs - own).max() > 1e-13
    assert_close(own[len(own) - len(theirs) :], theirs, 2e-5 if in_float32 else 1e-13)
    assert not in_float32 or name in ("dinov2", "dinov2_with_registers", "rf_detr", "tipsv2", "unlimited_ocr")


# -- other models -----------------------------------------------------------------------------------------------------


def test_dpt_and_radio_are_linear():
    weight = numbers(1 + SIDE**2, DIM)
    theirs = DPTViTEmbeddings._resize_pos_embed(None, torch.from_numpy(weight)[None], 10, 20)[0].numpy()
    assert_close(resize_table(weight, (10, 20), prefix=1, grid=(SIDE, SIDE), **LINEAR), theirs)
    space = SimpleNamespace(position_embedding=torch.from_numpy(weight[1:])[None], max_rows=SIDE, max_cols=SIDE)
    for size in ((9, 20), (30, 7), (16, 16)):
        theirs = RadioPatchEmbeddings._interpolate_position_embedding(space, size, torch.float64)[0].numpy()
        largest = resize_table(weight[1:].reshape(SIDE, SIDE, DIM), (max(size),) * 2, **LINEAR)
        assert_close(largest[: size[0], : size[1]].reshape(-1, DIM), theirs, 2e-6)


def test_vilt_is_aligned_at_the_corners():
    weight = numbers(1 + 12 * 12, DIM)
    projection = torch.nn.Conv2d(1, DIM, 32, 32).double()
    space = SimpleNamespace(
        patch_embeddings=lambda pixels: torch.zeros_like(projection(pixels.double())),
        position_embeddings=torch.from_numpy(weight)[None], config=SimpleNamespace(image_size=384, patch_size=32),
        cls_token=torch.zeros(1, 1, DIM).double(), dropout=torch.nn.Identity(),
    )  # fmt: skip
    space.patch_embeddings.projection = projection
    pixels = torch.zeros(1, 1, 10 * 32, 20 * 32)
    found, _, _ = ViltEmbeddings.visual_embed(space, pixels, torch.ones(1, 10 * 32, 20 * 32), max_image_length=-1)
    own = resize_table(weight, (10, 20), prefix=1, grid=(12, 12), **CORNERS)
    # which rows are kept is drawn at random, and so is their order where all are kept
    theirs = found[0].detach().numpy()
    assert {row.round(9).tobytes() for row in own} == {row.round(9).tobytes() for row in theirs}


def test_tvp_gives_the_scale():
    weight = numbers(10, 10, DIM)
    space = SimpleNamespace(max_grid_row_position_embeddings=10, max_grid_col_position_embeddings=10)
    for height, width in ((14, 10), (13, 17)):
        theirs = TvpVisualInputEmbedding.interpolate_pos_encoding(space, torch.from_numpy(weight)[None], height, width)
        scale = [max(height, 10) / 10, max(width, 10) / 10]
        assert_close(resize_table(weight, (height, width), scale=scale, **CUBIC), theirs[0].numpy())


def test_siglip2_pads_with_its_first_resized_row():
    weight = numbers(16, 16, DIM)
    theirs = Siglip2VisionEmbeddings.resize_positional_embeddings(
        torch.from_numpy(weight), torch.tensor([[3, 8], [1, 30]]), 30
    ).numpy()
    for size, table in zip([(3, 8), (1, 30)], theirs, strict=True):
        own = resize_table(weight, size, **LINEAR, antialias=True).reshape(-1, DIM)
        assert_close(np.concatenate([own, np.repeat(own[:1], 30 - len(own), 0)]), table, 2e-6)


def test_an_antialiased_width_of_1_is_wrong_in_torch():
    """torch 2.13.0 repeats its first row there, but not in channels-last memory, and neither does Pillow."""
    weight = numbers(16, 16, 1)
    own = resize_table(weight, (30, 1), **LINEAR, antialias=True)
    right = np.asarray(Image.fromarray(weight[..., 0].astype(np.float32)).resize((1, 30), Image.BILINEAR))
    assert_close(own[..., 0], right, 1e-6)
    theirs = back(interpolate(planes(weight), size=(30, 1), mode="bilinear", align_corners=False, antialias=True))
    assert (theirs == theirs[:1]).all() and abs(theirs - own).max() > 0.1


@pytest.mark.parametrize("name, options, merge", [
    ("qwen3_vl", CORNERS, 2), ("paddleocr_vl", LINEAR, 1), ("kimi_k25", CUBIC, 1),
])  # fmt: skip
def test_weights_of_the_packed_towers(name, options, merge):
    """Their interpolation, with the mode and alignment that the class itself sets, in its order of patches."""
    mode = {"linear": "bilinear", "cubic": "bicubic"}[options["method"]]
    align = options["align"] == "corners"
    source = inspect.getsource(importlib.import_module(f"transformers.models.{name}.modeling_{name}"))
    assert f'interpolation_mode = "{mode}"' in source and f"interpolation_align_corners = {align}" in source
    side, grids = 24, [[1, 6, 10], [2, 4, 4], [1, 48, 2]]
    weight = numbers(side, side, DIM)
    indices, weights = get_vision_interpolation_indices_and_weights(
        torch.tensor(grids), side, mode=mode, align_corners=align, spatial_merge_size=merge
    )
    theirs = (torch.from_numpy(weight).reshape(-1, DIM)[indices] * weights[:, :, None].double()).sum(1).numpy()
    order = vision_token_order(grids, order="merge-blocks", spatial_merge_size=merge)
    own, start = [], 0
    for t, h, w in grids:
        table = resize_table(weight, (h, w), **options)
        _, rows, columns = order[start : start + t * h * w].T
        own.append(table[rows, columns])
        start += t * h * w
    assert_close(np.concatenate(own), theirs, 2e-5)


def test_glm4v_samples_with_clamped_borders():
    weight, (h, w) = numbers(24 * 24, DIM).astype(np.float32), (10, 6)
    rows, columns = (part.reshape(-1) for part in np.indices((h, w)))
    space = SimpleNamespace(position_embedding=torch.nn.Embedding.from_pretrained(torch.from_numpy(weight)),
                            interpolated_method="bicubic")  # fmt: skip
    theirs = Glm4vVisionEmbeddings.forward(
        space, torch.zeros(h * w, DIM), [h * w], torch.tensor([[1, h, w]]), torch.tensor(rows), torch.tensor(columns)
    )
    assert_close(
        resize_table(weight.reshape(24, 24, DIM), (h, w), **CUBIC).reshape(-1, DIM), theirs.detach().numpy(), 2e-5
    )


def test_hiera_and_sam2():
    weight = numbers(49, DIM)
    space = SimpleNamespace(patch_stride=(4, 4))
    theirs = HieraEmbeddings.interpolate_pos_encoding(
        space, torch.zeros(1, 140, DIM).double(), torch.from_numpy(weight)[None], 40, 56
    )
    assert_close(resize_table(weight, (10, 14), grid=(7, 7), **CUBIC), theirs[0].numpy())
    window = numbers(8, 8, DIM, seed=1)
    space = SimpleNamespace(pos_embed=planes(weight.reshape(7, 7, DIM)), pos_embed_window=planes(window))
    theirs = Sam2HieraDetModel._get_pos_embed(space, (16, 24))[0].numpy()
    assert_close(resize_table(weight.reshape(7, 7, DIM), (16, 24), **CUBIC) + np.tile(window, (2, 3, 1)), theirs)


def test_timesformer_takes_the_nearest_row():
    source = inspect.getsource(TimesformerEmbeddings)
    assert source.count('mode="nearest"') == 2
    for old, new in (((5,), (8,)), ((14, 14), (10, 16)), ((8,), (5,)), ((7, 7), (14, 21))):
        weight = numbers(*old, DIM)
        theirs = back(interpolate(planes(weight), size=new, mode="nearest"))
        np.testing.assert_array_equal(resize_table(weight, new, method="nearest"), theirs)


# -- torch in 16 bits -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", [torch.bfloat16, torch.float16])
@pytest.mark.parametrize("channels_last", [False, True])
@pytest.mark.parametrize(("old", "new"), [((4, 5), (7, 6)), ((14, 14), (20, 17)), ((9, 3), (4, 8))])
def test_bicubic_weights_of_torch_are_rounded_to_16_bits(kind, channels_last, old, new):
    """torch keeps the weights of bicubic in the dtype of the table, and those of bilinear in float32."""
    memory = torch.channels_last if channels_last else torch.contiguous_format
    of_16_bits = set()
    for seed in range(4):
        table = planes(numbers(*old, 8, seed=seed)).to(kind).contiguous(memory_format=memory)
        for mode, options in (("bicubic", CUBIC), ("bilinear", LINEAR)):
            made = interpolate(table, size=new, mode=mode, align_corners=False)[0].permute(1, 2, 0)
            weight = table[0].permute(1, 2, 0)
            found = compare(made, resize_table, weight, new, **options)
            if mode == "bilinear":
                assert found and found.met != "weights16", found
            else:
                assert found.report.classes["weights16"].met, found
                of_16_bits.add(found.met)
    assert kind is torch.float16 or of_16_bits == {"weights16"}  # many of float16 are within float32-resize too
