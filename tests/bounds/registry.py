"""The proofs: {name of the script: (function, variants)}; what the page states; scripts with all values filled in."""

import re
from fractions import Fraction
from pathlib import Path
from string import Template

from . import gappa

HERE = Path(__file__).parent
PAGE = HERE.parent.parent / "docs" / "numbers.md"
PROOFS = {}
EXACT = set()  # names of scripts that prove that an error is 0, not a bound of the page
QUERIES = {}
#: a row with a bound: script, variant where others have a bound of their own, bits
ROW = re.compile(
    r"^\| [^|]*\[(\w+)\]\(\.\./tests/bounds/\1\.(?:g|smt2)\)(?:, ([a-z ]+))? \| 2\^-([\d.]+) \|", re.MULTILINE
)
POWER_BITS = 160  # of powers, which must be larger than a unit of 2^-160
FUSED, NOT_FUSED = "fused", "not fused"


def proof(*variants, exact=False):
    """Register a function: variant -> what the names in the script of its name stand for."""

    def register(function):
        if exact:
            EXACT.add(function.__name__)
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
    target, low, high = 1 << POWER_BITS * bits.denominator - bits.numerator, 1, 1 << POWER_BITS + 1
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if middle**bits.denominator <= target else (low, middle)
    return Fraction(low, 2**POWER_BITS), Fraction(low + 1, 2**POWER_BITS)


def stated():
    """{name of a script, and of a variant: bits} of the totals of docs/numbers.md."""
    rows = ROW.findall(PAGE.read_text(encoding="utf-8"))
    return {f"{name}, {variant}" if variant else name: bits for name, variant, bits in rows}


def bits_of(name, variant):
    """The bits that the page states of a script, or of its variants with a part of that name."""
    bits = stated()
    names = (name, *(f"{name}, {part}" for part in variant.split(", ")))
    return bits[next((known for known in names if known in bits), name)]


def total(table):
    """The bits that the page states as the total of a table with that name, whoever proves it."""
    page = PAGE.read_text(encoding="utf-8")
    (bits,) = re.findall(
        rf"^\| term, {table} \| bound \|\n(?:\|.*\n)*?\| total.*\| 2\^-([\d.]+) \|", page, re.MULTILINE
    )
    return bits


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
    if name not in EXACT:
        values["bound"] = power(bits_of(name, variant))[0]
    return _filled(f"{name}.g", {**values, **PROOFS[name][0](variant)})


def queries(name):
    """The input of z3."""
    return _filled(f"{name}.smt2", QUERIES[name]())
