"""Where numbers are off: the rows and columns that differ, where others agree."""

from __future__ import annotations

import numpy as np

from .numbers import as_numbers, blocks

LARGEST = 1 << 22  # elements that are looked at
NOT_NUMBERS = "all numbers are NaN"
MANY = 4  # runs of indices in a sentence


def error_places(trial):
    """Sentences on each output of which some rows or columns agree, which is to be within some bound of the call, and
    others do not."""
    sentences, answered = [], trial.answered
    if trial.size > LARGEST:
        return ()
    for name, expected in trial.outputs.items():
        if answered[name].values.shape != expected.values.shape or not expected.values.size:
            continue
        off = trial.beyond[name]
        if off.any() and not off.all():
            sentences += [f"{name}: {sentence}" for sentence in _of_axes(off, answered[name], expected)]
        elif off.any() and is_one(answered[name], expected):
            sentences.append(f"{name}: {all_of(answered[name], expected)}")
    return tuple(sentences)


def one_value(trial):
    """What is said of answers that are one value all over where others are expected; nothing of all others."""
    told = set()
    for name, expected in trial.outputs.items():
        answer = trial.answered[name]
        same = is_one(answer, expected) and not is_one(expected, expected)
        told.add(all_of(answer, expected) if same else "")
    return told.pop() if len(told) == 1 else ""


def is_one(tensor, like):
    """Whether there are several values, and all are the same."""
    return tensor.values.size > 1 and _only(tensor, like) is not None


def all_of(tensor, like):
    """What is said of values that are all the same."""
    only = _only(tensor, like)
    return NOT_NUMBERS if np.isnan(only) else f"all numbers are {only + 0.0:g}"


def _only(tensor, like):
    """The number that all values are, or NaN; None where they are not one."""
    first = as_numbers(tensor._replace(values=np.array(tensor.values.flat[:1])), like)[0]
    same = all((some == first).all() or np.isnan(some).all() for some in blocks(tensor, like))
    return first if same else None


def _of_axes(off, answer, like):
    """A sentence for each axis along which some indices agree everywhere."""
    words = {off.ndim - 1: "column", off.ndim - 2: "row"}
    for axis in range(off.ndim):
        wrong = off.any(axis=tuple(k for k in range(off.ndim) if k != axis))
        if wrong.any() and not wrong.all():
            word = words.get(axis, f"axis {axis}: index")
            only = _only(answer._replace(values=answer.values.compress(wrong, axis)), like)
            one = np.count_nonzero(wrong) == 1
            what = "all 0" if only == 0 else "all NaN" if only is not None and np.isnan(only) else None
            verb = ("differs" if one else "differ") if what is None else f"{'is' if one else 'are'} {what}"
            agree = "agrees" if np.count_nonzero(~wrong) == 1 else "agree"
            yield f"{named(word, ~wrong)} {agree}, {named(word.split(': ')[-1], wrong)} {verb}"


def named(word, chosen):
    """Indices with their word: row 0, rows 1.., indices 2..5."""
    many = word.replace("index", "indices") if "index" in word else f"{word}s"
    return f"{word if np.count_nonzero(chosen) == 1 else many} {_runs(chosen)}"


def _runs(chosen):
    """Indices as runs: 0, 5..8, 32.."""
    edges = np.flatnonzero(np.diff(np.concatenate([[0], chosen.astype(np.int8), [0]])))
    runs = list(zip(edges[::2].tolist(), (edges[1::2] - 1).tolist(), strict=True))
    texts = [
        f"{start}.."
        if stop == len(chosen) - 1 and start < stop
        else str(start)
        if start == stop
        else f"{start}..{stop}"
        for start, stop in runs[:MANY]
    ]
    return ", ".join(texts) + (f" and {len(runs) - MANY} more runs" if len(runs) > MANY else "")
