"""Judging one case: its outputs compared with an answer, and the classes that all of them meet."""

import numpy as np

from ..arithmetic import formats
from ..conformance import CLASSES, earned
from ..conformance.compare import CHUNK, element_errors, flat, limits_of, tally_of
from ..conformance.error_map import error_map
from ..conformance.report import EXCLUDES_NOTHING, says_nothing
from ..tensor_files import Unread
from .bounds import bounds_of
from .parts import parts_of


def reports_of(call, outputs, answered, classes=None, limits=None):
    """{output: ({class: met}, report)} of answers, by the bounds of a call, which are derived part by part where limits
    does not hold them; classes: the names of them, where known."""
    if classes and all(_identical(answered[name], expected) for name, expected in outputs.items()):
        # within every bound, so that none has to be derived
        zeros = {name: np.broadcast_to(0.0, expected.values.shape) for name, expected in outputs.items()}
        limits = dict.fromkeys(classes, zeros)
    made = _parts(call, outputs, limits)
    tallies = {name: _tally(answered[name], expected) for name, expected in outputs.items()}
    kinds = ()
    for index, some in made():
        kinds = some
        for name, tally in tallies.items():
            tally.add(index[name], _limits(some, name, index[name], tally))
    return {name: _verdict(name, tally, made, kinds) for name, tally in tallies.items()}


def _verdict(name, tally, made, kinds):
    """({class: met}, report) of what was counted of an output."""
    report = tally.report(lambda: ((index[name], _limits(some, name, index[name], tally)) for index, some in made()))
    return {kind: verdict.met for kind, verdict in report.classes.items() if kind in kinds}, report


def _tally(answer, expected):
    return tally_of(answer, expected, _format_of(answer, expected))


def _limits(limits, name, index, tally):
    """{class: array or number} of a part of an output."""
    shape = tally.tensors[1].values[index].shape
    return limits_of(
        {kind: np.reshape(of_name(limit, name), shape) for kind, limit in limits.items()}, tally.fmt, shape
    )


def _parts(call, outputs, limits=None):
    """A function that gives (index in each output, bounds {class: {output: array}}) of each part of a call; of one part
    they are derived once. limits: those of all, where they are at hand."""
    parts = parts_of(call, outputs) if limits is None else []
    if len(parts) > 1:
        return lambda: ((part.index, bounds_of(*part.call, part.outputs)) for part in parts)
    whole = [(dict.fromkeys(outputs, ...), bounds_of(*call, outputs) if limits is None else limits)]
    return lambda: whole


def map_of(answer, expected, name, limits):
    """The ErrorMap of an output; what lies within one of the bounds {class: {output: array}} is allowed."""
    dtype = _format_of(answer, expected)
    _, error = element_errors(answer, expected, dtype=dtype)
    return error_map(answer, expected, _allowed(name, limits, error), dtype=dtype)


def beyond(answered, outputs, call=None, limits=None):
    """{output: which of its elements lie within none of the bounds}, {class: {output: array}}, or those of a call."""
    made = _parts(call, outputs, limits)
    tallies = {name: _Beyond(answered[name], expected) for name, expected in outputs.items()}
    for index, some in made():
        for name, one in tallies.items():
            one.add(index[name], {kind: of_name(parts, name) for kind, parts in some.items()})
    return {name: one.found() for name, one in tallies.items()}


class _Beyond:
    """Which elements lie within no bound; a class because what is a table of 16 bits is known at the end."""

    def __init__(self, answer, expected):
        self.tensors, self.dtype = (answer, expected), _format_of(answer, expected)
        self.off, self.within, self.far = np.zeros(expected.values.shape, bool), {}, {}

    def add(self, index, limits):
        """Look at the elements of an index, by its {class: bounds}."""
        part = [one._replace(values=one.values[index]) for one in self.tensors]
        shape, tables = part[0].values.shape, earned.tables_in(limits)
        held = {kind: np.zeros(shape, bool) for kind in ("", *tables)}
        for start in range(0, part[0].values.size, CHUNK):
            some = slice(start, start + CHUNK)
            pair = (one._replace(values=flat(one.values, some.start, some.stop)) for one in part)
            distance, error = element_errors(*pair, dtype=self.dtype)
            few = {kind: flat(limit, some.start, some.stop) for kind, limit in limits.items()}
            within = {kind: _within(kind, limit, distance, error) for kind, limit in few.items()}
            held[""].reshape(-1)[some] = np.any(
                [distance == 0, *(within[kind] for kind in few.keys() - tables)], axis=0
            )
            for kind, strict in tables.items():
                held[kind].reshape(-1)[some] = within[kind]
                self.far[kind] = np.add(self.far.get(kind, 0), earned.counted(error, few[kind], few[strict]))
        self.off[index] = ~held.pop("")
        for kind, one in held.items():
            self.within.setdefault(kind, np.zeros(self.off.shape, bool))[index] = one

    def found(self):
        """Which elements are off, beside the tables that are earned."""
        for kind, held in self.within.items():
            if earned.is_earned(*self.far[kind]):
                self.off &= ~held
        return self.off


def _within(kind, limit, distance, error):
    """Which elements lie within the bounds of a class."""
    return (distance if CLASSES[kind].unit == "ulp" else error) <= np.nan_to_num(limit, nan=0.0, posinf=0.0)


def limits_at(call, outputs, axis, entry):
    """{class: {output: bounds}} of one entry of an axis of the only output of some."""
    ((name, expected),) = outputs.items()
    shape, found = expected.values.shape, {}
    for index, some in _parts(call, outputs)():
        axes = [slice(None)] * len(shape) if index[name] is ... else [*index[name]]
        axes += [slice(None)] * (len(shape) - len(axes))
        numbers = np.arange(shape[axis], dtype=np.int64)[axes[axis]]
        if entry not in numbers:
            continue
        kept = (*axes[:axis], *axes[axis + 1 :])
        for kind, parts in some.items():
            part = np.reshape(of_name(parts, name), expected.values[tuple(axes)].shape)
            whole = found.setdefault(kind, {name: np.empty((*shape[:axis], *shape[axis + 1 :]))})[name]
            whole[kept] = part.take(entry - numbers[0], axis)
    return found


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
