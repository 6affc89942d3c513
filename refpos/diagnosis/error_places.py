"""Where numbers are off: the rows and columns that differ, where others agree; and how many are off, and how far."""

from __future__ import annotations

import math

import numpy as np

from ..arithmetic import formats
from ..measure.scoring.score_parts import PARTS
from .numbers import as_numbers, blocks

LARGEST = 1 << 22  # elements that are looked at
NOT_NUMBERS = "all numbers are NaN"
MANY = 4  # runs of indices in a sentence
FARTHEST = 1 << 16  # units in the last place, beyond which they say no more than the error


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
    return one_number(_only(tensor, like))


def one_number(only):
    """What is said of values that are all that one."""
    return NOT_NUMBERS if np.isnan(only) else f"all numbers are {only + 0.0:g}"


def _only(tensor, like):
    """The number that all values are, or NaN; None where they are not one."""
    first = as_numbers(tensor._replace(values=np.array(tensor.values.flat[:1])), like)[0]
    same = all((some == first).all() or np.isnan(some).all() for some in blocks(tensor, like))
    return first if same else None


def axis_word(trial, axis):
    """What an entry of an axis of the outputs is called."""
    (shape, *_) = (tensor.values.shape for tensor in trial.outputs.values())
    x = trial.call.tensors.get("x")
    if x is not None and x.values.shape == shape and len(shape) == 4:
        sequence = trial.call.arguments.get("seq_axis", -2) % 4
        return {0: "batch row", sequence: "row", 3 - sequence: "head"}.get(axis, "channel")
    words = {len(shape) - 1: "column", len(shape) - 2: "row"}
    words |= {len(shape) - 3: "head"} if trial.call.suite in PARTS else {}
    return words.get(axis, f"axis {axis}: index")


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


# -- how many, and how far ---------------------------------------------------------------------------------------------


def error_sizes(trial, judged):
    """A sentence on each output of which elements lie within no bound of the call; on the farthest one of each where
    all elements do, but not by one class. judged: {output: ({class: met}, Report)}."""
    sentences = {
        name: _of_output(trial, name, report) for name, (_, report) in judged.items() if trial.beyond[name].any()
    }
    if not sentences:
        together = "each element is within the bounds of some class, all together of none"
        sentences = {
            name: f"{together}; {_farthest(report)}" for name, (_, report) in judged.items() if report.different
        }
    return tuple(f"{name}: {sentence}" for name, sentence in sentences.items())


def _of_output(trial, name, report):
    """How many elements of an output are off and where, and the largest error."""
    off = trial.beyond[name]
    count = int(off.sum())
    verb = "is" if count == 1 else "are"
    many = f"all {off.size} elements are" if 1 < count == off.size else f"{count} of {off.size} elements {verb}"
    places, inside = [], 1
    for axis in range(off.ndim):
        wrong = off.any(axis=tuple(k for k in range(off.ndim) if k != axis))
        text, held = _indices(axis_word(trial, axis), wrong)
        inside *= held
        places += [] if wrong.all() else [f"in {text}"]
    among = "" if count == inside else "among those "
    return f"{many} off{', ' + among if places else ''}{', '.join(places)}; {_farthest(report)}"


def _indices(word, wrong):
    """The indices of an axis, and how many they are: a few runs, a stride, or the run that holds them."""
    at = np.flatnonzero(wrong)
    steps = np.diff(at)
    if (steps > 1).sum() < MANY:
        return named(word, wrong), len(at)
    if (steps == steps[0]).all():
        return f"{named(word, wrong).split(' ' + str(at[0]), 1)[0]} {at[0]}, {at[1]} .. {at[-1]}", len(at)
    run = np.zeros(len(wrong), bool)
    run[at[0] : at[-1] + 1] = True
    return named(word, run), int(run.sum())


def _farthest(report):
    """The largest error of an output, with its index."""
    worst = report.worst_abs or report.worst
    place = f" at [{', '.join(map(str, worst.index))}]" if worst.index else ""
    if not math.isfinite(worst.abs_error):
        return f"{worst.actual} for {worst.expected}{place}"
    units = f" ({worst.ulp} ulp)" if report.dtype in formats.FORMATS and worst.ulp <= FARTHEST else ""
    return f"largest error {worst.abs_error:.3g}{units}{place}"
