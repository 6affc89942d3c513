"""What a comparison of two configurations finds: differences, and notes on what changes no number."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from itertools import groupby
from typing import Any

import numpy as np

from ...errors import shown
from ...guard import guarded

__all__ = ["Difference", "SameEncoding"]

#: how far cosines and sines differ, or biases do, at the first position or distance that a difference names
TOLERANCE = 1e-3


@guarded
@dataclass(frozen=True)
class Difference:
    """One thing that two configurations give differently, or that cannot be compared.

    Attributes
    ----------
    part : str
        Part of the model, such as text or vision.
    what : str
        What differs: base, factor, rotary_dim, pairing and so on.
    a, b : object
        What each of the two gives, as values of JSON.
    layers : tuple of int
        The layers in which it differs, counted from 0; empty where the part does not count its layers.
    position : int or None
        First position whose cosines or sines differ by more than 1e-3.
    distance : int or None
        First distance between query and key whose biases, or the rows they read, differ.
    below : int or None
        Number of positions that were compared.
    seq_len : int or None
        First length of a sequence for which it differs, of a scaling that depends on the length.
    """

    part: str
    what: str
    a: Any
    b: Any
    layers: tuple[int, ...] = ()
    position: int | None = None
    distance: int | None = None
    below: int | None = None
    seq_len: int | None = None

    def __str__(self) -> str:
        return f"{_where(self)}: {_values(self)}{_first(self)}"


@guarded
@dataclass(frozen=True)
class SameEncoding:
    """Whether two configurations mean the same encodings; its truth value is `same`.

    Attributes
    ----------
    a, b : str
        The names of the two: their paths, or "a" and "b" for dicts.
    parts : tuple of str
        The parts that were compared.
    differences : tuple of Difference
        What differs, and what cannot be compared.
    notes : tuple of str
        What else differs in the files and changes no number, one sentence each.
    """

    a: str
    b: str
    parts: tuple[str, ...]
    differences: tuple[Difference, ...]
    notes: tuple[str, ...] = ()

    @property
    def same(self) -> bool:
        """Whether nothing differs, and all could be compared."""
        return not self.differences

    def __bool__(self) -> bool:
        return self.same

    def to_json(self) -> dict[str, Any]:
        """The comparison as plain JSON values."""
        found = [plain(asdict(one)) for one in self.differences]
        names = {"a": self.a, "b": self.b, "parts": list(self.parts)}
        return {"same": self.same, **names, "differences": found, "notes": list(self.notes)}

    def lines(self) -> list[str]:
        """The comparison as lines of text: the verdict, a line for each place that differs, and the notes."""
        verdict = "the same encoding" if self.same else "different encodings"
        found = [f"{self.a} and {self.b}: {verdict} ({', '.join(self.parts)})"]
        for where, group in groupby(self.differences, _where):
            several = list(group)
            found.append(f"{where}: {', '.join(map(_values, several))}{_first(several[0])}")
        return [*found, *(f"note: {note}" for note in self.notes)]

    def __str__(self) -> str:
        return "\n".join(self.lines())


def _where(one):
    layers = f", {'layer' if len(one.layers) == 1 else 'layers'} {runs(one.layers)}" if one.layers else ""
    return one.part + layers + ("" if one.seq_len is None else f", sequence length {one.seq_len}")


def _values(one):
    return f"{one.what} {written(one.a)} against {written(one.b)}"


def _first(one):
    """The first position or distance, as the end of a sentence."""
    if one.position is not None:
        return f"; first position whose cosines or sines differ by more than {TOLERANCE}: {one.position}"
    if one.distance is not None:
        return f"; first distance whose biases, or their rows, differ: {one.distance}"
    if one.below is not None:
        return f"; no cosine or sine below position {one.below} differs by more than {TOLERANCE}"
    return ""


def plain(value):
    """A value as one of JSON: lists for tuples, Python's numbers for those of NumPy, text for what is not finite."""
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, dict):
        return {name: plain(one) for name, one in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(one) for one in value]
    return repr(value) if isinstance(value, float) and not np.isfinite(value) else value


def written(value):
    """A value of JSON for a sentence; None is nothing that the file or its class gives."""
    if value is None:
        return "none"
    if isinstance(value, float) and value.is_integer() and abs(value) < 2**53:
        return str(int(value))
    return value if isinstance(value, str) else shown(value)


def runs(numbers):
    """Integers as runs.

    >>> runs((0, 1, 2, 4))
    '0-2, 4'
    """
    found = []
    for number in numbers:
        if found and found[-1][1] == number - 1:
            found[-1][1] = number
        else:
            found.append([number, number])
    return ", ".join(str(first) if first == last else f"{first}-{last}" for first, last in found) or "none"
