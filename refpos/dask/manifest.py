"""The manifest of a Zarr array that refpos wrote: what the array is, and the sha256 of each of its blocks."""

import hashlib
import math
import os
import re
from itertools import product

import numpy as np

from ..golden import strict_json
from ..tensor_files import files

MANIFEST = "refpos.json"
FIELDS = {"blocks", "chunks", "digest", "dtype", "shape", "zarr"}
HEADER = ("chunks", "dtype", "shape")  # the fields that say what the array is
LARGEST = 1 << 32  # bytes
DIMENSIONS = 64  # of a NumPy array
OLD = (".zarray", ".zattrs", ".zgroup", ".zmetadata")  # which make another array of the folder for readers of Zarr 2
SHA256 = re.compile("[0-9a-f]{64}")


def names_of(header):
    """The names of the blocks in C order: their numbers along the axes, or "0" of an array without axes."""
    return [".".join(map(str, index)) or "0" for index in product(*map(range, _counts(header)))]


def _counts(header):
    return [max(1, -(-size // chunk)) for size, chunk in zip(header["shape"], header["chunks"])]


def digest_of(header, blocks):
    """sha256 over dtype, shape and chunks, and the lines "name digest" of the blocks, in C order."""
    lines = [f"{name} {header[name]}\n" for name in HEADER] + [f"{name} {one}\n" for name, one in blocks.items()]
    return hashlib.sha256("".join(lines).encode()).hexdigest()


def stored(dtype):
    """The NumPy dtype of an array in Zarr."""
    return np.dtype("uint16" if dtype == "bfloat16" else dtype)


def zarr_sha256(path):
    """sha256 of the metadata of a Zarr array."""
    return hashlib.sha256(files.read_bytes(os.path.join(path, "zarr.json"), LARGEST)).hexdigest()


def manifest_of(path):
    """What the folder says of itself; FileError where it is not there, not whole or not of its zarr.json."""
    where = os.path.join(path, MANIFEST)
    data = files.read_bytes(where, LARGEST)
    try:
        manifest = strict_json.loads(data.decode("ascii"))
        whole = _is_whole(manifest)
    # NumPy raises SyntaxError of a dtype such as "077"
    except (ValueError, TypeError, AttributeError, KeyError, RecursionError, SyntaxError):
        whole = False
    if not whole:
        raise files.refusal(where, "name every block of the array with its sha256", "another document")
    found = zarr_sha256(path)
    if found != manifest["zarr"]:
        raise files.refusal(os.path.join(path, "zarr.json"), f"have the sha256 {manifest['zarr']}", found)
    other = next((name for name in OLD if os.path.lexists(os.path.join(path, name))), None)
    if other is not None:
        raise files.refusal(path, "hold an array of Zarr 3 alone", other)
    return manifest


def _is_whole(manifest):
    shape, chunks, blocks = manifest["shape"], manifest["chunks"], manifest["blocks"]
    sizes = isinstance(shape, list) and isinstance(chunks, list) and len(shape) == len(chunks) <= DIMENSIONS
    sizes = sizes and all(type(size) is int and 0 <= size < 2**63 for size in shape)
    sizes = sizes and all(type(n) is int and 1 <= n <= max(1, size) for n, size in zip(chunks, shape))
    return (
        set(manifest) == FIELDS
        and sizes
        and isinstance(manifest["dtype"], str)
        and stored(manifest["dtype"]).kind in "iufb"
        and stored(manifest["dtype"]).name in (manifest["dtype"], "uint16")
        and math.prod(_counts(manifest)) == len(blocks)  # before all of them are named
        and list(blocks) == names_of(manifest)
        and all(SHA256.fullmatch(one) for one in (*blocks.values(), manifest["zarr"]))
        and manifest["digest"] == digest_of(manifest, blocks)
    )
