"""The sequence of each token of a packed batch."""

from __future__ import annotations

from typing import Union

from ... import checks, foreign
from ...catalogue import register
from ...types import ArrayLike, Integer, Integers
from . import _packed


@register(
    family="positions",
    paper="a convention of transformers (DataCollatorWithFlattening, seq_idx) and of block masks of documents",
    conventions="sequences without tokens keep their number",
    also="seq_idx, document ids, document mask, segment ids of packed sequences, req_indices",
)
def sequence_ids(cu_seqlens: Union[Integer, ArrayLike], *, out: Integers | None = None) -> Integers:
    """The number of the sequence that each token of a packed batch belongs to.

        id[t] = s  where  cu_seqlens[s] <= t < cu_seqlens[s + 1]

    Parameters
    ----------
    cu_seqlens : int or array_like
        Integers (sequences + 1,), 0 and the running sums of the lengths; an int is the length of one sequence.
    out : ndarray, optional
        Array that receives the result.

    Returns
    -------
    ndarray of int64
        Shape (tokens,).

    Raises
    ------
    InputError
        E_DTYPE, E_SHAPE, E_POSITION and E_SIZE (cu_seqlens), E_OUT, E_TOO_LARGE.

    Notes
    -----
    Tokens attend to each other where their ids are equal: `ids[:, None] == ids`.

    References
    ----------
    transformers 5.23.0, data/data_collator.py, DataCollatorWithFlattening (return_seq_idx).

    Examples
    --------
    >>> sequence_ids([0, 3, 3, 5])
    array([0, 0, 0, 2, 2])
    """
    bounds = _packed.read_cu_seqlens(cu_seqlens)
    result, stored = checks.output(out, (int(bounds[-1]),), checks.INT64, apart_from=foreign.memory(cu_seqlens))
    _packed.fill_ids(stored, bounds)
    return result
