"""The weights of the rows of a resized table, measured axis by axis from its channels, where no kernel has them."""

from __future__ import annotations

import numpy as np

from ...steps.rows import doubles
from ..coefficients import basis_of, solved_in
from ..reading_result import Reading
from ..wording import number, runs
from ..written import Written
from .table_kernels import applied

ROUNDS = 12  # in which the weights of each axis are solved for those of the others
MOST_ROWS = 256  # of an axis, that are solved
SMALL = 2.0**-12  # weights that are not told
LEFT = 2.0**-8  # of the numbers, above which weights do not explain them
KIND = "resized table"


def measured(y, numbers, found, summary, notes):
    """The `Reading` of numbers (cells, channels) by weights of each axis, solved from the best kernel on."""
    layout = found.layout
    table = layout._replace(weight=Written("", doubles.read("weight", layout.weight.value)[0])).table()
    cells = layout.cells(numbers)
    old, new = (" x ".join(map(str, sides)) for sides in (layout.old, layout.new))
    if found.left <= LEFT / 4:
        return Reading(KIND, summary, y.format, notes=notes)
    if max(layout.old) > MOST_ROWS:
        text = f"{KIND} of {new} cells from {old}: no kernel that is known explains them"
        return Reading("unknown", text, y.format, notes=notes)
    starts = [found.kernel.weights(*pair) for pair in zip(layout.old, layout.new)]
    matrices, left = solved(table, cells, starts)
    if left > LEFT:
        text = (
            f"{KIND} of {new} cells from {old}: weights of each axis leave {number(f'{100 * left:.2g}')} % unexplained"
        )
        return Reading("unknown", text, y.format, notes=notes)
    words = [f"{KIND} of {new} cells from {old}: weights of no kernel that is known"]
    words += [layout.text] if layout.text else []
    words += [f"axis {axis} {text}" for axis, text in enumerate(map(axis_text, matrices)) if text]
    weights = {f"axis {axis}": matrix for axis, matrix in enumerate(matrices)}
    return Reading(KIND, ", ".join(words), y.format, notes=notes, coefficients=weights)


def solved(table, cells, matrices):
    """(weights (new, old) of each axis, what they leave of the cells) by turns."""
    size, left = np.sqrt((cells * cells).mean()) or 1.0, np.inf
    for _ in range(ROUNDS):
        for axis, matrix in enumerate(matrices):
            others = [one if k != axis else np.eye(table.shape[k]) for k, one in enumerate(matrices)]
            part = np.moveaxis(applied(others, table), axis, 0).reshape(table.shape[axis], -1)
            wanted = np.moveaxis(cells, axis, 0).reshape(len(matrix), -1)
            if part.shape[1] < len(part):
                return matrices, np.inf
            basis = basis_of(part)
            matrices[axis] = np.stack([solved_in(basis, row)[0] for row in wanted])
        rest = float(np.sqrt(((applied(matrices, table) - cells) ** 2).mean()) / size)
        if len(matrices) == 1 or rest > left / 2:
            break
        left = rest
    return _shared(matrices), rest


def _shared(matrices):
    """The weights with one factor of all of them in the first axis, and rows that add up to 1 in the others."""
    for axis in range(1, len(matrices)):
        total = float(np.median(matrices[axis].sum(axis=1)))
        if total:
            matrices[axis], matrices[0] = matrices[axis] / total, matrices[0] * total
    return matrices


def axis_text(matrix):
    """The weights of an axis in words: the coordinates of two neighbours each, or the weights of its middle row."""
    matrix = np.where(np.abs(matrix) < SMALL, 0.0, matrix)
    if ((matrix != 0).sum(axis=1) == 1).all() and np.abs(matrix.sum(axis=1) - 1).max() < SMALL:
        return f"copies of rows {runs(matrix.argmax(axis=1))}"
    line = _line(matrix)
    if line is not None:
        step, start = line
        sign = "+" if start >= 0 else "-"
        return f"linear at {number(f'{step:.6g}')} j {sign} {number(f'{abs(start):.6g}')}"
    middle = len(matrix) // 2
    told = ", ".join(f"{number(f'{matrix[middle, row]:.4g}')} of row {row}" for row in np.flatnonzero(matrix[middle]))
    return f"row {middle}: {told}"


def _line(matrix):
    """(step, start) of the coordinates of rows that are sums of two neighbours; None where they are on no line."""
    at = (matrix * np.arange(matrix.shape[1], dtype=np.float64)).sum(axis=1)
    kept = (at > SMALL) & (at < matrix.shape[1] - 1 - SMALL)
    if kept.sum() < 3 or (matrix < 0).any() or np.abs(matrix.sum(axis=1) - 1).max() > SMALL:
        return None
    if any(np.ptp(np.flatnonzero(row)) > 1 for row in matrix):
        return None
    index = np.flatnonzero(kept).astype(np.float64)
    step = float((at[kept][-1] - at[kept][0]) / (index[-1] - index[0]))
    start = float((at[kept] - step * index).mean())
    return (
        (step, start if abs(start) > SMALL else 0.0) if np.abs(start + step * index - at[kept]).max() < SMALL else None
    )
