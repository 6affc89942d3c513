"""Golden cases of features of the calendar: leap days, weeks across years, zones, both ends of every feature."""

from ...case import listed, project, suite
from ...telling_inputs import DTYPES, SHORT, narrow
from .._formats import in_formats

GLUONTS = project("awslabs/gluonts", "0.17.0", "time_feature/_base.py", "time_features_from_frequency_str")
INFORMER = project("zhouhaoyi/Informer2020", "29f2a73", "utils/timefeatures.py", "time_features")
value, refused = suite("calendar_features", GLUONTS)
FLAGS = ("OffByOne",)

#: the last and the first moment of years, leap days and the days after, a year of 53 weeks
EDGES = [
    "2020-12-31T23:59:59", "2021-01-01T00:00:00", "2021-01-03T12:34:56", "2021-01-04T00:00:01", "2024-02-29T23:59:59",
    "2024-03-01T00:00:00", "2023-02-28T06:30:30", "2023-03-01T18:45:15", "2026-12-31T11:59:59", "2000-02-29",
    "1900-03-01", "2100-02-28T23:59", "1582-10-10", "0001-01-01", "9999-12-31T23:59:59",
]  # fmt: skip
#: days around the turn of the year, whose week belongs to the one or the other
WEEKS = [f"{year}-{day}" for year in range(2015, 2028) for day in ("01-01", "01-03", "12-29", "12-31")]
AWARE = ["2024-02-29T23:30:00Z", "2024-03-01T00:30:00+01:00", "2024-02-29T18:30:00-05:00", "2024-03-01T05:15+05:45"]
SECONDS = (0, -1, 86399, 86400, 951782400, 1709251199, 1709251200, 2**31 - 1, 2**31, -(2**31) - 1, 4102444800)
UTC = {"frequency": "s", "zone": "UTC"}


def slug(frequency):
    """A frequency in the small letters of an id."""
    return {"H": "old-h"}.get(frequency, frequency.lower())



