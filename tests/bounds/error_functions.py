"""The error function as pairs: its Taylor series about 97 centres, of which those in a group are proved together."""

import ast
from fractions import Fraction
from functools import lru_cache
from math import factorial, isqrt

from . import gappa, registry, source, tools
from .double_pairs import EXACT, Pairs
from .polynomials import X
from .registry import proof

FILE = "refpos/arithmetic/error_function.py"
GROUPS = {
    "centre 0": (0,), "centre 1/16": (1,), "centres to 3/16": (2, 3), "centres to 6": tuple(range(4, 97)),
}  # fmt: skip
ROOM = Fraction(1, 2**150)  # for what Sollya's numbers are off by
CRAMER = Fraction("1.0865")  # H_n(x)^2 exp(-x^2) is at most its square times 2^n n!
SLOPE = Fraction("1.12838")  # 2 / sqrt(pi) or more


def coefficients(centres):
    """The Taylor coefficients that the code makes, by its own text, of erf and its slope by Sollya."""
    (tree,) = (node for node in ast.parse(source.text(FILE)).body if getattr(node, "name", "") == "_taylor")
    numbers = _numbers(centres, tools.enclosures)
    slopes = dict(zip(centres, (low for low, _ in numbers[::2]), strict=True))
    values = dict(zip(centres, (low for low, _ in numbers[1::2]), strict=True))
    known = source.constants(FILE)
    cells = known["CELLS"]
    names = {
        "Fraction": Fraction, "factorial": factorial, "_fraction": lambda rule: rule(None), **known,
        "_slope": lambda digits, c: slopes[c * cells], "interval": lambda digits, c: values[c * cells],
    }  # fmt: skip
    exec(compile(ast.Module([tree], []), FILE, "exec"), names)
    return known, [checked(Fraction(c, cells), slopes[c], list(names["_taylor"](Fraction(c, cells)))) for c in centres]


def checked(centre, slope, made):
    """Coefficients that satisfy the differential equation of erf, f'' = -2 x f', with that slope."""
    equation = [
        (n + 2) * (n + 1) * made[n + 2] + 2 * centre * (n + 1) * made[n + 1] + 2 * n * made[n]
        for n in range(len(made) - 2)
    ]
    if made[1] != slope or any(equation):
        raise ValueError(f"coefficients must be those of erf at {centre}, got {made[:3]} ..")
    return made


def left_out(degree):
    """A bound of the terms after that degree at 1/32, by Lagrange's remainder and Cramer's inequality."""
    square = (
        (SLOPE * CRAMER) ** 2 * 2**degree * factorial(degree) / factorial(degree + 1) ** 2 / 2 ** (10 * degree + 10)
    )
    return Fraction(isqrt(int(square * 2**400)) + 1, 2**200)


def largest(made):
    """Of each coefficient in a group the largest size."""
    return [max(map(abs, values)) + ROOM * any(values) for values in zip(*made, strict=True)]


def steps(sizes, count):
    """{n: (size, error)} of the sums from the term n on, with some room: of one step by Gappa from that before it."""
    size = sum(value / 32 ** (n + 1) for n, value in enumerate(sizes[count:]))
    found = {count: (size * 32, sum(sizes[count:]) / 2**52)}
    for n in range(count - 1, -1, -1):
        size, error = (value / 32 for value in found[n + 1])
        rounding = (sizes[n] + size) / 2**104 + size / 2**103 + sizes[n] / 2**106 + grid(sizes[count]) / 2**107
        found[n] = (sizes[n] + size, (error + rounding) * (1 + Fraction(1, 2**40)) + 2 * ROOM)
    return found


def grid(size):
    """A power of two above it."""
    return Fraction(2) ** (size.numerator.bit_length() - size.denominator.bit_length() + 1)


def known_of(values, n, count):
    """What a script knows of a coefficient: the range of the true one, and how it is rounded."""
    if not any(values):
        return f"\n/\\ T{n} in [0, 0] /\\ |C{n} - T{n}| <= 0"
    lower, upper = min(values) - ROOM, max(values) + ROOM
    error = max(abs(lower), abs(upper)) / 2 ** (106 if n <= count else 53) + ROOM
    return f"\n/\\ T{n} in {gappa.interval(lower, upper)} /\\ |C{n} - T{n}| <= {gappa.literal(registry.exact(error))}"


@lru_cache
def _numbers(centres, enclosures):
    """Of each centre what erf and its slope there are."""
    return enclosures([text.format(c) for c in centres for text in ("2/sqrt(pi)*exp(-({}/16)^2)", "erf({}/16)")])


