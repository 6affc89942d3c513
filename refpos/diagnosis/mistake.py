"""A mistake: one thing that somebody may have computed in another way than a call asks for."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from ..tensor_files import Tensor
from .call import Call

Outputs = dict[str, Tensor]


def same(anything):
    """What is given, unchanged."""
    return anything


class Mistake(NamedTuple):
    """A mistake: its name, what was computed, and what is asked for.

    change: from the call that is asked for to the one that was made. undo: from the answers to what they were before
    something was done to them. outputs: what a call gives, where another engine than that of the package made it.
    rare: not tried together with a second mistake. limits: the error bounds of such a call and its outputs, where they
    are not those of the call.
    """

    name: str
    computed: str
    asked: str
    change: Callable[[Call], Call] = same
    undo: Callable[[Outputs], Outputs] = same
    outputs: Callable[[Call], Outputs] = Call.outputs
    rare: bool = False
    limits: Callable[[Call, Outputs], dict[str, Any]] | None = None

    def then(self, other: Mistake) -> Mistake:
        """This mistake and another one."""
        return Mistake(
            f"{self.name} and {other.name}",
            f"{self.computed} and {other.computed}",
            f"{self.asked} and {other.asked}",
            _one_after_another(self.change, other.change),
            _one_after_another(other.undo, self.undo),
            other.outputs if self.outputs is Call.outputs else self.outputs,
            limits=other.limits if self.limits is None else self.limits,
        )


def _one_after_another(first, second):
    if first is same or second is same:
        return second if first is same else first
    return lambda given: second(first(given))
