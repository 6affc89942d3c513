"""Gradients through sines and cosines of exact angles: sums of them with fractions as weights, each rounded once.

    out[a, b] = factor * sum over k of weight[k, a] * slope[k, b]
    slope[k, b] = of_sin[k, b] cos(angle[k, b]) - of_cos[k, b] sin(angle[k, b])

of_sin and of_cos are the cotangents of the sine and the cosine. All sums are first made in integers of FIRST bits. What
these leave open is decided: by the theorem of Lindemann and Weierstrass a sum of sines and cosines of different
fractions is a fraction only if none but those of the angle 0 is left, and a sum of those of fractions of a turn, times
pi, is one only if it is 0.
"""

from collections import defaultdict
from fractions import Fraction
from functools import lru_cache
from math import lcm, prod
from typing import NamedTuple

import numpy as np

from ... import checks
from ...arithmetic import cyclotomic, fixed_point, formats, rounding
from ..positions.exact_positions import Positions
from ..rows import learned_tables, table_gradients
from .fourier import Factor
from .grids import Grid

FIRST = 192  # bits of the first sums, which nearly always decide


class Slopes(NamedTuple):
    """Derivatives of waves after their sums: integers (k, b) times `unit` are angles, in turns where the factor has pi
    and else in radians; cotangents float64 (k, b)."""

    sums: np.ndarray
    unit: Fraction
    of_sin: np.ndarray
    of_cos: np.ndarray
    factor: Factor

    @property
    def transposed(self):
        """The same for sums over the other axis."""
        return self._replace(sums=self.sums.T, of_sin=self.of_sin.T, of_cos=self.of_cos.T)


def slopes(points, weight, phase, of_sin, of_cos, factor):
    """The `Slopes` of waves of factor * (points @ weight + phase).

    points: fractions (k, axes); weight (axes, b) and phase (b,): float64.
    """
    points, of_points = over_common(points)
    both, shift = fixed_point.as_integers(np.concatenate([weight, phase[None]]))
    sums = points.dot(both[:-1]) + both[-1] * of_points
    unit = factor.fraction / (of_points << shift + factor.pi)
    return Slopes(sums, unit, of_sin, of_cos, factor)


