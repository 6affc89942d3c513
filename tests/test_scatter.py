"""Scattered sums: the integers of each kernel, how they are rounded, and exact sums in any order and of any size."""

from fractions import Fraction

import numpy as np
import pytest
from tiers import sampled

import refpos
from refpos import kernels
from refpos.arithmetic import formats, rounding
from refpos.kernels import numpy_kernels
from refpos.steps.rows import integer_sums, scatter

FORMATS = ("float64", "float32", "float16", "bfloat16")
WAYS = [*kernels.active.cpus(), "numpy"] if kernels.name == "compiled" else ["numpy"]


@pytest.fixture
def use():
    """A function that chooses an instruction set of the compiled kernels or NumPy's, and returns the module."""
    before = kernels.active.cpu() if kernels.name == "compiled" else None

    def choose(way):
        if way == "numpy":
            return numpy_kernels
        kernels.active.use_cpu(way)
        return kernels.active

    yield choose
    if before:
        kernels.active.use_cpu(before)


def numbers(name, shape, spread, seed=0):
    """Numbers of a format in its storage, of exponents within `spread` of 0."""
    rng = np.random.default_rng(seed)
    with np.errstate(over="ignore", under="ignore"):
        made = np.ldexp(rng.standard_normal(shape), rng.integers(-spread, spread + 1, shape))
    made = rounding.narrow(made, formats.FORMATS[name])
    one = rounding.narrow(np.array(1.0), formats.FORMATS[name])
    return np.where(np.isfinite(rounding.widen(made, formats.FORMATS[name])), made, one)


def exact_sums(name, rows, values, count):
    """The sums of each row, by fractions."""
    found = [[Fraction(0)] * values.shape[1] for _ in range(count)]
    for row, vector in zip(rows.tolist(), rounding.widen(values, formats.FORMATS[name]).tolist(), strict=True):
        found[row] = [total + Fraction(one) for total, one in zip(found[row], vector, strict=True)]
    return found


def gradient(name, rows, values, count):
    """The bit patterns of the gradient of `learned`; bfloat16 as patterns."""
    made = refpos.vjp(refpos.learned, np.zeros((count, values.shape[1]), values.dtype), rows, cotangent=values)
    return formats.bits(made["weight"])


def storage(name, values):
    """The values as `refpos.learned` takes them."""
    return values.view("f2") if name == "float16" else values


def assert_exact(name, rows, values, count):
    found, fmt = gradient(name, rows, storage(name, values), count), formats.FORMATS[name]
    sums = exact_sums(name, rows, values, count)
    assert found.tolist() == [[int(rounding.nearest_fraction(one, fmt)) for one in row] for row in sums]


