"""How many numbers are off, how far, and within which rows, heads and channels, whatever they are."""

from __future__ import annotations

import math

import numpy as np

from ..arithmetic import formats
from .error_places import MANY, axis_word, named

FARTHEST = 1 << 16  # units in the last place, beyond which they say no more than the error


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
