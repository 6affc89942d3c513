"""safetensors: a length, a JSON header, and the data without gap or overlap."""

import math
import os

from ..errors import FileError, shown
from .files import file_name, is_size, read_array, refusal, write_atomically
from .named import is_text, little_endian, tensors_by_name
from .tensors import DTYPES, MOST_DIMENSIONS, SAFETENSORS, Tensor, Unread, itemsize

LARGEST_HEADER = 100_000_000  # the limit of the safetensors format


def read_safetensors(path, file, admit, wanted=None):
    """{name: Tensor} of an open file; admit(name, bytes) is asked before the data of a tensor are read; with wanted,
    what cannot be read is `Unread`."""
    total = os.fstat(file.fileno()).st_size
    length = int.from_bytes(file.read(8), "little")
    if total < 8 or length > total - 8:
        claim = f"{total} bytes" if total < 8 else f"a header length of {length} in {total} bytes"
        raise refusal(path, "be a safetensors file with a header that fits in it", claim)
    if length > LARGEST_HEADER:
        raise refusal(path, f"have a safetensors header of at most {LARGEST_HEADER} bytes", f"{length}")
    entries, tensors = _entries(path, _safetensors_header(path, file.read(length)), wanted is not None)
    room, end, whole = total - 8 - length, 0, not tensors
    for name, (kind, shape, start, stop) in sorted(entries.items(), key=lambda item: item[1][2:]):
        named = shown(name)
        if start != end and (whole or start < end):
            raise refusal(path, f"start the data of {named} at {end}, without gap or overlap", f"{start}")
        end = stop
        if kind not in DTYPES:
            tensors[name] = Unread(kind, shape, str(_unknown_dtype(path, named, kind)))
        elif wanted and not wanted(name, kind, shape):
            tensors[name] = Unread(kind, shape)
        elif stop > room:
            error = refusal(path, f"hold the data of {named} in its {room} bytes of data", f"data_offsets to {stop}")
            if wanted is None:
                raise error
            tensors[name] = Unread(kind, shape, str(error))
        else:
            admit(name, stop - start)
            file.seek(8 + length + start)
            tensors[name] = Tensor(kind, read_array(path, named, file, kind, shape))
    if end < room and whole:
        raise refusal(path, f"hold {end} bytes of data, as its header says", f"{room}")
    return dict(sorted(tensors.items()))


def _safetensors_header(path, text):
    """The JSON object of a header, without its metadata."""
    import json

    def once(pairs):
        found = {}
        for name, value in pairs:
            if name in found:
                raise refusal(path, "name each tensor and field once", f"{shown(name)} twice")
            found[name] = value
        return found

    try:
        header = json.loads(text.decode("utf-8"), object_pairs_hook=once)
    except FileError:
        raise
    except (ValueError, RecursionError):
        header = None
    if not isinstance(header, dict) or not text.startswith(b"{"):
        raise refusal(path, "have a JSON object as its safetensors header", shown(text[:60]))
    metadata = header.pop("__metadata__", {})
    if not isinstance(metadata, dict) or not all(isinstance(value, str) for value in metadata.values()):
        raise refusal(path, "map text to text in __metadata__", shown(metadata))
    return header


def _entries(path, header, alone):
    """({name: (dtype, shape, start, stop)}, {name: Unread}) of a header; alone: what is wrong with an entry is its own
    matter."""
    entries, unread = {}, {}
    for name, entry in header.items():
        try:
            entries[name] = _safetensors_entry(path, name, entry, alone)
        except FileError as error:
            if not alone or not is_text(name):
                raise
            unread[name] = Unread(why=str(error))
    return entries, unread


def _unknown_dtype(path, named, code):
    return refusal(path, f"hold {named} as one of {', '.join(SAFETENSORS)}", f"dtype {shown(code)}")


def _safetensors_entry(path, name, entry, alone):
    """(dtype, shape, start, stop) of an entry; alone: a dtype that is not known is given by its code."""
    named = shown(name)
    if not is_text(name):
        raise refusal(path, "name each tensor in text", named)
    if not isinstance(entry, dict) or sorted(entry) != ["data_offsets", "dtype", "shape"]:
        raise refusal(path, f"give dtype, shape and data_offsets for {named}", shown(entry))
    code, shape, offsets = entry["dtype"], entry["shape"], entry["data_offsets"]
    is_named = isinstance(code, str) and code not in DTYPES  # a code is none of the names that dtypes have here
    if not is_named or (code not in SAFETENSORS and not alone):
        raise _unknown_dtype(path, named, code)
    if not isinstance(shape, list) or not all(map(is_size, shape)):
        raise refusal(path, f"give the shape of {named} as a list of sizes", shown(shape))
    if len(shape) > MOST_DIMENSIONS:
        raise refusal(path, f"hold {named} in at most {MOST_DIMENSIONS} dimensions", f"{len(shape)}")
    if not isinstance(offsets, list) or len(offsets) != 2 or not all(map(is_size, offsets)):
        raise refusal(path, f"give two data_offsets for {named}", shown(offsets))
    if code not in SAFETENSORS:
        return code, tuple(shape), *offsets
    kind = SAFETENSORS[code]
    needed = math.prod(shape) * itemsize(kind)
    if offsets[1] - offsets[0] != needed:
        received = f"{offsets[1] - offsets[0]} (offsets {offsets[0]} to {offsets[1]})"
        expected = f"hold {shown(needed)} bytes for {named} of shape {shown(shape)} and dtype {code}"
        raise refusal(path, expected, received)
    return kind, tuple(shape), offsets[0], offsets[1]


def write_safetensors(path, tensors):
    """Write {name: array or Tensor} as safetensors: equal tensors give equal bytes, on every machine.

    Names are sorted in the header, which is padded with spaces to a multiple of 8 bytes. The data lie in name order,
    wider element types first, so that each is aligned to its own size (as the safetensors package lays them out).

    Raises E_DTYPE for an element type the format lacks, FileError (E_FILE) for a name that is not text, too long or
    reserved, and when the file cannot be written.
    """
    import json

    held = tensors_by_name(tensors, LARGEST_HEADER)
    order = sorted(held, key=lambda name: (-itemsize(held[name].dtype), name))
    header, end = {}, 0
    for name in order:
        kind, values = held[name]
        header[name] = {"dtype": DTYPES[kind], "shape": list(values.shape), "data_offsets": [end, end + values.nbytes]}
        end += values.nbytes
    if "__metadata__" in header:
        received = "'__metadata__', which the format reserves"
        raise refusal(file_name(path), "hold tensors under names of their own", received)
    text = json.dumps(header, separators=(",", ":"), sort_keys=True).encode()
    text += b" " * (-len(text) % 8)
    if len(text) > LARGEST_HEADER:
        expected = f"have a safetensors header of at most {LARGEST_HEADER} bytes"
        raise refusal(file_name(path), expected, f"{len(text)} for {len(held)} tensors")
    head = len(text).to_bytes(8, "little") + text
    write_atomically(path, [head, *(little_endian(held[name].values) for name in order)])
