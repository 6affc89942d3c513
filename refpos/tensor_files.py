"""Tensors on disk: npz, npy and safetensors, read without trusting one number in them, written to equal bytes always.

Nothing is ever unpickled, and a file is refused as a whole: no tensor of a damaged file is handed out. What only one
container needs is imported with its first file, so that `import refpos` need not wait for it.
"""

import math
import os
import re
import stat
from collections.abc import Mapping
from numbers import Integral
from typing import NamedTuple

import numpy as np

from .errors import FileError, InputTypeError, shortened, shown
from .types import Array

#: safetensors name -> name of the element type here; bfloat16 is held as uint16 bit patterns
SAFETENSORS = {
    "F64": "float64", "F32": "float32", "F16": "float16", "BF16": "bfloat16",
    "I64": "int64", "I32": "int32", "I16": "int16", "I8": "int8",
    "U64": "uint64", "U32": "uint32", "U16": "uint16", "U8": "uint8", "BOOL": "bool",
}  # fmt: skip
DTYPES = {name: code for code, name in SAFETENSORS.items()}
#: what an npy header says behind the byte order -> name of the element type
NPY = {np.dtype(name).str[1:]: name for name in DTYPES if name != "bfloat16"} | {"V2": "bfloat16"}
LARGEST_HEADER = 100_000_000  # the limit of the safetensors format
LARGEST_NPY_HEADER = 65_535  # what version 1 of the npy format can say
LARGEST_ZIP_NAME = 65_535  # what a zip archive can say
MOST_DIMENSIONS = 64  # of a NumPy array
#: a compressed file may hold so many bytes, or so many times its own size if that is more, unless the caller says
LARGEST_EXPANSION, EXPANSION = 1 << 32, 100
NPY_MAGIC = b"\x93NUMPY"
ZIP_MAGICS = (b"PK\x03\x04", b"PK\x05\x06")
NPY_VERSIONS = {b"\1\0": 2, b"\2\0": 4, b"\3\0": 4}  # -> bytes of the header's length


class Tensor(NamedTuple):
    """Values and the name of their element type; of bfloat16, `values` are the bit patterns as uint16."""

    dtype: str
    values: Array


def tensor(array):
    """The array as a Tensor, in native byte order; an ml_dtypes bfloat16 array gives its bit patterns.

    Raises E_DTYPE for an element type that no file format here can hold (complex, object, text, long double).

    >>> tensor(np.arange(3, dtype=np.float32)).dtype
    'float32'
    """
    if isinstance(array, Tensor):
        _agree(*array)
        return array
    try:
        array = np.asarray(array)
    except (TypeError, ValueError, OverflowError):
        sentence = f"a tensor must be a rectangular array of numbers, got {shown(array)}"
        raise InputTypeError("E_DTYPE", "dtype", sentence) from None
    if array.dtype.name not in DTYPES:
        known = ", ".join(DTYPES)
        received = shortened(str(array.dtype))
        raise InputTypeError("E_DTYPE", "dtype", f"a tensor must have one of the dtypes {known}, got {received}")
    if array.dtype.name == "bfloat16":
        return Tensor("bfloat16", array.view(np.uint16))
    return Tensor(array.dtype.name, array.astype(array.dtype.newbyteorder("="), copy=False))


def _agree(kind, values):
    """Refuse a Tensor whose values are not those of its element type."""
    held = "uint16" if kind == "bfloat16" else kind
    if not isinstance(kind, str) or kind not in DTYPES or not isinstance(values, np.ndarray):
        received = f"{shown(kind)} of {type(values).__name__}"
        raise InputTypeError("E_DTYPE", "dtype", f"a Tensor must have a dtype of {', '.join(DTYPES)}, got {received}")
    if values.dtype.name != held:
        sentence = f"a Tensor of dtype {kind} must hold values of dtype {held}, got {shortened(str(values.dtype))}"
        raise InputTypeError("E_DTYPE", "dtype", sentence)


# -- reading ----------------------------------------------------------------------------------------------------------


