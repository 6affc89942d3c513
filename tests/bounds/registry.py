"""The proofs: {name of the script: (function, variants)}; what the page states; scripts with all values filled in."""

import re
from fractions import Fraction
from pathlib import Path
from string import Template

from . import gappa

HERE = Path(__file__).parent
PAGE = HERE.parent.parent / "docs" / "numbers.md"
PROOFS = {}
QUERIES = {}
#: a row with a bound: script, variant where others have a bound of their own, bits
ROW = re.compile(
    r"^\| [^|]*\[(\w+)\]\(\.\./tests/bounds/\1\.(?:g|smt2)\)(?:, ([a-z ]+))? \| 2\^-([\d.]+) \|", re.MULTILINE
)
FUSED, NOT_FUSED = "fused", "not fused"


def proof(*variants):
    """Register a function: variant -> what the names in the script of its name stand for."""

    def register(function):
        PROOFS[function.__name__] = function, variants
        return function

    return register


def query(function):
    """Register a function: what the names in the queries to z3 in the file of its name stand for."""
    QUERIES[function.__name__] = function
    return function


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
    """{name of a script, and of a variant: bits} of the totals of docs/numbers.md."""
    rows = ROW.findall(PAGE.read_text(encoding="utf-8"))
    return {f"{name}, {variant}" if variant else name: bits for name, variant, bits in rows}


def bits_of(name, variant):
    """The bits that the page states of a script, or of a variant of it."""
    bits = stated()
    return bits[name] if name in bits else bits[f"{name}, {variant}"]


def exact(value):
    """A bound of few bits that is not below a number; numbers of finitely many bits are themselves."""
    value = Fraction(value)
    return value if gappa.is_power_of_two(value.denominator) else gappa.above(value)


def _filled(file, values):
    texts = {key: value if isinstance(value, str) else gappa.literal(exact(value)) for key, value in values.items()}
    return Template((HERE / file).read_text(encoding="utf-8")).substitute(texts)


def script(name, variant):
    """The input of Gappa: $bound is the bound of the page, and $name that of another script, as a hypothesis."""
    values = {other: power(bits)[1] for other, bits in stated().items() if other.isidentifier()}
    values["bound"] = power(bits_of(name, variant))[0]
    return _filled(f"{name}.g", {**values, **PROOFS[name][0](variant)})


def queries(name):
    """The input of z3."""
    return _filled(f"{name}.smt2", QUERIES[name]())
