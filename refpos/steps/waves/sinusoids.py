"""Sinusoids: the sines and cosines of positions side by side in one width, in any of the layouts."""

from ... import checks
from . import tables


def filled(positions, frequencies, dim, layout, cosines, fmt, out, threads, zeros=()):
    """(*positions.shape, dim): a sine for each frequency, so many cosines, and zeros in the channels that are left.

    zeros: flat rows that are all 0.
    """
    result, stored = checks.output(out, (*positions.shape, dim), fmt)
    fill(stored, positions, frequencies, layout, cosines, fmt, threads, zeros)
    return result


def fill(stored, positions, frequencies, layout, cosines, fmt, threads, zeros=()):
    """Fill the storage (*positions.shape, dim) of a result that is there already."""
    with tables.rows_of(stored) as rows:
        sines = len(frequencies)
        cos, sin = tables.cos_sin_columns(rows, layout, sines, cosines)
        tables.fill(cos, sin, positions, frequencies, fmt, threads)
        rows[:, sines + cosines :] = 0
        rows[zeros if len(zeros) else slice(0)] = 0


def halves(flip_sin_to_cos):
    """The layout of a flag that puts the cosines first."""
    return "cos-sin" if checks.flag("flip_sin_to_cos", flip_sin_to_cos) else "sin-cos"
