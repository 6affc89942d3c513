"""What `read` says: the measurement, the call that has its numbers, and where that call was verified."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ..guard import guarded
from ..types import Array, Integers

COPIED = ("copied rows", "position ids")


@guarded
@dataclass(frozen=True, eq=False)
class Reading:
    """What `read` measured, and the call of refpos that gives the numbers, verified by its error bounds.

    Attributes
    ----------
    kind : str
        "rotation", "rotary table", "sinusoidal table", "sinusoidal grid", "copied rows", "position ids", "linear
        bias", "kernel of the distance", "slopes", "scores", "attention weights", "attention output", "resized table",
        "means of rows", "copy" or "unknown".
    summary : str
        What the numbers are, in one sentence.
    format : str
        The format in which they are judged: that of the array, or the narrower one on whose values all of them lie.
    pairs : tuple of tuple of int
        The two channels of each pair; of tables the column of the cosine, -1 where there is none, and that of the
        sine. Empty where columns are no pairs.
    written : tuple of tuple of int
        The channels of the result that the pair is written to, where they are others; else as `pairs`.
    gains : ndarray
        The factor of each pair.
    frequencies : ndarray
        Angle of each pair in one position, or of each column where there are no pairs; up to a common factor where no
        call has been found; NaN where a pair has no angle in any row.
    positions : ndarray
        Position of each row, (rows,), or (..., rows) where batch rows or heads have their own; of grids (axes, cells),
        the axes in the order of the columns; NaN where a row has no angle.
    inverse : bool
        Whether it is a rotation by minus the angle.
    call : str or None
        The call that gives the numbers; None where no call of refpos has them.
    recipe : dict or None
        The call that makes its frequencies, as {"function": ..., "arguments": {...}}.
    met : str or None
        The strictest conformance class whose bounds the numbers meet, apart from `outside`.
    elements : int
        Number of elements that were judged, in rows that have an angle.
    outside : tuple of str
        The rows that are not within these bounds.
    parts : tuple of (str, Reading)
        Readings of rows, heads or batch rows that are others than the rest.
    notes : tuple of str
        What else was seen.
    rows : ndarray of int64
        The row of the table that each query and key, or each token, reads: (queries, keys) or (.., tokens); -1 for
        zeros that no row has, -2 for a masked element, -3 for numbers that are in no row.
    slopes : ndarray
        The slope of each head, (heads,); of a kernel its numbers p and a, (2, heads); of a decay the factors.
    coefficients : dict
        Of scores the coefficient of each known part by name; of resized tables the weights of each axis, (new, old).
    left : float
        Of scores, weights and outputs that no call has, the share of the numbers that the coefficients leave over.
    """

    kind: str
    summary: str
    format: str
    pairs: tuple[tuple[int, int], ...] = ()
    written: tuple[tuple[int, int], ...] = ()
    gains: Array = field(default_factory=lambda: np.empty(0))
    frequencies: Array = field(default_factory=lambda: np.empty(0))
    positions: Array = field(default_factory=lambda: np.empty(0))
    inverse: bool = False
    call: str | None = None
    recipe: dict[str, Any] | None = None
    met: str | None = None
    elements: int = 0
    outside: tuple[str, ...] = ()
    parts: tuple[tuple[str, Reading], ...] = ()
    notes: tuple[str, ...] = ()
    rows: Integers = field(default_factory=lambda: np.empty(0, np.int64))
    slopes: Array = field(default_factory=lambda: np.empty(0))
    coefficients: dict[str, Any] = field(default_factory=dict)
    left: float = 0.0

    @property
    def channels(self) -> Integers:
        """The first channels of all pairs and then the second ones, (2 pairs,), as a call with x[..., channels] takes
        them."""
        return _in_halves(self.pairs)

    @property
    def channels_written(self) -> Integers:
        """The channels of the result that such a call gives."""
        return _in_halves(self.written)

    @property
    def complete(self) -> bool:
        """Whether one call has been found, and verified at every element."""
        return self.call is not None and not self.outside and not self.parts

    def to_json(self) -> dict[str, Any]:
        """The reading as plain JSON values."""
        return {
            "kind": self.kind,
            "summary": self.summary,
            "format": self.format,
            "pairs": [list(pair) for pair in self.pairs],
            "written": [list(pair) for pair in self.written],
            "gains": _plain(self.gains),
            "frequencies": _plain(self.frequencies),
            "positions": _plain(self.positions),
            "rows": self.rows.tolist(),
            "slopes": _plain(self.slopes),
            "inverse": self.inverse,
            "call": self.call,
            "recipe": self.recipe,
            "met": self.met,
            "elements": self.elements,
            "outside": list(self.outside),
            "parts": [{"where": where, "reading": part.to_json()} for where, part in self.parts],
            "notes": list(self.notes),
            "coefficients": {name: _plain(value) for name, value in self.coefficients.items()},
            "left": self.left,
        }

    def __str__(self) -> str:
        lines = [self.summary]
        if self.call is not None:
            lines.append(f"  {self.call}")
            lines.append(f"  {_verdict(self)}")
        elif self.kind not in ("copy", "unknown"):
            lines.append("  no call of refpos was found that has these numbers")
        lines += [f"  {note}" for note in self.notes]
        for where, part in self.parts:
            lines += [f"  {where}: {line}" if k == 0 else f"  {line}" for k, line in enumerate(str(part).splitlines())]
        return "\n".join(lines)


def _in_halves(pairs):
    return np.array([pair[k] for k in (0, 1) for pair in pairs], np.int64)


def _verdict(reading):
    where = f"at all {reading.elements} elements"
    unknown = np.isnan(reading.positions)  # all those of a head, or of a batch row, where it is a part of its own
    where += " of rows with an angle" if (unknown.any(axis=-1) & ~unknown.all(axis=-1)).any() else ""
    if reading.outside:
        where = f"at {reading.elements} elements, except {'; '.join(reading.outside)}"
    if reading.kind in COPIED:
        return f"equal {where}"
    if reading.met == "correct":
        return f"correctly rounded {where}"
    return f"within the bounds of {reading.met} {where}"


def _plain(values):
    """An array as lists, with None for NaN."""
    listed = np.asarray(values, np.float64)
    return np.where(np.isfinite(listed), listed.astype(object), None).tolist()
