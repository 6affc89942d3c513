"""Runs every line with every peer that is installed, in turns, and says which are not."""

import importlib
import statistics
import sys
from functools import partial
from importlib import metadata
from typing import NamedTuple

from refpos import kernels
from refpos.cli import measure
from refpos.kernels import numpy_kernels

from .errors import errors

LIBRARIES = ("rival", "numpy", "numexpr", "numba", "torch", "jax", "onnxruntime")
PAUSE = 0.1  # seconds: threads of onnxruntime, jax and numba keep a core busy for up to 60 ms after a call
LONG = 0.5  # seconds from which a peer is timed in every third round only


class Line(NamedTuple):
    """One contender of one work: median ms and of how many, and its errors; refpos and the limit have none."""

    work: str
    name: str
    ms: float
    runs: int
    of_limit: float
    times_refpos: float
    errors: object


def load(names=LIBRARIES):
    """(modules of the peers that are installed, {name: why it is absent})."""
    present, absent = [], {}
    for name in names:
        try:
            present.append(importlib.import_module(f"{__package__}.with_{name}"))
        except ImportError as error:
            absent[name] = str(error)
    return present, absent


def versions(modules):
    """Versions of the libraries in use; the rival says its own."""
    return {module.LIBRARY: getattr(module, "VERSION", None) or metadata.version(module.LIBRARY) for module in modules}


def works(divide):
    """The works of `refpos bench`, and tables in the layout in which the rival has another kernel."""
    for work in measure.works(divide):
        yield work
        if work.kind == "sinusoidal" and not work.how:
            yield work._replace(how="sin-cos")


def lines(modules, divide, runs, only=None, failed=None):
    """The lines of the table, work by work; a peer that raises is named in `failed`, a dict of name to reason."""
    for work in works(divide):
        if not only or work.kind in only:
            print(work.name, file=sys.stderr, flush=True)
            yield from _work(work, modules, runs, failed)


def _work(work, modules, runs, failed):
    job = measure.prepare(work)
    bound = measure.limit(job.out, job.inputs.get("x") if work.limit == "copy" else None)
    all_threads = measure.checks.thread_count(None)
    own = {f"limit: {work.limit}": lambda: bound(all_threads), **dict(_ours(work, job, all_threads))}
    if work.how == "sin-cos":  # the other peers have a line for the other layout
        modules = [module for module in modules if module.LIBRARY == "rival"]
    others = {name: call for module in modules for name, call in module.peers(work, job)}
    others = {name: call for name, call in others.items() if _works(call, f"{name}, {work.name}", failed)}

    taken = measure.interleave(own | others, runs, lambda name, first: 3 if first > LONG else 1, PAUSE)
    times = {name: statistics.median(seconds) for name, seconds in taken.items()}
    least, ours = times[f"limit: {work.limit}"], times["refpos"]
    job.call(None)  # the limit wrote there last
    for name, seconds in times.items():
        wrong = errors(others[name](), job.out, work.dtype) if name in others else None
        yield Line(work.name, name, seconds * 1e3, len(taken[name]), least / seconds, seconds / ours, wrong)


def _ours(work, job, threads):
    """refpos, and the same line with fewer threads, without an output, with other kernels."""
    yield "refpos", lambda: job.call(None)
    if threads > 1:
        yield "refpos, 1 thread", lambda: job.call(1)
    if work.dtype != "bfloat16":  # a fresh array of that dtype needs another package
        yield "refpos, fresh output", lambda: job.call(None, None)
    if work.kind in ("alibi", "t5_bias"):
        yield "refpos, view", lambda: job.call(None, None, view=True)
    if kernels.name == "compiled":
        for which, name in enumerate(kernels.active.cpus()[:-1]):
            yield f"refpos, {name}", partial(_held, job.call, which, None)
            if threads > 1 and work.kind in ("sinusoidal", "rope"):  # beside the rival
                yield f"refpos, {name}, 1 thread", partial(_held, job.call, which, 1)
        if work.dtype in ("float32", "float64"):
            yield "refpos, NumPy kernels", partial(_with_numpy, job.call)


def _held(call, which, threads):
    with measure.held_to(which):
        call(threads)


def _with_numpy(call):
    compiled, kernels.active = kernels.active, numpy_kernels
    try:
        call(None)
    finally:
        kernels.active = compiled


def _works(call, name, failed):
    try:
        call()
    except Exception as error:  # of whatever kind a library raises: the table names it
        if failed is None:
            raise
        failed[name] = " ".join(f"{type(error).__name__}: {error}".split())[:120]
        return False
    return True
