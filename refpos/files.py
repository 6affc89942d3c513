"""Tensors on disk: npz, npy and safetensors, read without trusting one number in them, written to equal bytes always.

Nothing is ever unpickled, and a file is refused as a whole: no tensor of a damaged file is handed out. What only one
container needs is imported with its first file, so that `import refpos` need not wait for it.
"""

import math
import os
from typing import NamedTuple

import numpy as np

from .errors import FileError, InputTypeError

#: safetensors name -> name of the element type here; bfloat16 is held as uint16 bit patterns
SAFETENSORS = {
    "F64": "float64", "F32": "float32", "F16": "float16", "BF16": "bfloat16",
    "I64": "int64", "I32": "int32", "I16": "int16", "I8": "int8",
    "U64": "uint64", "U32": "uint32", "U16": "uint16", "U8": "uint8", "BOOL": "bool",
}  # fmt: skip
DTYPES = {name: code for code, name in SAFETENSORS.items()}
LARGEST_HEADER = 100_000_000  # the limit of the safetensors format
LARGEST_NPY_HEADER = 65_535  # what version 1 of the npy format can say
NPY_MAGIC = b"\x93NUMPY"
ZIP_MAGICS = (b"PK\x03\x04", b"PK\x05\x06")


class Tensor(NamedTuple):
    """Values and the name of their element type; of bfloat16, `values` are the bit patterns as uint16."""

    dtype: str
    values: np.ndarray


def tensor(array):
    """The array as a Tensor, in native byte order; an ml_dtypes bfloat16 array gives its bit patterns.

    Raises E_DTYPE for an element type that no file format here can hold (complex, object, text, long double).

    >>> tensor(np.arange(3, dtype=np.float32)).dtype
    'float32'
    """
    if isinstance(array, Tensor):
        return array
    array = np.asarray(array)
    if array.dtype.name not in DTYPES:
        known = ", ".join(DTYPES)
        raise InputTypeError("E_DTYPE", "dtype", f"a tensor must have one of the dtypes {known}, got {array.dtype}")
    if array.dtype.name == "bfloat16":
        return Tensor("bfloat16", array.view(np.uint16))
    return Tensor(array.dtype.name, array.astype(array.dtype.newbyteorder("="), copy=False))


def read_tensors(path):
    """All tensors of a .npz, .npy or .safetensors file, as {name: Tensor}.

    The content tells npz from npy, whatever the suffix; the one tensor of a .npy file has the stem of its name.
    A two-byte void element (what np.save writes of an ml_dtypes bfloat16 array) is read as bfloat16.

    Raises FileError (E_FILE), naming the file and where possible the tensor, for a file that is missing, empty,
    truncated, of another kind, or whose header does not fit its content; pickled objects are refused unread.
    """
    path = os.fspath(path)
    try:
        with open(path, "rb") as file:
            return _READERS[_kind(path, file)](path, file)
    except OSError as error:
        raise _refusal(path, "be a readable file", error.strerror or str(error)) from None
    except MemoryError:
        raise _refusal(path, "fit in memory", f"{os.path.getsize(path)} bytes on disk") from None


def _refusal(path, expected, received):
    return FileError("E_FILE", "path", f"{path} must {expected}, got {received}")


def _kind(path, file):
    start = file.read(9)
    file.seek(0)
    if not start:
        raise _refusal(path, "hold tensors (npz, npy or safetensors)", "an empty file")
    if path.endswith(".safetensors"):
        return "safetensors"
    if start.startswith(NPY_MAGIC):
        return "npy"
    if start.startswith(ZIP_MAGICS):
        return "npz"
    if start[8:] == b"{" and not path.endswith((".npz", ".npy")):
        return "safetensors"
    raise _refusal(path, "start as an npz, npy or safetensors file does", f"the bytes {start.hex(' ')}")


# -- npy and npz ------------------------------------------------------------------------------------------------------


def _read_npy(path, file):
    name = os.path.splitext(os.path.basename(path))[0]
    return {name: _npy_tensor(path, name, file, os.fstat(file.fileno()).st_size)}


