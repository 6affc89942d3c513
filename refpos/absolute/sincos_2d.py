"""Two-dimensional sine-cosine position encoding."""

from __future__ import annotations

from typing import get_args

from .. import checks
from ..catalogue import register
from ..types import Array, AxisOrder2D, DType, Integer, Number, SinusoidLayout
from .sincos_grid import sincos_grid

__all__ = ["sincos_2d"]

AXIS_ORDERS = get_args(AxisOrder2D)


@register(
    family="absolute",
    paper="He et al. 2022, Masked Autoencoders, arXiv:2111.06377, appendix A.1",
    conventions="axis_order hw or wh (no default); layout and frequencies as in sinusoidal",
    also=(
        "2D sinusoidal, 2D sin-cos, 2D sincos position embedding, get_2d_sincos_pos_embed, MAE, DiT, "
        "MoCo v3, 2D position embedding, posemb_sincos_2d, patch position embedding, "
        "image position encoding, masked autoencoder, Stable Diffusion 3, SD3, PixArt, Latte"
    ),
)
def sincos_2d(
    height: Integer,
    width: Integer,
    dim: Integer,
    *,
    axis_order: AxisOrder2D,
    layout: SinusoidLayout = "sin-cos",
    base: Number = 10000.0,
    endpoint: bool = False,
    extra_tokens: Integer | None = None,
    dtype: DType = "float64",
    out: Array | None = None,
    threads: Integer | None = None,
) -> Array:
    """2D sin-cos position embedding: row and column of each grid cell in half of the channels each.

        PE[r, c] = [sinusoidal(r, dim/2) | sinusoidal(c, dim/2)]   for axis_order "hw"
        PE[r, c] = [sinusoidal(c, dim/2) | sinusoidal(r, dim/2)]   for axis_order "wh"

    Parameters
    ----------
    height : int
        Number of rows.
    width : int
        Number of columns.
    dim : int
        Number of channels, a multiple of 4; each half has dim/4 frequencies base**(-j / (dim/4)); with
        endpoint, base**(-j / (dim/4 - 1)).
    axis_order : {'hw', 'wh'}
        Which axis takes the first half of the channels: "wh" columns (MAE, ViT-MAE, DiT, I-JEPA, AIMv2, Granite
        Docling; with endpoint big_vision and simple ViT), "hw" rows (V-JEPA, RT-DETR of transformers).
    layout : {'interleaved', 'sin-cos', 'cos-sin'}, default 'sin-cos'
        Order of the channels within each half: "sin-cos", "cos-sin" or "interleaved".
    base : float or Fraction, default 10000
        Base of the frequencies, finite and greater than 0.
    endpoint : bool, default False
        Whether the last frequency is 1/base, as stated for dim.
    extra_tokens : int, optional
        None gives the grid, (height, width, dim). A count k gives a sequence, (k + height * width, dim): k rows of
        zeros and then the grid row by row; 0 for the patches alone, 1 with the class token of MAE.
    dtype : str or dtype, default 'float64'
        Format of the result: float64, float32, float16 or bfloat16.
    out : ndarray, optional
        Array that receives the result.
    threads : int, optional
        Number of threads; the default is all cores. The values never depend on it.

    Returns
    -------
    ndarray
        Shape (height, width, dim), or (k + height * width, dim), rounded once to `dtype`.

    Raises
    ------
    InputError
        E_ODD_DIM when dim is not a multiple of 4, E_SIZE, E_BASE, E_CHOICE, E_DTYPE, E_OUT, E_TOO_LARGE.

    References
    ----------
    - facebookresearch/mae, util/pos_embed.py, get_2d_sincos_pos_embed, which is axis_order "wh" although its names say
      the opposite.
    - facebookresearch/vjepa2, src/models/utils/pos_embs.py is "hw".
    - google-research/big_vision, models/vit.py, posemb_sincos_2d is "wh" with endpoint.

    Examples
    --------
    >>> sincos_2d(2, 3, 4, axis_order="hw", dtype="float32")[1, 2]
    array([ 0.84147096,  0.5403023 ,  0.9092974 , -0.41614684], dtype=float32)
    >>> sincos_2d(2, 3, 4, axis_order="wh", dtype="float32")[1, 2]  # as MAE
    array([ 0.9092974 , -0.41614684,  0.84147096,  0.5403023 ], dtype=float32)

    The rows of a sequence, as MAE has them, without and with its class token:

    >>> sincos_2d(14, 14, 768, axis_order="wh", extra_tokens=0).shape
    (196, 768)
    >>> sincos_2d(14, 14, 768, axis_order="wh", extra_tokens=1).shape
    (197, 768)
    """
    sizes = checks.integer("height", height), checks.integer("width", width)
    checks.choice("axis_order", axis_order, AXIS_ORDERS)
    return sincos_grid(
        sizes, checks.multiple("dim", dim, 4), axis_order=axis_order, layout=layout, base=base, endpoint=endpoint,
        extra_tokens=extra_tokens, dtype=dtype, out=out, threads=threads,
    )  # fmt: skip
