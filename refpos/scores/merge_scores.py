"""Scores of several rotations made one, each pair of a query and a key keeping that of its region."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from .. import checks
from ..arithmetic import formats
from ..catalogue import register
from ..errors import InputError
from ..steps.distances import bias
from ..steps.rows import doubles, gather, learned_tables
from ..types import Array, ArrayLike, DType

__all__ = ["merge_scores"]


@register(
    family="scores",
    paper="Su 2023, ReRoPE, github.com/bojone/rerope; Jin et al. 2024, Self-Extend, arXiv:2401.01325; An et al. 2024, "
    "Dual Chunk Attention, arXiv:2402.17463",
    conventions="regions number the scores from 0; -1 is masked with -inf",
    no_error_bound="scores are copied, or rounded once by all programs alike, and others are minus infinity",
)
def merge_scores(
    scores: ArrayLike | Sequence[ArrayLike],
    regions: ArrayLike,
    *,
    dtype: DType | None = None,
    out: Array | None = None,
) -> Array:
    """Attention scores merged from several: each query-key pair uses the one of its region.

        S[..., i, j] = scores[regions[i, j]][..., i, j],   -inf where regions is -1

    Parameters
    ----------
    scores : array_like or sequence of array_like
        The scores of each rotation, one array (rotations, ..., queries, keys), or a list of arrays (..., queries, keys)
        of one shape and dtype; uint16 are bit patterns of bfloat16.
    regions : array_like
        Integers that broadcast to (..., queries, keys), from `window_regions` (ReRoPE and Self-Extend: the plain
        rotation first) or `dual_chunk_regions` (intra, successive, inter), or any others. What a causal mask hides is
        -1 in the latter; of the former it is masked afterwards.
    dtype : str or dtype, optional
        Format of the result, by default that of scores: float64, float32, float16 or bfloat16.
    out : ndarray, optional
        Array that receives the result.

    Returns
    -------
    ndarray
        Shape (..., queries, keys) in `dtype` or that of scores: bits are copied where dtype changes nothing, else each
        score is rounded once; -0 stays -0 in both.

    Raises
    ------
    InputError
        E_DTYPE and E_SHAPE (scores, regions), E_NUMBER (a region without scores), E_OUT, E_TOO_LARGE.

    Notes
    -----
    Parts of attention that have been through a softmax of their own are joined by `merge_outputs`.

    References
    ----------
    - bojone/rerope at 2cbd019, rerope_patch.py (torch.where over rectified_mask).
    - datamllab/LongLM, self_extend_patch/Llama.py (its merge by neighbor_attention_mask).
    - An et al. 2024, section 3, equation 8.

    Examples
    --------
    >>> import numpy as np
    >>> merge_scores([np.zeros((2, 3)), np.ones((2, 3))], [[1, 0, -1], [1, 1, 0]])
    array([[  1.,   0., -inf],
           [  1.,   1.,   0.]])
    """
    tables = read_parts(scores)
    shape, fmt = tables[0].shape, learned_tables.result_format(tables[0], dtype)
    index = read_regions(regions, len(tables), shape)
    array, stored = checks.output(
        out, shape, fmt, apart_from=[*(table.patterns for table in tables), *doubles.arrays(regions)]
    )
    patterns = formats.bits(stored)
    patterns[...] = bias.minus_infinity(learned_tables.floats(fmt))
    for region, table in enumerate(tables):
        np.copyto(patterns, learned_tables.in_format(table, fmt).patterns, where=index == region)
    return array


def read_parts(scores):
    """The scores of each rotation as a `Table`, of one shape and format."""
    words = "an array of floats"
    given = scores if isinstance(scores, (list, tuple)) else checks.array("scores", scores, "E_DTYPE", words)
    if getattr(given, "ndim", 1) == 0 or not len(given):
        raise InputError("E_SHAPE", "scores", "scores must be those of at least one rotation, got none")
    arrays = [checks.array("scores", one, "E_DTYPE", words) for one in given]
    if min(one.ndim for one in arrays) < 2:
        shape = next(one.shape for one in arrays if one.ndim < 2)
        raise InputError("E_SHAPE", "scores", f"scores of a rotation must be (..., queries, keys), got shape {shape}")
    parts = [gather.read_table("scores", one, ("axis",) * one.ndim) for one in arrays]
    if len({part.shape for part in parts}) > 1:
        shapes = ", ".join(str(part.shape) for part in parts)
        raise InputError("E_SHAPE", "scores", f"scores must have one shape, got {shapes}")
    names = sorted({part.fmt.name for part in parts})
    if len(names) > 1:
        raise InputError("E_DTYPE", "scores", f"scores must have one dtype, got {', '.join(names)}")
    return parts


def read_regions(regions, count, shape):
    """The number of the scores of each pair as int64 of the shape of scores, -1 for none."""
    index = checks.integers("regions", regions)
    low, high = (int(index.min()), int(index.max())) if index.size else (0, 0)
    if low < -1 or high >= count:
        sentence = f"regions must be from -1 to {count - 1}, the last of {count} scores"
        raise InputError("E_NUMBER", "regions", f"{sentence}, got {low if low < -1 else high}")
    try:
        return np.broadcast_to(index.astype(np.int64), shape)
    except ValueError:
        sentence = f"regions must broadcast to the shape {shape} of scores, got {index.shape}"
        raise InputError("E_SHAPE", "regions", sentence) from None
