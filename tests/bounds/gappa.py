"""Numbers of the code as terms of Gappa: what an expression computes, and the same operations without rounding."""

import operator
from fractions import Fraction

SCALE = 2**240


def literal(value):
    """A number with finitely many bits, exactly."""
    value = Fraction(value)
    bits = value.denominator.bit_length() - 1
    if value.denominator != 1 << bits:
        raise ValueError(f"a constant must have finitely many bits, got {value}")
    text = f"{abs(value.numerator)}b-{bits}" if bits else str(abs(value.numerator))
    return text if value >= 0 else f"(-{text})"


def below(value):
    """A number of few bits that is not above a number."""
    return Fraction(value * SCALE // 1, SCALE)


def above(value):
    """A number of few bits that is not below a number."""
    return -below(-value)


def is_power_of_two(value):
    numerator, denominator = abs(value).as_integer_ratio()
    return numerator & (numerator - 1) == 0 and denominator & (denominator - 1) == 0 and numerator != 0


def interval(lower, upper):
    return f"[{literal(below(lower)).strip('()')}, {literal(above(upper)).strip('()')}]"


class Number:
    """A number that the code computes; of what it is the part on a grid, if it is one.

    Products with a power of two are exact, as no number here comes near 2**-1022, and so is what the part on a grid
    leaves of a number (grid.smt2).
    """

    def __init__(self, rounded, exact=None, kind="double", part_of=None):
        self.rounded, self.exact, self.kind, self.part_of = rounded, exact or rounded, kind, part_of

    def _made(self, operation, other, swap=False):
        if isinstance(other, (int, float)):
            other = Number(literal(float(other)), kind=self.kind)
        if other.kind != self.kind:
            raise TypeError(f"both operands must be {self.kind}, got {other.kind}")
        a, b = (other, self) if swap else (self, other)
        return Number(
            f"{self.kind}({a.rounded} {operation} {b.rounded})", f"({a.exact} {operation} {b.exact})", self.kind
        )

    def __add__(self, other):
        return self._made("+", other)

    def __radd__(self, other):
        return self._made("+", other, swap=True)

    def __sub__(self, other):
        if isinstance(other, Number) and other.part_of == self.rounded:
            return Number(f"({self.rounded} - {other.rounded})", f"({self.exact} - {other.exact})", self.kind)
        return self._made("-", other)

    def __rsub__(self, other):
        return self._made("-", other, swap=True)

    def __mul__(self, other):
        if isinstance(other, (int, float)) and is_power_of_two(float(other)):
            return Number(*(f"({part} * {literal(float(other))})" for part in (self.rounded, self.exact)), self.kind)
        return self._made("*", other)

    def __rmul__(self, other):
        return self * other if is_power_of_two(float(other)) else self._made("*", other, swap=True)

    def __truediv__(self, other):
        if isinstance(other, (int, float)) and is_power_of_two(float(other)):
            return self * (1 / float(other))
        return self._made("/", other)

    def __neg__(self):
        return Number(f"(-{self.rounded})", f"(-{self.exact})", self.kind)


def fused(a, b, c, sign=1):
    """c + a b, or c - a b, rounded once."""
    operation = "+" if sign > 0 else "-"
    terms = [value if isinstance(value, Number) else Number(literal(value), kind=a.kind) for value in (a, b, c)]
    parts = [[getattr(term, which) for term in terms] for which in ("rounded", "exact")]
    made = [f"({c} {operation} {a} * {b})" for a, b, c in parts]
    return Number(f"{a.kind}{made[0]}", made[1], a.kind)


class Script:
    """The definitions of a script in their order, and what must hold for them to mean what the code does."""

    def __init__(self):
        self.lines, self.needed = [], []

    def filled(self):
        """What the names in a template stand for."""
        return {"definitions": "\n".join(self.lines), "needed": "".join(f"\n/\\ {goal}" for goal in self.needed)}

    def bind(self, name, value):
        """Give a name to a value; what the code assigns a second time gets a new one."""
        if not isinstance(value, Number):
            return value
        name = "".join(letter if letter.isalnum() else "_" for letter in name).strip("_")
        while any(line.startswith(f"{name} =") for line in self.lines):
            name += "_"
        self.lines.append(f"{name} = {value.rounded};")
        if value.exact == value.rounded:
            return Number(name, kind=value.kind, part_of=value.part_of)
        self.lines.append(f"E_{name} = {value.exact};")
        return Number(name, f"E_{name}", value.kind)

    def grid(self, value, anchor):
        """(value + anchor) - anchor, for an anchor of 1.5 * 2**n: the nearest multiple of an ulp of it.

        That holds for values up to 2**(n - 1), as grid.smt2 proves. Without rounding it is the same number: formulas
        are made of such parts, not of the number that is parted.
        """
        ulp = Fraction(anchor) / 3 * 2 / 2**52
        if not is_power_of_two(ulp):
            raise ValueError(f"an anchor must be 1.5 times a power of two, got {anchor}")
        value = value if value.rounded.isidentifier() else self.bind("parted", value)
        self.needed.append(f"|{value.rounded}| <= {literal(ulp * 2**51)}")
        return Number(
            f"fixed<{ulp.numerator.bit_length() - ulp.denominator.bit_length()}, ne>({value.rounded})",
            kind=value.kind, part_of=value.rounded,
        )  # fmt: skip

    def operations(self, is_fused):
        """What the source calls, of numbers of a script."""

        def multiply_add(a, b, c):
            return fused(a, b, c) if is_fused else a * b + c

        def subtract_product(a, b, c):
            return fused(a, b, c, -1) if is_fused else c - a * b

        def to_grid(value, bits):
            return self.grid(value, 1.5 * 2 ** (52 - bits))

        return {
            "fma_d": multiply_add, "fma_s": multiply_add, "fnma_d": subtract_product, "fnma_s": subtract_product,
            "GRID": self.grid, "to_grid": self.grid, "_to_grid": to_grid, **COMMON,
        }  # fmt: skip


#: of any numbers
COMMON = {"VD": None, "VS": None, "ALL": lambda kind, value: value}


def _nothing(value, anchor):
    return 0


#: what the source calls, of numbers without rounding; what it parts on a grid is taken to be all below the grid
WITHOUT_PARTS = {
    "fma_d": lambda a, b, c: a * b + c, "fnma_d": lambda a, b, c: c - a * b,
    "GRID": _nothing, "to_grid": _nothing, "_to_grid": _nothing, **COMMON,
}  # fmt: skip


class _Ufuncs:
    """Those that the NumPy kernels call by name."""

    add, subtract, multiply = operator.add, operator.sub, operator.mul


NUMPY = {"np": _Ufuncs}
#: how a machine may compute a product of complex numbers: which of its two products is fused with the sum
ORDERS = ("not fused", "first fused", "second fused")


class Complex:
    """A complex number of the NumPy kernels, whose products are computed in one of the ORDERS."""

    def __init__(self, real, imag, order):
        self.real, self.imag, self.order = real, imag, order

    def __add__(self, other):
        return Complex(self.real + other.real, self.imag + other.imag, self.order)

    def __mul__(self, other):
        a, b, c, d = self.real, self.imag, other.real, other.imag
        made = {
            "not fused": lambda: (a * c - b * d, a * d + b * c),
            "first fused": lambda: (fused(a, c, -(b * d)), fused(a, d, b * c)),
            "second fused": lambda: (fused(b, d, a * c, -1), fused(b, c, a * d)),
        }[self.order]()
        return Complex(*made, self.order)
