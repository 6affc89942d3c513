"""Learned tables that models resize to the size of their input.

`table` takes the weight, as the checkpoint has it but for an axis of 1 in front and channels first; where several
images of any size make one input it takes their sizes behind it.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Literal, get_args

import numpy as np

from .. import checks
from ..errors import InputError, shown
from ..types import Integer, Number
from . import token_positions
from .absolute import Absolute
from .registry import TRANSFORMERS, from_transformers, preset, row
from .token_positions import image

Sizes = Sequence[Integer]
TorchMode = Literal["nearest", "nearest-exact", "linear", "bilinear", "bicubic", "trilinear"]
JaxMethod = Literal["nearest", "linear", "cubic"]
TORCH_MODES, JAX_METHODS = get_args(TorchMode), get_args(JaxMethod)
SLOPE, SLOPE_WITH_ANTIALIAS = Fraction(-3, 4), Fraction(-1, 2)

CUBIC = {"method": "cubic", "align": "half-pixel", "cubic": SLOPE}
ANTIALIASED_CUBIC = {"method": "cubic", "align": "half-pixel", "cubic": SLOPE_WITH_ANTIALIAS, "antialias": True}
LINEAR = {"method": "linear", "align": "half-pixel"}
ANTIALIASED_LINEAR = {**LINEAR, "antialias": True}
CORNERS = {"method": "linear", "align": "corners"}
NEAREST = {"method": "nearest"}


def _from(project, version, **known):
    """`preset` of a model of any other project, that the tests compare with what it calls in an installed library."""
    return preset(project=project, version=version, positions=known.pop("positions", image), **known)


def _sizes(name, sizes, least=1, count=None):
    """Some sizes as a tuple of ints; count: how many there must be."""
    sizes = tuple(checks.integer(name, one, least, checks.WIDEST) for one in checks.listed(name, sizes, "sizes"))
    if count is not None and len(sizes) != count:
        raise InputError("E_SHAPE", name, f"{name} must be {count} sizes, got {shown(list(sizes))}")
    return sizes


def _sequence(size, grid, prefix, options, square=True):
    """A call for a sequence of `prefix` rows and those of a grid, which the code takes for a square."""
    grid, size = _square(grid) if square else _sizes("grid", grid, 1, 2), _sizes("size", size, 0, 2)
    return Absolute("resize_table", {"size": size, "grid": grid, "prefix": checks.integer("prefix", prefix), **options})


def _square(grid):
    """The sizes of a grid whose side the code finds as the root of its number of rows."""
    grid = _sizes("grid", grid, 1, 2)
    if grid[0] != grid[1]:
        raise InputError("E_SHAPE", "grid", f"grid must be a square, got {grid[0]} x {grid[1]}")
    return grid


def _grid(size, options, count=2):
    """A call for a weight (*grid, channels)."""
    return Absolute("resize_table", {"size": _sizes("size", size, 0, count), **options})


def _packed(options, merge_size=1):
    """A call for several images of any size."""
    return Absolute("resize_packed", {**options, "merge_size": checks.integer("merge_size", merge_size, 1)})


def _cut_from_square(size, grid, options):
    """Resized to a square of the larger side, and cut: its rows lie larger / old apart."""
    size, grid = _sizes("size", size, 0, 2), _sizes("grid", grid, 1, 2)
    larger = max(size)
    scale = {"scale": tuple(Fraction(larger, side) for side in grid)} if larger else {}
    return {"size": size, **options, **scale}


# -- libraries ---------------------------------------------------------------------------------------------------------


@_from(
    "torch", "2.13.0",
    file="nn/functional.py, interpolate",
    checked="torch 2.13.0",
    notes=(
        "With antialias the slope is -1/2 and not -3/4, also where the grid grows.",
        "With scale_factor the size is floor(old * scale_factor), and rows lie 1 / scale_factor apart.",
        "With antialias a new width of 1 repeats the first row in torch 2.13.0.",
    ),
)  # fmt: skip
def torch_resize(
    size: Sizes = (14, 14), *, mode: TorchMode = "bicubic", align_corners: bool = False, antialias: bool = False
) -> Absolute:
    """torch.nn.functional.interpolate, by size.

    nearest, nearest-exact, linear along one to three axes (linear, bilinear, trilinear), or cubic with slope -3/4

    weight: (*grid, channels).

    >>> torch_resize((16, 24), antialias=True).arguments["cubic"]
    Fraction(-1, 2)
    """
    return _grid(size, _torch_options(mode, align_corners, antialias), None)


def _torch_options(mode, align_corners, antialias):
    """Its arguments as those of `resize_table`."""
    checks.choice("mode", mode, TORCH_MODES)
    align_corners, antialias = checks.flag("align_corners", align_corners), checks.flag("antialias", antialias)
    if mode in ("nearest", "nearest-exact"):
        return {"method": mode}
    slope = SLOPE_WITH_ANTIALIAS if antialias else SLOPE
    options = {"method": "cubic", "cubic": slope} if mode == "bicubic" else {"method": "linear"}
    return {**options, "align": "corners" if align_corners else "half-pixel", "antialias": antialias}


@_from(
    "torch", "2.13.0",
    file="nn/functional.py, interpolate",
    checked="torch 2.13.0",
    notes=(
        "A factor is the exact value of the float; torch rounds it to the dtype of the table.",
        "With antialias torch 2.13.0 on a CPU leaves an axis as it is whose size does not change, whatever its factor.",
    ),
)  # fmt: skip
def torch_scale_resize(
    scale_factor: Sequence[Number] = (1, 1),
    *,
    grid: Sizes = (14, 14),
    mode: TorchMode = "bicubic",
    antialias: bool = False,
) -> Absolute:
    """torch.nn.functional.interpolate, by scale_factor.

    as torch_resize with rows 1 / scale_factor apart, so that new / old is not used; size floor(old * scale_factor)

    weight: (*grid, channels).

    >>> torch_scale_resize((1.5, 2.0)).arguments["size"]
    (21, 28)
    """
    grid = _sizes("grid", grid)
    factors = [checks.positive("scale_factor", one) for one in checks.numbers("scale_factor", scale_factor, len(grid))]
    size = [int(side * factor) for side, factor in zip(grid, factors)]
    return _grid(size, {**_torch_options(mode, False, antialias), "scale": tuple(factors)}, None)


@_from(
    "timm", "1.0.31",
    file="layers/pos_embed.py, resample_abs_pos_embed",
    checked="timm 1.0.31",
    notes=(
        "The slope is -1/2 and not -3/4, as torch has it with antialias, so that it differs where the grid grows too.",
        "Computed in float32; the table is taken as it is where the sizes are equal.",
        "timm's old_size is grid; without it timm takes the old grid for a square.",
    ),
)  # fmt: skip
def timm_resize(size: Sizes = (14, 14), *, grid: Sizes = (14, 14), prefix: Integer = 1) -> Absolute:
    """timm's ViT, DeiT, EVA and most others.

    cubic with slope -1/2 at the middles of patches; antialiased, weights over their sum

    >>> timm_resize(size=(16, 24)).arguments["size"]
    (16, 24)
    """
    return _sequence(size, grid, prefix, ANTIALIASED_CUBIC, square=False)


@_from(
    "jax", "0.10.2",
    file="image/scale.py, resize",
    checked="jax 0.10.2",
    notes=(
        "nearest takes row floor((j + 1/2) old / new).",
        "Without antialias the weights inside the grid are divided by their sum.",
    ),
)  # fmt: skip
def jax_image_resize(size: Sizes = (14, 14), *, method: JaxMethod = "cubic", antialias: bool = True) -> Absolute:
    """jax.image.resize along the axes of the grid.

    nearest; or linear, or cubic with slope -1/2, at the middles of patches, weights divided by their sum

    weight: (*grid, channels).

    >>> jax_image_resize((16, 24), antialias=False).arguments["border"]
    'renormalise'
    """
    checks.choice("method", method, JAX_METHODS)
    antialias = checks.flag("antialias", antialias)
    if method == "nearest":
        return _grid(size, {"method": "nearest-exact"}, None)
    options = CUBIC if method == "cubic" else LINEAR
    slope = {"cubic": SLOPE_WITH_ANTIALIAS} if method == "cubic" else {}
    ends = {"antialias": True} if antialias else {"border": "renormalise"}
    return _grid(size, {**options, **slope, **ends}, None)


@_from(
    "scipy", "1.17.1",
    file="ndimage/_interpolation.py, zoom",
    checked="scipy 1.17.1",
    notes=(
        "Of order=1 and grid_mode=False; size is round(old * zoom), halves to even.",
    ),
)  # fmt: skip
def scipy_zoom(size: Sizes = (14, 14)) -> Absolute:
    """scipy.ndimage.zoom of order 1.

    linear, ends on ends: j (old - 1) / (new - 1)

    weight: (*grid, channels).

    >>> scipy_zoom((16, 24)).arguments["align"]
    'corners'
    """
    return _grid(size, CORNERS, None)


# -- a sequence with its class tokens, by size -------------------------------------------------------------------------


@from_transformers(
    file="models/vit/modeling_vit.py, interpolate_pos_encoding",
    positions=image,
    notes=(
        "The table is taken as it is where the image has as many patches and is square, which changes nothing.",
    ),
)  # fmt: skip
def vit_resize(size: Sizes = (14, 14), *, grid: Sizes = (14, 14), prefix: Integer = 1) -> Absolute:
    """ViT.

    cubic with slope -3/4 at the middles of patches, (j + 1/2) old / new - 1/2; nothing antialiased

    >>> vit_resize(size=(16, 24)).arguments["size"]
    (16, 24)
    """
    return _sequence(size, grid, prefix, CUBIC)


row(
    vit_resize, "deit_resize", "DeiT: a class and a distillation token.",
    "models/deit/modeling_deit.py, interpolate_pos_encoding",
    "The table is taken as it is where the image has as many patches and is square, which changes nothing.",
    prefix=2,
)  # fmt: skip

row(
    vit_resize, "vit_mae_resize", "ViT-MAE, encoder.",
    "models/vit_mae/modeling_vit_mae.py, interpolate_pos_encoding",
    "The decoder resizes its rows as one line instead.",
    "The table is taken as it is where the image has as many patches and is square, which changes nothing.",
)  # fmt: skip

row(
    vit_resize, "clip_resize", "CLIP.", "models/clip/modeling_clip.py, interpolate_pos_encoding",
    "The table is taken as it is where the image has as many patches and is square, which changes nothing.",
    size=(7, 7), grid=(7, 7),
)  # fmt: skip

row(
    vit_resize, "blip_resize", "BLIP.", "models/blip/modeling_blip.py, interpolate_pos_encoding",
    "The table is taken as it is where the image has as many patches and is square, which changes nothing.",
    size=(24, 24), grid=(24, 24),
)  # fmt: skip

row(
    vit_resize, "dinov2_resize", "DINOv2 of transformers.",
    "models/dinov2/modeling_dinov2.py, interpolate_pos_encoding",
    "By size, and not by the scale (n + 0.1) / side of dinov2_original_resize; computed in float32.",
    "The table is taken as it is where the image has as many patches and is square, which changes nothing.",
    size=(37, 37), grid=(37, 37),
)  # fmt: skip


@from_transformers(
    file="models/dinov2_with_registers/modeling_dinov2_with_registers.py, interpolate_pos_encoding",
    positions=image,
    notes=(
        "Computed in float32.",
        "The table is taken as it is where the image has as many patches and is square, which changes nothing.",
    ),
)  # fmt: skip
def dinov2_with_registers_resize(size: Sizes = (37, 37), *, grid: Sizes = (37, 37), prefix: Integer = 1) -> Absolute:
    """DINOv2 with registers, which have no row.

    cubic with slope -1/2 at the middles of patches; antialiased, weights over their sum

    >>> dinov2_with_registers_resize(size=(16, 24)).arguments["size"]
    (16, 24)
    """
    return _sequence(size, grid, prefix, ANTIALIASED_CUBIC)


row(
    dinov2_with_registers_resize, "rf_detr_resize", "RF-DETR.",
    "models/rf_detr/modeling_rf_detr.py, interpolate_pos_encoding", "Computed in float32.",
    "The table is taken as it is where the image has as many patches and is square, which changes nothing.",
)  # fmt: skip


@from_transformers(
    file="models/tipsv2/modeling_tipsv2.py, interpolate_pos_encoding",
    positions=image,
    notes=(
        "Computed in float32.",
        "The table is taken as it is where the image has as many patches and is square, which changes nothing.",
    ),
)  # fmt: skip
def tipsv2_resize(size: Sizes = (16, 16), *, grid: Sizes = (16, 16), prefix: Integer = 1) -> Absolute:
    """TIPSv2, images.

    linear at the middles of patches; antialiased, weights over their sum

    >>> tipsv2_resize(size=(16, 24)).arguments["size"]
    (16, 24)
    """
    return _sequence(size, grid, prefix, ANTIALIASED_LINEAR)


@from_transformers(
    file="models/vilt/modeling_vilt.py, visual_embed",
    positions=image,
    notes=(
        "The only linear resizing of transformers that is aligned at the corners beside Qwen3-VL.",
        "Images of a batch are padded by zeros, and patches are drawn at random.",
    ),
)  # fmt: skip
def vilt_resize(size: Sizes = (12, 12), *, grid: Sizes = (12, 12), prefix: Integer = 1) -> Absolute:
    """ViLT.

    linear, ends on ends: j (old - 1) / (new - 1)

    >>> vilt_resize(size=(16, 24)).arguments["size"]
    (16, 24)
    """
    return _sequence(size, grid, prefix, CORNERS)


@from_transformers(
    file="models/dpt/modeling_dpt.py, _resize_pos_embed",
    positions=image,
)  # fmt: skip
def dpt_resize(size: Sizes = (24, 24), *, grid: Sizes = (24, 24), prefix: Integer = 1) -> Absolute:
    """DPT.

    linear at the middles of patches, (j + 1/2) old / new - 1/2

    >>> dpt_resize(size=(16, 24)).arguments["size"]
    (16, 24)
    """
    return _sequence(size, grid, prefix, LINEAR)


row(
    vit_resize, "hiera_resize", "Hiera of transformers.", "models/hiera/modeling_hiera.py, interpolate_pos_encoding",
    "Of the whole table: with a window beside it, see sam2_resize.", size=(56, 56), grid=(56, 56), prefix=0,
)  # fmt: skip


@_from(
    "whai362/PVT", "332805170455a869a74257e9efe7ccbc2dcc5d50",
    file="classification/pvt.py, _get_pos_embed",
    checked="torch 2.13.0",
    notes=(
        "Taken as it is where the image has as many patches, whatever its shape.",
        "The last stage has a class token: prefix=1.",
        "transformers 5.23.0 cuts the old rows into the new shape first, so that it resizes nothing, and fails.",
    ),
)  # fmt: skip
def pvt_resize(size: Sizes = (56, 56), *, grid: Sizes = (56, 56), prefix: Integer = 0) -> Absolute:
    """PVT, the table of one stage.

    linear at the middles of patches, (j + 1/2) old / new - 1/2

    >>> pvt_resize(size=(16, 24)).arguments["size"]
    (16, 24)
    """
    grid, size = _sizes("grid", grid, 1, 2), _sizes("size", size, 0, 2)
    as_many = size[0] * size[1] == grid[0] * grid[1]
    return _sequence(grid if as_many else size, grid, prefix, LINEAR, square=False)


@from_transformers(
    file="models/timesformer/modeling_timesformer.py, forward",
    positions=image,
    notes=(
        "Taken as it is where the image has as many patches, whatever its shape: 7 x 28 reads the rows of 14 x 14.",
    ),
)  # fmt: skip
def timesformer_resize(size: Sizes = (14, 14), *, grid: Sizes = (14, 14), prefix: Integer = 1) -> Absolute:
    """TimeSformer, space.

    row floor(j old / new) of the grid, its bits copied

    >>> timesformer_resize(size=(16, 24)).arguments["size"]
    (16, 24)
    """
    grid, size = _square(grid), _sizes("size", size, 0, 2)
    return _sequence(grid if size[0] * size[1] == grid[0] * grid[1] else size, grid, prefix, NEAREST)


@from_transformers(
    file="models/timesformer/modeling_timesformer.py, forward",
    positions=token_positions.text,
)  # fmt: skip
def timesformer_time_resize(frames: Integer = 8) -> Absolute:
    """TimeSformer, time.

    row floor(j old / new), its bits copied

    weight: (frames, channels).

    >>> timesformer_time_resize(16).arguments["method"]
    'nearest'
    """
    return _grid([frames], NEAREST, 1)


# -- by a scale --------------------------------------------------------------------------------------------------------


@_from(
    "facebookresearch/dino", "de9ee3df6cf39fac952ab558447af1fa1365362a",
    file="vision_transformer.py, interpolate_pos_encoding",
    checked="torch 2.13.0",
    notes=(
        "The table is taken as it is where the image has as many patches and is square, so nothing moves there.",
        "Against new / old a ramp 0 .. 195 moves by up to 1.5 from 14 to 16.",
    ),
)  # fmt: skip
def dino_resize(size: Sizes = (14, 14), *, grid: Sizes = (14, 14), prefix: Integer = 1) -> Absolute:
    """DINO by its authors.

    cubic with slope -3/4 at (j + 1/2) old / (new + 0.1) - 1/2

    >>> dino_resize(size=(16, 24)).arguments["size"]
    (16, 24)
    """
    size, grid = _sizes("size", size, 0, 2), _square(grid)
    scale = {"scale": tuple(Fraction(10 * new + 1, 10 * side) for new, side in zip(size, grid))}
    return _sequence(size, grid, prefix, {**CUBIC, **({} if size == grid else scale)})


row(
    dino_resize, "dinov2_original_resize", "DINOv2 by its authors.",
    "dinov2/models/vision_transformer.py, interpolate_pos_encoding",
    "The table is taken as it is where the image has as many patches and is square, so nothing moves there.",
    "Models with registers have interpolate_offset=0 and antialias: dinov2_with_registers_resize.", size=(37, 37),
    grid=(37, 37), project="facebookresearch/dinov2", version="e1277af2ba9496fbadf7aec6eba56e8d882d1e35",
)  # fmt: skip


@from_transformers(
    file="models/tvp/modeling_tvp.py, interpolate_pos_encoding",
    positions=image,
    notes=(
        "An axis that would shrink keeps its rows, of which the first `size` are read.",
    ),
)  # fmt: skip
def tvp_resize(size: Sizes = (100, 100), *, grid: Sizes = (100, 100)) -> Absolute:
    """TVP.

    cubic with slope -3/4, rows 1 / max(1, new / old) apart

    weight: (*grid, channels). size: of what is read of the table.

    >>> tvp_resize((10, 15), grid=(10, 10)).arguments["scale"]
    (Fraction(1, 1), Fraction(3, 2))
    """
    size, grid = _sizes("size", size, 0, 2), _sizes("grid", grid, 1, 2)
    return _grid(size, {**CUBIC, "scale": tuple(Fraction(max(new, old), old) for new, old in zip(size, grid))})


@_from(
    "facebookresearch/vjepa2", "073e524aa7104c03f404202d9e8cd73007f4fe1b",
    file="src/models/vision_transformer.py, interpolate_pos_encoding",
    checked="torch 2.13.0", positions=token_positions.volume,
    notes=(
        "By scale_factor, which is new / old here.",
        "Where only the frames are fewer, the first ones are taken and nothing is resized.",
    ),
)  # fmt: skip
def vjepa_resize(size: Sizes = (8, 14, 14), *, grid: Sizes = (8, 14, 14)) -> Absolute:
    """V-JEPA, videos.

    linear along frames, rows and columns at the middles of patches; fewer frames of the same size: cut

    weight: (*grid, channels).

    >>> vjepa_resize((4, 14, 14)).arguments["crop"]
    ((0, 4), (0, 14), (0, 14))
    """
    size, grid = _sizes("size", size, 0, 3), _sizes("grid", grid, 1, 3)
    if size[1:] == grid[1:] and 0 < size[0] < grid[0]:
        return _grid(size, {**LINEAR, "crop": tuple((0, new) for new in size)}, 3)
    return _grid(size, LINEAR, 3)


@_from(
    "facebookresearch/vjepa2", "073e524aa7104c03f404202d9e8cd73007f4fe1b",
    file="src/models/vision_transformer.py, interpolate_pos_encoding",
    checked="torch 2.13.0",
    notes=(
        "Both axes have the scale sqrt(patches / old patches), a float64, so that a rectangle reads a square.",
    ),
)  # fmt: skip
def vjepa_image_resize(size: Sizes = (14, 14), *, grid: Sizes = (14, 14)) -> Absolute:
    """V-JEPA, images.

    cubic with slope -3/4, rows sqrt(old patches / patches) apart on both axes

    weight: (*grid, channels).

    >>> vjepa_image_resize((8, 18), grid=(6, 6)).arguments["size"]
    (12, 12)
    """
    size, grid = _sizes("size", size, 0, 2), _square(grid)
    if size == grid or 0 in size:
        return _grid(size, CUBIC)
    scale = float(np.sqrt(size[0] * size[1] / (grid[0] * grid[1])))  # as the code computes it
    return _grid([int(side * scale) for side in grid], {**CUBIC, "scale": scale})


# -- linear, with corners on corners -----------------------------------------------------------------------------------


row(
    vilt_resize, "jax_vit_resize", "The JAX ViT of its authors.", "vit_jax/checkpoint.py, interpolate_posembed",
    "The zoom is new / old, so that round(old * zoom) is new.", size=(14, 14), grid=(14, 14),
    project="google-research/vision_transformer", version="2ecbc73207056d8fcbd7513ab43cd417a0b385b3",
    checked="scipy 1.17.1",
)  # fmt: skip

row(
    vilt_resize, "big_vision_resize", "big_vision's ViT, without a class row.",
    "big_vision/models/vit.py, resample_posemb", "Old and new grids are squares there.", size=(14, 14),
    grid=(14, 14), prefix=0, project="google-research/big_vision", version="0127fb6", checked="scipy 1.17.1",
)  # fmt: skip


# -- antialiased, in JAX -----------------------------------------------------------------------------------------------


@_from(
    "google-research/big_vision", "26c7bc88af0c4cee548776933093a8ace6dce318",
    file="big_vision/models/proj/flexi/vit.py, _Model",
    checked="jax 0.10.2",
    notes=(
        "Taken as it is where the image has as many patches.",
    ),
)  # fmt: skip
def flexivit_resize(size: Sizes = (7, 7)) -> Absolute:
    """FlexiViT.

    linear at the middles of patches; antialiased, weights over their sum

    weight: (*grid, channels).

    >>> flexivit_resize((30, 30)).arguments["antialias"]
    True
    """
    return _grid(size, ANTIALIASED_LINEAR)


@_from(
    "google-research/big_vision", "a624fee1d76cadbe836a5e85d116f326e9c94c9c",
    file="big_vision/models/proj/image_text/naflex_vit.py, _pos_emb_resize",
    checked="jax 0.10.2",
    notes=(
        "Padding tokens have the coordinates 0, 0, so that they read the first row.",
        "Rows and columns beyond 64 are NaN there.",
    ),
)  # fmt: skip
def big_vision_naflex_resize(length: Integer = 256) -> Absolute:
    """big_vision's NaFlex ViT: images of any size, padded.

    linear at the middles of patches; antialiased, weights over their sum

    weight: (*grid, channels). Behind it stand the sizes of the images, [[1, height, width], ...].

    >>> big_vision_naflex_resize(30).arguments["length"]
    30
    """
    return Absolute("resize_packed", {**ANTIALIASED_LINEAR, "length": checks.integer("length", length)})


# -- to the larger side, and cut ---------------------------------------------------------------------------------------


@from_transformers(
    file="models/radio/modeling_radio.py, _interpolate_position_embedding",
    positions=image,
)  # fmt: skip
def radio_resize(size: Sizes = (128, 128), *, grid: Sizes = (128, 128)) -> Absolute:
    """RADIO.

    linear at the middles of patches of a square of the larger side, (j + 1/2) old / max(new) - 1/2, then cut

    weight: (*grid, channels).

    >>> radio_resize((9, 20), grid=(14, 14)).arguments["scale"]
    (Fraction(10, 7), Fraction(10, 7))
    """
    return Absolute("resize_table", _cut_from_square(size, grid, LINEAR))


@_from(
    "timm", "1.0.31",
    file="models/naflexvit.py, _apply_learned_naflex_pos_embed",
    checked="timm 1.0.31",
    notes=(
        "pos_embed_use_grid_sample=True samples at (2 j + 1) / size - 1, with slope -3/4 and without antialias.",
        "pos_embed_ar_preserving=True resizes to a square of the larger side, and cuts.",
    ),
)  # fmt: skip
def timm_naflex_resize(
    size: Sizes = (16, 16), *, grid: Sizes = (16, 16), ar_preserving: bool = False, use_grid_sample: bool = False
) -> Absolute:
    """timm's NaFlexViT, learned table.

    cubic with slope -1/2, antialiased; or, sampled, with slope -3/4 and not antialiased

    weight: (*grid, channels).

    >>> timm_naflex_resize((5, 9), ar_preserving=True).arguments["scale"]
    (Fraction(9, 16), Fraction(9, 16))
    """
    options = CUBIC if checks.flag("use_grid_sample", use_grid_sample) else ANTIALIASED_CUBIC
    if checks.flag("ar_preserving", ar_preserving) and tuple(size) != tuple(grid):
        return Absolute("resize_table", _cut_from_square(size, grid, options))
    return _grid(size, options)


@_from(
    "timm", "1.0.31",
    file="models/naflexvit.py, _apply_factorized_naflex_pos_embed",
    checked="timm 1.0.31", positions=token_positions.text,
    notes=(
        "One axis of the two, which learned_axes adds.",
        "pos_embed_ar_preserving=True takes the larger side for both, and cuts: larger.",
    ),
)  # fmt: skip
def timm_naflex_factorized_resize(size: Integer = 16, *, side: Integer = 16, larger: Integer = 0) -> Absolute:
    """timm's NaFlexViT, one axis of the factorised table.

    linear at the middles of patches, (j + 1/2) old / new - 1/2

    weight: (rows, channels). larger: the larger side of the image, where it stands for both; 0 for the side itself.

    >>> timm_naflex_factorized_resize(9).arguments["method"]
    'linear'
    """
    size, larger = checks.integer("size", size), checks.integer("larger", larger)
    scale = {"scale": Fraction(larger, checks.integer("side", side, 1))} if larger else {}
    return _grid([size], {**LINEAR, **scale}, 1)


# -- windows and crops -------------------------------------------------------------------------------------------------


@from_transformers(
    file="models/sam2/modeling_sam2.py, _get_pos_embed",
    positions=image,
    notes=(
        "The model rounds the resized table, and then the sum; window=None gives the resized part alone.",
    ),
)  # fmt: skip
def sam2_resize(size: Sizes = (256, 256)) -> Absolute:
    """SAM 2, Hiera of its authors: a global table plus a window, which is repeated.

    cubic with slope -3/4 at (j + 1/2) old / new - 1/2, plus window[j mod its size]

    weight: (rows, columns, channels). window=: (rows, columns, channels), 8 x 8 in the released models.

    >>> sam2_resize((16, 24)).arguments["size"]
    (16, 24)
    """
    return _grid(size, CUBIC)


@from_transformers(
    file="models/sam3/modeling_sam3.py, _tile_position_embeddings",
    positions=image,
    notes=(
        "Without the row of the class token.",
    ),
)  # fmt: skip
def sam3_resize(size: Sizes = (72, 72)) -> Absolute:
    """SAM 3: tiles.

    row j mod the old size, its bits copied

    weight: (rows, columns, channels), 24 x 24 in the released model.

    >>> sam3_resize((72, 30)).function
    'tile_table'
    """
    return Absolute("tile_table", {"size": _sizes("size", size, 0, 2)})


@_from(
    "YuanGongND/ast", "6fc7f9d9e2084a4396b806c394f14a2ae304e64d",
    file="src/models/ast_models.py, ASTModel",
    checked="torch 2.13.0",
    notes=(
        "Trained on 12 x 101, frequencies first; on ImageNet 24 x 24.",
        "transformers has no such resizing.",
    ),
)  # fmt: skip
def ast_resize(size: Sizes = (12, 101), *, grid: Sizes = (12, 101), prefix: Integer = 2) -> Absolute:
    """AST: frequencies and times, behind a class and a distillation token.

    fewer rows: those from old // 2 - new // 2 on; more: linear at (j + 1/2) old / new - 1/2

    >>> ast_resize((10, 128)).arguments["crop"]
    ((1, 11), (0, 101))
    """
    size, grid = _sizes("size", size, 1, 2), _sizes("grid", grid, 1, 2)
    firsts = [old // 2 - new // 2 if new < old else 0 for new, old in zip(size, grid)]
    crop = tuple((first, first + min(new, old)) for first, new, old in zip(firsts, size, grid))
    return _sequence(size, grid, prefix, {**LINEAR, "crop": crop}, square=False)


# -- images of any size, packed ----------------------------------------------------------------------------------------


@from_transformers(
    file="models/qwen3_vl/modeling_qwen3_vl.py, Qwen3VLVisionModel",
    positions=token_positions.merge_blocks,
    notes=(
        "Rows come in blocks of 2 x 2 patches, which are merged later; the table is 48 x 48.",
    ),
)  # fmt: skip
def qwen3_vl_resize(merge_size: Integer = 2) -> Absolute:
    """Qwen3-VL: images of any size.

    linear, ends on ends: j (old - 1) / (new - 1)

    weight: (*grid, channels). Behind it stand the sizes of the images, [[frames, height, width], ...].

    >>> qwen3_vl_resize().arguments["merge_size"]
    2
    """
    return _packed(CORNERS, merge_size)


@from_transformers(
    file="models/glm4v/modeling_glm4v.py, Glm4vVisionEmbeddings",
    positions=token_positions.merge_blocks,
    notes=(
        "By grid_sample with clamped borders in float32; the table is 24 x 24.",
    ),
)  # fmt: skip
def glm4v_resize(merge_size: Integer = 2) -> Absolute:
    """GLM-4V: images of any size.

    cubic with slope -3/4 at the middles of patches, (j + 1/2) old / new - 1/2; nothing antialiased

    weight: (*grid, channels). Behind it stand the sizes of the images, [[frames, height, width], ...].

    >>> glm4v_resize().arguments["merge_size"]
    2
    """
    return _packed(CUBIC, merge_size)


row(
    glm4v_resize, "kimi_k25_resize", "Kimi K2.5, space",
    "models/kimi_k25/modeling_kimi_k25.py, Kimi_K25VisionPositionEmbeddings",
    "The table of time, sincos_grid, is added to it.", merge_size=1,
    example=">>> kimi_k25_resize().arguments[\"merge_size\"]\n1",
)  # fmt: skip


@from_transformers(
    file="models/paddleocr_vl/modeling_paddleocr_vl.py, PaddleOCRVisionEmbeddings",
    positions=token_positions.merge_blocks,
)  # fmt: skip
def paddleocr_vl_resize(merge_size: Integer = 1) -> Absolute:
    """PaddleOCR-VL: images of any size.

    linear at the middles of patches, (j + 1/2) old / new - 1/2

    weight: (*grid, channels). Behind it stand the sizes of the images, [[frames, height, width], ...].

    >>> paddleocr_vl_resize().arguments["merge_size"]
    1
    """
    return _packed(LINEAR, merge_size)


@from_transformers(
    file="models/cosmos3_edge/modeling_cosmos3_edge.py, resize_positional_embeddings",
    positions=token_positions.merge_blocks,
    notes=(
        "Rows come in blocks of 2 x 2 patches.",
    ),
)  # fmt: skip
def cosmos3_edge_resize(merge_size: Integer = 2) -> Absolute:
    """Cosmos 3 Edge: images of any size.

    linear at the middles of patches; antialiased, weights over their sum

    weight: (*grid, channels). Behind it stand the sizes of the images, [[frames, height, width], ...].

    >>> cosmos3_edge_resize().arguments["merge_size"]
    2
    """
    return _packed(ANTIALIASED_LINEAR, merge_size)


row(
    big_vision_naflex_resize, "siglip2_resize", "SigLIP 2",
    "models/siglip2/modeling_siglip2.py, resize_positional_embeddings",
    "Each image is padded by its first resized row, and not by the first row of the table.",
    "Computed in float32; the table is 16 x 16.", **TRANSFORMERS,
)  # fmt: skip
