"""Frequencies of slow pairs measured at the positions that are asked for: of few rows their angles are small, so that
the numbers say little of a pair, and this is said too."""

from __future__ import annotations

import numpy as np

from ...measure.best_known import inside
from ...measure.estimates import waves
from ...measure.frequency_rule import made
from ...measure.solving import unit_of
from ...measure.unwrapping import phases, slopes
from ...measure.wording import number, runs, several_of
from .measured import Measured, Subject
from .measured_angles import unit_numbers

UNITS = 8  # rounding units of the format, and of the angle, that an angle may be off
LARGEST = 1.5  # radians that an angle may be off, so that it has lost no turn
FEWEST_ROWS = 3  # beside those at position 0, by which a frequency is told from an element that is off
MOST = 0.5  # of the pairs


def measured_pairs(trial, subject: Subject) -> Measured | None:
    """What the frequencies of a few pairs are, where all others are as asked; None where that explains not all."""
    if subject.recipe is None or subject.positions is None or subject.positions.ndim != 1:
        return None
    found, frequencies, places = unit_numbers(trial), made(subject.recipe).inv_freq, subject.positions
    if found is None or found[0].shape != (len(places), len(frequencies)):
        return None
    z, channels = found
    exact = places[:, None] * frequencies
    left = np.where(z != 0, phases(z * waves(exact).conj()), 0.0)
    wide = UNITS * unit_of(next(iter(trial.outputs.values())).dtype) * (1 + np.abs(exact))
    step, error = _steps(left, wide, places, z != 0)
    off = np.flatnonzero((np.abs(left) > wide).any(axis=0))
    straight = (np.abs(left - places[:, None] * step) <= wide).all(axis=0) & (np.abs(left) < LARGEST).all(axis=0)
    rows = ((z != 0) & (places != 0)[:, None]).sum(axis=0)
    if not 0 < len(off) <= MOST * len(frequencies) or not (straight & (rows >= FEWEST_ROWS))[off].all():
        return None
    if not channels_off(trial) <= set(channels[:, off].ravel().tolist()):
        return None
    low, high = (1 + (step + sign * error) / frequencies for sign in (-1, 1))
    told = "; ".join(f"frequency of {several_of('pair', run)} {text}" for run, text in _runs(off, low, high))
    silent = np.flatnonzero(error >= frequencies)
    told += f"; of {several_of('pair', silent)} these rows say nothing" if len(silent) else ""
    others = runs(np.setdiff1d(np.arange(len(frequencies), dtype=np.int64), off))
    return Measured(told, f"the frequencies of the call, which pairs {others} have,", named=True)


def _steps(left, wide, places, known):
    """(angle of one position that each pair is off, its error), (pairs,)."""
    step, weight = slopes(left, known, places)
    error = (np.abs(places)[:, None] * wide).sum(axis=0)
    return step, np.where(weight > 0, error / np.where(weight > 0, weight, 1), np.inf)


def channels_off(trial):
    """The channels with an element within no bound of the call."""
    off = set()
    for beyond in trial.beyond.values():
        off |= set(np.flatnonzero(beyond.any(axis=tuple(range(beyond.ndim - 1)))).tolist())
    return off


def _runs(off, low, high):
    """(pairs, their factor in words) of successive pairs that one factor explains."""
    run, ends = [], (0.0, np.inf)
    for pair in off.tolist():
        both = max(ends[0], low[pair]), min(ends[1], high[pair])
        if run and (pair != run[-1] + 1 or both[0] > both[1]):
            yield run, _factor(*ends)
            run, both = [], (low[pair], high[pair])
        run, ends = [*run, pair], both
    yield run, _factor(*ends)


def _factor(low, high):
    """A factor within its interval, in words."""
    if low <= 0 <= high:
        return f"0 (at most {number(f'{high:.3g}')} times that asked for): not rotated"
    best = inside(low, high)[0] if low > 0 and inside(low, high) else (low + high) / 2
    return f"times {number(best)} ({number(f'{low:.6g}')} to {number(f'{high:.6g}')})"
