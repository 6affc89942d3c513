"""Three-dimensional sine-cosine position encoding."""

from __future__ import annotations

from collections.abc import Sequence
from typing import get_args

from .. import checks
from ..catalogue import register
from ..steps.positions.exact_positions import PositionsLike
from ..types import Array, AxisOrder3D, DType, Integer, Number, SinusoidLayout
from .sincos_grid import read_axis, sincos_grid

__all__ = ["sincos_3d"]

AXIS_ORDERS = get_args(AxisOrder3D)


@register(
    family="absolute",
    paper="Bardes et al. 2024, V-JEPA, arXiv:2404.08471, appendix A",
    conventions="axis_order thw and so on, widths of the axes; layout and frequencies as in sinusoidal",
    also="3D sinusoidal, 3D sin-cos, 3D sincos position embedding, get_3d_sincos_pos_embed",
)
def sincos_3d(
    frames: PositionsLike,
    height: PositionsLike,
    width: PositionsLike,
    dim: Integer,
    *,
    axis_order: AxisOrder3D = "thw",
    widths: Sequence[Integer] | None = None,
    layout: SinusoidLayout = "sin-cos",
    base: Number = 10000.0,
    endpoint: bool = False,
    extra_tokens: Integer | None = None,
    dtype: DType = "float64",
    out: Array | None = None,
    threads: Integer | None = None,
) -> Array:
    """3D sin-cos position embedding: frame, row and column of each grid cell in shares of the channels.

        PE[t, r, c] = [sinusoidal(t, widths[0]) | sinusoidal(r, widths[1]) | sinusoidal(c, widths[2])]   for "thw"

    Parameters
    ----------
    frames, height, width : int or array_like
        Sizes of the grid, or exact coordinates along an axis (an array, or what a function of `refpos.coordinates`
        returns).
    dim : int
        Number of channels of all axes together.
    axis_order : {'thw', 'twh', 'htw', 'hwt', 'wth', 'wht'}, default 'thw'
        The axes in the order of the channels.
    widths : sequence of int, optional
        Even widths in that order, by default dim/3 each; where their sum exceeds dim the last channels fall away.
        V-JEPA has (dim/2, dim/4, dim/4), or with uniform power three times 2 ceil(dim/6). Each axis has n = width/2
        frequencies base**(-j / n), or base**(-j / (n - 1)) with endpoint.
    layout : {'interleaved', 'sin-cos', 'cos-sin'}, default 'sin-cos'
        Order of the channels within each axis: "sin-cos", "cos-sin" or "interleaved".
    base : float or Fraction, default 10000
        Base of the frequencies, finite and greater than 0.
    endpoint : bool, default False
        Whether the last frequency is 1/base, as stated for widths.
    extra_tokens : int, optional
        None gives the grid; a count k gives rows of a sequence, k of zeros and then the grid row by row.
    dtype : str or dtype, default 'float64'
        Format of the result: float64, float32, float16 or bfloat16.
    out : ndarray, optional
        Array that receives the result.
    threads : int, optional
        Number of threads; the default is all cores. The values never depend on it.

    Returns
    -------
    ndarray
        Shape (frames, height, width, dim), or (k + frames * height * width, dim), rounded once to `dtype`.

    Raises
    ------
    InputError
        E_ODD_DIM when dim is not a multiple of 6 and widths are not given, or a width is odd, E_SHAPE (widths), E_SIZE,
        E_POSITION, E_BASE, E_CHOICE, E_DTYPE, E_OUT, E_TOO_LARGE.

    References
    ----------
    - facebookresearch/vjepa2, src/models/utils/pos_embs.py, get_3d_sincos_pos_embed.
    - huggingface/diffusers, models/embeddings.py, get_3d_sincos_pos_embed (CogVideoX: frame, then column and row in 3/8
      each).

    Examples
    --------
    >>> sincos_3d(2, 2, 3, 6, dtype="float32")[1, 0, 2]
    array([ 0.84147096,  0.5403023 ,  0.        ,  1.        ,  0.9092974 ,
           -0.41614684], dtype=float32)
    """
    checks.choice("axis_order", axis_order, AXIS_ORDERS)
    sizes = {"frames": frames, "height": height, "width": width}
    return sincos_grid(
        [read_axis(name, size) for name, size in sizes.items()], dim, axis_order=axis_order, widths=widths,
        layout=layout, base=base, endpoint=endpoint, extra_tokens=extra_tokens, dtype=dtype, out=out, threads=threads,
    )  # fmt: skip