def _read_npz(path, file):
    import zipfile
    import zlib

    tensors = {}
    try:
        with zipfile.ZipFile(file) as archive:
            for member in archive.infolist():
                name = member.filename[: -len(".npy")]
                if not member.filename.endswith(".npy"):
                    raise _refusal(path, "be an npz file, whose members end in .npy", f"a zip with {member.filename!r}")
                if name in tensors:
                    raise _refusal(path, "name each tensor once", f"{name!r} twice")
                with archive.open(member) as stream:
                    tensors[name] = _npy_tensor(path, name, stream, member.file_size)
    except (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError, ValueError) as error:
        if isinstance(error, FileError):
            raise
        raise _refusal(path, "be a whole zip archive without encryption", f"one that says: {error}") from None
    return tensors


def _npy_tensor(path, name, stream, size):
    """One npy stream of `size` bytes: magic, version, header length, header, data in the header's order."""
    prefix = stream.read(8)
    width = {1: 2, 2: 4, 3: 4}.get(prefix[6]) if len(prefix) == 8 and prefix.startswith(NPY_MAGIC) else None
    if width is None:
        raise _refusal(path, f"hold {name!r} as npy version 1, 2 or 3", f"the bytes {prefix.hex(' ') or 'of nothing'}")
    length = int.from_bytes(stream.read(width), "little")
    if length > min(LARGEST_NPY_HEADER, size - 8 - width):
        raise _refusal(path, f"hold the npy header of {name!r}", f"{length} as its length in {size} bytes")
    dtype, fortran, shape = _npy_header(path, name, stream.read(length))
    got = size - 8 - width - length
    needed = math.prod(shape) * dtype.itemsize
    if got != needed:
        raise _refusal(path, f"hold {needed} bytes for {name!r} of shape {shape} and dtype {dtype}", f"{got}")
    kind = "bfloat16" if dtype.kind == "V" else dtype.name
    values = _fill(path, name, stream, kind, shape[::-1] if fortran else shape, dtype.byteorder)
    return Tensor(kind, values.transpose() if fortran else values)


def _npy_header(path, name, text):
    """(dtype, fortran order, shape) of the literal dictionary in an npy header."""
    import ast

    try:
        header = ast.literal_eval(text.decode("utf-8").strip())
        descr, fortran, shape = header["descr"], header["fortran_order"], header["shape"]
        known = sorted(header) == ["descr", "fortran_order", "shape"] and isinstance(fortran, bool)
        if not (known and isinstance(shape, tuple) and all(map(_is_size, shape))):
            raise ValueError
    except (ValueError, SyntaxError, TypeError, KeyError, RecursionError, MemoryError, AttributeError):
        raise _refusal(
            path, f"hold an npy header with descr, fortran_order and shape for {name!r}", repr(text[:80])
        ) from None
    try:
        dtype = np.dtype(descr)
    except (TypeError, ValueError, SyntaxError, OverflowError):
        dtype = None
    if dtype is None or not (dtype.name in DTYPES or dtype.str[1:] == "V2"):
        known = ", ".join(DTYPES)
        raise _refusal(path, f"hold {name!r} as one of {known} (pickles are never loaded)", f"dtype {descr!r}")
    return dtype, fortran, shape


def _is_size(value):
    return type(value) is int and 0 <= value < 2**63


def _fill(path, name, stream, kind, shape, byteorder="<"):
    """A fresh native array of the shape, filled from the stream."""
    dtype = np.dtype("uint16" if kind == "bfloat16" else kind).newbyteorder("<" if byteorder == "|" else byteorder)
    try:
        values = np.empty(shape, dtype)
    except (ValueError, OverflowError):
        raise _refusal(path, f"hold {name!r} in a shape NumPy can hold", f"{tuple(shape)}") from None
    room = memoryview(values.reshape(-1).view(np.uint8))
    done = 0
    while done < len(room):
        count = stream.readinto(room[done : done + (1 << 24)])
        if not count:
            raise _refusal(path, f"hold {len(room)} bytes for {name!r}", f"{done}")
        done += count
    if kind == "bool" and values.size and values.view(np.uint8).max() > 1:
        raise _refusal(path, f"hold only 0 and 1 in the bool tensor {name!r}", f"{values.view(np.uint8).max()}")
    return values.astype(dtype.newbyteorder("="), copy=False)


