"""exp of doubles as pairs: the argument, its series, and their product with a power of 2."""

from fractions import Fraction
from math import factorial
from types import SimpleNamespace

from . import gappa, source, tools
from .double_pairs import EXACT, Pairs, number
from .polynomials import X
from .registry import proof

FILE = "refpos/arithmetic/exponentials.py"
LARGEST_REST = "0.0055"  # of ln 2 / 64, in size
LARGEST = 1024  # of arguments


class Arrays:
    """What the code calls of NumPy, of one number."""

    @staticmethod
    def rint(value):
        return gappa.Number(f"fixed<0, ne>({value.rounded})")

    @staticmethod
    def full(shape, value):
        return number(value)


class Exact:
    """The same without rounding."""

    @staticmethod
    def full(shape, value):
        return value


def as_pair(value):
    high = float(value)
    return high, float(value - Fraction(high))


def constants():
    """Numbers of the `Constants` of the code, made as it says; ln 2 to 160 bits."""
    text = source.text(FILE)
    log_2 = Fraction(int(tools.enclosure("log(2)")[0] * 2**160), 2**160)
    names = {"log_2": log_2, "Fraction": Fraction, "int": int, "factorial": factorial, "as_pair": as_pair}
    names |= {"range": range} | source.constants(FILE)
    loop = source.only(
        r"cell, parts = log_2 / STEPS, \[\]\n    for bits in (\(.*?\)):[^\n]*\n"
        r"        parts\.append\((.*?)\)\n        cell -= parts\[-1\]\n",
        text,
    )
    cell, parts = log_2 / names["STEPS"], []
    for bits in eval(loop[0]):
        parts.append(eval(loop[1], {"__builtins__": {}}, {**names, "cell": cell, "bits": bits}))
        cell -= parts[-1]
    factorials = source.only(r"\n        (\[as_pair\(Fraction\(1, factorial\(n\)\)\) for n in range\(\d+\)\]),", text)
    return SimpleNamespace(
        parts=[*map(float, parts), float(cell)],
        log_2=as_pair(log_2),
        inverse_factorials=eval(factorials, {"__builtins__": {}, **names}),
    )


@proof("small", "large")
def exp_argument(variant):
    pairs, known = Pairs(), constants()
    values = {"x": gappa.Number("x"), "np": Arrays, "c": known, **source.constants(FILE)}
    pairs.run(FILE, "exponential", values, first="k", last="(r,r_low)")
    first, second, third = known.parts
    return {
        **pairs.filled(),
        "first": first, "second": second, "third": third, "scale": values["STEPS"] / known.log_2[0],
        "log": gappa.interval(*tools.enclosure("log(2)/64")), "rest": Fraction(LARGEST_REST),
        "sizes": "[-1, 1]" if variant == "small" else f"[-{LARGEST}, {LARGEST}]",
    }  # fmt: skip


@proof("negative", "positive")
def exp_series(variant):
    pairs, known = Pairs(), constants()
    r, r_low = pairs.given("R")
    values = {"r": r, "r_low": r_low, "inverse_factorials": known.inverse_factorials, "np": Arrays}
    pairs.run(FILE, "_taylor", values)
    values = {**EXACT, "r": X, "r_low": 0, "inverse_factorials": known.inverse_factorials, "np": Exact}
    series = source.run(source.read(FILE, "_taylor"), values)["high"]
    sizes = [Fraction(0), Fraction(LARGEST_REST)] if variant == "positive" else [-Fraction(LARGEST_REST), Fraction(0)]
    return {**pairs.filled(), "sizes": gappa.interval(*sizes), "es": tools.supnorm(series, "exp(x)", LARGEST_REST)}
