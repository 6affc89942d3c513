"""Times, by counting: days of a calendar in plain integers, sines of times as balls, pieces of a signal one by one."""

from fractions import Fraction

import numpy as np

from . import axes
from .balls import at_each_precision, leading
from .digits import concatenate, from_fractions, zeros
from .formulas import power
from .fourier import Channel, table, theta

MONTHS = (31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31)
DAYS = ("weekday", "day", "yearday")
#: frequency without its number and anchor: the features of GluonTS, and how many columns Informer has
FEATURES = {
    "Y": (), "A": (), "Q": ("month",), "QE": ("month",), "M": ("month",), "ME": ("month",), "MS": ("month",),
    "W": ("day", "week"), "D": DAYS, "B": DAYS, "h": ("hour", *DAYS), "H": ("hour", *DAYS),
    "min": ("minute", "hour", *DAYS), "T": ("minute", "hour", *DAYS), "s": ("second", "minute", "hour", *DAYS),
    "S": ("second", "minute", "hour", *DAYS),
}  # fmt: skip
SIZES = {"second": 60, "minute": 60, "hour": 24, "weekday": 7, "day": 31, "yearday": 366, "month": 12, "week": 53}
INFORMER = {"Y": 0, "M": 1, "ME": 1, "W": 1, "D": 3, "B": 3, "h": 4, "H": 4, "min": 5, "T": 5}


# -- the calendar -----------------------------------------------------------------------------------------------------


def leap(year):
    return year % 4 == 0 and (year % 100 != 0 or year % 400 == 0)


def length(year, month):
    return MONTHS[month - 1] + (month == 2 and leap(year))


def ordinal(year, month, day):
    """Days since 1 January of the year 1, a Monday."""
    before = year - 1
    return before * 365 + before // 4 - before // 100 + before // 400 + yearday(year, month, day)


def yearday(year, month, day):
    """Days since 1 January of the same year."""
    return sum(length(year, m) for m in range(1, month)) + day - 1


def civil(days):
    """(year, month, day) of days since 1 January of the year 1."""
    year = days // 366 + 1
    while ordinal(year + 1, 1, 1) <= days:
        year += 1
    days, month = days - ordinal(year, 1, 1), 1
    while days >= length(year, month):
        days, month = days - length(year, month), month + 1
    return year, month, days + 1


def seconds_of(time):
    """(seconds since the beginning of the year 1, offset in seconds or None) of text or of seconds since 1970."""
    if not isinstance(time, str):
        return time + 86400 * ordinal(1970, 1, 1), 0
    year, month, day = (int(part) for part in time[:10].split("-"))
    clock, offset = time[11:], None
    if clock.endswith("Z"):
        clock, offset = clock[:-1], 0
    elif len(clock) > 6 and clock[-6] in "+-":
        clock, offset = clock[:-6], shift(clock[-6:])
    parts = [int(part.partition(".")[0]) for part in clock.split(":")] if clock else []
    hour, minute, second = parts + [0] * (3 - len(parts))
    return ordinal(year, month, day) * 86400 + hour * 3600 + minute * 60 + second, offset


def shift(zone):
    """Seconds that a zone is ahead of UTC."""
    if zone == "UTC":
        return 0
    return int(zone[0] + "1") * (int(zone[1:3]) * 3600 + int(zone[4:6]) * 60)


def fields(time, zone):
    """The fields of one time, each counted from 0."""
    seconds, offset = seconds_of(time)
    if zone is not None:
        seconds += shift(zone) - offset
    days, rest = divmod(seconds, 86400)
    year, month, day = civil(days)
    thursday = days - days % 7 + 3
    return {
        "second": rest % 60, "minute": rest // 60 % 60, "hour": rest // 3600, "weekday": days % 7, "day": day - 1,
        "month": month - 1, "yearday": yearday(year, month, day), "week": yearday(*civil(thursday)) // 7,
    }  # fmt: skip


def shaped(times):
    """(shape, times one by one) of text, seconds, or lists and arrays of them."""
    array = np.array(times)
    return array.shape, array.reshape(-1).tolist()


def plain(frequency):
    return frequency.partition("-")[0].lstrip("0123456789")


def calendar_features(times, *, frequency, zone):
    """Digits (*shape, features)."""
    shape, listed = shaped(times)
    names = FEATURES[plain(frequency)]
    found = [fields(time, zone) for time in listed]
    values = [Fraction(one[name], SIZES[name] - 1) - Fraction(1, 2) for one in found for name in names]
    return from_fractions(values).reshape(*shape, len(names))


