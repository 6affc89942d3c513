"""Error bounds of the gradients of KERPLE: sums over all pairs of queries and keys, in any order."""

from fractions import Fraction

import numpy as np

from ... import checks
from ...arithmetic import elementary
from ...relative.kerple import LARGEST_POWER, kerple, read_kernels
from ...steps.distances import bias
from ...steps.scores import ordered_sums
from . import running_error
from .backward import bounds_gradients, changed, numbers, once_more, sums
from .kernels_of_distance import row_of
from .rounding_errors import DERIVATION, POWER, underflow_error, unit_roundoff
from .running_error import Bounded

FLUSHED = 8  # numbers of a term that may be flushed to zero


@bounds_gradients("kerple", counted=("p", "a"))
def _kerple(given, fmt):
    kind, least = given["kind"], checks.positive("least", given["least"])
    kernels = read_kernels(given["p"], given["a"], kind, least)
    held = {name: [pair[k] for pair in kernels] for k, name in enumerate(("p", "a"))}
    p, a = (changed(_rounded(part, fmt), lambda one: one[:, None]) for part in held.values())
    relative, row = row_of(given)
    distances, pairs = np.maximum(-relative, 0), given["query_len"] * given["key_len"]
    if kind == "log":
        *slopes, reach = _of_log(p, a, distances)
    else:
        powers = kerple(p.values[:, 0], np.ones(len(p.values)), **row, kind="power", least=Fraction(1, 2**1022))
        *slopes, reach = _of_power(p, a, distances, -powers[:, 0], kind == "weight")
    dy = changed(numbers(given["cotangent"], fmt), lambda part: part.reshape(len(part), pairs))
    limits = {"p": [least] if kind == "log" else [least, LARGEST_POWER], "a": [least]}

    def of_pairs(part):
        row = np.where(distances > 0, part, 0.0)  # constant at distance 0
        return bias.strided(row, given["query_len"], given["key_len"]).reshape(len(part), pairs)

    lost = FLUSHED * underflow_error(fmt) * _by_head(np.maximum(np.abs(dy.values), 1.0), of_pairs(reach))
    found = {}
    for name, slope in zip(held, slopes):
        made = sums(_by_head, dy, changed(slope, of_pairs))
        own = [checks.real(name, one) for one in checks.numbers(name, given[name])]
        found[name] = _within(made._replace(error=made.error + lost), own, held[name], limits[name])
    return found


def _rounded(fractions, fmt):
    """Parameters (heads,), which a program rounds."""
    found = numbers([float(one) for one in fractions], fmt)
    inexact = np.array([Fraction(float(one)) != one for one in fractions], bool)
    return found._replace(error=found.error + 2.0**-53 * np.abs(found.values) * inexact)


def _by_head(a, b):
    """Sums (heads,) of products (heads, pairs)."""
    return ordered_sums.total(a * b)


def _within(total, own, held, limits):
    """The sums, 0 of a parameter that is held at a limit. One that a program may round to the other side has either."""
    given, near = _rounded(own, total.fmt), np.zeros(len(own), bool)
    beyond = np.array([one != kept for one, kept in zip(own, held)], bool)
    for limit in limits:
        (reach,) = _rounded([limit], total.fmt).error
        gap = np.array([abs(float(one - limit)) for one in own])
        near |= (given.error + reach > 0) & (gap <= given.error + reach)
    error = np.where(near, np.abs(total.values) + total.error, np.where(beyond, 0.0, total.error))
    return total._replace(error=error)


def _of_log(p, a, distances):
    """Slopes (heads, distances) of -p ln(1 + a d), -ln(1 + a d) and -p d / (1 + a d), and what multiplies a number that
    is flushed to zero at most."""
    d = numbers(distances, p.fmt)
    within = running_error.add(running_error.multiply(a, d), running_error.from_input(1.0, p.fmt))
    of_a = once_more(running_error.divide(running_error.multiply(p, d), within))
    logarithms = running_error.log(within)
    return _negative(logarithms), _negative(of_a), (1 + p.values) * (1 + d.values) * (1 + logarithms.values)


def _of_power(p, a, distances, powers, is_weight):
    """Slopes (heads, distances) of -a d**p, -a d**p ln d and -d**p, of exp(-a d**p) times that; and as of the log."""
    d = numbers(np.maximum(distances, 1), p.fmt)
    power, logarithms = _power(p, d, np.where(distances > 0, powers, 1.0)), running_error.log(d)
    of_p, of_a = running_error.multiply(running_error.multiply(a, power), logarithms), power
    if is_weight:
        weights = running_error.exp(_negative(running_error.multiply(a, power)))
        of_p, of_a = (running_error.multiply(part, weights) for part in (of_p, of_a))
    of_p = changed(once_more(of_p), lambda part: np.where(distances == 1, 0.0, part))  # log(1) is 0 in every program
    reach = (1 + a.values) * (1 + power.values) * (1 + logarithms.values)
    return _negative(of_p), _negative(once_more(of_a)), reach


def _power(p, d, exact):
    """d**p of distances from 1 on: an error of p is one of the exponent, a relative error of d is p of it."""
    moved = p.error * elementary.log(d.values) - (p.values + p.error) * elementary.log1p(-d.error / d.values)
    relative = np.where(moved < 0.5, moved / (1 - np.minimum(moved, 0.5)), np.inf)
    relative = relative + (1 + relative) * POWER * unit_roundoff(p.fmt) + DERIVATION
    return Bounded(exact, relative * exact + underflow_error(p.fmt), p.fmt)


def _negative(x):
    return x._replace(values=-x.values)
