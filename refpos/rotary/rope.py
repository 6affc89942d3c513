"""Rotary position encoding applied to queries or keys."""

from __future__ import annotations

from typing import get_args

from .. import checks
from ..arithmetic import formats
from ..catalogue import register
from ..steps.angles.frequencies import Frequencies
from ..steps.waves import fast_path, rotary_arguments
from ..steps.waves.grids import PositionsOfAxes
from ..steps.waves.rotation import rotate
from ..steps.waves.rotation_gradient import rotate_back
from ..types import Array, ArrayLike, DType, Integer, Number, Pairing

__all__ = ["rope"]

PAIRINGS = get_args(Pairing)


@register(
    family="rotary",
    paper="Su et al. 2021, RoFormer, arXiv:2104.09864, section 3.4.2",
    conventions="pairing interleaved, half or block-half (no default); by +position; first rotary_dim channels",
    also=(
        "RoPE, rotary, rotary position embedding, rotary embedding, rotary positional embedding, "
        "rotate_half, apply_rotary_pos_emb, apply_rotary_emb, RoFormer, GPT-J, GPT-NeoX, Pythia, PaLM, "
        "partial rotary, partial_rotary_factor, rotate_every_two, rotation matrix, apply_rotary_pos_emb_interleave, "
        "interleaved RoPE, GPT-NeoX style, is_neox_style, rotary_pct, rotary_percent, "
        "rotate_queries_or_keys, Llama, Grok-1, rotary-embedding-torch"
    ),
    gradients={"x": rotate_back},
)
def rope(
    x: ArrayLike,
    positions: PositionsOfAxes,
    *,
    pairing: Pairing,
    frequencies: Frequencies | None = None,
    base: Number = 10000.0,
    rotary_dim: Integer | None = None,
    inverse: bool = False,
    seq_axis: Integer = -2,
    dtype: DType | None = None,
    out: Array | None = None,
    threads: Integer | None = None,
) -> Array:
    """Rotary position embedding (RoPE): rotate each pair of channels by position times frequency.

        y1 = a (x1 cos(p theta_i) - x2 sin(p theta_i))
        y2 = a (x2 cos(p theta_i) + x1 sin(p theta_i))      theta_i = base**(-2i / rotary_dim),  a = 1

    Parameters
    ----------
    x : array_like
        Queries or keys, shape (..., seq, ..., dim) of float64, float32, float16 or bfloat16.
    positions : array_like or sequence of array_like
        An int (0 .. n-1, n = seq), an array (seq,), or (batch..., seq) whose leading axes are those of x or 1; integers
        to 2**53 in size or finite floats.
    pairing : {'interleaved', 'half', 'block-half'}
        Channels of a pair: "interleaved" rotates channels (2i, 2i+1), "half" rotates (i, i + rotary_dim/2),
        "block-half" rotates the halves of the block of each axis.
    frequencies : Frequencies, optional
        What `inverse_frequencies`, a scaling or `axial_frequencies` returns, instead of base, with its attention_factor
        a; where it has several axes, positions are (axes, ..., seq) or a `grid` of seq cells.
    base : float or Fraction, default 10000
        Base of the frequencies, finite and greater than 0.
    rotary_dim : int, optional
        How many leading channels are rotated (default all, or the width of `frequencies`); the others are copied.
    inverse : bool, default False
        Whether to rotate back, by -p.
    seq_axis : int, default -2
        Which axis is the sequence: -2 for (batch, heads, seq, dim), -3 for (batch, seq, heads, dim).
    dtype : str or dtype, optional
        "bfloat16" if x holds bit patterns as uint16.
    out : ndarray, optional
        Array that receives the result; it may be x itself, but not overlap x otherwise.
    threads : int, optional
        Number of threads; the default is all cores. The values never depend on it.

    Returns
    -------
    ndarray
        An array of the shape and dtype of x: the exact value of the formula for the exact x, cosine and sine, rounded
        once.

    Raises
    ------
    InputError
        E_DTYPE, E_SHAPE, E_AXIS, E_ODD_DIM, E_ROTARY_DIM, E_BASE, E_POSITION, E_CHOICE, E_OUT.

    Notes
    -----
    Where x is not finite the formula holds in IEEE arithmetic, and every NaN is the positive quiet one. Where x1 and x2
    are both zero so is the result.

    References
    ----------
    - Su et al. 2021, RoFormer, section 3.4.2; interleaved: EleutherAI/mesh-transformer-jax (GPT-J) and Meta's Llama.
    - half: EleutherAI/gpt-neox and transformers, models/llama/modeling_llama.py, apply_rotary_pos_emb.

    Examples
    --------
    >>> import numpy as np
    >>> x = np.array([[1.0, 0.0, 1.0, 0.0]], dtype=np.float32)
    >>> rope(x, [1], pairing="interleaved", base=10000)
    array([[0.5403023 , 0.84147096, 0.99995   , 0.00999983]], dtype=float32)
    >>> rope(x, [1], pairing="half", base=10000)
    array([[-0.30116868,  0.        ,  1.3817732 ,  0.        ]],
          dtype=float32)
    """
    if rotary_dim is None and type(base) is float and fast_path.on_one_thread(threads):
        rotated = fast_path.rotate(x, positions, pairing, frequencies, base, inverse, seq_axis, dtype, out)
        if rotated is not None:
            return rotated
    x, fmt = rotary_arguments.read_channels(x, dtype)
    checks.choice("pairing", pairing, PAIRINGS)
    axis = rotary_arguments.sequence_axis(x, seq_axis)
    frequencies = rotary_arguments.choose_frequencies(x.shape[-1], frequencies, base, rotary_dim)
    rotary_arguments.check_first(positions, frequencies, x.shape, axis)
    tokens = rotary_arguments.read_token_positions(positions, frequencies).along_sequence()
    tokens.check(x.shape, axis)
    backwards = checks.flag("inverse", inverse)
    result, stored = rotary_arguments.result_like(x, out, fmt)
    checks.thread_count(threads)
    if not x.size:
        return result
    for source, target, axes in tokens.sequences(formats.storage(x, fmt), stored, axis):
        rotate(source, target, axes, pairing, frequencies, fmt, backwards, threads)
    return result
