"""Answers to golden cases: tensors by name, from files, from folders of files, and from one dict in memory."""

import math
import os
from collections.abc import Mapping

from .. import tensor_files
from ..errors import FileError, InputError, InputTypeError, shown
from ..tensor_files.files import read_file
from .folders import files_below, is_of_tensors
from .format import refusal
from .generate import MANIFEST

LONGEST_CODE = 64  # letters of the code of a refusal


def numbers_wanted(expected):
    """A function of the name, dtype and shape of a tensor: whether it can be compared, so that its numbers are read."""
    shapes = {}
    for entry, _ in expected:
        held = {**entry.get("outputs", {}), **entry.get("wanted", {})}
        shapes.update({f"{entry['id']}/{name}": tuple(one["shape"]) for name, one in held.items()})
        if len(held) == 1:
            shapes[entry["id"]] = tuple(next(iter(held.values()))["shape"])
    codes = {f"{entry['id']}/error" for entry, _ in expected if "error" in entry}

    def wanted(name, dtype, shape):
        if name in codes:
            return math.prod(shape) <= LONGEST_CODE
        return shapes.get(name) == tuple(shape)

    return wanted


def answer_files(paths):
    """[(file of tensors, name of its one tensor or None)], in folders every file of tensors; FileError for a single one
    that cannot be opened, before a corpus is read for it."""
    files = [one for path in paths for one in _files(path)]
    if len(files) == 1:
        read_file(files[0][0], lambda path, file: None)
    return files


def read_answers(files, wanted):
    """({name: Tensor} of all files; sentences on the files that cannot be read, beside others that can)."""
    answers, unreadable = {}, []
    for path, inside in files:
        try:
            tensors = tensor_files.read_tensors(path, wanted=_by_path(wanted, inside))
        except FileError as error:
            if len(files) == 1:
                raise
            unreadable.append(str(error))
            continue
        for name, tensor in ({inside: next(iter(tensors.values()))} if inside else tensors).items():
            if name in answers:
                raise refusal(path, "name each tensor once", f"{name!r} twice")
            answers[name] = tensor
    return answers, tuple(unreadable)


def by_case(answers):
    """{case id: {name: Tensor}} of answers, whose names begin with the id, "suite/case"."""
    held = {}
    for name, tensor in answers.items():
        held.setdefault("/".join(name.split("/", 2)[:2]), {})[name] = tensor
    return held


def _by_path(wanted, inside):
    """`wanted` for a file whose one tensor is named by its path."""
    return (lambda name, dtype, shape: wanted(inside, dtype, shape)) if inside else wanted


def in_memory(given):
    """{name: Tensor} of one dict of answers: {case id: {output: array}} or {name: array}."""
    if len(given) > 1:
        raise InputError(
            "E_FILE", "path", f"path must be one dict of answers or files alone, got {len(given)} arguments"
        )
    answers = {}
    for name, value in given[0].items():
        if not isinstance(name, str):
            raise InputTypeError("E_FILE", "path", f"path must name answers by case ids, got {shown(name)}")
        inner = value if isinstance(value, Mapping) else {"": value}
        if not inner or (inner is value and not all(isinstance(output, str) and output for output in inner)):
            raise InputTypeError("E_FILE", "path", f"{name} must map names of outputs to arrays, got {shown(value)}")
        for output, array in inner.items():
            key = f"{name}/{output}" if output else name
            if key in answers:
                raise InputError("E_FILE", "path", f"path must name each tensor once, got {key!r} twice")
            answers[key] = tensor_files.answer(array, key, "int64")
    if not answers:
        raise InputError("E_FILE", "path", "path must hold at least one answer, got an empty dict")
    return answers


def _files(path):
    """[(file of tensors, name of its one tensor or None)]; a folder stands for all files in it."""
    if not os.path.isdir(path):
        return [(path, None)]
    files = []
    for folder, names in files_below(path):
        if MANIFEST in names:
            raise refusal(path, "hold answers", f"the golden directory {folder}")
        for name in filter(is_of_tensors, names):
            stem, suffix = name[: name.rindex(".")], name[name.rindex(".") :]
            inside = os.path.relpath(os.path.join(folder, stem), path).replace(os.sep, "/")
            files.append((os.path.join(folder, name), inside if suffix.lower() == ".npy" else None))
    if not files:
        expected = f"hold answers (.npz, .safetensors or .npy), or {MANIFEST} as each folder that generate wrote"
        raise refusal(path, expected, "none of these")
    return files
