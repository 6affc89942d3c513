"""Values of attention from a vector for each distance."""

from __future__ import annotations

import numpy as np

from .. import checks
from ..arithmetic import formats
from ..catalogue import register
from ..errors import InputError
from ..steps.rows import doubles, learned_tables, table_gradients
from ..steps.scores import heads, relative_gradients, relative_vectors
from ..types import Array, ArrayLike, DType, Integer

__all__ = ["relative_values"]


def _gradients(function, given, cotangent):
    """{argument: gradient} of the probabilities and of the table."""
    probabilities, weight, threads = given["probabilities"], given["weight"], checks.thread_count(given["threads"])
    shares, table, index, lead = read_shares(probabilities, weight, given["rows"])
    shape, fmt = (*lead, shares.shape[-2], table.shape[-1]), formats.resolve(given["dtype"])
    dy = learned_tables.values(table_gradients.read_cotangent(cotangent, shape, fmt))
    change = np.empty((*lead, *shares.shape[-2:]))
    relative_vectors.fill_scores(change, dy, table, index, formats.FORMATS["float64"], threads=threads)
    shares_of_all = np.broadcast_to(shares, change.shape)
    tables = {
        name: table_gradients.read_trained(name, array)
        for name, array in (("probabilities", probabilities), ("weight", weight))
    }
    return table_gradients.rounded(tables, {
        "probabilities": relative_gradients.to_shape(change, shares.shape),
        "weight": relative_gradients.of_table(shares_of_all, dy, index, table.shape),
    })  # fmt: skip


@register(
    family="scores",
    paper="Shaw et al. 2018, Self-Attention with Relative Position Representations, arXiv:1803.02155, equation 3",
    conventions="row -1 reads zeros",
    contract="written",
    also="Shaw values",
    gradients=dict.fromkeys(("probabilities", "weight"), _gradients),
)
def relative_values(
    probabilities: ArrayLike,
    weight: ArrayLike,
    rows: ArrayLike,
    *,
    dtype: DType = "float64",
    out: Array | None = None,
    threads: Integer | None = None,
) -> Array:
    """Relative position values (Shaw): learned vectors of the distance in the attention output.

        value[..., i, :] = sum over j of probabilities[..., i, j] * weight[rows[i, j]]

    Parameters
    ----------
    probabilities : array_like
        Attention after its softmax, (..., heads, queries, keys).
    weight : array_like
        Shape (rows, dim) for all heads, or (table heads, rows, dim), where head h reads table h // (heads / table
        heads).
    rows : array_like
        Shape (queries, keys) as for `relative_scores`, or with leading axes that broadcast with those of probabilities.
        Row -1 reads zeros and adds nothing, also where its probability is not finite.
    dtype : str or dtype, default 'float64'
        Format of the result: float64, float32, float16 or bfloat16.
    out : ndarray, optional
        Array that receives the result.
    threads : int, optional
        Number of threads; the default is all cores. The values never depend on it.

    Returns
    -------
    ndarray
        Shape (..., heads, queries, dim) of class `sequence64`: a product for each key, rounded to float64, summed from
        0 with the key ascending, each sum rounded; then rounded once to `dtype`.

    Raises
    ------
    InputError
        E_SHAPE (probabilities, weight, rows), E_DTYPE, E_NUMBER (rows beyond the table), E_OUT, E_TOO_LARGE.

    Notes
    -----
    Arrays of uint16 are read as bit patterns of bfloat16.

    Code that adds the probabilities of a row first has other last bits.

    References
    ----------
    - Shaw et al. 2018, equation 3.
    - models/vits/modeling_vits.py, VitsAttention (transformers 5.23.0), where distances outside the window read zeros.

    Examples
    --------
    >>> relative_values([[0.25, 0.75]], [[1.0, 10.0], [2.0, 20.0]], [[1, 0]])
    array([[ 1.25, 12.5 ]])
    """
    fmt, threads = formats.resolve(dtype), checks.thread_count(threads)
    shares, table, index, lead = read_shares(probabilities, weight, rows)
    shape = (*lead, shares.shape[-2], table.shape[-1])
    result, stored = checks.output(out, shape, fmt, apart_from=doubles.arrays(probabilities, weight, rows))
    relative_vectors.fill_sums(stored, shares, table, index, fmt, threads)
    return result


def read_shares(probabilities, weight, rows):
    """(float64 probabilities, float64 table, rows, the leading axes of the result)."""
    shares, table = heads.read("probabilities", probabilities), relative_vectors.read_table("weight", weight)
    index = relative_vectors.read_rows("rows", rows, table.shape[-2])
    if index.shape[-2:] != shares.shape[-2:]:
        sentence = f"rows must be (..., queries, keys) with {shares.shape[-2:]}, as probabilities"
        raise InputError("E_SHAPE", "rows", f"{sentence}, got {index.shape[-2:]}")
    return shares, table, index, relative_vectors.read_lead("probabilities", shares.shape[:-2], index, table)
