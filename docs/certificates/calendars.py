"""Features of times: what their golden cases claim."""

from features import moments
from formulas import text, wave
from intervals import need
from positions import number

DAY = 86400
#: gluonts 0.17.0, time_feature/_base.py: (name, largest value) of each feature by frequency
OF_DATE = [("weekday", 6), ("day", 30), ("yearday", 365)]
OF_CLOCK = [("second", 59), ("minute", 59), ("hour", 23)]
FEATURES = {
    "Y": [],
    "Q": [("month", 11)],
    "M": [("month", 11)],
    "W": [("day", 30), ("week", 52)],
    "D": OF_DATE,
    "B": OF_DATE,
    "h": OF_CLOCK[2:] + OF_DATE,
    "min": OF_CLOCK[1:] + OF_DATE,
    "s": OF_CLOCK + OF_DATE,
}
SPELLINGS = {"T": "min", "H": "h", "ME": "M", "MS": "M", "QE": "Q"}


def leap(year):
    return year % 4 == 0 and (year % 100 != 0 or year % 400 == 0)


def months_of(year):
    return [31, 29 if leap(year) else 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]


def days_before(year):
    """From 1970-01-01 to the first day of a year of the Gregorian calendar."""
    past = year - 1
    return 365 * past + past // 4 - past // 100 + past // 400 - 719162


def offset_of(words):
    """Seconds ahead of UTC of +05:30, Z or UTC."""
    if words in ("Z", "UTC", ""):
        return 0
    hours, minutes = words[1:].split(":")
    need(words[0] in "+-", "a zone of another form")
    return (-1 if words[0] == "-" else 1) * (int(hours) * 3600 + int(minutes) * 60)


def seconds_of(time):
    """(seconds since 1970 on the clock of the time, the seconds that this clock is ahead of UTC)"""
    if isinstance(time, int):
        return time, 0
    date, _, clock = time.partition("T")
    year, month, day = map(int, date.split("-"))
    days = days_before(year) + sum(months_of(year)[: month - 1]) + day - 1
    cut = min((clock.index(sign) for sign in "+-Z" if sign in clock), default=len(clock))
    need(1 <= day <= months_of(year)[month - 1] and month > 0, "a day that does not exist")
    parts = [int(one.partition(".")[0]) for one in clock[:cut].split(":") if one]
    return days * DAY + sum(n * unit for n, unit in zip(parts, (3600, 60, 1), strict=False)), offset_of(clock[cut:])


def fields(time, zone):
    """The fields of a time on the clock of the zone, counted from 0; the week is that of ISO 8601."""
    seconds, ahead = seconds_of(time)
    days, rest = divmod(seconds if zone is None else seconds - ahead + offset_of(zone), DAY)
    year = 1970 + days // (366 if days >= 0 else 365)  # or earlier
    while days_before(year + 1) <= days:
        year += 1
    yearday, weekday, month = days - days_before(year), (days + 3) % 7, 0
    day = yearday
    while day >= months_of(year)[month]:
        day, month = day - months_of(year)[month], month + 1
    thursday = yearday - weekday + 3
    if thursday < 0:
        thursday += 365 + leap(year - 1)
    elif thursday >= 365 + leap(year):
        thursday -= 365 + leap(year)
    found = {"second": rest % 60, "minute": rest // 60 % 60, "hour": rest // 3600, "weekday": weekday}
    return found | {"day": day, "month": month, "yearday": yearday, "week": thursday // 7}


def features_of(frequency):
    """The features of a frequency, of which a count before it and an anchor behind it are no part."""
    name = frequency.partition("-")[0].lstrip("0123456789")
    return FEATURES[SPELLINGS.get(name, name)]


def calendar_features(a, _):
    """x / (n - 1) - 1/2 of each field."""
    given = a["times"]
    if isinstance(given, dict):
        given = [n for n, _ in given["values"]]
    while any(isinstance(one, list) for one in given):
        given = [one for row in given for one in row]
    times = [given] if isinstance(given, (str, int)) else given
    features = features_of(a["frequency"])

    def value(index):
        token, k = divmod(index, len(features))
        name, most = features[k]
        return text(2 * fields(times[token], a["zone"])[name] - most, 2 * most)

    return [], "1", value


def periodic(a, _):
    """Sine and cosine of 2 pi x / period."""
    (n, d), places = number(a["period"]), moments(a["x"])
    theta = f"{text(2 * d, n)} pi *"
    return [theta], "1", lambda index: wave("sc"[index % 2], theta, places[index // 2], 0)


FUNCTIONS = {
    "calendar_features": (calendar_features, "times frequency zone"),
    "periodic": (periodic, "x period"),
}
