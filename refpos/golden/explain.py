"""Explaining wrong answers: which wrong call gives their numbers, computed by the same engine, on every element."""

from __future__ import annotations

from collections.abc import Collection
from typing import NamedTuple

import numpy as np

from ..arithmetic import formats, rounding
from ..errors import InputError, InputTypeError
from ..tensor_files import Tensor
from . import judge, run
from .mistakes import Call, mistakes

PER_SUITE = 8  # failing cases of a suite that wrong calls are tried for
MOST = 64  # and of all suites
LARGEST = 1 << 18  # elements of a case that they are tried for
NEARER = 0.5  # of the elements that a wrong call moves, how many must come nearer to the answer


class Trial(NamedTuple):
    """A failing case: its call, the outputs that are expected, and the answers."""

    call: Call
    outputs: dict[str, Tensor]
    answered: dict[str, Tensor]


class Explanation(NamedTuple):
    """A wrong call that gives every element of an answer: the mistake, what was computed in place of what is asked for,
    and the class in which the answer meets it."""

    mistake: str
    computed: str
    asked: str
    met: str


def explained(trials):
    """{id: Explanations} of the failing cases {id: Trial} that are tried, evenly spread over each suite."""
    suites = {}
    for id, trial in trials.items():
        if sum(tensor.values.size for tensor in trial.outputs.values()) <= LARGEST:
            suites.setdefault(trial.call.suite, []).append(id)
    found = {}
    for id in _spread([id for ids in suites.values() for id in _spread(ids, PER_SUITE)], MOST):
        # the mistakes of cases before it first: mostly there is one
        likely = {one.mistake for explanations in found.values() for one in explanations}
        found[id] = (likely and explanations(trials[id], likely)) or explanations(trials[id])
    return found


def _spread(items, most):
    """So many of the items at most, evenly spread, the first and the last among them."""
    count = min(most, len(items))
    return [items[k * (len(items) - 1) // max(1, count - 1)] for k in range(count)]


def explanations(trial: Trial, names: Collection[str] | None = None) -> tuple[Explanation, ...]:
    """All wrong calls, or those of some mistakes, whose numbers the answers are; the likeliest first."""
    found = []
    for mistake in mistakes(trial.call):
        met = _met(mistake, trial) if names is None or mistake.name in names else None
        if met:
            found.append(Explanation(mistake.name, mistake.computed, mistake.asked, met))
    return tuple(found)


def _met(mistake, trial):
    """The strictest class in which the answers are the numbers of a wrong call; None where they are not."""
    try:
        # every change of outputs undoes itself
        answered = trial.answered if mistake.after is None else mistake.after(trial.answered)
        outputs = trial.outputs if mistake.after else run.results(*mistake.call)
    except (InputError, InputTypeError, MemoryError):
        return None  # with this mistake there is no call
    if any(judge.unusable(answered[name], outputs[name]) for name in outputs):
        return None
    before = [(trial.answered[name], trial.outputs[name]) for name in outputs]
    after = [(answered[name], outputs[name]) for name in outputs]
    if not _is_nearer(before, after):
        return None
    try:
        reports = judge.reports_of(mistake.call.suite, mistake.call.arguments, mistake.call.tensors, outputs, answered)
    except (InputError, InputTypeError):
        return None
    met = judge.met_by_all(reports)
    return met[0] if met else None


def _is_nearer(before, after):
    """Whether most elements that a wrong call moves are nearer to the answer than those asked for: a quick look."""
    nearer, others = 0, 0
    for (answer, expected), (again, wrong) in zip(before, after, strict=True):
        with np.errstate(all="ignore"):
            old = np.abs(_numbers(answer, expected) - _numbers(expected, expected))
            new = np.abs(_numbers(again, wrong) - _numbers(wrong, wrong))
        if old.shape != new.shape:
            return False
        moved = ~((old == new) | (np.isnan(old) & np.isnan(new)))
        others += int(moved.sum())
        nearer += int((moved & ((new < old) | np.isnan(old))).sum())
    return others > 0 and nearer >= NEARER * others


def _numbers(tensor, like):
    """The values of a tensor as float64; bit patterns are those of the format that is expected."""
    kind = like.dtype if tensor.dtype == "uint16" else tensor.dtype
    if kind in ("bfloat16", "float16") and tensor.values.dtype == np.uint16:
        return rounding.widen(tensor.values, formats.FORMATS[kind])
    return tensor.values.astype(np.float64)
