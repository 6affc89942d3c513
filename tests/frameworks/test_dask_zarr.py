"""Arrays that two workers write to Zarr, byte-equal to blocks made alone, with a worker killed, a run interrupted, a
disk full and files edited; and the golden corpus that they compute.

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

import dask
import dask.array
import distributed
import numpy as np
import pytest
import zarr

import refpos
from refpos import golden
from refpos.dask import generate, lazy, verify, write
from refpos.dask.need import connected, environment_kept
from refpos.errors import InputError
from refpos.golden.read import DATA


@contextlib.contextmanager
def two_workers():
    """A client of two worker processes of one thread each."""
    options = {"n_workers": 2, "threads_per_worker": 1, "processes": True, "dashboard_address": None}
    with (
        environment_kept(),
        distributed.LocalCluster(**options, silence_logs=50) as cluster,
        distributed.Client(cluster) as client,
    ):
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
    lines = hashlib.sha256(f"chunks [{chunk}, {dim}]\ndtype float32\nshape [{rows}, {dim}]\n".encode())
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


@pytest.fixture
def table(tmp_path):
    """(A table of ten blocks, the folder to write it to.)"""
    return table_of(1000, 16, 100), tmp_path / "table.zarr"


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
    print("; ".join(f"{name} {one:.1f} s" for name, one in zip(names, seconds, strict=True)))


# -- what is wrong with files -----------------------------------------------------------------------------------------

EDITS = {
    "truncated": lambda file: file.write_bytes(file.read_bytes()[:-1]),
    "empty": lambda file: file.write_bytes(b""),
    "longer": lambda file: file.write_bytes(file.read_bytes() + b"\0"),
    "edited": lambda file: file.write_bytes(file.read_bytes()[:-1] + b"\1"),
    "gone": lambda file: file.unlink(),
}


@pytest.mark.parametrize("edit", EDITS)
def test_a_block_that_is_not_as_it_was_written_is_found_and_made_again(table, edit):
    array, path = table

    def stop(done, total, name):
        if done == 7:
            raise Interrupted

    with pytest.raises(Interrupted), dask.config.set(scheduler="sync"):
        write(array, path, progress=stop)
    journal = Path(f"{path}.part", "refpos.journal").read_text()
    written = [line.split()[0] for line in journal.splitlines()[1:] if line]
    assert len(written) == 7
    EDITS[edit](Path(f"{path}.part", "c", *written[3].split(".")))
    made = []
    digest = write(array, path, progress=lambda done, total, name: made.append((done, total, name)))
    assert made[-1][:2] == (10, 10) and [name for _, total, name in made if total == 10].count(written[3]) == 1
    assert digest == digest_alone(1000, 16, 100) == verify(path)
    EDITS[edit](Path(path, "c", *written[3].split(".")))
    assert refused(lambda: verify(path), f"in block {written[3]}, got")
    assert refused(lambda: write(array, path), f"in block {written[3]}, got")


def test_a_journal_that_was_cut_short_loses_one_block(table):
    array, path = table
    with pytest.raises(Interrupted):
        write(array, path, progress=raises_at(5))
    journal = Path(f"{path}.part", "refpos.journal")
    journal.write_bytes(journal.read_bytes()[:-40])
    assert write(array, path) == digest_alone(1000, 16, 100)


def raises_at(count):
    def progress(done, total, name):
        if done == count:
            raise Interrupted

    return progress


def test_blocks_of_another_array_are_refused(table):
    array, path = table
    with pytest.raises(Interrupted):
        write(array, path, progress=raises_at(5))
    other = lazy(refpos.sinusoidal, 1000, 16, base=10000, dtype="float32", chunks=(100, 16))
    assert refused(lambda: write(other, path), "those of another", "resume=False")
    digest = write(other, path, resume=False)
    assert digest == verify(path) != digest_alone(1000, 16, 100)
    assert refused(lambda: write(array, path), "another array")
    assert write(other, path) == digest


def test_the_manifest_must_name_every_block(table):
    array, path = table
    write(array, path)
    manifest = path / "refpos.json"
    text = manifest.read_text()
    dtypes = [text.replace("float32", name) for name in ("float16", "077", "9" * 5000, "<f4", "f4,f4", "O", "")]
    for changed in (text.replace('"0.0"', '"0.1"', 1), text[:-5], "{}", "[]", *dtypes):
        manifest.write_text(changed)
        assert refused(lambda: verify(path), "refpos.json must ")


def test_a_folder_of_somebody_else_is_left_alone(table):
    array, path = table
    Path(f"{path}.part").mkdir()
    (Path(f"{path}.part") / "mine").write_text("here")
    assert refused(lambda: write(array, path), "something else")
    path.mkdir()
    assert refused(lambda: write(array, path), "refpos.json")


def full(path, mode="wb", exclusive=False):
    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


def test_a_full_disk_leaves_nothing_under_the_name(table, monkeypatch):
    array, path = table
    with monkeypatch.context() as patch, pytest.raises(Interrupted):
        write(array, path, progress=raises_at(4))
    with monkeypatch.context() as patch:
        patch.setattr(zarr.storage._local, "_atomic_write", full)
        assert refused(lambda: write(array, path), os.strerror(errno.ENOSPC))
    assert not path.exists() and Path(f"{path}.part").is_dir()
    assert write(array, path) == digest_alone(1000, 16, 100)


@pytest.mark.long  # by root, who may mount
def test_a_disk_that_fills_up_under_two_workers(client, tmp_path):
    """A file system in memory with room for half of the table."""
    array = table_of(4000, 64, 250)  # 16 blocks of 64 KB
    small = tmp_path / "small"
    small.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=600k", "tmpfs", str(small)]
    subprocess.run(mount, check=True)
    try:
        assert refused(lambda: write(array, small / "table.zarr"), os.strerror(errno.ENOSPC))
        assert not (small / "table.zarr").exists()
        subprocess.run(["mount", "-o", "remount,size=8m", str(small)], check=True)
        assert write(array, small / "table.zarr") == digest_alone(4000, 64, 250)
    finally:
        subprocess.run(["umount", str(small)], check=True)


# -- kinds of arrays --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", ["float64", "float32", "float16", "bfloat16"])
def test_every_format_is_written_with_its_bits(tmp_path, dtype):
    array = lazy(refpos.alibi, 3, 10, 20, dtype=dtype, chunks=(2, 3, 7))
    write(array, tmp_path / "bias.zarr")
    held = zarr.open_array(tmp_path / "bias.zarr", mode="r")
    assert held.attrs["refpos"] == {"dtype": dtype} and held.chunks == (2, 3, 7)
    assert held[:].tobytes() == refpos.alibi(3, 10, 20, dtype=dtype).tobytes()


@pytest.mark.parametrize("shape", [(), (0,), (0, 3), (1, 1), (5, 0)])
def test_arrays_without_elements_or_axes(tmp_path, shape):
    array = dask.array.zeros(shape, dtype=np.int64)
    assert write(array, tmp_path / "zeros.zarr") == verify(tmp_path / "zeros.zarr")
    assert zarr.open_array(tmp_path / "zeros.zarr", mode="r").shape == shape


def test_uneven_chunks_and_other_values_are_refused(tmp_path):
    uneven = dask.array.zeros(10, chunks=((3, 4, 3),))
    assert refused(lambda: write(uneven, tmp_path / "a"), "chunks must be equal", ".rechunk")
    assert refused(lambda: write(dask.array.zeros(3, dtype=complex), tmp_path / "a"), "got complex128")
    assert refused(lambda: write(np.zeros(3), tmp_path / "a"), "must be a Dask array")
    assert list(tmp_path.iterdir()) == []


# -- the corpus -------------------------------------------------------------------------------------------------------

SUITES = ["alibi", "alibi_slopes", "inverse_frequencies", "rope_table"]


def test_the_corpus_of_two_workers_is_the_shipped_one_though_one_was_killed_and_the_run_stopped(tmp_path):
    with two_workers() as client:
        killed = []

        def trouble(done, total, name):
            if done > 20 and not killed:
                killed.append(kill_one(client))
            if sorted(path.name for path in tmp_path.glob("*.json")) != [] and killed:
                raise Interrupted

        with pytest.raises(Interrupted):
            generate(tmp_path, suites=SUITES, progress=trouble)
        left = {path.name: path.stat().st_mtime_ns for path in tmp_path.iterdir()}
        assert left and "MANIFEST.json" not in left
        assert generate(tmp_path, suites=SUITES) == sum(len(golden.cases(name, "core")) for name in SUITES)
    assert {name: (tmp_path / name).stat().st_mtime_ns for name in left} == left
    names = {path.name for path in tmp_path.iterdir()} - {"MANIFEST.json"}
    assert {name.partition(".")[0] for name in names} == set(SUITES)
    assert all((tmp_path / name).read_bytes() == (Path(DATA) / name).read_bytes() for name in names)
    assert golden.verify(tmp_path)


def test_a_worker_of_another_version_is_refused(tmp_path, monkeypatch):
    from refpos.dask import corpus, need

    monkeypatch.setattr(need, "client", lambda: None)
    locks = iter(["0" * 64])
    monkeypatch.setattr(corpus, "_lock", lambda: next(locks, "1" * 64))
    with dask.config.set(scheduler="sync"):
        assert refused(lambda: generate(tmp_path, suites=["alibi_slopes"]), "every worker", "1" * 64)
    assert list(tmp_path.iterdir()) == []


def test_the_command_runs_on_a_cluster(tmp_path):
    done = subprocess.run(
        [sys.executable, "-m", "refpos", "generate", str(tmp_path), "--suite", "alibi_slopes", "--dask", "2"],
        capture_output=True, text=True,
    )  # fmt: skip
    assert done.returncode == 0 and "golden cases of tier core" in done.stdout, done.stderr
    assert (tmp_path / "alibi_slopes.json").read_bytes() == Path(DATA, "alibi_slopes.json").read_bytes()


def test_the_environment_is_as_it_was_after_a_cluster(monkeypatch):
    """Workers of distributed are started with settings in the environment of this process."""
    names = ["MALLOC_TRIM_THRESHOLD_", "OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS"]
    for name in names:
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("OMP_NUM_THREADS", "3")
    with connected(1) as client:
        assert client.submit(max, 1, 2).result() == 2 and names[0] in os.environ
    assert [os.environ.get(name) for name in names] == [None, "3", None, None]
