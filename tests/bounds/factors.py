"""Seeds as pairs times a factor, and sums of angles of which one has it; in units of the power of two above it."""

import math
import struct
from types import SimpleNamespace

from . import additions, gappa, registry, source
from .registry import FUSED, NOT_FUSED, power, proof

TABLES, ROTATIONS, ONE_BY_ONE = "tables", "NumPy", "one by one"
#: of each place the file, how it cuts the product at a grid, and what the script calls its names
PLACES = {
    TABLES: ("refpos/steps/angles/attention_factor.py", r"= \(product \+ (GRID)\) - \1\n", {"products[k]": "cut"}),
    ROTATIONS: (
        "refpos/kernels/numpy_kernels.py",
        r"= \(product \+ (grid)\) - \1\n",
        {"products[k]": "cut", "pairs[k + 1]": "lower", "pairs[k]": "upper"},
    ),
    ONE_BY_ONE: ("ext/compiled.pyx", r"= to_grid\(product, (grid)\)\n", {"pairs[2 * k * plane + i]": "cut"}),
}
#: of the upper 26 bits of a factor, and of the upper half of a cosine or sine, which may be taken to be positive
BELOW, ONE = "[1b-1, 67108863b-26]", "[1, 1]"
SIZES = {
    "the factor below 1": (BELOW, "[0, 1]"),
    "the factor rounded to 1": (ONE, "[0, 67108863b-26]"),
    "both rounded to 1": (ONE, ONE),
}


def _anchor(place, high):
    """What the code adds to cut the product with such upper bits of a factor."""
    file, cut, _ = PLACES[place]
    text = source.text(file)
    if source.only(cut, text) == "GRID":
        return source.constants(file)["GRID"]
    of_bits = SimpleNamespace(ldexp=math.ldexp, frexp=math.frexp)
    values = {"np": of_bits, "high": high, "GRID_26": source.constants(file).get("GRID_26")}
    values["bits_of"] = lambda value: struct.unpack("<Q", struct.pack("<d", value))[0]
    values["from_bits"] = lambda bits: struct.unpack("<d", struct.pack("<Q", bits))[0]
    return eval(source.only(r" grid = ([^\n]*)\n", text).replace("ULL", ""), {"__builtins__": {}}, values)


@proof(*(f"{place}, {sizes}" for place in PLACES for sizes in SIZES))
def seed_factor(variant):
    place, _, sizes = variant.partition(", ")
    file, _, names = PLACES[place]
    script, text = gappa.Script(), source.text(file)
    factor, upper = SIZES[sizes]
    anchor = _anchor(place, 1.0 if factor == ONE else 0.75)

    def made(pattern):
        expression = source.only(pattern, text)
        for name, stands_for in names.items():
            expression = expression.replace(name, stands_for)
        return eval(" ".join(expression.split()), {"__builtins__": {}}, values)

    values = {name: gappa.Number(name) for name in ("upper", "lower", "high", "low")}
    values["product"] = script.bind("product", made(r" product = ([^\n]*)  # exact: 27 by 26 bits\n"))
    values["cut"] = script.bind("cut", script.grid(values["product"], anchor))
    script.bind("rest", made(r" = (\(product - \w+\[[^\n]*\]\) \+ \([^)]*\))\n"))
    return {**script.filled(), "factor": factor, "upper": upper}


def _sums(script):
    """What the errors of a seed and of a step with its factor leave of a sum of their angles, and the radius."""
    seed, step = (power(registry.stated()[name])[1] for name in ("seed_pairs", "seed_factor"))
    radius = source.constants("refpos/steps/waves/tables.py")["PAIR_RADIUS"]
    propagated = 2 * power("0.5")[1] * (seed + step) + 2 * seed * step
    return {**script.filled(), "propagated": propagated, "radius": radius}


@proof(*gappa.ORDERS, ONE_BY_ONE)
def addition_factor(variant):
    return _sums(additions.sums_of_pairs(variant))


@proof(FUSED, NOT_FUSED)
def addition_factor_vectors(variant):
    return _sums(additions.sums_in_vectors(variant))
