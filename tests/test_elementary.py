"""exp, log, log1p, sigmoid, logsigmoid, tanh, softplus and erf of float64 arrays against balls, exact cases and all."""

import math

import numpy as np
import pytest
from flint import arb
from witness.elementary import FUNCTIONS, enclosure, is_nearest

from refpos.arithmetic import elementary, quick_exponential

NAN, INF = float("nan"), float("inf")
NAMES = sorted(FUNCTIONS)
#: (function, argument, value): what is exact or has no value
EXACT = [
    ("exp", 0.0, 1.0), ("exp", -0.0, 1.0), ("exp", INF, INF), ("exp", -INF, 0.0), ("exp", 710.0, INF),
    ("exp", -746.0, 0.0), ("exp", 1e300, INF), ("exp", -1e300, 0.0), ("exp", 5e-324, 1.0),
    ("log", 1.0, 0.0), ("log", 0.0, -INF), ("log", -0.0, -INF), ("log", -1.0, NAN), ("log", INF, INF),
    ("log", -INF, NAN), ("log1p", 0.0, 0.0), ("log1p", -0.0, -0.0), ("log1p", -1.0, -INF), ("log1p", -2.0, NAN),
    ("log1p", INF, INF), ("log1p", 5e-324, 5e-324), ("sigmoid", 0.0, 0.5), ("sigmoid", -0.0, 0.5),
    ("sigmoid", INF, 1.0), ("sigmoid", -INF, 0.0), ("sigmoid", 800.0, 1.0), ("sigmoid", -800.0, 0.0),
    ("tanh", 0.0, 0.0), ("tanh", -0.0, -0.0), ("tanh", INF, 1.0), ("tanh", -INF, -1.0), ("tanh", 5e-324, 5e-324),
    ("softplus", INF, INF), ("softplus", -INF, 0.0), ("softplus", 800.0, 800.0), ("softplus", -800.0, 0.0),
    ("logsigmoid", INF, -0.0), ("logsigmoid", -INF, -INF), ("logsigmoid", -800.0, -800.0),
    ("erf", 0.0, 0.0), ("erf", -0.0, -0.0), ("erf", INF, 1.0), ("erf", -INF, -1.0), ("erf", 6.0, 1.0),
]  # fmt: skip
#: hardest cases of exp and log (Lefevre and Muller 2001, Worst cases for correct rounding of the elementary functions
#: in double precision), thresholds of overflow, of underflow and of subnormal results, and powers of two
TELLING = {
    "exp": ["0x1.9e9cbbfd6080bp-31", "0x1.62e42fefa39efp+9", "0x1.62e42fefa39f0p+9", "-0x1.74910d52d3051p+9",
            "-0x1.74910d52d3052p+9", "-0x1.6232bdd7abcd2p+9", "-0x1.6232bdd7abcd3p+9", "-0x1.6232bdd7abcd1p+9"],
    "log": ["0x1.62a88613629b6p+678", "0x1.0000000000001p+0", "0x1.fffffffffffffp-1", "0x1p-1074", "0x1p-1022",
            "0x1.fffffffffffffp+1023", "0x1.fffffp-1", "0x1.00001p+0", "0x1.6a09e667f3bcdp-1"],
    "log1p": ["-0x1.fffffffffffffp-1", "0x1p-60", "-0x1p-60", "0x1p-53", "0x1p-20", "-0x1p-20", "0x1p+60",
              "0x1.fffffffffffffp+1023", "0x1p-54", "-0x1p-54"],
    "sigmoid": ["-0x1.74910d52d3051p+9", "-0x1.74910d52d3052p+9", "-0x1.6232bdd7abcd2p+9", "0x1p-53", "-0x1p-53",
                "0x1p-60", "0x1.2b708872320e2p+5", "-0x1p-52"],
    "tanh": ["0x1p-30", "0x1.fffffffffffffp-31", "0x1.3p+4", "0x1.30fc1931f09c9p+4", "0x1.30fc1931f09cap+4"],
    "softplus": ["0x0p+0", "-0x1p-1074", "0x1p-60", "0x1.fffffffffffffp+5", "-0x1.bb9d3beb8c86bp+3", "0x1.25p+5",
                 "-0x1.74910d52d3051p+9", "-0x1.74910d52d3052p+9", "-0x1.6232bdd7abcd2p+9"],
    "erf": ["0x1p-1074", "0x1p-1022", "0x1.c5bf891b4ef6ap-1023", "0x1p-300", "0x1.fp-302", "0x1p-5",
            "0x1.7744f8f74e94ap+2", "0x1.7afb48dc96626p+2", "0x1.7ffffffffffffp+2", "0x1.08p-4"],
}  # fmt: skip
TELLING["logsigmoid"] = [text[1:] if text[0] == "-" else "-" + text for text in TELLING["softplus"]]


