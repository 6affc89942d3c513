"""Cosines and sines of an emulation: positions times frequencies, step by step."""

import numpy as np

from .. import checks
from ..conformance.derivations.angles import as_floats, for_pairs
from ..conformance.derivations.exact_inputs import exact_positions
from ..steps.waves.rotary_arguments import read_token_positions
from .operations import FLOAT64, cosine_and_sine, product, quotient, rounded, rounded_fraction
from .running_ramps import mixed


def tables(positions, made, exact, profile):
    """(cos, sin) at positions, float64 (*tokens, n): values of the format of the table.

    made: `float_frequencies.Made`; exact: the exact frequencies, whose axes say which position each one multiplies.
    """
    tokens = read_token_positions(exact_positions(positions), exact)
    angle = angles(for_pairs(as_floats, tokens, exact.axes), made, profile)
    return waves(angle, made.factor, profile)


def angles(p, made, profile, scale=1):
    """The angles of positions p (..., 1) or (..., n): float64 (..., n). scale: what multiplies each of them."""
    fmt = profile.wave_format
    p = rounded(p, profile.positions or profile.arithmetic)
    theta = rounded(made.inv_freq, profile.inv_freq or profile.arithmetic)
    if profile.operands:
        p, theta = rounded(p, profile.operands), rounded(theta, profile.operands)
    if profile.frequencies == "running":
        found = _running(p, made, fmt)
    else:
        found = (quotient if profile.frequencies == "divisor" else product)(p, theta, fmt)
    return found if scale == 1 else product(rounded(rounded_fraction(scale, FLOAT64), fmt), found, fmt)


def _running(p, made, fmt):
    """Each angle is the one before it times a ratio; the first is the position itself."""
    found = np.array(np.broadcast_to(p, checks.broadcast(p.shape, made.inv_freq.shape)))
    starts = np.maximum.accumulate(np.where(made.inv_freq == 1.0, np.arange(len(made.inv_freq), dtype=np.int64), 0))
    steps = np.arange(len(starts), dtype=np.int64) - starts
    for step in range(1, steps.max(initial=0) + 1):
        on = steps >= step
        found[..., on] = product(found[..., on], made.ratios[on], fmt)
    if made.over is not None:
        found = quotient(found, made.over, fmt)
    if made.kept is not None:
        return mixed(found, made.times, made.kept, fmt)
    return found if made.times is None else product(made.times, found, fmt)


def waves(angle, factor, profile):
    """(cos, sin) of angles, times a factor, rounded to the table."""
    fmt = profile.wave_format
    found = cosine_and_sine(angle, fmt)
    if factor != 1.0:
        found = [product(part, rounded(factor, fmt), fmt) for part in found]
    return tuple(rounded(part, profile.table) if profile.table else part for part in found)
