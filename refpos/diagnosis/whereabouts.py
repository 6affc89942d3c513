"""Where numbers are off: the rows and columns that differ, where others agree."""

from __future__ import annotations

import numpy as np

from .numbers import apart, as_numbers

FAR = 1e-3  # of its size, how much an element may be off and still agree
MANY = 4  # runs of indices in a sentence


def whereabouts(outputs, answered):
    """Sentences on each output of which some rows or columns agree and others do not."""
    sentences = []
    for name, expected in outputs.items():
        if answered[name].values.shape != expected.values.shape or not expected.values.size:
            continue
        off = apart(as_numbers(answered[name], expected), as_numbers(expected, expected)) > FAR
        if off.any() and not off.all():
            got = as_numbers(answered[name], expected)
            sentences += [f"{name}: {sentence}" for sentence in _of_axes(off, got)]
    return tuple(sentences)


def _of_axes(off, got):
    """A sentence for each axis along which some indices agree everywhere."""
    words = {off.ndim - 1: "columns", off.ndim - 2: "rows"}
    for axis in range(off.ndim):
        wrong = off.any(axis=tuple(k for k in range(off.ndim) if k != axis))
        if wrong.any() and not wrong.all():
            word = words.get(axis, f"indices of axis {axis}")
            values = got.compress(wrong, axis)
            what = "are all 0" if not values.any() else "are all NaN" if np.isnan(values).all() else "differ"
            yield f"{word} {_runs(~wrong)} agree, {word} {_runs(wrong)} {what}"


def _runs(chosen):
    """Indices as runs: 0, 5..8, 32.."""
    edges = np.flatnonzero(np.diff(np.concatenate([[0], chosen.astype(np.int8), [0]])))
    runs = list(zip(edges[::2].tolist(), (edges[1::2] - 1).tolist(), strict=True))
    texts = [
        f"{start}.." if stop == len(chosen) - 1 and start < stop else str(start) if start == stop else f"{start}..{stop}"
        for start, stop in runs[:MANY]
    ]
    return ", ".join(texts) + (f" and {len(runs) - MANY} more runs" if len(runs) > MANY else "")