def read_tensors(path, *, most_bytes=None):
    """All tensors of a .npz, .npy or .safetensors file, as {name: Tensor}.

    The content tells npz from npy, whatever the suffix; the one tensor of a .npy file has the stem of its name.
    A two-byte void element (what np.save writes of an ml_dtypes bfloat16 array) is read as bfloat16. Members of an npz
    are stored or deflated, as np.savez and np.savez_compressed write them.

    most_bytes: how many bytes the tensors may have together, or {name: how many bytes that one may have}; asked before
    any of them is read or decompressed. What it leaves open may have 4 GiB, or 100 times the size of the file if that
    is more, so that a small file cannot fill the memory.

    Raises FileError (E_FILE), naming the file and where possible the tensor, for a file that is missing, empty,
    truncated, of another kind, too large or no regular file, or whose header does not fit its content; pickled objects
    are refused unread. Raises InputTypeError for a path that is no file name (E_FILE), or most_bytes that are no sizes.
    """
    _check_most(most_bytes)

    def read(path, file):
        admit = _admission(path, os.fstat(file.fileno()).st_size, most_bytes)
        return _READERS[_kind(path, file)](path, file, admit)

    return _read(path, read)


def read_bytes(path, most):
    """The content of a regular file of at most `most` bytes; FileError where it is missing, larger or no file."""

    def read(path, file):
        data = file.read(most + 1)
        if len(data) > most:
            raise _refusal(path, f"have at most {most} bytes", f"{os.fstat(file.fileno()).st_size}")
        return data

    return _read(path, read)


def file_name(path, argument="path"):
    """The path as text; an error where it cannot name a file."""
    try:
        text = os.fspath(path)
    except Exception:  # whatever an object raises that is asked to be a path
        text = None
    if not isinstance(text, str):
        sentence = f"{argument} must be a file name, as text or os.PathLike, got {shown(path)}"
        raise InputTypeError("E_FILE", argument, sentence)
    try:
        known = b"\0" not in os.fsencode(text)
    except UnicodeEncodeError:
        known = False
    if not known:
        raise FileError("E_FILE", argument, f"{argument} must be a name that a file can have, got {shown(text)}")
    return text


def _read(path, reader):
    """reader(path, file) of a regular file: a pipe might wait for its writer, and a device never end."""
    path = file_name(path)
    try:
        mode = os.stat(path).st_mode
        if not (stat.S_ISREG(mode) or stat.S_ISDIR(mode)):  # a folder is refused when it is opened
            raise _refusal(path, "be a regular file", "a pipe, a socket or a device")
        with open(path, "rb") as file:
            return reader(path, file)
    except OSError as error:
        raise _refusal(path, "be a readable file", error.strerror or str(error)) from None
    except MemoryError:
        raise _refusal(path, "fit in memory", f"{os.path.getsize(path)} bytes on disk") from None


def _refusal(path, expected, received):
    return FileError("E_FILE", "path", f"{shortened(path, 300) or repr(path)} must {expected}, got {received}")


def _check_most(most_bytes):
    sizes = most_bytes.values() if isinstance(most_bytes, Mapping) else [0 if most_bytes is None else most_bytes]
    if not all(isinstance(size, Integral) and size >= 0 for size in sizes):
        sentence = f"most_bytes must be a number of bytes, or such numbers by name, got {shown(most_bytes)}"
        raise InputTypeError("E_SIZE", "most_bytes", sentence)


def _admission(path, size, most_bytes):
    """A function that is told the name and the bytes of each tensor before its data are read, and refuses too many."""
    named = most_bytes if isinstance(most_bytes, Mapping) else {}
    rest = max(LARGEST_EXPANSION, EXPANSION * size) if most_bytes is None or named is most_bytes else most_bytes
    admitted = 0

    def admit(name, count):
        nonlocal admitted
        if name in named and count > named[name]:
            raise _refusal(path, f"hold at most {named[name]} bytes for {shown(name)}", shown(count))
        admitted += 0 if name in named else count
        if admitted > rest:
            expected = f"hold at most {rest} bytes of tensors, as most_bytes says"
            raise _refusal(path, expected, f"{shown(admitted)} up to {shown(name)}")

    return admit


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


def _read_npy(path, file, admit):
    name = os.path.splitext(os.path.basename(path))[0]
    return {name: _npy_tensor(path, name, file, os.fstat(file.fileno()).st_size, admit)}


def _read_npz(path, file, admit):
    import struct
    import zipfile
    import zlib

    # what zipfile raises of damaged archives; NotImplementedError and RecursionError are kinds of RuntimeError
    damage = zipfile.BadZipFile, zlib.error, struct.error, EOFError, RuntimeError, ValueError, IndexError, OverflowError
    tensors = {}
    try:
        with zipfile.ZipFile(file) as archive:
            for member in archive.infolist():
                name = _member_name(path, member, tensors)
                with archive.open(member) as stream:
                    tensors[name] = _npy_tensor(path, name, stream, member.file_size, admit)
    except damage as error:
        if isinstance(error, FileError):
            raise
        received = f"one that says: {shortened(str(error))}"
        raise _refusal(path, "be a whole zip archive without encryption", received) from None
    return tensors


