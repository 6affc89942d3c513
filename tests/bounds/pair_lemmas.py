"""What an operation of pairs of doubles is off by: the lemmas that proofs of functions use."""

from . import gappa, source
from .double_pairs import NORMALISED, ONE_CUT
from .registry import proof

FILE, POWERS = "refpos/arithmetic/double_double.py", "refpos/arithmetic/powers.py"


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
    made = source.run(
        source.read(POWERS, "exact_product"), values, bind=lambda name, value: unrounded(script, name, value)
    )
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
    source.only(r"    total = product \+ rest\n    return total, rest - \(total - product\)\n", source.text(POWERS))
    lemma(script, POWERS, "multiply", {"exact_product": lambda one, other: exact_product(script, one, other)})
    low, most, hint = ("|m|", "53", "") if variant == NORMALISED else ("|m / g|", "52", "m -> m / g * g { g <> 0 };")
    return {**script.filled(), "low": low, "most": most, "hint": hint}


ROUNDED_LOWS = "(double(l + m) - (l + m))"
#: fast_two_sum is exact where the large number is the larger one; elsewhere its operations are written out. Condition,
#: what is proved besides, what the result is off by, and hints
CASES = {
    "apart": (
        "|h + g| >= 1b-40",
        "|small / total| <= 1b-8",
        f"((small - (rest + double(l + m))) + {ROUNDED_LOWS})",
        (
            "|(result - (h + l + g + m)) / (h + size)| $ size in 16, h in 4;\n"
            "total -> (h + g) * (1 + (total - (h + g)) / (h + g)) { h + g <> 0 };"
        ),
    ),
    "close": (
        "|h + g| <= 1b-39 /\\ @FIX(h + g, -53)",
        "|total - (h + g)| <= 0",
        f"((rest_ - (small - back)) - (back - (again - total)) + (small - (rest + double(l + m))) + {ROUNDED_LOWS})",
        (
            "back -> (back - (again - total)) + (again - (total + small)) + small;\n"
            "small - back -> -(again - (total + small)) - (back - (again - total));"
        ),
    ),
}


@proof(*CASES)
def pair_sum(variant):
    script = gappa.Script()
    large, small = lemma(
        script, FILE, "add", {"two_sum": rounded_sum(script), "fast_two_sum": lambda large, small: (large, small)}
    )
    script.lines.append(f"result = {large} + {small};")
    if variant == "close":
        source.only(r"\n    total = large \+ small\n    return total, small - \(total - large\)\n", source.text(FILE))
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
