"""The witness itself: that it stands alone, that its two engines agree, and that it rounds as IEEE 754 says."""

import ast
import random
import subprocess
import sys
from fractions import Fraction
from pathlib import Path

import ml_dtypes
import numpy as np
import pytest
import witness
from tiers import sampled
from witness import second

FOLDER = Path(witness.__file__).parent
FORMATS = ("float64", "float32", "float16", "bfloat16")
BASES = (100, 500, 10000.0, 5e5, 10**6, 1e7)


def test_witness_imports_nothing_of_the_package_under_test():
    seen = set()
    for path in sorted(FOLDER.glob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Import):
                seen |= {alias.name.split(".")[0] for alias in node.names}
            elif isinstance(node, ast.ImportFrom) and not node.level:
                seen.add(node.module.split(".")[0])
    standard = "bisect collections dataclasses fractions functools itertools math random struct typing"
    assert seen <= {*standard.split()} | {"flint", "ml_dtypes", "mpmath", "numpy"}, seen


def test_witness_runs_without_the_package_under_test():
    code = (
        "import sys; sys.path.insert(0, sys.argv[1]); import witness; from witness import hard_cases, second;"
        "witness.patterns(witness.sinusoidal(3, 4), 'float64'); second.slope_times(1, 1);"
        "witness.alibi(3, 2, 2, 'float32', mode='linear');"
        "assert not [m for m in sys.modules if m.split('.')[0] == 'refpos']; print('alone')"
    )
    done = subprocess.run([sys.executable, "-c", code, str(FOLDER.parent)], capture_output=True, text=True, check=False)
    assert done.stdout.strip() == "alone", done.stderr


def edge_values():
    """float64 values where roundings to the narrower formats are decided: halfway, next to it, overflow, subnormal."""
    values = [0.0, -0.0, 5e-324, -5e-324, 2.2250738585072014e-308, 1.7976931348623157e308, 65504.0, 65519.99, 65520.0]
    for _, smallest, largest, precision in ((0, -126, 127, 24), (0, -14, 15, 11), (0, -126, 127, 8)):
        for exponent in (
            smallest - precision - 1,
            smallest - precision,
            smallest - precision + 1,
            smallest,
            -1,
            0,
            largest,
        ):
            for steps in (1, 1.25, 1.5, 1.75, 2 - 2.0**-precision, 2 - 2.0 ** (1 - precision), 1 + 2.0**-precision):
                values.append(steps * 2.0**exponent)
    values = np.array(values)
    with np.errstate(over="ignore"):
        values = np.concatenate([values, np.nextafter(values, np.inf), np.nextafter(values, -np.inf)])
    values = values[np.isfinite(values)]
    return np.concatenate([values, -values])


def random_doubles(count, low, high, seed):
    rng = np.random.default_rng(seed)
    values = np.ldexp(rng.uniform(1, 2, count), rng.integers(low, high, count)) * rng.choice([-1, 1], count)
    assert len(np.unique(values)) > count * 0.99
    return values


def casts(values, name):
    """NumPy's and ml_dtypes' own casts, as bit patterns; bfloat16 only where its detour through float32 is exact."""
    with np.errstate(over="ignore", under="ignore"):
        if name == "bfloat16":
            return values.astype(np.float32).astype(ml_dtypes.bfloat16).view(np.uint16)
        return values.astype(name).view({"float64": np.uint64, "float32": np.uint32, "float16": np.uint16}[name])


@pytest.mark.parametrize("name", FORMATS)
def test_rounding_agrees_with_casts_and_with_fractions(name):
    values = np.concatenate([edge_values(), random_doubles(20000, -30, 20, 1), random_doubles(20000, -160, 140, 2)])
    if name == "bfloat16":
        with np.errstate(over="ignore", under="ignore"):
            values = values.astype(np.float32).astype(np.float64)
        values = values[np.isfinite(values)]
    found = witness.patterns(witness.from_floats(values), name)
    # an exact zero is +0 in the witness: signs of zeros are the callers' rule
    wanted = np.where(values == 0, 0, casts(values, name)).astype(found.dtype)
    wrong = np.flatnonzero(found != wanted)
    assert not len(wrong), (values[wrong[:3]], found[wrong[:3]], wanted[wrong[:3]])
    slow = [witness.round_fraction(Fraction(v), name) for v in values[:4000].tolist()]
    assert slow == [int(w) for w in wanted[:4000]]


