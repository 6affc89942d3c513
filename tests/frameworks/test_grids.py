"""Sine-cosine grids beside the code that models run: every element within the bound that its precision has."""

from fractions import Fraction
from types import SimpleNamespace

import numpy as np
import pytest
import torch
from diffusers.models.embeddings import (
    CogVideoXPatchEmbed,
    CogView3PlusPatchEmbed,
    PatchEmbed,
    get_2d_sincos_pos_embed,
    get_3d_sincos_pos_embed,
)
from positional_encodings import torch_encodings
from real_code import hf
from transformers import Aimv2VisionConfig, ViTMAEConfig

import refpos
from frameworks._timm import timm_module
from refpos import compare, coordinates
from refpos.conformance import error_bounds

MODES = "float64-angle", "float32-angle"


def met(theirs, dtype, **call):
    """The strictest class that their table meets, against the same call of refpos."""
    ours = refpos.absolute.sincos_grid(**call, dtype=dtype)
    found = theirs.detach().numpy() if isinstance(theirs, torch.Tensor) else theirs
    assert found.dtype == ours.dtype
    bounds = error_bounds.bounds("sincos_grid", call, {}, dtype)
    bounds = {name: limit["output"] for name, limit in bounds.items()}
    return compare(found.reshape(ours.shape), ours, bounds=bounds).met


def closer(theirs, dtype, **call):
    """Whether their table meets a class at least as strict as that of float64 angles."""
    return met(theirs, dtype, **call) in ("correct", "faithful", "float64-angle")


# -- transformers -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("model", ["vit_mae", "aimv2", "rt_detr", "granite_docling"])
@pytest.mark.parametrize("height, width, dim, cls", [(3, 5, 16, False), (20, 30, 64, True), (1, 7, 4, True)])
def test_the_builder_of_transformers_is_rows_first(model, height, width, dim, cls):
    build = hf(model).build_2d_sinusoidal_position_embedding
    call = {"grid": (height, width), "dim": dim, "extra_tokens": int(cls)}
    theirs = build(height, width, dim, cls_token=cls)
    assert closer(theirs, "float32", **call, axis_order="hw")
    assert height == 1 or met(theirs, "float32", **call, axis_order="wh") is None
    assert closer(build(height, width, dim, 100.0, dtype=torch.float64), "float64", **{**call, "extra_tokens": 0},
                  axis_order="hw", base=100.0)  # fmt: skip


def test_vit_mae_turns_the_halves():
    sizes = {"hidden_size": 32, "num_hidden_layers": 1, "num_attention_heads": 2, "intermediate_size": 8}
    config = ViTMAEConfig(
        **sizes, decoder_hidden_size=24, decoder_num_hidden_layers=1, decoder_num_attention_heads=2, patch_size=32,
        decoder_intermediate_size=8,
    )  # fmt: skip
    embeddings, decoder = hf("vit_mae").ViTMAEEmbeddings(config), hf("vit_mae").ViTMAEDecoder(config, 49)
    embeddings.initialize_weights()
    decoder.initialize_weights(49)
    call = {"grid": (7, 7), "axis_order": "wh", "extra_tokens": 1}
    assert closer(embeddings.position_embeddings, "float32", **call, dim=32)
    assert closer(decoder.decoder_pos_embed, "float32", **call, dim=24)


def test_aimv2_turns_the_halves():
    config = Aimv2VisionConfig(hidden_size=16, patch_size=2, image_size=8, is_native=True)
    module = hf("aimv2").Aimv2VisionEmbeddings(config)
    with torch.no_grad():
        for weight in module.parameters():
            weight.zero_()
        theirs = module(torch.zeros(1, 3, 6, 10))
    assert closer(theirs, "float32", grid=(3, 5), dim=16, axis_order="wh", extra_tokens=0)


def test_granite_docling_turns_the_halves():
    theirs = hf("granite_docling").GraniteDoclingPositionEmbedding.build(64, 8)
    assert closer(theirs, "float32", grid=(8, 8), dim=64, axis_order="wh", extra_tokens=0)


