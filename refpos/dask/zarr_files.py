"""Arrays written to Zarr block by block, so that what stands under the final name is whole."""

from __future__ import annotations

import hashlib
import json
import math
import os
import shutil
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from .. import checks, tensor_files
from ..errors import InputError, InputTypeError, shown
from ..guard import guarded
from ..tensor_files import files
from ..types import AnyPath
from .cuts import is_dask
from .identity import identity
from .need import need, results
from .zarr_manifest import HEADER, MANIFEST, digest_of, manifest_of, names_of, stored, zarr_sha256

JOURNAL = "refpos.journal"


@guarded
def write(
    array: Any, path: AnyPath, *, progress: Callable[[int, int, str], object] | None = None, resume: bool = True
) -> str:
    """Write a Dask array to a folder as an uncompressed Zarr array, each block by the worker that makes it.

    array: what `lazy` returns, or any other Dask array, whose chunks along each axis are equal but for the last, which
    may be shorter. bfloat16 is written as uint16. path: a folder that all workers and this process reach under the same
    name. progress: called with (blocks done, blocks in all, name of the block). resume: go on where an earlier call
    with the same array ended, from the blocks whose digests still hold; False begins anew. The same array is one of the
    same graph with the same data in it, whatever its name; one whose graph reads files cannot be resumed.

    The blocks go to `path + ".part"`, which gets its final name when all of them are written and the sha256 of each
    stands in its `refpos.json`: until then there is nothing under `path`. The work runs on the active Dask client, or
    in threads of this process. When a worker dies, others make its blocks again. After any error, a full disk or a lost
    scheduler too, the same call goes on. Where `path` holds a whole array already, all blocks of `array` are computed
    and held against it, and nothing is written.

    Returns the digest of the array: sha256 over its dtype, shape and chunks and the names and digests of its blocks. It
    does not depend on the workers.

    Raises E_SHAPE (chunks), E_FILE when the folder holds something else or cannot be written, E_MISSING without Dask
    and when the scheduler is lost.

    >>> import tempfile, refpos
    >>> from refpos.dask import lazy
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     table = lazy(refpos.sinusoidal, 100, 8, dtype="float32", chunks=(40, 8))
    ...     digest = write(table, f"{folder}/table.zarr")
    ...     digest == verify(f"{folder}/table.zarr")
    True
    """
    need("zarr")
    path, progress = os.path.abspath(checks.file_path("path", path)), progress or _silent
    checks.function("progress", progress)
    resume, header, array = checks.flag("resume", resume), *_header(array)
    if os.path.lexists(path):
        return _held(array, path, header, resume, progress)
    aside = f"{path}.part"
    try:
        kept = _begin(aside, header, resume and identity(array), progress)
        blocks = _write_blocks(array, aside, header, kept, progress)
        _finish(aside, path, header, blocks)
    except OSError as error:
        raise files.refusal(aside, "be written whole", error.strerror or str(error)) from None
    return digest_of(header, blocks)


@guarded
def verify(path: AnyPath, *, progress: Callable[[int, int, str], object] | None = None) -> str:
    """Read every block of an array that `write` wrote and hold it against its digest.

    path: the folder. progress: called with (blocks done, blocks in all, name of the block). The work runs on the active
    Dask client, or in threads of this process.

    Returns the digest of the array, as `write` does. Raises E_FILE where the folder is not there, not whole or not as
    it was written, its metadata included, naming the first block that differs; E_MISSING without Dask and when the
    scheduler is lost.

    >>> import tempfile, dask.array
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     digest = write(dask.array.ones(10, chunks=4), f"{folder}/ones.zarr")
    ...     with open(f"{folder}/ones.zarr/c/2", "r+b") as file:
    ...         count = file.write(b"edited")
    ...     try:
    ...         verify(f"{folder}/ones.zarr")
    ...     except ValueError as error:
    ...         print("in block 2, got" in str(error))
    True
    """
    need("zarr")
    path = os.path.abspath(checks.file_path("path", path))
    manifest = manifest_of(path)
    found = _read(path, list(manifest["blocks"]), manifest, checks.function("progress", progress or _silent))
    for name, wanted in manifest["blocks"].items():
        if found[name] != wanted:
            raise files.refusal(path, f"have the sha256 {wanted} of its {MANIFEST} in block {name}", found[name])
    return manifest["digest"]


