"""The proofs: {name of the script: (function, variants)}; what the page states; scripts with all values filled in."""

import re
from fractions import Fraction
from pathlib import Path
from string import Template

from . import gappa

HERE = Path(__file__).parent
PAGE = HERE.parent.parent / "docs" / "numbers.md"
PROOFS = {}
ROW = re.compile(r"^\| total, \[(\w+)\]\(\.\./tests/bounds/\1\.g\) \| 2\^-([\d.]+) \|", re.MULTILINE)
FUSED, NOT_FUSED = "fused", "not fused"


def proof(*variants):
    """Register a function: variant -> what the names in the script of its name stand for."""

    def register(function):
        PROOFS[function.__name__] = function, variants
        return function

    return register


def power(bits):
    """2^-bits for a decimal number of bits, as (not above it, above it)."""
    bits = Fraction(bits)
    target, low = 1 << 100 * bits.denominator, 1
    target >>= bits.numerator
    high = 1 << 101
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if middle**bits.denominator <= target else (low, middle)
    return Fraction(low, 2**100), Fraction(low + 1, 2**100)


def stated():
    """{name of a script: bits} of the totals of docs/numbers.md."""
    return dict(ROW.findall(PAGE.read_text(encoding="utf-8")))


def exact(value):
    """A bound of few bits that is not below a number; numbers of finitely many bits are themselves."""
    value = Fraction(value)
    return value if gappa.is_power_of_two(value.denominator) else gappa.above(value)


def script(name, variant):
    """The input of Gappa: the bound of the page as $bound, and those of other scripts, as hypotheses, by their names."""
    function, _ = PROOFS[name]
    bounds = {other: power(bits) for other, bits in stated().items()}
    values = {other: upper for other, (_, upper) in bounds.items()}
    values |= {"bound": bounds[name][0], **function(variant)}
    texts = {key: value if isinstance(value, str) else gappa.literal(exact(value)) for key, value in values.items()}
    return Template((HERE / f"{name}.g").read_text(encoding="utf-8")).substitute(texts)