def test_the_module_of_rt_detr():
    module = hf("rt_detr").RTDetrSinePositionEmbedding(16, 10000)
    call = {"grid": (3, 5), "dim": 16, "axis_order": "hw", "extra_tokens": 0}
    assert closer(module(5, 3, torch.device("cpu"), torch.float32), "float32", **call)


@pytest.mark.parametrize("width, height, dim", [(5, 3, 16), (20, 20, 256), (30, 20, 8), (1, 4, 4)])
def test_omdet_turbo_has_columns_outside(width, height, dim):
    theirs = hf("omdet_turbo").OmDetTurboHybridEncoder.build_2d_sincos_position_embedding(width, height, dim)
    call = {"grid": (height, width), "dim": dim, "extra_tokens": 0}
    order = {"axis_order": "wh", "token_order": "column-major"}
    assert met(theirs, "float32", **call, **order) in ("correct", "faithful", "float32-angle")
    rows_outside = met(theirs, "float32", **call, axis_order="hw")
    assert (rows_outside is not None) == (width == height)  # on squares both are one


def test_videomae_has_one_index():
    for count, dim in ((30, 8), (1568, 64)):
        theirs = hf("videomae").get_sinusoid_encoding_table(count, dim)
        call = {"grid": (count,), "dim": dim, "axis_order": (0,), "layout": "interleaved"}
        assert closer(theirs, "float32", **call)
    assert met(theirs, "float32", **{**call, "layout": "sin-cos"}) is None


@pytest.mark.parametrize("frames", [1, 3, 4])
def test_kimi_k25_begins_with_a_row_of_zeros(frames):
    sizes = {"pos_emb_height": 2, "pos_emb_width": 2, "pos_emb_time": frames, "hidden_size": 16}
    module = hf("kimi_k25").Kimi_K25VisionPositionEmbeddings(SimpleNamespace(**sizes))
    theirs = module.compute_pos_embed()
    call = {"grid": (frames,), "dim": 16, "axis_order": (0,), "extra_tokens": 1}
    assert not theirs[0].any() and met(theirs, "float32", **call) in ("correct", "faithful", "float32-angle")
    # only single images have row 0: their frames count from row 1
    grid = torch.tensor([[1, 2, 2], [frames, 1, 2]])
    rows = hf("kimi_k25").get_vision_frame_index(grid).tolist()
    first = int(frames > 1)
    assert rows == [0] * 4 + [first + t for t in range(frames) for _ in range(2)]


# -- diffusers --------------------------------------------------------------------------------------------------------


def squeezed(size, base, scale=1):
    return coordinates.affine(size, step=Fraction(base) / size / Fraction(scale))


@pytest.mark.parametrize(
    "height, width, base, scale", [(16, 16, 16, 1), (7, 12, 16, 1), (3, 5, 8, 2.0), (40, 30, 64, 2)]
)
def test_get_2d_sincos_pos_embed(height, width, base, scale):
    theirs = get_2d_sincos_pos_embed(
        16, (height, width), cls_token=True, extra_tokens=2, base_size=base, interpolation_scale=scale
    )
    call = {"grid": (squeezed(height, base, scale), squeezed(width, base, scale)), "dim": 16, "extra_tokens": 2}
    # coordinates are float32, all else is float64
    assert met(theirs.float(), "float32", **call, axis_order="wh") in ("correct", "faithful", *MODES)
    assert met(theirs.float(), "float32", **call, axis_order="hw") is None
    plain = get_2d_sincos_pos_embed(16, (height, width), cls_token=True, base_size=base)
    assert len(plain) == height * width  # a class token without extra_tokens adds nothing


@pytest.mark.parametrize("height, width", [(7, 12), (8, 8), (16, 1)])
def test_stable_diffusion_3_crops_the_middle(height, width):
    module = PatchEmbed(height=16, width=16, patch_size=2, embed_dim=16, pos_embed_max_size=16)
    theirs = module.cropped_pos_embed(2 * height, 2 * width)
    full = squeezed(16, 8)
    call = {"dim": 16, "axis_order": "wh", "extra_tokens": 0}
    middle = [coordinates.cropped(full, size) for size in (height, width)]
    assert closer(theirs, "float32", grid=middle, **call)
    corner = [coordinates.cropped(full, size, start=0) for size in (height, width)]
    assert met(theirs, "float32", grid=corner, **call) is None


