"""Pictures of failing cases: where their errors stand, beside what their classes allow."""

from dataclasses import replace

from ..arithmetic import formats
from ..conformance import CLASSES
from ..conformance.error_map import error_map
from .bounds import bounds_of

PER_SUITE = 6  # failing cases of a suite that get one


def pictured(finding, entry, trial, conformance=None):
    """The finding with the errors of its worst output; what the class that was asked for allows, or any, is allowed."""
    suite, name = entry["id"].partition("/")[0], finding.output
    bounds = bounds_of(suite, entry["arguments"], trial.call.tensors, trial.outputs)
    kinds = [conformance] if conformance in bounds else list(bounds)
    limits = [(CLASSES[kind].unit, bounds[kind][name]) for kind in kinds]
    answer, expected = trial.answered[name], trial.outputs[name]
    dtype = expected.dtype if answer.dtype == "uint16" and expected.dtype in formats.FORMATS else None
    return replace(finding, errors=error_map(answer, expected, limits, dtype=dtype))
