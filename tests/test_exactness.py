"""Not one wrong rounding: every encoding and format against the witness, bit for bit, at random and at hard inputs."""

import json
import random
from fractions import Fraction
from functools import lru_cache
from pathlib import Path

import ml_dtypes
import numpy as np
import pytest
import witness
from tiers import sampled
from witness import hard_cases

import refpos
from refpos import kernels
from refpos.steps.angles.frequencies import rational_power
from refpos.steps.waves import tables as steps

FORMATS = ("float64", "float32", "float16", "bfloat16")
BASES = (100, 500, 10000.0, 5e5, 10**6, 1e7, 20000.5)
LEAST = 200_000  # random elements for each format and encoding
HARD = json.loads((Path(__file__).parent / "data" / "hard.json").read_text(encoding="utf-8"))


each_cpu = pytest.mark.usefixtures("cpu")


def patterns(array, name):
    """The bits of what the package returned, once its dtype is the one asked for."""
    assert array.dtype.name == name
    return array.view(f"u{array.dtype.itemsize}")


def assert_same(found, wanted, what):
    """Two arrays of bit patterns are equal; the message shows the first element that is not."""
    assert found.dtype == wanted.dtype and found.shape == wanted.shape, (found.shape, wanted.shape, what)
    wrong = np.argwhere(found != wanted)
    if len(wrong):
        at = tuple(wrong[0].tolist())
        raise AssertionError(
            f"{len(wrong)} of {found.size} wrong, first {at}: {found[at]:#x} for {wanted[at]:#x}, {what}"
        )


def random_positions(kind, rng, count):
    """Positions of one kind; float kinds are exact binary values of every size."""
    if kind == "run":
        start = int(rng.integers(-(2**31), 2**31))
        return np.arange(start, start + count)
    if kind == "far run":
        return np.arange(count) + int(rng.integers(2**52, 2**53 - count))
    if kind == "steps":
        return int(rng.integers(-(2**20), 2**20)) + int(rng.integers(2, 999)) * np.arange(count)[::-1]
    if kind == "int31":
        return rng.integers(-(2**31), 2**31, count)
    if kind == "int53":
        return rng.integers(-(2**53), 2**53, count, endpoint=True)
    if kind == "small":
        return rng.integers(-300, 300, count).astype(np.int16)
    if kind == "eighths":
        return rng.integers(-(2**24), 2**24, count) / 8
    if kind == "float64":
        return rng.uniform(-1e6, 1e6, count)
    if kind == "float32":
        return rng.uniform(-70000, 70000, count).astype(np.float32)
    if kind == "float16":
        return rng.uniform(-2000, 2000, count).astype(np.float16)
    if kind == "bfloat16":
        return rng.uniform(-2000, 2000, count).astype(ml_dtypes.bfloat16)
    assert kind == "any size"
    return np.ldexp(rng.uniform(-2, 2, count), rng.integers(-1070, 1022, count))


KINDS = (
    "run", "int31", "float64", "far run", "int53", "eighths", "steps", "small", "float32", "float16", "bfloat16",
    "any size",
)  # fmt: skip


@lru_cache(maxsize=1)
def tables():
    """(positions, dim, options) of random sinusoidal tables with the witness's digits, enough of them."""
    rng, chooser, cases, total = np.random.default_rng(20), random.Random(20), [], 0
    while total < LEAST or len(cases) < 6 * len(KINDS):
        kind = KINDS[len(cases) % len(KINDS)]
        dim = chooser.choice([1, 2, 3, 7, 16, 31, 48, 64, 100, 128, 193, 1024, 2049])
        count = 6 if kind == "any size" else 12_000 // (dim + 30)
        options = {
            "base": chooser.choice(BASES),
            "layout": chooser.choice(["interleaved", "sin-cos", "cos-sin"]),
            "endpoint": chooser.random() < 0.3,
            "odd": chooser.choice(["truncate", "pad"]) if dim > 1 else "truncate",
            "position_scale": chooser.choice([1, 1, 1, 0.25, Fraction(1, 3), 1000, 1e-3]),
        }
        positions = random_positions(kind, rng, count)
        digits = witness.sinusoidal(positions, dim, **options)
        cases.append((positions, dim, options, digits))
        total += digits.head.size
    return cases


