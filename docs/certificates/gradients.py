"""Vector-Jacobian products of tables, kernels and waves: what their golden cases claim.

A table enters linearly, so that the gradient of each of its elements is the sum of the cotangent with the weights that
the claims of the function itself have.
"""

from fractions import Fraction
from math import gcd

import biases
import scales
import tables
from features import WAVES, points
from formulas import less, power, times
from intervals import fraction, need
from positions import number
from sums import elements, integer, quotient, total_of, weighted

HALF = Fraction(1, 2)
XPOS, ARGUMENTS = scales.FUNCTIONS["xpos"]


def linear(claim):
    """{number of an element: its weight} of a claim that is a sum of elements times fractions."""
    stack = []
    for word in claim.split():
        if word in ("+", "*", "/"):
            (m, x), (n, y) = stack[-2:]
            stack[-2:] = [{"+": added, "*": scaled_by, "/": divided}[word]((m, x), (n, y))]
        else:
            stack.append((Fraction(0), {int(word[1:]): 1}) if word[0] == "t" else (Fraction(*fraction(word)), {}))
    ((_, weights),) = stack
    return weights


def added(one, other):
    keys = {**one[1], **other[1]}
    return one[0] + other[0], {k: one[1].get(k, 0) + other[1].get(k, 0) for k in keys}


def scaled_by(one, other):
    one, other = (other, one) if other[1] else (one, other)
    return one[0] * other[0], {k: w * other[0] for k, w in one[1].items()}


def divided(one, other):
    return scaled_by(one, (Fraction(1, other[0]), {}))


def transposed(function, inputs):
    """The claims of the gradients of inputs that a function is linear in."""

    def claims(a, output):
        sizes = [len(a[name]["values"]) for name in inputs if name in a]
        start = sum(sizes[: inputs.index(output.removeprefix("gradient_"))])
        ones = {name: a[name] | {"values": [(1, 1)] * len(a[name]["values"])} for name in inputs if name in a}
        forward = {name: one for name, one in a.items() if name != "cotangent"} | ones
        value, cotangent = function(forward, "output")[2], a["cotangent"]["values"]
        weights = {}
        for index in range(len(cotangent)):
            found = linear(value(index))
            need(found or cotangent[index] is not None, "infinity or NaN")  # of which 0 times is NaN
            for k, w in found.items():
                weights.setdefault(k, {})[index] = w
        return elements(cotangent), "1", lambda index: weighted(cotangent, weights.get(start + index, {}))

    return claims


