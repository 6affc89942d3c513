"""`refpos read`: what the numbers in a file are, and the call that gives them."""

import ast
import re

import numpy as np

from .. import catalogue
from ..errors import InputError, shortened
from . import screen
from .diagnose import tensors_by_name

MOST = 1 << 32  # bytes of one file
#: the first bytes of an npy file of complex numbers, as NumPy writes it
COMPLEX = re.compile(rb"\x93NUMPY[^{]{4,6}\{'descr': '[<>]c(?:8|16)'", re.DOTALL)


def read(options):
    """Read the files of y and of x, and say what y is."""
    from ..measure.read import READ, read

    if options.of not in READ:
        raise InputError("E_CHOICE", "of", f"--of must be one of {', '.join(READ)}, got {options.of!a:.80}")
    x = [] if options.x is None else [_one(options.x, "x")]
    named = {**tensors_by_name(options.arrays), **_values(options.set)}
    found = read(_of_tables(options.file) if options.of == "rope_table" else _one(options.file, "y"),
                 catalogue.find(options.of).function, *x, **named)  # fmt: skip
    if options.json:
        screen.as_json(found.to_json())
    else:
        for line in str(found).splitlines():
            indent = len(line) - len(line.lstrip())
            print(screen.paragraph(line.strip(), indent, indent + 2))
    return 0 if found.complete else 1


def _values(words):
    """{name: value} of NAME=VALUE: numbers, lists of them, True or False; any other value is text."""
    values = {}
    for word in words or ():
        name, equals, text = word.partition("=")
        if not equals:
            raise InputError("E_CHOICE", "set", f"--set must be NAME=VALUE, got {word!a:.80}")
        try:
            values[name] = ast.literal_eval(text)
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            values[name] = text
    return values


def _tensors(path):
    from ..tensor_files import read_tensors

    return read_tensors(path, most_bytes=MOST)


def _one(path, name):
    """The one tensor of a file."""
    tensors = _tensors(path)
    if len(tensors) != 1:
        raise InputError("E_FILE", name, f"{path} must hold one tensor for {name}, got {len(tensors)}")
    return next(iter(tensors.values()))


def _of_tables(path):
    """The one tensor of a file, or those named cos and sin, or the complex array of an npy file."""
    if _is_complex(path):
        return _complex(path)
    tensors = _tensors(path)
    if {"cos", "sin"} <= tensors.keys():
        return tensors["cos"], tensors["sin"]
    return _one(path, "y")


def _is_complex(path):
    try:
        with open(path, "rb") as file:
            return COMPLEX.match(file.read(64)) is not None
    except (OSError, ValueError):  # said by who reads it
        return False


def _complex(path):
    from ..tensor_files.files import refusal

    try:
        return np.load(path, mmap_mode="r", allow_pickle=False)
    except (OSError, ValueError) as error:
        raise refusal(path, "be a whole npy file", f"one that says: {shortened(str(error))}") from None
