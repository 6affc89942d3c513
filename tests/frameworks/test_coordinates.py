"""Sines of detection and Fourier features of continuous coordinates: the real code beside refpos, in its class."""

from fractions import Fraction
from types import SimpleNamespace

import numpy as np
import pytest
import torch
from coverage_rows import SINES
from diffusers.models.autoencoders.autoencoder_kl_mochi import FourierFeatures
from diffusers.models.embeddings import GaussianFourierProjection, get_fourier_embeds_from_boundingbox
from diffusers.models.transformers.transformer_minimax_music3 import MiniMaxMusic3FourierEmbedding
from diffusers.pipelines.stable_audio.modeling_stable_audio import StableAudioPositionalEmbedding
from real_code import hf
from transformers.models.bros.modeling_bros import BrosPositionalEmbedding2D
from transformers.models.deformable_detr.modeling_deformable_detr import DeformableDetrModel
from transformers.models.esmfold2.modeling_esmfold2 import EsmFold2FourierEmbedding
from transformers.models.lightglue import modeling_lightglue
from transformers.models.perceiver.modeling_perceiver import build_linear_positions, generate_fourier_features
from transformers.models.pp_doclayout_v2.modeling_pp_doclayout_v2 import PPDocLayoutV2PositionRelationEmbedding
from transformers.models.sam.modeling_sam import SamPositionalEmbedding, SamPromptEncoder
from transformers.models.sam2_video.modeling_sam2_video import get_1d_sine_pe
from transformers.models.superglue import modeling_superglue

import refpos
from frameworks._timm import timm_module
from refpos import compare, coordinates, grid
from refpos.absolute import fourier_bands
from refpos.conformance import error_bounds
from refpos.frequencies import bands


def assert_met(name, theirs, arguments, inputs=(), like="float32-angle"):
    """The result of refpos, of which the real float32 code is in the class."""
    made = dict(arguments)
    if "frequencies" in made:
        calls = made["frequencies"]
        several = [bands(**one["arguments"]) for one in (calls if isinstance(calls, list) else [calls])]
        made["frequencies"] = several if isinstance(calls, list) else several[0]
    ours = refpos.catalogue.find(name).function(**made, **dict(inputs), dtype="float32")
    limits = error_bounds.bounds(name, arguments, dict(inputs), "float32")
    bounds = {kind: limit["output"] for kind, limit in limits.items()}
    assert limits[like]["output"].max() < 1e-2, "a bound that shows something"
    report = compare(np.ascontiguousarray(theirs, np.float32), ours, bounds=bounds)
    assert report.classes[like].met, str(report)
    return ours


def points(shape, seed):
    """Points in 0 .. 1, the ends among them."""
    x = np.random.default_rng(seed).random(shape, np.float32)
    x.reshape(-1)[:3] = 0, 1, 0.5
    return x


@pytest.mark.parametrize(("count", "order"), [(2, [1, 0]), (4, [1, 0, 2, 3])])
@pytest.mark.parametrize("model", SINES)
def test_boxes_and_points(model, count, order):
    boxes = points((5, 2, count), count)
    theirs = hf(model).encode_sinusoidal_position_embedding(torch.from_numpy(boxes), 128).numpy()
    arguments = {"dim": 128 * count, "order": order, "factor": "2pi"}
    ours = assert_met("coordinate_sine", theirs, arguments, {"coordinates": boxes})
    swapped = refpos.absolute.coordinate_sine(
        boxes, 128 * count, order=list(range(count)), factor="2pi", dtype="float32"
    )
    assert np.abs(swapped - ours).max() > 0.5


def test_the_proposals_of_deformable_detr():
    own = SimpleNamespace(config=SimpleNamespace(d_model=256))
    logits = torch.from_numpy(np.random.default_rng(1).standard_normal((2, 7, 4)).astype(np.float32))
    theirs = DeformableDetrModel.get_proposal_pos_embed(own, logits).numpy()
    arguments = {"dim": 512, "order": [0, 1, 2, 3], "factor": "2pi"}
    assert_met("coordinate_sine", theirs, arguments, {"coordinates": logits.sigmoid().numpy()})


