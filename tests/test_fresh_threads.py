"""Eight threads that are the first to use refpos in their process: no module is half imported, no number changes."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

import refpos
from refpos import kernels

ROOT = Path(refpos.__file__).resolve().parent.parent

#: random core cases by eight threads; at the end how many were equal to the published numbers, and the errors
CASES = """
import random, sys, threading
import refpos

THREADS, EACH = 8, 16
sys.setswitchinterval(1e-5)
meeting, equal, errors = threading.Barrier(THREADS), [], set()

def work(seed):
    meeting.wait()
    try:
        from refpos import golden
        from refpos.golden.run import outputs_of

        small = [case for case in golden.cases(tier="core") if not case.refusal]
        for case in random.Random(seed).sample(small, EACH):
            held = golden.load(case.id).outputs
            made = outputs_of(case) if all(held.values()) else held
            for name, one in held.items():
                assert one is None or made[name].values.tobytes() == one.values.tobytes(), case.id
            equal.append(case.id)
    except BaseException as error:
        errors.add(repr(error))

threads = [threading.Thread(target=work, args=(k,)) for k in range(THREADS)]
[one.start() for one in threads]
[one.join() for one in threads]
print(len(equal), sorted(errors))
"""

#: NumPy imports numpy.ma in the first call of np.unique, while seven threads compute
MASKED_ARRAYS = """
import sys, threading
import numpy as np
import refpos

x, errors, calls, done = np.ones((4, 8)), set(), [], threading.Event()
refpos.rope, refpos.positions.fraction_rows
assert "numpy.ma" not in sys.modules

def work():
    while not done.is_set():
        try:
            refpos.rope(x, 4, pairing="half")
            calls.append(1)
        except Exception as error:
            errors.add(repr(error))

threads = [threading.Thread(target=work) for _ in range(7)]
[one.start() for one in threads]
while len(calls) + len(errors) < 100:
    pass
refpos.positions.fraction_rows([[3, 4]], 7, rule="step")
done.set()
[one.join() for one in threads]
print(len(calls) > 99, "numpy.ma" in sys.modules, sorted(errors))
"""

#: a module numpy.ma that another thread has just begun to import
BEGUN = """
import sys, types
import numpy as np
import refpos

sys.modules["numpy.ma"] = types.ModuleType("numpy.ma")
print(refpos.rope(np.ones((2, 4)), [0.5, 1.5], pairing="half").shape, refpos.compare([1.0], [1.0]).met)
"""


def fresh(code, name):
    """What a fresh process with kernels of that name prints."""
    environment = {**os.environ, kernels.VARIABLE: name, "PYTHONPATH": str(ROOT)}
    done = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, timeout=500)
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


KERNELS = sorted({"numpy", kernels.name})


@pytest.mark.exhaustive
@pytest.mark.parametrize("name", KERNELS)
def test_random_cases_by_threads_of_a_fresh_process(name):
    assert fresh(CASES, name) == "128 []"


@pytest.mark.parametrize("name", KERNELS)
def test_masked_arrays_are_imported_while_threads_compute(name):
    assert fresh(MASKED_ARRAYS, name) == "True True []"


@pytest.mark.parametrize("name", KERNELS)
def test_a_module_whose_import_has_begun_is_not_asked(name):
    assert fresh(BEGUN, name) == "(2, 4) correct"
