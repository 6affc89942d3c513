"""A call in parts, so that its error bounds, which take far more memory than its numbers, are derived a part at a time:
some positions, some queries of a bias, or some rows of a grid after others."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from .. import catalogue
from ..errors import InputError, InputTypeError
from ..tensor_files import Tensor
from .attention_rows import of_queries
from .call import Call
from .region import Region
from .samples import rows_of, with_length

SHARE = 64  # of all elements, how many are in a part
LEAST, MOST = 3 << 12, 1 << 17  # elements of a part
#: biases whose bounds are those of each element; those of other functions of the distance are derived once for each
#: distance, which every part has again
BIASES = ("alibi", "t5_bias")
GRIDS = {"sincos_2d": 2, "sincos_3d": 3}  # functions that are `sincos_grid` with so many axes


class Cut(NamedTuple):
    """How a call is cut: how many entries it has, the axis of each output that counts them, and the call for a slice
    of them."""

    count: int
    axes: dict[str, int]
    of_call: Callable[[slice], Call]


class Part(NamedTuple):
    """A part of a call: its index in each output, the call, and what that gives."""

    index: dict[str, Any]
    call: Call
    outputs: dict[str, Tensor]


def parts_of(call: Call, outputs: dict[str, Tensor]) -> list[Part]:
    """The parts of a call in their order; the whole of it where it is small or cannot be cut."""
    size, whole = sum(one.values.size for one in outputs.values()), Part(dict.fromkeys(outputs, ...), call, outputs)
    most = at_once(size)
    cut = _cut(call, outputs) if size > most else None
    if cut is None:
        return [whole]
    step = max(1, most * cut.count // size)
    return [_part(cut, outputs, slice(k, min(k + step, cut.count))) for k in range(0, cut.count, step)]


def at_once(size: int) -> int:
    """Of so many elements, how many are judged together."""
    return min(max(size // SHARE, LEAST), MOST)


def _part(cut, outputs, some):
    index = {name: (*[slice(None)] * (cut.axes[name] % one.values.ndim), some) for name, one in outputs.items()}
    return Part(index, cut.of_call(some), {name: _at(one, index[name]) for name, one in outputs.items()})


def _at(tensor, index):
    return tensor._replace(values=tensor.values[index])


def _cut(call, outputs):
    """The first `Cut` of a call whose parts give what the call gives, bit for bit, at both ends; None without one."""
    rows = rows_of(call, outputs)
    if rows is not None:
        whole = with_length(call)
        return whole and Cut(rows.count, rows.outputs, lambda some: rows.of_call(whole, some))
    return next((one for one in _other_cuts(call, outputs) if _holds(one, outputs)), None)


def _other_cuts(call, outputs):
    """The cuts of calls without positions: into queries of a bias, of attention, and rows of a grid."""
    axes, given = catalogue.find(call.suite).parameters, call.arguments
    count, keys = given.get("query_len"), given.get("key_len")
    if call.suite in BIASES and type(count) is int and type(keys) is int and "query_offset" not in call.tensors:
        offset = given.get("query_offset", axes["query_offset"].default)
        first = keys - count if offset is None else offset
        yield Cut(count, dict.fromkeys(outputs, -2), lambda some: _some_queries(call, first, some))
    q = call.tensors.get("q")
    if q is not None and q.values.ndim > 1:
        axis, size = q.values.ndim - 2, q.values.shape[-2]
        if of_queries(call, Region(axis, np.zeros(1, np.int64), size)) is not None:
            yield Cut(size, dict.fromkeys(outputs, axis), lambda some: of_queries(call, _region(axis, some, size)))
    if "rows" in call.tensors and "x" in call.tensors:
        size = call.tensors["rows"].values.shape[-2]
        yield Cut(size, dict.fromkeys(outputs, -2), lambda some: _some_scores(call, some))
    sizes = [given[name] for name in ("frames", "height", "width") if type(given.get(name)) is int]
    if call.suite in GRIDS and len(sizes) == GRIDS[call.suite]:
        yield Cut(sizes[0], dict.fromkeys(outputs, 0), lambda some: _some_rows(call, sizes, some))


def _some_queries(call, first, some):
    return call.change(query_len=some.stop - some.start, query_offset=first + some.start)


def _region(axis, some, size):
    return Region(axis, np.arange(some.start, some.stop, dtype=np.int64), size)


def _some_scores(call, some):
    given = {name: call.tensors[name] for name in ("x", "rows")}
    return call.given(**{name: _at(one, (..., some, slice(None))) for name, one in given.items()})


def _some_rows(call, sizes, some):
    axes = [np.arange(size, dtype=np.int64) for size in sizes]
    return (
        call.without("frames", "height", "width")._replace(suite="sincos_grid").change(grid=[axes[0][some], *axes[1:]])
    )


def _holds(cut, outputs):
    """Whether the first and the last entries of a cut are those of the outputs, bit for bit."""
    shapes = [one.values.shape for one in outputs.values()]
    if cut.count < 2 or any(
        len(shape) < 2 or shape[axis] != cut.count for shape, axis in zip(shapes, cut.axes.values())
    ):
        return False
    for some in (slice(0, 1), slice(cut.count // 2, cut.count // 2 + 1), slice(cut.count - 1, cut.count)):
        try:
            part = _part(cut, outputs, some)
            made = part.call.outputs()
        except (InputError, InputTypeError):
            return False
        if not all(_same(made[name], one) for name, one in part.outputs.items()):
            return False
    return True


def _same(one, other):
    values = np.ascontiguousarray(other.values)
    return one.values.shape == values.shape and np.ascontiguousarray(one.values).tobytes() == values.tobytes()