# -- the kernels ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("name", sampled(FORMATS, 2))
@pytest.mark.parametrize(("count", "channels"), [(1, 1), (33, 1), (2500, 1), (700, 3), (11, 130), (3, 1500)])
def test_integers_and_what_is_left_add_up_to_the_numbers(use, way, name, count, channels):
    """Exactly, and both kernels leave the same of the same numbers."""
    fmt, first_row = formats.FORMATS[name], 7
    values = numbers(name, (count, channels), 12, seed=count)
    rows = np.random.default_rng(1).integers(0, 5, count)
    units, limit = (-14, -28), 2.0**9
    rounders = np.ldexp(1.5, np.array(units) + 52)
    for at in (0, count // 3) if count > 9 else ():  # in some chunks, in others nothing is left
        special = rounding.narrow(np.array([np.inf, -np.inf, np.nan, 2.0**9, -(2.0**9)]), fmt)
        values.reshape(-1)[at : at + 5] = special
    found = []
    for module in (use(way), numpy_kernels):
        sums = np.zeros((5, channels, 2), np.int64)
        rest, cells = np.empty(values.size), np.empty(values.size, np.int64)
        left = module.split_sums(rows + first_row, first_row, values, fmt, rounders, limit, sums, rest, cells)
        found.append((sums, rest[:left], cells[:left]))
    (sums, rest, cells), other = found
    assert (sums == other[0]).all() and (cells == other[2]).all() and np.array_equal(rest, other[1], equal_nan=True)
    wide = rounding.widen(values, fmt)
    small = np.abs(rest) < limit
    assert (np.abs(rest[small]) <= 2.0 ** (units[1] - 1)).all()
    assert (~np.isfinite(rest)).sum() == (~np.isfinite(wide)).sum()
    first, second = (Fraction(2) ** unit for unit in units)
    totals = [[high * first + low * second for high, low in row] for row in sums.tolist()]
    for cell, one in zip(cells.tolist(), rest.tolist(), strict=True):
        totals[cell // channels][cell % channels] += Fraction(one) if np.isfinite(one) else 0
    known = rounding.narrow(np.where(np.isfinite(wide), wide, 0.0), fmt)
    assert totals == exact_sums(name, rows, known, 5)


@pytest.mark.parametrize("way", WAYS)
def test_float16_of_the_largest_exponent_is_a_number_only_below_infinity(use, way):
    """65504 is one, and the patterns above it are not, whatever the limit."""
    fmt = formats.FORMATS["float16"]
    values = np.full((64, 1), 0x7BFF, np.uint16)
    values[40:43, 0] = 0x7C00, 0xFC00, 0x7E01
    sums, rest, cells = np.zeros((64, 1, 2), np.int64), np.empty(64), np.empty(64, np.int64)
    rounders, rows = np.ldexp(1.5, np.array([10, -10]) + 52), np.arange(64)
    left = use(way).split_sums(rows, 0, values, fmt, rounders, 2.0**30, sums, rest, cells)
    assert cells[:left].tolist() == [40, 41, 42]
    assert rest[:2].tolist() == [np.inf, -np.inf] and np.isnan(rest[2])
    totals = sums[:, 0, 0] * 2.0**10 + sums[:, 0, 1] * 2.0**-10
    assert (np.delete(totals, [40, 41, 42]) == 65504).all() and not sums[40:43].any()


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("channels", [1, 2])
@pytest.mark.parametrize("wrong", [-1, 5, 2**40, -(2**62)])
def test_a_row_beyond_the_table_is_refused(use, way, channels, wrong):
    """Nothing outside of the sums is written, whatever another thread makes of the rows meanwhile."""
    rows, values = np.zeros(100, np.int64), np.ones((100, channels))
    rows[77] = wrong
    sums, rest, cells = np.zeros((5, channels, 2), np.int64), np.empty(values.size), np.empty(values.size, np.int64)
    rounders = np.ldexp(1.5, np.array([-20, -50]) + 52)
    with pytest.raises(ValueError, match="rows must lie within the 5 rows of the table"):
        use(way).split_sums(rows, 0, values, formats.FORMATS["float64"], rounders, 2.0, sums, rest, cells)


def integers_to_round():
    """Sums of every size, ties of every format and their neighbours, in pairs of integers of units 2**37 apart."""
    rng, shift = np.random.default_rng(5), 37
    pairs = (rng.integers(0, 1 << 62, (500, 2)) >> rng.integers(0, 62, (500, 2))).tolist()
    for precision in (53, 24, 11, 8):
        for size in range(precision, 62):
            tie = (2 * int(rng.integers(1 << precision - 1, 1 << precision)) + 1) << size - precision
            for near in (-1, 0, 1):
                pairs += [[tie, near], [(tie >> shift) + 1, (tie % (1 << shift)) - (1 << shift) + near]]
                pairs += [[0, tie + near]]
    pairs = np.array([*pairs, [0, 0], [1, -(1 << shift)], [(1 << 62) - 1, (1 << 62) - 1]], np.int64)
    return np.concatenate([pairs, -pairs, pairs * [1, -1]])


@pytest.mark.parametrize("name", sampled(FORMATS, 2))
@pytest.mark.parametrize(
    "units", [(-20, -57), (-1000, -1037), (-1037, -1074), (-1074, -1074), (60, 23), (838, 801), (-20, -63)]
)
def test_sums_of_integers_are_rounded_once(use, name, units):
    """At the ends of the range of each format too."""
    fmt = formats.FORMATS[name]
    sums = integers_to_round()
    if units[0] == units[1]:
        sums = sums[np.abs(sums[:, 1]) < 1 << 61] // [2, 1]
    out = np.empty(len(sums), fmt.storage)
    numpy_kernels.round_sums(sums, np.array(units), fmt, out)
    for way in WAYS[:-1]:
        other = np.empty(len(sums), fmt.storage)
        use(way).round_sums(sums, np.array(units), fmt, other)
        assert (formats.bits(other) == formats.bits(out)).all(), way
    for pattern, (high, low) in zip(formats.bits(out).tolist(), sums.tolist(), strict=True):
        total = high * Fraction(2) ** units[0] + low * Fraction(2) ** units[1]
        assert pattern == int(rounding.nearest_fraction(total, fmt)), (high, low)


# -- the sums ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", FORMATS)
@pytest.mark.parametrize("spread", [0, 12, 60, 300, 1000])
@pytest.mark.parametrize("channels", [1, 3])
@pytest.mark.parametrize("order", ["random", "ascending"])
def test_rows_are_exact_sums_of_their_vectors(name, spread, channels, order, monkeypatch):
    """Much of each sum cancels; in order, the table is done slice by slice."""
    monkeypatch.setattr(scatter, "SLICE", 2 * channels)
    values, rows = numbers(name, (300, channels), spread), np.random.default_rng(2).integers(0, 8, 300)
    sign = values.dtype.type(1 << 15) if values.dtype == np.uint16 else None
    values[:99], rows[:99] = -values[99:198] if sign is None else values[99:198] ^ sign, rows[99:198]
    if order == "ascending":
        order = np.argsort(rows, kind="stable")
        values, rows = values[order], rows[order]
    assert_exact(name, rows, values, 9)


@pytest.mark.parametrize("name", ["float64", "float32"])
@pytest.mark.parametrize("way", ["rising", "falling", "zeros first", "one is large"])
@pytest.mark.parametrize("order", ["in turn", "ascending"])
def test_later_blocks_may_hold_numbers_of_another_size(name, way, order, monkeypatch):
    """The first block says nothing of the sizes of the others."""
    monkeypatch.setattr(integer_sums, "BLOCK", 20)
    monkeypatch.setattr(scatter, "SLICE", 2)
    size = np.linspace(-1.0, 1.0, 200) * (60 if name == "float32" else 1000)
    values = np.ldexp(np.random.default_rng(6).standard_normal(200), np.round(size).astype(int))
    if way == "falling":
        values = values[::-1]
    if way == "zeros first":
        values[:110] = 0
    if way == "one is large":
        values = np.random.default_rng(6).standard_normal(200)
        values[5] = 2.0**100
    values = np.ascontiguousarray(values, name)[:, None]
    assert_exact(name, np.arange(200) % 3 if order == "in turn" else np.arange(200) // 67, values, 3)


def test_sums_next_to_a_tie_are_rounded_to_their_side():
    """However small the number is that decides."""
    for bits in range(48, 130):
        for least in (2.0**-bits, -(2.0**-bits)):
            values = np.array([0.5] * 2000 + [2.0**-44, least])
            exact = 1000 + Fraction(2) ** -44 + Fraction(least)
            found = refpos.vjp(refpos.learned, np.zeros((1, 1)), np.zeros(2002, np.int64), cotangent=values[:, None])
            assert found["weight"].item() == float(exact)


@pytest.mark.parametrize("way", WAYS)
def test_as_many_numbers_as_an_integer_has_room_for(use, way, monkeypatch):
    """Each integer as large as its level allows, the second one where the first is rounded by half."""
    monkeypatch.setattr(kernels, "active", use(way))
    monkeypatch.setattr(integer_sums, "SPARE", 0)
    count = (1 << 21) - 1
    for value in [sign * (1 - 2.0**-bits) for sign in (1, -1) for bits in (42, 43, 53)]:
        values, rows = np.full((count, 1), value), np.zeros(count, np.int64)
        found = refpos.vjp(refpos.learned, np.zeros((1, 1)), rows, cotangent=values)["weight"]
        assert found.item() == float(Fraction(value) * count)


def test_numbers_at_the_lower_end_of_the_range_are_added_exactly():
    """Levels there have units below which no double has a bit."""
    rng = np.random.default_rng(8)
    for most in range(-1060, -980, 7):
        values = np.ldexp(rng.standard_normal((60, 1)), rng.integers(-1074, most, (60, 1)))
        assert_exact("float64", np.arange(60) % 4, values, 4)


def test_rows_that_fall_between_two_blocks_are_not_in_order(monkeypatch):
    monkeypatch.setattr(scatter, "SLICE", 2)
    monkeypatch.setattr(scatter, "BLOCK", 4)
    assert_exact("float64", np.array([1, 2, 5, 7, 0, 3, 4, 6]), np.arange(8.0)[:, None], 8)


@pytest.mark.parametrize("order", ["random", "ascending"])
def test_infinities_and_nan_reach_their_cells_alone(order, monkeypatch):
    monkeypatch.setattr(scatter, "SLICE", 3)
    rows = np.arange(600) % 10 if order == "random" else np.arange(600) // 60
    values = np.ones((600, 1))
    at = [np.flatnonzero(rows == row)[5:7] for row in range(10)]
    values[at[1][0]] = np.inf
    values[at[4][0]] = -np.inf
    values[at[6]] = [[np.inf], [-np.inf]]
    values[at[8][0]] = np.nan
    table, wanted = np.zeros((12, 1)), np.array([60, np.inf, 60, 60, -np.inf, 60, np.nan, 60, np.nan, 60, 0, 0])
    found = refpos.vjp(refpos.learned, table, rows, cotangent=values)["weight"][:, 0]
    assert np.array_equal(found, wanted, equal_nan=True)
    for scale, of_infinity in ((0, np.nan), (2, np.inf)):
        found = refpos.vjp(refpos.learned, table, rows, scale=scale, cotangent=values)["weight"][:, 0]
        assert np.array_equal(found[:2], [60 * scale, of_infinity], equal_nan=True)


@pytest.mark.parametrize("dtype", ["int64", "int32", "uint8", "uint64", ">i4"])
def test_rows_of_any_integers_are_read_where_they_lie(dtype):
    values, rows = numbers("float64", (100, 2), 3), np.arange(100) % 7
    wanted = gradient("float64", rows, values, 7)
    given = np.repeat(rows.astype(dtype), 2)[::2]
    kept = given.copy()
    assert (gradient("float64", given, values, 7) == wanted).all() and (given == kept).all()


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("order", ["random", "ascending", "equal"])
def test_the_kernels_agree_on_a_million_numbers(use, way, order, monkeypatch):
    """As many chunks as tables have, with sums that are fetched ahead; exact, for they are of small integers."""
    rng = np.random.default_rng(7)
    rows = {"random": rng.integers(0, 200_000, 10**6), "equal": np.full(10**6, 199_999)}.get(order)
    rows = np.sort(rng.integers(0, 200_000, 10**6)) if rows is None else rows
    values = rng.integers(-1000, 1000, (10**6, 1)).astype(np.float32)
    monkeypatch.setattr(kernels, "active", use(way))
    found = refpos.vjp(refpos.learned, np.zeros((200_000, 1), np.float32), rows, cotangent=values)["weight"]
    wanted = np.bincount(rows, values[:, 0], minlength=200_000).astype(np.float32)
    assert (found[:, 0] == wanted).all()
