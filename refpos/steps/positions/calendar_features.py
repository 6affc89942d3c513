"""Which features of the calendar a sampling frequency has, and how large each of them may become."""

import re

from ... import checks
from ...errors import InputError, shown
from . import calendar

BLOCK = 1 << 14  # times whose fields are made at a time

#: feature: (the field of `calendar.Fields`, what the field counts from, how many values there are)
FEATURES = {
    "second_of_minute": ("second", 0, 60),
    "minute_of_hour": ("minute", 0, 60),
    "hour_of_day": ("hour", 0, 24),
    "day_of_week": ("weekday", 0, 7),
    "day_of_month": ("day", 1, 31),
    "day_of_year": ("day_of_year", 1, 366),
    "month_of_year": ("month", 1, 12),
    "week_of_year": ("week", 1, 53),
}
DAYS = ("day_of_week", "day_of_month", "day_of_year")
BY_FREQUENCY = {
    "year": (),
    "quarter": ("month_of_year",),
    "month": ("month_of_year",),
    "week": ("day_of_month", "week_of_year"),
    "day": DAYS,
    "business day": DAYS,
    "hour": ("hour_of_day", *DAYS),
    "minute": ("minute_of_hour", "hour_of_day", *DAYS),
    "second": ("second_of_minute", "minute_of_hour", "hour_of_day", *DAYS),
}
#: the names of pandas, old and new; those of the first letter of a year, a quarter and a week may have an anchor
ALIASES = {
    "year": "Y A YE YS AS", "quarter": "Q QE QS", "month": "M ME MS", "week": "W", "day": "D", "business day": "B",
    "hour": "h H", "minute": "min T", "second": "s S",
}  # fmt: skip
MEANING = {alias: name for name, aliases in ALIASES.items() for alias in aliases.split()}
ANCHORED = ("year", "quarter", "week")
WRITTEN = re.compile(r"(?:[1-9]\d{0,8})?([A-Za-z]+)(-[A-Z]{3})?", re.ASCII)


def read_frequency(frequency):
    """The meaning of a frequency as pandas writes it, such as "h", "15min" or "W-SUN"."""
    found = WRITTEN.fullmatch(frequency) if isinstance(frequency, str) else None
    meaning = MEANING.get(found[1]) if found else None
    if meaning is None or (found[2] and meaning not in ANCHORED):
        known = ", ".join(MEANING)
        sentence = (
            f"frequency must be one of {known}, perhaps a number before and an anchor behind, got {shown(frequency)}"
        )
        raise InputError("E_CHOICE", "frequency", sentence)
    return meaning


def counted_from_0(fields, feature):
    """A feature as integers from 0."""
    field, first, _ = FEATURES[feature]
    return getattr(fields, field) - first


def informer(fields, frequency):
    """The columns that Informer reads at a frequency, counted as a calendar counts, quarters of the hour from 0."""
    columns = [fields.month, fields.day, fields.weekday, fields.hour, fields.minute // 15]
    counts = {"year": 0, "month": 1, "week": 1, "day": 3, "business day": 3, "hour": 4, "minute": 5}
    checks.choice("frequency", frequency, tuple(counts))
    return columns[: counts[frequency]]


def fill(rows, seconds, columns):
    """Fill rows (n, k) with the k columns that `columns` makes of the `calendar.Fields` of n seconds."""
    seconds = seconds.reshape(-1)
    for start in range(0, len(rows), BLOCK):
        block = rows[start : start + BLOCK]
        for k, column in enumerate(columns(calendar.fields(seconds[start : start + BLOCK]))):
            block[:, k] = column
