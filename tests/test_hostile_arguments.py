"""Hostile arguments: whatever a public function is called with, it refuses in a sentence or answers rightly, soon."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import hostile
import numpy as np
import pytest

import refpos
from refpos import checks, kernels
from refpos.errors import InputError, InputTypeError, shown

PACKAGE = Path(refpos.__file__).resolve().parent
HOSTILE = Path(__file__).with_name("hostile.py")
SHARE = 11  # one of so many calls is made, and those that are always made


def report_of(folder, share, timeout, *names):
    """What all calls of a share come to, made in a process of its own."""
    path = folder / "report.json"
    command = [sys.executable, str(HOSTILE), str(path), str(share), *names]
    environment = {**os.environ, kernels.VARIABLE: kernels.name, "PYTHONPATH": str(PACKAGE.parent)}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=timeout)
    assert done.returncode == 0, f"ends in {done.stderr[-500:]}"
    return json.loads(path.read_text())


@pytest.fixture(scope="module")
def report(tmp_path_factory):
    return report_of(tmp_path_factory.mktemp("hostile"), SHARE, 600)


def test_a_sample_of_the_functions(tmp_path):
    names = list(hostile.functions())[::40]
    report = report_of(tmp_path, 61, 600, *names)
    assert report["wrong"] == {name: [] for name in names} and set(report["calls"]) == set(names)
    assert report["kinds"]["InputTypeError"] > 50


@pytest.mark.exhaustive
@pytest.mark.parametrize("name", hostile.functions())
def test_only_a_refusal_or_a_right_answer(name, report):
    assert report["wrong"][name] == []
    assert set(report["calls"][name]) == set(hostile.arguments_of(name))
    assert 0 not in report["calls"][name].values()


@pytest.mark.exhaustive
def test_hostile_values_that_are_right_were_compared(report):
    assert report["compared"] > 300 and report["kinds"]["taken"] > 600


@pytest.mark.long
def test_every_hostile_value(tmp_path):
    report = report_of(tmp_path, 1, 7200)
    print({key: report[key] for key in ("kinds", "slowest", "peak", "cpu")})
    assert {name: wrong for name, wrong in report["wrong"].items() if wrong} == {}


# -- the check sees ---------------------------------------------------------------------------------------------------


def wait(value):
    end = time.monotonic() + 60
    while time.monotonic() < end:
        pass


def refuse(sentence):
    error = InputError("E_CHOICE", "value", sentence)
    error.args = (sentence,)  # the class itself shortens what is long
    raise error


WRONG = {
    "raises ValueError": lambda value: [][value],
    "raises KeyError": lambda value: {}[value],
    "is taken": np.asarray,
    "takes more than": wait,
    "raises MemoryError": lambda value: np.empty(2**58),
    "another result": lambda value: type(value).__name__,
    "plain value is refused": lambda value: None if isinstance(value, np.int8) else checks.flag("value", value),
    "raises an error of": lambda value: refuse("value " + "x" * 2000),
}


@pytest.mark.parametrize("sentence", WRONG)
def test_the_check_sees(sentence, monkeypatch):
    def bad(value):
        try:
            return WRONG[sentence](value)
        except TypeError as error:
            if sentence == "raises ValueError":
                raise ValueError from error
            raise

    monkeypatch.setattr(hostile, "functions", lambda: {"bad": bad})
    monkeypatch.setattr(hostile, "SECONDS", 0.5)
    refused = sentence == "is taken"
    value = hostile.Hostile("one", np.int8(1), hostile.NO_TWIN if refused else 1, refused)
    if sentence == "raises ValueError":
        value = value._replace(value="x")
    assert sentence in hostile.judged("bad", "value", {"value": 0}, value)[0]


def test_a_function_without_a_valid_call_is_named(monkeypatch):
    monkeypatch.setattr(hostile, "functions", lambda: {"refpos_unknown": lambda value: None})
    report = hostile.run_all(1, ["refpos_unknown"])
    assert report["wrong"]["refpos_unknown"] == [
        "no valid call of refpos_unknown is known: add one to the docstring of refpos.refpos_unknown"
    ]


# -- arrays with a mask -----------------------------------------------------------------------------------------------

HIDDEN = np.ma.array([[1.0, 2.0], [3.0, 4.0]], mask=[[False, True], [False, False]])


@pytest.mark.parametrize(
    "call, argument",
    [
        (lambda x: refpos.rope(x, 2, pairing="half"), "x"),
        (lambda x: refpos.rope(np.ones((2, 2)), [x[0, 1], 1], pairing="half"), "positions"),
        (lambda x: refpos.sinusoidal(x, 4), "positions"),
        (lambda x: refpos.frequencies.given_frequencies(x[0]), "inv_freq"),
        (lambda x: refpos.inverse_frequencies(4, base=x[0, 1]), "base"),
        (lambda x: refpos.t5_bias(x, 1, 1, bidirectional=False), "weight"),
        (lambda x: refpos.compare(x, x), "actual"),
    ],
)
def test_masked_entries_are_refused(call, argument):
    with pytest.raises(InputError) as caught:
        call(HIDDEN)
    assert caught.value.argument == argument


def test_a_masked_array_that_hides_nothing_is_an_array():
    plain = np.array([[1.0, 2.0], [3.0, 4.0]])
    one = refpos.rope(np.ma.array(plain), 2, pairing="half")
    assert type(one) is np.ndarray and one.tobytes() == refpos.rope(plain, 2, pairing="half").tobytes()


# -- messages ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "value, text",
    [
        ("a\nb\ud800", r"'a\nb\ud800'"),
        ("\u202e", r"'\u202e'"),
        ("x" * 1000, "'" + "x" * 76 + "..." + "x" * 39 + "'"),
        ([1, [2]], "[1, [2]]"),
        (np.zeros((2, 2)), "array([[0., 0.], [0., 0.]])"),
        (10**5000, "a value of type int"),
        (hostile.RaisesInRepr(), "a value of type RaisesInRepr"),
    ],
    ids=["escapes", "direction", "long text", "list", "lines", "digits", "raises"],
)
def test_shortened(value, text):
    assert shown(value) == text


@pytest.mark.parametrize("bits, shown", [(2**15, "a value of type int"), (2049, "6463")])
def test_numbers_beyond_the_range_are_refused(bits, shown):
    value = 2**bits
    with pytest.raises(InputError, match=f"base must be a fraction of integers up to 2[*][*]2048, got {shown}"):
        refpos.inverse_frequencies(4, base=value)
    assert refpos.inverse_frequencies(2, base=2**2048).inv_freq.tolist() == [1.0]


# -- time -------------------------------------------------------------------------------------------------------------


def test_an_interruption_stops_between_two_blocks():
    """t5_buckets of many positions: what takes seconds as whole arrays ends soon after a signal."""
    relative, wait = np.zeros(10**8, np.int8), 0.1

    def stop(*_):
        raise KeyboardInterrupt

    kept = signal.signal(signal.SIGALRM, stop)
    start = time.monotonic()
    signal.setitimer(signal.ITIMER_REAL, wait)
    try:
        with pytest.raises(KeyboardInterrupt):
            refpos.t5_buckets(relative, bidirectional=True)
        assert time.monotonic() - start - wait < 1
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, kept)


@pytest.mark.parametrize("size", [10**12, 2**40, 2**53])
def test_what_no_memory_holds_is_refused_at_once(size):
    start = time.process_time()
    with pytest.raises((MemoryError, InputError)):
        refpos.sinusoidal(size, 2**20)
    with pytest.raises(InputError, match=r"fewer than 2[*][*]63 bytes"):
        refpos.sinusoidal(size, 2**53)
    assert time.process_time() - start < 1


def test_numbers_that_convert_are_taken_exactly():
    one = refpos.inverse_frequencies(4, base=np.longdouble(100))
    assert one.inv_freq.tolist() == [1.0, 0.1]
    with pytest.raises(InputTypeError, match="base must be a real number, got array"):
        refpos.inverse_frequencies(4, base=np.array([100.0]))