@pytest.mark.parametrize("height, width", [(8, 8), (3, 5)])
def test_patch_embed_of_pixart_and_dit(height, width):
    module = PatchEmbed(height=16, width=16, patch_size=2, in_channels=1, embed_dim=16, interpolation_scale=2)
    with torch.no_grad():
        for weight in module.parameters():
            weight.zero_()
        theirs = module(torch.zeros(1, 1, 2 * height, 2 * width))
    call = {"grid": [squeezed(size, 8, 2) for size in (height, width)], "dim": 16, "extra_tokens": 0}
    assert met(theirs, "float32", **call, axis_order="wh") in ("correct", "faithful", *MODES)


def test_cogview3_plus_crops_the_corner():
    module = CogView3PlusPatchEmbed(in_channels=1, hidden_size=16, text_hidden_size=4, pos_embed_max_size=8)
    with torch.no_grad():
        for weight in module.parameters():
            weight.zero_()
        theirs = module(torch.zeros(1, 1, 6, 10), torch.zeros(1, 4, 4))
    assert closer(theirs, "float32", grid=(3, 5), dim=16, axis_order="wh", extra_tokens=4)


@pytest.mark.parametrize("scale", [1.0, 1.875])
def test_get_3d_sincos_pos_embed(scale):
    theirs = get_3d_sincos_pos_embed(64, (6, 4), 3, spatial_interpolation_scale=scale)
    step = 1 / Fraction(scale)
    along = [coordinates.affine(size, step=step) for size in (4, 6)]
    call = {"grid": [3, *along], "dim": 64, "widths": (16, 24, 24), "extra_tokens": 0}
    assert met(theirs.float(), "float32", **call, axis_order="twh") in ("correct", "faithful", *MODES)
    assert met(theirs.float(), "float32", **call, axis_order="thw") is None


def test_cogvideox_has_zeros_for_text():
    module = CogVideoXPatchEmbed(embed_dim=16, text_embed_dim=4, sample_width=12, sample_height=8, sample_frames=9)
    theirs = module.pos_embedding
    step = Fraction(8, 15)
    along = [coordinates.affine(size, step=step) for size in (4, 6)]
    call = {"grid": [3, *along], "dim": 16, "widths": (4, 6, 6), "extra_tokens": 226}
    assert met(theirs.float(), "float32", **call, axis_order="twh") in ("correct", "faithful", *MODES)


# -- timm and positional-encodings ------------------------------------------------------------------------------------


@pytest.mark.parametrize("height, width, dim", [(3, 5, 16), (4, 4, 64), (1, 7, 4)])
def test_timm_has_the_kinds_apart(height, width, dim):
    build = timm_module("layers").build_sincos2d_pos_embed
    call = {"grid": (height, width), "dim": dim, "extra_tokens": 0}
    for packing in ("kinds", "axes"):
        theirs = build([height, width], dim, interleave_sin_cos=packing == "axes")
        assert met(theirs, "float32", **call, axis_order="hw", packing=packing) in ("correct", "faithful", *MODES)
    # reverse_coord: the grid of the reversed shape
    theirs = build([height, width], dim, reverse_coord=True)
    order = {"axis_order": "wh", "token_order": "reversed", "packing": "kinds"}
    assert met(theirs, "float32", **call, **order) in ("correct", "faithful", *MODES)
    same = refpos.absolute.sincos_grid(**call, **order) == refpos.absolute.sincos_grid(
        **call, axis_order="hw", packing="kinds"
    )
    assert same.all() == (height == width)  # no difference on squares


