"""Every catalogue function called with numbers at both ends of the range: 0, subnormal, 1e-300, 1, 1e300, the largest.

A call is a golden case whose numbers are replaced at random, those of the calls within it as well. Run as a program it
makes the calls of so many seeds, each under a limit of processor time, and prints those that are wrong:

    python tests/extremes.py FIRST COUNT

A call must return, or raise an error of refpos or MemoryError, within SECONDS. The calls are made in processes of their
own, so that one that nothing interrupts is ended and reported, and the next seed follows.
"""

import os
import random
import resource
import signal
import subprocess
import sys
import time
import warnings
from collections import Counter
from pathlib import Path
from typing import NamedTuple

import numpy as np
from short_cases import short_cases

from refpos import catalogue
from refpos.arithmetic import rounding
from refpos.arithmetic.reals import LARGEST_EXPONENT
from refpos.errors import InputError
from refpos.golden import run
from refpos.golden.case import build
from refpos.tensor_files import Tensor

HERE = os.path.dirname(os.path.abspath(__file__))
SECONDS = 5
BYTES = 2 << 30
LARGEST = sys.float_info.max
EXTREMES = (0.0, -0.0, 5e-324, 2.0**-1022, 1e-300, 1e-35, 1.0, 1e35, 1e300, LARGEST, -1e-300, -1.0, -1e300)
#: what no float is: beyond float64 to both sides, at the limit of what a fraction may be
FRACTIONS = ({"fraction": [2**2047, 3]}, {"fraction": [-(2**2047), 3]}, {"fraction": [1, 3 * 2**2040]}, 2**2048)
WHOLE = (0, 1, -1, 2**31 - 1, 2**53, -(2**53))
#: words in the annotation of a parameter that takes real numbers, so that an integer in its place is replaced too
REAL = ("Number", "Factor", "Magnitude")


class Result(NamedTuple):
    """What a call came to. kind: returned, the class of its error, or the signal that ended it."""

    seed: int
    call: str
    kind: str
    seconds: float

    @property
    def wrong(self):
        """Whether no call may come to this."""
        return self.kind not in ("returned", "refused", "MemoryError") or self.seconds > SECONDS


def call_of(seed):
    """(suite, arguments as in a document, tensors) of a seed; the functions follow each other."""
    suites = list(short_cases())
    suite, rng = suites[seed % len(suites)], random.Random(seed)
    case = rng.choice(short_cases()[suite])
    share = rng.choice((0.2, 0.5, 1.0))
    arguments = replaced_arguments(suite, run.arguments_of(case), rng, share)
    tensors = {name: replaced_tensor(build(values, case), rng, share) for name, values in case.inputs.items()}
    if arguments.get("dtype") in ("float64", "float32", "float16") and not catalogue.find(suite).exact:
        arguments["dtype"] = rng.choice(("float64", "float32", "float16", "bfloat16"))
    return suite, arguments, tensors


def replaced_arguments(name, arguments, rng, share):
    """The arguments of a function with some of the numbers in them replaced."""
    entry = catalogue.ENTRIES.get(name)
    types = entry.function.__annotations__ if entry else {}
    real = {key: any(word in str(types.get(key, "Number")) for word in REAL) for key in arguments}
    return {key: replaced(value, rng, share, real[key]) for key, value in arguments.items()}


def replaced(value, rng, share, real):
    """One argument with some of its numbers replaced; integers only where real numbers are meant."""
    if isinstance(value, (list, tuple)):
        return [replaced(one, rng, share, real) for one in value]
    if isinstance(value, dict) and "function" in value:
        inner = replaced_arguments(value["function"], value["arguments"], rng, share)
        return {**value, "arguments": inner}
    number = isinstance(value, float) or (isinstance(value, dict) and "fraction" in value)
    number = number or (real and type(value) is int)
    return rng.choice(EXTREMES + FRACTIONS) if number and rng.random() < share else value


