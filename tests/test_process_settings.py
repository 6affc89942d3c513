"""Settings of NumPy, of decimal and of signals in a process, which change no number and end no call."""

import subprocess
import sys

import numpy as np
import pytest

import refpos
from refpos import conformance, emulate, golden, testing

SIGNALLING = {  # a signalling NaN and 1
    "float64": ("<u8", "<f8", [0x7FF0000000000001, 0x3FF0000000000000]),
    "float32": ("<u4", "<f4", [0x7F800001, 0x3F800000]),
    "float16": ("<u2", "<f2", [0x7C01, 0x3C00]),
    "bfloat16": ("<u2", "<u2", [0x7F81, 0x3F80]),
}
FREQUENCIES = refpos.inverse_frequencies(16, base=10000)


def compared():
    table = refpos.rope_table(40, FREQUENCIES, dtype="float32")
    return refpos.compare(table, refpos.rope_table, 40, FREQUENCIES, dtype="float32").met == "correct"


def diagnosed():
    table = refpos.sinusoidal(40, 16, dtype="float32", base=100)
    return "base=100" in str(refpos.diagnose(table, refpos.sinusoidal, 40, 16, dtype="float32"))


def verified():
    case = golden.load("rope/llama-3-128-f32")
    answer = case.outputs["output"].values
    return bool(golden.verify({case.id: {"output": answer}}, cases=[case.id]))


def asserted():
    rotated = refpos.rope(np.ones((4, 8), np.float32), 4, pairing="half")
    return testing.assert_rope(rotated, np.ones((4, 8), np.float32), 4, pairing="half")


def emulated():
    return np.isfinite(emulate.float32_angle(refpos.rope, np.full((1, 4), 5e-324), [1], pairing="half")).all()


def bounded():
    frequencies = {"function": "inverse_frequencies", "arguments": {"dim": 16}}
    return conformance.bounds("rope_table", {"positions": 40, "frequencies": frequencies}, {}, "float32")


@pytest.mark.parametrize("judge", [compared, diagnosed, verified, asserted, emulated, bounded])
def test_judging_does_not_depend_on_the_error_settings_of_numpy(judge):
    with np.errstate(all="raise"):
        assert judge()


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("dtype", SIGNALLING)
def test_a_signalling_nan_warns_of_nothing(dtype):
    patterns, kind, values = SIGNALLING[dtype]
    x = np.array([values], patterns).view(kind)
    as_patterns = {"dtype": dtype} if dtype == "bfloat16" else {}
    rotated = refpos.rope(x, 1, pairing="half", **as_patterns)  # each channel of a pair is part of the other
    assert (rotated == 0x7FC0).all() if as_patterns else np.isnan(rotated).all()
    with np.errstate(all="raise"):
        refpos.attention(x, x, x)
        refpos.learned(x, [0], scale=2)
        with pytest.raises(refpos.InputError, match="boxes must be finite"):
            refpos.relative.box_relation(np.repeat(x, 2, axis=1) if dtype != "bfloat16" else [[np.nan] * 4], dim=8)


DECIMAL = """
import decimal, sys
import numpy as np
import refpos

def results():
    yield refpos.alibi_slopes(12)
    yield refpos.inverse_frequencies(64, base=12345).inv_freq
    yield refpos.rope_table([1e300, 3], refpos.inverse_frequencies(8, base=7))[0]
    yield refpos.scores.log_n_scale([5000], training_length=77)
    for limits in refpos.conformance.bounds("alibi_slopes", {"num_heads": 12}, {}, "float32").values():
        yield limits["output"]

if sys.argv[1] == "changed":
    decimal.DefaultContext.traps[decimal.Inexact] = True
    decimal.DefaultContext.Emax, decimal.DefaultContext.Emin = 9, -9
    decimal.DefaultContext.rounding, decimal.DefaultContext.prec = decimal.ROUND_UP, 3
print([np.asarray(result).tobytes().hex() for result in results()])
"""


def test_a_changed_default_context_of_decimal_changes_nothing():
    said = [
        subprocess.run([sys.executable, "-c", DECIMAL, how], capture_output=True, text=True, check=True).stdout
        for how in ("plain", "changed")
    ]
    assert said[0] == said[1] and len(said[0]) > 500


INTERRUPTED = """
import signal
import numpy as np
import refpos

class Stop(BaseException):
    pass

def stop(number, frame):
    raise Stop

signal.signal(signal.SIGALRM, stop)
edges, hits = np.array([[0, 1], [1, 0], [1, 2], [2, 1]]), 0
expected = refpos.absolute.heat_kernel(edges, 3, [0.5])
for k in range(300):
    try:
        signal.setitimer(signal.ITIMER_REAL, 1e-5 + 7e-7 * k)
        for _ in range(100):
            refpos.absolute.heat_kernel(edges, 3, [0.5])
        signal.setitimer(signal.ITIMER_REAL, 0)
    except Stop:
        hits += 1
assert (refpos.absolute.heat_kernel(edges, 3, [0.5]) == expected).all()
print(hits)
"""


@pytest.mark.exhaustive
def test_an_interrupted_call_does_not_end_the_process():
    done = subprocess.run([sys.executable, "-c", INTERRUPTED], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr[-500:]
    assert int(done.stdout) > 50
