"""Rotations of channels by cosines and sines that are sums of two angles: in vectors, one by one, and in NumPy."""

import itertools

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


#: of N: rounding errors jump at 1/2 and 1, near which each piece is short
SIZES = ("1b-1", "259b-9", "17b-5", "21b-5", "1048575b-20", "1")
PIECES = tuple(f"[{lower}, {upper}]" for lower, upper in itertools.pairwise(SIZES))


@proof(*PIECES)
def rotation_singles(variant):
    """With a fused multiply-add: without one the bound is derived by hand."""
    script, text = gappa.Script(), source.text("ext/rotations.h")
    sums = source.only(r"const VS p = (fma_s\(.*?\)\)), q = (fma_s\(.*?\)\));\s+\*u = \(VI\)p \+ 0x8000u", text)
    for code in (
        r"reach = fma_s\(size, k->limit, k->floor\);\s+const VS twice = reach \+ reach;",
        r"\(VI\)\(p - twice\) \+ 0x8000u\)\) \| \(\*v \^ \(\(VI\)\(q - twice\) \+ 0x8000u",
        r"k\.limit = ALL\(VS, \(float\)\(job->radius \* \(FUSED \? ROTATE_FUSED : ROTATE_SINGLE\)\)\)",
    ):
        source.only(code, text)
    names = {"x": "x", "y": "y", "cos": "c", "sin": "s", "reach": "reach"}
    values = {name: gappa.Number(term, kind="single") for name, term in names.items()} | script.operations(True)
    for name, expression in zip(("p", "q"), sums, strict=True):
        script.bind(name, eval(expression, {"__builtins__": {}}, values))
    radius = source.constants("refpos/steps/waves/rotation.py")["DOUBLE_RADIUS"]
    return {
        **script.filled(),
        "sizes": variant,
        "radius": radius * source.defined("ext/rows.h", "ROTATE_FUSED"),
        "seeds": power("25")[1] + power(registry.stated()["rotation_double"])[1],
    }


POWERS = "refpos/steps/waves/scaled_rotation.py"
#: the calls for the two channels: the other channel is multiplied by the sine, of either sign
CHANNELS = {"first channel": ("x", "y", "cos", "-sin"), "second channel": ("y", "x", "cos", "sin")}


@proof(*CHANNELS)
def rotation_power(variant):
    """The sum before the power is w; names of the script are those of the function, whatever the caller's are."""
    calls = source.only(r"in \(combine\((.*?), high, low\), combine\((.*?), high, low\)\):", source.text(POWERS))
    if tuple(calls[list(CHANNELS).index(variant)].split(", ")) != CHANNELS[variant]:
        raise ValueError(f"the {variant} must be made of {CHANNELS[variant]}, got {calls}")
    (sums,) = (text for _, text in source.read(POWERS, "_combine_doubles").statements)
    inner = source.only(r"^\(\((.*)\) \* high, 0\.0\)$", sums)
    script, numbers = gappa.Script(), {name: gappa.Number(name) for name in (*GIVEN, "high")}
    values = {**numbers, "cos": {0: numbers["c"]}, "sin": {0: numbers["s"]}}
    script.bind("u", script.bind("w", eval(inner, {"__builtins__": {}}, values)) * numbers["high"])
    return {**script.filled(), "seeds": power(DOUBLE_SEED)[1], "power": power("48.7")[1]}
