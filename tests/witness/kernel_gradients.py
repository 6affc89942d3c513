"""Derivatives of the kernels of KERPLE for their parameters, as sums of balls, term by term.

Where 8192 bits decide nothing the sum is a fraction: 0, or with the powers of whole roots that which is next to it.
"""

from fractions import Fraction

import numpy as np
from flint import arb, ctx

from .axes import ball
from .balls import leading
from .digits import from_fractions, patterns, zeros
from .gradients import rounded, total
from .suites import witness

FAR = 20_000  # e**-FAR is less than the smallest number of every format by far


def factor(kind, name, p, a, d):
    """The derivative at one distance, as (a ball, whether it is 0), without the exponential of a weight."""
    if kind == "log":
        return -(1 + ball(a) * d).log() if name == "p" else -ball(p * d / (1 + a * d))
    power = ball(Fraction(d)) ** ball(p)
    return -power if name == "a" else -ball(a) * power * arb(d).log()


def derivative(kind, name, limited, terms):
    """A fraction, a float that is not finite, or a rule that gives a ball; terms: (distance, cotangent)."""
    p, a = limited["p"], limited["a"]
    no_slope = 1 if name == "p" and kind != "log" else 0  # where the logarithm of the distance is 0
    if not all(np.isfinite(one) for _, one in terms):
        odd = [(one if d != no_slope else float("nan"), Fraction(-1)) for d, one in terms if not np.isfinite(one)]
        return total(odd)
    sums = {}
    for d, one in terms:
        sums[d] = sums.get(d, 0) + Fraction(one)
    sums = {d: one for d, one in sums.items() if one and d != no_slope}
    if not sums:
        return Fraction(0)
    if kind == "log" and name == "a":
        return -p * sum(one * d / (1 + a * d) for d, one in sums.items())
    if kind != "weight":
        return lambda: sum((ball(one) * factor(kind, name, p, a, d) for d, one in sums.items()), arb(0))
    first = min(sums)

    def scaled():
        start = ball(Fraction(first)) ** ball(p)
        shares = (ball(a) * (start - ball(Fraction(d)) ** ball(p)) for d in sums)
        parts = (
            ball(sums[d]) * factor(kind, name, p, a, d) * share.exp() for d, share in zip(sums, shares, strict=True)
        )
        return sum(parts, arb(0)), -ball(a) * start

    before, ctx.prec = ctx.prec, 3000
    found, exponent = scaled()
    ctx.prec = before
    if exponent < -FAR:
        return Fraction(1 if found > 0 else -1, 2**1200)
    return lambda: scaled()[0] * scaled()[1].exp()


def as_patterns(sums, dtype):
    """Bit patterns of what `derivative` returns."""
    found = zeros((len(sums),))
    open_ = [k for k, one in enumerate(sums) if callable(one)]
    for k, one in enumerate(sums):
        if isinstance(one, Fraction):
            found[k] = from_fractions([one])[0]
    if open_:
        all_rows = range(len(open_))
        found[open_] = leading(len(open_), 1,
                               lambda rows, bits: [(sums[open_[k]](),) for k in (all_rows if rows is None else rows)],
                               exact=lambda row: (nearest(sums[open_[row]]()),)).reshape(len(open_))  # fmt: skip
    result = patterns(found, dtype)
    for k, one in enumerate(sums):
        if isinstance(one, float):
            result[k] = rounded([one], dtype)[0]
    return result


def nearest(found):
    """The multiple of 2**-1200 that a narrow ball holds."""
    scaled = (found * arb(2) ** 1200 + arb(0.5)).floor().unique_fmpz()
    return Fraction(int(scaled), 2**1200)


@witness("vjp_kerple", source="definition: the derivative of kerple")
def _kerple(given, call, dtype):
    kind, least, (queries, keys) = given["kind"], given["least"], (given["query_len"], given["key_len"])
    offset, result = given.get("query_offset", keys - queries), {}
    for name in ("p", "a"):
        if given[name].dtype.kind == "f":
            sums = []
            for head, (p, a) in enumerate(zip(given["p"].tolist(), given["a"].tolist(), strict=True)):
                limited = {"p": max(Fraction(p), least), "a": max(Fraction(a), least)}
                limited["p"] = limited["p"] if kind == "log" else min(limited["p"], Fraction(2))
                free = Fraction({"p": p, "a": a}[name]) == limited[name]
                cells = given["cotangent"][head].reshape(queries, keys).tolist() if free else []
                terms = [(i + offset - j, one) for i, row in enumerate(cells) for j, one in enumerate(row)]
                sums.append(derivative(kind, name, limited, [term for term in terms if term[0] > 0]))
            result[f"gradient_{name}"] = as_patterns(sums, dtype)
    return result
