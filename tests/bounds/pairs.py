"""Seeds as pairs, a knot rotated by the angle from it: in vectors, one by one, and in NumPy; seeds rounded at once."""

from . import gappa, registry, source, tools
from .polynomials import X, Y
from .registry import FUSED, NOT_FUSED, power, proof

ONE_BY_ONE, NUMPY = "one by one", "NumPy"
ALL = (FUSED, NOT_FUSED, ONE_BY_ONE, NUMPY)
KNOT = ("cos1", "cos0", "sin1", "sin0")
LARGEST = "2^(-9.348)"  # of angles from a knot: pi / 2048 is less
SIZES = {
    "phase": power("91.2")[1],
    "x1": power("9.348")[1],
    "x0": power("33.6")[1],
    "s0": power("30.4")[1],
    "c0": power("41.3")[1],
}
#: file, and the functions of the angle, of its cosine and sine, and of the rotated knot
VECTORS = ("ext/seeds.h", "place_pair", "seed_pairs", "rotate_knot")
PLACES = {
    ONE_BY_ONE: ("ext/compiled.pyx", "seed_entry", "seed_entry", "rotate_knot"),
    NUMPY: ("refpos/kernels/numpy_seeds.py", "_pairs", "_pairs", "_rotate_knot"),
}


def read(variant, k, first, last):
    file, *functions = PLACES.get(variant, VECTORS)
    return source.read(file, functions[k], first, last)


def constants(variant):
    """Numbers that the module of a variant defines."""
    return source.constants(PLACES[variant][0]) if variant in PLACES else {}


#: of each variant what its angle is computed from: names, what is known, high and low term in turns
TERMS = {
    NUMPY: (
        {"distance": ("distance",), "rest": ("rest",)},
        "@FIX(distance, 11) /\\ |distance| <= 1b63 /\\ @FIX(rest, 0) /\\ rest in [0, 1b32] /\\ cut in [0, 0]",
        ("high", "E_low"),
    ),
    ONE_BY_ONE: (
        {"distance_high": ("high",), "distance_low": ("(double(low) * 1b-96)", "(low * 1b-96)")},
        "@FIX(high, -37) /\\ |high| <= 1b-12 /\\ @FIX(low, 0) /\\ low in [0, 1b59] /\\ cut in [0, 0]",
        ("high", "low * 1b-96"),
    ),
}
OF_VECTORS = (
    {"high": ("high",), "low": ("low",)},
    "@FIX(high, 0) /\\ |high| <= 1b25 /\\ @FIX(low, 0) /\\ low in [0, 1b52] /\\ cut in [0, 1b-89]",
    ("high * 1b-37", "low * 1b-89"),
)


@proof(*ALL)
def reduced_angle(variant):
    given, known, turns = TERMS.get(variant, OF_VECTORS)
    script = gappa.Script()
    code = read(variant, 0, "turns" if variant == NUMPY else "product", "x0")
    values = {name: gappa.Number(*terms) for name, terms in given.items()}
    source.run(code, {**constants(variant), **values, **script.operations(variant == FUSED)}, given, bind=script.bind)
    # without the part on a grid, which x0 takes off, x0 is the angle as a sum of two multiples
    names = ("high", "low") if variant == NUMPY else tuple(given)
    code = read(variant, 0, "product", "x0")
    linear = source.run(
        code, {**constants(variant), **dict(zip(names, (X, Y), strict=True)), **gappa.WITHOUT_PARTS}, names
    )["x0"]
    scales = (1, 1) if variant in PLACES else (2**37, 2**89)
    radians = [linear.terms[power] * scale for power, scale in zip(((1, 0), (0, 1)), scales, strict=True)]
    terms = [f"({term}) * (TWO_PI - {gappa.literal(value)})" for term, value in zip(turns, radians, strict=True)]
    return {
        **script.filled(),
        **SIZES,
        "known": known,
        "turns": " + ".join(turns),
        "two_pi": gappa.interval(*tools.enclosure("2*pi")),
        "difference": " + ".join(terms),
    }


