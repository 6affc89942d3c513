"""The rounding test of pairs: both ends of an interval, which the code makes of a pair and a radius."""

import itertools
import re

from . import source
from .registry import query

PYX, TABLES, ROTATIONS = "ext/compiled.pyx", "ext/tables.h", "ext/rotations.h"
KIND = r", <number> 0, precision, lowest\)\n"
#: an expression, and a whole line
TEXT, LINE = r"[^,;\n]*", r"[^\n]*\n"
STORED = rf"out\[0\] = narrowed\((?P<stored>{TEXT}){KIND}    return same_bits\(lower, upper\)\n"


def _same(name, lower):
    return rf"    need_same\(&?sure, {name}, (?P<lower>{lower})\);\n"


#: file, names of the leading part, the rest and the radius, and code with both ends, and with what is stored
PAIRS = [
    (
        PYX,
        "leading rest radius",
        rf"lower = narrowed\((?P<lower>{TEXT}){KIND}    out\[0\] = narrowed\((?P<upper>{TEXT}){KIND}",
    ),
    (
        PYX,
        "leading rest error_radius",
        rf"lower = narrowed\((?P<lower>{TEXT}){KIND}    upper = narrowed\((?P<upper>{TEXT}){KIND}    {STORED}",
    ),
    (
        PYX,
        "high low error_radius",
        rf"lower, upper = (?P<lower>{TEXT}), (?P<upper>{TEXT})\n        if not same_bits\(lower, upper\):",
    ),
    (
        "refpos/kernels/numpy_kernels.py",
        "leading rest radius",
        rf"return (?P<lower>{TEXT}), np\.add\((?P<first>{TEXT}), (?P<second>{TEXT}), out=out\)\n",
    ),
    (
        "refpos/arithmetic/powers.py",
        "high low radius",
        rf"ends = \[_narrowed\((?P<either>{TEXT}), exponent, fmt\) for side in \(-1, 1\)\]\n    return ends\[1\], ",
    ),
    (TABLES, "p u reach", rf"\*x = (?P<upper>{TEXT}\)), \*y = {LINE}{_same('[*]x', TEXT)}"),
    (TABLES, "q v reach", rf"\*x = {TEXT}\), \*y = (?P<upper>{TEXT});\n{LINE}{_same('[*]y', TEXT)}"),
]
#: the same of vectors whose rest has the radius already
VECTORS = [
    (TABLES, "p u reach", rf"\*x = (?P<upper>p \+ u), {LINE}{_same('[*]x', TEXT)}"),
    (TABLES, "q v reach", rf"\*x = p \+ u, \*y = (?P<upper>{TEXT});\n{LINE}{_same('[*]y', TEXT)}"),
    (ROTATIONS, "u1 u0 reach", rf"u = (?P<upper>u1 \+ u0), {LINE}{LINE}{_same('u', TEXT)}"),
    (ROTATIONS, "v1 v0 reach", rf" v = (?P<upper>v1 \+ v0);\n{LINE}{LINE}{_same('v', TEXT)}"),
]
NOTHING = {"__builtins__": {}}
BITS, BINADES = 3, 3  # of the small format


def rounded(n):
    """The nearest integer of that many bits, ties to even."""
    drop = max(0, abs(n).bit_length() - BITS)
    kept, rest = divmod(n, 1 << drop)
    return kept + (2 * rest > 1 << drop or (2 * rest == 1 << drop and kept & 1)) << drop


class Small(int):
    """A number of the small format, in units of the smallest: each operation is rounded."""

    def __add__(self, other):
        return Small(rounded(int(self) + int(other)))

    def __sub__(self, other):
        return Small(rounded(int(self) - int(other)))


NUMBERS = sorted({n << shift for n in range(1 << BITS) for shift in range(BINADES + 1)})


def _ends(file, names, pattern):
    """The lower end, the upper end and what is stored, as code of leading, rest and radius."""
    found = list(re.finditer(pattern, source.text(file), re.DOTALL))
    if len(found) != 1:
        raise ValueError(f"{file} must have one test of {names}, got {len(found)}")
    code = found[0].groupdict()
    if "first" in code:
        code["upper"] = f"{code['first']} + ({code['second']})"
    if "either" in code:
        code |= {name: code["either"].replace("side", side) for name, side in (("lower", "-1"), ("upper", "1"))}
    for name, meant in zip(names.split(), ("leading", "rest", "radius"), strict=True):
        code = {key: re.sub(rf"\b{name}\b", meant, text) for key, text in code.items()}
    return code["lower"], code["upper"], code.get("stored", code["upper"])


def _try(texts, shift):
    """All pairs and radii; of vectors the rest is `shift` radii more than that of the pair.

    The number that a pair stands for is off by what a radius leaves after the rounding of the lower half of an end. The
    lowest and the highest must round to what is stored, where both ends are alike; so do those between (ends.smt2).
    """
    lower, upper, stored = (compile(text, text, "eval") for text in texts)
    for leading, rest, radius in itertools.product(
        NUMBERS, [n * sign for n in NUMBERS for sign in (-1, 1)], NUMBERS[1:]
    ):
        values = {"leading": Small(leading), "rest": Small(rest), "radius": Small(radius), "twice": Small(2 * radius)}
        if eval(lower, NOTHING, values) != eval(upper, NOTHING, values):
            continue
        value, middle = eval(stored, NOTHING, values), rest - shift * radius
        for side in (-1, 1):
            end = middle + side * radius
            left = radius - abs(rounded(end) - end)
            if left >= 0 and rounded(leading + middle + side * left) != value:
                raise ValueError(f"{texts} must round to one number, got others for {values}")


@query
def ends():
    """A negative leading part is one with all signs changed. Sums of numbers of the format do not underflow; where they
    overflow, it is as if the exponents went on."""
    for tests, shift in ((PAIRS, 0), (VECTORS, 1)):
        for texts in dict.fromkeys(_ends(*test) for test in tests):
            _try(texts, shift)
    return {}
