"""Rotations by positions of several axes, such as rows and columns, measured axis by axis."""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

import numpy as np

from ...measure.estimates import waves
from ...measure.held_format import Held
from ...measure.pairs import Pairs, found_pairs
from ...measure.placing import placed
from ...measure.solving import Angles, asked_first, unit_of
from ...measure.subjects import Rotation, measured_rows
from ...measure.wording import positions_text, runs, several_of
from ...tensor_files import Tensor
from ...types import Array
from ..call import results
from ..places import numbers_of, place_of
from ..trial import REFUSED
from .measured import Measured, Subject, compared, read_subject
from .measured_angles import vectors
from .measured_positions import moved

DIGITS = 9  # to which sines and cosines of float64 are compared
FEWEST_VECTORS = 256  # of channels, by which pairs are told
UNITS = 8  # rounding units, by which unit numbers at one position may differ
NEARER = 8  # times nearer, at least, to the positions of another axis
SIZES = 0.05  # of the pairs, by which a rotation may change them


class Axis(NamedTuple):
    """Pairs that have one axis of positions: their channels, the first ones and then the second ones, and for each row
    the first row at the same position."""

    channels: Array
    first: Array

    @property
    def rows(self):
        """One row of each position."""
        return np.unique(self.first)


class Part(NamedTuple):
    """The channels of an axis, at one row of each position."""

    x: Tensor
    answers: Tensor
    expected: Tensor
    exact: Tensor


def measured_axes(trial) -> Measured | None:
    """The `Measured` of a rotation whose pairs have positions of several axes; None where it is none, or is read as
    what is asked for."""
    x, (name, expected) = trial.call.tensors.get("x"), next(iter(trial.outputs.items()))
    if x is None or len(trial.outputs) > 1 or expected.values.shape != x.values.shape:
        return None
    sequence = trial.call.arguments.get("seq_axis", -2) % x.values.ndim
    try:
        exact = Tensor("float64", results(*trial.call, dtype="float64")[name].values)
    except REFUSED:
        return None
    whole, ids = Part(x, trial.answered[name], expected, exact), _ids(trial.call, x.values.shape[sequence])
    found, off = _measured(trial.call, whole, ids, sequence), trial.beyond[name]
    rows = np.flatnonzero(off.any(axis=tuple(axis for axis in range(off.ndim) if axis != sequence)))
    if found is not None or not 0 < len(rows) < off.shape[sequence]:
        return found
    # rows of other numbers by themselves, from the first one that is off to the last
    rows = np.arange(rows[0], rows[-1] + 1, dtype=np.int64)
    part = Part(*(_of_rows(one, rows, sequence) for one in whole))
    found = _measured(trial.call, part, None if ids is None else ids[:, rows], sequence)
    return found and found._replace(computed=f"{several_of('row', rows)}: {found.computed}")


def _measured(call, whole, ids, sequence):
    """The `Measured` of rows, of which these are the position ids, if there are any."""
    axes = _axes(Held(whole.x), Held(whole.exact), sequence)
    answered = _answered(axes, whole.x, whole.answers, sequence)
    told, which = [], []
    for axis, z in zip(axes, answered):
        part = _taken(axis, sequence, *whole)
        asked, own = _asked(axis, part, ids), _own(axis, ids)
        which.append(_which(z, asked, ids, own))
        told.append(_of_other_axes(axis, own, which[-1]) or _of_axis(axis, part, z, asked))
    known = [(axis, one) for axis, one in zip(axes, told) if one is not None]
    if not known or UNREAD in told or not _are_rotations(axes, whole.x, whole.answers):
        return None
    computed = "; ".join(f"channels {_channels(axis)}: {one.computed}" for axis, one in known)
    computed, named = _sections(call, axes, which) + computed, any(one.named for _, one in known)
    return Measured(computed, "; ".join(one.asked for _, one in known), "", "", named)


#: the measurement of an axis that is not read
UNREAD = Measured("", "")


def _answered(axes, x, answers, sequence):
    """The unit numbers of the answers, (rows, pairs) of each axis."""
    for axis in axes:
        first, second = np.split(axis.channels, 2)
        yield _angles(Held(x), Held(answers), Pairs(first, second, first, second, "", None), sequence)