def _member_name(path, member, tensors):
    import zipfile

    full = member.orig_filename  # as it stands in the file: `filename` is cut at NUL, and differs on Windows
    if not full.endswith(".npy") or "\0" in full:
        raise _refusal(path, "be an npz file, whose members end in .npy", f"a zip with {shown(full)}")
    name = full[: -len(".npy")]
    if name in tensors:
        raise _refusal(path, "name each tensor once", f"{shown(name)} twice")
    if member.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
        # zipfile reads bz2 and LZMA without a bound: 4 kB of the one make 4 GB at once
        kind = zipfile.compressor_names.get(member.compress_type, member.compress_type)
        raise _refusal(path, f"hold {shown(name)} stored or deflated, as NumPy writes it", f"compression by {kind}")
    return name


def _npy_tensor(path, name, stream, size, admit):
    """One npy stream of `size` bytes: magic, version, header length, header, data in the header's order."""
    named = shown(name)
    prefix = stream.read(8)
    width = NPY_VERSIONS.get(prefix[6:]) if prefix.startswith(NPY_MAGIC) else None
    if width is None:
        raise _refusal(path, f"hold {named} as npy version 1, 2 or 3", f"the bytes {prefix.hex(' ') or 'of nothing'}")
    length = int.from_bytes(stream.read(width), "little")
    if length > min(LARGEST_NPY_HEADER, size - 8 - width):
        raise _refusal(path, f"hold the npy header of {named}", f"{length} as its length in {size} bytes")
    kind, order, fortran, shape = _npy_header(path, named, stream.read(length))
    got = size - 8 - width - length
    needed = math.prod(shape) * _itemsize(kind)
    if got != needed:
        expected = f"hold {shown(needed)} bytes for {named} of shape {shown(shape)} and dtype {kind}"
        raise _refusal(path, expected, f"{got}")
    admit(name, needed)
    values = _fill(path, named, stream, kind, shape[::-1] if fortran else shape, order)
    return Tensor(kind, values.transpose() if fortran else values)


_VALUE = r"""'[^'\\]*'|"[^"\\]*"|\[[^][\\]*\]|\([0-9,\s]*\)|\w+"""
_FIELD = rf"""\s*['"](descr|fortran_order|shape)['"]\s*:\s*({_VALUE})\s*(?:,|(?=}}))"""


def _npy_header(path, named, text):
    """(dtype, byte order, fortran order, shape) of the literal dictionary in an npy header.

    Its few forms are matched, since evaluating a literal warns of some and runs out of stack with others.
    """
    text = text.decode("utf-8", "replace").strip()
    found = re.findall(_FIELD, text) if re.fullmatch(rf"{{(?:{_FIELD})*\s*}}", text) else ()
    fields = dict(found)
    shape = _npy_shape(fields.get("shape", ""))
    if len(found) != 3 or len(fields) != 3 or shape is None or fields["fortran_order"] not in ("True", "False"):
        expected = f"hold an npy header with descr, fortran_order and shape for {named}"
        raise _refusal(path, expected, shown(text))
    if len(shape) > MOST_DIMENSIONS:
        raise _refusal(path, f"hold {named} in at most {MOST_DIMENSIONS} dimensions", f"{len(shape)}")
    order, kind = fields["descr"][1:2], NPY.get(fields["descr"][2:-1])
    if order not in ("<", ">", "|") or kind is None or (order == "|" and _itemsize(kind) > 1 and kind != "bfloat16"):
        known = ", ".join(DTYPES)
        expected = f"hold {named} as one of {known} with its byte order (pickles are never loaded)"
        raise _refusal(path, expected, f"dtype {shortened(fields['descr'])}")
    return kind, order, fields["fortran_order"] == "True", shape


def _npy_shape(text):
    """The sizes of a literal tuple, or None."""
    if not re.fullmatch(r"\((\s*[0-9]{1,19}\s*,)*(\s*[0-9]{1,19}\s*)?\s*\)", text):
        return None
    sizes = tuple(map(int, re.findall("[0-9]+", text)))
    return sizes if all(map(_is_size, sizes)) and ("," in text or not sizes) else None


