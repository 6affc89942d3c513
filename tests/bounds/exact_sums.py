"""What the kernels compute without rounding: upper bits of significands, and sums and products with their errors.

Nothing underflows in the scripts with these: their exponents have no lower limit that counts.
"""

import re

from . import source
from .gappa import Number

LEAST = -4000  # exponent of the formats of those scripts
#: the error of a sum s = a + b, with o = s - a (Knuth 1969): with rounding and, of numbers that are given, without it
ERROR = re.compile(r"double\(double\((\w+) - double\((\w+) - (\w+)\)\) \+ double\((\w+) - \3\)\)")
ERROR_EXACT = re.compile(r"\(\((\w+) - \((\w+) - (\w+)\)\) \+ \((\w+) - \3\)\)")


class Upper(Number):
    """Upper bits of a number; what they leave of it is exact (upper_bits.smt2)."""

    def view(self, kind):
        return self


class Bits:
    """The pattern of a number as an integer, as C, Cython and NumPy have it, and what was added to it."""

    def __init__(self, number, added=0):
        self.number, self.added = number, added

    def view(self, kind):
        return self

    def __add__(self, added):
        return Bits(self.number, self.added + added)

    def __and__(self, mask):
        dropped = (2**64 - mask).bit_length() - 1
        rounding = {0: "zr", 2**dropped // 2: "na"}[self.added]
        if mask != 2**64 - 2**dropped or dropped > 51:
            raise ValueError(f"a mask must keep upper bits with some of the significand, got {mask:#x}")
        name = self.number.rounded
        return Upper(f"float<{53 - dropped}, {LEAST}, {rounding}>({name})", part_of=name)


class _Arrays:
    """What NumPy has for bits."""

    ascontiguousarray, uint64, float64 = Bits, int, None


def upper_bits(file, name):
    """The function of that name for the upper bits of a number."""
    code = source.read(file, name)
    return lambda value: source.run(code, {"np": _Arrays, code.parameters[0]: value})["returned"]


def binder(script):
    """Give names to values, which are then given: E_NAME is what NAME is without its own roundings.

    Errors of sums whose parts have names are exact: they are the sum less what it is rounded to.
    """

    def bind(name, value):
        if not isinstance(value, Number) or value.rounded.isidentifier():
            return value
        lines = set(script.lines)

        def exactly(found):
            a, s, o, b = found.groups()
            is_error = {f"{s} = double({a} + {b});", f"{o} = double({s} - {a});"} <= lines
            return f"(({a} + {b}) - {s})" if is_error else found[0]

        rounded, exact = ERROR.sub(exactly, value.rounded), ERROR_EXACT.sub(exactly, value.exact)
        made = script.bind(name, Number(rounded, exact, value.kind, value.part_of))
        return Number(made.rounded, kind=value.kind, part_of=made.part_of)

    return bind


class ExactSum:
    """`exact_sum` of the compiled kernels; the numbers that its calls sum get names, where they have none."""

    def __init__(self, bind, names):
        self.code = source.read("ext/compiled.pyx", "exact_sum")
        self.parameters, self.bind, self.names, self.calls = self.code.parameters, bind, iter(names), 0

    def __call__(self, *numbers):
        self.calls += 1
        numbers = [x if x.rounded.isidentifier() else self.bind(next(self.names), x) for x in numbers]
        values = dict(zip(self.parameters, numbers, strict=False))
        return source.run(
            self.code, values, bind=lambda name, value: self.bind(f"{name.rstrip('_')}{self.calls}", value)
        )