def _silent(done, total, name):
    pass


# -- what the array is ------------------------------------------------------------------------------------------------


def _header(array):
    """(What tells the array from others, as JSON has it, and the array in a dtype that Zarr has)."""
    if not is_dask(array):
        raise InputTypeError("E_SHAPE", "array", f"array must be a Dask array, got {shown(type(array).__name__)}")
    if array.dtype.name == "bfloat16":
        dtype, array = "bfloat16", array.view(np.uint16)
    elif array.dtype.kind in "iufb":
        dtype = array.dtype.name
    else:
        raise InputError("E_DTYPE", "array", f"array must be of integers or floats, got {array.dtype}")
    for axis, sizes in enumerate(array.chunks):
        if any(size != sizes[0] for size in sizes[:-1]) or sizes[-1] > sizes[0] or math.isnan(sum(sizes)):
            sentence = (
                f"chunks must be equal but for the last along axis {axis}, got {shown(sizes)}: .rechunk makes them so"
            )
            raise InputError("E_SHAPE", "chunks", sentence)
    chunks = [max(1, sizes[0]) for sizes in array.chunks]
    return {"chunks": chunks, "dtype": dtype, "shape": list(array.shape)}, array


def _held(array, path, header, resume, progress):
    """The digest of the array that stands under the path, if every block of it is what `array` computes."""
    wrong = files.refusal(path, "be a new name, or hold this array whole", "another array")
    manifest = manifest_of(path)
    if not resume or any(manifest[name] != header[name] for name in HEADER):
        raise wrong
    digest = verify(path, progress=progress)
    for name, made in results(_named_tasks(array, _digest_block, names_of(header), "digest")):
        if manifest["blocks"][name] != made:
            raise wrong
    return digest


# -- blocks, on workers -----------------------------------------------------------------------------------------------


def _open(path):
    """The Zarr array in a folder; blocks that equal the fill value are written as any other."""
    return need("zarr").open_array(path, mode="r+", config={"write_empty_chunks": True})


def _place(header, index):
    """The slices of a block."""
    return tuple(slice(n * chunk, (n + 1) * chunk) for n, chunk in zip(index, header["chunks"]))


def _sha256(block):
    little = np.ascontiguousarray(block, block.dtype.newbyteorder("<"))
    return hashlib.sha256(little.reshape(-1).view(np.uint8)).hexdigest()


def _write_block(block, path, header, block_id=None):
    """Write a block, and return its digest."""
    if block.size:
        _open(path)[_place(header, block_id)] = block
    return _digest_block(block)


def _digest_block(block):
    return np.full((1,) * block.ndim, _sha256(block))


def _read_block(path, header, name):
    """The digest of a block as it stands in the folder; what cannot be read, or is not there, has none."""
    try:
        array, index = _open(path), [int(n) for n in name.split(".")]
        if [*array.shape] != header["shape"] or [*array.chunks] != header["chunks"]:
            return name, f"a Zarr array of shape {array.shape} and chunks {array.chunks}"
        if array.dtype != stored(header["dtype"]) or array.attrs.asdict() != _attributes(header):
            return name, f"a Zarr array of {array.dtype} and other attributes"
        return name, _sha256(np.asarray(array[_place(header, index)]))
    except Exception as error:  # whatever a file that was cut short or edited makes of Zarr's reader
        return name, f"an error ({type(error).__name__}: {error!s:.80})"


def _read(path, names, header, progress):
    """{name: digest} of blocks, read by the workers."""
    delayed, found = need("dask").delayed(_read_block, pure=False), {}
    head = {name: header[name] for name in HEADER}
    for name, digest in results([delayed(path, head, name) for name in names]):
        found[name] = digest
        progress(len(found), len(names), name)
    return found


# -- writing ----------------------------------------------------------------------------------------------------------


