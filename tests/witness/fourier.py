"""Sines and cosines of continuous coordinates, as balls: every channel is one of them at coordinate * theta * (1, pi or
2 pi). Where that is a rational number of turns, a sine that is rational is 0, 1/2 or 1 (Niven)."""

from collections.abc import Callable
from fractions import Fraction
from typing import NamedTuple

import numpy as np
from flint import arb

from . import axes
from .axes import ball
from .balls import at_each_precision, leading
from .digits import from_fractions, zeros
from .factors import rational_power
from .formulas import power


class Theta(NamedTuple):
    """A frequency: as a rule that gives a ball, and as a fraction where it is one."""

    rule: Callable
    rational: Fraction | None


def theta(base, exponent, scale=1):
    """scale * base**exponent."""
    base, exponent, scale = Fraction(base), Fraction(exponent), Fraction(scale)
    known = rational_power(base, exponent)
    rule = at_each_precision(lambda: power(base, exponent) * ball(scale))
    return Theta(rule, None if known is None else known * scale)


class Channel(NamedTuple):
    """Of coordinate number `axis`: "sin" or "cos" of it times theta and a factor, or "raw", itself."""

    kind: str
    axis: int
    theta: Theta | None = None
    factor: object = 1


def split(factor):
    """(fraction, whether pi multiplies it) of a number, "pi" or "2pi"."""
    return {"pi": (Fraction(1), True), "2pi": (Fraction(2), True)}.get(factor) or (Fraction(factor), False)


def points(given):
    """(shape, the fractions of each coordinate, row-major) of an array (..., n), a list of positions or a grid."""
    if isinstance(given, dict) and given["function"] == "grid":
        along = [axes.coordinates(axis) for axis in given["arguments"]["coordinates"]]
        return tuple(map(len, along)), axes.cells(*along)
    if isinstance(given, list) and given and isinstance(given[0], dict):
        listed = [axes.coordinates(one) for one in given]
        return (len(listed[0]),), listed
    array = np.asarray(given, float)
    flat = array.reshape(-1, array.shape[-1])
    return array.shape[:-1], [[Fraction(value) for value in flat[:, k].tolist()] for k in range(flat.shape[1])]


def niven(kind, turns):
    """The sine or cosine of so many turns where it is rational, else None."""
    twelfths = (turns if kind == "cos" else turns - Fraction(1, 4)) * 12 % 12
    cosines = {0: Fraction(1), 2: Fraction(1, 2), 3: Fraction(0), 4: Fraction(-1, 2), 6: Fraction(-1)}
    return cosines.get(min(twelfths, 12 - twelfths))


def table(shape, coordinates, channels):
    """Digits (*shape, channels); entries of one channel and coordinate are computed once."""
    count, width = len(coordinates[0]), len(channels)
    if not count * width:
        return zeros((*shape, width))
    keys = [(channel, coordinates[channel.axis][row]) for row in range(count) for channel in channels]
    distinct = {(channel._replace(axis=0), value): None for channel, value in keys}
    numbers = {key: number for number, key in enumerate(distinct)}
    known = [exact_entry(*key) for key in distinct]
    result = from_fractions([value or Fraction(0) for value in known])
    rest = [key for key, value in zip(distinct, known, strict=True) if value is None]

    def evaluate(rows, bits):
        pi, found = arb.pi(), []
        for channel, value in rest if rows is None else (rest[row] for row in rows):
            number, is_pi = split(channel.factor)
            angle = channel.theta.rule() * ball(value * number) * (pi if is_pi else 1)
            found.append((angle.sin() if channel.kind == "sin" else angle.cos(),))
        return found

    if rest:
        undecided = [number for number, value in enumerate(known) if value is None]
        result[undecided] = leading(len(rest), 1, evaluate).reshape(len(rest))
    return result[[numbers[channel._replace(axis=0), value] for channel, value in keys]].reshape(*shape, width)


