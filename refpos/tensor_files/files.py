"""Files: regular ones alone are read, and what is written replaces the old file at once or not at all."""

import os
import stat

import numpy as np

from ..errors import FileError, InputTypeError, shortened, shown
from .tensors import PATTERNS


def read_bytes(path, most):
    """The content of a regular file of at most `most` bytes; FileError where it is missing, larger or no file."""

    def read(path, file):
        data = file.read(most + 1)
        if len(data) > most:
            raise refusal(path, f"have at most {most} bytes", f"{os.fstat(file.fileno()).st_size}")
        return data

    return read_file(path, read)


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


def read_file(path, reader):
    """reader(path, file) of a regular file: a pipe might wait for its writer, and a device never end."""
    path = file_name(path)
    try:
        mode = os.stat(path).st_mode
        if not (stat.S_ISREG(mode) or stat.S_ISDIR(mode)):  # a folder is refused when it is opened
            raise refusal(path, "be a regular file", "a pipe, a socket or a device")
        with open(path, "rb") as file:
            return reader(path, file)
    except OSError as error:
        raise refusal(path, "be a readable file", error.strerror or str(error)) from None
    except MemoryError:
        raise refusal(path, "fit in memory", f"{os.path.getsize(path)} bytes on disk") from None


def refusal(path, expected, received):
    """The error of a file that is not as expected, to be raised."""
    return FileError("E_FILE", "path", f"{shortened(path, 300) or repr(path)} must {expected}, got {received}")


def is_size(value):
    """Whether a number of a header can be a size or an offset."""
    return type(value) is int and 0 <= value < 2**63


def read_array(path, named, stream, kind, shape, order="<"):
    """A fresh native array of the shape, filled from the stream."""
    dtype = np.dtype(PATTERNS.get(kind, kind)).newbyteorder("<" if order == "|" else order)
    try:
        values = np.empty(shape, dtype)
    except (ValueError, OverflowError):
        raise refusal(path, f"hold {named} in a shape NumPy can hold", shown(tuple(shape))) from None
    room = memoryview(values.reshape(-1).view(np.uint8))
    done = 0
    while done < len(room):
        count = stream.readinto(room[done : done + (1 << 24)])
        if not count:
            raise refusal(path, f"hold {len(room)} bytes for {named}", f"{done}")
        done += count
    if kind == "bool" and values.size and values.view(np.uint8).max() > 1:
        raise refusal(path, f"hold only 0 and 1 in the bool tensor {named}", f"{values.view(np.uint8).max()}")
    return values.astype(dtype.newbyteorder("="), copy=False)


def write_atomically(path, chunks):
    """Write the byte chunks to path so that a reader finds the old file or the whole new one, never a part.

    The chunks go to a file aside in the same folder, which is flushed to the disk and then renamed; on any failure, an
    interruption too, it is removed and the old file stays.

    Raises FileError (E_FILE) when the folder is missing, not writable or full, or the path is that of a device.
    """

    def fill(file):
        for chunk in chunks:
            file.write(chunk)

    replace_file(path, fill)


def replace_file(path, fill):
    """Put what fill(file) writes at the path, as `write_atomically` says."""
    path = file_name(path)
    # a name as long as a folder allows leaves no room for more
    aside = os.path.join(os.path.dirname(path), f".{os.path.basename(path)[:32]}.{os.urandom(8).hex()}.part")
    try:
        if os.path.exists(path) and not (os.path.isfile(path) or os.path.isdir(path)):
            raise refusal(path, "be a regular file", "a pipe, a socket or a device")
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
        raise refusal(path, "be written whole", error.strerror or str(error)) from None
