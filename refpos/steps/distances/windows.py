"""Windows of an image: the offset of two cells, (row, column), decides which row of a table they read.

Cells are counted row by row. What depends on the offset only is block-Toeplitz: for the queries of one column, the keys
of all cells are a stretch of one line of memory, which moves by rows of cells from one row of queries to the next.
"""

from __future__ import annotations

import numpy as np

from ... import checks
from ...errors import InputError, shown
from ..waves import tables
from . import offsets

CLASS_ROWS = 3  # class to token, token to class, class to class


def read_window(height, width, sign, class_token, stride):
    """The sizes of a window of keys, and how far apart queries stand in it, checked."""
    checks.choice("sign", sign, offsets.SIGNS)
    sizes = [checks.integer(name, one, 1, checks.WIDEST) for name, one in (("height", height), ("width", width))]
    stride = checks.integer("stride", stride, 1, checks.WIDEST)
    if checks.flag("class_token", class_token) and stride > 1:
        raise InputError("E_CHOICE", "class_token", f"class_token must be False with stride {stride}, got True")
    return *sizes, stride


def query_sizes(height, width, stride):
    """How many rows and columns of queries stand on every stride-th row and column."""
    return -(-height // stride), -(-width // stride)


def shape(height, width, class_token, stride):
    """(queries, keys)."""
    rows, columns = query_sizes(height, width, stride)
    return rows * columns + int(class_token), height * width + int(class_token)


def count_rows(height, width, sign, class_token):
    """How many rows the table of a window has."""
    cells = height * width if sign == "absolute" else (2 * height - 1) * (2 * width - 1)
    return cells + CLASS_ROWS * class_token


def lines(height, width, sign, stride):
    """The row of the table for each column of queries, row offset and column of keys: (columns, offsets, width).

    The offsets, key minus query, ascend from that of the last row of queries and the first row of keys.
    """
    rows, columns = query_sizes(height, width, stride)
    down = np.arange(-(rows - 1) * stride, height, dtype=np.int64)
    across = np.arange(width, dtype=np.int64) - stride * np.arange(columns, dtype=np.int64)[:, None]
    down, across = offsets.signed(down, sign), offsets.signed(across, sign)
    if sign == "absolute":
        return down[:, None] * width + across[:, None, :]
    return (down[:, None] + height - 1) * (2 * width - 1) + across[:, None, :] + width - 1


def blocks(values, height, width, stride):
    """Read-only view (heads, rows, columns, height, width) of values (heads, *shape of `lines`)."""
    rows, columns = query_sizes(height, width, stride)
    head, column, offset, cell = values.strides
    return np.lib.stride_tricks.as_strided(
        values[:, :, (rows - 1) * stride :], (len(values), rows, columns, height, width),
        (head, -stride * offset, column, offset, cell), writeable=False,
    )  # fmt: skip


def expand(values, stored, height, width, stride, threads):
    """Copy contiguous values (heads, *shape of `lines`) into stored (heads, rows * columns, height * width)."""
    rows, columns = query_sizes(height, width, stride)
    if not values.size:
        return
    head, column, offset, cell = values.strides
    runs = np.lib.stride_tricks.as_strided(
        values[:, :, (rows - 1) * stride :], (len(values), rows, columns, height * width),
        (head, -stride * offset, column, cell), writeable=False,
    )  # fmt: skip
    for source, target in zip(runs, stored):
        tables.copy_repeated(source, target.reshape(rows, columns, height * width), threads)


def fill(values_at, stored, height, width, sign, class_token, stride, threads):
    """Fill stored (heads, queries, keys) with values_at(rows of the table), which returns (heads, *rows.shape)."""
    values = values_at(lines(height, width, sign, stride))
    first = int(class_token)
    expand(values, stored[:, first:, first:], height, width, stride, threads)
    if class_token:
        count = count_rows(height, width, sign, False)
        to_token, to_class, both = (
            one[:, None] for one in values_at(np.arange(count, count + CLASS_ROWS, dtype=np.int64)).T
        )
        stored[:, 0, 1:], stored[:, 1:, 0], stored[:, :1, 0] = to_token, to_class, both


def check_view(view, out, class_token):
    """The argument `view`: nothing else receives a view, and class tokens have no offset."""
    if checks.flag("view", view):
        for name, value, none in (("out", out, None), ("class_token", class_token, False)):
            if value is not none:
                sentence = f"{name} must be {none} with view=True, got {shown(value)}"
                raise InputError("E_OUT" if name == "out" else "E_CHOICE", name, sentence)
    return view
