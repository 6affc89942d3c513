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
from ..numbers import as_numbers
from ..places import held
from .measured import Measured, Subject

FEWER = 4  # times nearer, at least, to the rounded angles than to exact ones
UNITS = 4  # rounding units of the format, that cosines and sines may be off
VECTORS = 256  # of channels, by which pairs are told
FLOAT32 = 2.0**-21  # of angles, that they may be off before they are rounded
COLUMNS = 0.05  # that columns of 16 bits may be off, by which cosines are told from sines
KINDS = ("bfloat16", "float16")


def measured_angles(trial, subject: Subject) -> Measured | None:
    """The format to which angles were rounded; None where they were not, or where it is none that is tried."""
    if subject.recipe is None or subject.positions is None or subject.positions.ndim != 1:
        return None
    positions, frequencies = subject.positions[:, None], made(subject.recipe).inv_freq
    exact = positions * frequencies
    found = _of_columns(trial, waves(exact)) or _of_rotation(trial)
    if (
        found is None
        or found[0].shape[0] != len(exact)
        or (found[0].dtype.kind == "c" and found[0].shape != exact.shape)
    ):
        return None
    numbers, made_of = found
    apart = {}
    for kind in KINDS:
        products = held(positions, kind) * held(frequencies, kind)
        for text, angles in (("angles", exact), ("positions, inverse frequencies and angles", products)):
            apart[f"{text} rounded to {kind}"] = _apart(numbers, made_of, _rounded(angles, kind))
    told = min(apart, key=lambda one: apart[one])
    unit = unit_of(next(iter(trial.outputs.values())).dtype)
    # NaN, of numbers or of angles beyond float64, is near nothing
    if not (apart[told] <= UNITS * unit and _apart(numbers, made_of, (exact,)) >= FEWER * apart[told]):
        return None
    return Measured(told, "angles that are not rounded", named=True)


def _rounded(angles, kind):
    """The numbers of a format to which angles may be rounded that were computed in float32."""
    return [held(angles * (1 + sign * FLOAT32), kind) for sign in (-1, 1)]


def _of_columns(trial, exact):
    """(numbers of a table, the function that takes them from cosine + i sine), by which columns are expected to hold
    cosines and which sines; None for anything but such a table."""
    (name, expected), *others = trial.outputs.items()
    if others or expected.values.ndim != 2 or len(exact) != len(expected.values) or "x" in trial.call.tensors:
        return None
    wanted, parts = as_numbers(expected, expected), np.concatenate([exact.real, exact.imag], axis=1)
    far = np.stack([np.abs(parts - column[:, None]).max(axis=0) for column in wanted.T])
    if far.min(axis=1).max() > COLUMNS:
        return None
    columns = far.argmin(axis=1)
    return as_numbers(trial.answered[name], expected), lambda z: np.concatenate([z.real, z.imag], axis=1)[:, columns]


def _of_rotation(trial):
    """The unit numbers of a rotation or a rotary table, which are cosine + i sine; None where there are none."""
    found = unit_numbers(trial)
    return None if found is None else (found[0], lambda z: z)


def _apart(numbers, made_of, angles):
    """The root of the mean square of how far numbers are from those of the nearest of some angles."""
    known = numbers != 0
    far = np.min([np.abs(numbers - made_of(waves(one))) for one in angles], axis=0)[known]
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
