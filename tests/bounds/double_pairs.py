"""Operations of pairs of doubles as terms of Gappa: a pair is one number, and each operation is off by what its script
proves (pair_product, pair_sum, pair_quotient)."""

import re
from fractions import Fraction

from . import gappa, registry, source
from .registry import power, proof

FILE, POWERS = "refpos/arithmetic/double_double.py", "refpos/arithmetic/powers.py"
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
        rest = f"{a.rounded} * {self.error('pair_sum', 'apart')} + {b.rounded} * {self.error('pair_sum', 'apart', of='f')}"
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


# -- the lemmas -------------------------------------------------------------------------------------------------------


def exact_product(script, one, other):
    """The product of two doubles and what it is off by; the script proves that the code gives this, as `lost`."""
    half, mask = source.only(
        r"bits = np\.ascontiguousarray\(values\)\.view\(np\.uint64\)\n"
        r"    return \(bits \+ np\.uint64\(1 << (\d+)\) & np\.uint64\(0x([\dA-F_]+)\)\)\.view\(np\.float64\)",
        source.text(POWERS),
    )
    dropped = int(half) + 1
    if int(mask, 16) != 2**64 - 2**dropped:
        raise ValueError(f"the mask must drop {dropped} bits, got {mask}")
    values = {"one": one, "other": other}
    values["upper_26_bits"] = lambda value: gappa.Number(
        f"fixed<{dropped - 52}, na>({value.rounded})", part_of=value.rounded
    )
    made = source.run(source.read(POWERS, "exact_product"), values, bind=lambda name, value: unrounded(script, name, value))
    product, rest = made["returned"]
    unrounded(script, "lost", rest)
    script.lines.append(f"left = {one.rounded} * {other.rounded} - {product.rounded};")
    return product, gappa.Number("left")


def unrounded(script, name, value):
    """Give a name to a number of a lemma, whose script has its own words for what it is without rounding."""
    if isinstance(value, tuple) or any(line.startswith(f"{value.rounded} =") for line in script.lines):
        return value
    return script.bind(name, gappa.Number(value.rounded, part_of=value.part_of))


def lemma(script, file, name, operations):
    """Run an operation on the pairs (h, l) and (g, m); the leading number and the small one that it returns."""
    code = source.read(file, name)
    values = dict(zip(code.parameters, map(gappa.Number, "hlgm"), strict=True)) | operations
    made = source.run(code, values, bind=lambda name, value: unrounded(script, name, value))
    large, small = made["returned"]
    return unrounded(script, "large", large).rounded, unrounded(script, "small", small).rounded


def rounded_sum(script):
    """two_sum, of which two_sum.smt2 shows that both numbers are the sum, in few bits."""

    def two_sum(one, other):
        total = script.bind("total", gappa.Number(f"double({one.rounded} + {other.rounded})"))
        return total, gappa.Number(f"({one.rounded} + {other.rounded} - {total.rounded})")

    return two_sum


@proof(NORMALISED, ONE_CUT)
def pair_product(variant):
    """The last two statements are those of fast_two_sum."""
    script = gappa.Script()
    source.only(
        r"    total = product \+ rest\n    return total, rest - \(total - product\)\n", source.text(POWERS)
    )
    lemma(script, POWERS, "multiply", {"exact_product": lambda one, other: exact_product(script, one, other)})
    low, most, hint = ("|m|", "53", "") if variant == NORMALISED else ("|m / g|", "52", "m -> m / g * g { g <> 0 };")
    return {**script.filled(), "low": low, "most": most, "hint": hint}


ROUNDED_LOWS = "(double(l + m) - (l + m))"
#: fast_two_sum is exact where the large number is the larger one; elsewhere its operations are written out. Condition, what
#: is proved besides, what the result is off by, and hints
CASES = {
    "apart": (
        "|h + g| >= 1b-40",
        "|small / total| <= 1b-8",
        f"((small - (rest + double(l + m))) + {ROUNDED_LOWS})",
        "|(result - (h + l + g + m)) / (h + size)| $ size in 16, h in 4;\n"
        "total -> (h + g) * (1 + (total - (h + g)) / (h + g)) { h + g <> 0 };",
    ),
    "close": (
        "|h + g| <= 1b-39 /\\ @FIX(h + g, -53)",
        "|total - (h + g)| <= 0",
        f"((rest_ - (small - back)) - (back - (again - total)) + (small - (rest + double(l + m))) + {ROUNDED_LOWS})",
        "back -> (back - (again - total)) + (again - (total + small)) + small;\n"
        "small - back -> -(again - (total + small)) - (back - (again - total));",
    ),
}


@proof(*CASES)
def pair_sum(variant):
    script = gappa.Script()
    large, small = lemma(script, FILE, "add", {"two_sum": rounded_sum(script), "fast_two_sum": lambda large, small: (large, small)})
    script.lines.append(f"result = {large} + {small};")
    if variant == "close":
        source.only(
            r"\n    total = large \+ small\n    return total, small - \(total - large\)\n", source.text(FILE)
        )
        script.lines[-1:] = [
            f"again = double({large} + {small});", f"back = double(again - {large});",
            f"rest_ = double({small} - back);", "result = again + rest_;",
        ]  # fmt: skip
    return {**script.filled(), **dict(zip(("case", "goal", "difference", "hints"), CASES[variant], strict=True))}


@proof("below 1", "from 1")
def pair_quotient(variant):
    script = gappa.Script()

    def product(one, other):
        made = script.bind("product", gappa.Number(f"double({one.rounded} * {other.rounded})"))
        return made, gappa.Number(f"({one.rounded} * {other.rounded} - {made.rounded})")

    lemma(script, FILE, "divide", {"exact_product": product, "fast_two_sum": lambda large, small: (large, small)})
    return {**script.filled(), "case": "h / g <= 1" if variant == "below 1" else "h / g >= 1"}


def product_of(script, high, low, other_high, other_low):
    """`multiply` of pairs of any lows: its low, and `total`, `product`, `left`, `rest` and `back` as names."""

    def product(one, other):
        made = script.bind("product", gappa.Number(f"double({one.rounded} * {other.rounded})"))
        left = script.bind("left", gappa.Number(f"({one.rounded} * {other.rounded} - {made.rounded})"))
        return made, left

    code = source.read(POWERS, "multiply")
    values = dict(zip(code.parameters, (high, low, other_high, other_low), strict=True)) | {"exact_product": product}
    made = source.run(code, values, bind=lambda name, value: unrounded(script, name, value))
    script.lines.append("back = double(total - product);")
    return made["returned"][1].rounded


@proof("negative", "positive")
def product_of_low(variant):
    script = gappa.Script()
    rest = product_of(script, gappa.Number("h"), 0.0, gappa.Number("g"), gappa.Number("m"))
    return {**script.filled(), "rest": rest, "sizes": "[-1, 0]" if variant == "negative" else "[0, 1]"}
