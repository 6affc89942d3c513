"""Rotations of channels by cosines and sines that are sums of two angles: in vectors, one by one, and in NumPy."""

import itertools
from fractions import Fraction

from . import gappa, registry, source
from .additions import DOUBLE_SEED
from .registry import FUSED, NOT_FUSED, power, proof

ONE_BY_ONE, NUMPY, AGAIN = "one by one", "NumPy", "second look"
GIVEN = ("x", "y", "c", "s")
#: the calls that give the two channels, in each place; those of the second look are the formula itself
CALLS = {
    "ext/compiled.pyx": (
        r"combine\(x, y, table\[0\], c0, -table\[sine\], -s0, error_radius, &p,",
        r"combine\(y, x, table\[0\], c0, table\[sine\], s0, error_radius, &q,",
    ),
    "refpos/kernels/numpy_kernels.py": (r"in \(combine\(x, y, cos, -sin\), combine\(y, x, cos, sin\)\):",),
}


def again(numbers):
    """Both channels of `turn_again`, which stores them as they are."""
    pair = source.only(
        r"store_value\(([^,]+), reach, u, format\) &\s+store_value\(([^,]+), reach, v, format\)",
        source.text("ext/rotations.h"),
    )
    values = {**numbers, "d": {0: numbers["c"], 1: numbers["s"]}, "plane": 1}
    return [eval(text, {"__builtins__": {}}, values) for text in pair]


def called(numbers, file, function, last):
    """Both channels by a function for x cos + y sin, whose calls are those of CALLS."""
    for call in CALLS[file]:
        source.only(call, source.text(file))
    code = source.read(file, function, last, last)
    x, y, c, s = (numbers[name] for name in GIVEN)
    made = []
    for one, other, sine in ((x, y, -s), (y, x, s)):
        values = {"x": one, "y": other, "c1": c, "s1": sine, "cos": {0: c}, "sin": {0: sine}}
        made.append(source.run(code, values)[last])
    return made


@proof(FUSED, NOT_FUSED, AGAIN, ONE_BY_ONE, NUMPY)
def rotation_double(variant):
    script, numbers = gappa.Script(), {name: gappa.Number(name) for name in GIVEN}
    if variant == AGAIN:
        made = again(numbers)
    elif variant == ONE_BY_ONE:
        made = called(numbers, "ext/compiled.pyx", "combine", "leading")
    elif variant == NUMPY:
        made = [
            value for value, _ in called(numbers, "refpos/kernels/numpy_kernels.py", "_combine_doubles", "returned")
        ]
    else:
        code = source.read("ext/rotations.h", "turn_32", "u[j]", "v[j]")
        values = source.run(code, {**numbers, **script.operations(variant == FUSED)})
        made = values["u[j]"], values["v[j]"]
    for name, value in zip(("u", "v"), made, strict=True):
        script.bind(name, value)
    return script.filled()


#: where N is cut: near 1/2 and 1, where rounding errors jump, pieces are short
SHORT, ALMOST_1, LARGEST = Fraction(1, 2**13), 1 - Fraction(1, 2**20), 1 + Fraction(1, 2**24)
SIZES = {
    FUSED: (*(Fraction(n, 512) for n in (256, 259, 272, 336)), ALMOST_1, 1),
    NOT_FUSED: (*(Fraction(1, 2) + n * SHORT for n in (0, Fraction(7, 8), 7, 28, 112, 448, 1280)), ALMOST_1, 1),
}


def cuts(how, upper):
    """Where the product that is added to the radius is cut, over N: the other product is what it leaves of 1."""
    if how == FUSED or upper == ALMOST_1:
        return ()
    return (Fraction(1, 2), 1 - SHORT / 2) if upper == 1 else (Fraction(1, 4), gappa.below(Fraction(1, 2) / upper))


def pieces():
    """{variant: pieces of N and of that product, and what the other one is at most}."""
    made = {}
    for how, sizes in SIZES.items():
        for size in itertools.pairwise(sizes):
            for part in itertools.pairwise((0, *cuts(how, size[1]), LARGEST)):
                made[f"{how}, piece {len(made)}"] = gappa.interval(*size), gappa.interval(*part), LARGEST - part[0]
    return made


PIECES = pieces()


@proof(*PIECES)
def rotation_singles(variant):
    """Each variant with a radius and a bound of its own, piece by piece."""
    how, (sizes, part, left) = variant.partition(", ")[0], PIECES[variant]
    script, text = gappa.Script(), source.text("ext/rotations.h")
    sums = source.only(r"const VS p = (fma_s\(.*?\)\)), q = (fma_s\(.*?\)\));\s+\*u = \(VI\)p \+ 0x8000u", text)
    source.holds(
        text,
        r"reach = fma_s\(size, k->limit, k->floor\);\s+const VS twice = reach \+ reach;",
        r"\(VI\)\(p - twice\) \+ 0x8000u\)\) \| \(\*v \^ \(\(VI\)\(q - twice\) \+ 0x8000u",
        r"k\.limit = ALL\(VS, \(float\)\(job->radius \* \(FUSED \? ROTATE_FUSED : ROTATE_SINGLE\)\)\)",
    )
    names = {"x": "x", "y": "y", "cos": "c", "sin": "s", "reach": "reach"}
    values = {name: gappa.Number(term, kind="single") for name, term in names.items()} | script.operations(how == FUSED)
    for name, expression in zip(("p", "q"), sums, strict=True):
        script.bind(name, eval(expression, {"__builtins__": {}}, values))
    radius = source.constants("refpos/steps/waves/rotation.py")["DOUBLE_RADIUS"]
    radius *= source.defined("ext/rows.h", "ROTATE_FUSED" if how == FUSED else "ROTATE_SINGLE")
    if radius <= power(registry.bits_of("rotation_singles", variant))[1]:
        raise ValueError(f"a radius must be larger than the bound, got {radius}")
    return {
        **script.filled(),
        "sizes": sizes,
        "part": part,
        "left": left,
        "radius": radius,
        "seeds": power("25")[1] + power(registry.stated()["rotation_double"])[1],
    }


POWERS = "refpos/steps/waves/scaled_rotation.py"
#: the calls for the two channels: the other channel is multiplied by the sine, of either sign
CHANNELS = {"first channel": ("x", "y", "cos", "-sin"), "second channel": ("y", "x", "cos", "sin")}


def checked_calls(channel):
    """An error, unless the functions of rotations times a power are called with the channels as CHANNELS has them."""
    calls = source.only(r"in \(combine\((.*?), high, low\), combine\((.*?), high, low\)\):", source.text(POWERS))
    if tuple(calls[list(CHANNELS).index(channel)].split(", ")) != CHANNELS[channel]:
        raise ValueError(f"the {channel} must be made of {CHANNELS[channel]}, got {calls}")


@proof(*CHANNELS)
def rotation_power(variant):
    """The sum before the power is w; names of the script are those of the function, whatever the caller's are."""
    checked_calls(variant)
    (sums,) = (text for _, text in source.read(POWERS, "_combine_doubles").statements)
    inner = source.only(r"^\(\((.*)\) \* high, 0\.0\)$", sums)
    script, numbers = gappa.Script(), {name: gappa.Number(name) for name in (*GIVEN, "high")}
    values = {**numbers, "cos": {0: numbers["c"]}, "sin": {0: numbers["s"]}}
    script.bind("u", script.bind("w", eval(inner, {"__builtins__": {}}, values)) * numbers["high"])
    return {**script.filled(), "seeds": power(DOUBLE_SEED)[1], "power": power("48.7")[1]}
