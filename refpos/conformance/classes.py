"""The conformance classes, strictest first, and the pipelines whose errors bound them."""

from contextvars import ContextVar
from typing import NamedTuple

from ..arithmetic import formats

FLOAT64, FLOAT32, FLOAT16, BFLOAT16 = (formats.FORMATS[name] for name in ("float64", "float32", "float16", "bfloat16"))


class Class(NamedTuple):
    """What a class admits; its bounds count ulps or absolute differences."""

    unit: str
    meaning: str


#: strictest first; README and reports name classes in this order
CLASSES = {
    "correct": Class("ulp", "the correctly rounded value itself (0 ulp off)"),
    "faithful": Class("ulp", "the correctly rounded value or one of its two neighbours (at most 1 ulp off)"),
    "float64-angle": Class("absolute", "frequencies, angles, sine and cosine in float64, then one rounding"),
    "float32-angle": Class(
        "absolute", "frequencies by a float32 power, angles, sine and cosine in float32, then one rounding"
    ),
    "float32-exp-angle": Class("absolute", "float32-angle with frequencies by a float32 exponential of a logarithm"),
    "float16-table": Class("absolute", "float32-angle whose cosines and sines are rounded to float16"),
    "bfloat16-table": Class("absolute", "float32-angle whose cosines and sines are rounded to bfloat16"),
    "rounded-table": Class("absolute", "a table rounded to the format of x, then products and the sum in that format"),
    "float64-power": Class(
        "absolute", "slopes or factors by a float64 power, products with distances in float64, then one rounding"
    ),
    "float32-product": Class("absolute", "slopes rounded once to float32, then a float32 product with the distance"),
    "float32-power": Class(
        "absolute", "slopes or factors by a float32 power, then a float32 product with the distance"
    ),
    "float64-logarithm": Class("absolute", "a logarithm, a product and a sum in float64, then one rounding"),
    "float32-logarithm": Class("absolute", "a logarithm, a product and a sum in float32, then one rounding"),
    "float64-resize": Class("absolute", "coordinates, weights and sums of rows in float64, then one rounding"),
    "float32-resize": Class("absolute", "coordinates, weights and sums of rows in float32, then one rounding"),
    "sequence64": Class("absolute", "the same operations in float64, sums in any order, then one rounding"),
    "sequence32": Class("absolute", "the same operations in float32, sums in any order, then one rounding"),
    "weights16": Class(
        "absolute",
        "sequence32 or float32-resize whose weights are rounded to 16 bits before their products with the values",
    ),
    "sequence16": Class("absolute", "the same operations, each result rounded to 16 bits, sums in float32"),
}


class Pipeline(NamedTuple):
    """The arithmetic of a class, whether exp may replace pow in it, and the format its table is rounded to.

    Emulations (refpos/emulate) have more to say: the arithmetic of frequencies and of their product with the position
    where it is another; what inv_freq, positions and the operands of the product are rounded to; whether the
    exponential is a power of two; what each product is then multiplied by; whether angles are running products, and
    whether these are scaled afterwards.
    """

    arithmetic: formats.Format
    exponential: bool = False
    table: formats.Format | None = None
    frequencies: formats.Format | None = None
    product: formats.Format | None = None
    inv_freq: formats.Format | None = None
    positions: formats.Format | None = None
    operands: formats.Format | None = None
    base_two: bool = False
    scale: float = 1.0
    running: bool = False
    scaled: bool = False


PIPELINES = {
    "float64-angle": Pipeline(FLOAT64, exponential=True),
    "float32-angle": Pipeline(FLOAT32),
    "float32-exp-angle": Pipeline(FLOAT32, exponential=True),
    "float16-table": Pipeline(FLOAT32, table=FLOAT16),
    "bfloat16-table": Pipeline(FLOAT32, table=BFLOAT16),
}
ANGLE_CLASSES = ("float64-angle", "float32-angle", "float32-exp-angle")  # those without a table
LOGARITHM_CLASSES = {"float64-logarithm": FLOAT64, "float32-logarithm": FLOAT32}
RESIZE_CLASSES = {"float64-resize": FLOAT64, "float32-resize": FLOAT32}
#: of a program that computes in float32, and rounds weights to 16 bits before it multiplies the values
WEIGHTS16 = "weights16"

#: {name: pipeline} that tables and rotations are bounded for in place of the classes; set by refpos/emulate/limits.py
INSTEAD: ContextVar[dict[str, Pipeline] | None] = ContextVar("INSTEAD", default=None)
