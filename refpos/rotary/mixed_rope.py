"""Rotations whose learned frequencies mix the axes."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

import numpy as np

from .. import checks
from ..arithmetic import reals
from ..catalogue import register
from ..errors import InputError, shown
from ..steps.angles import frequency_sets
from ..steps.waves import rotary_arguments
from ..steps.waves.grids import PositionsOfAxes
from ..steps.waves.rotation import pair_views
from ..types import Array, ArrayLike, DType, Integer, Number, OneBlockPairing
from .rope import PAIRINGS, rope

__all__ = ["mixed_rope"]


@register(
    family="rotary",
    paper="Heo et al. 2024, Rotary Position Embedding for Vision Transformer, arXiv:2403.13298, section 3.2",
    conventions="pairing interleaved or half (no default); weight (axes, heads, dim/2)",
    also="RoPE-Mixed, learned 2D RoPE",
)
def mixed_rope(
    x: ArrayLike,
    positions: PositionsOfAxes,
    weight: ArrayLike,
    *,
    pairing: OneBlockPairing,
    squared_scale: Sequence[Number] | None = None,
    dtype: DType | None = None,
    threads: Integer | None = None,
) -> Array:
    """RoPE-Mixed: rotate each pair by a learned weighted sum of the token's positions.

        angle[n, h, i] = sum over axes a of s_a * positions[a, n] * weight[a, h, i],   s_a = sqrt(squared_scale[a])

    Parameters
    ----------
    x : array_like
        Queries or keys, shape (..., heads, seq, dim).
    positions : array_like or sequence of array_like
        A `grid` of seq cells, or positions (seq,) for each axis.
    weight : array_like
        Learned frequencies (axes, heads, dim/2), in radians per position, taken as exactly what they are.
    pairing : {'interleaved', 'half'}
        Channels of a pair: "interleaved" (2i, 2i+1) or "half" (i, i + dim/2).
    squared_scale : sequence of float or Fraction, optional
        For each axis a number greater than 0, the square of what multiplies its positions (None: 1 everywhere); Mochi
        has (1, a, a), a = 192**2 / (height width), whose root is seldom a fraction.
    dtype : str or dtype, optional
        "bfloat16" if x holds bit patterns as uint16.
    threads : int, optional
        Number of threads; the default is all cores. The values never depend on it.

    Returns
    -------
    ndarray
        An array of the shape and dtype of x: the exact value for the exact sum, rounded once.

    Raises
    ------
    InputError
        E_SHAPE, E_NUMBER, E_DTYPE, E_CHOICE, E_POSITION.

    Notes
    -----
    It is made for the sizes of vision towers; each token of each head has its own exact angles.

    References
    ----------
    - naver-ai/rope-vit, deit/models_v2_rope.py (RoPE-Mixed).
    - genmoai/mochi, joint_model/rope_mixed.py, and huggingface/diffusers, transformer_mochi.py (pos_frequencies, three
      axes).

    Examples
    --------
    >>> x = np.ones((1, 2, 2))
    >>> mixed_rope(x, [[0, 1], [0, 2]], [[[0.5]], [[0.25]]], pairing="interleaved")[0]
    array([[ 1.        ,  1.        ],
           [-0.30116868,  1.38177329]])
    """
    x, _ = rotary_arguments.read_channels(x, dtype)
    checks.choice("pairing", pairing, PAIRINGS[:2])
    weight = checks.learned("weight", weight)
    checks.thread_count(threads)
    if x.ndim < 3 or weight.ndim != 3 or weight.shape[1:] != (x.shape[-3], x.shape[-1] // 2) or x.shape[-1] % 2:
        raise InputError(
            "E_SHAPE", "weight", f"weight must be (axes, heads, dim/2) of x {x.shape}, got shape {weight.shape}"
        )
    axes = rotary_arguments.read_axes(positions, len(weight), x.shape[-2])
    result = np.empty(x.shape, x.dtype.newbyteorder("="))
    if not x.size:
        return result
    options = {"dtype": dtype, "threads": threads}
    for head, frequencies in enumerate(angle_sums(axes, weight, squared_scale)):
        # one row whose pairs are those of all tokens: (others, 1, seq * dim)
        row = np.stack(pair_views(x[..., head, :, :], pairing, x.shape[-1]), axis=-1)
        flat = row.reshape(-1, 1, x.shape[-2] * x.shape[-1])
        rotated = rope(flat, [1], pairing="interleaved", frequencies=frequencies, **options).reshape(row.shape)
        for k, view in enumerate(pair_views(result[..., head, :, :], pairing, x.shape[-1])):
            view[...] = rotated[..., k]
    return result


def angle_sums(axes, weight, squared_scale=None):
    """For each head the weighted sums of all tokens and pairs, as the frequencies (tokens * dim/2) of position 1."""
    tokens = list(zip(*(axis.fractions() for axis in axes)))
    roots = _roots(squared_scale, len(weight))
    for head in range(weight.shape[1]):
        learned = [[checks.real("weight", value) for value in row] for row in weight[:, head].tolist()]
        columns = list(zip(*learned))
        yield frequency_sets.from_reals(_sum(token, column, roots) for token in tokens for column in columns)


def _roots(squared_scale, count):
    """(multiple, square) for each axis: its positions are multiplied by multiple * sqrt(square), square 1 if rational.

    Two squares are equal or their roots have no rational ratio.
    """
    if squared_scale is None:
        return [(Fraction(1), Fraction(1))] * count
    if not isinstance(squared_scale, (tuple, list)) or len(squared_scale) != count:
        sentence = f"squared_scale must be given for each of {count} axes, got {shown(squared_scale)}"
        raise InputError("E_SHAPE", "squared_scale", sentence)
    squares, roots = [Fraction(1)], []
    for value in squared_scale:
        value = checks.positive("squared_scale", value)
        same = next((square for square in squares if reals.root(value / square) is not None), None)
        if same is None:
            squares.append(same := value)
        roots.append((reals.root(value / same), same))
    return roots


def _sum(token, column, roots):
    """The angle of one pair of one token, exactly."""
    parts = {}
    for position, learned, (multiple, square) in zip(token, column, roots):
        parts[square] = parts.get(square, 0) + position * learned * multiple
    return reals.sum_of_roots([(part, square) for square, part in parts.items()])
