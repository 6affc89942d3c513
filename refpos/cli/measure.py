"""How fast refpos is on this machine, beside the physical limit: writing, or copying, as many bytes.

Work and limit take turns within one run and write the same memory, so whatever else the machine does meets both. What
is written is never zero: memory takes zeros faster than numbers.
"""

import contextlib
import math
import os
import platform
import statistics
import time
from collections.abc import Callable
from functools import partial
from typing import NamedTuple

import numpy as np

from .. import checks, kernels
from ..arithmetic import formats
from ..kernels.threads import for_blocks
from ..steps.waves import tables

RUNS = {"small": 5, "full": 9}
DIVIDE = {"small": 16, "full": 1}
ENOUGH = 3e-3  # seconds that one timing lasts at least: shorter calls are repeated within it
PAUSE = 2e-3  # seconds between two timings, in which threads that wait for more work give up

RUN = 1 << 14  # bytes that a fill takes from the cache, again and again
BLOCKS = 1 << 22, 1 << 25  # least and most bytes that one thread fills or copies at a time
FAR = 122880  # where the positions of a rotation begin, at full size
ROWS = 131072


class Work(NamedTuple):
    """One line of the table: which function, the shape of its output, its dtype, and what bounds it."""

    kind: str
    shape: tuple
    dtype: str
    limit: str = "fill"  # the output is written; "copy": an input of its size is read too
    how: str = ""

    @property
    def name(self):
        """What a person reads."""
        shape = "x".join(map(str, self.shape))
        return " ".join(filter(None, (self.kind, self.how, shape, self.dtype)))


class Job(NamedTuple):
    """One line ready to run: call(threads) writes `out`, call(threads, None) a fresh array; `inputs`: its arguments."""

    call: Callable
    out: np.ndarray
    inputs: dict


class Row(NamedTuple):
    """What was measured of one line; ms and limit_ms are medians, bytes are those of the output."""

    work: str
    threads: int
    bytes: int
    ms: float
    gb_per_s: float
    limit: str
    limit_ms: float
    of_limit: float