def small(variant, last):
    """Script and series of the code up to s0 or c0."""
    script, given, code = gappa.Script(), ("x1", "x0"), read(variant, 1, "x", last)
    values = {name: gappa.Number(name) for name in given}
    source.run(code, {**constants(variant), **values, **script.operations(variant == FUSED)}, given, bind=script.bind)
    return script, *(
        source.run(code, {**constants(variant), "x1": x1, "x0": x0, **gappa.WITHOUT_PARTS}, given)
        for x1, x0 in ((0, X), (X, Y))
    )


def of_the_sum(series, of_both):
    """A series in x0 alone, after a check that with x1 it is the same series of x1 + x0."""
    if series.of(X + Y) != of_both:
        raise ValueError("the code must compute a function of x1 + x0, got one of both")
    return series


@proof(*ALL)
def seed_pairs_sine(variant):
    script, alone, both = small(variant, "s0")
    sine = of_the_sum(alone["s0"], X + both["s0"])
    return {**script.filled(), **SIZES, "es": tools.supnorm(sine, "sin(x)", LARGEST)}


@proof(*ALL)
def seed_pairs_cosine(variant):
    script, *series = small(variant, "c0")
    cosine = of_the_sum(*(1 - terms["half_square"] + terms["c0"] for terms in series))
    return {**script.filled(), **SIZES, "ec": tools.supnorm(cosine, "cos(x)", LARGEST)}


def called(function, script, operations, parts=()):
    """A function that code calls for the cosine and then for the sine; `parts` are numbers that it takes apart."""

    def bind(name, value):
        made = script.bind(name, value)
        return gappa.Number(made.rounded) if name.partition("_")[2] in parts else made

    return source.inner(function, ("cos_", "sin_"), operations, bind)


@proof(*ALL)
def seed_pairs(variant):
    script, rotate = gappa.Script(), read(variant, 2, None, None)
    values = {name: gappa.Number(name) for name in (*KNOT, "x1", "half_square")}
    values |= {"s0": gappa.Number("s0", "T_s0"), "c0": gappa.Number("c0", "T_c0")}
    operations = {**constants(variant), **script.operations(variant == FUSED)}
    values |= operations | {PLACES.get(variant, VECTORS)[3]: called(rotate, script, operations)}
    values["nearest_knot"] = dict(zip((0, 2048, 4096, 6144), map(gappa.Number, KNOT), strict=True))
    given, skipped = (*KNOT, "s0", "c0", "half_square", "x", "square", "nearest_knot"), ("if negative:",)
    made = source.run(read(variant, 1, "x", None), {**values, "KNOTS": 2048}, given, skipped, script.bind)
    if variant == NUMPY:
        for name, pair in (("cos", made["out[:2]"]), ("sin", made["out[2:]"])):
            script.bind(f"{name}_high", pair[0]), script.bind(f"{name}_low", pair[1])
    return {**script.filled(), **SIZES}


@proof(FUSED, NOT_FUSED)
def seed_scattered(variant):
    source.only(
        r"\*x = p \+ \(u \+ reach\), \*y = q \+ \(v \+ reach\);\s+need_same\(sure, \*x, p \+ \(u - reach\)\);\s+"
        r"need_same\(sure, \*y, q \+ \(v - reach\)\);",
        source.text("ext/tables.h"),
    )
    file, given, script = "ext/seeds.h", ("x1", "x0", *KNOT), gappa.Script()
    operations = script.operations(variant == FUSED)
    turn_knot = called(source.read(file, "turn_knot"), script, operations, ("leading",))
    values = {name: gappa.Number(name) for name in given} | operations | {"turn_knot": turn_knot}
    source.run(source.read(file, "seed_rest", "x"), values, given, bind=script.bind)
    angle = power(registry.stated()["reduced_angle"])[1]
    code = source.read(file, "seed_rest", "x", "m")
    alone, both = (source.run(code, {"x1": x1, "x0": x0, **gappa.WITHOUT_PARTS}, given) for x1, x0 in ((0, X), (X, Y)))
    sine, versine = of_the_sum(alone["s0"], X + both["s0"]), of_the_sum(alone["m"], both["m"])
    return {
        **script.filled(),
        **SIZES,
        "radius": source.defined("ext/tables.h", "APART_RADIUS"),
        "es": tools.supnorm(sine, "sin(x)", LARGEST) + angle,
        "em": tools.supnorm(1 - versine, "cos(x)", LARGEST) + angle,
    }