def evaluate(name, values):
    return getattr(elementary, name)(np.array(values, np.float64))


def same(one, other):
    return (one == other and math.copysign(1, one) == math.copysign(1, other)) or (one != one and other != other)


def test_what_is_exact():
    results = [(name, x, evaluate(name, [x])[0], expected) for name, x, expected in EXACT]
    assert [case for case in results if not same(*case[2:])] == []


@pytest.mark.parametrize("name", NAMES)
def test_nan_stays_nan_and_is_one_pattern(name):
    patterns = np.array([0x7FF8000000000000, 0xFFF8000000000000, 0x7FF0000000000001, 0xFFFFFFFFFFFFFFFF], np.uint64)
    result = evaluate(name, patterns.view(np.float64))
    assert (result.view(np.uint64) == 0x7FF8000000000000).all()


@pytest.mark.parametrize("name", NAMES)
def test_shapes(name):
    for shape in ((), (0,), (1,), (3, 5), (2, 0, 3)):
        x = np.full(shape, 0.75)
        before = x.copy()
        result = getattr(elementary, name)(x)
        assert isinstance(result, np.ndarray) and result.shape == shape and result.dtype == np.float64
        assert (x == before).all() and not np.shares_memory(x, result)
    x = np.linspace(0.1, 3, 35).reshape(5, 7)
    assert (evaluate(name, x.T[::2, ::-1]) == evaluate(name, x).T[::2, ::-1]).all()
    assert (evaluate(name, x[1:2]) == evaluate(name, x)[1:2]).all()


def scattered(name, count, seed):
    """Arguments of all sizes, about 1, where results are subnormal, and where functions bend."""
    rng = np.random.default_rng(seed)
    part = count // 5
    x = np.concatenate([
        rng.normal(size=part) * 10.0 ** rng.integers(-3, 4, part),
        rng.uniform(-40, 40, part),
        rng.uniform(-7, 7, part),
        np.ldexp(rng.uniform(-1, 1, part), rng.integers(-1070, 10, part).astype(np.int32)),
        rng.uniform(-746, -700, count - 4 * part) * (-1 if name == "logsigmoid" else 1),
    ])  # fmt: skip
    if name == "log":
        near = np.ldexp(rng.uniform(-1, 1, part), -rng.integers(2, 53, part).astype(np.int32))
        x = np.concatenate([np.abs(x), 1 + near])
    return np.where(x <= -1, -x, x) if name == "log1p" else x


def assert_nearest(name, x):
    y = evaluate(name, x)
    wrong = [(a.hex(), b.hex()) for a, b in zip(x.tolist(), y.tolist(), strict=True) if not ordinary(name, a, b)]
    assert len(x) and wrong == []


def ordinary(name, a, b):
    return (a == 0 and b == 0) or (name == "log" and a == 0) or is_nearest(name, a, b)


@pytest.mark.parametrize("name", NAMES)
def test_telling_arguments(name):
    values = [float.fromhex(text) for text in TELLING[name]]
    signs = (1,) if name in ("log", "log1p") else (1, -1)
    assert_nearest(name, np.array([sign * value for sign in signs for value in values]))


@pytest.mark.parametrize("name", NAMES)
def test_scattered_arguments(name):
    assert_nearest(name, scattered(name, 1500, 12))


@pytest.mark.exhaustive
@pytest.mark.parametrize("name", NAMES)
def test_a_million_arguments(name):
    for seed in range(10):
        assert_nearest(name, scattered(name, 100_000, 100 + seed))


@pytest.mark.parametrize("name", NAMES)
def test_pairs_are_within_their_radius(name, monkeypatch):
    """The error that docs/numbers.md derives holds, with room, where both ends of it are not yet rounded."""
    seen = []
    nearest = elementary._nearest
    monkeypatch.setattr(elementary, "_nearest", lambda pairs: seen.append(pairs) or nearest(pairs))
    monkeypatch.setattr(quick_exponential, "rounded", nothing_decided)
    x = scattered(name, 1000, 13)
    getattr(elementary, name)(x)
    monkeypatch.undo()
    of_size = {"tanh": np.abs, "erf": np.abs, "logsigmoid": np.negative}.get(name, np.asarray)(x)
    places = of_size[taken(name, of_size)]
    (pairs,) = seen
    assert len(places) == len(pairs.high) > 500
    plain = {"logsigmoid": "softplus"}.get(name, name)
    for a, high, low, radius, exponent in zip(places.tolist(), *(part.tolist() for part in pairs), strict=True):
        error = abs(enclosure(plain, a) * arb(2) ** -exponent - arb(high) - arb(low))
        assert error < arb(radius) * 0.75, (a.hex(), float(error / radius))


