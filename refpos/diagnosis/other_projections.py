"""Fourier features of projected coordinates: another factor, a matrix of another scale or read transposed, coordinates
of another range or order; and the scale that the numbers themselves tell."""

from __future__ import annotations

import math

import numpy as np

from ..arithmetic import formats
from ..measure.coefficients import known_members
from ..measure.estimates import angle, waves, wrapped
from .arrays.other_arrays import of_array
from .call import stored
from .mistake import Mistake
from .numbers import as_numbers

SUITE = "fourier_projection"
FACTORS = {"pi": math.pi, "2pi": 2 * math.pi}
SCALES = (2, 4, 5, 8, 10, 16, 20, 30, 32, 64, 100)
LAYOUTS = ("sin-cos", "cos-sin", "interleaved")
LARGEST = 128  # scales that are searched
FEW, PLACES = 32, 1 << 12  # angles that are searched by at first, and half the scales tried there
TRIED, ROUNDS = 4, 2  # scales that are refined, and rounds of each number of angles
OFF = 0.5  # by which an angle may be off
UNITS = 64  # rounding units of float32, by which a scale may be off a known number


def other_projections(call):
    """The call with another matrix."""
    if call.suite != SUITE or "weight" not in call.tensors:
        return
    yield from _other_weights(call)


def _other_weights(call):
    """The matrix transposed, or times the scales that programs have."""
    rows, columns = call.tensors["weight"].values.shape
    if rows == columns:
        yield of_array("weight", "weight transposed", "weight", lambda values: values.T)
    elif rows > 1:
        text = f"the numbers of weight as ({columns}, {rows}), transposed"
        yield of_array("weight", text, "weight", lambda values: values.reshape(columns, rows).T)
    yield of_array(
        "weight", "rows of weight in reverse order (coordinates exchanged)", "weight", lambda values: values[::-1]
    )
    for scale in SCALES:
        for text, factor in ((f"weight times {scale}", scale), (f"weight divided by {scale}", 1 / scale)):
            yield of_array("weight scale", text, "weight", lambda values, by=factor: values * by)


def scaled_projection(study):
    """The matrix times the number that the answers tell, in each layout."""
    trial = study.trial
    angles = _asked_angles(trial.call)
    if angles is None:
        return
    (answer,) = trial.answered.values()
    for layout in LAYOUTS:
        z = _angles_of(as_numbers(answer, next(iter(trial.outputs.values()))), layout, angles.shape)
        scale = None if z is None else _scale(angles, z)
        if scale is None:
            continue
        known = known_members(scale, UNITS * 2.0**-24 * abs(scale), (1.0,))[0]
        text, by = f"weight times {known:.9g}", _rounded_as(trial.call.tensors["weight"], known)
        times = of_array("weight scale", text, "weight", lambda values, by=by: values * by)
        asked = trial.call.arguments.get("layout")
        other = Mistake(
            "layout", f"layout={layout!r}", f"layout={asked!r}", lambda call, to=layout: call.change(layout=to)
        )
        yield times if layout == asked else times.then(other)


def _rounded_as(one, number):
    """A number in the format of a tensor, as a program rounds it before it multiplies."""
    array = np.array([float(number)])
    if one.dtype not in formats.FORMATS:
        return array[0]
    return as_numbers(stored(array, formats.FORMATS[one.dtype]), one)[0]


def _asked_angles(call):
    """The angles (tokens, columns) of a call; None with a phase, a logarithm or coordinates that are no array."""
    plain = call.arguments.get("transform") is None and "phase" not in call.tensors
    if call.suite != SUITE or not plain or not {"coordinates", "weight"} <= call.tensors.keys():
        return None
    coordinates, weight = (as_numbers(call.tensors[name], call.tensors[name]) for name in ("coordinates", "weight"))
    factor = FACTORS.get(call.arguments["factor"], call.arguments["factor"])
    flat = coordinates.reshape(-1, coordinates.shape[-1])
    return float(factor) * (flat[:, :, None] * weight).sum(axis=1)


def _angles_of(values, layout, shape):
    """The angles of features in a layout; None where they are not as many."""
    if values.size != 2 * math.prod(shape):
        return None
    flat, count = values.reshape(shape[0], -1), shape[1]
    if layout == "interleaved":
        return angle(flat[:, ::2], flat[:, 1::2])
    first, second = flat[:, :count], flat[:, count:]
    return angle(first, second) if layout == "sin-cos" else angle(second, first)


def _scale(asked, got):
    """The number that all asked angles were multiplied by: the one that most of the smallest angles share, then by more
    and more of them; None where there is none."""
    order = np.argsort(np.abs(asked), axis=None)
    asked, got = asked.reshape(-1)[order], got.reshape(-1)[order]
    asked, got = asked[np.abs(asked) > 0], got[np.abs(asked) > 0]
    if not asked.size or not (np.isfinite(got).all() and np.isfinite(asked).all()):
        return None
    first = min(FEW, len(asked))
    while first > 1 and LARGEST * np.abs(asked[first - 1]) > PLACES:
        first //= 2
    steps = math.ceil(min(LARGEST * float(np.abs(asked[first - 1])), PLACES))
    scales = np.arange(-steps, steps + 1, dtype=np.float64) / np.abs(asked[first - 1])  # a radian apart at most
    shared = np.abs(waves(got[:first] - scales[:, None] * asked[:first]).sum(axis=1))
    likely = scales[np.argsort(-shared, kind="stable")[:TRIED]]
    return next((one for one in (_refined(asked, got, first, scale) for scale in likely) if one is not None), None)


def _refined(asked, got, count, scale):
    """A scale by least squares of the first `count` angles, then of twice as many; None where one is too far off."""
    while True:
        for _ in range(ROUNDS):
            rest = wrapped(got[:count] - scale * asked[:count])
            scale += float((rest * asked[:count]).sum() / (asked[:count] ** 2).sum())
        if np.abs(wrapped(got[:count] - scale * asked[:count])).max() > OFF:
            return None
        if count == len(asked):
            return scale
        count = min(2 * count, len(asked))
