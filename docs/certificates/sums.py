"""Formulas of elements of inputs, which are the numbers of a case: copies, and sums with weights."""

from math import gcd

from formulas import text, times
from intervals import need


def elements(values):
    """The numbers of a case; no formula may hold infinity or NaN."""
    return ["none" if one is None else text(*one) for one in values]


def copied(values, k):
    """The claim of a copy of one element, or of the element in another dtype, rounded once."""
    need(values[k] is not None, "infinity or NaN")
    return "-0" if values[k] == (0, -1) else f"t{k}"


def integer(n):
    """An integer of any size as a formula."""
    return text(n) if abs(n) < 1 << 53 else f"{integer(n >> 50)} 1@50 * {integer(n & (1 << 50) - 1)} +"


def weighted(values, weights):
    """The sum of elements times fractions, {index: weight}: integers over one denominator."""
    weights, common = {k: w for k, w in weights.items() if w}, 1
    need(all(values[k] is not None for k in weights), "infinity or NaN")
    if not any(values[k][0] for k in weights):
        return "0"
    for w in weights.values():
        common = common * w.denominator // gcd(common, w.denominator)
    found = ""
    for k, w in weights.items():
        term = times(f"t{k}", integer(w.numerator * (common // w.denominator)))
        found = f"{found} {term} +" if found else term
    return f"{found} {integer(common)} /" if common > 1 else found