@pytest.mark.exhaustive
@each_cpu
@pytest.mark.parametrize("name", FORMATS)
def test_sinusoidal(name):
    seen = set()
    for positions, dim, options, digits in tables():
        found = patterns(refpos.sinusoidal(positions, dim, dtype=name, **options), name)
        assert_same(found, witness.patterns(digits, name), (positions[:3], positions.dtype, dim, options))
        seen.add((positions.dtype, dim, *options.items()))
    assert len(seen) == len(tables())  # no two alike
    assert sum(len(np.unique(case[3].head)) for case in tables()) > 0.9 * LEAST


@pytest.mark.exhaustive
@each_cpu
@pytest.mark.parametrize("name", FORMATS)
def test_sinusoidal_of_a_whole_context(name):
    # the contiguous path with many anchors; the same table of the witness for the four formats
    found = patterns(refpos.sinusoidal(3000, 70, base=5e5, dtype=name), name)
    assert_same(found, witness.patterns(whole_context(), name), "0 .. 2999")


@lru_cache(maxsize=1)
def whole_context():
    return witness.sinusoidal(3000, 70, base=5e5)


@lru_cache(maxsize=1)
def grids():
    chooser, cases, total = random.Random(21), [], 0
    while total < LEAST:
        dim = 4 * chooser.randrange(1, 60)
        height, width = chooser.choice([(700, 1), (1, 500), (19, 23), (128, 3), (1, 1), (5, 200)])
        options = {
            "axis_order": chooser.choice(["hw", "wh"]),
            "layout": chooser.choice(["interleaved", "sin-cos", "cos-sin"]),
            "base": chooser.choice(BASES),
            "endpoint": chooser.random() < 0.4,
            "extra_tokens": chooser.choice([None, 0, 1, 5]),
        }
        digits = witness.sincos_2d(height, width, dim, **options)
        cases.append((height, width, dim, options, digits))
        total += (height + width) * dim // 2  # the others are copies of these
    return cases


@pytest.mark.exhaustive
@each_cpu
@pytest.mark.parametrize("name", FORMATS)
def test_sincos_2d(name):
    for height, width, dim, options, digits in grids():
        found = patterns(refpos.sincos_2d(height, width, dim, dtype=name, **options), name)
        assert_same(found, witness.patterns(digits, name), (height, width, dim, options))


