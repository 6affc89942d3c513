"""The manifest of a Zarr array that refpos wrote: what the array is, and the sha256 of each of its blocks."""

import hashlib
import math
import os
import re
from itertools import chain, product

import numpy as np

from ..errors import shortened, shown
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
    except (ValueError, RecursionError) as error:
        expected = "be a complete JSON document in ASCII"
        raise files.refusal(where, expected, f"one that says: {shortened(str(error), 200)}") from None
    wrong = _header_fault(manifest) or _blocks_fault(manifest)
    if wrong:
        raise files.refusal(where, *wrong)
    found = zarr_sha256(path)
    if found != manifest["zarr"]:
        raise files.refusal(os.path.join(path, "zarr.json"), f"have the sha256 {manifest['zarr']}", found)
    other = next((name for name in OLD if os.path.lexists(os.path.join(path, name))), None)
    if other is not None:
        raise files.refusal(path, "hold an array of Zarr 3 alone", other)
    return manifest


def _header_fault(manifest):
    """(what is expected, what is received) of the first fault in what a manifest says of its array, or None."""
    if not isinstance(manifest, dict):
        return "be a JSON object", f"a {type(manifest).__name__}"
    if set(manifest) != FIELDS:
        names = ", ".join(shown(name, 40) for name in sorted(manifest)[: len(FIELDS)])
        return f"have the fields {', '.join(sorted(FIELDS))}", names or "none"
    shape, chunks = manifest["shape"], manifest["chunks"]
    sizes = isinstance(shape, list) and len(shape) <= DIMENSIONS
    if not sizes or not all(type(size) is int and 0 <= size < 2**63 for size in shape):
        return f"have in shape a list of at most {DIMENSIONS} sizes from 0 to 2**63 - 1", shown(shape, 80)
    sizes = isinstance(chunks, list) and len(chunks) == len(shape)
    if not sizes or not all(type(n) is int and 1 <= n <= max(1, size) for n, size in zip(chunks, shape)):
        wanted = f"have in chunks a size for each of the {len(shape)} axes, from 1 to that of the shape"
        return wanted, shown(chunks, 80)
    if not _is_dtype(manifest["dtype"]):
        return "have in dtype the name of a dtype of integers, floats or booleans", shown(manifest["dtype"], 80)
    return None


def _is_dtype(name):
    try:
        found = stored(name) if isinstance(name, str) else None
    except (ValueError, TypeError, SyntaxError):  # NumPy raises SyntaxError of a dtype such as "077"
        return False
    return found is not None and found.kind in "iufb" and name in (found.name, "bfloat16")


def _blocks_fault(manifest):
    """(what is expected, what is received) of the first fault in the digests, or None."""
    blocks, count = manifest["blocks"], math.prod(_counts(manifest))
    wanted = f"have in blocks the {count} blocks of the array by name"
    if not isinstance(blocks, dict):
        return wanted, f"a {type(blocks).__name__}"
    if len(blocks) != count:  # before all of them are named
        return wanted, str(len(blocks))
    other = next(((got, name) for got, name in zip(blocks, names_of(manifest)) if got != name), None)
    if other:
        return wanted, f"{shown(other[0], 80)} for {other[1]!r}"
    digests = (("blocks", *block) for block in blocks.items())
    for place, name, one in chain(digests, [("zarr", "zarr.json", manifest["zarr"])]):
        if not isinstance(one, str) or not SHA256.fullmatch(one):
            return f"have in {place} the sha256 of {name} as 64 hexadecimal digits", shown(one, 80)
    digest = digest_of(manifest, blocks)
    if manifest["digest"] != digest:
        return f"have in digest the sha256 of dtype, shape, chunks and blocks, {digest}", shown(manifest["digest"], 80)
    return None
