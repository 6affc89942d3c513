"""Rows that are a function of the two-dimensional offset of two cells of a window."""

from __future__ import annotations

from fractions import Fraction
from typing import NamedTuple

import numpy as np

from ...errors import InputError
from ...public import dotted
from ...relative.irpe_rows import METHODS, irpe_rows
from ...relative.window_rows import window_rows
from ...steps.distances import offsets
from ...types import Array
from .distance_rows import Rule, pieces_text
from .matched_rows import ZEROS

STRIDES = (1, 2, 3, 4)
RATIOS = (Fraction(19, 10), Fraction(1), Fraction(3, 2), Fraction(2))  # of iRPE
MOST_CELLS = 1 << 14


class Window(NamedTuple):
    """The row of each offset of rows and columns, query minus key, (offsets, offsets), ZEROS - 1 where no two cells
    have that offset; tokens before the cells."""

    height: int
    width: int
    stride: int
    prefix: int
    table: Array
    unlike: int  # elements that are not the most common one of their offset

    @property
    def text(self):
        """The window in words."""
        step = f", queries on every {self.stride}. row and column" if self.stride > 1 else ""
        before = f" after {self.prefix} token" if self.prefix else ""
        return f"{self.height} x {self.width} cells{before}{step}"


def windows_of(shape):
    """(height, width, stride, tokens before them) that queries and keys may be cells of, the squarest first."""
    queries, keys = shape
    for prefix in (0, 1):
        cells = keys - prefix
        if not 4 <= cells <= MOST_CELLS:
            continue
        sides = [side for side in range(2, cells // 2 + 1) if cells % side == 0]
        for height in sorted(sides, key=lambda side: (abs(side - cells // side), side)):
            width = cells // height
            for stride in STRIDES if not prefix else (1,):
                if -(-height // stride) * -(-width // stride) == queries - prefix:
                    yield height, width, stride, prefix


def named(shape, count, window):
    """Rules of `window_rows` and `irpe_rows` for queries and keys of that shape, which are cells of a `Window` where
    one has been measured."""
    sizes = [window[:4]] if window is not None and not window.unlike else windows_of(shape)
    for height, width, stride, prefix in sizes:
        for sign in offsets.SIGNS:
            given = f"{height}, {width}, sign={sign!r}"
            given += (", class_token=True" if prefix else "") + (f", stride={stride}" if stride > 1 else "")
            rows = window_rows(height, width, sign=sign, class_token=bool(prefix), stride=stride)
            yield Rule(_window_words(height, width, stride, prefix, sign), rows, f"{dotted('window_rows')}({given})",
                       f"{dotted('window_bias')}({{table}}, {given})" if rows.max() + 1 == count else None)  # fmt: skip
        if stride == 1 and window is not None:
            yield from _irpe(height, width, prefix)


def _window_words(height, width, stride, prefix, sign):
    said = {"query-key": "query - key", "key-query": "key - query", "absolute": "|query - key|"}[sign]
    row = f"row = {formula(*_usual(height, width, sign == 'absolute'))}"
    window = Window(height, width, stride, prefix, np.empty(0), 0)
    return f"{row}, dy and dx {said} in {window.text}" + (", 3 rows of a class token" if prefix else "")


def _irpe(height, width, prefix):
    for ratio in RATIOS:
        numbers = {"alpha": ratio, "beta": 2 * ratio, "gamma": 8 * ratio}
        said = ", ".join(f"{name}={_number(one)}" for name, one in numbers.items())
        for method in METHODS:
            try:
                rows = irpe_rows(height, width, method=method, prefix=prefix, **numbers)
            except InputError:
                continue
            given = f"{height}, {width}, method={method!r}, {said}" + (f", prefix={prefix}" if prefix else "")
            words = (
                f"row = iRPE's bucket of query - key by {method}, ratio {float(ratio):g}, in {height} x {width} cells"
            )
            yield Rule(words + (f" after {prefix} token" if prefix else ""), rows, f"{dotted('irpe_rows')}({given})")


def _number(one):
    return str(one.numerator) if one.denominator == 1 else repr(one)


def measured(rows, count):
    """The `Window` in which rows are a function of the offset, at all elements if there is one, else at most; None
    where there is none."""
    best = None
    for height, width, stride, prefix in windows_of(rows.shape):
        found = _window(rows[prefix:, prefix:], (height, width, stride, prefix), count)
        if found is not None and (best is None or found.unlike < best.unlike):
            best = found
        if best is not None and not best.unlike:
            break
    return best


def _window(rows, sizes, count):
    """The `Window` of sizes; None where offsets have no row in common."""
    place = places(sizes)
    told = rows >= ZEROS
    pairs, counts = np.unique(place[told] * (count + 1) + rows[told] + 1, return_counts=True)
    if not len(pairs) or len(pairs) > told.sum() // 2:
        return None
    order = np.lexsort((-counts, pairs // (count + 1)))
    known, first = np.unique(pairs[order] // (count + 1), return_index=True)
    height, width = sizes[:2]
    table = np.full((2 * height - 1) * (2 * width - 1), ZEROS - 1, np.int64)
    table[known] = pairs[order][first] % (count + 1) - 1
    unlike = int(told.sum() - counts[order][first].sum())
    return Window(*sizes, table.reshape(2 * height - 1, 2 * width - 1), unlike)


def places(sizes):
    """The number of the offset of each query and key."""
    height, width, stride, _ = sizes
    return window_rows(height, width, sign="query-key", stride=stride)


def _usual(height, width, absolute):
    """Factors of dy and dx, and the row of no offset, as `window_rows` has them."""
    return (width, 1, 0) if absolute else (2 * width - 1, 1, (height - 1) * (2 * width - 1) + width - 1)


def words(window, count):
    """Rows by their offset in words: a formula of dy and dx, or what each of them adds."""
    table, middle = window.table, (window.height - 1, window.width - 1)
    down, across = table[:, middle[1]], table[middle[0]]
    dy, dx = (np.arange(-m, m + 1, dtype=np.int64) for m in middle)
    known = table >= 0
    centre = int(table[middle])
    for kind, (y, x) in {"": (dy, dx), "absolute": (abs(dy), abs(dx))}.items():
        a, b = int(down[middle[0] + 1]) - centre, int(across[middle[1] + 1]) - centre
        if (table == a * y[:, None] + b * x + centre)[known].all() and known.mean() > 0.5:
            sides = "|query - key|" if kind else "query - key"
            exchanged = abs(a) == 1 and abs(b) == 2 * window.height - 1 and window.height > 1
            swapped = " (axes exchanged)" if exchanged and not kind and abs(b) != 1 else ""
            usual = formula(*_usual(window.height, window.width, bool(kind)))
            row = formula(a, b, centre)
            other = "" if row == usual else f", where window_rows has {usual}"
            return f"row = {row}{swapped}, dy and dx {sides} in {window.text}{other}"
        line = a * y[:, None] + b * x + centre
        if not kind and (table == line % count)[known].all() and known.all():
            return f"row = ({formula(a, b, centre)}) modulo {count}, dy and dx query - key in {window.text}"
    if known.all() and (table == down[:, None] + across - centre).all():
        return (
            f"row = A(dy) + B(dx), dy and dx query - key in {window.text}, A {pieces_text(dy, down - centre)}, "
            f"B {pieces_text(dx, across)}"
        )
    return (
        f"a function of dy and dx, query - key in {window.text}, at dx = 0 row {pieces_text(dy, down)}, "
        f"at dy = 0 row {pieces_text(dx, across)}"
    )


def formula(a, b, c):
    """a dy + b dx + c in words."""
    parts = [f"{'-' if a < 0 else ''}{abs(a) if abs(a) != 1 else ''}{' ' if abs(a) != 1 else ''}dy"]
    parts.append(f"{'-' if b < 0 else '+'} {f'{abs(b)} ' if abs(b) != 1 else ''}dx")
    if c:
        parts.append(f"{'-' if c < 0 else '+'} {abs(c)}")
    return " ".join(parts)