CASES = [
    *[
        value(f"edges-{SHORT[dtype]}", f"ends of years, leap days and a 53rd week, by the second, {dtype}",
              times=EDGES, frequency="s", zone=None, dtype=dtype, flags=(*FLAGS, *narrow(dtype)))
        for dtype in DTYPES
    ],
    *[
        value(f"weeks-{SHORT[dtype]}", f"weeks around the turns of 13 years: week 53 and week 1, {dtype}", times=WEEKS,
              frequency="W", zone=None, dtype=dtype, flags=(*FLAGS, *narrow(dtype)))
        for dtype in ("float64", "float32")
    ],
    *[
        value(f"frequency-{slug(frequency)}", f"the features of {frequency}", times=EDGES[:6],
              frequency=frequency, zone=None, flags=FLAGS)
        for frequency in ("Y", "Q", "QE", "M", "ME", "MS", "W-SUN", "D", "B", "h", "H", "12h", "min", "15min", "T",
                          "30s")
    ],
    value("hours", "every hour of two days: 23 is the largest, 0 the smallest", frequency="h", zone=None,
          dtype="float32", flags=FLAGS, source=INFORMER,
          times=[f"2024-02-{day}T{hour:02}:00" for day in (28, 29) for hour in range(24)]),
    value("leap-year", "two days a month of a leap year and of the next: 366 days, also in 2025", frequency="D",
          zone=None, flags=FLAGS, source=INFORMER,
          times=[f"{year}-{month:02}-{day}" for year in (2024, 2025) for month in range(1, 13) for day in (15, 28)]),
    value("aware-utc", "one moment in four zones, and two more, in UTC", times=AWARE, **UTC, flags=FLAGS),
    *[
        value(f"zone-{place}", f"the day of a zone at {zone}: another one than in UTC", times=AWARE,
              frequency="min", zone=zone, flags=FLAGS)
        for place, zone in (("east", "+05:30"), ("west", "-09:00"), ("farthest-east", "+14:00"), ("none", "+00:00"))
    ],
    value("seconds", "seconds since 1970, before it, and beyond 32 bits", **UTC, inputs={"times": listed(SECONDS)},
          flags=(*FLAGS, "LongContextInteger")),
    value("seconds-zone", "seconds since 1970 in a zone", frequency="s", zone="-03:30", flags=FLAGS,
          inputs={"times": listed(SECONDS)}),
    value("grid", "times of shape (2, 3)", frequency="D", zone="UTC", flags=FLAGS,
          inputs={"times": listed(tuple(86400 * k for k in range(58, 64)), shape=(2, 3))}),
    value("single", "one time without an axis", times="2024-12-30T12:00", frequency="W", zone=None, flags=FLAGS),
    value("fractions", "fractions of a second are cut", times=["2024-01-01T00:00:59.999999", "1969-12-31T23:59:59.5"],
          frequency="s", zone=None, flags=FLAGS),
    value("none", "no times", times=[], frequency="s", zone=None),
    refused("day", "29 February of a year that has none", "E_TIME", "times", times=["2023-02-29"], frequency="D",
            zone=None),
    refused("century", "29 February 1900", "E_TIME", "times", times="1900-02-29", frequency="D", zone=None),
    refused("month", "a month after December", "E_TIME", "times", times=["2023-13-01"], frequency="D", zone=None),
    refused("day-zero", "a day before the first", "E_TIME", "times", times=["2023-01-00"], frequency="D", zone=None),
    refused("hour", "hour 24", "E_TIME", "times", times=["2023-01-01T24:00"], frequency="h", zone=None),
    refused("leap-second", "second 60", "E_TIME", "times", times=["2016-12-31T23:59:60Z"], **UTC),
    refused("year-zero", "the year before the first", "E_TIME", "times", times=["0000-12-31"], frequency="D",
            zone=None),
    refused("year-10000", "a zone in which the year 10000 has begun", "E_TIME", "times", frequency="D", zone="+05:30",
            times=["9999-12-31T23:59:59Z"]),
    refused("seconds-large", "seconds in thousandths", "E_TIME", "times", **UTC,
            inputs={"times": listed((1709251200000,))}),
    refused("naive", "times without zone where one is given", "E_TIME", "times", times=["2024-02-29T12:00"], **UTC),
    refused("aware", "times with a zone where None is meant", "E_TIME", "times", times=["2024-02-29T12:00Z"],
            frequency="h", zone=None),
    refused("mixed", "one time of two says no zone", "E_TIME", "times", times=["2024-02-29T12:00Z", "2024-02-29T12:00"],
            **UTC),
    refused("seconds-naive", "seconds since 1970 without a zone", "E_TIME", "times", frequency="h", zone=None,
            inputs={"times": listed((0,))}),
    refused("floats", "times that are floats", "E_TIME", "times", **UTC, inputs={"times": listed((0.5,), "float64")}),
    refused("text", "a month by its name", "E_TIME", "times", times=["29 Feb 2024"], frequency="D", zone=None),
    refused("minutes", "m, which may be minutes or months", "E_CHOICE", "frequency", times=["2024-01-01"],
            frequency="m", zone=None),
    refused("frequency", "a frequency that is not known", "E_CHOICE", "frequency", times=["2024-01-01"],
            frequency="fortnight", zone=None),
    refused("anchor", "an anchor that days do not have", "E_CHOICE", "frequency", times=["2024-01-01"],
            frequency="D-SUN", zone=None),
    refused("zone", "a zone that is not known", "E_CHOICE", "zone", times=["2024-01-01T00:00Z"], frequency="D",
            zone="Atlantis/Capital"),
    refused("offset", "an offset of a day", "E_CHOICE", "zone", times=["2024-01-01T00:00Z"], frequency="D",
            zone="+24:00"),
]  # fmt: skip

# the same in other formats
CASES += in_formats(
    CASES,
    float32="grid",
    float16="grid",
    bfloat16="grid",
)
