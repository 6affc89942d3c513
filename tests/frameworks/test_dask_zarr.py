"""Arrays that two workers write to Zarr: byte-equal to blocks made alone, with a worker killed, a run interrupted, a disk
full and files edited; and the golden corpus that they compute.

    pytest -m long tests/frameworks/test_dask_zarr.py -s      2 * 10**9 elements, 8 GB in the temporary folder
"""

import contextlib
import errno
import hashlib
import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import dask.array
import distributed
import numpy as np
import pytest
import zarr

import refpos
from refpos import golden
from refpos.dask import generate, lazy, verify, write
from refpos.errors import InputError
from refpos.golden.read import DATA


@contextlib.contextmanager
def two_workers():
    """A client of two worker processes of one thread each."""
    options = {"n_workers": 2, "threads_per_worker": 1, "processes": True, "dashboard_address": None}
    with distributed.LocalCluster(**options, silence_logs=50) as cluster, distributed.Client(cluster) as client:
        yield client


@pytest.fixture(scope="module")
def client():
    with two_workers() as client:
        yield client


def kill_one(client):
    """Kill the process of one worker, as a machine that fails would."""
    pids = client.run(os.getpid)
    assert len(pids) == 2
    os.kill(next(iter(pids.values())), signal.SIGKILL)


def refused(call, *parts):
    with pytest.raises(InputError) as caught:
        call()
    assert all(part in str(caught.value) for part in parts), caught.value
    return True


class Interrupted(Exception):
    """What stops a run."""


def table_of(rows, dim, chunk):
    return lazy(refpos.sinusoidal, rows, dim, base=500000, dtype="float32", chunks=(chunk, dim))


def digest_alone(rows, dim, chunk):
    """The digest of the same table, of blocks that this process makes by itself, from what the page says it is."""
    lines = hashlib.sha256()
    for k, start in enumerate(range(0, rows, chunk)):
        positions = range(start, min(start + chunk, rows))
        block = refpos.sinusoidal(positions, dim, base=500000, dtype="float32").astype("<f4", copy=False)
        lines.update(f"{k}.0 {hashlib.sha256(block).hexdigest()}\n".encode())
    return lines.hexdigest()


def killed_and_resumed(path, rows, dim, chunk):
    """Write a table with two workers, of which one is killed after a third, stop everything after two thirds, and go on
    with two new workers; seconds of each run, the digest, and how many blocks each run wrote."""
    table = table_of(rows, dim, chunk)
    total, runs, seconds, killed = table.numblocks[0], [], [], []

    with two_workers() as client:

        def trouble(done, total, name):
            if done >= total // 3 and not killed:
                killed.append(kill_one(client))
            if done >= 2 * total // 3:
                raise Interrupted

        started = time.monotonic()
        with pytest.raises(Interrupted):
            write(table, path, progress=trouble)
        seconds.append(time.monotonic() - started)
    assert killed and not path.exists()
    refused(lambda: verify(path), "no such file" if os.name == "nt" else "No such file")
    assert Path(f"{path}.part").is_dir()
    with two_workers():
        started = time.monotonic()
        digest = write(table, path, progress=lambda done, total, name: runs.append(done))
        seconds.append(time.monotonic() - started)
        started = time.monotonic()
        assert verify(path) == digest
        seconds.append(time.monotonic() - started)
    assert runs[-1] == total
    assert not Path(f"{path}.part").exists()
    return digest, seconds


# -- workers that die -------------------------------------------------------------------------------------------------


def test_a_table_is_whole_after_a_worker_died_and_a_run_was_stopped(tmp_path):
    rows, dim, chunk = 30_000, 64, 1000
    digest, _ = killed_and_resumed(tmp_path / "table.zarr", rows, dim, chunk)
    assert digest == digest_alone(rows, dim, chunk)
    whole = zarr.open_array(tmp_path / "table.zarr", mode="r")[:]
    assert whole.tobytes() == refpos.sinusoidal(rows, dim, base=500000, dtype="float32").tobytes()


@pytest.mark.long
def test_a_table_of_two_thousand_million_elements(tmp_path):
    rows, dim, chunk = 3_906_250, 512, 2**16
    assert rows * dim == 2 * 10**9
    path = tmp_path / "table.zarr"
    try:
        digest, seconds = killed_and_resumed(path, rows, dim, chunk)
        size = sum(file.stat().st_size for file in path.rglob("*") if file.is_file())
        started = time.monotonic()
        assert digest == digest_alone(rows, dim, chunk)
        seconds.append(time.monotonic() - started)
    finally:
        shutil.rmtree(tmp_path)
    names = ("until it was stopped", "resumed", "verified", "alone, without a file")
    print(f"\n{size} bytes, digest {digest}")
    print("; ".join(f"{name} {one:.1f} s" for name, one in zip(names, seconds)))
