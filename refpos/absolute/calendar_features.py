"""Features of the calendar: how far each time has come in its minute, hour, day, week, month and year."""

from __future__ import annotations

from fractions import Fraction
from functools import lru_cache

import numpy as np

from .. import checks
from ..arithmetic import formats, rounding
from ..catalogue import register
from ..steps.positions import calendar
from ..steps.positions.calendar_features import BY_FREQUENCY, FEATURES, counted_from_0, fill, read_frequency
from ..steps.rows import doubles
from ..steps.waves import tables
from ..types import Array, DType

__all__ = ["calendar_features"]

HALF = Fraction(1, 2)


@register(
    family="absolute",
    paper="a convention of code: GluonTS, Alexandrov et al. 2020, JMLR 21(116); Zhou et al. 2021, Informer, "
    "arXiv:2012.07436",
    conventions="frequency and zone (no default); from -1/2 to 1/2, so that the last hour lies far from the first",
    also="time features, Informer time features, GluonTS time features, day of week",
)
def calendar_features(
    times: calendar.TimesLike,
    *,
    frequency: str,
    zone: calendar.ZoneLike,
    dtype: DType = "float64",
    out: Array | None = None,
) -> Array:
    """Time features of the calendar from -1/2 to 1/2, by sampling frequency, as in GluonTS and Informer.

        E[t, k] = x_k / (n_k - 1) - 1/2,   x_k = 0 .. n_k - 1

        second of minute 60, minute of hour 60, hour of day 24, day of week 7 (Monday is 0), day of month 31,
        day of year 366, month of year 12, week of year 53 (of ISO 8601), each x_k counted from 0

        Y: none   Q, M: month   W: day of month, week   D, B: the three days, of week, month and year
        h: hour and the days   min: minute, hour and the days   s: second, minute, hour and the days

    Parameters
    ----------
    times : array_like
        Times of any shape: datetime64, `datetime`, text such as 2024-02-29T23:59:58 or with +05:30 or Z behind it, or
        integer seconds since 1970 in UTC.
    frequency : str
        Sampling frequency as pandas writes it, old or new, such as "h", "15min" or "W-SUN"; a number before it and an
        anchor behind it change nothing.
    zone : str, tzinfo or None
        None for times without zone, as a clock on the wall shows them; or the zone whose calendar counts, "UTC", an
        offset, a name such as "Europe/Berlin" (with the list of zones of this machine) or a tzinfo, for times that say
        their own zone.
    dtype : str or dtype, default 'float64'
        Format of the result: float64, float32, float16 or bfloat16.
    out : ndarray, optional
        Array that receives the result.

    Returns
    -------
    ndarray
        Shape (*times.shape, features), each the exact fraction rounded once to `dtype`; GluonTS and Informer compute in
        float64 with two roundings and stack (features, times).

    Raises
    ------
    InputError
        E_TIME (a day that does not exist, no zone where one is given, a zone where None is), E_CHOICE (frequency,
        zone), E_DTYPE, E_OUT.

    Notes
    -----
    Pandas reads the fields of a period of a week, month or quarter on its last day.

    References
    ----------
    - gluonts 0.17.0, time_feature/_base.py.
    - zhouhaoyi/Informer2020, utils/timefeatures.py at 29f2a73.

    Examples
    --------
    >>> calendar_features("2024-12-31T18:00", frequency="h", zone=None)[[0, 2, 3]]
    array([0.2826087, 0.5      , 0.5      ])
    """
    chosen = BY_FREQUENCY[read_frequency(frequency)]
    fmt, seconds = formats.resolve(dtype), calendar.read_times(times, zone)
    result, stored = checks.output(out, (*seconds.shape, len(chosen)), fmt, apart_from=doubles.arrays(times))
    if stored.size:
        with tables.rows_of(formats.bits(stored)) as rows:
            fill(rows, seconds, lambda fields: [_patterns(one, fmt)[counted_from_0(fields, one)] for one in chosen])
    return result


@lru_cache(maxsize=64)
def _patterns(feature, fmt):
    """The bit patterns of a feature, for each of its integers."""
    count = FEATURES[feature][2]
    values = [rounding.nearest_fraction(Fraction(x, count - 1) - HALF, fmt) for x in range(count)]
    patterns = np.array(values, f"u{fmt.width // 8}")
    patterns.flags.writeable = False
    return patterns
