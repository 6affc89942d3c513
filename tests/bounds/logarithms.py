"""Logarithms of pairs: in plain double, one step of Newton's, and the series next to 1."""

from fractions import Fraction
from types import SimpleNamespace

from . import gappa, registry, source, tools
from .double_pairs import EXACT, ONE, Pairs
from .exponentials import FILE, Arrays
from .polynomials import X
from .registry import power, proof

LARGEST = "7.4"  # bits of z, the relative distance of a number from its cell
HALVES = {"below 1": "[0.7, 1]", "from 1": "[1, 1.5]"}


class Cell(gappa.Number):
    """An integer that is an index too."""

    def astype(self, kind):
        return 0


@proof(*HALVES)
def log_double(variant):
    script, known = gappa.Script(), source.constants(FILE)
    source.only(r"\n    z = \(high - cell / CELLS\) / \(cell / CELLS\)  #", source.text(FILE))
    known["np"] = SimpleNamespace(rint=Arrays.rint, int64=None)

    def bind(name, value):
        made = script.bind(name, value)
        return Cell(made.rounded) if name == "cell" else made

    values = {"high": gappa.Number("high"), **known}
    values["constants"] = lambda: SimpleNamespace(logs=[gappa.Number("T", "LC")])
    source.run(source.read(FILE, "logarithm", "cell", "z"), values, bind=bind)
    values |= {"z": gappa.Number("zz", "Z"), "cell": Cell("cell")}
    source.run(source.read(FILE, "logarithm", "series", "y"), values, bind=bind)
    code = source.read(FILE, "logarithm", "series", "series")
    series = source.run(code, {"z": X})["series"]
    return {
        **script.filled(), "sizes": HALVES[variant], "largest": power(LARGEST)[0],
        "es": tools.supnorm(series, "log(1 + x)", f"2^(-{LARGEST})"),
    }  # fmt: skip


@proof(*HALVES)
def logarithm(variant):
    pairs = Pairs()
    high, low = pairs.given("M")
    inverse, inverse_low = pairs.given("I")
    values = {
        "high": high, "low": low, "inverse": inverse, "inverse_low": inverse_low, "y": gappa.Number("y"), "scale": ONE,
    }  # fmt: skip
    made = pairs.run(FILE, "logarithm", values, first="(product,rest)")
    source.only(r"    inverse, inverse_low, exponent = exponential\(-y\)\n", source.text(FILE))
    w = power(registry.stated()["log_double"])[1] * (1 + Fraction(1, 2**40))
    return {
        **pairs.filled(), "w": w, "w3": w**3, "sizes": HALVES[variant],
        "result": made["returned"][0].pair.rounded,
    }  # fmt: skip


@proof("negative", "positive")
def log_near(variant):
    """The series that the code evaluates must be that of the logarithm up to u^3 / 4 but for the rounding of 1/3. After
    it come at most 1/5 u^4 / (1 - u), and of u^2 what the rounding changes: all but u^4 and 2^-52 u^2 with P1."""
    pairs, known = Pairs(), source.constants(FILE)
    u, u_low = pairs.given("U")
    over = source.read(FILE, "log_1_plus_over")
    values = {"u": u, "u_low": u_low, "log_1_plus_over": lambda *parts: _over(pairs, *parts)}
    pairs.run(FILE, "log_1_plus", values)
    (series, _) = source.run(over, {**EXACT, "u": X, "u_low": 0})["returned"]
    rest = {power: value - Fraction((-1) ** power[0], power[0] + 1) for power, value in series.terms.items()}
    third = series.terms[2, 0]
    near = Fraction(known["NEAR"])
    plain = Fraction(1, 2**52) - abs(rest.pop((2, 0)))
    if {*rest} != {(0, 0), (1, 0), (3, 0)} or any(rest.values()) or near > Fraction(1, 2**20):
        raise ValueError(f"the series must be 1 - u/2 + u^2/3 - u^3/4 for u below 2^-20, got {series.terms}")
    least, most = "1b-600", gappa.literal(near)
    return {
        **pairs.filled(), "third": third, "plain": plain * (1 - 4 * near),
        "sizes": f"[{least}, {most}]" if variant == "positive" else f"[-{most}, -{least}]",
    }  # fmt: skip


def _over(pairs, u, u_low):
    return pairs.run(FILE, "log_1_plus_over", {"u": u, "u_low": u_low})["returned"]
