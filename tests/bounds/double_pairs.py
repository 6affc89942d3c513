"""Operations of pairs of doubles as terms of Gappa: a pair is one number, and each operation is off by what its script
proves (pair_product, pair_sum, pair_quotient)."""

import re
from fractions import Fraction

from . import gappa, registry, source
from .registry import power

NORMALISED, ONE_CUT = "normalised", "one cut"
#: what products lose below 2^-960, where their parts may underflow
UNDERFLOW = "1b-900"


class Part(gappa.Number):
    """`high` or `low` of a pair, of which it knows the number that both make."""

    shape = None

    def __init__(self, rounded, exact, pair):
        super().__init__(rounded, exact)
        self.pair = pair

    def __neg__(self):
        return Part(f"(-{self.rounded})", f"(-{self.exact})", -self.pair)

    def __mul__(self, other):
        return self if other is ONE else super().__mul__(other)


#: a power of two that a script leaves out: it is written in units of it
ONE = object()


class Pairs:
    """The operations of refpos/arithmetic/double_double.py in a script, and what the lemmas say of them."""

    def __init__(self):
        self.script, self.known, self.hints, self.count = gappa.Script(), [], [], 0
        self.size = None  # of numbers next to 0 whose low was added to

    def filled(self):
        """What names in a template stand for."""
        known = "".join(f"\n/\\ {line}" for line in self.known)
        return {**self.script.filled(), "known": known, "hints": "\n".join(self.hints)}

    def run(self, file, function, values, given=(), skipped=(), first=None, last=None):
        """Execute a function of that file with the operations."""
        values = self.operations() | values
        return source.run(source.read(file, function, first, last), values, given, skipped, self.bind)

    def bind(self, name, value):
        """Give a name to a number; parts of pairs keep theirs."""
        named = isinstance(value, gappa.Number) and re.fullmatch("[A-Za-z]\\w*", value.rounded)
        return value if isinstance(value, Part) or named else self.script.bind(name, value)

    def given(self, name, exact=None, cut=False):
        """(high, low) of a pair that a script defines or has as a variable; high is the double nearest to it."""
        self.script.lines += [f"H_{name} = double({name});", f"L_{name} = {name} - H_{name};"]
        pair = gappa.Number(name, exact)
        pair.cut = cut
        return Part(f"H_{name}", pair.exact, pair), Part(f"L_{name}", "0", pair)

    def made(self, value, exact, difference=None):
        """The result of an operation, and what it is off by as a hint."""
        self.count += 1
        name = f"P{self.count}"
        if exact == value:
            self.script.lines.append(f"{name} = {value};")
            return self.given(name)
        self.script.lines += [f"{name} = {value};", f"E_{name} = {exact};"]
        self.hints += [f"{name} - E_{name} -> {difference};"] * bool(difference)
        return self.given(name, f"E_{name}")

    def error(self, *lemma, of="e"):
        """A variable for what an operation is off by."""
        self.known.append(f"|{of}{self.count + 1}| <= {gappa.literal(power(registry.bits_of(*lemma))[1])}")
        return f"{of}{self.count + 1}"

    def two_sum(self, one, other):
        one, other = number(one), number(other)
        return self.made(f"{one.rounded} + {other.rounded}", f"{one.exact} + {other.exact}")

    def multiply(self, high, low, other_high, other_low):
        a, b = self.whole(high, low), self.whole(other_high, other_low)
        cut, u = getattr(b, "cut", False), f"u{self.count + 1}"
        self.known.append(f"|{u}| <= {UNDERFLOW}")
        if cut and self.size:
            rest = f"{a.rounded} * ({self.error('product_of_low', 'positive')} * {gappa.literal(self.size)}) + {u}"
        else:
            rest = f"{a.rounded} * {b.rounded} * {self.error('pair_product', ONE_CUT if cut else NORMALISED)} + {u}"
        difference = f"{a.rounded} * ({b.rounded} - {b.exact}) + {_difference(a, b)}{rest}"
        return self.made(f"{a.rounded} * {b.rounded} + {rest}", f"{a.exact} * {b.exact}", difference)

    def add(self, high, low, other_high, other_low):
        a, b = self.whole(high, low), self.whole(other_high, other_low)
        rest = (
            f"{a.rounded} * {self.error('pair_sum', 'apart')} + {b.rounded} * {self.error('pair_sum', 'apart', of='f')}"
        )
        difference = f"({a.rounded} - {a.exact}) + ({b.rounded} - {b.exact}) + {rest}"
        return self.made(f"{a.rounded} + {b.rounded} + {rest}", f"{a.exact} + {b.exact}", difference)

    def divide(self, high, low, other_high, other_low):
        a, b = self.whole(high, low), self.whole(other_high, other_low)
        e = self.error("pair_quotient", "below 1")
        return self.made(f"{a.rounded} / {b.rounded} * (1 + {e})", f"{a.exact} / {b.exact}")

    def whole(self, high, low):
        """The number that both parts of a pair make."""
        pair = getattr(high, "pair", None)
        if pair is not None and pair.rounded == getattr(getattr(low, "pair", None), "rounded", None):
            return pair
        if pair is not None and isinstance(low, gappa.Number):
            return self.joined(high, low)
        if low.__class__ is float and not isinstance(high, gappa.Number):
            return gappa.Number(gappa.literal(Fraction(high) + Fraction(low)))
        if low.__class__ is float and low == 0:
            return high
        raise ValueError(f"both parts must be of one pair, got {high} and {low}")

    def joined(self, high, low):
        """A pair whose low was added to: the script must show that it is at most 2^-52 of high."""
        pair, name = high.pair, f"J{self.count}"
        low = low if low.rounded.isidentifier() else self.script.bind("joined", low)
        (summed,) = (line for line in self.script.lines if line.startswith(f"{low.rounded} = double("))
        summed = source.only(r"^\w+ = double(.*);$", summed)
        part = f"L_{pair.rounded}"
        self.script.lines += [f"{name} = {high.rounded} + {low.rounded};", f"E_{name} = {pair.exact} + {low.exact};"]
        size = gappa.literal(self.size) if self.size else ""
        small = [f"|{low.rounded} / {size}| <= 1b-52", f"|{high.rounded}| <= {size}"]
        self.script.needed += small if size else [f"|{low.rounded} / {high.rounded}| <= 1b-52"]
        self.hints.append(
            f"{name} - E_{name} -> ({low.rounded} - {summed}) + ({pair.rounded} - {pair.exact}) "
            f"+ ({summed.replace(part, '0')} - {low.exact});"
        )
        made = gappa.Number(name, f"E_{name}")
        made.cut = True
        return made

    def operations(self):
        return {
            "two_sum": self.two_sum, "fast_two_sum": self.two_sum, "multiply": self.multiply, "add": self.add,
            "divide": self.divide,
        }  # fmt: skip


def _sum(*values):
    return sum((Fraction(value) if isinstance(value, float) else value for value in values), Fraction(0))


#: the operations without rounding, of numbers and polynomials
EXACT = {
    "two_sum": lambda one, other: (_sum(one, other), 0),
    "multiply": lambda high, low, other_high, other_low: (_sum(high, low) * _sum(other_high, other_low), 0),
    "add": lambda *parts: (_sum(*parts), 0),
}


def _difference(a, b):
    return "" if a.exact == a.rounded else f"({a.rounded} - {a.exact}) * {b.exact} + "


def number(value):
    return value if isinstance(value, gappa.Number) else gappa.Number(gappa.literal(value))
