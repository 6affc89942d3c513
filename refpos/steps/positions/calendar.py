"""Times of a calendar: what a clock on the wall shows, counted in seconds, and its fields as integers.

The calendar is the Gregorian one, also before 1582, from the year 1 to 9999; a day has 86400 seconds, and no second 60.
"""

import re
from collections.abc import Sequence
from datetime import date, datetime, timedelta, timezone, tzinfo
from typing import Any, NamedTuple, Union

import numpy as np

from ... import checks
from ...errors import InputError, InputTypeError, shown
from ...types import ArrayLike, Integers

DAY = 86400
EPOCH = datetime(1970, 1, 1)
FIRST, STOP = -62135596800, 253402300800  # seconds from 1970 to the years 1 and 10000
UNITS = ("Y", "M", "D", "h", "m", "s", "ms", "us", "ns", "ps", "fs", "as")
CLOCK = r"(?:[T ](\d\d):(\d\d)(?::(\d\d)(?:\.\d+)?)?(Z|[+-]\d\d:\d\d)?)?"
WRITTEN = re.compile(rf"(\d{{4}})-(\d\d)-(\d\d){CLOCK}", re.ASCII)
OFFSET = re.compile(r"([+-])(\d\d):(\d\d)", re.ASCII)
SECOND = timedelta(seconds=1)

#: dates and times of day: NumPy's, those of `datetime`, text of ISO 8601, or seconds since 1970
TimesLike = Union[ArrayLike, date, Sequence[date], Sequence[Sequence[date]]]
ZoneLike = Union[str, tzinfo, None]


class Fields(NamedTuple):
    """Fields of times as int64 arrays, all counted from 0 but the month, the day of the month and of the year and the
    week, which a calendar counts from 1."""

    month: Integers
    day: Integers
    weekday: Integers  # Monday is 0
    day_of_year: Integers
    week: Integers  # of ISO 8601: week 1 has the first Thursday of its year
    hour: Integers
    minute: Integers
    second: Integers


def fields(seconds):
    """The `Fields` of seconds on the wall since 1970."""
    days, rest = np.divmod(seconds, DAY)
    dates = days.view("M8[D]")
    months, weekday = dates.astype("M8[M]"), (days + 3) % 7
    month = (months - months.astype("M8[Y]").astype("M8[M]")).astype(np.int64) + 1
    day = (dates - months.astype("M8[D]")).astype(np.int64) + 1
    week = (_day_of_year((days - weekday + 3).view("M8[D]")) - 1) // 7 + 1
    clock = rest // 3600, rest // 60 % 60, rest % 60
    return Fields(month, day, weekday, _day_of_year(dates), week, *clock)


def _day_of_year(dates):
    return (dates - dates.astype("M8[Y]").astype("M8[D]")).astype(np.int64) + 1


def read_times(times, zone):
    """The argument `times` as seconds on the wall of a zone since 1970, int64, of any shape."""
    zone = _read_zone(zone)
    array = checks.array("times", times, "E_TIME", "a rectangular array of times")
    if array.ndim >= checks.MOST_AXES:  # one more is needed for what is found of each
        sentence = f"times must have at most {checks.MOST_AXES - 1} axes, got {array.ndim}"
        raise InputError("E_SHAPE", "times", sentence)
    if not array.size:
        return np.empty(array.shape, np.int64)
    if array.dtype.kind == "M":
        return _of_numpy(array, zone)
    if array.dtype.kind in "iu":
        return _of_seconds(array, zone)
    if array.dtype.kind not in "OU":
        raise _no_times(times)
    walls = [_wall(time, zone) for time in array.reshape(-1).tolist()]
    return np.array(walls, np.int64).reshape(array.shape)


# -- zones ------------------------------------------------------------------------------------------------------------


def _read_zone(zone):
    """None, or an object that knows how far a zone is from UTC at each time."""
    if zone is None or isinstance(zone, tzinfo):
        return zone
    if not isinstance(zone, str):
        sentence = f'zone must be None, "UTC", an offset, a name such as "Europe/Berlin" or a tzinfo, got {shown(zone)}'
        raise InputTypeError("E_CHOICE", "zone", sentence)
    if zone == "UTC":
        return timezone.utc
    if OFFSET.fullmatch(zone):
        return timezone(_offset("zone", zone, "E_CHOICE"))
    from zoneinfo import ZoneInfo  # which reads files of the system, and not when refpos is imported

    try:
        return ZoneInfo(zone)
    except Exception:  # a name that is none, is a path or a folder, or a system without a list of zones
        sentence = (
            f'zone must be "UTC", an offset such as "+05:30" or a zone that this machine knows, got {shown(zone)}'
        )
        raise InputError("E_CHOICE", "zone", sentence) from None