@pytest.mark.parametrize("model", ["grounding_dino", "mm_grounding_dino"])
def test_the_text_of_grounding_dino_turns_by_whole_turns(model):
    ids = np.arange(256)[:, None]
    theirs = hf(model).encode_sinusoidal_position_embedding(torch.from_numpy(ids).float(), 256).numpy()
    arguments = {"dim": 256, "order": [0], "factor": "2pi"}
    ours = assert_met("coordinate_sine", theirs, arguments, {"coordinates": ids})
    assert not ours[:, 0].any() and (ours[:, 1] == 1).all() and theirs[1:, 0].all()  # theirs has no exact zero


def test_bros():
    config = SimpleNamespace(dim_bbox=8, dim_bbox_sinusoid_emb_1d=64)
    boxes = 100 * (points((2, 3, 3, 8), 5) - np.float32(0.5))
    theirs = BrosPositionalEmbedding2D(config)(torch.from_numpy(boxes)).numpy()
    arguments = {"dim": 512, "order": list(range(8)), "factor": 1, "layout": "sin-cos"}
    assert_met("coordinate_sine", theirs, arguments, {"coordinates": boxes})


@pytest.mark.parametrize(("module", "share"), [(modeling_superglue, 7), (modeling_lightglue, 5)])
@pytest.mark.parametrize(("height", "width"), [(480, 640), (641, 333)])
def test_keypoints(module, share, height, width):
    pixels = 600 * points((1, 50, 2), 16)
    theirs = module.normalize_keypoints(torch.from_numpy(pixels), height, width).numpy()
    arguments = {"height": height, "width": width, "share": Fraction(share, 10)}
    ours = assert_met("centred_points", theirs, arguments, {"points": pixels})
    other = refpos.absolute.centred_points(pixels, height, width, share=Fraction(12 - share, 10))
    assert np.abs(other - ours).max() > 0.1


def test_the_relations_of_pp_doclayout():
    config = SimpleNamespace(
        relation_bias_embed_dim=16, relation_bias_scale=100, relation_bias_theta=10000, num_attention_heads=8
    )
    module, boxes = PPDocLayoutV2PositionRelationEmbedding(config), points((2, 5, 4), 15)
    boxes[0, 1], boxes[1, 2, 2] = boxes[0, 0], 0
    sources, targets = torch.from_numpy(boxes), torch.from_numpy(boxes[:, :3].copy())
    theirs = module.get_position_embedding(module.box_relative_encoding(sources, targets), module.scale).numpy()
    inputs = {"boxes": boxes, "targets": boxes[:, :3]}
    ours = assert_met("box_relation", theirs, {"dim": 16}, inputs)
    turned = refpos.relative.box_relation(boxes[:, :3], 16, targets=boxes).swapaxes(1, 2)
    assert np.array_equal(ours[0, 1, 0], np.tile([0.0, 1.0], 4).repeat(8)) and np.abs(turned - ours).max() > 0.5


