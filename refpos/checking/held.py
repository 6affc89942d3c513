"""A tensor held against a call of refpos: the class that it meets, or how far it is off and which mistake gives it."""

import numpy as np

from ..catalogue import find
from ..conformance.classes import PIPELINES
from ..conformance.earned import on_grid
from ..diagnosis.diagnose import compare
from ..errors import InputError
from .finding import Finding

SAYS = "as the configuration says"


def held_against(name, label, answers, call):
    """The `Finding` of numbers that the call (function, arguments by place, by name) of a catalogue function gives."""
    function, given, named = call
    try:
        found = compare(answers, find(function).function, *given, **named)
    except InputError as error:
        if error.code == "E_SHAPE":
            return Finding(name, "differs", f"differs: {error}", label)
        if error.argument == "actual":
            return Finding(name, "unreadable", f"unreadable: {error.code}: {error}", label)
        raise
    return finding_of(name, label, found)


def finding_of(name, label, found):
    """The `Finding` of a `Comparison`."""
    if found:
        rounded = f", numbers of {found.held}" if found.held else ""
        return Finding(name, "right", f"{SAYS} ({label}, class {found.met}{rounded})", label, found.report)
    if found.untold:
        return Finding(name, "not described", f"cannot be told: {found.untold}", label, found.report)
    return Finding(name, "differs", f"differs from {label}: {'; '.join(_off(found))}", label, found.report)


def without_loose(found, tensors):
    """The finding, which differs where numbers of a wide format meet a class of 16-bit tables alone and are not all
    values of that format: what a module computes anew is no rounded table."""
    name = found.report.met if found.state == "right" and found.report is not None else None
    if name not in PIPELINES or PIPELINES[name].table is None:
        return found
    wide = [one for one in tensors if one.values.dtype in (np.float32, np.float64)]
    if all(on_grid(name, one) for one in wide):
        return found
    report = found.report
    told = f"{report.different} of {report.count} numbers off, at most {report.max_abs_error:.3g}"
    sentence = f"differs from {found.part}: {told}, within the bounds of {name} alone, and no numbers of that format"
    return found._replace(state="differs", sentence=sentence)


def _off(found):
    """What is known of numbers that are off: how many and how far, where, and the mistake."""
    report, diagnosis = found.report, found.diagnosis
    yield f"{report.different} of {report.count} numbers off, at most {report.max_abs_error:.3g}"
    worst = report.worst_abs or report.worst
    if worst is not None:
        yield f"worst at {list(worst.index)}: {worst.actual} for {worst.expected}"
    yield from diagnosis.where[:2]
    for one in diagnosis.explanations[:1]:
        yield f"these are {one.told}"


def shape_finding(name, label, shape, expected):
    """The `Finding` of a tensor of which only the shape is known, or which is learned."""
    if tuple(shape) == tuple(expected):
        return Finding(name, "fits", f"shape {shape_text(shape)} fits ({label}); no numbers were compared", label)
    return Finding(
        name, "differs", f"differs from {label}: shape {shape_text(shape)} for {shape_text(expected)}", label
    )


def shape_text(shape):
    """A shape as the sentences have it: (512, 64), and (32) of one axis."""
    return f"({', '.join(map(str, shape))})"
