"""Columns of sines and cosines that are no pairs: the frequency of each by its own numbers, from row to row."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..types import Array
from .estimates import angle, waves

TOLD = 0.2  # radians from which on one angle tells a frequency
FEWEST = 4  # rows
USED = 96  # rows of a fit
FEW = 24  # columns that are fitted first
SLOW = {True: 16, False: 2048}  # units by which a sine, and a cosine, must be off that of angle 0
ENOUGH = 2.0**-9  # of the factor, how far numbers may be from a fit nine in ten, and 32 units
BEGINNINGS = (0, 1)
UNKNOWN = 1e6  # the error of a frequency that is not told


class Columns(NamedTuple):
    """Where sines stand, in words and as a rule of (row, column); the first position; frequencies of the columns,
    their errors, and the factor of all numbers."""

    text: str
    are_sines: Array
    start: int
    frequencies: Array
    errors: Array
    factor: float


def columns_of(values, unit):
    """The `Columns` of rows at successive positions from 0 or 1 on, (rows, width); None where a fit leaves more than
    the numbers are off."""
    if len(values) < FEWEST or not np.isfinite(values).all():
        return None
    largest = float(np.abs(values).max())
    for factor in (1.0, largest) if 0.5 < largest <= 1 + 8 * unit else (largest,):
        for start in BEGINNINGS:
            found = _best_of(values / factor, start, unit)
            if found is not None:
                return found._replace(factor=factor)
    return None


def _best_of(values, start, unit):
    """The `Columns` of the arrangement that leaves least of values at positions from a first one on."""
    rows, width = values.shape
    few = np.unique(np.linspace(0, width - 1, min(FEW, width)).astype(np.int64))
    best, least, places = None, ENOUGH + 32 * unit, np.arange(rows, dtype=np.int64) + start
    for text, sines in _arrangements(rows, width, start):
        if start == 0 and not _begins(values[0], sines[0], unit):
            continue
        left = 0.0
        for chosen in (few, slice(None)):
            if left < least:
                frequencies, errors, left = _fitted(values[:, chosen], places, sines[:, chosen], unit)
        if left < least:
            best, least = Columns(text, sines, start, frequencies, errors, 1.0), left
    return best


def _arrangements(rows, width, start):
    row, column = np.arange(rows, dtype=np.int64)[:, None], np.arange(width, dtype=np.int64)
    every = np.ones((rows, width), bool)
    yield "sines alone", every
    if width > 1:
        yield "sines in even columns", every & (column % 2 == 0)
        yield "sines in odd columns", every & (column % 2 == 1)
        yield "sines in the first half", every & (column < width // 2)
        yield "sines in the second half", every & (column >= width // 2)
    yield "cosines alone", ~every
    yield "sines in even rows", every & ((row + start) % 2 == 0)
    yield "sines in odd rows", every & ((row + start) % 2 == 1)


def _begins(row, sines, unit):
    """Whether a row is that of position 0."""
    return bool((np.abs(row - ~sines) <= 8 * unit).mean() > 0.9)


def _fitted(values, places, sines, unit):
    """(frequencies, their errors, what is left of nine in ten): by the row in which an angle is large
    enough, then by more and more rows."""
    frequencies = _first(values, places, sines)
    last, errors = 1, np.ones(len(frequencies))
    while last < places[-1]:
        last = min(2 * last, int(places[-1]))
        chosen = np.flatnonzero((places <= last) & (places > 0))
        chosen = chosen[np.unique(np.linspace(0, len(chosen) - 1, min(USED, len(chosen))).astype(np.int64))]
        off, slopes = _left(values[chosen], places[chosen], sines[chosen], frequencies)
        weight = (slopes * slopes).sum(axis=0)
        more = (off * slopes).sum(axis=0) / np.where(weight > 0, weight, 1)
        frequencies = np.abs(frequencies + np.clip(more, -0.5 / last, 0.5 / last))
        errors = 4 * unit / np.sqrt(np.maximum(weight, 1e-300))
    # a frequency that moves no number far is not told, and its slopes say nothing of its error
    told = np.abs(values - ~sines) > np.where(sines, SLOW[True], SLOW[False]) * unit
    errors = np.where(told.any(axis=0), errors, UNKNOWN)
    chosen = np.unique(np.linspace(0, len(places) - 1, min(USED, len(places))).astype(np.int64))
    off, _ = _left(values[chosen], places[chosen], sines[chosen], frequencies)
    return frequencies, errors, float(np.quantile(np.abs(off), 0.9))


def _first(values, places, sines):
    """Frequencies by the first of rows 1, 2, 4, .. in which the angle is large enough, or else by the last of them."""
    found, known = np.zeros(values.shape[1]), np.zeros(values.shape[1], bool)
    row = int(np.argmax(places > 0))
    while row < len(places):
        size = np.clip(values[row], -1, 1)
        other = np.sqrt(1 - size * size)
        phase = np.where(sines[row], angle(size, other), angle(other, size))
        found = np.where(known, found, np.abs(phase) / places[row])
        known |= np.abs(phase) > TOLD
        row = 2 * row + (0 if row else 1)
    return found


def _left(values, places, sines, frequencies):
    """(what frequencies leave of the numbers, their derivatives), (rows, width)."""
    wave = waves(places[:, None] * frequencies)
    expected = np.where(sines, wave.imag, wave.real)
    return values - expected, places[:, None] * np.where(sines, wave.real, -wave.imag)
