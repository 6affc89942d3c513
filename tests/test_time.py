"""Times: the calendar beside that of Python, everything that times may be, zones; sums before a sine; pieces of a
signal."""

import math
from datetime import date, datetime, timedelta, timezone, tzinfo
from fractions import Fraction

import ml_dtypes
import numpy as np
import pytest
import witness
from witness import calendars

import refpos
from refpos import InputError
from refpos.steps.positions import calendar

RNG = np.random.default_rng(11)
DTYPES = ("float64", "float32", "float16", "bfloat16")


def rows(times, zone=None, frequency="s", rule="gluonts"):
    return refpos.positions.calendar_rows(times, rule=rule, frequency=frequency, zone=zone)


# -- the calendar -----------------------------------------------------------------------------------------------------


def test_days_of_all_years_as_python_counts_them():
    """Every 13th day of 9999 years, and the first and the last week of each."""
    ordinals = set(range(1, date.max.toordinal(), 13))
    for year in range(1, 10000, 3):
        ordinals |= {date(year, 12, 31).toordinal() - k for k in range(4)} | {date(year, 1, 4).toordinal() - 3}
    ordinals = sorted(ordinals)
    fields = calendar.fields((np.array(ordinals) - 1) * 86400 + calendar.FIRST)
    assert len(ordinals) > 250_000 and fields.day.max() == 31 and fields.week.max() == 53
    columns = [getattr(fields, name).tolist() for name in ("month", "day", "weekday", "day_of_year", "week")]
    for k in range(0, len(ordinals), 5):
        one = date.fromordinal(ordinals[k])
        found = [column[k] for column in columns]
        wanted = [one.month, one.day, one.weekday(), one.timetuple().tm_yday, one.isocalendar()[1]]
        assert found == wanted, one


def test_week_53_and_day_366_are_the_ends():
    last = refpos.absolute.calendar_features(["2020-12-31", "2024-12-31", "2021-01-03"], frequency="W", zone=None)[:, 1]
    assert last.tolist() == [0.5, -0.5, 0.5]  # week 53, week 1 of the next year, week 53 of the year before
    days = refpos.absolute.calendar_features(["2024-12-31", "2023-12-31"], frequency="D", zone=None)[:, 2]
    assert days[0] == 0.5 and days[1] == 364 / 365 - 0.5


def test_features_are_not_periodic():
    hours = refpos.absolute.calendar_features(
        [f"2024-01-01T{hour:02}:00" for hour in range(24)], frequency="h", zone=None
    )
    assert hours[0, 0] == -0.5 and hours[23, 0] == 0.5
    near = refpos.absolute.periodic(np.arange(24), 24)
    assert np.abs(near[23] - near[0]).max() < 0.27 < np.abs(near[12] - near[0]).max()


# -- what times may be ------------------------------------------------------------------------------------------------

WALL = datetime(2024, 2, 29, 23, 59, 58)
INSTANT = int((WALL - datetime(1970, 1, 1)).total_seconds())


def test_all_kinds_of_naive_times_are_one():
    wanted = rows("2024-02-29T23:59:58").tolist()
    for time in (WALL, np.datetime64(WALL), "2024-02-29 23:59:58.999", np.datetime64(WALL, "ns"),
                 np.datetime64("2024-02-29T23:59:58", "s"), np.array(WALL, object)):  # fmt: skip
        assert rows(time).tolist() == wanted
    for many in ([WALL, WALL], np.array([WALL] * 2, "M8[us]"), np.array([WALL] * 2, ">M8[s]"), (str(WALL),) * 2,
                 np.array([str(WALL)] * 2), np.array(["x", WALL, WALL], object)[1:]):  # fmt: skip
        assert rows(many).tolist() == [wanted] * 2
    assert rows([[WALL], [WALL]]).shape == (2, 1, 6)
    assert rows([date(2024, 2, 29)]).tolist() == rows([np.datetime64("2024-02-29")]).tolist() == [[0, 0, 0, 3, 28, 59]]


