"""CoPE: positions that count, for each query, how much of the keys after a key its gates let through."""

from __future__ import annotations

import numpy as np

from .. import checks
from ..arithmetic import elementary, formats
from ..catalogue import register
from ..errors import InputError
from ..kernels.threads import for_blocks
from ..steps.distances import bias
from ..steps.rows import doubles, gather, learned_tables
from ..steps.scores import heads, ordered_sums
from ..steps.waves import tables
from ..types import Array, ArrayLike, DType, Integer, Number

__all__ = ["cope"]

BLOCK = 1 << 14  # scores and logits at a time


@register(
    family="scores",
    paper="Golovneva et al. 2024, Contextual Position Encoding: Learning to Count What's Important, arXiv:2405.18719, "
    "section 4",
    conventions="gates of masked keys are 0; scale multiplies the result, 1 or 1 / sqrt(dim) (no default)",
    contract="written",
    also="CoPE, contextual position encoding",
)
def cope(
    scores: ArrayLike,
    q: ArrayLike,
    weight: ArrayLike,
    *,
    scale: Number | None,
    mask: ArrayLike | None = None,
    dtype: DType = "float64",
    out: Array | None = None,
    threads: Integer | None = None,
) -> Array:
    """CoPE: contextual position encoding, whose positions are counted by gates.

        p[i, j] = min(g[i, j] + g[i, j+1] + .. + g[i, keys-1], positions - 1),   g = sigmoid(scores), 0 where masked
        B[i, j] = (z[i, c] w + z[i, f] (1 - w)) scale,
        f = floor(p), c = ceil(p), w = p - f,   z[i, n] = q[i] . weight[n]

    Parameters
    ----------
    scores : array_like
        Scores, shape (..., queries, keys), the scores the gates are made of, divided by the root of their width where
        the model does so.
    q : array_like
        Queries, shape (..., queries, dim), its leading axes those of scores.
    weight : array_like
        Shape (positions, dim), a row for each integer position from 0 on; in the authors' code it is transposed.
    scale : float, Fraction or None
        Factor of the bias, 1 where the bias is added to scores that are already divided, None for 1 / sqrt(dim), where
        the sum of both is divided.
    mask : array_like, optional
        0 and 1 or booleans, broadcast to scores, 1 where a key counts: with a causal one the sum goes from j to i, with
        both ends. A score of -infinity is masked as well.
    dtype : str or dtype, default 'float64'
        Format of the result: float64, float32, float16 or bfloat16.
    out : ndarray, optional
        Array that receives the result.
    threads : int, optional
        Number of threads; the default is all cores. The values never depend on it.

    Returns
    -------
    ndarray
        An array of the shape of scores, masked keys included, of class `sequence64`: each operation is rounded to
        float64, p is summed from the last key down, z from 0 on with the channel ascending; then it is rounded once to
        `dtype`.

    Raises
    ------
    InputError
        E_SHAPE (scores, q, weight, mask), E_DTYPE, E_NUMBER (scale), E_OUT, E_TOO_LARGE.

    Notes
    -----
    Arrays of uint16 are bit patterns of bfloat16.

    References
    ----------
    - facebookresearch/RAM at e6f051f, projects/cope/src/cope/context_position.py, ContextPosSelfAttn (scale None, with
      nodiv 1).
    - x-transformers 2.31.10, x_transformers.py, CoPE (1; what it is called with is masked already).

    Examples
    --------
    >>> cope([[0.0, 0.0]], [[1.0]], [[0.0], [10.0]], scale=1)
    array([[10.,  5.]])
    """
    fmt, checked = formats.resolve(dtype), checks.thread_count(threads)
    values, queries, table = read_cope(scores, q, weight)
    factor = heads.read_scale(scale, table.shape[1])
    counts = read_mask(mask, values.shape)
    result, stored = checks.output(out, values.shape, fmt, apart_from=doubles.arrays(scores, q, weight, mask))
    if not stored.size:
        return result
    values = gather.Table(values.patterns.reshape(-1, values.shape[-1]), values.fmt)
    queries, across = np.ascontiguousarray(queries.reshape(len(values.patterns), -1)), np.ascontiguousarray(table.T)

    def work(start, stop):
        counted = counts[np.unravel_index(np.arange(start, stop, dtype=np.int64), counts.shape[:-1])]
        p = positions_of(learned_tables.values(values.part(slice(start, stop))), counted, len(table))
        z = ordered_sums.product(queries[start:stop], across, np.empty((stop - start, len(table))))
        with np.errstate(all="ignore"):
            found = interpolated_logits(z, p) * factor
        doubles.store(rows[start:stop], ordered_sums.canonical(found), fmt)

    with tables.rows_of(stored) as rows:
        for_blocks(work, len(rows), max(1, BLOCK // (rows.shape[1] + len(table))), checked)
    return result


def read_cope(scores, q, weight):
    """Scores (..., queries, keys), a `Table`, and float64 queries (..., queries, dim) and table (positions, dim)."""
    values = doubles.read_table("scores", scores)
    if len(values.shape) < 2:
        raise InputError("E_SHAPE", "scores", f"scores must be (..., queries, keys), got shape {values.shape}")
    queries, (table, _) = heads.read("q", q), doubles.read("weight", weight, ("positions", "dim"))
    if queries.shape[:-1] != values.shape[:-1]:
        sentence = f"q must be {(*values.shape[:-1], 'dim')}, a row for each of scores, got shape {queries.shape}"
        raise InputError("E_SHAPE", "q", sentence.replace("'", ""))
    if table.shape[1] != queries.shape[-1] or not len(table):
        sentence = f"weight must be (positions, {queries.shape[-1]}), at least one row as wide as q, got {table.shape}"
        raise InputError("E_SHAPE", "weight", sentence)
    return values, queries, table


def read_mask(mask, shape):
    """Where keys count, as booleans of the shape of the scores."""
    if mask is None:
        return np.broadcast_to(np.array(True), shape)
    found = bias.read_mask(mask, shape[-1], bool)
    try:
        return np.broadcast_to(found, shape)
    except ValueError:
        sentence = f"mask must broadcast to the shape {shape} of scores, got {found.shape}"
        raise InputError("E_SHAPE", "mask", sentence) from None


def positions_of(scores, counts, rows):
    """The gates that count, summed from the last key down to each key, at most the last row."""
    gates = np.where(counts, elementary.sigmoid(scores), 0.0)
    return np.minimum(np.add.accumulate(gates[..., ::-1], axis=-1)[..., ::-1], float(rows - 1))


def interpolated_logits(z, p):
    """Between the values z (..., rows) at the integers around p (..., keys)."""
    known = np.where(np.isnan(p), 0.0, p)
    above, below = (np.take_along_axis(z, whole.astype(np.int64), -1) for whole in (np.ceil(known), np.floor(known)))
    part = p - np.floor(p)
    return above * part + below * (1.0 - part)
