"""Search for wrong or endless results with attention factors and powers over the whole range of a float.

    python tests/sweep_factors.py                            10**6 elements, a quarter of an hour
    python tests/sweep_factors.py --elements 5000 --seed 7
    python tests/sweep_factors.py --kinds rope --first 12 --elements 1   one call again
    python tests/sweep_factors.py --cpu numpy               NumPy's kernels, or avx2 and so on, not those active

Every call is drawn from the seed and its number: tables, rotations and powers in four formats, with factors from
2**-1074 to 2**1023, angles that are fractions of a turn and angles that are not, channels that cancel, overflow,
underflow and lie on or next to a boundary of rounding. Every element is compared as bits with the witness. A call that
takes more than a second of processor time is stopped, and counts. The last line counts all; the exit code is 1 where
anything is wrong or slow.
"""

import argparse
import math
import signal
import sys
import time
import traceback
from contextlib import contextmanager
from fractions import Fraction
from pathlib import Path

import numpy as np

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))
sys.path.append(str(HERE.parent))  # an installed refpos comes first

from flint import arb, ctx
from witness import factors, lengths, scalings
from witness.digits import SHAPES, patterns
from witness.formulas import with_specials

import refpos
from refpos import catalogue, kernels

FORMATS = ("float64", "float32", "float16", "bfloat16")
LIMIT = 1.0  # seconds of processor time for one call
EDGES = [-1074, -1073, -1022, -900, -899, -230, -229, -204, -203, -128, -127, -1, 0, 1, 64, 127, 128, 1000, 1022, 1023]
DENOMINATORS = (1, 2, 3, 4, 5, 6, 8, 10, 12, 16, 24)
#: 1 + ln s / ln L, the square of the factor of longrope
SQUARES = (2, 3, 4, Fraction(3, 2), Fraction(4, 3), Fraction(5, 4), 6, Fraction(9, 4), 5)


class Slow(BaseException):
    """A call took longer than its limit; no code between catches it."""


@contextmanager
def limited(seconds=LIMIT):
    """Stop what takes more than so much processor time."""

    def stop(number, frame):
        raise Slow

    before = signal.signal(signal.SIGVTALRM, stop)
    signal.setitimer(signal.ITIMER_VIRTUAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, before)


# -- calls, made and written down -------------------------------------------------------------------------------------


def call(function, **arguments):
    return {"function": function, "arguments": {k: v for k, v in arguments.items() if v is not None}}


def made(recipe, known=None):
    """What a call of refpos gives; one object for one recipe, however often it is named."""
    known = {} if known is None else known

    def argument(value):
        if isinstance(value, dict):
            if id(value) not in known:
                known[id(value)] = made(value, known)
            return known[id(value)]
        return [argument(one) for one in value] if isinstance(value, list) else value

    return catalogue.find(recipe["function"]).function(**{k: argument(v) for k, v in recipe["arguments"].items()})


def written(value):
    """The call as Python."""
    if isinstance(value, dict):
        inside = ", ".join(f"{k}={written(v)}" for k, v in value["arguments"].items())
        return f"{catalogue.find(value['function']).public}({inside})"
    if isinstance(value, (list, tuple)):
        inside = ", ".join(map(written, value))
        return f"[{inside}]" if isinstance(value, list) else f"({inside},)"
    if isinstance(value, np.ndarray):
        return f"np.array({value.tolist()}, np.{value.dtype})"
    return repr(value)


# -- factors and frequencies ------------------------------------------------------------------------------------------


def any_factor(rng):
    """A factor over the whole range: an edge, a neighbour of one, a plain one, any, or one beyond every float."""
    kind = rng.integers(6)
    if rng.random() < 0.05:
        return [Fraction(2) ** 1500, Fraction(3, 2**1500), 10**400, 1 + Fraction(1, 2**600)][rng.integers(4)]
    if kind == 0:
        return 2.0 ** EDGES[rng.integers(len(EDGES))]
    if kind == 1:
        edge = 2.0 ** EDGES[rng.integers(len(EDGES))]
        return max(math.nextafter(edge, (0, math.inf)[rng.integers(2)]), 2.0**-1074)
    if kind == 2:
        return float((0.5, 1.5, 3.0, 0.75, 1.0)[rng.integers(5)])
    if kind == 3:
        return Fraction(int(rng.integers(1, 1000)), int(rng.integers(1, 1000))) * Fraction(2) ** int(
            rng.integers(-1040, 1000)
        )
    size = float(rng.uniform(1, 2))
    return max(math.ldexp(size, int(rng.integers(-1074, 1024)) if kind == 4 else int(rng.integers(-4, 5))), 2.0**-1074)