def _channels(axis):
    return runs(np.sort(axis.channels))


def _axes(x, exact, sequence):
    """The `Axis` of each group of pairs whose angles are the same at the same rows."""
    pairs = _pairs(x, exact)
    if pairs is None:
        return []
    z = _angles(x, exact, pairs, sequence)
    rounded, groups = np.round(np.stack([z.real, z.imag], -1), DIGITS) + 0.0, {}
    for pair in range(z.shape[1]):
        _, first, which = np.unique(rounded[:, pair], axis=0, return_index=True, return_inverse=True)
        first = first[which.reshape(-1)]
        if first.any():  # a pair of one angle is not rotated
            groups.setdefault(first.tobytes(), (first, []))[1].append(pair)
    return [Axis(np.concatenate([pairs.first[some], pairs.second[some]]), first) for first, some in groups.values()]


def _pairs(x, exact):
    """The `Pairs` of an exact rotation, or None."""
    one, other = (vectors(part) for part in (x, exact))
    count = one.shape[0]
    some = np.linspace(0, count - 1, min(FEWEST_VECTORS, count)).astype(np.int64)
    found = found_pairs(one.numbers(some), other.numbers(some), unit_of("float64"))
    return found[0] if found else None


def _angles(x, y, pairs: Pairs, sequence):
    """Unit numbers of each row and pair."""
    return measured_rows(Rotation(x, y, pairs, sequence, ()), 0)[0]


def _ids(call, rows):
    """The position ids of a call, (axes, rows); None where it has none that are one line for each axis."""
    place = place_of(call)
    if place is None or place[1].values.size != len(place[1].values) * rows:
        return None
    return numbers_of(place[1]).reshape(-1, rows)


def _asked(axis, part, ids):
    """The `Reading` of what is expected of an axis, at its position ids where the call has them: the numbers alone tell
    frequencies and positions up to a factor. None where it is not read."""
    few = Subject("rope", {"x": part.x}, {}, {"output": part.expected})
    same = [] if ids is None else [one for one in ids if np.array_equal(_first_equal(one), axis.first)]
    try:
        found = read_subject(few, few.outputs)
        if not same or found.positions.shape != axis.rows.shape or not np.isfinite(found.frequencies).all():
            return found
        places = same[0][axis.rows]
        exact = read_subject(few, {"output": part.exact})
        factor = float((exact.positions * places).sum() / (places * places).sum())
        frequencies = (exact.frequencies * factor).tolist()
        with asked_first({"function": "given_frequencies", "arguments": {"inv_freq": frequencies}}, places):
            return read_subject(few, few.outputs)
    except REFUSED:
        return None


def _first_equal(values):
    """For each number the index of the first one that is equal."""
    _, first, which = np.unique(values, return_index=True, return_inverse=True)
    return first[which.reshape(-1)]


def _of_other_axes(axis, own, which):
    """The `Measured` of an axis of which some pairs have the position ids of other axes, and the others their own; None
    of anything else."""
    if which is None or (which == own).all():
        return None
    channels = axis.channels.reshape(2, -1)
    told = [f"position_ids of axis {k} in channels {runs(np.sort(channels[:, which == k], axis=None))}"
            for k in np.unique(which) if k != own]  # fmt: skip
    return Measured(" and ".join(told), f"position_ids of axis {own}", named=True)


def _own(axis, ids):
    """The number of the position ids of an axis; None where the call has none of it."""
    lines = enumerate(() if ids is None else ids)
    return next((k for k, one in lines if np.array_equal(_first_equal(one), axis.first)), None)


def _which(z, asked, ids, own):
    """The axis whose position ids each pair has, its own one where it may be that; None where a pair has those of none,
    or nearly those of another one."""
    if asked is None or own is None or asked.frequencies.shape != z.shape[1:]:
        return None
    apart = np.array([np.abs(z - waves(one[:, None] * asked.frequencies)).max(axis=0) for one in ids])
    close = _close(asked)
    which = np.where(apart[own] <= close, own, apart.argmin(axis=0))
    others = which != own
    if (apart.min(axis=0) > close)[others].any() or (NEARER * apart.min(axis=0) > apart[own])[others].any():
        return None
    return which