# -- safetensors ------------------------------------------------------------------------------------------------------


def _read_safetensors(path, file):
    total = os.fstat(file.fileno()).st_size
    length = int.from_bytes(file.read(8), "little")
    if total < 8 or length > total - 8:
        claim = f"{total} bytes" if total < 8 else f"a header length of {length} in {total} bytes"
        raise _refusal(path, "be a safetensors file with a header that fits in it", claim)
    if length > LARGEST_HEADER:
        raise _refusal(path, f"have a safetensors header of at most {LARGEST_HEADER} bytes", f"{length}")
    entries = _safetensors_header(path, file.read(length))
    room = total - 8 - length
    end = 0
    tensors = {}
    for name, (kind, shape, start, stop) in sorted(entries.items(), key=lambda item: item[1][2:]):
        if start != end:
            raise _refusal(path, f"start the data of {name!r} at {end}, without gap or overlap", f"{start}")
        if stop > room:
            raise _refusal(path, f"hold the data of {name!r} in its {room} bytes of data", f"data_offsets to {stop}")
        tensors[name] = Tensor(kind, _fill(path, name, file, kind, shape))
        end = stop
    if end != room:
        raise _refusal(path, f"hold {end} bytes of data, as its header says", f"{room}")
    return dict(sorted(tensors.items()))


def _safetensors_header(path, text):
    """{name: (dtype, shape, start, stop)}, each entry consistent in itself."""
    import json

    def once(pairs):
        found = {}
        for name, value in pairs:
            if name in found:
                raise _refusal(path, "name each tensor and field once", f"{name!r} twice")
            found[name] = value
        return found

    try:
        header = json.loads(text.decode("utf-8"), object_pairs_hook=once)
    except FileError:
        raise
    except (ValueError, RecursionError):
        header = None
    if not isinstance(header, dict) or not text.startswith(b"{"):
        raise _refusal(path, "have a JSON object as its safetensors header", repr(text[:60]))
    metadata = header.pop("__metadata__", {})
    if not isinstance(metadata, dict) or not all(isinstance(value, str) for value in metadata.values()):
        raise _refusal(path, "map text to text in __metadata__", f"{metadata!r:.80}")
    return {name: _safetensors_entry(path, name, entry) for name, entry in header.items()}


def _safetensors_entry(path, name, entry):
    if not isinstance(entry, dict) or sorted(entry) != ["data_offsets", "dtype", "shape"]:
        raise _refusal(path, f"give dtype, shape and data_offsets for {name!r}", f"{entry!r:.80}")
    code, shape, offsets = entry["dtype"], entry["shape"], entry["data_offsets"]
    if not isinstance(code, str) or code not in SAFETENSORS:
        raise _refusal(path, f"hold {name!r} as one of {', '.join(SAFETENSORS)}", f"dtype {code!r:.40}")
    if not isinstance(shape, list) or not all(map(_is_size, shape)):
        raise _refusal(path, f"give the shape of {name!r} as a list of sizes", f"{shape!r:.80}")
    if not isinstance(offsets, list) or len(offsets) != 2 or not all(map(_is_size, offsets)):
        raise _refusal(path, f"give two data_offsets for {name!r}", f"{offsets!r:.80}")
    kind = SAFETENSORS[code]
    needed = math.prod(shape) * _itemsize(kind)
    if offsets[1] - offsets[0] != needed:
        received = f"{offsets[1] - offsets[0]} (offsets {offsets[0]} to {offsets[1]})"
        raise _refusal(path, f"hold {needed} bytes for {name!r} of shape {shape} and dtype {code}", received)
    return kind, tuple(shape), offsets[0], offsets[1]


def _itemsize(kind):
    return 2 if kind == "bfloat16" else np.dtype(kind).itemsize


_READERS = {"npy": _read_npy, "npz": _read_npz, "safetensors": _read_safetensors}