def coprime(numbers):
    """Integers above 1 without common factors, of whose powers the numbers are products."""
    found, left = [], list(numbers)
    while left:
        n = left.pop()
        k = next((k for k, one in enumerate(found) if gcd(n, one) > 1), None)
        if k is not None:
            common, one = gcd(n, found[k]), found.pop(k)
            left += [n // common, one // common, common]
        elif n > 1:
            found.append(n)
    return found


def of_logarithms(terms):
    """The sum of [(number, fraction)], numbers times logarithms: those of coprime integers do not cancel."""
    sums = {one: Fraction(0) for one in coprime(n for _, x in terms for n in (x.numerator, x.denominator))}
    for w, x in terms:
        for one in sums:
            for n, sign in ((x.numerator, 1), (x.denominator, -1)):
                while n % one == 0:
                    n, sums[one] = n // one, sums[one] + sign * w
    return total_of((w, f"{integer(one)} ln") for one, w in sums.items())


def primes_of(n):
    """[(prime, exponent)]"""
    found, prime = [], 2
    while n > 1:
        count = 0
        while n % prime == 0:
            n, count = n // prime, count + 1
        found, prime = found + [(prime, count)] * (count > 0), prime + 1
    return found


def of_power(kind, name, d, total, p, slope):
    """[(fraction, formula)] of total times the derivative of -slope d**p or exp(-slope d**p), with roots of primes."""
    share, root = Fraction(1), "1"
    for prime, count in primes_of(d):
        whole = count * p // 1
        share, rest = share * Fraction(prime) ** whole, count * p - whole
        root = times(root, power((prime, 1), rest.numerator, rest.denominator))
    if kind == "weight":
        exponent = times(root, quotient(share * slope))
        need(less(exponent, "2000"), "sums of exponentials below 2**-2885")
        weight = f"{exponent} -1 * exp"
        root = weight if root == "1" else f"{root} {weight} *"
    if name == "a":
        return [(-total * share, root)]
    return [(-total * share * slope * count, f"{root} {prime} ln *") for prime, count in primes_of(d)]


def vjp_kerple(a, output):
    """Sums over distances of the derivative of each kernel; 0 of a parameter that is beyond its bounds."""
    queries, keys, least = a["query_len"], a["key_len"], Fraction(*number(a["least"]))
    offset, cotangent = a.get("query_offset", keys - queries), a["cotangent"]["values"]

    def kept(name, n):
        n = max(n, least)
        return min(n, Fraction(2)) if name == "p" and a["kind"] != "log" else n

    def value(head):
        given = {name: Fraction(*a[name]["values"][head]) for name in "ap"}
        name = output.removeprefix("gradient_")
        if given[name] != kept(name, given[name]):
            return "0"
        totals = {}
        for cell in range(queries * keys):
            d, one = cell // keys + offset - cell % keys, cotangent[head * queries * keys + cell]
            if d > 0:
                need(one is not None, "infinity or NaN")
                totals[d] = totals.get(d, 0) + Fraction(*one)
        p, slope = (kept(one, given[one]) for one in "pa")
        if a["kind"] == "log" and name == "a":
            return quotient(sum(Fraction(-p * d * total, 1 + slope * d) for d, total in totals.items()))
        if a["kind"] == "log":
            return of_logarithms([(-total, 1 + slope * d) for d, total in totals.items()])
        return total_of(term for d, total in totals.items() for term in of_power(a["kind"], name, d, total, p, slope))

    return [], "1", value


def canonical(kind, angle, in_pi):
    """(sign, formula) of a wave, so that two whose sum may be a fraction are the same formula.

    Cosines of different numbers of at least 0 are independent over the fractions (Lindemann and Weierstrass), and so
    are those of pi times different fractions in 0 .. 1/2 whose denominators are powers of two.
    """
    if not in_pi:
        sign = -1 if kind == "s" and angle < 0 else 1
        if angle == 0:
            return 1, "1" if kind == "c" else "0"
        return sign, f"{quotient(abs(angle))} {WAVES[kind]}"
    half = (HALF - angle if kind == "s" else angle) % 2
    half = min(half, 2 - half)
    sign, half = (-1, 1 - half) if half > HALF else (1, half)
    if half in (0, HALF):
        return sign, "0" if half else "1"
    need(half.denominator & half.denominator - 1 == 0, "waves of fractions of pi that may cancel")
    return sign, f"{quotient(half)} pi * cos"


def of_waves(output, places, weights, phases, waves):
    """The claims of gradients of waves of x w + phase; `waves` gives (fraction, formula) for (token, wave)."""
    count = len(phases)

    def value(index):
        if output == "gradient_phase":
            return total_of(term for n in range(len(places)) for term in waves(n, index))
        if output == "gradient_weight":
            axis, j = divmod(index, count)
            return total_of((w * x[axis], formula) for n, x in enumerate(places) for w, formula in waves(n, j))
        token, axis = divmod(index, len(weights) // count)
        slopes = weights[axis * count : (axis + 1) * count]
        return total_of((w * slope, formula) for j, slope in enumerate(slopes) for w, formula in waves(token, j))

    return [], "1", value


def vjp_xpos(a, _):
    """A rotation the other way, times the same scale."""
    return XPOS(a | {"x": a["cotangent"], "inverse": not a["inverse"]}, _)


def fractions(given):
    need(all(one is not None for one in given), "infinity or NaN")
    return [Fraction(*one) for one in given]


def vjp_time2vec(a, output):
    """The derivative of a sine is a cosine, that of a cosine minus a sine, and that of the linear channel 1."""
    weights, phases, cotangent = (fractions(a[name]["values"]) for name in ("weight", "phase", "cotangent"))
    places, width = fractions(a["t"]["values"]), len(a["weight"]["values"])
    linear_channel = {"first": 0, "last": width - 1, None: -1}[a.get("linear")]

    def waves(token, j):
        total, one = places[token] * weights[j] + phases[j], cotangent[token * width + j]
        if j == linear_channel:
            return [(one, "1")]
        sign, wave = canonical("c" if a["kind"] == "sin" else "s", total, False)
        return [(one * sign * (1 if a["kind"] == "sin" else -1), wave)]

    return of_waves(output, [[x] for x in places], weights, phases, waves)


def vjp_fourier_projection(a, output):
    along = points(a["coordinates"])
    places = [fractions(one) for one in zip(*along, strict=True)]
    weights, width = fractions(a["weight"]["values"]), a["weight"]["shape"][1]
    phases = fractions(a["phase"]["values"]) if "phase" in a else [Fraction(0)] * width
    cotangent, interleaved = fractions(a["cotangent"]["values"]), a["layout"] == "interleaved"
    kinds = "sc" if interleaved else "".join(one[0] for one in a["layout"].split("-"))
    in_pi = a["factor"] in ("pi", "2pi")
    factor = Fraction(len(a["factor"]) - 1) if in_pi else Fraction(*number(a["factor"]))

    def waves(token, j):
        angle = factor * (phases[j] + sum(x * weights[k * width + j] for k, x in enumerate(places[token])))
        for k, kind in enumerate(kinds):
            one = cotangent[token * len(kinds) * width + (len(kinds) * j + k if interleaved else k * width + j)]
            sign, wave = canonical("c" if kind == "s" else "s", angle, in_pi)
            if wave != "0":
                yield one * factor * (sign if kind == "s" else -sign), times(wave, "pi") if in_pi else wave

    return of_waves(output, places, weights, phases, waves)


TABLES = {
    "learned": ["weight"],
    "learned_axes": ["weights"],
    "mean_of_rows": ["weight"],
    "tile_table": ["weight"],
    "resize_table": ["weight", "window"],
    "resize_packed": ["weight"],
    "resize_bias": ["weight"],
    "relative_bias": ["weight"],
    "t5_bias": ["weight"],
    "window_bias": ["weight"],
}
FORWARD = {name: (tables.FUNCTIONS | biases.FUNCTIONS)[name] for name in TABLES}
FUNCTIONS = {
    f"vjp_{name}": (transposed(function, TABLES[name]), f"{arguments} cotangent")
    for name, (function, arguments) in FORWARD.items()
}
FUNCTIONS |= {
    "vjp_xpos": (vjp_xpos, f"{ARGUMENTS} cotangent"),
    "vjp_kerple": (vjp_kerple, "p a kind least query_len key_len query_offset cotangent"),
    "vjp_time2vec": (vjp_time2vec, "t weight phase linear kind cotangent"),
    "vjp_fourier_projection": (vjp_fourier_projection, "coordinates weight factor layout phase cotangent"),
}
#: the inputs that each gradient function returns the gradient of, where they are given
INPUTS = {f"vjp_{name}": inputs for name, inputs in TABLES.items()}
INPUTS |= {f"vjp_{name}": ["x"] for name in ("rope", "rope_2d", "rope_3d", "mrope", "xpos")}
INPUTS |= {"vjp_kerple": ["a", "p"], "vjp_time2vec": ["t", "weight", "phase"]}
INPUTS |= {"vjp_fourier_projection": ["coordinates", "weight", "phase"]}
