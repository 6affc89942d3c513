"""A Zarr array whose files were edited is refused, and an array is never taken for another by its Dask name."""

import json
import os
import random
import shutil
import subprocess
import sys
from pathlib import Path

import dask.array as da
import distributed
import numpy as np
import pytest
import zarr

import refpos
from refpos.dask import lazy, verify, write
from refpos.dask.identity import identity
from refpos.errors import InputError

ROOT = Path(refpos.__file__).resolve().parent.parent


def table():
    return lazy(refpos.sinusoidal, 60, 8, dtype="float32", chunks=(20, 8))


@pytest.fixture(scope="module")
def written(tmp_path_factory):
    path = tmp_path_factory.mktemp("written") / "table.zarr"
    digest = write(table(), path)
    assert verify(path) == digest == write(table(), path)
    return path


def refused(call, words=""):
    with pytest.raises(InputError) as caught:
        call()
    assert caught.value.code in ("E_FILE", "E_MISSING") and words in str(caught.value), caught.value
    return 0 < len(str(caught.value)) < 800


# -- edits ------------------------------------------------------------------------------------------------------------


def text(name, old, new):
    def edit(path):
        file = path / name
        assert old in file.read_text(), file.read_text()
        file.write_text(file.read_text().replace(old, new, 1))

    return edit


def fields(sealed=False, **changed):
    """Other fields in refpos.json; sealed: with the digest made anew."""

    def edit(path):
        from refpos.dask.zarr_manifest import digest_of

        manifest = {**json.loads((path / "refpos.json").read_text()), **changed}
        if sealed:
            manifest["digest"] = digest_of(manifest, manifest["blocks"])
        (path / "refpos.json").write_text(json.dumps(manifest))

    return edit


def metadata(seal=True, **changed):
    """Other fields in zarr.json; seal: with its sha256 in refpos.json made anew."""

    def edit(path):
        held = json.loads((path / "zarr.json").read_text())
        (path / "zarr.json").write_text(json.dumps({**held, **changed}))
        if seal:
            from refpos.dask.zarr_manifest import zarr_sha256

            fields(zarr=zarr_sha256(path))(path)

    return edit


def grid(*chunks):
    return {"name": "regular", "configuration": {"chunk_shape": list(chunks)}}


