"""npy and npz, as NumPy writes them."""

import math
import os
import re

import numpy as np

from ..errors import FileError, shortened, shown
from .files import is_size, read_array, refusal, replace_file
from .named import little_endian, tensors_by_name
from .tensors import DTYPES, MOST_DIMENSIONS, PATTERNS, Tensor, Unread, itemsize

#: what an npy header says behind the byte order -> name of the element type
NPY = {np.dtype(name).str[1:]: name for name in DTYPES if name not in PATTERNS} | {"V2": "bfloat16"}
LARGEST_NPY_HEADER = 65_535  # what version 1 of the npy format can say
LARGEST_ZIP_NAME = 65_535  # what a zip archive can say
NPY_MAGIC = b"\x93NUMPY"
NPY_VERSIONS = {b"\1\0": 2, b"\2\0": 4, b"\3\0": 4}  # -> bytes of the header's length


def read_npy(path, file, admit, wanted=None):
    """{stem of the path: Tensor} of an open file; admit(name, bytes) is asked before the data are read."""
    name = os.path.splitext(os.path.basename(path))[0]
    return {name: _npy_tensor(path, name, file, os.fstat(file.fileno()).st_size, admit, wanted)}


def read_npz(path, file, admit, wanted=None):
    """{name: Tensor} of an open file; admit(name, bytes) is asked before the data of a member are read; with wanted,
    what cannot be read is `Unread`."""
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
                try:
                    with archive.open(member) as stream:
                        tensors[name] = _npy_tensor(path, name, stream, member.file_size, admit, wanted)
                except damage as error:
                    if wanted is None:
                        raise
                    tensors[name] = Unread(why=str(_damaged(path, error)))
    except damage as error:
        raise _damaged(path, error) from None
    return tensors


def _damaged(path, error):
    """The error of an archive, or of one of its members, of which something was raised."""
    if isinstance(error, FileError):
        return error
    received = f"one that says: {shortened(str(error))}"
    return refusal(path, "be a whole zip archive without encryption", received)


def _member_name(path, member, tensors):
    import zipfile

    full = member.orig_filename  # as it stands in the file: `filename` is cut at NUL, and differs on Windows
    if not full.endswith(".npy") or "\0" in full:
        raise refusal(path, "be an npz file, whose members end in .npy", f"a zip with {shown(full)}")
    name = full[: -len(".npy")]
    if name in tensors:
        raise refusal(path, "name each tensor once", f"{shown(name)} twice")
    if member.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
        # zipfile reads bz2 and LZMA without a bound: 4 kB of the one make 4 GB at once
        kind = zipfile.compressor_names.get(member.compress_type, member.compress_type)
        raise refusal(path, f"hold {shown(name)} stored or deflated, as NumPy writes it", f"compression by {kind}")
    return name


def _npy_tensor(path, name, stream, size, admit, wanted):
    """One npy stream of `size` bytes: magic, version, header length, header, data in the header's order."""
    named = shown(name)
    prefix = stream.read(8)
    width = NPY_VERSIONS.get(prefix[6:]) if prefix.startswith(NPY_MAGIC) else None
    if width is None:
        raise refusal(path, f"hold {named} as npy version 1, 2 or 3", f"the bytes {prefix.hex(' ') or 'of nothing'}")
    length = int.from_bytes(stream.read(width), "little")
    if length > min(LARGEST_NPY_HEADER, size - 8 - width):
        raise refusal(path, f"hold the npy header of {named}", f"{length} as its length in {size} bytes")
    kind, order, fortran, shape = _npy_header(path, named, stream.read(length))
    got = size - 8 - width - length
    if wanted and not wanted(name, kind, shape):
        return Unread(kind, shape, held=got)
    needed = math.prod(shape) * itemsize(kind)
    if got != needed:
        expected = f"hold {shown(needed)} bytes for {named} of shape {shown(shape)} and dtype {kind}"
        raise refusal(path, expected, f"{got}")
    admit(name, needed)
    values = read_array(path, named, stream, kind, shape[::-1] if fortran else shape, order)
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
        raise refusal(path, expected, shown(text))
    if len(shape) > MOST_DIMENSIONS:
        raise refusal(path, f"hold {named} in at most {MOST_DIMENSIONS} dimensions", f"{len(shape)}")
    order, kind = fields["descr"][1:2], NPY.get(fields["descr"][2:-1])
    if order not in ("<", ">", "|") or kind is None or (order == "|" and itemsize(kind) > 1 and kind != "bfloat16"):
        known = ", ".join(DTYPES)
        expected = f"hold {named} as one of {known} with its byte order (pickles are never loaded)"
        raise refusal(path, expected, f"dtype {shortened(fields['descr'])}")
    return kind, order, fields["fortran_order"] == "True", shape


def _npy_shape(text):
    """The sizes of a literal tuple, or None."""
    if not re.fullmatch(r"\((\s*[0-9]{1,19}\s*,)*(\s*[0-9]{1,19}\s*)?\s*\)", text):
        return None
    sizes = tuple(map(int, re.findall("[0-9]+", text)))
    return sizes if all(map(is_size, sizes)) and ("," in text or not sizes) else None


def write_npz(path, tensors):
    """Write {name: array or Tensor} as an uncompressed npz: equal tensors give equal bytes, on every machine.

    Names are sorted and the time stamps in the zip are those of 1980. bfloat16 is written as two-byte void elements, as
    np.save does of an ml_dtypes array: `np.load(path)[name].view(ml_dtypes.bfloat16)` gives it back. 8-bit floats are
    written as uint8 bit patterns, since npy has no name for them.

    Raises E_DTYPE for an element type refpos does not hold, FileError (E_FILE) for a name that is not text or of more
    than 65531 bytes, and when the file cannot be written.
    """
    import zipfile

    held = tensors_by_name(tensors, LARGEST_ZIP_NAME - len(".npy"))

    def fill(file):
        with zipfile.ZipFile(file, "w", zipfile.ZIP_STORED) as archive:
            for name, (kind, values) in held.items():
                member = zipfile.ZipInfo(date_time=(1980, 1, 1, 0, 0, 0))
                member.filename = f"{name}.npy"  # which its constructor would change on Windows
                member.create_system, member.external_attr = 3, 0o644 << 16
                # zip64 is decided by the size alone, so that it does not depend on how the file is written
                with archive.open(member, "w", force_zip64=values.nbytes >= 1 << 31) as stream:
                    stream.write(_npy_head(kind, values.shape))
                    stream.write(little_endian(values))

    replace_file(path, fill)


def _npy_head(kind, shape):
    code = "|V2" if kind == "bfloat16" else np.dtype(PATTERNS.get(kind, kind)).newbyteorder("<").str
    text = f"{{'descr': {code!r}, 'fortran_order': False, 'shape': {shape!r}, }}"
    text += " " * (-(len(text) + 11) % 64) + "\n"
    return NPY_MAGIC + b"\x01\x00" + len(text).to_bytes(2, "little") + text.encode("ascii")