@pytest.mark.parametrize("name", FORMATS)
def test_numbers_next_to_ties_are_not_taken_for_ties(name):
    precision, smallest, largest, _ = witness.digits.SHAPES[name]
    rng = random.Random(name)
    values = []
    for _ in range(500):
        unit = Fraction(2) ** rng.randint(smallest - precision + 1, largest - precision)
        middle = (rng.getrandbits(precision - 1) + Fraction(1, 2)) * unit
        values += [middle, middle + unit / 2**400, middle - unit / 2**400, -middle - unit / 2**70]
    over = Fraction(2) ** (largest + 1) - Fraction(2) ** (largest - precision)  # halfway to what would come next
    tiny = Fraction(2) ** (smallest - precision)  # half the smallest subnormal
    values += [
        over,
        over - Fraction(1, 2**90),
        -over,
        tiny,
        tiny + tiny / 2**99,
        -tiny - tiny / 2**99,
        tiny / 2,
        tiny / 5,
    ]
    assert len(set(values)) > 1900
    found = witness.patterns(witness.from_fractions(values), name).tolist()
    assert found == [witness.round_fraction(v, name) for v in values]


def sample(seed, count):
    rng = random.Random(seed)
    for _ in range(count):
        position = rng.choice(
            [
                rng.randrange(-(2**31), 2**31),
                rng.randrange(-(2**53), 2**53),
                rng.randrange(0, 300),
                rng.uniform(-1e4, 1e4),
                rng.random() * 2.0 ** rng.randrange(-1074, 1000),
                rng.randrange(-4000, 4000) / 8,
            ]
        )
        dim = rng.randrange(2, 200)
        yield position, dim, rng.randrange((dim + 1) // 2), rng.choice(BASES)


@pytest.mark.exhaustive
def test_tables_agree_with_mpmath():
    cases = list(sample(3, 250))
    assert len({str(case) for case in cases}) > 240
    for position, dim, i, base in cases:
        table = witness.sinusoidal(np.array([position]), dim, base=base, layout="sin-cos")
        columns = [i] if i >= dim // 2 else [i, (dim + 1) // 2 + i]
        exact = second.sine_cosine(position, i, Fraction(2, dim), base)
        for column, value in zip(columns, exact[: len(columns)], strict=True):
            for name in FORMATS:
                got = int(witness.patterns(table[0:1, column], name)[0])
                assert got == witness.round_fraction(value, name), (position, dim, i, base, name)


@pytest.mark.parametrize("endpoint", [False, True])
@pytest.mark.parametrize("odd", ["truncate", "pad"])
@pytest.mark.parametrize("dim", sampled([3, 1, 2, 6, 9], 5))
@pytest.mark.parametrize("layout", ["interleaved", "sin-cos", "cos-sin"])
def test_columns_of_every_layout(layout, dim, odd, endpoint):
    if dim == 1 and odd == "pad":
        dim = 5
    found = witness.sinusoidal(np.array([7]), dim, base=50, layout=layout, odd=odd, endpoint=endpoint, position_scale=3)
    padded = dim % 2 == 1 and odd == "pad"
    width = dim - 1 if padded else dim
    sines, cosines = (width + 1) // 2, width // 2
    step = Fraction(1, max(sines - 1, 1)) if endpoint else Fraction(2, width)
    pairs = [second.sine_cosine(7, i, step, 50, 3) for i in range(sines)]
    s, c = [p[0] for p in pairs], [p[1] for p in pairs[:cosines]]
    if layout == "interleaved":
        wanted = [v for pair in zip(s[:cosines], c, strict=True) for v in pair] + s[cosines:]
    else:
        wanted = s + c if layout == "sin-cos" else c + s
    wanted += [Fraction(0)] if padded else []
    assert witness.patterns(found, "float64")[0].tolist() == [witness.round_fraction(v, "float64") for v in wanted]


@pytest.mark.exhaustive
def test_rotations_agree_with_mpmath():
    rng = random.Random(4)
    for position, dim, i, base in sample(5, 120):
        half = max(1, dim // 2)
        i %= half
        name = rng.choice(FORMATS)
        scale = rng.choice([1.0, 2.0**-140, 2.0**-20])
        x = np.array([[rng.uniform(-2, 2) * scale for _ in range(2 * half)]])
        x = as_values(witness.patterns(witness.from_floats(x), name), name)
        got = witness.rope(x, np.array([position]), name, pairing="half", base=base)
        if position == 0 or not (x[0, i] or x[0, half + i]):
            continue
        exact = second.rotated(x[0, i], x[0, half + i], position, i, Fraction(1, half), base)
        wanted = [witness.round_fraction(v, name) for v in exact]
        assert [int(got[0, i]), int(got[0, half + i])] == wanted, (position, dim, i, base, name)


def as_values(patterns, name):
    if name == "bfloat16":
        return patterns.view(ml_dtypes.bfloat16).astype(np.float64)
    return patterns.view(name).astype(np.float64)


def test_pairings_and_inverse_of_the_rotation():
    x = np.random.default_rng(6).normal(size=(5, 12))
    places = np.array([3, -2, 0, 1000003, 2**52])
    half = witness.rope(x, places, "float64", pairing="half")
    order = np.arange(12).reshape(2, 6).T.reshape(-1)
    mixed = witness.rope(np.ascontiguousarray(x[:, order]), places, "float64", pairing="interleaved")
    assert np.array_equal(mixed, half[:, order])
    back = witness.rope(x, -places, "float64", pairing="half")
    assert np.array_equal(witness.rope(x, places, "float64", pairing="half", inverse=True), back)
    part = witness.rope(x, places, "float64", pairing="half", rotary_dim=4)
    assert np.array_equal(part[:, 4:], x[:, 4:].view(np.uint64))
    assert np.array_equal(part[:, :4], witness.rope(x[:, :4], places, "float64", pairing="half"))


@pytest.mark.exhaustive
def test_slopes_and_products_agree_with_mpmath():
    rng = random.Random(7)
    for _ in range(60):
        heads = rng.randrange(1, 100)
        convention, max_bias = rng.choice(["recursive", "geometric"]), rng.choice([8, 16, 1, 0.3])
        exponents = witness.alibi_exponents(heads, convention, max_bias)
        k = rng.randrange(heads)
        distances = [0, -1, rng.randrange(-(2**20), 2**20), rng.randrange(2**53)]
        digits = witness.formulas.products(exponents[k : k + 1], distances)
        for name in FORMATS:
            wanted = [
                witness.round_fraction(second.slope_times(exponents[k], d) if d else Fraction(0), name)
                for d in distances
            ]
            assert witness.patterns(digits, name)[0].tolist() == wanted


def test_slopes_of_published_models():
    # BLOOM with 12 heads: eight slopes 1/2 ... 1/256, then 2**-0.5, 2**-1.5, 2**-2.5, 2**-3.5
    assert witness.alibi_exponents(12, "recursive") == [*range(1, 9), *(Fraction(2 * j - 1, 2) for j in range(1, 5))]
    assert witness.alibi_exponents(3, "geometric") == [Fraction(8 * k, 3) for k in (1, 2, 3)]


@pytest.mark.exhaustive
def test_frequencies_agree_with_mpmath_also_where_they_are_rational():
    for dim, base in ((8, 16), (12, 10000.0), (6, 1e7), (4, Fraction(9, 4)), (32, 2), (10, 5e5), (128, 0.25)):
        digits = witness.frequency_digits(dim // 2, Fraction(2, dim), base)
        for name in FORMATS:
            wanted = [
                witness.round_fraction(second.frequency(i, Fraction(2, dim), base), name) for i in range(dim // 2)
            ]
            assert witness.patterns(digits, name).tolist() == wanted, (dim, base, name)


def naive_bucket(distance, bidirectional, num_buckets, max_distance):
    """The bucket by counting edges: wide bucket k begins where far**steps near**k >= limit**k near**steps."""
    far = abs(distance) if bidirectional else max(-distance, 0)
    half = num_buckets // 2 if bidirectional else num_buckets
    near = half // 2
    bucket = far
    if far >= near:
        steps = half - near
        bucket = near + sum(far**steps * near**k >= max_distance**k * near**steps for k in range(1, steps))
    return bucket + (half if bidirectional and distance > 0 else 0)


@pytest.mark.parametrize("buckets, limit", [(32, 128), (64, 256), (16, 64), (8, 9), (6, 1000), (40, 2**20)])
@pytest.mark.parametrize("bidirectional", [True, False])
def test_buckets_agree_with_a_count_of_edges(bidirectional, buckets, limit):
    distances = [
        *range(-400, 400),
        *(s * v + d for s in (-1, 1) for v in (2**10, 2**15, 2**20, 2**40) for d in (-1, 0, 1)),
    ]
    found = witness.t5_buckets(
        np.array(distances), bidirectional=bidirectional, num_buckets=buckets, max_distance=limit
    )
    assert found.tolist() == [naive_bucket(d, bidirectional, buckets, limit) for d in distances]
    assert len(set(found.tolist())) > buckets // 2