def _is_size(value):
    return type(value) is int and 0 <= value < 2**63


def _fill(path, named, stream, kind, shape, order="<"):
    """A fresh native array of the shape, filled from the stream."""
    dtype = np.dtype("uint16" if kind == "bfloat16" else kind).newbyteorder("<" if order == "|" else order)
    try:
        values = np.empty(shape, dtype)
    except (ValueError, OverflowError):
        raise _refusal(path, f"hold {named} in a shape NumPy can hold", shown(tuple(shape))) from None
    room = memoryview(values.reshape(-1).view(np.uint8))
    done = 0
    while done < len(room):
        count = stream.readinto(room[done : done + (1 << 24)])
        if not count:
            raise _refusal(path, f"hold {len(room)} bytes for {named}", f"{done}")
        done += count
    if kind == "bool" and values.size and values.view(np.uint8).max() > 1:
        raise _refusal(path, f"hold only 0 and 1 in the bool tensor {named}", f"{values.view(np.uint8).max()}")
    return values.astype(dtype.newbyteorder("="), copy=False)


# -- safetensors ------------------------------------------------------------------------------------------------------


def _read_safetensors(path, file, admit):
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
        named = shown(name)
        if start != end:
            raise _refusal(path, f"start the data of {named} at {end}, without gap or overlap", f"{start}")
        if stop > room:
            raise _refusal(path, f"hold the data of {named} in its {room} bytes of data", f"data_offsets to {stop}")
        admit(name, stop - start)
        tensors[name] = Tensor(kind, _fill(path, named, file, kind, shape))
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
                raise _refusal(path, "name each tensor and field once", f"{shown(name)} twice")
            found[name] = value
        return found

    try:
        header = json.loads(text.decode("utf-8"), object_pairs_hook=once)
    except FileError:
        raise
    except (ValueError, RecursionError):
        header = None
    if not isinstance(header, dict) or not text.startswith(b"{"):
        raise _refusal(path, "have a JSON object as its safetensors header", shown(text[:60]))
    metadata = header.pop("__metadata__", {})
    if not isinstance(metadata, dict) or not all(isinstance(value, str) for value in metadata.values()):
        raise _refusal(path, "map text to text in __metadata__", shown(metadata))
    return {name: _safetensors_entry(path, name, entry) for name, entry in header.items()}


def _safetensors_entry(path, name, entry):
    named = shown(name)
    if not _is_text(name):
        raise _refusal(path, "name each tensor in text", named)
    if not isinstance(entry, dict) or sorted(entry) != ["data_offsets", "dtype", "shape"]:
        raise _refusal(path, f"give dtype, shape and data_offsets for {named}", shown(entry))
    code, shape, offsets = entry["dtype"], entry["shape"], entry["data_offsets"]
    if not isinstance(code, str) or code not in SAFETENSORS:
        raise _refusal(path, f"hold {named} as one of {', '.join(SAFETENSORS)}", f"dtype {shown(code)}")
    if not isinstance(shape, list) or not all(map(_is_size, shape)):
        raise _refusal(path, f"give the shape of {named} as a list of sizes", shown(shape))
    if len(shape) > MOST_DIMENSIONS:
        raise _refusal(path, f"hold {named} in at most {MOST_DIMENSIONS} dimensions", f"{len(shape)}")
    if not isinstance(offsets, list) or len(offsets) != 2 or not all(map(_is_size, offsets)):
        raise _refusal(path, f"give two data_offsets for {named}", shown(offsets))
    kind = SAFETENSORS[code]
    needed = math.prod(shape) * _itemsize(kind)
    if offsets[1] - offsets[0] != needed:
        received = f"{offsets[1] - offsets[0]} (offsets {offsets[0]} to {offsets[1]})"
        expected = f"hold {shown(needed)} bytes for {named} of shape {shown(shape)} and dtype {code}"
        raise _refusal(path, expected, received)
    return kind, tuple(shape), offsets[0], offsets[1]


def _is_text(name):
    """Whether UTF-8 can say the name, without a NUL, at which some readers stop."""
    try:
        return b"\0" not in name.encode()
    except UnicodeEncodeError:
        return False


def _itemsize(kind):
    return 2 if kind == "bfloat16" else np.dtype(kind).itemsize


_READERS = {"npy": _read_npy, "npz": _read_npz, "safetensors": _read_safetensors}


