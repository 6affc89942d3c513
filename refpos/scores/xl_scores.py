"""Attention scores of Transformer-XL and its kin: content and position, each with a learned bias on the query."""

from __future__ import annotations

from typing import Literal, get_args

import numpy as np

from .. import checks
from ..arithmetic import formats
from ..catalogue import register
from ..errors import InputError
from ..steps.rows import doubles, learned_tables, table_gradients
from ..steps.scores import heads, ordered_sums, relative_gradients, row_scores
from ..types import Array, ArrayLike, DType, Integer, Number

__all__ = ["xl_scores"]

Scaled = Literal["sum", "parts", "queries"]
SCALED = get_args(Scaled)
TRAINED = ("q", "k", "projected", "u", "v", "segments", "s")
TERMS = (("projected", "v"), ("segments", "s"))  # the table and the bias of each term that reads one


def _gradients(function, given, cotangent):
    """{argument: gradient} of all arrays but the rows."""
    scaled, fmt = checks.choice("scaled", given["scaled"], SCALED), formats.resolve(given["dtype"])
    queries, keys = heads.read_queries_keys(given["q"], given["k"])
    factor, threads = heads.read_scale(given["scale"], queries.shape[-1]), checks.thread_count(given["threads"])
    names = ("projected", "rows", "v", "segments", "segment_rows", "s")
    terms = read_terms(queries, keys, *(given[name] for name in names))
    content = read_bias("u", given["u"], queries)
    shape = (*queries.shape[:-1], keys.shape[-2])
    change = learned_tables.values(table_gradients.read_cotangent(cotangent, shape, fmt))
    tables = {name: table_gradients.read_trained(name, given[name]) for name in TRAINED if given[name] is not None}
    with np.errstate(all="ignore"):
        found = _gradients_of(queries, keys, content, terms, change, factor, scaled, threads)
        found["k"] = relative_gradients.to_shape(found["k"], tables["k"].shape)
    return table_gradients.rounded(tables, found)


@register(
    family="scores",
    paper="Dai et al. 2019, Transformer-XL, arXiv:1901.02860, section 3.3",
    conventions="what scale multiplies: the sum, its parts, or the queries and their biases; row -1 adds nothing",
    contract="written",
    also="Transformer-XL, transformer_xl, XLNet, rel_shift, relative shift, RelPositionalEncoding",
    gradients=dict.fromkeys(TRAINED, _gradients),
)
def xl_scores(
    q: ArrayLike,
    k: ArrayLike,
    projected: ArrayLike,
    rows: ArrayLike,
    *,
    u: ArrayLike | None,
    v: ArrayLike | None,
    scale: Number | None = None,
    scaled: Scaled = "sum",
    segments: ArrayLike | None = None,
    segment_rows: ArrayLike | None = None,
    s: ArrayLike | None = None,
    dtype: DType = "float64",
    out: Array | None = None,
    threads: Integer | None = None,
) -> Array:
    """Transformer-XL scores: content plus a projected vector for each distance, with biases u and v.

        S[i, j] = ((q_i + u) . k_j + (q_i + v) . projected[rows[i, j]] + (q_i + s) . segments[segment_rows[i, j]]) scale

    Parameters
    ----------
    q : array_like
        Queries, shape (..., heads, queries, dim).
    k : array_like
        Keys, shape (..., heads, keys, dim), or fewer heads that groups of queries share.
    projected : array_like
        Projected table, shape (heads, table rows, dim) or (table rows, dim), as `project_table` gives it.
    rows : array_like
        Integers (queries, keys), as `relative_rows` gives them, or (..., queries, keys) that broadcast. A row of -1
        adds nothing: what a shift leaves above the diagonal has no meaning, and the model masks it.
    u, v : array_like or None
        Biases (heads, dim), or None.
    scale : float or Fraction, optional
        Factor of the scores, a number; None for 1 / sqrt(dim); without channels a score is 0.
    scaled : {'sum', 'parts', 'queries'}, default 'sum'
        What `scale` multiplies: "sum" as above, "parts" each of the terms before they are added, "queries" q, u, v and
        s. In exact arithmetic the three are equal, so the choice decides rounding only: "sum" is Transformer-XL, XLNet
        and FastSpeech2Conformer, "parts" Wav2Vec2-Conformer and Parakeet, "queries" Funnel. Gemma scales q by itself.
    segments : array_like, optional
        Vectors of the segment relations, in the form of projected; None for no such term.
    segment_rows : array_like, optional
        Rows of segments, in the form of rows.
    s : array_like, optional
        Bias of the segment term, in the form of u.
    dtype : str or dtype, default 'float64'
        Format of the result: float64, float32, float16 or bfloat16.
    out : ndarray, optional
        Array that receives the result.
    threads : int, optional
        Number of threads; the default is all cores. The values never depend on it.

    Returns
    -------
    ndarray
        Shape (..., heads, queries, keys) of class `sequence64`: each sum of a query and its bias, each product, sum
        over the channels ascending, sum of terms in the order above and product with scale is rounded to float64, and
        the result once to `dtype`.

    Raises
    ------
    InputError
        E_SHAPE, E_DTYPE, E_POSITION (a row beyond its table), E_CHOICE (scaled), E_NUMBER (scale), E_MISSING
        (segment_rows without segments or the reverse), E_OUT, E_TOO_LARGE.

    References
    ----------
    - Dai et al. 2019, section 3.3 and appendix B.
    - transformers 4.40.2, RelPartialLearnableMultiHeadAttn of models/deprecated/transfo_xl.
    - transformers 5.23.0, models/xlnet, XLNetRelativeAttention, and models/funnel.

    Examples
    --------
    >>> xl_scores([[[1.0]]], [[[2.0], [3.0]]], [[10.0], [20.0]], [[1, 0]], u=[[1.0]], v=None, scale=0.5)
    array([[[12.,  8.]]])
    """
    checks.choice("scaled", scaled, SCALED)
    checks.thread_count(threads)
    fmt = formats.resolve(dtype)
    queries, keys = heads.read_queries_keys(q, k)
    factor = heads.read_scale(scale, queries.shape[-1])
    tables = read_terms(queries, keys, projected, rows, v, segments, segment_rows, s)
    content = read_bias("u", u, queries)
    apart = doubles.arrays(q, k, projected, rows, u, v, segments, segment_rows, s)
    shape = (*queries.shape[:-1], keys.shape[-2])
    result, stored = checks.output(out, shape, fmt, apart_from=apart)
    with np.errstate(all="ignore"):
        doubles.store(stored, _scores(queries, keys, content, tables, factor, scaled, threads), fmt)
    return result


