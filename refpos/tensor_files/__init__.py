"""Tensors on disk: npz, npy and safetensors, read without trusting one number in them, written to equal bytes always.

Nothing is ever unpickled, and a file is refused as a whole: no tensor of a damaged file is handed out. What only one
container needs is imported with its first file, so that `import refpos` need not wait for it.
"""

import os
from collections.abc import Mapping
from numbers import Integral

from ..errors import InputTypeError, shown
from .files import file_name, read_bytes, read_file, refusal, write_atomically
from .npy import NPY_MAGIC, read_npy, read_npz, write_npz
from .safetensors import read_safetensors, write_safetensors
from .tensors import Tensor, Unread, answer, tensor

__all__ = [
    "NPY_MAGIC",
    "Tensor",
    "Unread",
    "answer",
    "file_name",
    "read_bytes",
    "read_tensors",
    "tensor",
    "write_atomically",
    "write_npz",
    "write_safetensors",
]

#: a compressed file may hold so many bytes, or so many times its own size if that is more, unless the caller says
LARGEST_EXPANSION, EXPANSION = 1 << 32, 100
ZIP_MAGICS = (b"PK\x03\x04", b"PK\x05\x06")
_READERS = {"npy": read_npy, "npz": read_npz, "safetensors": read_safetensors}


def read_tensors(path, *, most_bytes=None, wanted=None):
    """All tensors of a .npz, .npy or .safetensors file, as {name: Tensor}.

    The content tells npz from npy, whatever the suffix; the one tensor of a .npy file has the stem of its name.
    A two-byte void element (what np.save writes of an ml_dtypes bfloat16 array) is read as bfloat16. Members of an npz
    are stored or deflated, as np.savez and np.savez_compressed write them.

    most_bytes: how many bytes the tensors may have together, or {name: how many bytes that one may have}; asked before
    any of them is read or decompressed. What it leaves open may have 4 GiB, or 100 times the size of the file if that
    is more, so that a small file cannot fill the memory.

    wanted: called with the name, the dtype and the shape of each tensor; those for which it is false are passed over
    unread, so that a file may be larger than the memory. What cannot be read is then `Unread` by itself, where without
    it the file is refused.

    Raises FileError (E_FILE), naming the file and where possible the tensor, for a file that is missing, empty,
    truncated, of another kind, too large or no regular file, or whose header does not fit its content; pickled objects
    are refused unread. Raises InputTypeError for a path that is no file name (E_FILE), or most_bytes that are no sizes.
    """
    _check_most(most_bytes)

    def read(path, file):
        admit = _admission(path, os.fstat(file.fileno()).st_size, most_bytes)
        return _READERS[_kind(path, file)](path, file, admit, wanted)

    return read_file(path, read)


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
            raise refusal(path, f"hold at most {named[name]} bytes for {shown(name)}", shown(count))
        admitted += 0 if name in named else count
        if admitted > rest:
            expected = f"hold at most {rest} bytes of tensors, as most_bytes says"
            raise refusal(path, expected, f"{shown(admitted)} up to {shown(name)}")

    return admit


def _kind(path, file):
    start = file.read(9)
    file.seek(0)
    if not start:
        raise refusal(path, "hold tensors (npz, npy or safetensors)", "an empty file")
    if path.lower().endswith(".safetensors"):
        return "safetensors"
    if start.startswith(NPY_MAGIC):
        return "npy"
    if start.startswith(ZIP_MAGICS):
        return "npz"
    if start[8:] == b"{" and not path.lower().endswith((".npz", ".npy")):
        return "safetensors"
    raise refusal(path, "start as an npz, npy or safetensors file does", f"the bytes {start.hex(' ')}")
