"""Position ids that are numbers of a call, and not arguments of it: held in too few bits, counted on without a restart,
moved, or with their axes in another order."""

from __future__ import annotations

import itertools
from functools import partial

import numpy as np

from .. import catalogue
from .mistake import Mistake

KINDS = ("int8", "uint8", "int16", "uint16")
MOVES = (1, -1)
AXES = (2, 3)  # axes of ids, first or last, whose order may be another one


def other_ids(call):
    """What may have become of the position ids of a call."""
    entry = catalogue.find(call.suite)
    if entry.family != "positions":
        return
    word = "batch rows" if _is_batch(call) else "axes"
    for count, last in itertools.product(AXES, (False, True)):
        for order in itertools.permutations(range(count)):
            if order != tuple(range(count)):
                text = f"{word} in the order {', '.join(map(str, order))}"
                yield Mistake("axes", text, f"{word} in their order", undo=partial(_reordered, order=order, last=last))
    for kind in KINDS:
        text = f"positions held in {kind}, which wrap around"
        yield Mistake("precision", text, "positions", outputs=partial(_changed, change=partial(_wrapped, kind=kind)))
    for by in MOVES:
        text = f"positions {'+' if by > 0 else '-'} {abs(by)}"
        yield Mistake("ids", text, "positions", outputs=partial(_changed, change=partial(np.add, by)))
    text = "positions counted on from the first one, without a restart (padding counted too)"
    yield Mistake("ids", text, "positions", outputs=partial(_changed, change=_running))
    if _is_batch(call):
        text = "positions counted on over the batch, not reset for each row"
        yield Mistake("ids", text, "positions", outputs=partial(_changed, change=_over_the_batch))


def _is_batch(call):
    """Whether there is an id for each number of an array of several rows, so that the first axis is the batch."""
    given = {one.values.shape for one in call.tensors.values() if one.values.ndim > 1}
    return any(one.values.shape in given for one in call.outputs().values())


def _changed(call, change):
    """The outputs of a call with their ids changed; masks and numbers of another kind as they are."""
    return {
        name: one._replace(values=change(one.values)) if one.values.dtype.kind in "iu" else one
        for name, one in call.outputs().items()
    }


def _wrapped(values, kind):
    return values.astype(kind).astype(values.dtype)


def _running(values):
    """Ids along the last axis that rise by 1 from the first one."""
    count = np.arange(values.shape[-1] if values.ndim else 1, dtype=values.dtype)
    return values[..., :1] + count if values.ndim else values


def _over_the_batch(values):
    """Ids that rise by 1 from 0 on, row after row."""
    return np.arange(values.size, dtype=values.dtype).reshape(values.shape)


def _reordered(outputs, order, last):
    """Answers with their axes in the order that is asked for; refused where they have not so many."""
    back = np.argsort(order)
    made = {}
    for name, one in outputs.items():
        axis = one.values.ndim - 1 if last else 0
        if one.values.ndim < 2 or one.values.shape[axis] != len(order):
            raise LookupError(f"{name} must have {len(order)} axes, got the shape {one.values.shape}")
        made[name] = one._replace(values=np.ascontiguousarray(one.values.take(back, axis)))
    return made