def attention(rng, irrational=0.5):
    """Arguments of longrope that make its factor: given, the root of a fraction, transcendental, or near 1."""
    trained = int(rng.choice([16, 64, 4096, 8192, 1000]))
    if rng.random() >= irrational:
        return {"original_max_position_embeddings": trained, "attention_factor": any_factor(rng)}
    kind = rng.integers(4)
    if kind < 2:
        square = SQUARES[rng.integers(len(SQUARES))]
        trained, power = 4096, Fraction(square) - 1
        return {
            "original_max_position_embeddings": trained,
            "factor": 2 ** int(12 * power) if 12 % power.denominator == 0 else 4096,
        }
    if kind == 2:
        return {"original_max_position_embeddings": trained, "factor": float(rng.uniform(1, 100))}
    wide = [math.nextafter(1, 2), 1 + Fraction(1, 2**600), 2.0**1000, 1.7e308, 0.5][rng.integers(5)]
    return {"original_max_position_embeddings": trained, "factor": wide}


def frequencies(rng, axes=False):
    """A recipe of frequencies: a scaling, whole wavelengths, or multiples of pi; with axes, two equal blocks."""
    half = int(rng.integers(1, 5))
    kind = rng.integers(3)
    found = turning(rng, half) if kind else scaled(rng, half)
    if kind == 1 and not axes:
        return call("resonance", frequencies=whole_lengths(rng, half))
    if kind == 2:
        times = (2, 1, 0.5, Fraction(2, 3))[rng.integers(4)]
        blocks = 2 if axes else 1
        options = {"axes": (1, 0)} if axes and rng.random() < 0.5 else {}
        return call("axial_frequencies", widths=(2 * half,) * blocks, times_pi=times, frequencies=[found] * blocks,
                    **options)  # fmt: skip
    width = found["arguments"]["dim"]
    return call("axial_frequencies", widths=(width,) * 2, frequencies=[found] * 2) if axes else found


def turning(rng, half):
    """Divisors whose inverses are simple fractions."""
    parts = [Fraction(int(rng.choice(DENOMINATORS)), int(rng.choice([1, 1, 1, 3, 5, 7]))) for _ in range(half)]
    return call("longrope", dim=2 * half, base=1, short_factor=parts, long_factor=[1] * half, **attention(rng, 0.6))


def whole_lengths(rng, half):
    """Frequencies whose wavelengths round to small numbers, most of them."""
    if rng.random() < 0.3:
        factor = float(rng.choice(DENOMINATORS)) / (2 * math.pi)
        yarn = call("yarn", dim=2, factor=float(rng.uniform(1, 50)), original_max_position_embeddings=4096)
        return call("linear", dim=2, factor=factor, frequencies=yarn)
    divisors = [float(rng.choice(DENOMINATORS)) / (2 * math.pi) for _ in range(half)]
    return call("longrope", dim=2 * half, base=1, short_factor=divisors, long_factor=[1] * half, **attention(rng, 0.6))