def exact_entry(channel, coordinate):
    """The value of one channel where it is rational, else None."""
    if channel.kind == "raw":
        return coordinate
    if coordinate == 0 or channel.theta.rational == 0:
        return niven(channel.kind, Fraction(0))
    number, is_pi = split(channel.factor)
    if not is_pi or channel.theta.rational is None:
        return None
    return niven(channel.kind, coordinate * channel.theta.rational * number / 2)


def pairs(layout, axis, thetas, factor):
    """The channels of one coordinate in a layout."""
    sines = [Channel("sin", axis, one, factor) for one in thetas]
    cosines = [Channel("cos", axis, one, factor) for one in thetas]
    if layout == "interleaved":
        return [channel for pair in zip(sines, cosines, strict=True) for channel in pair]
    return sines + cosines if layout == "sin-cos" else cosines + sines


def coordinate_sine(coordinates, dim, *, order, factor, base=10000, layout="interleaved", widths=None, repeated=False):
    """Digits (..., dim): each coordinate's own width of sines and cosines, in the order of the channels."""
    shape, along = points(coordinates)
    channels = []
    for axis, width in zip(order, widths or [dim // len(order)] * len(order), strict=True):
        half = width // 2
        exponents = [Fraction(2 * (i // 2), half) if repeated else Fraction(2 * i, width) for i in range(half)]
        thetas = [theta(base, -exponent) for exponent in exponents]
        channels += pairs(layout, axis, thetas, factor)
    return table(shape, along, channels)


def masked_sine_2d(mask, dim, *, normalize, half_pixel, axis_order, scale=None, eps=Fraction(1e-6), base=10000):
    """Digits (..., height, width, dim): cells are counted one by one, down each column and along each row."""
    array = np.ones(mask, int) if isinstance(mask, list) else np.asarray(mask)
    bases = base if isinstance(base, list) else [base, base]
    *lead, height, width = array.shape
    rows, columns = [], []
    for image in array.reshape(int(np.prod(lead)), height, width).tolist():
        for r in range(height):
            for c in range(width):
                down = [line[c] for line in image]
                rows.append((sum(down[: r + 1]), sum(down)))
                columns.append((sum(image[r][: c + 1]), sum(image[r])))

    def coordinate(count, last):
        return (count - Fraction(int(half_pixel), 2)) / (last + Fraction(eps)) if normalize else Fraction(count)

    along = [[coordinate(*pair) for pair in pairs_] for pairs_ in (rows, columns)]
    channels = []
    for axis in (0, 1) if axis_order == "hw" else (1, 0):
        thetas = [theta(bases[axis], -Fraction(4 * i, dim)) for i in range(dim // 4)]
        channels += pairs("interleaved", axis, thetas, 1 if scale is None else scale)
    return table((*lead, height, width), along, channels)


def thetas_of(call):
    """The frequencies that a call makes."""
    given = call["arguments"]
    if call["function"] == "given_frequencies":
        return [theta(1, 0, value) for value in given["inv_freq"]]
    if call["function"] == "inverse_frequencies":
        return [theta(given["base"], -Fraction(2 * i, given["dim"])) for i in range(given["dim"] // 2)]
    n, low, high = given["n"], Fraction(given["low"]), Fraction(given["high"])
    gaps = max(n - 1, 1) if given.get("endpoint", True) else n
    parts = [Fraction(i, gaps) for i in range(n)]
    if given["rule"] == "linear":
        return [theta(1, 0, low + t * (high - low)) for t in parts]
    if given["rule"] == "powers":
        return [theta(2, low + t * (high - low)) for t in parts]
    return [theta(high / low, t, low) for t in parts]


def bands(**given):
    """Digits of the frequencies (n,)."""
    made = thetas_of({"function": "bands", "arguments": given})
    digits = from_fractions([one.rational or Fraction(0) for one in made])
    rest = [k for k, one in enumerate(made) if one.rational is None]
    if rest:
        found = leading(len(rest), 1, lambda rows, bits: [
            (made[rest[row]].rule(),) for row in (range(len(rest)) if rows is None else rows)
        ])  # fmt: skip
        digits[rest] = found.reshape(len(rest))
    return digits


def fourier_bands(coordinates, call, *, factor, order, kinds="sin-cos", include=None):
    """Digits (..., channels), the channels by loops in the order that is asked for."""
    shape, along = points(coordinates)
    several = call if isinstance(call, list) else [call] * len(along)
    thetas = [thetas_of(one) for one in several]
    ranges = {"kind": kinds.split("-"), "axis": range(len(along)), "band": range(len(thetas[0]))}
    outer, middle, inner = order.split("-")
    channels = []
    for x in ranges[outer]:
        for y in ranges[middle]:
            for z in ranges[inner]:
                at = {outer: x, middle: y, inner: z}
                channels.append(Channel(at["kind"], at["axis"], thetas[at["axis"]][at["band"]], factor))
    raw = [Channel("raw", axis) for axis in range(len(along))]
    channels = raw + channels if include == "first" else channels + raw if include == "last" else channels
    return table(shape, along, channels)


def fourier_projection(coordinates, weight, *, factor, layout, phase=None, transform=None):
    """Digits (..., channels) of sines and cosines of the sums, each column with an exact sum of its own."""
    shape, along = points(coordinates)
    if transform == "ln":
        return of_logarithms(shape, along[0], np.asarray(weight, float), factor, layout, phase)
    weights = [[Fraction(value) for value in row] for row in np.asarray(weight, float).tolist()]
    columns = range(np.shape(weight)[1])
    more = [Fraction(0)] * len(columns) if phase is None else [Fraction(value) for value in np.asarray(phase).tolist()]
    tokens = list(zip(*along, strict=True))
    sums = [
        [sum(x * row[j] for x, row in zip(token, weights, strict=True)) + more[j] for token in tokens] for j in columns
    ]
    one = theta(1, 0)
    sines = [Channel("sin", j, one, factor) for j in columns]
    cosines = [Channel("cos", j, one, factor) for j in columns]
    both = [channel for pair in zip(sines, cosines, strict=True) for channel in pair]
    channels = {
        "sin-cos": sines + cosines,
        "cos-sin": cosines + sines,
        "sin": sines,
        "cos": cosines,
        "interleaved": both,
    }
    return table(shape, sums, channels[layout])


def of_logarithms(shape, numbers, weight, factor, layout, phase):
    """Digits of sines and cosines of ln x times weights (1, m), and phases: ln x is rational where x is 1 alone."""
    number, is_pi = split(factor)
    weights = [Fraction(value) for value in weight[0].tolist()]
    phases = [Fraction(value) for value in np.asarray([0.0] * len(weights) if phase is None else phase).tolist()]
    kinds = [(kind, j) for kind in layout.split("-") for j in range(len(weights))]
    if layout == "interleaved":
        kinds = [(kind, j) for j in range(len(weights)) for kind in ("sin", "cos")]
    entries = [(kind, x, weights[j], phases[j]) for x in numbers for kind, j in kinds]

    def known(kind, x, w, p):
        if x != 1 and w:
            return None
        return niven(kind, p * number / 2) if is_pi or not p else None

    values = [known(*entry) for entry in entries]
    result = from_fractions([value or Fraction(0) for value in values])
    rest = [k for k, value in enumerate(values) if value is None]

    def evaluate(rows, bits):
        found = []
        for k in rest if rows is None else (rest[row] for row in rows):
            kind, x, w, p = entries[k]
            angle = (ball(x).log() * ball(w) + ball(p)) * ball(number) * (arb.pi() if is_pi else 1)
            found.append((angle.sin() if kind == "sin" else angle.cos(),))
        return found

    if rest:
        result[rest] = leading(len(rest), 1, evaluate).reshape(len(rest))
    return result.reshape(*shape, len(kinds))
