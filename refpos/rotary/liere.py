"""Rotations of blocks of channels by the exponential of learned generators."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np

from .. import checks
from ..arithmetic import formats, matrix_exponential, rounding
from ..catalogue import register
from ..errors import InputError
from ..steps.waves import rotary_arguments
from ..steps.waves.grids import PositionsOfAxes
from ..types import Array, ArrayLike, DType
from .mixed_rope import mixed_rope

__all__ = ["liere"]


@register(
    family="rotary",
    paper="Ostmeier et al. 2024, LieRE: Lie Rotational Positional Encodings, arXiv:2406.10322, section 4",
    conventions="blocks of neighbouring channels; generators (axes, heads or 1, blocks, n, n) act from the left",
    no_error_bound="libraries state no error of a matrix exponential",
    also="LieRE, Lie rotational position encoding",
)
def liere(
    x: ArrayLike,
    positions: PositionsOfAxes,
    generators: ArrayLike,
    *,
    inverse: bool = False,
    dtype: DType | None = None,
) -> Array:
    """LieRE: rotate each block of channels by the exponential of generators weighted by positions.

        y = exp(sum over axes a of positions[a] * generators[a, head, block]) x

    Parameters
    ----------
    x : array_like
        Queries or keys, shape (..., heads, seq, dim).
    positions : array_like or sequence of array_like
        A `grid` of seq cells, or positions (seq,) for each axis.
    generators : array_like
        Skew-symmetric matrices (axes, heads, blocks, n, n), or 1 for heads where all share them, taken as exactly what
        they are; `liere_generators` makes them from the weights of a checkpoint. Block b rotates the n channels from b
        n on, and the channels after the last block are copied.
    inverse : bool, default False
        Whether to rotate back.
    dtype : str or dtype, optional
        "bfloat16" if x holds bit patterns as uint16.

    Returns
    -------
    ndarray
        An array of the shape and dtype of x: the exact value for the exact sum, rounded once.

    Raises
    ------
    InputError
        E_SHAPE, E_NUMBER (generators that are not finite or not skew-symmetric), E_DTYPE, E_CHOICE, E_POSITION.

    Notes
    -----
    Positions 0 are the identity, and a channel that does not move keeps its bits. Blocks of 2 are `mixed_rope` with the
    weights generators[..., 1, 0], interleaved, zeros with their signs included. In a block with a channel that is not
    finite the formula holds in IEEE arithmetic, and every NaN is the positive quiet one. Scores depend on differences
    of positions alone only where the generators of a block commute.

    It is made to check other code, not to train with: each exponential is computed in integers, in some 5 ms for a
    block of 8 and 1.5 s for one of 64, once for each token, head of the generators and block. Blocks of 2 are faster.

    References
    ----------
    StanfordMIMI/LieRE, models/rope_vit.py, LierePositionEncoder and FlexibleAttention, whose positions are
    grid(linspace(0, Fraction(rows, expected_rows), rows, endpoint=True), ...); class tokens have position 0.

    Examples
    --------
    >>> import numpy as np
    >>> g = np.array([[0.0, -1.0, 0.5], [1.0, 0.0, 0.0], [-0.5, 0.0, 0.0]])
    >>> liere(np.ones((1, 2, 3)), [[0, 2]], g[None, None, None])[0]
    array([[ 1.        ,  1.        ,  1.        ],
           [-0.96911778,  1.05678067,  0.97160967]])
    """
    x, fmt = rotary_arguments.read_channels(x, dtype)
    backwards = checks.flag("inverse", inverse)
    matrices, divisor = _read_generators(generators, x.shape)
    axes = rotary_arguments.read_axes(positions, len(matrices), x.shape[-2])
    tokens = list(zip(*(axis.fractions() for axis in axes)))
    heads, blocks, n = matrices.shape[1:4]
    if backwards:
        matrices = -matrices
    result, stored = rotary_arguments.result_like(x, None, fmt)
    stored[...] = formats.storage(x, fmt)
    if n == 2:
        part = slice(0, 2 * blocks)
        weight = np.broadcast_to(matrices[..., 1, 0], (len(matrices), x.shape[-3], blocks)) * Fraction(1, divisor)
        result[..., part] = mixed_rope(x[..., part], positions, weight, pairing="interleaved", dtype=dtype)
        return result
    patterns = formats.bits(stored)
    for head in range(heads):
        heads_of_x = slice(None) if heads == 1 else head
        for block in range(blocks):
            for token, position in enumerate(tokens):
                at = ..., heads_of_x, token, slice(block * n, (block + 1) * n)
                total, more = matrix_exponential.weighted_sum(matrices[:, head, block], position)
                rows = rounding.widen(stored[at], fmt).reshape(-1, n)
                patterns[at] = matrix_exponential.rotated(total, divisor * more, rows, fmt).reshape(patterns[at].shape)
    return result


def _read_generators(generators, shape):
    """The generators as Python ints and what divides them, for x of a shape."""
    matrices = checks.array("generators", generators)
    fits = len(shape) >= 3 and matrices.ndim == 5 and matrices.size and matrices.shape[-1] == matrices.shape[-2]
    if not fits or matrices.shape[1] not in (1, shape[-3]) or matrices.shape[2] * matrices.shape[3] > shape[-1]:
        raise InputError(
            "E_SHAPE",
            "generators",
            f"generators must be (axes, heads or 1, blocks, n, n), blocks * n at most dim, of x (..., heads, seq, dim)"
            f" {shape}, got shape {matrices.shape}",
        )
    return _skew_symmetric("generators", matrices)


def _skew_symmetric(name, matrices):
    """Skew-symmetric matrices (..., n, n) as Python ints, and the number that divides them."""
    values = [checks.real(name, value) for value in matrices.reshape(-1).tolist()]
    divisor = math.lcm(*(value.denominator for value in values))
    numbers = np.empty(len(values), object)
    numbers[:] = [int(value * divisor) for value in values]
    numbers = numbers.reshape(matrices.shape)
    wrong = np.argwhere(numbers + numbers.swapaxes(-1, -2) != 0)
    if len(wrong):
        *rest, i, j = wrong[0].tolist()
        entries = f"{matrices[(*rest, i, j)]} at {[*rest, i, j]} and {matrices[(*rest, j, i)]} at {[*rest, j, i]}"
        raise InputError("E_NUMBER", name, f"{name} must be skew-symmetric, got {entries}")
    return numbers, divisor
