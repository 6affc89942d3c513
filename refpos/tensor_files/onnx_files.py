"""ONNX: the nodes of a model whose operator is asked for, and those of its tensors that are read.

Source: onnx/onnx, onnx/onnx.proto (IR version 13), and the wire format of protocol buffers.
"""

from __future__ import annotations

import math
import mmap
import os
import struct
from typing import Any, NamedTuple

import numpy as np

from ..errors import shortened, shown
from .files import is_size, read_file, refusal
from .tensors import MOST_DIMENSIONS, Tensor

ENDS = ".onnx"
LARGEST_TENSOR = 1 << 26  # elements of a tensor that is read
LONGEST_TEXT, MOST_LISTED, DEEPEST = 1 << 16, 1 << 16, 32
#: attributes of Constant whose value is an array
CONSTANTS = ("value", "value_floats")
# wire types
VARINT, EIGHT_BYTES, LENGTH, FOUR_BYTES = 0, 1, 2, 5
#: TensorProto.DataType -> (dtype, how its bytes are read, the field of its numbers where they are not raw)
TYPES = {
    1: ("float32", "<f4", 4), 2: ("uint8", "u1", 5), 3: ("int8", "i1", 5), 4: ("uint16", "<u2", 5),
    5: ("int16", "<i2", 5), 6: ("int32", "<i4", 5), 7: ("int64", "<i8", 7), 9: ("bool", "?", 5),
    10: ("float16", "<f2", 5), 11: ("float64", "<f8", 10), 12: ("uint32", "<u4", 11), 13: ("uint64", "<u8", 11),
    16: ("bfloat16", "<u2", 5), 17: ("float8_e4m3fn", "u1", 5), 19: ("float8_e5m2", "u1", 5),
}  # fmt: skip
WIDE_FIELDS = {4: "<f4", 10: "<f8"}  # packed numbers that are no varints


class Node(NamedTuple):
    """A node: its operator and domain, its name, the names of its inputs and outputs, its attributes that are a number
    or a text, and of each subgraph in it the names of the outputs."""

    operator: str
    domain: str
    name: str
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    attributes: dict[str, Any]
    branches: tuple[tuple[str, ...], ...] = ()


class Entry(NamedTuple):
    """Where a tensor stands.

    kind: its TensorProto.DataType. numbers: {field: places of its numbers}. external: what is said of data in another
    file, as {key: value}.
    """

    kind: int
    shape: tuple[int, ...]
    numbers: dict[int, list[Any]]
    external: dict[str, str]


def list_onnx(path, is_asked=lambda operator: False):
    """(the nodes whose operator is asked for, {name: (dtype, shape)} of initializers and constants) of a model with all
    its subgraphs. No tensor is read, and functions of the model are passed over. A name that another graph has too is
    told with a number, as "inv_freq (2)".
    """
    nodes, entries = _with_model(path, is_asked, lambda model: (model.nodes, model.entries))
    return nodes, {name: (_dtype(entry), entry.shape) for name, entry in entries.items()}


def read_onnx(path, name):
    """The `Tensor` of that name; its data may be in a file of the same folder."""
    return _with_model(path, lambda operator: False, lambda model: model.values(name))


def _dtype(entry):
    return TYPES.get(entry.kind, (f"data type {entry.kind}",))[0]


def _with_model(path, is_asked, use):
    def mapped(path, file):
        if os.fstat(file.fileno()).st_size < 2:
            raise refusal(path, "be an ONNX model", "less than 2 bytes")
        with mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
            return use(_Model(path, data, is_asked))

    return read_file(path, mapped)