@pytest.mark.parametrize("dim", [8, 64, 256])
def test_the_object_pointers_of_sam2(dim):
    times = torch.arange(16) / 15
    theirs = get_1d_sine_pe(times, dim).numpy()
    exact = [coordinates.listed([Fraction(k, 15) for k in range(16)])]
    arguments = {"dim": dim, "order": [0], "factor": 1, "layout": "sin-cos", "repeated": True, "coordinates": exact}
    ours = assert_met("coordinate_sine", theirs, arguments)
    assert np.array_equal(ours[:, 0 : dim // 2 : 2], ours[:, 1 : dim // 2 : 2])


# -- counts of masks --------------------------------------------------------------------------------------------------


def padded():
    """Masks of 7 x 9 cells: in full, padded right and below, and one without any image."""
    masks = np.ones((3, 7, 9), np.int64)
    masks[1, 5:] = masks[1, :, 6:] = masks[2] = 0
    return masks


#: {model: its module that counts masks}, each a copy of the first but for the half of Deformable-DETR
MASKED = {
    "detr": "DetrSinePositionEmbedding",
    "conditional_detr": "ConditionalDetrSinePositionEmbedding",
    "maskformer": "MaskFormerSinePositionEmbedding",
    "mask2former": "Mask2FormerSinePositionEmbedding",
    "oneformer": "OneFormerSinePositionEmbedding",
    "sam2": "Sam2SinePositionEmbedding",
    "sam2_video": "Sam2VideoPositionEmbeddingSine",
    "sam3": "Sam3SinePositionEmbedding",
    "edgetam": "EdgeTamSinePositionEmbedding",
    "edgetam_video": "EdgeTamVideoPositionEmbeddingSine",
    "deformable_detr": "DeformableDetrSinePositionEmbedding",
}


@pytest.mark.parametrize("normalize", [True, False])
@pytest.mark.parametrize("model", MASKED)
def test_the_sine_of_masks(model, normalize):
    half, masks = model == "deformable_detr", padded()
    if half:  # no row or column without image: -1/2 / eps is far beyond float32
        masks = masks[:2] | (np.arange(9) == 0) | (np.arange(7) == 0)[:, None]
    module = getattr(hf(model), MASKED[model])(num_position_features=64, normalize=normalize)
    theirs = module(torch.Size([len(masks), 1, 7, 9]), "cpu", torch.float32, torch.from_numpy(masks))
    plain = module(torch.Size([1, 1, 7, 9]), "cpu", torch.float32).permute(0, 2, 3, 1)[0].numpy()
    arguments = {"dim": 128, "normalize": normalize, "half_pixel": half, "axis_order": "hw"}
    arguments |= {"scale": "2pi"} if normalize else {}
    assert_met("masked_sine_2d", theirs.permute(0, 2, 3, 1).numpy(), arguments, {"mask": masks})
    ours = assert_met("masked_sine_2d", plain, {**arguments, "mask": [7, 9]})
    if normalize:
        other = refpos.absolute.masked_sine_2d([7, 9], **{**arguments, "half_pixel": not half}, dtype="float32")
        assert np.abs(other - ours).max() > 0.1


@pytest.mark.parametrize("bases", [(20, 20), (20, 50)])
def test_the_bases_of_dab_detr(bases):
    config = SimpleNamespace(hidden_size=128, temperature_height=bases[0], temperature_width=bases[1],
                             sine_position_embedding_scale=None)  # fmt: skip
    theirs = hf("dab_detr").DabDetrSinePositionEmbedding(config)(torch.zeros(1), torch.from_numpy(padded()))
    arguments = {"dim": 128, "normalize": True, "half_pixel": False, "axis_order": "hw", "scale": "2pi", "base": bases}
    assert_met("masked_sine_2d", theirs.permute(0, 2, 3, 1).numpy(), arguments, {"mask": padded()})


@pytest.mark.parametrize(
    ("model", "module"),
    [
        ("grounding_dino", "GroundingDinoSinePositionEmbedding"),
        ("mm_grounding_dino", "MMGroundingDinoSinePositionEmbedding"),
    ],
)
def test_the_masks_of_grounding_dino(model, module):
    config = SimpleNamespace(d_model=128, positional_embedding_temperature=20)
    theirs = getattr(hf(model), module)(config)(torch.zeros(1), torch.from_numpy(padded()))
    arguments = {"dim": 128, "normalize": True, "half_pixel": False, "axis_order": "hw", "scale": "2pi", "base": 20}
    assert_met("masked_sine_2d", theirs.permute(0, 2, 3, 1).numpy(), arguments, {"mask": padded()})


@pytest.mark.parametrize("width", [32, 8])
def test_the_counts_of_xcit(width):
    module = timm_module("models.xcit").PositionalEncodingFourier(width, 2 * width)
    module.token_projection = torch.nn.Identity()  # the projection of the table is learned
    module.token_projection.weight = torch.zeros(1)
    theirs = module(1, 3, 5)[0].permute(1, 2, 0).numpy()
    arguments = {"mask": [3, 5], "dim": 2 * width, "normalize": True, "half_pixel": False, "scale": "2pi"}
    assert_met("masked_sine_2d", theirs, {**arguments, "axis_order": "hw"})
    other = refpos.absolute.masked_sine_2d(**arguments, axis_order="wh", dtype="float32")
    assert np.abs(other - theirs).max() > 0.1


# -- bands of frequencies ---------------------------------------------------------------------------------------------


def of_bands(**arguments):
    return {"function": "bands", "arguments": arguments}


@pytest.mark.parametrize("sine_only", [False, True])
@pytest.mark.parametrize(
    ("sizes", "resolution"), [((3, 5), (3, 5)), ((4, 3), (224, 224)), ((7,), (50,)), ((1, 2), (8, 8))]
)
def test_perceiver(sizes, resolution, sine_only):
    positions = build_linear_positions(sizes)
    flat = positions.reshape(1, -1, len(sizes))
    theirs = generate_fourier_features(flat, 16, resolution, concat_pos=True, sine_only=sine_only)
    frequencies = [of_bands(n=16, rule="linear", low=1, high=Fraction(one, 2)) for one in resolution]
    exact = grid(*(coordinates.linspace(-1, 1, size, endpoint=True) for size in sizes))
    arguments = {"frequencies": frequencies, "factor": "pi", "order": "kind-axis-band", "include": "first"}
    arguments |= {"coordinates": exact, "kinds": "sin" if sine_only else "sin-cos"}
    assert_met("fourier_bands", theirs[0].reshape(*sizes, -1).numpy(), arguments)


@pytest.mark.parametrize("width", [4, 8])
def test_gligen(width):
    boxes = points((2, 3, 4), 9)
    theirs = get_fourier_embeds_from_boundingbox(width, torch.from_numpy(boxes)).numpy()
    frequencies = of_bands(n=width, rule="geometric", low=1, high=100, endpoint=False)
    arguments = {"frequencies": frequencies, "factor": 1, "order": "band-kind-axis"}
    ours = assert_met("fourier_bands", theirs, arguments, {"coordinates": boxes})
    other = fourier_bands(boxes, bands(**frequencies["arguments"]), factor="pi", order="band-kind-axis")
    assert np.abs(other - ours).max() > 0.5


def test_the_decoder_of_mochi():
    x = points((2, 3, 2, 2, 2), 10)
    theirs = FourierFeatures()(torch.from_numpy(x)).permute(0, 2, 3, 4, 1).numpy()
    arguments = {"frequencies": of_bands(n=2, rule="powers", low=6, high=7), "factor": "2pi", "include": "first"}
    arguments["order"] = "kind-axis-band"
    assert_met("fourier_bands", theirs, arguments, {"coordinates": np.moveaxis(x, 1, -1)})


@pytest.mark.parametrize("rule", ["linear", "geometric"])
@pytest.mark.parametrize("height, width, count, resolution", [(2, 3, 8, 224), (5, 1, 3, 64)])
def test_timm(rule, height, width, count, resolution):
    build = timm_module("layers").build_fourier_pos_embed
    parts = build([height, width], num_bands=count, max_res=resolution, linear_bands=rule == "linear",
                  include_grid=True)  # fmt: skip
    theirs = torch.cat(parts, -1).transpose(-1, -2).reshape(height, width, -1).numpy()
    if rule == "linear":  # the bands that its module has
        module = timm_module("layers").FourierEmbed(resolution, count, keep_spatial=True)
        assert np.array_equal(module(torch.zeros(1, 1, height, width))[0, 1:], theirs.transpose(2, 0, 1))
    exact = grid(*(coordinates.linspace(-1, 1, size, endpoint=True) for size in (height, width)))
    arguments = {"frequencies": of_bands(n=count, rule=rule, low=1, high=Fraction(resolution, 2)), "factor": "pi"}
    arguments |= {"coordinates": exact, "include": "first"}
    ours = assert_met("fourier_bands", theirs, {**arguments, "order": "kind-band-axis"})
    other = fourier_bands(exact, bands(count, rule=rule, low=1, high=Fraction(resolution, 2)), factor="pi",
                                 include="first", order="kind-axis-band")  # fmt: skip
    assert np.abs(other - ours).max() > 0.1


# -- projected coordinates --------------------------------------------------------------------------------------------

TWO_PI = {"factor": "2pi", "layout": "sin-cos"}


@pytest.mark.parametrize("flip", [False, True])
def test_noise_levels(flip):
    module = GaussianFourierProjection(16, scale=16.0, log=False, flip_sin_to_cos=flip)
    x = points((6,), 11)
    arguments = {**TWO_PI, "layout": "cos-sin" if flip else "sin-cos"}
    inputs = {"coordinates": x[:, None], "weight": module.weight.detach().numpy()[None]}
    assert_met("fourier_projection", module(torch.from_numpy(x)).detach().numpy(), arguments, inputs)


def test_logarithms_of_noise_levels():
    module = GaussianFourierProjection(16, scale=16.0, log=True)
    x = np.array([0.01, 0.5, 1, 1 + 2.0**-23, 50], np.float32)
    inputs = {"coordinates": x[:, None], "weight": module.weight.detach().numpy()[None]}
    ours = assert_met(
        "fourier_projection", module(torch.from_numpy(x)).detach().numpy(), {**TWO_PI, "transform": "ln"}, inputs
    )
    assert not ours[2, :16].any() and (ours[2, 16:] == 1).all()
    assert np.abs(refpos.absolute.fourier_projection(**inputs, **TWO_PI) - ours).max() > 0.5


def test_the_logarithms_and_phases_of_esmfold2():
    module = EsmFold2FourierEmbedding(32)
    x = np.array([0.4, 2, 16, 160], np.float32)
    theirs = module(0.25 * torch.log(torch.from_numpy(x) / 16)).numpy()
    exact = [coordinates.listed([Fraction(float(one)) / 16 for one in x])]
    inputs = {"weight": module.frequencies.numpy()[None] / 4, "phase": module.phases.numpy()}
    assert_met(
        "fourier_projection", theirs, {**TWO_PI, "layout": "cos", "transform": "ln", "coordinates": exact}, inputs
    )


def test_the_time_of_music3():
    module, x = MiniMaxMusic3FourierEmbedding(32), points((5,), 13)
    inputs = {"coordinates": x[:, None], "weight": module.weight.detach().numpy().T.copy()}
    theirs = module(torch.from_numpy(x)).detach().numpy()
    assert_met("fourier_projection", theirs, {**TWO_PI, "layout": "cos-sin"}, inputs)


def test_the_seconds_of_stable_audio():
    module = StableAudioPositionalEmbedding(32)
    x = points((5,), 12)
    theirs = module(torch.from_numpy(x)).detach().numpy()
    inputs = {"coordinates": x[:, None], "weight": module.weights.detach().numpy()[None]}
    assert_met("fourier_projection", theirs[:, 1:], TWO_PI, inputs)
    assert np.array_equal(theirs[:, 0], x)


def sam():
    """The random projection of SAM, and its weight."""
    module = SamPositionalEmbedding(SimpleNamespace(scale=1.0, num_pos_feats=16))
    return module, module.positional_embedding.detach().numpy()


def test_the_grid_of_sam():
    module, weight = sam()
    height, width = 3, 5
    down, across = np.meshgrid(*((np.arange(n, dtype=np.float32) + np.float32(0.5)) / n for n in (height, width)),
                               indexing="ij")  # fmt: skip
    theirs = module(torch.from_numpy(np.stack([across, down], -1))).detach().numpy()
    # the grid counts rows first, and x is the first coordinate of the weight
    exact = grid(coordinates.half_pixel(height), coordinates.half_pixel(width))
    ours = assert_met("fourier_projection", theirs, {**TWO_PI, "coordinates": exact}, {"weight": weight[::-1].copy()})
    assert not ours[1, 2, :16].any() and (ours[1, 2, 16:] == 1).all()
    swapped = refpos.absolute.fourier_projection(exact, weight, **TWO_PI, dtype="float32")
    assert np.abs(swapped - ours).max() > 0.1


def test_the_points_of_sam():
    module, weight = sam()
    pixels, size = np.array([[0, 0], [511, 3], [1023, 682], [100, 340]], np.float32), 1024
    own = SimpleNamespace(
        input_image_size=size,
        shared_embedding=module,
        not_a_point_embed=SimpleNamespace(weight=torch.zeros(1, 32)),
        point_embed=[SimpleNamespace(weight=torch.zeros(1, 32))] * 4,
    )
    labels = torch.ones(1, 1, len(pixels))
    theirs = SamPromptEncoder._embed_points(own, torch.from_numpy(pixels)[None, None], labels, False)
    exact = [coordinates.listed([Fraction(2 * int(p) + 1, size) - 1 for p in axis]) for axis in pixels.T]
    assert_met(
        "fourier_projection", theirs[0, 0].detach().numpy(), {**TWO_PI, "coordinates": exact}, {"weight": weight}
    )
