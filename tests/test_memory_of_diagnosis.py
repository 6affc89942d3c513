"""Memory of a comparison with a call: what `compare` holds at a time, beside the answers and the arrays of the call."""

import ml_dtypes
import numpy as np
import pytest
from test_memory import beside
from tiers import sampled

import refpos
from refpos.diagnosis import parts

TIMES = 4  # as much as the answers, at most
NUMBERS = np.random.default_rng(1)
X = NUMBERS.normal(size=(1, 8, 512, 128)).astype(np.float32)
X16 = np.tile(X, (1, 1, 4, 1)).astype(ml_dtypes.bfloat16)
POINTS, MATRIX = NUMBERS.random((4096, 2), np.float32), NUMBERS.normal(size=(2, 64)).astype(np.float32)
PLACES = np.arange(4096)
ROTARY, FLOAT = {"pairing": "half"}, {"dtype": "float32"}
WAVES = {"factor": "2pi", "layout": "sin-cos", "dtype": "float32"}
TIME = {"flip_sin_to_cos": False, "downscale_freq_shift": 0, "dtype": "float32"}
TABLE, BUCKETS = NUMBERS.normal(size=(32, 8)).astype(np.float32), {"bidirectional": True}
#: {name: (function, arguments, keywords, arguments with a mistake, and keywords)}
CALLS = {
    "rope": (refpos.rope, (X, 512), ROTARY, (X, np.arange(512) + 1), {}),
    "rope of bfloat16": (refpos.rope, (X16, 2048), ROTARY, (X16, np.arange(2048) + 1), {}),
    "sinusoidal": (refpos.sinusoidal, (4096, 128), FLOAT, (PLACES + 1, 128), {}),
    "timestep_embedding": (refpos.timestep_embedding, (PLACES, 128), TIME, (PLACES, 128), {"flip_sin_to_cos": True}),
    "fourier_projection": (
        refpos.absolute.fourier_projection, (POINTS, MATRIX), WAVES, (POINTS, MATRIX), {"factor": "pi"},
    ),
    "t5_bias": (refpos.t5_bias, (TABLE, 256, 512), BUCKETS, (TABLE, 256, 512), {"max_distance": 64}),
}  # fmt: skip


def held_by(name, mistaken):
    """(how many times its answers a comparison holds, whether it is true, what it names)."""
    function, given, named, wrong, options = CALLS[name]
    mine, found = function(*wrong, **{**named, **options}) if mistaken else function(*given, **named), []

    def call():
        found[:] = [refpos.compare(mine, function, *given, **named)]

    times = beside(call) / mine.nbytes
    said = found[0].diagnosis.explanations if found[0].diagnosis is not None else ()
    return times, bool(found[0]), [one.mistake for one in said]


@pytest.mark.parametrize("name", sampled(list(CALLS), len(CALLS)))
def test_a_comparison_takes_a_few_times_its_answers(name):
    times, right, said = held_by(name, False)
    assert right and not said and times < TIMES, times
    times, right, said = held_by(name, True)
    assert not right and said and times < TIMES, times


def test_the_check_sees_bounds_of_all_elements(monkeypatch):
    monkeypatch.setattr(parts, "at_once", lambda size: size)
    times, right, _ = held_by("rope", False)
    assert right and times > 2 * TIMES
