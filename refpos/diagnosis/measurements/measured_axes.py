"""Rotations by positions of several axes, such as rows and columns, measured axis by axis."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ...measure.held_format import Held
from ...measure.pairs import Pairs, found_pairs
from ...measure.placing import placed
from ...measure.solving import Angles, asked_first, unit_of
from ...measure.subjects import Rotation, measured_rows
from ...measure.unwrapping import left_over
from ...measure.wording import positions_text, runs
from ...tensor_files import Tensor
from ...types import Array
from ..call import results
from ..trial import REFUSED
from .measured import Measured, Subject, compared, read_subject
from .measured_angles import vectors
from .measured_positions import moved

DIGITS = 9  # to which sines and cosines of float64 are compared
FEWEST_VECTORS = 256  # of channels, by which pairs are told
ALIKE = 0.1  # by which unit numbers of rows at one position, and angles in radians, may differ
MOSTLY = 0.9  # of the rows


class Axis(NamedTuple):
    """Pairs that have one axis of positions: their channels, the first ones and then the second ones, and for each row
    the first row at the same position."""

    channels: Array
    first: Array

    @property
    def rows(self):
        """One row of each position."""
        return np.unique(self.first)


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
    axes = _axes(Held(x), Held(exact), sequence)
    told = [
        _of_axis(axis, x, trial.answered[name], expected, sequence, z)
        for axis, z in zip(axes, _answered(axes, x, trial.answered[name], sequence))
    ]
    known = [(axis, one) for axis, one in zip(axes, told) if one is not None]
    if not known or UNREAD in told:
        return None
    computed = "; ".join(f"channels {_channels(axis)}: {one.computed}" for axis, one in known)
    return Measured(computed, "; ".join(one.asked for _, one in known), "", "", any(one.named for _, one in known))


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


def _of_axis(axis, x, answers, expected, sequence, z):
    """The `Measured` of the channels of an axis; None where they are as asked, `UNREAD` where they are not read. z:
    unit numbers of each row and pair of the answers."""
    few = Subject("rope", *(_taken(axis, sequence, x, answers, expected)))
    try:
        asked = read_subject(few, few.outputs)
        if _is_constant(axis, z):
            with asked_first(asked.recipe, asked.positions):
                found = read_subject(few, few.answered)
            return compared(found, asked) if found.call is not None or found.kind == "copy" else UNREAD
    except REFUSED:
        return UNREAD
    return _moved(axis, z, asked)


def _is_constant(axis, z):
    """Whether rows of one position have one angle in the answers."""
    return bool(np.quantile(np.abs(z - z[axis.first]), MOSTLY) <= ALIKE)


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
    if not np.median(left_over(z, angles.phases, asked.frequencies, got)) <= ALIKE:
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
    """({"x": x}, {output: answers}, {output: expected}) of the channels of an axis, at one row of each position."""
    x, answers, expected = (
        one._replace(values=np.ascontiguousarray(one.values[..., axis.channels].take(axis.rows, sequence)))
        for one in tensors
    )
    return {"x": x}, {"output": answers}, {"output": expected}
