"""Encodings along several axes, as balls: positions are fractions, one list for each axis.

Coordinates and frequencies come as the golden corpus writes them: integers, fractions and calls {"function": name,
"arguments": arguments}.
"""

from collections.abc import Callable
from fractions import Fraction
from math import isqrt
from typing import NamedTuple

import numpy as np
from flint import arb, ctx, fmpq

from . import scalings
from .balls import at_each_precision, leading
from .digits import concatenate, from_fractions, zeros
from .formulas import geometric, power


def ball(number):
    """A fraction as a ball at the current precision."""
    number = Fraction(number)
    return arb(fmpq(number.numerator, number.denominator))


def _one():
    return arb(1)


# -- positions --------------------------------------------------------------------------------------------------------


def coordinates(given):
    """The positions along one axis of a grid: of a size, of numbers one by one, or of a call."""
    if isinstance(given, int):
        return [Fraction(i) for i in range(given)]
    if isinstance(given, list):
        return [Fraction(value) for value in given]
    options = given["arguments"]
    if given["function"] == "listed":
        return [Fraction(value) for value in options["values"]]
    steps = range(options["size"])
    if given["function"] == "cropped":
        longer = coordinates(options["coordinates"])
        start = options.get("start", (len(longer) - len(steps)) // 2)
        assert 0 <= start <= start + len(steps) <= len(longer)
        return [longer[start + i] for i in steps]
    return {
        "affine": lambda: [options.get("start", 0) + i * Fraction(options.get("step", 1)) for i in steps],
        "half_pixel": lambda: [Fraction(2 * i + 1, options.get("count") or len(steps)) - 1 for i in steps],
        "centred": lambda: [Fraction(i - _middle(len(steps), options["rounding"])) for i in steps],
        "linspace": lambda: _evenly(len(steps), options),
        "resampled": lambda: [Fraction(i * options["reference"] // len(steps)) for i in steps],
    }[given["function"]]()


def _middle(size, rounding):
    return {"floor": size // 2, "ceil": (size + 1) // 2, "middle": (size - 1) // 2}[rounding]


def _evenly(size, options):
    start, stop = Fraction(options["start"]), Fraction(options["stop"])
    gaps = max(size - 1, 1) if options.get("endpoint") else size
    return [start + (stop - start) * i / gaps for i in range(size)]


def cells(*axes):
    """The positions of the cells of a grid on each axis, the last axis fastest."""
    sizes = [len(axis) for axis in axes]
    indices = [index.reshape(-1).tolist() for index in np.indices(sizes)]
    return [[axis[k] for k in index] for axis, index in zip(axes, indices, strict=True)]


# -- frequencies ------------------------------------------------------------------------------------------------------


class Turning(NamedTuple):
    """The thetas and the factor as rules that give balls, the factor as a fraction where it is one, and the axes."""

    rule: Callable
    factor: Callable
    rational: Fraction | None
    axes: tuple


def turning(call):
    """What a call that makes frequencies defines."""
    name, given = call["function"], call["arguments"]
    if name == "axial_frequencies":
        return Turning(*axial(given))
    if name == "given_frequencies":
        values = given["inv_freq"]
        return Turning(lambda: [ball(value) for value in values], _one, Fraction(1), (0,) * len(values))
    if name == "mrope_frequencies":
        rule, factor = scalings.plain(given), _one
        if given.get("frequencies") is not None:
            rule, factor = scalings.scaling(given["frequencies"])
        return Turning(rule, factor, fraction_of(factor), sections_of(given["sections"], given["arrangement"]))
    rule, factor = scalings.scaling(call)
    return Turning(rule, factor, fraction_of(factor), (0,) * (scalings.dim_of(call) // 2))


def axial(given):
    """(rule, no factor, 1, axes) of blocks of channels that rotate by axes of their own."""
    halves = [width // 2 for width in given["widths"]]
    kind, endpoint = given.get("allocation", "separate"), given.get("endpoint", False)
    bases = given.get("base", 10000)
    bases = bases if isinstance(bases, list) else [bases] * len(halves)
    axes = given.get("axes") or list(range(len(halves)))
    pi_times = given.get("times_pi")

    def of(count, base):
        return geometric(count, Fraction(1, max(count - 1, 1)) if endpoint else Fraction(1, count), base)()

    def blocks():
        if given.get("frequencies"):
            return [turning(call).rule() for call in given["frequencies"]]
        if kind == "separate":
            return [of(half, base) for half, base in zip(halves, bases, strict=True)]
        whole = of(sum(halves), bases[0])
        if kind == "strided":
            return [whole[k :: len(halves)] for k in range(len(halves))]
        return [whole[sum(halves[:k]) : sum(halves[: k + 1])] for k in range(len(halves))]

    def arranged(parts):
        if given.get("arrangement", "blocks") == "interleaved":
            return [part[j] for j in range(halves[0]) for part in parts]
        return [value for part in parts for value in part]

    def rule():
        thetas = arranged(blocks())
        return thetas if pi_times is None else [theta * arb.pi() * ball(pi_times) for theta in thetas]

    return rule, _one, Fraction(1), tuple(arranged([[axis] * half for axis, half in zip(axes, halves, strict=True)]))


def sections_of(sections, arrangement):
    """The axis of each pair: time 0, row 1, column 2."""
    first, second, third = sections
    if arrangement == "chunked":
        return (0,) * first + (1,) * second + (2,) * third
    if arrangement == "alternating":  # rows and columns take turns, then time
        return tuple(1 + i % 2 if i < first + second else 0 for i in range(sum(sections)))
    ends = {1: 3 * second, 2: 3 * third}
    return tuple(i % 3 if i < ends.get(i % 3, 0) else 0 for i in range(sum(sections)))


def fraction_of(factor):
    """A factor as a fraction; None where it is none of a few hundred digits, hence irrational."""
    before, ctx.prec = ctx.prec, 8192
    try:
        value = factor()
        middle = Fraction(int((value.mid() * arb(2) ** 8000).floor().unique_fmpz()), 2**8000)
        simple = middle.limit_denominator(2**1500)
        return simple if value.contains(ball(simple)) else None
    finally:
        ctx.prec = before


def frequency_digits(found):
    """Digits of the thetas (pairs,) and of the factor ()."""
    count = len(found.axes)
    return _digits(at_each_precision(found.rule), count), _digits(lambda: [found.factor()], 1).reshape(())


def _digits(compute, count):
    def evaluate(rows, bits):
        balls = compute()
        return [(balls[k],) for k in (range(count) if rows is None else rows)]

    return leading(count, 1, evaluate, exact=lambda row: (fraction_of(lambda: compute()[row]),)).reshape(count)


# -- tables and rotations ---------------------------------------------------------------------------------------------


def table(positions, axes, rule, factor=_one, rational=None):
    """Digits (cos, sin) of factor * cosine and sine of position * theta, each (tokens, pairs).

    axes: the axis of each pair. rule() and factor() give balls at the current precision; rational is the factor where
    it is a fraction.
    """
    ones, none = np.ones((len(positions[0]), len(axes))), np.zeros((len(positions[0]), len(axes)))
    rational = Fraction(1) if factor is _one else rational
    cos = _sums(ones, none, positions, axes, rule, factor, rational)
    return cos, _sums(none, ones, positions, axes, rule, factor, rational)


def rotate(a, b, positions, axes, rule, factor=_one, other=None, rational=None, turn=1):
    """Digits of factor * (a cos - b sin, b cos + a sin), each (tokens, pairs).

    other: (axes, rule) of the second results, where they rotate by angles of their own. turn: -1 turns back.
    """
    rational = Fraction(1) if factor is _one else rational
    second_axes, second_rule = other or (axes, rule)
    first = _sums(a, -turn * b, positions, axes, rule, factor, rational)
    return first, _sums(b, turn * a, positions, second_axes, second_rule, factor, rational)


def _sums(of_cos, of_sin, positions, axes, rule, factor, rational):
    """Digits of factor * (of_cos cosine + of_sin sine), (tokens, pairs)."""
    tokens, pairs = of_cos.shape
    rule, factor = at_each_precision(rule), at_each_precision(factor)
    resting = [theta == 0 for theta in rule()]
    result = zeros((tokens * pairs,))
    still, busy = [], []
    for k in range(tokens * pairs):
        token, i = divmod(k, pairs)
        (still if resting[i] or positions[axes[i]][token] == 0 else busy).append(k)
    p, q = of_cos.reshape(-1), of_sin.reshape(-1)
    if still and rational is not None:
        result[still] = from_fractions([Fraction(p[k].item()) * rational for k in still])
        still = []
    # what an irrational factor multiplies, where it is not 0
    places = sorted(busy + [k for k in still if p[k]])
    if not places:
        return result.reshape(tokens, pairs)

    def angle(thetas, k):
        token, i = divmod(places[k], pairs)
        return thetas[i] * ball(positions[axes[i]][token])

    def evaluate(rows, bits):
        thetas, scale, found = rule(), factor(), []
        for k in range(len(places)) if rows is None else rows:
            sine, cosine = angle(thetas, k).sin_cos()
            found.append(((cosine * p[places[k]].item() + sine * q[places[k]].item()) * scale,))
        return found

    def exact(row):
        # a fraction of a turn: cosine and sine are 0, 1/2 or 1 (Niven), or the sum is irrational or cancels
        ((value,),) = evaluate([row], None)
        assert value.rad() < 2.0**-1000
        if value.contains(0):
            return (Fraction(0),)
        sine, cosine = angle(rule(), row).sin_cos()
        known = _half(cosine) * Fraction(p[places[row]].item()) + _half(sine) * Fraction(q[places[row]].item())
        assert value.contains(ball(known * rational))
        return (known * rational,)

    size = np.frexp(np.maximum(np.abs(p), np.abs(q)))[1][places]
    result[places] = leading(len(places), 1, evaluate, size, exact).reshape(len(places))
    return result.reshape(tokens, pairs)


def _half(value):
    """The half of an integer that is in a ball, and 0 where there is none, since the other term is 0 then."""
    found = Fraction(int((2 * value + arb(0.5)).floor().mid().unique_fmpz()), 2)
    return found if value.contains(ball(found)) else Fraction(0)


# -- encodings --------------------------------------------------------------------------------------------------------


def sincos_3d(frames, height, width, dim, *, axis_order="thw", **options):
    """Digits (frames, height, width, dim), or (extra_tokens + cells, dim)."""
    return sincos_grid([frames, height, width], dim, axis_order=axis_order, **options)


def sincos_grid(grid, dim, *, axis_order, widths=None, layout="sin-cos", packing="axes", base=10000, endpoint=False,
                extra_tokens=None, token_order="row-major"):  # fmt: skip
    """Digits (*sizes, dim), or (extra_tokens + cells, dim), the cells in the order of the tokens."""
    along = [coordinates(given) for given in (grid if isinstance(grid, list) else grid["arguments"]["coordinates"])]
    count = len(along)
    letters = {2: "hw", 3: "thw"}.get(count)
    order = [letters.index(axis) for axis in axis_order] if isinstance(axis_order, str) else axis_order
    # the index of every cell along each axis, in the order of the tokens
    fastest_last = list(range(count))
    if token_order == "reversed":
        fastest_last.reverse()
    if token_order == "column-major":
        fastest_last[count - 2 :] = fastest_last[: count - 3 : -1] if count > 2 else fastest_last[::-1]
    sizes = [len(along[axis]) for axis in fastest_last]
    indices = dict(zip(fastest_last, (index.reshape(-1) for index in np.indices(sizes)), strict=True))
    sines, cosines = [], []
    for axis, share in zip(order, widths or [dim // count] * count, strict=True):
        half = share // 2
        step = Fraction(1, max(half - 1, 1)) if endpoint else Fraction(1, half)
        cos, sin = table([along[axis]], (0,) * half, geometric(half, step, base))
        sines.append(sin[indices[axis]])
        cosines.append(cos[indices[axis]])
    kinds = [cosines, sines] if layout == "cos-sin" else [sines, cosines]
    if packing == "kinds":
        parts = kinds[0] + kinds[1]
    else:
        parts = [concatenate(pair, 1) for pair in zip(*kinds, strict=True)]
        if layout == "interleaved":
            parts = [part[:, [k for j in range(n) for k in (j, n + j)]] for part in parts
                     for n in [part.shape[1] // 2]]  # fmt: skip
    cells_of = concatenate(parts, 1)[:, :dim]
    if extra_tokens is None:
        return cells_of.reshape(*sizes, dim)
    return concatenate([zeros((extra_tokens, dim)), cells_of], 0)


def xdrope_axes(sections):
    """The axes of the first and of the second channels of the pairs."""
    runs = [axis for axis, count in enumerate(sections) for _ in range(2 * count)]
    return tuple(runs[: len(runs) // 2]), tuple(runs[len(runs) // 2 :])


def vjepa2_rules(dim, base):
    """(pairs of a block, rule of the first channels, of the second): channel c of a block takes theta c mod m/2."""
    half = dim // 3 // 2

    def of(parity):
        return lambda: [power(Fraction(base), Fraction(-((2 * i + parity) % half), half)) for i in range(half)] * 3

    return half, of(0), of(1)


def ernie_image_rules(widths, base):
    """(rule, axes) of the first and of the second channels of the pairs: channel c takes angle c // 2 of all."""
    rule, _, _, axes = axial({"widths": widths, "base": base})
    half = len(axes)

    def part(start):
        numbers = [(start + i) // 2 for i in range(half)]
        return lambda: [rule()[k] for k in numbers], tuple(axes[k] for k in numbers)

    return part(0), part(half)


def by_root(value, square, squares):
    """value * sqrt(square) as (number, root): root is the first of the squares, and 1, with which the ratio is one."""
    for root in (Fraction(1), *squares):
        ratio = Fraction(square) / root
        over, under = isqrt(ratio.numerator), isqrt(ratio.denominator)
        if (over * over, under * under) == (ratio.numerator, ratio.denominator):
            return value * Fraction(over, under), root
    raise AssertionError("a number is its own square class")


def sum_of_roots(parts):
    """The ball of a sum of number * sqrt(root); 0 exactly where the numbers of each root cancel."""
    total = arb(0)
    for root in dict.fromkeys(root for _, root in parts):
        number = sum(value for value, one in parts if one == root)
        if number:
            total += ball(number) * ball(root).sqrt()
    return total
