"""Pictures of failing cases: where their errors stand, beside what their classes allow."""

from dataclasses import replace

from ..diagnosis import judge
from .bounds import bounds_of

PER_SUITE = 6  # failing cases of a suite that get one


def pictured(finding, entry, trial, conformance=None):
    """The finding with the errors of its worst output; what the class that was asked for allows, or any, is allowed."""
    suite, name = entry["id"].partition("/")[0], finding.output
    bounds = bounds_of(suite, entry["arguments"], trial.call.tensors, trial.outputs)
    kinds = [conformance] if conformance in bounds else list(bounds)
    limits = {kind: bounds[kind] for kind in kinds}
    return replace(finding, errors=judge.map_of(trial.answered[name], trial.outputs[name], name, limits))
