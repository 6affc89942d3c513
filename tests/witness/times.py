"""Embeddings of timesteps, from the papers and the code of their authors, as balls."""

from fractions import Fraction

import numpy as np
from flint import arb

from .axes import ball, table
from .digits import concatenate, zeros
from .formulas import power


def embedding(timesteps, dim, *, flip_sin_to_cos, downscale_freq_shift, scale=1, max_period=10000):
    """Digits (*timesteps.shape, dim) of the two halves of Ho et al. 2020, and a zero behind them where dim is odd."""
    count = dim // 2
    divisor = count - Fraction(downscale_freq_shift)
    base = Fraction(max_period)

    def rule():
        return [power(base, -Fraction(i) / divisor) * ball(Fraction(scale)) for i in range(count)]

    return _halves(timesteps, rule, count, flip_sin_to_cos, dim - 2 * count)


def fourier(timesteps, dim, *, ends, first, last, flip_sin_to_cos):
    """Digits (*timesteps.shape, dim) at turns of 2 pi f, f or 1 / f evenly spaced in its logarithm."""
    count = dim // 2
    first, last = Fraction(first), Fraction(last)

    def rule():
        share = [Fraction(i, count - 1) if count > 1 else Fraction(0) for i in range(count)]
        between = [power(first, 1 - part) * power(last, part) for part in share]
        return [2 * arb.pi() * (one if ends == "frequencies" else 1 / one) for one in between]

    return _halves(timesteps, rule, count, flip_sin_to_cos, 0)


def _halves(timesteps, rule, count, cosines_first, left):
    array = np.asarray(float(timesteps) if isinstance(timesteps, Fraction) else timesteps)
    places = array.reshape(-1).tolist()
    if not places:
        return zeros((*array.shape, 2 * count + left))
    cos, sin = table([places], (0,) * count, rule)
    parts = [cos, sin] if cosines_first else [sin, cos]
    rows = concatenate([*parts, zeros((len(places), left))], 1)
    return rows.reshape(*array.shape, 2 * count + left)