def _sections(call, axes, which):
    """The sections that chunks of pairs have, in words; nothing where pairs are in no chunks, or as asked."""
    if any(one is None for one in which) or "sections" not in call.arguments or not axes:
        return ""
    pairs = np.argsort(np.concatenate([axis.channels.reshape(2, -1)[0] for axis in axes]), kind="stable")
    chunks = np.concatenate(which)[pairs]
    sections = tuple(np.bincount(chunks, minlength=len(call.arguments["sections"])).tolist())
    told = sections != tuple(call.arguments["sections"]) and (np.diff(chunks) >= 0).all()
    return f"sections={sections}: " if told else ""


def _close(asked):
    """By which unit numbers may differ: of angles of float32, rounded to the format."""
    farthest = np.nanmax(np.abs(asked.positions), initial=0.0) * np.nanmax(asked.frequencies, initial=0.0)
    return UNITS * (unit_of(asked.format) + unit_of("float32") * float(farthest))


def _of_axis(axis, part, z, asked):
    """The `Measured` of the channels of an axis; None where they are as asked, `UNREAD` where they are not read. z:
    unit numbers of each row and pair of the answers."""
    if asked is None:
        return UNREAD
    if not _is_constant(axis, z, _close(asked)):
        return _moved(axis, z, asked)
    few = Subject("rope", {"x": part.x}, {"output": part.answers}, {})
    try:
        with asked_first(asked.recipe, asked.positions):
            found = read_subject(few, few.answered)
    except REFUSED:
        return UNREAD
    if found.outside or found.parts:  # of some of the rows at one position
        return _moved(axis, z, asked)
    known = found.call is not None or found.kind == "copy"
    return compared(_of_all_rows(axis, found), _of_all_rows(axis, asked)) if known else UNREAD


def _of_all_rows(axis, reading):
    """A reading of one row of each position, with the positions of all rows."""
    if reading.positions.shape != axis.rows.shape:
        return reading
    positions = reading.positions[np.searchsorted(axis.rows, axis.first)]
    before, after = (f"positions {positions_text(one)}" for one in (reading.positions, positions))
    return replace(reading, positions=positions, summary=reading.summary.replace(before, after))


def _are_rotations(axes, x, answers):
    """Whether the pairs of all axes keep their size."""
    for axis in axes:
        one, other = (np.split(Held(part).numbers()[..., axis.channels], 2, axis=-1) for part in (x, answers))
        before, after = (np.sqrt(first * first + second * second) for first, second in (one, other))
        leading = tuple(range(before.ndim - 1))
        if (((after - before) ** 2).mean(axis=leading) > SIZES**2 * (before * before).mean(axis=leading)).any():
            return False
    return True


def _is_constant(axis, z, close):
    """Whether rows of one position have one angle in the answers."""
    return bool(np.abs(z - z[axis.first]).max() <= close)


def _moved(axis, z, asked):
    """The `Measured` of positions that are others within what should be one position."""
    if not np.isfinite(asked.frequencies).all() or asked.positions.ndim != 1:
        return UNREAD
    unit = unit_of(asked.format)
    angles = Angles(z, np.ones(z.shape[1]), np.ones(len(z)), unit, unit)
    found = next(placed(angles, asked.frequencies), None)
    if found is None or not np.isfinite(found[0]).all():
        return UNREAD
    got = -found[0] if found[1] else found[0]
    if not np.abs(z - waves(got[:, None] * asked.frequencies)).max() <= _close(asked):
        return UNREAD
    wanted = asked.positions[np.searchsorted(axis.rows, axis.first)]
    name = moved(got, wanted, asked.format)
    if name == "":
        return None
    if name is None and (got != np.rint(got)).any():
        return UNREAD
    text = f"positions {positions_text(got)}"
    return Measured(f"{name}: {text}" if name else text, f"positions {positions_text(wanted)}", named=bool(name))


def _taken(axis, sequence, *tensors):
    """The `Part` of x, answers, expected and exact numbers."""
    some = (one._replace(values=one.values[..., axis.channels]) for one in tensors)
    return Part(*(_of_rows(one, axis.rows, sequence) for one in some))


def _of_rows(tensor, rows, sequence):
    """Some rows of a tensor."""
    return tensor._replace(values=np.ascontiguousarray(tensor.values.take(rows, sequence)))
