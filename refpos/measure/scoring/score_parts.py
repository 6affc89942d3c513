"""The known parts of scores, as float64 (.., queries, keys): q.k, u.k, the products with tables, the bias."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from ...arithmetic import elementary
from ...steps.rows import doubles
from ...steps.scores import heads, row_scores
from ...types import Array


class Part(NamedTuple):
    """A part of scores, with the coefficient that the call asks for."""

    name: str
    values: Array
    asked: float


def parts_of(name, inputs):
    """The parts that inputs of a function have, in the order in which they are told."""
    return [part for part in PARTS[name](inputs) if part is not None]


def asked_scale(inputs, dim):
    """The scale that a call asks for."""
    scale = inputs.get("scale")
    return heads.read_scale(None if scale is None else scale.value, dim)


def _value(inputs, name):
    return inputs[name].value if name in inputs else None


def content(inputs):
    """q.k"""
    q, k = heads.read_queries_keys(inputs["q"].value, inputs["k"].value)
    return heads.scores(q, k)


def _of_bias(vectors, bias):
    """A vector (heads, dim) with keys or rows (.., length, dim), one number for each: (.., heads, 1, length)."""
    bias = doubles.read("bias", bias)[0][..., None, :]
    return heads.scores(np.broadcast_to(bias, (*vectors.shape[:-2], 1, bias.shape[-1])), vectors)


def _of_attention(inputs):
    bias, dim = _value(inputs, "bias"), inputs["q"].value.shape[-1]
    yield Part("q.k", content(inputs), asked_scale(inputs, dim))
    if bias is not None:
        yield Part("bias", doubles.read("bias", bias)[0], 1.0)


def _of_xl(inputs):
    q, k = heads.read_queries_keys(inputs["q"].value, inputs["k"].value)
    scale = asked_scale(inputs, q.shape[-1])
    yield Part("q.k", heads.scores(q, k), scale)
    u, v = _value(inputs, "u"), _value(inputs, "v")
    for name, bias, asked in (("u.k", u, scale), ("v.k", v, 0.0)):
        if bias is not None:
            yield Part(name, _of_bias(k, bias), asked)
    biases = (("q", None, scale), ("v", v, scale), ("u", u, 0.0))
    yield from _of_table(q, inputs, "projected", "rows", "p", biases)
    if _value(inputs, "segments") is not None:
        biases = (("q", None, scale), ("s", _value(inputs, "s"), scale))
        yield from _of_table(q, inputs, "segments", "segment_rows", "segment", biases)


def _of_table(q, inputs, table, rows, letter, biases):
    """The products of queries, and of biases, with the vectors of a table."""
    shape = (*q.shape[:-1], inputs["k"].value.shape[-2])
    vectors = row_scores.read_vectors(table, _value(inputs, table), q.shape[:-2][-1:], q.shape[-1])
    index = row_scores.read_rows(rows, _value(inputs, rows), vectors.shape[-2], shape)
    for name, bias, asked in biases:
        if name == "q":
            yield Part(f"q.{letter}", row_scores.scores(q, vectors, index), asked)
        elif bias is not None:
            wide = np.broadcast_to(doubles.read(name, bias)[0][..., None, :], q.shape)
            yield Part(f"{name}.{letter}", row_scores.scores(wide, vectors, index), asked)


def _of_deberta(inputs):
    q, k = heads.read_queries_keys(inputs["q"].value, inputs["k"].value)
    tables = [_value(inputs, name) for name in ("key_table", "query_table")]
    scale = 1 / math.sqrt(q.shape[-1] * (1 + sum(table is not None for table in tables)))
    yield Part("q.k", heads.scores(q, k), scale)
    shape = (*q.shape[:-1], k.shape[-2])
    rows = _value(inputs, "rows")
    other = rows if _value(inputs, "query_rows") is None else _value(inputs, "query_rows")
    for name, table, index, x in (("c2p", tables[0], rows, q), ("p2c", tables[1], other, k)):
        if table is not None:
            vectors = np.broadcast_to(heads.read(name, table), (*q.shape[:-2], *table.shape[-2:]))
            index = np.broadcast_to(index, shape)
            index = index if name == "c2p" else np.swapaxes(index, -1, -2)
            values = row_scores.scores(x, vectors, index)
            yield Part(name, values if name == "c2p" else np.swapaxes(values, -1, -2), scale)


def _of_relative(inputs):
    x, table = heads.read("x", inputs["x"].value), doubles.read("weight", inputs["weight"].value)[0]
    by_key, rows = inputs["by"].value == "key", inputs["rows"].value
    rows = np.swapaxes(rows, -1, -2) if by_key else rows
    index = np.broadcast_to(rows, (*x.shape[:-1], rows.shape[-1]))
    if table.ndim == 3 and len(table) < x.shape[-3]:
        table = np.repeat(table, x.shape[-3] // len(table), axis=0)
    values, scale = row_scores.scores(x, table, index), _value(inputs, "scale")
    asked = 1.0 if scale is None else doubles.number("scale", scale)
    if _value(inputs, "k") is not None:
        asked = asked if scale is not None else heads.read_scale(None, x.shape[-1])
        yield Part("q.k", content({"q": inputs["x"], "k": inputs["k"]}), asked)
    yield Part("k.p" if by_key else "q.p", np.swapaxes(values, -1, -2) if by_key else values, asked)


def capped(values, cap):
    """cap tanh(values / cap)."""
    return cap * elementary.tanh(values / cap)


def uncapped(values, cap):
    """What the soft cap was made of; NaN where the cap is reached."""
    ratio = values / cap
    ratio = np.where(np.abs(ratio) < 1 - 2.0**-8, ratio, np.nan)
    return cap / 2 * elementary.log((1 + ratio) / (1 - ratio))


#: {function: the parts of its scores}
PARTS = {
    "attention": _of_attention,
    "xl_scores": _of_xl,
    "deberta_scores": _of_deberta,
    "relative_scores": _of_relative,
}