BIG = [{"name": "bytes", "configuration": {"endian": "big"}}]
EDITS = {
    "dtype int32": text("zarr.json", '"float32"', '"int32"'),
    "dtype uint32": text("zarr.json", '"data_type": "float32"', '"data_type": "uint32"'),
    "dtype and fill value": metadata(seal=False, data_type="int32", fill_value=0),
    "dtype, sealed": metadata(data_type="int32", fill_value=0),
    "attributes, sealed": metadata(attributes={"refpos": {"dtype": "bfloat16"}}),
    "no attributes, sealed": metadata(attributes={}),
    "more attributes, sealed": metadata(attributes={"refpos": {"dtype": "float32"}, "scale_factor": 2}),
    "shape, sealed": metadata(shape=[70, 8]),
    "a smaller shape, sealed": metadata(shape=[40, 8]),
    "chunks, sealed": metadata(chunk_grid=grid(10, 8)),
    "huge chunks, sealed": metadata(chunk_grid=grid(10**15, 8)),
    "byte order, sealed": metadata(codecs=BIG),
    "a group, sealed": metadata(node_type="group"),
    "another format, sealed": metadata(zarr_format=2),
    "a field": metadata(seal=False, dimension_names=["a", "b"]),
    "a space": text("zarr.json", "{", "{ "),
    "dtype of the manifest": fields(dtype="float16"),
    "dtype of the manifest, sealed": fields(True, dtype="int32"),
    "no dtype, sealed": fields(True, dtype="float33"),
    "complex, sealed": fields(True, dtype="complex64"),
    "text, sealed": fields(True, dtype="U4"),
    "dtype of a number": fields(True, dtype=32),
    "chunks 0": fields(chunks=[0, 0]),
    "chunks 0, sealed": fields(True, chunks=[0, 0]),
    "negative chunks": fields(True, chunks=[-20, 8]),
    "chunks of floats": fields(True, chunks=[20.0, 8]),
    "chunks of bools": fields(True, chunks=[True, 8]),
    "chunks larger than the shape": fields(True, chunks=[20, 16]),
    "fewer chunks": fields(True, chunks=[20]),
    "no chunks": fields(True, chunks=[]),
    "chunks of text": fields(True, chunks="20"),
    "a huge shape": fields(shape=[10**12, 8]),
    "a huge shape, sealed": fields(True, shape=[10**12, 8]),
    "a shape beyond int64": fields(True, shape=[10**30, 8], chunks=[10**30, 8]),
    "a negative shape": fields(True, shape=[-60, 8]),
    "many axes": fields(True, shape=[1] * 100, chunks=[1] * 100),
    "another shape of as many blocks": fields(True, shape=[45, 8]),
    "no blocks": fields(True, blocks={}),
    "blocks of null": fields(blocks=None),
    "blocks of a list": fields(blocks=["0.0", "1.0", "2.0"]),
    "a block of null": fields(blocks={"0.0": None, "1.0": None, "2.0": None}),
    "short digests": fields(True, blocks={"0.0": "", "1.0": "", "2.0": ""}),
    "another digest": fields(digest="0" * 64),
    "no zarr": fields(zarr=None),
    "a new field": fields(values="checked"),
    "digest twice": text("refpos.json", "{", '{"digest": "' + "0" * 64 + '",'),
    "no JSON": text("refpos.json", "{", ""),
    "deep JSON": lambda path: (path / "refpos.json").write_text("[" * 10**5),
    "other bytes": lambda path: (path / "refpos.json").write_bytes(b"\xff\xfe{}"),
    "no manifest": lambda path: (path / "refpos.json").unlink(),
    "no metadata": lambda path: (path / "zarr.json").unlink(),
    "metadata is a folder": lambda path: ((path / "zarr.json").unlink(), (path / "zarr.json").mkdir()),
    "a block gone": lambda path: (path / "c" / "1" / "0").unlink(),
    "a block doubled": lambda path: shutil.copy(path / "c" / "0" / "0", path / "c" / "1" / "0"),
    "a block longer": lambda path: (path / "c" / "2" / "0").write_bytes((path / "c" / "2" / "0").read_bytes() + b"\0"),
    "blocks exchanged": lambda path: (
        (path / "c" / "0").rename(path / "c" / "x"),
        (path / "c" / "1").rename(path / "c" / "0"),
        (path / "c" / "x").rename(path / "c" / "1"),
    ),
    "an array of Zarr 2": lambda path: (path / ".zarray").write_text("{}"),
}


@pytest.mark.parametrize("kind", EDITS)
def test_an_edited_folder_is_refused(kind, written, tmp_path):
    path = tmp_path / "table.zarr"
    shutil.copytree(written, path)
    EDITS[kind](path)
    assert refused(lambda: verify(path))
    assert refused(lambda: write(table(), path))


def test_random_edits_are_refused(written, tmp_path):
    """One byte of one file set, cut out or put in, wherever that changes what the file says."""
    choose, found = random.Random(23), 0
    files = [file.relative_to(written) for file in written.rglob("*") if file.is_file()]
    path = tmp_path / "table.zarr"
    shutil.copytree(written, path)
    for _ in range(45):
        name = choose.choice(sorted(files))
        data = bytearray((written / name).read_bytes())
        place, count, new = choose.randrange(len(data)), choose.choice([0, 1]), choose.choice([b"", b"0", b"\xff"])
        data[place : place + count] = new
        if bytes(data) == (written / name).read_bytes() or (name.name == "refpos.json" and same_json(data, written)):
            continue
        (path / name).write_bytes(data)
        refused(lambda: verify(path))
        shutil.copy(written / name, path / name)
        found += 1
    assert found > 30 and verify(path)


def same_json(data, written):
    try:
        return json.loads(data) == json.loads((written / "refpos.json").read_text())
    except ValueError:
        return False


# -- identity ---------------------------------------------------------------------------------------------------------


def named(values, name="x"):
    return da.from_array(values, name=name, chunks=2)


class Interrupted(Exception):
    """What stops a run."""


def stop(done, total, name):
    if done == 1:
        raise Interrupted


def test_arrays_of_one_name_are_told_apart_when_whole(tmp_path):
    path = tmp_path / "x.zarr"
    digest = write(named(np.ones((4, 4))), path)
    refused(lambda: write(named(np.zeros((4, 4))), path), "another array")
    one_off = np.ones((4, 4))
    one_off[3, 3] = np.nextafter(1, 2)
    refused(lambda: write(named(one_off), path), "another array")
    assert write(named(np.ones((4, 4)), "y"), path) == digest  # whatever its name
    refused(lambda: write(named(np.ones((4, 4))), path, resume=False), "another array")


