"""Rotations of float64 channels by pairs in the vector code, which cuts channels to multiples of one unit."""

from . import gappa, source
from .exact_sums import binder
from .registry import FUSED, NOT_FUSED, proof
from .rotation_pairs import FACTOR, NAMES, PLAIN, WAVES, magnitudes, tested

#: names of the code: the channel that the cosine multiplies, the other one, and the result; the sign of the sine
CHANNELS_OF_VECTORS = {"first channel": ("x", "y", "u", "-"), "second channel": ("y", "x", "v", "+")}
VECTORS = "ext/rotations.h"


def parts_on_a_grid(script):
    """x1 and y1 by the code, where the exponent of the size is 0."""
    text = source.text(VECTORS)
    source.only(r"size = SIZE_D\(x\) \+ SIZE_D\(y\), grid", text)
    source.only(r"x1 = \(x \+ grid\) - grid, y1 = \(y \+ grid\) - grid, x0 = x - x1, y0 = y - y1;", text)
    source.only(r"reach = fma_d\(size, k->radius, k->least_d\), twice = reach \+ reach;", text)
    source.only(r"need_same\(&sure, u, u1 \+ \(u0 - twice\)\);\s+need_same\(&sure, v, v1 \+ \(v0 - twice\)\);", text)
    scale = source.only(r"grid = \(VD\)\(\(VQ\)size & (0x\w+)ull\) \* (0x[\d.]+p\d+);", text)
    if int(scale[0], 16) != 0x7FF0000000000000:
        raise ValueError(f"a mask must keep the exponent alone, got {scale[0]}")
    anchor = float.fromhex(scale[1])
    return {f"{name}1": script.bind(f"{name}1", script.grid(gappa.Number(name), anchor)) for name in "xy"}


def in_order(script, is_fused):
    """The operations of the code, each result of which gets a name, and these names."""
    made, bind = [], binder(script)

    def named(function):
        def call(*numbers):
            made.append(bind(f"sum{len(made) + 1}", function(*numbers)).rounded)
            return gappa.Number(made[-1], kind=numbers[0].kind)

        return call

    operations = script.operations(is_fused)
    return made, operations | {name: named(operations[name]) for name in ("fma_d", "fnma_d", "fma_s", "fnma_s")}


@proof(
    *(
        f"{how}, {channel}, {kind}"
        for kind in (PLAIN, FACTOR)
        for how in (FUSED, NOT_FUSED)
        for channel in CHANNELS_OF_VECTORS
    )
)
def rotation_pairs_vectors(variant):
    how, channel, kind = variant.split(", ")
    of_cosine, of_sine, result, sign = CHANNELS_OF_VECTORS[channel]
    script = gappa.Script()
    _, operations = in_order(script, how == FUSED)
    parts = parts_on_a_grid(script)
    numbers = {name: gappa.Number(name) for name in NAMES[2:]} | {"reach": gappa.Number("reach")}
    for name, of in ((of_cosine, "x"), (of_sine, "y")):
        whole, upper = gappa.Number(of), parts[f"{of}1"]
        numbers |= {name: whole, f"{name}1": upper, f"{name}0": whole - upper}
    code = source.read(VECTORS, "turn_64", f"{result}1", f"{result}1")
    found = source.run(code, numbers | script.operations(how == FUSED))
    script.bind("leading", found[f"{result}1"])
    code = source.read(VECTORS, "turn_64", f"{result}0", f"{result}0")
    source.run(code, numbers | operations)
    return {
        **script.filled(),
        **magnitudes(kind),
        **tested(source.constants(WAVES)["PAIR_RADIUS"]),
        "sign": sign,
    }