def test_all_kinds_of_aware_times_are_one():
    east = timezone(timedelta(hours=5, minutes=45))
    wanted = rows("2024-02-29T23:59:58").tolist()
    for time in (WALL.replace(tzinfo=timezone.utc), "2024-02-29T23:59:58Z", "2024-03-01T05:44:58+05:45", INSTANT,
                 np.int32(INSTANT), WALL.replace(tzinfo=timezone.utc).astimezone(east)):  # fmt: skip
        for zone in ("UTC", timezone.utc, "+00:00"):
            assert rows(time, zone).tolist() == wanted
    assert rows(INSTANT, "+05:45").tolist() == rows(INSTANT, east).tolist() == rows("2024-03-01T05:44:58").tolist()


def test_units_of_datetime64_are_cut_down_and_never_up():
    for unit in ("ms", "us", "ns"):
        before = np.array([-1], f"M8[{unit}]")  # the moment before 1970
        assert rows(before).tolist() == [[59, 59, 23, 2, 30, 364]]


class Summer(tzinfo):
    """A zone that is an hour ahead of UTC, and two from April to September."""

    def utcoffset(self, time):
        return timedelta(hours=2 if 4 <= time.month <= 9 else 1)

    def dst(self, time):
        return self.utcoffset(time) - timedelta(hours=1)


class Broken(tzinfo):
    """A zone that knows nothing."""

    def utcoffset(self, time):
        raise RuntimeError("no idea")


def test_a_zone_whose_offset_changes():
    for time, hour in (("2024-01-01T12:00Z", 13), ("2024-07-01T12:00Z", 14), (1719835200, 14)):
        assert rows([time], Summer(), "h")[0, 0] == hour


NAIVE_NEEDED, ZONE_NEEDED = "zone is None, got", "times must have a zone"
REFUSED = {
    "naive datetime64": (np.array(["2024-01-01"], "M8[D]"), "UTC", ZONE_NEEDED),
    "naive datetime": ([WALL], Summer(), ZONE_NEEDED),
    "date in a zone": ([date(2024, 1, 1)], "UTC", ZONE_NEEDED),
    "aware datetime": ([WALL.replace(tzinfo=timezone.utc)], None, NAIVE_NEEDED),
    "seconds": ([0], None, "must have a zone, such as"),
    "NaT": (np.array(["2024-01-01", "NaT"], "M8[s]"), None, "got NaT"),
    "weeks of NumPy": (np.array([2000], "M8[W]"), None, "in units of W"),
    "no unit": (np.array(["NaT"], "M8"), None, "in units of generic"),
    "a year beyond": (np.array([10000 - 1970], "M8[Y]"), None, "years 1 to 9999"),
    "a year before": (np.array([-1970], "M8[Y]"), None, "years 1 to 9999"),
    "a year of years": (np.array([2**62], "M8[Y]"), None, "years 1 to 9999"),
    "milliseconds": ([INSTANT * 1000], "UTC", "years 1 to 9999"),
    "30 February": (["2024-02-30"], None, "days of the calendar"),
    "hour 25": (["2024-02-28T25:00"], None, "days of the calendar"),
    "basic format": (["20240228"], None, "must be written as"),
    "line behind": (["2024-02-28\n"], None, "must be written as"),
    "other digits": (["\uff12024-02-28"], None, "must be written as"),
    "offset of a day": (["2024-02-28T00:00+24:00"], "UTC", "an offset of -23:59"),
    "floats": ([0.5], "UTC", "must be datetime64"),
    "booleans": ([True], "UTC", "must be datetime64"),
    "durations": ([timedelta(1)], None, "must be datetime64"),
    "bytes": ([b"2024-01-01"], None, "must be datetime64"),
    "nothing": (None, None, "must be datetime64"),
    "ragged": ([["2024-01-01"], ["2024-01-01", "2024-01-02"]], None, "rectangular array of times"),
    "a zone that raises": ([INSTANT], Broken(), "knows its offset"),
    "a time of a zone that raises": ([WALL.replace(tzinfo=Broken())], "UTC", "must be datetime64"),
}  # fmt: skip


@pytest.mark.parametrize("name", REFUSED)
def test_refused_times(name):
    times, zone, words = REFUSED[name]
    for function, more in (
        (refpos.absolute.calendar_features, {}),
        (refpos.positions.calendar_rows, {"rule": "gluonts"}),
    ):
        with pytest.raises(InputError) as caught:
            function(times, frequency="s", zone=zone, **more)
        assert caught.value.code == "E_TIME" and words in str(caught.value) and len(str(caught.value)) < 400


