"""Least squares of numbers over known parts: an interval for the coefficient of each, and the known number in it."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..types import Array
from .best_known import inside
from .wording import number

DEVIATIONS = 8  # standard deviations of an interval
UNITS = 4  # rounding units of a coefficient that it may be off
DEPENDENT = 1e-9  # of a part, what the parts before it leave of one that says nothing new
LARGEST = 1 << 20  # integers whose reciprocals and roots are known numbers


class Fit(NamedTuple):
    """Coefficients of the parts, half the width of the interval of each (infinite where other parts tell as much), and
    what is left of the numbers, as a share of their root mean square."""

    values: Array
    widths: Array
    left: float


class Basis(NamedTuple):
    """Parts orthogonalised one after the other, (parts, cells); what each holds of those before it, (parts, parts); and
    which of them say something new."""

    made: Array
    triangle: Array
    known: Array


def basis_of(parts):
    """The `Basis` of parts (parts, cells)."""
    made, triangle = np.zeros_like(parts), np.zeros((len(parts), len(parts)))
    known = np.zeros(len(parts), bool)
    for k, part in enumerate(parts):
        rest = part.copy()
        for _ in range(2):  # the second time takes away what rounding has left
            for j in np.flatnonzero(known[:k]):
                share = float((made[j] * rest).sum())
                triangle[j, k] += share
                rest = rest - share * made[j]
        length = float(np.sqrt((rest * rest).sum()))
        known[k] = length > DEPENDENT * np.sqrt((part * part).sum()) and length > 0
        if known[k]:
            made[k], triangle[k, k] = rest / length, length
    return Basis(made, triangle, known)


def fitted(numbers, parts, unit):
    """The `Fit` of numbers (cells,) by parts (parts, cells)."""
    size, basis = _rms(numbers), basis_of(parts)
    values, inverse = solved_in(basis, numbers)
    rest = numbers - (values[:, None] * parts).sum(axis=0)
    spread = max(_rms(rest), unit / 4 * size) * np.sqrt((inverse * inverse).sum(axis=1))
    sizes = np.sqrt((parts * parts).mean(axis=1))
    most = float((np.abs(values) * sizes).max(initial=0.0))  # of a part, by which rounding may move all others
    rounding = UNITS * unit * np.where(sizes > 0, most / np.where(sizes > 0, sizes, 1.0), 0.0)
    widths = np.where(basis.known, DEVIATIONS * spread + rounding, np.inf)
    return Fit(values, widths, _rms(rest) / size if size else 0.0)


def solved_in(basis, numbers):
    """(coefficients, the inverse of the triangle) of numbers (cells,) by substitution from the last part to the
    first."""
    made, triangle, known = basis
    count = len(known)
    projected, values, inverse = (made * numbers).sum(axis=1), np.zeros(count), np.zeros((count, count))
    for k in np.flatnonzero(known)[::-1]:
        values[k] = (projected[k] - (triangle[k, k + 1 :] * values[k + 1 :]).sum()) / triangle[k, k]
        one = np.zeros(count)
        one[k] = 1.0
        inverse[k] = (one - (triangle[k, k + 1 :, None] * inverse[k + 1 :]).sum(axis=0)) / triangle[k, k]
    return values, inverse


def _rms(values):
    return float(np.sqrt((values * values).mean())) if values.size else 0.0


def known_members(value, width, known):
    """The numbers of an interval that are tried: 0 and known ones, integers and their reciprocals and roots, then those
    of few digits."""
    low, high = value - width, value + width
    if not np.isfinite(width):
        return [float(known[0])]
    size, sign = abs(value), 1.0 if value >= 0 else -1.0
    more = []
    if size > 0:
        near = np.array([size, 1 / size, size * size, 1 / (size * size)])
        whole = np.rint(np.where(near < LARGEST, near, 0))
        made = (whole[0], _over(whole[1]), float(np.sqrt(whole[2])), _over(float(np.sqrt(whole[3]))))
        more = [sign * float(one) for one in made if one]
    found = [float(one) for one in (*known, 0.0, *more) if low <= one <= high]
    found += [float(one) for one in inside(low, high)]
    return list(dict.fromkeys(found)) or [float(value)]


def _over(number):
    return 1.0 / number if number else 0.0


def coefficient_text(value):
    """A coefficient as an integer, a reciprocal, a root or that of a reciprocal, else to six digits."""
    size, sign = abs(value), "-" if value < 0 else ""
    if size == np.rint(size):
        return number(value)
    for text, one in (("1/{}", 1 / size), ("sqrt({})", size * size), ("1/sqrt({})", 1 / (size * size))):
        if 1 < one < LARGEST and abs(one - np.rint(one)) <= 1e-12 * one:
            return sign + text.format(int(np.rint(one)))
    return number(value)
