"""Sums of two angles in plain double and as pairs: in vectors, one by one, and in NumPy."""

from . import gappa, registry, source
from .registry import FUSED, NOT_FUSED, power, proof

DOUBLES, PAIRS = ("c", "s", "d", "t"), ("c1", "c0", "s1", "s0", "d1", "d0", "t1", "t0")
NUMPY, ONE_BY_ONE = "refpos/kernels/numpy_seeds.py", "one by one"
DOUBLE_SEED = "51.5"  # of both kernels: the larger bound
#: vector code of sums in plain double: file, function, cosine and sine
VECTORS = {
    "tables.h": ("ext/tables.h", "sum_doubles", "u[k]", "v[k]"),
    "seeds.h": ("ext/seeds.h", "add", "out + i", "out + out_plane + i"),
    "second look": ("ext/tables.h", "undecided_lanes", "u[k]", "v[k]"),
}
#: what the second look at 16 bits has again
AGAIN = (
    r"store_sum\(c \* d - s \* t, job->radius, cos, format\) & store_sum\(s \* d \+ c \* t, job->radius, sin, format\)"
)


def propagated(error):
    """What errors of four seeds leave of a sum of two angles."""
    return 4 * power("0.5")[1] * error + 2 * error**2


def in_numpy(seeds, names, order):
    """What `added` returns: sine + i cosine times cosine - i sine, of planes of cosines and then of sines."""
    half = len(names) // 4
    numbers = [seeds[name] for name in names]
    cosines, sines, of_steps, step_sines = (numbers[k * half : (k + 1) * half] for k in range(4))
    waves = [gappa.Complex(sine, cosine, order) for cosine, sine in zip(cosines, sines, strict=True)]
    steps = [gappa.Complex(cosine, -sine, order) for cosine, sine in zip(of_steps, step_sines, strict=True)]
    given = () if half > 1 else ("rest", "returned")
    return source.run(source.read(NUMPY, "added"), {"waves": waves, "rotated": steps}, given, ("if len",))


def one_by_one(seeds, names, is_sine):
    """What `sum_entry` sums: leading part and rest, of planes of cosines and then of sines."""
    half = len(names) // 4
    planes = [dict(enumerate(seeds[name] for name in names[k * half : (k + 1) * half])) for k in range(4)]
    cosines, sines, of_steps, step_sines = planes
    source.only(
        r"\*p = a \+ c \* a_plane if sine else a\n.*?\*q = a if sine else a \+ c \* a_plane\n"
        r".*?\*t = b \+ c \* b_plane\n.*?sign = 1\.0 if sine else -1\.0\n",
        source.text("ext/compiled.pyx"),
    )
    values = {"p": sines if is_sine else cosines, "q": cosines if is_sine else sines, "b": of_steps, "t": step_sines}
    code, given = source.read("ext/compiled.pyx", "sum_entry", "leading", "rest"), () if half > 1 else ("rest",)
    values |= {"sign": 1.0 if is_sine else -1.0, "a_plane": 1, "b_plane": 1}
    return source.run(code, values, given, ("if number is double:",))


@proof(*(f"{place}, {how}" for place in VECTORS for how in (FUSED, NOT_FUSED)), *gappa.ORDERS, ONE_BY_ONE)
def addition_double(variant):
    script = gappa.Script()
    seeds = {name: gappa.Number(name) for name in DOUBLES}
    place, _, how = variant.partition(", ")
    if place in VECTORS:
        file, function, cosine, sine = VECTORS[place]
        values = {**seeds, "sign": 1.0, **script.operations(how == FUSED)}
        made = source.run(source.read(file, function, cosine, sine), values)
        cosine, sine = made[cosine], made[sine]
    elif variant == ONE_BY_ONE:
        cosine, sine = (one_by_one(seeds, DOUBLES, is_sine)["leading"] for is_sine in (False, True))
    else:
        leading = in_numpy(seeds, DOUBLES, variant)["leading"]
        cosine, sine = leading.imag, leading.real
    source.only(AGAIN, source.text("ext/tables.h"))
    script.bind("u", cosine), script.bind("v", sine)
    return {**script.filled(), "propagated": propagated(power(DOUBLE_SEED)[1])}


def sums_of_pairs(variant):
    """The script of sums of the angles of pairs: leading parts p and q and rests u and v, of cosine and sine."""
    script = gappa.Script()
    seeds = {name: gappa.Number(name) for name in PAIRS}
    if variant == ONE_BY_ONE:
        cosine, sine = (one_by_one(seeds, PAIRS, is_sine) for is_sine in (False, True))
        parts = {"p": cosine["leading"], "u": cosine["rest"], "q": sine["leading"], "v": sine["rest"]}
    else:
        made = in_numpy(seeds, PAIRS, variant)
        leading, rest = made["leading"], made["rest"]
        parts = {"p": leading.imag, "u": rest.imag, "q": leading.real, "v": rest.real}
    for name, value in parts.items():
        script.bind(name, value)
    return script


def sums_in_vectors(variant):
    """The same of vectors, whose rests have the radius."""
    script = gappa.Script()
    values = {name: gappa.Number(name) for name in (*PAIRS, "reach")} | script.operations(variant == FUSED)
    source.run(source.read("ext/tables.h", "sum_pairs", "c1", "y"), values, PAIRS, bind=script.bind)
    source.only(
        r"need_same\(sure, \*x, p \+ \(u - twice\)\);\s+need_same\(sure, \*y, q \+ \(v - twice\)\);",
        source.text("ext/tables.h"),
    )
    return script


@proof(*gappa.ORDERS, ONE_BY_ONE)
def addition_pairs(variant):
    error = propagated(power(registry.stated()["seed_pairs"])[1])
    return {**sums_of_pairs(variant).filled(), "propagated": error}


@proof(FUSED, NOT_FUSED)
def addition_pairs_vectors(variant):
    error = propagated(power(registry.stated()["seed_pairs"])[1])
    return {
        **sums_in_vectors(variant).filled(),
        "propagated": error,
        "radius": source.constants("refpos/steps/waves/tables.py")["PAIR_RADIUS"],
    }


@proof(FUSED, NOT_FUSED)
def addition_singles(variant):
    """Each variant with a radius and a bound of its own."""
    radius = source.constants("refpos/steps/waves/tables.py")["DOUBLE_RADIUS"]
    radius *= source.defined("ext/rows.h", "SUM_FUSED" if variant == FUSED else "SUM_SINGLE")
    script, values = gappa.Script(), {name: gappa.Number(name, kind="single") for name in (*DOUBLES, "reach")}
    code = source.read("ext/tables.h", "sum_singles", "p", "twice")
    source.run(code, {**values, **script.operations(variant == FUSED)}, bind=script.bind)
    source.only(
        r"\(VI\)\(p - twice\) \+ 0x8000u\)\) \| \(\*y \^ \(\(VI\)\(q - twice\) \+ 0x8000u", source.text("ext/tables.h")
    )
    return {**script.filled(), "radius": radius, "propagated": propagated(power("25")[1] + power(DOUBLE_SEED)[1])}