def calendar_rows(times, *, rule, frequency, zone):
    """Integers (*shape, fields)."""
    shape, listed = shaped(times)
    rows = []
    for one in (fields(time, zone) for time in listed):
        if rule == "gluonts":
            rows += [[one[name] for name in FEATURES[plain(frequency)]]]
        else:
            columns = [one["month"] + 1, one["day"] + 1, one["weekday"], one["hour"], one["minute"] // 15]
            rows += [columns[: INFORMER[plain(frequency)]]]
    width = len(rows[0]) if rows else len(FEATURES[plain(frequency)])
    return np.array(rows, np.int64).reshape(*shape, width)


# -- sines of times ---------------------------------------------------------------------------------------------------


def fixed_temporal(rows, dim, *, base=10000):
    """Digits (..., dim) of sums of sinusoids."""
    flat = rows.reshape(-1, rows.shape[-1]).tolist()
    if not flat:
        return zeros((*rows.shape[:-1], dim))

    def made():
        thetas = [power(Fraction(base), -Fraction(2 * i, dim)) for i in range(dim // 2)]
        return [[(theta * x).sin_cos() for theta in thetas] for x in range(32)]

    waves = at_each_precision(made)

    def evaluate(chosen, bits):
        known = waves()
        found = []
        for numbers in flat if chosen is None else [flat[row] for row in chosen]:
            found.append([sum(known[x][i][kind] for x in numbers) for i in range(dim // 2) for kind in (0, 1)])
        return found

    return leading(len(flat), dim, evaluate).reshape(*rows.shape[:-1], dim)


def numbers(x):
    """(shape, fractions) of one number, an array, or the exact coordinates of an axis."""
    if isinstance(x, dict):
        places = [Fraction(place) for place in axes.coordinates(x)]
        return (len(places),), places
    array = np.asarray(float(x) if isinstance(x, Fraction) else x)
    return array.shape, [Fraction(value) for value in array.reshape(-1).tolist()]


def periodic(x, period):
    """Digits (*shape, 2) of sine and cosine."""
    shape, places = numbers(x)
    turn = theta(1, 0, 1 / Fraction(period))
    return table(shape, [places], [Channel(kind, 0, turn, "2pi") for kind in ("sin", "cos")])


def functional_time(times, dim, *, base=10**9):
    """Digits (*shape, dim) of cosines."""
    shape, places = numbers(times)
    step = Fraction(1, max(dim - 1, 1))
    return table(shape, [places], [Channel("cos", 0, theta(base, -j * step)) for j in range(dim)])


def time2vec(t, weight, phase, *, linear, kind):
    """Digits (*shape, k): every column from the exact w t + p."""
    shape, places = numbers(t)
    columns = []
    for j, (w, p) in enumerate(zip(weight.tolist(), phase.tolist(), strict=True)):
        sums = [place * Fraction(w) + Fraction(p) for place in places]
        if j == {"first": 0, "last": len(weight) - 1}.get(linear):
            columns += [from_fractions(sums).reshape(len(places), 1)]
        else:
            columns += [table((len(places),), [sums], [Channel(kind, 0, theta(1, 0))])]
    return concatenate(columns, -1).reshape(*shape, len(weight))


# -- pieces of a signal -----------------------------------------------------------------------------------------------


def frames(samples, *, size, hop, padding):
    """Frames of bit patterns, read one by one from a signal that is padded as a whole."""
    zero = np.zeros((*samples.shape[:-1], 1), samples.dtype)
    if padding in ("zeros", "reflect"):
        half = size // 2
        before = [samples[..., k : k + 1] if padding == "reflect" else zero for k in range(half, 0, -1)]
        last = samples.shape[-1] - 1
        after = [samples[..., last - k : last - k + 1] if padding == "reflect" else zero for k in range(1, half + 1)]
        samples = np.concatenate([*before, samples, *after], -1)
    starts = [
        start for start in range(0, samples.shape[-1], hop) if padding == "end" or start + size <= samples.shape[-1]
    ]
    samples = np.concatenate([samples] + [zero] * (size if padding == "end" else 0), -1)
    found = [samples[..., start : start + size] for start in starts]
    return np.stack(found, -2) if found else np.zeros((*samples.shape[:-1], 0, size), samples.dtype)


def audio_patches(spectrogram, *, outer, size=16, stride=10):
    """Patches of bit patterns, cut from the turned spectrogram."""
    patch, steps = ([one, one] if isinstance(one, int) else list(one) for one in (size, stride))
    turned = np.swapaxes(spectrogram, -1, -2)
    if outer == "time":
        turned, patch, steps = spectrogram, patch[::-1], steps[::-1]
    high, wide = turned.shape[-2:]
    found = [
        turned[..., row : row + patch[0], column : column + patch[1]].reshape(*turned.shape[:-2], -1)
        for row in range(0, high - patch[0] + 1, steps[0])
        for column in range(0, wide - patch[1] + 1, steps[1])
    ]
    return np.stack(found, -2) if found else np.zeros((*turned.shape[:-2], 0, patch[0] * patch[1]), turned.dtype)
