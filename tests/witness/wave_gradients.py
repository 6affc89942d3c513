"""Gradients through waves, from the formulas: each a sum of sines and cosines of exact angles as balls.

Where the balls of 8192 bits decide nothing the sum is a fraction: of angles in radians the cosines of 0 alone, and pi
times a sum of fractions of a turn is 0.
"""

import math
from fractions import Fraction

import numpy as np
from flint import arb, ctx

from .axes import ball
from .balls import at_each_precision, leading
from .calendars import numbers
from .digits import from_fractions, patterns, zeros
from .fourier import points, split
from .gradients import rounded
from .suites import witness


class Wave:
    """Sine and cosine of one angle, a fraction, in units of pi or in radians; computed once at each precision."""

    def __init__(self, angle, of_pi):
        self.angle, self.of_pi = angle, of_pi
        self.both = at_each_precision(self._both)

    def _both(self):
        return (ball(self.angle).sin_pi(), ball(self.angle).cos_pi()) if self.of_pi else ball(self.angle).sin_cos()

    def signs(self):
        """Of sine and cosine, 0 where one is 0."""
        twice = 2 * self.angle if self.of_pi else self.angle and Fraction(1, 3)  # no other sine or cosine is 0
        return [0 if twice % 2 == which else self._sign(which) for which in range(2)]

    def _sign(self, which):
        before = ctx.prec
        while True:
            ctx.prec *= 2
            found = arb(self.both()[which])
            if found > 0 or found < 0:
                ctx.prec = before
                return 1 if found > 0 else -1


def summed(terms, factor, of_pi, dtype):
    """Bit patterns of factor (pi) * sum of weight (of_sin cos - of_cos sin) over terms (weight, wave, of_sin, of_cos).

    terms: a list for each result.
    """
    odd = {k: special(one) for k, one in enumerate(terms) if not all(math.isfinite(c) for t in one for c in t[2:])}
    exact = {k: known(one, factor) for k, one in enumerate(terms) if k not in odd}
    open_ = [k for k, one in exact.items() if one is None]
    found = zeros((len(terms),))
    for k, one in exact.items():
        if one is not None:
            found[k] = from_fractions([one])[0]
    if open_:
        found[open_] = leading(
            len(open_), 1, lambda rows, bits: [balls(terms[open_[row]], factor, of_pi) for row in among(rows, open_)],
            exact=lambda row: (rational(terms[open_[row]], factor, of_pi),),
        ).reshape(len(open_))  # fmt: skip
    result = patterns(found, dtype)
    for k, one in odd.items():
        result[k] = rounded([one], dtype)[0]
    return result


def among(rows, all_):
    return range(len(all_)) if rows is None else rows


def balls(terms, factor, of_pi):
    total = arb(0)
    for weight, wave, of_sin, of_cos in terms:
        sin, cos = wave.both()
        total += ball(weight * Fraction(of_sin)) * cos - ball(weight * Fraction(of_cos)) * sin
    return (total * ball(factor) * (arb.pi() if of_pi else 1),)


def known(terms, factor):
    """The sum where every angle that counts is 0, else None."""
    left = [(w * Fraction(s), wave.angle) for w, wave, s, c in terms if w and (s or (c and wave.angle))]
    return None if any(angle for _, angle in left) else factor * sum((one for one, _ in left), Fraction(0))


def rational(terms, factor, of_pi):
    """The sum where it is known to be a fraction."""
    return Fraction(0) if of_pi else factor * sum(w * Fraction(s) for w, wave, s, _ in terms if not wave.angle)


def special(terms):
    """The infinity or the NaN of terms of which some are not finite."""
    total = 0.0
    for weight, wave, of_sin, of_cos in terms:
        sin, cos = wave.signs()
        sign = (weight > 0) - (weight < 0)
        for cotangent, other in ((of_sin, cos), (of_cos, -sin)):
            if not math.isfinite(cotangent):
                total += cotangent * other * sign
    return total


def gradients(names, given, rows, weight, waves, cotangents, factor, of_pi, dtype):
    """{"gradient_...": patterns} for the arguments (points, weight, phase) that are arrays of floats.

    rows: the coordinates of each token; weight: rows of fractions (axes, m); waves, cotangents: [token][column].
    """
    tokens, columns, axes = range(len(rows)), range(len(weight[0])), range(len(weight))
    sums = {
        names[0]: [[(weight[a][j], waves[p][j], *cotangents[p][j]) for j in columns] for p in tokens for a in axes],
        names[1]: [[(rows[p][a], waves[p][j], *cotangents[p][j]) for p in tokens] for a in axes for j in columns],
        names[2]: [[(Fraction(1), waves[p][j], *cotangents[p][j]) for p in tokens] for j in columns],
    }
    return {
        f"gradient_{name}": summed(terms, factor, of_pi, dtype).reshape(given[name].shape)
        for name, terms in sums.items()
        if isinstance(given.get(name), np.ndarray) and given[name].dtype.kind == "f"
    }


def fractions(values):
    return [Fraction(one) for one in values.reshape(-1).tolist()]


@witness("vjp_fourier_projection", source="definition: the derivative of fourier_projection")
def _fourier_projection(given, call, dtype):
    _, along = points(given["coordinates"])
    (factor, of_pi), count = split(given["factor"]), given["weight"].shape[1]
    exact = fractions(given["weight"])
    weight = [exact[a * count : (a + 1) * count] for a in range(len(along))]
    phase = fractions(given["phase"]) if "phase" in given else [Fraction(0)] * count
    rows = list(zip(*along, strict=True))
    flat = given["cotangent"].reshape(len(rows), given["cotangent"].shape[-1]).tolist()
    place = {
        "sin-cos": lambda j: (j, j + count), "cos-sin": lambda j: (j + count, j), "sin": lambda j: (j, None),
        "cos": lambda j: (None, j), "interleaved": lambda j: (2 * j, 2 * j + 1),
    }[given["layout"]]  # fmt: skip
    cotangents = [[tuple(0.0 if k is None else row[k] for k in place(j)) for j in range(count)] for row in flat]
    waves = [
        [Wave(factor * (sum(x * weight[a][j] for a, x in enumerate(row)) + phase[j]), of_pi) for j in range(count)]
        for row in rows
    ]
    names = "coordinates", "weight", "phase"
    return gradients(names, given, rows, weight, waves, cotangents, factor, of_pi, dtype)


@witness("vjp_time2vec", source="definition: the derivative of time2vec")
def _time2vec(given, call, dtype):
    _, places = numbers(given["t"])
    weight, phase = fractions(given["weight"]), fractions(given["phase"])
    last = len(weight) - 1
    straight = {"first": 0, "last": last}.get(given["linear"])
    waves, cotangents = [], []
    for x, row in zip(places, given["cotangent"].reshape(len(places), last + 1).tolist(), strict=True):
        waves.append([Wave(Fraction(0) if j == straight else w * x + p, False)
                      for j, (w, p) in enumerate(zip(weight, phase, strict=True))])  # fmt: skip
        as_sine = [given["kind"] == "sin" or j == straight for j in range(len(row))]
        cotangents.append([(d, 0.0) if one else (0.0, d) for one, d in zip(as_sine, row, strict=True)])
    rows = [(x,) for x in places]
    return gradients(("t", "weight", "phase"), given, rows, [weight], waves, cotangents, Fraction(1), False, dtype)
