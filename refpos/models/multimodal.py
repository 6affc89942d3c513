"""Rotary encodings of multimodal text models: M-RoPE, one set of frequencies divided among time, row and column.

Positions are those of the functions of `refpos.positions`, (3, batch, tokens).
"""

from __future__ import annotations

from collections.abc import Sequence

from .. import checks
from ..errors import InputError
from ..frequencies.axial_frequencies import axial_frequencies
from ..frequencies.mrope_frequencies import mrope_frequencies
from ..frequencies.ntk_alpha import ntk_alpha
from ..positions.multimodal.ernie4_5_vl_positions import ernie4_5_vl_positions
from ..positions.multimodal.glm4v_positions import glm4v_positions
from ..positions.multimodal.hunyuan_vl_positions import hunyuan_vl_positions
from ..positions.multimodal.qwen2_5_omni_positions import qwen2_5_omni_positions
from ..positions.multimodal.qwen2_5_vl_positions import qwen2_5_vl_positions
from ..positions.multimodal.qwen2_vl_positions import qwen2_vl_positions
from ..positions.multimodal.qwen3_omni_positions import qwen3_omni_positions
from ..positions.multimodal.qwen3_vl_positions import qwen3_vl_positions
from ..positions.multimodal.videorope_positions import videorope_positions
from ..rotary.xdrope import two_frequency_sets
from ..types import Integer, Number
from .registry import from_transformers, preset, row
from .rotary import Rotary, Unpaired
from .token_positions import by_axis
from .token_positions import neomme as image_of_neomme


def mrope(head_dim, pairing, arrangement, sections, base, rotary_dim=None):
    """M-RoPE of the first rotary_dim channels."""
    width = checks.multiple("head_dim", head_dim, 2) if rotary_dim is None else rotary_dim
    return Rotary(mrope_frequencies(width, sections=sections, arrangement=arrangement, base=base), pairing, head_dim)


@from_transformers(
    file="models/qwen2_vl/modeling_qwen2_vl.py", positions=by_axis(qwen2_vl_positions),
    notes=("PaddleOCR-VL has the same; where text resumes after a video depends on the version of transformers.",),
)  # fmt: skip
def qwen2_vl(head_dim: Integer = 128, *, sections: Sequence[Integer] = (16, 24, 24), base: Number = 1000000) -> Rotary:
    """Qwen2-VL, text: time, then row, then column, in runs of the frequencies.

    base**(-2i / head_dim); time for the first 16 pairs, row for the next 24, column for the last 24; half

    >>> qwen2_vl(8, sections=(1, 2, 1)).frequencies.axes
    (0, 1, 1, 2)
    """
    return mrope(head_dim, "half", "chunked", sections, base)


row(
    qwen2_vl, "qwen2_5_vl", "Qwen2.5-VL, text: `qwen2_vl` with frames at times of their own.",
    "models/qwen2_5_vl/modeling_qwen2_5_vl.py",
    "Only the positions differ from Qwen2-VL: a frame stands at its time in seconds, times tokens_per_second.",
    example=">>> qwen2_5_vl().rotary_dim\n128", positions=by_axis(qwen2_5_vl_positions),
)  # fmt: skip

row(
    qwen2_vl, "qwen2_5_omni", "Qwen2.5-Omni, thinker: `qwen2_vl` with time in units of 40 ms (TMRoPE).",
    "models/qwen2_5_omni/modeling_qwen2_5_omni.py", example=">>> qwen2_5_omni().rotary_dim\n128",
    positions=by_axis(qwen2_5_omni_positions),
)  # fmt: skip


@from_transformers(
    file="models/qwen3_vl/modeling_qwen3_vl.py", positions=by_axis(qwen3_vl_positions),
    notes=("The base of the class is 500000, of released models 5000000.",),
)  # fmt: skip
def qwen3_vl(head_dim: Integer = 128, *, sections: Sequence[Integer] = (24, 20, 20), base: Number = 5000000) -> Rotary:
    """Qwen3-VL, text: time, row and column in turn.

    base**(-2i / head_dim); row at i = 1, 4, 7 ... < 60, column at 2, 5, 8 ... < 60, time elsewhere; half

    >>> qwen3_vl(12, sections=(2, 2, 2)).frequencies.axes
    (0, 1, 2, 0, 1, 2)
    """
    return mrope(head_dim, "half", "interleaved", sections, base)


@from_transformers(
    file="models/qwen3_5/modeling_qwen3_5.py", positions=by_axis(qwen3_vl_positions),
)  # fmt: skip
def qwen3_5(
    head_dim: Integer = 256,
    *,
    rotary_dim: Integer = 64,
    sections: Sequence[Integer] = (11, 11, 10),
    base: Number = 10000000,
) -> Rotary:
    """Qwen3.5, text: `qwen3_vl` on a quarter of the channels.

    base**(-2i / 64); row at i = 1, 4, 7 ... < 33, column at 2, 5, 8 ... < 30, time elsewhere; half

    >>> qwen3_5().rotary_dim
    64
    """
    return mrope(head_dim, "half", "interleaved", sections, base, rotary_dim)


row(
    qwen3_vl, "qwen3_omni", "Qwen3-Omni, thinker: `qwen3_vl` with times that are fractions.",
    "models/qwen3_omni_moe/modeling_qwen3_omni_moe.py", "Its positions are floats: times are not cut to integers.",
    base=1000000, example=">>> qwen3_omni().pairing\n'half'", positions=by_axis(qwen3_omni_positions),
)  # fmt: skip