class Coefficients:
    """`highs` or `lows`: pairs up to the term PAIRS, then doubles."""

    def __init__(self, pairs, count, part):
        self.pairs, self.count, self.part, self.made = pairs, count, part, {}

    def __getitem__(self, place):
        n, _ = place
        if n > self.count:
            return gappa.Number(f"C{n}", f"T{n}")
        if n not in self.pairs.terms:
            self.pairs.terms[n] = self.pairs.given(f"C{n}", f"T{n}")
        return self.pairs.terms[n][self.part]


class Marks:
    """Numbers in place of coefficients, each another one, and 0 in place of lows."""

    def __init__(self, lows):
        self.lows = lows

    def __getitem__(self, place):
        return 0 if self.lows else place[0] + 2


def evaluated(known):
    """The code must evaluate the polynomial of its coefficients at h."""
    values = {"h": X, "centre": 0, "highs": Marks(False), "lows": Marks(True), **known, **EXACT}
    high, low = source.run(source.read(FILE, "error_function", "tail"), values)["returned"]
    if (high + low).terms != {(n, 0): n + 2 for n in range(known["DEGREE"] + 1)}:
        raise ValueError(f"the code must evaluate a polynomial of degree {known['DEGREE']}, got {high.terms}")


def result(pairs, n, known):
    """Run the code of one step; the number that the pair is."""
    code = source.read(FILE, "error_function", "tail")
    pairs.terms, given = {}, n + 1 == known["PAIRS"]
    values = {name: Coefficients(pairs, known["PAIRS"], k) for k, name in enumerate(("highs", "lows"))}
    values |= {"h": gappa.Number("h"), "centre": 0, **known, **pairs.operations()}
    if n == known["PAIRS"]:
        code = source.read(FILE, "error_function", "tail", "low")
        made = source.run(code, values, bind=pairs.bind)
    else:
        values["high"], values["low"] = pairs.given("V", "EV", cut=given)
        place = code.statements.index(("n", str(n)))
        made = source.run(source.Function((), code.statements[place : place + 3]), values, bind=pairs.bind)
    return pairs.whole(made["high"], made["low"])


@proof(*(f"{group}, from {n}" for group in GROUPS for n in range(9, -1, -1)))
def erf(variant):
    """One step: the sum from the term n on, of that from n + 1 on, or from the terms in plain double."""
    group, _, n = variant.rpartition(", from ")
    n, (known, made) = int(n), coefficients(GROUPS[group])
    pairs, found, count = Pairs(), steps(largest(made), known["PAIRS"]), known["PAIRS"]
    source.only(r"\n    cell = np\.rint\(x \* CELLS\)\n    h, centre = x - cell / CELLS, ", source.text(FILE))
    source.only(r"\n    high, rest = two_sum\(highs\[PAIRS, centre\], tail \* h\)\n", source.text(FILE))
    evaluated(known)
    pairs.size = grid(largest(made)[count])
    last = result(pairs, n, known)
    size, error = found[n + 1] if n < count else (0, 0)
    least = min(values[1] for values in made) - found[2][0] / 32 if group == "centre 0" and not n else -size
    terms = range(count, known["DEGREE"] + 1) if n == count else (n,)
    if n:
        goal = {"off": f"{last.rounded} - {last.exact}", "hint": "", "bound": found[n][1]}
    else:
        texts = OF_RESULT[group == "centre 0"]
        goal = {name: text.replace("R", last.rounded) for name, text in zip(("off", "hint"), texts, strict=True)}
    return {
        **pairs.filled(), **goal, "er": left_out(known["DEGREE"]),
        "sums": gappa.interval(least, size), "error": error,
        "distance": "[1b-300, 1b-5]" if group == "centre 0" else "[-1b-5, 1b-5]",
        "coefficients": "".join(known_of([values[k] for values in made], k, count) for k in terms),
    }  # fmt: skip


QUOTIENT = "(R - h * (EV + 32 * er)) / (h * (EV + 32 * er))"
#: what is bounded of the whole sum R, and a hint; next to 0 all but the term of h^1 is a part of h
OF_RESULT = (
    ("(R - (E_R + er)) / (E_R + er)", "R - (E_R + er) -> (R - E_R) - er;"),
    (
        QUOTIENT,
        (
            f"{QUOTIENT} -> ((V - EV) - 32 * er + V * (e1 + f2 + e1 * f2) + u1 / h * (1 + f2)) / (EV + 32 * er)"
            " + C0 / h * (1 + e2) / (EV + 32 * er) { h <> 0, EV + 32 * er <> 0 };"
        ),
    ),
)