def over_common(values):
    """Fractions as Python ints over one denominator: (array of the same shape, denominator)."""
    common = lcm(*(one.denominator for one in values.flat))
    whole = np.empty(values.shape, object)
    whole.flat = [one.numerator * (common // one.denominator) for one in values.flat]
    return whole, common


def points_of(axes):
    """The positions of each axis as fractions (k, axes)."""
    points = np.empty((prod(axes[0].shape), len(axes)), object)
    for column, axis in zip(points.T, axes):
        column[:] = axis.fractions()
    return points


def _format_of(name, value):
    """As `table_gradients.format_of`; what holds exact positions has no gradient either."""
    listed = isinstance(value, (list, tuple)) and any(isinstance(one, Positions) for one in value)
    if listed or isinstance(value, (Grid, Positions)):
        return None
    return table_gradients.format_of(name, value, bits=name in ("weight", "phase"))


def of_argument(name, value, points, weight, slopes):
    """The gradient for "weight" (axes, b), for "phase" (b,), or else for the points (k, axes), in the shape and dtype
    of the argument; None where that has none."""
    fmt = _format_of(name, value)
    if fmt is None:
        return None
    if name == "weight":
        found = fill(points, slopes, learned_tables.floats(fmt))
    elif name == "phase":
        found = fill(np.full((len(points), 1), Fraction(1)), slopes, learned_tables.floats(fmt))
    else:
        exact = np.empty(weight.T.shape, object)
        exact.flat = [Fraction(one) for one in weight.T.flat]
        found = fill(exact, slopes.transposed, learned_tables.floats(fmt)).T
    result, stored = checks.output(None, checks.array(name, value).shape, fmt)
    stored[...] = found.view(stored.dtype).reshape(stored.shape)
    return result


def fill(weights, slopes, fmt):
    """The array (a, b) of the sums with weights (k, a), which are fractions, in the storage of the format."""
    weights, common = over_common(weights)
    out = np.zeros((weights.shape[1], slopes.sums.shape[1]), f"u{fmt.width // 8}")
    finite = np.isfinite(slopes.of_sin) & np.isfinite(slopes.of_cos)
    cotangents = (np.where(finite, one, 0.0) for one in (slopes.of_sin, slopes.of_cos))
    (of_sin, of_cos), shift = fixed_point.as_integers(np.stack([*cotangents]))
    scale = _Scale(slopes.factor, slopes.factor.fraction / common, shift)
    cos, sin, error = _waves(slopes, FIRST)
    if len(weights):
        totals = weights.T.dot(of_sin * cos - of_cos * sin)
        sizes = abs(weights.T).dot(abs(of_sin) + abs(of_cos))
        for at in np.argwhere(sizes != 0).tolist():
            a, b = at
            pattern = scale.pattern(totals[a, b], sizes[a, b] * error, FIRST, fmt)
            if pattern is None:
                terms = _terms(weights[:, a], slopes.sums[:, b], of_sin[:, b], of_cos[:, b])
                pattern = _decided(terms, slopes, scale, fmt)
            out[a, b] = pattern
    _write_specials(out, weights, slopes, finite, fmt)
    return out.view(fmt.storage)


class _Scale(NamedTuple):
    """What turns an integer sum into the result: times `fraction`, times pi if the factor has it, times 2**-shift."""

    factor: Factor
    fraction: Fraction
    shift: int

    def pattern(self, n, error, bits, fmt):
        """The bit pattern of (n +- error) * 2**-bits times the scale; None where it is not decided."""
        n, error = n * self.fraction.numerator, error * self.fraction.numerator
        if self.factor.pi:
            pi = fixed_point.pi(bits)
            n, error = n * pi >> bits, (error * (pi + 1) + abs(n) >> bits) + 2
        room = self.fraction.denominator.bit_length()
        n, error = ((one << room) // self.fraction.denominator for one in (n, error))
        return rounding.rounding_test(n, error + 2, self.shift + bits + room, fmt)


@lru_cache(maxsize=1 << 14)  # each argument needs the same ones
def _wave(numerator, denominator, in_turns, bits):
    """Enclosures of cosine and sine of an angle: integers (cos, sin, error) * 2**-bits."""
    if in_turns:
        turns = (numerator << bits) // denominator
    else:
        growth = max(0, numerator.bit_length() - denominator.bit_length()) + 16
        size = -(-(bits + growth) // 256) * 256  # few precisions of pi are ever asked for
        turns = (numerator << bits + size - 1) // (denominator * fixed_point.pi(size))
    return fixed_point.cos_sin(turns & (1 << bits) - 1, bits)


def _waves(slopes, bits):
    """Cosines and sines (k, b) of the angles as integers, and the error of each."""
    cos, sin = np.zeros((2, *slopes.sums.shape), object)
    error = 0
    n, d = slopes.unit.as_integer_ratio()
    for at in np.ndindex(slopes.sums.shape):
        cos[at], sin[at], error = _wave(slopes.sums[at] * n, d, slopes.factor.pi, bits)
    return cos, sin, error


def _terms(weights, sums, of_sin, of_cos):
    """{angle: [of its cosine, of its sine]} of one result, angles 0 or more, without those that cancel."""
    terms = defaultdict(lambda: [0, 0])
    for weight, angle, with_cos, with_sin in zip(weights, sums, of_sin, of_cos):
        term = terms[abs(angle)]
        term[0] += weight * with_cos
        term[1] -= weight * with_sin * (1 if angle > 0 else -1 if angle else 0)
    return {angle: term for angle, term in terms.items() if any(term)}


def _decided(terms, slopes, scale, fmt):
    """The bit pattern of one result that the first sums left open."""
    n, d = slopes.unit.as_integer_ratio()
    if slopes.factor.pi:
        turns = defaultdict(lambda: [0, 0])
        for angle, term in terms.items():
            for k, size in enumerate(term):
                turns[angle * slopes.unit % 1][k] += size
        if cyclotomic.vanishes(turns):
            return 0
    elif not any(terms):
        return rounding.nearest_fraction(terms.get(0, (0,))[0] * scale.fraction / (1 << scale.shift), fmt)
    for bits in rounding.precisions(2 * FIRST):
        total = size = error = 0
        for angle, (of_cos, of_sin) in terms.items():
            cos, sin, error = _wave(angle * n, d, slopes.factor.pi, bits)
            total += of_cos * cos + of_sin * sin
            size += abs(of_cos) + abs(of_sin)
        pattern = scale.pattern(total, size * error, bits, fmt)
        if pattern is not None:
            return pattern


# -- infinities and NaN -----------------------------------------------------------------------------------------------


def _write_specials(out, weights, slopes, finite, fmt):
    """Overwrite the sums that meet an infinity or a NaN: products and sums are those of IEEE 754."""
    totals = {}
    with np.errstate(invalid="ignore"):
        for k, b in np.argwhere(~finite).tolist():
            cos, sin = _signs(slopes.sums[k, b], slopes)
            met = [sign * one for sign, one in ((cos, slopes.of_sin[k, b]), (-sin, slopes.of_cos[k, b]))
                   if not np.isfinite(one)]  # fmt: skip
            signs = np.array([_sign(weight) for weight in weights[k]], np.float64)
            totals[b] = totals.get(b, 0.0) + sum(met) * signs
        for b, total in totals.items():
            patterns = formats.bits(rounding.narrow(total, fmt)).copy()
            patterns[np.isnan(total)] = fmt.nan
            out[:, b] = patterns


def _signs(angle, slopes):
    """The signs of cosine and sine, 0 where one is 0."""
    if slopes.factor.pi:
        quarters = angle * slopes.unit * 4 % 4
        return _sign(abs(quarters - 2) - 1), _sign(2 - quarters) if quarters else 0
    if not angle:
        return 1, 0
    n, d = slopes.unit.as_integer_ratio()
    for bits in rounding.precisions(FIRST):
        cos, sin, error = _wave(angle * n, d, False, bits)
        if min(abs(cos), abs(sin)) > error:
            return _sign(cos), _sign(sin)


def _sign(number):
    return (number > 0) - (number < 0)