# -- writing ----------------------------------------------------------------------------------------------------------


def write_safetensors(path, tensors):
    """Write {name: array or Tensor} as safetensors: equal tensors give equal bytes, on every machine.

    Names are sorted in the header, which is padded with spaces to a multiple of 8 bytes. The data lie in name order,
    wider element types first, so that each is aligned to its own size (as the safetensors package lays them out).

    Raises E_DTYPE for an element type the format lacks, FileError (E_FILE) when the file cannot be written.
    """
    import json

    held = {name: tensor(array) for name, array in tensors.items()}
    order = sorted(held, key=lambda name: (-_itemsize(held[name].dtype), name))
    header, end = {}, 0
    for name in order:
        kind, values = held[name]
        header[name] = {"dtype": DTYPES[kind], "shape": list(values.shape), "data_offsets": [end, end + values.nbytes]}
        end += values.nbytes
    if "__metadata__" in header:
        received = "'__metadata__', which the format reserves"
        raise _refusal(os.fspath(path), "hold tensors under names of their own", received)
    text = json.dumps(header, separators=(",", ":"), sort_keys=True).encode()
    text += b" " * (-len(text) % 8)
    head = len(text).to_bytes(8, "little") + text
    write_atomically(path, [head, *(_little_endian(held[name].values) for name in order)])


def write_npz(path, tensors):
    """Write {name: array or Tensor} as an uncompressed npz: equal tensors give equal bytes, on every machine.

    Names are sorted and the time stamps in the zip are those of 1980. bfloat16 is written as two-byte void elements, as
    np.save does of an ml_dtypes array: `np.load(path)[name].view(ml_dtypes.bfloat16)` gives it back.

    Raises E_DTYPE for an element type refpos does not hold, FileError (E_FILE) when the file cannot be written.
    """
    import zipfile

    held = {name: tensor(array) for name, array in sorted(tensors.items())}

    def fill(file):
        with zipfile.ZipFile(file, "w", zipfile.ZIP_STORED) as archive:
            for name, (kind, values) in held.items():
                member = zipfile.ZipInfo(f"{name}.npy", (1980, 1, 1, 0, 0, 0))
                member.create_system, member.external_attr = 3, 0o644 << 16
                # zip64 is decided by the size alone, so that it does not depend on how the file is written
                with archive.open(member, "w", force_zip64=values.nbytes >= 1 << 31) as stream:
                    stream.write(_npy_head(kind, values.shape))
                    stream.write(_little_endian(values))

    _replace(path, fill)


def _npy_head(kind, shape):
    code = "|V2" if kind == "bfloat16" else np.dtype(kind).newbyteorder("<").str
    text = f"{{'descr': {code!r}, 'fortran_order': False, 'shape': {shape!r}, }}"
    text += " " * (-(len(text) + 11) % 64) + "\n"
    return NPY_MAGIC + b"\x01\x00" + len(text).to_bytes(2, "little") + text.encode("ascii")


def _little_endian(values):
    ordered = np.ascontiguousarray(values.astype(values.dtype.newbyteorder("<"), copy=False))
    return memoryview(ordered.reshape(-1).view(np.uint8))


def write_atomically(path, chunks):
    """Write the byte chunks to path so that a reader finds the old file or the whole new one, never a part.

    The chunks go to a file aside in the same folder, which is flushed to the disk and then renamed; on any failure, an
    interruption too, it is removed and the old file stays.

    Raises FileError (E_FILE) when the folder is missing, not writable or full.
    """

    def fill(file):
        for chunk in chunks:
            file.write(chunk)

    _replace(path, fill)


def _replace(path, fill):
    path = os.fspath(path)
    aside = os.path.join(os.path.dirname(path), f".{os.path.basename(path)}.{os.urandom(8).hex()}.part")
    try:
        try:
            with open(aside, "xb") as file:
                fill(file)
                file.flush()
                os.fsync(file.fileno())
            os.replace(aside, path)
        except BaseException:
            if os.path.lexists(aside):
                os.remove(aside)
            raise
    except OSError as error:
        raise _refusal(path, "be written whole", error.strerror or str(error)) from None
