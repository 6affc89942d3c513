"""Formulas of elements of inputs, which are the numbers of a case: copies, and sums with weights."""

from fractions import Fraction
from math import gcd, isqrt

from formulas import fits, power, text, times
from intervals import fraction, need


def elements(values):
    """The numbers of a case; no formula may hold infinity or NaN."""
    return ["none" if one is None else text(*one) for one in values]


def copied(values, k):
    """The claim of a copy of one element, or of the element in another dtype, rounded once."""
    need(values[k] is not None, "infinity or NaN")
    return "-0" if values[k] == (0, -1) else f"t{k}"


def bits(number):
    """About how many stand before the binary point."""
    return max(abs(number[0]).bit_length() - abs(number[1]).bit_length() + 1, 0)


def integer(n):
    """An integer of any size as a formula."""
    return text(n) if abs(n) < 1 << 53 else f"{integer(n >> 50)} 1@50 * {integer(n & (1 << 50) - 1)} +"


def roots(squares):
    """The root of each square, as (fraction, formula), the same formula for roots with a ratio that is a fraction."""
    found = []
    for square in squares:
        for earlier, (share, formula) in zip(squares, found, strict=False):
            ratio = power((square[0] * earlier[1], square[1] * earlier[0]), 1, 2)
            if "^" not in ratio:
                found.append((share * Fraction(*fraction(ratio)), formula))
                break
        else:
            formula = power(square, 1, 2)
            found.append((Fraction(1), formula) if "^" in formula else (Fraction(*fraction(formula)), "1"))
    return found


def weighted(values, weights):
    """The sum of elements times fractions, {index: weight}: integers over one denominator."""
    weights, common = {k: w for k, w in weights.items() if w}, 1
    need(all(values[k] is not None for k in weights), "infinity or NaN")
    if not any(values[k][0] for k in weights):
        return "0"
    for w in weights.values():
        common = common * w.denominator // gcd(common, w.denominator)
    most = max(bits(values[k]) + bits((w.numerator * common, w.denominator)) for k, w in weights.items())
    need(max(most, common.bit_length()) < 1000, "numbers of more than 1,000 bits")
    found = ""
    for k, w in weights.items():
        term = times(f"t{k}", integer(w.numerator * (common // w.denominator)))
        found = f"{found} {term} +" if found else term
    return f"{found} {integer(common)} /" if common > 1 else found


def quotient(x):
    """A fraction of any size as a formula."""
    x = Fraction(x)
    twos = x.denominator.bit_length() - 1
    if x.denominator == 1 << twos and abs(x.numerator).bit_length() > 900 and 600 < twos < 3000:
        high, low = divmod(x.numerator, 1 << 600)
        return f"{quotient(Fraction(high << 600, 1 << twos))} {quotient(Fraction(low, 1 << twos))} +"
    if x.denominator == 1 << twos and 900 < twos < 3000:
        return f"{quotient(Fraction(x.numerator, 1 << twos - 900))} 1@-900 *"
    need(max(abs(x.numerator), x.denominator).bit_length() < 1000, "numbers of more than 1,000 bits")
    if fits(x.numerator, x.denominator):
        return text(x.numerator, x.denominator)
    twos = (x.denominator & -x.denominator).bit_length() - 1
    found = times(integer(x.numerator), f"1@-{twos}") if twos else integer(x.numerator)
    return found if x.denominator == 1 << twos else f"{found} {integer(x.denominator >> twos)} /"


def root_of(x):
    """The root of a fraction, as a fraction where it is one."""
    n, d = isqrt(x.numerator), isqrt(x.denominator)
    return quotient(Fraction(n, d)) if (n * n, d * d) == (x.numerator, x.denominator) else f"{quotient(x)} sqrt"


def total_of(terms):
    """The sum of products [(fraction, formula)], those of the same formula as one."""
    found = {}
    for w, formula in terms:
        found[formula] = found.get(formula, 0) + w
    words = [times(quotient(w), formula) for formula, w in found.items() if w]
    return " ".join(one if k == 0 else f"{one} +" for k, one in enumerate(words)) or "0"
