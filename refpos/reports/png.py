"""Small pictures as PNG, from arrays of indices into a palette."""

import struct
import zlib

import numpy as np


def png(indices, palette):
    """The bytes of a picture; indices: (rows, columns) array below 256, palette: "rrggbb" for each index."""
    rows, columns = indices.shape
    # each row begins with the number of its filter, 0 for none
    lines = np.zeros((rows, columns + 1), np.uint8)
    lines[:, 1:] = indices
    head = struct.pack(">IIBBBBB", columns, rows, 8, 3, 0, 0, 0)
    colours = b"".join(bytes.fromhex(colour) for colour in palette)
    parts = (b"IHDR", head), (b"PLTE", colours), (b"IDAT", zlib.compress(lines.tobytes(), 9)), (b"IEND", b"")
    return b"\x89PNG\r\n\x1a\n" + b"".join(_chunk(*part) for part in parts)


def _chunk(kind, data):
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
