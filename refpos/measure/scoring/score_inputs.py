"""Inputs of scores, and the other ways in which programs put them together: heads tiled, rows transposed, and so on."""

from __future__ import annotations

import numpy as np

from ..written import Written
from .rotated_inputs import changed, rotations_of


def changes_of(name, inputs):
    """(what a program does otherwise, the inputs as it takes them): first what was asked, in which nothing changes."""
    of_one = [("", inputs), *CHANGES[name](inputs)]
    yield from of_one
    if _are_grouped(inputs):
        for text, other in of_one:
            tiled = {one: _tiled(other[one], len_of_heads(inputs["q"])) for one in ("k", "v") if _is_given(other, one)}
            yield ", ".join(filter(None, (text, "key heads tiled"))), changed(other, **tiled)


def _is_given(inputs, name):
    return name in inputs and inputs[name].value is not None


def len_of_heads(array):
    """The heads of an input (.., heads, length, dim)."""
    return array.value.shape[-3]


def _are_grouped(inputs):
    q, k = (inputs.get(name) for name in ("q", "k"))
    return q is not None and k is not None and q.value.ndim > 2 and len_of_heads(q) > len_of_heads(k)


def _tiled(array, heads):
    count = heads // len_of_heads(array)
    return Written(f"np.concatenate([{array.text}] * {count}, -3)", np.concatenate([array.value] * count, -3))


def transposed(array):
    """An input with its last two axes exchanged."""
    return Written(f"np.swapaxes({array.text}, -1, -2)", np.swapaxes(array.value, -1, -2))


def _reversed(array):
    return Written(f"{array.text}[..., ::-1, :]", np.ascontiguousarray(array.value[..., ::-1, :]))


def _shifted(rows, step, count):
    """Rows with their neighbours in place of them, within the table; -1 stays."""
    values = np.where(rows.value < 0, -1, np.clip(rows.value + step, 0, count - 1))
    clipped = f"np.clip({rows.text} {'+' if step > 0 else '-'} 1, 0, {count - 1})"
    text = clipped if (rows.value >= 0).all() else f"np.where({rows.text} < 0, -1, {clipped})"
    return Written(text, values)


def _of_rows(inputs, table):
    """Changes of the rows of a table."""
    rows, vectors = inputs["rows"], inputs[table]
    if rows.value.shape[-1] == rows.value.shape[-2]:
        yield "distances negated", changed(inputs, rows=transposed(rows))
    yield "table read from its end", changed(inputs, **{table: _reversed(vectors)})
    for step, text in ((1, "the row after"), (-1, "the row before")):
        yield f"{text} in place of each", changed(inputs, rows=_shifted(rows, step, vectors.value.shape[-2]))


def _of_attention(inputs):
    yield from rotations_of(inputs)
    q, k, bias = (inputs.get(name) for name in ("q", "k", "bias"))
    if q.value.shape == k.value.shape:
        yield "queries and keys exchanged", changed(inputs, q=k, k=q)
    if bias is not None and bias.value is not None and bias.value.ndim > 1:
        if bias.value.shape[-1] == bias.value.shape[-2]:
            yield "bias transposed", changed(inputs, bias=transposed(bias))


def _of_xl(inputs):
    return _of_rows(inputs, "projected")


def _of_deberta(inputs):
    rows, key_table, query_table = (inputs.get(name) for name in ("rows", "key_table", "query_table"))
    if _is_given(inputs, "key_table") and _is_given(inputs, "query_table"):
        yield "tables exchanged", changed(inputs, key_table=query_table, query_table=key_table)
        if rows.value.shape[-1] == rows.value.shape[-2]:
            of_queries = inputs.get("query_rows", rows)
            yield "rows of p2c transposed", changed(inputs, query_rows=transposed(of_queries))
    if "query_rows" not in inputs:
        for text, other in _of_rows(inputs, "key_table" if _is_given(inputs, "key_table") else "query_table"):
            if "end" not in text:
                yield text, other


def _of_relative(inputs):
    return _of_rows(inputs, "weight")


#: {function: the changes of its inputs}
CHANGES = {
    "attention": _of_attention,
    "xl_scores": _of_xl,
    "deberta_scores": _of_deberta,
    "relative_scores": _of_relative,
}
