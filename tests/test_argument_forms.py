"""Arguments in each form that their documentation allows, at `diagnose` and `compare`."""

from datetime import datetime

import numpy as np
import pytest

import refpos
from refpos import InputError
from refpos.absolute import calendar_features
from refpos.relative import fire

HOURS = ["2024-02-27T05", "1965-03-01T07"]
TEXT = [f"{hour}:30:10" for hour in HOURS]
FORMS = {
    "datetime64[s]": np.array(TEXT, "M8[s]"),
    "datetime64[ns]": np.array([f"{time}.75" for time in TEXT], "M8[ns]"),
    "list of text": TEXT,
    "array of text": np.array(TEXT),
    "two axes of text": np.array([TEXT, TEXT]),
    "list of datetime": [datetime.fromisoformat(time) for time in TEXT],
    "array of datetime": np.array([datetime.fromisoformat(time) for time in TEXT], object),
    "one datetime64": np.datetime64(TEXT[0]),
    "one text": TEXT[1],
    "days": np.array(["2024-02-27", "1965-03-01"], "M8[D]"),
}


@pytest.mark.parametrize("form", FORMS)
def test_times_in_every_form(form):
    given = {"times": FORMS[form], "frequency": "min", "zone": None}
    mine = calendar_features(**given, dtype="float32")
    assert refpos.compare(mine, calendar_features, **given).met == "correct"
    # by hand: minute 30 of an hour, or the first
    assert mine[..., 0].flat[0] == np.float32(30 / 59 - 0.5 if form != "days" else -0.5)
    found = refpos.diagnose(np.ascontiguousarray(mine[..., ::-1]), calendar_features, **given)
    assert found.explanations[0].computed == "axis -1 from its end to its beginning"


def test_seconds_in_utc_are_still_an_array():
    given = {"times": np.array([10**9, 2 * 10**9]), "frequency": "s", "zone": "UTC"}
    mine = calendar_features(**given, dtype="float32")
    assert refpos.diagnose(mine, calendar_features, **given).met == "correct"


def test_no_time_is_refused_by_the_function():
    times = np.array(["NaT", "2024-01-01"], "M8[s]")
    with pytest.raises(InputError, match=r"times must be .*NaT"):
        refpos.diagnose(np.zeros((2, 4), np.float32), calendar_features, times, frequency="h", zone=None)


@pytest.mark.parametrize("shape", [(4,), (4, 1)])
def test_lines_of_one_input(shape):
    rng = np.random.default_rng(0)
    numbers = [rng.uniform(0.5, 1, size) for size in (shape, (4,), (2, 4), (2,))]
    given = {"length": 8, "eps": 0, "mode": "clipped", "activation": "relu"}
    mine = fire(*numbers, 9, 9, c=1, dtype="float32", **given)
    assert refpos.diagnose(mine, fire, *numbers, 9, 9, c=1, **given).met is not None
    assert refpos.diagnose(mine, fire, *numbers, 9, 9, c=0.1, **given).met is None
    assert not refpos.compare(mine, fire, *numbers, 9, 9, c=0.1, **given)
