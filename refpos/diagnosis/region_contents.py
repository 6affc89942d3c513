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
from .numbers import AT_ONCE, as_numbers, blocks

FEWEST = 3  # integers to which one number was added
MOST_ENTRIES = 8  # of a region, each of which is looked for among the others
FITTED = 1 << 16  # numbers that tell a coefficient
STRIDE = 2654435761  # a prime, so that those of a large region are spread over all of its rows and columns


class Contents(NamedTuple):
    """What is said of a region, what is asked for, and the answers with that undone."""

    computed: str
    asked: str
    answer: Tensor


def contents_of(trial, region, off, named) -> Explanation | None:
    """The `Explanation` of a region of which something is known, so that all answers are within their bounds; else
    None. named: entries of the axis in words, or None where the others are not looked at."""
    told, undone = [], dict(trial.answered)
    for name in trial.outputs:
        if off[name].any():
            found = _contents(trial, region, name, named)
            if found is None:
                return None
            told.append(found if len(trial.outputs) == 1 else found._replace(computed=f"{name}: {found.computed}"))
            undone[name] = found.answer
    met = judge.met_by_all(judge.reports_of(trial.call, trial.outputs, undone))
    if not met:
        return None
    computed, asked = (", ".join(dict.fromkeys(one)) for one in ([t.computed for t in told], [t.asked for t in told]))
    return Explanation(MEASURED, computed, asked, met[0], error_after=None)


def _contents(trial, region, name, named):
    """The `Contents` of a region of an output; None where nothing is known."""
    expected, answer = trial.outputs[name], trial.answered[name]
    if expected.dtype not in formats.FORMATS:
        return _integers(region, expected, answer) if named is None else None
    if not region.axis < expected.values.ndim:
        return None
    got, wanted = (one._replace(values=region.of(one.values)) for one in (answer, expected))
    for find in (_times, _plus):
        found = find(got, wanted, expected)
        if found is not None:
            text, asked, back, forth = found
            undone = _undone(region, answer, expected, back, forth)
            if not _beyond(trial, name, undone):
                return Contents(text, asked, undone)
    return None if named is None else _copied(region, trial, name, named)


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


def _beyond(trial, name, answer):
    return judge.beyond({name: answer}, {name: trial.outputs[name]}, trial.call)[name].any()


def _times(got, wanted, like):
    """(what was done, what is asked for, undone, done again) of numbers that are as many times as large."""
    one, other = _some(got, like), _some(wanted, like)
    if not (_are_finite(got, like) and _are_finite(wanted, like) and one.any() and other.any()):
        return None
    found = fitted(one, other[None], unit_of(like.dtype))
    factor = known_members(float(found.values[0]), float(found.widths[0]), (1.0, -1.0))[0]
    if factor in (0.0, 1.0):
        return None
    return f"times {number(factor)}", "times 1", lambda got, _: got / factor, lambda values: values * factor


def _plus(got, wanted, like):
    """The same of numbers to which one was added."""
    if not (_are_finite(got, like) and _are_finite(wanted, like)):
        return None
    more = _some(got, like) - _some(wanted, like)
    size, unit = max(float(np.abs(some).max()) for some in blocks(got, like)), unit_of(like.dtype)
    found = fitted(more, np.ones((1, more.size)), unit)
    added = known_members(float(found.values[0]), float(found.widths[0]) + unit * size, (0.0,))[0]
    if not added:
        return None

    def back(got, wanted):
        return back_from_sum(got, wanted, got - added, wanted + added, like.dtype)

    return _added(added), "nothing added", back, lambda values: values + added


def back_from_sum(got, wanted, back, total, kind):
    """Numbers of which a sum was made, from the sum: those within one rounding of the sum that is expected are at most
    a neighbour of what is expected, since the sum has lost their last bits."""
    near, step = np.abs(total - got) <= 2 * unit_of(kind) * np.abs(got), 2 * unit_of(kind) * np.abs(wanted)
    return np.where(near, np.clip(back, wanted - step, wanted + step), back)


def _are_finite(tensor, like):
    return all(np.isfinite(some).all() for some in blocks(tensor, like))


def _some(tensor, like):
    """The numbers of a tensor, or as many of a large one, spread over all of it, as tell a coefficient."""
    flat, count = tensor.values.reshape(-1), tensor.values.size
    if count > FITTED:
        flat = flat[np.arange(FITTED, dtype=np.int64) * STRIDE % count]
    return as_numbers(tensor._replace(values=flat), like)


def _undone(region, answer, expected, back, forth):
    """The answers with what was done to a region undone; where what is expected gives them bit for bit, it is that."""
    fmt, inside = (
        formats.FORMATS[expected.dtype],
        np.broadcast_to(region.mask(answer.values.shape), answer.values.shape),
    )
    made = np.empty(expected.values.shape, expected.values.dtype)
    for start, (got, wanted) in enumerate(blocks(answer, expected, expected)):
        some = slice(start * AT_ONCE, (start + 1) * AT_ONCE)
        again = stored(forth(wanted), fmt)
        undone = np.where(as_numbers(again, again) == got, wanted, back(got, wanted))
        made.reshape(-1)[some] = stored(np.where(inside.flat[some], undone, got), fmt).values
    return Tensor(expected.dtype, made)


def _copied(region, trial, name, named):
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
        limits = judge.limits_at(trial.call, {name: expected}, region.axis, source)
        if judge.beyond({name: held}, {name: taken}, limits=limits)[name].any():
            return None
        undone[entry] = expected.values.take(entry, region.axis)
        sources.append(source)
    chosen = np.isin(np.arange(region.size, dtype=np.int64), sources)
    word = named(chosen) if sources == sorted(set(sources)) else f"{named(chosen)} in the order {sources}"
    asked = "its own numbers" if len(sources) == 1 else "their own numbers"
    undone = np.ascontiguousarray(np.moveaxis(undone, 0, region.axis))
    return Contents(f"the numbers of {word}", asked, Tensor(answer.dtype, undone))


def _entry(tensor, axis, index):
    """One entry of an axis of a tensor."""
    return tensor._replace(values=np.ascontiguousarray(tensor.values.take(index, axis)))
