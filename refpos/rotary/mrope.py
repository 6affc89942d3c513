"""Multimodal rotary position encoding (M-RoPE)."""

from __future__ import annotations

from collections.abc import Sequence

from ..catalogue import register
from ..frequencies.mrope_frequencies import Arrangement, mrope_frequencies, sections_of
from ..steps.angles.frequencies import Frequencies, checked
from ..steps.waves.grids import PositionsOfAxes
from ..types import Array, ArrayLike, DType, Integer, Number, Pairing
from .rope import rope

__all__ = ["mrope"]


@register(
    family="rotary",
    paper="Wang et al. 2024, Qwen2-VL, arXiv:2409.12191, section 2.1",
    conventions="pairing and arrangement (no defaults); axes t, h, w",
    also="M-RoPE, multimodal RoPE, multimodal rotary position embedding, TM-RoPE",
)
def mrope(
    x: ArrayLike,
    position_ids: PositionsOfAxes,
    *,
    pairing: Pairing,
    sections: Sequence[Integer],
    arrangement: Arrangement,
    base: Number = 10000.0,
    frequencies: Frequencies | None = None,
    inverse: bool = False,
    seq_axis: Integer = -2,
    dtype: DType | None = None,
    out: Array | None = None,
    threads: Integer | None = None,
) -> Array:
    """Multimodal RoPE (M-RoPE): rotate each pair of channels by the time, row or column of its token.

        pair i turns by p theta_i, p = position_ids[axis of pair i], theta_i = base**(-2i / (2 sum(sections)))

    x: (..., seq, ..., dim). position_ids: (3, ..., seq), time, row and column of each token, as the position functions
    of the models give them. sections: pairs of each axis; arrangement "chunked", "interleaved" or "alternating":
    as in `mrope_frequencies`. The first 2 sum(sections) channels are rotated, the others are copied. pairing: as in
    `rope`; "half" in Qwen-VL, "interleaved" in GLM-4V and ERNIE-4.5-VL. frequencies: instead of base.

    Returns an array of the shape and dtype of x, every element rounded once; `out` and the rest as in `rope`.

    Raises what `rope` and `mrope_frequencies` raise.

    Source: transformers 5.23.0, models/qwen2_vl/modeling_qwen2_vl.py, models/qwen3_vl/modeling_qwen3_vl.py,
    models/glm4v/modeling_glm4v.py, models/ernie4_5_vl_moe/modeling_ernie4_5_vl_moe.py.

    >>> import numpy as np
    >>> x = np.ones((1, 6))
    >>> mrope(x, [[1], [0], [2]], pairing="half", sections=(1, 1, 1), arrangement="chunked")[0]
    array([-0.30116868,  1.        ,  0.99568186,  1.38177329,  1.        ,
            1.00429957])
    """
    dim = 2 * sum(sections_of(sections)) if frequencies is None else checked(frequencies).dim
    frequencies = mrope_frequencies(dim, sections=sections, arrangement=arrangement, base=base, frequencies=frequencies)
    return rope(
        x, position_ids, pairing=pairing, frequencies=frequencies, inverse=inverse, seq_axis=seq_axis,
        dtype=dtype, out=out, threads=threads,
    )  # fmt: skip