def _offset(name, text, code):
    """+05:30 as a `timedelta` below a day."""
    sign, hours, minutes = OFFSET.fullmatch(text).groups()
    if int(hours) > 23 or int(minutes) > 59:
        raise InputError(code, name, f"{name} must have an offset of -23:59 to +23:59, got {shown(text)}")
    return (-1 if sign == "-" else 1) * timedelta(hours=int(hours), minutes=int(minutes))


def _to_wall(instant, zone):
    """Seconds on the wall of a zone, of seconds in UTC."""
    if isinstance(zone, timezone):
        return instant + zone.utcoffset(None) // SECOND
    try:
        aware = (EPOCH + timedelta(seconds=instant)).replace(tzinfo=timezone.utc).astimezone(zone)
        return (aware.replace(tzinfo=None) - EPOCH) // SECOND
    except Exception as error:  # whatever a tzinfo raises, and years that `datetime` does not have
        sentence = f"times must be in the years 1 to 9999 of a zone that knows its offset then, got {shown(error)}"
        raise InputError("E_TIME", "times", sentence) from None


# -- times ------------------------------------------------------------------------------------------------------------


def _of_numpy(array, zone):
    """datetime64, which has no zone."""
    unit, _ = np.datetime_data(array.dtype)
    if unit not in UNITS or np.isnat(array).any():
        found = "NaT" if unit in UNITS else f"datetime64 in units of {unit}"
        raise InputError("E_TIME", "times", f"times must be dates in units of {', '.join(UNITS)}, got {found}")
    _refuse_naive(array.reshape(-1)[0], zone)
    years = array.astype("M8[Y]").astype(np.int64) + 1970  # which no year overflows, as seconds may
    _check_years(years.min() >= 1 and years.max() <= 9999, array)
    return array.astype("M8[s]").astype(np.int64)


def _of_seconds(array, zone):
    """Whole seconds since the beginning of 1970 in UTC."""
    if zone is None:
        sentence = 'times in seconds since 1970 must have a zone, such as "UTC", got zone None'
        raise InputError("E_TIME", "times", sentence)
    _check_years(array.min() >= FIRST and array.max() < STOP, array)
    instants = array.astype(np.int64)
    if isinstance(zone, timezone):
        walls = instants + zone.utcoffset(None) // SECOND
        _check_years(walls.min() >= FIRST and walls.max() < STOP, array)
        return walls
    walls = [_to_wall(instant, zone) for instant in instants.reshape(-1).tolist()]
    return np.array(walls, np.int64).reshape(array.shape)


def _wall(time, zone):
    """The seconds on the wall of one datetime, date or text."""
    given = time
    if isinstance(time, str):
        time = _parsed(time)
    if type(time) is date:
        time = datetime(time.year, time.month, time.day)
    if not isinstance(time, datetime) or time != time:  # NaT of pandas is a datetime
        raise _no_times(time)
    try:
        offset = time.utcoffset()
        naive = (time.replace(tzinfo=None) - EPOCH) // SECOND
    except Exception:  # whatever a tzinfo or a subclass raises
        raise _no_times(given) from None
    if offset is None:
        _refuse_naive(given, zone)
        return naive
    if zone is None:
        sentence = f"times must have no zone where zone is None, got {shown(given)}: pass the zone of the calendar"
        raise InputError("E_TIME", "times", sentence)
    wall = _to_wall(((time.replace(tzinfo=None) - offset) - EPOCH) // SECOND, zone)
    _check_years(FIRST <= wall < STOP, given)
    return wall


def _parsed(text):
    found = WRITTEN.fullmatch(text)
    if not found:
        sentence = f"times must be written as 2024-02-29T23:59:58, with an offset or Z where known, got {shown(text)}"
        raise InputError("E_TIME", "times", sentence)
    *numbers, offset = found.groups()
    zone = None
    if offset:
        zone = timezone.utc if offset == "Z" else timezone(_offset("times", offset, "E_TIME"))
    try:
        return datetime(*(int(number or 0) for number in numbers), tzinfo=zone)
    except ValueError:
        sentence = f"times must be days of the calendar and times of day before 24:00, got {shown(text)}"
        raise InputError("E_TIME", "times", sentence) from None


def _refuse_naive(time, zone):
    if zone is not None:
        sentence = f"times must have a zone, or zone must be None for local times, got {shown(time)}"
        raise InputError("E_TIME", "times", sentence)


def _check_years(inside, times):
    if not inside:
        raise InputError("E_TIME", "times", f"times must lie in the years 1 to 9999, got {shown(times)}")


def _no_times(found: Any) -> InputTypeError:
    sentence = (
        "times must be datetime64, datetimes, text such as 2024-02-29T23:59:58 or whole seconds since 1970, got "
        f"{shown(found)}"
    )
    return InputTypeError("E_TIME", "times", sentence)
