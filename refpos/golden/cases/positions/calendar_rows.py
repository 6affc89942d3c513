"""Golden cases of integers of the calendar, from 0 as GluonTS counts, and month first as Informer does."""

from ...case import listed, suite
from ..absolute.calendar_features import AWARE, EDGES, GLUONTS, INFORMER, SECONDS, WEEKS, slug

value, refused = suite("calendar_rows", GLUONTS)
FLAGS = ("OffByOne",)
SOURCES = {"gluonts": GLUONTS, "informer": INFORMER}

CASES = [
    *[
        value(f"{rule}-{slug(frequency)}", f"{rule} at {frequency}", times=EDGES, rule=rule, frequency=frequency,
              zone=None, flags=FLAGS, source=SOURCES[rule])
        for rule, frequencies in (("gluonts", ("Y", "Q", "M", "W", "D", "h", "min", "s")),
                                  ("informer", ("Y", "M", "W", "B", "H", "T")))
        for frequency in frequencies
    ],
    value("weeks", "weeks around the turns of 13 years", times=WEEKS, rule="gluonts", frequency="W", zone=None,
          flags=FLAGS),
    value("quarters", "every five minutes of an hour: quarters 0 to 3", rule="informer", frequency="15min", zone=None,
          times=[f"2024-02-29T07:{minute:02}" for minute in range(0, 60, 5)], flags=FLAGS, source=INFORMER),
    value("zone", "one moment in four zones, in another", times=AWARE, rule="informer", frequency="h", zone="-09:00",
          flags=FLAGS, source=INFORMER),
    value("seconds", "seconds since 1970", rule="informer", frequency="min", zone="UTC", flags=FLAGS, source=INFORMER,
          inputs={"times": listed(SECONDS)}),
    value("batch", "times of shape (2, 1, 2)", rule="gluonts", frequency="h", zone="+05:45", flags=FLAGS,
          inputs={"times": listed((0, 3600, 86399, 951868799), shape=(2, 1, 2))}),
    value("single", "one time without an axis", times="2024-12-31", rule="informer", frequency="D", zone=None,
          flags=FLAGS, source=INFORMER),
    refused("rule", "a rule that is not known", "E_CHOICE", "rule", times=["2024-01-01"], rule="pandas", frequency="D",
            zone=None),
    refused("seconds", "seconds, which Informer does not read", "E_CHOICE", "frequency", times=["2024-01-01"],
            rule="informer", frequency="s", zone=None),
    refused("quarter", "quarters, which Informer does not read", "E_CHOICE", "frequency", times=["2024-01-01"],
            rule="informer", frequency="Q", zone=None),
    refused("naive", "times without zone where one is given", "E_TIME", "times", times=["2024-02-29T12:00"],
            rule="informer", frequency="h", zone="UTC"),
    refused("day", "a day that does not exist", "E_TIME", "times", times=["2023-04-31"], rule="gluonts", frequency="D",
            zone=None),
]  # fmt: skip
