"""Some queries of attention as a call of their own: their rows of the bias, and of the mask, which says what is causal
as well."""

from __future__ import annotations

import numpy as np

from ..tensor_files import Tensor

WHOLE = ("lower-right", "upper-left")


def of_queries(call, region):
    """The call of attention for the entries of a region of queries; None of anything else."""
    q, k = (call.tensors.get(name) for name in ("q", "k"))
    if call.suite != "attention" or q is None or k is None or region.axis != q.values.ndim - 2:
        return None
    queries, keys = q.values.shape[-2], k.values.shape[-2]
    given, counts = {"q": q._replace(values=region.of(q.values))}, _causal(call.arguments.get("causal"), queries, keys)
    mask, bias = call.tensors.get("mask"), call.tensors.get("bias")
    if mask is not None:
        counts = (mask.values != 0) & (True if counts is None else counts)
    if counts is not None:
        given["mask"] = Tensor("bool", _rows(counts, region, queries))
    if bias is not None:
        given["bias"] = bias._replace(values=_rows(bias.values, region, queries))
    return call.without("causal").given(**given)


def _causal(causal, queries, keys):
    """Which keys a causal query reads; None where all read all."""
    if causal not in WHOLE:
        return None
    offset = keys - queries if causal == "lower-right" else 0
    return np.tril(np.ones((queries, keys), bool), offset)


def _rows(values, region, queries):
    """The rows of queries of an array that has one for each."""
    wide = values.ndim > 1 and values.shape[-2] == queries
    return np.ascontiguousarray(values.take(region.entries, values.ndim - 2)) if wide else values
