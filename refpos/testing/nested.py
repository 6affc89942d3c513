"""Golden cases inside a value: in tuples, lists, dicts, iterators, dataclasses, other objects, calls and closures."""

from __future__ import annotations

import copy
import gc
import sys
import types
import weakref
from collections import deque
from collections.abc import Iterator, Mapping, Set, ValuesView
from functools import partial
from itertools import islice
from typing import Any

import numpy as np

from .cases import TestCase, cases

MOST = 10_000  # objects that are looked at, those near the value first
PLAIN = (str, bytes, bytearray, int, float, complex, bool, type(None), types.ModuleType)
#: packages whose objects lead to every test of the run
RUNNERS = ("_pytest", "pytest", "pluggy", "xdist")
#: packages whose classes and functions hold no case of a test
WITHOUT = {*sys.stdlib_module_names, "numpy", "refpos"}
#: iterators whose copies go on by themselves, so that what is left of one can be looked at without moving it
COPIED = tuple(type(iter(made)) for made in ([], (), set(), {}, {}.values(), {}.items(), deque(), reversed([])))


def cases_in(*values: Any, lazily: bool = False) -> list[TestCase]:
    """The cases in the values, each id once, in the order in which they are found.

    Of an iterator over a list, tuple, set, dict or deque these are the cases that are left. What a generator, map or
    filter will give is known only when it runs: with `lazily=True` the cases count that it is made from.
    """
    found: dict[str, TestCase] = {}
    for value in _walk(values, lazily):
        if isinstance(value, TestCase):
            found.setdefault(value.id, value)
    return list(found.values())


def unmade_in(*values: Any) -> bool:
    """Whether a generator in the values, whose code names `cases` of refpos.testing, has still to make its cases."""
    return any(isinstance(value, types.GeneratorType) and _names_cases(value) for value in _walk(values, True))


def _walk(values, lazily):
    """The values and the objects in them."""
    seen: dict[int, Any] = {}
    queue = deque(values)
    while queue and len(seen) < MOST:
        value = queue.popleft()
        if isinstance(value, TestCase):
            yield value
        elif not isinstance(value, PLAIN) and id(value) not in seen:
            seen[id(value)] = value
            yield value
            try:
                queue.extend(islice(_inside(value, lazily), MOST))
            except Exception:  # whatever an object raises that is looked at
                continue


def _names_cases(generator):
    frame = generator.gi_frame
    if frame is None:
        return False
    names = frame.f_code.co_names
    return {"testing", "cases"} <= set(names) or any(frame.f_globals.get(name) is cases for name in names)


def _inside(value, lazily):
    """The objects that a value holds."""
    if isinstance(value, COPIED):
        return copy.copy(value)
    if isinstance(value, types.GeneratorType):
        return _of_generator(value) if lazily else []
    if isinstance(value, Iterator) and not hasattr(value, "__dict__"):
        return gc.get_referents(value) if lazily else []
    if type(value).__module__.partition(".")[0].startswith(RUNNERS):
        return []
    if isinstance(value, np.ndarray):
        return value.reshape(-1).tolist() if value.dtype == object else []
    if isinstance(value, (list, tuple, Set, deque, ValuesView)):
        return value
    if isinstance(value, Mapping):
        return [*value.keys(), *value.values()]
    if isinstance(value, partial):
        return [value.func, *value.args, *value.keywords.values()]
    if isinstance(value, types.MethodType):
        return [value.__self__]
    if isinstance(value, weakref.ref):
        return [value()]
    if isinstance(value, type):
        return [] if value.__module__.partition(".")[0] in WITHOUT else list(vars(value).values())
    if isinstance(value, property):
        return [value.fget]
    if isinstance(value, types.FunctionType):
        return [*_cells(value), *(value.__defaults__ or ()), *(value.__kwdefaults__ or {}).values()]
    slots = [name for kind in type(value).__mro__ for name in _names(kind)]
    own = getattr(value, "__dict__", {}).values()
    return [*own, *(getattr(value, name, None) for name in slots), *type(value).__mro__]


def _of_generator(generator):
    """The variables that a generator has, and the variables of its module that its code names."""
    frame = generator.gi_frame
    if frame is None:
        return []
    named = [frame.f_globals.get(name) for name in frame.f_code.co_names]
    return [*frame.f_locals.values(), *named, generator.gi_yieldfrom]


def _names(kind):
    """The names of the slots of a class; Python puts the name of the class before those that begin with __."""
    slots = kind.__dict__.get("__slots__", ())
    slots = (slots,) if isinstance(slots, str) else tuple(slots)
    private = f"_{kind.__name__.lstrip('_')}"
    return [f"{private}{name}" if name.startswith("__") and not name.endswith("__") else name for name in slots]


def _cells(function):
    """What a closure refers to; a cell may be empty still."""
    for cell in function.__closure__ or ():
        try:
            yield cell.cell_contents
        except ValueError:
            continue
