"""The tensors of checkpoints: listed from the headers, and read one at a time when they are asked for."""

from __future__ import annotations

import functools
import json
import math
import os
import re
from collections.abc import Callable
from typing import Any, NamedTuple

from ..errors import FileError, shown
from ..tensor_files import onnx_files, read_bytes, read_tensors
from ..tensor_files.files import refusal
from ..tensor_files.gguf_files import MAGIC, list_gguf, read_gguf
from ..tensor_files.tensors import DTYPES, itemsize
from .roles import role_of
from .rotations import NO_NAMES

MODEL, ENDS, INDEX_ENDS = "model", ".safetensors", ".safetensors.index.json"
CONFIGS = ("config.json", "params.json")
LARGEST_INDEX = 1 << 26
MOST_SHARDS = 4096
SMALL = 4096  # numbers of tensors that are read together, such as the frequencies of each layer
NUMBERED = re.compile(r"(.+)-(\d{5})-of-(\d{5})\.safetensors")


class Stored(NamedTuple):
    """A tensor that is listed and not read.

    read() gives its `Tensor`, None where it has a shape alone. beside: `types_by_name` of all tensors of the model.
    context: the max_position_embeddings of its configuration. grid: the patches along the shorter side of its images.
    """

    name: str
    dtype: str
    shape: tuple[int, ...]
    read: Callable[[], Any]
    beside: Callable[[tuple[str, ...]], dict] = NO_NAMES
    context: int | None = None
    grid: int | None = None


def of_path(path):
    """(the tensors of a file or a folder, the configuration that lies with them, or None)."""
    if os.path.isdir(path):
        return _of_folder(path)
    if _is_gguf(path):
        return _of_gguf(path), path
    if path.endswith(onnx_files.ENDS):
        return _of_onnx(path), _beside(os.path.dirname(path))
    return _of_file(path), _beside(os.path.dirname(path))


def _beside(folder):
    """The configuration in a folder, or None."""
    return next((path for name in CONFIGS if os.path.isfile(path := os.path.join(folder, name))), None)


def _is_gguf(path):
    try:
        with open(path, "rb") as file:
            return file.read(len(MAGIC)) == MAGIC
    except OSError as error:
        raise refusal(path, "be a readable file", error.strerror or str(error)) from None


def _of_file(path):
    """The tensors of a npz, npy or safetensors file."""
    listed = read_tensors(path, wanted=lambda *header: False)
    for name, one in listed.items():
        if one.why and one.dtype in ("", *DTYPES):
            raise FileError("E_FILE", "path", one.why)
        if one.why:
            continue
        needed = math.prod(one.shape) * itemsize(one.dtype)
        if one.held not in (None, needed):
            raise refusal(path, f"hold {needed} bytes for {shown(name)} of shape {shown(one.shape)}", f"{one.held}")
    small = frozenset(name for name, one in listed.items() if role_of(name) and math.prod(one.shape) <= SMALL)
    together = functools.cache(lambda: read_tensors(path, wanted=lambda name, *_: name in small))
    return [
        Stored(name, one.dtype, one.shape, _reader(path, name, together if name in small else None))
        for name, one in listed.items()
    ]


def _reader(path, name, together):
    """A function that reads a tensor; together: one that reads it with others, for which the header is read once."""

    def read():
        found = (together() if together else read_tensors(path, wanted=lambda other, *_: other == name))[name]
        if hasattr(found, "why"):
            raise FileError("E_FILE", "path", found.why)
        return found

    return read


def _of_gguf(path):
    listed = list_gguf(path)
    return [Stored(name, kind, shape, _reader_of_gguf(path, name)) for name, (kind, shape) in listed.items()]


def _reader_of_gguf(path, name):
    return lambda: read_gguf(path, frozenset([name]))[1][name]


def _of_onnx(path):
    listed = onnx_files.list_onnx(path)[1]
    return [Stored(name, kind, shape, _reader_of_onnx(path, name)) for name, (kind, shape) in listed.items()]


def _reader_of_onnx(path, name):
    return lambda: onnx_files.read_onnx(path, name)


def _of_folder(folder):
    """The tensors of the shards that the index of a folder names, of model.safetensors, or of all such files."""
    names = sorted(os.listdir(folder))
    indices = [name for name in names if name.endswith(INDEX_ENDS)]
    first = next((name for name in (MODEL + INDEX_ENDS, MODEL + ENDS, *indices[:1]) if name in names), None)
    shards = _shards(os.path.join(folder, first)) if first is not None and first.endswith(INDEX_ENDS) else None
    if shards is None:
        names = [name for name in names if name.endswith(ENDS) and first in (None, name)]
        _check_complete(folder, names)
    else:
        names = sorted({*shards.values()})
    if not names:
        raise refusal(folder, "hold config.json and safetensors files", "a folder without safetensors files")
    found, places = {}, {}
    for name in names:
        for one in _of_file(os.path.join(folder, name)):
            if one.name in found:
                raise refusal(folder, "hold each tensor once", f"{shown(one.name)} twice")
            found[one.name], places[one.name] = one, name
    for tensor, name in (shards or {}).items():
        if places.get(tensor) != name:
            raise refusal(folder, "hold each tensor where its index says", f"{shown(name)} without {shown(tensor)}")
    return list(found.values()), _beside(folder)


def _check_complete(folder, names):
    """Refuse some of the files that stand for one model by their names, such as model-00001-of-00002.safetensors."""
    parts = {}
    for name in names:
        numbered = NUMBERED.fullmatch(name)
        if numbered:
            parts.setdefault((numbered[1], int(numbered[3])), set()).add(int(numbered[2]))
    for (stem, count), held in parts.items():
        if len(held) < count:
            raise refusal(folder, f"hold all {count} files of {shown(stem)}", f"{len(held)}")


def _shards(path):
    """{tensor: file} of an index, each file one of the same folder."""
    try:
        index = json.loads(read_bytes(path, LARGEST_INDEX).decode("utf-8"))
    except (ValueError, RecursionError):
        index = None
    shards = index.get("weight_map") if isinstance(index, dict) else None
    if not isinstance(shards, dict) or not all(isinstance(name, str) for name in shards.values()):
        raise refusal(path, "hold a JSON object whose weight_map maps tensors to files", "something else")
    names = {*shards.values()}
    for name in sorted(names):
        if os.path.basename(name) != name or not name.endswith(ENDS):
            raise refusal(path, "name safetensors files of the same folder", shown(name))
    if len(names) > MOST_SHARDS:
        raise refusal(path, f"name at most {MOST_SHARDS} files", f"{len(names)}")
    return shards