def scaled(rng, half):
    """Scalings of published models and odd ones; half of them with a factor over the whole range."""
    dim, base = 2 * half, (10000.0, 5e5, float(rng.uniform(1.5, 1e6)), 2, 1e7)[rng.integers(5)]
    base = (1e-300, 1e300, 2.0**-1000, Fraction(1, 3), 1e-5)[rng.integers(5)] if rng.random() < 0.1 else base
    kind = rng.integers(8)
    if kind < 4:
        divisors = [float(rng.uniform(0.5, 60)) for _ in range(half)]
        return call("longrope", dim=dim, base=base, short_factor=divisors, long_factor=divisors, **attention(rng, 0.3))
    if kind == 4:
        given = {"dim": dim, "base": max(base, 20.0), "original_max_position_embeddings": 4096}
        own = {"attention_factor": any_factor(rng)} if rng.random() < 0.5 else {}
        return call("yarn", factor=float(rng.uniform(0.5, 60)), **given, **own)
    if kind == 5:
        inner = call("longrope", dim=dim, base=base, short_factor=[1.0] * half, long_factor=[1.0] * half,
                     **attention(rng, 0.3))  # fmt: skip
        divisor = any_factor(rng) if rng.random() < 0.3 else float(rng.uniform(0.1, 60))
        return call("linear", dim=dim, factor=divisor, frequencies=inner)
    if kind == 6:
        return call("llama3", dim=dim, base=max(base, 20.0), factor=8, low_freq_factor=1, high_freq_factor=4,
                    original_max_position_embeddings=8192)  # fmt: skip
    stretch = any_factor(rng) if rng.random() < 0.2 else float(rng.uniform(0.5, 60))
    return call("ntk", dim=dim + 2, base=base, factor=stretch)


def places(rng, count, most=1074):
    """Positions: a run, scattered ones, tiny, huge or fractional ones, with zeros among them."""
    kind = rng.integers(8)
    if kind == 0:
        return np.arange(count)
    if kind == 1:
        return rng.integers(-40, 40, count)
    if kind == 2:
        return rng.integers(-(2**53), 2**53, count, endpoint=True)
    if kind == 3:
        return rng.integers(-400, 400, count) / 4
    if kind == 4:
        return np.ldexp(rng.uniform(-1, 1, count), rng.integers(-min(most, 1000), min(most, 1000), count))
    if kind == 5:
        return np.where(rng.random(count) < 0.3, 0.0, np.ldexp(rng.uniform(-1, 1, count), rng.integers(-60, 60, count)))
    start = int(rng.integers(-(2**40), 2**40))
    return start + int(rng.integers(1, 2**12)) * np.arange(count) if kind == 6 else rng.integers(0, 2**18, count)


# -- channels ---------------------------------------------------------------------------------------------------------


def channels(rng, name, waves, factor_of):
    """Pairs (x, y) as two arrays of float64 values of the format, one for each wave."""
    found = np.zeros((len(waves), 2))
    style = rng.integers(10)
    for k, (wave, factor) in enumerate(zip(waves, factor_of, strict=True)):
        found[k] = pair(rng, name, wave, factor, style if rng.random() < 0.7 else rng.integers(10))
    return rounded(found, name)


def rounded(values, name):
    """float64 values rounded to a format, as float64 again; what is too large becomes the largest."""
    largest = (2.0 - 2.0 ** (1 - SHAPES[name][0])) * 2.0 ** SHAPES[name][2]
    finite = np.isfinite(values)
    kept = np.where(finite, np.clip(values, -largest, largest), values)
    return as_doubles(with_specials(kept, name), name)


def as_doubles(bits, name):
    if name == "bfloat16":
        return (bits.astype(np.uint32) << 16).view(np.float32).astype(np.float64)
    return bits.view(name).astype(np.float64)


