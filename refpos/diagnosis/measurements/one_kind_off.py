"""Cosines without the sines, or sines without the cosines, that are off: what is wrong with them alone."""

from __future__ import annotations

from functools import partial

import numpy as np

from ... import catalogue
from ...conformance import CLASSES
from .. import judge, search
from ..arrays.other_kinds import AT_ZERO, columns_of_kinds, other_kinds
from ..bounds import bounds_of
from ..explanation import Explanation
from ..mistake import Mistake, same
from ..mistakes import mistakes
from ..regions import of_all
from ..trial import REFUSED, Trial


def of_one_kind(trial: Trial) -> Explanation | None:
    """The `Explanation` of outputs, or of the columns of one kind of waves, that alone are off, by one wrong call of
    them or as many times as large; None where others are off too, or where nothing of them is known."""
    twice = search.of_mistakes(trial, other_kinds(trial.call))
    if twice:
        return twice[0]
    wrong = [name for name, beyond in trial.beyond.items() if beyond.any()]
    if 0 < len(wrong) < len(trial.outputs):
        return _of_outputs(trial, wrong)
    try:
        return _of_columns(trial)
    except REFUSED:
        return None


def _of_outputs(trial, wrong):
    """The same of outputs beside which others are right."""
    some = (({name: one[name] for name in wrong}) for one in (trial.outputs, trial.answered))
    alone, what = Trial(trial.call, *some), " and ".join(wrong)
    found = _by_call(alone, [one for one in mistakes(trial.call) if one.undo is same], what) or of_all(alone, what)
    rest = {name: one for name, one in trial.outputs.items() if name not in wrong}
    met = judge.met_by_all(judge.reports_of(trial.call, rest, trial.answered))
    if found is None or not met:
        return None
    return found._replace(met=max(found.met, met[0], key=list(CLASSES).index))


def _by_call(trial, tried, what):
    found = search.of_mistakes(trial, tried)
    return found[0]._replace(computed=f"{what}: {found[0].computed}") if found else None


# -- columns ----------------------------------------------------------------------------------------------------------


def _of_columns(trial):
    """The same of a table whose cosines and sines stand in columns of one array."""
    names = catalogue.find(trial.call.suite).outputs_of(trial.call.arguments)
    if tuple(names) != ("output",) or not any(one in trial.call.arguments or one in trial.call.tensors
                                              for one in AT_ZERO):  # fmt: skip
        return None
    off = np.flatnonzero(trial.beyond["output"].any(axis=tuple(range(trial.beyond["output"].ndim - 1))))
    for kind, columns in columns_of_kinds(trial.call).items():
        if len(off) and len(columns) < trial.outputs["output"].values.shape[-1] and np.isin(off, columns).all():
            tried = (_of_some(one, columns) for one in mistakes(trial.call) if one.undo is same and not one.rare)
            return _by_call(trial, tried, f"the {kind} alone")
    return None


def _of_some(mistake, columns):
    """The mistake in some columns alone."""
    made = partial(_outputs, mistake=mistake, columns=columns)
    limits = partial(_limits, mistake=mistake, columns=columns)
    return Mistake(mistake.name, mistake.computed, mistake.asked, outputs=made, limits=limits, rare=True)


def _outputs(call, mistake, columns):
    plain, other = call.outputs()["output"], mistake.outputs(mistake.change(call))["output"]
    if (other.dtype, other.values.shape) != (plain.dtype, plain.values.shape):
        raise ValueError(f"an output like {plain.values.shape} is needed, got {other.values.shape}")
    return {"output": plain._replace(values=_mixed(plain.values, other.values, columns))}


def _limits(call, outputs, mistake, columns):
    changed = mistake.change(call)
    made, shape = mistake.outputs(changed), outputs["output"].values.shape
    other, plain = (mistake.limits or _derived)(changed, made), _derived(call, outputs)
    wide = [{kind: np.broadcast_to(np.reshape(one["output"], shape), shape) for kind, one in limits.items()}
            for limits in (plain, other)]  # fmt: skip
    return {kind: {"output": _mixed(wide[0][kind], wide[1][kind], columns)} for kind in wide[0].keys() & wide[1].keys()}


def _derived(call, outputs):
    return bounds_of(*call, outputs)


def _mixed(plain, other, columns):
    """Values with some columns of others."""
    values = np.array(plain)
    values[..., columns] = other[..., columns]
    return values