# -- writing ----------------------------------------------------------------------------------------------------------


def write_safetensors(path, tensors):
    """Write {name: array or Tensor} as safetensors: equal tensors give equal bytes, on every machine.

    Names are sorted in the header, which is padded with spaces to a multiple of 8 bytes. The data lie in name order,
    wider element types first, so that each is aligned to its own size (as the safetensors package lays them out).

    Raises E_DTYPE for an element type the format lacks, FileError (E_FILE) for a name that is no text, too long or
    reserved, and when the file cannot be written.
    """
    import json

    held = _held(tensors)
    order = sorted(held, key=lambda name: (-_itemsize(held[name].dtype), name))
    header, end = {}, 0
    for name in order:
        kind, values = held[name]
        header[name] = {"dtype": DTYPES[kind], "shape": list(values.shape), "data_offsets": [end, end + values.nbytes]}
        end += values.nbytes
    if "__metadata__" in header:
        received = "'__metadata__', which the format reserves"
        raise _refusal(file_name(path), "hold tensors under names of their own", received)
    text = json.dumps(header, separators=(",", ":"), sort_keys=True).encode()
    text += b" " * (-len(text) % 8)
    if len(text) > LARGEST_HEADER:
        expected = f"have a safetensors header of at most {LARGEST_HEADER} bytes"
        raise _refusal(file_name(path), expected, f"{len(text)} for {len(held)} tensors")
    head = len(text).to_bytes(8, "little") + text
    write_atomically(path, [head, *(_little_endian(held[name].values) for name in order)])


def write_npz(path, tensors):
    """Write {name: array or Tensor} as an uncompressed npz: equal tensors give equal bytes, on every machine.

    Names are sorted and the time stamps in the zip are those of 1980. bfloat16 is written as two-byte void elements, as
    np.save does of an ml_dtypes array: `np.load(path)[name].view(ml_dtypes.bfloat16)` gives it back.

    Raises E_DTYPE for an element type refpos does not hold, FileError (E_FILE) for a name that is no text or of more
    than 65531 bytes, and when the file cannot be written.
    """
    import zipfile

    held = _held(tensors, LARGEST_ZIP_NAME - len(".npy"))

    def fill(file):
        with zipfile.ZipFile(file, "w", zipfile.ZIP_STORED) as archive:
            for name, (kind, values) in held.items():
                member = zipfile.ZipInfo(date_time=(1980, 1, 1, 0, 0, 0))
                member.filename = f"{name}.npy"  # which its constructor would change on Windows
                member.create_system, member.external_attr = 3, 0o644 << 16
                # zip64 is decided by the size alone, so that it does not depend on how the file is written
                with archive.open(member, "w", force_zip64=values.nbytes >= 1 << 31) as stream:
                    stream.write(_npy_head(kind, values.shape))
                    stream.write(_little_endian(values))

    _replace(path, fill)


def _held(tensors, longest=LARGEST_HEADER):
    """{name: Tensor} sorted by names, each of which a reader gives back."""
    if not isinstance(tensors, Mapping):
        sentence = f"tensors must be a dict of arrays by name, got {type(tensors).__name__}"
        raise InputTypeError("E_DTYPE", "tensors", sentence)
    for name in tensors:
        if not isinstance(name, str):
            raise InputTypeError("E_FILE", "tensors", f"the name of a tensor must be text, got {shown(name)}")
        if not _is_text(name):
            sentence = f"the name of a tensor must be text without NUL or lone surrogates, got {shown(name)}"
            raise FileError("E_FILE", "tensors", sentence)
        if len(name.encode()) > longest:
            sentence = f"the name of a tensor must have at most {longest} bytes, got {len(name.encode())}"
            raise FileError("E_FILE", "tensors", sentence)
    return {name: tensor(tensors[name]) for name in sorted(tensors)}


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

    Raises FileError (E_FILE) when the folder is missing, not writable or full, or the path is that of a device.
    """

    def fill(file):
        for chunk in chunks:
            file.write(chunk)

    _replace(path, fill)


def _replace(path, fill):
    path = file_name(path)
    # a name as long as a folder allows leaves no room for more
    aside = os.path.join(os.path.dirname(path), f".{os.path.basename(path)[:32]}.{os.urandom(8).hex()}.part")
    try:
        if os.path.exists(path) and not (os.path.isfile(path) or os.path.isdir(path)):
            raise _refusal(path, "be a regular file", "a pipe, a socket or a device")
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
