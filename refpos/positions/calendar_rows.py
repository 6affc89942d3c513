"""Integers of the calendar: the row of a table that each time reads in each field."""

from __future__ import annotations

from typing import Literal, get_args

import numpy as np

from .. import checks
from ..catalogue import register
from ..steps.positions import calendar, calendar_features
from ..types import Integers

CalendarRule = Literal["gluonts", "informer"]


@register(
    family="positions",
    paper="a convention of code: GluonTS, Alexandrov et al. 2020, JMLR 21(116); Zhou et al. 2021, Informer, "
    "arXiv:2012.07436",
    conventions="rule gluonts (all from 0) or informer (month first, month and day from 1); frequency and zone",
)
def calendar_rows(
    times: calendar.TimesLike, *, rule: CalendarRule, frequency: str, zone: calendar.ZoneLike
) -> Integers:
    """Calendar indices of a time: the table row of each field (GluonTS, Informer).

        gluonts:   the features of `calendar_features`, in its order, as integers from 0
        informer:  month 1 .. 12, day 1 .. 31, day of the week 0 .. 6 (Monday is 0), hour 0 .. 23, quarter of the hour
                   0 .. 3 (minute // 15): the first 1 at M and W, 3 at D and B, 4 at h, 5 at min, none at Y

    Parameters
    ----------
    times : array_like
        Times of any shape, as in `calendar_features`.
    rule : {'gluonts', 'informer'}
        Which fields and rows, as stated above.
    frequency : str
        Sampling frequency as pandas writes it, such as "h" or "15min", as in `calendar_features`.
    zone : str, tzinfo or None
        None for times without zone, or the zone whose calendar counts, as in `calendar_features`.

    Returns
    -------
    ndarray of int64
        Shape (*times.shape, fields).

    Raises
    ------
    InputError
        E_TIME, E_CHOICE (rule, frequency, zone).

    Notes
    -----
    Informer knows no quarters and no seconds.

    `fixed_temporal` reads the rows of "informer".

    References
    ----------
    - gluonts 0.17.0, time_feature/_base.py, the functions whose names end in _index.
    - zhouhaoyi/Informer2020, utils/timefeatures.py at 29f2a73, time_features with timeenc 0.

    Examples
    --------
    >>> calendar_rows("2024-12-31T18:45", rule="informer", frequency="15min", zone=None)
    array([12, 31,  1, 18,  3])
    >>> calendar_rows("2024-12-31T18:45", rule="gluonts", frequency="15min", zone=None)
    array([ 45,  18,   1,  30, 365])
    """
    checks.choice("rule", rule, get_args(CalendarRule))
    meaning, seconds = calendar_features.read_frequency(frequency), calendar.read_times(times, zone)

    def columns(fields):
        if rule == "informer":
            return calendar_features.informer(fields, meaning)
        return [calendar_features.counted_from_0(fields, one) for one in calendar_features.BY_FREQUENCY[meaning]]

    count = len(columns(calendar.fields(np.empty(0, np.int64))))
    result = np.empty((seconds.size, count), np.int64)
    calendar_features.fill(result, seconds, columns)
    return result.reshape(*seconds.shape, count)
