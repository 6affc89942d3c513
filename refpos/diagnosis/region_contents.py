"""What the numbers of a region are beside those that are expected: as many times as large, moved by a number, or those
of other entries of the axis; columns as well as rows, since no call of the region is needed."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..arithmetic import formats
from ..measure.coefficients import fitted, known_members
from ..measure.solving import unit_of
from ..measure.wording import number
from ..tensor_files import Tensor
from . import judge
from .call import stored
from .explanation import MEASURED, Explanation
from .numbers import as_numbers

FEWEST = 3  # integers to which one number was added
MOST_ENTRIES = 8  # of a region, each of which is looked for among the others


class Contents(NamedTuple):
    """What is said of a region, what is asked for, and the answers with that undone."""

    computed: str
    asked: str
    answer: Tensor


def contents_of(trial, region, off, limits, named) -> Explanation | None:
    """The `Explanation` of a region of which something is known, so that all answers are within their bounds; else
    None. limits: derives the bounds of the call; named: entries of the axis in words, or None where the others are not
    looked at."""
    told, undone = [], dict(trial.answered)
    for name in trial.outputs:
        if off[name].any():
            found = _contents(trial, region, name, limits, named)
            if found is None:
                return None
            told.append(found if len(trial.outputs) == 1 else found._replace(computed=f"{name}: {found.computed}"))
            undone[name] = found.answer
    met = judge.met_by_all(judge.reports_of(trial.call, trial.outputs, undone, limits=limits()))
    if not met:
        return None
    computed, asked = (", ".join(dict.fromkeys(one)) for one in ([t.computed for t in told], [t.asked for t in told]))
    return Explanation(MEASURED, computed, asked, met[0], error_after=None)


def _contents(trial, region, name, limits, named):
    """The `Contents` of a region of an output; None where nothing is known."""
    expected, answer = trial.outputs[name], trial.answered[name]
    if expected.dtype not in formats.FORMATS:
        return _integers(region, expected, answer) if named is None else None
    if not region.axis < expected.values.ndim:
        return None
    got, wanted = as_numbers(answer, expected), as_numbers(expected, expected)
    for make in (_times, _plus):
        found = make(region, got, wanted, expected.dtype)
        if found is not None and not _beyond(trial, name, found.answer, limits):
            return found
    return None if named is None else _copied(region, trial, name, limits, named)


def _integers(region, expected, answer):
    """A region of integers to which one number was added."""
    if "i" != expected.values.dtype.kind or "i" != answer.values.dtype.kind or not region.axis < expected.values.ndim:
        return None
    more = np.unique(region.of(answer.values) - region.of(expected.values))
    if len(more) != 1 or not more[0] or region.of(answer.values).size < FEWEST:
        return None
    undone = np.where(region.mask(expected.values.shape), expected.values, answer.values)
    return Contents(_added(more[0]), "nothing added", answer._replace(values=undone))


def _added(value):
    return f"{'plus' if value > 0 else 'minus'} {number(abs(value))}"


def _beyond(trial, name, answer, limits):
    return judge.beyond(answer, trial.outputs[name], name, limits()).any()


def _times(region, got, wanted, kind):
    """A region that is as many times as large."""
    one, other = region.of(got).reshape(-1), region.of(wanted).reshape(-1)
    if not (np.isfinite(one).all() and np.isfinite(other).all() and one.any() and other.any()):
        return None
    found = fitted(one, other[None], unit_of(kind))
    factor = known_members(float(found.values[0]), float(found.widths[0]), (1.0, -1.0))[0]
    if factor in (0.0, 1.0):
        return None
    undone = _undone(region, got, wanted, got / factor, wanted * factor, kind)
    return Contents(f"times {number(factor)}", "times 1", undone)


def _plus(region, got, wanted, kind):
    """A region to which a number was added."""
    more = (region.of(got) - region.of(wanted)).reshape(-1)
    if not np.isfinite(more).all():
        return None
    size = float(np.abs(region.of(got)).max())
    found = fitted(more, np.ones((1, more.size)), unit_of(kind))
    added = known_members(float(found.values[0]), float(found.widths[0]) + unit_of(kind) * size, (0.0,))[0]
    if not added:
        return None
    back = back_from_sum(got, wanted, got - added, wanted + added, kind)
    undone = _undone(region, got, wanted, back, wanted + added, kind)
    return Contents(_added(added), "nothing added", undone)


def back_from_sum(got, wanted, back, total, kind):
    """Numbers of which a sum was made, from the sum: those within one rounding of the sum that is expected are at most
    a neighbour of what is expected, since the sum has lost their last bits."""
    near, step = np.abs(total - got) <= 2 * unit_of(kind) * np.abs(got), 2 * unit_of(kind) * np.abs(wanted)
    return np.where(near, np.clip(back, wanted - step, wanted + step), back)


def _undone(region, got, wanted, back, forth, kind):
    """The answers with what was done to a region undone; where what is expected gives them bit for bit, it is that."""
    fmt = formats.FORMATS[kind]
    made = stored(forth, fmt)
    undone = np.where(as_numbers(made, made) == got, wanted, back)
    return stored(np.where(region.mask(got.shape), undone, got), fmt)


def _copied(region, trial, name, limits, named):
    """A region that holds other entries of the axis, within their bounds."""
    expected, answer = trial.outputs[name], trial.answered[name]
    got, wanted = as_numbers(answer, expected), as_numbers(expected, expected)
    if len(region.entries) > MOST_ENTRIES or not np.isfinite(wanted).all():
        return None
    lines = np.moveaxis(wanted, region.axis, 0).reshape(region.size, -1)
    undone, sources = np.moveaxis(answer.values.copy(), region.axis, 0), []
    for entry in region.entries.tolist():
        far = np.nan_to_num(((lines - got.take(entry, region.axis).reshape(-1)) ** 2).mean(axis=1), nan=np.inf)
        far[entry] = np.inf
        source = int(far.argmin())
        held, taken = _entry(answer, region.axis, entry), _entry(expected, region.axis, source)
        if judge.beyond(held, taken, name, _limits_of(limits(), name, expected, region.axis, source)).any():
            return None
        undone[entry] = np.moveaxis(stored(wanted, formats.FORMATS[expected.dtype]).values, region.axis, 0)[entry]
        sources.append(source)
    chosen = np.isin(np.arange(region.size, dtype=np.int64), sources)
    word = named(chosen) if sources == sorted(set(sources)) else f"{named(chosen)} in the order {sources}"
    asked = "its own numbers" if len(sources) == 1 else "their own numbers"
    undone = np.ascontiguousarray(np.moveaxis(undone, 0, region.axis))
    return Contents(f"the numbers of {word}", asked, Tensor(answer.dtype, undone))


def _entry(tensor, axis, index):
    """One entry of an axis of a tensor."""
    return tensor._replace(values=np.ascontiguousarray(tensor.values.take(index, axis)))


def _limits_of(limits, name, expected, axis, index):
    """The bounds of one entry of an axis of an output."""
    shape = expected.values.shape
    return {
        kind: {name: np.broadcast_to(np.reshape(judge.of_name(parts, name), shape), shape).take(index, axis)}
        for kind, parts in limits.items()
    }
