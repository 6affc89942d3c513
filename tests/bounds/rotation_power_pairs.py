"""Rotations of float64 channels times a power, as pairs (xPos)."""

from . import gappa, registry, source
from .exact_sums import binder, upper_bits
from .registry import power, proof
from .rotation_pairs import NAMES, tested
from .rotations import CHANNELS, POWERS, checked_calls

PRODUCTS = "refpos/arithmetic/powers.py"


@proof("powers.py", exact=True)
def exact_product(variant):
    script = gappa.Script()
    bind = binder(script)
    values = {
        "one": gappa.Number("a"),
        "other": gappa.Number("b"),
        "upper_26_bits": upper_bits(PRODUCTS, "upper_26_bits"),
    }
    bind("error", source.run(source.read(PRODUCTS, "exact_product"), values, bind=bind)["returned"][1])
    return script.filled()


class Products:
    """`exact_product` as it is proved: a product, and what it is off by."""

    def exact_product(self, one, other):
        product = one * other
        return gappa.Number(product.rounded), gappa.Number(f"({product.exact} - {product.rounded})")


def rotated(script, code):
    """What `_combine_pairs` computes of x cos + y sin, up to the product with the power, and that."""
    bind, numbers = binder(script), {name: gappa.Number(name) for name in (*NAMES, "high", "low")}
    pairs = {"cos": {0: numbers["c1"], 1: numbers["c0"]}, "sin": {0: numbers["s1"], 1: numbers["s0"]}}
    made = source.run(code, numbers | pairs | {"powers": Products()}, bind=bind)
    bind("result", made["returned"][1])


@proof(*CHANNELS)
def rotation_power_pairs(variant):
    """Names of the script are those of the function, whatever the caller's are."""
    checked_calls(variant)
    source.only(r"high \+ \(low \+ side \* radius\), exponent, fmt\) for side in \(-1, 1\)", source.text(PRODUCTS))
    script = gappa.Script()
    rotated(script, source.read(POWERS, "_combine_pairs"))
    return {
        **script.filled(),
        **tested(source.constants(POWERS)["PAIR_RADIUS"]),
        "seeds": power(registry.stated()["seed_pairs"])[1],
        "power": power("99")[1],
    }