def replaced_tensor(tensor, rng, share):
    """A tensor with some of its numbers replaced; those of bfloat16, which are bit patterns, by others of it."""
    values = tensor.values.copy()
    flat, kind = values.reshape(-1), values.dtype.kind
    choices = {"f": EXTREMES, "i": WHOLE, "u": (0, 1, 0x7F7F, 0xFF7F, 0x8000)}[kind] if kind in "fiu" else ()
    for k in range(flat.size if choices else 0):
        if rng.random() < (share if kind == "f" else share / 4):
            number = rng.choice(choices)
            flat[k] = min(max(number, -_most(values)), _most(values)) if kind != "u" else number
    return Tensor(tensor.dtype, values)


def _most(values):
    return float(np.finfo(values.dtype).max) if values.dtype.kind == "f" else int(np.iinfo(values.dtype).max)


def shown(seed):
    """The call of a seed as text."""
    suite, arguments, tensors = call_of(seed)
    arrays = {name: tensor.values.tolist() for name, tensor in tensors.items()}
    return f"{suite} {arguments} {arrays}"[:1500]


def bounded(round_fraction):
    """`rounding.nearest_fraction`, which fails for a fraction that no end of an interval may become."""

    def checked(value, fmt):
        size = max(abs(value.numerator), value.denominator).bit_length()
        assert size < LARGEST_EXPONENT * 3.33, f"a fraction of {size} bits"
        return round_fraction(value, fmt)

    return checked


# -- in a process of their own ----------------------------------------------------------------------------------------


def make(seed):
    """The kind and the processor seconds of the call of a seed."""
    suite, arguments, tensors = call_of(seed)
    start = time.process_time()
    signal.setitimer(signal.ITIMER_PROF, SECONDS)  # which ends the process
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            run.results(suite, arguments, tensors)
        kind = "returned"
    except InputError:
        kind = "refused"
    except Exception as error:
        kind = f"{type(error).__name__}: {' '.join(str(error).split())[:200]}"
        kind = "MemoryError" if isinstance(error, MemoryError) else kind
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
    return kind, time.process_time() - start


def child(seeds):
    """Make the calls, each announced before and told after."""
    with open("/proc/self/status") as status:
        used = int(next(line for line in status if line.startswith("VmData")).split()[1]) * 1024
    resource.setrlimit(resource.RLIMIT_DATA, (used + BYTES,) * 2)
    short_cases()
    rounding.nearest_fraction = bounded(rounding.nearest_fraction)
    for seed in seeds:
        print(f"{seed}", end="", flush=True)
        kind, seconds = make(seed)
        print(f"\t{seconds:.3f}\t{kind}", flush=True)


def results(first, count, program=__file__):
    """The `Result` of each seed; a process that ends is followed by another from the next seed on."""
    seed, beside = first, str(Path(__file__).parent)  # which PYTHONSAFEPATH leaves out
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([beside, os.environ.get("PYTHONPATH", "")])}
    while seed < first + count:
        command = [sys.executable, program, "--child", str(seed), str(first + count - seed)]
        done = subprocess.run(command, capture_output=True, text=True, env=environment)
        if not done.stdout:
            raise RuntimeError(f"no call was made: {done.stderr[-500:]}")
        for line in done.stdout.splitlines():
            number, *told = line.split("\t")
            if not told:  # announced, and the process ended
                told = f"{SECONDS}", f"ended by signal {-done.returncode}"
            yield Result(int(number), shown(int(number)), told[1], float(told[0]))
            seed = int(number) + 1


def main(first, count):
    """Print what is wrong, and how many calls came to what; 1 where something is wrong."""
    kinds, slowest, wrong = Counter(), Result(-1, "", "", 0.0), 0
    for one in results(first, count):
        kinds[one.kind if one.kind in ("returned", "refused", "MemoryError") else "wrong"] += 1
        slowest = max(slowest, one, key=lambda result: result.seconds)
        if one.wrong:
            wrong += 1
            print(f"seed {one.seed}: {one.kind}, {one.seconds:.1f} s: {one.call}", flush=True)
    print(dict(kinds), f"slowest: seed {slowest.seed}, {slowest.seconds:.1f} s, {slowest.call[:200]}")
    return int(wrong > 0)


if __name__ == "__main__":
    if sys.argv[1] == "--child":
        child(range(int(sys.argv[2]), int(sys.argv[2]) + int(sys.argv[3])))
    else:
        sys.exit(main(int(sys.argv[1]), int(sys.argv[2])))