def nothing_decided(x):
    return np.zeros(x.shape), np.zeros(x.shape, bool)


def quick_arguments(count, seed):
    """Arguments of exp that the quick way decides, of which results are largest, near 1 and next to subnormal."""
    rng = np.random.default_rng(seed)
    limit = quick_exponential.LARGEST
    sizes = np.ldexp(rng.uniform(-1, 1, count), rng.integers(-60, 3, count).astype(np.int32))
    return np.concatenate([rng.uniform(-limit, limit, count), rng.uniform(-40, 0, count), sizes, [limit, -limit, 0.0]])


def test_quick_exponentials_are_within_their_radius():
    """The error that docs/numbers.md derives holds, and is not far from the largest."""
    x = quick_arguments(3000, 16)
    high, low, place = quick_exponential.scaled(x)
    exponents = np.right_shift(np.left_shift(place, 42), 52)
    errors = [
        abs(enclosure("exp", a) * arb(2) ** -exponent - arb(one) - arb(rest)) / arb(quick_exponential.RADIUS)
        for a, one, rest, exponent in zip(*(part.tolist() for part in (x, high, low, exponents)), strict=True)
    ]
    assert len(errors) == 9003 and all(error < 0.75 for error in errors) and any(error > 0.1 for error in errors)
    assert high.min() > 0.9 and high.max() < 2.001


def test_quick_exponentials_are_those_of_pairs(monkeypatch):
    x = np.concatenate([quick_arguments(40_000, 17), scattered("exp", 40_000, 17)])
    values, sure = quick_exponential.rounded(x)
    monkeypatch.setattr(quick_exponential, "rounded", nothing_decided)
    assert np.array_equal(values[sure], evaluate("exp", x)[sure])
    assert not sure[~(np.abs(x) <= quick_exponential.LARGEST)].any()
    left = np.abs(x[~sure])
    assert np.count_nonzero(left <= quick_exponential.LARGEST) < 5 < len(left)


def test_what_the_quick_way_leaves_goes_to_pairs():
    """The hardest case of exp is closer to a midpoint than 2**-72."""
    x = np.array([1.5, float.fromhex(TELLING["exp"][0]), -2.5])
    assert quick_exponential.rounded(x)[1].tolist() == [True, False, True]
    assert_nearest("exp", x)


def taken(name, x):
    """Where a function is made of pairs."""
    size = np.abs(x)
    return {
        "exp": size < 746, "log": (x > 0) & (x != 1), "log1p": size >= 2.0**-60,
        "sigmoid": (size < 746) & (size >= 2.0**-60), "tanh": (size >= 2.0**-30) & (size < 64),
        "softplus": (x > -746) & (x < 64), "logsigmoid": (x > -746) & (x < 64), "erf": (size > 0) & (size < 6),
    }[name]  # fmt: skip


@pytest.mark.parametrize("name", NAMES)
def test_enclosures_give_the_same_values(name, monkeypatch):
    x = np.concatenate([scattered(name, 60, 14), [float.fromhex(text) for text in TELLING[name]]])
    expected, count, exactly = evaluate(name, x), [], elementary._exactly

    def undecided(pairs):
        values, sure = nearest(pairs)
        return values * 0.5, sure & False

    nearest = elementary._nearest
    monkeypatch.setattr(elementary, "_nearest", undecided)
    monkeypatch.setattr(quick_exponential, "rounded", nothing_decided)
    monkeypatch.setattr(elementary, "_exactly", lambda *all: count.append(0) or exactly(*all))
    assert np.array_equal(evaluate(name, x), expected, equal_nan=True) and len(count) > 30


@pytest.mark.parametrize("name", NAMES)
def test_few_are_left_undecided(name, monkeypatch):
    count, exactly = [], elementary._exactly
    monkeypatch.setattr(elementary, "_exactly", lambda *all: count.append(0) or exactly(*all))
    rng = np.random.default_rng(15)
    evaluate(name, np.abs(rng.normal(size=20_000) * 10))
    assert len(count) < 5
