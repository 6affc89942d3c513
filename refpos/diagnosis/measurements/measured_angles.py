"""Angles that were rounded to a narrower format, measured from the cosines and sines or from the rotation."""

from __future__ import annotations

import numpy as np

from ...measure.estimates import waves
from ...measure.frequency_rule import made
from ...measure.held_format import Held
from ...measure.pairs import found_pairs
from ...measure.solving import unit_of
from ...measure.subjects import Rotation, Table, measured_rows
from ...tensor_files import Tensor
from ..places import held
from .measured import Measured, Subject

FEWER = 4  # times nearer, at least, to the rounded angles than to exact ones
UNITS = 4  # rounding units of the format, that cosines and sines may be off
VECTORS = 256  # of channels, by which pairs are told
KINDS = ("bfloat16", "float16")


def measured_angles(trial, subject: Subject) -> Measured | None:
    """The format to which angles were rounded; None where they were not, or where it is none that is tried."""
    if subject.recipe is None or subject.positions is None or subject.positions.ndim != 1:
        return None
    found, frequencies = unit_numbers(trial), made(subject.recipe).inv_freq
    if found is None or found[0].shape != (len(subject.positions), len(frequencies)):
        return None
    z, _ = found
    exact = subject.positions[:, None] * frequencies
    apart = {kind: _apart(z, held(exact, kind)) for kind in KINDS}
    kind = min(apart, key=lambda one: apart[one])
    unit = unit_of(next(iter(trial.outputs.values())).dtype)
    if apart[kind] > UNITS * unit or _apart(z, exact) < FEWER * apart[kind]:
        return None
    return Measured(f"angles rounded to {kind}", "angles that are not rounded", named=True)


def _apart(z, angles):
    """The root of the mean square of how far unit numbers are from those of some angles."""
    far = np.abs(z - waves(angles))[z != 0]
    return float(np.sqrt(np.mean(far * far))) if far.size else np.inf


def unit_numbers(trial, stride=1):
    """(unit numbers with the angles of rows and pairs, (rows, pairs); channels of each pair, (2, pairs)) of a rotation
    or of a rotary table; else None. stride: of the rows, of which the others are left out."""
    if tuple(trial.outputs) == ("cos", "sin"):
        cos, sin = (trial.answered[name] for name in ("cos", "sin"))
        if cos.values.ndim != 2 or "uint16" in (cos.dtype, sin.dtype):
            return None
        table = Table(*(Tensor(one.dtype, one.values[None, ::stride]) for one in (cos, sin)))
        return measured_rows(table, 0)[0], np.tile(np.arange(table.shape[-1], dtype=np.int64), (2, 1))
    x, (name, expected) = trial.call.tensors.get("x"), next(iter(trial.outputs.items()))
    if x is None or expected.values.shape != x.values.shape:
        return None
    x, y, expected = Held(x), Held(trial.answered[name]), Held(expected)
    some = (vectors(part).numbers(slice(VECTORS)) for part in (x, expected))
    pairs = found_pairs(*some, unit_of(y.format))
    if not pairs:
        return None
    sequence = trial.call.arguments.get("seq_axis", -2) % len(x.shape)
    x, y = (Held(one.at((*[slice(None)] * sequence, slice(None, None, stride)))) for one in (x, y))
    z = measured_rows(Rotation(x, y, pairs[0], sequence, ()), 0)[0]
    return z, np.stack([pairs[0].first_written, pairs[0].second_written])


def vectors(one):
    """The same with its vectors of channels on one axis."""
    return Held(one.tensor._replace(values=one.tensor.values.reshape(-1, one.shape[-1])))
