"""Angles, or their cosines and sines, that a program carries from position to position in float32: by additions, or by
a running product of complex numbers. Their errors grow with the position, so that no bounds of a call hold them."""

from __future__ import annotations

import numpy as np

from ...measure.estimates import waves
from ...measure.frequency_rule import made
from ...measure.pairs import square
from ...measure.solving import unit_of
from .measured import Measured, Subject, subject_of
from .measured_angles import unit_numbers

FEWER = 16  # times nearer, at least, to what is carried on than to exact angles
UNITS = 4  # rounding units that a half of the cosines and sines may be off
LONGEST, SHORTEST = 1 << 20, 16  # positions of a program
KEPT = 256  # positions that are compared
LARGEST = 1 << 22  # elements that are looked at
MOST_PRODUCTS = 1 << 13  # of a running product, which are made one by one
#: which of the two products of the real and of the imaginary part are not rounded by themselves (multiply-add)
FUSED = [((), ()), ((0,), (0,)), ((0,), (1,)), ((1,), (0,)), ((1,), (1,)), ((0, 1), (0, 1))]
ULPS = (0, -1, 1)  # by which the inverse frequencies, cosines and sines of programs are off
SUM = "angles added up from position to position in float32 (a running sum of inv_freq)"
PRODUCT = "cosines and sines multiplied from position to position in float32 (a running product)"
ASKED = "the angle of each position by itself"


def measured_running(trial) -> Measured | None:
    """What is carried from position to position; None where nothing is, or where it makes no difference."""
    subject = subject_of(trial)
    if subject is None or trial.size > LARGEST or not _counts_on(subject):
        return None
    stride = max(1, len(subject.positions) // KEPT)
    z, frequencies = _numbers(trial, subject, stride), made(subject.recipe).inv_freq
    if z is None or z.shape != (len(subject.positions[::stride]), len(frequencies)):
        return None
    unit = max(unit_of(next(iter(trial.outputs.values())).dtype), unit_of("float32"))
    plain = _apart(z, waves(subject.positions[::stride, None] * frequencies))
    told = plain > FEWER * UNITS * unit  # pairs in which it makes a difference
    if not told.any():
        return None
    nearby = np.stack(list(_nearby(frequencies)))
    for text, ways in ((SUM, _sums), (PRODUCT, _products)):
        for carried in ways(subject.positions, nearby, stride):
            nearest = np.min([_apart(z, one) for one in carried], axis=0)
            if (nearest <= UNITS * unit).all():
                return Measured(text, ASKED, named=True)
    return None


def _counts_on(subject: Subject):
    """Whether there are frequencies, and positions one after another."""
    positions = subject.positions
    if subject.recipe is None or positions is None or positions.ndim != 1:
        return False
    return SHORTEST <= len(positions) <= LONGEST and bool((np.diff(positions) == 1).all())


def _numbers(trial, subject, stride):
    """Unit numbers with the angles of some rows and of pairs: of a rotation, a rotary table or sinusoids; else None."""
    if subject.function != "sinusoidal":
        found = unit_numbers(trial, stride)
        return None if found is None else found[0]
    answer = next(iter(trial.answered.values()))
    if answer.dtype not in ("float32", "float64") or answer.values.ndim != 2 or answer.values.shape[-1] % 2:
        return None
    values, half = answer.values[::stride].astype(np.float64), answer.values.shape[-1] // 2
    if trial.call.arguments.get("layout", "interleaved") == "interleaved":
        sines, cosines = values[:, ::2], values[:, 1::2]
    else:
        first, second = values[:, :half], values[:, half:]
        sines, cosines = (first, second) if trial.call.arguments["layout"] == "sin-cos" else (second, first)
    return cosines + 1j * sines


def _apart(z, other):
    """The median of how far the directions of the numbers of each pair are from others."""
    return np.sqrt(np.median(square(_directions(z) - _directions(other)), axis=0))


def _directions(z):
    """Complex numbers of size 1: what is multiplied on and on grows or shrinks by its rounding."""
    size = np.sqrt(square(z))
    return z / np.where(size > 0, size, 1.0)


def _nearby(frequencies):
    """Inverse frequencies as float32, and the numbers beside them."""
    yield from (_moved(frequencies, ulps).astype(np.float32) for ulps in ULPS)


def _sums(positions, nearby, stride):
    """The waves of angles that are added up, of each of the frequencies nearby."""
    yield (_sum(positions, one, stride) for one in nearby)


def _sum(positions, step, stride):
    """The waves of angles that are added up in float32, (positions with a stride, pairs)."""
    angles = np.repeat(step[None], len(positions), axis=0)
    angles[0] = np.float32(positions[0]) * step
    np.add.accumulate(angles, axis=0, dtype=np.float32, out=angles)
    return waves(angles[::stride].astype(np.float64))


def _products(positions, nearby, stride):
    """Powers of the first wave, one product after another in float32, in each way in which processors round it."""
    if len(positions) > MOST_PRODUCTS:
        return
    wide = nearby.astype(np.float64)
    starts, steps = (_rounded(waves(one * wide)) for one in (positions[0], 1.0))
    steps = np.concatenate([_moved(steps.real, one) + 1j * _moved(steps.imag, other) for one in ULPS for other in ULPS])
    first, wave = np.tile(starts, (len(ULPS) ** 2, 1)), steps
    for real_fused, imaginary_fused in FUSED:
        found, z = [], first
        for row in range(len(positions)):
            found += [] if row % stride else [z.astype(np.complex64)]  # whose parts are numbers of float32
            real = _sum_of(z.real * wave.real, -z.imag * wave.imag, real_fused)
            z = real + 1j * _sum_of(z.real * wave.imag, z.imag * wave.real, imaginary_fused)
        yield (np.stack([one[k] for one in found]).astype(complex) for k in range(len(first)))


def _sum_of(one, other, fused):
    """The sum of two products in float32, each rounded but for the fused ones; float64 holds a product exactly."""
    one, other = (part if number in fused else _float32(part) for number, part in enumerate((one, other)))
    return _float32(one + other)


def _moved(values, ulps):
    """The numbers of float32 so many beside others."""
    near = values.astype(np.float32)
    return (np.nextafter(near, np.float32(ulps * np.inf)) if ulps else near).astype(np.float64)


def _rounded(z):
    """Complex numbers rounded to float32."""
    return _float32(z.real) + 1j * _float32(z.imag)


def _float32(values):
    return values.astype(np.float32).astype(np.float64)
