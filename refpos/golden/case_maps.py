"""Pictures of failing cases: where their errors stand, beside what their classes allow."""

from dataclasses import replace

from ..diagnosis import judge
from ..diagnosis.measurements.measured import panels_of
from .bounds import bounds_of

PER_SUITE = 6  # failing cases of a suite that get one
MEASURED_PER_SUITE = 2  # and that are measured for it


def pictured(finding, entry, trial, conformance=None, is_measured=False):
    """The finding with the errors of its worst output; what the class that was asked for allows, or any, is allowed.

    is_measured: whether it gets the curves of what its answers are, too.
    """
    suite, name = entry["id"].partition("/")[0], finding.output
    bounds = bounds_of(suite, entry["arguments"], trial.call.tensors, trial.outputs)
    kinds = [conformance] if conformance in bounds else list(bounds)
    limits = {kind: bounds[kind] for kind in kinds}
    errors = judge.map_of(trial.answered[name], trial.outputs[name], name, limits)
    return replace(finding, errors=errors, panels=panels_of(trial) if is_measured else ())
