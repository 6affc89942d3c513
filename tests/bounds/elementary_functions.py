"""The other elementary functions of arrays: sums and quotients of exponentials and logarithms as pairs."""

from types import SimpleNamespace

from . import gappa, registry, source, tools
from .double_pairs import Pairs
from .exponentials import FILE, constants
from .pair_lemmas import product_of
from .registry import power, proof

HARD_CASES = "refpos/arithmetic/hard_cases.py"
ELEMENTARY = "refpos/arithmetic/elementary.py"
SIGNS = ("negative", "positive")


class Arrays:
    """What the code calls of NumPy, of one number of that sign; powers of two are left out."""

    int32 = int64 = None

    def __init__(self, sign):
        self.negative = sign == "negative"

    def abs(self, value):
        return value

    def where(self, condition, one, other):
        return one if condition else other


class Argument:
    """x, of which the code asks the sign."""

    def __init__(self, sign):
        self.sign = sign

    def __lt__(self, zero):
        return self.sign == "negative"

    def __neg__(self):
        return self

    def __rmul__(self, factor):
        return self


def with_exponentials(pairs, sign):
    """What the code calls for u = exp of an argument: the pair U, and UU beside 1."""
    asked = {
        "exponentials": SimpleNamespace(exponential=lambda x: (*pairs.given("U"), None)),
        "_unscaled": lambda *parts: pairs.given("UU"),
        "np": Arrays(sign), "x": Argument(sign), "exponent": None,
    }  # fmt: skip
    source.only(
        r"    shift = exponent\.astype\(np\.int32\)\n    return np\.ldexp\(high, shift\), np\.ldexp\(low, shift\)\n",
        source.text(ELEMENTARY),
    )
    return asked


@proof(*SIGNS)
def sigmoid(variant):
    pairs = Pairs()
    source.only(
        r"\n    high, low, exponent = exponentials\.exponential\(-np\.abs\(x\)\)\n"
        r"    u, u_low = _unscaled\(high, low, exponent\)\n    negative",
        source.text(ELEMENTARY),
    )
    pairs.run(ELEMENTARY, "_sigmoid", with_exponentials(pairs, variant), last="(q,q_low)")
    negative = variant == "negative"
    return {**pairs.filled(), "top": "u" if negative else "1", "error": "eu" if negative else "0"}


@proof("below 1/2", "from 1/2")
def tanh(variant):
    pairs = Pairs()
    source.only(r"\n    u, u_low = _unscaled\(\*exponentials\.exponential\(-2 \* x\)\)\n", source.text(ELEMENTARY))
    pairs.run(ELEMENTARY, "_tanh", with_exponentials(pairs, "positive"), last="(q,q_low)")
    return {**pairs.filled(), "sizes": "[1b-1080, 0.5]" if variant == "below 1/2" else "[0.5, 1]"}


def ln_2():
    """The pair of the code, and the true one."""
    high, low = constants().log_2
    return {"pair": gappa.Fraction(high) + gappa.Fraction(low), "log": gappa.interval(*tools.enclosure("log(2)"))}


def log_of_powers(pairs):
    """`log_of_power` of the integer e and the pair L."""
    exponent = SimpleNamespace(astype=lambda kind: gappa.Number("e"))
    values = {"exponent": exponent, "np": SimpleNamespace(float64=None), "constants": constants}
    high, low = pairs.given("L")
    return pairs.run(FILE, "log_of_power", {**values, "high": high, "low": low})["returned"]


@proof(*SIGNS)
def log_of_power(variant):
    pairs = Pairs()
    log_of_powers(pairs)
    return {**pairs.filled(), **ln_2(), "sizes": "[1, 1100]" if variant == "positive" else "[-1100, -1]"}


@proof("up to 1.4143", "beyond 1.4143")
def softplus(variant):
    pairs = Pairs()
    text = source.text(ELEMENTARY)
    source.holds(
        text,
        r"\n    one, one_low = add\(1\.0, 0\.0, u, u_low\)\n    m, power = exponentials\.normalised\(one\)\n",
        r"\n    total, rest = exponentials\.log_of_power\(power, \*exponentials\.logarithm\(m, one_low\)\)\n",
    )
    total, rest = log_of_powers(pairs)
    x = SimpleNamespace(maximum=lambda x, zero: gappa.Number("X"))
    values = {"total": total, "rest": rest, "np": x, "x": None}
    code = source.read(ELEMENTARY, "_softplus")
    (last,) = (step for step in code.statements if step[0] == "(total,rest)" and "maximum" in step[1])
    source.run(source.Function((), (last,)), pairs.operations() | values, bind=pairs.bind)
    stated = registry.stated()
    # u / (1 + u) is at most 1/2
    error = power(stated["exponential"])[1] / 2 + power(stated["pair_sum"])[1]
    return {
        **pairs.filled(), **ln_2(), "powers": "[0, 0]" if variant == "up to 1.4143" else "[1, 1]",
        "ei": error * 2,
    }  # fmt: skip


@proof(*SIGNS)
def exp_of_pair(variant):
    pairs = Pairs()
    value, value_low = pairs.given("V")
    values = {"low": gappa.Number("low"), "value": value, "value_low": value_low, "high": None, "exponent": None}
    values["exponential"] = lambda high: (value, value_low, None)
    pairs.run(FILE, "exponential_of_pair", values)
    return {**pairs.filled(), "sizes": "[-1b-40, 0]" if variant == "negative" else "[0, 1b-40]"}


@proof("exact", "in intervals")
def as_pair(variant):
    script = gappa.Script()
    source.only(r"\n    high = float\(value\)\n    return high, float\(value - Fraction\(high\)\)\n", source.text(FILE))
    source.only(r"as_pair\(Fraction\(reals\.evaluated\(rule\)\.fixed\(160\), 1 << 160\)\)", source.text(FILE))
    script.lines += ["high = double(v);", "low = double(v - high);"]
    return {**script.filled(), "off": "0" if variant == "exact" else "1b-108"}


@proof("up to 1/2", "from 1/2")
def inverse_power(variant):
    script, (high, low) = gappa.Script(), constants().log_2
    text = source.text(HARD_CASES)
    source.only(r"\nLOWER = \(1 << 53\) - 1 ", text)
    source.only(r"<< 106\) // e\.denominator for e in exponents\]", text)
    source.only(r"\[n >> 53 for n in digits\], \[n & LOWER for n in digits\]", text)
    call = source.only(
        r"log = powers\.multiply\(high \* (.*?), low \* (.*?), \*exponentials\.constants\(\)\.log_2\)", text
    )
    scales = [eval(scale, {"__builtins__": {}}) for scale in call]
    if scales != [-(2.0**-53), -(2.0**-106)]:
        raise ValueError(f"digits must be 53 bits and the 53 below, got {scales}")
    numbers = [gappa.Number(name) for name in ("h", "l")] + [gappa.Number(gappa.literal(part)) for part in (high, low)]
    return {
        **script.filled(), "rest": product_of(script, *numbers), **script.filled(),
        "high": gappa.literal(high), "low": gappa.literal(low), "log": ln_2()["log"],
        "sizes": "[0, 1b52]" if variant == "up to 1/2" else "[1b52, 1b53]",
    }  # fmt: skip