def pair(rng, name, wave, factor, style):
    """One pair of one style."""
    precision, smallest, largest, _ = SHAPES[name]
    low = smallest - precision + 1
    sign = rng.choice([-1.0, 1.0], 2)
    if style == 0:
        return rng.standard_normal(2)
    if style == 1:  # tiny: around the least normal number, or around 2**-900
        spread = (low, -900) if name == "float64" and rng.random() < 0.5 else (low, smallest + 3)
        return scaled_by(rng.uniform(1, 2, 2) * sign, rng.integers(*spread, 2))
    if style == 2:  # huge
        return scaled_by(rng.uniform(1, 2, 2) * sign, rng.integers(largest - 24, largest + 1, 2))
    if style == 3:
        return [(0.0, 1.5), (2.25, -0.0), (0.0, -0.0), (0.0, 0.0), (-0.0, 3.0), (-1.0, 0.0)][rng.integers(6)]
    if style == 4:
        value = math.ldexp(float(rng.integers(2 ** (precision - 1), 2**precision)), int(rng.integers(-40, 8)))
        return sign * (value if name != "float16" else value % 1024)
    if style == 5:  # sine and cosine, which cancel
        cosine, sine = wave.floats()
        return scaled_by(np.array([sine, cosine])[:: 1 - 2 * int(rng.integers(2))] * sign[0], int(rng.integers(-9, 9)))
    if style == 6:  # full significands, the second on a finer grid: sums that lie on a boundary
        top, exponent = 2 ** (precision - 1), int(rng.integers(smallest, largest - precision))
        x = int(rng.integers(top, 2 * top)) * 2.0**exponent
        own = [top, 2 * top - 1, int(rng.integers(top, 2 * top)), 1][rng.integers(4)]
        y = scaled_by(float(own), exponent - int(rng.integers(0, 2 * precision)))
        return (sign * (x, y))[:: 1 - 2 * int(rng.integers(2))]
    if style == 7:
        return near_boundary(rng, name, wave, factor)
    if style == 8:  # what the factor brings to an edge of the range
        ctx.prec = 64
        size = binary_size(factor.ball())
        edge = [-900, 1020, 1024, -1022, -1074][rng.integers(5)] if name == "float64" else rng.choice([low, largest])
        top = int(np.clip(edge - size + int(rng.integers(-2, 3)), low, largest))
        return scaled_by(rng.uniform(1, 2, 2) * sign, np.clip(top - rng.integers(0, 3, 2), low, largest))
    values = [np.inf, -np.inf, np.nan, 1.0, 0.0, -0.0, -3.0]
    return [values[k] for k in rng.integers(len(values), size=2)]


def scaled_by(values, exponents):
    with np.errstate(all="ignore"):
        return np.ldexp(values, exponents)


def binary_size(ball):
    """About the exponent of two of a ball that is not 0, from -5000 to 5000."""
    man, e = ball.mid().man_exp()
    return int(min(max(int(e) + int(man).bit_length() - 1, -5000), 5000))


def near_boundary(rng, name, wave, factor):
    """A pair whose first result is as near as can be to a boundary of rounding: y makes up for what x misses."""
    precision, smallest, largest, _ = SHAPES[name]
    ctx.prec = 512
    cosine, sine = (part * factor.ball() for part in wave.balls())
    sizes = [binary_size(part) if known else None for part, known in zip((cosine, sine), wave.floats(), strict=True)]
    if None in sizes or max(map(abs, sizes)) > 2200:
        return rng.standard_normal(2)
    last = smallest - precision + 1
    low, high = max(last, last + sizes[0] - 3), min(largest, largest + sizes[0])
    if low >= high:
        return rng.standard_normal(2)
    exponent = [high, int(rng.integers(low, high + 1)), max(low, min(int(rng.integers(-9, 9)), high))][rng.integers(3)]
    quantum = max(exponent, smallest) - precision + 1
    places = max(1, exponent - quantum + 1)
    count = 2**places - 1 if rng.random() < 0.2 else int(rng.integers(2 ** (places - 1), 2**places))
    goal = arb(2 * count + 1) * arb(2) ** (quantum - 1)
    x = rounded(np.array([nearest(goal / cosine)]), name)[0]
    y = nearest((arb(x) * cosine - goal) / sine) if math.isfinite(x) else 0.0
    return np.array([x, y]) * rng.choice([-1.0, 1.0])


def nearest(ball):
    """The float in the middle of a ball, 0 where it has none."""
    if not ball.is_finite():
        return 0.0
    man, e = ball.mid().man_exp()
    man, e = int(man), int(e)
    drop = max(0, man.bit_length() - 64)
    if e + man.bit_length() >= 1024:
        return 1e308 if man > 0 else -1e308
    return math.ldexp(float(man >> drop), e + drop)


# -- kinds of calls ---------------------------------------------------------------------------------------------------


