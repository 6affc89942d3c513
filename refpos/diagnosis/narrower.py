"""Answers of fewer bits than the call asks for: in a format of their own, or widened again before they were handed
over."""

from __future__ import annotations

from typing import NamedTuple

from .. import catalogue
from ..arithmetic import formats
from ..measure.held_format import in_format
from .call import ROUNDED
from .error_places import one_value
from .places import NAMES, NARROWER
from .trial import REFUSED


class Done(NamedTuple):
    """What was done to a result before anything else is looked at."""

    mistake: str
    computed: str
    asked: str

    def then(self, other):
        """This and what was done after it."""
        return other if self == NOTHING else Done(*(f"{one} and {two}" for one, two in zip(self, other, strict=True)))


NOTHING = Done("", "", "")


def of_another_format(trial):
    """(trial whose call gives the format of the answers, what was done) where that is another one; else None."""
    kinds, expected = ({tensor.dtype for tensor in part.values()} for part in (trial.answered, trial.outputs))
    kind = next(iter(kinds)) if len(kinds) == 1 else None
    if kind not in formats.FORMATS or len(expected) > 1 or not expected <= formats.FORMATS.keys() - {kind}:
        return None
    asked = trial.call.arguments.get("dtype")
    if asked is None:
        call = trial.call.change(**{ROUNDED: kind})
        done = Done("precision", f"the result rounded to {kind}", f"a result of {next(iter(expected))}")
    else:
        call, done = trial.call.change(dtype=kind), Done("dtype", f"dtype={kind!r}", f"dtype={asked!r}")
    try:
        outputs = call.outputs()
    except REFUSED:
        return None
    return trial._replace(call=call, outputs={name: outputs[name] for name in trial.outputs}), done


def of_fewer_bits(trial):
    """The trials of `of_another_format` for each narrower format that holds all of the answers but not all of what is
    expected, as torch's `.float()` leaves them."""
    for narrow in _narrow_trials(trial):
        found = of_another_format(narrow)
        yield from [] if found is None else [found]


def in_own_formats(trial):
    """The trials in each narrower format that holds all of the answers but not all of what is expected, of a call that
    leaves its dtype to them; where it has that of its arrays, they must lie on that format as well."""
    if catalogue.find(trial.call.suite).family == "frequencies":  # whose rounding is what is looked for
        return
    for narrow in _narrow_trials(trial):
        kind = next(iter(narrow.answered.values())).dtype
        try:
            call = _in_format(trial.call, kind)
            outputs = call.outputs()
        except REFUSED:
            continue
        if {outputs[name].dtype for name in trial.outputs} == {kind}:
            yield narrow._replace(call=call, outputs={name: outputs[name] for name in trial.outputs})


def _in_format(call, kind):
    """The call with a dtype, or with the arrays that lie on it in that format where those say the dtype."""
    if call.arguments.get("dtype") is not None:
        return call.change(dtype=kind)
    wide = {name: one for name, one in call.tensors.items() if one.dtype in formats.FORMATS and name not in NAMES}
    narrow = {name: in_format(one, kind) for name, one in wide.items()}
    return call.given(**{name: one for name, one in narrow.items() if one is not None})


def _narrow_trials(trial):
    """The trial with its answers in each narrower format that holds all of them but not all of what is expected."""
    wide = {tensor.dtype for part in (trial.answered, trial.outputs) for tensor in part.values()}
    if ROUNDED in trial.call.arguments or not wide <= {"float32", "float64"} or one_value(trial):
        return
    for kind in NARROWER:
        narrow = {name: in_format(tensor, kind) for name, tensor in trial.answered.items()}
        if None not in narrow.values() and any(in_format(one, kind) is None for one in trial.outputs.values()):
            yield trial._replace(answered=narrow)
