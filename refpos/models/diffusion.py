"""Rotary encodings of image and video diffusion transformers.

Positions are (frame, row, column) unless a model has ids of its own. Text tokens that a model does not rotate are
left to the caller: rotate the image tokens alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction

from .. import checks
from ..errors import InputError
from ..frequencies.axial_frequencies import axial_frequencies
from ..frequencies.inverse_frequencies import inverse_frequencies
from ..frequencies.linear import linear
from ..frequencies.longrope import longrope
from ..frequencies.mrope_frequencies import mrope_frequencies
from ..frequencies.ntk import ntk
from ..positions.multimodal.ernie_image_positions import ernie_image_positions
from ..positions.multimodal.ideogram4_positions import ideogram4_positions
from ..positions.multimodal.qwen_image21_positions import qwen_image21_positions
from ..positions.multimodal.z_image_positions import z_image_positions
from ..rotary.ernie_image_rope import two_frequency_sets
from ..steps.angles import frequency_sets
from ..steps.angles.axis_runs import select
from ..types import ArrayLike, Integer, Number
from . import token_positions
from .registry import from_diffusers, preset, row
from .rotary import Mixed, Rotary, Unpaired
from .vision import learned

#: of OmniGen-v1: those of Phi-3-mini for long sequences, and its own for short ones
OMNIGEN_SHORT = (
    1.05, 1.05, 1.05, 1.1, 1.1, 1.1, 1.2500000000000002, 1.2500000000000002, 1.4000000000000004, 1.4500000000000004,
    1.5500000000000005, 1.8500000000000008, 1.9000000000000008, *(2.000000000000001,) * 19, 2.1000000000000005,
    2.1000000000000005, 2.2, *(2.3499999999999996,) * 4, 2.3999999999999995, 2.3999999999999995, 2.6499999999999986,
    2.6999999999999984, 2.8999999999999977, 2.9499999999999975, *(3.049999999999997,) * 3,
)  # fmt: skip
PHI_3_LONG = (
    1.0299999713897705, 1.0499999523162842, 1.0499999523162842, 1.0799999237060547, 1.2299998998641968,
    1.2299998998641968, 1.2999999523162842, 1.4499999284744263, 1.5999999046325684, 1.6499998569488525,
    1.8999998569488525, 2.859999895095825, 3.68999981880188, 5.419999599456787, 5.489999771118164, 5.489999771118164,
    9.09000015258789, 11.579999923706055, 15.65999984741211, 15.769999504089355, 15.789999961853027, 18.360000610351562,
    21.989999771118164, 23.079999923706055, 30.009998321533203, 32.35000228881836, 32.590003967285156,
    35.56000518798828, 39.95000457763672, 53.840003967285156, 56.20000457763672, 57.95000457763672, 59.29000473022461,
    59.77000427246094, 59.920005798339844, 61.190006256103516, 61.96000671386719, 62.50000762939453, 63.3700065612793,
    63.48000717163086, 63.48000717163086, 63.66000747680664, 63.850006103515625, 64.08000946044922, 64.760009765625,
    64.80001068115234, 64.81001281738281, 64.81001281738281,
)  # fmt: skip


def blocks(widths, pairing, *, head_dim=None, base=10000, **options):
    """A rotation with a block of channels for each axis."""
    frequencies = axial_frequencies(tuple(widths), base=base, **options)
    width = frequencies.dim if head_dim is None else head_dim
    if width != frequencies.dim:
        raise InputError("E_SHAPE", "widths", f"widths must add up to head_dim {width}, got {frequencies.dim}")
    return Rotary(frequencies, pairing, width)


def sixths(head_dim):
    """(frames, rows, columns): rows and columns take 2 floor(head_dim / 6) channels each, frames what is left."""
    plane = 2 * (checks.multiple("head_dim", head_dim, 2) // 6)
    return head_dim - 2 * plane, plane, plane


# -- crops of a base grid ---------------------------------------------------------------------------------------------


@from_diffusers(
    file="models/embeddings.py, get_2d_rotary_pos_embed", positions=token_positions.cropped_image,
    notes=(
        "The code names the columns emb_h.",
        "Grids of another shape than the base grid begin beyond 0, where diffusers today and NumPy's linspace differ.",
    ),
)  # fmt: skip
def hunyuan_dit(head_dim: Integer = 88, *, base: Number = 10000) -> Rotary:
    """Hunyuan-DiT: columns first, in a region of a base grid.

    column base**(-4j / head_dim) | row the same; interleaved

    >>> hunyuan_dit(8).frequencies.axes
    (1, 1, 0, 0)
    """
    half = checks.multiple("head_dim", head_dim, 4) // 2
    return blocks((half, half), "interleaved", base=base, axes=(1, 0))


@from_diffusers(
    file="models/embeddings.py, get_3d_rotary_pos_embed", positions=token_positions.cropped_video,
    notes=(
        "CogVideoX 1.5 has whole rows and columns: `cogvideox_1_5`.",
    ),
)  # fmt: skip
def cogvideox(head_dim: Integer = 64, *, base: Number = 10000) -> Rotary:
    """CogVideoX 1.0: a quarter of the channels by frame, three eighths each by row and column.

    frame base**(-8j / head_dim) | row base**(-16j / (3 head_dim)) | column the same; interleaved

    >>> cogvideox(16).frequencies.axes
    (0, 0, 1, 1, 1, 2, 2, 2)
    """
    eighth = checks.multiple("head_dim", head_dim, 16) // 8
    return blocks((2 * eighth, 3 * eighth, 3 * eighth), "interleaved", base=base)


row(
    cogvideox, "easyanimate", "EasyAnimate: `cogvideox`.", "models/transformers/transformer_easyanimate.py",
    "The base grid is (60, 90) divided by the patches, 2.", example=">>> easyanimate().frequencies.axes.count(0)\n8",
)  # fmt: skip

row(
    cogvideox, "cogvideox_1_5", "CogVideoX 1.5: `cogvideox` at whole positions.",
    "models/embeddings.py, get_3d_rotary_pos_embed", example=">>> cogvideox_1_5().frequencies.axes.count(0)\n8",
    positions=token_positions.volume,
)  # fmt: skip


@from_diffusers(
    file="models/embeddings.py, get_3d_rotary_pos_embed_allegro", positions=token_positions.shrunken,
    notes=("scale=(2.2, 2, 2) is the float nearest to 11/5, the default 11/5 itself.",),
)  # fmt: skip
def allegro(head_dim: Integer = 96, *, base: Number = 10000) -> Rotary:
    """Allegro: a third of the channels for each axis, halves paired inside each third.

    frame base**(-6j / head_dim) | row the same | column the same; block-half

    >>> allegro(12).frequencies.axes
    (0, 0, 1, 1, 2, 2)
    """
    return blocks((checks.multiple("head_dim", head_dim, 6) // 3,) * 3, "block-half", base=base)


# -- images -----------------------------------------------------------------------------------------------------------


@from_diffusers(
    file="models/embeddings.py, get_2d_rotary_pos_embed_lumina", positions=token_positions.image,
    notes=("ntk_factor multiplies the base as it is; linear_factor divides the frequencies.",),
)  # fmt: skip
def lumina(
    head_dim: Integer = 72,
    *,
    base: Number = 10000,
    linear_factor: Number | Sequence[Number] = 1,
    ntk_factor: Number | Sequence[Number] = 1,
) -> Rotary:
    """Lumina-Next: rows and columns alternate pair by pair.

    row theta_0, column theta_0, row theta_1 ..., theta_j = (base ntk_factor)**(-4j / head_dim) / linear_factor

    >>> lumina(8).frequencies.axes
    (0, 1, 0, 1)
    """
    half = checks.multiple("head_dim", head_dim, 4) // 2
    stretched = checks.positive("base", base, "E_BASE") * checks.positive("ntk_factor", ntk_factor)
    block = linear(half, base=stretched, factor=linear_factor)
    return Rotary(
        axial_frequencies((half, half), frequencies=[block] * 2, arrangement="interleaved"), "interleaved", head_dim
    )


@from_diffusers(
    file="models/transformers/transformer_lumina2.py", positions=token_positions.lumina2,
    notes=("The image is at the position after the caption on the first axis.", "Tables end at 300, 512 and 512."),
)  # fmt: skip
def lumina2(head_dim: Integer = 96, *, widths: Sequence[Integer] = (32, 32, 32), base: Number = 10000) -> Rotary:
    """Lumina 2: sequence, row and column.

    sequence base**(-2j / 32) | row the same | column the same; interleaved

    >>> lumina2().rotary_dim
    96
    """
    return blocks(widths, "interleaved", head_dim=head_dim, base=base)


row(
    lumina2, "omnigen2", "OmniGen2", "omnigen2/models/transformers/repo.py",
    "The frequencies of `lumina2`; text counts on all axes, and reference images stand before the image.",
    positions=token_positions.omnigen2, project="VectorSpaceLab/OmniGen2", version="0f72fa9", checked="formula",
)  # fmt: skip


@from_diffusers(
    file="models/transformers/transformer_ernie_image.py", positions=ernie_image_positions,
    notes=("It is not a rotation: tables repeat each angle for neighbours, pairs are halves; see `ernie_image_rope`.",),
)  # fmt: skip
def ernie_image(head_dim: Integer = 128, *, widths: Sequence[Integer] = (32, 48, 48), base: Number = 256) -> Unpaired:
    """ERNIE-Image: tables that repeat each angle, pairs that are halves.

    channel c by angle floor(c / 2) of: sequence base**(-2j / 32) | row base**(-2j / 48) | column the same

    >>> ernie_image().pairing
    'half'
    """
    frequencies = two_frequency_sets(widths, base)
    return Unpaired(frequencies, "half", checks.integer("head_dim", head_dim, sum(widths)))


row(
    lumina2, "z_image", "Z-Image: sequence, row and column with base 256.",
    "models/transformers/transformer_z_image.py",
    "Text is padded to a multiple of 32 and counts from 1; padding of the image is at 0.",
    "Class defaults of its rotary module are (16, 56, 56); the model passes (32, 48, 48).", head_dim=128,
    widths=(32, 48, 48), base=256,
    angles="sequence base**(-2j / 32) | row base**(-2j / 48) | column the same; interleaved",
    example=">>> z_image().frequencies.axes.count(0)\n16", positions=z_image_positions,
)  # fmt: skip

row(
    lumina2, "flux", "Flux: image, row and column.", "src/flux/modules/layers.py",
    "Text is at (0, 0, 0), which leaves it as it is; a reference image has 1 on the first axis.",
    "The matrices are [[cos, -sin], [sin, cos]] in float32 from float64 angles.",
    "The same in Chroma, Bria, LongCat and Ovis.", head_dim=128, widths=(16, 56, 56),
    angles="image base**(-2j / 16) | row base**(-2j / 56) | column the same; interleaved",
    example=">>> flux().frequencies.axes.count(1)\n28", positions=token_positions.flux,
    project="black-forest-labs/flux", version="802fb47",
)  # fmt: skip

row(
    lumina2, "hidream", "HiDream-I1: `flux` with other widths.", "models/transformers/transformer_hidream_image.py",
    "Text follows the image, at 0; the axes of a released model share out head_dim as (64, 32, 32).",
    "The matrices are [[cos, -sin], [sin, cos]] in float32 from float64 angles.", head_dim=128, widths=(64, 32, 32),
    angles="image base**(-2j / 64) | row base**(-2j / 32) | column the same; interleaved",
    example=">>> hidream().frequencies.axes.count(0)\n32", positions=token_positions.image_first,
)  # fmt: skip

row(
    lumina2, "krea2", "Krea 2: `flux` with other widths and base 1000.", "models/transformers/transformer_krea2.py",
    head_dim=128, widths=(32, 48, 48), base=1000,
    angles="image base**(-2j / 32) | row base**(-2j / 48) | column the same; interleaved",
    example=">>> krea2().frequencies.axes.count(0)\n16", positions=token_positions.flux,
)  # fmt: skip

row(
    lumina2, "flux2", "Flux 2: time, row, column and text.", "models/transformers/transformer_flux2.py",
    "Text counts on the last axis; reference image i has 10 + 10 i on the first.", head_dim=128,
    widths=(32, 32, 32, 32), base=2000, angles="each axis base**(-2j / 32); interleaved",
    example=">>> flux2().frequencies.axes.count(3)\n16", positions=token_positions.flux2,
)  # fmt: skip

row(
    lumina2, "flux3", "Flux 3: the four axes of Flux 2 with base 10000.", "models/transformers/transformer_flux3.py",
    "diffusers 0.42.1 makes no ids for it: the positions are those of Flux 2.", head_dim=128,
    widths=(32, 32, 32, 32),
    angles="time base**(-2j / 32) | row the same | column the same | text the same; interleaved",
    example=">>> flux3().frequencies.axes.count(3)\n16", positions=token_positions.flux2,
)  # fmt: skip

row(
    lumina2, "qwen_image", "Qwen-Image: frame, row and column around the middle of the image.",
    "models/transformers/transformer_qwenimage.py",
    "Rows and columns are counted from the middle: -ceil(n / 2) .. ceil for 5 is -3 .. 1.",
    "Text begins at the largest half side on all three axes.", "Tables end at -4096 and 4095.", head_dim=128,
    widths=(16, 56, 56), angles="frame base**(-2j / 16) | row base**(-2j / 56) | column the same; interleaved",
    example=">>> qwen_image().rotary_dim\n128", positions=token_positions.qwen_image,
)  # fmt: skip

row(
    lumina2, "qwen_image21", "Qwen-Image 2.1: `qwen_image` where images stand in the text.",
    "models/transformers/transformer_qwenimage21.py", "Tables end at -1024 and 8191.", head_dim=128,
    widths=(16, 56, 56), angles="time base**(-2j / 16) | row base**(-2j / 56) | column the same; interleaved",
    example=">>> qwen_image21().pairing\n'interleaved'", positions=qwen_image21_positions,
)  # fmt: skip

row(
    lumina2, "nucleusmoe_image", "NucleusMoE-Image: `qwen_image`.",
    "models/transformers/transformer_nucleusmoe_image.py", "One image only; its text gives keys, but no queries.",
    "Released with scale_rope=True.", head_dim=128, widths=(16, 56, 56),
    angles="frame base**(-2j / 16) | row base**(-2j / 56) | column the same; interleaved",
    example=">>> nucleusmoe_image().rotary_dim\n128", positions=token_positions.qwen_image,
)  # fmt: skip


@from_diffusers(
    file="models/transformers/transformer_omnigen.py", positions=token_positions.text,
    notes=(
        "The whole sequence has one axis: text, images of the condition, the time step and the image.",
        "The long factors hold from 4097 positions on; give seq_len, the largest position plus 1.",
        "Padding on the left has position 0.",
    ),
)  # fmt: skip
def omnigen(
    head_dim: Integer = 96,
    *,
    short_factor: ArrayLike | Sequence[Number] = OMNIGEN_SHORT,
    long_factor: ArrayLike | Sequence[Number] = PHI_3_LONG,
    seq_len: Integer | None = None,
    base: Number = 10000,
    original_max_position_embeddings: Integer = 4096,
    max_position_embeddings: Integer = 131072,
) -> Rotary:
    """OmniGen: the divided frequencies of Phi-3, along one axis.

    base**(-2i / head_dim) / factor_i, short_factor, or long_factor for seq_len > 4096; half

    Cosine and sine times sqrt(1 + ln(131072 / 4096) / ln 4096) at every length.

    >>> omnigen().pairing, omnigen().rotary_dim
    ('half', 96)
    """
    frequencies = longrope(
        head_dim, base=base, short_factor=short_factor, long_factor=long_factor, seq_len=seq_len,
        original_max_position_embeddings=original_max_position_embeddings,
        max_position_embeddings=max_position_embeddings,
    )  # fmt: skip
    return Rotary(frequencies, "half", head_dim)


@from_diffusers(
    file="models/transformers/transformer_cogview4.py", positions=token_positions.resampled_image,
    notes=("Positions are floored, so that rows of a large image share one.",),
)  # fmt: skip
def cogview4(head_dim: Integer = 40, *, base: Number = 10000) -> Rotary:
    """CogView 4: rows and columns of a fixed reference grid.

    row base**(-4j / head_dim) | column the same; half

    >>> cogview4(8).frequencies.axes
    (0, 0, 1, 1)
    """
    half = checks.multiple("head_dim", head_dim, 4) // 2
    return blocks((half, half), "half", base=base)


row(
    cogview4, "glm_image", "GLM-Image, diffusion part: `cogview4` at whole positions.",
    "models/transformers/transformer_glm_image.py", example=">>> glm_image(8).pairing\n'half'",
    positions=token_positions.image,
)  # fmt: skip


@from_diffusers(
    file="models/transformers/transformer_ideogram4.py", positions=ideogram4_positions,
    notes=("Image positions begin at 65536, where bfloat16 steps by 512: the code turns autocast off.",),
)  # fmt: skip
def ideogram4(head_dim: Integer = 256, *, rows: Integer = 20, columns: Integer = 20, base: Number = 5000000) -> Rotary:
    """Ideogram 4: the interleaved arrangement of M-RoPE.

    base**(-2i / head_dim); row at i = 1, 4, 7 ... < 3 rows, column at 2, 5, 8 ... < 3 columns, time elsewhere; half

    >>> [ideogram4().frequencies.axes.count(axis) for axis in (0, 1, 2)]
    [88, 20, 20]
    """
    sections = (checks.multiple("head_dim", head_dim, 2) // 2 - rows - columns, rows, columns)
    return Rotary(
        mrope_frequencies(head_dim, sections=sections, arrangement="interleaved", base=base), "half", head_dim
    )


# -- videos -----------------------------------------------------------------------------------------------------------


@preset(
    project="Tencent/HunyuanVideo", version="fa14b00", file="hyvideo/modules/posemb_layers.py",
    positions=token_positions.multiplied, checked="diffusers 0.42.1",
    notes=(
        "Text tokens are not rotated.",
        "diffusers has neither theta_rescale_factor nor interpolation_factor; released models leave both at 1.",
        "HunyuanImage 2.1 is the same with widths=(64, 64), MotifVideo the same in float64.",
    ),
)  # fmt: skip
def hunyuan_video(
    head_dim: Integer = 128,
    *,
    widths: Sequence[Integer] = (16, 56, 56),
    base: Number = 256,
    theta_rescale_factor: Number | Sequence[Number] = 1,
) -> Rotary:
    """HunyuanVideo: frame, row and column with base 256.

    frame base**(-2j / 16) | row base**(-2j / 56) | column the same; interleaved

    theta_rescale_factor: a number f, or one for each axis: its base is base f**(width / (width - 2)).

    >>> hunyuan_video(widths=(64, 64)).frequencies.axes.count(0)
    32
    """
    if theta_rescale_factor == 1:
        return blocks(widths, "interleaved", head_dim=head_dim, base=base)
    several = isinstance(theta_rescale_factor, (tuple, list))
    factors = theta_rescale_factor if several else [theta_rescale_factor] * len(widths)
    return blocks(widths, "interleaved", head_dim=head_dim, frequencies=_rescaled(widths, base, factors))


def _rescaled(widths, base, factors):
    """Frequencies for each axis, their base enlarged as `ntk` does."""
    if len(factors) != len(widths):
        raise InputError("E_SHAPE", "factors", f"factors must be given for each of {len(widths)} axes, got {factors!r}")
    return [ntk(width, base=base, factor=factor) for width, factor in zip(widths, factors)]


@preset(
    project="genmoai/mochi", version="0c86aeb", file="src/genmo/mochi_preview/dit/joint_model/rope_mixed.py",
    positions=token_positions.binned, checked="diffusers 0.42.1",
    notes=(
        "Frequencies are learned, for each layer and head, and kept in float32; text is not rotated.",
        "Rows and columns lie around 0 and are stretched by sqrt(area / (height width)) to an area of 192 x 192.",
        "Positions are those before the stretch, which `Mixed` makes from the shape of the grid.",
    ),
)  # fmt: skip
def mochi(
    pos_frequencies: ArrayLike = (((0.5, 0.25),), ((0.125, -0.5),), ((-0.25, 0.5),)), *, area: Number = 36864
) -> Mixed:
    """Mochi: each pair rotates by a learned sum of frame, row and column.

    frame pos_frequencies[0, head, i] + s (row pos_frequencies[1, head, i] + column pos_frequencies[2, head, i])

    pos_frequencies: (3, heads, head_dim / 2); the default is an example of one head of 4 channels. Pairs are
    neighbours; s = sqrt(area / (height width)).

    >>> mochi().head_dim, mochi().area
    (4, Fraction(36864, 1))
    """
    return Mixed(learned("pos_frequencies", pos_frequencies, 3), "interleaved", checks.positive("area", area))


@preset(
    project="Wan-Video/Wan2.1", version="9737cba", file="wan/modules/model.py",
    positions=token_positions.volume, checked="diffusers 0.42.1",
    notes=(
        "Tables of 1024 positions, computed in float64.",
        "Padding behind the video is not rotated.",
        "The same in SkyReels-V2, AnyFlow, SANA-Video and ChronoEdit, which puts two frames at 0 and 7.",
    ),
)  # fmt: skip
def wan(head_dim: Integer = 128, *, base: Number = 10000) -> Rotary:
    """Wan 2: rows and columns take a third each, rounded down, frames what is left.

    frame base**(-2j / 44) | row base**(-2j / 42) | column the same, for head_dim 128; interleaved

    >>> [2 * wan().frequencies.axes.count(axis) for axis in (0, 1, 2)]
    [44, 42, 42]
    """
    return blocks(sixths(head_dim), "interleaved", base=base)


row(
    lumina2, "helios", "Helios: the widths of `wan`.", "models/transformers/transformer_helios.py",
    "frames may be a list: the frames of the history and of the part to make have numbers of their own.",
    "The tables of a compressed history are averages of cosines and of sines, which are no rotation.", head_dim=128,
    widths=(44, 42, 42), angles="frame base**(-2j / 44) | row base**(-2j / 42) | column the same; interleaved",
    example=">>> helios().frequencies.axes.count(0)\n22", positions=token_positions.volume,
)  # fmt: skip

row(
    wan, "sana_wm", "SANA-WM: `wan` with narrower heads.", "models/transformers/transformer_sana_wm.py",
    "Tables of 1024 positions, in float32.",
    "Half of the channels of a camera branch have the first frequencies of each axis.", head_dim=112,
    angles="frame base**(-2j / 40) | row base**(-2j / 36) | column the same, for head_dim 112; interleaved",
    example=">>> [2 * sana_wm().frequencies.axes.count(axis) for axis in (0, 1, 2)]\n[40, 36, 36]",
    project="huggingface/diffusers", version="0.42.1",
)  # fmt: skip

row(
    wan, "anyflow_far", "AnyFlow FAR: `wan`, where frames of the context are coarse.",
    "models/transformers/transformer_anyflow_far.py",
    "The code averages cosines and sines of neighbours and divides by the length: the rotation at their middle.",
    example=">>> anyflow_far().rotary_dim\n128", positions=token_positions.pooled, project="huggingface/diffusers",
    version="0.42.1",
)  # fmt: skip


@from_diffusers(
    file="models/transformers/transformer_cosmos.py", positions=token_positions.timed,
    notes=("With fps, frames are counted in frames of base_fps, 24.",),
)  # fmt: skip
def cosmos(
    head_dim: Integer = 128, *, base: Number = 10000, rope_scale: Number | Sequence[Number] = (2, 1, 1)
) -> Rotary:
    """Cosmos: the widths of `wan`, each axis with an NTK-scaled base.

    axis a: (base s_a**(w_a / (w_a - 2)))**(-2j / w_a), rope_scale s, widths w; half

    >>> cosmos().pairing
    'half'
    """
    widths = sixths(head_dim)
    return Rotary(axial_frequencies(widths, frequencies=_rescaled(widths, base, rope_scale)), "half", head_dim)


@from_diffusers(
    file="models/transformers/transformer_cosmos3.py", positions=token_positions.cosmos3,
    notes=(
        "A video and its sound begin at the same time, 15000 behind the text.",
    ),
)  # fmt: skip
def cosmos3(head_dim: Integer = 128, *, sections: Sequence[Integer] = (24, 20, 20), base: Number = 5000000) -> Rotary:
    """Cosmos 3: the interleaved M-RoPE of Qwen3-VL for text, video and sound.

    base**(-2i / head_dim); row at i = 1, 4 ... < 60, column at 2, 5 ... < 60, time elsewhere; half

    >>> [cosmos3().frequencies.axes.count(axis) for axis in (0, 1, 2)]
    [24, 20, 20]
    """
    return Rotary(
        mrope_frequencies(head_dim, sections=sections, arrangement="interleaved", base=base), "half", head_dim
    )


row(
    lumina2, "kandinsky5", "Kandinsky 5: frame, row and column.", "models/transformers/transformer_kandinsky.py",
    "scale_factor divides the angles: here the positions.", head_dim=64, widths=(16, 24, 24),
    angles="frame base**(-2j / 16) | row base**(-2j / 24) | column the same; interleaved",
    example=">>> kandinsky5().rotary_dim\n64", positions=token_positions.divided,
)  # fmt: skip

row(
    lumina2, "kandinsky6", "Kandinsky 6: frame, row and column.", "models/transformers/transformer_kandinsky6.py",
    "Text and sound have one axis: all channels by time, sound slowed down by audio_freqs_scaling.", head_dim=128,
    widths=(32, 48, 48), angles="frame base**(-2j / 32) | row base**(-2j / 48) | column the same; interleaved",
    example=">>> kandinsky6().rotary_dim\n128", positions=token_positions.divided,
)  # fmt: skip

row(
    lumina2, "kandinsky6_sr", "Kandinsky 6, super-resolution: the widths of `kandinsky5`.",
    "models/transformers/transformer_kandinsky6_sr.py", "scale_factor is (1, 2, 2).", head_dim=64,
    widths=(16, 24, 24), angles="frame base**(-2j / 16) | row base**(-2j / 24) | column the same; interleaved",
    example=">>> kandinsky6_sr().rotary_dim\n64", positions=token_positions.divided,
)  # fmt: skip


@from_diffusers(file="models/transformers/transformer_minimax_h3.py", positions=token_positions.volume)
def minimax_h3(head_dim: Integer = 128, *, rope_freq_dim: Integer = 16, base: Number = 10000) -> Rotary:
    """MiniMax H3: the first 6 rope_freq_dim channels by frame, row and column, the others left.

    frame base**(-j / rope_freq_dim) | row the same | column the same; half

    >>> minimax_h3().rotary_dim
    96
    """
    return Rotary(axial_frequencies((2 * rope_freq_dim,) * 3, base=base), "half", head_dim)


@preset(
    project="huggingface/diffusers", version="0.42.1",
    file="models/attention_processor.py, StableAudioAttnProcessor2_0",
    positions=token_positions.text, checked="diffusers 0.42.1",
    notes=(
        "Queries and keys alike; the first tokens are time and conditions, which are counted too.",
        "Stable Audio 3 and its autoencoder are the same.",
    ),
)  # fmt: skip
def stable_audio(head_dim: Integer = 64, *, rotary_dim: Integer = 32, base: Number = 10000) -> Rotary:
    """Stable Audio: half of the channels by time.

    base**(-2j / rotary_dim), the other channels left; half

    >>> stable_audio().rotary_dim
    32
    """
    return Rotary(inverse_frequencies(rotary_dim, base=base), "half", head_dim)


row(
    stable_audio, "minimax_music3", "MiniMax Music 3: half of the channels by time, as `stable_audio`.",
    "models/transformers/transformer_minimax_music3.py",
)  # fmt: skip


@from_diffusers(
    file="models/transformers/transformer_longcat_audio_dit.py", positions=token_positions.text,
    notes=("Tables are kept for at least 2048 positions.",),
)  # fmt: skip
def audio_dit(head_dim: Integer = 64, *, base: Number = 100000) -> Rotary:
    """AudioDiT of LongCat: all channels by time.

    base**(-2j / head_dim); half

    >>> audio_dit().pairing
    'half'
    """
    return Rotary(inverse_frequencies(head_dim, base=base), "half", head_dim)


# -- LTX: the whole width at once -------------------------------------------------------------------------------------


@preset(
    project="Lightricks/LTX-Video", version="5260738", file="ltx_video/models/transformers/transformer3d.py",
    positions=token_positions.fractions, checked="diffusers 0.42.1",
    notes=(
        "The whole width of the layer is rotated before it is split into heads, so that heads differ.",
        "Frequencies grow; the first dim % 6 channels are left.",
        "Positions are pixels and seconds as fractions of (20, 2048, 2048), from -1 on.",
    ),
)  # fmt: skip
def ltx_video(dim: Integer = 2048, *, base: Number = 10000) -> Rotary:
    """LTX-Video: increasing frequencies, axes alternating pair by pair over the whole width.

    frame w_0, row w_0, column w_0, frame w_1 ..., w_k = base**(k / (n - 1)) pi / 2, n = floor(dim / 6); interleaved

    >>> ltx_video(14).frequencies.axes, ltx_video(14).placement
    ((0, 1, 2, 0, 1, 2), 'last')
    >>> ltx_video(14).frequencies.turns(3)
    Fraction(2500, 1)
    """
    return Rotary(_growing(dim, 3, base), "interleaved", dim, placement="last")


row(
    ltx_video, "ltx2", "LTX-2, video, interleaved: `ltx_video` at the middles of latents.",
    "models/transformers/transformer_ltx2.py", "rope_type='interleaved' of LTX-2; `ltx2_split` is the other.",
    dim=4096, example=">>> ltx2(14).rotary_dim\n12", positions=token_positions.midpoints,
    project="huggingface/diffusers", version="0.42.1",
)  # fmt: skip


@from_diffusers(
    file="models/transformers/transformer_ltx2.py", positions=token_positions.audio_midpoints,
    notes=("Audio has time only, in seconds as fractions of 20.",),
)  # fmt: skip
def ltx2_audio(dim: Integer = 2048, *, base: Number = 10000) -> Rotary:
    """LTX-2, audio, interleaved: time alone.

    w_k = base**(k / (n - 1)) pi / 2, n = floor(dim / 2); interleaved

    >>> ltx2_audio(4).frequencies.turns(1)
    Fraction(2500, 1)
    """
    return Rotary(_growing(dim, 1, base), "interleaved", dim, placement="last")


@from_diffusers(
    file="models/transformers/transformer_ltx2.py", positions=token_positions.midpoints,
    notes=("Each head has frequencies of its own; the first angles of head 0 are 0 where dim is not a multiple of 6.",),
)  # fmt: skip
def ltx2_split(head: Integer = 0, *, dim: Integer = 4096, heads: Integer = 32, base: Number = 10000) -> Rotary:
    """LTX-2, video, split: one head of rope_type="split".

    angles dim head / (2 heads) .. of 0, 0 ..., frame w_0, row w_0, column w_0, frame w_1 ... as in ltx2; half

    >>> ltx2_split(0, dim=16, heads=2).frequencies.axes
    (0, 0, 0, 1)
    """
    width = checks.multiple("dim", dim, 2 * checks.integer("heads", heads, 1)) // heads
    head = checks.integer("head", head, 0, heads - 1)
    growing = _growing(dim, 3, base)
    padding = dim // 2 - len(growing)
    order = [(0, 0)] * padding + [(1, i) for i in range(len(growing))]
    every_head = frequency_sets.joined([frequency_sets.from_fractions([0]), growing], order)
    axes = (0,) * padding + growing.axes
    own = slice(head * width // 2, (head + 1) * width // 2)
    return Rotary(replace(select(every_head, own), axes=axes[own]), "half", width)


def _growing(dim, axes, base):
    pairs = checks.multiple("dim", dim, 2) // (2 * axes)
    return axial_frequencies(
        (2 * pairs,) * axes,
        base=1 / checks.positive("base", base, "E_BASE"),
        endpoint=True,
        arrangement="interleaved",
        times_pi=Fraction(1, 2),
    )
