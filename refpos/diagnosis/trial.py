"""A call, what it gives and what somebody got: the whole of it, and a few rows on which mistakes are tried first."""

from __future__ import annotations

from functools import cached_property
from typing import NamedTuple

import numpy as np

from ..conformance import CLASSES
from ..errors import InputError, InputTypeError
from ..tensor_files import Tensor
from . import judge
from .bounds import counted
from .call import Call
from .eight_bits.eight_bit_rules import bytes_of
from .numbers import apart, blocks
from .parts import at_once
from .places import numbers_of, place_of
from .samples import rows_of, telling, with_length

KEPT, MOST_KEPT = 1 << 20, 1 << 22  # numbers of calls that are kept of a small trial, and of the largest one
TOGETHER = 4  # times as many numbers as bounds are derived of are made and compared together
FEW = 3  # rows by which a number is estimated
SMALL, MIDDLE = 1 << 13, 1 << 17  # elements that are their own sample, and of which many calls may be kept
REFUSED = (InputError, InputTypeError, MemoryError, TypeError, ValueError, LookupError, ArithmeticError)


class Answered(NamedTuple):
    """A call, the outputs that are expected, and the answers."""

    call: Call
    outputs: dict[str, Tensor]
    answered: dict[str, Tensor]


class Trial(Answered):
    """The same with what is off, which is found once; the bounds that tell it take far more memory and are not kept."""

    @property
    def size(self):
        """How many elements are expected."""
        return sum(tensor.values.size for tensor in self.outputs.values())

    @cached_property
    def beyond(self):
        """{output: which elements lie within no bound of the call}."""
        return judge.beyond(self.answered, self.outputs, self.call)


def trial_of(call, outputs, answered):
    """The `Trial` of answers as they come; of 8-bit floats, bytes that were read as int8 are bit patterns."""
    return Trial(call, outputs, bytes_of(call.suite, answered))


class Judged(NamedTuple):
    """Every element of the answers, judged: the strictest class that all meet, and the largest error."""

    met: str
    error: float


def _counted(call, outputs):
    """The bounds that hold for every call."""
    return counted(outputs)


def _as_expected(made, expected):
    """The same numbers in the shape of others, where there are as many and as many channels."""
    shape = made.values.shape
    if sorted(shape) != sorted(expected.shape) or shape[-1:] != expected.shape[-1:]:
        return made
    return made._replace(values=made.values.reshape(expected.shape))


