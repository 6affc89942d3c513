"""Arrays in dicts, as the parameters of modules of Flax and MLX are: each with the dotted name of its place."""

from collections.abc import Mapping

import numpy as np

from ..errors import InputTypeError, shown
from ..foreign import is_foreign
from ..tensor_files import answer
from .stored import Stored

SOURCE = "the dict of arrays"
DEEPEST = 32
#: the last name of a table in Flax, and what it is in files of torch
TABLES = {"embedding": "weight"}


def tensors_of(arrays):
    """`Stored` of all arrays in a dict; dicts and lists may hold them at any depth."""
    return [_stored(name, array) for name, array in _flat("", arrays, DEEPEST)]


def _flat(name, value, depth):
    """Pairs of a dotted name and an array."""
    if (isinstance(value, np.ndarray) or is_foreign(value)) and hasattr(value, "dtype"):
        yield name, value
        return
    if not isinstance(value, (Mapping, list, tuple)) or depth == 0:
        where = f"model[{shown(name)}]"
        raise InputTypeError(
            "E_FILE", "model", f"{where} must be an array, or a dict or list of them, got {shown(value)}"
        )
    for key, inner in value.items() if isinstance(value, Mapping) else enumerate(value):
        leaf = TABLES.get(key, key) if isinstance(key, str) else key
        yield from _flat(f"{name}.{leaf}" if name else str(leaf), inner, depth - 1)


def _stored(name, array):
    """The dtype of an array by the last of its words: `mlx.core.float32`."""
    dtype = str(array.dtype).rpartition(".")[2]
    return Stored(name, dtype, tuple(array.shape), lambda: answer(array, name))
