"""What is no answer of other code: the published numbers themselves, and numbers made without the case's arguments."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..errors import InputError
from ..tensor_files import Tensor
from .arrays import by_output


def refuse_published(id: str, actual: Any, shown: dict[str, Tensor], arguments_read: bool) -> None:
    """Refuse numbers that are, or share memory with, the `case.expected` that was handed out.

    A copy cannot be told from an answer by its numbers. Where `case.expected` was read and `case.arguments` never, no
    code can have computed the answer from the case, and it is refused too.
    """
    __tracebackhide__ = True
    answered = by_output(actual, tuple(shown))
    for name, one in answered.items():
        if any(np.may_share_memory(one.values, tensor.values) for tensor in shown.values()):
            sentence = f"{id}: actual must be what other code computed, got case.expected itself as {name}"
            raise InputError("E_CHOICE", "actual", sentence)
    if not arguments_read:
        sentence = f"{id}: actual must be computed from case.arguments, got case.expected read and case.arguments never"
        raise InputError("E_CHOICE", "actual", sentence)
