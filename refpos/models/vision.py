"""Rotary encodings of vision transformers: axial ones, which share the channels out between rows and columns.

Positions are (row, column) in row-major order everywhere; where a model puts columns first, `axes` of its frequencies
says so. Class and register tokens are left as they are: rotate the patches alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Literal

import numpy as np

from .. import checks
from ..errors import InputError
from ..frequencies.axial_frequencies import axial_frequencies
from ..frequencies.mrope_frequencies import mrope_frequencies, sections_of
from ..positions.multimodal.llama4_vision_positions import llama4_vision_positions
from ..rotary.vjepa2_rope import two_frequency_sets
from ..steps.angles import frequency_sets
from ..steps.angles.frequencies import geometric_frequencies
from ..types import ArrayLike, Integer, Number
from . import token_positions
from .registry import TRANSFORMERS, from_transformers, preset, row
from .rotary import Mixed, Rotary, Unpaired

COLUMNS_FIRST = (1, 0)
Indexing = Literal["ij", "xy"]
INDEXINGS = {"ij": (0, 1), "xy": COLUMNS_FIRST}


def planar(head_dim, pairing, *, columns_first=False, **options):
    """A rotation of all channels of a head, one half of them by row and one by column."""
    head_dim = checks.multiple("head_dim", head_dim, 4)
    axes = COLUMNS_FIRST if columns_first else None
    return Rotary(axial_frequencies((head_dim // 2,) * 2, axes=axes, **options), pairing, head_dim)


# -- lucidrains, EVA, timm --------------------------------------------------------------------------------------------


@preset(
    project="lucidrains/rotary-embedding-torch", version="0.9.1", file="rotary_embedding_torch.py",
    positions=token_positions.grid,
    notes=(
        "dim of the class is the width of one axis; interpolate_factor does not reach get_axial_freqs.",
        "theta_rescale_factor f means base f**(dim / (dim - 2)).",
    ),
)  # fmt: skip
def rotary_embedding_torch(
    head_dim: Integer = 64, *, axes: Integer = 2, axis_dim: Integer | None = None, base: Number = 10000
) -> Rotary:
    """rotary-embedding-torch with freqs_for="lang": get_axial_freqs at whole positions.

    axis k: base**(-2j / axis_dim), axis_dim channels each; interleaved; the remaining channels are left

    axes: how many. axis_dim: channels of each, by default as many as fit.

    >>> rotary_embedding_torch(8).inv_freq
    array([1.  , 0.01, 1.  , 0.01])
    """
    width = _axis_width(head_dim, axes, axis_dim)
    return Rotary(axial_frequencies((width,) * axes, base=base), "interleaved", head_dim)


@preset(
    project="lucidrains/rotary-embedding-torch", version="0.9.1", file="rotary_embedding_torch.py",
    positions=token_positions.corners,
    notes=("The positions of a single token are -1.",),
)  # fmt: skip
def rotary_embedding_torch_pixel(
    head_dim: Integer = 64, *, axes: Integer = 2, axis_dim: Integer | None = None, max_freq: Number = 10
) -> Rotary:
    """rotary-embedding-torch with freqs_for="pixel": evenly spaced frequencies at positions from -1 to 1.

    axis k: pi (1 + j (max_freq / 2 - 1) / (n - 1)), j < n = axis_dim / 2; interleaved; the remaining channels are left

    >>> rotary_embedding_torch_pixel(8).inv_freq
    array([ 3.14159265, 15.70796327,  3.14159265, 15.70796327])
    """
    width = _axis_width(head_dim, axes, axis_dim)
    bands = _evenly(width // 2, 1, checks.positive("max_freq", max_freq) / 2)
    blocks = [frequency_sets.from_fractions(bands)] * axes
    return Rotary(axial_frequencies((width,) * axes, frequencies=blocks, times_pi=1), "interleaved", head_dim)


def _axis_width(head_dim, axes, axis_dim):
    axes = checks.integer("axes", axes, 1, 64)
    if axis_dim is None:
        axis_dim = 2 * (checks.integer("head_dim", head_dim, 1) // (2 * axes))
    return checks.even_width("axis_dim", axis_dim)


def _evenly(count, first, last):
    checks.even_width("head_dim", 2 * count)
    return [first + (last - first) * Fraction(j, max(count - 1, 1)) for j in range(count)]


@preset(
    project="baaivision/EVA", version="5623d08", file="EVA-02/asuka/rope.py",
    positions=token_positions.resized,
    notes=("Positions are those of the grid trained on: trained=(16, 16), so that i becomes 16 i / size.",),
)  # fmt: skip
def eva02(head_dim: Integer = 64, *, base: Number = 10000) -> Rotary:
    """EVA-02: rows, then columns, at positions rescaled to the grid trained on.

    row base**(-4j / head_dim) | column the same; interleaved

    >>> eva02(8).inv_freq
    array([1.  , 0.01, 1.  , 0.01])
    """
    return planar(head_dim, "interleaved", base=base)


@preset(
    project="huggingface/pytorch-image-models", version="1.0.31", file="timm/layers/pos_embed_sincos.py",
    positions=token_positions.resized,
    notes=(
        "The class has in_pixels=True by default, which is `timm_rotary_pixel`; models of EVA's kind set it to False.",
        "RotaryEmbeddingCat returns [sin | cos].",
        "timm has PE-Core with indexing 'xy', offset=1, trained=the grid of the checkpoint: `pe_core`.",
        "The slices of get_batch_embeds are right without ref_feat_shape only.",
    ),
)  # fmt: skip
def timm_rotary(
    head_dim: Integer = 64, *, base: Number = 10000, indexing: Indexing = "ij", half: bool = False
) -> Rotary:
    """timm RotaryEmbedding and RotaryEmbeddingCat with in_pixels=False.

    row base**(-4j / head_dim) | column the same, or column first with indexing "xy"; interleaved, or half

    >>> timm_rotary(8, indexing="xy").frequencies.axes
    (1, 1, 0, 0)
    """
    columns_first = checks.choice("indexing", indexing, tuple(INDEXINGS)) == "xy"
    return planar(head_dim, _pairing(half), base=base, columns_first=columns_first)


@preset(
    project="huggingface/pytorch-image-models", version="1.0.31", file="timm/layers/pos_embed_sincos.py",
    positions=token_positions.corners,
    notes=("RotaryEmbeddingCat returns [sin | cos].",),
)  # fmt: skip
def timm_rotary_pixel(
    head_dim: Integer = 64,
    *,
    max_res: Integer = 224,
    linear_bands: bool = False,
    indexing: Indexing = "ij",
    half: bool = False,
) -> Rotary:
    """timm RotaryEmbedding with in_pixels=True, the default of the class: frequencies of pixels, positions -1 to 1.

    row pi (max_res / 2)**(j / (n - 1)), j < n = head_dim / 4 (linear_bands: evenly spaced) | column the same

    >>> timm_rotary_pixel(8, max_res=200).inv_freq
    array([  3.14159265, 314.15926536,   3.14159265, 314.15926536])
    """
    columns_first = checks.choice("indexing", indexing, tuple(INDEXINGS)) == "xy"
    top = checks.positive("max_res", max_res) / 2
    if checks.flag("linear_bands", linear_bands):
        bands = {"frequencies": [frequency_sets.from_fractions(_evenly(head_dim // 4, 1, top))] * 2}
    else:
        bands = {"base": 1 / top, "endpoint": True}
    return planar(head_dim, _pairing(half), columns_first=columns_first, times_pi=1, **bands)


def _pairing(half):
    return "half" if checks.flag("half", half) else "interleaved"


@preset(
    project="huggingface/pytorch-image-models", version="1.0.31", file="timm/layers/pos_embed_sincos.py",
    positions=token_positions.flat_image,
    notes=(
        "Time is 0 everywhere: those pairs are left as they are.",
        "The first of mrope_section is not read; strides end at 3 h and 3 w, or at head_dim / 2 where that is less.",
    ),
)  # fmt: skip
def genlip(head_dim: Integer = 64, *, sections: Sequence[Integer] = (8, 12, 12), base: Number = 10000) -> Rotary:
    """GenLIP, timm RotaryEmbeddingMRope: the interleaved arrangement of M-RoPE with time 0.

    base**(-2i / head_dim); row at i = 1, 4, 7 ... < 3 h, column at 2, 5, 8 ... < 3 w, time elsewhere; half

    >>> [genlip().frequencies.axes.count(axis) for axis in (0, 1, 2)]
    [11, 11, 10]
    """
    half = checks.multiple("head_dim", head_dim, 2) // 2
    _, rows, columns = sections_of(sections)
    sections = (half - rows - columns, rows, columns)
    return Rotary(
        mrope_frequencies(head_dim, sections=sections, arrangement="interleaved", base=base), "half", head_dim
    )


# -- columns first ----------------------------------------------------------------------------------------------------


@preset(
    project="naver-ai/rope-vit", version="ce85c2e", file="deit/models_v2_rope.py",
    positions=token_positions.image,
    notes=("SAM 2 has a copy whose default base is 10000.",),
)  # fmt: skip
def rope_vit_axial(head_dim: Integer = 64, *, base: Number = 100) -> Rotary:
    """RoPE-ViT, axial: columns first.

    column base**(-4j / head_dim) | row the same; interleaved

    >>> rope_vit_axial(8).inv_freq
    array([1. , 0.1, 1. , 0.1])
    """
    return planar(head_dim, "interleaved", base=base, columns_first=True)


@preset(
    project="naver-ai/rope-vit", version="ce85c2e", file="deit/models_v2_rope.py",
    positions=token_positions.image,
    notes=(
        "Frequencies are learned, for each layer and head; they are given as those of the model, columns first.",
        "They start as base**(-4j / head_dim) along a direction of each head, then along the one across it, base 10.",
        "Checkpoints hold (2, layers, heads head_dim / 2); timm has (2, layers, heads, head_dim / 2).",
    ),
)  # fmt: skip
def rope_vit_mixed(freqs: ArrayLike = (((0.5, 0.25),), ((-0.25, 0.5),))) -> Mixed:
    """RoPE-ViT, mixed: each pair rotates by a learned sum of column and row.

    column freqs[0, head, i] + row freqs[1, head, i]; interleaved

    freqs: (2, heads, head_dim / 2), of columns, then of rows; the default is an example of one head of 4 channels.

    >>> rope_vit_mixed().weight[:, 0, 0].tolist()
    [-0.25, 0.5]
    """
    return Mixed(learned("freqs", freqs, 2)[::-1], "interleaved")


def learned(name, values, axes):
    """Learned frequencies (axes, heads, pairs) as float64, in which narrower floats are what they are."""
    values = np.asarray(values)
    if values.ndim != 3 or len(values) != axes or values.dtype.kind not in "fiu":
        raise InputError("E_SHAPE", name, f"{name} must be numbers ({axes}, heads, pairs), got shape {values.shape}")
    return values.astype(np.float64)


row(
    rope_vit_axial, "pe_core", "PE-Core, PE-Spatial and PE-Lang", "core/vision_encoder/rope.py",
    "With a class token, which is at 0, rows and columns count from 1; the models without one count from 0.",
    "PE-Spatial and PE-Lang are the same.", "timm stretches positions to the grid of the checkpoint: `timm_rotary`.",
    base=10000, example=">>> pe_core(8).frequencies.axes\n(1, 1, 0, 0)", positions=token_positions.behind_cls,
    project="facebookresearch/perception_models", version="3e352cc",
)  # fmt: skip

row(
    rope_vit_axial, "sam2", "SAM 2, memory attention", "sam2/modeling/position_encoding.py",
    "The sides are taken as sqrt(tokens), so that the model has no rectangles.",
    "The last num_k_exclude_rope keys are left; with rope_k_repeat the table repeats for each frame of memory.",
    head_dim=256, base=10000, example=">>> sam2(8).frequencies.axes\n(1, 1, 0, 0)", positions=token_positions.memory,
    project="facebookresearch/sam2", version="2b90b9f", checked="transformers 5.23.0",
)  # fmt: skip

row(
    rope_vit_axial, "llama4_vision", "Llama 4, vision: columns first, from 1.", "models/llama4/modeling_llama4.py",
    "Positions count from 1; the class token is the last one and is at 0.", head_dim=88, base=10000,
    example=">>> llama4_vision(8).frequencies.axes\n(1, 1, 0, 0)", positions=llama4_vision_positions, **TRANSFORMERS,
)  # fmt: skip


@from_transformers(file="models/step3p7/modeling_step3p7.py", positions=token_positions.image)
def step3p7_vision(head_dim: Integer = 96, *, base: Number = 10000) -> Rotary:
    """Step 3.7, vision: columns first, half pairing.

    column base**(-4j / head_dim) | row the same; half

    >>> step3p7_vision(8).frequencies.axes
    (1, 1, 0, 0)
    """
    return planar(head_dim, "half", base=base, columns_first=True)


row(
    rope_vit_axial, "inkling2_vision", "Inkling 2, vision: columns first, interleaved.",
    "models/inkling2/modeling_inkling2.py", base=10000,
    example=">>> inkling2_vision(8).frequencies.axes\n(1, 1, 0, 0)", positions=token_positions.merge_blocks,
    **TRANSFORMERS,
)  # fmt: skip


@from_transformers(file="models/kimi_k25/modeling_kimi_k25.py", positions=token_positions.image)
def kimi_k25_vision(head_dim: Integer = 72, *, base: Number = 10000) -> Rotary:
    """Kimi K2.5, vision (MoonViT): columns and rows alternate pair by pair.

    column theta_0, row theta_0, column theta_1, row theta_1 ..., theta_j = base**(-4j / head_dim); half

    >>> kimi_k25_vision(8).frequencies.axes
    (1, 0, 1, 0)
    """
    return planar(head_dim, "half", base=base, columns_first=True, arrangement="interleaved")


@from_transformers(
    file="models/gemma4/modeling_gemma4.py", positions=token_positions.image,
    notes=("Its position ids are (x, y), though the code names the first h.",),
)  # fmt: skip
def gemma4_vision(head_dim: Integer = 64, *, base: Number = 100) -> Rotary:
    """Gemma 4, vision: columns first, each half of the channels rotated on its own.

    column base**(-4j / head_dim) | row the same; block-half

    >>> gemma4_vision(8).pairing
    'block-half'
    """
    return planar(head_dim, "block-half", base=base, columns_first=True)


# -- rows first -------------------------------------------------------------------------------------------------------


@preset(
    project="facebookresearch/dinov3", version="6876159", file="dinov3/layers/rope_position_encoding.py",
    positions=token_positions.centres, checked="transformers 5.23.0",
    notes=(
        "Angles are 2 pi coordinate / period.",
        "Published weights hold the periods in bfloat16: `dinov3_stored` takes them as they are.",
        "The module returns (sin, cos).",
        "In training, coordinates are shifted, jittered and rescaled at random; here they are not.",
    ),
)  # fmt: skip
def dinov3(
    head_dim: Integer = 64, *, base: Number = 100, min_period: Number | None = None, max_period: Number | None = None
) -> Rotary:
    """DINOv3: middles of patches between -1 and 1, in periods.

    row 2 pi base**(-4j / head_dim) | column the same; half

    min_period, max_period: instead of base, periods min_period (max_period / min_period)**(j / (n - 1)),
    j < n = head_dim / 4.

    >>> dinov3(8).frequencies.turns(1)
    Fraction(1, 10)
    """
    if min_period is None and max_period is None:
        return planar(head_dim, "half", base=base, times_pi=2)
    shortest, longest = checks.positive("min_period", min_period), checks.positive("max_period", max_period)
    count = checks.multiple("head_dim", head_dim, 4) // 4
    block = geometric_frequencies(2 * count, count, Fraction(1, max(count - 1, 1)), longest / shortest, 1 / shortest)
    return planar(head_dim, "half", frequencies=[block] * 2, times_pi=2)


@preset(
    project="facebookresearch/dinov3", version="6876159", file="dinov3/layers/rope_position_encoding.py",
    positions=token_positions.centres,
    notes=("The value is exact for the periods given: rounded ones stay as they were rounded.",),
)  # fmt: skip
def dinov3_stored(periods: ArrayLike | Sequence[Number] = (1.0, 3.15625, 10.0, 31.625)) -> Rotary:
    """DINOv3 with the periods of a checkpoint, which are bfloat16.

    row 2 pi / period_j | column the same; half

    periods: (head_dim / 4,), each taken as exactly what it is; the default is that of head_dim 16 and base 100.

    >>> dinov3_stored([1.0, 10.0]).frequencies.turns(1)
    Fraction(1, 10)
    """
    block = frequency_sets.from_fractions([1 / checks.positive("periods", period) for period in periods])
    return planar(2 * block.dim, "half", frequencies=[block] * 2, times_pi=2)


@preset(
    project="huggingface/pytorch-image-models", version="1.0.31", file="timm/layers/pos_embed_sincos.py",
    positions=token_positions.centres,
    notes=(
        "timm computes the periods anew in float32, where the released weights of DINOv3 hold bfloat16 ones.",
        "The embedding is [sin | cos].",
    ),
)  # fmt: skip
def timm_dinov3(head_dim: Integer = 64, *, base: Number = 100, indexing: Indexing = "ij", half: bool = True) -> Rotary:
    """timm RotaryEmbeddingDinoV3.

    row 2 pi base**(-4j / head_dim) | column the same, or column first with indexing "xy"; half, or interleaved

    >>> timm_dinov3(8, half=False).pairing
    'interleaved'
    """
    columns_first = checks.choice("indexing", indexing, tuple(INDEXINGS)) == "xy"
    return planar(head_dim, _pairing(half), base=base, columns_first=columns_first, times_pi=2)


@from_transformers(
    file="models/pixtral/modeling_pixtral.py", positions=token_positions.image,
    notes=("Rows and columns have different frequencies, so swapping them is not a permutation of channels.",),
)  # fmt: skip
def pixtral(head_dim: Integer = 64, *, base: Number = 10000) -> Rotary:
    """Pixtral as transformers has it: rows take every other frequency of one set, columns the rest.

    row theta_0, theta_2 ... | column theta_1, theta_3 ..., theta_j = base**(-2j / head_dim); half

    >>> pixtral(8).inv_freq
    array([1.   , 0.01 , 0.1  , 0.001])
    """
    return planar(head_dim, "half", base=base, allocation="strided")


@preset(
    project="mistralai/mistral-inference", version="2557e12", file="src/mistral_inference/rope.py",
    positions=token_positions.image,
    notes=("transformers pairs by halves instead and permutes the weights: `pixtral`.",),
)  # fmt: skip
def mistral_vision(head_dim: Integer = 64, *, base: Number = 10000) -> Rotary:
    """Pixtral as Mistral has it: `pixtral` in interleaved pairs.

    row theta_0, theta_2 ... | column theta_1, theta_3 ..., theta_j = base**(-2j / head_dim); interleaved

    >>> mistral_vision(8).pairing
    'interleaved'
    """
    return planar(head_dim, "interleaved", base=base, allocation="strided")


@from_transformers(
    file="models/qwen2_vl/modeling_qwen2_vl.py", positions=token_positions.merge_blocks,
    notes=(
        "The same in Qwen2.5-VL, Qwen3-VL, GLM-4V, PaddleOCR-VL, VideoLLaMA 3 and ERNIE-4.5-VL.",
        "Patches are in merge blocks, not row-major; windows of Qwen2.5-VL reorder patches and angles alike.",
    ),
)  # fmt: skip
def qwen2_vl_vision(head_dim: Integer = 80, *, base: Number = 10000) -> Rotary:
    """Qwen2-VL, vision: rows first, patches in merge blocks.

    row base**(-4j / head_dim) | column the same; half

    >>> qwen2_vl_vision(8).frequencies.axes
    (0, 0, 1, 1)
    """
    return planar(head_dim, "half", base=base)


@from_transformers(
    file="models/minimax_m3_vl/modeling_minimax_m3_vl.py", positions=token_positions.volume_blocks,
    notes=("V-JEPA 2 shares the channels out alike, but mixes pairings and is not a rotation.",),
)  # fmt: skip
def minimax_m3_vision(head_dim: Integer = 80, *, base: Number = 10000) -> Rotary:
    """MiniMax M3, vision: frame, row and column in thirds, the last channels left.

    frame base**(-2j / m) | row the same | column the same, m = 2 floor(head_dim / 6); half

    >>> minimax_m3_vision(80).rotary_dim
    78
    """
    third = 2 * (checks.integer("head_dim", head_dim, 6) // 6)
    return Rotary(axial_frequencies((third,) * 3, base=base), "half", head_dim)


# -- no rotation ------------------------------------------------------------------------------------------------------


@preset(
    project="facebookresearch/vjepa2", version="c2963a4", file="src/models/utils/modules.py, rotate_queries_or_keys",
    positions=token_positions.volume, checked="transformers 5.23.0",
    notes=(
        "It is not a rotation: the two channels of a pair rotate by different angles; `vjepa2_rope` has the formula.",
        "Released models compute the frequencies in the dtype of the queries.",
    ),
)  # fmt: skip
def vjepa2(head_dim: Integer = 64, *, base: Number = 10000) -> Unpaired:
    """V-JEPA 2: tables that are tiled, pairs that are neighbours.

    channel c of a block of m by base**(-2 (c mod m/2) / m), blocks of frame | row | column, m = 2 floor(head_dim / 6)

    >>> vjepa2(24).rotary_dim, vjepa2(24).pairing
    (24, 'interleaved')
    """
    return Unpaired(two_frequency_sets(checks.integer("head_dim", head_dim, 6), base), "interleaved", head_dim)
