"""GGUF: the metadata at the head of a file of llama.cpp, and those of its tensors that are asked for.

Source: ggml-org/ggml, docs/gguf.md, versions 2 and 3.
"""

import math
import mmap
import os
import struct

import numpy as np

from ..errors import shown
from .files import read_file, refusal
from .tensors import Tensor

MAGIC = b"GGUF"
VERSIONS = (2, 3)
LARGEST_HEADER = 1 << 28
LARGEST_TENSOR = 1 << 20  # elements of a tensor that is read
LONGEST_KEY, LONGEST_TEXT, LONGEST_ARRAY, MOST_DIMENSIONS = 1 << 16, 1 << 16, 1 << 16, 8
BOOL, TEXT, ARRAY = 7, 8, 9
#: value types by number, as struct writes them
NUMBERS = {0: "B", 1: "b", 2: "H", 3: "h", 4: "I", 5: "i", 6: "f", BOOL: "?", 10: "Q", 11: "q", 12: "d"}
#: types of tensors that are not quantised, by number
TENSORS = {0: ("float32", "f4"), 1: ("float16", "f2"), 28: ("float64", "f8"), 30: ("bfloat16", "u2")}
VOCABULARY = "tokenizer."  # keys that are passed over: of a model's positions they say nothing


def read_gguf(path, wanted=frozenset()):
    """({key: value}, {name: Tensor}) of a file: its metadata without the vocabulary, and the tensors of these names."""
    return read_file(path, lambda path, file: _read(path, file, wanted))


def list_gguf(path):
    """{name: (dtype, shape)} of the tensors of a file, none of them read; others are "quantised"."""
    _, entries, _, _ = read_file(path, lambda path, file: _with_head(path, file, lambda *found: found))
    return {name: (TENSORS.get(kind, ("quantised",))[0], shape) for name, (shape, kind, _) in entries.items()}


def _read(path, file, wanted):
    def values(metadata, entries, head, start):
        return metadata, {name: head.values(name, start, *entries[name]) for name in wanted if name in entries}

    return _with_head(path, file, values)


def _with_head(path, file, use):
    """use(metadata, entries of the tensors, head, where their data begin), while the file is mapped."""
    if os.fstat(file.fileno()).st_size < 24:
        raise refusal(path, "be a GGUF file, with a header of 24 bytes or more", "less")
    with mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
        head = _Head(path, data)
        tensors, pairs = head.number("Q"), head.number("Q")
        metadata = {}
        for _ in range(pairs):
            key = head.text(LONGEST_KEY)
            if key in metadata:
                raise refusal(path, "hold each key once", f"{shown(key)} twice")
            value = head.value(key, head.number("I"))
            if not key.startswith(VOCABULARY):
                metadata[key] = value
        entries = {}
        for _ in range(tensors):
            name, entry = head.tensor()
            if name in entries:
                raise refusal(path, "name each tensor once", f"{shown(name)} twice")
            entries[name] = entry
        return use(metadata, entries, head, head.data_start(metadata.get("general.alignment", 32)))