@from_transformers(
    file="models/glm4v/modeling_glm4v.py", positions=by_axis(glm4v_positions),
    notes=("GLM-OCR has the same.",),
)  # fmt: skip
def glm4v(
    head_dim: Integer = 128,
    *,
    rotary_dim: Integer = 64,
    sections: Sequence[Integer] = (8, 12, 12),
    base: Number = 10000,
) -> Rotary:
    """GLM-4V, text: the sections of Qwen2-VL in interleaved pairs, on half of the channels.

    base**(-2i / 64); time for the first 8 pairs, row for the next 12, column for the last 12; interleaved

    >>> glm4v().pairing
    'interleaved'
    """
    return mrope(head_dim, "interleaved", "chunked", sections, base, rotary_dim)


@from_transformers(
    file="models/glm4v_moe/modeling_glm4v_moe.py", positions=by_axis(glm4v_positions),
)  # fmt: skip
def glm4v_moe(
    head_dim: Integer = 128,
    *,
    rotary_dim: Integer = 64,
    sections: Sequence[Integer] = (8, 12, 12),
    base: Number = 10000,
) -> Rotary:
    """GLM-4.5V, text: `glm4v` with half pairing.

    base**(-2i / 64); time for the first 8 pairs, row for the next 12, column for the last 12; half

    >>> glm4v_moe().pairing
    'half'
    """
    return mrope(head_dim, "half", "chunked", sections, base, rotary_dim)


@from_transformers(
    file="models/ernie4_5_vl_moe/modeling_ernie4_5_vl_moe.py", positions=by_axis(ernie4_5_vl_positions),
    notes=("Its sections are (row, column, time); time has the lowest frequencies.",),
)  # fmt: skip
def ernie4_5_vl(
    head_dim: Integer = 128, *, sections: Sequence[Integer] = (22, 22, 20), base: Number = 500000
) -> Rotary:
    """ERNIE-4.5-VL, text: rows and columns alternate, then time.

    base**(-2i / head_dim); row at even, column at odd i < 44, time from there on; interleaved

    >>> ernie4_5_vl(12, sections=(2, 2, 2)).frequencies.axes
    (1, 2, 1, 2, 0, 0)
    """
    return mrope(head_dim, "interleaved", "alternating", sections, base)


@preset(
    project="Wiselnn570/VideoRoPE", version="309f5c8", file="videorope-transformer/modeling_videorope.py",
    positions=by_axis(videorope_positions),
    notes=("Positions are floats: time is scaled, rows and columns lie around it.",),
)  # fmt: skip
def videorope(head_dim: Integer = 128, *, sections: Sequence[Integer] = (24, 24, 16), base: Number = 1000000) -> Rotary:
    """VideoRoPE: rows and columns alternate on the high frequencies, time has the low ones.

    base**(-2i / head_dim); row at even, column at odd i < 48, time from there on; half

    >>> videorope(12, sections=(2, 2, 2)).frequencies.axes
    (1, 2, 1, 2, 0, 0)
    """
    return mrope(head_dim, "half", "alternating", sections, base)


@from_transformers(
    file="models/neomme/modeling_neomme.py", positions=image_of_neomme,
    notes=(
        "Layers of sliding attention rotate all channels, with base 10000.",
        "Text is at the same position on both axes.",
    ),
)  # fmt: skip
def neomme(head_dim: Integer = 64, *, rotary_dim: Integer = 16, base: Number = 1000000) -> Rotary:
    """NeoMME, full attention: rows take the even frequencies of a set, columns the odd ones, on the first channels.

    base**(-2i / rotary_dim); row at even, column at odd i; half

    >>> neomme(8, rotary_dim=8, base=10000).inv_freq, neomme(8, rotary_dim=8).frequencies.axes
    (array([1.   , 0.1  , 0.01 , 0.001]), (0, 1, 0, 1))
    """
    half = checks.multiple("rotary_dim", rotary_dim, 4) // 2
    frequencies = axial_frequencies((half, half), base=base, allocation="strided", arrangement="interleaved")
    return Rotary(frequencies, "half", head_dim)


@from_transformers(
    file="models/hunyuan_vl/modeling_hunyuan_vl.py", positions=by_axis(hunyuan_vl_positions),
    notes=(
        "For tokens of images it is not a rotation: the two channels of a pair rotate by different axes; see `xdrope`.",
        "Text is at the same position on all axes, which makes it one.",
    ),
)  # fmt: skip
def hunyuan_vl(
    head_dim: Integer = 128,
    *,
    sections: Sequence[Integer] = (16, 16, 16, 16),
    base: Number = 10000,
    alpha: Number = 1000,
) -> Unpaired:
    """HunYuan-VL: the table is doubled, then shared out among sequence, column, row and image.

    channel c by (base alpha**(head_dim / (head_dim - 2)))**(-2 (c mod head_dim/2) / head_dim), in runs of 2 sections[k]

    >>> hunyuan_vl(8, sections=(1, 1, 1, 1)).frequencies[1].axes
    (2, 2, 3, 3)
    """
    if 2 * sum(sections) != checks.multiple("head_dim", head_dim, 2):
        raise InputError("E_SHAPE", "sections", f"sections must add up to {head_dim // 2}, got {sum(sections)}")
    frequencies = ntk_alpha(head_dim, base=base, alpha=alpha)
    return Unpaired(two_frequency_sets(frequencies, sections), "half", head_dim)