def test_arrays_of_one_name_are_told_apart_when_unfinished(tmp_path):
    path, ones, zeros = tmp_path / "x.zarr", named(np.ones((4, 4))), named(np.zeros((4, 4)))
    with pytest.raises(Interrupted):
        write(ones, path, progress=stop)
    refused(lambda: write(zeros, path), "those of another")
    write(zeros, path, resume=False)
    assert (zarr.open_array(path, mode="r")[:] == 0).all()


def test_an_array_in_a_file_is_not_resumed(tmp_path):
    np.save(tmp_path / "x.npy", np.ones((4, 4)))
    array = da.from_array(np.load(tmp_path / "x.npy", mmap_mode="r"), chunks=2)
    with pytest.raises(Interrupted):
        write(array, tmp_path / "x.zarr", progress=stop)
    refused(lambda: write(array, tmp_path / "x.zarr"), "the graph of the array reads files or lambdas")
    digest = write(array, tmp_path / "x.zarr", resume=False)
    assert write(array, tmp_path / "x.zarr") == digest == verify(tmp_path / "x.zarr")


ARRAYS = """
import dask.array as da, numpy as np, refpos
from refpos.dask import lazy
from refpos.dask.identity import identity
x = da.from_array(np.arange(64, dtype="f4").reshape(1, 8, 8), chunks=(1, 4, 8))
yarn = refpos.yarn(8, factor=4, original_max_position_embeddings=64)
arrays = [lazy(refpos.sinusoidal, 100, 8, chunks=(40, 8)), *lazy(refpos.rope_table, 100, yarn, chunks=(50, -1)),
    lazy(refpos.alibi, 3, 10, 20, dtype="bfloat16", chunks=(2, 3, 7)).view(np.uint16), da.ones((4, 4), chunks=2),
    lazy(refpos.rope, x, 8, pairing="half", frequencies=yarn), (x + 1).rechunk((1, 8, 8)).sum(axis=1), x[:, ::2]]
print([identity(array) for array in arrays])
"""


def test_an_identity_is_the_same_in_every_process_and_of_every_array_another():
    runs = [
        subprocess.run(
            [sys.executable, "-c", ARRAYS], capture_output=True, text=True, check=True,
            env={**os.environ, "PYTHONPATH": str(ROOT), "PYTHONHASHSEED": seed},
        ).stdout
        for seed in ("1", "2")
    ]  # fmt: skip
    assert runs[0] == runs[1] and "None" not in runs[0]
    found = runs[0].split(",")
    assert len(set(found)) == len(found) == 8


def test_what_may_change_has_no_identity(tmp_path):
    stored = zarr.create_array(tmp_path / "z", shape=(4,), chunks=(2,), dtype="f4")
    assert identity(da.from_array(stored)) is None
    assert identity(da.map_blocks(lambda block: block, da.ones(4))) is None
    assert identity(named(np.ones(4))) != identity(named(np.zeros(4)))
    assert identity(named(np.ones(4))) != identity(named(np.ones(4, np.int64)))


# -- a scheduler that dies --------------------------------------------------------------------------------------------

SCHEDULER = """
import asyncio, distributed
async def main():
    async with distributed.Scheduler(port=0, dashboard_address=None) as scheduler:
        async with distributed.Worker(scheduler.address, nthreads=1, dashboard_address=None):
            print(scheduler.address, flush=True)
            await scheduler.finished()
asyncio.run(main())
"""


def test_a_lost_scheduler_is_said_and_the_same_call_goes_on(tmp_path):
    path = tmp_path / "table.zarr"
    process = subprocess.Popen([sys.executable, "-c", SCHEDULER], stdout=subprocess.PIPE, text=True)
    try:
        address = process.stdout.readline().strip()
        with distributed.Client(address, timeout=60) as client:

            def killed(done, total, name):
                if done == 2:
                    process.kill()
                    process.wait()

            array = lazy(refpos.sinusoidal, 400, 8, dtype="float32", chunks=(20, 8))
            refused(lambda: write(array, path, progress=killed), "the same call goes on from what is written")
            assert client is not None
    finally:
        process.kill()
        process.wait()
        process.stdout.close()
    assert not path.exists()
    left = []
    digest = write(array, path, progress=lambda done, total, name: left.append((done, total)))
    assert digest == verify(path) and left[-1] == (20, 20)
