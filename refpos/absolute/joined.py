"""Encodings joined along the channels: each part has channels of its own."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from .. import checks
from ..arithmetic.formats import bits
from ..catalogue import register
from ..errors import InputError
from ..steps.rows import gather
from ..steps.waves import grids, tables
from ..types import Array, ArrayLike, Integer

__all__ = ["joined"]


@register(
    family="absolute",
    paper="Cong et al. 2022, SatMAE, arXiv:2207.08051, section 3.1",
    conventions="parts in the order of the channels; axes of size 1 are repeated",
    contract="copied",
    also="concatenated encodings, concatenate",
)
def joined(
    parts: Sequence[ArrayLike],
    *,
    extra_tokens: Integer | None = None,
    out: Array | None = None,
    threads: Integer | None = None,
) -> Array:
    """Encodings concatenated along the channels, each repeated along the axes that it does not have.

        result[..., start_k + c] = parts[k][..., c],  start_k = widths of the parts before k

    Parameters
    ----------
    parts : sequence of array_like
        At least one array (..., width) of one dtype, float64, float32, float16 or bfloat16, or uint16 bit patterns,
        whose axes before the last broadcast: places (rows * columns, d) and times (frames, 1, e) give each place at
        each time.
    extra_tokens : int, optional
        None gives the cells; a count k gives rows of a sequence, k of zeros and then the cells in row-major order.
    out : ndarray, optional
        Array that receives the result.
    threads : int, optional
        Number of threads; the default is all cores. The values never depend on it.

    Returns
    -------
    ndarray
        Shape (..., sum of the widths), or (k + cells, sum of the widths).

    Raises
    ------
    InputError
        E_SHAPE (parts that have no channels, or do not broadcast), E_DTYPE, E_SIZE, E_OUT, E_TOO_LARGE.

    Notes
    -----
    Bits are copied, nothing is rounded.

    References
    ----------
    sustainlab-group/SatMAE, models_mae_temporal.py: columns and rows of a patch in dim - 384 channels, then year, month
    and hour in 128 each (the decoder: dim - 192 and 64).

    Examples
    --------
    >>> import numpy as np
    >>> joined([np.zeros((3, 2)), np.ones((2, 1, 1))])[1, 2]
    array([0., 0., 1.])
    """
    arrays = [_read_part(part) for part in checks.listed("parts", parts, "arrays")]
    if not arrays:
        raise InputError("E_SHAPE", "parts", "parts must hold at least one array, got none")
    formats_of_parts = {array.fmt.name: array.fmt for array in arrays}
    if len(formats_of_parts) > 1:
        raise InputError("E_DTYPE", "parts", f"parts must have one dtype, got {' and '.join(formats_of_parts)}")
    (fmt,) = formats_of_parts.values()
    shape = _broadcast([array.shape[:-1] for array in arrays])
    checks.thread_count(threads)
    width = sum(array.shape[-1] for array in arrays)
    apart_from = [array.patterns for array in arrays]
    result, cells = grids.output_of_cells(out, shape, width, extra_tokens, fmt, apart_from=apart_from)
    start = 0
    for array in arrays:
        stop = start + array.shape[-1]
        _copy(array.patterns, bits(cells)[..., start:stop], threads)
        start = stop
    return result


def _read_part(part):
    axes = max(checks.array("parts", part, "E_DTYPE", "arrays of floats").ndim, 1)
    return gather.read_table("parts", part, (*["cells"] * (axes - 1), "channels"))


def _broadcast(shapes):
    try:
        return checks.broadcast(*shapes)
    except ValueError:
        listed = ", ".join(map(str, shapes))
        sentence = f"parts must have axes before the channels that broadcast, got {listed}"
        raise InputError("E_SHAPE", "parts", sentence) from None


def _copy(part, target, threads):
    """Copy a part, repeated, to its channels of all cells."""
    source = np.broadcast_to(part, target.shape)
    source, target = (array[(None,) * (3 - array.ndim)] for array in (source, target))
    for index in np.ndindex(target.shape[:-3]):
        tables.copy_repeated(source[index], target[index], threads)
