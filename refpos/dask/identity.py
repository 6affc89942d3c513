"""What tells the call that makes a Dask array from every other: its graph with all data in it, not its name."""

from __future__ import annotations

import functools
import hashlib
import operator
import sys
import types
from typing import Any

import numpy as np

from .._version import __version__
from .need import need

_SCALARS = (bool, int, float, complex, str, bytes, type(None), type(Ellipsis), np.dtype, slice, range)
_CALLS = (types.FunctionType, types.BuiltinFunctionType, type, np.ufunc, type(np.sum))
_GETTERS = (operator.itemgetter, operator.attrgetter, operator.methodcaller)


class _Unknown(Exception):
    """What may stand for other values the next time, such as a file."""


def identity(array: Any) -> str | None:
    """sha256 of the graph of a Dask array, with the data and the names of the functions in it.

    It is the same in every process. Two arrays of one identity have equal values, if the functions give equal values
    for equal arguments. None where the graph holds what may change while its name stays: an array in a file, an object
    of an unknown class, a lambda.
    """
    told = hashlib.sha256(f"refpos {__version__} {array.name} {array.dtype} {array.chunks}\n".encode())
    try:
        graph = dict(array.__dask_graph__())
        for key in sorted(graph, key=repr):
            _tell(key, told)
            _tell(graph[key], told)
    except (_Unknown, RecursionError):
        return None
    return told.hexdigest()


def _tell(value, told):
    """Add a value to the digest."""
    kind = type(value)
    told.update(f"{kind.__module__}.{kind.__qualname__}(".encode())
    if kind.__module__.startswith("refpos.dask."):
        told.update(value.told.encode())
    elif isinstance(value, np.generic) or (kind is np.ndarray and not value.dtype.hasobject):
        told.update(f"{value.dtype.str} {value.shape} ".encode())
        told.update(np.ascontiguousarray(value).reshape(-1).view(np.uint8))
    elif kind in _SCALARS or isinstance(value, np.dtype):
        told.update(repr(value).encode())
    elif isinstance(value, _CALLS):
        told.update(_name(value).encode())
    else:
        for part in _parts(value, kind):
            _tell(part, told)
    told.update(b")")


def _parts(value, kind):
    """What a container, or a node of a graph, consists of."""
    nodes = need("dask._task_spec")
    if kind in (tuple, list):
        return value
    if kind is dict:
        return [part for pair in value.items() for part in pair]
    if kind is functools.partial:
        return value.func, value.args, value.keywords
    if kind.__module__ == "toolz.functoolz":
        return (value.first, value.funcs) if kind.__name__ == "Compose" else (value.func, value.args, value.keywords)
    if kind in _GETTERS:
        return value.__reduce__()[1]
    if isinstance(value, nodes.TaskRef):
        return (value.key,)
    if isinstance(value, nodes.Alias):
        return (value.target,)
    if isinstance(value, nodes.DataNode):
        return (value.value,)
    if isinstance(value, nodes.Task):
        return value.func, value.args, value.kwargs
    raise _Unknown


def _name(function):
    """The name under which every process imports a function or class, with the version of its package."""
    module = getattr(function, "__module__", None) or ("numpy" if isinstance(function, np.ufunc) else "")
    name, found = getattr(function, "__qualname__", function.__name__), sys.modules.get(module)
    for part in name.split("."):
        found = getattr(found, part, None)
    if function not in (found, getattr(found, "func", None)) or module == "__main__":
        raise _Unknown
    package = sys.modules.get(module.partition(".")[0])
    return f"{module}.{name} {getattr(package, '__version__', '')}"
