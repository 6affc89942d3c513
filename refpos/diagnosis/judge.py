"""Judging one case: its outputs compared with an answer, and the classes that all of them meet."""

import numpy as np

from ..arithmetic import formats
from ..conformance import CLASSES, earned
from ..conformance.compare import compare, element_errors
from ..conformance.error_map import error_map
from ..conformance.report import EXCLUDES_NOTHING, says_nothing
from ..tensor_files import Unread
from .bounds import bounds_of


def reports_of(call, outputs, answered, classes=None, limits=None):
    """{output: ({class: met}, report)} of answers, by the bounds of a call, which are derived where limits does not
    hold them; classes: the names of them, where known."""
    if classes and all(_identical(answered[name], expected) for name, expected in outputs.items()):
        # within every bound, so that none has to be derived
        zeros = {name: np.zeros(expected.values.shape) for name, expected in outputs.items()}
        limits = dict.fromkeys(classes, zeros)
    elif limits is None:
        limits = bounds_of(*call, outputs)
    reports = {}
    for name, expected in outputs.items():
        dtype = _format_of(answered[name], expected)
        shape = expected.values.shape
        allowed = {kind: np.reshape(of_name(limit, name), shape) for kind, limit in limits.items()}
        report = compare(answered[name], expected, bounds=allowed, dtype=dtype)
        reports[name] = {kind: verdict.met for kind, verdict in report.classes.items() if kind in limits}, report
    return reports


def map_of(answer, expected, name, limits):
    """The ErrorMap of an output; what lies within one of the bounds {class: {output: array}} is allowed."""
    dtype = _format_of(answer, expected)
    _, error = element_errors(answer, expected, dtype=dtype)
    return error_map(answer, expected, _allowed(name, limits, error), dtype=dtype)


def beyond(answer, expected, name, limits):
    """Which elements of an output lie within none of the bounds {class: {output: array}}."""
    distance, error = element_errors(answer, expected, dtype=_format_of(answer, expected))
    off = distance != 0
    for unit, limit in _allowed(name, limits, error):
        limit = np.nan_to_num(np.reshape(limit, -1), nan=0.0, posinf=0.0)
        off &= ~((distance if unit == "ulp" else error) <= limit)
    return off.reshape(expected.values.shape)


def _allowed(name, limits, error):
    """(unit, bound of each element) of each class that may be met beside these errors."""
    flat = {kind: np.reshape(of_name(parts, name), -1) for kind, parts in limits.items()}
    kept = earned.without_unearned(flat, error)
    return [(CLASSES[kind].unit, of_name(limits[kind], name)) for kind in kept]


def _format_of(answer, expected):
    """The format whose bit patterns an answer holds; None where it says so itself."""
    return expected.dtype if answer.dtype == "uint16" and expected.dtype in formats.FORMATS else None


def of_name(parts, name):
    """What belongs to an output; frequencies, of which some functions return nothing else, have two names."""
    return parts["output" if name == "inv_freq" and name not in parts else name]


def _identical(answer, expected):
    """Whether the bits of both are the same; arrays of another byte order are told apart, which costs only time."""
    one, other = answer.values, expected.values
    same = answer.dtype == expected.dtype and (one.dtype, one.shape) == (other.dtype, other.shape)
    return same and np.ascontiguousarray(one).tobytes() == np.ascontiguousarray(other).tobytes()


def met_by_all(reports):
    """The classes that every output meets, strictest first; each output meets one of them, or a stricter one, whose
    bounds exclude wrong tensors."""
    order = list(CLASSES)
    told = [report.met for _, report in reports.values()]
    if None in told:
        return ()
    weakest = max(map(order.index, told), default=0)
    return tuple(kind for kind in admitted_by_all(reports) if order.index(kind) >= weakest)


def untold(reports):
    """(the strictest class that every output meets, why that cannot be told) where the bounds of all such classes would
    admit wrong tensors as well; else None."""
    kinds = () if met_by_all(reports) else admitted_by_all(reports)
    if not kinds:
        return None
    named = " and ".join(name for name, (_, report) in reports.items() if report.met is None)
    count = sum(report.count for _, report in reports.values() if report.met is None)
    return kinds[0], f"{named} meets {kinds[0]}, {EXCLUDES_NOTHING}{says_nothing(count, count)}"


def silent_in(reports):
    """(of how many elements the bounds of the classes that are met say nothing, how many there are)."""
    held = [report for _, report in reports.values()]
    return sum(report.silent for report in held), sum(report.count for report in held)


def admitted_by_all(reports):
    """The classes that every output meets, strictest first, also those whose bounds exclude nothing."""
    verdicts = [classes for classes, _ in reports.values()]
    judged = [kind for kind in CLASSES if any(kind in classes for classes in verdicts)]
    # what is correct is in every class; integers have no other
    return tuple(kind for kind in judged if all(one.get(kind) or one.get("correct") for one in verdicts))


def unusable(answer, expected):
    """Why an answer cannot be compared, or nothing."""
    unread = isinstance(answer, Unread)
    if unread and answer.why:
        return answer.why if answer.why.startswith("E_") else f"E_FILE: {answer.why}"
    shape = answer.shape if unread else answer.values.shape
    if shape != expected.values.shape:
        return f"E_SHAPE: expected the shape {expected.values.shape}, got {shape}"
    if unread:
        return f"E_FILE: expected the numbers of {answer.dtype}, got none that were read"
    have, want = formats.FORMATS.get(answer.dtype), formats.FORMATS.get(expected.dtype)
    patterns = answer.dtype == "uint16" and want is not None and want.width == 16
    integers = want is None and answer.values.dtype.kind in "iu" and answer.dtype != "bfloat16"
    if want is None and have is not None:
        return f"E_DTYPE: expected integers, got {answer.dtype}: .astype(int) makes integers of them"
    if not (patterns or integers or _holds(have, want)):
        return f"E_DTYPE: expected {expected.dtype} or a format that holds its values, got {answer.dtype}"
    return ""


def _holds(have, want):
    """Whether a format holds all values of another and is no other of the same width."""
    if have is None or want is None:
        return False
    wider = have.precision > want.precision and have.lowest <= want.lowest and have.largest >= want.largest
    return have is want or wider