@pytest.mark.parametrize("zone", ["", "..", "/etc/passwd", "utc ", "+5:30", "+25:00", 5, b"UTC", ["UTC"], float("nan")])
def test_refused_zones(zone):
    with pytest.raises(InputError) as caught:
        rows([0], zone)
    assert (caught.value.code, caught.value.argument) == ("E_CHOICE", "zone")


def test_zone_and_frequency_have_no_default():
    with pytest.raises(TypeError, match="zone"):
        refpos.absolute.calendar_features(["2024-01-01"], frequency="D")
    with pytest.raises(TypeError, match="frequency"):
        refpos.absolute.calendar_features(["2024-01-01"], zone=None)


@pytest.mark.parametrize("frequency", ["", "0h", "m", "d", "w", "-h", "1.5h", "hh", "D-SUN", "W-sun", "h ", None, 5])
def test_refused_frequencies(frequency):
    with pytest.raises(InputError) as caught:
        refpos.absolute.calendar_features(["2024-01-01"], frequency=frequency, zone=None)
    assert caught.value.argument == "frequency"


# -- sums of fixed tables ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", DTYPES)
def test_random_sums_of_fixed_tables(dtype):
    for seed in range(6):
        rng = np.random.default_rng(seed)
        dim, base = 2 * int(rng.integers(1, 12)), float(rng.choice([10000.0, 10.0, 0.5, 1e6, 1e-3]))
        columns = int(rng.integers(4, 6))
        given = np.stack([rng.integers(low, high, 20) for low, high in
                          ((1, 13), (1, 32), (0, 7), (0, 24), (0, 4))[:columns]], -1)  # fmt: skip
        found = refpos.absolute.fixed_temporal(given, dim, base=base, dtype=dtype)
        wanted = witness.patterns(calendars.fixed_temporal(given, dim, base=Fraction(base)), dtype)
        assert np.array_equal(np.asarray(found).view(wanted.dtype), wanted)


def test_the_rows_of_informer_fit_its_tables():
    times = np.arange("2023-12-01", "2025-03-01", 15, dtype="M8[m]")
    given = refpos.positions.calendar_rows(times, rule="informer", frequency="15min", zone=None)
    assert given.min(0).tolist() == [1, 1, 0, 0, 0] and given.max(0).tolist() == [12, 31, 6, 23, 3]
    assert refpos.absolute.fixed_temporal(given[:3], 4).shape == (3, 4)
    with pytest.raises(InputError, match="month from 1 to 12 in column 0, got 0"):
        refpos.absolute.fixed_temporal(
            refpos.positions.calendar_rows(times[:1], rule="gluonts", frequency="h", zone=None), 4
        )
    with pytest.raises(InputError, match="minute // 15 from 0 to 3 in column 4, got 45"):
        refpos.absolute.fixed_temporal([1, 1, 0, 0, 45], 4)


# -- sines of times ---------------------------------------------------------------------------------------------------


def test_a_period_is_exact_at_its_quarters_however_far():
    for period in (24, 7, 12, 365.25, Fraction(1, 3), 60):
        turns = np.array([0, 1, 5, 2**20, -3, 2**40])
        for quarter, wanted in enumerate(([0, 1], [1, 0], [0, -1], [-1, 0])):
            x = refpos.coordinates.listed([(int(turn) + Fraction(quarter, 4)) * Fraction(period) for turn in turns])
            assert np.array_equal(refpos.absolute.periodic(x, period), [wanted] * len(turns))
            assert not np.signbit(refpos.absolute.periodic(x, period)[:, wanted.index(0)]).any()


def test_a_whole_number_is_one_time():
    assert refpos.absolute.periodic(6, 24).tolist() == [1, 0] and refpos.absolute.functional_time(0, 3).tolist() == [
        1,
        1,
        1,
    ]
    assert refpos.absolute.time2vec(2, [3], [1], linear="first", kind="sin").tolist() == [7]


