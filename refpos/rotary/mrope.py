"""Multimodal rotary position encoding (M-RoPE)."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from ..catalogue import register
from ..frequencies.mrope_frequencies import Arrangement, mrope_frequencies, sections_of
from ..steps.angles.frequencies import Frequencies, checked
from ..steps.waves.grids import PositionsOfAxes
from ..steps.waves.rotation_gradient import rotate_back
from ..types import Array, ArrayLike, DType, Integer, Number, Pairing
from .rope import rope

__all__ = ["mrope"]


@register(
    family="rotary",
    paper="Wang et al. 2024, Qwen2-VL, arXiv:2409.12191, section 2.1",
    conventions="pairing and arrangement (no defaults); axes t, h, w",
    also="M-RoPE, multimodal RoPE, multimodal rotary position embedding, TM-RoPE",
    gradients={"x": rotate_back},
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

        pair i rotates by p theta_i, p = position_ids[axis of pair i], theta_i = base**(-2i / (2 sum(sections)))

    Parameters
    ----------
    x : array_like
        Queries or keys, shape (..., seq, ..., dim).
    position_ids : array_like or sequence of array_like
        Shape (3, ..., seq): time, row and column of each token, as the position functions of the models give them.
    pairing : {'interleaved', 'half', 'block-half'}
        Channels of a pair, as in `rope`; "half" in Qwen-VL, "interleaved" in GLM-4V and ERNIE-4.5-VL.
    sections : sequence of int
        Number of pairs of each axis, as in `mrope_frequencies`.
    arrangement : {'chunked', 'interleaved', 'alternating'}
        How the pairs are divided among the axes, "chunked", "interleaved" or "alternating", as in `mrope_frequencies`.
    base : float or Fraction, default 10000
        Base of the frequencies, finite and greater than 0.
    frequencies : Frequencies, optional
        What `inverse_frequencies` or a scaling returns, instead of base.
    inverse : bool, default False
        Whether to rotate back, by -p.
    seq_axis : int, default -2
        Axis of the sequence: -2 for (batch, heads, seq, dim), -3 for (batch, seq, heads, dim).
    dtype : str or dtype, optional
        Format of the result, by default that of x: float64, float32, float16 or bfloat16.
    out : ndarray, optional
        Array that receives the result.
    threads : int, optional
        Number of threads; the default is all cores. The values never depend on it.

    Returns
    -------
    ndarray
        An array of the shape and dtype of x, every element rounded once; all else is as in `rope`.

    Raises
    ------
    InputError
        What `rope` and `mrope_frequencies` raise (E_DTYPE, E_SHAPE, E_AXIS, E_ODD_DIM, E_ROTARY_DIM, E_BASE,
        E_POSITION, E_CHOICE, E_OUT, E_NUMBER).

    Notes
    -----
    The first 2 sum(sections) channels are rotated, the others are copied.

    References
    ----------
    Transformers 5.23.0, models/qwen2_vl/modeling_qwen2_vl.py, models/qwen3_vl/modeling_qwen3_vl.py,
    models/glm4v/modeling_glm4v.py, models/ernie4_5_vl_moe/modeling_ernie4_5_vl_moe.py.

    Examples
    --------
    >>> import numpy as np
    >>> x = np.ones((1, 6))
    >>> mrope(x, [[1], [0], [2]], pairing="half", sections=(1, 1, 1), arrangement="chunked")[0]
    array([-0.30116868,  1.        ,  0.99568186,  1.38177329,  1.        ,
            1.00429957])
    """
    is_plain = type(sections) in (tuple, list) and len(sections) == 3 and {*map(type, sections)} == {int}
    if is_plain and frequencies is None and type(base) is float and type(arrangement) is str:
        frequencies = _kept_frequencies(tuple(sections), arrangement, base)
    else:
        frequencies = _frequencies(sections, arrangement, base, frequencies)
    return rope(
        x, position_ids, pairing=pairing, frequencies=frequencies, inverse=inverse, seq_axis=seq_axis,
        dtype=dtype, out=out, threads=threads,
    )  # fmt: skip


def _frequencies(sections, arrangement, base, frequencies=None):
    dim = 2 * sum(sections_of(sections)) if frequencies is None else checked(frequencies).dim
    return mrope_frequencies(dim, sections=sections, arrangement=arrangement, base=base, frequencies=frequencies)


_kept_frequencies = lru_cache(maxsize=64)(_frequencies)  # of arguments whose types are known, as True == 1 == 1.0