def read_terms(queries, keys, projected, rows, v, segments, segment_rows, s):
    """[(vectors, rows, bias)] of the terms that read tables: of positions and, where they are given, of segments."""
    given = [("projected", projected, "rows", rows, "v", v)]
    if segments is not None:
        if segment_rows is None:
            raise InputError("E_MISSING", "segment_rows", "segment_rows must be given with segments, got None")
        given.append(("segments", segments, "segment_rows", segment_rows, "s", s))
    else:
        for name, value in (("segment_rows", segment_rows), ("s", s)):
            if value is not None:
                raise InputError("E_MISSING", "segments", f"segments must be given with {name}, got None")
    shape, count = (*queries.shape[:-1], keys.shape[-2]), queries.shape[:-2][-1:]
    read = []
    for table, vectors, index, numbers, name, bias in given:
        vectors = row_scores.read_vectors(table, vectors, count, queries.shape[-1])
        numbers = row_scores.read_rows(index, numbers, vectors.shape[-2], shape)
        read.append((vectors, numbers, read_bias(name, bias, queries)))
    return read


def read_bias(name, bias, queries):
    """A bias on queries, (heads, 1, dim), or None."""
    shape = (*queries.shape[:-2][-1:], queries.shape[-1])
    numbers = doubles.read_shaped(name, bias, shape, "a number for each head and channel of q")
    return None if numbers is None else numbers[..., None, :]


def _scores(q, k, content, tables, factor, scaled, threads):
    times = factor if scaled == "queries" else None
    terms = [heads.scores(_biased(q, content, times), k, threads)]
    for vectors, rows, bias in tables:
        terms.append(row_scores.scores(_biased(q, bias, times), vectors, rows, threads))
    if scaled == "parts":
        terms = [term * factor for term in terms]
    result = terms[0]
    for term in terms[1:]:
        result = result + term
    return ordered_sums.canonical(result * factor if scaled == "sum" else result)


def _biased(q, bias, times):
    """q + bias, of which both are first multiplied by `times`."""
    q, bias = (part if times is None or part is None else part * times for part in (q, bias))
    return q if bias is None else q + bias


def _gradients_of(q, k, content, terms, change, factor, scaled, threads):
    """{name: float64 gradient}, that of k for each head of the queries."""
    times = factor if scaled == "queries" else None
    change = change if scaled == "queries" else change * factor
    of_biased = [ordered_sums.matmul(change, k, threads)]
    found = {"k": ordered_sums.matmul(change.swapaxes(-1, -2), _biased(q, content, times), threads)}
    for (table, _), (vectors, rows, bias) in zip(TERMS, terms):
        of_biased.append(relative_gradients.of_vectors(change, vectors, rows, q.shape, threads))
        found[table] = relative_gradients.of_table(change, _biased(q, bias, times), rows, vectors.shape)
    result = of_biased[0]
    for part in of_biased[1:]:
        result = result + part
    found["q"] = result if times is None else result * times
    shape = (*q.shape[:-2][-1:], 1, q.shape[-1])
    for name, part in zip(("u", "v", "s"), of_biased):
        over_queries = ordered_sums.total(part.swapaxes(-1, -2), threads)[..., None, :]
        made = relative_gradients.to_shape(over_queries, shape)[..., 0, :]
        found[name] = made if times is None else made * times
    return found
