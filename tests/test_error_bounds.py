"""The error inequality of docs/numbers.md: the stated bounds hold, and a rounding test with less goes wrong."""

from fractions import Fraction

import numpy as np
import pytest
from mpmath import mp, mpf

import refpos
from refpos.arithmetic import formats, reals
from refpos.kernels import numpy_kernels, numpy_seeds, numpy_small, numpy_waves
from refpos.steps.angles import attention_factor, frequencies, phases, seeds
from refpos.steps.positions import exact_positions
from refpos.steps.waves import rotation_plan, tables

FLOAT64, FLOAT32 = formats.FORMATS["float64"], formats.FORMATS["float32"]


def worst_error(high, low, truth):
    return max(abs(mpf(float(a)) + mpf(float(b)) - t) for a, b, t in zip(high, low, truth, strict=True))


@pytest.fixture(autouse=True)
def precision():
    with mp.workprec(400):
        yield


def test_knots_are_pairs_on_the_grid():
    knots = seeds.knots()
    assert (knots[:4:2] * 2.0**26 == np.round(knots[:4:2] * 2.0**26)).all()
    assert np.abs(knots[1:4:2]).max() <= 2.0**-27
    angles = [2 * mp.pi * j / seeds.KNOTS for j in range(seeds.KNOTS)]
    for row, function in ((0, mp.cos), (2, mp.sin)):
        assert worst_error(knots[row], knots[row + 1], [function(a) for a in angles]) <= mpf(2) ** -81


