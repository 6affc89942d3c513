"""Axis runs: the pairs of channels cut into runs that rotate by the positions along one axis."""

from dataclasses import replace
from functools import lru_cache, partial
from typing import NamedTuple

from ...arithmetic import reals
from ...errors import InputError
from .frequencies import Frequencies, scaled


class Run(NamedTuple):
    """Evenly spaced pairs of channels that rotate by the same position; is_zero: their frequencies are 0."""

    pairs: slice
    axis: int
    frequencies: Frequencies
    is_zero: bool


@lru_cache(maxsize=64)
def runs(frequencies):
    """The runs of all pairs, each of one axis; frequencies of 0 are apart, since no rounding test accepts a 0."""
    half = len(frequencies)
    axes = frequencies.axes or (0,) * half
    # to say whether a frequency is a fraction takes long, and one that is seen to be more than 0 is not 0
    near = [abs(n) <= 1 for n in frequencies.fixed(64)]
    keys = [(axes[i], near[i] and frequencies.rational(i) == 0) for i in range(half)]
    return tuple(
        Run(pairs, axis, select(frequencies, pairs), is_zero)
        for axis, is_zero in dict.fromkeys(keys)
        for pairs in _evenly_spaced([i for i in range(half) if keys[i] == (axis, is_zero)])
    )


def block(frequencies, pairs):
    """The range of neighbouring pairs of one axis that holds some pairs; refused where other axes stand between."""
    axes = frequencies.axes or (0,) * len(frequencies)
    start, stop, axis = pairs.start, pairs.start, axes[pairs.start]
    while start and axes[start - 1] == axis:
        start -= 1
    while stop < len(axes) and axes[stop] == axis:
        stop += 1
    if stop < pairs.stop:
        sentence = "pairing must be 'interleaved' or 'half' where the axes of frequencies alternate, got 'block-half'"
        raise InputError("E_CHOICE", "pairing", sentence)
    return range(start, stop)


def _evenly_spaced(indices):
    """Ascending indices as slices, each as long as it can be."""
    while indices:
        step = indices[1] - indices[0] if len(indices) > 1 else 1
        count = next((k for k in range(1, len(indices)) if indices[k] != indices[0] + k * step), len(indices))
        yield slice(indices[0], indices[0] + (count - 1) * step + 1, step)
        indices = indices[count:]


def select(frequencies, pairs):
    """The frequencies of a slice of the pairs of one axis; the same object where those are all pairs."""
    chosen = range(len(frequencies))[pairs]
    if len(chosen) == len(frequencies) and frequencies.axes is None:
        return frequencies
    return replace(
        frequencies,
        dim=2 * len(chosen),
        fixed=partial(_fixed, frequencies.fixed, chosen),
        rational=partial(_at, frequencies.rational, chosen),
        turns=partial(_at, frequencies.turns, chosen),
        axes=None,
    )


def _fixed(fixed, chosen, bits):
    values = fixed(bits)
    return tuple(values[i] for i in chosen)


def _at(rule, chosen, i):
    return rule(chosen[i])


def in_units(frequencies, unit):
    """The frequencies for positions counted in units of a fraction."""
    return frequencies if unit == 1 else _in_units(frequencies, unit)


@lru_cache(maxsize=64)
def _in_units(frequencies, unit):
    return scaled(frequencies, (reals.rational(unit),) * len(frequencies))


def axis_count(frequencies):
    """How many positions each token must have."""
    return 1 if frequencies.axes is None else 1 + max(frequencies.axes)
