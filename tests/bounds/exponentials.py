"""exp of doubles as pairs: the argument, its series, and their product with a power of 2."""

from fractions import Fraction
from math import factorial
from types import SimpleNamespace

from . import gappa, registry, source, tools
from .double_pairs import EXACT, Pairs, number
from .pair_lemmas import POWERS
from .polynomials import X
from .registry import proof

FILE, QUICK = "refpos/arithmetic/exponentials.py", "refpos/arithmetic/quick_exponential.py"
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


@proof("below 1", "from 1")
def exponential(variant):
    """From the series on, of the pairs of the tables."""
    pairs, (_, upper) = Pairs(), tools.enclosure(f"exp({LARGEST_REST})")
    source.only(r"size - 106, e \+ size - 106\) if size > 106 .*?\n.*? = \(n >> 53\) \* 2", source.text(POWERS))
    table = [[part] for part in pairs.given("T", cut=True)]
    values = {
        "_taylor": lambda *arguments: pairs.given("V"), "r": None, "r_low": None, "step": 0,
        "c": SimpleNamespace(powers=SimpleNamespace(high=table[0], low=table[1]), inverse_factorials=None),
    }  # fmt: skip
    pairs.run(FILE, "exponential", values, first="(high,low)", last="(high,low)")
    argument = registry.power(registry.stated()["exp_argument"])[1]
    return {
        **pairs.filled(), "e": "e1", "u": "u1", "ee": argument * (1 + argument),
        "sizes": gappa.interval(*((1 / upper, 1) if variant == "below 1" else (1, upper))),
    }  # fmt: skip


#: arguments: from 2^-12 on their last bit is at least 2^-64
SMALL = "11.52"  # bits of what is left of arguments
SIZES = {"around 0": "[-1b-12, 1b-12]", "negative": "[-708, -1b-12]", "positive": "[1b-12, 708]"}
LAST_BITS = {"around 0": "|second| <= 0", "negative": "@FIX(rest, -64)", "positive": "@FIX(rest, -64)"}


def quick_constants():
    """Numbers of the module, with STEPS / ln 2 and both parts of ln 2 / STEPS as `Constants` has them."""
    known, text, log_2 = source.constants(QUICK), source.text(QUICK), constants().log_2
    source.only(r"\n    cell = sum\(map\(Fraction, known\.log_2\)\) / STEPS\n", text)
    source.only(r"return Constants\(STEPS / known\.log_2\[0\], \(float\(first\), float\(cell - first\)\), ", text)
    cell = sum(map(Fraction, log_2)) / known["STEPS"]
    values = {"cell": cell, "Fraction": Fraction, **known}
    first = eval(source.only(r"\n    first = (cell // [^\n]*)\n", text), {"__builtins__": {}}, values)
    return {**known, "c": SimpleNamespace(scale=known["STEPS"] / log_2[0], parts=(float(first), float(cell - first)))}


@proof(*SIZES)
def quick_argument(variant):
    script, known = gappa.Script(), quick_constants()
    source.only(r"    k, place = shifted - TO_INTEGER, ", source.text(QUICK))
    (_, shifted), *_ = source.read(QUICK, "scaled", "shifted", "shifted").statements
    number = eval(shifted.removesuffix(" + TO_INTEGER"), {"__builtins__": {}}, {"x": gappa.Number("x"), **known})
    k = script.bind("k", script.grid(number, known["TO_INTEGER"]))
    values = {"x": gappa.Number("x"), "k": gappa.Number(k.rounded), **known}
    source.run(source.read(QUICK, "scaled", "(rest,second)", "(rest,second)"), values, bind=script.bind)
    lower, upper = tools.enclosure(f"log(2)/{known['STEPS']}")
    first, second = known["c"].parts
    return {
        **script.filled(), "log": gappa.interval(lower, upper), "sizes": SIZES[variant], "first": first,
        "second": second, "scale": known["c"].scale, "rest": registry.power(SMALL)[0],
        "grid": LAST_BITS[variant],
    }  # fmt: skip


@proof(*SIZES)
def quick_exponential(variant):
    script, known = gappa.Script(), quick_constants()
    text = source.text(QUICK)
    source.only(r"    least, most = high \+ \(low - RADIUS\), high \+ \(low \+ RADIUS\)\n", text)
    source.only(r"    r_high = \(r \+ TO_GRID\) - TO_GRID\n", text)
    values = {name: gappa.Number(name) for name in ("rest", "second", "high", "low")} | known
    code = source.read(QUICK, "scaled", "r", "tail")

    def bind(name, value):
        made = script.bind(name, script.grid(values["r"], known["TO_GRID"]) if name == "r_high" else value)
        values[name] = gappa.Number(made.rounded) if name in ("r_high", "total") else made
        return values[name]

    source.run(code, values, bind=bind)
    exact = {"rest": X, "second": 0, **known}
    series = 1 + X + source.run(source.read(QUICK, "scaled", "r", "series"), exact, ("r_high",))["series"]
    argument = registry.power(registry.stated()["quick_argument"])[1] / 2
    return {
        **script.filled(), "radius": known["RADIUS"], "es": tools.supnorm(series, "exp(x)", f"2^(-{SMALL})"),
        "ed": argument * (1 + argument), "most": registry.power(SMALL)[1],
        "grid": LAST_BITS[variant],
    }  # fmt: skip
