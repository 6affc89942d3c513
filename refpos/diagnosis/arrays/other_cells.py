"""Tables of the cells of a grid behind tokens of a prefix, as `resize_table` has them: transposed, upside down, or with
the prefix at the end."""

from __future__ import annotations

from functools import partial

import numpy as np

from ..mistake import Mistake, same

TABLE = "the cells row by row"


def other_cells(call):
    """The call with another order of the cells of its table, or of its result."""
    grid, size, prefix = (call.arguments.get(name) for name in ("grid", "size", "prefix"))
    if not (_is_pair(grid) and _is_pair(size) and type(prefix) is int and "weight" in call.tensors):
        return
    exchanged = partial(_of_table, change=partial(_cells, shape=grid, prefix=prefix, order=_transposed))
    yield Mistake("cells", "the cells of the table transposed", TABLE, exchanged)
    for text, order, shape in (
        ("the cells of the result transposed (column by column)", _transposed, size[::-1]),
        ("rows of the result reversed (upside down)", lambda cells: cells[::-1], size),
        ("columns of the result reversed (mirrored)", lambda cells: cells[:, ::-1], size),
        ("channels of the cells of the result reversed", lambda cells: cells[..., ::-1], size),
    ):
        undo = partial(_of_result, change=partial(_cells, shape=shape, prefix=prefix, order=order))
        yield Mistake("cells", text, TABLE, undo=undo)
    if prefix:
        change = partial(_of_table, change=partial(np.roll, shift=prefix, axis=0))
        undo = partial(_of_result, change=partial(np.roll, shift=prefix, axis=0))
        for text, done in (("table and result", undo), ("table alone", same)):
            told = f"the prefix last: class tokens at the end of the {text}"
            yield Mistake("prefix", told, "the prefix first", change, done)


def _is_pair(sizes):
    return isinstance(sizes, (list, tuple)) and len(sizes) == 2


def _transposed(cells):
    return cells.swapaxes(0, 1)


def _cells(values, shape, prefix, order):
    """Rows whose cells, of a grid of that shape, are in another order; refused where they are not so many."""
    cells = order(values[prefix:].reshape(*shape, -1))
    return np.concatenate([values[:prefix], cells.reshape(-1, values.shape[-1])])


def _of_table(call, change):
    weight = call.tensors["weight"]
    return call.given(weight=weight._replace(values=np.ascontiguousarray(change(weight.values))))


def _of_result(outputs, change):
    return {name: one._replace(values=np.ascontiguousarray(change(one.values))) for name, one in outputs.items()}