class _Head:
    """The bytes of a header, and how far they were read."""

    def __init__(self, path, data):
        self.path, self.data, self.at = path, data, 4
        if data[:4] != MAGIC:
            raise refusal(path, "be a GGUF file", f"the first bytes {bytes(data[:4])!r}")
        versions = [struct.unpack_from(order + "I", data, 4)[0] for order in "<>"]
        self.order = "<>"[versions[1] in VERSIONS]
        if versions[self.order == ">"] not in VERSIONS:
            raise refusal(path, "be of GGUF version 2 or 3", f"version {versions[0]}")
        self.at = 8

    def skip(self, count):
        """Pass over so many bytes, and give where they begin."""
        start, self.at = self.at, self.at + count
        if self.at > min(len(self.data), LARGEST_HEADER):
            limit = f"{len(self.data)} bytes" if self.at > len(self.data) else f"{LARGEST_HEADER} bytes at most"
            raise refusal(self.path, f"have a whole GGUF header in its {limit}", f"one that goes on to {self.at}")
        return start

    def number(self, code):
        """The next number, of a code of struct."""
        layout = self.order + code
        return struct.unpack_from(layout, self.data, self.skip(struct.calcsize(layout)))[0]

    def text(self, most):
        """The next text, of at most so many bytes."""
        length = self.number("Q")
        if length > most:
            self.skip(length)  # what goes beyond the file is refused as that
            raise refusal(self.path, f"have texts of at most {most} bytes in its header", f"one of {length}")
        return self._decoded(length)

    def _decoded(self, length):
        start = self.skip(length)
        try:
            return bytes(self.data[start : self.at]).decode("utf-8")
        except UnicodeDecodeError:
            raise refusal(
                self.path, "have texts of UTF-8 in its header", shown(self.data[start : start + 60])
            ) from None

    def value(self, key, kind):
        """The value of a key; of the vocabulary, and of long texts, None."""
        if kind in NUMBERS:
            return self.number(NUMBERS[kind])
        if kind == TEXT:
            return self._pass_texts(1) if key.startswith(VOCABULARY) else self._long_text()
        if kind != ARRAY:
            raise refusal(self.path, f"have a known type of {shown(key)}", f"type {kind}")
        kind, count = self.number("I"), self.number("Q")
        if kind in NUMBERS:
            size = struct.calcsize("<" + NUMBERS[kind])
            start = self.skip(count * size)
            if key.startswith(VOCABULARY):
                return None
            if count > LONGEST_ARRAY:
                raise refusal(self.path, f"have at most {LONGEST_ARRAY} numbers for {shown(key)}", f"{count}")
            return list(struct.unpack_from(f"{self.order}{count}{NUMBERS[kind]}", self.data, start))
        if kind != TEXT:
            raise refusal(self.path, f"have an array of numbers or texts for {shown(key)}", f"type {kind}")
        if key.startswith(VOCABULARY) or count > LONGEST_ARRAY:
            return self._pass_texts(count)
        return [self._long_text() for _ in range(count)]

    def _long_text(self):
        """The next text, as a licence or a template may be long: None beyond LONGEST_TEXT."""
        length = self.number("Q")
        if length <= LONGEST_TEXT:
            return self._decoded(length)
        self.skip(length)
        return None

    def _pass_texts(self, count):
        """Pass over so many texts, which need not be UTF-8."""
        for _ in range(count):
            self.skip(self.number("Q"))

    def tensor(self):
        """(name, (shape, type, offset)) of the next tensor; the first size is that of the last axis."""
        name, count = self.text(LONGEST_KEY), self.number("I")
        if count > MOST_DIMENSIONS:
            raise refusal(self.path, f"hold {shown(name)} in at most {MOST_DIMENSIONS} dimensions", f"{count}")
        sizes = [self.number("Q") for _ in range(count)]
        return name, (tuple(sizes[::-1]), self.number("I"), self.number("Q"))

    def data_start(self, alignment):
        """Where the data of the tensors begin."""
        if type(alignment) is not int or not 0 < alignment <= 1 << 20:
            raise refusal(self.path, "have a general.alignment from 1 to 2**20", shown(alignment))
        return -(-self.at // alignment) * alignment

    def values(self, name, start, shape, kind, offset):
        """The `Tensor` of an entry."""
        named = shown(name)
        if kind not in TENSORS:
            known = ", ".join(name for name, _ in TENSORS.values())
            raise refusal(self.path, f"hold {named} as one of {known}", f"type {kind}")
        count = math.prod(shape)
        if count > LARGEST_TENSOR:
            raise refusal(self.path, f"hold at most {LARGEST_TENSOR} elements in {named}", f"{count}")
        dtype = np.dtype(TENSORS[kind][1]).newbyteorder(self.order)
        start, stop = start + offset, start + offset + count * dtype.itemsize
        if stop > len(self.data):
            raise refusal(self.path, f"hold {named} in its {len(self.data)} bytes", f"data from {start} to {stop}")
        values = np.frombuffer(bytes(self.data[start:stop]), dtype).astype(dtype.newbyteorder("="))
        return Tensor(TENSORS[kind][0], values.reshape(shape))
