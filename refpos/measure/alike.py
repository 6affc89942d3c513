"""Entries of an array that are read together because they are equal, and the others as parts."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from .wording import several_of

MOST_PARTS = 8  # that are read


def in_parts(lines, read, word, plural=None, of=""):
    """The reading of the entries of lines (entries, ..) of which most are equal, with those of the others as parts.
    read: what reads an entry, given it and the indices of those that are equal to it; word: what an entry is."""
    groups = _alike(lines)
    main, *others = [read(lines[one[0]], one) for one in groups[:MOST_PARTS]]
    if len(groups) == 1:
        return main
    where = [several_of(word, one, plural) for one in groups]
    rest = several_of(word, np.sort(np.concatenate(groups[1:])), plural) + of
    summary = f"{main.summary}, in {where[0]}"
    return replace(main, summary=summary, outside=(*main.outside, rest), parts=tuple(zip(where[1:], others)))


def _alike(lines):
    """The indices of entries that are equal, as a list of arrays, the largest first."""
    found = {}
    for index, line in enumerate(lines):
        found.setdefault(np.ascontiguousarray(line).tobytes(), []).append(index)
    return sorted((np.array(one, np.int64) for one in found.values()), key=len, reverse=True)