def works(divide=1):
    """Every line that is measured, its longest axes divided by so much."""
    rows, side = max(1, ROWS // divide), max(1, 1024 // math.isqrt(divide))
    keys, tokens = max(1, 4096 // math.isqrt(divide)), max(1, 8192 // divide)
    for dtype in ("float32", "float64", "bfloat16", "float16"):
        yield Work("sinusoidal", (rows, 1024), dtype)
    yield Work("rope_table", (2, rows, 64), "float32")
    for dtype in ("float32", "float64", "bfloat16", "float16"):
        for pairing in ("half", "interleaved"):
            yield Work("rope", (1, 32, tokens, 128), dtype, "copy", pairing)
    for dtype, share in (("float32", 1), ("float64", 2)):  # as many bytes of each
        yield Work("sincos_2d", (max(1, side // share), side, 256), dtype)
        yield Work("sincos_3d", (max(1, 64 // share // divide), 128, 128, 192), dtype)
    yield Work("alibi", (32, keys, keys), "float32")
    yield Work("t5_bias", (16, keys, keys), "float32")
    yield Work("resize_table", (max(1, 64 // math.isqrt(divide)), 64, 768), "float32", how="cubic, 14x14 to")
    yield Work("sinusoidal", (max(1, 10**6 // divide), 128), "float32", how="scattered")
    yield Work("rope", (1, 32, 1, 128), "float32", "copy", "half, one step,")


# -- what each line needs ---------------------------------------------------------------------------------------------


def prepare(work):
    """The line ready to run, its inputs drawn from one seed, its output allocated and touched."""
    out = memory(work.shape, work.dtype)
    out.reshape(-1).view(np.uint8)[:] = 1
    call, inputs = {
        "sinusoidal": _sinusoidal,
        "rope_table": _rope_table,
        "rope": _rope,
        "sincos_2d": _sincos_2d,
        "sincos_3d": _sincos_3d,
        "alibi": _alibi,
        "t5_bias": _t5_bias,
        "resize_table": _resize_table,
    }[work.kind](work, out)
    return Job(call, out, inputs)


def memory(shape, dtype):
    """Memory that begins a cache line; of bfloat16, for bit patterns."""
    storage = np.dtype(formats.FORMATS[dtype].storage if dtype == "bfloat16" else dtype)
    size = math.prod(shape) * storage.itemsize
    room = np.empty(size + 64, np.uint8)
    skip = -room.ctypes.data % 64
    return room[skip : skip + size].view(storage).reshape(shape)


def _sinusoidal(work, out):
    from .. import sinusoidal

    rows, dim = work.shape
    scattered = np.random.default_rng(1).integers(0, 2**31, rows)
    positions = scattered if work.how == "scattered" else rows
    layout = "sin-cos" if work.how == "sin-cos" else "interleaved"

    def call(threads, out=out):
        sinusoidal(positions, dim, layout=layout, dtype=work.dtype, out=out, threads=threads)

    return call, {"positions": scattered if work.how == "scattered" else np.arange(rows, dtype=np.int64), "dim": dim}


def _rope_table(work, out):
    from .. import inverse_frequencies, rope_table

    _, rows, half = work.shape
    frequencies = inverse_frequencies(2 * half)

    def call(threads, out=out):
        pair = None if out is None else (out[0], out[1])
        rope_table(rows, frequencies, dtype=work.dtype, out=pair, threads=threads)

    return call, {"positions": np.arange(rows, dtype=np.int64), "dim": 2 * half}


def _rope(work, out):
    from .. import inverse_frequencies, rope

    tokens, dim = work.shape[-2:]
    positions = np.arange(FAR, FAR + tokens, dtype=np.int64)
    frequencies = inverse_frequencies(dim)
    pairing = work.how.partition(",")[0]
    x = memory(work.shape, work.dtype)
    drawn = np.random.default_rng(2).standard_normal(work.shape, np.float32)
    x[...] = drawn.view(np.uint32) >> 16 if work.dtype == "bfloat16" else drawn
    dtype = "bfloat16" if work.dtype == "bfloat16" else None

    def call(threads, out=out):
        rope(x, positions, pairing=pairing, frequencies=frequencies, dtype=dtype, out=out, threads=threads)

    return call, {"x": x, "positions": positions, "dim": dim, "pairing": pairing}


def _sincos_2d(work, out):
    from .. import sincos_2d

    def call(threads, out=out):
        sincos_2d(*work.shape, axis_order="hw", dtype=work.dtype, out=out, threads=threads)

    return call, {}


def _sincos_3d(work, out):
    from .. import sincos_3d

    def call(threads, out=out):
        sincos_3d(*work.shape, dtype=work.dtype, out=out, threads=threads)

    return call, {}


def _alibi(work, out):
    from .. import alibi

    def call(threads, out=out, view=False):
        alibi(*work.shape, mode="symmetric", dtype=work.dtype, out=out, view=view, threads=threads)

    return call, {}


def _t5_bias(work, out):
    from .. import t5_bias

    weight = np.random.default_rng(3).standard_normal((32, work.shape[0]), np.float32)

    def call(threads, out=out, view=False):
        t5_bias(weight, *work.shape[1:], bidirectional=True, out=out, view=view, threads=threads)

    return call, {"weight": weight}


def _resize_table(work, out):
    from .. import resize_table

    weight = np.random.default_rng(3).standard_normal((14, 14, work.shape[2]), np.float32)
    options = {"method": "cubic", "align": "half-pixel", "cubic": -0.75}

    def call(threads, out=out):
        resize_table(weight, work.shape[:2], **options, out=out, threads=threads)

    return call, {"weight": weight}


# -- the limit --------------------------------------------------------------------------------------------------------


def limit(out, source=None):
    """call(threads) that writes `out` as fast as it can: from 16 KiB of numbers over and over, or from a source."""
    target = out.reshape(-1).view(np.uint8)
    run = math.gcd(target.size, RUN)
    count = target.size // run
    target = target.reshape(count, 1, run)
    if source is None:
        pattern = np.random.default_rng(4).integers(1, 256, run, np.uint8)
        taken = np.broadcast_to(pattern, target.shape)
    else:
        taken = source.reshape(-1).view(np.uint8).reshape(target.shape)
    stream = out.nbytes >= tables.STREAM

    def write(start, stop):
        if kernels.name == "compiled":
            kernels.active.copy_runs(taken[start:stop], target[start:stop], stream)
        else:
            np.copyto(target[start:stop], taken[start:stop])

    def call(threads):
        least, most = BLOCKS
        with held_to(-1):  # the limit is that of the machine, whatever instruction set the kernels are held to
            for_blocks(write, count, max(1, max(least, min(most, out.nbytes // threads)) // run), threads)

    return call


@contextlib.contextmanager
def held_to(which):
    """Compiled kernels run with that one of the instruction sets they know (-1: the widest)."""
    if kernels.name != "compiled":
        yield
        return
    compiled = kernels.active
    before = compiled.cpu()
    compiled.use_cpu(compiled.cpus()[which])
    try:
        yield
    finally:
        compiled.use_cpu(before)


# -- measuring --------------------------------------------------------------------------------------------------------


def interleave(calls, runs, rests=lambda name, first: 1, pause=PAUSE):
    """Seconds of each of the named calls, taken in turns: {name: [seconds, ...]}.

    Each is called twice before, which is not counted. rests(name, seconds of that call) says in which rounds it takes
    part: in every one, or in every third. Every round begins with another name. pause: seconds before each call.
    """
    times, repeats, every = {name: [] for name in calls}, {}, {}
    for name, call in calls.items():
        call()
        first = _seconds(call, 1)
        repeats[name] = max(1, math.ceil(ENOUGH / max(first, 1e-9)))
        every[name] = rests(name, first)
    names = list(calls)
    for turn in range(runs):
        begin = turn % len(names)
        for name in names[begin:] + names[:begin]:
            if turn % every[name] == 0:
                time.sleep(pause)
                if repeats[name] > 1:
                    calls[name]()  # short calls are timed with what they need in the cache
                times[name].append(_seconds(calls[name], repeats[name]))
    return times


def _seconds(call, repeats):
    start = time.perf_counter_ns()
    for _ in range(repeats):
        call()
    return (time.perf_counter_ns() - start) * 1e-9 / repeats


def measure(divide=1, runs=9, only=None, progress=None):
    """Rows of the table, one for one thread and one for all of them, line by line."""
    chosen = [work for work in works(divide) if not only or work.kind in only]
    counts = sorted({1, checks.thread_count(None)})
    for number, work in enumerate(chosen):
        if progress:
            progress(number, len(chosen), work.name)
        job = prepare(work)
        bound = limit(job.out, job.inputs.get("x") if work.limit == "copy" else None)
        calls = {}
        for threads in counts:
            calls["work", threads] = partial(job.call, threads)
            calls["limit", threads] = partial(bound, threads)
        times = {name: statistics.median(taken) for name, taken in interleave(calls, runs).items()}
        for threads in counts:
            yield _row(work, threads, job.out.nbytes, times["work", threads], times["limit", threads])


def _row(work, threads, size, seconds, least):
    return Row(work.name, threads, size, seconds * 1e3, size / seconds / 1e9, work.limit, least * 1e3, least / seconds)


def machine():
    """What the numbers belong to: processor, cores, versions, kernels, and how busy the machine is."""
    config = kernels.config()
    busy = {"load": f"{os.getloadavg()[0]:.1f}"} if hasattr(os, "getloadavg") else {}
    return {
        "processor": _processor(),
        "cores": checks.thread_count(None),
        "system": f"{platform.system()} {platform.machine()}",
        "python": config["python"],
        "numpy": config["numpy"],
        "kernels": f"{config['kernels']}, {config['cpu']}" if kernels.name == "compiled" else "numpy",
        **busy,
    }


def _processor():
    if os.path.exists("/proc/cpuinfo"):
        with open("/proc/cpuinfo", encoding="utf-8", errors="replace") as lines:
            for line in lines:
                if line.startswith("model name"):
                    return line.partition(":")[2].strip()
    return platform.processor() or platform.machine()
