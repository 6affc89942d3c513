"""Runs every line with every peer that is installed, in turns, and says which are not."""

import importlib
import statistics
import sys
from importlib import metadata
from typing import NamedTuple

from refpos import bench

from .errors import errors

LIBRARIES = ("numpy", "numexpr", "numba", "torch", "jax", "onnxruntime")
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
    """Versions of the libraries in use."""
    return {module.LIBRARY: metadata.version(module.LIBRARY) for module in modules}


def lines(modules, divide, runs, only=None):
    """The lines of the table, work by work."""
    for work in bench.works(divide):
        if not only or work.kind in only:
            print(work.name, file=sys.stderr, flush=True)
            yield from _work(work, modules, runs)


def _work(work, modules, runs):
    job = bench.prepare(work)
    bound = bench.limit(job.out, job.given.get("x") if work.limit == "copy" else None)
    all_threads = bench.checks.thread_count(None)
    own = {f"limit: {work.limit}": lambda: bound(all_threads), "refpos": lambda: job.call(None)}
    if all_threads > 1:
        own["refpos, 1 thread"] = lambda: job.call(1)
    if work.dtype != "bfloat16":  # a fresh array of that dtype needs another package
        own["refpos, fresh output"] = lambda: job.call(None, None)
    others = {name: call for module in modules for name, call in module.peers(work, job)}

    taken = bench.interleave(own | others, runs, lambda name, first: 3 if first > LONG else 1)
    times = {name: statistics.median(seconds) for name, seconds in taken.items()}
    least, ours = times[f"limit: {work.limit}"], times["refpos"]
    job.call(None)  # the limit wrote there last
    for name, seconds in times.items():
        wrong = errors(others[name](), job.out, work.dtype) if name in others else None
        yield Line(work.name, name, seconds * 1e3, len(taken[name]), least / seconds, seconds / ours, wrong)