@pytest.mark.parametrize("base", [100, 10000, 10**7])
def test_seeds_keep_their_bound(base):
    rng = np.random.default_rng(base)
    multipliers = np.concatenate([rng.integers(-(2**53), 2**53 + 1, 150), rng.integers(-9, 9, 20), [2**53, -(2**53)]])
    dim = 16
    found = seeds.make_seeds(multipliers, phases.per_position(refpos.inverse_frequencies(dim, base=base), 0))
    assert (found[::2] * 2.0**26 == np.round(found[::2] * 2.0**26)).all()
    assert np.abs(found[1::2]).max() <= 2.0**-27
    for i in range(dim // 2):
        theta = mpf(base) ** (-mpf(2 * i) / dim)
        for row, function in ((0, mp.cos), (2, mp.sin)):
            truth = [function(int(m) * theta) for m in multipliers]
            worst = worst_error(found[row, :, i], found[row + 1, :, i], truth)
            assert 2.0**-90 < worst <= mpf(2) ** -77.8


def test_doubles_keep_their_bound():
    """The cosines and sines in plain double that the narrower formats start from."""
    rng = np.random.default_rng(3)
    multipliers = np.concatenate(
        [rng.integers(-(2**53), 2**53 + 1, 20000), rng.integers(-(2**31), 2**31, 20000), [0, 2**53]]
    )
    per_position = phases.per_position(refpos.inverse_frequencies(32, base=500000), 0)
    high, low = np.split(seeds.make_seeds(multipliers, per_position).reshape(2, 2, -1, 16), 2, axis=1)
    worst = np.abs((seeds.make_seeds(multipliers, per_position, 2) - high[:, 0]) - low[:, 0]).max()
    assert 2.0**-55 < worst <= 2.0**-51.5


@pytest.mark.parametrize("count, high, proved", [(1, 2**53, -51.8), (2, 2**14, -48.7), (5, 2**53, -47.2)])
def test_waves_of_scattered_positions_keep_their_bound(count, high, proved, monkeypatch):
    """Sines and cosines made by so many digits, as the NumPy kernels do."""
    width = -(-high.bit_length() // count)
    monkeypatch.setattr(numpy_waves, "_best_digits", lambda *_: (count, width))
    multipliers = np.random.default_rng(count).integers(-high if count > 1 else 0, high, 300, endpoint=True)
    per_position = phases.per_position(refpos.inverse_frequencies(8, base=500), 0)
    make, error = numpy_waves.scattered(multipliers, per_position, seeds.knots())
    found, worst = make(slice(None)), 0
    for (row, i), wave in np.ndenumerate(found):
        angle = int(multipliers[row]) * mpf(500) ** (-mpf(i) / 4)
        worst = max(worst, abs(wave.real - mp.sin(angle)), abs(wave.imag - mp.cos(angle)))
    assert mpf(2) ** -55 < worst <= mpf(2) ** proved
    assert mpf(2) ** proved < error * tables.radius(FLOAT32)


@pytest.mark.parametrize(
    "fmt, positions, proved",
    [
        (FLOAT32, np.random.default_rng(4).integers(0, 2**20, 300), -48.7),  # kept waves of four digits
        (FLOAT32, range(1000), -48.7),  # of two, in turn
        (FLOAT32, [2**20 - 1], -48.7),
        (FLOAT32, np.random.default_rng(5).integers(-(2**53), 2**53, 300, endpoint=True), -51.8),  # made anew
        (FLOAT32, range(2**53, -(2**53), -(2**45)), -51.8),
        (FLOAT64, range(32), -77.8),
        (FLOAT64, range(1000), -75.6),
        (FLOAT64, np.random.default_rng(4).integers(0, 2**10, 300), -75.6),
        (FLOAT64, [1023], -75.6),
        (FLOAT64, np.random.default_rng(5).integers(-(2**53), 2**53, 300, endpoint=True), -77.8),
    ],
    ids=lambda given: given.name if hasattr(given, "name") else type(given).__name__,
)
def test_waves_of_small_tables_keep_their_bound(fmt, positions, proved):
    turns, worst = small_turns(4, fmt), 0
    make, radius = turns.reader(positions)
    parts = make(0, len(positions))
    assert len(parts) == (1 if fmt is FLOAT32 else 2) and parts[0].shape == (len(positions), 4)
    for row, i in np.ndindex(parts[0].shape):
        angle = int(positions[row]) * mpf(500) ** (-mpf(i) / 4)
        sine, cosine = (sum(mpf(float(part_of(part[row, i]))) for part in parts) for part_of in (np.real, np.imag))
        worst = max(worst, abs(sine - mp.sin(angle)), abs(cosine - mp.cos(angle)))
    assert mpf(2) ** (proved - 8) < worst <= mpf(2) ** proved < radius


def small_turns(half, fmt=FLOAT32):
    per_position = phases.per_position(refpos.inverse_frequencies(2 * half, base=500), 0)
    steps = seeds.step_zero(rotation_plan.planes(fmt), half)
    return numpy_small.Turns(per_position, seeds.knots(), steps, fmt, tables.radius(fmt), tables.SEED_RADIUS, None)


@pytest.mark.parametrize("fmt, widths", [(FLOAT32, (512, 2048)), (FLOAT64, (512, 1024))], ids=["float32", "float64"])
def test_waves_of_small_tables_are_kept_up_to_a_megabyte(fmt, widths):
    """The others are made anew where they are few; all else is left to other tables."""
    all_digits, one_digit = (2**20 if fmt is FLOAT32 else 2**10), 32
    reached = {
        4: all_digits,
        widths[0]: all_digits,
        widths[0] + 1: all_digits >> 5,
        widths[1]: one_digit,
        widths[1] + 1: 0,
    }
    for half, beyond in reached.items():
        turns = small_turns(half, fmt)
        for highest in {0, 31, 32, 2**15 - 1, 2**15, beyond - 1, beyond, 2**20, 2**53} - {-1}:
            few = turns.reader(np.full(2, highest))
            many = turns.reader(np.full(numpy_waves.MADE_AT_ONCE, highest))
            assert few is not None and (many is not None) == (highest < beyond), (half, highest)
        assert sum(table.nbytes for table in turns._tables) <= 1 << 20
        assert (1 << 5 * len(turns._tables) if beyond else 0) == beyond
    for refused in ([True], [1.0], [np.int64(1)], [2**53 + 1], [-(2**53) - 1], [2**70], np.array([-(2**63)])):
        assert small_turns(4, fmt).reader(refused) is None


def test_waves_of_rows_of_several_groups_are_those_of_each():
    rng = np.random.default_rng(6)
    frequencies, exponents = refpos.inverse_frequencies(12, base=500), (0, -3, -40)
    per_position = [phases.per_position(frequencies, exponent) for exponent in exponents]
    groups, multipliers = rng.integers(0, 3, 5000), rng.integers(-(2**53), 2**53, 5000)
    found = numpy_waves.waves(multipliers, np.stack(per_position, 1), seeds.knots(), 1, groups)
    for k, of_group in enumerate(per_position):
        alone = numpy_waves.waves(multipliers[groups == k], of_group, seeds.knots(), 1)
        apart = found[groups == k] - alone
        # both are off by 2**-51.5 at most, and in this sample by less
        assert len(alone) > 1000 and max(np.abs(apart.real).max(), np.abs(apart.imag).max()) <= 2.0**-50.8


@pytest.mark.exhaustive
@pytest.mark.parametrize("fmt", [FLOAT64, FLOAT32], ids=lambda f: f.name)
def test_sums_of_angles_keep_their_bound(fmt):
    """The leading part and the rest that the rounding test sees, before any rounding to the format."""
    rng = np.random.default_rng(5)
    far, near = rng.integers(-(2**40), 2**40, 40), np.arange(16)
    frequencies_ = refpos.inverse_frequencies(8, base=500)
    per_position = phases.per_position(frequencies_, 0)
    anchors, steps = (seeds.make_seeds(m, per_position, 4 if fmt.width == 64 else 2) for m in (far, near))
    sums = numpy_kernels._adder(steps)(numpy_seeds.as_waves(anchors))
    bound = mpf(2) ** -75.6 if fmt.width == 64 else mpf(2) ** -49.6
    parts = [part.reshape(len(far), len(near), -1) for part in sums]
    for part_of, function in ((np.imag, mp.cos), (np.real, mp.sin)):
        worst = 0
        for k, b, i in np.ndindex(parts[0].shape):
            truth = function((int(far[k]) + int(near[b])) * mpf(500) ** (-mpf(i) / 4))
            worst = max(worst, abs(sum(mpf(float(part_of(part[k, b, i]))) for part in parts) - truth))
        assert bound / 2**12 < worst <= bound
        assert bound < tables.radius(fmt)


#: the last three lie so little below a power of two that their upper 26 bits round up to it
FACTORS = [Fraction(1), Fraction(3, 2) ** 7, Fraction(15, 2**70)]
FACTORS += [2 - Fraction(1, 2**26), 1 - Fraction(1, 2**30), Fraction(2**28 - 1, 2**128)]


@pytest.mark.parametrize("factor", FACTORS)
def test_pairs_times_a_factor_keep_their_bounds(factor):
    """Seeds times a factor, sums of angles and rotations with them, as the NumPy kernels do, in units of the power of
    two above the factor."""
    rng, base = np.random.default_rng(6), 500
    far, near = rng.integers(-(2**40), 2**40, 24), np.arange(16)
    per_position = phases.per_position(refpos.inverse_frequencies(8, base=base), 0)
    anchors, steps = (seeds.make_seeds(m, per_position) for m in (far, near))
    given = reals.rational(factor)
    unit, frequencies = attention_factor.scale(given), [mpf(base) ** (-mpf(i) / 4) for i in range(4)]
    multiplied = attention_factor.multiply_seeds(steps, given)
    turned = numpy_kernels._times_factor(anchors, *attention_factor.multiply_seeds(seeds.step_zero(4, 4), given)[:2, 0])
    for found, m in ((multiplied, near), (turned, far)):
        highs, lows = found[::2] / unit, found[1::2] / unit
        assert (highs * 2.0**26 == np.round(highs * 2.0**26)).all() and np.abs(lows).max() <= 2.0**-25
        for i, theta in enumerate(frequencies):
            for k, function in ((0, mp.cos), (1, mp.sin)):
                truth = [to_mpf(factor) / unit * function(int(p) * theta) for p in m]
                assert worst_error(highs[k, :, i], lows[k, :, i], truth) <= mpf(2) ** -76.6
    made = numpy_kernels._adder(multiplied)(numpy_seeds.as_waves(anchors))
    sums = [part.reshape(len(far), len(near), -1) / unit for part in made]
    x, y = (rng.normal(size=(len(far), 1)) for _ in "xy")
    rotated = numpy_kernels._combine_pairs(x, y, *(turned[k : k + 2] / unit for k in (0, 2)))
    for k, i in np.ndindex(len(far), 4):
        for b, m in enumerate(near):
            truth = to_mpf(factor) / unit * mp.cos(int(far[k] + m) * frequencies[i])
            assert abs(sum(mpf(part[k, b, i].imag) for part in sums) - truth) <= mpf(2) ** -74.4
        turn = int(far[k]) * frequencies[i]
        truth = to_mpf(factor) / unit * (mpf(x[k, 0]) * mp.cos(turn) + mpf(y[k, 0]) * mp.sin(turn))
        bound = (abs(x[k, 0]) + abs(y[k, 0])) * mpf(2) ** -74.7
        assert abs(sum(mpf(part[k, i]) for part in rotated) - truth) <= bound


def to_mpf(fraction):
    return mpf(fraction.numerator) / fraction.denominator


def table(fmt, frequencies_, start, rows, radius):
    cos, sin = (np.empty((rows, len(frequencies_)), fmt.storage) for _ in range(2))
    where = exact_positions.read_positions(np.arange(start, start + rows))
    tables.fill(cos, sin, where, frequencies_, fmt, None, radius=lambda fmt: radius)
    return cos, sin


def test_a_tighter_radius_goes_wrong_in_float64():
    # slow frequencies: results far below 1 have fine spacing, so that absolute errors reach roundings
    slow = frequencies.sinusoid_inv_freq(64, base=10**9, endpoint=True)
    truth = table(FLOAT64, slow, 0, 60000, tables.radius(FLOAT64))
    proved, wrong = 2.0**-75.6, {}
    for halvings in (0, 1, 3, 6, 12):
        found = table(FLOAT64, slow, 0, 60000, proved / 2**halvings)
        wrong[halvings] = sum(int((a != b).sum()) for a, b in zip(found, truth, strict=True))
    assert wrong[0] == 0
    assert wrong[12] > wrong[6] > 0, wrong


#: of 8 * 10**8 values (these bases, 256 frequencies, 2**20 positions) those that the doubles of one of the kernels
#: round wrong
CLOSEST = [(10000, 477576, 127), (500000, 548383, 76), (500000, 354616, 155), (500000, 816978, 91),
           (10000, 850316, 13)]  # fmt: skip


def test_a_tighter_radius_goes_wrong_in_float32():
    proved, wrong = 2.0**-49.6, {}
    for base, position, i in CLOSEST:
        frequencies = refpos.inverse_frequencies(512, base=base)
        start = position - position % rotation_plan.STEPS
        for halvings in (0, 1, 2, 4, 8, 60):
            radii = tables.radius(FLOAT32), proved / 2**halvings
            truth, found = (
                [
                    array[position - start, i]
                    for array in table(FLOAT32, frequencies, start, rotation_plan.STEPS, radius)
                ]
                for radius in radii
            )
            wrong[halvings] = wrong.get(halvings, 0) + (truth != found)
    assert wrong[0] == 0
    assert wrong[60] > 0, wrong


@pytest.mark.parametrize("call", [
    lambda big: refpos.frequencies.ntk_by_parts(8, factor=2, original_max_position_embeddings=16, beta_slow=big),
    lambda big: refpos.llama3(8, factor=2, original_max_position_embeddings=9, low_freq_factor=big, high_freq_factor=4),
    lambda big: refpos.proportional(8, partial_rotary_factor=big),
])  # fmt: skip
def test_long_numbers_are_shortened_in_refusals(call):
    with pytest.raises(refpos.InputError) as caught:
        call(10**350)
    assert "1.0e+350 (351 digits)" in str(caught.value) and len(str(caught.value)) < 160
