"""Entries of an axis that hold the numbers of other entries: rows, heads, columns or batch rows in another order."""

from __future__ import annotations

import numpy as np

from ...measure.wording import runs, several_of
from ...tensor_files import Tensor
from .. import judge
from ..bounds import bounds_of
from ..numbers import as_numbers
from .measured import Measured

LARGEST = 1 << 22  # elements that are looked at
MOST = 2048  # entries of an axis
SAMPLE = 48  # numbers of each entry by which the others are compared
RUNS = 4  # of entries that are told one by one
LISTED = 12  # entries whose sources are listed
NEAR = (1e-3, 1e-7)  # of the numbers, within which several entries are as near as the nearest one
ZEROS = -1  # the source of an entry that is all 0


def measured_entries(trial) -> Measured | None:
    """Which entries of an axis hold those of others, each within the bounds of the other; None where none do."""
    limits, off = bounds_of(*trial.call, trial.outputs), [name for name, one in trial.beyond.items() if one.any()]
    trial = trial._replace(outputs={name: trial.outputs[name] for name in off})
    (shape, *others) = (tensor.values.shape for tensor in trial.outputs.values()) if off else ((),)
    if trial.size > LARGEST or not shape or any(other != shape for other in others):
        return None
    for axis in sorted(range(len(shape)), key=lambda axis: axis == len(shape) - 1):
        if not 1 < shape[axis] <= MOST:
            continue
        got, wanted = (_lines(trial, tensors, axis) for tensors in (trial.answered, trial.outputs))
        for near in NEAR:
            told = _of_axis(trial, axis, sources_of(got, wanted, near), limits)
            if told is not None:
                return told
    return None


def _of_axis(trial, axis, sources, limits):
    """The `Measured` of entries of an axis with these sources; None where they are not those."""
    if (sources == np.arange(len(sources), dtype=np.int64)).all() or (sources == sources[0]).all():
        return None
    met = _met(trial, axis, sources, limits)
    told = told_of(sources, _word(axis, next(iter(trial.outputs.values())).values.ndim)) if met else ""
    return Measured(told, "each its own numbers", met=met, named=True) if told else None


def _lines(trial, tensors, axis):
    """The numbers of each entry of an axis, of all outputs: (entries, numbers)."""
    parts = (as_numbers(tensors[name], one) for name, one in trial.outputs.items())
    return np.concatenate([np.moveaxis(one, axis, 0).reshape(one.shape[axis], -1) for one in parts], axis=1)


def _word(axis, axes):
    """What an entry of an axis is called."""
    return {axes - 1: "column", axes - 2: "row"}.get(axis, f"axis {axis}, index")


def sources_of(got, wanted, apart=NEAR[0]):
    """The entry of (entries, numbers) that each other entry is nearest to; of several, itself or that of a common
    shift. apart: how much farther they may be, as a share of the numbers."""
    finite = np.concatenate([np.abs(one[np.isfinite(one)]) for one in (got, wanted)])
    size = float(finite.max(initial=0.0)) or 1.0
    got, wanted = (np.nan_to_num(one, nan=3 * size, posinf=2 * size, neginf=-2 * size) for one in (got, wanted))
    some = np.linspace(0, got.shape[1] - 1, min(SAMPLE, got.shape[1])).astype(np.int64)
    far = np.zeros((len(got), len(wanted)))
    for column in some:
        far += np.abs(got[:, column, None] - wanted[None, :, column])
    near = far <= far.min(axis=1, keepdims=True) + apart * size
    index = np.arange(len(got), dtype=np.int64)
    shifts = (np.arange(len(wanted), dtype=np.int64) - index[:, None])[near]
    common = int(np.bincount(shifts + len(got)).argmax()) - len(got)
    sources = far.argmin(axis=1)
    for source in (index + common, index):
        known = (source >= 0) & (source < len(wanted))
        kept = known & near[index, np.where(known, source, 0)]
        sources = np.where(kept, source, sources)
    return np.where(~got.any(axis=1) & wanted.any(axis=1).all(), ZEROS, sources)


def _met(trial, axis, sources, limits):
    """The class that the answers meet with the numbers and the bounds of the sources; nothing without one."""
    zeros, taken = sources == ZEROS, np.maximum(sources, 0)
    along = np.where(zeros)[0]

    def moved(values):
        made = np.take(values, taken, axis)
        if len(along):
            np.moveaxis(made, axis, 0)[along] = 0
        return made

    made = {name: Tensor(one.dtype, moved(one.values)) for name, one in trial.outputs.items()}
    (shape, *_) = (tensor.values.shape for tensor in trial.outputs.values())
    bounds = {
        kind: {name: moved(np.broadcast_to(np.reshape(judge.of_name(parts, name), shape), shape)) for name in made}
        for kind, parts in limits.items()
    }
    answers = {name: trial.answered[name] for name in made}
    met = judge.met_by_all(judge.reports_of(trial.call, made, answers, limits=bounds))
    return met[0] if met else ""


def told_of(sources, word, first=0):
    """The sources of entries in words; nothing where they follow no rule and are too many for a list. first: the number
    of the first entry."""
    index = np.arange(len(sources), dtype=np.int64)
    steps = np.where(sources == ZEROS, ZEROS - len(sources), sources - index)
    kinds = [shift for shift in np.unique(steps) if shift]
    cut = np.flatnonzero((np.diff(steps) != 0) & (np.diff(sources) != 0)) + 1
    parts = [part for part in np.split(index, cut) if (sources[part] != part).any()]
    if len(kinds) > RUNS and len(parts) > RUNS:
        listed = f"other numbers: in order those of {word} {runs(sources + first)}"
        return listed if len(sources) <= LISTED and (sources >= 0).all() else ""
    if len(kinds) <= len(parts):
        parts = [index[steps == shift] for shift in kinds]
        parts.sort(key=len, reverse=True)
    return "other numbers: " + "; ".join(_told(part, sources[part], len(sources), word, first) for part in parts)


def _told(part, sources, count, word, first):
    """A part of the entries with what they hold."""
    plural = word.replace("index", "indices") if "index" in word else None
    which = several_of(word, part + first, plural) if len(part) < count else f"all {plural or word + 's'}"
    hold = "holds" if len(part) == 1 else "hold"
    if (sources == ZEROS).all():
        return f"{which} {hold} 0"
    if (sources == sources[0]).all():
        return f"{which} {hold} those of {word} {sources[0] + first}"
    shift = int(sources[0] - part[0])
    return f"{which} {hold} those of {word} {'+' if shift > 0 else '-'} {abs(shift)}"