@lru_cache(maxsize=1)
def rotary_tables():
    rng, chooser, cases, total = np.random.default_rng(22), random.Random(22), [], 0
    while total < LEAST or len(cases) < 4 * len(KINDS):
        kind = KINDS[len(cases) % len(KINDS)]
        dim, base = 2 * chooser.randrange(1, 80), chooser.choice(BASES)
        positions = random_positions(kind, rng, 6 if kind == "any size" else 8000 // (dim + 20))
        if len(positions) % 2 == 0:
            positions = positions.reshape(2, -1)
        digits = witness.rope_table(positions, dim, base=base)
        cases.append((positions, dim, base, digits))
        total += 2 * digits[0].head.size
    return cases


@pytest.mark.exhaustive
@each_cpu
@pytest.mark.parametrize("name", FORMATS)
def test_rope_table(name):
    for positions, dim, base, digits in rotary_tables():
        frequencies = refpos.inverse_frequencies(dim, base=base)
        found = refpos.rope_table(positions, frequencies, dtype=name)
        for values, exact in zip(found, digits, strict=True):
            assert_same(patterns(values, name), witness.patterns(exact, name), (positions.reshape(-1)[:3], dim, base))
    assert len({(dim, base, *positions.reshape(-1)[:2].tolist()) for positions, dim, base, _ in rotary_tables()}) > 40


@pytest.mark.exhaustive
@pytest.mark.parametrize("name", FORMATS)
def test_frequencies(name):
    for dim in (2, 4, 6, 8, 10, 16, 64, 96, 128, 256, 334):
        for base in (*BASES, 2, 4, 16, 0.5, Fraction(9, 4), 1, 1e-3, 1e300, 1e-300):
            found = patterns(refpos.inverse_frequencies(dim, base=base).rounded(name), name)
            digits = witness.frequency_digits(dim // 2, Fraction(2, dim), base)
            assert_same(found, witness.patterns(digits, name), (dim, base))


@pytest.mark.parametrize("name", FORMATS)
def test_frequencies_that_are_ties(name):
    # base = 1/t**2 makes the second of two frequencies t, halfway between two values, the lower one even and odd
    precision = witness.digits.SHAPES[name][0]
    for odd in (1, 3, 5, 7):
        tie = 1 + Fraction(odd, 2**precision)
        for nudge in (0, Fraction(1, 2**300), -Fraction(1, 2**300)):
            found = patterns(refpos.inverse_frequencies(4, base=1 / (tie + nudge) ** 2).rounded(name), name)
            assert found[1] == witness.round_fraction(tie + nudge, name)


ROOT_OF_2, CUBE = ((Fraction(2), Fraction(1, 2)),), (Fraction(27, 8), Fraction(1, 3))


@pytest.mark.parametrize(
    "powers, i, value",
    [
        (ROOT_OF_2, 0, Fraction(1)),
        (ROOT_OF_2, 1, None),
        (ROOT_OF_2, 4, Fraction(1, 4)),
        ((CUBE,), 2, Fraction(4, 9)),
        # 6**(1/2) * 24**(1/2) = 12, and with 2**(-1/2) on top it is irrational again
        (((Fraction(6), Fraction(1, 2)), (Fraction(24), Fraction(1, 2))), 1, Fraction(1, 12)),
        (((Fraction(6), Fraction(1, 2)), (Fraction(24), Fraction(1, 2)), *ROOT_OF_2), 1, None),
        (((Fraction(12), Fraction(1, 2)), (Fraction(3), Fraction(-1, 2))), 3, Fraction(1, 8)),
        # roots of so high a degree that no number can be taken to it
        (((Fraction(10000), Fraction(2, 10**18 + 9)),), 3, None),
        (((Fraction(2) ** 4000, Fraction(3, 4000)),), 1, Fraction(1, 8)),
        (((Fraction(10**400 + 1, 3), Fraction(1, 10**30 + 57)), CUBE), 1, None),
    ],
)
def test_powers_that_are_fractions(powers, i, value):
    assert rational_power(powers, Fraction(5, 7), i) == (None if value is None else Fraction(5, 7) * value)


def as_values(bits, name):
    """Bit patterns as the array of the dtype they stand for."""
    return bits.view(ml_dtypes.bfloat16 if name == "bfloat16" else name)


def rounded(values, name):
    """float64 values rounded by the witness, as an array of the dtype; zeros keep their sign."""
    return as_values(witness.formulas.with_specials(values, name), name)


def channels(kind, rng, shape, name):
    """x of one kind as an array of the dtype."""
    precision, smallest, largest, _ = witness.digits.SHAPES[name]
    x = rng.normal(size=shape)
    if kind == "tiny":  # subnormal, and at their edge
        x = np.ldexp(x, rng.integers(smallest - precision, smallest + 3, shape))
    elif kind == "huge":  # some results overflow
        x = np.ldexp(rng.uniform(-1, 1, shape) * (1 - 2.0 ** -(precision + 1)), largest + 1)
    elif kind == "any size":
        x = np.ldexp(x, rng.integers(smallest - precision, largest - 3, shape))
    elif kind == "zeros":
        x = np.where(rng.random(shape) < 0.6, np.copysign(0.0, x), x)
    elif kind == "wild":
        special = rng.choice([np.inf, -np.inf, np.nan, -np.nan, 0.0, -0.0, 1.5], shape)
        x = np.where(rng.random(shape) < 0.5, special, x)
    else:
        assert kind == "normal"
    return rounded(x, name)


def as_doubles(x):
    with np.errstate(invalid="ignore"):
        return x.astype(np.float64)


def assert_rope(x, positions, name, **options):
    """Rows x (n, dim), a position each."""
    found = patterns(refpos.rope(x, positions, **options), name)
    wanted = witness.rope(as_doubles(x), positions, name, **options)
    rotary = options.get("rotary_dim") or x.shape[1]
    wanted[:, rotary:] = patterns(x, name)[:, rotary:]  # copied, whatever the payload of a NaN
    assert_same(found, wanted, (positions[:3], positions.dtype, x.shape, options))


@pytest.mark.exhaustive
@each_cpu
@pytest.mark.parametrize("name", FORMATS)
def test_rope(name):
    rng, chooser, total, seen = np.random.default_rng(23), random.Random(23), 0, set()
    kinds = ("normal", "normal", "tiny", "huge", "zeros", "normal", "any size", "wild")
    for turn in range(10_000):
        if total >= LEAST and turn >= 6 * len(KINDS):
            break
        dim = 2 * chooser.randrange(1, 70)
        options = {
            "pairing": chooser.choice(["half", "interleaved"]),
            "base": chooser.choice(BASES),
            "inverse": chooser.random() < 0.3,
            "rotary_dim": chooser.choice([None, None, 2 * chooser.randrange(1, dim // 2 + 1)]),
        }
        kind = KINDS[turn % len(KINDS)]
        rows = 6 if kind == "any size" else 5000 // (dim + 10)
        positions = random_positions(kind, rng, rows)
        x = channels(kinds[turn % 8 if turn % 3 else 0], rng, (rows, dim), name)
        assert_rope(x, positions, name, **options)
        seen.add((dim, rows, *options.items()))
        total += rows * (options["rotary_dim"] or dim)
    assert len(seen) > 60


@pytest.mark.exhaustive
@each_cpu
@pytest.mark.parametrize("name", FORMATS)
@pytest.mark.parametrize("pairing", ["half", "interleaved"])
def test_rope_where_the_two_products_cancel(name, pairing):
    # x = (k sin, k cos) rounded: what remains of the difference is the rounding of x itself
    rng = np.random.default_rng(24)
    positions = rng.integers(-(2**40), 2**40, 150)
    cosine, sine = (
        witness.patterns(part, "float64").view(np.float64) for part in witness.rope_table(positions, 64, base=500)
    )
    size = np.ldexp(rng.uniform(1, 2, cosine.shape), rng.integers(-8, 8, cosine.shape))
    pairs = [np.stack([size * sine, size * cosine], 2), np.stack([-size * cosine, size * sine], 2)]
    for both in pairs:  # (rows, frequencies, 2)
        x = both.reshape(150, 64) if pairing == "interleaved" else both.transpose(0, 2, 1).reshape(150, 64)
        x = rounded(np.ascontiguousarray(x), name)
        assert_rope(x, positions, name, pairing=pairing, base=500)


@pytest.mark.exhaustive
@each_cpu
@pytest.mark.parametrize("name", FORMATS)
def test_rope_at_position_0_returns_what_it_was_given(name):
    rng = np.random.default_rng(25)
    for kind in ("normal", "tiny", "huge", "any size"):
        x = channels(kind, rng, (40, 30), name)
        assert np.count_nonzero(x) == x.size or kind != "normal"
        for positions in (np.zeros(40, np.int64), np.zeros(40), -np.zeros(40)):
            found = refpos.rope(x, positions, pairing="half")
            given = x != 0  # the sign of a zero may change: 0 cos 0 - x2 sin 0
            assert_same(patterns(found, name)[given], patterns(x, name)[given], kind)
            assert not found[~given].any()


@pytest.mark.exhaustive
@each_cpu
@pytest.mark.parametrize("name", FORMATS)
def test_rope_of_zeros_and_non_finite_values(name):
    specials = np.array([0.0, -0.0, 1.0, -1.0, np.inf, -np.inf, np.nan, 1e-7])
    first, second = (part.reshape(-1, 1) for part in np.meshgrid(specials, specials))
    x = rounded(
        np.tile(np.hstack([first, second]), (1, 4)), name
    )  # four frequencies, of different signs of cos and sin
    for position in (0, 1, 2, 4, -4, 5, 6, 10**6, 2.5, 1e300, -5e-324, 0.0, -0.0):
        positions = np.full(len(x), position)
        for inverse in (False, True):
            assert_rope(x, positions, name, pairing="interleaved", inverse=inverse)


@pytest.mark.parametrize("name", FORMATS[1:])
def test_alibi_products_that_are_ties(name):
    # slopes 1/2 ... 1/256 times odd distances of one bit more than the format has, near and far
    precision, rng, ties = witness.digits.SHAPES[name][0], random.Random(28), 0
    for _ in range(60):
        distance = (2**precision + 2 * rng.randrange(2 ** (precision - 1)) + 1) << rng.choice(
            [0, 1, 53 - precision - 1]
        )
        found = patterns(refpos.alibi(8, 1, 1, mode="linear", query_offset=distance, dtype=name), name)
        wanted = [witness.round_fraction(-distance * Fraction(1, 2**k), name) for k in range(1, 9)]
        assert found.reshape(-1).tolist() == wanted, distance
        ties += witness.boundary_distance(Fraction(distance), name) == 0
    assert ties == 60


@lru_cache(maxsize=1)
def biases():
    chooser, cases, total = random.Random(26), [], 0
    while total < LEAST:
        heads, queries, keys = chooser.randrange(1, 60), chooser.randrange(1, 5), chooser.randrange(1, 900)
        options = {
            "mode": chooser.choice(["causal", "symmetric", "linear"]),
            "convention": chooser.choice(["recursive", "geometric"]),
            "max_bias": chooser.choice([8, 8, 16, 0.7, Fraction(10, 3)]),
            "query_offset": chooser.choice([None, 0, 3, keys, -700, 2**31 - 5, -(2**45), 2**53 - 10]),
        }
        cases.append((heads, queries, keys, options))
        total += heads * (keys + queries - 1)
    return cases


@pytest.mark.exhaustive
@pytest.mark.parametrize("name", FORMATS)
def test_alibi(name):
    for heads, queries, keys, options in biases():
        found = patterns(refpos.alibi(heads, queries, keys, dtype=name, **options), name)
        assert_same(found, witness.alibi(heads, queries, keys, name, **options), (heads, queries, keys, options))
    assert len({case[:3] for case in biases()}) == len(biases())


@pytest.mark.parametrize("name", FORMATS)
@pytest.mark.parametrize("convention", sampled(["recursive", "geometric"], 2))
def test_alibi_slopes(name, convention):
    for heads in (*range(1, 26), 31, 32, 33, 47, 63, 64, 65, 96, 112):
        for max_bias in (8, 0.3, 700):
            found = patterns(refpos.alibi_slopes(heads, convention=convention, max_bias=max_bias, dtype=name), name)
            digits = witness.alibi_slopes(heads, convention=convention, max_bias=max_bias)
            assert_same(found, witness.patterns(digits, name), (heads, max_bias))


@pytest.mark.parametrize("bidirectional", [True, False])
def test_t5_buckets(bidirectional):
    total, seen = 0, set()
    for buckets, limit in (
        (32, 128),
        (32, 256),
        (64, 128),
        (16, 64),
        (4, 9),
        (40, 1000),
        (128, 2048),
        (34, 2**20),
        (48, 10**5),
    ):
        reach = min(3 * limit, 9000)
        distances = [*range(-reach, reach), *(s * limit + d for s in (-1, 1) for d in range(-2000, 2000))]
        distances += [-(2**63), 2**63 - 1, -(2**31), 2**31]
        options = {"bidirectional": bidirectional, "num_buckets": buckets, "max_distance": limit}
        found = refpos.t5_buckets(np.array(distances), **options)
        wanted = witness.t5_buckets(np.array(distances), **options)
        assert found.dtype == np.int64
        assert_same(found, wanted, options)
        assert len(np.unique(found)) > buckets // 2
        seen.add(found.tobytes())
        total += len(distances)
    # many widths at every distance that can matter
    for limit in range(20, 420, 4):
        distances = np.arange(-limit - 500, limit + 500)
        options = {"bidirectional": bidirectional, "num_buckets": 32, "max_distance": limit}
        assert_same(refpos.t5_buckets(distances, **options), witness.t5_buckets(distances, **options), options)
        total += len(distances)
    assert total >= LEAST and len(seen) == 9


@pytest.mark.parametrize("kind", ["int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64"])
def test_t5_buckets_of_every_integer_dtype(kind):
    info = np.iinfo(kind)
    values = np.array([*range(100), int(info.max), int(info.max) - 1, int(info.min), int(info.max) // 2], dtype=kind)
    for bidirectional in (True, False):
        found = refpos.t5_buckets(values, bidirectional=bidirectional)
        wanted = [
            witness.t5_bucket(v, bidirectional=bidirectional, num_buckets=32, max_distance=128) for v in values.tolist()
        ]
        assert found.tolist() == wanted


@pytest.mark.exhaustive
@pytest.mark.parametrize("name", FORMATS)
def test_t5_bias(name):
    total = 0
    for seed, (buckets, heads, queries, keys, offset) in enumerate(
        ((32, 12, 90, 200, 0), (32, 7, 1, 300, 299), (16, 3, 128, 64, -5), (64, 5, 2, 2, 2**50))
    ):
        rng = np.random.default_rng(seed)
        kind = np.dtype(f"u{witness.digits.SHAPES[name][3] // 8}")
        weight = as_values(rng.integers(0, np.iinfo(kind).max, (buckets, heads), kind, endpoint=True), name)  # NaNs too
        for bidirectional in (True, False):
            found = refpos.t5_bias(weight, queries, keys, bidirectional=bidirectional, query_offset=offset)
            distance = np.arange(keys)[None, :] - (offset + np.arange(queries))[:, None]
            where = witness.t5_buckets(distance, bidirectional=bidirectional, num_buckets=buckets)
            assert_same(patterns(found, name), patterns(weight, name)[where].transpose(2, 0, 1), (buckets, heads))
            total += found.size
    assert total >= LEAST


def by_frequencies(cases):
    """Hard cases grouped by (base, dim): positions as ints and as floats apart."""
    groups = {}
    for base, dim, _, _, position, *_ in cases:
        position = float.fromhex(position) if isinstance(position, str) else position
        groups.setdefault((base, dim, type(position)), []).append(position)
    return groups


@lru_cache(maxsize=1)
def hard_tables():
    groups = by_frequencies(HARD["zeros"] + HARD["midpoints"])
    return {key: (np.array(p), witness.rope_table(np.array(p), key[1], base=key[0])) for key, p in groups.items()}


@each_cpu
@pytest.mark.parametrize("name", sampled(FORMATS, 4))
def test_tables_at_the_hardest_positions_found(name):
    for (base, dim, _), (positions, (cosine, sine)) in hard_tables().items():
        wanted = {"cos": witness.patterns(cosine, name), "sin": witness.patterns(sine, name)}
        both = dict(
            zip(
                ("cos", "sin"),
                refpos.rope_table(positions, refpos.inverse_frequencies(dim, base=base), dtype=name),
                strict=True,
            )
        )
        for which, found in both.items():
            assert_same(patterns(found, name), wanted[which], (base, dim, which))
        table = patterns(refpos.sinusoidal(positions, dim, base=base, layout="cos-sin", dtype=name), name)
        assert_same(table, np.hstack([wanted["cos"], wanted["sin"]]), (base, dim))
        if positions.dtype.kind == "i":
            # as the middle of an evenly spaced run: reached by adding angles
            for row, position in enumerate(positions.tolist()):
                run = np.clip(position - 40, -(2**53), 2**53 - 81) + np.arange(81)
                at = int(np.flatnonzero(run == position)[0])
                found = patterns(refpos.sinusoidal(run, dim, base=base, layout="cos-sin", dtype=name), name)[at]
                assert_same(found, np.hstack([wanted["cos"][row], wanted["sin"][row]]), (base, dim, position))


def test_the_hardest_positions_are_as_hard_as_recorded():
    for base, dim, i, which, position, size in HARD["zeros"]:
        assert hard_cases.log2(abs(hard_cases.value(base, dim, i, position, which))) == size
    deepest = dict.fromkeys(FORMATS, 0)
    for base, dim, i, which, position, name, recorded in HARD["midpoints"]:
        position = float.fromhex(position) if isinstance(position, str) else position
        distance = hard_cases.log2(witness.boundary_distance(hard_cases.value(base, dim, i, position, which), name))
        assert distance == recorded
        deepest[name] = min(deepest[name], distance)
    # ulps: what random search of 2**26 elements finds is 2**-26
    assert max(deepest.values()) < -40


@pytest.mark.exhaustive
@each_cpu
@pytest.mark.parametrize("pairing", ["half", "interleaved"])
@pytest.mark.parametrize("name", FORMATS)
def test_rotations_that_cancel_or_lie_next_to_a_midpoint(name, pairing):
    rng, groups = np.random.default_rng(29), {}
    for base, dim, i, position, fmt, a, b in HARD["cancelling"]:
        groups.setdefault((base, dim), []).extend((i, position, *pair) for pair in ((a, b), (-b, a)) if fmt == name)
    for base, dim, i, position, fmt, a, _ in HARD["rotated"]:
        groups.setdefault((base, dim), []).extend((i, position, *pair) for pair in ((a, 0), (0, -a)) if fmt == name)
    assert min(map(len, groups.values())) > 20
    for (base, dim), cases in groups.items():
        # among ordinary neighbours, so that a row is not computed by integers because of them
        x = rng.normal(size=(len(cases), dim))
        for row, (i, _, a, b) in enumerate(cases):
            first, second = (i, i + dim // 2) if pairing == "half" else (2 * i, 2 * i + 1)
            x[row, first], x[row, second] = a / 2.0**11, b / 2.0**11  # within the range of float16
        x, positions = rounded(x, name), np.array([case[1] for case in cases])
        assert_rope(x, positions, name, pairing=pairing, base=base)
        assert_rope(x, -positions, name, pairing=pairing, base=base, inverse=True)


@pytest.mark.parametrize("name", FORMATS)
def test_products_next_to_a_midpoint(name):
    for heads, k, distance, fmt, recorded in HARD["slopes"]:
        exponent = Fraction(8 * (k + 1), heads)
        exact = hard_cases.exact(lambda e=exponent: witness.formulas.power(Fraction(2), -e)) * distance
        assert hard_cases.log2(witness.boundary_distance(exact, fmt)) == recorded
        found = refpos.alibi(
            heads, 1, 1, mode="linear", convention="geometric", query_offset=-distance, dtype=name
        )  # one key, `distance` after the query
        assert int(patterns(found, name)[k, 0, 0]) == witness.round_fraction(exact, name)


@each_cpu
@pytest.mark.parametrize("name", FORMATS)
def test_sine_of_a_tiny_tie_is_just_below_it(name):
    # sin x = x - x**3/6 for the first frequency, which is 1: x halfway between two values of the format must round
    # down, to even or not
    precision, smallest, _, _ = witness.digits.SHAPES[name]
    rng, positions, scale = random.Random(27), [], Fraction(1)
    if name == "float64":  # halfway lies between doubles: reached by a position scale
        scale = Fraction(1, 2)
        positions = [(2 * rng.randrange(2**51) + 1) * 2.0**-1074 for _ in range(200)]
    else:
        for _ in range(300):
            unit = smallest - precision + 1 + rng.choice([0, 0, rng.randrange(0, max(1, -smallest - 10))])
            positions.append((2 * rng.randrange(2**precision) + 1) * 2.0 ** (unit - 1))
    positions = np.array(positions + [-p for p in positions])
    assert len(np.unique(positions)) > 300
    found = patterns(refpos.sinusoidal(positions, 2, position_scale=scale, dtype=name), name)
    assert_same(found, witness.patterns(witness.sinusoidal(positions, 2, position_scale=scale), name), name)
    ties = [witness.round_fraction(Fraction(p) * scale, name) for p in positions.tolist()]
    assert np.count_nonzero(found[:, 0] != np.array(ties)) > 50  # x itself would round up


def test_undecided_entries_of_all_blocks_are_rounded_exactly(monkeypatch):
    """Those of blocks with few are kept until the end; each has another value in here, which must be replaced."""
    rounded = []

    def spoil_and_round(block, undecided, *rest):
        for array in block:
            array[np.divmod(undecided, array.shape[1])] = 9
        rounded.append(len(undecided))
        round_entries_exactly(block, undecided, *rest)

    expected = refpos.sinusoidal(range(7, 5007), 64)
    round_entries_exactly, wide = steps.round_entries_exactly, 2.0**-66
    monkeypatch.setattr(steps, "round_entries_exactly", spoil_and_round)
    monkeypatch.setattr(steps, "PAIR_RADIUS", wide)
    monkeypatch.setattr(steps, "SEED_RADIUS", wide)
    monkeypatch.setattr(kernels.active, "BLOCK", 1 << 12)
    counts = []
    for few in (0, steps.FEW):
        monkeypatch.setattr(steps, "FEW", few)
        assert (refpos.sinusoidal(range(7, 5007), 64) == expected).all()
        counts.append((len(rounded), sum(rounded)))
        rounded.clear()
    (calls, count), (fewer, same) = counts
    assert calls >= 20 and fewer == 1 and count == same > 100


@pytest.mark.exhaustive
def test_one_wrong_bit_is_seen():
    *_, digits = tables()[0]
    wanted = witness.patterns(digits, "float32")
    found = wanted.copy()
    assert_same(found, wanted, "")
    found[-1, -1] ^= 1
    with pytest.raises(AssertionError, match=r"1 of .* wrong"):
        assert_same(found, wanted, "")
