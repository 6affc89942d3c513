"""Operations of pairs of doubles as terms of Gappa: a pair is one number, and each operation is off by what its script
proves (pair_product, pair_sum, pair_quotient)."""

from . import gappa, registry, source
from .registry import power, proof

FILE, POWERS = "refpos/arithmetic/double_double.py", "refpos/arithmetic/powers.py"
NORMALISED, ONE_CUT = "normalised", "one cut"
#: what products lose below 2^-960, where their parts may underflow
UNDERFLOW = "1b-900"


class Part(gappa.Number):
    """`high` or `low` of a pair, of which it knows the number that both make."""

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

    def __init__(self, script):
        self.script, self.known, self.hints, self.count = script, [], [], 0

    def filled(self):
        """What names in a template stand for."""
        known = "".join(f"\n/\\ {line}" for line in self.known)
        return {**self.script.filled(), "known": known, "hints": "\n".join(self.hints)}

    def bind(self, name, value):
        """Give a name to a number; parts of pairs keep theirs."""
        return value if isinstance(value, Part) else self.script.bind(name, value)

    def parts(self, value, exact, name=None):
        """A pair (high, low) with that value: high is the double nearest to it."""
        self.count += name is None
        name = name or f"P{self.count}"
        self.script.lines += [f"{name} = {value};", f"E_{name} = {exact};"]
        self.script.lines += [f"H_{name} = double({name});", f"L_{name} = {name} - H_{name};"]
        pair = gappa.Number(name, f"E_{name}")
        return Part(f"H_{name}", pair.exact, pair), Part(f"L_{name}", "0", pair)

    def given(self, name, exact=None):
        """A pair that a script has as a variable."""
        self.script.lines += [f"H_{name} = double({name});", f"L_{name} = {name} - H_{name};"]
        pair = gappa.Number(name, exact)
        return Part(f"H_{name}", pair.exact, pair), Part(f"L_{name}", "0", pair)

    def error(self, variant):
        """A variable for what an operation is off by."""
        name = f"e{self.count + 1}"
        self.known.append(f"|{name}| <= {gappa.literal(power(registry.bits_of(*variant))[1])}")
        return name

    def two_sum(self, one, other):
        one, other = number(one), number(other)
        return self.parts(f"{one.rounded} + {other.rounded}", f"{one.exact} + {other.exact}")

    fast_two_sum = two_sum

    def multiply(self, high, low, other_high, other_low, cut=NORMALISED):
        a, b = whole(high, low), whole(other_high, other_low)
        e, w, u = self.error(("pair_product", cut)), f"P{self.count + 1}", f"u{self.count + 1}"
        self.known.append(f"|{u}| <= {UNDERFLOW}")
        self.hints.append(
            f"{w} - E_{w} -> {a.rounded} * ({b.rounded} - {b.exact}) + ({a.rounded} - {a.exact}) * {b.exact} "
            f"+ {a.rounded} * {b.rounded} * {e} + {u};"
        )
        return self.parts(f"{a.rounded} * {b.rounded} * (1 + {e}) + {u}", f"{a.exact} * {b.exact}")

    def add(self, high, low, other_high, other_low):
        a, b = whole(high, low), whole(other_high, other_low)
        e, w = self.error(("pair_sum", "apart")), f"P{self.count + 1}"
        sizes = f"(|{a.rounded}| + |{b.rounded}|) * {e}"
        self.hints.append(
            f"{w} - E_{w} -> ({a.rounded} - {a.exact}) + ({b.rounded} - {b.exact}) + {sizes};"
        )
        return self.parts(f"{a.rounded} + {b.rounded} + {sizes}", f"{a.exact} + {b.exact}")

    def divide(self, high, low, other_high, other_low):
        a, b = whole(high, low), whole(other_high, other_low)
        e = self.error(("pair_quotient", "below 1"))
        return self.parts(f"{a.rounded} / {b.rounded} * (1 + {e})", f"{a.exact} / {b.exact}")

    def operations(self):
        names = ("two_sum", "fast_two_sum", "multiply", "add", "divide")
        return {name: getattr(self, name) for name in names}


def number(value):
    return value if isinstance(value, gappa.Number) else gappa.Number(gappa.literal(value))


def whole(high, low):
    """The number that both parts of a pair make."""
    pair = getattr(high, "pair", None)
    if pair is not None and getattr(low, "pair", None) is not None and low.pair.rounded == pair.rounded:
        return pair
    if not isinstance(high, gappa.Number) and not isinstance(low, gappa.Number):
        return gappa.Number(gappa.literal(gappa.Fraction(high) + gappa.Fraction(low)))
    if not isinstance(low, gappa.Number) and low == 0:
        return high
    raise ValueError(f"both parts must be of one pair, got {high} and {low}")


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
    return {**script.filled(), "second": "1b-53" if variant == NORMALISED else "1b-52"}


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