@pytest.mark.parametrize("sizes, channels", [((4,), 7), ((3, 5), 7), ((3, 5), 10), ((2, 3, 4), 7), ((2, 3, 4), 16)])
@pytest.mark.parametrize("permuted", [False, True])
def test_positional_encodings_cuts_the_last_axis(sizes, channels, permuted):
    count = len(sizes)
    module = getattr(torch_encodings, f"PositionalEncoding{'Permute' * permuted}{count}D")(channels)
    if permuted:
        theirs = module(torch.zeros(1, channels, *sizes)).movedim(1, -1)[0].contiguous()
    else:
        theirs = module(torch.zeros(1, *sizes, channels))[0].contiguous()
    width = 2 * -(-channels // (2 * count))
    call = {"grid": sizes, "dim": channels, "axis_order": range(count), "widths": [width] * count}
    assert met(theirs, "float32", **call, layout="interleaved") in ("correct", "faithful", *MODES)
    assert met(theirs, "float32", **call) is None


def test_positional_encodings_keeps_the_dtype_of_the_first_call():
    module = torch_encodings.PositionalEncoding2D(8)
    first, second = (module(torch.zeros(1, 3, 5, 8, dtype=dtype)) for dtype in (torch.float16, torch.float32))
    assert first.dtype is second.dtype is torch.float16


# -- code that does not install here, written out from its repository --------------------------------------------------


def sines(width, count):
    bands = 1.0 / 10000.0 ** (torch.arange(count).float() / count)
    return torch.arange(width).float()[:, None] * bands


@pytest.mark.parametrize("ratio", [0.1, 1.0, 2.7])
def test_scale_mae_multiplies_coordinates(ratio):
    """Scale-MAE 89280d8, get_2d_sincos_pos_embed_with_resolution: all in float32, columns first."""
    res = np.float32(ratio)
    rows, columns = (torch.arange(size).float() * float(res) for size in (3, 5))
    omega = sines(2, 4)[1]
    blocks = [part for along in (columns[None, :].expand(3, 5), rows[:, None].expand(3, 5))
              for angle in [along.reshape(-1, 1) * omega] for part in (angle.sin(), angle.cos())]  # fmt: skip
    along = [coordinates.affine(size, step=res) for size in (3, 5)]
    call = {"grid": along, "dim": 16, "extra_tokens": 0}
    assert met(torch.cat(blocks, 1), "float32", **call, axis_order="wh") in ("correct", "faithful", *MODES)
    assert met(torch.cat(blocks, 1), "float32", **call, axis_order="hw") is None


@pytest.mark.parametrize("dim, each", [(1024, 128), (512, 64)])
def test_satmae_has_places_and_times(dim, each):
    """SatMAE e31c11f, models_mae_temporal.py: the table of MAE, repeated for each image, beside its times."""
    times, height = torch.tensor([[13, 0, 0], [15, 6, 23], [14, 11, 12]]), 3
    omega = 1.0 / 10000 ** (torch.arange(each // 2, dtype=torch.float64) / (each / 2))
    columns = times[..., None].float().double() * omega
    of_times = torch.cat([columns.sin(), columns.cos()], -1).reshape(3, 1, 3 * each).expand(-1, height**2, -1)
    of_places = get_2d_sincos_pos_embed(dim - 3 * each, height, base_size=height).repeat(3, 1)
    theirs = torch.cat([of_places, of_times.reshape(3 * height**2, -1)], -1).float().numpy()
    sinusoids = {"dim": each, "layout": "sin-cos", "dtype": "float32"}
    calls = [
        {"function": "sincos_2d", "arguments": {"height": height, "width": height, "dim": dim - 3 * each,
                                               "axis_order": "wh", "extra_tokens": 0, "dtype": "float32"}},
        *[{"function": "sinusoidal", "arguments": {**sinusoids, "positions": times.numpy()[:, k, None]}}
          for k in range(3)],
    ]  # fmt: skip
    ours = refpos.absolute.joined(
        [refpos.catalogue.find(call["function"]).function(**call["arguments"]) for call in calls]
    )
    bounds = error_bounds.bounds("joined", {"parts": calls}, {}, "float32")
    report = compare(theirs.reshape(ours.shape), ours, bounds={name: limit["output"] for name, limit in bounds.items()})
    assert report.met in ("correct", "faithful", "float64-angle")
    swapped = refpos.absolute.joined(
        [refpos.catalogue.find(calls[k]["function"]).function(**calls[k]["arguments"]) for k in (0, 1, 3, 2)]
    )
    assert compare(swapped, ours, bounds={name: limit["output"] for name, limit in bounds.items()}).met is None