class Call:
    """One call of refpos, by what it is written with, and the waves and factors (rows, pairs) behind it."""

    def __init__(self, function, name, recipe, positions, x=None, **options):
        self.function, self.name, self.recipe, self.options = function, name, recipe, options
        self.positions, self.x = positions, x
        self.frequencies = factors.frequencies_of(recipe) if recipe else None

    def arguments(self, row=None):
        """Positional arguments and keywords, of all rows or of one."""
        chosen = slice(None) if row is None else slice(row, row + 1)
        first = [] if self.x is None else [self.x[chosen]]
        tag = {"dtype": self.name} if self.x is None or self.name == "bfloat16" else {}
        return [*first, self.positions[..., chosen]], {**self.options, **tag}

    def run(self, row=None):
        """What refpos gives, as a list of arrays of bit patterns."""
        given, options = self.arguments(row)
        if self.recipe:
            options["frequencies"] = made(self.recipe)
        if self.function not in ("pope", "xpos_scale"):
            options["threads"] = 1  # the alarm interrupts the thread it comes to
        found = catalogue.find(self.function).function(*given, **options)
        return [bits_of(part, self.name) for part in (found if isinstance(found, tuple) else (found,))]

    def written(self, row=None):
        """The call as Python, of all rows or of one."""
        given, options = self.arguments(row)
        if self.recipe:
            options["frequencies"] = self.recipe
        parts = [*map(written, given), *(f"{key}={written(value)}" for key, value in options.items())]
        return f"{catalogue.find(self.function).public}({', '.join(parts)})"

    def waves(self):
        """[(row, pair, Wave, Factor)] of every pair of every row."""
        places = self.positions if self.positions.ndim == 2 else self.positions[None]
        axes, known, found = self.frequencies.axes, {}, []
        factor_of = self._factors()
        for row in range(places.shape[1]):
            for i, axis in enumerate(axes):
                place = places[axis, row].item()
                if (place, i) not in known:
                    known[place, i] = factors.Wave(self.frequencies, i, place)
                found.append((row, i, known[place, i], factor_of(row, i)))
        return found

    def _factors(self):
        if not self.function.startswith("xpos"):
            return lambda row, i: self.frequencies.factor
        bases, raised = powers_of(self, 2 * len(self.frequencies.turns))
        known = {}

        def found(row, i):
            if (raised[row], i) not in known:
                known[raised[row], i] = factors.times_power(self.frequencies.factor, bases[i], raised[row])
            return known[raised[row], i]

        return found


def bits_of(array, name):
    return np.asarray(array).view(f"u{SHAPES[name][3] // 8}")


