"""The golden corpus computed by a cluster: the same files, whoever computes the cases."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from functools import cache

from ..errors import FileError
from ..golden import discover
from ..golden.case import TierName
from ..golden.format import serialise
from ..golden.generate import case_entry, write_corpus
from ..golden.read import read_lock
from ..guard import guarded
from ..types import AnyPath, FloatName
from .need import need, results

CASES = 16  # of one task


@guarded
def generate(
    directory: AnyPath,
    *,
    suites: str | Sequence[str] | None = None,
    tier: TierName = "core",
    cases: str | Sequence[str] | None = None,
    dtype: FloatName | None = None,
    prompt: bool = False,
    progress: Callable[[int, int, str], object] | None = None,
    resume: bool = True,
) -> int:
    """What `refpos.golden.generate` does, with the cases computed on the active Dask client.

    Arguments and result: as there; without a client the cases are computed in threads of this process. This process
    alone writes, so that workers need not reach the directory. When a worker dies, others compute its cases again; a
    run that was interrupted keeps the suites that are complete. `verify` checks the directory as any other.

    Raises what `refpos.golden.generate` raises; E_FILE where a worker has another version of the golden values, and
    E_MISSING where Dask is not installed.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     generate(folder, suites=["inverse_frequencies"]) > 10
    True
    """
    need("dask")
    return write_corpus(directory, suites, tier, cases, dtype, prompt, progress, resume, _made_by_workers)


def _made_by_workers(missing, prompt, step):
    """The entries and the payload of each suite, as soon as all of its cases are there."""
    delayed, locked = need("dask").delayed(_entries, pure=False), _lock()
    tasks, waiting = [], {name: {} for name in missing}
    for name, members in missing.items():
        ids = [case.id for case in members]
        parts = [ids[start : start + CASES] for start in range(0, len(ids), CASES)]
        tasks += [delayed(name, part, prompt, locked) for part in parts]
        if not parts:
            yield name, [], {}
    for name, made in results(tasks):
        for id, entry in made.items():
            waiting[name][id] = entry
            step(1, id)
        if len(waiting[name]) == len(missing[name]):
            found = waiting.pop(name)
            entries = [found[case.id] for case in missing[name]]
            payload = {key: tensor for _, tensors in entries for key, tensor in tensors.items()}
            yield name, [entry for entry, _ in entries], payload


@cache
def _lock():
    """What tells the golden values of one version of refpos from those of another."""
    return hashlib.sha256(serialise(read_lock())).hexdigest()


def _entries(suite, ids, prompt, locked):
    """(The suite, {id: (its entry, its payload)}) of some cases, computed by a worker."""
    if _lock() != locked:
        raise FileError("E_FILE", "path", f"every worker must have the golden values {locked}, got {_lock()}")
    known, found = {case.id: case for case in discover.cases(suite)}, {}
    for id in ids:
        payload = {}
        found[id] = case_entry(known[id], payload, prompt, 1), payload
    return suite, found
