"""The rival: kernels in C with the same bits, which leave out what a package needs; built here, by gcc.

It has whole groups of columns only, and does not recompute the values for which the rounding test fails: about one in
10**5 in float64 and one in 10**6 otherwise. Those may differ.
"""

import ctypes
import os
import shutil
import subprocess
import tempfile
from functools import partial
from pathlib import Path

import numpy as np

from refpos import inverse_frequencies, kernels
from refpos.cli import measure
from refpos.kernels.threads import for_blocks
from refpos.steps.angles import phases, seeds

COMPILER = shutil.which(os.environ.get("CC", "gcc"))
if COMPILER is None or kernels.name != "compiled" or not set(kernels.active.cpus()) & {"avx2", "avx512"}:
    raise ImportError("the rival needs gcc, the compiled kernels, and an x86-64 with AVX2")
LIBRARY = "rival"
VERSION = "of tests/bench/rival"
FLAGS = "-O3 -ffp-contract=off -fno-math-errno -fno-trapping-math -Wno-psabi -shared -fPIC".split()
MACHINES = {
    "baseline": ["-march=x86-64"],
    "avx2": ["-march=x86-64-v3"],
    "avx512": ["-march=x86-64-v4", "-mprefer-vector-width=512"],
}
SOURCE = Path(__file__).with_name("rival") / "rival.c"
DTYPES = "float64", "float32", "float16", "bfloat16"
LAYOUTS = "sin-cos", "interleaved"
PAIRINGS = "half", "interleaved"
OPEN = 1 << 20  # entries left open, at most


def built(cpu):
    """The rival for an instruction set."""
    with tempfile.TemporaryDirectory() as folder:
        made = os.path.join(folder, "rival.so")
        subprocess.run([COMPILER, *FLAGS, *MACHINES[cpu], SOURCE, "-o", made], check=True, capture_output=True)
        library = ctypes.CDLL(made)
    library.rival_table.restype = library.rival_turn.restype = ctypes.c_long
    return library


LIBRARIES = {cpu: built(cpu) for cpu in kernels.active.cpus()}


def peers(work, job):
    if work.kind not in ("sinusoidal", "rope") or work.how == "scattered" or "one step" in work.how:
        return
    out = measure.memory(work.shape, work.dtype)
    out[...] = 1
    *others, widest = LIBRARIES
    threads = measure.checks.thread_count(None)
    run = partial(_table if work.kind == "sinusoidal" else _rotation, work, out, **job.inputs)
    yield "rival", run(LIBRARIES[widest], threads)
    yield "rival, 1 thread", run(LIBRARIES[widest], 1)
    for cpu in others:
        yield f"rival, {cpu}", run(LIBRARIES[cpu], threads)
        yield f"rival, {cpu}, 1 thread", run(LIBRARIES[cpu], 1)


def _address(array):
    return ctypes.c_void_p(array.ctypes.data)


def _shared(work, dim, pairing):
    """What both functions take after their sizes, and must outlive the call."""
    which = DTYPES.index(work.dtype), int(pairing == "interleaved")
    return phases.per_position(inverse_frequencies(dim), 0), seeds.knots(), *which


def _run(function, out, sizes, given, count, each, threads):
    """function(first, length) of as many parts as there are threads; what an entry costs decides no more than that."""
    limbs, knots, *which = given

    def part(start, stop):
        room = np.empty((OPEN, 2), np.int64)
        arguments = [*sizes(start, stop), _address(limbs), _address(knots), *which, _address(room)]
        left = function(*arguments, ctypes.c_long(OPEN))
        if not 0 <= left <= OPEN:
            raise ValueError(f"the rival refuses this shape or memory, or leaves too much open: {left}")

    def call():
        for_blocks(part, count, max(each, -(-count // (each * threads)) * each), threads)
        return out

    return call


def _table(work, out, library, threads, positions, dim):
    Long = ctypes.c_long

    def sizes(start, stop):
        return _address(out[start:stop]), Long(stop - start), Long(dim // 2), Long(int(positions[0]) + start)

    def function(to, rows, half, first, limbs, knots, *rest):
        return library.rival_table(to, rows, half, first, limbs, knots, Long(64), *rest)

    layout = work.how or "interleaved"
    return _run(function, out, sizes, _shared(work, dim, layout), work.shape[0], 128, threads)


def _rotation(work, out, library, threads, x, positions, dim, pairing):
    Long, (_, heads, rows, _) = ctypes.c_long, work.shape

    def sizes(start, stop):
        parts = _address(x[0, start:stop]), _address(out[0, start:stop])
        return *parts, *(Long(size) for size in (stop - start, rows, dim // 2, int(positions[0])))

    return _run(library.rival_turn, out, sizes, _shared(work, dim, pairing), heads, 1, threads)