def powers_of(drawn, width):
    """The bases of xPos and the exponent of each position."""
    given = drawn.options
    gamma = Fraction(2, 5) if given["gamma"] is None else Fraction(given["gamma"])
    raised = lengths.exponents(
        [Fraction(p) for p in drawn.positions.tolist()], given["centring"], given["length"], given["downscale"],
        given["scale_base"],
    )  # fmt: skip
    return [lengths.zeta(j, width, gamma) for j in range(width // 2)], raised


def table(rng, name, size):
    recipe = frequencies(rng, axes=rng.random() < 0.2)
    return Call("rope_table", name, recipe, positions_for(rng, recipe, size))


def positions_for(rng, recipe, size, most=1074):
    """Positions of about so many pairs; for axes two rows of them."""
    pairs = len(factors.frequencies_of(recipe).turns)
    count = max(1, size // (2 * pairs))
    blocks = len(recipe["arguments"].get("widths", (0,)))
    found = [places(rng, count, most) for _ in range(blocks)]
    return np.stack(found) if blocks > 1 else found[0]


def with_channels(drawn, rng, columns):
    """The call with channels drawn for its waves."""
    waves = drawn.waves()
    values = channels(rng, drawn.name, [wave for _, _, wave, _ in waves], [factor for *_, factor in waves])
    x = np.zeros((drawn.positions.shape[-1], max(max(pair) for pair in columns) + 1))
    for (row, i, *_), pair_ in zip(waves, values, strict=True):
        x[row, list(columns[i])] = pair_
    drawn.x = with_specials(x, drawn.name)
    drawn.x = drawn.x if drawn.name == "bfloat16" else drawn.x.view(drawn.name)
    return drawn


def columns_of(drawn):
    """The two columns of each pair."""
    pairs = len(drawn.frequencies.turns)
    if drawn.options["pairing"] == "interleaved":
        return [(2 * i, 2 * i + 1) for i in range(pairs)]
    blocks = len(drawn.recipe["arguments"].get("widths", (0,))) if drawn.options["pairing"] == "block-half" else 1
    half = pairs // blocks
    return [(i + i // half * half, i + i // half * half + half) for i in range(pairs)]


def rope(rng, name, size):
    recipe = frequencies(rng, axes=rng.random() < 0.2)
    pairing = ("half", "interleaved", "block-half")[rng.integers(3)]
    drawn = Call("rope", name, recipe, positions_for(rng, recipe, size), pairing=pairing,
                 inverse=bool(rng.integers(2)))  # fmt: skip
    return with_channels(drawn, rng, columns_of(drawn))


def xpos_options(rng, width):
    """Arguments of xPos, some of which make powers of every size, and some that make roots of simple fractions."""
    root = Fraction(int(rng.integers(129, 257)), 512)
    zeta = (2 * root**2, 3 * root**2 / 2, root**2, root)[rng.integers(4)]
    gammas = [None, 0.4, 2.0**-16, 1e6, 2.0**60, 2.0**300, zeta / (1 - zeta), zeta / (1 - zeta)]
    return {
        "centring": ("floor", "ceil")[rng.integers(2)],
        "downscale": bool(rng.integers(2)),
        "length": [0, 0, None, 5000, 2**53][rng.integers(5)],
        "scale_base": [512, 1, 2, 2, 4, 300.5, 2.0**20, 2.0**60][rng.integers(8)],
        "gamma": gammas[rng.integers(8)],
    }


def xpos(rng, name, size):
    recipe = frequencies(rng)
    where = np.clip(positions_for(rng, recipe, size, 50), -(2**53), 2**53)
    drawn = Call("xpos", name, recipe, where, pairing=("half", "interleaved")[rng.integers(2)],
                 inverse=bool(rng.integers(2)), **xpos_options(rng, None))  # fmt: skip
    return with_channels(drawn, rng, columns_of(drawn))


def xpos_table(rng, name, size):
    recipe = frequencies(rng)
    where = np.clip(positions_for(rng, recipe, size, 50), -(2**53), 2**53)
    return Call("xpos_table", name, recipe, where, **xpos_options(rng, None))


def xpos_scale(rng, name, size):
    dim = 2 * int(rng.integers(1, 6))
    where = np.clip(places(rng, max(1, size // dim), 50), -(2**53), 2**53)
    return Call("xpos_scale", name, None, where, dim=dim, **xpos_options(rng, dim))


def pope(rng, name, size):
    recipe = frequencies(rng, axes=rng.random() < 0.1)
    magnitude = ("given", "softplus")[rng.integers(2)]
    drawn = Call("pope", name, recipe, positions_for(rng, recipe, size // 4), magnitude=magnitude,
                 pairing=("half", "interleaved")[rng.integers(2)])  # fmt: skip
    drawn = with_channels(
        drawn, rng, [(i, i + len(drawn.frequencies.turns)) for i in range(len(drawn.frequencies.turns))]
    )
    drawn.x = np.ascontiguousarray(drawn.x[:, : len(drawn.frequencies.turns)])
    return drawn


class Rounded(Call):
    """Frequencies and their factor, rounded."""

    def run(self, row=None):
        found = made(self.recipe)
        return [bits_of(found.rounded(self.name), self.name), bits_of([found.factor.rounded(self.name)], self.name)]

    def written(self, row=None):
        return f"{written(self.recipe)}.rounded({self.name!r}) and its factor"


def rounded_frequencies(rng, name, size):
    recipe = scaled(rng, int(rng.integers(1, 5)))
    return Rounded("rounded", name, recipe, np.arange(1))


KINDS = {f.__name__: f for f in (rope, table, xpos, xpos_table, xpos_scale, pope, rounded_frequencies)}
WEIGHTS = dict(zip(KINDS, (8, 4, 4, 2, 1, 1, 1), strict=True))


# -- what must come out -----------------------------------------------------------------------------------------------


def expected(drawn):
    """Two lists of arrays of bit patterns, alike but where a channel is not finite and two readings hold."""
    before = ctx.prec
    try:
        return JUDGES[drawn.function](drawn)
    finally:
        ctx.prec = before


def judged_table(drawn):
    rows = []
    for _, _, wave, factor in drawn.waves():
        rows += [factors.number(1.0, 0.0, wave, factor), factors.number(0.0, 1.0, wave, factor)]
    found = factors.as_patterns(rows, drawn.name).reshape(drawn.positions.shape[-1], -1, 2)
    return [found[..., 0], found[..., 1]], [found[..., 0], found[..., 1]]


def judged_powers(drawn):
    bases, raised = powers_of(drawn, drawn.options["dim"])
    rows = []
    for exponent in raised:
        for base in bases:
            factor = factors.times_power(factors.Factor(lambda: arb(1), Fraction(1)), base, exponent)
            rows.append(factors.number(1.0, 0.0, STILL, factor))
    found = factors.as_patterns(rows, drawn.name).reshape(len(raised), -1)
    return [found], [found]


def judged_frequencies(drawn):
    found = [patterns(digits, drawn.name).reshape(-1) for digits in scalings.scaling_digits(drawn.recipe)]
    return found, found


STILL = factors.Wave(factors.Frequencies(None, [None], [0], None), 0, 0)


def judged_rotation(drawn):
    x = as_doubles(bits_of(drawn.x, drawn.name), drawn.name)
    sign = -1 if drawn.options["inverse"] else 1
    columns, entries, digits = columns_of(drawn), [], []
    results = [np.zeros(x.shape, f"u{SHAPES[drawn.name][3] // 8}") for _ in range(2)]
    for row, i, wave, factor in drawn.waves():
        pair_ = x[row, list(columns[i])].tolist()
        if not all(map(math.isfinite, pair_)):
            # the power of xPos is left out: it changes no infinity
            for result, values in zip(
                results, factors.by_ieee(*pair_, wave, drawn.frequencies.factor, sign), strict=True
            ):
                result[row, list(columns[i])] = [factors.special(value, drawn.name) for value in values]
            continue
        for column, (found, zero) in zip(columns[i], factors.turned(*pair_, wave, factor, sign), strict=True):
            entries.append((row, column, zero)), digits.append(found)
    return filled(results, entries, digits, drawn.name)


def filled(results, entries, digits, name):
    """Patterns of digits at their places, or of a zero."""
    for (row, column, zero), pattern in zip(entries, factors.as_patterns(digits, name) if digits else (), strict=True):
        for result in results:
            result[row, column] = pattern if zero is None else factors.special(zero, name)
    return [results[0]], [results[1]]


def judged_pope(drawn):
    x = as_doubles(bits_of(drawn.x, drawn.name), drawn.name)
    soft, entries, digits = drawn.options["magnitude"] == "softplus", [], []
    half = x.shape[1]
    results = [np.zeros((len(x), 2 * half), f"u{SHAPES[drawn.name][3] // 8}") for _ in range(2)]
    for row, i, wave, factor in drawn.waves():
        value = x[row, i].item()
        for which, plain in enumerate(wave.floats()):
            column = 2 * i + which if drawn.options["pairing"] == "interleaved" else i + which * half
            size = value if not soft or math.isnan(value) else max(value, 0.0)
            if not math.isfinite(value) and (size != 0):
                both = factors.by_ieee(1.0, 0.0, wave, factor, 1)
                for result, rounded_ in zip(results, both, strict=True):
                    with np.errstate(invalid="ignore"):
                        result[row, column] = factors.special(float(size * rounded_[which]), drawn.name)
                continue
            at = value if not soft else max(value, -(2.0**14))
            found = factors.soft(at, which, wave, factor) if soft else factors.number(
                *((at, 0.0) if which == 0 else (0.0, at)), wave, factor)  # fmt: skip
            zero = None if found[1] else math.copysign(0.0, (1.0 if soft else value) * (math.copysign(1, plain or 1)))
            entries.append((row, column, zero)), digits.append(found)
    return filled(results, entries, digits, drawn.name)


JUDGES = {"rope_table": judged_table, "xpos_table": judged_table, "xpos_scale": judged_powers, "rope": judged_rotation,
          "xpos": judged_rotation, "pope": judged_pope, "rounded": judged_frequencies}  # fmt: skip


# -- the search -------------------------------------------------------------------------------------------------------


def drawn_call(seed, number, kinds, size):
    """(kind, call) number `number` of a seed."""
    rng = np.random.default_rng([seed, number])
    weights = np.array([WEIGHTS[kind] for kind in kinds], float)
    kind = kinds[rng.choice(len(kinds), p=weights / weights.sum())]
    return kind, KINDS[kind](rng, FORMATS[rng.integers(4)], size)


def outcome(run):
    """(what a call gives or None, what is said of it where it gives nothing)."""
    try:
        with limited():
            return run(), None
    except Slow:
        return None, "slow"
    except Exception as error:  # whatever it is, it is reported
        return None, f"{type(error).__name__}: {str(error)[:80]} ({traceback.extract_tb(error.__traceback__)[-1].name})"


def compared(drawn):
    """(elements, wrong, slow or failed, a list of sentences) of one call."""
    found, trouble = outcome(drawn.run)
    wanted, other = expected(drawn)
    size = sum(part.size for part in wanted)
    if found is None:
        row = first_row(drawn)
        rows = drawn.positions.shape[-1]
        return size, 0, 1, [f"{trouble}, {f'in {rows} rows' if row is None else 'in one row'}: {drawn.written(row)}"]
    wrong, said = 0, []
    for which, (got, one, two) in enumerate(zip(found, wanted, other, strict=True)):
        assert got.shape == one.shape == two.shape
        places_ = np.argwhere((got != one) & (got != two))
        wrong += len(places_)
        for at in map(tuple, places_[:2].tolist()):
            alone = outcome(lambda row=at[0]: drawn.run(row))[0]
            kept = alone is not None and alone[which][(0, *at[1:])] == got[at]
            digits = SHAPES[drawn.name][3] // 4
            said.append(f"wrong at {which, *at}: {got[at]:0{digits}x} for {one[at]:0{digits}x}: "
                        f"{drawn.written(at[0] if kept else None)}")  # fmt: skip
    return size, wrong, 0, said


def first_row(drawn):
    """The first row that is slow or fails alone, None where none of the first is."""
    for row in range(min(drawn.positions.shape[-1], 64)):
        if outcome(lambda row=row: drawn.run(row))[0] is None:
            return row
    return None


def sweep(options):
    """All calls; returns (elements, wrong, slow or failed calls)."""
    totals, number, started = np.zeros(3, np.int64), options.first, time.monotonic()
    while totals[0] < options.elements:
        kind, drawn = drawn_call(options.seed, number, options.kinds, options.size)
        size, wrong, bad, said = compared(drawn)
        totals += size, wrong, bad
        for sentence in said[: options.show]:
            print(f"call {number} {kind} {drawn.name}: {sentence[:1500]}", flush=True)
        number += 1
        if sys.stderr.isatty():
            rate = totals[0] / (time.monotonic() - started)
            print(f"\r{totals[0]} elements, {rate:.3g} a second  ", end="", file=sys.stderr, flush=True)
    return totals.tolist(), number - options.first


def main(arguments=None):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--elements", type=float, default=1e6)
    parser.add_argument("--kinds", nargs="+", choices=KINDS, default=list(KINDS), metavar="NAME")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--first", type=int, default=0, help="number of the first call (0)")
    parser.add_argument("--size", type=int, default=400, help="elements of a call, about (400)")
    parser.add_argument("--show", type=int, default=2, help="sentences of each call (2)")
    parser.add_argument("--cpu", help="numpy, or an instruction set of the compiled kernels")
    options = parser.parse_args(arguments)
    if options.cpu == "numpy":
        kernels.active = kernels.numpy_kernels
    elif options.cpu:
        kernels.active.use_cpu(options.cpu)
    print(f"refpos {refpos.__version__}: {options.cpu or kernels.name} kernels", flush=True)
    (elements, wrong, bad), calls = sweep(options)
    print(f"{elements} elements in {calls} calls, {wrong} wrong; {bad} calls failed or took over {LIMIT:g} s")
    return 1 if wrong or bad else 0


if __name__ == "__main__":
    sys.exit(main())