class Study:
    """A trial with its sample; a class because what was computed for it is kept from mistake to mistake."""

    def __init__(self, trial):
        self.trial = trial
        self.undone, self.verdicts, self.made_before = {}, {}, {}
        self.room = KEPT if trial.size <= MIDDLE else min(trial.size // 2, MOST_KEPT)

    @cached_property
    def rows(self):
        """Which axes count the tokens; None where no rows can be taken."""
        return rows_of(self.trial.call, self.trial.outputs) if self.trial.size > SMALL else None

    @cached_property
    def index(self):
        """The rows of the sample; None where all are tried."""
        return None if self.rows is None else telling(self.rows, self.off)

    @cached_property
    def off(self):
        """Which rows have an element within no bound of the call; None without rows."""
        if self.rows is None:
            return None
        off = np.zeros(self.rows.count, bool)
        for name, beyond in self.trial.beyond.items():
            axis = self.rows.outputs[name] % beyond.ndim
            off |= beyond.any(axis=tuple(k for k in range(beyond.ndim) if k != axis))
        return off

    @cached_property
    def call(self):
        """The call for the rows of the sample."""
        return self.trial.call if self.index is None else self.rows.of_call(self.trial.call, self.index)

    def sampled(self, outputs):
        """The rows of the sample of some outputs."""
        return outputs if self.index is None else self.rows.of_outputs(outputs, self.index)

    @cached_property
    def expected(self):
        """The outputs of the sample."""
        return self.sampled(self.trial.outputs)

    @cached_property
    def baseline(self):
        """How far the answers are from what is expected, on the sample."""
        return self.apart(self.sampled(self.trial.answered), self.expected)

    def answered(self, mistake):
        """The answers of the sample with what was done to them undone; None where that gives other shapes."""
        key = mistake.undo
        if key in self.undone:
            return self.undone[key]
        try:
            made = self.sampled(self.undo(mistake))
        except REFUSED:
            made = None
        return self._kept(self.undone, key, made)

    def _kept(self, held, key, made):
        """What was made, kept while there is room for it: tensors by name, or None."""
        size = sum(one.values.size for one in (made or {}).values())
        if size <= self.room:
            self.room -= size
            held[key] = made
        return made

    def undo(self, mistake):
        """All answers with what was done to them undone; refused where that gives other shapes."""
        made = mistake.undo(self.trial.answered)
        for name, tensor in made.items():
            if tensor.values.shape != self.trial.outputs[name].values.shape:
                raise InputError("E_SHAPE", name, f"{name} must keep its shape, got {tensor.values.shape}")
        return made

    @staticmethod
    def apart(answered, outputs):
        """How far answers are from outputs, on average; None where they cannot be compared."""
        if answered is None or any(answered[name].values.shape != one.values.shape for name, one in outputs.items()):
            return None
        total, count = 0.0, sum(one.values.size for one in outputs.values())
        for name, one in outputs.items():
            total += sum(float(apart(*pair).sum()) for pair in blocks(answered[name], one, one))
        return total / count if count else None

    def distance(self, mistake):
        """How far the sample is from that mistake, on average; None where there is no such call, or nothing changes."""
        outputs = self._outputs(mistake)
        return None if outputs is None else self.apart(self.answered(mistake), outputs)

    def _outputs(self, mistake):
        """What a call with that mistake gives; None where there is none. Kept, since many pairs of mistakes differ only
        in what is undone of the answers."""
        key = mistake.change, mistake.outputs
        if key in self.made_before:
            return self.made_before[key]
        try:
            made = self.made(mistake, mistake.change(self.call))
        except REFUSED:
            made = None
        return self._kept(self.made_before, key, made)

    def made(self, mistake, call):
        """The outputs of a call with that mistake, of which there are answers; those of sizes that are exchanged in the
        shape that is expected."""
        found = mistake.outputs(call)
        outputs = {name: judge.of_name(found, name) for name in self.trial.outputs}
        return {name: _as_expected(made, self.trial.outputs[name].values) for name, made in outputs.items()}

    def of_small_positions(self):
        """The study of the few rows at which angles are small, so that a small error of a number stays small."""
        rows, found = rows_of(self.trial.call, self.trial.outputs), place_of(self.trial.call)
        if rows is None or found is None or found[1].values.ndim != 1:
            return self
        size = np.abs(numbers_of(found[1]))
        index = np.sort(np.argsort(np.where(size > 0, size, np.inf), kind="stable")[:FEW])
        outputs, answered = (rows.of_outputs(one, index) for one in (self.trial.outputs, self.trial.answered))
        return Study(Trial(rows.of_call(self.trial.call, index), outputs, answered))

    # -- judging ------------------------------------------------------------------------------------------------------

    def met_on_sample(self, mistake, strictly=False):
        """Whether the sample meets a class of that mistake; strictly: within one unit in the last place."""
        try:
            call = mistake.change(self.call)
            outputs, answered = self.made(mistake, call), self.answered(mistake)
            if self._classes(call, outputs, answered, _counted, judge.admitted_by_all):
                return True
            # the bounds of a few rows may exclude nothing where those of all do
            return not strictly and bool(self._classes(call, outputs, answered, mistake.limits, judge.admitted_by_all))
        except REFUSED:
            return False

    def judged(self, mistake, strictly=False):
        """Every element of the answers against that mistake: `Judged`, or None where they meet no class of it."""
        key = mistake.change, mistake.undo, mistake.outputs, strictly
        if key not in self.verdicts:
            self.verdicts[key] = self._judged(mistake, strictly)
        return self.verdicts[key]

    def _judged(self, mistake, strictly):
        try:
            call, answered = mistake.change(self.trial.call), self.undo(mistake)
            # most are within one unit in the last place, for which no error bounds have to be derived
            found = self._all_parts(call, mistake, answered, _counted)
            return found if found or strictly else self._all_parts(call, mistake, answered, None)
        except REFUSED:
            return None

    def _all_parts(self, call, mistake, answered, limits_of):
        """`Judged` of all parts one after another by some limits; None where they meet no class together."""
        found, error = None, 0.0
        for part, some in self._parts(call, answered):
            outputs = self.made(mistake, part)
            classes = self._classes(part, outputs, some, limits_of or mistake.limits)
            found = classes if found is None else {kind: far for kind, far in found.items() if kind in classes}
            if not found:
                return None
            error = max(error, next(iter(classes.values())))
        return Judged(next(iter(found)), error) if found else None

    def _parts(self, call, answered):
        """(call, answers) of some rows after others, or of all where rows cannot be taken."""
        rows = self.rows
        most = TOGETHER * at_once(self.trial.size)
        if rows is None or self.trial.size <= most:
            return [(call, answered)]
        whole = with_length(call)
        try:
            rows.of_call(whole or call, slice(0, 1))
        except REFUSED:
            whole = None
        if whole is None:
            return [(call, answered)]
        step = max(1, most * rows.count // self.trial.size)
        slices = [slice(start, min(start + step, rows.count)) for start in range(0, rows.count, step)]
        return ((rows.of_call(whole, part), rows.of_outputs(answered, part)) for part in slices)

    @staticmethod
    def _classes(call, outputs, answered, limits_of=None, met_in=judge.met_by_all):
        """{class: largest error} of the classes that answers meet, strictest first; limits_of: a function of the call
        and its outputs that gives their bounds, where they are not derived from the call; met_in: of `judge`."""
        if any(judge.unusable(answered[name], outputs[name]) for name in outputs):
            return {}
        reports = judge.reports_of(call, outputs, answered, limits=limits_of and limits_of(call, outputs))
        met = met_in(reports)
        error = max(report.max_abs_error for _, report in reports.values())
        return dict.fromkeys((kind for kind in CLASSES if kind in met), error)