def _begin(aside, header, resume, progress):
    """Make the folder aside, or find one; {name: digest} of the blocks in it that are as they were written.

    resume: the identity of the array; None of one that cannot be told from others, False to begin anew.
    """
    journal, said = os.path.join(aside, JOURNAL), json.dumps({**header, "array": resume or None}, sort_keys=True)
    if resume is False and os.path.isdir(aside):
        shutil.rmtree(aside)
    if os.path.exists(journal):
        with open(journal, encoding="ascii", errors="replace") as file:
            first, *lines = file.read().split("\n") or [""]
        if first == said and resume:
            written = dict(line.split(" ") for line in lines if line.count(" ") == 1 and len(line.split(" ")[1]) == 64)
            known = set(names_of(header))
            found = _read(aside, [name for name in written if name in known], header, progress)
            return {name: digest for name, digest in found.items() if digest == written[name]}
        if first.startswith("{") and first.endswith("}"):
            received = "those of another" if resume else "some, and the graph of the array reads files or lambdas"
            raise files.refusal(aside, "hold the blocks of this array (resume=False begins anew)", received)
    elif os.path.isdir(aside) and set(os.listdir(aside)) - {"zarr.json"}:
        raise files.refusal(aside, "hold what an earlier call wrote (resume=False begins anew)", "something else")
    kind = stored(header["dtype"])
    need("zarr").create_array(
        aside, shape=tuple(header["shape"]), chunks=tuple(header["chunks"]), dtype=kind, compressors=None,
        filters=None, overwrite=True, attributes=_attributes(header), fill_value=_fill_value(kind),
    )  # fmt: skip
    with open(journal, "w", encoding="ascii") as file:
        file.write(f"{said}\n")
    return {}


def _attributes(header):
    return {"refpos": {"dtype": header["dtype"]}}


def _fill_value(dtype):
    """What a block that is not there reads as: NaN, also as the pattern of a bfloat16, or the end of integers."""
    if dtype.kind in "iu":
        info = np.iinfo(dtype)
        return info.min if dtype.kind == "i" else info.max
    return np.nan if dtype.kind == "f" else False


def _write_blocks(array, aside, header, kept, progress):
    """{name: digest} of all blocks, in C order, after those that are not kept are written."""
    names, head = names_of(header), {name: header[name] for name in HEADER}
    tasks = _named_tasks(array, partial(_write_block, path=aside, header=head), names, "write", kept)
    found = dict(kept)
    with open(os.path.join(aside, JOURNAL), "a", encoding="ascii") as journal:
        journal.write("\n")  # an earlier one may have been cut short within a line
        for name, digest in results(tasks):
            journal.write(f"{name} {digest}\n")
            journal.flush()
            found[name] = digest
            progress(len(found), len(names), name)
    return {name: found[name] for name in names}


def _named_tasks(array, function, names, what, kept=()):
    """Tasks of (name, digest) for the blocks that are not kept."""
    digests = array.map_blocks(
        function, chunks=tuple((1,) * len(sizes) for sizes in array.chunks), dtype="U64",
        meta=np.empty((0,) * array.ndim, "U64"), name=f"{what}-{array.name}",
    )  # fmt: skip
    named = need("dask").delayed(_named, pure=True)
    return [named(name, task) for name, task in zip(names, _delayed(digests)) if name not in kept]


def _delayed(digests):
    return np.asarray(digests.to_delayed(optimize_graph=True), object).reshape(-1).tolist()


def _named(name, digest):
    return name, str(np.asarray(digest).reshape(-1)[0])


def _finish(aside, path, header, blocks):
    """Write the manifest, remove what is not part of the array, and give the folder its name."""
    content = {**header, "blocks": blocks, "digest": digest_of(header, blocks), "zarr": zarr_sha256(aside)}
    tensor_files.write_atomically(os.path.join(aside, MANIFEST), [json.dumps(content, indent=0).encode("ascii")])
    for folder, _, names in os.walk(aside):  # of a worker that was killed
        for name in names:
            if name.endswith(".partial"):
                os.remove(os.path.join(folder, name))
    os.remove(os.path.join(aside, JOURNAL))
    os.rename(aside, path)
