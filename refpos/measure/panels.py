"""What was measured as curves: positions, frequencies, gains and rows that are read, over what is asked for."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..types import Array
from .reading_result import Reading


class Panel(NamedTuple):
    """One quantity: its name, that of what it is drawn by, their numbers, (n,), and those that are asked for, (n,), or
    None. joined: whether neighbours follow each other, so that a line may join them; logarithmic: whether the numbers
    are positive and of many sizes; labels: names in place of the numbers it is drawn by."""

    title: str
    by: str
    at: Array
    measured: Array
    asked: Array | None = None
    joined: bool = True
    logarithmic: bool = False
    labels: tuple[str, ...] = ()

    @property
    def words(self) -> str:
        """The panel in words."""
        return f"{self.title} by {self.by}: {_extent(self.measured)}{self._beside()}"

    def _beside(self):
        if self.asked is None:
            return ""
        off = int((~_equal(self.measured, self.asked)).sum())
        return f", {f'{off} of {self.at.size} not as asked' if off else 'as asked'}"


def _extent(values):
    finite = values[np.isfinite(values)]
    if not finite.size:
        return "no number"
    low, high = finite.min(), finite.max()
    return f"{low:.4g}" if low == high else f"{low:.4g} to {high:.4g}"


def _equal(one, other):
    near = np.isclose(one, other, rtol=1e-6, atol=1e-9, equal_nan=True)
    return np.asarray(near, bool)


def panels(found: Reading, asked: Reading | None = None) -> tuple[Panel, ...]:
    """The panels of a reading in which something was measured, beside the same of the numbers that are asked for, where
    they have the same shape."""
    made = (one for make in MAKERS for one in make(found, asked))
    return tuple(one for one in made if np.isfinite(one.measured).any())


def _asked(asked, name, shape):
    """The same quantity of what is asked for, as float64; None where there is none of that shape."""
    values = None if asked is None else np.asarray(getattr(asked, name), np.float64)
    return values if values is not None and values.shape == shape else None


def _positions(found, asked):
    """The positions of rows; of batch rows, heads or axes that have their own, the first one that is off."""
    if found.positions.size < 2:
        return
    values = np.asarray(found.positions, np.float64)
    beside = _asked(asked, "positions", values.shape)
    if beside is None and asked is not None and asked.positions.shape == values.shape[-1:]:
        beside = np.broadcast_to(np.asarray(asked.positions, np.float64), values.shape)
    index, where = (), ""
    if values.ndim > 1:
        index = _most_off(values, beside)
        where = f", [{', '.join(map(str, index))}]"
    one = None if beside is None else beside[index]
    yield Panel(f"position{where}", "row", np.arange(values.shape[-1], dtype=np.int64), values[index], one)


def _most_off(values, beside):
    """The leading index of which most numbers are not as asked."""
    if beside is None:
        return (0,) * (values.ndim - 1)
    off = (~_equal(values, beside)).sum(axis=-1)
    return tuple(int(one) for one in np.unravel_index(int(off.argmax()), off.shape))


def _frequencies(found, asked):
    """The ratio of each frequency to the asked one; the frequencies themselves where nothing is asked."""
    values = np.asarray(found.frequencies, np.float64)
    if not values.size:
        return
    at, by = np.arange(values.size, dtype=np.int64), "pair" if found.pairs else "column"
    beside = _asked(asked, "frequencies", values.shape)
    if beside is None:
        positive = np.where(values > 0, values, np.nan)
        yield Panel("frequency", by, at, positive, logarithmic=True)
        return
    with np.errstate(divide="ignore", invalid="ignore"):
        ratio = np.where(values == beside, 1.0, values / beside)
    known = np.isfinite(beside) & (beside != 0)
    yield Panel("frequency over the asked one", by, at, np.where(known, ratio, np.nan), np.where(known, 1.0, np.nan))


def _gains(found, asked):
    values = np.asarray(found.gains, np.float64)
    beside = _asked(asked, "gains", values.shape)
    if values.size and not (_equal(values, 1.0).all() and (beside is None or _equal(beside, 1.0).all())):
        yield Panel("gain", "pair", np.arange(values.size, dtype=np.int64), values, beside)


def _rows(found, asked):
    """The row of the table that is read, by key - query; of tokens, by their place."""
    rows = found.rows
    if not rows.size:
        return
    beside = _asked(asked, "rows", rows.shape)
    if rows.ndim == 2 and found.kind == "copied rows":
        at = np.arange(rows.shape[1], dtype=np.int64)[None, :] - np.arange(rows.shape[0], dtype=np.int64)[:, None]
        points = np.stack([at.ravel(), rows.ravel(), rows.ravel() if beside is None else beside.ravel()])
        at, values, other = np.unique(points.astype(np.int64), axis=1)
        yield _known("row of the table", "key - query", at, values, None if beside is None else other, joined=False)
        return
    flat = rows.reshape(-1, rows.shape[-1])[0]
    other = None if beside is None else beside.reshape(-1, rows.shape[-1])[0]
    yield _known("row of the table", "token", np.arange(flat.size, dtype=np.int64), flat, other, joined=False)


def _known(title, by, at, values, other, **options):
    """A panel of rows, without numbers where there is no row."""
    both = [None if one is None else np.where(one < 0, np.nan, one).astype(np.float64) for one in (values, other)]
    return Panel(title, by, at, *both, **options)


def _slopes(found, asked):
    values = np.atleast_2d(np.asarray(found.slopes, np.float64))
    beside = _asked(asked, "slopes", found.slopes.shape)
    for k in range(len(values) if values.size else 0):
        other = None if beside is None else np.atleast_2d(beside)[k]
        title = "slope" if len(values) == 1 else f"parameter {k}"
        yield Panel(title, "head", np.arange(values.shape[1], dtype=np.int64), values[k], other, joined=False)


def _coefficients(found, asked):
    """Of scores the coefficient of each part; of resized tables the place of the old axis that each new cell reads."""
    yield from _parts(found, asked)
    for name, weights in found.coefficients.items():
        if np.ndim(weights) == 2:
            place = _centres(weights)
            other = None if asked is None else asked.coefficients.get(name)
            beside = None if np.shape(other) != np.shape(weights) else _centres(other)
            at = np.arange(place.size, dtype=np.int64)
            yield Panel(f"centre of the weights on {name}", "new cell", at, place, beside)


def _parts(found, asked):
    numbers = {name: float(value) for name, value in found.coefficients.items() if np.ndim(value) == 0}
    if not numbers:
        return
    other = {} if asked is None else {k: float(v) for k, v in asked.coefficients.items() if np.ndim(v) == 0}
    names = (*numbers, *(name for name in other if name not in numbers))
    values = np.array([numbers.get(name, 0.0) for name in names])
    beside = np.array([other.get(name, 0.0) for name in names]) if other else None
    at = np.arange(len(names), dtype=np.int64)
    yield Panel("coefficient", "part of the scores", at, values, beside, joined=False, labels=names)


def _centres(weights):
    weights = np.asarray(weights, np.float64)
    return weights @ np.arange(weights.shape[1], dtype=np.float64)


MAKERS = (_positions, _frequencies, _gains, _rows, _slopes, _coefficients)
