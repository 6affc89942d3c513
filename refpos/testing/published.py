"""What is no answer of other code: the published numbers themselves, and numbers made without the case's arguments."""

from __future__ import annotations

import weakref
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from .. import foreign
from ..errors import InputError
from ..tensor_files import Tensor, answer
from .arrays import unread

_NUMBERS = (bool, int, float, complex)  # which lists of many hold
#: {id: the arrays that `case.expected` of its objects handed out}; a view keeps the array alive that it is one of
_HANDED_OUT: dict[str, list[weakref.ref[np.ndarray]]] = {}


def remember(id: str, shown: Mapping[str, Tensor]) -> None:
    """An object of the case hands out these numbers."""
    _HANDED_OUT[id] = [*_living(id), *(weakref.ref(tensor.values) for tensor in shown.values())]


def _living(id):
    """References to the arrays that are still held by somebody."""
    return [held for held in _HANDED_OUT.get(id, ()) if held() is not None]


def refuse_published(id: str, actual: Any, names: tuple[str, ...], unanswered: bool) -> None:
    """Refuse numbers that are, or share memory with, what `case.expected` of any object of the case handed out.

    names: the outputs. A copy cannot be told from an answer by its numbers. Where the numbers of the case were read and
    its arguments never (unanswered), no code can have computed the answer from the case, and it is refused too.
    """
    __tracebackhide__ = True
    published = [array for held in _living(id) if (array := held()) is not None]
    if not published and not unanswered:
        return
    for name, given in unread(actual, names).items():
        read = answer(given, f"actual {name}").values
        if any(np.may_share_memory(one, other) for one in (read, *_arrays_in(given)) for other in published):
            sentence = f"{id}: actual must be what other code computed, got case.expected itself as {name}"
            raise InputError("E_CHOICE", "actual", sentence)
    if unanswered:
        sentence = f"{id}: actual must be computed from case.arguments, got case.expected read and case.arguments never"
        raise InputError("E_CHOICE", "actual", sentence)


def _arrays_in(given: Any) -> Iterator[np.ndarray]:
    """The arrays that lists and other sequences hold, which NumPy has copied into one."""
    queue, seen = [given], set()
    while queue:
        one = queue.pop()
        if isinstance(one, Tensor):
            yield one.values
        elif isinstance(one, np.ndarray) and one.dtype != object:
            yield one
        elif isinstance(one, memoryview):
            yield np.asarray(one)
        elif foreign.is_foreign(one):
            yield foreign.read("actual", one)[0]
        elif _is_sequence(one) and id(one) not in seen:
            seen.add(id(one))
            queue += [item for item in one if type(item) not in _NUMBERS]


def _is_sequence(one):
    """Whether NumPy makes an array of what it holds."""
    plain = isinstance(one, (str, bytes, bytearray, range, np.generic, Mapping, type))
    return not plain and all(hasattr(type(one), way) for way in ("__len__", "__getitem__"))