@pytest.mark.parametrize("dtype", DTYPES)
def test_the_linear_channel_is_rounded_once(dtype):
    """Random numbers, sums that cancel, and ties, beside fractions."""
    t = np.concatenate([RNG.normal(size=60), RNG.integers(-(2**30), 2**30, 60), 2.0 ** RNG.integers(-500, 500, 40)])
    for weight, phase in ((0.1, -0.7), (1.0, 0.0), (2.0**-40, 1.0), (1 / 3, 2.0**-60), (0.0, 5.5), (1e300, -1e-300)):
        found = refpos.absolute.time2vec(t, [weight], [phase], linear="first", kind="sin", dtype=dtype)
        exact = [Fraction(float(one)) * Fraction(weight) + Fraction(phase) for one in t]
        patterns = [witness.round_fraction(value, dtype) if value else 0 for value in exact]
        assert np.asarray(found).reshape(-1).view(f"u{found.itemsize}").tolist() == patterns
    zero = refpos.absolute.time2vec([2.0, -0.0], [-0.5], [1.0], linear="last", kind="sin", dtype=dtype)
    assert zero.astype(float).tolist() == [[0], [1]] and not np.signbit(zero.astype(float)).any()


def test_nothing_is_rounded_before_the_sine():
    """At 2**31 a product in float64 is off by more than the sine is worth."""
    t, weight, phase = 2**31, math.pi / 2**20, 0.1
    exact = Fraction(t) * Fraction(weight) + Fraction(phase)
    (found,) = refpos.absolute.time2vec(t, [weight], [phase], linear=None, kind="sin")
    assert found == float(
        refpos.absolute.fourier_projection([[1]], [[weight * t]], factor=1, layout="sin", phase=[phase])[0, 0]
    )
    assert abs(found - math.sin(float(exact))) < 1e-11


def test_learned_frequencies_of_tgat_are_time2vec():
    times, weight = np.array([0, 7, 1000]), 1 / 10 ** np.linspace(0, 9, 5)
    learned = refpos.absolute.time2vec(times, weight, np.zeros(5), linear=None, kind="cos")
    assert np.abs(learned - refpos.absolute.functional_time(times, 5)).max() < 1e-13


# -- pieces of a signal -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("n", "counts"), [(15, (0, 2, 2, 2)), (16, (1, 2, 2, 2)), (17, (1, 2, 2, 2)),
                                           (26, (2, 3, 3, 3)), (160, (15, 16, 17, 17))])  # fmt: skip
def test_how_many_frames_there_are(n, counts):
    for padding, count in zip(("none", "end", "zeros", "reflect"), counts, strict=True):
        assert refpos.absolute.frames(np.ones(n), size=16, hop=10, padding=padding).shape == (count, 16)


def test_how_many_patches_there_are():
    for n, count in ((15, 0), (16, 1), (17, 1), (25, 1), (26, 2), (1024, 101)):
        assert refpos.absolute.audio_patches(np.ones((n, 128)), outer="frequency").shape == (12 * count, 256)
    assert refpos.absolute.audio_patches(np.ones((1024, 128)), outer="frequency").shape[0] == 1212  # of AudioSet


def test_the_outer_axis_is_that_of_tokens_and_of_patches():
    times, bins = np.meshgrid(np.arange(4.0), 10 * np.arange(4.0), indexing="ij")
    x = times + bins
    first = refpos.absolute.audio_patches(x, outer="frequency", size=2, stride=2)
    assert first.tolist() == [[0, 1, 10, 11], [2, 3, 12, 13], [20, 21, 30, 31], [22, 23, 32, 33]]
    assert refpos.absolute.audio_patches(x.T, outer="time", size=2, stride=2).tolist() == first.tolist()


@pytest.mark.parametrize("function", [refpos.absolute.frames, refpos.absolute.audio_patches])
def test_bits_are_copied_from_any_layout(function):
    options = {"size": 3, "hop": 2, "padding": "none"} if function is refpos.absolute.frames else {
        "outer": "time", "size": 2, "stride": 1}  # fmt: skip
    bits = RNG.integers(0, 2**16, (6, 9)).astype(np.uint16)
    wanted = function(bits, **options)
    for x in (
        np.asfortranarray(bits),
        np.flip(np.flip(bits).copy()),
        bits.astype(">u2"),
        bits.view(ml_dtypes.bfloat16),
    ):
        assert np.array_equal(function(x, **options).view(np.uint16), wanted)
    out = np.zeros((*wanted.shape[:-1], 2 * wanted.shape[-1]), np.uint16)[..., ::2]
    assert function(bits, **options, out=out) is out and np.array_equal(out, wanted)
    with pytest.raises(InputError, match="overlap"):
        memory = np.zeros(wanted.size + bits.size, np.uint16)
        function(memory[: bits.size].reshape(bits.shape), **options, out=memory[: wanted.size].reshape(wanted.shape))