class _Model:
    """The bytes of a model, its nodes of the operators that are asked for, and where its tensors stand."""

    def __init__(self, path, data, is_asked):
        self.path, self.data, self.is_asked = path, data, is_asked
        self.nodes: list[Node] = []
        self.entries: dict[str, Entry] = {}
        self.counts: dict[str, int] = {}
        graphs = [value for field, value in self.fields(0, len(data)) if field == 7]
        if len(graphs) != 1 or type(graphs[0]) is not tuple:
            raise self.wrong("hold one graph", f"{len(graphs)}")
        self.graph(*graphs[0], 0)

    def wrong(self, expected, received):
        return refusal(self.path, f"be an ONNX model, and {expected}", received)

    # -- the wire format ----------------------------------------------------------------------------------------------

    def fields(self, at, stop):
        """(number, value) of each field of a message: an integer, the bytes of a fixed number, or (start, stop)."""
        while at < stop:
            tag, at = self.varint(at, stop)
            number, wire = tag >> 3, tag & 7
            if wire == VARINT:
                value, at = self.varint(at, stop)
            elif wire == LENGTH:
                length, at = self.varint(at, stop)
                value, at = (at, at + length), at + length
            elif wire in (EIGHT_BYTES, FOUR_BYTES):
                size = 8 if wire == EIGHT_BYTES else 4
                value, at = bytes(self.data[at : at + size]), at + size
            else:
                raise self.wrong("have fields of wire types 0, 1, 2 and 5", f"{wire}")
            if at > stop:
                raise self.wrong(f"end each field before byte {stop}", f"one that ends at {at}")
            yield number, value

    def varint(self, at, stop):
        """(the integer that begins there, where it ends)."""
        value = 0
        for shift in range(0, 70, 7):
            if at >= stop:
                break
            byte = self.data[at]
            at += 1
            value |= (byte & 127) << shift
            if byte < 128:
                return value & (1 << 64) - 1, at
        raise self.wrong("have integers of at most 10 bytes, that end", f"one at byte {at}")

    def text(self, place):
        if type(place) is not tuple or place[1] - place[0] > LONGEST_TEXT:
            raise self.wrong(f"have texts of at most {LONGEST_TEXT} bytes as names", shown(place))
        raw = bytes(self.data[place[0] : place[1]])
        try:
            return raw.decode("utf-8")
        except UnicodeDecodeError:
            raise self.wrong("have names of UTF-8", shown(raw[:60])) from None

    def message(self, value):
        """The fields of a message within another one."""
        return self.fields(*self.inside(value))

    # -- graphs, nodes and tensors ------------------------------------------------------------------------------------

    def graph(self, start, stop, depth):
        """Read a graph; the names of its outputs, those of tensors as `entries` has them."""
        if depth > DEEPEST:
            raise self.wrong(f"nest graphs at most {DEEPEST} deep", "more")
        names: dict[str, str] = {}
        outputs = []
        for field, value in self.fields(start, stop):
            if field == 1:
                self.node(value, depth, names)
            elif field == 5:
                self.add(*self.tensor(value), names)
            elif field == 12:
                outputs += [self.text(name) for number, name in self.message(value) if number == 1]
        return tuple(names.get(name, name) for name in outputs)

    def node(self, place, depth, names):
        """Note a node of an operator that is asked for, the value of a Constant, and what is in subgraphs."""
        texts: dict[int, list[str]] = {1: [], 2: [], 3: [], 4: [], 7: []}
        attributes = []
        for field, value in self.message(place):
            if field in texts:
                texts[field].append(self.text(value))
            elif field == 5:
                attributes.append(value)
        operator = "".join(texts[4][-1:])
        found, branches = {}, []
        for one in attributes:
            name, value = self.attribute(one, depth)
            if operator == "Constant" and name in CONSTANTS and isinstance(value, Entry) and texts[2]:
                self.add(texts[2][0], value, names)
            elif isinstance(value, (int, float, str)):
                found[name] = value
            elif type(value) is tuple:
                branches.append(value)
        if self.is_asked(operator):
            domain, name = ("".join(texts[field][-1:]) for field in (7, 3))
            self.nodes.append(Node(operator, domain, name, tuple(texts[1]), tuple(texts[2]), found, tuple(branches)))

    def attribute(self, place, depth):
        """(name, value) of an attribute: a number, a text, the `Entry` of a tensor, the outputs of a graph, or None."""
        name, found, listed = "", None, []
        for field, value in self.message(place):
            if field == 1:
                name = self.text(value)
            elif field == 2 and type(value) is bytes and len(value) == 4:
                found = struct.unpack("<f", value)[0]
            elif field == 3 and type(value) is int:
                found = value - (value >> 63 << 64)
            elif field == 4 and type(value) is tuple and value[1] - value[0] <= LONGEST_TEXT:
                found = bytes(self.data[value[0] : value[1]]).decode("utf-8", "replace")
            elif field == 5:
                found = self.tensor(value)[1]
            elif field == 7:
                listed.append(value)
            elif field in (6, 11):
                found = self.graph(*self.inside(value), depth + 1)
        return name, self.of_floats(listed) if listed else found

    def of_floats(self, listed):
        """The `Entry` of an attribute that lists floats, packed or one by one."""
        sizes = [4 if type(one) is bytes else one[1] - one[0] for one in listed if type(one) in (bytes, tuple)]
        return Entry(1, (sum(sizes) // 4,), {4: listed}, {})

    def inside(self, value):
        """(start, stop) of a field that has a length."""
        if type(value) is not tuple:
            raise self.wrong("have messages where the format says so", "a number")
        return value

    def tensor(self, place):
        """(name, `Entry`) of a TensorProto."""
        name, kind, shape, numbers, external = "", 0, [], {}, {}
        for field, value in self.message(place):
            if field == 1:
                shape += self.integers(value, MOST_DIMENSIONS)
            elif field == 2 and type(value) is int:
                kind = value
            elif field == 8:
                name = self.text(value)
            elif field in (4, 5, 7, 9, 10, 11):
                numbers.setdefault(field, []).append(value)
            elif field == 13:
                key, known = self.pair(value)
                external[key] = known
        if len(shape) > MOST_DIMENSIONS or not all(map(is_size, shape)):
            raise self.wrong(f"have at most {MOST_DIMENSIONS} sizes of 0 or more in {shown(name)}", shown(shape))
        return name, Entry(kind, tuple(shape), numbers, external)

    def pair(self, place):
        texts = {field: self.text(value) for field, value in self.message(place) if field in (1, 2)}
        return texts.get(1, ""), texts.get(2, "")

    def integers(self, value, most):
        """Integers of a repeated field, packed or one alone."""
        if type(value) is int:
            return [value]
        (at, stop), found = self.inside(value), []
        while at < stop and len(found) <= most:
            one, at = self.varint(at, stop)
            found.append(one)
        return found

    def add(self, name, entry, names):
        """Note a tensor; names: {name in its graph: name in `entries`}."""
        if name in names:
            raise self.wrong("name each tensor of a graph once", f"{shown(name)} twice")
        self.counts[name] = self.counts.get(name, 0) + 1
        names[name] = name if self.counts[name] == 1 else f"{name} ({self.counts[name]})"
        self.entries[names[name]] = entry

    # -- values -------------------------------------------------------------------------------------------------------

    def values(self, name):
        """The `Tensor` of a name."""
        entry, named = self.entries[name], shown(name)
        if entry.kind not in TYPES:
            raise self.wrong(f"hold {named} as numbers", f"TensorProto.DataType {entry.kind}")
        count = math.prod(entry.shape)
        if count > LARGEST_TENSOR:
            raise self.wrong(f"hold at most {LARGEST_TENSOR} elements in {named}", f"{count}")
        dtype, layout, field = TYPES[entry.kind]
        held = np.dtype(layout)
        if entry.external:
            raw = self.external(named, entry.external, count * held.itemsize)
        elif 9 in entry.numbers:
            raw = self.raw(entry.numbers[9][-1])
        else:
            raw = self.listed(entry.numbers.get(field, ()), field, held, count)
        if len(raw) != count * held.itemsize:
            raise self.wrong(f"hold {count * held.itemsize} bytes for {named}", f"{len(raw)}")
        if dtype == "bool" and raw.strip(b"\0\1"):
            raise self.wrong(f"hold only 0 and 1 in {named}", "other bytes")
        values = np.frombuffer(raw, held).astype(held.newbyteorder("="))
        return Tensor(dtype, values.reshape(entry.shape))

    def raw(self, place):
        start, stop = self.inside(place)
        return bytes(self.data[start:stop])

    def listed(self, places, field, held, count):
        """The bytes of numbers that are listed one by one, or packed."""
        if field in WIDE_FIELDS:
            return b"".join(one if type(one) is bytes else self.raw(one) for one in places)
        found = [number for one in places for number in self.integers(one, count)][: count + 1]
        # what a narrow integer holds stands as one of 64 bits, a negative one in two's complement
        wide = np.array(found, np.uint64).astype(np.int64)
        return wide.astype(held if held.kind in "iu" else f"u{held.itemsize}").tobytes()

    def external(self, named, known, size):
        """The bytes of data in another file of the same folder."""
        location = known.get("location", "")
        if not location or os.path.basename(location) != location or location in (".", ".."):
            raise self.wrong(f"keep the data of {named} in a file of its folder", shortened(location, 100) or "none")
        numbers = [known.get(key, default) for key, default in (("offset", "0"), ("length", str(size)))]
        if not all(number.isascii() and number.isdigit() and len(number) < 19 for number in numbers):
            raise self.wrong(f"have an offset and a length for {named}", shown(numbers))
        offset, length = map(int, numbers)
        if length != size:
            raise self.wrong(f"hold {size} bytes for {named}", f"{length}")

        def read(path, file):
            file.seek(offset)
            return file.read(length)

        return read_file(os.path.join(os.path.dirname(self.path), location), read)
